//! Quotients and logarithms of exponentials in f64, with fused operations: by one division, and what that leaves.

use std::f64::consts::{FRAC_2_SQRT_PI, LOG2_E, SQRT_2};

use super::{
    ROUND, canonical64,
    exp::{scale_wide, tail_of_e},
    fine::{ordered, power_of_2, sum, times},
    log::{LN_2_REST, LN_2_TOP, log_near_one},
    singles::{Fma, Plain},
};

/// Is where an activation is x / 2: the next term is smaller by more than the precision.
const TINY: f64 = 1e-18;

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
    /// Computes e to the power x for |x| <= 800.
    #[inline(always)]
    fn of<M: Fma>(x: f64) -> Self {
        // A sum with -0 is the number itself, and no operation.
        Self::of_sum::<M>(x, -0.0)
    }

    /// Computes e to the power x + rest for |x| <= 800 and a rest that is little beside 1.
    #[inline(always)]
    fn of_sum<M: Fma>(x: f64, rest: f64) -> Self {
        let shifted = M::fma64(x, LOG2_E, ROUND);
        let n = shifted - ROUND;
        let (first, second) = (M::fma64(n, -0.693_147_180_559_890_3, x), n * -5.497_923_018_708_371e-14 + rest);
        let rest = tail_of_e::<M>(first + second, second);
        let high = first + rest;
        Self { high, low: rest - (high - first), shifted }
    }

    /// Computes the same with half of the error: adds what the roundings of the exponent and of its square left.
    #[inline(always)]
    fn of_sum_fine<M: Fma>(x: f64, rest: f64) -> Self {
        let shifted = M::fma64(x, LOG2_E, ROUND);
        let n = shifted - ROUND;
        let (first, second) = (M::fma64(n, -0.693_147_180_559_890_3, x), n * -5.497_923_018_708_371e-14 + rest);
        let (sum, left) = ordered(first, second);
        let square_left = 0.5 * M::fma64(sum, sum, -(sum * sum));
        let rest = tail_of_e::<M>(sum, second);
        let high = first + rest;
        Self { high, low: (rest - (high - first)) + M::fma64(sum, left, square_left), shifted }
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
        // The first summand is no smaller than the second, or zero.
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

/// Divides two numbers of two parts each, the second near 1 to 2, with an error of little more than half a unit in the last place.
#[inline(always)]
fn quotient<M: Fma>((above, above_rest): (f64, f64), (below, below_rest): (f64, f64)) -> f64 {
    let inverse = 1.0 / below;
    let near = above * inverse;
    let left = M::fma64(-near, below, above) + M::fma64(-near, below_rest, above_rest);
    M::fma64(left, inverse, near)
}

/// Computes sigmoid(u) by t = e^(rest - |u|), as 1 / (1 + t), or t / (1 + t) where u is negative, for |u| <= 760: `over` what stands
/// above the line in place of 1 or, with the power of two left out, in place of t.
#[inline(always)]
fn share<M: Fma>(u: f64, rest: f64, over: impl Fn((f64, f64)) -> (f64, f64)) -> f64 {
    let power = Power::of_sum::<M>(-u.abs(), rest);
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

/// Gives an activation the sign of x, and its values where it is x, x / 2 or -0.
#[inline(always)]
fn ends<M: Fma>(x: f64, value: f64, limit: f64) -> f64 {
    let value = if x.abs() < TINY { 0.5 * x } else { value.copysign(x) };
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
    sigmoid64_by::<Plain>(x)
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
    silu64_by::<Plain>(x)
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

/// Coefficients of (-log(erfc(x)) / x - 2 / sqrt(pi)) / x in x / (x + 3), for x from 0 to 5.95; error 2^-58 relative to erf(x).
const ERF_FINE: [f64; 17] = [
    0.6366197723675825,
    0.30831780990547525,
    0.1361617868604143,
    -0.04164249343608856,
    -0.08770228564269394,
    -0.008026195999450137,
    0.06685773472688346,
    0.041598870483517764,
    -0.036067315770813,
    -0.06489317419641305,
    0.028579105335399802,
    -0.01109604144681807,
    0.16617836490812896,
    -0.2038906379960482,
    0.017486043850153527,
    0.09376643284141575,
    -0.04283604407101283,
];

/// Is what 2 / sqrt(pi) has beyond one f64.
const FRAC_2_SQRT_PI_REST: f64 = 1.533545961316582e-17;

/// Computes the error function.
///
/// It is 1 - exp(-x Q(x)), where x Q(x) and the exponential are in two parts; beyond 5.95 it is 1. At most 0.83 ULP (measured 0.8130),
/// subnormal results included.
#[inline(always)]
pub fn erf64(x: f64) -> f64 {
    erf64_by::<Plain>(x)
}

/// Computes the error function with fused operations.
#[inline(always)]
pub(crate) fn erf64_by<M: Fma>(x: f64) -> f64 {
    const UP: f64 = f64::from_bits(1223 << 52);
    const DOWN: f64 = f64::from_bits(823 << 52);
    let size = x.abs().clamp(0.0, 5.95);
    let (more, more_rest) = times::<M>((size, 0.0), (poly17::<M>(&ERF_FINE, size / (size + 3.0)), 0.0));
    let (slope, lost) = sum(FRAC_2_SQRT_PI, more);
    let (power, rest) = times::<M>((size, 0.0), (slope, lost + (more_rest + FRAC_2_SQRT_PI_REST)));
    let (high, low) = Power::of_sum_fine::<M>(-power, -rest).less_1();
    // Near zero there is nothing but the product, whose parts might be no normal numbers.
    let large = size * UP;
    let near = M::fma64(large, FRAC_2_SQRT_PI, large * FRAC_2_SQRT_PI_REST) * DOWN;
    let value = if size < TINY { near } else { -(high + low) };
    canonical64(if x.is_nan() { f64::NAN } else { value.copysign(x) })
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
    let (high, low) = power.less_1();
    let below = 2.0 + high;
    let below_rest = (high - (below - 2.0)) + low;
    let value = quotient::<M>((-high, -low), (below, below_rest)).copysign(x);
    // There the result is x, and the error terms might be subnormal.
    let value = if size < 5e-17 { x } else { value };
    if x.is_nan() { f64::NAN } else { value }
}

/// Computes x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
///
/// The constants are the real numbers, in two parts each, and so is the argument of the exponential. At most 0.72 ULP
/// (measured 0.7062).
#[inline(always)]
pub fn gelu_tanh64(x: f64) -> f64 {
    gelu_tanh64_by::<Plain>(x)
}

/// Computes x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 with fused operations.
#[inline(always)]
pub(crate) fn gelu_tanh64_by<M: Fma>(x: f64) -> f64 {
    /// Is 2 sqrt(2 / pi).
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

/// Coefficients of exp(x^2 / 2) erfc(x / sqrt(2)) / 2 (1 + 27 x / 32) in (5 x / 4 - 5) / (x + 5), for x from 0 to 40, the first two in two
/// parts; relative error 2^-58.2.
const NORMAL_FIRST: (f64, f64) = (0.4130465556961141, 5.258103827343027e-18);
const NORMAL_SECOND: (f64, f64) = (-0.09739638268758205, 6.123324086441453e-18);
const NORMAL: [f64; 24] = [
    0.03504926312960758,
    0.003388094510950631,
    -0.016630604889971486,
    0.014471212624763276,
    -0.007823913958625674,
    0.002781665004305415,
    -0.0005135748137742869,
    -5.560001167525875e-05,
    5.871096622391931e-05,
    -7.748353288308723e-06,
    -4.275373348304705e-06,
    1.36018863544582e-06,
    3.141419802133685e-07,
    -1.706575240258815e-07,
    -2.9329137674154712e-08,
    2.0448899043001564e-08,
    3.858873024281728e-09,
    -2.4144468601676812e-09,
    -6.106437833551707e-10,
    2.6653134735767563e-10,
    8.67284695693323e-11,
    -2.4140299590850295e-11,
    -7.2908345400011e-12,
    1.3068992610569388e-12,
];

/// Computes x (1 + erf(x / sqrt(2))) / 2.
///
/// With q = erfc(|x| / sqrt(2)) / 2 it is x q where x is negative, and otherwise x - x q. The share q is e^(-x^2 / 2), with the square in two
/// parts, times a function that is nearly constant, over 1 + 27 |x| / 32. At most 0.85 ULP (measured 0.8344).
#[inline(always)]
pub fn gelu64(x: f64) -> f64 {
    gelu64_by::<Plain>(x)
}

/// Computes x (1 + erf(x / sqrt(2))) / 2 with fused operations.
#[inline(always)]
pub(crate) fn gelu64_by<M: Fma>(x: f64) -> f64 {
    let size = x.abs().clamp(0.0, 40.0);
    let square = size * size;
    let power = Power::of_sum_fine::<M>(-0.5 * square, -0.5 * M::fma64(size, size, -square));
    let w = M::fma64(1.25, size, -5.0) / (size + 5.0);
    let (bend, bend_rest) = times::<M>((poly24::<M>(&NORMAL, w), 0.0), (w, 0.0));
    let (slope, lost) = ordered(NORMAL_SECOND.0, bend);
    let (step, step_rest) = times::<M>((slope, lost + (bend_rest + NORMAL_SECOND.1)), (w, 0.0));
    let (shape, lost) = ordered(NORMAL_FIRST.0, step);
    let shape = (shape, lost + (step_rest + NORMAL_FIRST.1));
    let (above, above_rest) = times::<M>((size, 0.0), times::<M>(power.sum(), shape));
    let below = M::fma64(0.843_75, size, 1.0);
    let inverse = 1.0 / below;
    let near = above * inverse;
    let below_rest = M::fma64(0.843_75, size, 1.0 - below);
    let left = inverse * (M::fma64(-near, below, above) + M::fma64(-near, below_rest, above_rest));
    // Beside x, what is left out counts for nothing.
    let n = power.n();
    let scale = power_of_2(if n < -200.0 { -200.0 } else { n });
    let (whole, lost) = ordered(size, -scale * near);
    let rising = whole + (lost - scale * left);
    ends::<M>(x, if x < 0.0 { scale_wide::<M>(near + left, power.shifted) } else { rising }, 10.0)
}

/// Evaluates a polynomial in pairs of pairs of pairs: a chain would be longer than what the processor looks ahead.
#[inline(always)]
fn poly24<M: Fma>(c: &[f64; 24], x: f64) -> f64 {
    let square = x * x;
    let fourth = square * square;
    let eighth = fourth * fourth;
    let eight = |k: usize| eight_terms::<M>(&c[k..], x, square, fourth);
    M::fma64(eighth, M::fma64(eighth, eight(16), eight(8)), eight(0))
}

/// Evaluates a polynomial in the same way but for its first term, which is the largest and is rounded once.
#[inline(always)]
fn poly17<M: Fma>(c: &[f64; 17], x: f64) -> f64 {
    let square = x * x;
    let fourth = square * square;
    let eighth = fourth * fourth;
    let eight = |k: usize| eight_terms::<M>(&c[k..], x, square, fourth);
    M::fma64(x, M::fma64(eighth, eight(9), eight(1)), c[0])
}

/// Evaluates eight terms of a polynomial, given the square of x and its square.
#[inline(always)]
fn eight_terms<M: Fma>(c: &[f64], x: f64, square: f64, fourth: f64) -> f64 {
    let two = |k: usize| M::fma64(x, c[k + 1], c[k]);
    let four = |k: usize| M::fma64(square, two(k + 2), two(k));
    M::fma64(fourth, four(4), four(0))
}
