//! Logarithms.
//!
//! Logarithms of f32 are in `single`, those of f64 in `wide_log`. What remains are those of 1 + x and of sums of
//! exponentials: they write a number as 2^e m with m between sqrt(1/2) and sqrt(2), and use log m = s L(s^2) with
//! s = (m - 1) / (m + 1), where L is a minimax polynomial for 2 atanh(s) / s (the series of fdlibm's `e_log.c`). Where e is
//! zero nothing is added to s L, so the relative error stays small around x = 1.

use std::f64::consts::{LN_2, LOG2_E};

use super::{
    canonical64,
    exp::exp_fine,
    extended::{LN_2_REST, LN_2_TOP, ordered, sum},
    float_n::{Fma, FmaDefault, plain, plain64},
    poly, single, wide_log,
};

/// Coefficients of 2 atanh(s) / s in s^2, for |s| <= 3 - sqrt(8); relative error 2^-37.79.
const LOG: [f64; 5] =
    [2.000000000008424, 0.6666666524044925, 0.4000038587012875, 0.28534985857054185, 0.23617467226855343];

/// Coefficients of 2 atanh(s) / s in s^2, for |s| <= 3 - sqrt(8); relative error 2^-52.37.
const LOG_FINE: [f64; 7] = [
    2.0000000000000004,
    0.6666666666655222,
    0.4000000006201663,
    0.2857141598120187,
    0.2222343716471906,
    0.18121855324828473,
    0.1683855652386591,
];

/// Coefficients of (2 atanh(s) / s - 2) / s^2 in s^2, for |s| <= 3 - sqrt(8); error 2^-59.5 relative to atanh(s) / s.
const LOG_REST: [f64; 7] = [
    0.6666666666666734,
    0.39999999999414343,
    0.2857142874247193,
    0.22222198563677306,
    0.18183564860826937,
    0.1531403590847797,
    0.14796105263853357,
];

/// Splits a positive normal number into an exponent and a significand between sqrt(1/2) and sqrt(2).
///
/// The exponent is made a float by putting its bits under those of 2^52.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    const BIAS: u64 = 1024 << 52;
    const TWO_52: u64 = 0x4330_0000_0000_0000;
    const TWO_52_AND_BIAS: f64 = 4_503_599_627_371_520.0;
    let bits = x.to_bits();
    let offset = bits.wrapping_sub(0x3fe6_a09e_667f_3bcd).wrapping_add(BIAS);
    let exponent = f64::from_bits((offset >> 52) | TWO_52) - TWO_52_AND_BIAS;
    let significand = f64::from_bits(bits.wrapping_sub((offset & 0xfff0_0000_0000_0000).wrapping_sub(BIAS)));
    (exponent, significand)
}

/// Computes the logarithm of a significand 1 + f between sqrt(1/2) and sqrt(2), to the base of the coefficients.
#[inline(always)]
fn log_significand<const N: usize>(f: f64, coefficients: &[f64; N]) -> f64 {
    let s = f / (2.0 + f);
    s * poly(coefficients, s * s)
}

/// Computes log(1 + x) for x > -1 up to 2^512, with a small relative error also near zero.
///
/// Where 1 + x is its own significand, x itself is used in place of the rounded (1 + x) - 1.
#[inline(always)]
pub(super) fn log1p_core(x: f64) -> f64 {
    log1p_by(x, &LOG)
}

/// Computes the same as `log1p_core`, with the given coefficients.
#[inline(always)]
fn log1p_by<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let (exponent, significand) = split(1.0 + x);
    let f = if exponent == 0.0 { x } else { significand - 1.0 };
    exponent * LN_2 + log_significand(f, coefficients)
}

/// Computes the natural logarithm.
///
/// At most 0.903 ULP over all f32.
#[inline(always)]
pub fn log32(x: f32) -> f32 {
    single::log(plain(x)).x
}

/// Computes the logarithm of 1 + f, from sqrt(1/2) to sqrt(2), in two parts with fused operations.
///
/// With s = f / (2 + f) it is f - f^2 / 2 + s (f^2 / 2 + R(s^2)), where f is exact (fdlibm's `e_log.c`), and so is the first difference.
#[inline(always)]
pub(super) fn log_near_one<M: Fma>(f: f64) -> (f64, f64) {
    let half = 0.5 * f;
    let high = M::fma64(-half, f, f);
    let lost = M::fma64(-half, f, f - high);
    let s = f / (2.0 + f);
    let square = s * s;
    let fourth = square * square;
    let pair = |k: usize| M::fma64(square, LOG_REST[k + 1], LOG_REST[k]);
    let upper = M::fma64(fourth, LOG_REST[6], pair(4));
    let rest = M::fma64(fourth, M::fma64(fourth, upper, pair(2)), pair(0));
    (high, M::fma64(s, M::fma64(square, rest, half * f), lost))
}

