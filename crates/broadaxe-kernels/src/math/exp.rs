//! Exponentials.
//!
//! `exp32` and `exp2_32` stay in f32 (see `single`). What functions composed in f64 stand on writes e^x as
//! 2^(n + r) with |r| <= 1/2, evaluate a minimax polynomial of r in f64 and add n to the exponent's bits. The rounding
//! to n is the addition of 1.5 * 2^52, which leaves n in the low bits of the sum, so that neither a branch nor a
//! conversion to an integer is needed. The polynomials were fitted with Remez' exchange algorithm to the relative error
//! that stands beside them.

use std::f64::consts::LOG2_E;

use super::{
    ROUND, canonical64,
    fine::{Cut, EXP, LN_2, half_expm1},
    poly, single,
    singles::plain,
};

/// Coefficients of (2^r - 1) / r for |r| <= 1/2; relative error 2^-32.00.
const EXP2M1: [f64; 7] = [
    0.6931471805815717,
    0.2402265092005288,
    0.055504107276056806,
    0.00961805703689513,
    0.0013333669436511278,
    0.00015461329932759632,
    1.5252724328997335e-05,
];

/// Coefficients of (2^r - 1) / r for |r| <= 1/2; relative error 2^-55.66.
const EXP2M1_FINE: [f64; 11] = [
    0.6931471805599453,
    0.24022650695910097,
    0.055504108664821236,
    0.009618129107607065,
    0.0013333558146531564,
    0.00015403530441481926,
    1.5252733701281419e-05,
    1.3215442723553945e-06,
    1.017812127147892e-07,
    7.07256182356081e-09,
    4.4455413324701454e-10,
];

/// Computes e to the power x for |x| <= 700.
#[inline(always)]
pub(super) fn exp_core(x: f64) -> f64 {
    let (r, shifted) = reduce(x * LOG2_E);
    scale(1.0 + r * poly(&EXP2M1, r), shifted)
}

/// Computes e to the power x for |x| <= 700 nearly to the precision of f64.
#[inline(always)]
pub(super) fn exp_fine(x: f64) -> f64 {
    let (r, shifted) = reduce(x * LOG2_E);
    scale(1.0 + r * poly(&EXP2M1_FINE, r), shifted)
}

/// Computes e to the power x, less 1, for |x| <= 700, with a small relative error also near zero.
#[inline(always)]
pub(super) fn expm1_core(x: f64) -> f64 {
    let (r, shifted) = reduce(x * LOG2_E);
    let power = scale(1.0, shifted);
    power * (r * poly(&EXP2M1, r)) + (power - 1.0)
}

/// Splits x into r, at most 1/2 large, and an integer n; returns r and n + 1.5 * 2^52.
#[inline(always)]
fn reduce(x: f64) -> (f64, f64) {
    let shifted = x + ROUND;
    (x - (shifted - ROUND), shifted)
}

/// Multiplies `value` by 2^n, where `shifted` is n + 1.5 * 2^52.
#[inline(always)]
fn scale(value: f64, shifted: f64) -> f64 {
    f64::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// Computes e to the power x.
///
/// At most 0.928 ULP over all f32.
#[inline(always)]
pub fn exp32(x: f32) -> f32 {
    single::exp(plain(x)).x
}

/// Computes e to the power x.
///
/// At most 0.89 ULP, subnormal results included.
#[inline(always)]
pub fn exp64(x: f64) -> f64 {
    let near = x.clamp(-750.0, 710.0);
    let shifted = near * LOG2_E + ROUND;
    let n = shifted - ROUND;
    // log 2 is taken off in two parts, of which the product with the first is exact.
    let value = power_of_e(near - n * 0.693_147_180_559_890_3, n * 5.497_923_018_708_371e-14);
    let value = scale_wide(value, shifted);
    if x.is_nan() { f64::NAN } else { value }
}

/// Computes e to the power of high - low, for a sum of at most log(2) / 2 and a small second part.
///
/// The first part is added last, so that only its own sum and the one with 1 are rounded near the size of the result.
#[inline(always)]
fn power_of_e(high: f64, low: f64) -> f64 {
    let r = high - low;
    1.0 + (high + (r * r * (0.5 + r * poly(&EXP, r)) - low))
}

/// Multiplies a number near 1 by 2^n for |n| <= 2000, where `shifted` is n + 1.5 * 2^52; rounds once more where the result is
/// subnormal.
///
/// Half of n is added to the exponent, the other half is a factor: 2^n itself may be no normal number.
#[inline(always)]
fn scale_wide(value: f64, shifted: f64) -> f64 {
    let n = shifted.to_bits();
    let half = (n << 51) & 0xfff0_0000_0000_0000;
    let rest = (n << 52).wrapping_sub(half).wrapping_add(0x3ff0_0000_0000_0000);
    f64::from_bits(value.to_bits().wrapping_add(half)) * f64::from_bits(rest)
}

/// Computes 2 to the power x.
///
/// At most 0.867 ULP over all f32, and exact where x is an integer.
#[inline(always)]
pub fn exp2_32(x: f32) -> f32 {
    single::exp2(plain(x)).x
}

/// Computes 2 to the power x.
///
/// At most 0.89 ULP, subnormal results included, and exact where x is an integer.
#[inline(always)]
pub fn exp2_64(x: f64) -> f64 {
    let near = x.clamp(-1080.0, 1030.0);
    let shifted = near + ROUND;
    // The product with log 2 is exact in the first of its parts.
    let (exact, small) = Cut::of(near - (shifted - ROUND)).by(&LN_2);
    let value = scale_wide(power_of_e(exact, -small), shifted);
    if x.is_nan() { f64::NAN } else { value }
}

/// Computes e to the power x, less 1.
///
/// At most 0.5046 ULP over all f32; a zero keeps its sign.
#[inline(always)]
pub fn expm1_32(x: f32) -> f32 {
    let value = expm1_core(f64::from(x.clamp(-104.0, 89.0))) as f32;
    let value = if x == 0.0 { x } else { value };
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes e to the power x, less 1.
///
/// At most 0.61 ULP (measured 0.6051); a zero keeps its sign.
#[inline(always)]
pub fn expm1_64(x: f64) -> f64 {
    let (half, rest) = half_expm1(x.clamp(-60.0, 709.9));
    let value = 2.0 * (half + rest);
    // There the result is x, and its half might be inexact.
    let value = if x.abs() < 5e-17 { x } else { value };
    canonical64(if x.is_nan() { f64::NAN } else { value })
}
