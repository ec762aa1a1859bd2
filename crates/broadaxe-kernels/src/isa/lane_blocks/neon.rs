//! The conversions of NEON: four numbers of f32 in a vector, eight elements of 16 bits.

use std::{
    arch::{aarch64 as arm, asm},
    mem,
};

use half::{bf16, f16};

use super::{Convert16, LaneBlock, PackedHalf, Wide};

impl PackedHalf for f16 {
    type Second = F16Neon;
    type Third = F16Neon;
}

impl PackedHalf for bf16 {
    type Second = Bf16Neon;
    type Third = Bf16Neon;
}

/// Two vectors of f32: eight numbers.
type Eight = [arm::float32x4_t; 2];

/// Widens eight elements of f16; exact. The intrinsics for this instruction are not stable.
#[inline(always)]
pub(in super::super) fn widen8(x: arm::uint16x8_t) -> Eight {
    let (low, high): (arm::float32x4_t, arm::float32x4_t);
    // SAFETY: every aarch64 CPU has the instructions, which access no memory.
    unsafe {
        asm!("fcvtl {0:v}.4s, {1:v}.4h", out(vreg) low, in(vreg) x, options(pure, nomem, nostack));
        asm!("fcvtl2 {0:v}.4s, {1:v}.8h", out(vreg) high, in(vreg) x, options(pure, nomem, nostack));
    }
    [low, high]
}

/// Rounds eight numbers to f16, ties to even; the canonical NaN stays canonical, another NaN stays a NaN.
#[inline(always)]
pub(in super::super) fn narrow8([low, high]: Eight) -> arm::uint16x8_t {
    let mut x: arm::uint16x8_t;
    // SAFETY: every aarch64 CPU has the instructions, which access no memory.
    unsafe {
        asm!("fcvtn {0:v}.4h, {1:v}.4s", out(vreg) x, in(vreg) low, options(pure, nomem, nostack));
        asm!("fcvtn2 {0:v}.8h, {1:v}.4s", inout(vreg) x, in(vreg) high, options(pure, nomem, nostack));
    }
    x
}

/// Replaces elements whose magnitude is above infinity by the canonical NaN.
// SAFETY: No requirement.
#[inline(always)]
unsafe fn canonical(x: arm::uint16x8_t, infinity: u16, nan: u16) -> arm::uint16x8_t {
    // SAFETY: every aarch64 CPU has the instructions.
    unsafe {
        let magnitude = arm::vandq_u16(x, arm::vdupq_n_u16(0x7fff));
        arm::vbslq_u16(arm::vcgtq_u16(magnitude, arm::vdupq_n_u16(infinity)), arm::vdupq_n_u16(nan), x)
    }
}

/// A lane block as vectors. All code for it is without loops, from which the compiler would keep it in memory.
type Vectors = [Eight; 4];

/// Makes a lane block of four times eight numbers.
#[inline(always)]
fn lane_block(eight: impl Fn(usize) -> Eight) -> LaneBlock {
    let all: Vectors = [eight(0), eight(1), eight(2), eight(3)];
    // SAFETY: both are 32 numbers of f32.
    unsafe { mem::transmute(all) }
}

/// Returns the vectors of a lane block.
#[inline(always)]
fn vectors_of(block: &LaneBlock) -> Vectors {
    // SAFETY: both are 32 numbers of f32.
    unsafe { mem::transmute(*block) }
}

/// Writes four times eight elements.
// SAFETY: They can be written, at any address.
#[inline(always)]
unsafe fn write(to: *mut u16, eight: impl Fn(usize) -> arm::uint16x8_t) {
    // SAFETY: promised by the caller.
    unsafe {
        arm::vst1q_u16(to, eight(0));
        arm::vst1q_u16(to.add(8), eight(1));
        arm::vst1q_u16(to.add(16), eight(2));
        arm::vst1q_u16(to.add(24), eight(3));
    }
}

/// Computes four numbers.
// SAFETY: No requirement.
#[inline(always)]
unsafe fn apply(wide: Wide, a: arm::float32x4_t, b: arm::float32x4_t) -> arm::float32x4_t {
    // SAFETY: every aarch64 CPU has the instructions.
    unsafe {
        match wide {
            Wide::Sum => arm::vaddq_f32(a, b),
            Wide::Difference => arm::vsubq_f32(a, b),
            Wide::Product => arm::vmulq_f32(a, b),
            Wide::Quotient => arm::vdivq_f32(a, b),
            // The instructions for extremes return a NaN if either operand is one, and order zeros by their signs.
            Wide::Max => arm::vbslq_f32(arm::vceqq_f32(a, b), b, arm::vmaxq_f32(a, b)),
            Wide::Min => arm::vbslq_f32(arm::vceqq_f32(a, b), b, arm::vminq_f32(a, b)),
            Wide::Fmax => arm::vbslq_f32(arm::vceqq_f32(b, b), arm::vbslq_f32(arm::vcgtq_f32(a, b), a, b), a),
            Wide::Fmin => arm::vbslq_f32(arm::vceqq_f32(b, b), arm::vbslq_f32(arm::vcltq_f32(a, b), a, b), a),
            Wide::Square => arm::vmulq_f32(a, a),
            Wide::Reciprocal => arm::vdivq_f32(arm::vdupq_n_f32(1.0), a),
            Wide::Root => arm::vsqrtq_f32(a),
            Wide::InverseRoot => {
                let one = arm::vdupq_n_f64(1.0);
                let low = arm::vdivq_f64(one, arm::vsqrtq_f64(arm::vcvt_f64_f32(arm::vget_low_f32(a))));
                let high = arm::vdivq_f64(one, arm::vsqrtq_f64(arm::vcvt_high_f64_f32(a)));
                arm::vcvt_high_f32_f64(arm::vcvt_f32_f64(low), high)
            }
            Wide::Floor => arm::vrndmq_f32(a),
            Wide::Ceil => arm::vrndpq_f32(a),
            Wide::Round => arm::vrndnq_f32(a),
            Wide::Trunc => arm::vrndq_f32(a),
        }
    }
}

