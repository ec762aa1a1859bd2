//! Scales along an axis that become part of one operator of ONNX Runtime, with the nodes around them.
//!
//! `DequantizeLinear` of both operands, a layer and, where it follows, `QuantizeLinear` become `QLinearMatMul`, `MatMulIntegerToFloat`,
//! `QLinearConv`, `QGemm`, `QLinearAdd` or `QLinearMul`. These have one place for a scale with an entry for each column or filter, and the axis is not compared with it.
//! Asked of ONNX Runtime 1.31.1 on 2,300 models.

use broadaxe_shape::Rule;

use super::super::{
    Asked, Does,
    neighbours::Op,
    quantised::{axis, groups, is_stored_as},
};
use crate::graph::{Attribute, Node, ValueId};

/// Operators that exchange places with a `DequantizeLinear` before them.
const MOVED: &[&str] = &["MaxPool", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze"];

/// Says whether scaled i8 numbers are moved or pooled behind their node, and not quantised again there.
///
/// The pass that exchanges the two writes a `QuantizeLinear` whose types contradict each other from opset 21 on, so that the model is not
/// loaded: asked of 3,078 models, and of all levels of optimisation.
pub(super) fn is_moved(asked: &Asked<'_>) -> Option<bool> {
    let swapped = asked.node.op == "DequantizeLinear" && asked.node.version >= 21 && !asked.constants[0];
    let zero_point = asked.constants.get(2) == Some(&true);
    if !swapped || !zero_point || asked.elements(1)? != 1 || !is_stored_as(asked, &[&["i8"]])? {
        return Some(false);
    }
    Some(is_moved_behind(asked, asked.node.output(0)?, 4))
}

/// Says whether a reader of a value moves or pools it, and not only `QuantizeLinear` reads the result; nodes that change nothing are
/// followed, as many as `reach` says.
fn is_moved_behind(asked: &Asked<'_>, value: ValueId, reach: usize) -> bool {
    let quantised = |value| asked.readers(value).all(|(node, _)| node.op == "QuantizeLinear");
    let closed = |value| asked.readers(value).next().is_some() && quantised(value);
    asked.readers(value).any(|(node, _)| match node.output(0) {
        Some(result) if node.op == "Identity" => reach > 0 && is_moved_behind(asked, result, reach - 1),
        result => MOVED.contains(&node.op.as_str()) && !result.is_some_and(closed),
    })
}

/// Says whether numbers are quantised by the lists that they were scaled by just before, along another axis.
///
/// A pass removes such pairs that compares the lists and not the axes: asked of 216 pairs, with equal and other lists, scalars, and the
/// result between them read or not.
pub(super) fn is_removed(asked: &Asked<'_>) -> Option<bool> {
    let before = || asked.producer(asked.origin(asked.value(0)?)).filter(|node| node.op == "DequantizeLinear");
    let (true, Some(node)) = (asked.node.op == "QuantizeLinear" && asked.elements(1)? > 1, before()) else {
        return Some(false);
    };
    let rank = i64::try_from(asked.operands.rank(0)?).ok().filter(|rank| *rank > 0)?;
    let other = node.attribute("axis").and_then(Attribute::int).unwrap_or(1).rem_euclid(rank);
    let alike = |input: usize| match (asked.node.input(input), node.input(input)) {
        (Some(own), Some(other)) => asked.is_equal(own, other),
        (own, other) => own == other,
    };
    Some(usize::try_from(other).ok()? != axis(asked)? && alike(1) && alike(2))
}

/// Says how a list of constant weights is read by what they are merged into.
///
/// Each node that reads the scaled weights has them merged into it, whatever else reads them: 88 models with a second reader were tested.
pub(super) fn merged(asked: &Asked<'_>) -> Option<Does> {
    groups(asked).into_iter().find_map(|found| merged_into(asked, found))
}

// Long: one arm for each operator that was asked.
fn merged_into(asked: &Asked<'_>, (reader, input, closed): (&Node, usize, bool)) -> Option<Does> {
    if asked.node.op != "DequantizeLinear" || asked.elements(1)? < 2 || !is_stored_as(asked, &[&["u8", "i8"]])? {
        return None;
    }
    let (dims, along) = (asked.operands[0].known()?, axis(asked)?);
    let (size, last, square) = (dims[along], dims.len() - 1, dims.len() == 2 && dims[0] == dims[1]);
    let refused = || Some(Does::Refused("merges these nodes into an operator that does not accept this scale".into()));
    let unknown =
        || Some(Does::Unknown("merges these nodes into an operator that was not tested with such a scale".into()));
    let op = asked.op(reader);
    if !asked.constants[0] {
        return if matches!(op, Some(Op::MatMul | Op::Conv | Op::Gemm)) { unknown() } else { None };
    }
    let bytes = is_stored_as(asked, &[&["u8"]])?;
    match (op, input) {
        (Some(Op::MatMul), 1) if dims.len() > 2 && closed => refused(),
        (Some(Op::MatMul), 1) if along == last => None,
        (Some(Op::MatMul), 1) if size == dims[last] => Some(Does::Rule(Rule::axis_lists(-1, true))),
        (Some(Op::MatMul), 1) => refused(),
        (Some(Op::MatMul), 0) if !bytes => None,
        (Some(Op::MatMul), 0) if closed => refused(),
        (Some(Op::MatMul), 0) => {
            Some(Does::Garbled("reads the scale of the first matrix as that of the product's columns".into()))
        }
        (Some(Op::Conv), 1) if closed && along != 0 => {
            if size == dims[0] {
                Some(Does::Rule(Rule::axis_lists(0, true)))
            } else {
                refused()
            }
        }
        (Some(Op::Gemm), 1) if square && asked.operands.len() > 2 => {
            let transposed = reader.attribute("transB").and_then(Attribute::int).unwrap_or(0) != 0;
            match (transposed, along) {
                (true, 0) | (false, 1) => None,
                (true, _) => Some(Does::Rule(Rule::axis_lists(0, true))),
                (false, _) => unknown(),
            }
        }
        (Some(Op::Add | Op::Mul), _) if closed && bytes => refused(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::answers;

    const PARTS: &[(&str, &str)] = &[
        ("[pair]", "t=const()=0.2; u=const:u8()=100; q=QuantizeLinear(x,t,u); e=DequantizeLinear(q,t,u)"),
        ("[behind]", "g=const()=0.5; h=const:u8()=100; o=QuantizeLinear(y,g,h); r=DequantizeLinear(o,g,h)"),
    ];

    /// A model, what ONNX Runtime did with it, and what OpenVINO 2026.4.1 did.
    const MODELS: &[(&str, &str, &str)] = &[
        ("x(2,4); [pair]; w=const:i8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=0; y=Gemm(e,d)", "same", "differs"),
        (
            "x(2,4); [pair]; w=const:i8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=Gemm(e,d) transB=1",
            "same",
            "differs",
        ),
        (
            "x(2,4); [pair]; w=const:i8(3,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=Gemm(e,d) transB=1",
            "same",
            "differs",
        ),
        (
            "x(2,4); [pair]; w=const:i8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d)",
            "differs",
            "differs",
        ),
        (
            "x(2,3); [pair]; w=const:i8(3,4); s=const(3); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d)",
            "refused",
            "same",
        ),
        (
            "x(2,3,4); [pair]; w=const:i8(2,4,4); s=const(2); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d)",
            "refused",
            "same",
        ),
        (
            "x(2,3,4); [pair]; w=const:i8(2,4,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=MatMul(e,d)",
            "differs",
            "same",
        ),
        (
            "x(2,4); [pair]; w=const:i8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=0; y=Gemm(e,d); [behind]",
            "same",
            "differs",
        ),
        (
            "x(2,4); [pair]; w=const:i8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=Gemm(e,d) transB=1; [behind]",
            "same",
            "differs",
        ),
        (
            "x(2,4); [pair]; w=const:i8(3,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=Gemm(e,d) transB=1; [behind]",
            "same",
            "differs",
        ),
        (
            "x(2,4); [pair]; w=const:i8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d); [behind]",
            "differs",
            "differs",
        ),
        (
            "x(2,3); [pair]; w=const:i8(3,4); s=const(3); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d); [behind]",
            "refused",
            "same",
        ),
        (
            "x(2,3,4); [pair]; w=const:i8(2,4,4); s=const(2); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d); [behind]",
            "refused",
            "same",
        ),
        (
            "x(2,3,4); [pair]; w=const:i8(2,4,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=MatMul(e,d); [behind]",
            "refused",
            "same",
        ),
        (
            "x(2,3,4); [pair]; w=const:i8(2,4,4); s=const(4); d=DequantizeLinear(w,s) axis=2; y=MatMul(e,d); [behind]",
            "refused",
            "same",
        ),
        (
            "x(1,4,3,3); [pair]; w=const:i8(4,4,1,1); s=const(4); d=DequantizeLinear(w,s) axis=1; y=Conv(e,d); [behind]",
            "differs",
            "same",
        ),
        (
            "x(1,3,3,3); [pair]; w=const:i8(4,3,1,1); s=const(3); d=DequantizeLinear(w,s) axis=1; y=Conv(e,d); [behind]",
            "refused",
            "same",
        ),
        (
            "x(2,4); [pair]; w=const:i8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d); z=Neg(d)",
            "differs",
            "same",
        ),
        (
            "x(2,3); [pair]; w=const:i8(3,4); s=const(3); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d); z=Neg(d)",
            "refused",
            "same",
        ),
        ("x(2,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=0; y=Gemm(e,d)", "same", "differs"),
        (
            "x(2,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=Gemm(e,d) transB=1",
            "same",
            "differs",
        ),
        (
            "x(2,4); [pair]; w=const:u8(3,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=Gemm(e,d) transB=1",
            "same",
            "differs",
        ),
        (
            "x(2,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d)",
            "differs",
            "differs",
        ),
        (
            "x(2,3); [pair]; w=const:u8(3,4); s=const(3); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d)",
            "refused",
            "same",
        ),
        (
            "x(2,3,4); [pair]; w=const:u8(2,4,4); s=const(2); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d)",
            "refused",
            "same",
        ),
        (
            "x(2,3,4); [pair]; w=const:u8(2,4,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=MatMul(e,d)",
            "differs",
            "same",
        ),
        (
            "x(4,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=0; y=MatMul(d,e)",
            "differs",
            "same",
        ),
        (
            "x(4,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=MatMul(d,e)",
            "differs",
            "same",
        ),
        (
            "x(2,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=0; y=Gemm(e,d); [behind]",
            "same",
            "differs",
        ),
        (
            "x(2,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=Gemm(e,d) transB=1; [behind]",
            "same",
            "differs",
        ),
        (
            "x(2,4); [pair]; w=const:u8(3,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=Gemm(e,d) transB=1; [behind]",
            "same",
            "differs",
        ),
        (
            "x(2,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d); [behind]",
            "differs",
            "differs",
        ),
        (
            "x(2,3); [pair]; w=const:u8(3,4); s=const(3); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d); [behind]",
            "refused",
            "same",
        ),
        (
            "x(2,3,4); [pair]; w=const:u8(2,4,4); s=const(2); d=DequantizeLinear(w,s) axis=0; y=MatMul(e,d); [behind]",
            "refused",
            "same",
        ),
        (
            "x(2,3,4); [pair]; w=const:u8(2,4,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=MatMul(e,d); [behind]",
            "refused",
            "same",
        ),
        (
            "x(2,3,4); [pair]; w=const:u8(2,4,4); s=const(4); d=DequantizeLinear(w,s) axis=2; y=MatMul(e,d); [behind]",
            "refused",
            "same",
        ),
        (
            "x(1,4,3,3); [pair]; w=const:u8(4,4,1,1); s=const(4); d=DequantizeLinear(w,s) axis=0; y=Conv(e,d); [behind]",
            "same",
            "refused",
        ),
        (
            "x(1,4,3,3); [pair]; w=const:u8(4,4,1,1); s=const(4); d=DequantizeLinear(w,s) axis=1; y=Conv(e,d); [behind]",
            "differs",
            "same",
        ),
        (
            "x(1,3,3,3); [pair]; w=const:u8(4,3,1,1); s=const(4); d=DequantizeLinear(w,s) axis=0; y=Conv(e,d); [behind]",
            "same",
            "refused",
        ),
        (
            "x(1,3,3,3); [pair]; w=const:u8(4,3,1,1); s=const(3); d=DequantizeLinear(w,s) axis=1; y=Conv(e,d); [behind]",
            "refused",
            "same",
        ),
        (
            "x(4,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=0; y=MatMul(d,e); [behind]",
            "refused",
            "same",
        ),
        (
            "x(4,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=MatMul(d,e); [behind]",
            "refused",
            "same",
        ),
        (
            "x(4,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=0; y=Add(e,d); [behind]",
            "refused",
            "same",
        ),
        (
            "x(4,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=Add(e,d); [behind]",
            "refused",
            "same",
        ),
        (
            "x(4,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=0; y=Mul(e,d); [behind]",
            "refused",
            "same",
        ),
        (
            "x(4,4); [pair]; w=const:u8(4,4); s=const(4); d=DequantizeLinear(w,s) axis=1; y=Mul(e,d); [behind]",
            "refused",
            "same",
        ),
    ];

    #[test]
    fn weights_between_quantised_data() {
        let onnx: Vec<(&str, &str)> = MODELS.iter().map(|(text, onnx, _)| (*text, *onnx)).collect();
        answers("onnx", PARTS, &onnx);
        let openvino: Vec<(&str, &str)> = MODELS.iter().map(|(text, _, openvino)| (*text, *openvino)).collect();
        answers("openvino", PARTS, &openvino);
    }
}
