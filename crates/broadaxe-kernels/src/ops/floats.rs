//! The parts of floats: sign, neighbours, significand and exponent, whole part and fraction.

use half::{bf16, f16};

use crate::{
    dtype::Bool,
    loops::{Binary, Unary},
    number::{Function, Function2, Half, Number},
};

/// The sign bit, of floats by the integers of their width
pub(crate) struct Signbit;
/// The next float after a in the direction of b
pub(crate) struct Nextafter;
/// The distance from a to the next float
pub(crate) struct Spacing;
/// a * 2^b, rounded once; b is truncated
pub(crate) struct Ldexp;
/// The significand of a, from 1/2 up to 1
pub(crate) struct Mantissa;
/// The exponent of two that belongs to that significand
pub(crate) struct Exponent;

macro_rules! signs {
    ($($bits:ident),+) => { $(
        impl Unary<$bits> for Signbit {
            type Out = Bool;
            #[inline(always)]
            fn apply(x: $bits) -> Bool {
                (x >> ($bits::BITS - 1) != 0).into()
            }
        }
    )+ };
}
signs!(u16, u32, u64);

/// Whether the second of two equal zeros is the result.
const SECOND: bool = true;
const FIRST: bool = false;

macro_rules! neighbours {
    ($($ty:ident $bits:ident $infinity:expr, $zero:ident;)+) => { $(
        impl Binary<$ty> for Nextafter {
            type Out = $ty;
            #[inline(always)]
            fn apply(a: $ty, b: $ty) -> $ty {
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                let (x, y) = (a.to_bits(), b.to_bits());
                let size = x & !SIGN;
                let both_zero = (size | y & !SIGN) == 0;
                let grows = Number::is_below(a, b) == (x == size);
                let step = if grows { x.wrapping_add(1) } else { x.wrapping_sub(1) };
                let next = if size == 0 { y & SIGN | 1 } else { step };
                let same = if $zero { y } else { x };
                let next = if (x == y) | both_zero { same } else { next };
                let is_number = (size <= $infinity) & (y & !SIGN <= $infinity);
                $ty::from_bits(if is_number { next } else { $ty::NAN.to_bits() })
            }
        }
    )+ };
}
neighbours! {
    f16 u16 0x7c00, FIRST;
    bf16 u16 0x7f80, SECOND;
    f32 u32 0x7f80_0000, SECOND;
    f64 u64 0x7ff0_0000_0000_0000, SECOND;
}

macro_rules! spacing {
    ($($ty:ident),+) => { $(
        impl Unary<$ty> for Spacing {
            type Out = $ty;
            /// Returns the next float away from zero minus this one; for both zeros, the smallest float.
            #[inline(always)]
            fn apply(x: $ty) -> $ty {
                let next = $ty::from_bits(x.to_bits().wrapping_add(1));
                let step = if x == 0.0 { $ty::from_bits(1) } else { next - x };
                if x.is_finite() { step } else { $ty::NAN }
            }
        }
    )+ };
}
spacing!(f32, f64);

impl Unary<f16> for Spacing {
    type Out = f16;
    /// As in NumPy for f16: the distance to the next float above, which is never negative.
    #[inline(always)]
    fn apply(x: f16) -> f16 {
        let bits = f16::to_bits(x);
        let size = bits & 0x7fff;
        let above = if bits == size { size.wrapping_add(1) } else { bits.wrapping_sub(1) };
        let step = Half::widen(f16::from_bits(above)) - Half::widen(x);
        let step = if size == 0 { f16::from_bits(1) } else { <f16 as Half>::narrow(step) };
        if size < 0x7c00 { step } else { <f16 as Half>::NAN }
    }
}

impl Unary<bf16> for Spacing {
    type Out = bf16;
    /// As in `ml_dtypes`: a zero keeps its sign.
    #[inline(always)]
    fn apply(x: bf16) -> bf16 {
        let bits = bf16::to_bits(x);
        let next = bf16::from_bits(bits.wrapping_add(1));
        let step = <bf16 as Half>::narrow(Half::widen(next) - Half::widen(x));
        if bits & 0x7fff < 0x7f80 { step } else { <bf16 as Half>::NAN }
    }
}

