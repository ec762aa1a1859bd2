//! Hyperbolic functions and their inverses in f64.
//!
//! With x = n log 2 + w, sine and cosine of w are polynomials whose first terms are summed in two parts, and e^x and
//! e^-x are their sum and their difference times powers of two: no division. The inverses are logarithms of sums that
//! are kept in three parts, so that nothing is lost near zero.

use super::{
    canonical64,
    extended::{EXTENDED_LN_2, Split, cut, divide, log2_of_sum, ordered, power_of_2, reduce_e, root_sum, sum},
    poly,
};

/// Coefficients of (sinh(w) / w - 1) / w^2 in w^2, for |w| <= log(2) / 2; error 2^-60.8 relative to the sine.
const SINH: [f64; 5] =
    [0.16666666666666677, 0.008333333333321577, 0.00019841269886268042, 2.755724405995513e-06, 2.510909112819526e-08];

/// Coefficients of (cosh(w) - 1 - w^2 / 2) / w^4 in w^2, for |w| <= log(2) / 2; error 2^-68.
const COSH: [f64; 5] = [
    0.041666666666666685,
    0.0013888888888873411,
    2.4801587348910114e-05,
    2.755725209634388e-07,
    2.0921677237808838e-09,
];

/// The bound below which odd functions are x: the next term is smaller than the precision.
pub(super) const TINY_ODD: f64 = 4e-9;

/// The bound from which a root of x^2 + 1 or x^2 - 1 is x within the logarithm's precision.
const LARGE: f64 = 2.7e8;

/// Computes e^x / 4 and e^-x / 4 for x from 0 to 710.5, each as a sum of two f64; the second is not precise where it is
/// far smaller.
#[inline(always)]
fn quarter_powers(x: f64) -> ((f64, f64), (f64, f64)) {
    let (w, n) = reduce_e(x);
    let single = w.top + w.rest;
    let square = single * single;
    let sine_rest = w.rest + single * square * poly(&SINH, square);
    let (cosine, lost) = ordered(1.0, 0.5 * w.top * w.top);
    let cosine_rest = lost + (0.5 * w.rest * (w.top + single) + square * square * poly(&COSH, square));
    let (plus, plus_rest) = ordered(cosine, w.top);
    let (minus, minus_rest) = ordered(cosine, -w.top);
    let rise = power_of_2(n - 2.0);
    let fall = power_of_2(-2.0 - if n > 100.0 { 100.0 } else { n });
    (
        (rise * plus, rise * (plus_rest + (cosine_rest + sine_rest))),
        (fall * minus, fall * (minus_rest + (cosine_rest - sine_rest))),
    )
}

/// Computes the hyperbolic sine.
///
/// At most 0.58 ULP (measured 0.5653); a zero keeps its sign.
#[inline(always)]
pub fn sinh64(x: f64) -> f64 {
    let ((rise, rise_rest), (fall, fall_rest)) = quarter_powers(x.abs().clamp(0.0, 710.5));
    let (high, low) = ordered(rise, -fall);
    let value = (2.0 * (high + (low + (rise_rest - fall_rest)))).copysign(x);
    let value = if x.abs() < TINY_ODD { x } else { value };
    canonical64(if x.is_nan() { f64::NAN } else { value })
}

/// Computes the hyperbolic cosine.
///
/// At most 0.54 ULP (measured 0.5309).
#[inline(always)]
pub fn cosh64(x: f64) -> f64 {
    let ((rise, rise_rest), (fall, fall_rest)) = quarter_powers(x.abs().clamp(0.0, 710.5));
    let (high, low) = ordered(rise, fall);
    let value = 2.0 * (high + (low + (rise_rest + fall_rest)));
    canonical64(if x.is_nan() { f64::NAN } else { value })
}

/// Computes log(x + root) for the sum that `root` is, or log(2 x) from `LARGE` on.
#[inline(always)]
fn log_with_root(x: f64, (root, root_rest): (f64, f64)) -> f64 {
    let (high, low) = sum(x, root);
    let large = x > LARGE;
    let (high, low) = if large { (0.5 * x, 0.0) } else { (high, low) };
    let (rest, more) = if large { (0.0, 2.0) } else { (root_rest, 0.0) };
    let (high, low) = log2_of_sum(high, low, rest, more).by(&EXTENDED_LN_2);
    high + low
}

/// Computes the inverse hyperbolic sine.
///
/// It is log(x + sqrt(x^2 + 1)). At most 0.502 ULP; a zero keeps its sign.
#[inline(always)]
pub fn asinh64(x: f64) -> f64 {
    let wide = x.abs();
    let parts = Split::of(wide);
    let (square, rest) = sum(1.0, parts.top * parts.top);
    let square = ordered(square, rest + parts.rest * (parts.top + wide));
    let value = log_with_root(wide, root_sum(square)).copysign(x);
    let value = if wide < TINY_ODD { x } else { value };
    let value = if wide < f64::INFINITY { value } else { x };
    canonical64(value)
}

/// Computes the inverse hyperbolic cosine.
///
/// It is log(x + sqrt((x - 1) (x + 1))). At most 0.502 ULP; below 1 the result is NaN.
#[inline(always)]
pub fn acosh64(x: f64) -> f64 {
    let ((less, less_rest), (more, more_rest)) = (sum(x, -1.0), sum(x, 1.0));
    let (less_top, more_top) = (cut(less), cut(more));
    let less_rest = (less - less_top) + less_rest;
    let more_rest = (more - more_top) + more_rest;
    let square = ordered(less_top * more_top, less_top * more_rest + less_rest * more);
    let value = log_with_root(x, root_sum(square));
    let value = if x < f64::INFINITY { value } else { f64::INFINITY };
    canonical64(if x >= 1.0 { value } else { f64::NAN })
}

/// Computes the inverse hyperbolic tangent.
///
/// It is log(1 + 2 |x| / (1 - |x|)) / 2 with the sign of x. At most 0.502 ULP; at 1 and -1 the result is infinite,
/// beyond them NaN.
#[inline(always)]
pub fn atanh64(x: f64) -> f64 {
    let wide = x.abs();
    let (below, rest) = sum(1.0, -wide);
    let top = cut(below);
    let (high, low) = divide(2.0 * wide, 0.0, Split { top, rest: (below - top) + rest }, 1.0 / below);
    let (high, rest) = ordered(high, low);
    let (high, low) = sum(1.0, high);
    let (high, low) = log2_of_sum(high, low, rest, 0.0).by(&EXTENDED_LN_2);
    let value = 0.5 * (high + low);
    let value = if wide < 1.0 { value } else { f64::INFINITY }.copysign(x);
    let value = if wide < TINY_ODD { x } else { value };
    canonical64(if wide <= 1.0 { value } else { f64::NAN })
}
