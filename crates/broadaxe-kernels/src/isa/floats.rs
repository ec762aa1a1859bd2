//! Vectors of f32, as wide as a level has them, for the one loop whose operations are known only at run time.
//!
//! The compiler keeps numbers in registers across such a loop if they are vectors from the start. Arrays go to memory
//! after every operation; a CPU then predicts which load depends on which store from the load's address in the code,
//! and mispredicts one that serves several operations. That was measured to be ten times slower.

use std::arch::x86_64 as x86;

use super::Opcode;
use crate::dtype::DType;

/// The position in a sequence of repeated elements: the index of the current element, and how many results have used
/// it.
#[derive(Clone, Copy)]
pub(crate) struct RepeatPosition {
    pub(crate) first: u32,
    pub(crate) turn: u32,
}

/// The vectors that are computed at a time: with one operand each in flight, they fill the registers of AVX2.
pub(crate) const VECTORS: usize = 8;

/// A group of that many vectors.
pub(crate) type Group<F> = [<F as Floats>::V; VECTORS];

/// The vectors of a level.
pub(crate) trait Floats: 'static {
    /// A vector.
    type V: Copy;
    /// The numbers in a vector.
    const N: usize;
    /// The numbers of a group.
    const GROUP: usize = Self::N * VECTORS;
    /// Repeats a number.
    ///
    /// # Safety
    /// The CPU supports the level.
    unsafe fn all(x: f32) -> Self::V;
    /// Reads vector `number` of a row of vectors.
    ///
    /// # Safety
    /// It can be read, at any address. The CPU supports the level.
    unsafe fn nth(row: *const u8, number: usize) -> Self::V;
    /// Reads contiguous elements as f32: integers of at most 32 bits except u32, and floats except f64.
    ///
    /// # Safety
    /// They can be read, at any address. The CPU supports the level.
    unsafe fn read(dtype: DType, place: *const u8) -> Group<Self>;
    /// Repeats elements, each at least twice; `table` has the element index of each result from the first one on.
    ///
    /// # Safety
    /// From each vector's first element on, a whole vector can be read; the table has as many elements as `times` and a group. The
    /// level is here.
    unsafe fn repeat(place: *const f32, table: *const u32, turns: RepeatPosition) -> Group<Self>;
    /// The same where only the elements before `count` can be read.
    ///
    /// # Safety
    /// They can be read, and the table has as many elements as `times` and a group. The CPU supports the level.
    unsafe fn repeat_last(place: *const f32, table: *const u32, turns: RepeatPosition, count: u32) -> Group<Self>;
    /// Repeats one number `before` times, and another for the rest.
    ///
    /// # Safety
    /// The CPU supports the level.
    unsafe fn two(x: f32, y: f32, before: u32) -> Group<Self>;
    /// Reads elements at a stride of `apart` elements, which may be negative but not 0.
    ///
    /// # Safety
    /// They can be read, with all elements between them, at any address. The CPU supports the level.
    unsafe fn apart(place: *const f32, apart: isize) -> Group<Self>;
    /// Computes with operands that are made where they are used; a NaN need not be the canonical one.
    ///
    /// # Safety
    /// The CPU supports the level.
    unsafe fn join(join: Opcode, a: Group<Self>, b: impl Fn(usize) -> Self::V) -> Group<Self>;
    /// Writes numbers, any NaN as the canonical one; with `past`, by streaming stores.
    ///
    /// # Safety
    /// They can be written, at any address, or with `past` at one that is aligned to a vector. The CPU supports the level.
    unsafe fn write(x: Group<Self>, place: *mut u8, past: bool);
}

/// Makes eight vectors.
#[inline(always)]
pub(crate) fn eight<V>(make: impl Fn(usize) -> V) -> [V; VECTORS] {
    [make(0), make(1), make(2), make(3), make(4), make(5), make(6), make(7)]
}

