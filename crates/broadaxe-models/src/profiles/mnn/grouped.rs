//! Operands whose channels MNN has in groups, and reads as if they were in order, or the other way round.

use broadaxe_shape::{Dim, SymbolicShape};

use super::super::{
    Asked, Does,
    groups::{self, GOES_BY_DECLARED, Grouping},
    neighbours::REACH,
};
use crate::graph::{Node, ValueId};

/// Finds an operand of one element behind which the other one is read in another order than it is in.
pub(super) fn number(asked: &Asked<'_>) -> Option<Does> {
    const TEXT: &str = "confuses grouped and ordered channels if an operand has one element";
    let result = of_result(asked)?;
    let single = (0..2).find(|&k| may_be_single(&asked.operands[k]))?;
    let other = 1 - single;
    if result.declared == Some(false) || asked.elements(other) == Some(1) {
        return None;
    }
    let own = of_operand(asked, other).map_or(Some(false), |layout| layout.actual);
    let read = if own == Some(true) { asked.operands[other].clone() } else { dims_of_result(asked)? };
    if own.is_some() && own == result.actual || is_in_order(&read) {
        return None;
    }
    let sure =
        asked.elements(single).is_some() && result.declared.is_some() && own.is_some() && result.actual.is_some();
    Some(if sure {
        Does::Garbled(TEXT.into())
    } else {
        Does::Unknown("may confuse grouped and ordered channels if an operand has one element".into())
    })
}

/// Finds a result in order that is declared to be in groups, where a layer behind it goes by that.
pub(super) fn mistaken_result(asked: &Asked<'_>) -> Option<Does> {
    let result = of_result(asked)?;
    let mistaken = result.is_mistaken();
    if mistaken == Some(false) || is_in_order(&dims_of_result(asked)?) || !is_taken(asked, asked.node.output(0)?, REACH)
    {
        return None;
    }
    let text = "pools ordered channels as if grouped: the first constant has the other operand's rank";
    Some(if mistaken == Some(true) { Does::Garbled(text.into()) } else { Does::Unknown(text.into()) })
}

/// Says whether a layer without an operand reads a value.
fn is_taken(asked: &Asked<'_>, value: ValueId, reach: usize) -> bool {
    let taken = |node: &Node| {
        let behind = || node.output(0).is_some_and(|value| reach > 0 && is_taken(asked, value, reach - 1));
        matches!(node.op.as_str(), "GlobalAveragePool" | "GlobalMaxPool") || groups::keeps(node) && behind()
    };
    asked.readers(value).any(|(node, operand)| operand == 0 && taken(node))
}

/// Says whether a layer of channels reads data in order that are declared to be in groups; nothing where that is not known.
pub(super) fn reads_mistaken(asked: &Asked<'_>) -> Option<bool> {
    let made = asked.node.output(0).map(|value| asked.facts.grouping(value));
    let layer = GOES_BY_DECLARED.contains(&asked.node.op.as_str())
        && made.is_some_and(|made| made.declared == Some(true) && made.actual != Some(false));
    let data = asked.value(0).filter(|_| layer && !asked.constants[0]);
    let mistaken = data.map_or(Some(false), |data| asked.facts.grouping(data).is_mistaken());
    if is_in_order(&asked.operands[0]) { Some(false) } else { mistaken }
}

/// Finds normalisations of constants that the converter computes wrong.
pub(super) fn is_misread_constant(asked: &Asked<'_>) -> Option<bool> {
    let batch = asked.node.op == "BatchNormalization";
    Some(batch || asked.elements(0)? == 1 || !is_in_order(&asked.operands[0]))
}

/// Returns the layout of the result of two operands.
fn of_result(asked: &Asked<'_>) -> Option<Grouping> {
    if asked.operands.len() != 2 {
        return None;
    }
    let ranks = [0, 1].map(|k| asked.operands.rank(k));
    let own = groups::of_pair([0, 1].map(|k| of_operand(asked, k)), ranks);
    let decides =
        |k: usize| asked.constants[k] && asked.value(k).is_some_and(|value| asked.readers(value).nth(1).is_some());
    Some(if own.is_mistaken() == Some(true) && (0..2).any(decides) { Grouping { actual: None, ..own } } else { own })
}

/// Returns the layout of an operand; nothing for a constant.
pub(super) fn of_operand(asked: &Asked<'_>, operand: usize) -> Option<Grouping> {
    let value = asked.value(operand).filter(|_| !asked.constants[operand])?;
    Some(asked.facts.grouping(value))
}

fn dims_of_result(asked: &Asked<'_>) -> Option<SymbolicShape> {
    asked.node.output(0).and_then(|value| asked.form(value))
}

/// Says whether a shape has one element, for some sizes of its open dims.
fn may_be_single(shape: &SymbolicShape) -> bool {
    shape.dims().is_none_or(|dims| dims.iter().all(|dim| dim.size().is_none_or(|size| size == 1)))
}

/// Says whether both orders are one: there is one entry of the batch, and one element for each channel.
pub(super) fn is_in_order(data: &SymbolicShape) -> bool {
    let single = |dims: &[Dim]| dims.iter().enumerate().all(|(axis, dim)| axis == 1 || dim.size() == Some(1));
    data.dims().is_some_and(|dims| dims.len() < 2 || single(dims))
}
