//! Scales and zero points of `QuantizeLinear` and `DequantizeLinear`.
//!
//! The reader of ONNX files makes a `FakeQuantize` of the one and a product of the other, and reshapes each list to the rank of
//! the data. Where it does not, the list aligns to the right. Asked of OpenVINO 2026.4.1 on 2,300 models of one or two
//! nodes; source: `quantize_linear.cpp` and `dequantize_linear.cpp` in `src/frontends/onnx/frontend/src/op/`.

use broadaxe_shape::{Rule, Shape, SymbolicShape};

use super::super::{
    Asked, Does,
    neighbours::Op,
    quantised::{self, is_stored_as},
};
use crate::graph::Node;

/// The opset from which on scales may be lists.
const LISTS_SINCE: i64 = 13;

fn is_dequantize(asked: &Asked<'_>) -> bool {
    asked.node.op == "DequantizeLinear"
}

/// Says how a list is read that the reader does not reshape.
pub(super) fn unshaped(asked: &Asked<'_>) -> Option<Does> {
    let data = asked.operands.first()?;
    let lists = || asked.operands[1..].iter();
    if lists().all(|list| single(list) == Some(true)) {
        // Behind data of rank 0, the product has the axis of the list.
        let longer = data.rank() == Some(0) && lists().any(|list| list.rank() == Some(1));
        return (longer && is_dequantize(asked)).then(|| Does::Rule(Rule::numpy()));
    }
    let axis = asked.meaning.rule.params().axis?;
    match (is_dequantize(asked), asked.node.version < LISTS_SINCE) {
        (true, true) => Some(Does::Refused("accepts only a scalar scale in DequantizeLinear before opset 13".into())),
        (true, false) => None,
        (false, true) => Some(Does::Rule(Rule::axis_lists(-1, true))),
        (false, false) => {
            let file = asked.in_file(0);
            let Some(dims) = file.dims() else {
                return Some(Does::Unknown("aligns a scale by the data's rank, which is unknown".into()));
            };
            let from_end = || dims.len().checked_sub(usize::try_from(axis.unsigned_abs()).ok()?);
            let at = if axis < 0 { from_end() } else { usize::try_from(axis).ok() };
            let open = at.and_then(|at| dims.get(at)).is_some_and(|dim| dim.size().is_none());
            match dims.len() {
                _ if !open || at == Some(dims.len() - 1) => None,
                2 => Some(Does::Rule(Rule::axis_lists(-1, true))),
                _ => Some(Does::Refused("does not find the axis of QuantizeLinear's scale if that dim is open".into())),
            }
        }
    }
}

/// Finds quantised numbers that the CPU plugin does not compile between their neighbours.
pub(super) fn uncompiled(asked: &Asked<'_>) -> Option<Does> {
    let read_back = || asked.readers(asked.node.output(0)?).find(|(node, _)| asked.op(node) == Some(Op::Dequantize));
    if !is_dequantize(asked) {
        let sixteen = is_stored_as(asked, &[&["u16", "i16"]]).unwrap_or(false) && read_back().is_some();
        let text = "cannot compile QuantizeLinear to 16 bits before DequantizeLinear";
        return sixteen.then(|| Does::Refused(text.into()));
    }
    let filters =
        |(reader, input, closed): &(&Node, usize, bool)| asked.op(reader) == Some(Op::Conv) && *input == 1 && *closed;
    let filters = quantised::groups(asked).iter().any(filters) && quantised::axis(asked) == Some(0);
    if !filters || asked.elements(1)? < 2 || !is_stored_as(asked, &[&["u8"]])? {
        return None;
    }
    Some(match asked.operands.len() {
        2 => Does::Refused("cannot compile u8 filters with a scale each, between quantised data".into()),
        _ => Does::Unknown("was tested with u8 filters only without a zero point".into()),
    })
}

/// Finds lists that do not fit by ONNX's rule, and that the reader broadcasts all the same; it rejects others.
pub(super) fn computed_anyway(asked: &Asked<'_>) -> Option<Does> {
    let [data, scale, rest @ ..] = asked.operands.shapes() else { return None };
    let (data, scale, zero) = (data.known()?, scale.known()?, rest.first().map(SymbolicShape::known));
    if asked.node.version < LISTS_SINCE {
        return None;
    }
    let axis = asked.meaning.rule.params().axis?;
    let at = usize::try_from(if axis < 0 { axis + data.len() as i64 } else { axis }).ok();
    let fits = |list: &Shape| list.len() == 1 && at.and_then(|at| data.get(at)) == list.first();
    let one = |list: &Shape| list.len() < 2 && list.iter().all(|size| *size == 1);
    if let Some(zero) = &zero {
        let zero = zero.as_ref()?;
        if fits(&scale) && one(zero) || one(&scale) && fits(zero) {
            return Some(Does::Own);
        }
    }
    let alike = zero.is_none_or(|zero| zero.as_ref() == Some(&scale));
    if is_dequantize(asked) || scale.len() < 2 || !alike {
        return None;
    }
    if scale.len() > data.len() {
        return Some(Does::Unknown("was not tested with a scale of more axes than the data".into()));
    }
    Rule::unidirectional().align(&[&data, &scale]).ok().map(|_| Does::Rule(Rule::unidirectional()))
}

/// Finds blocks that the reader rejects.
pub(super) fn blocks(asked: &Asked<'_>) -> Option<Does> {
    let (axis, size) = asked.meaning.blocks()?;
    let [data, scale, rest @ ..] = asked.operands.shapes() else { return None };
    let unknown = || Some(Does::Unknown("divides the data into blocks, and its shape is unknown".into()));
    let Some(dims) = data.dims() else { return unknown() };
    let at = if axis < 0 { dims.len() as i64 + axis } else { axis };
    let Some(dim) = usize::try_from(at).ok().and_then(|at| dims.get(at)) else { return unknown() };
    let Some(dim) = dim.size() else { return unknown() };
    match single(scale) {
        // It is the scale of the whole tensor.
        Some(true) if dims.len() == 1 => return None,
        Some(_) => {}
        None => return unknown(),
    }
    let refused = |why: String| Some(Does::Refused(why.into()));
    if dim as i64 % size != 0 {
        return refused(format!("accepts only blocks of equal size: {dim} is not a multiple of {size}"));
    }
    if size == 1 {
        return None;
    }
    if is_dequantize(asked) {
        let text = "accepts only one scale per element for data of rank 1";
        return if dims.len() == 1 { refused(text.into()) } else { None };
    }
    if rest.is_empty() { refused("accepts blocks of QuantizeLinear only with a zero point".into()) } else { None }
}

/// Says whether a list has one element.
fn single(list: &SymbolicShape) -> Option<bool> {
    let dims = list.dims()?;
    if dims.iter().any(|dim| dim.size().is_some_and(|size| size != 1)) {
        return Some(false);
    }
    dims.iter().all(|dim| dim.size() == Some(1)).then_some(true)
}
