//! Vectors: as many f32 as a level has in a register, and what loops do with them.
//!
//! Loops leave vectors to the compiler where they can. Those of this module's users cannot: chains, whose operations are
//! known only at run time; operators on f16 and bf16; and functions that need instructions of a level. The compiler keeps
//! numbers in registers across such a loop if they are vectors from the start. Arrays go to memory after every operation; a
//! CPU then predicts which load depends on which store from the load's address in the code, and mispredicts one that serves
//! several operations. That was measured to be ten times slower.
//!
//! A level implements [`Vector`], and [`ChainVector`] if it has a loop for chains. Everything else is written once for all.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(super) mod portable;

use std::ops::{Add, Div, Mul, Sub};

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::F32x8 as Second;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::{F32x16 as Third, F64x8 as ThirdOfF64};
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::{F32x4x2 as Second, F32x4x2 as Third};
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use portable::{EightF32 as Second, EightF32 as Third};

use super::Opcode;
#[cfg(target_arch = "x86_64")]
use crate::{
    dtype::{DType, Element},
    math::float_n::{FloatN, Lanewise2},
};

/// A vector. It exists only where the CPU supports its level.
pub(crate) trait Vector:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + 'static
{
    /// The numbers in a vector.
    const N: usize;
    /// Repeats a number.
    ///
    /// # Safety
    /// The CPU supports the level.
    unsafe fn all(x: f32) -> Self;
    /// Reads numbers.
    ///
    /// # Safety
    /// They can be read, at any address. The CPU supports the level.
    #[inline(always)]
    unsafe fn load(place: *const u8) -> Self {
        // SAFETY: promised by the caller; a vector is its numbers.
        unsafe { place.cast::<Self>().read_unaligned() }
    }
    /// Writes the numbers.
    ///
    /// # Safety
    /// They can be written, at any address.
    #[inline(always)]
    unsafe fn store(self, place: *mut u8) {
        // SAFETY: promised by the caller.
        unsafe { place.cast::<Self>().write_unaligned(self) }
    }
    /// Reads elements of f16; exact.
    ///
    /// # Safety
    /// As for [`Vector::load`].
    unsafe fn load_f16(place: *const u16) -> Self;
    /// Rounds to f16, ties to even, and writes the elements. The canonical NaN stays canonical.
    ///
    /// # Safety
    /// As for [`Vector::store`].
    unsafe fn store_f16(self, place: *mut u16);
    /// Reads two vectors of elements of bf16, in an order of the level's own; exact.
    ///
    /// # Safety
    /// As for [`Vector::load`].
    unsafe fn load_bf16_pair(place: *const u16) -> [Self; 2];
    /// Rounds to bf16, ties to even, and writes the elements of two vectors, in the order in which they were read. Any NaN
    /// becomes the canonical one; it must have no bits below those of bf16.
    ///
    /// # Safety
    /// As for [`Vector::store`].
    unsafe fn store_bf16_pair(pair: [Self; 2], place: *mut u16);
    /// Repeats an element of f16. The compiler does not learn that all are equal, because it would then split the vectors.
    ///
    /// # Safety
    /// The CPU supports the level.
    unsafe fn repeat_f16(element: u16) -> Self;
    /// As [`Vector::repeat_f16`], for bf16.
    ///
    /// # Safety
    /// The CPU supports the level.
    unsafe fn repeat_bf16(element: u16) -> Self;

    /// Returns the square roots.
    fn sqrt(self) -> Self;
    /// Returns self * by + plus, rounded once.
    fn multiply_add(self, by: Self, plus: Self) -> Self;
    /// Returns 1 / the square roots, with the bits of `math::rsqrt32`.
    #[inline(always)]
    fn inverse_root(self) -> Self {
        // SAFETY: vectors exist, so the CPU supports the level.
        let (one, half) = unsafe { (Self::all(1.0), Self::all(0.5)) };
        let inverse = one / self.sqrt();
        let root = self * inverse;
        let root_rest = self.multiply_add(inverse, root.negated());
        let rest = root_rest.negated().multiply_add(inverse, root.negated().multiply_add(inverse, one));
        // Zeros and infinities are exact already.
        root.where_nan(inverse, (half * inverse).multiply_add(rest, inverse))
    }
    /// Returns the larger numbers; the second where they are equal or one is a NaN.
    fn max(self, other: Self) -> Self;
    /// Returns the smaller numbers; the second where they are equal or one is a NaN.
    fn min(self, other: Self) -> Self;
    /// Returns the magnitudes.
    fn abs(self) -> Self;
    /// Changes the signs.
    fn negated(self) -> Self;
    /// Returns numbers unless they are at most 0, and 0 for the rest.
    fn relu(self) -> Self;
    /// Rounds down.
    fn floor(self) -> Self;
    /// Rounds up.
    fn ceil(self) -> Self;
    /// Rounds to nearest, ties to even.
    fn round(self) -> Self;
    /// Rounds towards zero.
    fn trunc(self) -> Self;
    /// Returns `yes` where this is a NaN, else `no`.
    fn where_nan(self, yes: Self, no: Self) -> Self;
    /// Makes any NaN the canonical one.
    fn canonical(self) -> Self;
}

