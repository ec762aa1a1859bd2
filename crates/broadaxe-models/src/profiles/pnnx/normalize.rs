//! Division by a norm: pnnx makes `ReduceL2`, `Clip`, `Expand` and `Div` one layer, which normalises along ncnn's first axis.
//!
//! That is right where the norm is along that axis, and the tensor has 1, 3 or 4 axes there; along any other the layer
//! computes other numbers.

use super::{
    super::{
        Asked,
        neighbours::{Op, numbers},
    },
    Does,
};
use crate::{
    attributes::whole_numbers,
    graph::{Node, ValueId},
};

/// Finds divisions by a norm along another axis than the first of ncnn's tensor.
pub(super) fn normalized(asked: &Asked<'_>) -> Option<Does> {
    let (data, stretched) = (asked.value(0)?, asked.value(1)?);
    let made = |value: ValueId| asked.producer(value).filter(|_| asked.is_single(value));
    let stretch = made(stretched).filter(|node| asked.op(node) == Some(Op::Expand))?;
    let clip = made(stretch.input(0)?).filter(|node| is_lower_bound(asked, node))?;
    let norm = made(clip.input(0)?).filter(|node| node.op == "ReduceL2" && node.input(0) == Some(data))?;
    if asked.op(asked.node) != Some(Op::Div) {
        return None;
    }
    let axes = norm.input(1).and_then(|value| whole_numbers(asked.model, value)).or_else(|| numbers(norm, "axes"))?;
    let (rank, [axis]) = (asked.operands.rank(0)?, axes.as_slice()) else { return None };
    let axis = usize::try_from(if *axis < 0 { axis + rank as i64 } else { *axis }).ok()?;
    let lacking = asked.facts.lacking(data).filter(|_| asked.facts.batch(data) == Some(0));
    let first = axis - usize::from(lacking.is_some_and(|lacking| lacking < axis)) == 0 && lacking != Some(axis);
    let right = first && matches!(rank - usize::from(lacking.is_some()), 1 | 3 | 4);
    (!right).then(|| Does::Garbled(format!("normalises along its first axis, not along axis {axis}").into()))
}

/// Says whether a node clips from below only.
fn is_lower_bound(asked: &Asked<'_>, node: &Node) -> bool {
    asked.op(node) == Some(Op::Clip) && node.input(1).is_some() && node.input(2).is_none()
}
