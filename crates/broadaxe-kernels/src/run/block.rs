//! Units of rows that one loop computes: pieces of rows in whole lines of the result, and inputs that are fetched ahead of their use.
//!
//! A line that is written past the caches in part, and in part into them, costs several whole ones. So a piece of a row begins with the line
//! that it begins in, whose first elements it takes from the piece before it, and leaves the line that it ends in to the next one.

use std::ops::Range;

use super::{LEAD, Laid, ProgramWorker};
use crate::{schedule::PackedInput, tile::prefetch_l2};

impl ProgramWorker<'_> {
    /// Computes a unit of rows by the one loop there is: pieces of them in whole lines of the result, where it goes past the caches.
    pub(super) fn block(&mut self, rows: usize, n: usize) {
        let (piece, pieces) =
            self.rounds.last().zip(self.plan.outer.last()).map_or((0, 1), |(&at, own)| (at, own.count));
        let shifts = self.plan.margin > Some(0);
        let (before, after) = (shifts && piece > 0, shifts && piece + 1 < pieces);
        let lead = self.lead(rows, n);
        for row in (0..rows).step_by(lead) {
            let end = (row + lead).min(rows);
            self.ask_beside(row + lead..row + 2 * lead, rows, n);
            self.ask_columns(n * row / rows..n * end / rows, rows);
            self.lay(row, end - row, n, n);
            let Laid { call, block, .. } = &self.laid[0];
            // SAFETY: see `lay`. The elements before a piece are those of the piece before it, of operands that are packed as well
            // (`gather`). None is refused (`choose_tiles`).
            unsafe { call.run_piece(block, before, after) };
        }
    }

    /// Asks for columns of transposed inputs that the next unit begins with.
    fn ask_columns(&self, asked: Range<usize>, rows: usize) {
        for (&PackedInput { input, .. }, held) in self.plan.packs.iter().zip(&self.packed) {
            let Some(way) = held.way.as_ref().filter(|way| way.is_asked) else { continue };
            let next = self.starts[input].wrapping_offset(self.to_next(input) + way.start.0);
            for column in asked.clone() {
                prefetch_l2(next.wrapping_offset(way.row.from * column as isize), rows * way.size);
            }
        }
    }

    /// Returns the elements before a unit's own that its rows may begin with: none where they begin lines, or nothing is before them.
    pub(super) fn margin(&self) -> usize {
        let output = self.places.len() - 1;
        let begins = (self.starts[output].addr() | self.steps[output].unsigned_abs()).is_multiple_of(64);
        if begins || self.rounds[self.rounds.len() - 1] == 0 { 0 } else { self.plan.margin.unwrap_or(0) }
    }

    /// Returns the rows by which those of inputs are fetched ahead: few, as memory brings little at a time.
    pub(super) fn lead(&self, rows: usize, n: usize) -> usize {
        let widest = self.plan.beside.iter().map(|&input| self.plan.operands[input].size).max();
        widest.map_or(rows, |size| (LEAD / (n * size)).clamp(1, rows))
    }

    /// Asks for rows of inputs; those behind the last of the `rows` are the first ones of the next unit.
    pub(super) fn ask_beside(&self, asked: Range<usize>, rows: usize, n: usize) {
        for &input in &self.plan.beside {
            let (bytes, to_next) = (n * self.plan.operands[input].size, self.to_next(input));
            for row in asked.clone() {
                let (start, row) = if row < rows { (0, row) } else { (to_next, row - rows) };
                let place = self.place(input, row, 0).wrapping_offset(start);
                prefetch_l2(place, bytes);
            }
        }
    }
}
