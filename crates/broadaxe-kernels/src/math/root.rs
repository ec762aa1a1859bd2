//! The cube root.

use super::{canonical32, canonical64, poly};

/// Coefficients of the cube root of m for 1 <= m <= 2; relative error 2^-19.63.
const ROOT: [f64; 6] = [
    0.47333069221925117,
    0.8381599864988025,
    -0.4692286534623071,
    0.20277718364383818,
    -0.05038652338692422,
    0.0053485454523892004,
];

/// Computes the cube root of a positive normal number.
///
/// The number is f 2^(3k) with f from 1 to 8. A polynomial gives the root of f to 17 bits, so that its cube t^3 is
/// exact, and with d = f / t^3 - 1 the root is t (1 + d)^(1/3), for which three terms of the series are enough.
#[inline(always)]
fn cbrt_core(x: f64) -> f64 {
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = x.to_bits();
    let biased = (bits >> 52) as u32;
    // A division by 3 that is exact up to 2^15.
    let third = (biased * 21846) >> 16;
    let left = biased - 3 * third;
    let fraction = bits & FRACTION;
    let root_of_power = if left == 0 { 1.0 } else { 1.2599210498948732 };
    let root_of_power = if left < 2 { root_of_power } else { 1.5874010519681996 };
    let near = poly(&ROOT, f64::from_bits(fraction | 1023 << 52)) * root_of_power;
    let t = f64::from_bits((near.to_bits() + (1 << 35)) & !((1 << 36) - 1));
    let f = f64::from_bits(fraction | u64::from(1023 + left) << 52);
    let cube = t * t * t;
    let d = (f - cube) / cube;
    let root = t + t * (d * (1.0 / 3.0 + d * (d * (5.0 / 81.0) - 1.0 / 9.0)));
    // The bias is 3 * 341.
    root * f64::from_bits(u64::from(third + (1023 - 341)) << 52)
}

/// Computes the cube root.
///
/// At most 0.5001 ULP; a zero keeps its sign.
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch, which does not vectorise")]
#[inline(always)]
pub fn cbrt32(x: f32) -> f32 {
    let value = (cbrt_core(f64::from(x.abs())) as f32).copysign(x);
    let is_number = x.is_finite() & (x != 0.0);
    canonical32(if is_number { value } else { x })
}

/// Computes the cube root.
///
/// At most 0.51 ULP; a zero keeps its sign.
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch, which does not vectorise")]
#[inline(always)]
pub fn cbrt64(x: f64) -> f64 {
    const TWO_54: f64 = 18_014_398_509_481_984.0;
    let size = x.abs();
    let is_subnormal = size < f64::MIN_POSITIVE;
    let root = cbrt_core(if is_subnormal { size * TWO_54 } else { size });
    // The cube root of 2^54 is 2^18.
    let value = (if is_subnormal { root * (1.0 / 262_144.0) } else { root }).copysign(x);
    let is_number = x.is_finite() & (x != 0.0);
    canonical64(if is_number { value } else { x })
}
