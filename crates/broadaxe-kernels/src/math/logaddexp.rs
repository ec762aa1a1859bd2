//! Logarithms of sums of exponentials in f64, with every number in two parts.

use super::{
    canonical64,
    extended::{
        EXTENDED_LN_2, EXTENDED_LOG2_E, Factor, Split, exp_sum, log2_of_sum, ordered, power_of_2, reduce_e, scale_once,
        sum,
    },
};

/// Computes e^(x + rest) for -760 <= x <= 0 and a small rest: a sum near 1, and the power of two it is multiplied by.
#[inline(always)]
fn power_sum(x: f64, rest: f64) -> ((f64, f64), f64) {
    let (w, n) = reduce_e(x);
    let (high, low) = exp_sum(Split { top: w.top, rest: w.rest + rest });
    (ordered(high, low), n)
}

/// Multiplies a sum by 2^n, or by 2^-200 if n is less: both are negligible compared with 1.
#[inline(always)]
fn beside_one((high, low): (f64, f64), n: f64) -> (f64, f64) {
    let power = power_of_2(if n < -200.0 { -200.0 } else { n });
    (power * high, power * low)
}

/// Computes log(1 + e^(d + rest)) for -40 <= d <= 0, as a sum.
#[inline(always)]
fn log_1_plus_power(d: f64, rest: f64) -> (f64, f64) {
    let (power, n) = power_sum(d, rest);
    let (high, low) = beside_one(power, n);
    let (whole, lost) = ordered(1.0, high);
    let (high, low) = log2_of_sum(whole, lost, low, 0.0).by(&EXTENDED_LN_2);
    ordered(high, low)
}

/// Computes log(exp(a) + exp(b)) without overflow.
///
/// The larger operand, plus log(1 + exp(-|a - b|)), with the difference and the sum in two parts each. At most 1.1 ULP
/// (measured 1.0375) where the result is at least 2^-7 of the larger operand; nearer to zero, where the two cancel, the absolute error
/// is 2^-58.
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch, which does not vectorise")]
#[inline(always)]
pub fn logaddexp64(a: f64, b: f64) -> f64 {
    let (high, low) = if a < b { (b, a) } else { (a, b) };
    let (gap, gap_rest) = sum(low, -high);
    let far = gap > -750.0;
    let (gap, gap_rest) = (if far { gap } else { -750.0 }, if far { gap_rest } else { 0.0 });
    let near = gap > -40.0;
    let (log, rest) = log_1_plus_power(if near { gap } else { -40.0 }, if near { gap_rest } else { 0.0 });
    let (whole, lost) = sum(high, log);
    // So far apart that the logarithm is the power, which matters where the larger operand is near zero.
    let (power, n) = power_sum(gap, gap_rest);
    let value = if near { whole + (lost + rest) } else { high + scale_once(power, n) };
    // Only the larger operand counts if it is infinite or the two are far apart.
    let alone = high.is_infinite() | (low < high - 760.0);
    let value = if alone { high } else { value };
    canonical64(if a.is_nan() | b.is_nan() { f64::NAN } else { value })
}

/// Computes log2(1 + 2^(d + rest)) for -60 <= d <= 0, as a sum.
///
/// Near d = 0, where the sum is near 1 and is mostly wanted less 1, it is 1 + d / 2 + d^2 log(2) / 8 to the last bit.
#[inline(always)]
fn log2_1_plus_power2(d: f64, rest: f64) -> (f64, f64) {
    let (exponent, exponent_rest) = scaled((d, rest), &EXTENDED_LN_2);
    let (power, n) = power_sum(exponent, exponent_rest);
    let (high, low) = beside_one(power, n);
    let (whole, lost) = ordered(1.0, high);
    let log = log2_of_sum(whole, lost, low, 0.0);
    let few = d > -TINY_GAP;
    let small = 0.5 * rest + d * d * (0.125 * std::f64::consts::LN_2);
    let (top, rest) = if few { (1.0, 0.5 * d) } else { (log.top, log.rest) };
    let (high, low) = ordered(top, rest);
    (high, low + if few { small } else { 0.0 })
}

/// The gap below which the next term of the series, d^4 log(2)^3 / 192, is negligible compared with d.
const TINY_GAP: f64 = 1e-6;

/// Multiplies a sum by a constant: returns the product and its rounding error.
#[inline(always)]
fn scaled((x, rest): (f64, f64), factor: &Factor) -> (f64, f64) {
    let cut = Split::of(x);
    let (high, low) = Split { rest: cut.rest + rest, ..cut }.by(factor);
    ordered(high, low)
}

/// Computes the logarithm of 2^a + 2^b to base 2 without overflow.
///
/// As [`logaddexp64`]. At most 1.3 ULP (measured 1.2225) where the result is at least 2^-7 of the larger operand; nearer to zero, where
/// the two cancel, the absolute error is 2^-58.
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch, which does not vectorise")]
#[inline(always)]
pub fn logaddexp2_64(a: f64, b: f64) -> f64 {
    let (high, low) = if a < b { (b, a) } else { (a, b) };
    let (gap, gap_rest) = sum(low, -high);
    let far = gap > -1082.0;
    let (gap, gap_rest) = (if far { gap } else { -1082.0 }, if far { gap_rest } else { 0.0 });
    let near = gap > -57.0;
    let (log, rest) = log2_1_plus_power2(if near { gap } else { -57.0 }, if near { gap_rest } else { 0.0 });
    let (whole, lost) = sum(high, log);
    // So far apart that the logarithm is the power over log 2, which matters where the larger operand is near zero.
    let (exponent, exponent_rest) = scaled((gap, gap_rest), &EXTENDED_LN_2);
    let (power, n) = power_sum(exponent, exponent_rest);
    let value = if near { whole + (lost + rest) } else { high + scale_once(scaled(power, &EXTENDED_LOG2_E), n) };
    // Only the larger operand counts if it is infinite or the two are far apart.
    let alone = high.is_infinite() | (low < high - 1090.0);
    let value = if alone { high } else { value };
    canonical64(if a.is_nan() | b.is_nan() { f64::NAN } else { value })
}
