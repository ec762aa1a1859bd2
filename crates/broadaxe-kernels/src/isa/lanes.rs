//! Vectors as rows of lanes of sixteen bytes, as wide as a level has them, for strided copies that transpose squares in
//! registers.
//!
//! All levels merge elements within lanes alike; wider vectors need one more step that moves whole lanes.

#[cfg(target_arch = "aarch64")]
use std::arch::aarch64 as arm;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64 as x86;

/// The bytes of a lane.
pub(crate) const LANE: usize = 16;

/// The most lanes of a vector.
pub(crate) const MAX_LANES: usize = 4;

/// The vectors of a level.
pub(crate) trait Lanes: 'static {
    /// A vector.
    type V: Copy;
    /// The next narrower vectors.
    type Narrower: Lanes;
    /// The lanes of a vector; none where there are no vectors.
    const COUNT: usize;
    /// Returns a vector of zeros.
    ///
    /// # Safety
    /// The CPU supports the level.
    unsafe fn zero() -> Self::V;
    /// Reads a vector.
    ///
    /// # Safety
    /// It can be read, at any address. The CPU supports the level.
    unsafe fn read(place: *const u8) -> Self::V;
    /// Writes a vector.
    ///
    /// # Safety
    /// It can be written, at any address. The CPU supports the level.
    unsafe fn write(x: Self::V, place: *mut u8);
    /// Writes the lanes of a vector, `step` bytes apart.
    ///
    /// # Safety
    /// They can be written, at any address. The CPU supports the level.
    unsafe fn write_apart(x: Self::V, place: *mut u8, step: isize);
    /// Merges the elements of two vectors, of `SIZE` bytes each: those of the lower halves of the lanes, and those of
    /// the upper halves.
    ///
    /// # Safety
    /// The CPU supports the level.
    unsafe fn merge<const SIZE: usize>(a: Self::V, b: Self::V) -> (Self::V, Self::V);
    /// Transposes lanes: gathers the first of as many vectors as there are lanes, then the second, and so on.
    ///
    /// # Safety
    /// The CPU supports the level.
    unsafe fn turned(rows: [Self::V; MAX_LANES]) -> [Self::V; MAX_LANES];
}

/// No vectors.
pub(crate) struct NoLanes;

impl Lanes for NoLanes {
    type V = ();
    type Narrower = Self;
    const COUNT: usize = 0;
    #[inline(always)]
    unsafe fn zero() {}
    #[inline(always)]
    unsafe fn read(_: *const u8) {}
    #[inline(always)]
    unsafe fn write((): (), _: *mut u8) {}
    #[inline(always)]
    unsafe fn write_apart((): (), _: *mut u8, _: isize) {}
    #[inline(always)]
    unsafe fn merge<const SIZE: usize>((): (), (): ()) -> ((), ()) {
        ((), ())
    }
    #[inline(always)]
    unsafe fn turned(rows: [(); MAX_LANES]) -> [(); MAX_LANES] {
        rows
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! lanes {
    ($($name:ident: $count:literal $narrower:ident $vector:ident $zero:ident $turn:ident $apart:ident; $low8:ident $high8:ident $low16:ident $high16:ident
       $low32:ident $high32:ident $low64:ident $high64:ident;)+) => { $(
        pub(crate) struct $name;
        impl Lanes for $name {
            type V = x86::$vector;
            type Narrower = $narrower;
            const COUNT: usize = $count;
            #[inline(always)]
            unsafe fn zero() -> Self::V {
                // SAFETY: promised by the caller.
                unsafe { x86::$zero() }
            }
            #[inline(always)]
            unsafe fn read(place: *const u8) -> Self::V {
                // SAFETY: promised by the caller.
                unsafe { place.cast::<Self::V>().read_unaligned() }
            }
            #[inline(always)]
            unsafe fn write(x: Self::V, place: *mut u8) {
                // SAFETY: promised by the caller.
                unsafe { place.cast::<Self::V>().write_unaligned(x) }
            }
            #[inline(always)]
            unsafe fn write_apart(x: Self::V, place: *mut u8, step: isize) {
                // SAFETY: promised by the caller.
                unsafe { $apart(x, place, step) }
            }
            #[inline(always)]
            unsafe fn merge<const SIZE: usize>(a: Self::V, b: Self::V) -> (Self::V, Self::V) {
                // SAFETY: promised by the caller.
                unsafe {
                    match SIZE {
                        1 => (x86::$low8(a, b), x86::$high8(a, b)),
                        2 => (x86::$low16(a, b), x86::$high16(a, b)),
                        4 => (x86::$low32(a, b), x86::$high32(a, b)),
                        _ => (x86::$low64(a, b), x86::$high64(a, b)),
                    }
                }
            }
            #[inline(always)]
            unsafe fn turned(rows: [Self::V; MAX_LANES]) -> [Self::V; MAX_LANES] {
                // SAFETY: promised by the caller.
                unsafe { $turn(rows) }
            }
        }
    )+ };
}
#[cfg(target_arch = "x86_64")]
lanes! {
    Lanes1: 1 NoLanes __m128i _mm_setzero_si128 turn1 apart1; _mm_unpacklo_epi8 _mm_unpackhi_epi8 _mm_unpacklo_epi16 _mm_unpackhi_epi16
        _mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64;
    Lanes2: 2 Lanes1 __m256i _mm256_setzero_si256 turn2 apart2; _mm256_unpacklo_epi8 _mm256_unpackhi_epi8 _mm256_unpacklo_epi16 _mm256_unpackhi_epi16
        _mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64;
    Lanes4: 4 Lanes2 __m512i _mm512_setzero_si512 turn4 apart4; _mm512_unpacklo_epi8 _mm512_unpackhi_epi8 _mm512_unpacklo_epi16 _mm512_unpackhi_epi16
        _mm512_unpacklo_epi32 _mm512_unpackhi_epi32 _mm512_unpacklo_epi64 _mm512_unpackhi_epi64;
}

// SAFETY: No requirement.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn turn1(rows: [x86::__m128i; MAX_LANES]) -> [x86::__m128i; MAX_LANES] {
    rows
}

// SAFETY: The CPU supports the level.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn turn2([a, b, ..]: [x86::__m256i; MAX_LANES]) -> [x86::__m256i; MAX_LANES] {
    // SAFETY: promised by the caller.
    let turned =
        unsafe { [x86::_mm256_permute2x128_si256::<0x20>(a, b), x86::_mm256_permute2x128_si256::<0x31>(a, b)] };
    [turned[0], turned[1], a, b]
}

