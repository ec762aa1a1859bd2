//! Moves a loop from turn to turn of its block.

use super::{Block, moved};

/// Where a turn begins.
pub(super) struct Turn {
    pub(super) places: [*const u8; 3],
    pub(super) out: *mut u8,
}

impl Turn {
    pub(super) const EMPTY: Self = Self { places: [std::ptr::null(); 3], out: std::ptr::null_mut() };

    /// Goes to a turn of the block. It is compiled once, for all loops.
    #[inline(never)]
    pub(super) fn begin(&mut self, block: &Block, turn: usize) {
        let turn = turn.cast_signed();
        let by = block.turn_steps.map(|step| step.wrapping_mul(turn));
        self.places = moved(block.places, by);
        self.out = block.out.wrapping_offset(block.out_turn.wrapping_mul(turn));
    }
}
