//! Powers and roots.

use super::{
    canonical32, canonical64,
    double::{Double, shift},
    exp::exp2_core,
    log::log2_core,
};

/// Raises x to the power y, with all special cases of C's `powf`.
///
/// It is 2 to the power y log2 |x| in f64, with the sign of x where y is odd. At most 0.51 ULP.
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch, which does not vectorise")]
#[inline(always)]
pub fn pow32(x: f32, y: f32) -> f32 {
    const TWO_23: f32 = 8_388_608.0;
    let (base, exponent) = (x.abs(), y.abs());
    let log = log2_core(f64::from(base));
    let log = if base > 0.0 { log } else { f64::NEG_INFINITY };
    let log = if base < f32::INFINITY { log } else { f64::INFINITY };
    let product = f64::from(y) * log;
    // Zero times infinity stands for 1 to an infinite power and for 0 or infinity to the power 0: all are 1.
    let product = if product.is_nan() { 0.0 } else { product.clamp(-300.0, 300.0) };
    let value = exp2_core(product) as f32;
    // From 2^23 on every f32 is whole, from 2^24 on even; below 2^23 adding 2^23 rounds to a whole number.
    let half = 0.5 * exponent;
    let whole = (exponent >= TWO_23) | ((exponent + TWO_23) - TWO_23 == exponent);
    let odd = whole & (half < TWO_23) & ((half + TWO_23) - TWO_23 != half);
    let sign = if odd { x.to_bits() & 0x8000_0000 } else { 0 };
    let value = f32::from_bits(value.to_bits() ^ sign);
    let imaginary = (x < 0.0) & (x > f32::NEG_INFINITY) & !whole;
    let unknown = (x.is_nan() & (y != 0.0)) | (y.is_nan() & (x != 1.0));
    if imaginary | unknown { f32::NAN } else { value }
}

/// Raises x to the power y, with all special cases of C's `pow`.
///
/// At most 0.501 ULP, by pxfm; 0.75 ULP for subnormal squares of the reciprocal.
pub fn pow64(x: f64, y: f64) -> f64 {
    if x == 1.0 || y == 0.0 {
        // pxfm lets NaN through where C does not.
        1.0
    } else if y == -0.5 && x > 0.0 {
        // pxfm's own way to this exponent overflows above 2^1000.
        canonical64(pxfm::f_rsqrt(x))
    } else if y == -2.0 && x.abs() >= shift(1.0, 512) {
        // pxfm gives 0 for what is subnormal.
        shift(pxfm::f_pow(shift(x, -513), y), -1026)
    } else {
        canonical64(pxfm::f_pow(x, y))
    }
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
///
/// Both are scaled by a power of two, their squares added in two parts, and the root's error taken off once. At most
/// 0.51 ULP; an infinite operand gives infinity, whatever the other is.
pub fn hypot64(x: f64, y: f64) -> f64 {
    if x.is_infinite() || y.is_infinite() {
        return f64::INFINITY;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let (small, large) = if x.abs() < y.abs() { (x.abs(), y.abs()) } else { (y.abs(), x.abs()) };
    if small <= large * 1e-17 {
        return large;
    }
    let power = if large > 1e150 {
        -600
    } else if large < 1e-120 {
        700
    } else {
        0
    };
    let (small, large) = (shift(small, power), shift(large, power));
    let (least, most) = (Double::product(small, small), Double::product(large, large));
    let square = Double::sum(most.high, least.high);
    let root = square.high.sqrt();
    let back = Double::product(root, root);
    let rest = (square.high - back.high) - back.low + (square.low + most.low + least.low);
    shift(root + rest / (2.0 * root), -power)
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
///
/// At most 0.51 ULP on a sweep of every 4099th f32. A zero gives an infinity of its sign, a negative number NaN.
#[inline(always)]
pub fn rsqrt32(x: f32) -> f32 {
    canonical32((1.0 / f64::from(x).sqrt()) as f32)
}

/// Computes 1 / sqrt(x).
///
/// At most 0.501 ULP, by pxfm. A zero gives an infinity of its sign, a negative number NaN.
pub fn rsqrt64(x: f64) -> f64 {
    canonical64(pxfm::f_rsqrt(x))
}
