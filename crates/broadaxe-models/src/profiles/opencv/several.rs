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
    let repeats = |k: usize| any(lasts.iter().map(|other| affine::alike((lasts[k], *other)).map(|same| !same && is_one(lasts[k]))));
    any((0..2).map(repeats))
}

/// Says whether the size of a dim is 1, or there is no dim.
fn is_one(dim: Option<&Dim>) -> bool {
    dim.is_none_or(|dim| dim.size() == Some(1))
}

/// Says whether the result has one row: all its axes but the last are 1.
pub(super) fn is_one_row(asked: &Asked<'_>) -> Option<bool> {
    let known: Option<Vec<Shape>> = asked.operands.iter().map(SymbolicShape::known).collect();
    let dims = known?;
    let dims: Vec<&[usize]> = dims.iter().map(Shape::dims).collect();
    let result = Rule::numpy().align(&dims).ok()?.shape().clone();
    Some(result.iter().rev().skip(1).all(|dim| *dim == 1))
}
