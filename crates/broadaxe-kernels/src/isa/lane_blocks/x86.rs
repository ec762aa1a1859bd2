//! The conversions of AVX2 and AVX-512.
//!
//! Most of the work of such a loop is rounding. To round to bf16, the lower and the upper halves of two vectors are
//! combined first, so that one operation rounds twice as many numbers. A NaN is made canonical by one AVX-512
//! instruction; AVX2 needs two, or three on numbers that were already rounded and combined.

use std::arch::{asm, x86_64 as x86};

use half::{bf16, f16};

use super::{
    super::floats::{canonical8, canonical16, chosen8, chosen16, either8, either16, nth},
    Convert16, LaneBlock, PackedHalf, Wide,
};

impl PackedHalf for f16 {
    type Second = F16By8;
    type Third = F16By16;
}

impl PackedHalf for bf16 {
    type Second = Bf16By8;
    type Third = Bf16By16;
}

/// Writes vector `number` of a row of vectors.
// SAFETY: It can be written, at any address. The CPU supports the level.
#[inline(always)]
unsafe fn put<V: Copy>(row: *mut u8, number: usize, x: V) {
    // SAFETY: promised by the caller.
    unsafe { row.cast::<V>().wrapping_add(number).write_unaligned(x) }
}

macro_rules! conversions {
    ($($f16:ident $bf16:ident: $vectors:literal; $float:ident $ints:ident $words:ident; $widen:ident $narrow:ident $canonical:ident $kept:ident $words_of:ident $computed:ident;
       $left:ident $and:ident $set:ident $kept_ints:ident $joined:ident;)+) => { $(
        pub(crate) struct $f16;
        impl Convert16 for $f16 {
            #[inline(always)]
            unsafe fn widened(from: *const u16) -> LaneBlock {
                let mut lot = [[0.0; 16]; 2];
                for v in 0..2 * $vectors {
                    // SAFETY: promised by the caller; these vectors are a lane block.
                    unsafe { put::<x86::$float>(lot.as_mut_ptr().cast(), v, x86::$widen(nth(from.cast(), v))) };
                }
                lot
            }
            #[inline(always)]
            unsafe fn repeated(element: u16) -> LaneBlock {
                let mut lot = [[0.0; 16]; 2];
                for v in 0..2 * $vectors {
                    // SAFETY: promised by the caller; these vectors are a lane block.
                    unsafe { put::<x86::$float>(lot.as_mut_ptr().cast(), v, x86::$widen($kept(x86::$words_of(element as i16)))) };
                }
                lot
            }
            #[inline(always)]
            unsafe fn computed(wide: Wide, a: &LaneBlock, b: &LaneBlock) -> LaneBlock {
                // SAFETY: promised by the caller.
                unsafe { $computed(wide, a, b) }
            }
            #[inline(always)]
            unsafe fn narrow(lot: &LaneBlock, to: *mut u16) {
                for v in 0..2 * $vectors {
                    // SAFETY: promised by the caller; these vectors are a lane block.
                    unsafe {
                        let x = $canonical(nth(lot.as_ptr().cast(), v));
                        put::<x86::$words>(to.cast(), v, $kept(x86::$narrow::<{ x86::_MM_FROUND_TO_NEAREST_INT }>(x)));
                    }
                }
            }
        }
        /// Each vector has its even elements first and then the odd ones: separating them is faster than moving them.
        pub(crate) struct $bf16;
        impl Convert16 for $bf16 {
            #[inline(always)]
            unsafe fn widened(from: *const u16) -> LaneBlock {
                let mut lot = [[0.0; 16]; 2];
                for v in 0..$vectors {
                    // SAFETY: promised by the caller; these vectors are half a lane block.
                    unsafe {
                        let x = nth::<x86::$ints>(from.cast(), v);
                        put(lot[0].as_mut_ptr().cast(), v, x86::$left::<16>(x));
                        put(lot[1].as_mut_ptr().cast(), v, x86::$and(x, x86::$set(!0xffff)));
                    }
                }
                lot
            }
            #[inline(always)]
            unsafe fn repeated(element: u16) -> LaneBlock {
                let mut lot = [[0.0; 16]; 2];
                for v in 0..2 * $vectors {
                    // SAFETY: promised by the caller; these vectors are a lane block.
                    unsafe { put(lot.as_mut_ptr().cast(), v, $kept_ints(x86::$set(i32::from(element) << 16))) };
                }
                lot
            }
            #[inline(always)]
            unsafe fn computed(wide: Wide, a: &LaneBlock, b: &LaneBlock) -> LaneBlock {
                // SAFETY: promised by the caller.
                unsafe { $computed(wide, a, b) }
            }
            #[inline(always)]
            unsafe fn narrow(lot: &LaneBlock, to: *mut u16) {
                for v in 0..$vectors {
                    // SAFETY: promised by the caller; these vectors are half a lane block.
                    unsafe {
                        put(to.cast(), v, $joined(nth(lot[0].as_ptr().cast(), v), nth(lot[1].as_ptr().cast(), v)));
                    }
                }
            }
        }
    )+ };
}
conversions! {
    F16By8 Bf16By8: 2; __m256 __m256i __m128i; _mm256_cvtph_ps _mm256_cvtps_ph canonical8 kept4 _mm_set1_epi16 computed8;
        _mm256_slli_epi32 _mm256_and_si256 _mm256_set1_epi32 kept8 joined8;
    F16By16 Bf16By16: 1; __m512 __m512i __m256i; _mm512_cvtph_ps _mm512_cvtps_ph canonical16 kept8 _mm256_set1_epi16 computed16;
        _mm512_slli_epi32 _mm512_and_si512 _mm512_set1_epi32 kept16 joined16;
}