impl Function2 for Ldexp {
    /// In f64 the product of any two such numbers is exact, so that only the last conversion rounds.
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        let count = if b > -600.0 { b.trunc() } else { -600.0 };
        let count = if count < 600.0 { count } else { 600.0 };
        let power = f64::from_bits(((i64::from(count as i32) + 1023) as u64) << 52);
        let value = (f64::from(a) * power) as f32;
        if b.is_nan() { f32::NAN } else { value.canonical() }
    }
    /// Scales the significand to the exponent of the result, or to one that is 2^64 times too large where that is
    /// subnormal.
    #[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch, which does not vectorise")]
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        const FRACTION: u64 = (1 << 52) - 1;
        let (size, shift) = normal64(a.abs());
        let count = if b > -4000.0 { b.trunc() } else { -4000.0 };
        let count = if count < 4000.0 { count } else { 4000.0 };
        let exponent = (size.to_bits() >> 52) as i32 - shift + count as i32;
        let is_normal = exponent > 0;
        let raised = if is_normal { exponent } else { exponent + 64 };
        let raised = if raised < 1 { 1 } else { raised };
        let raised = if raised > 2046 { 2046 } else { raised };
        let value = f64::from_bits(size.to_bits() & FRACTION | (raised as u64) << 52);
        let value = if is_normal { value } else { value * (1.0 / 18_446_744_073_709_551_616.0) };
        let value = if exponent > 2046 { f64::INFINITY } else { value };
        let is_number = a.is_finite() & (a != 0.0);
        let value = if is_number { value.copysign(a) } else { a };
        if b.is_nan() { f64::NAN } else { value.canonical() }
    }
}

/// Returns a normal number, and the power of two by which it is too large.
#[inline(always)]
fn normal64(size: f64) -> (f64, i32) {
    const TWO_54: f64 = 18_014_398_509_481_984.0;
    let is_subnormal = size < f64::MIN_POSITIVE;
    (if is_subnormal { size * TWO_54 } else { size }, if is_subnormal { 54 } else { 0 })
}

impl Function for Mantissa {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        // Every f32 is a normal f64.
        Self::wide(f64::from(x)) as f32
    }
    #[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch, which does not vectorise")]
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        const FRACTION: u64 = (1 << 52) - 1;
        let (size, _) = normal64(x.abs());
        let value = f64::from_bits(size.to_bits() & FRACTION | 1022 << 52).copysign(x);
        let is_number = x.is_finite() & (x != 0.0);
        (if is_number { value } else { x }).canonical()
    }
}

/// Returns the exponent of `x`; 0 for NaN, infinities and zero.
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch, which does not vectorise")]
#[inline(always)]
fn exponent64(x: f64) -> i32 {
    let (size, shift) = normal64(x.abs());
    let exponent = (size.to_bits() >> 52) as i32 - shift - 1022;
    let is_number = x.is_finite() & (x != 0.0);
    if is_number { exponent } else { 0 }
}

macro_rules! exponents {
    ($($ty:ident: $widen:expr;)+) => { $(
        impl Unary<$ty> for Exponent {
            type Out = i32;
            #[inline(always)]
            fn apply(x: $ty) -> i32 {
                exponent64(f64::from($widen(x)))
            }
        }
    )+ };
}
exponents! {
    f16: Half::widen;
    bf16: Half::widen;
    f32: std::convert::identity;
    f64: std::convert::identity;
}

functions! {
    /// a less its whole part, with the sign of a
    Fraction:
        |x| (if x.is_infinite() { 0.0 } else { x - x.trunc() }).copysign(x).canonical(),
        (if x.is_infinite() { 0.0 } else { x - x.trunc() }).copysign(x).canonical();
    /// a in radians, where a is in degrees
    Radians: |x| (x * (std::f32::consts::PI / 180.0)).canonical(), (x * (std::f64::consts::PI / 180.0)).canonical();
    /// a in degrees, where a is in radians
    Degrees: |x| (x * (180.0 / std::f32::consts::PI)).canonical(), (x * (180.0 / std::f64::consts::PI)).canonical();
}
