//! What OpenCV does at quantisation.

use super::super::{Asked, Does, quantised};

/// Says whether blocks run along the last axis.
pub(super) fn is_along_last(asked: &Asked<'_>) -> Option<bool> {
    Some(quantised::axis(asked)? + 1 == asked.operands.rank(0)?)
}

/// Says whether the last axis of the data has one element, or there is no axis.
pub(super) fn has_single_columns(asked: &Asked<'_>) -> Option<bool> {
    let dims = asked.operands[0].dims()?;
    dims.last().map_or(Some(true), |last| Some(last.size()? == 1))
}

/// Says whether the quantised numbers have a sign.
pub(super) fn makes_signed(asked: &Asked<'_>) -> Option<bool> {
    Some(quantised::is_stored_as(asked, &[&["i8"]]) == Some(true))
}

/// Says what becomes of data whose last axis has one element: of rank 0 the zero point, and of other ranks sometimes.
pub(super) fn zero_point(asked: &Asked<'_>) -> Option<Does> {
    let text = "returns the zero point for u8 of data whose last axis has one element";
    let is_scalar = asked.operands.rank(0)? == 0;
    Some(if is_scalar { Does::Garbled(text.into()) } else { Does::Unknown(format!("sometimes {text}").into()) })
}
