//! Sixteen f32 in an AVX-512 register, for functions that compute many f32 at a time.

use std::{
    arch::x86_64 as x86,
    ops::{Add, Div, Mul, Sub},
};

use crate::math::f32xn::F32xN;

/// Sixteen numbers. A value exists only where the CPU supports the level.
#[derive(Clone, Copy)]
pub(crate) struct F32x16(x86::__m512);

impl F32x16 {
    /// The numbers.
    pub(crate) const COUNT: usize = 16;

    /// Reads numbers, at any address.
    ///
    /// # Safety
    /// The CPU supports the level, and sixteen numbers can be read.
    #[inline(always)]
    pub(crate) unsafe fn read(place: *const u8) -> Self {
        // SAFETY: promised by the caller.
        Self(unsafe { place.cast::<x86::__m512>().read_unaligned() })
    }

    /// Reads the first `count` numbers, at any address; the others are 1.
    ///
    /// # Safety
    /// The CPU supports the level, and `count` numbers can be read.
    #[inline(always)]
    pub(crate) unsafe fn read_some(place: *const u8, count: usize) -> Self {
        // SAFETY: promised by the caller; what the mask leaves out is not read.
        Self(unsafe { x86::_mm512_mask_loadu_ps(x86::_mm512_set1_ps(1.0), some(count), place.cast()) })
    }

    /// Repeats the number at a place.
    ///
    /// # Safety
    /// The CPU supports the level, and one number can be read.
    #[inline(always)]
    pub(crate) unsafe fn repeat(place: *const u8) -> Self {
        // SAFETY: promised by the caller.
        Self(unsafe { x86::_mm512_set1_ps(place.cast::<f32>().read_unaligned()) })
    }

    /// Writes the numbers, at any address.
    ///
    /// # Safety
    /// Sixteen numbers can be written.
    #[inline(always)]
    pub(crate) unsafe fn write(self, place: *mut u8) {
        // SAFETY: promised by the caller; the CPU supports the level.
        unsafe { place.cast::<x86::__m512>().write_unaligned(self.0) }
    }

    /// Writes the first few numbers, at any address.
    ///
    /// # Safety
    /// `count` numbers can be written.
    #[inline(always)]
    pub(crate) unsafe fn write_some(self, place: *mut u8, count: usize) {
        // SAFETY: promised by the caller; what the mask leaves out is not written. The CPU supports the level.
        unsafe { x86::_mm512_mask_storeu_ps(place.cast(), some(count), self.0) }
    }
}

/// Returns the mask of the first few numbers.
#[inline(always)]
fn some(count: usize) -> x86::__mmask16 {
    ((1_u32 << count.min(16)) - 1) as u16
}

macro_rules! operation {
    ($($role:ident $name:ident $instruction:ident;)+) => { $(
        impl $role for F32x16 {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: the CPU supports the level.
                Self(unsafe { x86::$instruction(self.0, other.0) })
            }
        }
    )+ };
}
operation! { Add add _mm512_add_ps; Sub sub _mm512_sub_ps; Mul mul _mm512_mul_ps; Div div _mm512_div_ps; }

