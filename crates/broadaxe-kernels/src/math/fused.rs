//! Quotients and logarithms of exponentials in f64, with fused operations: one division, and a correction by its error.

use std::f64::consts::{LOG2_E, SQRT_2};

use super::{
    ROUND, canonical64,
    exp::{scale_wide, tail_of_e},
    extended::{LN_2_REST, LN_2_TOP, ordered, power_of_2, sum, times},
    float_n::{F64x1, Fma, FmaDefault},
    log::log_near_one,
};

/// The bound below which an activation is x / 2: the next term is smaller by more than the precision.
const TINY_ACTIVATION: f64 = 1e-18;

/// e to some power as (1 + high + low) 2^n.
struct ExpSum {
    /// At most 0.42 in magnitude.
    high: f64,
    /// What rounding `high` left.
    low: f64,
    /// N + 1.5 * 2^52.
    shifted: f64,
}

impl ExpSum {
    /// Computes e to the power x for |x| <= 800.
    #[inline(always)]
    fn of<M: Fma>(x: f64) -> Self {
        // A sum with -0 is the number itself, and costs no operation.
        Self::of_sum::<M>(x, -0.0)
    }

    /// Computes e to the power x + rest for |x| <= 800 and a rest that is small compared with 1.
    #[inline(always)]
    fn of_sum<M: Fma>(x: f64, rest: f64) -> Self {
        let shifted = M::fma64(x, LOG2_E, ROUND);
        let n = shifted - ROUND;
        let (first, second) = (M::fma64(n, -LN_2_TOP, x), n * -LN_2_REST + rest);
        let rest = tail_of_e(F64x1::<M>::of(first + second), F64x1::of(second)).x;
        let high = first + rest;
        Self { high, low: rest - (high - first), shifted }
    }

    /// Returns n.
    #[inline(always)]
    fn n(&self) -> f64 {
        self.shifted - ROUND
    }

    /// Returns the power less 1 in two parts, where it is at most 1 and n at least -1022.
    #[inline(always)]
    fn less_1(&self) -> (f64, f64) {
        let scale = power_of_2(self.n());
        // The first summand is not smaller than the second, or zero.
        let (first, second) = (scale - 1.0, scale * self.high);
        let high = first + second;
        let lost = scale - (first + 1.0);
        (high, (second - (high - first)) + (scale * self.low + lost))
    }

    /// Returns 1 + high + low in two parts.
    #[inline(always)]
    fn sum(&self) -> (f64, f64) {
        let whole = 1.0 + self.high;
        (whole, (self.high - (whole - 1.0)) + self.low)
    }
}

/// Divides two numbers of two parts each, the second neither tiny nor huge, with an error of little more than half a unit in the last place.
#[inline(always)]
pub(super) fn quotient<M: Fma>((above, above_rest): (f64, f64), (below, below_rest): (f64, f64)) -> f64 {
    let inverse = 1.0 / below;
    let near = above * inverse;
    let left = M::fma64(-near, below, above) + M::fma64(-near, below_rest, above_rest);
    M::fma64(left, inverse, near)
}

/// Computes sigmoid(u) from t = e^(rest - |u|), as 1 / (1 + t), or t / (1 + t) where u is negative, for |u| <= 760.
/// `over` is the numerator: in place of 1 or, without the power of two, in place of t.
#[inline(always)]
fn share<M: Fma>(u: f64, rest: f64, over: impl Fn((f64, f64)) -> (f64, f64)) -> f64 {
    let power = ExpSum::of_sum::<M>(-u.abs(), rest);
    let (whole, rest) = power.sum();
    // The omitted part is negligible compared with 1.
    let n = power.n();
    let scale = power_of_2(if n < -200.0 && !M::NEAR { -200.0 } else { n });
    let (high, low) = (scale * whole, scale * rest);
    let below = 1.0 + high;
    let below_rest = (high - (below - 1.0)) + low;
    let falling = u < 0.0;
    let above = over(if falling { (whole, rest) } else { (1.0, 0.0) });
    scale_wide::<M>(quotient::<M>(above, (below, below_rest)), if falling { power.shifted } else { ROUND })
}

/// Gives an activation the sign of x, and handles the ranges where it is x, x / 2 or -0.
#[inline(always)]
pub(super) fn ends<M: Fma>(x: f64, value: f64, limit: f64) -> f64 {
    let value = if x.abs() < TINY_ACTIVATION { 0.5 * x } else { value.copysign(x) };
    if M::NEAR {
        return value;
    }
    let value = if x > limit { x } else { value };
    let value = if x < -800.0 { -0.0 } else { value };
    canonical64(if x.is_nan() { f64::NAN } else { value })
}

/// Computes 1 / (1 + exp(-x)).
///
/// At most 0.77 ULP (measured 0.7606), subnormal results included.
#[inline(always)]
pub fn sigmoid64(x: f64) -> f64 {
    sigmoid64_by::<FmaDefault>(x)
}

/// Computes 1 / (1 + exp(-x)) with fused operations.
#[inline(always)]
pub(crate) fn sigmoid64_by<M: Fma>(x: f64) -> f64 {
    let near = if M::NEAR { x } else { x.clamp(-750.0, 750.0) };
    let value = share::<M>(near, -0.0, |above| above);
    if !M::NEAR && x.is_nan() { f64::NAN } else { value }
}