macro_rules! computed {
    ($($name:ident: $vectors:literal $vector:ident; $add:ident $sub:ident $mul:ident $div:ident $max:ident $min:ident $either:ident $chosen:ident
       $set:ident $sqrt:ident $round:ident $inverse:ident;)+) => { $(
        /// Computes; a NaN need not be the canonical one.
        // SAFETY: The CPU supports the level.
        #[inline(always)]
        unsafe fn $name(wide: Wide, a: &LaneBlock, b: &LaneBlock) -> LaneBlock {
            let mut lot = [[0.0; 16]; 2];
            for v in 0..$vectors {
                // SAFETY: promised by the caller; these vectors are a lane block.
                unsafe {
                    let (a, b) = (nth::<x86::$vector>(a.as_ptr().cast(), v), nth::<x86::$vector>(b.as_ptr().cast(), v));
                    // The instructions for extremes return their second operand where either operand is a NaN, or both
                    // are equal.
                    let x = match wide {
                        Wide::Sum => x86::$add(a, b),
                        Wide::Difference => x86::$sub(a, b),
                        Wide::Product => x86::$mul(a, b),
                        Wide::Quotient => x86::$div(a, b),
                        Wide::Max => $either(a, x86::$max(a, b)),
                        Wide::Min => $either(a, x86::$min(a, b)),
                        Wide::Fmax => $chosen(b, a, x86::$max(a, b)),
                        Wide::Fmin => $chosen(b, a, x86::$min(a, b)),
                        Wide::Square => x86::$mul(a, a),
                        Wide::Reciprocal => x86::$div(x86::$set(1.0), a),
                        Wide::Root => x86::$sqrt(a),
                        Wide::Floor => x86::$round::<{ x86::_MM_FROUND_TO_NEG_INF | x86::_MM_FROUND_NO_EXC }>(a),
                        Wide::Ceil => x86::$round::<{ x86::_MM_FROUND_TO_POS_INF | x86::_MM_FROUND_NO_EXC }>(a),
                        Wide::Round => x86::$round::<{ x86::_MM_FROUND_TO_NEAREST_INT | x86::_MM_FROUND_NO_EXC }>(a),
                        Wide::Trunc => x86::$round::<{ x86::_MM_FROUND_TO_ZERO | x86::_MM_FROUND_NO_EXC }>(a),
                        Wide::InverseRoot => $inverse(a),
                    };
                    put(lot.as_mut_ptr().cast(), v, x);
                }
            }
            lot
        }
    )+ };
}
computed! {
    computed8: 4 __m256; _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_max_ps _mm256_min_ps either8 chosen8
        _mm256_set1_ps _mm256_sqrt_ps _mm256_round_ps inverse_root8;
    computed16: 2 __m512; _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_max_ps _mm512_min_ps either16 chosen16
        _mm512_set1_ps _mm512_sqrt_ps _mm512_roundscale_ps inverse_root16;
}

