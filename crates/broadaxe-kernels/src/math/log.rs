//! Logarithms.

use super::{canonical32, canonical64};

/// Computes the natural logarithm.
#[inline(always)]
pub fn log32(x: f32) -> f32 {
    canonical32(log64(f64::from(x)) as f32)
}

/// Computes the natural logarithm.
pub fn log64(x: f64) -> f64 {
    canonical64(pxfm::f_log(x))
}

/// Computes the logarithm to base 2.
#[inline(always)]
pub fn log2_32(x: f32) -> f32 {
    canonical32(log2_64(f64::from(x)) as f32)
}

/// Computes the logarithm to base 2.
pub fn log2_64(x: f64) -> f64 {
    canonical64(pxfm::f_log2(x))
}

/// Computes the logarithm to base 10.
#[inline(always)]
pub fn log10_32(x: f32) -> f32 {
    canonical32(log10_64(f64::from(x)) as f32)
}

/// Computes the logarithm to base 10.
pub fn log10_64(x: f64) -> f64 {
    canonical64(pxfm::f_log10(x))
}

/// Computes the natural logarithm of 1 + x.
#[inline(always)]
pub fn log1p32(x: f32) -> f32 {
    canonical32(log1p64(f64::from(x)) as f32)
}

/// Computes the natural logarithm of 1 + x.
pub fn log1p64(x: f64) -> f64 {
    canonical64(pxfm::f_log1p(x))
}

/// Computes log(exp(a) + exp(b)) without overflow.
#[inline(always)]
pub fn logaddexp32(a: f32, b: f32) -> f32 {
    canonical32(logaddexp64(f64::from(a), f64::from(b)) as f32)
}

/// Computes log(exp(a) + exp(b)) without overflow.
pub fn logaddexp64(a: f64, b: f64) -> f64 {
    let (high, low) = if a < b { (b, a) } else { (a, b) };
    if high == low && high.is_infinite() {
        return high;
    }
    canonical64(high + pxfm::f_log1p(pxfm::f_exp(low - high)))
}
