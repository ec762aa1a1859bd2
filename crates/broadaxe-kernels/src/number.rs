//! Arithmetic of single elements: what `+` means for each dtype.
//!
//! Integers wrap. Floats round once per operation, and every NaN that an operation makes is the canonical quiet one.
//! The two halves widen to f32, compute, and round back: f32 has more than twice their digits plus two, so that one
//! operation is rounded as if it had been done in the half itself.

use half::{bf16, f16};

use crate::dtype::{Bool, Element};

/// A number with the arithmetic that every numeric dtype has.
pub trait Number: Element + PartialOrd {
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
    /// Takes the magnitude; the least integer stays as it is.
    fn abs(self) -> Self;
    /// Returns this value, or the canonical NaN for any NaN.
    fn canonical(self) -> Self;
    /// Says whether this is a NaN.
    fn is_nan(self) -> bool;
}

/// An integer.
pub trait Integer: Number + Eq {
    /// The number of bits.
    const BITS: u32;
    /// Divides towards zero; `MIN / -1` wraps and a zero divisor gives 0 (a guard refuses it before).
    fn div_trunc(self, by: Self) -> Self;
    /// Returns the remainder of [`Integer::div_trunc`], with the dividend's sign; 0 for a zero divisor.
    fn rem_trunc(self, by: Self) -> Self;
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

/// A floating-point number.
pub trait Real: Number {
    /// Divides.
    fn div(self, by: Self) -> Self;
    /// Applies a function given for f32 and for f64; the halves take the one for f32 and round.
    fn map(self, narrow: impl Fn(f32) -> f32, wide: impl Fn(f64) -> f64) -> Self;
    /// Applies a function of two numbers, as [`Real::map`].
    fn map2(self, other: Self, narrow: impl Fn(f32, f32) -> f32, wide: impl Fn(f64, f64) -> f64) -> Self;
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
            fn div_trunc(self, by: Self) -> Self { if by == 0 { 0 } else { self.wrapping_div(by) } }
            #[inline(always)]
            fn rem_trunc(self, by: Self) -> Self { if by == 0 { 0 } else { self.wrapping_rem(by) } }
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

impl Number for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        (self + other).canonical()
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        (self - other).canonical()
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        (self * other).canonical()
    }
    #[inline(always)]
    fn neg(self) -> Self {
        -self
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.abs()
    }
    #[inline(always)]
    fn canonical(self) -> Self {
        if self.is_nan() { Self::NAN } else { self }
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.is_nan()
    }
}

impl Real for f32 {
    #[inline(always)]
    fn div(self, by: Self) -> Self {
        (self / by).canonical()
    }
    #[inline(always)]
    fn map(self, narrow: impl Fn(f32) -> f32, _: impl Fn(f64) -> f64) -> Self {
        narrow(self).canonical()
    }
    #[inline(always)]
    fn map2(self, other: Self, narrow: impl Fn(f32, f32) -> f32, _: impl Fn(f64, f64) -> f64) -> Self {
        narrow(self, other).canonical()
    }
    #[inline(always)]
    fn is_infinite(self) -> bool {
        self.is_infinite()
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.copysign(sign)
    }
}

impl Number for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        (self + other).canonical()
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        (self - other).canonical()
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        (self * other).canonical()
    }
    #[inline(always)]
    fn neg(self) -> Self {
        -self
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.abs()
    }
    #[inline(always)]
    fn canonical(self) -> Self {
        if self.is_nan() { Self::NAN } else { self }
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.is_nan()
    }
}

impl Real for f64 {
    #[inline(always)]
    fn div(self, by: Self) -> Self {
        (self / by).canonical()
    }
    #[inline(always)]
    fn map(self, _: impl Fn(f32) -> f32, wide: impl Fn(f64) -> f64) -> Self {
        wide(self).canonical()
    }
    #[inline(always)]
    fn map2(self, other: Self, _: impl Fn(f32, f32) -> f32, wide: impl Fn(f64, f64) -> f64) -> Self {
        wide(self, other).canonical()
    }
    #[inline(always)]
    fn is_infinite(self) -> bool {
        self.is_infinite()
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.copysign(sign)
    }
}