/// Computes 1 / the square root in f64.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn inverse_root8(x: x86::__m256) -> x86::__m256 {
    // SAFETY: promised by the caller.
    unsafe {
        let (low, high) = (x86::_mm256_castps256_ps128(x), x86::_mm256_extractf128_ps::<1>(x));
        let (low, high) = (x86::_mm256_cvtps_pd(low), x86::_mm256_cvtps_pd(high));
        let one = x86::_mm256_set1_pd(1.0);
        let (low, high) =
            (x86::_mm256_div_pd(one, x86::_mm256_sqrt_pd(low)), x86::_mm256_div_pd(one, x86::_mm256_sqrt_pd(high)));
        x86::_mm256_set_m128(x86::_mm256_cvtpd_ps(high), x86::_mm256_cvtpd_ps(low))
    }
}

/// Computes 1 / the square root in f64.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn inverse_root16(x: x86::__m512) -> x86::__m512 {
    // SAFETY: promised by the caller.
    unsafe {
        let (low, high) = (x86::_mm512_castps512_ps256(x), x86::_mm512_extractf32x8_ps::<1>(x));
        let (low, high) = (x86::_mm512_cvtps_pd(low), x86::_mm512_cvtps_pd(high));
        let one = x86::_mm512_set1_pd(1.0);
        let (low, high) =
            (x86::_mm512_div_pd(one, x86::_mm512_sqrt_pd(low)), x86::_mm512_div_pd(one, x86::_mm512_sqrt_pd(high)));
        let low = x86::_mm512_castps256_ps512(x86::_mm512_cvtpd_ps(low));
        x86::_mm512_insertf32x8::<1>(low, x86::_mm512_cvtpd_ps(high))
    }
}

