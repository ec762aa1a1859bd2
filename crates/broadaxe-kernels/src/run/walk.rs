//! The walk of a thread from unit to unit.

use super::ProgramJob;
use crate::schedule::Schedule;

/// Where a thread is.
pub(super) struct Walk<'a> {
    plan: &'a Schedule,
    /// The address of each operand of the unit, packed or not; the output last.
    pub(super) starts: Vec<*mut u8>,
    /// The number of the unit's first element.
    pub(super) element: u64,
    /// The round of each outer loop.
    pub(super) rounds: Vec<usize>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(job: &ProgramJob<'a>) -> Self {
        let bases = job.inputs.iter().map(|input| input.base.cast_mut().wrapping_add(input.offset));
        let starts = bases.chain([job.output.base.wrapping_add(job.output.offset)]).collect();
        Self { plan: job.plan, starts, element: 0, rounds: vec![0; job.plan.outer.len()] }
    }

    /// Moves to unit number `unit`.
    pub(super) fn seek(&mut self, mut unit: usize) {
        for (at, outer) in self.plan.outer.iter().enumerate().rev() {
            let round = unit % outer.count;
            unit /= outer.count;
            self.go(at, round as isize - self.rounds[at] as isize);
            self.rounds[at] = round;
        }
    }

    /// Moves every operand by rounds of an outer loop.
    fn go(&mut self, at: usize, rounds: isize) {
        let moves = &self.plan.outer[at].moves;
        for (start, step) in self.starts.iter_mut().zip(moves) {
            *start = start.wrapping_offset(step * rounds);
        }
        self.element = self.element.wrapping_add_signed((moves[moves.len() - 1] * rounds) as i64);
    }

    /// Returns the number of units that the next call computes, at most `most`.
    pub(super) fn turns(&self, most: usize) -> usize {
        self.plan.body.turning().map_or(1, |at| most.min(self.plan.outer[at].count - self.rounds[at]))
    }

    /// Advances by `turns` units, which is one or what `turns` returned.
    pub(super) fn advance(&mut self, turns: usize) {
        let innermost = self.plan.body.turning().unwrap_or(self.rounds.len() - 1);
        let mut on = turns;
        for at in (0..=innermost).rev() {
            self.rounds[at] += on;
            if self.rounds[at] < self.plan.outer[at].count {
                self.go(at, on as isize);
                return;
            }
            self.go(at, on as isize - self.rounds[at] as isize);
            (self.rounds[at], on) = (0, 1);
        }
    }

    /// Returns the bytes from an operand of this unit to the same operand of the next one.
    pub(super) fn to_next(&self, operand: usize) -> isize {
        let mut bytes = 0;
        for (outer, round) in self.plan.outer.iter().zip(&self.rounds).rev() {
            let ends = round + 1 == outer.count;
            bytes += outer.moves[operand] * if ends { 1 - outer.count as isize } else { 1 };
            if !ends {
                break;
            }
        }
        bytes
    }

    /// Returns the rows of the unit, and the elements of a row.
    pub(super) fn extent(&self) -> (usize, usize) {
        let (cut, dims, last) = (&self.plan.cut, &self.plan.dims, self.rounds.len() - 1);
        let n = cut.chunk.min(dims[cut.axis] - self.rounds[last] * cut.chunk) * cut.inner;
        if cut.across == cut.axis {
            return (1, n);
        }
        (cut.rows.min(dims[cut.across] - self.rounds[last - 1] * cut.rows), n)
    }
}
