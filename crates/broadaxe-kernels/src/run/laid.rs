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
        for k in 0..3 {
            let step;
            (places[k], step) = find(self.args[k]);
            steps[k] = step.unwrap_or((n * call.sizes[k]) as isize);
        }
        let row = (n * call.out_size) as isize;
        let out_step = own.unwrap_or(row);
        let follows = |k: usize| steps[k] == (n * call.sizes[k]) as isize;
        let joins = rows > 1 && out_step == row && (0..3).all(follows);
        let (n, rows) = if joins { (n * rows, 1) } else { (n, rows) };
        Laid { call, block: Block { n, rows, places, steps, out, out_step, ..Block::EMPTY } }
    }
}
