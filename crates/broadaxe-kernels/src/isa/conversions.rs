//! The conversions of each level between f16 and f32.

use half::f16;

/// Conversions between f16 and f32 in memory, sixteen at a time.
pub(crate) trait Convert: 'static {
    /// Widens; exact.
    ///
    /// # Safety
    /// Sixteen elements can be read at `from` and written at `to`, of any alignment. The CPU supports the level.
    unsafe fn widen(from: *const f16, to: *mut f32);
    /// Rounds to nearest, ties to even; the canonical NaN stays canonical.
    ///
    /// # Safety
    /// As for `widen`.
    unsafe fn narrow(from: *const f32, to: *mut f16);
}

#[cfg(target_arch = "x86_64")]
macro_rules! conversions {
    ($($level:ident: $count:literal, $halves:ident, $floats:ident, $widen:ident, $narrow:ident, $kept:ident;)+) => { $(
        pub(crate) struct $level;
        impl Convert for $level {
            #[inline(always)]
            unsafe fn widen(from: *const f16, to: *mut f32) {
                use std::arch::x86_64::{$floats, $halves, $widen};
                for i in (0..16).step_by($count) {
                    // SAFETY: promised by the caller.
                    unsafe {
                        let halves = from.add(i).cast::<$halves>().read_unaligned();
                        to.add(i).cast::<$floats>().write_unaligned($widen(halves));
                    }
                }
            }
            #[inline(always)]
            unsafe fn narrow(from: *const f32, to: *mut f16) {
                use std::arch::x86_64::{$floats, $halves, $narrow, _MM_FROUND_TO_NEAREST_INT};
                for i in (0..16).step_by($count) {
                    // SAFETY: promised by the caller.
                    unsafe {
                        let floats = from.add(i).cast::<$floats>().read_unaligned();
                        let halves = $narrow::<_MM_FROUND_TO_NEAREST_INT>(floats);
                        to.add(i).cast::<$halves>().write_unaligned(super::lane_blocks::$kept(halves));
                    }
                }
            }
        }
    )+ };
}
#[cfg(target_arch = "x86_64")]
conversions! {
    ConvertAvx2: 8, __m128i, __m256, _mm256_cvtph_ps, _mm256_cvtps_ph, kept4;
    ConvertAvx512: 16, __m256i, __m512, _mm512_cvtph_ps, _mm512_cvtps_ph, kept8;
}
#[cfg(target_arch = "x86_64")]
pub(crate) use {ConvertAvx2 as ConvertSecond, ConvertAvx512 as ConvertThird};

/// The conversions of NEON.
#[cfg(target_arch = "aarch64")]
pub(crate) struct ConvertNeon;
#[cfg(target_arch = "aarch64")]
pub(crate) use {ConvertNeon as ConvertSecond, ConvertNeon as ConvertThird};

#[cfg(target_arch = "aarch64")]
impl Convert for ConvertNeon {
    #[inline(always)]
    unsafe fn widen(from: *const f16, to: *mut f32) {
        use std::arch::aarch64::{vld1q_u16, vst1q_f32};
        for i in [0, 8] {
            // SAFETY: promised by the caller.
            unsafe {
                let [low, high] = super::lane_blocks::neon::widen8(vld1q_u16(from.add(i).cast()));
                vst1q_f32(to.add(i), low);
                vst1q_f32(to.add(i + 4), high);
            }
        }
    }
    #[inline(always)]
    unsafe fn narrow(from: *const f32, to: *mut f16) {
        use std::arch::aarch64::{vld1q_f32, vst1q_u16};
        for i in [0, 8] {
            // SAFETY: promised by the caller.
            unsafe {
                let wide = [vld1q_f32(from.add(i)), vld1q_f32(from.add(i + 4))];
                vst1q_u16(to.add(i).cast(), super::lane_blocks::neon::narrow8(wide));
            }
        }
    }
}

/// Conversions number by number, for architectures without levels.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) struct ConvertEach;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use {ConvertEach as ConvertSecond, ConvertEach as ConvertThird};

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl Convert for ConvertEach {
    #[inline(always)]
    unsafe fn widen(from: *const f16, to: *mut f32) {
        use crate::number::Half;
        // SAFETY: promised by the caller.
        (0..16).for_each(|i| unsafe { to.add(i).write_unaligned(from.add(i).read_unaligned().widen()) });
    }
    #[inline(always)]
    unsafe fn narrow(from: *const f32, to: *mut f16) {
        use crate::number::Half;
        // SAFETY: promised by the caller.
        (0..16).for_each(|i| unsafe { to.add(i).write_unaligned(Half::narrow(from.add(i).read_unaligned())) });
    }
}
