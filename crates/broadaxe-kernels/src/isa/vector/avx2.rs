//! Vectors of AVX2.

use std::arch::{asm, x86_64 as x86};

use super::{ChainVector, Group, NEAREST, VECTORS, Vector, arithmetic, eight, methods};
use crate::dtype::DType;

/// Eight numbers.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F32x8(x86::__m256);

arithmetic! {
    F32x8:
    Add add |a, b| x86::_mm256_add_ps(a, b);
    Sub sub |a, b| x86::_mm256_sub_ps(a, b);
    Mul mul |a, b| x86::_mm256_mul_ps(a, b);
    Div div |a, b| x86::_mm256_div_ps(a, b);
}

impl Vector for F32x8 {
    const N: usize = 8;
    #[inline(always)]
    unsafe fn all(x: f32) -> Self {
        // SAFETY: promised by the caller.
        Self(unsafe { x86::_mm256_set1_ps(x) })
    }
    #[inline(always)]
    unsafe fn load_f16(place: *const u16) -> Self {
        // SAFETY: promised by the caller.
        Self(unsafe { x86::_mm256_cvtph_ps(place.cast::<x86::__m128i>().read_unaligned()) })
    }
    #[inline(always)]
    unsafe fn store_f16(self, place: *mut u16) {
        // SAFETY: promised by the caller.
        unsafe {
            let halves = x86::_mm256_cvtps_ph::<{ x86::_MM_FROUND_TO_NEAREST_INT }>(self.0);
            place.cast::<x86::__m128i>().write_unaligned(kept4(halves));
        }
    }
    /// The even elements, and then the odd ones: separating them is faster than moving them.
    #[inline(always)]
    unsafe fn load_bf16_pair(place: *const u16) -> [Self; 2] {
        // SAFETY: promised by the caller.
        unsafe {
            let x = place.cast::<x86::__m256i>().read_unaligned();
            let upper = x86::_mm256_and_si256(x, x86::_mm256_set1_epi32(!0xffff));
            let lower = x86::_mm256_slli_epi32::<16>(x);
            [Self(x86::_mm256_castsi256_ps(lower)), Self(x86::_mm256_castsi256_ps(upper))]
        }
    }
    /// The lower and the upper halves are combined first, so that one operation rounds twice as many numbers.
    #[inline(always)]
    unsafe fn store_bf16_pair([even, odd]: [Self; 2], place: *mut u16) {
        // SAFETY: promised by the caller.
        unsafe {
            let (even, odd) = (x86::_mm256_castps_si256(even.0), x86::_mm256_castps_si256(odd.0));
            let upper = x86::_mm256_blend_epi16::<0xaa>(x86::_mm256_srli_epi32::<16>(even), odd);
            let lower = x86::_mm256_blend_epi16::<0xaa>(even, x86::_mm256_slli_epi32::<16>(odd));
            let tie = x86::_mm256_and_si256(upper, x86::_mm256_set1_epi16(1));
            // The sign is set where the lower half is above a tie, or is a tie that rounds up.
            let lower = x86::_mm256_subs_epu16(x86::_mm256_or_si256(lower, tie), x86::_mm256_set1_epi16(1));
            let x = x86::_mm256_sub_epi16(upper, x86::_mm256_srai_epi16::<15>(lower));
            let magnitude = x86::_mm256_and_si256(x, x86::_mm256_set1_epi16(0x7fff));
            let nan = x86::_mm256_cmpgt_epi16(magnitude, x86::_mm256_set1_epi16(0x7f80));
            let x = x86::_mm256_blendv_epi8(x, x86::_mm256_set1_epi16(0x7fc0), nan);
            place.cast::<x86::__m256i>().write_unaligned(x);
        }
    }
    #[inline(always)]
    unsafe fn repeat_f16(element: u16) -> Self {
        // SAFETY: promised by the caller.
        Self(unsafe { x86::_mm256_cvtph_ps(kept4(x86::_mm_set1_epi16(element as i16))) })
    }
    #[inline(always)]
    unsafe fn repeat_bf16(element: u16) -> Self {
        // SAFETY: promised by the caller.
        Self(unsafe { x86::_mm256_castsi256_ps(kept8(x86::_mm256_set1_epi32(i32::from(element) << 16))) })
    }
    methods! {
        fn sqrt(self) = x86::_mm256_sqrt_ps(self.0);
        fn multiply_add(self, by, plus) = x86::_mm256_fmadd_ps(self.0, by.0, plus.0);
        fn max(self, other) = x86::_mm256_max_ps(self.0, other.0);
        fn min(self, other) = x86::_mm256_min_ps(self.0, other.0);
        fn abs(self) = x86::_mm256_and_ps(self.0, x86::_mm256_set1_ps(f32::from_bits(0x7fff_ffff)));
        fn negated(self) = x86::_mm256_xor_ps(self.0, x86::_mm256_set1_ps(-0.0));
        fn relu(self) = {
            let kept = x86::_mm256_cmp_ps::<{ x86::_CMP_NLE_UQ }>(self.0, x86::_mm256_setzero_ps());
            x86::_mm256_and_ps(self.0, kept)
        };
        fn floor(self) = x86::_mm256_round_ps::<{ x86::_MM_FROUND_TO_NEG_INF | x86::_MM_FROUND_NO_EXC }>(self.0);
        fn ceil(self) = x86::_mm256_round_ps::<{ x86::_MM_FROUND_TO_POS_INF | x86::_MM_FROUND_NO_EXC }>(self.0);
        fn round(self) = x86::_mm256_round_ps::<NEAREST>(self.0);
        fn trunc(self) = x86::_mm256_round_ps::<{ x86::_MM_FROUND_TO_ZERO | x86::_MM_FROUND_NO_EXC }>(self.0);
        fn where_nan(self, yes, no) = x86::_mm256_blendv_ps(no.0, yes.0, unordered(self.0));
        fn canonical(self) = {
            x86::_mm256_blendv_ps(self.0, x86::_mm256_set1_ps(f32::from_bits(0x7fc0_0000)), unordered(self.0))
        };
    }
}

