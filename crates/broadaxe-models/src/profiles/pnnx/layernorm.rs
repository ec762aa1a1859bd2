//! `LayerNormalization`: a layer that holds as many scales and as many biases as elements are normalised together.
//!
//! pnnx looks at the elements that scale and bias hold and not at their shapes, so that axes of 1 do not matter, and a scale
//! along another axis of as many elements is read along the last one. With any other count, also of one, the network does not load; without a bias it has no such layer. Where all axes but the
//! first are normalised, or all axes, ncnn normalises each row of the last axis alone.
//!
//! Asked of 596 models: thirteen shapes, every axis, six shapes of the scale and four of the bias; and of 12 with axes of 1 in front.

use super::{super::Asked, Does, attribute};
use broadaxe_shape::{Dim, SymbolicShape};

/// Says what becomes of scale and bias.
pub(super) fn affine(asked: &Asked<'_>) -> Option<Does> {
    if asked.operands.len() < 3 {
        return Some(Does::Unsupported("does not support LayerNormalization without bias".into()));
    }
    if asked.constants[1..].iter().any(|constant| !constant) {
        return Some(Does::Unsupported("does not support LayerNormalization with a computed scale or bias".into()));
    }
    let unknown = "accepts only one scale and bias per normalised element, and a shape is unknown";
    let Some(data) = asked.operands[0].dims() else { return Some(Does::Unknown(unknown.into())) };
    let axis = attribute(asked.node, "axis").unwrap_or(-1);
    let count = if axis < 0 { axis.unsigned_abs() as usize } else { data.len().saturating_sub(axis as usize) };
    let together = &data[data.len().saturating_sub(count)..];
    let sizes: Option<Vec<usize>> = together.iter().map(Dim::size).collect();
    let elements = sizes.as_ref().and_then(|sizes| broadaxe_shape::elements(sizes).ok());
    let held = [asked.elements(1), asked.elements(2)];
    let (Some(elements), [Some(scale), Some(bias)]) = (elements, held) else {
        return Some(Does::Unknown(unknown.into()));
    };
    let lacking = super::batch::lacking(asked, 0);
    let size = |back: usize| data.iter().rev().nth(back).map_or(Some(1), Dim::size);
    let row = size(0).unwrap_or(1);
    // Of rank 4 the rows of an image are normalised together where that many scales are held.
    let image = data.len() == 4 && size(1).is_some_and(|rows| rows.checked_mul(row) == Some(elements));
    let is_several = |axis: usize| axis > 0 || data.first().and_then(Dim::size) != Some(1);
    Some(if scale != elements || bias != elements {
        Does::Refused(format!("needs {elements} scales and biases here, one per normalised element").into())
    } else if asked.operands[1..].iter().any(|own| !is_laid_out(own, together)) {
        Does::Garbled("applies scales and biases to the normalised elements and ignores their axes".into())
    } else if lacking.is_some_and(|axis| axis + count >= data.len() && is_several(axis)) {
        Does::Garbled("normalises over axes, one of which it treats as the batch".into())
    } else if elements != row && count + 1 >= data.len() && !image {
        Does::Garbled("normalises each row alone if all axes but the first are normalised".into())
    } else {
        Does::Own
    })
}

/// Says whether a scale runs along the axes that are normalised, and along no other.
fn is_laid_out(own: &SymbolicShape, together: &[Dim]) -> bool {
    let Some(own) = own.dims() else { return false };
    let at = |dims: &[Dim], k: usize| dims.iter().rev().nth(k).map_or(Some(1), Dim::size);
    (0..own.len().max(together.len())).all(|k| at(own, k) == at(together, k))
}
