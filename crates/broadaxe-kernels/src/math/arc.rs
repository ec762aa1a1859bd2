//! Inverse circular functions in f64.
//!
//! The arc tangent is reduced by the addition theorem and the nearest c of 0, 1/2, 1, 2 and infinity; with powers of
//! two every product is exact, and only one division in two parts and a short polynomial remain. Arc sine and cosine
//! reduce to at most 1/2 by the half angle.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::{
    canonical64,
    extended::{Split, cut, divide, ordered, sum},
    float_n::{Fma, FmaDefault},
    poly, poly_by,
    quarter_turns::FRAC_PI_2_REST,
};

/// Coefficients of (atan(t) / t - 1) / t^2 in t^2, for |t| <= 1/4; error 2^-57.1 relative to the angle.
const ATAN: [f64; 8] = [
    -0.33333333333332543,
    0.19999999999588894,
    -0.14285714212325223,
    0.11111104766142928,
    -0.09090604830355603,
    0.07683765009666027,
    -0.06526171669625175,
    0.04609316188966006,
];

/// Coefficients of (asin(t) / t - 1) / t^2 in t^2, for |t| <= 1/2; error 2^-59 relative to the angle.
const ASIN: [f64; 13] = [
    0.16666666666666763,
    0.07499999999970268,
    0.044642857175115555,
    0.030381942683846183,
    0.022372215654305798,
    0.017351600193473267,
    0.013980960291700312,
    0.011397785062876784,
    0.010786480285043906,
    0.003683218828511703,
    0.021763085680657875,
    -0.021076729523504756,
    0.0326765510816422,
];

/// The part of pi beyond one f64.
const PI_REST: f64 = 2.0 * FRAC_PI_2_REST;

/// Holds an angle of the table near that of a point, and the slope to what is added to it: a numerator, and a denominator
/// as a sum whose first term is the larger one up to a factor of 8.
struct ReducedSlope {
    base: f64,
    base_rest: f64,
    above: f64,
    below: (f64, f64),
}

impl ReducedSlope {
    /// Finds the angle of the table for the point (below, above), both coordinates at least 0.
    #[inline(always)]
    fn of(above: f64, below: f64) -> Self {
        // The borders are such that no reduced slope is beyond 1/4.
        let choose = |zero: f64, half: f64, one: f64, two: f64, steep: f64| {
            let value = if above > 0.25 * below { half } else { zero };
            let value = if above > 0.75 * below { one } else { value };
            let value = if above > 1.375 * below { two } else { value };
            if above > 4.0 * below { steep } else { value }
        };
        let center = choose(0.0, 0.5, 1.0, 2.0, 0.0);
        let steep = above > 4.0 * below;
        Self {
            base: choose(0.0, 0.4636476090008061, FRAC_PI_4, 1.1071487177940904, FRAC_PI_2),
            base_rest: choose(0.0, 2.2698777452961687e-17, 0.5 * FRAC_PI_2_REST, 9.40447137356638e-17, FRAC_PI_2_REST),
            above: if steep { -below } else { above - center * below },
            below: if steep { (above, 0.0) } else { (below, center * above) },
        }
    }
}

/// Holds the angle of a point: an angle of the table, and what is added to it.
struct Angle {
    base: f64,
    base_rest: f64,
    more: f64,
    more_rest: f64,
}

/// Computes the angle of a point whose coordinates have products that are neither too large nor too small.
#[inline(always)]
fn angle(above: f64, below: f64) -> Angle {
    let ReducedSlope { base, base_rest, above, below } = ReducedSlope::of(above, below);
    let (denominator, rest) = sum(below.0, below.1);
    let top = cut(denominator);
    let (high, low) = divide(above, 0.0, Split { top, rest: (denominator - top) + rest }, 1.0 / denominator);
    let t = high + low;
    let square = t * t;
    Angle { base, base_rest, more: high, more_rest: low + t * square * poly(&ATAN, square) }
}

/// Computes the arc tangent, in radians.
///
/// At most 0.60 ULP (measured 0.5912); a zero keeps its sign.
#[inline(always)]
pub fn atan64(x: f64) -> f64 {
    atan64_by::<FmaDefault>(x)
}

/// Computes the arc tangent with fused operations.
#[inline(always)]
pub(crate) fn atan64_by<M: Fma>(x: f64) -> f64 {
    let wide = x.abs();
    let wide = if wide > 1e30 { 1e30 } else { wide };
    let ReducedSlope { base, base_rest, above, below } = ReducedSlope::of(wide, 1.0);
    let denominator = below.0 + below.1;
    // The first term is 1, or the second is 0, so the difference is exact.
    let rest = below.1 - (denominator - below.0);
    let inverse = 1.0 / denominator;
    let t = above * inverse;
    let left = M::fma64(-t, rest, M::fma64(-t, denominator, above));
    let square = t * t;
    let more = M::fma64(t * square, poly_by::<M, 8>(&ATAN, square, square * square), left * inverse);
    let (high, low) = ordered(base, t);
    let value = (high + (low + (base_rest + more))).copysign(x);
    canonical64(if x.is_nan() { f64::NAN } else { value })
}