/// A float of 16 bits, computed with in f32.
pub trait Half: Element + PartialOrd {
    /// The bits that are not the sign.
    const MAGNITUDE: u16 = 0x7fff;
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
    /// Shifts the bits into place as an f32 that is 2^112 too small, then scales: the one multiplication also normalises subnormals.
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
    /// Rounds normal results by an integer addition of half a unit, and subnormal ones by adding 0.5, whose last bit is theirs.
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
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from_bits(u32::from(bf16::to_bits(self)) << 16)
    }
    #[inline(always)]
    fn narrow(wide: f32) -> Self {
        let bits = wide.to_bits();
        let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
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

impl Number for f16 {
    const ZERO: Self = f16::ZERO;
    const ONE: Self = f16::ONE;
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
        Self::from_bits(self.to_bits() ^ !Self::MAGNITUDE)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self::from_bits(self.to_bits() & Self::MAGNITUDE)
    }
    #[inline(always)]
    fn canonical(self) -> Self {
        if Number::is_nan(self) { Self::from_bits(0x7e00) } else { self }
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.to_bits() & Self::MAGNITUDE > 0x7c00
    }
}

impl Real for f16 {
    #[inline(always)]
    fn div(self, by: Self) -> Self {
        Self::narrow(self.widen() / by.widen())
    }
    #[inline(always)]
    fn map(self, narrow: impl Fn(f32) -> f32, _: impl Fn(f64) -> f64) -> Self {
        Self::narrow(narrow(self.widen()))
    }
    #[inline(always)]
    fn map2(self, other: Self, narrow: impl Fn(f32, f32) -> f32, _: impl Fn(f64, f64) -> f64) -> Self {
        Self::narrow(narrow(self.widen(), other.widen()))
    }
    #[inline(always)]
    fn is_infinite(self) -> bool {
        self.to_bits() & Self::MAGNITUDE == 0x7c00
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Self::from_bits(self.to_bits() & Self::MAGNITUDE | sign.to_bits() & !Self::MAGNITUDE)
    }
}

impl Number for bf16 {
    const ZERO: Self = bf16::ZERO;
    const ONE: Self = bf16::ONE;
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
        Self::from_bits(self.to_bits() ^ !Self::MAGNITUDE)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self::from_bits(self.to_bits() & Self::MAGNITUDE)
    }
    #[inline(always)]
    fn canonical(self) -> Self {
        if Number::is_nan(self) { Self::from_bits(0x7fc0) } else { self }
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.to_bits() & Self::MAGNITUDE > 0x7f80
    }
}

impl Real for bf16 {
    #[inline(always)]
    fn div(self, by: Self) -> Self {
        Self::narrow(self.widen() / by.widen())
    }
    #[inline(always)]
    fn map(self, narrow: impl Fn(f32) -> f32, _: impl Fn(f64) -> f64) -> Self {
        Self::narrow(narrow(self.widen()))
    }
    #[inline(always)]
    fn map2(self, other: Self, narrow: impl Fn(f32, f32) -> f32, _: impl Fn(f64, f64) -> f64) -> Self {
        Self::narrow(narrow(self.widen(), other.widen()))
    }
    #[inline(always)]
    fn is_infinite(self) -> bool {
        self.to_bits() & Self::MAGNITUDE == 0x7f80
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Self::from_bits(self.to_bits() & Self::MAGNITUDE | sign.to_bits() & !Self::MAGNITUDE)
    }
}

/// A dtype that any element can be cast to.
///
/// Integers wrap; floats round once, to nearest and ties to even; a float becomes the nearest integer towards zero,
/// clamped to the range, NaN gives 0; anything but zero is true.
pub trait Target: Element {
    /// Casts a signed integer.
    fn from_signed(value: i64) -> Self;
    /// Casts an unsigned integer.
    fn from_unsigned(value: u64) -> Self;
    /// Casts an f32.
    fn from_narrow(value: f32) -> Self;
    /// Casts an f64.
    fn from_wide(value: f64) -> Self;
}

/// A dtype that can be cast to any other.
pub trait Origin: Element {
    /// Casts to `T`.
    fn cast<T: Target>(self) -> T;
}

/// Rounds an f64 to f32 so that a second rounding, to fewer than 23 digits, comes out as one would have: to odd.
#[inline(always)]
fn narrow_to_odd(value: f64) -> f32 {
    let near = value as f32;
    let back = f64::from(near);
    let beyond = back.abs() > value.abs();
    let cut = near.to_bits().wrapping_sub(u32::from(beyond));
    let odd = if back == value || value.is_nan() { near.to_bits() } else { cut | 1 };
    f32::from_bits(odd)
}

/// Clears the bits of a magnitude below the 53 highest and keeps their trace in the lowest one left.
#[inline(always)]
fn sticky(magnitude: u64) -> f64 {
    let low = magnitude & 0x7ff;
    let kept = if magnitude >> 53 == 0 || low == 0 { magnitude } else { (magnitude & !0x7ff) | 0x800 };
    kept as f64
}

