//! Sine, cosine and tangent in f64.
//!
//! The angle, minus quarter turns, has two parts. Sine and cosine are the first terms of their Taylor series in two
//! parts and a minimax polynomial for the rest; the coefficients select one of the two.

use super::{
    canonical64,
    extended::{Split, cut, divide, ordered},
    hyperbola::TINY_ODD,
    poly,
    quarter_turns::{self, FEW_TURNS, Turned},
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

/// The first of them, split into a top and a rest.
const SIXTH: [f64; 2] = [-0.1666666641831398, -2.483526865641276e-9];

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
fn less_half_square(r: Turned) -> (f64, f64) {
    let top = cut(r.high);
    let rest = (r.high - top) + r.low;
    let (one, low) = ordered(1.0, -0.5 * top * top);
    (one, low - 0.5 * rest * (top + r.high))
}

/// Computes the sine of the angle, or the cosine where the count is odd; the sign is that of the count's second bit.
#[inline(always)]
fn wave(r: Turned) -> f64 {
    let is_sine = r.count & 1 == 0;
    let square = r.high * r.high;
    let (one, one_rest) = less_half_square(r);
    let mut coefficients = COS;
    let mut k = 0;
    while k < SIN.len() {
        coefficients[k] = if is_sine { SIN[k] } else { COS[k] };
        k += 1;
    }
    let lead = if is_sine { r.high } else { square };
    let (base, rest) = if is_sine { (r.high, r.low * one) } else { (one, one_rest) };
    let value = base + (rest + lead * square * poly(&coefficients, square));
    f64::from_bits(value.to_bits() ^ ((r.count & 2) << 62))
}

/// Adds a quarter turn.
#[inline(always)]
fn next(r: Turned) -> Turned {
    Turned { count: r.count.wrapping_add(1), ..r }
}

/// Computes the sine of an angle as a sum of two f64, to about 2^-57 of its value.
///
/// The term -r^3 / 6 is an exact product and a rest, because r / 6 and r^2 are split.
#[inline(always)]
fn sine_sum(r: Turned) -> (f64, f64) {
    let square = r.high * r.high;
    let top = cut(r.high);
    let rest = (r.high - top) + r.low;
    let square_top = cut(square);
    let square_rest = (top * top - square_top) + rest * (top + r.high);
    let sixth = r.high * SIN[0];
    let sixth_top = cut(sixth);
    let sixth_rest = (top * SIXTH[0] - sixth_top) + (top * SIXTH[1] + rest * SIN[0]);
    let tail = r.high * square * square * poly(&[SIN[1], SIN[2], SIN[3], SIN[4], SIN[5]], square);
    let (high, low) = ordered(r.high, sixth_top * square_top);
    let small = sixth_top * square_rest + sixth_rest * square;
    ordered(high, low + (r.low + (small + tail)))
}

/// Computes the tangent of the angle, or its negated cotangent where the count is odd.
#[inline(always)]
fn slope(r: Turned) -> f64 {
    let square = r.high * r.high;
    let (one, one_rest) = less_half_square(r);
    let sine = sine_sum(r);
    let cosine = ordered(one, one_rest + square * square * poly(&COS, square));
    let is_even = r.count & 1 == 0;
    // For one number at a time, a choice of pairs can stay a branch, which does not vectorise.
    let (minus, minus_rest) = (-cosine.0, -cosine.1);
    let above = if is_even { sine.0 } else { minus };
    let above_rest = if is_even { sine.1 } else { minus_rest };
    let below = if is_even { cosine.0 } else { sine.0 };
    let below_rest = if is_even { cosine.1 } else { sine.1 };
    let top = cut(below);
    let (high, low) = divide(above, above_rest, Split { top, rest: (below - top) + below_rest }, 1.0 / below);
    high + low
}

/// Computes the sine of x radians for |x| <= `FEW_TURNS`, infinities and NaN, in a form that vectorises.
#[inline(always)]
pub fn sin64_few(x: f64) -> f64 {
    let value = wave(quarter_turns::few(x));
    canonical64(if x.abs() < TINY_ODD { x } else { value })
}

/// Computes the cosine of x radians for |x| <= `FEW_TURNS`, infinities and NaN, in a form that vectorises.
#[inline(always)]
pub fn cos64_few(x: f64) -> f64 {
    canonical64(wave(next(quarter_turns::few(x))))
}

/// Computes the tangent of x radians for |x| <= `FEW_TURNS`, infinities and NaN, in a form that vectorises.
#[inline(always)]
pub fn tan64_few(x: f64) -> f64 {
    let value = slope(quarter_turns::few(x));
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
/// At most 0.85 ULP (measured 0.8168); infinities give NaN, a zero keeps its sign.
#[inline(always)]
pub fn sin64(x: f64) -> f64 {
    if x.abs() > FEW_TURNS { many(x, wave) } else { sin64_few(x) }
}

/// Computes the cosine of x radians.
///
/// At most 0.85 ULP (measured 0.8297); infinities give NaN.
#[inline(always)]
pub fn cos64(x: f64) -> f64 {
    if x.abs() > FEW_TURNS { many(x, |r| wave(next(r))) } else { cos64_few(x) }
}

/// Computes the tangent of x radians.
///
/// It is a quotient of sums, so that only the last rounding counts. At most 0.72 ULP (measured 0.7039); infinities give
/// NaN, a zero keeps its sign.
#[inline(always)]
pub fn tan64(x: f64) -> f64 {
    if x.abs() > FEW_TURNS { many(x, slope) } else { tan64_few(x) }
}
