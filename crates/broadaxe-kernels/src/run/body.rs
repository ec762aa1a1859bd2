//! Computes units with the loops of a schedule's body.

use super::{laid::Laid, unit::Unit, walk::Walk};
use crate::{
    isa::{Block, StridedBlock},
    pack::{Axis, CopyPlan},
    schedule::{
        Body, BoundLink, BoundStep, ChainBody, ChainCall, Finish, LoopBody, PackedInput, Source, StridedBody, TileBody,
    },
    tile::{
        chain::{ChainBlock, Link},
        strided_copy,
    },
};

/// A step that rejected an element, and the first such element, counted from the unit's first one.
pub(super) type Rejected = (usize, u64);

/// What a thread keeps for its body from unit to unit.
pub(super) enum BodyState<'a> {
    Loop(&'a LoopBody),
    Tiles(TileState<'a>),
    Chain(&'a ChainBody, Vec<Link>),
    Strided(&'a StridedBody),
}

impl<'a> BodyState<'a> {
    pub(super) fn new(body: &'a Body) -> Self {
        match body {
            Body::Loop(own) => Self::Loop(own),
            Body::Tiles(own) => Self::Tiles(TileState::new(own)),
            Body::Chain(own) => Self::Chain(own, own.links.iter().map(BoundLink::unplaced).collect()),
            Body::Strided(own) => Self::Strided(own),
        }
    }

    /// Computes a unit of `rows` rows of `n` elements.
    pub(super) fn run(&mut self, unit: &mut Unit, walk: &Walk, rows: usize, n: usize) -> Result<(), Rejected> {
        match self {
            Self::Loop(own) => return own.run(unit, walk, rows, n),
            Self::Tiles(own) => return own.run(unit, walk, rows, n),
            Self::Chain(own, links) => own.run(links, unit, walk, rows, n),
            Self::Strided(own) => own.run(unit, walk, rows, n),
        }
        Ok(())
    }
}

impl LoopBody {
    /// Describes the call for rows of a unit, from row `row` on.
    ///
    /// Every operand is readable as the loop reads it: an input's rows are inside its buffer (`check`) or, packed, inside
    /// the scratch memory. The result's address is the output's own, which no input overlaps (`needs_tiles`).
    fn laid(&self, unit: &Unit, row: usize, rows: usize, n: usize) -> Laid<'_> {
        let find = |source| match source {
            Source::Input(i) => (unit.place(i, row, 0).cast_const(), Some(unit.steps[i])),
            _ => (std::ptr::null(), None),
        };
        self.step.laid([rows, n], find, (unit.place(unit.output, row, 0), Some(unit.steps[unit.output])))
    }

    /// Computes a unit: in pieces of whole cache lines of the result if it is streamed, with prefetched inputs.
    ///
    /// A cache line that is written partly by streaming stores and partly through the caches costs as much as several
    /// whole ones. So a piece of a row starts at the beginning of its first cache line, and recomputes elements of the
    /// piece before it, and leaves its last partial line to the next piece.
    fn run(&self, unit: &Unit, walk: &Walk, rows: usize, n: usize) -> Result<(), Rejected> {
        let (piece, pieces) =
            walk.rounds.last().zip(unit.plan.outer.last()).map_or((0, 1), |(&at, own)| (at, own.count));
        let shifts = self.margin > 0;
        let (before, after) = (shifts && piece > 0, shifts && piece + 1 < pieces);
        let lead = unit.lead(rows, n);
        for row in (0..rows).step_by(lead) {
            let end = (row + lead).min(rows);
            unit.prefetch_rows(walk, row + lead..row + 2 * lead, rows, n);
            unit.prefetch_columns(walk, n * row / rows..n * end / rows, rows);
            let laid = self.laid(unit, row, end - row, n);
            // SAFETY: see `laid`. The elements before a piece are those of the preceding piece, in packed operands as
            // well (`Unit::go`). The `Isa` that chose the loop proves its instructions.
            if unsafe { laid.call.run_piece(&laid.block, before, after) } {
                return Err((0, (row * n + first_rejected(&self.step, &laid.block)) as u64));
            }
        }
        Ok(())
    }

    /// Computes `turns` units by one call.
    pub(super) fn run_turns(&self, unit: &Unit, rows: usize, n: usize, turns: usize) {
        let Laid { call, mut block, .. } = self.laid(unit, 0, rows, n);
        self.take_turns(&unit.plan.outer, &mut block, turns);
        // SAFETY: see `laid`, for each of the units, whose addresses `check` found inside their buffers as well. No
        // element is rejected (`Draft::turning`).
        unsafe { call.run(&block) };
    }
}

impl ChainBody {
    fn run(&self, links: &mut [Link], unit: &Unit, walk: &Walk, rows: usize, n: usize) {
        unit.prefetch_rows(walk, rows..2 * rows, rows, n);
        for (link, bound) in links.iter_mut().zip(&self.links) {
            if let Some(input) = bound.input {
                (link.place, link.step) = (unit.places[input].cast_const(), unit.steps[input]);
            } else if let Some(at) = bound.left {
                (link.place, link.step) = (unit.scratch(at).cast_const(), (n * bound.size) as isize);
            }
        }
        let mut start = 0;
        for &ChainCall { call, end, out } in &self.calls {
            let own = (unit.places[unit.output], unit.steps[unit.output]);
            let (out, out_step) = out.map_or(own, |at| (unit.scratch(at), (n * size_of::<f32>()) as isize));
            // SAFETY: every operand is readable as its link says and the result can be written, as for a loop; no input
            // overlaps the output (`choose_chain` is not called then). What a call leaves in the scratch memory has room for
            // the unit (`Draft::chain`).
            unsafe { call(&ChainBlock { links: &raw const links[start..end], rows, n, out, out_step }) };
            start = end;
        }
    }
}

impl StridedBody {
    fn run(&self, unit: &Unit, walk: &Walk, rows: usize, n: usize) {
        let lead = unit.lead(rows, n);
        for row in (0..rows).step_by(lead) {
            unit.prefetch_rows(walk, row + lead..row + 2 * lead, rows, n);
            let mut block = StridedBlock {
                n,
                rows: lead.min(rows - row),
                places: [std::ptr::null(); 3],
                steps: [0; 3],
                apart: self.apart,
                out: unit.place(unit.output, row, 0),
                out_step: unit.steps[unit.output],
                out_apart: self.out_apart,
            };
            for (k, &input) in self.inputs.iter().enumerate() {
                (block.places[k], block.steps[k]) = (unit.place(input, row, 0), unit.steps[input]);
            }
            // SAFETY: every element of the operands is inside its buffer (`check`), and no input overlaps the output
            // (`choose_strided` is not called then).
            unsafe { (self.call)(&block) };
        }
    }
}

/// The calls of the steps for the current tile.
pub(super) struct TileState<'a> {
    body: &'a TileBody,
    laid: Vec<Laid<'a>>,
    /// The rows of a piece that `laid` describes, and the elements of each; none before the first.
    extent: [usize; 2],
    /// The contents of each splat: the address it was read from, and the number of elements.
    splat: Vec<(*const u8, usize)>,
}

impl<'a> TileState<'a> {
    fn new(body: &'a TileBody) -> Self {
        let splat = vec![(std::ptr::null(), 0); body.splats.len()];
        Self { body, laid: Vec::with_capacity(body.steps.len()), extent: [0; 2], splat }
    }

    fn run(&mut self, unit: &mut Unit, walk: &Walk, rows: usize, n: usize) -> Result<(), Rejected> {
        let tile = self.body.elements;
        if n <= tile {
            let lead = unit.lead(rows, n);
            let most = lead.min(self.body.tile(rows, n).0);
            return (0..rows).step_by(most).try_for_each(|row| {
                unit.prefetch_rows(walk, row + lead..row + lead + most, rows, n);
                self.tiles(unit, walk, [row, most.min(rows - row)], n, [n, n])
            });
        }
        unit.prefetch_rows(walk, rows..2 * rows, rows, n);
        // Pieces of whole cache lines except the first, so that most of them begin a line of the result.
        let (output, out_size) = (unit.output, unit.plan.operands[unit.output].size);
        let even = self.body.tile(rows, n).1;
        (0..rows).try_for_each(|row| {
            let to = unit.places[output].addr().wrapping_add_signed(unit.steps[output] * row as isize);
            self.tiles(unit, walk, [row, 1], n, [even - to % 64 / out_size, even])
        })
    }

    /// Computes `rows` rows of a unit from row `row` on, in pieces: the first of `lens[0]` elements, the others of
    /// `lens[1]`.
    fn tiles(
        &mut self,
        unit: &mut Unit,
        walk: &Walk,
        [row, rows]: [usize; 2],
        n: usize,
        lens: [usize; 2],
    ) -> Result<(), Rejected> {
        let longest = n.min(lens[0].max(lens[1]));
        let (mut at, mut len) = (0, lens[0].min(n));
        while at < n {
            self.go(unit, [row, at], [rows, len], longest);
            self.prefetch(unit, walk, [row, at], rows * len);
            for (number, laid) in self.laid.iter().enumerate() {
                // SAFETY: see `lay`. The `Isa` that chose the loop proves its instructions.
                if unsafe { laid.call.run(&laid.block) } {
                    return Err(self.rejected(number, (row * n + at) as u64));
                }
            }
            self.finish(unit, row, at, rows, len);
            at += len;
            len = lens[1].min(n - at.min(n));
        }
        Ok(())
    }

    /// Describes the calls for a piece of `rows` rows of `n` elements from `[row, at]` on, or changes only the addresses in
    /// those for the piece before, because describing them costs as much as a few hundred elements.
    fn go(&mut self, unit: &Unit, [row, at]: [usize; 2], [rows, n]: [usize; 2], longest: usize) {
        let is_refilled = || self.body.splats.iter().any(|splat| unit.steps[splat.input] != 0);
        let is_alike = self.extent[0] == rows && (rows == 1 || self.extent[1] == n);
        self.extent = [rows, n];
        if !is_alike || at == 0 && is_refilled() {
            self.lay(unit, [row, at], [rows, n], longest);
            return;
        }
        for (step, Laid { block, .. }) in self.body.steps.iter().zip(&mut self.laid) {
            for (place, &source) in block.places.iter_mut().zip(&step.args) {
                match source {
                    Source::Input(i) => *place = unit.place(i, row, at),
                    Source::Splat(number) if at == 0 => {
                        *place =
                            fill_splat(self.body.splats[number], &mut self.splat[number], unit, row, rows, longest);
                    }
                    _ => {}
                }
            }
            if step.out.is_none() {
                block.out = unit.place(unit.output, row, at);
            }
            if rows == 1 {
                block.n = n;
            }
        }
    }

    /// Describes the call of every step for `n` elements of these rows of the unit.
    ///
    /// Every operand is readable as the step's loop reads it: an input's rows are inside its buffer (`check`) or,
    /// packed, inside its scratch memory, and so are tiles, each of which holds a piece of elements of the widest dtype
    /// (`Draft::tiles`). The result's address is the output's own, which no input overlaps unless the result passes
    /// through a tile, or a tile that is not an operand of the step (`assign_tiles`). Pieces of the same rows have at most
    /// `longest` elements.
    fn lay(&mut self, unit: &Unit, [row, at]: [usize; 2], [rows, n]: [usize; 2], longest: usize) {
        let Self { body, laid, splat, .. } = self;
        laid.clear();
        for step in &body.steps {
            let out = match step.out {
                Some(at) => (unit.scratch(at), None),
                None => (unit.place(unit.output, row, at), Some(unit.steps[unit.output])),
            };
            let find = |source| match source {
                Source::Input(i) => (unit.place(i, row, at).cast_const(), Some(unit.steps[i])),
                Source::Tile(at) => (unit.scratch(at).cast_const(), None),
                Source::Splat(at) => (fill_splat(body.splats[at], &mut splat[at], unit, row, rows, longest), None),
                Source::Absent => (std::ptr::null(), None),
            };
            laid.push(step.laid([rows, n], find, out));
        }
    }

    /// Finds the first rejected element of the current piece, of which `step` is the first step to reject one; `before`
    /// counts the elements of the unit before the piece.
    ///
    /// The steps after it check the elements before the rejected one, because one of them may reject an earlier
    /// element.
    fn rejected(&self, step: usize, before: u64) -> Rejected {
        let first = |number: usize| first_rejected(&self.body.steps[number], &self.laid[number].block);
        let mut found = (first(step), step);
        for number in step + 1..self.laid.len() {
            let laid = &self.laid[number];
            // SAFETY: as in `tiles`; elements after a rejected one are meaningless, and are computed anyway.
            if unsafe { laid.call.run(&laid.block) } {
                found = found.min((first(number), number));
            }
        }
        (found.1, before + found.0 as u64)
    }

    /// Prefetches as many elements of packed inputs of the next unit as a piece has.
    fn prefetch(&self, unit: &Unit, walk: &Walk, [row, at]: [usize; 2], elements: usize) {
        // Rows that repeat are packed once.
        for &input in self.body.fetched.iter().filter(|&&input| row == 0 || unit.steps[input] != 0) {
            unit.prefetch_packed(walk, input, [row, at], elements);
        }
    }

    /// Copies a piece of the result from its tile to the output, unless it was computed there.
    fn finish(&self, unit: &mut Unit, row: usize, at: usize, rows: usize, n: usize) {
        let (isa, output) = (unit.plan.isa, unit.output);
        let (size, to) = (unit.plan.operands[output].size, unit.place(output, row, at));
        let (way, tile) = match self.body.finish {
            Finish::Direct => return,
            Finish::Copy(tile) => {
                let stride = unit.steps[output];
                let axes = [Axis { count: rows, stride }, Axis { count: n, stride: size as isize }];
                (CopyPlan::unpack(size, &axes), tile)
            }
            Finish::Scatter(tile) => {
                // Whole rows, which may follow other rows.
                debug_assert_eq!(at, 0);
                (CopyPlan::unpack(size, unit.axes(output, rows, n)), tile)
            }
        };
        // SAFETY: the rows of the output are inside its buffer (`check`), and the tile holds them all.
        unsafe { strided_copy(isa, &way, unit.scratch(tile), to) };
    }
}

/// Returns a tile filled with an input's constants, one row each.
fn fill_splat(
    PackedInput { input, at, .. }: PackedInput,
    held: &mut (*const u8, usize),
    unit: &Unit,
    row: usize,
    rows: usize,
    n: usize,
) -> *const u8 {
    let (from, to) = (unit.place(input, row, 0).cast_const(), unit.scratch(at));
    let step = if rows == 1 { 0 } else { unit.steps[input] };
    if step != 0 || held.0 != from || held.1 < rows * n {
        *held = (if step == 0 { from } else { std::ptr::null() }, rows * n);
        let axes = [Axis { count: rows, stride: step }, Axis { count: n, stride: 0 }];
        // SAFETY: one element per row, inside the input's buffer (`check`); a tile has room for the piece.
        unsafe { strided_copy(unit.plan.isa, &CopyPlan::pack(unit.plan.operands[input].size, &axes), from, to) };
    }
    to
}

/// Finds the first element of a block that a step rejects, or returns the number of elements.
fn first_rejected(step: &BoundStep, block: &Block) -> usize {
    let Some(guard) = step.guard else { return block.n * block.rows };
    let steps = step.call.sizes.map(|size| usize::from(size != 0));
    for row in 0..block.rows {
        let places = [0, 1, 2].map(|k| block.places[k].wrapping_offset(block.steps[k] * row as isize));
        // SAFETY: the block was computed just now by the step's loop, which reads the same elements.
        let first = unsafe { (guard.first)(block.n, places, steps) };
        if first < block.n {
            return row * block.n + first;
        }
    }
    block.n * block.rows
}
