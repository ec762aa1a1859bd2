//! Arithmetic of single elements: what `+` means for each dtype.
//!
//! Integers wrap. Floats round once per operation, and every NaN that an operation makes is the canonical quiet one.
//! The two halves widen to f32, compute, and round back: f32 has more than twice their digits plus two, so the result
//! is rounded as if it had been computed in the half itself.

use half::{bf16, f16};

use crate::{dtype::Element, math};

/// A number with the arithmetic that every numeric dtype has.
pub(crate) trait Number: Element + PartialOrd {
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// Adds; integers wrap.
    fn add(self, other: Self) -> Self;
    /// Subtracts; integers wrap.
    fn sub(self, other: Self) -> Self;
    /// Multiplies; integers wrap.
    fn mul(self, other: Self) -> Self;
    /// Changes the sign; integers wrap.
    fn neg(self) -> Self;
    /// Returns the magnitude; the smallest integer stays unchanged.
    fn abs(self) -> Self;
    /// Returns this value, or the canonical NaN for any NaN.
    fn canonical(self) -> Self;
    /// Says whether this is a NaN.
    fn is_nan(self) -> bool;
    /// Says whether this is less than the other.
    #[inline(always)]
    fn is_below(self, other: Self) -> bool {
        self < other
    }
}

/// An integer.
pub(crate) trait Integer: Number + Eq {
    /// The number of bits.
    const BITS: u32;
    /// Says whether this is less than zero.
    fn is_negative(self) -> bool;
    /// Returns the low 64 bits, the sign extended.
    fn bits(self) -> u64;
    /// Shifts left by less than [`Integer::BITS`].
    fn shl(self, count: u32) -> Self;
    /// Shifts right by less than [`Integer::BITS`]; signed numbers keep their sign.
    fn shr(self, count: u32) -> Self;
    /// Returns bitwise and.
    fn and(self, other: Self) -> Self;
    /// Returns bitwise or.
    fn or(self, other: Self) -> Self;
    /// Returns bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Returns the bits flipped.
    fn not(self) -> Self;
}

/// A function of a number, for f32 and for f64; every NaN that it returns is the canonical one.
///
/// Functions are types and not values, so that loops call them by name and inline them, however large they are.
pub(crate) trait Function: 'static {
    /// The largest usual magnitude of a finite number. Up to it, and for infinities, the forms for usual arguments are correct, and
    /// they may be faster.
    const USUAL: f64 = f64::INFINITY;
    /// The largest magnitude of numbers near zero, if the function is cheaper for them.
    const NEAR: Option<f64> = None;
    /// The same in f64.
    const NEAR_WIDE: Option<f64> = None;
    /// Computes in f32.
    fn narrow(x: f32) -> f32;
    /// Computes in f64.
    fn wide(x: f64) -> f64;
    /// Computes `narrow` for a number near zero, with the same bits; arbitrary for others.
    #[inline(always)]
    fn narrow_near(x: f32) -> f32 {
        Self::narrow(x)
    }
    /// Computes `wide` for a number near zero, with the same bits; arbitrary for others.
    #[inline(always)]
    fn wide_near(x: f64) -> f64 {
        Self::wide(x)
    }
    /// Computes `narrow` for a usual number, an infinity or NaN; arbitrary for others.
    #[inline(always)]
    fn narrow_usual(x: f32) -> f32 {
        Self::narrow(x)
    }
    /// Computes `wide` for a usual number, an infinity or NaN; arbitrary for others.
    #[inline(always)]
    fn wide_usual(x: f64) -> f64 {
        Self::wide(x)
    }
}

/// A function of two numbers, as [`Function`].
pub(crate) trait Function2: 'static {
    /// Whether the forms for usual arguments differ, and are faster.
    const SPLIT: bool = false;
    /// Computes in f32.
    fn narrow(a: f32, b: f32) -> f32;
    /// Computes in f64.
    fn wide(a: f64, b: f64) -> f64;
    /// Computes `narrow`, or returns NaN.
    #[inline(always)]
    fn narrow_usual(a: f32, b: f32) -> f32 {
        Self::narrow(a, b)
    }
    /// Computes `wide`, or returns NaN.
    #[inline(always)]
    fn wide_usual(a: f64, b: f64) -> f64 {
        Self::wide(a, b)
    }
}

