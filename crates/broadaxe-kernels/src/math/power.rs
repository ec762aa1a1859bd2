//! Powers and roots.

use super::{canonical32, canonical64, exp::exp2_core, log::log2_core};

/// Raises x to the power y, with all special cases of C's `powf`.
///
/// It is 2 to the power y log2 |x| in f64, with the sign of x where y is odd. At most 0.51 ULP.
#[inline(always)]
pub fn pow32(x: f32, y: f32) -> f32 {
    const TWO_23: f32 = 8_388_608.0;
    let (base, exponent) = (f64::from(x.abs()), f64::from(y));
    let log = log2_core(base);
    let log = if base == 0.0 { f64::NEG_INFINITY } else { log };
    let log = if base == f64::INFINITY { f64::INFINITY } else { log };
    let product = (exponent * log).clamp(-300.0, 300.0);
    let value = exp2_core(product) as f32;
    // From 2^23 on every f32 is whole, from 2^24 on even; below 2^23 adding 2^23 rounds to a whole number.
    let size = y.abs();
    let whole = size >= TWO_23 || (size + TWO_23) - TWO_23 == size;
    let half = 0.5 * size;
    let odd = whole && half < TWO_23 && (half + TWO_23) - TWO_23 != half;
    let value = if odd && x.is_sign_negative() { -value } else { value };
    let value = if x < 0.0 && x != f32::NEG_INFINITY && !whole { f32::NAN } else { value };
    let value = if x.is_nan() || y.is_nan() { f32::NAN } else { value };
    let unit = x == 1.0 || y == 0.0 || (x == -1.0 && y.is_infinite());
    if unit { 1.0 } else { value }
}

/// Raises x to the power y, as C's `pow`.
pub fn pow64(x: f64, y: f64) -> f64 {
    canonical64(pxfm::f_pow(x, y))
}

/// Computes the length of the vector (x, y) without overflow on the way.
///
/// The squares are exact in f64. At most 0.51 ULP; an infinite operand gives infinity, whatever the other is.
#[inline(always)]
pub fn hypot32(x: f32, y: f32) -> f32 {
    let (wide, tall) = (f64::from(x), f64::from(y));
    let value = (wide * wide + tall * tall).sqrt() as f32;
    let value = if x.is_nan() || y.is_nan() { f32::NAN } else { value };
    if x.is_infinite() || y.is_infinite() { f32::INFINITY } else { value }
}

/// Computes the length of the vector (x, y) without overflow on the way.
pub fn hypot64(x: f64, y: f64) -> f64 {
    canonical64(pxfm::f_hypot(x, y))
}

/// Computes the square root, correctly rounded.
#[inline(always)]
pub fn sqrt32(x: f32) -> f32 {
    canonical32(x.sqrt())
}

/// Computes the square root, correctly rounded.
#[inline(always)]
pub fn sqrt64(x: f64) -> f64 {
    canonical64(x.sqrt())
}

/// Computes 1 / sqrt(x).
#[inline(always)]
pub fn rsqrt32(x: f32) -> f32 {
    canonical32((1.0 / f64::from(x).sqrt()) as f32)
}

/// Computes 1 / sqrt(x).
pub fn rsqrt64(x: f64) -> f64 {
    canonical64(pxfm::f_rsqrt(x))
}
