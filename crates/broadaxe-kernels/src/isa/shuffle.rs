//! Selects bytes of a vector in any order.

/// The index of no byte: a zero is selected.
pub(crate) const NO_BYTE: u8 = 0x80;

/// Whether a level can select bytes of a vector in any order.
pub(crate) trait Shuffle: 'static {
    /// Whether the level can.
    const HERE: bool;
    /// Selects the bytes at these indices of sixteen bytes, each below sixteen.
    ///
    /// # Safety
    /// The CPU supports the level, and `HERE` is true.
    #[inline(always)]
    unsafe fn taken(bytes: [u8; 16], places: [u8; 16]) -> [u8; 16] {
        // SAFETY: promised by the caller.
        unsafe { Self::taken_of(&[bytes], &[places]) }
    }
    /// Selects bytes of several times sixteen: each from one of them, and [`NO_BYTE`] from the others.
    ///
    /// # Safety
    /// As for [`Shuffle::taken`].
    unsafe fn taken_of<const N: usize>(bytes: &[[u8; 16]; N], places: &[[u8; 16]; N]) -> [u8; 16];
}

/// A level without such an instruction.
pub(crate) struct NoShuffle;

impl Shuffle for NoShuffle {
    const HERE: bool = false;
    #[inline(always)]
    unsafe fn taken_of<const N: usize>(_: &[[u8; 16]; N], _: &[[u8; 16]; N]) -> [u8; 16] {
        [0; 16]
    }
}

/// The levels from AVX2 on.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Shuffle16;

#[cfg(target_arch = "x86_64")]
impl Shuffle for Shuffle16 {
    const HERE: bool = true;
    #[inline(always)]
    unsafe fn taken_of<const N: usize>(bytes: &[[u8; 16]; N], places: &[[u8; 16]; N]) -> [u8; 16] {
        use std::arch::x86_64::{__m128i, _mm_or_si128, _mm_setzero_si128, _mm_shuffle_epi8, _mm_storeu_si128};
        let mut out = [0; 16];
        // SAFETY: the CPU supports the level, as the caller promises; all are sixteen bytes.
        unsafe {
            let mut all = _mm_setzero_si128();
            for (bytes, places) in bytes.iter().zip(places) {
                let bytes = (&raw const *bytes).cast::<__m128i>().read_unaligned();
                let places = (&raw const *places).cast::<__m128i>().read_unaligned();
                all = _mm_or_si128(all, _mm_shuffle_epi8(bytes, places));
            }
            _mm_storeu_si128((&raw mut out).cast(), all);
        }
        out
    }
}

/// NEON.
#[cfg(target_arch = "aarch64")]
pub(crate) struct ShuffleNeon;

#[cfg(target_arch = "aarch64")]
impl Shuffle for ShuffleNeon {
    const HERE: bool = true;
    #[inline(always)]
    unsafe fn taken_of<const N: usize>(bytes: &[[u8; 16]; N], places: &[[u8; 16]; N]) -> [u8; 16] {
        use std::arch::aarch64::{vdupq_n_u8, vld1q_u8, vorrq_u8, vqtbl1q_u8, vst1q_u8};
        let mut out = [0; 16];
        // SAFETY: every aarch64 CPU has the instructions; all are sixteen bytes. An index of no byte selects a zero.
        unsafe {
            let mut all = vdupq_n_u8(0);
            for (bytes, places) in bytes.iter().zip(places) {
                all = vorrq_u8(all, vqtbl1q_u8(vld1q_u8(bytes.as_ptr()), vld1q_u8(places.as_ptr())));
            }
            vst1q_u8(out.as_mut_ptr(), all);
        }
        out
    }
}
