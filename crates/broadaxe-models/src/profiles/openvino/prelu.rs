//! `PRelu`: made of other nodes, and computed together with a `MatMul`.
//!
//! `PReluFusion` (`src/common/transformations/src/transformations/common_optimizations/prelu_fusion.cpp`) turns sums of a
//! `Relu` and a product with a constant back into `PRelu`, whose slope of rank 1 goes to axis 1 if its length fits. And the
//! CPU plugin applies a `PRelu` that follows a `MatMul` by constant weights to its result, if the slope is one number per
//! entry of axis 1; from rank 4 on it then gives the numbers to the entries of the last axis
//! (`src/plugins/intel_cpu/src/dnnl_postops_composer.cpp`).

use std::sync::LazyLock;

use broadaxe_shape::Rule;

use super::super::{
    Asked, Does,
    neighbours::{Op, REACH, only_axis},
    pattern::{self, NodePattern},
};
use crate::graph::{Node, ValueId};

/// What becomes a `PRelu`, with the slope as its constant.
static PRELU_FORMS: LazyLock<Vec<NodePattern>> = LazyLock::new(|| {
    let texts = [
        "Sub(Relu(x),Mul(Relu(Neg(x)),*))",
        "Add(Relu(x),Mul(Relu(Neg(x)),*))",
        "Add(Relu(x),Mul(Neg(Relu(Neg(x))),*))",
        "Add(Relu(x),Neg(Mul(Relu(Neg(x)),*)))",
        "Add(Relu(x),Mul(Mul(Sub(x,Abs(x)),*),=0.5))",
    ];
    texts.iter().filter_map(|text| NodePattern::read(text)).collect()
});

/// Finds a product with a constant that becomes the slope of a `PRelu`.
pub(super) fn merged(asked: &Asked<'_>) -> Option<Does> {
    let (constant, factor, _) = asked.split(asked.node).filter(|_| asked.op(asked.node) == Some(Op::Mul))?;
    if !matches!(asked.maker(factor), Some((_, Op::Relu | Op::Neg | Op::Mul | Op::Sub))) {
        return None;
    }
    let (_, found) = pattern::find(asked, &PRELU_FORMS, constant)?;
    let operand = (0..2).find(|&k| asked.value(k) == Some(constant))?;
    let (slope, data) = (asked.operands[operand].known()?, asked.operands[1 - operand].dims()?);
    if slope.len() > data.len() || slope.iter().rev().zip(data.iter().rev()).any(|(s, d)| *s > 1 && d.size() == Some(1))
    {
        return Some(Does::Garbled("fuses the nodes into PRelu, whose result has the data's shape".into()));
    }
    let x = found.values[0]?;
    if let Some(does) = product(asked, x, operand).or_else(|| super::reduce::misread(asked, &slope, x)) {
        return Some(does);
    }
    let [length] = slope.dims() else { return None };
    let channel = asked.in_file(1 - operand).dims()?.get(1).and_then(broadaxe_shape::Dim::size);
    if let Some((node, op)) = asked.maker(x)
        && data.len() > 2
        && is_negated(asked, node, op)
    {
        let text = "may fuse the nodes into PRelu, which moves a rank-1 slope";
        return Some(Does::Unknown(text.into()));
    }
    (data.len() > 2 && *length > 1 && channel.is_none_or(|channel| channel == *length))
        .then_some(Does::List { operand, axis: 1 })
}

/// Says what becomes of a slope where the file leaves dims open.
///
/// A slope of rank 1 goes to axis 1 wherever that may have its length. And a slope that a function of open dims makes is
/// computed together with that function, which exchanges data and slope.
pub(super) fn open(asked: &Asked<'_>) -> Option<Does> {
    let (data, slope) = (asked.in_file(0).dims()?, asked.in_file(1).dims()?);
    let computed = asked.value(1).is_some_and(|value| asked.maker(value).is_some());
    if computed && !asked.constants[1] && slope.iter().any(|dim| dim.size().is_none()) {
        let text = "may fuse PRelu with the slope's node, and swap data and slope";
        return Some(Does::Unknown(text.into()));
    }
    let [length] = slope else { return None };
    let channels = data.get(1).filter(|_| data.len() > 2)?;
    let doubtful = length.size() != Some(1) && (channels.size().is_none() || length.size().is_none());
    doubtful.then_some(Does::List { operand: 1, axis: 1 })
}

/// Says what becomes of a slope that does not fit the data by ONNX's rule.
///
/// A slope of rank 1 still goes to axis 1 where its length is that of the axis. The plugin checks no other slope but on the last
/// two axes, and there only behind the first axis of the data that is longer than 1. A slope that passes is read past its end, or
/// several of its entries are written to one element.
pub(super) fn invalid(asked: &Asked<'_>) -> Option<Does> {
    if let Some(does) = asked.value(0).and_then(|data| product(asked, data, 1)) {
        return Some(does);
    }
    if Rule::openvino_prelu().infer(&asked.operands).is_ok() {
        return Some(Does::Rule(Rule::openvino_prelu()));
    }
    let (data, slope) = (asked.operands[0].known()?, asked.operands[1].known()?);
    let rank = data.len().max(slope.len());
    let size = |dims: &[usize], axis: usize| (axis + dims.len()).checked_sub(rank).map_or(1, |at| dims[at]);
    let first = (0..rank).find(|&axis| size(&data, axis) > 1);
    let is_checked = |axis: usize| axis + 1 == rank || axis + 2 == rank && first != Some(axis);
    let clashes = |axis: usize| {
        let (data, slope) = (size(&data, axis), size(&slope, axis));
        data != slope && data != 1 && slope != 1
    };
    // The result may not be longer than data of open dims: this is found when the model runs.
    let open = asked.in_file(0).known().is_none();
    let stretches = |axis: usize| open && size(&data, axis) == 1 && size(&slope, axis) != 1;
    let refuses = (0..rank).any(|axis| is_checked(axis) && clashes(axis) || stretches(axis));
    Some(if refuses {
        Does::Refused("accepts only a slope that fits axis 1 or the last axes".into())
    } else {
        Does::Garbled("accepts a slope that does not fit, and returns a meaningless result".into())
    })
}