impl F32xN for F32x16 {
    const IS_VECTOR: bool = true;
    type Which = x86::__mmask16;
    #[inline(always)]
    fn all(self, x: f32) -> Self {
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_set1_ps(x) })
    }
    #[inline(always)]
    fn fma(self, by: Self, plus: Self) -> Self {
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_fmadd_ps(self.0, by.0, plus.0) })
    }
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_xor_ps(self.0, x86::_mm512_set1_ps(-0.0)) })
    }
    #[inline(always)]
    fn abs_to(self, most: f32) -> Self {
        // The smaller of both magnitudes, without a sign.
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_range_ps::<0b1010>(self.0, x86::_mm512_set1_ps(most)) })
    }
    #[inline(always)]
    fn nearest(self) -> Self {
        const NEAREST: i32 = x86::_MM_FROUND_TO_NEAREST_INT | x86::_MM_FROUND_NO_EXC;
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_roundscale_ps::<NEAREST>(self.0) })
    }
    #[inline(always)]
    fn scale(self, n: Self) -> Self {
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_scalef_ps(self.0, n.0) })
    }
    #[inline(always)]
    fn limit(self, most: f32) -> Self {
        // The smaller of both magnitudes, with the sign of the number.
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_range_ps::<0b0010>(self.0, x86::_mm512_set1_ps(most)) })
    }
    #[inline(always)]
    fn above(self, other: Self) -> x86::__mmask16 {
        // SAFETY: the CPU supports the level.
        unsafe { x86::_mm512_cmp_ps_mask::<{ x86::_CMP_GT_OQ }>(self.0, other.0) }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> x86::__mmask16 {
        // SAFETY: the CPU supports the level.
        unsafe { x86::_mm512_cmp_ps_mask::<{ x86::_CMP_EQ_OQ }>(self.0, other.0) }
    }
    #[inline(always)]
    fn is_nan(self) -> x86::__mmask16 {
        // SAFETY: the CPU supports the level.
        unsafe { x86::_mm512_cmp_ps_mask::<{ x86::_CMP_UNORD_Q }>(self.0, self.0) }
    }
    #[inline(always)]
    fn none(which: x86::__mmask16) -> bool {
        which == 0
    }
    #[inline(always)]
    fn choose(which: x86::__mmask16, yes: Self, no: Self) -> Self {
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_mask_blend_ps(which, no.0, yes.0) })
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        // The sign bit of one and all other bits of the other; the third operand selects bit by bit.
        // SAFETY: the CPU supports the level.
        unsafe {
            let (size, sign) = (x86::_mm512_castps_si512(self.0), x86::_mm512_castps_si512(sign.0));
            let mixed = x86::_mm512_ternarylogic_epi32::<0xd8>(size, sign, x86::_mm512_set1_epi32(i32::MIN));
            Self(x86::_mm512_castsi512_ps(mixed))
        }
    }
    #[inline(always)]
    fn or_nan(self, x: Self) -> Self {
        Self::choose(x.is_nan(), self.all(f32::NAN), self)
    }
    #[inline(always)]
    fn look_up(self, table: &[f32; 32]) -> Self {
        // SAFETY: the CPU supports the level. The instruction reads five bits of an index.
        unsafe {
            let (low, high) = (x86::_mm512_loadu_ps(table.as_ptr()), x86::_mm512_loadu_ps(table[16..].as_ptr()));
            let places = x86::_mm512_srli_epi32::<18>(x86::_mm512_castps_si512(self.0));
            Self(x86::_mm512_permutex2var_ps(low, places, high))
        }
    }
    #[inline(always)]
    fn split(self) -> (Self, Self) {
        const POSITIVE: i32 = x86::_MM_MANT_SIGN_ZERO;
        // SAFETY: the CPU supports the level.
        unsafe {
            let significand = x86::_mm512_getmant_ps::<{ x86::_MM_MANT_NORM_P75_1P5 }, POSITIVE>(self.0);
            let n = x86::_mm512_sub_ps(x86::_mm512_getexp_ps(self.0), x86::_mm512_getexp_ps(significand));
            (Self(n), Self(significand))
        }
    }
    #[inline(always)]
    fn or_edge_of_log(self, x: Self) -> Self {
        // Four bits for each kind of x select the result: minus infinity for zeros, infinity for itself, else the value
        // computed.
        const EDGES: i32 = 4 << 8 | 5 << 20;
        // SAFETY: the CPU supports the level.
        unsafe {
            let value = x86::_mm512_fixupimm_ps::<0>(self.0, x.0, x86::_mm512_set1_epi32(EDGES));
            let unknown = x86::_mm512_cmp_ps_mask::<{ x86::_CMP_NGE_UQ }>(x.0, x86::_mm512_setzero_ps());
            Self(x86::_mm512_mask_blend_ps(unknown, value, x86::_mm512_set1_ps(f32::NAN)))
        }
    }
}
