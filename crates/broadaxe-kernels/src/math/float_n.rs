//! `FloatN`: one number, or as many as a register holds, for functions that stay in f32, and for powers of f64.
//!
//! Such a function is written once, for any [`FloatN`]. With one number at a time, the compiler vectorises it on every
//! level that has no type of its own. With AVX-512 the function uses vectors from the start, and some operations that
//! need several instructions elsewhere are one: scaling by a power of two, splitting a number into exponent and
//! significand, a table in a register.
//!
//! Products and sums are fused, that is, rounded once. CPUs without such an instruction emulate it exactly, so that all
//! levels have the same bits; there these functions are thirty to fifty times slower than with AVX2.

use std::{
    marker::PhantomData,
    ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub},
};

use super::ROUND;
pub(crate) use super::fma::{Fma, FmaHardware, FmaHardwareNear};

/// The fused operation of the machine that code is compiled for, where no level is chosen at run time.
#[cfg(any(target_feature = "fma", target_arch = "aarch64", target_arch = "powerpc64", target_arch = "riscv64"))]
pub(crate) type FmaDefault = FmaHardware;
/// The fused operation of the machine that code is compiled for, where no level is chosen at run time.
#[cfg(not(any(target_feature = "fma", target_arch = "aarch64", target_arch = "powerpc64", target_arch = "riscv64")))]
pub(crate) type FmaDefault = super::fma_emulated::FmaEmulated;

/// Returns one number that is computed with that operation.
#[inline(always)]
pub(super) fn plain(x: f32) -> F32x1<FmaDefault> {
    F32x1::of(x)
}

/// Returns one number of f64 that is computed with that operation.
#[inline(always)]
pub(super) fn plain64(x: f64) -> F64x1<FmaDefault> {
    F64x1::of(x)
}

/// Numbers of f32 or f64 that are computed together.
///
/// Unless documented otherwise, a NaN gives an arbitrary number: functions put NaN into their results last.
pub(crate) trait FloatN:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// One of the numbers.
    type One: Copy + From<f32>;
    /// Whether there are many numbers, so that a branch that none of them needs is worth testing.
    const IS_VECTOR: bool;
    /// The number from which on all are whole.
    const WHOLE: f32;
    /// One truth value for each number.
    type Which: Copy + BitAnd<Output = Self::Which> + BitOr<Output = Self::Which> + Not<Output = Self::Which>;
    /// Repeats a number.
    fn all(self, x: Self::One) -> Self;
    /// Computes self * by + plus with one rounding.
    fn fma(self, by: Self, plus: Self) -> Self;
    /// Changes the sign.
    fn neg(self) -> Self;
    /// Returns the magnitude, or `most` if that is smaller.
    fn abs_to(self, most: Self::One) -> Self;
    /// Rounds a number below half of [`FloatN::WHOLE`] in magnitude to a whole one, ties to even; the sign of zero means
    /// nothing.
    fn nearest(self) -> Self;
    /// Multiplies a number by 2^n with one rounding, for a whole n: for f32 a number from 2^-24 to 2^24 and an n of at most
    /// 250 in magnitude, for f64 a number from 1/2 to 2 and an n of at most 2000.
    fn scale(self, n: Self) -> Self;
    /// Clamps the magnitude; a NaN becomes this magnitude too.
    fn limit(self, most: Self::One) -> Self;
    /// Compares with the other; false for NaN.
    fn above(self, other: Self) -> Self::Which;
    /// Compares with the other; false for NaN.
    fn equals(self, other: Self) -> Self::Which;
    /// Says which are NaN.
    fn is_nan(self) -> Self::Which;
    /// Says whether the answer is no for all numbers.
    fn none(which: Self::Which) -> bool;
    /// Chooses number by number.
    fn choose(which: Self::Which, yes: Self, no: Self) -> Self;
    /// Returns the magnitude of this with the sign of the other.
    fn copysign(self, sign: Self) -> Self;
    /// Returns the number of a table at the index that some bits of this one hold: 18 to 22 of a f32, the lowest of a f64.
    fn look_up(self, table: &[Self::One; 32]) -> Self;
    /// Splits the magnitude of a number into a whole exponent n and a significand from 3/4 to 3/2; arbitrary for zero,
    /// infinity and NaN.
    fn split(self) -> (Self, Self);
    /// Returns this, the logarithm of `x`, or the result of logarithms outside the positive finite numbers.
    fn or_edge_of_log(self, x: Self) -> Self;

    /// Returns this, or the canonical NaN where `x` is a NaN.
    #[inline(always)]
    fn or_nan(self, x: Self) -> Self {
        Self::choose(x.is_nan(), self.every(f32::NAN), self)
    }
    /// Computes self * by + plus with one rounding.
    #[inline(always)]
    fn times_plus(self, by: Self::One, plus: Self::One) -> Self {
        self.fma(self.all(by), self.all(plus))
    }
    /// Evaluates two terms of a polynomial from coefficient k on, without the power that they share.
    #[inline(always)]
    fn pair(self, coefficients: &[Self::One], k: usize) -> Self {
        self.times_plus(coefficients[k + 1], coefficients[k])
    }
    /// Repeats a number that both dtypes have.
    #[inline(always)]
    fn every(self, x: f32) -> Self {
        self.all(x.into())
    }
}