/// Says what becomes of a slope behind a `MaxPool`, which the plugin computes behind it: right unless the slope is below 0.
pub(super) fn pooled(asked: &Asked<'_>) -> Option<Does> {
    asked.maker(asked.value(0)?).filter(|(_, op)| *op == Op::MaxPool)?;
    let slope = asked.value(1).and_then(|value| asked.number(value));
    slope.is_none_or(|slope| slope < 0.0).then(|| {
        Does::Unknown("may compute PRelu before the preceding MaxPool, which is wrong for slopes below 0".into())
    })
}

/// Says whether the negative of a node's result may become the node with a negated constant.
fn is_negated(asked: &Asked<'_>, node: &Node, op: Op) -> bool {
    let Some((_, data, _)) = asked.split(node) else { return false };
    match op {
        Op::Add => true,
        Op::Mul | Op::Div => matches!(asked.maker(data), Some((_, Op::Neg))),
        _ => false,
    }
}

/// Says what becomes of a slope behind a product by constant weights.
pub(super) fn behind_product(asked: &Asked<'_>) -> Option<Does> {
    let does = product(asked, asked.value(0)?, 1)?;
    Some(match does {
        // On the last axis a slope of rank 1 means what ONNX says.
        Does::List { .. } if asked.operands.rank(1) == Some(1) && asked.meaning.rule == Rule::unidirectional() => {
            Does::Own
        }
        other => other,
    })
}

/// Says what becomes of a slope, which is this operand, on a value that a product by constant weights makes.
fn product(asked: &Asked<'_>, data: ValueId, operand: usize) -> Option<Does> {
    let dims = asked.operands[1 - operand].dims()?;
    if dims.len() < 4 || !asked.constants[operand] {
        return None;
    }
    // The kernel accepts a slope that no other node reads.
    asked.value(operand).filter(|value| asked.facts.readers(*value).len() == 1)?;
    let slope = asked.operands[operand].known()?;
    let (channels, columns) = (dims[1].size()?, dims.last()?.size()?);
    let listed = match slope.dims() {
        [length] => *length == channels,
        other => only_axis(other, dims.len()) == Some(1) && other.contains(&channels),
    };
    if !listed || channels == 1 || !is_product(asked, data) {
        return None;
    }
    Some(if channels == columns {
        Does::List { operand, axis: dims.len() - 1 }
    } else {
        Does::Refused(format!("fuses PRelu with the MatMul before it, which needs {columns} slopes").into())
    })
}

/// Says whether a value is a product by constant weights, or what the kernel of one applies to its result.
fn is_product(asked: &Asked<'_>, mut value: ValueId) -> bool {
    let mut first = true;
    for _ in 0..REACH {
        // The value that `PRelu` is made of has several readers before they are merged.
        if !first && !asked.is_single(value) || first && !merges(asked, value) {
            return false;
        }
        first = false;
        let Some((node, kind)) = asked.maker(value) else { return false };
        let next = match kind {
            Op::MatMul => return weights(asked, node),
            Op::Relu | Op::Tanh | Op::Sigmoid | Op::Abs | Op::Sqrt | Op::Neg | Op::Simple | Op::Clip => node.input(0),
            Op::Add | Op::Sub | Op::Mul | Op::Div => asked.split(node).and_then(|(constant, data, second)| {
                let (own, all) = (asked.sizes(constant)?, asked.form(data)?.rank()?);
                let last =
                    own.iter().all(|size| *size == 1) || only_axis(&own, all).is_some_and(|axis| axis + 1 == all);
                (last && (second || kind != Op::Div)).then_some(data)
            }),
            Op::Reshape => {
                let (data, result) = (node.input(0), node.output(0));
                data.filter(|data| {
                    let same = |value: ValueId| asked.sizes(value);
                    same(*data).is_some() && result.and_then(same) == same(*data)
                })
            }
            _ => None,
        };
        match next {
            Some(next) => value = next,
            None => return false,
        }
    }
    false
}

/// Says whether all that read a value become one `PRelu`.
fn merges(asked: &Asked<'_>, value: ValueId) -> bool {
    let readers = asked.facts.readers(asked.origin(value)).len();
    let parts = |node: &Node| matches!(asked.op(node), Some(Op::Relu | Op::Neg | Op::Mul | Op::Abs | Op::Sub));
    readers == 1
        || readers <= 3
            && asked.op(asked.node) == Some(Op::Mul)
            && asked.readers(asked.origin(value)).all(|(node, _)| parts(node))
}

/// Says whether the second operand of a `MatMul` is constant and of two axes, those of 1 in front left out.
fn weights(asked: &Asked<'_>, node: &Node) -> bool {
    let Some(weights) = node.input(1).filter(|value| asked.facts.is_constant(*value)) else { return false };
    let Some(dims) = asked.sizes(weights) else { return false };
    dims.len() > 1 && dims[..dims.len() - 2].iter().all(|size| *size == 1)
}
