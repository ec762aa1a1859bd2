//! Bits of integers, and shifts.
//!
//! A shift by a count that is negative or not below the width shifts every bit out: the result is 0, or all sign bits
//! for a signed number shifted right. NumPy and ONNX opset 28 define it so. The operators ending in `_mod` use the
//! count modulo the width instead, as OpenVINO's reference does (its specification leaves such counts undefined).

use crate::{
    loops::{Binary, Unary},
    number::Integer,
};

/// a & b
pub(crate) struct BitAnd;
/// a | b
pub(crate) struct BitOr;
/// a ^ b
pub(crate) struct BitXor;
/// ~a
pub(crate) struct BitNot;
/// a << b
pub(crate) struct ShiftLeft;
/// a >> b
pub(crate) struct ShiftRight;
/// a << (b mod width)
pub(crate) struct ShiftLeftMod;
/// a >> (b mod width)
pub(crate) struct ShiftRightMod;
/// The number of bits of |a| that are 1
pub(crate) struct BitwiseCount;
/// The number of leading bits that are 0
pub(crate) struct Clz;

impl<T: Integer> Binary<T> for BitAnd {
    type Out = T;
    const COMMUTES: bool = true;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.and(b)
    }
}

impl<T: Integer> Binary<T> for BitOr {
    type Out = T;
    const COMMUTES: bool = true;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.or(b)
    }
}

impl<T: Integer> Binary<T> for BitXor {
    type Out = T;
    const COMMUTES: bool = true;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.xor(b)
    }
}

impl<T: Integer> Unary<T> for BitNot {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.not()
    }
}

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

impl<T: Integer> Binary<T> for ShiftLeft {
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        // A negative count is a huge one as unsigned bits.
        let shifted = a.shl(b.bits() as u32 & (T::BITS - 1));
        if b.bits() < T::BITS as u64 { shifted } else { T::ZERO }
    }
}

impl<T: Integer> Binary<T> for ShiftRight {
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        let shifted = a.shr(b.bits() as u32 & (T::BITS - 1));
        let sign = if a.is_negative() { T::ZERO.not() } else { T::ZERO };
        if b.bits() < T::BITS as u64 { shifted } else { sign }
    }
}

impl<T: Integer> Binary<T> for ShiftLeftMod {
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.shl(b.bits() as u32 & (T::BITS - 1))
    }
}

impl<T: Integer> Binary<T> for ShiftRightMod {
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.shr(b.bits() as u32 & (T::BITS - 1))
    }
}
