//! Vectors of f32 that are read from elements of 16 bits and written to them.
//!
//! A NaN that is rounded to bf16 must have no bits below those of bf16, so that rounding does not change it. Results of
//! bf16 operations have none: an operation returns one of its NaN operands, quietened, or the machine's own NaN.

use std::arch::x86_64 as x86;

use half::f16;

use super::{
    floats::{
        Floats, Floats8, Floats16, Group, RepeatPosition, VECTORS, canonical8, canonical16, eight, nth, pick8, pick16,
    },
    lane_blocks::{FOLLOWING, raised8, raised16, rounded16},
};
use crate::{dtype::DType, number::Half};

/// Vectors of f32 for f16 and bf16.
pub(crate) trait Narrow: Floats {
    /// Repeats f16 or bf16 elements as f32, each at least twice; `table` has the element index of each result from the
    /// first one on.
    ///
    /// # Safety
    /// The elements before `count` can be read, and the table has as many elements as `times` and a group. The CPU supports the level.
    unsafe fn repeat_as(
        dtype: DType,
        place: *const u16,
        table: *const u32,
        turns: RepeatPosition,
        count: u32,
    ) -> Group<Self>;
    /// Rounds results of f16 or bf16 operations to that dtype.
    ///
    /// # Safety
    /// The CPU supports the level.
    unsafe fn round(dtype: DType, x: Group<Self>) -> Group<Self>;
    /// Writes numbers as f16, bf16 or f32, any NaN as the canonical one; with `past`, by streaming stores.
    ///
    /// # Safety
    /// They can be written, at any address, or with `past` at one that is aligned to a vector. The CPU supports the level.
    unsafe fn write_as(dtype: DType, x: Group<Self>, place: *mut u8, past: bool);
}

/// Reads an element as f32: an integer of at most 32 bits except u32, or a float except f64.
///
/// # Safety
/// It can be read, at any address.
#[inline(always)]
pub(crate) unsafe fn cast(dtype: DType, place: *const u8) -> f32 {
    // SAFETY: promised by the caller.
    unsafe {
        match dtype {
            DType::U8 => f32::from(place.read()),
            DType::I8 => f32::from(place.cast::<i8>().read()),
            DType::U16 => f32::from(place.cast::<u16>().read_unaligned()),
            DType::I16 => f32::from(place.cast::<i16>().read_unaligned()),
            DType::BF16 => f32::from_bits(u32::from(place.cast::<u16>().read_unaligned()) << 16),
            DType::F16 => place.cast::<f16>().read_unaligned().widen(),
            DType::I32 => place.cast::<i32>().read_unaligned() as f32,
            _ => place.cast::<f32>().read_unaligned(),
        }
    }
}

