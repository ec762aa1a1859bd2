//! Normalisations, products and stretches: what their operands run along.

use broadaxe_shape::{Dim, SymbolicShape};

use super::{Asked, condition::any};
use crate::graph::{Attribute, Node};

/// Returns the dims that are normalised together: from `axis` to the last.
pub(super) fn normalised<'a>(asked: &Asked<'a>) -> Option<&'a [Dim]> {
    let dims = asked.operands.shapes().first()?.dims()?;
    let axis = asked.node.attribute("axis").and_then(Attribute::int).unwrap_or(-1);
    let from_end = usize::try_from(axis.unsigned_abs()).ok()?;
    let start = if axis < 0 { dims.len().checked_sub(from_end)? } else { from_end };
    dims.get(start..)
}

/// Says whether one axis is normalised, the last.
pub(super) fn last_only(asked: &Asked<'_>) -> Option<bool> {
    Some(normalised(asked)?.len() == 1)
}

/// Says whether an operand has the shape that is normalised.
pub(super) fn exact(asked: &Asked<'_>, operand: usize) -> Option<bool> {
    let own = asked.operands.get(operand)?.dims()?;
    if own.len() == normalised(asked)?.len() { runs_along(asked, operand) } else { Some(false) }
}

/// Says whether scale and bias have the shape that is normalised.
pub(super) fn all_exact(asked: &Asked<'_>) -> Option<bool> {
    all((1..asked.operands.len()).map(|operand| exact(asked, operand)))
}

/// Says whether an operand runs along the axes that are normalised and no others; axes of 1 in front do not matter.
pub(super) fn runs_along(asked: &Asked<'_>, operand: usize) -> Option<bool> {
    let (own, together) = (asked.operands.get(operand)?.dims()?, normalised(asked)?);
    let from_end = |k: usize| (own.iter().rev().nth(k), together.iter().rev().nth(k));
    all((0..own.len().max(together.len())).map(|k| alike(from_end(k))))
}

/// Says whether an operand has as many elements as are normalised together.
pub(super) fn as_many(asked: &Asked<'_>, operand: usize) -> Option<bool> {
    let together =
        normalised(asked)?.iter().map(Dim::size).try_fold(1, |count: usize, size| count.checked_mul(size?))?;
    Some(asked.elements(operand)? == together)
}

/// Says whether two dims are of one size; an absent one is 1.
pub(super) fn alike(pair: (Option<&Dim>, Option<&Dim>)) -> Option<bool> {
    let size = |dim: Option<&Dim>| dim.map_or(Some(1), Dim::size);
    Some(pair.0 == pair.1 || size(pair.0)? == size(pair.1)?)
}

/// Says whether all of these hold: one that does not decides.
pub(super) fn all(holds: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    any(holds.map(|holds| holds.map(|holds| !holds))).map(|fails| !fails)
}

/// Returns the number of an attribute, 1 where it is absent.
pub(super) fn factor(node: &Node, name: &str) -> f64 {
    match node.attribute(name) {
        Some(Attribute::Float(value)) => *value,
        Some(Attribute::Int(value)) => *value as f64,
        _ => 1.0,
    }
}

/// Finds tensors that are stretched to a shape without elements.
pub(super) fn to_nothing(asked: &Asked<'_>) -> Option<bool> {
    let dims = asked.node.output(0).and_then(|value| asked.shape(value)).and_then(SymbolicShape::dims);
    Some(dims.is_some_and(|dims| dims.iter().any(|dim| dim.size() == Some(0))))
}
