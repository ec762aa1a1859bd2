//! `Sum`, `Mean`, `Max` and `Min` of four operands and more, each of which OpenCV adds to the row that it has computed.
//!
//! Source: `nary_forward_impl` in `nary_eltwise_layers.cpp`. Where one of the first two operands repeats along the last axis, the place of the
//! result is not set back behind the third operand, so that the next ones go behind the row: in the last row, behind the tensor.

use broadaxe_shape::{Dim, Rule, Shape, SymbolicShape};

use super::super::{Asked, affine, condition::any};

/// Says whether operand 1 or 2 repeats along the last axis.
pub(super) fn is_short(asked: &Asked<'_>) -> Option<bool> {
    let lasts: Option<Vec<Option<&Dim>>> = asked.operands.iter().map(|shape| Some(shape.dims()?.last())).collect();
    let lasts = lasts?;
    let differs = |own| any(lasts.iter().map(|other| affine::alike((own, *other)).map(|same| !same)));
    let repeats = |k: usize| match lasts[k] {
        Some(dim) if dim.size().is_some_and(|size| size != 1) => Some(false),
        own => differs(own),
    };
    any((0..2).map(repeats))
}

/// Says whether the result is computed as one row: no operand stretches, but for single elements, and OpenCV joins all axes.
///
/// It joins none with a last axis of one element.
pub(super) fn is_one_row(asked: &Asked<'_>) -> Option<bool> {
    let known: Option<Vec<Shape>> = asked.operands.iter().map(SymbolicShape::known).collect();
    let known = known?;
    let dims: Vec<&[usize]> = known.iter().map(Shape::dims).collect();
    let result = Rule::numpy().align(&dims).ok()?.shape().clone();
    let count = |dims: &[usize]| dims.iter().product::<usize>();
    let all = count(&result);
    let is_whole = known.iter().all(|shape| [1, all].contains(&count(shape)));
    Some(is_whole && (all == 1 || result.last() != Some(&1)))
}
