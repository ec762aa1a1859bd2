//! Circular functions and their inverses.

use super::{canonical32, canonical64};

/// Computes the sine of x radians.
#[inline(always)]
pub fn sin32(x: f32) -> f32 {
    canonical32(sin64(f64::from(x)) as f32)
}

/// Computes the sine of x radians.
pub fn sin64(x: f64) -> f64 {
    canonical64(pxfm::f_sin(x))
}

/// Computes the cosine of x radians.
#[inline(always)]
pub fn cos32(x: f32) -> f32 {
    canonical32(cos64(f64::from(x)) as f32)
}

/// Computes the cosine of x radians.
pub fn cos64(x: f64) -> f64 {
    canonical64(pxfm::f_cos(x))
}

/// Computes the tangent of x radians.
#[inline(always)]
pub fn tan32(x: f32) -> f32 {
    canonical32(tan64(f64::from(x)) as f32)
}

/// Computes the tangent of x radians.
pub fn tan64(x: f64) -> f64 {
    canonical64(pxfm::f_tan(x))
}

/// Computes the arc sine, in radians.
#[inline(always)]
pub fn asin32(x: f32) -> f32 {
    canonical32(asin64(f64::from(x)) as f32)
}

/// Computes the arc sine, in radians.
pub fn asin64(x: f64) -> f64 {
    canonical64(pxfm::f_asin(x))
}

/// Computes the arc cosine, in radians.
#[inline(always)]
pub fn acos32(x: f32) -> f32 {
    canonical32(acos64(f64::from(x)) as f32)
}

/// Computes the arc cosine, in radians.
pub fn acos64(x: f64) -> f64 {
    canonical64(pxfm::f_acos(x))
}

/// Computes the arc tangent, in radians.
#[inline(always)]
pub fn atan32(x: f32) -> f32 {
    canonical32(atan64(f64::from(x)) as f32)
}

/// Computes the arc tangent, in radians.
pub fn atan64(x: f64) -> f64 {
    canonical64(pxfm::f_atan(x))
}

/// Computes the angle of the point (x, y), in radians, in all four quadrants.
#[inline(always)]
pub fn atan2_32(y: f32, x: f32) -> f32 {
    canonical32(atan2_64(f64::from(y), f64::from(x)) as f32)
}

/// Computes the angle of the point (x, y), in radians, in all four quadrants.
pub fn atan2_64(y: f64, x: f64) -> f64 {
    canonical64(pxfm::f_atan2(y, x))
}
