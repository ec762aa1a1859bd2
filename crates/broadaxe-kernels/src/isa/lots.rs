//! Elements of 16 bits as vectors of f32, for loops that compute some of them at a time in registers.

use std::arch::x86_64 as x86;

use half::{bf16, f16};

use super::floats::nth;
use crate::number::Half;

/// Numbers that are computed at a time: in which order is up to who widens and narrows them.
pub(crate) type Lot = [[f32; 16]; 2];

/// The elements of a lot.
pub(crate) const LOT: usize = 32;

/// The conversions of a dtype of 16 bits at a level, a lot at a time.
pub(crate) trait Convert16: 'static {
    /// Widens elements that lie one after the other; exact.
    ///
    /// # Safety
    /// A lot of them can be read, at any address. The level is here.
    unsafe fn widened(from: *const u16) -> Lot;
    /// Rounds to nearest, ties to even; the canonical NaN stays canonical.
    ///
    /// # Safety
    /// A lot of elements can be written, at any address. The level is here.
    unsafe fn narrow(lot: &Lot, to: *mut u16);
}

/// A dtype of 16 bits with its conversions.
pub(crate) trait Packed: Half {
    /// Those of AVX2.
    type By8: Convert16;
    /// Those of AVX-512.
    type By16: Convert16;
}

impl Packed for f16 {
    type By8 = F16By8;
    type By16 = F16By16;
}

impl Packed for bf16 {
    type By8 = Bf16By8;
    type By16 = Bf16By16;
}

/// Writes the vector of this number to a row of them.
// SAFETY: It can be written, at any address. The level is here.
#[inline(always)]
unsafe fn put<V: Copy>(row: *mut u8, number: usize, x: V) {
    // SAFETY: promised by the caller.
    unsafe { row.cast::<V>().wrapping_add(number).write_unaligned(x) }
}

macro_rules! conversions {
    ($($f16:ident $bf16:ident: $vectors:literal; $float:ident $ints:ident $words:ident; $widen:ident $narrow:ident;
       $left:ident $right:ident $and:ident $set:ident $raised:ident $odd:ident;)+) => { $(
        pub(crate) struct $f16;
        impl Convert16 for $f16 {
            #[inline(always)]
            unsafe fn widened(from: *const u16) -> Lot {
                let mut lot = [[0.0; 16]; 2];
                for v in 0..2 * $vectors {
                    // SAFETY: promised by the caller; a lot is so many vectors.
                    unsafe { put::<x86::$float>(lot.as_mut_ptr().cast(), v, x86::$widen(nth(from.cast(), v))) };
                }
                lot
            }
            #[inline(always)]
            unsafe fn narrow(lot: &Lot, to: *mut u16) {
                for v in 0..2 * $vectors {
                    // SAFETY: promised by the caller; a lot is so many vectors.
                    unsafe {
                        let x = x86::$narrow::<{ x86::_MM_FROUND_TO_NEAREST_INT }>(nth(lot.as_ptr().cast(), v));
                        put::<x86::$words>(to.cast(), v, x);
                    }
                }
            }
        }
        /// The even elements come first, then the odd ones, of each vector: they are taken apart faster than moved.
        pub(crate) struct $bf16;
        impl Convert16 for $bf16 {
            #[inline(always)]
            unsafe fn widened(from: *const u16) -> Lot {
                let mut lot = [[0.0; 16]; 2];
                for v in 0..$vectors {
                    // SAFETY: promised by the caller; half a lot is so many vectors.
                    unsafe {
                        let x = nth::<x86::$ints>(from.cast(), v);
                        put(lot[0].as_mut_ptr().cast(), v, x86::$left::<16>(x));
                        put(lot[1].as_mut_ptr().cast(), v, x86::$and(x, x86::$set(!0xffff)));
                    }
                }
                lot
            }
            #[inline(always)]
            unsafe fn narrow(lot: &Lot, to: *mut u16) {
                for v in 0..$vectors {
                    // SAFETY: promised by the caller; half a lot is so many vectors.
                    unsafe {
                        let (even, odd) = ($raised(nth(lot[0].as_ptr().cast(), v)), $raised(nth(lot[1].as_ptr().cast(), v)));
                        put(to.cast(), v, $odd(x86::$right::<16>(even), odd));
                    }
                }
            }
        }
    )+ };
}
conversions! {
    F16By8 Bf16By8: 2; __m256 __m256i __m128i; _mm256_cvtph_ps _mm256_cvtps_ph;
        _mm256_slli_epi32 _mm256_srli_epi32 _mm256_and_si256 _mm256_set1_epi32 raised8 odd8;
    F16By16 Bf16By16: 1; __m512 __m512i __m256i; _mm512_cvtph_ps _mm512_cvtps_ph;
        _mm512_slli_epi32 _mm512_srli_epi32 _mm512_and_si512 _mm512_set1_epi32 raised16 odd16;
}

/// Rounds to bf16 in the upper half: the last bit is set where a tie is to go up, and nothing else depends on it.
// SAFETY: The level is here.
#[inline(always)]
pub(super) unsafe fn raised8(x: x86::__m256) -> x86::__m256i {
    // SAFETY: promised by the caller.
    unsafe {
        let bits = x86::_mm256_castps_si256(x);
        let odd = x86::_mm256_and_si256(x86::_mm256_srli_epi32::<16>(bits), x86::_mm256_set1_epi32(1));
        x86::_mm256_add_epi32(x86::_mm256_or_si256(bits, odd), x86::_mm256_set1_epi32(0x7fff))
    }
}

/// Rounds to bf16 in the upper half, as `raised8`.
// SAFETY: The level is here.
#[inline(always)]
pub(super) unsafe fn raised16(x: x86::__m512) -> x86::__m512i {
    // SAFETY: promised by the caller.
    unsafe {
        let bits = x86::_mm512_castps_si512(x);
        // bits | bits >> 16 & 1
        let one = x86::_mm512_set1_epi32(1);
        let odd = x86::_mm512_ternarylogic_epi32::<0xf8>(bits, x86::_mm512_srli_epi32::<16>(bits), one);
        x86::_mm512_add_epi32(odd, x86::_mm512_set1_epi32(0x7fff))
    }
}

/// Takes the even words of one vector and the odd ones of another.
// SAFETY: The level is here.
#[inline(always)]
unsafe fn odd8(even: x86::__m256i, odd: x86::__m256i) -> x86::__m256i {
    // SAFETY: promised by the caller.
    unsafe { x86::_mm256_blend_epi16::<0xaa>(even, odd) }
}

/// Takes the even words of one vector and the odd ones of another.
// SAFETY: The level is here.
#[inline(always)]
unsafe fn odd16(even: x86::__m512i, odd: x86::__m512i) -> x86::__m512i {
    // SAFETY: promised by the caller.
    unsafe { x86::_mm512_mask_blend_epi16(0xaaaa_aaaa, even, odd) }
}