/// Returns the mask of NaNs.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn unordered(x: x86::__m256) -> x86::__m256 {
    // SAFETY: promised by the caller.
    unsafe { x86::_mm256_cmp_ps::<{ x86::_CMP_UNORD_Q }>(x, x) }
}

/// Keeps a vector in a register, and hides its value from the compiler, which would otherwise round to f16 and write with
/// one instruction, up to twice as slow as two.
#[inline]
fn kept4(mut x: x86::__m128i) -> x86::__m128i {
    // SAFETY: nothing is done.
    unsafe { asm!("/* {x} */", x = inout(xmm_reg) x, options(pure, nomem, nostack, preserves_flags)) };
    x
}

/// As [`kept4`].
#[inline]
#[target_feature(enable = "avx")]
pub(super) fn kept8(mut x: x86::__m256i) -> x86::__m256i {
    // SAFETY: nothing is done.
    unsafe { asm!("/* {x} */", x = inout(ymm_reg) x, options(pure, nomem, nostack, preserves_flags)) };
    x
}

/// The indices of the numbers of a vector.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn numbers() -> x86::__m256i {
    // SAFETY: promised by the caller.
    unsafe { x86::_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7) }
}

/// Rounds to bf16 in the upper half: the last bit is set where a tie rounds up, and nothing else depends on it.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn raised(x: F32x8) -> x86::__m256i {
    // SAFETY: promised by the caller.
    unsafe {
        let bits = x86::_mm256_castps_si256(x.0);
        let odd = x86::_mm256_and_si256(x86::_mm256_srli_epi32::<16>(bits), x86::_mm256_set1_epi32(1));
        x86::_mm256_add_epi32(x86::_mm256_or_si256(bits, odd), x86::_mm256_set1_epi32(0x7fff))
    }
}

