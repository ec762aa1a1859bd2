//! Circular functions and their inverses.
//!
//! The f32 forms of sine, cosine and tangent stay in f32 up to `FEW_TURNS`, with fused operations: multiples of pi / 2
//! are subtracted in three parts, and what they leave is kept as a sum. Beyond, quarter turns are counted in f64, exactly
//! enough for every f32, without a branch or a table look-up (see `quarter_turns`), and minimax polynomials are evaluated
//! on the remaining eighth of a turn. The arc tangent stays in f32 too: it has one division, whose error is computed. The
//! other inverse functions reduce to |t| <= tan(pi / 8) and |t| <= 1/2 in f64, by the addition theorems.
//!
//! Attempts that failed: an arc tangent of one polynomial up to 1 and one of -1 / x beyond, which was 0.95 times as fast
//! with AVX-512 and 0.6 times without fused operations; four times as many numbers before the rare ones among them are
//! searched, which changed nothing.

use std::{
    f32::consts::FRAC_2_PI,
    f64::consts::{FRAC_PI_2, FRAC_PI_4, PI},
};

use super::{
    ROUND,
    float_n::{Fma, FmaDefault, UNITS},
    poly,
    quarter_turns::FEW_TURNS,
};

/// Coefficients of sin(pi f / 2) / f in f^2, for |f| <= 1/2 + 2^-9; relative error 2^-37.62.
const F32_SIN: [f64; 5] =
    [1.5707963267874638, -0.6459640960576952, 0.07969258078815081, -0.004681252859008868, 0.00015817751597620172];

/// Coefficients of cos(pi f / 2) in f^2, for |f| <= 1/2 + 2^-9; relative error 2^-34.00.
const F32_COS: [f64; 5] =
    [0.9999999999416326, -1.2337005392209026, 0.2536691747340227, -0.020859879404603706, 0.0009032371556051519];

/// Coefficients of atan(t) / t in t^2, for |t| <= tan(pi / 8); relative error 2^-40.33.
const F32_ATAN: [f64; 8] = [
    0.9999999999992769,
    -0.33333333278743454,
    0.19999993222195975,
    -0.1428539241930682,
    0.11103554163792562,
    -0.08993381340553917,
    0.06977698986264458,
    -0.03771326720049957,
];

/// Coefficients of asin(t) / t in t^2, for |t| <= 1/2; relative error 2^-39.99.
const F32_ASIN: [f64; 9] = [
    1.0000000000009146,
    0.16666666608642441,
    0.07500006048297786,
    0.044640438308302804,
    0.03043011538593214,
    0.021838632532911864,
    0.020762511907567695,
    0.0017151314494292305,
    0.033158634333352685,
];

/// Holds 2^(32 j) * 2 / pi modulo 4, divided by 2^(32 j), for j = 0, 1, 2, 3, each as a sum of three parts.
///
/// The first part has no bit below 2^-20 and the second none below 2^-41, both relative to 2^(32 j).
const TURNS: [[f64; 3]; 4] = [
    [0.6366195678710938, 2.044967004621867e-07, -2.1286911117399287e-13],
    [-3.944788939946875e-10, 7.166491656834459e-17, 3.254380609134673e-23],
    [1.0760570283912713e-19, 2.526825017416711e-26, 1.018166438749971e-32],
    [2.471139044931388e-29, -1.690192128758259e-36, -1.3190424939343312e-42],
];

/// Multiplies a multiple of 2^(32 j), at most 2^31 times that, by the parts of `TURNS[j]`.
///
/// Returns an exact sum modulo 4 and the inexact small rest.
#[inline(always)]
fn digit_turns(digit: f64, j: usize) -> (f64, f64) {
    const ROUND_TO_4: f64 = 4.0 * ROUND;
    let first = digit * TURNS[j][0];
    let whole = (first + ROUND_TO_4) - ROUND_TO_4;
    ((first - whole) + digit * TURNS[j][1], digit * TURNS[j][2])
}