/// Computes the angle of the point (x, y), in radians, in all four quadrants.
///
/// At most 0.63 ULP (measured 0.6230). Zeros and infinities count with their signs, as in C's `atan2`.
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch, which does not vectorise")]
#[inline(always)]
pub fn atan2_64(y: f64, x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    // Both are multiplied by a power of two that makes the larger one about 1; for an infinite number that is 2^1024
    // already.
    let (tall, long) = (y.abs(), x.abs());
    let most = if tall > long { tall } else { long };
    let exponent = most.to_bits() & EXPONENT;
    let exponent = if exponent == 0 { 1 << 52 } else { exponent };
    let exponent = if exponent > 0x7fd << 52 { 0x7fd << 52 } else { exponent };
    let scale = f64::from_bits((0x7fe << 52) - exponent);
    let infinite = most == f64::INFINITY;
    let scaled = |z: f64| {
        let edge = if z == f64::INFINITY { 1.0 } else { 0.0 };
        if infinite { edge } else { z * scale }
    };
    let (above, below) = (scaled(tall), scaled(long));
    // The point of two zeros is on the axis.
    let below = if most == 0.0 { 1.0 } else { below };
    let Angle { base, base_rest, more, more_rest } = angle(above, below);
    let left = x.is_sign_negative();
    let (turn, turn_rest) = if left { sum(PI, -base) } else { (base, 0.0) };
    let turn_rest = if left { turn_rest + (PI_REST - base_rest) } else { base_rest };
    let (more, more_rest) = if left { (-more, -more_rest) } else { (more, more_rest) };
    let (high, low) = ordered(turn, more);
    let value = high + (low + (turn_rest + more_rest));
    // Far below 1 the angle is the slope, and that may be subnormal.
    let slope = tall / long;
    let value = if !left & (slope < 1e-10) { slope } else { value };
    let value = value.copysign(y);
    canonical64(if x.is_nan() || y.is_nan() { f64::NAN } else { value })
}

/// Computes asin(t) for t from 0 to 1/2, or, of a larger x, half of acos(x) with t = sqrt((1 - x) / 2), as a sum.
#[inline(always)]
fn asin_sum(x: f64) -> (f64, f64) {
    let far = x > 0.5;
    let square = if far { 0.5 - 0.5 * x } else { x * x };
    let root = square.sqrt();
    let parts = Split::of(root);
    let lost = ((square - parts.top * parts.top) - parts.rest * (parts.top + root)) / (2.0 * root);
    let (t, rest) = if far { (root, if root > 0.0 { lost } else { 0.0 }) } else { (x, 0.0) };
    (t, rest + t * square * poly(&ASIN, square))
}

/// Computes the arc sine, in radians.
///
/// At most 0.66 ULP (measured 0.6313); outside -1..=1 the result is NaN, a zero keeps its sign.
#[inline(always)]
pub fn asin64(x: f64) -> f64 {
    let wide = x.abs();
    let (t, rest) = asin_sum(wide);
    let (high, low) = ordered(FRAC_PI_2, -2.0 * t);
    let outer = high + (low + (FRAC_PI_2_REST - 2.0 * rest));
    let value = (if wide > 0.5 { outer } else { t + rest }).copysign(x);
    canonical64(if wide <= 1.0 { value } else { f64::NAN })
}

/// Computes the arc cosine, in radians.
///
/// At most 0.66 ULP (measured 0.6306); outside -1..=1 the result is NaN.
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch, which does not vectorise")]
#[inline(always)]
pub fn acos64(x: f64) -> f64 {
    let wide = x.abs();
    let (t, rest) = asin_sum(wide);
    let far = wide > 0.5;
    let negative = x < 0.0;
    let factor = if far { 2.0 } else { 1.0 };
    // The angle is the base less or plus t: 0 + 2 t, pi - 2 t, or pi / 2 -+ t.
    let plus = negative != far;
    let factor = if plus { factor } else { -factor };
    let (base, base_rest) = if far { (PI, PI_REST) } else { (FRAC_PI_2, FRAC_PI_2_REST) };
    let (base, base_rest) = if far & !negative { (0.0, 0.0) } else { (base, base_rest) };
    let (high, low) = ordered(base, factor * t);
    let value = high + (low + (base_rest + factor * rest));
    canonical64(if wide <= 1.0 { value } else { f64::NAN })
}
