//! Vectors of AVX-512, with which functions of f32, and powers of f64, are computed too.

use std::arch::{asm, x86_64 as x86};

use super::{ChainVector, Group, NEAREST, RowVector, VECTORS, Vector, arithmetic, avx2::kept8, eight, methods};
use crate::{
    dtype::DType,
    math::float_n::{FloatN, Lanewise2},
};

/// Sixteen numbers.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F32x16(x86::__m512);

arithmetic! {
    F32x16:
    Add add |a, b| x86::_mm512_add_ps(a, b);
    Sub sub |a, b| x86::_mm512_sub_ps(a, b);
    Mul mul |a, b| x86::_mm512_mul_ps(a, b);
    Div div |a, b| x86::_mm512_div_ps(a, b);
}

/// Rounds to f16, ties to even.
const TO_F16: i32 = x86::_MM_FROUND_TO_NEAREST_INT;

impl Vector for F32x16 {
    const N: usize = 16;
    #[inline(always)]
    unsafe fn all(x: f32) -> Self {
        // SAFETY: promised by the caller.
        Self(unsafe { x86::_mm512_set1_ps(x) })
    }
    #[inline(always)]
    unsafe fn load_f16(place: *const u16) -> Self {
        // SAFETY: promised by the caller.
        Self(unsafe { x86::_mm512_cvtph_ps(place.cast::<x86::__m256i>().read_unaligned()) })
    }
    #[inline(always)]
    unsafe fn store_f16(self, place: *mut u16) {
        // SAFETY: promised by the caller.
        unsafe { place.cast::<x86::__m256i>().write_unaligned(kept8(x86::_mm512_cvtps_ph::<TO_F16>(self.0))) }
    }
    /// The even elements, and then the odd ones: separating them is faster than moving them.
    #[inline(always)]
    unsafe fn load_bf16_pair(place: *const u16) -> [Self; 2] {
        // SAFETY: promised by the caller.
        unsafe {
            let x = place.cast::<x86::__m512i>().read_unaligned();
            let upper = x86::_mm512_and_si512(x, x86::_mm512_set1_epi32(!0xffff));
            let lower = x86::_mm512_slli_epi32::<16>(x);
            [Self(x86::_mm512_castsi512_ps(lower)), Self(x86::_mm512_castsi512_ps(upper))]
        }
    }
    #[inline(always)]
    unsafe fn store_bf16_pair([even, odd]: [Self; 2], place: *mut u16) {
        // SAFETY: promised by the caller.
        unsafe {
            let x = joined(even.canonical(), odd.canonical(), &ALTERNATE);
            place.cast::<x86::__m512i>().write_unaligned(x);
        }
    }
    #[inline(always)]
    unsafe fn repeat_f16(element: u16) -> Self {
        // SAFETY: promised by the caller.
        Self(unsafe { x86::_mm512_cvtph_ps(kept8(x86::_mm256_set1_epi16(element as i16))) })
    }
    #[inline(always)]
    unsafe fn repeat_bf16(element: u16) -> Self {
        // SAFETY: promised by the caller.
        Self(unsafe { x86::_mm512_castsi512_ps(kept16(x86::_mm512_set1_epi32(i32::from(element) << 16))) })
    }
    methods! {
        fn sqrt(self) = x86::_mm512_sqrt_ps(self.0);
        fn multiply_add(self, by, plus) = x86::_mm512_fmadd_ps(self.0, by.0, plus.0);
        fn max(self, other) = x86::_mm512_max_ps(self.0, other.0);
        fn min(self, other) = x86::_mm512_min_ps(self.0, other.0);
        fn abs(self) = x86::_mm512_and_ps(self.0, x86::_mm512_set1_ps(f32::from_bits(0x7fff_ffff)));
        fn negated(self) = x86::_mm512_xor_ps(self.0, x86::_mm512_set1_ps(-0.0));
        fn relu(self) = {
            let kept = x86::_mm512_cmp_ps_mask::<{ x86::_CMP_NLE_UQ }>(self.0, x86::_mm512_setzero_ps());
            x86::_mm512_maskz_mov_ps(kept, self.0)
        };
        fn floor(self) = x86::_mm512_roundscale_ps::<{ x86::_MM_FROUND_TO_NEG_INF | x86::_MM_FROUND_NO_EXC }>(self.0);
        fn ceil(self) = x86::_mm512_roundscale_ps::<{ x86::_MM_FROUND_TO_POS_INF | x86::_MM_FROUND_NO_EXC }>(self.0);
        fn round(self) = x86::_mm512_roundscale_ps::<NEAREST>(self.0);
        fn trunc(self) = x86::_mm512_roundscale_ps::<{ x86::_MM_FROUND_TO_ZERO | x86::_MM_FROUND_NO_EXC }>(self.0);
        fn where_nan(self, yes, no) = {
            let nan = x86::_mm512_cmp_ps_mask::<{ x86::_CMP_UNORD_Q }>(self.0, self.0);
            x86::_mm512_mask_blend_ps(nan, no.0, yes.0)
        };
        // The table lists kinds of numbers: the first two, the NaNs, keep the first operand, and all others select the
        // second.
        fn canonical(self) = {
            let nan = x86::_mm512_set1_ps(f32::from_bits(0x7fc0_0000));
            x86::_mm512_fixupimm_ps::<0>(nan, self.0, x86::_mm512_set1_epi32(0x1111_1100))
        };
    }
}