/// Counts the quarter turns in x, an f32: returns the fraction, at most slightly more than 1/2, and the count modulo 4.
///
/// This is Payne and Hanek's reduction in floats. x is split at the multiples of 2^96, 2^64, 2^32 and 1; each piece has
/// a constant of its own, 2 / pi times its unit modulo 4, in three parts such that the products with the first two are
/// exact. Their sum has no bit below 2^-44 and is exact as well, so the count can be read from it without loss. The f32
/// nearest to a multiple of pi / 2 is 2^-30 away from it; the error of the rest is 2^-62.
#[inline(always)]
fn quarter_turns(x: f64) -> (f64, u64) {
    const ROUND_32: f64 = ROUND * 4_294_967_296.0;
    const ROUND_64: f64 = ROUND_32 * 4_294_967_296.0;
    const ROUND_96: f64 = ROUND_64 * 4_294_967_296.0;
    let third = (x + ROUND_96) - ROUND_96;
    let below = x - third;
    let second = (below + ROUND_64) - ROUND_64;
    let below = below - second;
    let first = (below + ROUND_32) - ROUND_32;
    let below = below - first;
    let unit = (below + ROUND) - ROUND;
    let fraction = below - unit;

    let (exact_3, rest_3) = digit_turns(third, 3);
    let (exact_2, rest_2) = digit_turns(second, 2);
    let (exact_1, rest_1) = digit_turns(first, 1);
    let (exact_0, rest_0) = digit_turns(unit, 0);
    let exact = ((exact_3 + exact_2) + (exact_1 + exact_0)) + fraction * TURNS[0][0];
    let rest = ((rest_3 + rest_2) + (rest_1 + rest_0)) + fraction * (TURNS[0][1] + TURNS[0][2]);
    let count = exact + ROUND;
    ((exact - (count - ROUND)) + rest, count.to_bits())
}

/// Evaluates sine and cosine of `fraction` quarter turns.
#[inline(always)]
fn sin_cos(fraction: f64) -> (f64, f64) {
    let square = fraction * fraction;
    (fraction * poly(&F32_SIN, square), poly(&F32_COS, square))
}

/// Selects sine or cosine by the count's lowest bit, and the sign by the next.
#[inline(always)]
fn by_quadrant(sine: f64, cosine: f64, count: u64) -> f64 {
    let value = if count & 1 == 0 { sine } else { cosine };
    f64::from_bits(value.to_bits() ^ ((count & 2) << 62))
}

/// Gives a value computed from |x| the sign of x, and NaN for the infinities.
#[inline(always)]
fn odd(x: f32, value: f64) -> f32 {
    odd_f32(x, value as f32)
}

#[inline(always)]
fn sine((fraction, count): (f64, u64)) -> f64 {
    let (sine, cosine) = sin_cos(fraction);
    by_quadrant(sine, cosine, count)
}

#[inline(always)]
fn tangent((fraction, count): (f64, u64)) -> f64 {
    let (sine, cosine) = sin_cos(fraction);
    let (above, below) = if count & 1 == 0 { (sine, cosine) } else { (-cosine, sine) };
    above / below
}

/// Computes the sine of |x| plus `count` quarter turns, with the sign of x, for x beyond `FEW_TURNS`.
///
/// This function is not inlined into every loop: few elements need it, one at a time.
#[inline(never)]
fn far_sine(x: f32, more: u64) -> f32 {
    let (fraction, count) = quarter_turns(f64::from(x.abs()));
    odd(x, sine((fraction, count.wrapping_add(more))))
}

/// Computes the tangent of x beyond `FEW_TURNS`.
#[inline(never)]
fn far_tangent(x: f32) -> f32 {
    odd(x, tangent(quarter_turns(f64::from(x.abs()))))
}

/// Pi / 2 in three parts, each the f32 nearest to the error of those before it.
const QUARTER: [f32; 3] = [1.5707964, -4.371139e-8, -1.7151245e-15];

/// Coefficients of (sin(r) / r - 1) / r^2 in r^2, for |r| <= 0.852; error 2^-36.3 relative to the sine.
const SIN_F32: [f32; 4] = [-0.16666667, 0.008333326, -0.00019838558, 2.711483e-6];

/// Coefficients of (cos(r) - 1 + r^2 / 2) / r^4 in r^2, for |r| <= 0.852; error 2^-31.8 relative to the cosine.
const COS_F32: [f32; 3] = [0.04166663, -0.00138867, 2.4367283e-5];

