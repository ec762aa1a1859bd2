//! Elements of 16 bits as vectors of f32, for loops that compute a lane block of them at a time in registers.
//!
//! Most of the work of such a loop is rounding.

use super::{
    Opcode,
    vector::{Vector, apply},
};
use crate::{
    dtype::{DType, Element},
    number::Half,
};

/// The numbers of a lane block.
pub(crate) const LANE_BLOCK_ELEMENTS: usize = 32;

/// A lane block: numbers that are computed at a time. Their order is that of the vectors that widen and narrow them.
pub(crate) type LaneBlock = [[f32; 16]; 2];

/// Calls for every vector of a lane block, without a loop, from which the compiler might keep the block in memory.
#[inline(always)]
fn vectors<V: Vector>(mut each: impl FnMut(usize)) {
    each(0);
    each(1);
    if V::N < 16 {
        each(2);
        each(3);
    }
}

/// Returns vector `number` of a lane block.
#[inline(always)]
fn nth<V: Vector>(block: &LaneBlock, number: usize) -> V {
    // SAFETY: a lane block has all the vectors that `vectors` counts. The CPU supports the level, as who made it promised.
    unsafe { V::load(block.as_ptr().cast::<u8>().wrapping_add(number * size_of::<V>())) }
}

/// Writes vector `number` of a lane block.
#[inline(always)]
fn put<V: Vector>(block: &mut LaneBlock, number: usize, x: V) {
    // SAFETY: as for `nth`.
    unsafe { x.store(block.as_mut_ptr().cast::<u8>().wrapping_add(number * size_of::<V>())) };
}

/// Says whether the elements are of f16; otherwise they are of bf16.
const fn is_f16<H: Element>() -> bool {
    matches!(H::DTYPE, DType::F16)
}

/// Widens contiguous elements; exact.
///
/// # Safety
/// A lane block of elements can be read, at any address. The CPU supports the level.
#[inline(always)]
pub(crate) unsafe fn widened<H: Half, V: Vector>(from: *const u16) -> LaneBlock {
    let mut block = [[0.0; 16]; 2];
    if is_f16::<H>() {
        vectors::<V>(
            #[inline(always)]
            // SAFETY: promised by the caller.
            |v| put(&mut block, v, unsafe { V::load_f16(from.add(v * V::N)) }),
        );
        return block;
    }
    vectors::<V>(
        #[inline(always)]
        |v| {
            if v % 2 == 0 {
                // SAFETY: promised by the caller.
                let [a, b] = unsafe { V::load_bf16_pair(from.add(v * V::N)) };
                put(&mut block, v, a);
                put(&mut block, v + 1, b);
            }
        },
    );
    block
}

/// Repeats one widened element; exact.
///
/// # Safety
/// The CPU supports the level.
#[inline(always)]
pub(crate) unsafe fn repeated<H: Half, V: Vector>(element: u16) -> LaneBlock {
    let mut block = [[0.0; 16]; 2];
    vectors::<V>(
        #[inline(always)]
        // SAFETY: promised by the caller.
        |v| put(&mut block, v, unsafe { if is_f16::<H>() { V::repeat_f16(element) } else { V::repeat_bf16(element) } }),
    );
    block
}

/// Computes; a NaN need not be the canonical one.
///
/// # Safety
/// The CPU supports the level.
#[inline(always)]
pub(crate) unsafe fn computed<V: Vector>(opcode: Opcode, a: &LaneBlock, b: &LaneBlock) -> LaneBlock {
    let mut block = [[0.0; 16]; 2];
    vectors::<V>(
        #[inline(always)]
        |v| put(&mut block, v, apply::<V>(opcode, nth(a, v), nth(b, v))),
    );
    block
}

/// Rounds to nearest, ties to even. Any NaN becomes the canonical one; for bf16, a NaN must have no bits below those of
/// bf16.
///
/// # Safety
/// A lane block of elements can be written, at any address. The CPU supports the level.
#[inline(always)]
pub(crate) unsafe fn narrow<H: Half, V: Vector>(block: &LaneBlock, to: *mut u16) {
    vectors::<V>(
        #[inline(always)]
        // SAFETY: promised by the caller.
        |v| unsafe {
            if is_f16::<H>() {
                nth::<V>(block, v).canonical().store_f16(to.add(v * V::N));
            } else if v % 2 == 0 {
                V::store_bf16_pair([nth(block, v), nth(block, v + 1)], to.add(v * V::N));
            }
        },
    );
}

#[cfg(test)]
mod tests;