/// Keeps a vector in a register, and hides its value from the compiler.
#[inline]
#[target_feature(enable = "avx512f")]
fn kept16(mut x: x86::__m512i) -> x86::__m512i {
    // SAFETY: nothing is done.
    unsafe { asm!("/* {x} */", x = inout(zmm_reg) x, options(pure, nomem, nostack, preserves_flags)) };
    x
}

/// Returns the mask of the first few numbers.
#[inline(always)]
fn first(count: usize) -> x86::__mmask16 {
    ((1_u32 << count.min(16)) - 1) as u16
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
static FOLLOWING: [[u16; 32]; 2] = [places(false, false), places(false, true)];

/// Rounds canonical numbers to bf16 whose lower and upper halves are at these indices.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn joined(a: F32x16, b: F32x16, places: &'static [[u16; 32]; 2]) -> x86::__m512i {
    // SAFETY: promised by the caller; there are two vectors of indices.
    unsafe {
        let (a, b) = (x86::_mm512_castps_si512(a.0), x86::_mm512_castps_si512(b.0));
        let [lower, upper] = places;
        let lower = x86::_mm512_permutex2var_epi16(a, lower.as_ptr().cast::<x86::__m512i>().read_unaligned(), b);
        let upper = x86::_mm512_permutex2var_epi16(a, upper.as_ptr().cast::<x86::__m512i>().read_unaligned(), b);
        // lower | upper & 1: above a tie, or a tie that rounds up.
        let lower = x86::_mm512_ternarylogic_epi32::<0xf8>(lower, upper, x86::_mm512_set1_epi16(1));
        let up = x86::_mm512_cmpgt_epu16_mask(lower, x86::_mm512_set1_epi16(i16::MIN));
        // If the compiler knew this constant, it would load a vector first.
        x86::_mm512_mask_sub_epi16(upper, up, upper, kept16(x86::_mm512_set1_epi16(-1)))
    }
}

