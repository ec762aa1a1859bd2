//! Bits of integers, and shifts.
//!
//! A shift by a count that is negative or not below the width shifts every bit out: the result is 0, or all sign bits
//! for a signed number shifted right. NumPy and ONNX opset 28 define it so. The operators ending in `_mod` use the
//! count modulo the width instead, as OpenVINO's reference does (its specification leaves such counts undefined).

use crate::{loops::Unary, number::Integer};

binary! {
    /// a & b
    BitAnd<T: Integer> -> T: |a, b| a.and(b), commutes true;
    /// a | b
    BitOr<T: Integer> -> T: |a, b| a.or(b), commutes true;
    /// a ^ b
    BitXor<T: Integer> -> T: |a, b| a.xor(b), commutes true;
    /// a << b
    ShiftLeft<T: Integer> -> T: |a, b| {
        // A negative count is a huge one as unsigned bits.
        let shifted = a.shl(b.bits() as u32 & (T::BITS - 1));
        if b.bits() < T::BITS as u64 { shifted } else { T::ZERO }
    };
    /// a >> b
    ShiftRight<T: Integer> -> T: |a, b| {
        let shifted = a.shr(b.bits() as u32 & (T::BITS - 1));
        let sign = if a.is_negative() { T::ZERO.not() } else { T::ZERO };
        if b.bits() < T::BITS as u64 { shifted } else { sign }
    };
    /// a << (b mod width)
    ShiftLeftMod<T: Integer> -> T: |a, b| a.shl(b.bits() as u32 & (T::BITS - 1));
    /// a >> (b mod width)
    ShiftRightMod<T: Integer> -> T: |a, b| a.shr(b.bits() as u32 & (T::BITS - 1));
}

unary! {
    /// ~a
    BitNot<T: Integer> -> T: |x| x.not();
}

/// The number of bits of |a| that are 1
pub(crate) struct BitwiseCount;
/// The number of leading bits that are 0
pub(crate) struct Clz;

macro_rules! counts {
    ($($ty:ident: $size:expr;)+) => { $(
        impl Unary<$ty> for BitwiseCount {
            type Out = u8;
            /// Counts in the magnitude, as NumPy does: -1 has one.
            #[inline(always)]
            fn apply(x: $ty) -> u8 {
                $size(x).count_ones() as u8
            }
        }
    )+ };
}
counts! {
    i8: i8::unsigned_abs;
    i16: i16::unsigned_abs;
    i32: i32::unsigned_abs;
    i64: i64::unsigned_abs;
    u8: std::convert::identity;
    u16: std::convert::identity;
    u32: std::convert::identity;
    u64: std::convert::identity;
}

macro_rules! leading_zeros {
    ($($ty:ident)+) => { $(
        impl Unary<$ty> for Clz {
            type Out = $ty;
            #[inline(always)]
            fn apply(x: $ty) -> $ty {
                x.leading_zeros() as $ty
            }
        }
    )+ };
}
leading_zeros! { i8 i16 i32 i64 u8 u16 u32 u64 }