/// Computes a lane block; a NaN need not be the canonical one.
#[inline(always)]
fn computed(wide: Wide, a: &LaneBlock, b: &LaneBlock) -> LaneBlock {
    let (a, b) = (vectors_of(a), vectors_of(b));
    lane_block(
        #[inline(always)]
        // SAFETY: there is no requirement.
        |v| unsafe { [apply(wide, a[v][0], b[v][0]), apply(wide, a[v][1], b[v][1])] },
    )
}

pub(crate) struct F16Neon;

impl Convert16 for F16Neon {
    #[inline(always)]
    unsafe fn widened(from: *const u16) -> LaneBlock {
        lane_block(
            #[inline(always)]
            // SAFETY: promised by the caller.
            |v| widen8(unsafe { arm::vld1q_u16(from.add(8 * v)) }),
        )
    }
    #[inline(always)]
    unsafe fn repeated(element: u16) -> LaneBlock {
        lane_block(
            #[inline(always)]
            // SAFETY: every aarch64 CPU has the instruction.
            |_| widen8(unsafe { arm::vdupq_n_u16(element) }),
        )
    }
    #[inline(always)]
    unsafe fn computed(wide: Wide, a: &LaneBlock, b: &LaneBlock) -> LaneBlock {
        computed(wide, a, b)
    }
    #[inline(always)]
    unsafe fn narrow(lot: &LaneBlock, to: *mut u16) {
        let all = vectors_of(lot);
        // SAFETY: promised by the caller.
        unsafe {
            write(
                to,
                #[inline(always)]
                |v| canonical(narrow8(all[v]), 0x7c00, 0x7e00),
            );
        }
    }
}

pub(crate) struct Bf16Neon;

/// Widens eight elements of bf16; exact.
// SAFETY: No requirement.
#[inline(always)]
unsafe fn shifted(x: arm::uint16x8_t) -> Eight {
    // SAFETY: every aarch64 CPU has the instructions.
    unsafe {
        let zero = arm::vdupq_n_u16(0);
        [arm::vreinterpretq_f32_u16(arm::vzip1q_u16(zero, x)), arm::vreinterpretq_f32_u16(arm::vzip2q_u16(zero, x))]
    }
}

/// Rounds eight numbers to bf16, their upper halves: up where the lower half is above a tie, or is a tie and the upper
/// half is odd. Any NaN becomes the canonical one.
// SAFETY: No requirement.
#[inline(always)]
unsafe fn rounded([low, high]: Eight) -> arm::uint16x8_t {
    // SAFETY: every aarch64 CPU has the instructions.
    unsafe {
        let (low, high) = (arm::vreinterpretq_u16_f32(low), arm::vreinterpretq_u16_f32(high));
        let (lower, upper) = (arm::vuzp1q_u16(low, high), arm::vuzp2q_u16(low, high));
        let tie = arm::vandq_u16(upper, arm::vdupq_n_u16(1));
        let up = arm::vcgtq_u16(arm::vorrq_u16(lower, tie), arm::vdupq_n_u16(0x8000));
        canonical(arm::vsubq_u16(upper, up), 0x7f80, 0x7fc0)
    }
}

impl Convert16 for Bf16Neon {
    #[inline(always)]
    unsafe fn widened(from: *const u16) -> LaneBlock {
        lane_block(
            #[inline(always)]
            // SAFETY: promised by the caller.
            |v| unsafe { shifted(arm::vld1q_u16(from.add(8 * v))) },
        )
    }
    #[inline(always)]
    unsafe fn repeated(element: u16) -> LaneBlock {
        let mut x = u32::from(element) << 16;
        // SAFETY: nothing is done; the compiler does not learn what is repeated.
        unsafe { asm!("/* {0:w} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags)) };
        [[f32::from_bits(x); 16]; 2]
    }
    #[inline(always)]
    unsafe fn computed(wide: Wide, a: &LaneBlock, b: &LaneBlock) -> LaneBlock {
        computed(wide, a, b)
    }
    #[inline(always)]
    unsafe fn narrow(lot: &LaneBlock, to: *mut u16) {
        let all = vectors_of(lot);
        // SAFETY: promised by the caller.
        unsafe {
            write(
                to,
                #[inline(always)]
                |v| rounded(all[v]),
            );
        }
    }
}
