//! Moves a loop from turn to turn of its block.

use super::{Block, moved};

/// Where a turn begins, and how many are left with it.
pub(super) struct Turn {
    pub(super) places: [*const u8; 3],
    pub(super) out: *mut u8,
    pub(super) left: usize,
}

impl Turn {
    /// Goes on to the next turn. It is compiled once, for all loops.
    #[inline(never)]
    pub(super) fn advance(&mut self, block: &Block) {
        self.places = moved(self.places, block.turn_steps);
        self.out = self.out.wrapping_offset(block.out_turn);
        self.left -= 1;
    }
}
