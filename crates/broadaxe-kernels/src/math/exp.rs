//! Exponentials.
//!
//! The f32 forms reduce x to n log 2 + r with |r| <= log(2) / 2, evaluate a minimax polynomial of r in f64 and add n to
//! the exponent's bits. The rounding to n is the addition of 1.5 * 2^52, which leaves n in the low bits of the sum, so
//! that neither a branch nor a conversion to an integer is needed. The polynomials were fitted with Remez' exchange
//! algorithm to the relative error that stands beside them.

use std::f64::consts::{LN_2, LOG2_E};

use super::{ROUND, canonical64, poly};

/// Coefficients of (exp(r) - 1) / r for |r| <= log(2) / 2; relative error 2^-37.70.
const EXPM1: [f64; 8] = [
    0.9999999999955729,
    0.5000000000120489,
    0.16666666785354461,
    0.041666665951660305,
    0.008333283750691298,
    0.001388897829904754,
    0.0001990745158237573,
    2.480158315469373e-05,
];

/// Coefficients of (2^r - 1) / r for |r| <= 1/2; relative error 2^-37.70.
const EXP2M1: [f64; 8] = [
    0.6931471805568767,
    0.24022650696488965,
    0.0555041090600812,
    0.009618128942579915,
    0.0013333478812863864,
    0.0001540362955409217,
    1.530361020894588e-05,
    1.3215484580478548e-06,
];

/// Computes e to the power x for |x| <= 700.
#[inline(always)]
pub(super) fn exp_core(x: f64) -> f64 {
    let shifted = x * LOG2_E + ROUND;
    let r = x - (shifted - ROUND) * LN_2;
    scale(1.0 + r * poly(&EXPM1, r), shifted)
}

/// Computes 2 to the power x for |x| <= 1000.
#[inline(always)]
pub(super) fn exp2_core(x: f64) -> f64 {
    let shifted = x + ROUND;
    let r = x - (shifted - ROUND);
    scale(1.0 + r * poly(&EXP2M1, r), shifted)
}

/// Computes e to the power x, less 1, for |x| <= 700, with a small relative error also near zero.
#[inline(always)]
pub(super) fn expm1_core(x: f64) -> f64 {
    let shifted = x * LOG2_E + ROUND;
    let r = x - (shifted - ROUND) * LN_2;
    let power = scale(1.0, shifted);
    power * (r * poly(&EXPM1, r)) + (power - 1.0)
}

/// Multiplies `value` by 2^n, where `shifted` is n + 1.5 * 2^52.
#[inline(always)]
fn scale(value: f64, shifted: f64) -> f64 {
    f64::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// Computes e to the power x.
///
/// At most @EXP@ ULP over all f32. Arguments outside -104..=89 are moved to that range's ends, where the result has become
/// zero or infinite already.
#[inline(always)]
pub fn exp32(x: f32) -> f32 {
    let value = exp_core(f64::from(x).clamp(-104.0, 89.0)) as f32;
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes e to the power x, correctly rounded but for rare ties (pxfm).
pub fn exp64(x: f64) -> f64 {
    canonical64(pxfm::f_exp(x))
}

/// Computes 2 to the power x.
///
/// At most @EXP2@ ULP over all f32, and exact where x is an integer.
#[inline(always)]
pub fn exp2_32(x: f32) -> f32 {
    let value = exp2_core(f64::from(x).clamp(-151.0, 129.0)) as f32;
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes 2 to the power x, correctly rounded but for rare ties (pxfm).
pub fn exp2_64(x: f64) -> f64 {
    canonical64(pxfm::f_exp2(x))
}

/// Computes e to the power x, less 1.
///
/// At most @EXPM1@ ULP over all f32; a zero keeps its sign.
#[inline(always)]
pub fn expm1_32(x: f32) -> f32 {
    let value = expm1_core(f64::from(x).clamp(-104.0, 89.0)) as f32;
    let value = if x == 0.0 { x } else { value };
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes e to the power x, less 1, correctly rounded but for rare ties (pxfm).
pub fn expm1_64(x: f64) -> f64 {
    canonical64(pxfm::f_expm1(x))
}