impl ChainVector for F32x8 {
    #[inline(always)]
    unsafe fn load_as(dtype: DType, place: *const u8) -> Self {
        // SAFETY: promised by the caller.
        unsafe {
            let ints = match dtype {
                DType::U8 => x86::_mm256_cvtepu8_epi32(x86::_mm_loadl_epi64(place.cast())),
                DType::I8 => x86::_mm256_cvtepi8_epi32(x86::_mm_loadl_epi64(place.cast())),
                DType::U16 => x86::_mm256_cvtepu16_epi32(x86::_mm_loadu_si128(place.cast())),
                DType::I16 => x86::_mm256_cvtepi16_epi32(x86::_mm_loadu_si128(place.cast())),
                DType::I32 => place.cast::<x86::__m256i>().read_unaligned(),
                DType::F16 => return Self::load_f16(place.cast()),
                DType::BF16 => {
                    let bits = x86::_mm256_cvtepu16_epi32(x86::_mm_loadu_si128(place.cast()));
                    return Self(x86::_mm256_castsi256_ps(x86::_mm256_slli_epi32::<16>(bits)));
                }
                _ => return Self::load(place),
            };
            Self(x86::_mm256_cvtepi32_ps(ints))
        }
    }
    #[inline(always)]
    unsafe fn load_some(place: *const u8, count: usize) -> Self {
        // SAFETY: promised by the caller; what the mask leaves out is not read.
        Self(unsafe {
            let there = x86::_mm256_cmpgt_epi32(x86::_mm256_set1_epi32(count.min(8) as i32), numbers());
            x86::_mm256_maskload_ps(place.cast(), there)
        })
    }
    #[inline(always)]
    unsafe fn stream(self, place: *mut u8) {
        // SAFETY: promised by the caller.
        unsafe { x86::_mm256_stream_ps(place.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn pick(self, indices: *const u32, from: u32) -> Self {
        // SAFETY: promised by the caller.
        Self(unsafe {
            let indices = indices.cast::<x86::__m256i>().read_unaligned();
            let indices = x86::_mm256_sub_epi32(indices, x86::_mm256_set1_epi32(from as i32));
            x86::_mm256_permutevar8x32_ps(self.0, indices)
        })
    }
    #[inline(always)]
    fn then(self, count: i32, other: Self) -> Self {
        // SAFETY: a vector exists only where the CPU supports the level.
        Self(unsafe {
            let first = x86::_mm256_cmpgt_epi32(x86::_mm256_set1_epi32(count), numbers());
            x86::_mm256_blendv_ps(other.0, self.0, x86::_mm256_castsi256_ps(first))
        })
    }
    #[inline(always)]
    unsafe fn strided(place: *const f32, apart: isize) -> Group<Self> {
        // SAFETY: promised by the caller.
        unsafe {
            match apart.unsigned_abs() {
                1 => near::<1>(place, apart),
                2 => near::<2>(place, apart),
                3 => near::<3>(place, apart),
                4 => near::<4>(place, apart),
                _ => {
                    let places = x86::_mm256_mullo_epi32(numbers(), x86::_mm256_set1_epi32(apart as i32));
                    eight(
                        #[inline(always)]
                        |v| {
                            let first = place.wrapping_offset(apart * (v * 8) as isize);
                            Self(x86::_mm256_i32gather_ps::<4>(first, places))
                        },
                    )
                }
            }
        }
    }
    #[inline(always)]
    fn rounded(self, dtype: DType) -> Self {
        // SAFETY: a vector exists only where the CPU supports the level.
        Self(unsafe {
            if dtype == DType::F16 {
                x86::_mm256_cvtph_ps(x86::_mm256_cvtps_ph::<{ x86::_MM_FROUND_TO_NEAREST_INT }>(self.0))
            } else {
                x86::_mm256_castsi256_ps(x86::_mm256_and_si256(raised(self), x86::_mm256_set1_epi32(!0xffff)))
            }
        })
    }
    #[inline(always)]
    fn packed(dtype: DType, [a, b]: [Self; 2]) -> Self {
        // SAFETY: a vector exists only where the CPU supports the level.
        Self(unsafe {
            let bits = if dtype == DType::F16 {
                let low = x86::_mm256_cvtps_ph::<{ x86::_MM_FROUND_TO_NEAREST_INT }>(a.0);
                x86::_mm256_set_m128i(x86::_mm256_cvtps_ph::<{ x86::_MM_FROUND_TO_NEAREST_INT }>(b.0), low)
            } else {
                let (a, b) = (x86::_mm256_srli_epi32::<16>(raised(a)), x86::_mm256_srli_epi32::<16>(raised(b)));
                x86::_mm256_permute4x64_epi64::<0b11_01_10_00>(x86::_mm256_packus_epi32(a, b))
            };
            x86::_mm256_castsi256_ps(bits)
        })
    }
}

/// Where each of eight numbers at a stride of one to four is found, forwards or backwards: among the vectors that begin
/// at the lowest number and at every seventh after it, the numbers sought have eight different positions.
static EIGHT_APART: [[[i32; 8]; 2]; 4] = [
    [places(1, false), places(1, true)],
    [places(2, false), places(2, true)],
    [places(3, false), places(3, true)],
    [places(4, false), places(4, true)],
];

const fn places(apart: i32, backwards: bool) -> [i32; 8] {
    let (mut places, mut i) = ([0; 8], 0);
    while i < 8 {
        let at = apart * if backwards { 7 - i } else { i };
        let part = if at / 7 < apart { at / 7 } else { apart - 1 };
        places[i as usize] = at - 7 * part;
        i += 1;
    }
    places
}

/// Reads numbers at a stride of `APART` elements; `apart` gives the direction.
// SAFETY: As for [`ChainVector::strided`].
#[inline(always)]
unsafe fn near<const APART: usize>(place: *const f32, apart: isize) -> [F32x8; VECTORS] {
    let low = place.wrapping_offset((apart * 7).min(0));
    let places = &EIGHT_APART[APART - 1][usize::from(apart < 0)];
    // SAFETY: promised by the caller; eight integers are a vector.
    unsafe {
        let places = places.as_ptr().cast::<x86::__m256i>().read_unaligned();
        eight(
            #[inline(always)]
            |v| {
                let blended = blended::<APART>(low.wrapping_offset(apart * (v * 8) as isize));
                F32x8(x86::_mm256_permutevar8x32_ps(blended, places))
            },
        )
    }
}

/// Reads eight numbers at a stride of one to four, from the lowest on, each at its position in [`EIGHT_APART`].
// SAFETY: They can be read, with all elements between them, at any address. The CPU supports the level.
#[inline(always)]
unsafe fn blended<const APART: usize>(low: *const f32) -> x86::__m256 {
    // SAFETY: promised by the caller, for the parts that exist: none ends behind the highest number.
    unsafe {
        match APART {
            1 => part(low, 0),
            2 => x86::_mm256_blend_ps::<0xaa>(part(low, 0), part(low, 1)),
            3 => x86::_mm256_blend_ps::<0x92>(x86::_mm256_blend_ps::<0x24>(part(low, 0), part(low, 1)), part(low, 2)),
            _ => {
                let first = x86::_mm256_blend_ps::<0x22>(part(low, 0), part(low, 1));
                let last = x86::_mm256_blend_ps::<0x88>(part(low, 2), part(low, 3));
                x86::_mm256_blend_ps::<0xcc>(first, last)
            }
        }
    }
}

/// Reads the vector that begins `7 * k` numbers after the lowest.
// SAFETY: It can be read, at any address. The CPU supports the level.
#[inline(always)]
unsafe fn part(low: *const f32, k: usize) -> x86::__m256 {
    // SAFETY: promised by the caller.
    unsafe { low.wrapping_add(7 * k).cast::<x86::__m256>().read_unaligned() }
}
