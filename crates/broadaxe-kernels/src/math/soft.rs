//! Activations and sums of logarithms in f64: quotients and logarithms of 1 + e^x, with everything in two parts.

use super::{
    canonical64,
    fine::{Cut, LN_2, cut, exp_sum, log2_of_sum, ordered, over_1_plus, power_of_2, reduce_e, scale_once, sum},
    singles::{Fma, Plain},
};

/// Is where an activation is x / 2: the next term is smaller by more than the precision.
const TINY: f64 = 1e-18;

/// Multiplies two sums of two f64, to about 2^-79 of the product.
#[inline(always)]
fn times((a, a_rest): (f64, f64), (b, b_rest): (f64, f64)) -> (f64, f64) {
    let (a_top, b_top) = (cut(a), cut(b));
    let (a_rest, b_rest) = ((a - a_top) + a_rest, (b - b_top) + b_rest);
    ordered(a_top * b_top, a_top * b_rest + a_rest * b)
}

/// Computes e^(x + rest) for -760 <= x <= 0 and a small rest: a sum near 1, and the power of two it is multiplied by.
#[inline(always)]
fn power_sum(x: f64, rest: f64) -> ((f64, f64), f64) {
    let (w, n) = reduce_e(x);
    let (high, low) = exp_sum(Cut { top: w.top, rest: w.rest + rest });
    (ordered(high, low), n)
}

/// Multiplies a sum by 2^n, or by 2^-200 where n is less: beside 1 that is nothing as well.
#[inline(always)]
fn beside_one((high, low): (f64, f64), n: f64) -> (f64, f64) {
    let power = power_of_2(if n < -200.0 { -200.0 } else { n });
    (power * high, power * low)
}

/// Computes x / (1 + e^-(u + rest)) for u from -760 to 750, and x from 0 up to that.
///
/// With t = e^-|u| it is x / (1 + t), or x t / (1 + t) where u is negative. Where the result may be subnormal, it is the
/// product of a number near 1, `size` x, and a power of two, so that it is rounded once.
#[inline(always)]
fn share(x: f64, u: f64, rest: f64, size: f64) -> f64 {
    let falling = u < 0.0;
    let (power, n) = power_sum(if falling { u } else { -u }, if falling { rest } else { -rest });
    let above = if falling { power } else { (1.0, 0.0) };
    let (high, low) = over_1_plus(above, beside_one(power, n));
    let least = u < -690.0;
    let product = times(ordered(high, low), (if least { x * power_of_2(-size) } else { x }, 0.0));
    let n = if least { n + size } else { n };
    scale_once(product, if falling { n } else { 0.0 })
}

/// Gives an activation the sign of x, and its values where it is x, x / 2 or -0.
#[inline(always)]
pub(super) fn ends<M: Fma>(x: f64, value: f64, limit: f64) -> f64 {
    let value = if x.abs() < TINY { 0.5 * x } else { value.copysign(x) };
    if M::NEAR {
        return value;
    }
    let value = if x > limit { x } else { value };
    let value = if x < -800.0 { -0.0 } else { value };
    canonical64(if x.is_nan() { f64::NAN } else { value })
}

/// Computes x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
///
/// The constants are the real numbers, in two parts each, and so is the argument of the exponential. At most 0.54 ULP.
#[inline(always)]
pub fn gelu_tanh64(x: f64) -> f64 {
    /// Is 2 sqrt(2 / pi).
    const SLOPE: (f64, f64) = (1.595_769_121_605_730_8, -9.969_308_809_110_92e-17);
    const CUBE: (f64, f64) = (0.044_715, 2.196_021_142_708_559_5e-18);
    // Beyond these the result is x or -0.
    let near = x.clamp(-22.0, 12.0);
    let (cube, cube_rest) = times(times((near, 0.0), (near, 0.0)), CUBE);
    let (one, one_rest) = sum(1.0, cube);
    let (u, rest) = times(times((one, one_rest + cube_rest), (near, 0.0)), SLOPE);
    let value = share(near.abs(), if u < -750.0 { -750.0 } else { u }, if u < -750.0 { 0.0 } else { rest }, 4.0);
    ends::<Plain>(x, value, 11.0)
}

/// Computes log(1 + e^(d + rest)) for -40 <= d <= 0, as a sum.
#[inline(always)]
fn log_1_plus_power(d: f64, rest: f64) -> (f64, f64) {
    let (power, n) = power_sum(d, rest);
    let (high, low) = beside_one(power, n);
    let (whole, lost) = ordered(1.0, high);
    let (high, low) = log2_of_sum(whole, lost, low, 0.0).by(&LN_2);
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
    // So far apart that the logarithm is the power, which counts where the larger operand is near zero.
    let (power, n) = power_sum(gap, gap_rest);
    let value = if near { whole + (lost + rest) } else { high + scale_once(power, n) };
    // Beside an infinity, or the larger of two far apart, nothing else counts.
    let alone = high.is_infinite() | (low < high - 760.0);
    let value = if alone { high } else { value };
    canonical64(if a.is_nan() | b.is_nan() { f64::NAN } else { value })
}