/// Computes the natural logarithm.
///
/// At most 0.52 ULP (measured 0.5135).
#[inline(always)]
pub fn log64(x: f64) -> f64 {
    wide_log::log(plain64(x)).x
}

/// Computes the logarithm to base 2.
///
/// At most 0.853 ULP over all f32, and exact for powers of two.
#[inline(always)]
pub fn log2_32(x: f32) -> f32 {
    single::log2(plain(x)).x
}

/// Computes the logarithm to base 2.
///
/// At most 0.53 ULP (measured 0.5161), and exact for powers of two.
#[inline(always)]
pub fn log2_64(x: f64) -> f64 {
    wide_log::log2(plain64(x)).x
}

/// Computes the logarithm to base 10.
///
/// At most 0.833 ULP over all f32, and exact for powers of ten.
#[inline(always)]
pub fn log10_32(x: f32) -> f32 {
    single::log10(plain(x)).x
}

/// Computes the logarithm to base 10.
///
/// At most 0.53 ULP (measured 0.5149).
#[inline(always)]
pub fn log10_64(x: f64) -> f64 {
    wide_log::log10(plain64(x)).x
}

/// Computes the natural logarithm of 1 + x.
///
/// At most 0.5002 ULP over all f32; a zero keeps its sign.
#[inline(always)]
pub fn log1p32(x: f32) -> f32 {
    let value = log1p_core(f64::from(x)) as f32;
    let value = if x == 0.0 { x } else { value };
    let value = if x < f32::INFINITY { value } else { f32::INFINITY };
    let value = if x > -1.0 { value } else { f32::NEG_INFINITY };
    if x >= -1.0 { value } else { f32::NAN }
}

/// Computes the natural logarithm of 1 + x.
///
/// The rounding error of 1 + x is added, divided by 1 + x. At most 0.67 ULP (measured 0.6600); a zero keeps its sign.
#[inline(always)]
pub fn log1p64(x: f64) -> f64 {
    log1p64_by::<FmaDefault>(x)
}

/// Computes the natural logarithm of 1 + x with fused operations.
#[inline(always)]
pub(crate) fn log1p64_by<M: Fma>(x: f64) -> f64 {
    let (one_more, rest) = sum(1.0, x);
    let (n, significand) = split(one_more);
    let (high, low) = log_near_one::<M>(significand - 1.0);
    let (sum, left) = ordered(n * LN_2_TOP, high);
    let value = sum + (left + (rest / one_more + M::fma64(n, LN_2_REST, low)));
    let value = if x.abs() < 5e-17 { x } else { value };
    let value = if x < f64::INFINITY { value } else { f64::INFINITY };
    let value = if x > -1.0 { value } else { f64::NEG_INFINITY };
    canonical64(if x >= -1.0 { value } else { f64::NAN })
}

/// Computes log(exp(a) + exp(b)) without overflow.
///
/// The larger operand, plus log(1 + exp(-|a - b|)): symmetric, and infinite operands give their limits. At most 0.51
/// ULP where the result is beyond 2^-20; where the two parts cancel, the absolute error is 2^-51 of the larger
/// operand.
#[inline(always)]
pub fn logaddexp32(a: f32, b: f32) -> f32 {
    let (high, low) = if a < b { (b, a) } else { (a, b) };
    let (wide, gap) = (f64::from(high), f64::from(low) - f64::from(high));
    let gap = if high == low { 0.0 } else { gap };
    let gap = if gap < -700.0 { -700.0 } else { gap };
    let value = (wide + log1p_by(exp_fine(gap), &LOG_FINE)) as f32;
    let value = if high.is_infinite() { high } else { value };
    if a.is_nan() || b.is_nan() { f32::NAN } else { value }
}

/// Computes the logarithm of 2^a + 2^b to base 2 without overflow.
///
/// The larger operand, plus log2(1 + 2^-|a - b|), as in [`logaddexp32`]; the errors are the same.
#[inline(always)]
pub fn logaddexp2_32(a: f32, b: f32) -> f32 {
    let (high, low) = if a < b { (b, a) } else { (a, b) };
    let (wide, gap) = (f64::from(high), f64::from(low) - f64::from(high));
    let gap = if high == low { 0.0 } else { gap };
    let gap = if gap < -1000.0 { -1000.0 } else { gap };
    let value = (wide + LOG2_E * log1p_by(exp_fine(gap * LN_2), &LOG_FINE)) as f32;
    let value = if high.is_infinite() { high } else { value };
    if a.is_nan() || b.is_nan() { f32::NAN } else { value }
}