/// Coefficients of (tan(r) / r - 1) / r^2 in r^2, for |r| <= 0.802; error 2^-29 relative to the tangent.
const TAN_F32: [f32; 7] = [0.33333355, 0.13332456, 0.054084715, 0.0211494025, 0.01118902, -0.00036694822, 0.0046047997];

/// Coefficients of (atan(t) / t - 1) / t^2 in t^2, for |t| <= 1/2; error 2^-31.9 relative to the angle.
const ATAN_F32: [f32; 6] = [-0.33333328, 0.1999949, -0.14272079, 0.109409817, -0.07984059, 0.038723203];

/// Holds an angle minus n quarter turns, which is r + low - n `QUARTER[2]`.
struct Small {
    r: f32,
    low: f32,
    n: f32,
    /// Counts the quarter turns, modulo 2^22.
    count: u32,
}

impl Small {
    /// Subtracts quarter turns from `size`, from 0 to `FEW_TURNS`.
    ///
    /// The rounded count is off by at most 1/2 + 1/96, because 2 / pi is rounded. What the first part leaves is exact, and
    /// a multiple of 2^-24 where n is not 0. Of the second part, a multiple of 2^-24 near it is subtracted, so that the
    /// difference r is exact too; it is computed from the angle, without waiting for n. `low` is the part's rest, which is
    /// less than 2^-24 and exact.
    #[inline(always)]
    fn of<M: Fma>(size: f32) -> Self {
        let shifted = M::fma(size, FRAC_2_PI, UNITS);
        let n = shifted - UNITS;
        let first = M::fma(n, -QUARTER[0], size);
        let second = M::fma(size, QUARTER[1] * FRAC_2_PI, 0.75) - 0.75;
        Self { r: first - second, low: M::fma(n, -QUARTER[1], second), n, count: shifted.to_bits() }
    }

    /// Computes sine or cosine of the angle plus `more` quarter turns.
    #[inline(always)]
    fn sine<M: Fma>(self, more: u32) -> f32 {
        let Self { r, n, .. } = self;
        let low = M::fma(n, -QUARTER[2], self.low);
        let square = r * r;
        // 1 - r^2 / 2 in two parts.
        let half = -0.5 * r;
        let most = M::fma(half, r, 1.0);
        let rest = M::fma(half, r, 1.0 - most);
        let inner = M::fma(square, M::fma(square, SIN_F32[3], SIN_F32[2]), SIN_F32[1]);
        let sine = r + M::fma(r * square, M::fma(square, inner, SIN_F32[0]), low * most);
        let inner = M::fma(square, M::fma(square, COS_F32[2], COS_F32[1]), COS_F32[0]);
        let cosine = most + M::fma(square * square, inner, M::fma(r, -low, rest));
        let count = self.count.wrapping_add(more);
        let value = if count & 1 == 0 { sine } else { cosine };
        f32::from_bits(value.to_bits() ^ ((count & 2) << 30))
    }

    /// Computes the tangent of the angle, or its negated cotangent where the count is odd.
    ///
    /// The tangent is 19/16 r and a rest, which is small where it is about 1, so that the rest's rounding errors count for
    /// little there. That of r^2 is added to the rest, times the slope 0.6.
    #[inline(always)]
    fn tangent<M: Fma>(self) -> f32 {
        const MOST: f32 = 19.0 / 16.0;
        let Self { r, low, n, count } = self;
        let square = r * r;
        let fourth = square * square;
        let pair = |k: usize| M::fma(square, TAN_F32[k + 1], TAN_F32[k]);
        let upper = M::fma(fourth, TAN_F32[6], pair(4));
        let inner = M::fma(fourth, M::fma(fourth, upper, pair(2)), pair(0));
        let factor = M::fma(square, inner, M::fma(M::fma(r, r, -square), 0.6, 1.0 - MOST));
        let rest = M::fma(r, factor, low * M::fma(square, 1.6, 1.0));
        let value = M::fma(r, MOST, M::fma(n, -QUARTER[2], rest));
        let lost = M::fma(n, -QUARTER[2], M::fma(r, MOST, -value) + rest);
        let inverse = -1.0 / value;
        let left = M::fma(inverse, lost, M::fma(inverse, value, 1.0));
        if count & 1 == 0 { value } else { M::fma(inverse, left, inverse) }
    }
}

