//! The kinds of folds: what they join, and in which type.
//!
//! Integers are added and multiplied in 64 bits and wrap, and so are bools, which count as 0 and 1. Floats are folded
//! in their own dtype. There are no folds of halves: callers cast them to f32 first and round the result.

use std::{hint::select_unpredictable, marker::PhantomData};

use super::{Fold, search::Keep};
use crate::{
    dtype::{Bool, Element},
    number::{Half, Number},
};

/// A type that widens to an accumulator.
pub(crate) trait Widen<A: Bounded>: Element {
    /// Returns the same value.
    fn widen(self) -> A;
    /// Adds a few elements to an accumulator, in order where that matters.
    #[inline(always)]
    fn add_up<const K: usize>(before: A, x: [Self; K]) -> A {
        x.into_iter().fold(before, |a, x| a.plus(x.widen()))
    }
}

impl Widen<i64> for Bool {
    #[inline(always)]
    fn widen(self) -> i64 {
        i64::from(self.get())
    }
    /// Counts in a byte, for fewer than 256 elements.
    #[inline(always)]
    fn add_up<const K: usize>(before: i64, x: [Self; K]) -> i64 {
        const { assert!(K < 256) }
        before + i64::from(x.into_iter().fold(0_u8, |a, x| a.wrapping_add(u8::from(x.get()))))
    }
}

macro_rules! widen {
    ($($from:ty => $to:ty, $between:ty);+) => {
        $(impl Widen<$to> for $from {
            #[inline(always)]
            fn widen(self) -> $to { self as $to }
            /// Adds in twice the width, for fewer than 256 elements.
            #[inline(always)]
            fn add_up<const K: usize>(before: $to, x: [Self; K]) -> $to {
                const { assert!(K < 256) }
                before.wrapping_add(x.into_iter().fold(0, |a: $between, x| a.wrapping_add(x as $between)) as $to)
            }
        })+
    };
}
widen!(i8 => i64, i16; i16 => i64, i32; i32 => i64, i64; u8 => u64, u16; u16 => u64, u32; u32 => u64, u64);

macro_rules! same {
    ($($ty:ty),+) => {
        $(impl Widen<$ty> for $ty {
            #[inline(always)]
            fn widen(self) -> $ty { self }
        })+
    };
}
same!(u64, f32, f64);

impl<T: Half> Widen<f32> for T {
    #[inline(always)]
    fn widen(self) -> f32 {
        Half::widen(self)
    }
}

/// A number with what folds need.
pub(crate) trait Bounded: Number {
    /// The number that leaves every other unchanged when added, including the sign of a zero.
    const NOTHING: Self;
    /// A number that is at most any other.
    const LEAST: Self;
    /// A number that is at least any other.
    const GREATEST: Self;
    /// A NaN; 0 for types without one.
    const NAN: Self;
    /// Adds; if the result is a NaN, it can be any NaN.
    fn plus(self, other: Self) -> Self;
    /// Multiplies; if the result is a NaN, it can be any NaN.
    fn times(self, other: Self) -> Self;
}

macro_rules! bounded {
    ($($ty:ident: $nothing:expr, $least:ident, $greatest:ident, $nan:expr, $plus:expr, $times:expr;)+) => {
        $(impl Bounded for $ty {
            const NOTHING: Self = $nothing;
            const LEAST: Self = $ty::$least;
            const GREATEST: Self = $ty::$greatest;
            const NAN: Self = $nan;
            #[inline(always)]
            fn plus(self, other: Self) -> Self { $plus(self, other) }
            #[inline(always)]
            fn times(self, other: Self) -> Self { $times(self, other) }
        })+
    };
}
bounded! {
    i8: 0, MIN, MAX, 0, i8::wrapping_add, i8::wrapping_mul;
    i16: 0, MIN, MAX, 0, i16::wrapping_add, i16::wrapping_mul;
    i32: 0, MIN, MAX, 0, i32::wrapping_add, i32::wrapping_mul;
    i64: 0, MIN, MAX, 0, i64::wrapping_add, i64::wrapping_mul;
    u8: 0, MIN, MAX, 0, u8::wrapping_add, u8::wrapping_mul;
    u16: 0, MIN, MAX, 0, u16::wrapping_add, u16::wrapping_mul;
    u32: 0, MIN, MAX, 0, u32::wrapping_add, u32::wrapping_mul;
    u64: 0, MIN, MAX, 0, u64::wrapping_add, u64::wrapping_mul;
    f32: -0.0, NEG_INFINITY, INFINITY, f32::NAN, std::ops::Add::add, std::ops::Mul::mul;
    f64: -0.0, NEG_INFINITY, INFINITY, f64::NAN, std::ops::Add::add, std::ops::Mul::mul;
}

