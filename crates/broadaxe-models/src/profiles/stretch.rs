//! What conditions say of the shape that `Expand` is given, and of sizes that it stretches to.

use broadaxe_frameworks::Role;
use broadaxe_shape::SymbolicShape;

use super::{Asked, When};
use crate::meaning::{FaultKind, ShapeFault, entries};

/// The shape has another rank than 1.
pub(super) const NO_LIST: When = When::Holds(|asked| has(asked, |kind| matches!(kind, FaultKind::Rank(_))));
/// The shape has elements of another type than i64.
pub(super) const NO_I64: When = When::Holds(|asked| has(asked, |kind| matches!(kind, FaultKind::Type(_))));
/// The shape has a negative entry.
pub(super) const NEGATIVE: When = When::Holds(|asked| has(asked, |kind| matches!(kind, FaultKind::Negative(_))));
/// The shape does not broadcast with the data.
pub(super) const CLASH: When = When::Holds(|asked| has(asked, |kind| matches!(kind, FaultKind::Clash(_))));
/// An axis of one entry is stretched to none.
pub(super) const TO_NONE: When = When::Holds(|asked| Some(stretches_to_none(asked)));

/// The shape has negative entries, and would broadcast with the data if those had the data's sizes.
pub(super) const FITS_BUT_FOR_NEGATIVES: When = When::Holds(|asked| {
    let entries = asked.node.input(1).and_then(|shape| entries(asked.model, shape));
    let (Some(data), Some(entries)) = (asked.operands[0].known(), entries) else { return Some(false) };
    let sizes = data.iter().rev().map(|size| *size as i64);
    let fits = |(entry, size): (&i64, i64)| *entry < 0 || *entry == 1 || size == 1 || *entry == size;
    Some(entries.iter().any(|entry| *entry < 0) && entries.iter().rev().zip(sizes).all(fits))
});

fn has(asked: &Asked<'_>, is: fn(&FaultKind) -> bool) -> Option<bool> {
    Some(ShapeFault::of(asked.model, asked.shapes, asked.node).is_some_and(|fault| is(&fault.kind)))
}

/// The shape depends on constants only.
pub(super) const CONSTANT_SHAPE: When =
    When::Holds(|asked| Some(asked.node.input(1).is_some_and(|shape| asked.facts.is_constant(shape))));

/// Says whether the shape is a constant of the file, which ONNX Runtime reads while it loads the model.
pub(super) const WRITTEN: When = When::Holds(|asked| {
    let constant = asked.node.input(1).is_some_and(|shape| asked.model.value(shape).constant.is_some());
    Some(constant || picked(asked))
});

/// Says whether the shape is an entry of the known shape of a tensor.
fn picked(asked: &Asked<'_>) -> bool {
    let maker = asked.node.input(1).and_then(|shape| asked.producer(shape));
    let maker = maker.filter(|node| matches!(node.op.as_str(), "Gather" | "Squeeze"));
    let list = maker.and_then(|node| node.input(0)).and_then(|list| asked.producer(list));
    let data = list.filter(|node| asked.op(node) == Some(Role::Shape)).and_then(|node| node.input(0));
    data.and_then(|data| asked.shape(data)).is_some_and(|shape| shape.known().is_some())
}

fn stretches_to_none(asked: &Asked<'_>) -> bool {
    let result = asked.node.output(0).and_then(|value| asked.shape(value)).and_then(SymbolicShape::known);
    let (Some(result), Some(data)) = (result, asked.operands[0].known()) else { return false };
    let kept = result.iter().rev().zip(data.iter().rev());
    !data.contains(&0) && { kept }.any(|(size, own)| *size == 0 && *own == 1)
}