macro_rules! casts {
    (integers $($ty:ident $from:ident $wide:ty),+; floats $($float:ident),+; halves $($half:ident),+) => {
        $(impl Target for $ty {
            #[inline(always)]
            fn from_signed(value: i64) -> Self { value as Self }
            #[inline(always)]
            fn from_unsigned(value: u64) -> Self { value as Self }
            #[inline(always)]
            fn from_narrow(value: f32) -> Self { value as Self }
            #[inline(always)]
            fn from_wide(value: f64) -> Self { value as Self }
        }
        impl Origin for $ty {
            #[inline(always)]
            fn cast<T: Target>(self) -> T { T::$from(self as $wide) }
        })+
        $(impl Target for $float {
            #[inline(always)]
            fn from_signed(value: i64) -> Self { value as Self }
            #[inline(always)]
            fn from_unsigned(value: u64) -> Self { value as Self }
            #[inline(always)]
            fn from_narrow(value: f32) -> Self { (value as Self).canonical() }
            #[inline(always)]
            fn from_wide(value: f64) -> Self { (value as Self).canonical() }
        })+
        $(impl Target for $half {
            #[inline(always)]
            fn from_signed(value: i64) -> Self {
                let magnitude = sticky(value.unsigned_abs());
                Self::from_wide(if value < 0 { -magnitude } else { magnitude })
            }
            #[inline(always)]
            fn from_unsigned(value: u64) -> Self { Self::from_wide(sticky(value)) }
            #[inline(always)]
            fn from_narrow(value: f32) -> Self { Self::narrow(value) }
            #[inline(always)]
            fn from_wide(value: f64) -> Self { Self::narrow(narrow_to_odd(value)) }
        }
        impl Origin for $half {
            #[inline(always)]
            fn cast<T: Target>(self) -> T { T::from_narrow(self.widen()) }
        })+
    };
}
casts! {
    integers i8 from_signed i64, i16 from_signed i64, i32 from_signed i64, i64 from_signed i64,
             u8 from_unsigned u64, u16 from_unsigned u64, u32 from_unsigned u64, u64 from_unsigned u64;
    floats f32, f64;
    halves f16, bf16
}

impl Origin for f32 {
    #[inline(always)]
    fn cast<T: Target>(self) -> T {
        T::from_narrow(self)
    }
}

impl Origin for f64 {
    #[inline(always)]
    fn cast<T: Target>(self) -> T {
        T::from_wide(self)
    }
}

impl Target for Bool {
    #[inline(always)]
    fn from_signed(value: i64) -> Self {
        Self::from(value != 0)
    }
    #[inline(always)]
    fn from_unsigned(value: u64) -> Self {
        Self::from(value != 0)
    }
    #[inline(always)]
    fn from_narrow(value: f32) -> Self {
        Self::from(value != 0.0)
    }
    #[inline(always)]
    fn from_wide(value: f64) -> Self {
        Self::from(value != 0.0)
    }
}

impl Origin for Bool {
    #[inline(always)]
    fn cast<T: Target>(self) -> T {
        T::from_unsigned(u64::from(self.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with `half`'s own conversions, which share no code with ours.
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

    #[test]
    fn ties_go_to_even_at_every_half() {
        for bits in 0..0x7bff_u16 {
            let (low, high) = (f16::from_bits(bits).to_f64(), f16::from_bits(bits + 1).to_f64());
            let middle = low.midpoint(high);
            let even = f16::from_bits(bits + (bits & 1));
            assert_eq!(f16::from_wide(middle), even, "{middle}");
            assert_eq!(f16::from_wide(middle.next_up()), f16::from_bits(bits + 1), "above {middle}");
            assert_eq!(f16::from_wide(middle.next_down()), f16::from_bits(bits), "below {middle}");
        }
    }

    #[test]
    fn large_integers_round_once() {
        let cases: &[(u64, u16)] = &[
            // 2^63 + 2^55 is halfway between two bf16 numbers: even wins; one more is above.
            ((1 << 63) + (1 << 55), 0x5f00),
            ((1 << 63) + (1 << 55) + 1, 0x5f01),
            (u64::MAX, 0x5f80),
            (65_519, 0x4780),
        ];
        for &(value, bits) in cases {
            assert_eq!(bf16::from_unsigned(value).to_bits(), bits, "{value}");
        }
        assert_eq!(f16::from_unsigned(65_519).to_bits(), 0x7bff);
        assert_eq!(f16::from_signed(-65_520).to_bits(), 0xfc00);
        assert_eq!(f16::from_unsigned(u64::MAX), f16::INFINITY);
    }
}