macro_rules! kept {
    ($($(#[$features:meta])* $name:ident: $vector:ident $register:ident;)+) => { $(
        /// Keeps a vector in a register, and hides its value from the compiler.
        ///
        /// Otherwise the compiler rounds to f16 and writes with one instruction, which is up to twice as slow as two.
        #[inline]
        $(#[$features])*
        pub(in super::super) fn $name(mut x: x86::$vector) -> x86::$vector {
            // SAFETY: nothing is done, and the register exists at the level.
            unsafe { asm!("/* {x} */", x = inout($register) x, options(pure, nomem, nostack, preserves_flags)) };
            x
        }
    )+ };
}
kept! {
    kept4: __m128i xmm_reg;
    #[target_feature(enable = "avx")] kept8: __m256i ymm_reg;
    #[target_feature(enable = "avx512f")] kept16: __m512i zmm_reg;
}

/// Rounds to bf16 in the upper half: the last bit is set where a tie rounds up, and nothing else depends on it.
// SAFETY: The CPU supports the level.
#[inline(always)]
pub(in super::super) unsafe fn raised8(x: x86::__m256) -> x86::__m256i {
    // SAFETY: promised by the caller.
    unsafe {
        let bits = x86::_mm256_castps_si256(x);
        let odd = x86::_mm256_and_si256(x86::_mm256_srli_epi32::<16>(bits), x86::_mm256_set1_epi32(1));
        x86::_mm256_add_epi32(x86::_mm256_or_si256(bits, odd), x86::_mm256_set1_epi32(0x7fff))
    }
}

/// Rounds to bf16 in the upper half, as `raised8`.
// SAFETY: The CPU supports the level.
#[inline(always)]
pub(in super::super) unsafe fn raised16(x: x86::__m512) -> x86::__m512i {
    // SAFETY: promised by the caller.
    unsafe {
        let bits = x86::_mm512_castps_si512(x);
        // bits | bits >> 16 & 1
        let one = x86::_mm512_set1_epi32(1);
        let odd = x86::_mm512_ternarylogic_epi32::<0xf8>(bits, x86::_mm512_srli_epi32::<16>(bits), one);
        x86::_mm512_add_epi32(odd, x86::_mm512_set1_epi32(0x7fff))
    }
}

/// Rounds the even and the odd numbers to bf16 and restores their order; any NaN becomes the canonical one.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn joined8(even: x86::__m256, odd: x86::__m256) -> x86::__m256i {
    // SAFETY: promised by the caller.
    unsafe {
        let (even, odd) = (x86::_mm256_castps_si256(even), x86::_mm256_castps_si256(odd));
        let upper = x86::_mm256_blend_epi16::<0xaa>(x86::_mm256_srli_epi32::<16>(even), odd);
        let lower = x86::_mm256_blend_epi16::<0xaa>(even, x86::_mm256_slli_epi32::<16>(odd));
        let tie = x86::_mm256_and_si256(upper, x86::_mm256_set1_epi16(1));
        // The sign is set where the lower half is above a tie, or is a tie that rounds up.
        let lower = x86::_mm256_subs_epu16(x86::_mm256_or_si256(lower, tie), x86::_mm256_set1_epi16(1));
        let x = x86::_mm256_sub_epi16(upper, x86::_mm256_srai_epi16::<15>(lower));
        let magnitude = x86::_mm256_and_si256(x, x86::_mm256_set1_epi16(0x7fff));
        let nan = x86::_mm256_cmpgt_epi16(magnitude, x86::_mm256_set1_epi16(0x7f80));
        x86::_mm256_blendv_epi8(x, x86::_mm256_set1_epi16(0x7fc0), nan)
    }
}

/// The words of two vectors that hold the even and the odd numbers, or consecutive numbers.
const fn places(alternate: bool, upper: bool) -> [u16; 32] {
    let mut places = [0; 32];
    let mut i = 0;
    while i < 32 {
        let number = if alternate { i / 2 + i % 2 * 16 } else { i };
        places[i] = (2 * number + upper as usize) as u16;
        i += 1;
    }
    places
}

/// The lower and the upper halves of the even and the odd numbers.
static ALTERNATE: [[u16; 32]; 2] = [places(true, false), places(true, true)];
/// The lower and the upper halves of consecutive numbers.
pub(in super::super) static FOLLOWING: [[u16; 32]; 2] = [places(false, false), places(false, true)];

/// Rounds the even and the odd numbers to bf16 and restores their order; any NaN becomes the canonical one.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn joined16(even: x86::__m512, odd: x86::__m512) -> x86::__m512i {
    // SAFETY: promised by the caller.
    unsafe { rounded16(canonical16(even), canonical16(odd), &ALTERNATE) }
}

/// Rounds numbers to bf16 whose lower and upper halves are at these indices.
// SAFETY: The CPU supports the level.
#[inline(always)]
pub(in super::super) unsafe fn rounded16(
    a: x86::__m512,
    b: x86::__m512,
    places: &'static [[u16; 32]; 2],
) -> x86::__m512i {
    // SAFETY: promised by the caller; there are two vectors of indices.
    unsafe {
        let (a, b) = (x86::_mm512_castps_si512(a), x86::_mm512_castps_si512(b));
        let lower = x86::_mm512_permutex2var_epi16(a, nth(places.as_ptr().cast(), 0), b);
        let upper = x86::_mm512_permutex2var_epi16(a, nth(places.as_ptr().cast(), 1), b);
        // lower | upper & 1: above a tie, or a tie that rounds up.
        let lower = x86::_mm512_ternarylogic_epi32::<0xf8>(lower, upper, x86::_mm512_set1_epi16(1));
        let up = x86::_mm512_cmpgt_epu16_mask(lower, x86::_mm512_set1_epi16(i16::MIN));
        // If the compiler knew this constant, it would load a vector first.
        x86::_mm512_mask_sub_epi16(upper, up, upper, kept16(x86::_mm512_set1_epi16(-1)))
    }
}
