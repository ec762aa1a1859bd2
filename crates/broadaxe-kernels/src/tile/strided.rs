//! Rows of strided elements of 64 bits, computed in place.
//!
//! One loop waits for all operands at once; gathering each of them into a tile waits for one after the other.

use std::{marker::PhantomData, mem::MaybeUninit};

use super::{Line, row};
use crate::isa::{Block, Body, moved};

/// The elements that are computed at once if the results are adjacent.
const STRIDED_GROUP_ELEMENTS: usize = 4;

/// The loop over strided elements: the turn steps of the block are the distances between elements.
pub(crate) struct StridedLoop<L>(PhantomData<L>);

impl<L: Line> Body for StridedLoop<L> {
    #[inline(always)]
    unsafe fn run(block: &Block) -> bool {
        const { assert!(size_of::<L::Out>() == 8 && L::ADVANCES[0] == 8 && L::ADVANCES[1] == 8) };
        // Copied, because the compiler does not know that results do not overlap the block.
        let Block { n, turn_steps, out_turn, .. } = *block;
        let lots = if out_turn == 8 { n / STRIDED_GROUP_ELEMENTS } else { 0 };
        block.any_row(
            #[inline(always)]
            |mut places, mut out| {
                let mut rejected = false;
                for _ in 0..lots {
                    let mut lot = [[MaybeUninit::<u64>::uninit(); STRIDED_GROUP_ELEMENTS]; 2];
                    for k in 0..STRIDED_GROUP_ELEMENTS {
                        for (lot, place) in lot.iter_mut().zip(places) {
                            // SAFETY: the caller promises `n` elements of the operands in every row, at these strides.
                            lot[k] = MaybeUninit::new(unsafe { place.cast::<u64>().read_unaligned() });
                        }
                        places = moved(places, turn_steps);
                    }
                    let from = [lot[0].as_ptr().cast(), lot[1].as_ptr().cast(), std::ptr::null()];
                    // SAFETY: as above, and there are as many adjacent elements of the result.
                    rejected |= unsafe { L::run(from, row(out, STRIDED_GROUP_ELEMENTS)) };
                    out = out.wrapping_add(STRIDED_GROUP_ELEMENTS * 8);
                }
                for _ in lots * STRIDED_GROUP_ELEMENTS..n {
                    // SAFETY: as above.
                    rejected |= unsafe { L::run(places, row(out, 1)) };
                    places = moved(places, turn_steps);
                    out = out.wrapping_offset(out_turn);
                }
                rejected
            },
        )
    }
}
