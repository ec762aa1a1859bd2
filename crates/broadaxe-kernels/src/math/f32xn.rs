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

use super::double_double::Double;

/// Computes a product and a sum with one rounding.
pub(crate) trait Fma: Copy + 'static {
    /// Whether functions are called for numbers near zero only (see [`Lanewise::NEAR`]). Then no intermediate power of
    /// two and no result is outside the normal numbers, and no operand is NaN, so the code for those cases is omitted.
    const NEAR: bool = false;
    /// The same for numbers near zero, if such a path exists.
    type Near: Fma;
    /// Computes a * b + c.
    fn fma(a: f32, b: f32, c: f32) -> f32;
    /// Computes a * b + c in f64.
    fn fma64(a: f64, b: f64, c: f64) -> f64;
    /// Computes a * b + c, rounded once or twice, whichever is faster, where both give the same bits.
    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }
    /// The same in f64.
    #[inline(always)]
    fn multiply_add64(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }
}

/// The fused operation of the hardware.
#[derive(Clone, Copy)]
pub(crate) struct FmaHardware;

impl Fma for FmaHardware {
    type Near = FmaHardwareNear;
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
    #[inline(always)]
    fn fma64(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        Self::fma(a, b, c)
    }
    #[inline(always)]
    fn multiply_add64(a: f64, b: f64, c: f64) -> f64 {
        Self::fma64(a, b, c)
    }
}

/// The fused operation of the hardware, for functions of numbers near zero.
#[derive(Clone, Copy)]
pub(crate) struct FmaHardwareNear;

impl Fma for FmaHardwareNear {
    const NEAR: bool = true;
    type Near = Self;
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        FmaHardware::fma(a, b, c)
    }
    #[inline(always)]
    fn fma64(a: f64, b: f64, c: f64) -> f64 {
        FmaHardware::fma64(a, b, c)
    }
}

/// A fused operation emulated in f64, for CPUs without one. If an f32 operand is not finite, the result is arbitrary.
#[derive(Clone, Copy)]
pub(crate) struct FmaEmulated;

impl Fma for FmaEmulated {
    type Near = Self;
    /// Adds to the product, which is exact, and rounds the sum to odd; rounding that to f32 then gives the correctly
    /// rounded result (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        odd(Double::sum(f64::from(a) * f64::from(b), f64::from(c))) as f32
    }
    /// Adds in two parts to the product in two parts, and rounds the sum of both errors to odd; the last sum is then
    /// correctly rounded (the same source). The product's second part must not be subnormal unless c is far larger.
    #[inline(always)]
    fn fma64(a: f64, b: f64, c: f64) -> f64 {
        /// 2^60.
        const LESS: f64 = 1_152_921_504_606_846_976.0;
        // Infinite, or NaN: the parts would be meaningless.
        let plain = a * b + c;
        if !plain.is_finite() {
            return plain;
        }
        // Splitting the largest numbers overflows; b is not one of them, or the product would overflow.
        let (a, b) = if a.abs() > 1e300 { (a / LESS, b * LESS) } else { (a, b) };
        let product = Double::product(a, b);
        let low = Double::sum(c, product.low);
        let high = Double::sum(product.high, low.high);
        high.high + odd(Double::sum(high.low, low.low))
    }
}

/// Rounds a sum of two f64 to odd: truncates it, and sets the last bit if the sum was inexact.
#[inline(always)]
fn odd(sum: Double) -> f64 {
    let inexact = if sum.low == 0.0 { 0 } else { u64::MAX };
    let over = (sum.high.to_bits() ^ sum.low.to_bits()) >> 63;
    f64::from_bits(sum.high.to_bits().wrapping_sub(over & inexact) | inexact >> 63)
}

/// The fused operation of the machine that code is compiled for, where no level is chosen at run time.
#[cfg(any(target_feature = "fma", target_arch = "aarch64", target_arch = "powerpc64", target_arch = "riscv64"))]
pub(crate) type FmaDefault = FmaHardware;
/// The fused operation of the machine that code is compiled for, where no level is chosen at run time.
#[cfg(not(any(target_feature = "fma", target_arch = "aarch64", target_arch = "powerpc64", target_arch = "riscv64")))]
pub(crate) type FmaDefault = FmaEmulated;

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the fused operation of the standard library, at exponents near each other and far apart, and at ties.
    #[test]
    fn what_is_made_of_doubles_is_fused() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        for turn in 0..2_000_000 {
            let (a, b) = (f32::from_bits(next()), f32::from_bits(next()));
            // Half of the time a summand near the product, so that its last bits decide.
            let near = (f64::from(a) * f64::from(b)) as f32;
            let c =
                if turn % 2 == 0 { f32::from_bits(next()) } else { -f32::from_bits(near.to_bits() ^ (next() % 64)) };
            let (made, fused) = (FmaEmulated::fma(a, b, c), a.mul_add(b, c));
            let finite = (a * 0.0 + b * 0.0 + c * 0.0) == 0.0;
            assert!(!finite || made.to_bits() == fused.to_bits(), "{a:e} * {b:e} + {c:e}");
        }
        for _ in 0..2_000_000 {
            // Products and summands at any distance within two f64.
            let mut number = |exponents: u64| {
                let bits = u64::from(next()) << 32 | u64::from(next());
                f64::from_bits(bits & 0x800f_ffff_ffff_ffff | (1023 - exponents / 2 + bits % exponents) << 52)
            };
            let (a, b, c) = (number(4), number(4), number(200));
            let near = -(a * b) + f64::EPSILON * a * f64::from(next() % 64);
            for c in [c, near] {
                assert_eq!(FmaEmulated::fma64(a, b, c).to_bits(), a.mul_add(b, c).to_bits(), "{a:e} * {b:e} + {c:e}");
            }
        }
        for a in [f64::MAX, -f64::MAX, 1e308, 1.1e300] {
            for b in [1.0 / 3.0, -0.7, 1e-150] {
                for c in [-(a * b), 1e280, -0.25 * a] {
                    assert_eq!(
                        FmaEmulated::fma64(a, b, c).to_bits(),
                        a.mul_add(b, c).to_bits(),
                        "{a:e} * {b:e} + {c:e}"
                    );
                }
            }
        }
        // 1 + 2^-24 is a tie; bits beyond f64 decide it.
        let (one, tiny) = (1.0 + f32::EPSILON, 2f32.powi(-24));
        for c in [1.0, -1.0, one, -one] {
            for (a, b) in [(tiny, one), (tiny, 1.0 - tiny), (-tiny, one), (-tiny, 1.0 - tiny)] {
                assert_eq!(FmaEmulated::fma(a, b, c).to_bits(), a.mul_add(b, c).to_bits(), "{a:e} * {b:e} + {c:e}");
            }
        }
    }
}