/// A function of f64 that is written for one number and for many.
pub(crate) trait LanewiseWide: 'static {
    /// Computes each number.
    fn wide<V: FloatN<One = f64>>(x: V) -> V;
}

/// A function of f32 that is written for one number and for many.
pub(crate) trait Lanewise: 'static {
    /// The magnitude up to which numbers are near zero, if that makes the function cheaper: the same bits in fewer
    /// operations.
    const NEAR: Option<f64>;
    /// The same in f64.
    const NEAR_WIDE: Option<f64>;
    /// Computes each number.
    fn of<V: FloatN<One = f32>>(x: V) -> V;
    /// Computes one number of f64, with fused operations as `M` has them if the function uses any.
    fn wide_by<M: Fma>(x: f64) -> f64;
}

/// The same for a function of two numbers, of f32 or f64.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Lanewise2: 'static {
    /// Computes each number of f32.
    fn narrow<V: FloatN<One = f32>>(a: V, b: V) -> V;
    /// Computes each number of f64.
    fn wide<V: FloatN<One = f64>>(a: V, b: V) -> V;
}

/// One number of f32 or f64, with fused operations as `M` has them.
#[derive(Clone, Copy)]
pub(crate) struct Single<T, M> {
    /// The number.
    pub(crate) x: T,
    way: PhantomData<M>,
}

/// One f32.
pub(crate) type F32x1<M> = Single<f32, M>;
/// One f64.
pub(crate) type F64x1<M> = Single<f64, M>;

/// Rounds an f32 below 2^22 to an integer when added and subtracted again.
pub(super) const UNITS: f32 = 12_582_912.0;

impl<T, M> Single<T, M> {
    /// Holds a number.
    #[inline(always)]
    pub(crate) fn of(x: T) -> Self {
        Self { x, way: PhantomData }
    }
}

macro_rules! operation {
    ($($role:ident $name:ident;)+) => { $(
        impl<T: $role<Output = T>, M> $role for Single<T, M> {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self::of(self.x.$name(other.x))
            }
        }
    )+ };
}
operation! { Add add; Sub sub; Mul mul; Div div; }