/// A vector of a level with a loop for chains.
#[cfg(target_arch = "x86_64")]
pub(crate) trait ChainVector: Vector {
    /// Reads contiguous elements as f32: integers of at most 32 bits except u32, and floats except f64.
    ///
    /// # Safety
    /// As for [`Vector::load`].
    unsafe fn load_as(dtype: DType, place: *const u8) -> Self;
    /// Reads the first `count` numbers; the others are any.
    ///
    /// # Safety
    /// `count` numbers can be read, at any address. The CPU supports the level.
    unsafe fn load_some(place: *const u8, count: usize) -> Self;
    /// Writes numbers past the caches.
    ///
    /// # Safety
    /// They can be written, at an address that is aligned to a vector.
    unsafe fn stream(self, place: *mut u8);
    /// Selects the numbers at these indices, counted from `from`.
    ///
    /// # Safety
    /// There is an index for each number.
    unsafe fn pick(self, indices: *const u32, from: u32) -> Self;
    /// Returns the first `count` numbers, and then those of the other.
    fn then(self, count: i32, other: Self) -> Self;
    /// Reads a group of elements at a stride of `apart` elements, which may be negative but not 0.
    ///
    /// # Safety
    /// They can be read, with all elements between them, at any address. The CPU supports the level.
    unsafe fn strided(place: *const f32, apart: isize) -> Group<Self>;
    /// Rounds results of f16 or bf16 operations to that dtype.
    fn rounded(self, dtype: DType) -> Self;
    /// Rounds two vectors to f16 or bf16, in order, as the bits of one. NaNs must be canonical.
    fn packed(dtype: DType, pair: [Self; 2]) -> Self;
}

/// A vector with which functions are computed row by row.
#[cfg(target_arch = "x86_64")]
pub(crate) trait RowVector: FloatN<One: Element> + 'static {
    /// The numbers in a vector.
    const COUNT: usize;
    /// Repeats a number.
    ///
    /// # Safety
    /// The CPU supports the level.
    unsafe fn repeat(x: Self::One) -> Self;
    /// Reads the first `count` numbers; the others are 1.
    ///
    /// # Safety
    /// `count` numbers can be read, at any address. The CPU supports the level.
    unsafe fn load_first(place: *const u8, count: usize) -> Self;
    /// Writes the first `count` numbers, at any address.
    ///
    /// # Safety
    /// They can be written.
    unsafe fn store_first(self, place: *mut u8, count: usize);
    /// Applies a function of two numbers.
    fn apply<F: Lanewise2>(a: Self, b: Self) -> Self;
}

/// How instructions round to nearest, ties to even.
#[cfg(target_arch = "x86_64")]
const NEAREST: i32 = std::arch::x86_64::_MM_FROUND_TO_NEAREST_INT | std::arch::x86_64::_MM_FROUND_NO_EXC;

/// The vectors that a chain computes at a time: with one operand each in flight, they fill the registers of AVX2.
#[cfg(target_arch = "x86_64")]
pub(crate) const VECTORS: usize = 8;

/// A group of that many vectors.
#[cfg(target_arch = "x86_64")]
pub(crate) type Group<V> = [V; VECTORS];

/// Makes eight vectors.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn eight<V>(make: impl Fn(usize) -> V) -> [V; VECTORS] {
    [make(0), make(1), make(2), make(3), make(4), make(5), make(6), make(7)]
}

/// Applies an operation; a NaN need not be the canonical one.
#[inline(always)]
pub(crate) fn apply<V: Vector>(opcode: Opcode, a: V, b: V) -> V {
    match opcode {
        Opcode::Sum => a + b,
        Opcode::Difference => a - b,
        Opcode::Reversed => b - a,
        Opcode::Product => a * b,
        Opcode::Quotient => a / b,
        Opcode::Inverted => b / a,
        Opcode::Root => a.sqrt(),
        Opcode::InverseRoot => a.inverse_root(),
        Opcode::Larger => a.where_nan(a, a.max(b)),
        Opcode::LargerSwapped => b.where_nan(b, b.max(a)),
        Opcode::Smaller => a.where_nan(a, a.min(b)),
        Opcode::SmallerSwapped => b.where_nan(b, b.min(a)),
        Opcode::Relu => a.relu(),
        Opcode::Magnitude => a.abs(),
        Opcode::Negative => a.negated(),
        Opcode::Square => a * a,
        // SAFETY: vectors exist, so the CPU supports the level.
        Opcode::Reciprocal => (unsafe { V::all(1.0) }) / a,
        Opcode::Floor => a.floor(),
        Opcode::Ceil => a.ceil(),
        Opcode::Round => a.round(),
        Opcode::Trunc => a.trunc(),
    }
}

/// Defines methods of a vector, each an expression of instructions.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! methods {
    ($(fn $name:ident($this:ident $(, $arg:ident)*) = $value:expr;)+) => { $(
        #[inline(always)]
        fn $name($this $(, $arg: Self)*) -> Self {
            // SAFETY: a vector exists only where the CPU supports the level.
            Self(unsafe { $value })
        }
    )+ };
}

/// Defines the arithmetic of a vector.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! arithmetic {
    ($vector:ident: $($role:ident $name:ident |$a:ident, $b:ident| $value:expr;)+) => { $(
        impl std::ops::$role for $vector {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                // SAFETY: a vector exists only where the CPU supports the level.
                Self(unsafe { $value })
            }
        }
    )+ };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use {arithmetic, methods};