/// A floating-point number.
pub(crate) trait Real: Number {
    /// Whether functions are computed in f64.
    const WIDE: bool;
    /// Divides.
    fn div(self, by: Self) -> Self;
    /// Applies a function; the halves use the one for f32 and round.
    fn map<F: Function>(self) -> Self;
    /// Applies a function to a number near zero.
    fn map_near<F: Function>(self) -> Self;
    /// Applies a function to a usual argument.
    fn map_usual<F: Function>(self) -> Self;
    /// Says whether the magnitude is at most a limit; that of NaN is not.
    fn is_within(self, limit: f64) -> bool;
    /// Says whether this is a finite number with a magnitude beyond a limit.
    fn is_beyond(self, limit: f64) -> bool;
    /// Applies a function of two numbers; the halves use the one for f32 and round.
    fn map2<F: Function2>(self, other: Self) -> Self;
    /// Applies its form for usual arguments: the same result, or NaN.
    fn map2_usual<F: Function2>(self, other: Self) -> Self;
    /// Says whether this is an infinity.
    fn is_infinite(self) -> bool;
    /// Returns the magnitude of this with the sign of the other, bit by bit.
    fn copysign(self, sign: Self) -> Self;
}

macro_rules! integer {
    ($($ty:ident: $abs:expr, $negative:expr, $wide:ty;)+) => { $(
        impl Number for $ty {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn neg(self) -> Self { self.wrapping_neg() }
            #[inline(always)]
            fn abs(self) -> Self { $abs(self) }
            #[inline(always)]
            fn canonical(self) -> Self { self }
            #[inline(always)]
            fn is_nan(self) -> bool { false }
        }
        impl Integer for $ty {
            const BITS: u32 = <$ty>::BITS;
            #[inline(always)]
            fn is_negative(self) -> bool { $negative(self) }
            #[inline(always)]
            fn bits(self) -> u64 { self as $wide as u64 }
            #[inline(always)]
            fn shl(self, count: u32) -> Self { self.wrapping_shl(count) }
            #[inline(always)]
            fn shr(self, count: u32) -> Self { self.wrapping_shr(count) }
            #[inline(always)]
            fn and(self, other: Self) -> Self { self & other }
            #[inline(always)]
            fn or(self, other: Self) -> Self { self | other }
            #[inline(always)]
            fn xor(self, other: Self) -> Self { self ^ other }
            #[inline(always)]
            fn not(self) -> Self { !self }
        }
    )+ };
}
integer! {
    i8: i8::wrapping_abs, i8::is_negative, i64;
    i16: i16::wrapping_abs, i16::is_negative, i64;
    i32: i32::wrapping_abs, i32::is_negative, i64;
    i64: i64::wrapping_abs, i64::is_negative, i64;
    u8: std::convert::identity, |_| false, u64;
    u16: std::convert::identity, |_| false, u64;
    u32: std::convert::identity, |_| false, u64;
    u64: std::convert::identity, |_| false, u64;
}

macro_rules! float {
    ($($ty:ident: $wide:expr, $canonical:path, $at:ident $near:ident $usual:ident;)+) => { $(
        impl Number for $ty {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[inline(always)]
            fn add(self, other: Self) -> Self { (self + other).canonical() }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { (self - other).canonical() }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { (self * other).canonical() }
            #[inline(always)]
            fn neg(self) -> Self { -self }
            #[inline(always)]
            fn abs(self) -> Self { self.abs() }
            #[inline(always)]
            fn canonical(self) -> Self { $canonical(self) }
            #[inline(always)]
            fn is_nan(self) -> bool { self.is_nan() }
        }
        impl Real for $ty {
            const WIDE: bool = $wide;
            #[inline(always)]
            fn div(self, by: Self) -> Self { (self / by).canonical() }
            #[inline(always)]
            fn map<F: Function>(self) -> Self { F::$at(self) }
            #[inline(always)]
            fn map_near<F: Function>(self) -> Self { F::$near(self) }
            #[inline(always)]
            fn map_usual<F: Function>(self) -> Self { F::$usual(self) }
            #[inline(always)]
            fn is_within(self, limit: f64) -> bool { self.abs() <= limit as $ty }
            #[inline(always)]
            fn is_beyond(self, limit: f64) -> bool { (self.abs() > limit as $ty) & (self.abs() < <$ty>::INFINITY) }
            #[inline(always)]
            fn map2<F: Function2>(self, other: Self) -> Self { F::$at(self, other) }
            #[inline(always)]
            fn map2_usual<F: Function2>(self, other: Self) -> Self { F::$usual(self, other) }
            #[inline(always)]
            fn is_infinite(self) -> bool { self.is_infinite() }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self { self.copysign(sign) }
        }
    )+ };
}
float! {
    f32: false, math::canonical32, narrow narrow_near narrow_usual;
    f64: true, math::canonical64, wide wide_near wide_usual;
}

