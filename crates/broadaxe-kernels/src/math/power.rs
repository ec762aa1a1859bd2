//! Powers and roots.

use super::{canonical32, canonical64};

/// Raises x to the power y, as C's `powf`.
#[inline(always)]
pub fn pow32(x: f32, y: f32) -> f32 {
    canonical32(pow64(f64::from(x), f64::from(y)) as f32)
}

/// Raises x to the power y, as C's `pow`.
pub fn pow64(x: f64, y: f64) -> f64 {
    canonical64(pxfm::f_pow(x, y))
}

/// Computes the length of the vector (x, y) without overflow on the way.
#[inline(always)]
pub fn hypot32(x: f32, y: f32) -> f32 {
    canonical32(hypot64(f64::from(x), f64::from(y)) as f32)
}

/// Computes the length of the vector (x, y) without overflow on the way.
pub fn hypot64(x: f64, y: f64) -> f64 {
    canonical64(pxfm::f_hypot(x, y))
}

/// Computes the square root, correctly rounded.
#[inline(always)]
pub fn sqrt32(x: f32) -> f32 {
    canonical32(x.sqrt())
}

/// Computes the square root, correctly rounded.
#[inline(always)]
pub fn sqrt64(x: f64) -> f64 {
    canonical64(x.sqrt())
}

/// Computes 1 / sqrt(x).
#[inline(always)]
pub fn rsqrt32(x: f32) -> f32 {
    canonical32((1.0 / f64::from(x).sqrt()) as f32)
}

/// Computes 1 / sqrt(x).
pub fn rsqrt64(x: f64) -> f64 {
    canonical64(pxfm::f_rsqrt(x))
}
