//! The calls of bound steps at given addresses.

use crate::{
    isa::Block,
    schedule::{BoundStep, Source},
    tile::Call,
};

/// The call of a step for the current piece.
#[derive(Clone, Copy)]
pub(super) struct Laid<'a> {
    pub(super) call: &'a Call,
    pub(super) block: Block,
    /// The bytes that each operand moves per element and per row of the unit, from piece to piece; 0 for tiles, and per
    /// element for constants.
    advances: [isize; 3],
    row_advances: [isize; 3],
    out_advance: isize,
    out_row_advance: isize,
}

impl Laid<'_> {
    /// Moves to a piece of `n` elements, or of as many rows as before, that begins `rows` rows and `elements` elements
    /// after this one.
    #[inline]
    pub(super) fn advance(&mut self, rows: isize, elements: isize, n: Option<usize>) {
        let Self { block, advances, row_advances, .. } = self;
        for k in 0..3 {
            block.places[k] = block.places[k].wrapping_offset(row_advances[k] * rows + advances[k] * elements);
        }
        block.out = block.out.wrapping_offset(self.out_row_advance * rows + self.out_advance * elements);
        block.n = n.unwrap_or(block.n);
    }
}

impl BoundStep {
    /// Describes the call of a step for `rows` rows of `n` elements.
    ///
    /// `find` returns the address of a source and the bytes between its rows; for tiles it returns no step, because
    /// their rows are contiguous. `out` is the same for the result.
    #[inline]
    pub(super) fn laid(
        &self,
        [rows, n]: [usize; 2],
        mut find: impl FnMut(Source) -> (*const u8, Option<isize>),
        (out, own): (*mut u8, Option<isize>),
    ) -> Laid<'_> {
        let call = &self.call;
        let (mut places, mut steps) = ([std::ptr::null(); 3], [0; 3]);
        let (mut advances, mut row_advances) = ([0; 3], [0; 3]);
        for k in 0..3 {
            let row = (n * call.sizes[k]) as isize;
            let step;
            (places[k], step) = find(self.args[k]);
            if let Some(step) = step {
                (advances[k], row_advances[k]) = (call.sizes[k] as isize, step);
            }
            steps[k] = step.unwrap_or(row);
        }
        let row = (n * call.out_size) as isize;
        let (out_advance, out_row_advance) = own.map_or((0, 0), |step| (call.out_size as isize, step));
        let out_step = own.unwrap_or(row);
        let follows = |k: usize| steps[k] == (n * call.sizes[k]) as isize;
        let joins = rows > 1 && out_step == row && (0..3).all(follows);
        let (n, rows) = if joins { (n * rows, 1) } else { (n, rows) };
        let block = Block { n, rows, places, steps, out, out_step, ..Block::EMPTY };
        Laid { call, block, advances, row_advances, out_advance, out_row_advance }
    }
}