/// Returns the value, or NaN where x is infinite or NaN.
#[inline(always)]
fn or_nan(x: f32, value: f32) -> f32 {
    if x.abs() < f32::INFINITY { value } else { f32::NAN }
}

/// Does so, and gives a value computed from |x| the sign of x.
#[inline(always)]
fn odd_f32(x: f32, value: f32) -> f32 {
    or_nan(x, f32::from_bits(value.to_bits() ^ (x.to_bits() & 0x8000_0000)))
}

/// Computes the sine of x radians.
///
/// At most 0.77 ULP over all f32, the largest included; infinities give NaN, a zero keeps its sign.
#[inline(always)]
pub fn sin32(x: f32) -> f32 {
    sin32_by::<FmaDefault>(x)
}

/// Computes the same, with fused operations as `M` has them.
#[inline(always)]
pub(crate) fn sin32_by<M: Fma>(x: f32) -> f32 {
    if x.abs() > FEW_TURNS as f32 { far_sine(x, 0) } else { sin32_few_by::<M>(x) }
}

/// Computes the same for |x| <= `FEW_TURNS`, infinities and NaN.
#[inline(always)]
pub(crate) fn sin32_few_by<M: Fma>(x: f32) -> f32 {
    odd_f32(x, Small::of::<M>(x.abs()).sine::<M>(0))
}

/// Computes the cosine of x radians.
///
/// At most 0.77 ULP over all f32, the largest included; infinities give NaN.
#[inline(always)]
pub fn cos32(x: f32) -> f32 {
    cos32_by::<FmaDefault>(x)
}

/// Computes the same, with fused operations as `M` has them.
#[inline(always)]
pub(crate) fn cos32_by<M: Fma>(x: f32) -> f32 {
    if x.abs() > FEW_TURNS as f32 { far_sine(x.abs(), 1) } else { cos32_few_by::<M>(x) }
}

/// Computes the same for |x| <= `FEW_TURNS`, infinities and NaN.
#[inline(always)]
pub(crate) fn cos32_few_by<M: Fma>(x: f32) -> f32 {
    or_nan(x, Small::of::<M>(x.abs()).sine::<M>(1))
}

/// Computes the tangent of x radians.
///
/// At most 0.92 ULP over all f32, the largest included; infinities give NaN, a zero keeps its sign.
#[inline(always)]
pub fn tan32(x: f32) -> f32 {
    tan32_by::<FmaDefault>(x)
}

/// Computes the same, with fused operations as `M` has them.
#[inline(always)]
pub(crate) fn tan32_by<M: Fma>(x: f32) -> f32 {
    if x.abs() > FEW_TURNS as f32 { far_tangent(x) } else { tan32_few_by::<M>(x) }
}

/// Computes the same for |x| <= `FEW_TURNS`, infinities and NaN.
#[inline(always)]
pub(crate) fn tan32_few_by<M: Fma>(x: f32) -> f32 {
    odd_f32(x, Small::of::<M>(x.abs()).tangent::<M>())
}

/// Computes the arc tangent of `above / below`, both at least 0, with `above <= below` and `below > 0`.
///
/// Beyond tan(pi / 8) the addition theorem gives pi / 4 + atan((above - below) / (above + below)).
#[inline(always)]
fn atan_core(above: f64, below: f64) -> f64 {
    let far = above > 0.414_213_562_373_095_03 * below;
    let (numerator, denominator, turn) =
        if far { (above - below, above + below, FRAC_PI_4) } else { (above, below, 0.0) };
    let t = numerator / denominator;
    turn + t * poly(&F32_ATAN, t * t)
}

/// Computes the arc tangent, in radians.
///
/// At most 0.75 ULP over all f32; a zero keeps its sign.
#[inline(always)]
pub fn atan32(x: f32) -> f32 {
    atan32_by::<FmaDefault>(x)
}