/// Implements [`FloatN`] for one number: `digits` bits of a number are behind its first one, `units` rounds to whole
/// numbers, and `whole` makes a float of the upper part of an integer.
macro_rules! single {
    ($($float:ident $bits:ident $fma:ident, $digits:literal, $units:expr, $whole:expr, $first:literal;)+) => { $(
        impl<M: Fma> FloatN for Single<$float, M> {
            type One = $float;
            type Which = bool;
            const IS_VECTOR: bool = false;
            const WHOLE: f32 = (1_u64 << $digits) as f32;
            #[inline(always)]
            fn all(self, x: $float) -> Self {
                Self::of(x)
            }
            #[inline(always)]
            fn fma(self, by: Self, plus: Self) -> Self {
                Self::of(M::$fma(self.x, by.x, plus.x))
            }
            #[inline(always)]
            fn neg(self) -> Self {
                Self::of(-self.x)
            }
            #[inline(always)]
            fn abs_to(self, most: $float) -> Self {
                let size = self.x.abs();
                Self::of(if size > most && !M::NEAR { most } else { size })
            }
            #[inline(always)]
            fn nearest(self) -> Self {
                Self::of((self.x + $units) - $units)
            }
            /// Adds half of n to the exponent and multiplies by two to the other half: 2^n itself may not be a normal number,
            /// except near zero.
            #[inline(always)]
            fn scale(self, n: Self) -> Self {
                let n = (n.x + $units).to_bits();
                if M::NEAR {
                    return Self::of($float::from_bits(self.x.to_bits().wrapping_add(n << $digits)));
                }
                let half = (n << ($digits - 1)) & ($bits::MAX << $digits);
                let rest = (n << $digits).wrapping_sub(half).wrapping_add($float::to_bits(1.0));
                Self::of($float::from_bits(self.x.to_bits().wrapping_add(half)) * $float::from_bits(rest))
            }
            #[inline(always)]
            fn limit(self, most: $float) -> Self {
                if M::NEAR {
                    return self;
                }
                let x = if self.x > -most { self.x } else { -most };
                Self::of(if x < most { x } else { most })
            }
            #[inline(always)]
            fn above(self, other: Self) -> bool {
                self.x > other.x
            }
            #[inline(always)]
            fn equals(self, other: Self) -> bool {
                self.x == other.x
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                !M::NEAR && self.x.is_nan()
            }
            #[inline(always)]
            fn none(which: bool) -> bool {
                !which
            }
            #[inline(always)]
            fn choose(which: bool, yes: Self, no: Self) -> Self {
                if which { yes } else { no }
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                Self::of(self.x.copysign(sign.x))
            }
            #[inline(always)]
            fn look_up(self, table: &[$float; 32]) -> Self {
                Self::of(table[(self.x.to_bits() >> $first) as usize % 32])
            }
            #[inline(always)]
            fn split(self) -> (Self, Self) {
                const UP: $float = (1_u64 << $digits) as $float;
                let (size, least) = (self.x.abs(), $float::to_bits(0.75));
                let subnormal = size < $float::MIN_POSITIVE;
                let offset = (if subnormal { size * UP } else { size }).to_bits().wrapping_sub(least);
                let n: $float = $whole(offset);
                let significand = $float::from_bits((offset & !($bits::MAX << $digits)).wrapping_add(least));
                (Self::of(if subnormal { n - $digits as $float } else { n }), Self::of(significand))
            }
            #[inline(always)]
            fn or_edge_of_log(self, x: Self) -> Self {
                let value = if x.x < $float::INFINITY { self.x } else { $float::INFINITY };
                let value = if x.x > 0.0 { value } else { $float::NEG_INFINITY };
                Self::of(if x.x >= 0.0 { value } else { $float::NAN })
            }
        }
    )+ };
}
single! {
    f32 u32 fma, 23, UNITS, |offset| (offset as i32 >> 23) as f32, 18;
    f64 u64 fma64, 52, ROUND, shifted_52, 0;
}

/// Returns the upper 12 bits of an integer, which is signed, as a number. No vector of AVX2 converts such integers, so the
/// bits are put under those of 2^52.
#[inline(always)]
fn shifted_52(offset: u64) -> f64 {
    const BIAS: u64 = 1024;
    const TWO_52: u64 = 0x4330_0000_0000_0000;
    const TWO_52_AND_BIAS: f64 = 4_503_599_627_371_520.0;
    f64::from_bits((offset.wrapping_add(BIAS << 52) >> 52) | TWO_52) - TWO_52_AND_BIAS
}
