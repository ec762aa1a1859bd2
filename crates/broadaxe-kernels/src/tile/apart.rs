//! Rows whose elements lie any way apart, computed one by one.
//!
//! Where they come from memory, one loop waits for all operands at once; bringing those of each together in a tile waits for one after the
//! other. In caches, vectors of what was brought together are faster.

use std::marker::PhantomData;

use super::Line;
use crate::isa::{Block, Body, moved};

/// The loop that takes elements so: from one to the next, operands move by what the block says of turns.
pub(crate) struct Single<L>(PhantomData<L>);

impl<L: Line> Body for Single<L> {
    #[inline(always)]
    unsafe fn run(block: &Block) -> bool {
        // The compiler does not know that results are written elsewhere than here.
        let Block { n, turn_steps, out_turn, .. } = *block;
        block.any_row(
            #[inline(always)]
            |mut places, mut out| {
                let mut refused = false;
                for _ in 0..n {
                    // SAFETY: the caller promises `n` elements of the result and of the operands in every row, so far apart.
                    refused |= unsafe { L::run(places, std::slice::from_raw_parts_mut(out.cast(), 1)) };
                    places = moved(places, turn_steps);
                    out = out.wrapping_offset(out_turn);
                }
                refused
            },
        )
    }
}