/// Reads vector `number` of a row of vectors.
// SAFETY: It can be read, at any address. The CPU supports the level.
#[inline(always)]
pub(super) unsafe fn nth<V: Copy>(row: *const u8, number: usize) -> V {
    // SAFETY: promised by the caller.
    unsafe { row.cast::<V>().wrapping_add(number).read_unaligned() }
}

macro_rules! floats {
    ($($name:ident: $count:literal $vector:ident $set:ident; $ints:ident $float:ident $cast:ident $shift:ident;
       $eight:ident $i8:ident $u8:ident; $sixteen:ident $i16:ident $u16:ident $f16:ident;
       $add:ident $sub:ident $mul:ident $div:ident $sqrt:ident; $stream:ident $some:ident $pick:ident $canonical:ident $apart:ident $two:ident;
       $max:ident $min:ident $either:ident $relu:ident $mask:ident $flip:ident;)+) => { $(
        pub(crate) struct $name;
        impl Floats for $name {
            type V = x86::$vector;
            const N: usize = $count;
            #[inline(always)]
            unsafe fn all(x: f32) -> Self::V {
                // SAFETY: promised by the caller.
                unsafe { x86::$set(x) }
            }
            #[inline(always)]
            unsafe fn nth(row: *const u8, number: usize) -> Self::V {
                // SAFETY: promised by the caller.
                unsafe { nth(row, number) }
            }
            #[inline(always)]
            unsafe fn read(dtype: DType, place: *const u8) -> Group<Self> {
                // SAFETY: promised by the caller.
                unsafe {
                    match dtype {
                        DType::U8 => eight(#[inline(always)] |v| x86::$float(x86::$u8($eight(place.wrapping_add(v * $count))))),
                        DType::I8 => eight(#[inline(always)] |v| x86::$float(x86::$i8($eight(place.wrapping_add(v * $count))))),
                        DType::U16 => eight(#[inline(always)] |v| x86::$float(x86::$u16(nth::<x86::$sixteen>(place, v)))),
                        DType::I16 => eight(#[inline(always)] |v| x86::$float(x86::$i16(nth::<x86::$sixteen>(place, v)))),
                        DType::BF16 => eight(#[inline(always)] |v| x86::$cast(x86::$shift::<16>(x86::$u16(nth::<x86::$sixteen>(place, v))))),
                        DType::F16 => eight(#[inline(always)] |v| x86::$f16(nth::<x86::$sixteen>(place, v))),
                        DType::I32 => eight(#[inline(always)] |v| x86::$float(nth::<x86::$ints>(place, v))),
                        _ => eight(#[inline(always)] |v| nth::<x86::$vector>(place, v)),
                    }
                }
            }
            #[inline(always)]
            unsafe fn repeat(place: *const f32, table: *const u32, turns: RepeatPosition) -> Group<Self> {
                // SAFETY: promised by the caller.
                eight(#[inline(always)] |v| unsafe {
                    let places = table.wrapping_add(turns.turn as usize + v * $count);
                    let from = places.read();
                    let x = place.add((turns.first + from) as usize).cast::<x86::$vector>().read_unaligned();
                    $pick(x, places.cast::<x86::$ints>().read_unaligned(), from)
                })
            }
            #[inline(always)]
            unsafe fn repeat_last(place: *const f32, table: *const u32, turns: RepeatPosition, count: u32) -> Group<Self> {
                // SAFETY: promised by the caller; no more is read of a vector than exists.
                eight(#[inline(always)] |v| unsafe {
                    let places = table.wrapping_add(turns.turn as usize + v * $count);
                    let from = places.read();
                    let first = turns.first + from;
                    let x = $some(place.wrapping_add(first as usize), count.saturating_sub(first));
                    $pick(x, places.cast::<x86::$ints>().read_unaligned(), from)
                })
            }
            #[inline(always)]
            unsafe fn two(x: f32, y: f32, before: u32) -> Group<Self> {
                // SAFETY: promised by the caller.
                unsafe {
                    let (x, y) = (Self::all(x), Self::all(y));
                    eight(#[inline(always)] |v| $two(x, y, before as i32 - v as i32 * $count))
                }
            }
            #[inline(always)]
            unsafe fn apart(place: *const f32, apart: isize) -> Group<Self> {
                // SAFETY: promised by the caller.
                unsafe { $apart(place, apart) }
            }
            #[inline(always)]
            unsafe fn join(join: Opcode, a: Group<Self>, b: impl Fn(usize) -> Self::V) -> Group<Self> {
                // SAFETY: promised by the caller.
                unsafe {
                    match join {
                        Opcode::Sum => eight(#[inline(always)] |v| x86::$add(a[v], b(v))),
                        Opcode::Difference => eight(#[inline(always)] |v| x86::$sub(a[v], b(v))),
                        Opcode::Reversed => eight(#[inline(always)] |v| x86::$sub(b(v), a[v])),
                        Opcode::Product => eight(#[inline(always)] |v| x86::$mul(a[v], b(v))),
                        Opcode::Quotient => eight(#[inline(always)] |v| x86::$div(a[v], b(v))),
                        Opcode::Inverted => eight(#[inline(always)] |v| x86::$div(b(v), a[v])),
                        Opcode::Root => eight(#[inline(always)] |v| x86::$sqrt(a[v])),
                        // The instructions return their second operand where either operand is a NaN, or both are
                        // equal.
                        Opcode::Larger => eight(#[inline(always)] |v| $either(a[v], x86::$max(a[v], b(v)))),
                        Opcode::LargerSwapped => eight(#[inline(always)] |v| { let b = b(v); $either(b, x86::$max(b, a[v])) }),
                        Opcode::Smaller => eight(#[inline(always)] |v| $either(a[v], x86::$min(a[v], b(v)))),
                        Opcode::SmallerSwapped => eight(#[inline(always)] |v| { let b = b(v); $either(b, x86::$min(b, a[v])) }),
                        Opcode::Relu => eight(#[inline(always)] |v| $relu(a[v])),
                        Opcode::Magnitude => eight(#[inline(always)] |v| x86::$mask(a[v], x86::$set(f32::from_bits(0x7fff_ffff)))),
                        Opcode::Negative => eight(#[inline(always)] |v| x86::$flip(a[v], x86::$set(-0.0))),
                        Opcode::Square => eight(#[inline(always)] |v| x86::$mul(a[v], a[v])),
                        Opcode::Reciprocal => eight(#[inline(always)] |v| x86::$div(x86::$set(1.0), a[v])),
                    }
                }
            }
            #[inline(always)]
            unsafe fn write(x: Group<Self>, place: *mut u8, past: bool) {
                for (v, &x) in x.iter().enumerate() {
                    let to = place.wrapping_add(v * size_of::<x86::$vector>());
                    // SAFETY: promised by the caller.
                    unsafe {
                        let x = $canonical(x);
                        if past { x86::$stream(to.cast(), x) } else { to.cast::<x86::$vector>().write_unaligned(x) }
                    }
                }
            }
        }
    )+ };
}
floats! {
    Floats8: 8 __m256 _mm256_set1_ps; __m256i _mm256_cvtepi32_ps _mm256_castsi256_ps _mm256_slli_epi32;
        read8 _mm256_cvtepi8_epi32 _mm256_cvtepu8_epi32; __m128i _mm256_cvtepi16_epi32 _mm256_cvtepu16_epi32 _mm256_cvtph_ps;
        _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_sqrt_ps; _mm256_stream_ps some8 pick8 canonical8 apart8 two8;
        _mm256_max_ps _mm256_min_ps either8 relu8 _mm256_and_ps _mm256_xor_ps;
    Floats16: 16 __m512 _mm512_set1_ps; __m512i _mm512_cvtepi32_ps _mm512_castsi512_ps _mm512_slli_epi32;
        read16 _mm512_cvtepi8_epi32 _mm512_cvtepu8_epi32; __m256i _mm512_cvtepi16_epi32 _mm512_cvtepu16_epi32 _mm512_cvtph_ps;
        _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_sqrt_ps; _mm512_stream_ps some16 pick16 canonical16 apart16 two16;
        _mm512_max_ps _mm512_min_ps either16 relu16 _mm512_and_ps _mm512_xor_ps;
}

// SAFETY: Eight bytes can be read.
#[inline(always)]
unsafe fn read8(place: *const u8) -> x86::__m128i {
    // SAFETY: promised by the caller; every x86-64 CPU has the instruction.
    unsafe { x86::_mm_loadl_epi64(place.cast()) }
}

// SAFETY: Sixteen bytes can be read.
#[inline(always)]
unsafe fn read16(place: *const u8) -> x86::__m128i {
    // SAFETY: promised by the caller; every x86-64 CPU has the instruction.
    unsafe { x86::_mm_loadu_si128(place.cast()) }
}

/// Reads the first `there` numbers of a vector; the others are 0.
// SAFETY: `there` numbers can be read. The CPU supports the level.
#[inline(always)]
unsafe fn some8(place: *const f32, there: u32) -> x86::__m256 {
    // SAFETY: promised by the caller; what the mask leaves out is not read.
    unsafe {
        let numbers = x86::_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        x86::_mm256_maskload_ps(place, x86::_mm256_cmpgt_epi32(x86::_mm256_set1_epi32(there.min(8) as i32), numbers))
    }
}

/// Reads the first `there` numbers of a vector; the others are 0.
// SAFETY: `there` numbers can be read. The CPU supports the level.
#[inline(always)]
unsafe fn some16(place: *const f32, there: u32) -> x86::__m512 {
    // SAFETY: promised by the caller; what the mask leaves out is not read.
    unsafe { x86::_mm512_maskz_loadu_ps(((1_u32 << there.min(16)) - 1) as u16, place) }
}

/// Selects the numbers at these indices, counted from `from`.
// SAFETY: The CPU supports the level.
#[inline(always)]
pub(super) unsafe fn pick8(x: x86::__m256, places: x86::__m256i, from: u32) -> x86::__m256 {
    // SAFETY: promised by the caller.
    unsafe { x86::_mm256_permutevar8x32_ps(x, x86::_mm256_sub_epi32(places, x86::_mm256_set1_epi32(from as i32))) }
}

/// Selects the numbers at these indices, counted from `from`.
// SAFETY: The CPU supports the level.
#[inline(always)]
pub(super) unsafe fn pick16(x: x86::__m512, places: x86::__m512i, from: u32) -> x86::__m512 {
    // SAFETY: promised by the caller.
    unsafe { x86::_mm512_permutexvar_ps(x86::_mm512_sub_epi32(places, x86::_mm512_set1_epi32(from as i32)), x) }
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

/// Reads numbers at a stride of `apart` elements.
// SAFETY: They can be read, with all elements between them, at any address. The CPU supports the level.
#[inline(always)]
unsafe fn apart8(place: *const f32, apart: isize) -> [x86::__m256; VECTORS] {
    // SAFETY: promised by the caller.
    unsafe {
        match apart.unsigned_abs() {
            1 => near8::<1>(place, apart),
            2 => near8::<2>(place, apart),
            3 => near8::<3>(place, apart),
            4 => near8::<4>(place, apart),
            _ => {
                let numbers = x86::_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
                let places = x86::_mm256_mullo_epi32(numbers, x86::_mm256_set1_epi32(apart as i32));
                eight(
                    #[inline(always)]
                    |v| x86::_mm256_i32gather_ps::<4>(place.wrapping_offset(apart * (v * 8) as isize), places),
                )
            }
        }
    }
}

/// Reads numbers at a stride of `APART` elements; `apart` gives the direction.
// SAFETY: As for [`apart8`].
#[inline(always)]
unsafe fn near8<const APART: usize>(place: *const f32, apart: isize) -> [x86::__m256; VECTORS] {
    let low = place.wrapping_offset((apart * 7).min(0));
    let places = &EIGHT_APART[APART - 1][usize::from(apart < 0)];
    // SAFETY: promised by the caller; eight integers are a vector.
    unsafe {
        let places = places.as_ptr().cast::<x86::__m256i>().read_unaligned();
        eight(
            #[inline(always)]
            |v| {
                let blended = blended8::<APART>(low.wrapping_offset(apart * (v * 8) as isize));
                x86::_mm256_permutevar8x32_ps(blended, places)
            },
        )
    }
}

/// Reads eight numbers at a stride of one to four, from the lowest on, each at its position in [`EIGHT_APART`].
// SAFETY: They can be read, with all elements between them, at any address. The CPU supports the level.
#[inline(always)]
unsafe fn blended8<const APART: usize>(low: *const f32) -> x86::__m256 {
    // SAFETY: promised by the caller, for the parts that exist: none ends behind the highest number.
    unsafe {
        match APART {
            1 => part8(low, 0),
            2 => x86::_mm256_blend_ps::<0xaa>(part8(low, 0), part8(low, 1)),
            3 => {
                x86::_mm256_blend_ps::<0x92>(x86::_mm256_blend_ps::<0x24>(part8(low, 0), part8(low, 1)), part8(low, 2))
            }
            _ => {
                let first = x86::_mm256_blend_ps::<0x22>(part8(low, 0), part8(low, 1));
                let last = x86::_mm256_blend_ps::<0x88>(part8(low, 2), part8(low, 3));
                x86::_mm256_blend_ps::<0xcc>(first, last)
            }
        }
    }
}

/// Reads the vector that begins `7 * part` numbers after the lowest.
// SAFETY: It can be read, at any address. The CPU supports the level.
#[inline(always)]
unsafe fn part8(low: *const f32, part: usize) -> x86::__m256 {
    // SAFETY: promised by the caller.
    unsafe { nth(low.wrapping_add(7 * part).cast(), 0) }
}

/// Reads numbers at a stride of `apart` elements.
// SAFETY: They can be read, with all elements between them, at any address. The CPU supports the level.
#[inline(always)]
unsafe fn apart16(place: *const f32, apart: isize) -> [x86::__m512; VECTORS] {
    // The lowest element of a vector, and the last vector among those that span its elements.
    let low = place.wrapping_offset((apart * 15).min(0));
    let last = (apart.abs() - 1) * 15;
    // SAFETY: promised by the caller; none of the vectors begins before the lowest element or ends behind the highest.
    unsafe {
        let numbers = x86::_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let first = x86::_mm512_set1_epi32((apart * -15).max(0) as i32);
        let places =
            x86::_mm512_add_epi32(first, x86::_mm512_mullo_epi32(numbers, x86::_mm512_set1_epi32(apart as i32)));
        let mut x = [x86::_mm512_setzero_ps(); VECTORS];
        for part in 0..apart.abs() {
            let from = (part * 16).min(last);
            x = eight(
                #[inline(always)]
                |v| {
                    let y = nth(low.wrapping_offset(apart * (v * 16) as isize + from).cast(), 0);
                    merge16(x[v], y, places, from as i32)
                },
            );
        }
        x
    }
}

/// Selects the numbers of `y` at these indices, counted from `from`, and those of `x` where `y` has no such index.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn merge16(x: x86::__m512, y: x86::__m512, places: x86::__m512i, from: i32) -> x86::__m512 {
    // SAFETY: promised by the caller.
    unsafe {
        let places = x86::_mm512_sub_epi32(places, x86::_mm512_set1_epi32(from));
        let here = x86::_mm512_cmplt_epu32_mask(places, x86::_mm512_set1_epi32(16));
        x86::_mm512_mask_permutexvar_ps(x, here, places, y)
    }
}

/// Returns the first numbers of x and the others of y.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn two8(x: x86::__m256, y: x86::__m256, before: i32) -> x86::__m256 {
    // SAFETY: promised by the caller.
    unsafe {
        let first =
            x86::_mm256_cmpgt_epi32(x86::_mm256_set1_epi32(before), x86::_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        x86::_mm256_blendv_ps(y, x, x86::_mm256_castsi256_ps(first))
    }
}

/// Returns the first numbers of x and the others of y.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn two16(x: x86::__m512, y: x86::__m512, before: i32) -> x86::__m512 {
    let first = (1_u32 << before.clamp(0, 16)) - 1;
    // SAFETY: promised by the caller.
    unsafe { x86::_mm512_mask_blend_ps(first as u16, y, x) }
}

/// Returns x where it is a NaN, else y.
// SAFETY: The CPU supports the level.
#[inline(always)]
pub(super) unsafe fn either8(x: x86::__m256, y: x86::__m256) -> x86::__m256 {
    // SAFETY: promised by the caller.
    unsafe { chosen8(x, x, y) }
}

/// Returns x where `a` is a NaN, else y.
// SAFETY: The CPU supports the level.
#[inline(always)]
pub(super) unsafe fn chosen8(a: x86::__m256, x: x86::__m256, y: x86::__m256) -> x86::__m256 {
    // SAFETY: promised by the caller.
    unsafe { x86::_mm256_blendv_ps(y, x, x86::_mm256_cmp_ps::<{ x86::_CMP_UNORD_Q }>(a, a)) }
}

/// Returns x where it is a NaN, else y.
// SAFETY: The CPU supports the level.
#[inline(always)]
pub(super) unsafe fn either16(x: x86::__m512, y: x86::__m512) -> x86::__m512 {
    // SAFETY: promised by the caller.
    unsafe { chosen16(x, x, y) }
}

/// Returns x where `a` is a NaN, else y.
// SAFETY: The CPU supports the level.
#[inline(always)]
pub(super) unsafe fn chosen16(a: x86::__m512, x: x86::__m512, y: x86::__m512) -> x86::__m512 {
    // SAFETY: promised by the caller.
    unsafe { x86::_mm512_mask_blend_ps(x86::_mm512_cmp_ps_mask::<{ x86::_CMP_UNORD_Q }>(a, a), y, x) }
}

/// Returns numbers unless they are at most 0, and 0 for the rest.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn relu8(x: x86::__m256) -> x86::__m256 {
    // SAFETY: promised by the caller.
    unsafe { x86::_mm256_and_ps(x, x86::_mm256_cmp_ps::<{ x86::_CMP_NLE_UQ }>(x, x86::_mm256_setzero_ps())) }
}

/// Returns numbers unless they are at most 0, and 0 for the rest.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn relu16(x: x86::__m512) -> x86::__m512 {
    // SAFETY: promised by the caller.
    unsafe {
        let kept = x86::_mm512_cmp_ps_mask::<{ x86::_CMP_NLE_UQ }>(x, x86::_mm512_setzero_ps());
        x86::_mm512_maskz_mov_ps(kept, x)
    }
}

/// Makes any NaN the canonical one.
// SAFETY: The CPU supports the level.
#[inline(always)]
pub(super) unsafe fn canonical8(x: x86::__m256) -> x86::__m256 {
    // SAFETY: promised by the caller.
    unsafe {
        let nan = x86::_mm256_cmp_ps::<{ x86::_CMP_UNORD_Q }>(x, x);
        x86::_mm256_blendv_ps(x, x86::_mm256_set1_ps(f32::from_bits(0x7fc0_0000)), nan)
    }
}

/// Makes any NaN the canonical one. The table lists kinds of numbers: the first two, the NaNs, keep the first operand,
/// and all others select the second.
// SAFETY: The CPU supports the level.
#[inline(always)]
pub(super) unsafe fn canonical16(x: x86::__m512) -> x86::__m512 {
    // SAFETY: promised by the caller.
    unsafe {
        let nan = x86::_mm512_set1_ps(f32::from_bits(0x7fc0_0000));
        x86::_mm512_fixupimm_ps::<0>(nan, x, x86::_mm512_set1_epi32(0x1111_1100))
    }
}
