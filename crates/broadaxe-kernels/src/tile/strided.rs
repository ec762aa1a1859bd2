//! Rows of strided elements of 64 bits, computed in place.
//!
//! One loop waits for all operands at once; gathering each of them into a tile waits for one after the other.

use std::{marker::PhantomData, mem::MaybeUninit};

use super::{Line, row};
use crate::isa::{LoopCode, StridedBlock, moved};

/// The elements that are computed at once if the results are adjacent.
const STRIDED_GROUP_ELEMENTS: usize = 4;

/// The loop over strided elements.
///
/// # Safety
/// Each operand of a [`StridedBlock`] is readable at every element of its rows, and the result writable, none of whose
/// elements overlaps an operand or another element.
pub(crate) struct StridedLoop<L>(PhantomData<L>);

impl<L: Line> LoopCode for StridedLoop<L> {
    type Args = StridedBlock;
    #[inline(always)]
    unsafe fn run(block: &StridedBlock) -> bool {
        const { assert!(size_of::<L::Out>() == 8 && L::ADVANCES[0] == 8 && L::ADVANCES[1] == 8) };
        // Copied, because the compiler does not know that results do not overlap the block.
        let StridedBlock { n, rows, steps, apart, out_step, out_apart, .. } = *block;
        let lots = if out_apart == 8 { n / STRIDED_GROUP_ELEMENTS } else { 0 };
        let (mut firsts, mut first_out, mut rejected) = (block.places, block.out, false);
        for _ in 0..rows {
            let (mut places, mut out) = (firsts, first_out);
            for _ in 0..lots {
                let mut lot = [[MaybeUninit::<u64>::uninit(); STRIDED_GROUP_ELEMENTS]; 2];
                for k in 0..STRIDED_GROUP_ELEMENTS {
                    for (lot, place) in lot.iter_mut().zip(places) {
                        // SAFETY: the caller promises `n` elements of the operands in every row, at these strides.
                        lot[k] = MaybeUninit::new(unsafe { place.cast::<u64>().read_unaligned() });
                    }
                    places = moved(places, apart);
                }
                let from = [lot[0].as_ptr().cast(), lot[1].as_ptr().cast(), std::ptr::null()];
                // SAFETY: as above, and there are as many adjacent elements of the result.
                rejected |= unsafe { L::run(from, row(out, STRIDED_GROUP_ELEMENTS)) };
                out = out.wrapping_add(STRIDED_GROUP_ELEMENTS * 8);
            }
            for _ in lots * STRIDED_GROUP_ELEMENTS..n {
                // SAFETY: as above.
                rejected |= unsafe { L::run(places, row(out, 1)) };
                places = moved(places, apart);
                out = out.wrapping_offset(out_apart);
            }
            firsts = moved(firsts, steps);
            first_out = first_out.wrapping_offset(out_step);
        }
        rejected
    }
}
