//! `F32xN`: one f32, or as many as a register holds, for functions that stay in f32.
//!
//! Such a function is written once, for any [`F32xN`]. With one number at a time, the compiler vectorises it on every
//! level that has no type of its own. With AVX-512 the function uses vectors from the start, and some operations that
//! need several instructions elsewhere are one: scaling by a power of two, splitting a number into exponent and
//! significand, a table in a register.
//!
//! Products and sums are fused, that is, rounded once. CPUs without such an instruction emulate it exactly, so that all
//! levels have the same bits; there these functions are some ten times slower.

use std::{
    marker::PhantomData,
    ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub},
};

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

/// Numbers of f32 that are computed together.
///
/// Unless documented otherwise, a NaN gives an arbitrary number: functions put NaN into their results last.
pub(crate) trait F32xN:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Whether there are many numbers, so that a branch that none of them needs is worth testing.
    const IS_VECTOR: bool;
    /// One truth value for each number.
    type Which: Copy + BitAnd<Output = Self::Which> + BitOr<Output = Self::Which> + Not<Output = Self::Which>;
    /// Repeats a number.
    fn all(self, x: f32) -> Self;
    /// Computes self * by + plus with one rounding.
    fn fma(self, by: Self, plus: Self) -> Self;
    /// Changes the sign.
    fn neg(self) -> Self;
    /// Returns the magnitude, or `most` if that is smaller.
    fn abs_to(self, most: f32) -> Self;
    /// Rounds a number below 2^22 in magnitude to a whole one, ties to even; the sign of zero means nothing.
    fn nearest(self) -> Self;
    /// Multiplies a number from 2^-24 to 2^24 by 2^n with one rounding, for a whole n of at most 250 in magnitude.
    fn scale(self, n: Self) -> Self;
    /// Clamps the magnitude; a NaN becomes this magnitude too.
    fn limit(self, most: f32) -> Self;
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
    /// Returns this, or the canonical NaN where `x` is a NaN.
    fn or_nan(self, x: Self) -> Self;
    /// Returns the number of a table at the index in bits 18 to 22 of this one.
    fn look_up(self, table: &[f32; 32]) -> Self;
    /// Splits the magnitude of a number into a whole exponent n and a significand from 3/4 to 3/2; arbitrary for zero,
    /// infinity and NaN.
    fn split(self) -> (Self, Self);
    /// Returns this, the logarithm of `x`, or the result of logarithms outside the positive finite numbers.
    fn or_edge_of_log(self, x: Self) -> Self;

    /// Computes self * by + plus with one rounding.
    #[inline(always)]
    fn times_plus(self, by: f32, plus: f32) -> Self {
        self.fma(self.all(by), self.all(plus))
    }
}

/// A function of f32 that is written for one number and for many.
pub(crate) trait Lanewise: 'static {
    /// The magnitude up to which numbers are near zero, if that makes the function cheaper: the same bits in fewer
    /// operations.
    const NEAR: Option<f64>;
    /// The same in f64.
    const NEAR_WIDE: Option<f64>;
    /// Computes each number.
    fn of<V: F32xN>(x: V) -> V;
    /// Computes one number of f64, with fused operations as `M` has them if the function uses any.
    fn wide_by<M: Fma>(x: f64) -> f64;
}

/// The same for a function of two numbers.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Lanewise2: 'static {
    /// Computes each number.
    fn of<V: F32xN>(a: V, b: V) -> V;
}

/// One number, with fused operations as `M` has them.
#[derive(Clone, Copy)]
pub(crate) struct F32x1<M> {
    /// The number.
    pub(crate) x: f32,
    way: PhantomData<M>,
}

/// Rounds an f32 below 2^22 to an integer when added and subtracted again.
pub(super) const UNITS: f32 = 12_582_912.0;

/// 2^23.
const TWO_23: f32 = 8_388_608.0;

impl<M: Fma> F32x1<M> {
    /// Holds a number.
    #[inline(always)]
    pub(crate) fn of(x: f32) -> Self {
        Self { x, way: PhantomData }
    }
}

macro_rules! operation {
    ($($role:ident $name:ident $sign:tt;)+) => { $(
        impl<M: Fma> $role for F32x1<M> {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self::of(self.x $sign other.x)
            }
        }
    )+ };
}
operation! { Add add +; Sub sub -; Mul mul *; Div div /; }

impl<M: Fma> F32xN for F32x1<M> {
    const IS_VECTOR: bool = false;
    type Which = bool;
    #[inline(always)]
    fn all(self, x: f32) -> Self {
        Self::of(x)
    }
    #[inline(always)]
    fn fma(self, by: Self, plus: Self) -> Self {
        Self::of(M::fma(self.x, by.x, plus.x))
    }
    #[inline(always)]
    fn neg(self) -> Self {
        Self::of(-self.x)
    }
    #[inline(always)]
    fn abs_to(self, most: f32) -> Self {
        let size = self.x.abs();
        Self::of(if size > most && !M::NEAR { most } else { size })
    }
    #[inline(always)]
    fn nearest(self) -> Self {
        Self::of((self.x + UNITS) - UNITS)
    }
    /// Adds half of n to the exponent and multiplies by two to the other half: 2^n itself may not be a normal number,
    /// except near zero.
    #[inline(always)]
    fn scale(self, n: Self) -> Self {
        let n = (n.x + UNITS).to_bits();
        if M::NEAR {
            return Self::of(f32::from_bits(self.x.to_bits().wrapping_add(n << 23)));
        }
        let half = (n << 22) & 0xff80_0000;
        let rest = (n << 23).wrapping_sub(half).wrapping_add(0x3f80_0000);
        Self::of(f32::from_bits(self.x.to_bits().wrapping_add(half)) * f32::from_bits(rest))
    }
    #[inline(always)]
    fn limit(self, most: f32) -> Self {
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
        self.x.is_nan()
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
    fn or_nan(self, x: Self) -> Self {
        if !M::NEAR && x.x.is_nan() { Self::of(f32::NAN) } else { self }
    }
    #[inline(always)]
    fn look_up(self, table: &[f32; 32]) -> Self {
        Self::of(table[(self.x.to_bits() >> 18) as usize % 32])
    }
    #[inline(always)]
    fn split(self) -> (Self, Self) {
        const LEAST: u32 = 0x3f40_0000;
        let size = self.x.abs();
        let subnormal = size < f32::MIN_POSITIVE;
        let offset = (if subnormal { size * TWO_23 } else { size }).to_bits().wrapping_sub(LEAST);
        let n = (offset as i32 >> 23) as f32;
        let significand = f32::from_bits((offset & 0x007f_ffff).wrapping_add(LEAST));
        (Self::of(if subnormal { n - 23.0 } else { n }), Self::of(significand))
    }
    #[inline(always)]
    fn or_edge_of_log(self, x: Self) -> Self {
        let value = if x.x < f32::INFINITY { self.x } else { f32::INFINITY };
        let value = if x.x > 0.0 { value } else { f32::NEG_INFINITY };
        Self::of(if x.x >= 0.0 { value } else { f32::NAN })
    }
}