/// Computes the same, with fused operations as `M` has them.
///
/// Up to 1/2 the slope is not reduced, up to tan(3 pi / 8) it is reduced by the angle pi / 4, and beyond by pi / 2: to
/// x, (x - 1) / (x + 1) or -1 / x, whose numerators are exact.
#[inline(always)]
pub(crate) fn atan32_by<M: Fma>(x: f32) -> f32 {
    let size = x.abs();
    let size = if size > 1e18 { 1e18 } else { size };
    let choose = |zero: f32, middle: f32, steep: f32| {
        let value = if size > 0.5 { middle } else { zero };
        if size > 2.414_213_7 { steep } else { value }
    };
    let sum = size + 1.0;
    let above = choose(size, size - 1.0, -1.0);
    let below = choose(1.0, sum, size);
    let below_rest = choose(0.0, size - (sum - 1.0), 0.0);
    let inverse = 1.0 / below;
    let t = above * inverse;
    let rest = M::fma(-t, below_rest, M::fma(-t, below, above)) * inverse;
    let square = t * t;
    let mut inner = ATAN_F32[5];
    for k in (0..5).rev() {
        inner = M::fma(square, inner, ATAN_F32[k]);
    }
    let more = M::fma(t * square, inner, rest);
    let base = choose(0.0, 0.5 * QUARTER[0], QUARTER[0]);
    let base_rest = choose(0.0, 0.5 * QUARTER[1], QUARTER[1]);
    let high = base + t;
    let value = (high + ((t - (high - base)) + (base_rest + more))).copysign(x);
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes the angle of the point (x, y), in radians, in all four quadrants.
///
/// At most 0.51 ULP. Zeros and infinities count with their signs, as in C's `atan2f`.
#[inline(always)]
pub fn atan2_32(y: f32, x: f32) -> f32 {
    let (tall, long) = (f64::from(y.abs()), f64::from(x.abs()));
    let steep = tall > long;
    let (above, below) = if steep { (long, tall) } else { (tall, long) };
    // Equal infinities are on a diagonal; two zeros are not; a finite number over an infinite one is 0.
    let above = if above == f64::INFINITY { 1.0 } else { above };
    let below = if below == f64::INFINITY { if tall == long { 1.0 } else { f64::MAX } } else { below };
    let below = if below == 0.0 { 1.0 } else { below };
    let angle = atan_core(above, below);
    let angle = if steep { FRAC_PI_2 - angle } else { angle };
    let angle = if x.is_sign_negative() { PI - angle } else { angle };
    let value = (angle as f32).copysign(y);
    if x.is_nan() || y.is_nan() { f32::NAN } else { value }
}

/// Computes asin(t) for t from 0 to 1/2, or, of a larger x, half of acos(x) with t = sqrt((1 - x) / 2).
#[inline(always)]
fn asin_core(x: f64) -> f64 {
    let far = x > 0.5;
    let square = if far { 0.5 - 0.5 * x } else { x * x };
    let t = if far { square.sqrt() } else { x };
    t * poly(&F32_ASIN, square)
}

/// Computes the arc sine, in radians.
///
/// At most 0.5001 ULP over all f32; outside -1..=1 the result is NaN, a zero keeps its sign.
#[inline(always)]
pub fn asin32(x: f32) -> f32 {
    let wide = f64::from(x.abs());
    let angle = asin_core(wide);
    let value = (if wide > 0.5 { FRAC_PI_2 - 2.0 * angle } else { angle }) as f32;
    let value = value.copysign(x);
    if wide <= 1.0 { value } else { f32::NAN }
}

/// Computes the arc cosine, in radians.
///
/// At most 0.5001 ULP over all f32; outside -1..=1 the result is NaN.
#[inline(always)]
pub fn acos32(x: f32) -> f32 {
    let wide = f64::from(x.abs());
    let angle = asin_core(wide);
    let signed = if x < 0.0 { -angle } else { angle };
    let outer = if x < 0.0 { PI + 2.0 * signed } else { 2.0 * signed };
    let value = (if wide > 0.5 { outer } else { FRAC_PI_2 - signed }) as f32;
    if wide <= 1.0 { value } else { f32::NAN }
}
