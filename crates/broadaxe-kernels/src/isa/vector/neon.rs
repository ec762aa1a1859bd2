//! Vectors of NEON, two registers each: instructions for elements of 16 bits have eight.

use std::arch::{aarch64 as arm, asm};

use super::{Vector, arithmetic, methods};

/// Eight numbers.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F32x4x2([arm::float32x4_t; 2]);

arithmetic! {
    F32x4x2:
    Add add |a, b| [arm::vaddq_f32(a[0], b[0]), arm::vaddq_f32(a[1], b[1])];
    Sub sub |a, b| [arm::vsubq_f32(a[0], b[0]), arm::vsubq_f32(a[1], b[1])];
    Mul mul |a, b| [arm::vmulq_f32(a[0], b[0]), arm::vmulq_f32(a[1], b[1])];
    Div div |a, b| [arm::vdivq_f32(a[0], b[0]), arm::vdivq_f32(a[1], b[1])];
}

/// Widens eight elements of f16; exact. The intrinsics for this instruction are not stable.
#[inline(always)]
fn widen(x: arm::uint16x8_t) -> F32x4x2 {
    let (low, high): (arm::float32x4_t, arm::float32x4_t);
    // SAFETY: every aarch64 CPU has the instructions, which access no memory.
    unsafe {
        asm!("fcvtl {0:v}.4s, {1:v}.4h", out(vreg) low, in(vreg) x, options(pure, nomem, nostack));
        asm!("fcvtl2 {0:v}.4s, {1:v}.8h", out(vreg) high, in(vreg) x, options(pure, nomem, nostack));
    }
    F32x4x2([low, high])
}

