//! Sine, cosine and tangent in f64.
//!
//! The angle, minus quarter turns, has two parts. Sine and cosine are the first terms of their Taylor series in two
//! parts and a minimax polynomial for the rest; the coefficients select one of the two.

use super::{
    canonical64,
    extended::ordered,
    float_n::{Fma, FmaDefault},
    fused::quotient,
    hyperbola::TINY_ODD,
    poly_by,
    quarter_turns::{self, FEW_TURNS, Turned, few},
};

/// Coefficients of (sin(r) / r - 1) / r^2 in r^2, for |r| <= pi / 4; error 2^-57.4 relative to the sine.
const SIN: [f64; 6] = [
    -0.16666666666666666,
    0.008333333333328823,
    -0.00019841269834026577,
    2.7557314947047516e-06,
    -2.5050931319127817e-08,
    1.5905815572416653e-10,
];

/// Coefficients of (cos(r) - 1 + r^2 / 2) / r^4 in r^2, for |r| <= pi / 4; error 2^-59.8.
const COS: [f64; 6] = [
    0.0416666666666666,
    -0.0013888888888874066,
    2.4801587289444627e-05,
    -2.7557314340697227e-07,
    2.087572162851804e-09,
    -1.1359559568065188e-11,
];

/// Computes 1 - r^2 / 2 as a sum of two f64.
#[inline(always)]
fn less_half_square<M: Fma>(r: Turned) -> (f64, f64) {
    let half = -0.5 * r.high;
    let one = M::fma64(half, r.high, 1.0);
    (one, M::fma64(r.high, -r.low, M::fma64(half, r.high, 1.0 - one)))
}

/// Computes the sine of the angle, or the cosine where the count is odd; the sign is that of the count's second bit.
#[inline(always)]
fn wave<M: Fma>(r: Turned) -> f64 {
    let is_sine = r.count & 1 == 0;
    let square = r.high * r.high;
    let (one, one_rest) = less_half_square::<M>(r);
    let mut coefficients = COS;
    let mut k = 0;
    while k < SIN.len() {
        coefficients[k] = if is_sine { SIN[k] } else { COS[k] };
        k += 1;
    }
    let lead = if is_sine { r.high } else { square };
    let (base, rest) = if is_sine { (r.high, r.low * one) } else { (one, one_rest) };
    let value = base + M::fma64(lead * square, poly_by::<M, 6>(&coefficients, square, square * square), rest);
    f64::from_bits(value.to_bits() ^ ((r.count & 2) << 62))
}

/// Adds a quarter turn.
#[inline(always)]
fn next(r: Turned) -> Turned {
    Turned { count: r.count.wrapping_add(1), ..r }
}

/// Computes the tangent of the angle, or its negated cotangent where the count is odd.
#[inline(always)]
fn slope<M: Fma>(r: Turned) -> f64 {
    let square = r.high * r.high;
    let fourth = square * square;
    let (one, one_rest) = less_half_square::<M>(r);
    let sine_rest = M::fma64(r.high * square, poly_by::<M, 6>(&SIN, square, fourth), r.low * one);
    let sine = ordered(r.high, sine_rest);
    let cosine = ordered(one, M::fma64(fourth, poly_by::<M, 6>(&COS, square, fourth), one_rest));
    let is_even = r.count & 1 == 0;
    // For one number at a time, a choice of pairs can stay a branch, which does not vectorise.
    let (minus, minus_rest) = (-cosine.0, -cosine.1);
    let above = if is_even { sine.0 } else { minus };
    let above_rest = if is_even { sine.1 } else { minus_rest };
    let below = if is_even { cosine.0 } else { sine.0 };
    let below_rest = if is_even { cosine.1 } else { sine.1 };
    quotient::<M>((above, above_rest), (below, below_rest))
}

/// Computes the sine of x radians for |x| <= `FEW_TURNS`, infinities and NaN, in a form that vectorises.
#[inline(always)]
pub(crate) fn sin64_few_by<M: Fma>(x: f64) -> f64 {
    let value = wave::<M>(few::<M>(x));
    canonical64(if x.abs() < TINY_ODD { x } else { value })
}

/// Computes the cosine of x radians for |x| <= `FEW_TURNS`, infinities and NaN, in a form that vectorises.
#[inline(always)]
pub(crate) fn cos64_few_by<M: Fma>(x: f64) -> f64 {
    canonical64(wave::<M>(next(few::<M>(x))))
}

/// Computes the tangent of x radians for |x| <= `FEW_TURNS`, infinities and NaN, in a form that vectorises.
#[inline(always)]
pub(crate) fn tan64_few_by<M: Fma>(x: f64) -> f64 {
    let value = slope::<M>(few::<M>(x));
    canonical64(if x.abs() < TINY_ODD { x } else { value })
}

/// Computes a function of x for |x| beyond `FEW_TURNS`.
#[cold]
#[inline(never)]
fn many(x: f64, of: fn(Turned) -> f64) -> f64 {
    if x.is_finite() { of(quarter_turns::many(x)) } else { f64::NAN }
}

/// Computes the sine of x radians.
///
/// At most 0.85 ULP (measured 0.7827); infinities give NaN, a zero keeps its sign.
#[inline(always)]
pub fn sin64(x: f64) -> f64 {
    sin64_by::<FmaDefault>(x)
}

/// Computes the sine of x radians with fused operations.
#[inline(always)]
pub(crate) fn sin64_by<M: Fma>(x: f64) -> f64 {
    if x.abs() > FEW_TURNS { many(x, wave::<FmaDefault>) } else { sin64_few_by::<M>(x) }
}

/// Computes the cosine of x radians.
///
/// At most 0.85 ULP (measured 0.7825); infinities give NaN.
#[inline(always)]
pub fn cos64(x: f64) -> f64 {
    cos64_by::<FmaDefault>(x)
}

/// Computes the cosine of x radians with fused operations.
#[inline(always)]
pub(crate) fn cos64_by<M: Fma>(x: f64) -> f64 {
    if x.abs() > FEW_TURNS { many(x, |r| wave::<FmaDefault>(next(r))) } else { cos64_few_by::<M>(x) }
}

/// Computes the tangent of x radians.
///
/// It is a quotient of sums. At most 0.95 ULP (measured 0.9241); infinities give NaN, a zero keeps its sign.
#[inline(always)]
pub fn tan64(x: f64) -> f64 {
    tan64_by::<FmaDefault>(x)
}

/// Computes the tangent of x radians with fused operations.
#[inline(always)]
pub(crate) fn tan64_by<M: Fma>(x: f64) -> f64 {
    if x.abs() > FEW_TURNS { many(x, slope::<FmaDefault>) } else { tan64_few_by::<M>(x) }
}
