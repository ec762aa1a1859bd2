//! Computes units of rows with one loop: in pieces of whole cache lines of the result, with prefetched inputs.
//!
//! A cache line that is written partly by streaming stores and partly through the caches costs as much as several whole
//! ones. So a piece of a row starts at the beginning of its first cache line, and recomputes elements of the piece
//! before it, and leaves its last partial line to the next piece.

use std::ops::Range;

use super::{LEAD, Laid, ProgramWorker};
use crate::{schedule::PackedInput, tile::prefetch_l2};

impl ProgramWorker<'_> {
    /// Computes a unit of rows by the only loop, in pieces of whole cache lines of the result if it is streamed.
    pub(super) fn block(&mut self, rows: usize, n: usize) {
        let (piece, pieces) =
            self.rounds.last().zip(self.plan.outer.last()).map_or((0, 1), |(&at, own)| (at, own.count));
        let shifts = self.plan.margin > Some(0);
        let (before, after) = (shifts && piece > 0, shifts && piece + 1 < pieces);
        let lead = self.lead(rows, n);
        for row in (0..rows).step_by(lead) {
            let end = (row + lead).min(rows);
            self.prefetch_next_rows(row + lead..row + 2 * lead, rows, n);
            self.prefetch_columns(n * row / rows..n * end / rows, rows);
            self.lay(row, end - row, n, n);
            let Laid { call, block, .. } = &self.laid[0];
            // SAFETY: see `lay`. The elements before a piece are those of the preceding piece, in packed operands as
            // well (`gather`). None is rejected (`choose_tiles`).
            unsafe { call.run_piece(block, before, after) };
        }
    }

    /// Prefetches columns of transposed inputs for the start of the next unit.
    fn prefetch_columns(&self, asked: Range<usize>, rows: usize) {
        for (&PackedInput { input, .. }, held) in self.plan.packs.iter().zip(&self.packed) {
            let Some(way) = held.way.as_ref().filter(|way| way.is_asked) else { continue };
            let next = self.starts[input].wrapping_offset(self.to_next(input) + way.start.0);
            for column in asked.clone() {
                prefetch_l2(next.wrapping_offset(way.row.from * column as isize), rows * way.size);
            }
        }
    }

    /// Returns the number of elements before a unit that its rows may recompute: 0 if its rows begin cache lines, or if
    /// nothing precedes them.
    pub(super) fn margin(&self) -> usize {
        let output = self.places.len() - 1;
        let begins = (self.starts[output].addr() | self.steps[output].unsigned_abs()).is_multiple_of(64);
        if begins || self.rounds[self.rounds.len() - 1] == 0 { 0 } else { self.plan.margin.unwrap_or(0) }
    }

    /// Returns the number of rows by which inputs are prefetched: few, because memory delivers little at a time.
    pub(super) fn lead(&self, rows: usize, n: usize) -> usize {
        let widest = self.plan.next_rows.iter().map(|&input| self.plan.operands[input].size).max();
        widest.map_or(rows, |size| (LEAD / (n * size)).clamp(1, rows))
    }

    /// Prefetches rows of inputs; those after the last of the `rows` are the first rows of the next unit.
    pub(super) fn prefetch_next_rows(&self, asked: Range<usize>, rows: usize, n: usize) {
        for &input in &self.plan.next_rows {
            let (bytes, to_next) = (n * self.plan.operands[input].size, self.to_next(input));
            for row in asked.clone() {
                let (start, row) = if row < rows { (0, row) } else { (to_next, row - rows) };
                let place = self.place(input, row, 0).wrapping_offset(start);
                prefetch_l2(place, bytes);
            }
        }
    }
}
