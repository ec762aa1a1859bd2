//! Runs a schedule over memory, unit by unit.
//!
//! [`Schedule::run`] checks once that every address is inside its buffer, distributes ranges of units among threads and
//! calls the loop of every step for each unit, or for each tile of one. Everything else was decided in `schedule.rs`.

mod laid;
mod block;
mod call;
mod scoped_job;
mod quick;
pub mod probe;

use std::{
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use laid::Laid;

use crate::{
    executor::{Executor, Progress, Watch, look},
    isa::{Block, FloatMode, Isa},
    nest::{AccessPattern, Nest},
    pack::{Axis, CopyKernel, CopyPlan},
    program::Program,
    schedule::{BoundChain, BoundLink, BoundStep, Finish, PackedInput, Schedule, Source},
    tile::{Buffer, Input, Output, chain::Link, fence, prefetch_ahead, strided_copy},
};

pub(crate) use scoped_job::ScopedJob;
#[cfg(all(test, unix))]
pub(crate) use scoped_job::in_child;

/// The distance in bytes of rows at which inputs from memory are prefetched.
const LEAD: usize = 4096;

/// The reason why a program did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The nest does not fit the program or a buffer; explains which.
    Layout(String),
    /// No memory for the scratch tiles or for the copy of an overlapping input.
    Memory,
    /// `BROADAXE_ISA` names no instruction set of this CPU, or `BROADAXE_CACHES` no sizes; lists the accepted values.
    Environment(&'static str),
    /// A step rejected an element.
    Rejected {
        /// The step.
        step: usize,
        /// What the step rejects: `a zero divisor`.
        what: &'static str,
        /// The first rejected element, counted in the order of the nest.
        element: u64,
    },
    /// The progress function asked to stop.
    Interrupted,
}

/// Computes a program over a nest.
///
/// Results do not depend on the executor, the instruction set or the layout of any operand, to the last bit. An input
/// that shares memory with the output is read as if it had been copied before. To run the same program over the same
/// nest again, keep a [`Schedule`].
///
/// # Errors
/// See [`Failure`]; the output is then partly written.
pub fn run(
    program: &Program,
    nest: &Nest,
    inputs: &[Input],
    output: Output,
    executor: &dyn Executor,
    progress: Option<Progress>,
) -> Result<(), Failure> {
    Schedule::new(program, nest)?.run(inputs, output, executor, progress)
}

/// As [`run`], at a given level of instructions.
///
/// # Errors
/// As for [`run`].
pub fn run_at(
    isa: Isa,
    program: &Program,
    nest: &Nest,
    inputs: &[Input],
    output: Output,
    executor: &dyn Executor,
    progress: Option<Progress>,
) -> Result<(), Failure> {
    Schedule::at(isa, program, nest)?.run(inputs, output, executor, progress)
}

/// A schedule and the memory that it runs over.
struct ProgramJob<'a> {
    plan: &'a Schedule,
    inputs: &'a [Input<'a>],
    output: &'a Output<'a>,
}

impl ProgramJob<'_> {
    fn run(&self, executor: &dyn Executor, progress: Option<Progress>) -> Result<(), Failure> {
        let (units, total) = (self.plan.units(), self.plan.total);
        let parts = self.plan.parts(executor.threads());
        let watch = Watch::new(total, progress);
        let memory = AtomicBool::new(true);
        // Threads run many parts each, and reuse the addresses and packed operands of their last part.
        let spare = Mutex::new(Vec::new());
        let spares = || spare.lock().unwrap_or_else(PoisonError::into_inner);
        // A foreign executor may skip parts, which must not leave a gap in the result.
        let begun: Vec<AtomicBool> = (0..if parts == 1 { 0 } else { parts }).map(|_| AtomicBool::new(false)).collect();
        let work = |part: usize| {
            let again = begun.get(part).is_some_and(|begun| begun.swap(true, Ordering::Relaxed));
            if again || part >= parts || watch.is_stopped() {
                return;
            }
            let _mode = FloatMode::standard();
            let found = spares().pop();
            match found.or_else(|| ProgramWorker::new(self)) {
                Some(mut worker) => {
                    worker.run(units * part / parts..units * (part + 1) / parts, &watch);
                    spares().push(worker);
                }
                None => memory.store(false, Ordering::Relaxed),
            }
        };
        if parts == 1 {
            work(0);
        } else {
            executor.run_for(self.plan.worth, parts, &work);
            (0..parts).filter(|&part| !begun[part].load(Ordering::Relaxed)).for_each(work);
        }
        if memory.into_inner() { self.outcome(&watch) } else { Err(Failure::Memory) }
    }

    /// Returns the outcome of a job whose parts have ended.
    fn outcome(&self, watch: &Watch) -> Result<(), Failure> {
        match watch.rejected() {
            Some((element, step)) => {
                let what = self.plan.steps[step].guard.map_or("", |guard| guard.what);
                Err(Failure::Rejected { step: self.plan.program.before[step], what, element })
            }
            None if watch.is_stopped() => Err(Failure::Interrupted),
            None => Ok(()),
        }
    }
}