impl Vector for F32x4x2 {
    const N: usize = 8;
    #[inline(always)]
    unsafe fn all(x: f32) -> Self {
        // SAFETY: every aarch64 CPU has the instruction.
        Self(unsafe { [arm::vdupq_n_f32(x); 2] })
    }
    #[inline(always)]
    unsafe fn load_f16(place: *const u16) -> Self {
        // SAFETY: promised by the caller.
        widen(unsafe { arm::vld1q_u16(place) })
    }
    #[inline(always)]
    unsafe fn store_f16(self, place: *mut u16) {
        let mut x: arm::uint16x8_t;
        // SAFETY: promised by the caller; every aarch64 CPU has the instructions.
        unsafe {
            asm!("fcvtn {0:v}.4h, {1:v}.4s", out(vreg) x, in(vreg) self.0[0], options(pure, nomem, nostack));
            asm!("fcvtn2 {0:v}.8h, {1:v}.4s", inout(vreg) x, in(vreg) self.0[1], options(pure, nomem, nostack));
            arm::vst1q_u16(place, x);
        }
    }
    /// Sixteen elements in order.
    #[inline(always)]
    unsafe fn load_bf16_pair(place: *const u16) -> [Self; 2] {
        // SAFETY: promised by the caller.
        unsafe { [shifted(arm::vld1q_u16(place)), shifted(arm::vld1q_u16(place.add(8)))] }
    }
    #[inline(always)]
    unsafe fn store_bf16_pair([a, b]: [Self; 2], place: *mut u16) {
        // SAFETY: promised by the caller.
        unsafe {
            arm::vst1q_u16(place, halves(a));
            arm::vst1q_u16(place.add(8), halves(b));
        }
    }
    #[inline(always)]
    unsafe fn repeat_f16(element: u16) -> Self {
        // SAFETY: every aarch64 CPU has the instruction.
        widen(unsafe { arm::vdupq_n_u16(element) })
    }
    #[inline(always)]
    unsafe fn repeat_bf16(element: u16) -> Self {
        let mut x = u32::from(element) << 16;
        // SAFETY: nothing is done; the compiler does not learn what is repeated.
        unsafe { asm!("/* {0:w} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags)) };
        // SAFETY: promised by the caller.
        unsafe { Self::all(f32::from_bits(x)) }
    }
    methods! {
        fn sqrt(self) = [arm::vsqrtq_f32(self.0[0]), arm::vsqrtq_f32(self.0[1])];
        fn multiply_add(self, by, plus) = [
            arm::vfmaq_f32(plus.0[0], self.0[0], by.0[0]),
            arm::vfmaq_f32(plus.0[1], self.0[1], by.0[1]),
        ];
        // The instructions for extremes return a NaN if either operand is one, and order zeros by their signs.
        fn max(self, other) = [larger(self.0[0], other.0[0]), larger(self.0[1], other.0[1])];
        fn min(self, other) = [smaller(self.0[0], other.0[0]), smaller(self.0[1], other.0[1])];
        fn abs(self) = [arm::vabsq_f32(self.0[0]), arm::vabsq_f32(self.0[1])];
        fn negated(self) = [arm::vnegq_f32(self.0[0]), arm::vnegq_f32(self.0[1])];
        fn relu(self) = [positive(self.0[0]), positive(self.0[1])];
        fn floor(self) = [arm::vrndmq_f32(self.0[0]), arm::vrndmq_f32(self.0[1])];
        fn ceil(self) = [arm::vrndpq_f32(self.0[0]), arm::vrndpq_f32(self.0[1])];
        fn round(self) = [arm::vrndnq_f32(self.0[0]), arm::vrndnq_f32(self.0[1])];
        fn trunc(self) = [arm::vrndq_f32(self.0[0]), arm::vrndq_f32(self.0[1])];
        fn where_nan(self, yes, no) = [
            arm::vbslq_f32(arm::vceqq_f32(self.0[0], self.0[0]), no.0[0], yes.0[0]),
            arm::vbslq_f32(arm::vceqq_f32(self.0[1], self.0[1]), no.0[1], yes.0[1]),
        ];
        fn canonical(self) = [canonical4(self.0[0]), canonical4(self.0[1])];
    }
}

/// Returns the larger numbers; those of `b` where they are equal or one is a NaN.
// SAFETY: No requirement.
#[inline(always)]
unsafe fn larger(a: arm::float32x4_t, b: arm::float32x4_t) -> arm::float32x4_t {
    // SAFETY: every aarch64 CPU has the instructions.
    unsafe { arm::vbslq_f32(arm::vcgtq_f32(a, b), a, b) }
}

/// Returns the smaller numbers; those of `b` where they are equal or one is a NaN.
// SAFETY: No requirement.
#[inline(always)]
unsafe fn smaller(a: arm::float32x4_t, b: arm::float32x4_t) -> arm::float32x4_t {
    // SAFETY: every aarch64 CPU has the instructions.
    unsafe { arm::vbslq_f32(arm::vcltq_f32(a, b), a, b) }
}

/// Returns numbers unless they are at most 0, and 0 for the rest.
// SAFETY: No requirement.
#[inline(always)]
unsafe fn positive(x: arm::float32x4_t) -> arm::float32x4_t {
    // SAFETY: every aarch64 CPU has the instructions.
    unsafe {
        let zero = arm::vdupq_n_f32(0.0);
        arm::vbslq_f32(arm::vcleq_f32(x, zero), zero, x)
    }
}

/// Replaces any NaN by the canonical one. Compares bits, because the compiler removes a choice between NaN that follows a
/// square root (`math::canonical32`).
// SAFETY: No requirement.
#[inline(always)]
unsafe fn canonical4(x: arm::float32x4_t) -> arm::float32x4_t {
    // SAFETY: every aarch64 CPU has the instructions.
    unsafe {
        let magnitude = arm::vandq_u32(arm::vreinterpretq_u32_f32(x), arm::vdupq_n_u32(0x7fff_ffff));
        let nan = arm::vcgtq_u32(magnitude, arm::vdupq_n_u32(f32::INFINITY.to_bits()));
        arm::vbslq_f32(nan, arm::vdupq_n_f32(f32::NAN), x)
    }
}

/// Widens eight elements of bf16; exact.
// SAFETY: No requirement.
#[inline(always)]
unsafe fn shifted(x: arm::uint16x8_t) -> F32x4x2 {
    // SAFETY: every aarch64 CPU has the instructions.
    unsafe {
        let zero = arm::vdupq_n_u16(0);
        F32x4x2([
            arm::vreinterpretq_f32_u16(arm::vzip1q_u16(zero, x)),
            arm::vreinterpretq_f32_u16(arm::vzip2q_u16(zero, x)),
        ])
    }
}

/// Rounds eight numbers to bf16, their upper halves: up where the lower half is above a tie, or is a tie and the upper
/// half is odd. Any NaN becomes the canonical one.
// SAFETY: No requirement.
#[inline(always)]
unsafe fn halves(F32x4x2([low, high]): F32x4x2) -> arm::uint16x8_t {
    // SAFETY: every aarch64 CPU has the instructions.
    unsafe {
        let (low, high) = (arm::vreinterpretq_u16_f32(low), arm::vreinterpretq_u16_f32(high));
        let (lower, upper) = (arm::vuzp1q_u16(low, high), arm::vuzp2q_u16(low, high));
        let tie = arm::vandq_u16(upper, arm::vdupq_n_u16(1));
        let up = arm::vcgtq_u16(arm::vorrq_u16(lower, tie), arm::vdupq_n_u16(0x8000));
        let x = arm::vsubq_u16(upper, up);
        let magnitude = arm::vandq_u16(x, arm::vdupq_n_u16(0x7fff));
        let nan = arm::vcgtq_u16(magnitude, arm::vdupq_n_u16(0x7f80));
        arm::vbslq_u16(nan, arm::vdupq_n_u16(0x7fc0), x)
    }
}