/// Computes x / (1 + exp(-x)), which is x sigmoid(x).
///
/// At most 0.75 ULP (measured 0.7414), subnormal results included.
#[inline(always)]
pub fn silu64(x: f64) -> f64 {
    silu64_by::<FmaDefault>(x)
}

/// Computes x / (1 + exp(-x)) with fused operations.
#[inline(always)]
pub(crate) fn silu64_by<M: Fma>(x: f64) -> f64 {
    let near = if M::NEAR { x } else { x.clamp(-760.0, 60.0) };
    let size = near.abs();
    ends::<M>(x, share::<M>(near, -0.0, |above| times::<M>((size, 0.0), above)), 50.0)
}

/// Computes log(1 + exp(x)) without overflow.
///
/// It is max(x, 0) + log(1 + exp(-|x|)), and exp(x) itself below -100. At most 0.77 ULP (measured 0.7606), subnormal results
/// included.
#[inline(always)]
pub fn softplus64(x: f64) -> f64 {
    softplus64_by::<FmaDefault>(x)
}

/// Computes log(1 + exp(x)) with fused operations.
#[inline(always)]
pub(crate) fn softplus64_by<M: Fma>(x: f64) -> f64 {
    let near = if M::NEAR { x } else { x.clamp(-750.0, 750.0) };
    let power = ExpSum::of::<M>(-near.abs());
    let (whole, rest) = power.sum();
    // The omitted part is negligible compared with 1.
    let n = power.n();
    let scale = power_of_2(if n < -200.0 && !M::NEAR { -200.0 } else { n });
    let (high, low) = (scale * whole, scale * rest);
    let one = 1.0 + high;
    let left = (high - (one - 1.0)) + low;
    let (half, n) = if one > SQRT_2 { (0.5, 1.0) } else { (1.0, 0.0) };
    let (log, log_rest) = log_near_one::<M>(half * one - 1.0);
    let (log, lost) = ordered(n * LN_2_TOP, log);
    let log_rest = lost + (left / one + M::fma64(n, LN_2_REST, log_rest));
    let (value, lost) = sum(if x > 0.0 { x } else { 0.0 }, log);
    // Near zero the logarithm is that power minus half its square.
    let value = if x < -20.0 { high + M::fma64(-0.5 * high, high, low) } else { value + (lost + log_rest) };
    if M::NEAR {
        return value;
    }
    let value = if x < -100.0 { scale_wide::<M>(whole + rest, power.shifted) } else { value };
    let value = if x > 40.0 { x } else { value };
    if x.is_nan() { f64::NAN } else { value }
}

/// Computes the hyperbolic tangent.
///
/// With t = exp(-2 |x|) - 1 it is -t / (2 + t) with the sign of x. At most 0.82 ULP (measured 0.8068); a zero keeps its sign.
#[inline(always)]
pub fn tanh64(x: f64) -> f64 {
    tanh64_by::<FmaDefault>(x)
}

/// Computes the hyperbolic tangent with fused operations.
#[inline(always)]
pub(crate) fn tanh64_by<M: Fma>(x: f64) -> f64 {
    let size = x.abs();
    let power = ExpSum::of::<M>(-2.0 * size.clamp(0.0, 20.0));
    let (high, low) = power.less_1();
    let below = 2.0 + high;
    let below_rest = (high - (below - 2.0)) + low;
    let value = quotient::<M>((-high, -low), (below, below_rest)).copysign(x);
    // There the result is x, and the error terms may be subnormal.
    let value = if size < 5e-17 { x } else { value };
    if x.is_nan() { f64::NAN } else { value }
}

/// Computes x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
///
/// The constants are the real numbers, in two parts each, and so is the argument of the exponential. At most 0.72 ULP
/// (measured 0.7062).
#[inline(always)]
pub fn gelu_tanh64(x: f64) -> f64 {
    gelu_tanh64_by::<FmaDefault>(x)
}

/// Computes x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 with fused operations.
#[inline(always)]
pub(crate) fn gelu_tanh64_by<M: Fma>(x: f64) -> f64 {
    /// 2 sqrt(2 / pi).
    const SLOPE: (f64, f64) = (1.595_769_121_605_730_8, -9.969_308_809_110_92e-17);
    const CUBE: (f64, f64) = (0.044_715, 2.196_021_142_708_559_5e-18);
    // Beyond these the result is x or -0.
    let near = (x.clamp(-22.0, 12.0), 0.0);
    let (cube, cube_rest) = times::<M>(times::<M>(near, near), CUBE);
    let (one, one_rest) = sum(1.0, cube);
    let (u, rest) = times::<M>(times::<M>((one, one_rest + cube_rest), near), SLOPE);
    let beyond = u < -750.0;
    let rest = if beyond {
        0.0
    } else if u < 0.0 {
        rest
    } else {
        -rest
    };
    let over = |above| times::<M>((near.0.abs(), 0.0), above);
    let value = share::<M>(if beyond { -750.0 } else { u }, rest, over);
    ends::<M>(x, value, 11.0)
}
