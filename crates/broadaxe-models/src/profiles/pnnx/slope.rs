//! `PRelu`: its slope becomes the weights of ncnn's layer, whose shape nothing looks at.
//!
//! Entry `i` goes to entry `i` of the axis behind the batch. Of 945 legal slopes, 532 come out wrong.

use std::borrow::Cow;

use super::{super::Asked, Does};

/// Says what becomes of the slope of a `PRelu`.
pub(super) fn slope(asked: &Asked<'_>) -> Option<Does> {
    if !asked.constants[1] {
        return Some(Does::Unsupported(Cow::Borrowed("does not support a computed slope")));
    }
    Some(match (asked.operands.rank(0), asked.elements(1)) {
        (_, Some(1)) => Does::Own,
        (Some(0), _) => Does::RefusedRank(Cow::Borrowed("does not support tensors of rank 0")),
        (Some(rank), Some(_)) => Does::List { operand: 1, axis: usize::from(rank > 1) },
        _ => Does::Unknown(Cow::Borrowed("treats the slope as a list, and a shape is unknown")),
    })
}