/// The bits of a half without the sign.
const MAGNITUDE: u16 = 0x7fff;

/// A float of 16 bits whose arithmetic is in f32.
pub(crate) trait Half: Element + PartialOrd {
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// The canonical quiet NaN.
    const NAN: Self;
    /// Returns the same number as f32; exact.
    fn widen(self) -> f32;
    /// Rounds to nearest, ties to even; any NaN becomes the canonical one.
    fn narrow(wide: f32) -> Self;
    /// Returns the bits.
    fn to_bits(self) -> u16;
    /// Makes the number of these bits.
    fn from_bits(bits: u16) -> Self;
}

impl Half for f16 {
    const ZERO: Self = f16::ZERO;
    const ONE: Self = f16::ONE;
    const INFINITY: Self = f16::INFINITY;
    const NAN: Self = f16::from_bits(0x7e00);
    /// Shifts the bits into an f32 that is 2^112 too small, and then scales it; the multiplication also normalises
    /// subnormals.
    #[inline(always)]
    fn widen(self) -> f32 {
        let bits = u32::from(f16::to_bits(self));
        let sign = (bits & 0x8000) << 16;
        let magnitude = (bits & 0x7fff) << 13;
        // 2^112 as an f32. Exponent 31 (infinity, NaN) ends at 143 and is lifted to 255.
        let scaled = (f32::from_bits(magnitude) * f32::from_bits(0x7780_0000)).to_bits();
        let lifted = if magnitude >= 0x0f80_0000 { scaled | 0x7f80_0000 } else { scaled };
        f32::from_bits(lifted | sign)
    }
    /// Rounds normal results by an integer addition of half a unit, and subnormal ones by adding 0.5, which has the
    /// same last place.
    #[inline(always)]
    fn narrow(wide: f32) -> Self {
        let bits = wide.to_bits();
        let sign = (bits >> 16) & 0x8000;
        let magnitude = bits & 0x7fff_ffff;
        let odd = (magnitude >> 13) & 1;
        let normal = magnitude.wrapping_add(0x0fff + odd).wrapping_sub(0x3800_0000) >> 13;
        let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
        let finite = if magnitude < 0x3880_0000 { subnormal } else { normal };
        // 65520 and above round to infinity.
        let bounded = if magnitude >= 0x477f_f000 { 0x7c00 } else { finite };
        let nan = magnitude > 0x7f80_0000;
        f16::from_bits(if nan { 0x7e00 } else { (bounded | sign) as u16 })
    }
    #[inline(always)]
    fn to_bits(self) -> u16 {
        f16::to_bits(self)
    }
    #[inline(always)]
    fn from_bits(bits: u16) -> Self {
        f16::from_bits(bits)
    }
}

impl Half for bf16 {
    const ZERO: Self = bf16::ZERO;
    const ONE: Self = bf16::ONE;
    const INFINITY: Self = bf16::INFINITY;
    const NAN: Self = bf16::from_bits(0x7fc0);
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from_bits(u32::from(bf16::to_bits(self)) << 16)
    }
    #[inline(always)]
    fn narrow(wide: f32) -> Self {
        let bits = wide.to_bits();
        // The last bit is set where a tie rounds up: nothing else depends on it.
        let rounded = (bits | (bits >> 16) & 1).wrapping_add(0x7fff) >> 16;
        bf16::from_bits(if wide.is_nan() { 0x7fc0 } else { rounded as u16 })
    }
    #[inline(always)]
    fn to_bits(self) -> u16 {
        bf16::to_bits(self)
    }
    #[inline(always)]
    fn from_bits(bits: u16) -> Self {
        bf16::from_bits(bits)
    }
}