macro_rules! narrow {
    ($($name:ident: $float:ident $ints:ident $pick:ident $canonical:ident $cast:ident $stream:ident;
       $widen:ident $shift:ident $f16:ident $to_f16:ident; $and:ident $set:ident $raised:ident $halves:ident $two:ident;)+) => { $(
        impl Narrow for $name {
            #[inline(always)]
            unsafe fn repeat_as(dtype: DType, place: *const u16, table: *const u32, turns: RepeatPosition, count: u32) -> Group<Self> {
                // SAFETY: promised by the caller; a vector of results spans fewer elements than it has, because each
                // element is repeated.
                unsafe {
                    let last = turns.first + table.add(turns.turn as usize + Self::GROUP - 1).read();
                    if last + Self::N as u32 <= count {
                        return eight(#[inline(always)] |v| Self::picked(dtype, place, table, turns, v, None));
                    }
                    eight(#[inline(always)] |v| Self::picked(dtype, place, table, turns, v, Some(count)))
                }
            }
            #[inline(always)]
            unsafe fn round(dtype: DType, x: Group<Self>) -> Group<Self> {
                // SAFETY: promised by the caller.
                eight(#[inline(always)] |v| unsafe {
                    match dtype {
                        DType::F16 => x86::$f16(x86::$to_f16::<{ x86::_MM_FROUND_TO_NEAREST_INT }>(x[v])),
                        _ => x86::$cast(x86::$and($raised(x[v]), x86::$set(!0xffff))),
                    }
                })
            }
            #[inline(always)]
            unsafe fn write_as(dtype: DType, x: Group<Self>, place: *mut u8, past: bool) {
                if dtype as u8 == DType::F32 as u8 {
                    // SAFETY: promised by the caller.
                    return unsafe { Self::write(x, place, past) };
                }
                for v in 0..VECTORS / 2 {
                    let to = place.wrapping_add(v * size_of::<x86::$ints>());
                    // SAFETY: promised by the caller.
                    unsafe {
                        let (a, b) = ($canonical(x[2 * v]), $canonical(x[2 * v + 1]));
                        let x = match dtype {
                            DType::F16 => $two(
                                x86::$to_f16::<{ x86::_MM_FROUND_TO_NEAREST_INT }>(a),
                                x86::$to_f16::<{ x86::_MM_FROUND_TO_NEAREST_INT }>(b),
                            ),
                            _ => $halves(a, b),
                        };
                        if past { x86::$stream(to.cast(), x) } else { to.cast::<x86::$ints>().write_unaligned(x) }
                    }
                }
            }
        }
        impl $name {
            /// Repeats elements in vector `v`. Only the elements before `count` may be read, if it is given.
            // SAFETY: They can be read. The CPU supports the level.
            #[inline(always)]
            unsafe fn picked(
                dtype: DType, place: *const u16, table: *const u32, turns: RepeatPosition, v: usize, count: Option<u32>,
            ) -> x86::$float {
                // SAFETY: promised by the caller.
                unsafe {
                    let places = table.wrapping_add(turns.turn as usize + v * Self::N);
                    let from = places.read();
                    let first = turns.first + from;
                    let mut place = place.wrapping_add(first as usize).cast::<u8>();
                    let mut some = [0_u8; 32];
                    if let Some(count) = count {
                        let there = count.saturating_sub(first) as usize;
                        some.as_mut_ptr().copy_from_nonoverlapping(place, 2 * there.min(Self::N));
                        place = some.as_ptr();
                    }
                    let x = match dtype {
                        DType::F16 => x86::$f16(nth(place, 0)),
                        _ => x86::$cast(x86::$shift::<16>(x86::$widen(nth(place, 0)))),
                    };
                    $pick(x, nth(places.cast(), 0), from)
                }
            }
        }
    )+ };
}
narrow! {
    Floats8: __m256 __m256i pick8 canonical8 _mm256_castsi256_ps _mm256_stream_si256;
        _mm256_cvtepu16_epi32 _mm256_slli_epi32 _mm256_cvtph_ps _mm256_cvtps_ph;
        _mm256_and_si256 _mm256_set1_epi32 raised8 halves8 two8;
    Floats16: __m512 __m512i pick16 canonical16 _mm512_castsi512_ps _mm512_stream_si512;
        _mm512_cvtepu16_epi32 _mm512_slli_epi32 _mm512_cvtph_ps _mm512_cvtps_ph;
        _mm512_and_si512 _mm512_set1_epi32 raised16 halves16 two16;
}

/// Rounds the numbers of two vectors to bf16.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn halves8(a: x86::__m256, b: x86::__m256) -> x86::__m256i {
    // SAFETY: promised by the caller.
    unsafe {
        let (a, b) = (x86::_mm256_srli_epi32::<16>(raised8(a)), x86::_mm256_srli_epi32::<16>(raised8(b)));
        x86::_mm256_permute4x64_epi64::<0b11_01_10_00>(x86::_mm256_packus_epi32(a, b))
    }
}

/// Rounds the numbers of two vectors to bf16.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn halves16(a: x86::__m512, b: x86::__m512) -> x86::__m512i {
    // SAFETY: promised by the caller.
    unsafe { rounded16(a, b, &FOLLOWING) }
}

/// Makes one vector of two halves.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn two8(a: x86::__m128i, b: x86::__m128i) -> x86::__m256i {
    // SAFETY: promised by the caller.
    unsafe { x86::_mm256_set_m128i(b, a) }
}

/// Makes one vector of two halves.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn two16(a: x86::__m256i, b: x86::__m256i) -> x86::__m512i {
    // SAFETY: promised by the caller.
    unsafe { x86::_mm512_inserti64x4::<1>(x86::_mm512_castsi256_si512(a), b) }
}
