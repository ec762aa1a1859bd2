//! Hyperbolic functions and their inverses.
//!
//! The f32 forms except tanh are compositions in f64 of exp(x) - 1 and log(1 + x), which keep a small relative error
//! near zero. The odd functions are computed from |x| and get the sign of x.

use super::{
    exp::{exp_core, expm1_core},
    float_n::plain,
    log::log1p_core,
    single,
};

/// Computes the hyperbolic sine.
///
/// With t = exp|x| - 1 it is (t + t / (t + 1)) / 2. At most 0.5038 ULP over all f32.
#[inline(always)]
pub fn sinh32(x: f32) -> f32 {
    let t = expm1_core(f64::from(x.abs().clamp(0.0, 90.0)));
    let value = ((0.5 * (t + t / (t + 1.0))) as f32).copysign(x);
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes the hyperbolic cosine.
///
/// With t = exp|x| it is (t + 1 / t) / 2. At most 0.5011 ULP over all f32.
#[inline(always)]
pub fn cosh32(x: f32) -> f32 {
    let t = exp_core(f64::from(x.abs().clamp(0.0, 90.0)));
    let value = (0.5 * (t + 1.0 / t)) as f32;
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes the hyperbolic tangent.
///
/// At most 0.881 ULP over all f32.
#[inline(always)]
pub fn tanh32(x: f32) -> f32 {
    single::tanh(plain(x)).x
}

/// Computes the inverse hyperbolic sine.
///
/// It is log(1 + x + x^2 / (1 + sqrt(1 + x^2))). At most 0.5002 ULP over all f32.
#[inline(always)]
pub fn asinh32(x: f32) -> f32 {
    let wide = f64::from(x.abs());
    let square = wide * wide;
    let value = (log1p_core(wide + square / (1.0 + (1.0 + square).sqrt())) as f32).copysign(x);
    let value = if x.abs() < f32::INFINITY { value } else { x };
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes the inverse hyperbolic cosine.
///
/// With t = x - 1 it is log(1 + t + sqrt(2 t + t^2)). At most 0.5001 ULP over all f32; below 1 the result is NaN.
#[inline(always)]
pub fn acosh32(x: f32) -> f32 {
    let t = f64::from(x) - 1.0;
    let value = log1p_core(t + (t * (2.0 + t)).sqrt()) as f32;
    let value = if x < f32::INFINITY { value } else { f32::INFINITY };
    if x >= 1.0 { value } else { f32::NAN }
}

/// Computes the inverse hyperbolic tangent.
///
/// It is log(1 + 2 |x| / (1 - |x|)) / 2 with the sign of x. At most 0.5002 ULP over all f32; at 1 and -1 the result is
/// infinite, beyond them NaN.
#[inline(always)]
pub fn atanh32(x: f32) -> f32 {
    let wide = f64::from(x.abs());
    let value = (0.5 * log1p_core(2.0 * wide / (1.0 - wide))) as f32;
    let value = (if wide == 1.0 { f32::INFINITY } else { value }).copysign(x);
    if wide <= 1.0 { value } else { f32::NAN }
}
