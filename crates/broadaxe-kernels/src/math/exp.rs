//! Exponentials.

use super::{canonical32, canonical64};

/// Computes e to the power x.
#[inline(always)]
pub fn exp32(x: f32) -> f32 {
    canonical32(exp64(f64::from(x)) as f32)
}

/// Computes e to the power x.
pub fn exp64(x: f64) -> f64 {
    canonical64(pxfm::f_exp(x))
}

/// Computes 2 to the power x.
#[inline(always)]
pub fn exp2_32(x: f32) -> f32 {
    canonical32(exp2_64(f64::from(x)) as f32)
}

/// Computes 2 to the power x.
pub fn exp2_64(x: f64) -> f64 {
    canonical64(pxfm::f_exp2(x))
}

/// Computes e to the power x, less 1.
#[inline(always)]
pub fn expm1_32(x: f32) -> f32 {
    canonical32(expm1_64(f64::from(x)) as f32)
}

/// Computes e to the power x, less 1.
pub fn expm1_64(x: f64) -> f64 {
    canonical64(pxfm::f_expm1(x))
}
