//! Expand and Broadcast: tensors without elements, and negative sizes.

use broadaxe_frameworks::System;

use super::super::{Asked, Does};
use crate::meaning::entries;

/// Says what becomes of a tensor without elements that is stretched.
pub(super) fn empty(asked: &Asked<'_>) -> Option<Does> {
    let result = asked.node.output(0).and_then(|value| asked.shape(value));
    let changes = !asked.is_of(System::Onnx) || result != Some(&asked.operands[0]);
    (asked.elements(0) == Some(0) && changes)
        .then(|| Does::Refused("crashes when it stretches a tensor without elements".into()))
}

/// Says whether a node reads an input of the model, and its result is an output: 31 models without elements were asked.
///
/// Where the file leaves a dim open, none of 3 crashed.
pub(super) fn is_alone(asked: &Asked<'_>) -> Option<bool> {
    let (data, result) = (asked.value(0)?, asked.node.output(0)?);
    let known = asked.in_file(0).known().is_some();
    Some(known && asked.producer(data).is_none() && !asked.facts.is_constant(data) && asked.facts.is_output(result))
}

/// Says whether an axis of size 1 is stretched to 0 where the shape of the result is known from the file.
///
/// Where a dim of the result is open in the file, its shape is found at run time, and is right: 96 models were asked, by all sets of open
/// dims. Constants are stretched when the model is loaded, and are right, too.
pub(super) fn keeps_one(asked: &Asked<'_>) -> Option<bool> {
    let entries = asked.node.input(1).and_then(|shape| entries(asked.model, shape));
    let (Some(data), Some(entries)) = (asked.in_file(0).dims(), entries) else { return Some(false) };
    if asked.facts.is_constant(asked.value(0)?) {
        return Some(false);
    }
    let own: Vec<Option<usize>> = data.iter().rev().map(broadaxe_shape::Dim::size).collect();
    let entry = |back: usize| entries.iter().rev().nth(back).copied().unwrap_or(1);
    let fixed = own.iter().enumerate().all(|(back, size)| size.is_some() || entry(back) > 1);
    let emptied = own.iter().enumerate().any(|(back, size)| *size == Some(1) && entry(back) == 0);
    Some(fixed && emptied && !own.contains(&Some(0)))
}

/// Says what becomes of negative entries in a shape: each keeps a size of the data other than 1, where the shape changes nothing else.
pub(super) fn negative(asked: &Asked<'_>) -> Option<Does> {
    let refused = Does::Refused("does not accept a negative size if the data is stretched".into());
    let entries = asked.node.input(1).and_then(|shape| entries(asked.model, shape));
    let (Some(data), Some(entries)) = (asked.operands[0].dims(), entries) else { return Some(refused) };
    let kept = |(back, entry): (usize, &i64)| {
        let size = data.iter().rev().nth(back).and_then(broadaxe_shape::Dim::size);
        size.is_some_and(|size| if *entry < 0 { size != 1 } else { *entry == 1 || size as i64 == *entry })
    };
    Some(if entries.iter().rev().enumerate().all(kept) { Does::Own } else { refused })
}