/// The state of one thread.
struct ProgramWorker<'a> {
    plan: &'a Schedule,
    scratch: Buffer,
    /// The address of each operand of the unit, or of its packed copy; the output last.
    places: Vec<*mut u8>,
    /// The bytes between rows of each.
    steps: Vec<isize>,
    /// The address of each operand of the unit, packed or not; the output last, then the number of the first element.
    starts: Vec<*mut u8>,
    element: u64,
    /// The round of each outer loop.
    rounds: Vec<usize>,
    /// The contents of each pack.
    packed: Vec<Held>,
    /// The contents of each splat: the address it was read from, and the number of elements.
    splat: Vec<(*const u8, usize)>,
    /// The axes of a unit, for strided copies.
    axes: Vec<Axis>,
    /// The call of each step for the current piece.
    laid: Vec<Laid<'a>>,
    /// The links of the program's chain.
    links: Vec<Link>,
}

// SAFETY: the places lie in operands that threads may share (`Input`, `Output`) and in scratch memory of the worker's own.
unsafe impl Send for ProgramWorker<'_> {}

/// The contents of a pack.
struct Held {
    /// The address it was read from.
    from: *const u8,
    rows: usize,
    /// The elements of a row.
    n: usize,
    /// The plan by which it was packed, valid for this number of rows and elements.
    way: Option<CopyPlan>,
}

impl<'a> ProgramWorker<'a> {
    fn new(job: &ProgramJob<'a>) -> Option<Self> {
        let plan = job.plan;
        let bases = job.inputs.iter().map(|input| input.base.cast_mut().wrapping_add(input.offset));
        let starts: Vec<_> = bases.chain([job.output.base.wrapping_add(job.output.offset)]).collect();
        Some(Self {
            plan,
            scratch: Buffer::zeroed(plan.scratch)?,
            places: starts.clone(),
            steps: plan.operands.iter().map(|operand| operand.across(plan)).collect(),
            starts,
            element: 0,
            rounds: vec![0; plan.outer.len()],
            packed: plan.packs.iter().map(|_| Held { from: std::ptr::null(), rows: 0, n: 0, way: None }).collect(),
            splat: vec![(std::ptr::null(), 0); plan.splats.len()],
            axes: Vec::new(),
            laid: plan
                .steps
                .iter()
                .map(|step| Laid { call: &step.call, block: Block::EMPTY, advances: [0; 3], out_advance: 0 })
                .collect(),
            links: plan.chain.iter().flat_map(|chain| &chain.links).map(BoundLink::unplaced).collect(),
        })
    }

    fn run(&mut self, units: Range<usize>, watch: &Watch) {
        self.seek(units.start);
        let (look, mut since) = (look(self.plan.program.picos()), 0);
        let mut left = units.len();
        while left > 0 {
            let (rows, n) = self.extent();
            let turns = self.turns(left.min((look / (rows * n) as u64).max(1) as usize));
            if turns > 1 {
                self.turn(rows, n, turns);
            } else if let Err((step, element)) = self.unit(rows, n) {
                // Units ascend, so this is the first of this range; a lower range may still find an earlier one.
                watch.reject(self.element + element, step);
                return;
            }
            since += (rows * n * turns) as u64;
            if since >= look {
                if !watch.go_on(since) {
                    return;
                }
                since = 0;
            }
            self.advance(turns);
            left -= turns;
        }
        if self.plan.streams {
            fence();
        }
        watch.go_on(since);
    }