/// Sums.
pub(crate) struct Sum<T, A>(PhantomData<(T, A)>);
/// Multiplies.
pub(crate) struct Product<T>(PhantomData<T>);
/// Is true where one is.
pub(crate) struct Any;
/// Is true where none is false.
pub(crate) struct All;

impl<T: Widen<A>, A: Bounded> Fold for Sum<T, A> {
    type In = T;
    type Acc = A;
    const NEUTRAL: A = A::NOTHING;
    #[inline(always)]
    fn take(x: T) -> A {
        x.widen()
    }
    #[inline(always)]
    fn join(a: A, b: A) -> A {
        a.plus(b)
    }
    #[inline(always)]
    fn chain<const K: usize>(before: A, x: [T; K]) -> A {
        T::add_up(before, x)
    }
    fn done(a: A) -> A {
        a.canonical()
    }
}

impl<T: Bounded> Fold for Product<T> {
    type In = T;
    type Acc = T;
    const NEUTRAL: T = T::ONE;
    #[inline(always)]
    fn take(x: T) -> T {
        x
    }
    #[inline(always)]
    fn join(a: T, b: T) -> T {
        a.times(b)
    }
    fn done(a: T) -> T {
        a.canonical()
    }
}

macro_rules! extremes {
    ($(#[$doc:meta] $name:ident: $neutral:ident $sign:tt;)+) => { $(
        #[$doc]
        pub(crate) struct $name<T>(PhantomData<T>);
        impl<T: Bounded> Fold for $name<T> {
            type In = T;
            type Acc = T;
            const NEUTRAL: T = T::$neutral;
            #[inline(always)]
            fn take(x: T) -> T { x }
            #[inline(always)]
            fn join(a: T, b: T) -> T {
                // This is one instruction. A choice of `a` behind it would become a store under a mask where `a` is in memory, which took
                // half of the time (AMD EPYC, Zen 4).
                let kept = select_unpredictable(a $sign b, a, b);
                select_unpredictable(a.is_nan(), T::NAN, kept)
            }
            const CHAINS: bool = true;
            /// Compares without regard to NaN, which is one instruction, and looks for a NaN in two elements at a time. Which
            /// NaN is kept does not matter: `done` makes them one.
            #[inline(always)]
            fn chain<const K: usize>(before: T, x: [T; K]) -> T {
                let (mut kept, mut any) = (x[0], false);
                for k in 1..K {
                    kept = select_unpredictable(kept $sign x[k], kept, x[k]);
                }
                let mut k = 0;
                while k < K {
                    let (a, b) = (x[k], x[if k + 1 < K { k + 1 } else { k }]);
                    any |= !((a <= b) | (a > b));
                    k += 2;
                }
                Self::join(before, select_unpredictable(any, T::NAN, kept))
            }
            fn done(a: T) -> T { a.canonical() }
        }
        impl<T: Bounded> Keep for $name<T> {
            #[inline(always)]
            fn beats(later: T, earlier: T) -> bool {
                ((later $sign earlier) | later.is_nan()) & !earlier.is_nan()
            }
        }
    )+ };
}
extremes! {
    /// Keeps the largest; NaN propagates.
    Largest: LEAST >;
    /// Keeps the smallest; NaN propagates.
    Smallest: GREATEST <;
}

impl Fold for Any {
    type In = Bool;
    type Acc = u8;
    const NEUTRAL: u8 = 0;
    #[inline(always)]
    fn take(x: Bool) -> u8 {
        x.0
    }
    #[inline(always)]
    fn join(a: u8, b: u8) -> u8 {
        a | b
    }
    fn done(a: u8) -> u8 {
        u8::from(a != 0)
    }
}

impl Fold for All {
    type In = Bool;
    type Acc = u8;
    const NEUTRAL: u8 = 1;
    #[inline(always)]
    fn take(x: Bool) -> u8 {
        u8::from(x.get())
    }
    #[inline(always)]
    fn join(a: u8, b: u8) -> u8 {
        a & b
    }
    fn done(a: u8) -> u8 {
        a
    }
}
