//! Casts single elements from any dtype to any other.

use half::{bf16, f16};

use crate::{
    dtype::{Bool, Element},
    isa::cut::{cut32, cut64},
    number::{Half, Number},
};

/// A dtype that any element can be cast to.
///
/// Integers wrap. Floats are rounded once, to nearest with ties to even. A float becomes an integer by rounding towards
/// zero and clamping to the range; NaN becomes 0. Every value except zero is true.
pub(crate) trait Target: Element {
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
pub(crate) trait Origin: Element {
    /// Casts to `T`.
    fn cast<T: Target>(self) -> T;
}

/// Rounds an f64 to f32 to odd, so that a second rounding to fewer than 23 digits gives the correctly rounded result.
#[inline(always)]
fn narrow_to_odd(value: f64) -> f32 {
    let near = value as f32;
    let back = f64::from(near);
    let beyond = back.abs() > value.abs();
    let cut = near.to_bits().wrapping_sub(u32::from(beyond));
    let odd = if back == value || value.is_nan() { near.to_bits() } else { cut | 1 };
    f32::from_bits(odd)
}

/// Clears the bits of a magnitude below the 53 highest, and keeps a sticky bit in the lowest remaining one.
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
            fn from_narrow(value: f32) -> Self {
                if <$ty>::BITS == 64 { value as Self } else { cut32::<{ <$ty>::MIN as i64 }, { (<$ty>::MAX as i64).wrapping_add(1) }>(value) as Self }
            }
            #[inline(always)]
            fn from_wide(value: f64) -> Self {
                if <$ty>::BITS == 64 { value as Self } else { cut64::<{ <$ty>::MIN as i64 }, { (<$ty>::MAX as i64).wrapping_add(1) }>(value) as Self }
            }
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
            // 2^63 + 2^55 is halfway between two bf16 numbers, so it rounds to even; one more rounds up.
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
