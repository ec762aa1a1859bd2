//! Quotients and logarithms of exponentials in f64, with fused operations: by one division, and what that leaves.

use std::f64::consts::{LOG2_E, SQRT_2};

use super::{
    ROUND,
    exp::{scale_wide, tail_of_e},
    fine::{ordered, power_of_2, sum},
    log::{LN_2_REST, LN_2_TOP, log_near_one},
    singles::{Fma, Plain},
    soft::ends,
};

/// e to some power as (1 + high + low) 2^n.
struct Power {
    /// Is at most 0.42 in magnitude.
    high: f64,
    /// Is what rounding `high` left.
    low: f64,
    /// Is n + 1.5 * 2^52.
    shifted: f64,
}

impl Power {
    /// Computes e to the power x for |x| <= 760.
    #[inline(always)]
    fn of<M: Fma>(x: f64) -> Self {
        let shifted = M::fma64(x, LOG2_E, ROUND);
        let n = shifted - ROUND;
        let (first, second) = (M::fma64(n, -0.693_147_180_559_890_3, x), n * -5.497_923_018_708_371e-14);
        let rest = tail_of_e::<M>(first + second, second);
        let high = first + rest;
        Self { high, low: rest - (high - first), shifted }
    }

    /// Returns n.
    #[inline(always)]
    fn n(&self) -> f64 {
        self.shifted - ROUND
    }

    /// Returns 1 + high + low in two parts.
    #[inline(always)]
    fn sum(&self) -> (f64, f64) {
        let whole = 1.0 + self.high;
        (whole, (self.high - (whole - 1.0)) + self.low)
    }
}

/// Divides two numbers of two parts each, the second near 1 to 2, with an error of little more than half a unit in the last place.
#[inline(always)]
fn quotient<M: Fma>((above, above_rest): (f64, f64), (below, below_rest): (f64, f64)) -> f64 {
    let inverse = 1.0 / below;
    let near = above * inverse;
    let left = M::fma64(-near, below, above) + M::fma64(-near, below_rest, above_rest);
    M::fma64(left, inverse, near)
}

/// Computes sigmoid(u) by t = e^-|u|, as 1 / (1 + t), or t / (1 + t) where u is negative, for |u| <= 760: `over` what stands above the
/// line in place of 1 or, with the power of two left out, in place of t.
#[inline(always)]
fn share<M: Fma>(u: f64, over: impl Fn((f64, f64)) -> (f64, f64)) -> f64 {
    let power = Power::of::<M>(-u.abs());
    let (whole, rest) = power.sum();
    // Beside 1, what is left out counts for nothing.
    let n = power.n();
    let scale = power_of_2(if n < -200.0 && !M::NEAR { -200.0 } else { n });
    let (high, low) = (scale * whole, scale * rest);
    let below = 1.0 + high;
    let below_rest = (high - (below - 1.0)) + low;
    let falling = u < 0.0;
    let above = over(if falling { (whole, rest) } else { (1.0, 0.0) });
    scale_wide::<M>(quotient::<M>(above, (below, below_rest)), if falling { power.shifted } else { ROUND })
}

/// Computes 1 / (1 + exp(-x)).
///
/// At most 0.77 ULP (measured 0.7606), subnormal results included.
#[inline(always)]
pub fn sigmoid64(x: f64) -> f64 {
    sigmoid64_by::<Plain>(x)
}

/// Computes 1 / (1 + exp(-x)) with fused operations.
#[inline(always)]
pub(crate) fn sigmoid64_by<M: Fma>(x: f64) -> f64 {
    let value = share::<M>(if M::NEAR { x } else { x.clamp(-750.0, 750.0) }, |above| above);
    if !M::NEAR && x.is_nan() { f64::NAN } else { value }
}

/// Computes x / (1 + exp(-x)), which is x sigmoid(x).
///
/// At most 0.75 ULP (measured 0.7414), subnormal results included.
#[inline(always)]
pub fn silu64(x: f64) -> f64 {
    silu64_by::<Plain>(x)
}

/// Computes x / (1 + exp(-x)) with fused operations.
#[inline(always)]
pub(crate) fn silu64_by<M: Fma>(x: f64) -> f64 {
    let near = if M::NEAR { x } else { x.clamp(-760.0, 60.0) };
    let size = near.abs();
    let over = |(high, low): (f64, f64)| {
        let product = size * high;
        (product, M::fma64(size, low, M::fma64(size, high, -product)))
    };
    ends::<M>(x, share::<M>(near, over), 50.0)
}

/// Computes log(1 + exp(x)) without overflow.
///
/// It is max(x, 0) + log(1 + exp(-|x|)), and exp(x) itself below -100. At most 0.84 ULP (measured 0.8280), subnormal results included.
#[inline(always)]
pub fn softplus64(x: f64) -> f64 {
    softplus64_by::<Plain>(x)
}

/// Computes log(1 + exp(x)) with fused operations.
#[inline(always)]
pub(crate) fn softplus64_by<M: Fma>(x: f64) -> f64 {
    let near = if M::NEAR { x } else { x.clamp(-750.0, 750.0) };
    let power = Power::of::<M>(-near.abs());
    let (whole, rest) = power.sum();
    // Beside 1, what is left out counts for nothing.
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
    // Near zero the logarithm is that power less half its square.
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
    tanh64_by::<Plain>(x)
}

/// Computes the hyperbolic tangent with fused operations.
#[inline(always)]
pub(crate) fn tanh64_by<M: Fma>(x: f64) -> f64 {
    let size = x.abs();
    let power = Power::of::<M>(-2.0 * size.clamp(0.0, 20.0));
    let scale = power_of_2(power.n());
    // t in two parts: its first summand is no smaller than the second, or zero.
    let (first, second) = (scale - 1.0, scale * power.high);
    let high = first + second;
    let lost = scale - (first + 1.0);
    let low = (second - (high - first)) + (scale * power.low + lost);
    let below = 2.0 + high;
    let below_rest = (high - (below - 2.0)) + low;
    let value = quotient::<M>((-high, -low), (below, below_rest)).copysign(x);
    // There the result is x, and the error terms might be subnormal.
    let value = if size < 5e-17 { x } else { value };
    if x.is_nan() { f64::NAN } else { value }
}
