//! Powers by a logarithm and an exponential, for one number and for many, of f32 and of f64.

use super::float_n::FloatN;

/// Raises x to the power y, with all special cases of C's `pow`: a power of |x| by its logarithm, with the sign of x where y is odd.
///
/// A logarithm is a sum of two numbers, which `power` multiplies by an exponent of at most `most`. Both are closures that
/// are always inlined: a function's name would be called without the instructions of the level. Simple powers are computed
/// elsewhere (see `power`).
#[inline(always)]
pub(super) fn raise<V: FloatN>(
    x: V,
    y: V,
    most: V::One,
    log: impl Fn(V) -> (V, V),
    power: impl Fn(V, (V, V)) -> V,
) -> V {
    let (zero, infinity) = (x.every(0.0), x.every(f32::INFINITY));
    let exponent = y.limit(most);
    let usual = x.above(zero) & infinity.above(x) & y.equals(exponent);
    let (log, log_rest) = log(x);
    if V::IS_VECTOR && V::none(!usual) {
        return power(exponent, (log, log_rest));
    }
    let one = x.every(1.0);
    let base = x.abs_to(f32::INFINITY.into());
    let log = V::choose(base.above(zero), log, infinity.neg());
    let log = V::choose(infinity.above(base), log, infinity);
    let value = power(exponent, (log, log_rest));
    let (whole, odd) = parity(y.abs_to(f32::INFINITY.into()));
    let value = V::choose(odd, value.copysign(x), value);
    let imaginary = zero.above(x) & x.above(infinity.neg()) & !whole;
    let value = V::choose(imaginary | x.is_nan() | y.is_nan(), x.every(f32::NAN), value);
    V::choose(y.equals(zero) | x.equals(one), one, value)
}

/// Says which of these non-negative numbers are whole, and which are odd.
///
/// From 2^23 on every f32 is whole, from 2^24 on even; below 2^23 adding 2^23 rounds to a whole number. For f64 the powers
/// are those of 52 and 53.
#[inline(always)]
fn parity<V: FloatN>(x: V) -> (V::Which, V::Which) {
    let limit = x.every(V::WHOLE);
    let half = x * x.every(0.5);
    let whole = !limit.above(x) | is_whole(x, limit);
    (whole, whole & limit.above(half) & !is_whole(half, limit))
}

/// Says whether adding and subtracting that limit leaves a number.
#[inline(always)]
fn is_whole<V: FloatN>(x: V, limit: V) -> V::Which {
    ((x + limit) - limit).equals(x)
}