impl<T: Half> Number for T {
    const ZERO: Self = T::ZERO;
    const ONE: Self = T::ONE;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::narrow(self.widen() + other.widen())
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::narrow(self.widen() - other.widen())
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::narrow(self.widen() * other.widen())
    }
    #[inline(always)]
    fn neg(self) -> Self {
        Self::from_bits(self.to_bits() ^ !MAGNITUDE)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self::from_bits(self.to_bits() & MAGNITUDE)
    }
    #[inline(always)]
    fn canonical(self) -> Self {
        if Number::is_nan(self) { T::NAN } else { self }
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.to_bits() & MAGNITUDE > T::INFINITY.to_bits()
    }
    /// Compares the bits as integers of 16 bits, in the order of the numbers, both zeros as one.
    #[inline(always)]
    fn is_below(self, other: Self) -> bool {
        let key = |x: Self| {
            let (magnitude, sign) = ((x.to_bits() & MAGNITUDE) as i16, x.to_bits() as i16 >> 15);
            (magnitude ^ sign) - sign
        };
        // Lazy operators would be branches, which do not vectorise.
        (key(self) < key(other)) & !(Number::is_nan(self) | Number::is_nan(other))
    }
}

impl<T: Half> Real for T {
    const WIDE: bool = false;
    #[inline(always)]
    fn div(self, by: Self) -> Self {
        Self::narrow(self.widen() / by.widen())
    }
    #[inline(always)]
    fn map<F: Function>(self) -> Self {
        Self::narrow(F::narrow(self.widen()))
    }
    #[inline(always)]
    fn map_usual<F: Function>(self) -> Self {
        Self::narrow(F::narrow_usual(self.widen()))
    }
    #[inline(always)]
    fn map_near<F: Function>(self) -> Self {
        Self::narrow(F::narrow_near(self.widen()))
    }
    #[inline(always)]
    fn is_within(self, limit: f64) -> bool {
        self.widen().is_within(limit)
    }
    #[inline(always)]
    fn is_beyond(self, limit: f64) -> bool {
        self.widen().is_beyond(limit)
    }
    #[inline(always)]
    fn map2<F: Function2>(self, other: Self) -> Self {
        Self::narrow(F::narrow(self.widen(), other.widen()))
    }
    #[inline(always)]
    fn map2_usual<F: Function2>(self, other: Self) -> Self {
        Self::narrow(F::narrow_usual(self.widen(), other.widen()))
    }
    #[inline(always)]
    fn is_infinite(self) -> bool {
        self.to_bits() & MAGNITUDE == T::INFINITY.to_bits()
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Self::from_bits(self.to_bits() & MAGNITUDE | sign.to_bits() & !MAGNITUDE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with `half`'s conversions, which share no code with these.
    #[test]
    fn halves_widen_and_narrow_exactly() {
        for bits in 0..=u16::MAX {
            let (h, b) = (f16::from_bits(bits), bf16::from_bits(bits));
            if !h.is_nan() {
                assert_eq!(h.widen().to_bits(), h.to_f32().to_bits(), "f16 {bits:#x}");
            }
            assert_eq!(h.is_nan(), h.widen().is_nan());
            if !b.is_nan() {
                assert_eq!(b.widen().to_bits(), b.to_f32().to_bits(), "bf16 {bits:#x}");
            }
        }
        for bits in (0..=u32::MAX).step_by(997) {
            let x = f32::from_bits(bits);
            if !x.is_nan() {
                assert_eq!(<f16 as Half>::narrow(x), f16::from_f32(x), "{x:e}");
                assert_eq!(<bf16 as Half>::narrow(x), bf16::from_f32(x), "{x:e}");
            }
        }
    }
}