    /// Moves to unit number `unit`.
    fn seek(&mut self, mut unit: usize) {
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
    fn turns(&self, most: usize) -> usize {
        self.plan.turning.map_or(1, |at| most.min(self.plan.outer[at].count - self.rounds[at]))
    }

    /// Advances by `turns` units, which is one or what `turns` returned.
    fn advance(&mut self, turns: usize) {
        let innermost = self.plan.turning.unwrap_or(self.rounds.len() - 1);
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
    fn to_next(&self, operand: usize) -> isize {
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

    /// Returns the rows of the current unit, and the elements of a row.
    fn extent(&self) -> (usize, usize) {
        let (cut, dims, last) = (&self.plan.cut, &self.plan.dims, self.rounds.len() - 1);
        let n = cut.chunk.min(dims[cut.axis] - self.rounds[last] * cut.chunk) * cut.inner;
        if cut.across == cut.axis {
            return (1, n);
        }
        (cut.rows.min(dims[cut.across] - self.rounds[last - 1] * cut.rows), n)
    }

    /// Computes a unit, or returns the step that rejected an element and the first such element, counted from the
    /// unit's.
    fn unit(&mut self, rows: usize, n: usize) -> Result<(), (usize, u64)> {
        self.places.copy_from_slice(&self.starts);
        self.gather(rows, n);
        let plan = self.plan;
        if let Some(chain) = &plan.chain {
            self.prefetch_next_rows(rows..2 * rows, rows, n);
            self.chain(chain, rows, n);
            return Ok(());
        }
        if plan.margin.is_some() {
            self.block(rows, n);
            return Ok(());
        }
        let tile = self.plan.tile.unwrap_or(usize::MAX);
        if n < tile || tile >= rows * n {
            let lead = self.lead(rows, n);
            let most = lead.min(tile / n);
            return (0..rows).step_by(most).try_for_each(|row| {
                self.prefetch_next_rows(row + lead..row + lead + most, rows, n);
                self.tiles(row, most.min(rows - row), n, [n, n])
            });
        }
        self.prefetch_next_rows(rows..2 * rows, rows, n);
        // Pieces of equal length, whole cache lines except the first, so that most of them begin a line of the result.
        let output = self.places.len() - 1;
        let out_size = self.plan.operands[output].size;
        let even = n.div_ceil(n.div_ceil(tile)).next_multiple_of(64).min(tile);
        (0..rows).try_for_each(|row| {
            let to = self.places[output].addr().wrapping_add_signed(self.steps[output] * row as isize);
            self.tiles(row, 1, n, [even - to % 64 / out_size, even])
        })
    }

    /// Computes several units by one call of the only loop.
    fn turn(&mut self, rows: usize, n: usize, turns: usize) {
        self.places.copy_from_slice(&self.starts);
        self.lay(0, rows, n, n);
        let Laid { call, mut block, .. } = self.laid[0];
        self.plan.take_turns(&mut block, turns);
        // SAFETY: see `lay`, for each of the units, whose addresses `check` found inside their buffers as well. No
        // element is rejected (`choose_turning`).
        unsafe { call.run(&block) };
    }

    /// Computes a unit by the loop of a chain.
    fn chain(&mut self, chain: &BoundChain, rows: usize, n: usize) {
        for (link, bound) in self.links.iter_mut().zip(&chain.links) {
            if let Some(input) = bound.input {
                (link.place, link.step) = (self.places[input].cast_const(), self.steps[input]);
            }
        }
        let output = self.places.len() - 1;
        // SAFETY: every operand is readable as its link says and the result can be written, as in `lay`; no input
        // overlaps the output (`choose_chain` is not called then).
        unsafe { chain.run(&self.links, [rows, n], (self.places[output], self.steps[output])) };
    }

    /// Computes `rows` rows of a unit from row `row` on, in pieces: the first of `lens[0]` elements, the others of
    /// `lens[1]`.
    fn tiles(&mut self, row: usize, rows: usize, n: usize, lens: [usize; 2]) -> Result<(), (usize, u64)> {
        let (mut at, mut len) = (0, lens[0].min(n));
        self.lay(row, rows, len, n.min(lens[0].max(lens[1])));
        loop {
            for number in 0..self.laid.len() {
                self.prefetch_inputs(row, at, rows * len, number);
                let laid = &self.laid[number];
                // SAFETY: see `lay`. The `Isa` that chose the loop proves its instructions.
                if unsafe { laid.call.run(&laid.block) } {
                    return Err(self.rejected(number, (row * n + at) as u64));
                }
            }
            self.finish(row, at, rows, len);
            let done = len;
            at += done;
            if at >= n {
                return Ok(());
            }
            len = lens[1].min(n - at);
            for laid in &mut self.laid {
                laid.block.n = len;
                laid.block.out = laid.block.out.wrapping_add(laid.out_advance * done);
                for k in 0..3 {
                    laid.block.places[k] = laid.block.places[k].wrapping_add(laid.advances[k] * done);
                }
            }
        }
    }

    /// Finds the first rejected element of the current piece, of which `step` is the first step to reject one; `before`
    /// counts the elements of the unit before the piece.
    ///
    /// The steps after it check the elements before the rejected one, because one of them may reject an earlier
    /// element.
    fn rejected(&self, step: usize, before: u64) -> (usize, u64) {
        let first = |number: usize| first_rejected(&self.plan.steps[number], &self.laid[number].block);
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

    /// Returns the address of an element of an operand of the unit.
    fn place(&self, operand: usize, row: usize, at: usize) -> *mut u8 {
        let size = if self.plan.operands[operand].access == AccessPattern::Constant {
            0
        } else {
            self.plan.operands[operand].size
        };
        self.places[operand].wrapping_offset(self.steps[operand] * row as isize).wrapping_add(at * size)
    }

    /// Returns an address in the scratch memory.
    fn scratch(&self, at: usize) -> *mut u8 {
        debug_assert!(at <= self.plan.scratch);
        self.scratch.base().wrapping_add(at)
    }

    /// Describes the call of every step for the first `n` elements of these rows of the unit, and how to advance along
    /// a row.
    ///
    /// Every operand is readable as the step's loop reads it: an input's rows are inside its buffer (`check`) or,
    /// packed, inside its scratch memory, and so are tiles, each of which holds a piece of elements of the widest dtype
    /// (`bind_steps`). The result's address is the output's own, which no input overlaps unless the result passes
    /// through a tile (`choose_tiles`), or a tile that is not an operand of the step (`assign_tiles`). Pieces that
    /// follow have at most `longest` elements.
    fn lay(&mut self, row: usize, rows: usize, n: usize, longest: usize) {
        let plan = self.plan;
        let output = self.places.len() - 1;
        for (number, step) in plan.steps.iter().enumerate() {
            let out = match step.out {
                Some(at) => (self.scratch(at), None),
                None => (self.place(output, row, 0), Some(self.steps[output])),
            };
            let find = |source| match source {
                Source::Input(i) => (self.place(i, row, 0).cast_const(), Some(self.steps[i])),
                Source::Tile(at) => (self.scratch(at).cast_const(), None),
                Source::Splat(at) => (self.splat(at, row, rows, longest), None),
                Source::Absent => (std::ptr::null(), None),
            };
            self.laid[number] = step.laid([rows, n], find, out);
        }
    }

    /// Copies a piece of the result from its tile to the output, unless it was computed there.
    fn finish(&mut self, row: usize, at: usize, rows: usize, n: usize) {
        let output = self.places.len() - 1;
        let (size, to) = (self.plan.operands[output].size, self.place(output, row, at));
        let step = self.steps[output];
        match self.plan.finish {
            Finish::Direct => {}
            Finish::Copy(tile) => {
                let axes = [Axis { count: rows, stride: step }, Axis { count: n, stride: size as isize }];
                // SAFETY: the rows of the output are inside its buffer (`check`), and the tile holds them all.
                unsafe { strided_copy(self.plan.isa, &CopyPlan::unpack(size, &axes), self.scratch(tile), to) };
            }
            Finish::Scatter(tile) => {
                // Whole rows, which may follow other rows.
                debug_assert_eq!(at, 0);
                self.lay_axes(output, rows, n);
                // SAFETY: as for `Copy`; the tile holds these rows.
                unsafe { strided_copy(self.plan.isa, &CopyPlan::unpack(size, &self.axes), self.scratch(tile), to) };
            }
        }
    }

    /// Prefetches a step's share of the inputs of a later tile, so that the prefetches are spread over the steps.
    fn prefetch_inputs(&self, row: usize, at: usize, elements: usize, step: usize) {
        for &input in &self.plan.fetched {
            let bytes = elements * self.plan.operands[input].size;
            let share = (bytes / self.laid.len()).next_multiple_of(64);
            let from = (share * step).min(bytes);
            prefetch_ahead(self.place(input, row, at).wrapping_add(from), share.min(bytes - from));
        }
    }

    /// Sets the axes of a unit with the strides of an operand.
    fn lay_axes(&mut self, operand: usize, rows: usize, n: usize) {
        let (cut, strides) = (&self.plan.cut, &self.plan.operands[operand].strides);
        self.axes.clear();
        self.axes.push(Axis { count: rows, stride: self.plan.operands[operand].across(self.plan) });
        self.axes.push(Axis { count: n / cut.inner, stride: strides[cut.axis] });
        let inner = self.plan.dims.iter().zip(strides).skip(cut.axis + 1);
        self.axes.extend(inner.map(|(&count, &stride)| Axis { count, stride }));
    }

    /// Packs the inputs of a unit that loops cannot read directly, unless they were packed for the unit before.
    fn gather(&mut self, rows: usize, n: usize) {
        let margin = self.margin();
        let n = n + margin;
        for (number, &PackedInput { input, at, ahead }) in self.plan.packs.iter().enumerate() {
            let operand = &self.plan.operands[input];
            let repeats = operand.across(self.plan) == 0;
            let back = operand.strides[self.plan.cut.axis] * margin as isize;
            let (from, rows) = (self.starts[input].wrapping_offset(-back).cast_const(), if repeats { 1 } else { rows });
            self.places[input] = self.scratch(at + margin * operand.size);
            let held = &mut self.packed[number];
            // A shorter row is the start of a longer one, but rows of another length are at other addresses.
            if held.from == from && (held.n == n || rows == 1 && held.n > n) && rows <= held.rows {
                continue;
            }
            self.steps[input] = if repeats { 0 } else { (n * operand.size) as isize };
            let known = held.way.take().filter(|_| (held.rows, held.n) == (rows, n));
            let mut way = known.unwrap_or_else(|| {
                self.lay_axes(input, rows, n);
                CopyPlan { second: self.plan.second, ahead, ..CopyPlan::pack(operand.size, &self.axes) }
            });
            if way.leaf == CopyKernel::Transposed {
                way.next = self.to_next(input) + back;
                way.is_asked =
                    self.plan.margin.is_some() && self.plan.second && way.outer.is_empty() && way.has_short_columns();
            }
            // SAFETY: the axes reach addresses of the input that `check` found inside its buffer; the scratch memory has room for the unit.
            unsafe { strided_copy(self.plan.isa, &way, from, self.scratch(at)) };
            self.packed[number] = Held { from, rows, n, way: Some(way) };
        }
    }

    /// Returns a tile filled with an input's constants, one row each.
    fn splat(&mut self, number: usize, row: usize, rows: usize, n: usize) -> *const u8 {
        let PackedInput { input, at, .. } = self.plan.splats[number];
        let (from, to) = (self.place(input, row, 0).cast_const(), self.scratch(at));
        let step = if rows == 1 { 0 } else { self.steps[input] };
        if step != 0 || self.splat[number].0 != from || self.splat[number].1 < rows * n {
            self.splat[number] = (if step == 0 { from } else { std::ptr::null() }, rows * n);
            let axes = [Axis { count: rows, stride: step }, Axis { count: n, stride: 0 }];
            // SAFETY: one element per row, inside the input's buffer (`check`); a tile has room for the piece.
            unsafe { strided_copy(self.plan.isa, &CopyPlan::pack(self.plan.operands[input].size, &axes), from, to) };
        }
        to
    }
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

/// Unsafe code that tests need. It is here because unsafe code is allowed in this module.
#[cfg(all(test, unix))]
mod fences;

#[cfg(test)]
mod raw;

#[cfg(test)]
mod tests;