impl ChainVector for F32x16 {
    #[inline(always)]
    unsafe fn load_as(dtype: DType, place: *const u8) -> Self {
        // SAFETY: promised by the caller.
        unsafe {
            let ints = match dtype {
                DType::U8 => x86::_mm512_cvtepu8_epi32(x86::_mm_loadu_si128(place.cast())),
                DType::I8 => x86::_mm512_cvtepi8_epi32(x86::_mm_loadu_si128(place.cast())),
                DType::U16 => x86::_mm512_cvtepu16_epi32(place.cast::<x86::__m256i>().read_unaligned()),
                DType::I16 => x86::_mm512_cvtepi16_epi32(place.cast::<x86::__m256i>().read_unaligned()),
                DType::I32 => place.cast::<x86::__m512i>().read_unaligned(),
                DType::F16 => return Self::load_f16(place.cast()),
                DType::BF16 => {
                    let bits = x86::_mm512_cvtepu16_epi32(place.cast::<x86::__m256i>().read_unaligned());
                    return Self(x86::_mm512_castsi512_ps(x86::_mm512_slli_epi32::<16>(bits)));
                }
                _ => return Self::load(place),
            };
            Self(x86::_mm512_cvtepi32_ps(ints))
        }
    }
    /// The numbers that are not read are 1.
    #[inline(always)]
    unsafe fn load_some(place: *const u8, count: usize) -> Self {
        // SAFETY: promised by the caller; what the mask leaves out is not read.
        Self(unsafe { x86::_mm512_mask_loadu_ps(x86::_mm512_set1_ps(1.0), first(count), place.cast()) })
    }
    #[inline(always)]
    unsafe fn stream(self, place: *mut u8) {
        // SAFETY: promised by the caller.
        unsafe { x86::_mm512_stream_ps(place.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn pick(self, indices: *const u32, from: u32) -> Self {
        // SAFETY: promised by the caller.
        Self(unsafe {
            let indices = indices.cast::<x86::__m512i>().read_unaligned();
            x86::_mm512_permutexvar_ps(x86::_mm512_sub_epi32(indices, x86::_mm512_set1_epi32(from as i32)), self.0)
        })
    }
    #[inline(always)]
    fn then(self, count: i32, other: Self) -> Self {
        // SAFETY: a vector exists only where the CPU supports the level.
        Self(unsafe { x86::_mm512_mask_blend_ps(first(count.max(0) as usize), other.0, self.0) })
    }
    #[inline(always)]
    unsafe fn strided(place: *const f32, apart: isize) -> Group<Self> {
        // The lowest element of a vector, and the last vector among those that span its elements.
        let low = place.wrapping_offset((apart * 15).min(0));
        let last = (apart.abs() - 1) * 15;
        // SAFETY: promised by the caller; none of the vectors begins before the lowest element or ends behind the highest.
        unsafe {
            let numbers = x86::_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let first = x86::_mm512_set1_epi32((apart * -15).max(0) as i32);
            let places =
                x86::_mm512_add_epi32(first, x86::_mm512_mullo_epi32(numbers, x86::_mm512_set1_epi32(apart as i32)));
            let mut x = [Self(x86::_mm512_setzero_ps()); VECTORS];
            for part in 0..apart.abs() {
                let from = (part * 16).min(last);
                x = eight(
                    #[inline(always)]
                    |v| {
                        let y = low.wrapping_offset(apart * (v * 16) as isize + from).cast();
                        Self(merged(x[v].0, Self::load(y).0, places, from as i32))
                    },
                );
            }
            x
        }
    }
    #[inline(always)]
    fn rounded(self, dtype: DType) -> Self {
        // SAFETY: a vector exists only where the CPU supports the level.
        Self(unsafe {
            if dtype == DType::F16 {
                x86::_mm512_cvtph_ps(x86::_mm512_cvtps_ph::<TO_F16>(self.0))
            } else {
                let bits = x86::_mm512_castps_si512(self.0);
                // bits | bits >> 16 & 1: the last bit is set where a tie rounds up, and nothing else depends on it.
                let one = x86::_mm512_set1_epi32(1);
                let odd = x86::_mm512_ternarylogic_epi32::<0xf8>(bits, x86::_mm512_srli_epi32::<16>(bits), one);
                let raised = x86::_mm512_add_epi32(odd, x86::_mm512_set1_epi32(0x7fff));
                x86::_mm512_castsi512_ps(x86::_mm512_and_si512(raised, x86::_mm512_set1_epi32(!0xffff)))
            }
        })
    }
    #[inline(always)]
    fn packed(dtype: DType, [a, b]: [Self; 2]) -> Self {
        // SAFETY: a vector exists only where the CPU supports the level.
        Self(unsafe {
            let bits = if dtype == DType::F16 {
                let low = x86::_mm512_castsi256_si512(x86::_mm512_cvtps_ph::<TO_F16>(a.0));
                x86::_mm512_inserti64x4::<1>(low, x86::_mm512_cvtps_ph::<TO_F16>(b.0))
            } else {
                joined(a, b, &FOLLOWING)
            };
            x86::_mm512_castsi512_ps(bits)
        })
    }
}

/// Selects the numbers of `y` at these indices, counted from `from`, and those of `x` where `y` has no such index.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn merged(x: x86::__m512, y: x86::__m512, places: x86::__m512i, from: i32) -> x86::__m512 {
    // SAFETY: promised by the caller.
    unsafe {
        let places = x86::_mm512_sub_epi32(places, x86::_mm512_set1_epi32(from));
        let here = x86::_mm512_cmplt_epu32_mask(places, x86::_mm512_set1_epi32(16));
        x86::_mm512_mask_permutexvar_ps(x, here, places, y)
    }
}

impl FloatN for F32x16 {
    type One = f32;
    type Which = x86::__mmask16;
    const IS_VECTOR: bool = true;
    const WHOLE: f32 = 8_388_608.0;
    #[inline(always)]
    fn all(self, x: f32) -> Self {
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_set1_ps(x) })
    }
    #[inline(always)]
    fn fma(self, by: Self, plus: Self) -> Self {
        self.multiply_add(by, plus)
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

impl RowVector for F32x16 {
    const COUNT: usize = Self::N;
    #[inline(always)]
    unsafe fn repeat(x: f32) -> Self {
        // SAFETY: promised by the caller.
        unsafe { Vector::all(x) }
    }
    #[inline(always)]
    unsafe fn load_first(place: *const u8, count: usize) -> Self {
        // SAFETY: promised by the caller.
        unsafe { Self::load_some(place, count) }
    }
    #[inline(always)]
    unsafe fn store_first(self, place: *mut u8, count: usize) {
        // SAFETY: promised by the caller; what the mask leaves out is not written.
        unsafe { x86::_mm512_mask_storeu_ps(place.cast(), first(count), self.0) }
    }
    #[inline(always)]
    fn apply<F: Lanewise2>(a: Self, b: Self) -> Self {
        F::narrow(a, b)
    }
}

/// Eight numbers of f64.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F64x8(x86::__m512d);

arithmetic! {
    F64x8:
    Add add |a, b| x86::_mm512_add_pd(a, b);
    Sub sub |a, b| x86::_mm512_sub_pd(a, b);
    Mul mul |a, b| x86::_mm512_mul_pd(a, b);
    Div div |a, b| x86::_mm512_div_pd(a, b);
}

impl RowVector for F64x8 {
    const COUNT: usize = 8;
    #[inline(always)]
    unsafe fn repeat(x: f64) -> Self {
        // SAFETY: promised by the caller.
        Self(unsafe { x86::_mm512_set1_pd(x) })
    }
    #[inline(always)]
    unsafe fn load_first(place: *const u8, count: usize) -> Self {
        // SAFETY: promised by the caller; what the mask leaves out is not read.
        Self(unsafe { x86::_mm512_mask_loadu_pd(x86::_mm512_set1_pd(1.0), first(count) as u8, place.cast()) })
    }
    #[inline(always)]
    unsafe fn store_first(self, place: *mut u8, count: usize) {
        // SAFETY: promised by the caller; what the mask leaves out is not written.
        unsafe { x86::_mm512_mask_storeu_pd(place.cast(), first(count) as u8, self.0) }
    }
    #[inline(always)]
    fn apply<F: Lanewise2>(a: Self, b: Self) -> Self {
        F::wide(a, b)
    }
}

impl FloatN for F64x8 {
    type One = f64;
    type Which = x86::__mmask8;
    const IS_VECTOR: bool = true;
    const WHOLE: f32 = 4_503_599_627_370_496.0;
    #[inline(always)]
    fn all(self, x: f64) -> Self {
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_set1_pd(x) })
    }
    #[inline(always)]
    fn fma(self, by: Self, plus: Self) -> Self {
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_fmadd_pd(self.0, by.0, plus.0) })
    }
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_xor_pd(self.0, x86::_mm512_set1_pd(-0.0)) })
    }
    #[inline(always)]
    fn abs_to(self, most: f64) -> Self {
        // The smaller of both magnitudes, without a sign.
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_range_pd::<0b1010>(self.0, x86::_mm512_set1_pd(most)) })
    }
    #[inline(always)]
    fn nearest(self) -> Self {
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_roundscale_pd::<NEAREST>(self.0) })
    }
    #[inline(always)]
    fn scale(self, n: Self) -> Self {
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_scalef_pd(self.0, n.0) })
    }
    #[inline(always)]
    fn limit(self, most: f64) -> Self {
        // The smaller of both magnitudes, with the sign of the number.
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_range_pd::<0b0010>(self.0, x86::_mm512_set1_pd(most)) })
    }
    #[inline(always)]
    fn above(self, other: Self) -> x86::__mmask8 {
        // SAFETY: the CPU supports the level.
        unsafe { x86::_mm512_cmp_pd_mask::<{ x86::_CMP_GT_OQ }>(self.0, other.0) }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> x86::__mmask8 {
        // SAFETY: the CPU supports the level.
        unsafe { x86::_mm512_cmp_pd_mask::<{ x86::_CMP_EQ_OQ }>(self.0, other.0) }
    }
    #[inline(always)]
    fn is_nan(self) -> x86::__mmask8 {
        // SAFETY: the CPU supports the level.
        unsafe { x86::_mm512_cmp_pd_mask::<{ x86::_CMP_UNORD_Q }>(self.0, self.0) }
    }
    #[inline(always)]
    fn none(which: x86::__mmask8) -> bool {
        which == 0
    }
    #[inline(always)]
    fn choose(which: x86::__mmask8, yes: Self, no: Self) -> Self {
        // SAFETY: the CPU supports the level.
        Self(unsafe { x86::_mm512_mask_blend_pd(which, no.0, yes.0) })
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        // The sign bit of one and all other bits of the other; the third operand selects bit by bit.
        // SAFETY: the CPU supports the level.
        unsafe {
            let (size, sign) = (x86::_mm512_castpd_si512(self.0), x86::_mm512_castpd_si512(sign.0));
            let mixed = x86::_mm512_ternarylogic_epi64::<0xd8>(size, sign, x86::_mm512_set1_epi64(i64::MIN));
            Self(x86::_mm512_castsi512_pd(mixed))
        }
    }
    #[inline(always)]
    fn look_up(self, table: &[f64; 32]) -> Self {
        // SAFETY: the CPU supports the level. The bit after those of the half selects it.
        unsafe {
            let places = x86::_mm512_castpd_si512(self.0);
            let upper = x86::_mm512_test_epi64_mask(places, x86::_mm512_set1_epi64(16));
            let (low, high) = (of_sixteen(table.as_ptr(), places), of_sixteen(table[16..].as_ptr(), places));
            Self(x86::_mm512_mask_blend_pd(upper, low, high))
        }
    }
    #[inline(always)]
    fn split(self) -> (Self, Self) {
        const POSITIVE: i32 = x86::_MM_MANT_SIGN_ZERO;
        // SAFETY: the CPU supports the level.
        unsafe {
            let significand = x86::_mm512_getmant_pd::<{ x86::_MM_MANT_NORM_P75_1P5 }, POSITIVE>(self.0);
            let n = x86::_mm512_sub_pd(x86::_mm512_getexp_pd(self.0), x86::_mm512_getexp_pd(significand));
            (Self(n), Self(significand))
        }
    }
    #[inline(always)]
    fn or_edge_of_log(self, x: Self) -> Self {
        // Four bits for each kind of x select the result: minus infinity for zeros, infinity for itself, else the value
        // computed.
        const EDGES: i64 = 4 << 8 | 5 << 20;
        // SAFETY: the CPU supports the level.
        unsafe {
            let value = x86::_mm512_fixupimm_pd::<0>(self.0, x.0, x86::_mm512_set1_epi64(EDGES));
            let unknown = x86::_mm512_cmp_pd_mask::<{ x86::_CMP_NGE_UQ }>(x.0, x86::_mm512_setzero_pd());
            Self(x86::_mm512_mask_blend_pd(unknown, value, x86::_mm512_set1_pd(f64::NAN)))
        }
    }
}

/// Returns the numbers of a table of sixteen at the indices in the lowest bits.
// SAFETY: The table can be read. The CPU supports the level.
#[inline(always)]
unsafe fn of_sixteen(table: *const f64, places: x86::__m512i) -> x86::__m512d {
    // SAFETY: promised by the caller. The instruction reads four bits of an index.
    unsafe { x86::_mm512_permutex2var_pd(x86::_mm512_loadu_pd(table), places, x86::_mm512_loadu_pd(table.add(8))) }
}