// SAFETY: The CPU supports the level.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn turn4([a, b, c, d]: [x86::__m512i; MAX_LANES]) -> [x86::__m512i; MAX_LANES] {
    use x86::_mm512_shuffle_i32x4 as shuffle;
    // SAFETY: promised by the caller.
    unsafe {
        let (even, odd) =
            ((shuffle::<0x88>(a, b), shuffle::<0x88>(c, d)), (shuffle::<0xdd>(a, b), shuffle::<0xdd>(c, d)));
        [
            shuffle::<0x88>(even.0, even.1),
            shuffle::<0x88>(odd.0, odd.1),
            shuffle::<0xdd>(even.0, even.1),
            shuffle::<0xdd>(odd.0, odd.1),
        ]
    }
}

// SAFETY: The lane can be written, at any address.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn apart1(x: x86::__m128i, place: *mut u8, _: isize) {
    // SAFETY: promised by the caller.
    unsafe { place.cast::<x86::__m128i>().write_unaligned(x) };
}

// SAFETY: Lanes `step` bytes apart can be written, at any address. The CPU supports the level.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn apart2(x: x86::__m256i, place: *mut u8, step: isize) {
    // SAFETY: promised by the caller.
    unsafe {
        apart1(x86::_mm256_castsi256_si128(x), place, 0);
        apart1(x86::_mm256_extracti128_si256::<1>(x), place.offset(step), 0);
    }
}

// SAFETY: As for `apart2`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn apart4(x: x86::__m512i, place: *mut u8, step: isize) {
    // SAFETY: promised by the caller.
    unsafe {
        apart2(x86::_mm512_castsi512_si256(x), place, step);
        apart2(x86::_mm512_extracti64x4_epi64::<1>(x), place.offset(2 * step), step);
    }
}

/// The vectors of NEON.
#[cfg(target_arch = "aarch64")]
pub(crate) struct LanesNeon;

#[cfg(target_arch = "aarch64")]
impl Lanes for LanesNeon {
    type V = arm::uint8x16_t;
    type Narrower = NoLanes;
    const COUNT: usize = 1;
    #[inline(always)]
    unsafe fn zero() -> Self::V {
        // SAFETY: every aarch64 CPU has the instruction.
        unsafe { arm::vdupq_n_u8(0) }
    }
    #[inline(always)]
    unsafe fn read(place: *const u8) -> Self::V {
        // SAFETY: promised by the caller.
        unsafe { arm::vld1q_u8(place) }
    }
    #[inline(always)]
    unsafe fn write(x: Self::V, place: *mut u8) {
        // SAFETY: promised by the caller.
        unsafe { arm::vst1q_u8(place, x) }
    }
    #[inline(always)]
    unsafe fn write_apart(x: Self::V, place: *mut u8, _: isize) {
        // SAFETY: promised by the caller.
        unsafe { arm::vst1q_u8(place, x) }
    }
    #[inline(always)]
    unsafe fn merge<const SIZE: usize>(a: Self::V, b: Self::V) -> (Self::V, Self::V) {
        // SAFETY: every aarch64 CPU has the instructions.
        unsafe {
            match SIZE {
                1 => (arm::vzip1q_u8(a, b), arm::vzip2q_u8(a, b)),
                2 => {
                    let (a, b) = (arm::vreinterpretq_u16_u8(a), arm::vreinterpretq_u16_u8(b));
                    let (low, high) = (arm::vzip1q_u16(a, b), arm::vzip2q_u16(a, b));
                    (arm::vreinterpretq_u8_u16(low), arm::vreinterpretq_u8_u16(high))
                }
                4 => {
                    let (a, b) = (arm::vreinterpretq_u32_u8(a), arm::vreinterpretq_u32_u8(b));
                    let (low, high) = (arm::vzip1q_u32(a, b), arm::vzip2q_u32(a, b));
                    (arm::vreinterpretq_u8_u32(low), arm::vreinterpretq_u8_u32(high))
                }
                _ => {
                    let (a, b) = (arm::vreinterpretq_u64_u8(a), arm::vreinterpretq_u64_u8(b));
                    let (low, high) = (arm::vzip1q_u64(a, b), arm::vzip2q_u64(a, b));
                    (arm::vreinterpretq_u8_u64(low), arm::vreinterpretq_u8_u64(high))
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn turned(rows: [Self::V; MAX_LANES]) -> [Self::V; MAX_LANES] {
        rows
    }
}
