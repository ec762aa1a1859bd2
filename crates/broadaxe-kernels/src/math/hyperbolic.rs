//! Hyperbolic functions and their inverses.

use super::{canonical32, canonical64};

/// Computes the hyperbolic sine.
#[inline(always)]
pub fn sinh32(x: f32) -> f32 {
    canonical32(sinh64(f64::from(x)) as f32)
}

/// Computes the hyperbolic sine.
pub fn sinh64(x: f64) -> f64 {
    canonical64(pxfm::f_sinh(x))
}

/// Computes the hyperbolic cosine.
#[inline(always)]
pub fn cosh32(x: f32) -> f32 {
    canonical32(cosh64(f64::from(x)) as f32)
}

/// Computes the hyperbolic cosine.
pub fn cosh64(x: f64) -> f64 {
    canonical64(pxfm::f_cosh(x))
}

/// Computes the hyperbolic tangent.
#[inline(always)]
pub fn tanh32(x: f32) -> f32 {
    canonical32(tanh64(f64::from(x)) as f32)
}

/// Computes the hyperbolic tangent.
pub fn tanh64(x: f64) -> f64 {
    canonical64(pxfm::f_tanh(x))
}

/// Computes the inverse hyperbolic sine.
#[inline(always)]
pub fn asinh32(x: f32) -> f32 {
    canonical32(asinh64(f64::from(x)) as f32)
}

/// Computes the inverse hyperbolic sine.
pub fn asinh64(x: f64) -> f64 {
    canonical64(pxfm::f_asinh(x))
}

/// Computes the inverse hyperbolic cosine.
#[inline(always)]
pub fn acosh32(x: f32) -> f32 {
    canonical32(acosh64(f64::from(x)) as f32)
}

/// Computes the inverse hyperbolic cosine.
pub fn acosh64(x: f64) -> f64 {
    canonical64(pxfm::f_acosh(x))
}

/// Computes the inverse hyperbolic tangent.
#[inline(always)]
pub fn atanh32(x: f32) -> f32 {
    canonical32(atanh64(f64::from(x)) as f32)
}

/// Computes the inverse hyperbolic tangent.
pub fn atanh64(x: f64) -> f64 {
    canonical64(pxfm::f_atanh(x))
}
