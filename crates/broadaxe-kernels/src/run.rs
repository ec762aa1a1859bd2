//! The driver: a schedule over memory, unit by unit.
//!
//! [`Schedule::run`] checks once that every address lies inside its buffer, hands ranges of units to threads and, per unit or per
//! tile of one, calls the loop of every step. All else was decided in `schedule.rs`.

use std::{
    marker::PhantomData,
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicPtr, Ordering},
    },
};

use crate::{
    executor::{Executor, LOOK, Progress, Watch, parts},
    gate::Gate,
    isa::{Block, FloatMode, Isa, Loop},
    nest::{Lie, Nest, apart},
    pack::{Axis, Way},
    program::Program,
    schedule::{BoundStep, Finish, Operand, Packed, Schedule, Source, measure},
    tile::{Buffer, Input, Output, carry, fence, fetch},
};

/// Why a program did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The nest does not fit the program or a buffer; says which.
    Layout(String),
    /// There is no memory for the scratch tiles or for the copy of an overlapping input.
    Memory,
    /// `BROADAXE_ISA` names no instruction set of this CPU.
    Isa(&'static str),
    /// A step was asked for what it refuses.
    Refused {
        /// The step.
        step: usize,
        /// What it refuses: `a zero divisor`.
        what: &'static str,
        /// The first element at fault, counted in the order of the nest.
        element: u64,
    },
    /// The progress function asked to stop.
    Interrupted,
}

/// Computes a program over a nest.
///
/// Results do not depend on the executor, the instruction set or the layout of any operand, to the last bit. An input that shares
/// memory with the output is read as if it had been copied before. To run the same program over the same nest again, keep
/// a [`Schedule`].
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

impl Schedule {
    /// Decides how to run a program over a nest.
    ///
    /// # Errors
    /// [`Failure::Layout`] when the nest does not fit the program or elements of its output share memory; [`Failure::Isa`].
    pub fn new(program: &Program, nest: &Nest) -> Result<Self, Failure> {
        Self::at(Isa::current().map_err(Failure::Isa)?, program, nest)
    }

    /// As [`Schedule::new`], at a given level of instructions.
    ///
    /// # Errors
    /// As for [`Schedule::new`], but for the last.
    pub fn at(isa: Isa, program: &Program, nest: &Nest) -> Result<Self, Failure> {
        Self::decide(isa, program, nest, false)
    }

    fn decide(isa: Isa, program: &Program, nest: &Nest, in_place: bool) -> Result<Self, Failure> {
        let rank = nest.dims.len();
        let wrong = |text: String| Err(Failure::Layout(text));
        if nest.inputs.len() != program.inputs.len() {
            return wrong(format!(
                "the program has {} inputs and the nest {}",
                program.inputs.len(),
                nest.inputs.len()
            ));
        }
        if nest.output.len() != rank || nest.inputs.iter().any(|strides| strides.len() != rank) {
            return wrong(format!("every operand needs {rank} strides, one per loop"));
        }
        let sizes = measure(program, nest).map_err(Failure::Layout)?;
        if sizes.total > 0 && !apart(&nest.dims, &nest.output, program.output().size()) {
            return wrong(String::from(
                "elements of the output share memory; write to an array whose elements are apart",
            ));
        }
        Ok(Self::bind(isa, program, nest, sizes, in_place))
    }

    /// Computes the program over this memory.
    ///
    /// # Errors
    /// See [`Failure`]; the output is then partly written.
    #[allow(clippy::needless_pass_by_value)] // The output is given up: it is a borrow of memory to write, of which there is one.
    pub fn run(
        &self,
        inputs: &[Input],
        output: Output,
        executor: &dyn Executor,
        progress: Option<Progress>,
    ) -> Result<(), Failure> {
        let parted = self.check(inputs, &output)?;
        if self.total == 0 {
            return Ok(());
        }
        if !parted {
            return self.run_apart(inputs, &output, executor, progress);
        }
        if self.is_one_call() && progress.is_none() {
            let _mode = FloatMode::standard();
            if self.call_once(inputs, &output) {
                return Ok(());
            }
        }
        Job { plan: self, inputs, output: &output }.run(executor, progress)
    }

    /// Checks that every address lies inside its buffer; says whether no input shares memory with the output.
    fn check(&self, inputs: &[Input], output: &Output) -> Result<bool, Failure> {
        if inputs.len() + 1 != self.operands.len() {
            let text = format!("the program has {} inputs and the call {}", self.operands.len() - 1, inputs.len());
            return Err(Failure::Layout(text));
        }
        if self.total == 0 {
            return Ok(true);
        }
        let out = self.operands[inputs.len()].range((output.base.addr(), output.len, output.offset));
        let Some((out_start, out_end)) = out else {
            return Err(self.outside("the output", inputs.len(), output.offset, output.len));
        };
        let mut parted = true;
        for (i, input) in inputs.iter().enumerate() {
            let Some((start, end)) = self.operands[i].range((input.base.addr(), input.len, input.offset)) else {
                return Err(self.outside(&format!("input {i}"), i, input.offset, input.len));
            };
            parted &= end <= out_start || out_end <= start;
        }
        Ok(parted)
    }

    fn outside(&self, who: &str, operand: usize, offset: usize, len: usize) -> Failure {
        let (low, high) = self.operands[operand].reach;
        let (low, high) = (offset as i128 + low as i128, offset as i128 + high as i128);
        Failure::Layout(format!("{who} reaches bytes {low} to {high} of a buffer of {len}"))
    }

    /// Copies every input that shares memory with the output, unless it is the output, element for element; then runs.
    fn run_apart(
        &self,
        inputs: &[Input],
        output: &Output,
        executor: &dyn Executor,
        progress: Option<Progress>,
    ) -> Result<(), Failure> {
        let (mut inputs, mut nest) = (inputs.to_vec(), self.nest.clone());
        let (mut in_place, mut copies) = (false, Vec::new());
        let out = &self.operands[inputs.len()];
        let out_range = out.range((output.base.addr(), output.len, output.offset)).unwrap_or_default();
        for (i, input) in inputs.iter_mut().enumerate() {
            let own = &self.operands[i];
            let range = own.range((input.base.addr(), input.len, input.offset)).unwrap_or_default();
            if range.1 <= out_range.0 || out_range.1 <= range.0 {
                continue;
            }
            let same_start = input.base.addr() + input.offset == output.base.addr() + output.offset;
            if same_start && own.size == out.size && own.strides == out.strides {
                in_place = true;
                continue;
            }
            let copy = copied(self.isa, &nest.dims, input, &mut nest.inputs[i], own.size)?;
            *input = Input { base: copy.base(), len: copy.bytes().len(), offset: 0, borrow: PhantomData };
            copies.push(copy);
        }
        let plan = Self::decide(self.isa, &self.program, &nest, in_place)?;
        let result = Job { plan: &plan, inputs: &inputs, output }.run(executor, progress);
        drop(copies);
        result
    }

    /// Says whether the whole nest is one unit, computed by one call of one loop.
    fn is_one_call(&self) -> bool {
        self.tile.is_none() && self.packs.is_empty() && self.cut.elements() as u64 == self.total
    }

    /// Calls the one loop there is; says whether nothing was refused.
    fn call_once(&self, inputs: &[Input], output: &Output) -> bool {
        let step = &self.steps[0];
        let mut block = Block {
            n: self.cut.chunk * self.cut.inner,
            rows: self.cut.rows,
            places: [std::ptr::null(); 3],
            steps: [0; 3],
            out: output.base.wrapping_add(output.offset),
            out_step: self.operands[inputs.len()].across(self),
        };
        for (k, arg) in step.args.iter().enumerate() {
            if let Source::Input(i) = *arg {
                block.places[k] = inputs[i].base.wrapping_add(inputs[i].offset);
                block.steps[k] = self.operands[i].across(self);
            }
        }
        // SAFETY: `check` found every address that the nest reaches inside its buffer, and no input on the output. Each operand is dense or
        // constant along a row, as its loop expects (`bind_steps`).
        unsafe { !(step.call)(&block) }
    }
}

impl Operand {
    /// Returns the addresses of the first byte reached and behind the last, if they lie inside a buffer of this base, length and offset.
    fn range(&self, (base, len, offset): (usize, usize, usize)) -> Option<(usize, usize)> {
        let low = offset.checked_add_signed(self.reach.0)?;
        let high = offset.checked_add_signed(self.reach.1).filter(|&high| high <= len)?;
        Some((base + low, base + high))
    }

    /// Returns the bytes from one row of a unit to the next.
    fn across(&self, plan: &Schedule) -> isize {
        if plan.cut.across == plan.cut.axis { 0 } else { self.strides[plan.cut.across] }
    }
}

/// Copies the elements that a nest reaches in an input, and changes the strides to those of the copy.
///
/// Only the axes that the input moves along are copied; it repeats along the others as before.
fn copied(isa: Isa, dims: &[usize], input: &Input, strides: &mut [isize], size: usize) -> Result<Buffer, Failure> {
    let count = |(&dim, &stride): (&usize, &isize)| Axis { count: if stride == 0 { 1 } else { dim }, stride };
    let axes: Vec<Axis> = dims.iter().zip(&*strides).map(count).collect();
    let bytes = axes.iter().try_fold(size, |n, axis| n.checked_mul(axis.count)).ok_or(Failure::Memory)?;
    let mut copy = Buffer::zeroed(bytes).ok_or(Failure::Memory)?;
    // SAFETY: `check` found every address of the input inside its buffer, and the copy has a place for each element.
    unsafe { carry(isa, &Way::pack(size, &axes), input.base.add(input.offset), copy.bytes_mut().as_mut_ptr()) };
    let mut step = size as isize;
    for (axis, stride) in axes.iter().zip(strides).rev() {
        *stride = if *stride == 0 { 0 } else { step };
        step *= axis.count as isize;
    }
    Ok(copy)
}

/// A schedule and the memory it is run over.
struct Job<'a> {
    plan: &'a Schedule,
    inputs: &'a [Input<'a>],
    output: &'a Output<'a>,
}

impl Job<'_> {
    fn run(&self, executor: &dyn Executor, progress: Option<Progress>) -> Result<(), Failure> {
        let (units, total) = (self.plan.units(), self.plan.total);
        let parts = parts(self.plan.nanos, executor.threads()).clamp(1, units);
        let watch = Watch::new(total, progress);
        let memory = AtomicBool::new(true);
        // Threads take many parts each, and go on with the places and packed operands that they have.
        let spare = Mutex::new(Vec::new());
        let spares = || spare.lock().unwrap_or_else(PoisonError::into_inner);
        let work = |part: usize| {
            if watch.is_stopped() {
                return;
            }
            let _mode = FloatMode::standard();
            let found = spares().pop();
            match found.or_else(|| Worker::new(self)) {
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
            executor.run(parts, &work);
        }
        if !memory.into_inner() {
            return Err(Failure::Memory);
        }
        match watch.refused() {
            Some((element, step)) => {
                let what = self.plan.steps[step].guard.map_or("", |guard| guard.what);
                Err(Failure::Refused { step: self.plan.program.before[step], what, element })
            }
            None if watch.is_stopped() => Err(Failure::Interrupted),
            None => Ok(()),
        }
    }
}

/// One thread's places.
struct Worker<'a> {
    plan: &'a Schedule,
    scratch: Buffer,
    /// Where each operand of the unit begins, or its packed copy; the output last.
    places: Vec<*mut u8>,
    /// The bytes from row to row of each.
    steps: Vec<isize>,
    /// Where each operand of the unit begins, whether packed or not; the output last, then the number of the first element.
    starts: Vec<*mut u8>,
    element: u64,
    /// The round of each outer loop.
    rounds: Vec<usize>,
    /// What each pack holds: the place it was read from, the rows and the elements of a row.
    packed: Vec<(*const u8, usize, usize)>,
    /// What each splat holds: the place it was read from, and how many elements.
    splat: Vec<(*const u8, usize)>,
    /// The axes of a unit; for packers.
    axes: Vec<Axis>,
    /// What each step computes in the piece at hand.
    laid: Vec<Laid>,
}

// SAFETY: the places lie in operands that threads may share (`Input`, `Output`) and in scratch memory of the worker's own.
unsafe impl Send for Worker<'_> {}

/// What a step computes in the piece at hand.
#[derive(Clone, Copy)]
struct Laid {
    call: Loop,
    block: Block,
    /// The bytes that each operand moves with an element, from piece to piece; 0 for tiles and constants.
    advances: [usize; 3],
    out_advance: usize,
}

impl<'a> Worker<'a> {
    fn new(job: &Job<'a>) -> Option<Self> {
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
            packed: vec![(std::ptr::null(), 0, 0); plan.packs.len()],
            splat: vec![(std::ptr::null(), 0); plan.splats.len()],
            axes: Vec::new(),
            laid: plan
                .steps
                .iter()
                .map(|step| Laid { call: step.call, block: EMPTY, advances: [0; 3], out_advance: 0 })
                .collect(),
        })
    }

    fn run(&mut self, units: Range<usize>, watch: &Watch) {
        self.seek(units.start);
        let mut since = 0;
        for _ in units {
            let (rows, n) = self.extent();
            if let Err((step, element)) = self.unit(rows, n) {
                // Units ascend, so this is the first of this range; a lower range may still find an earlier one.
                watch.refuse(self.element + element, step);
                return;
            }
            since += (rows * n) as u64;
            if since >= LOOK {
                if !watch.go_on(since) {
                    return;
                }
                since = 0;
            }
            self.advance();
        }
        if self.plan.streams {
            fence();
        }
        watch.go_on(since);
    }

    /// Goes to the unit of this number.
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

    /// Goes to the next unit.
    fn advance(&mut self) {
        for at in (0..self.rounds.len()).rev() {
            self.rounds[at] += 1;
            if self.rounds[at] < self.plan.outer[at].count {
                self.go(at, 1);
                return;
            }
            self.go(at, 1 - self.rounds[at] as isize);
            self.rounds[at] = 0;
        }
    }

    /// Returns the rows of the unit at hand, and the elements of a row.
    fn extent(&self) -> (usize, usize) {
        let (cut, dims, last) = (&self.plan.cut, &self.plan.dims, self.rounds.len() - 1);
        let n = cut.chunk.min(dims[cut.axis] - self.rounds[last] * cut.chunk) * cut.inner;
        if cut.across == cut.axis {
            return (1, n);
        }
        (cut.rows.min(dims[cut.across] - self.rounds[last - 1] * cut.rows), n)
    }

    /// Computes a unit, or finds the step that refused and the first element it refused, counted from the unit's.
    fn unit(&mut self, rows: usize, n: usize) -> Result<(), (usize, u64)> {
        self.places.copy_from_slice(&self.starts);
        self.gather(rows, n);
        let tile = self.plan.tile.unwrap_or(usize::MAX);
        if tile >= rows * n {
            return self.tiles(0, rows, n, [n, n]);
        }
        if n < tile {
            let most = tile / n;
            return (0..rows).step_by(most).try_for_each(|row| self.tiles(row, most.min(rows - row), n, [n, n]));
        }
        // Pieces of equal length, whole lines of the cache but for the first, so that most of them begin a line of the result.
        let output = self.places.len() - 1;
        let out_size = self.plan.operands[output].size;
        let even = n.div_ceil(n.div_ceil(tile)).next_multiple_of(64).min(tile);
        (0..rows).try_for_each(|row| {
            let to = self.places[output].addr().wrapping_add_signed(self.steps[output] * row as isize);
            self.tiles(row, 1, n, [even - to % 64 / out_size, even])
        })
    }

    /// Computes rows of a unit, `rows` of them from row `row`, in pieces: the first of `lens[0]` elements, the others of `lens[1]`.
    fn tiles(&mut self, row: usize, rows: usize, n: usize, lens: [usize; 2]) -> Result<(), (usize, u64)> {
        self.lay(row, rows, n.min(lens[0]));
        let (mut at, mut len) = (0, lens[0].min(n));
        loop {
            for number in 0..self.laid.len() {
                self.fetch_ahead(row, at, rows * len, number);
                let laid = &self.laid[number];
                // SAFETY: see `lay`. The `Isa` that chose the loop proves its instructions.
                if unsafe { (laid.call)(&laid.block) } {
                    return Err(self.refused(number, (row * n + at) as u64));
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

    /// Finds the first element that a step refuses in the piece at hand, which `step` is the first to refuse; `before` counts the
    /// elements of the unit before the piece.
    ///
    /// Behind a step that refuses an element, the others look at the elements before it: one may be refused there.
    fn refused(&self, step: usize, before: u64) -> (usize, u64) {
        let first = |number: usize| first_refused(&self.plan.steps[number], &self.laid[number].block);
        let mut found = (first(step), step);
        for number in step + 1..self.laid.len() {
            let laid = &self.laid[number];
            // SAFETY: as in `tiles`; elements behind a refused one mean nothing, and are computed all the same.
            if unsafe { (laid.call)(&laid.block) } {
                found = found.min((first(number), number));
            }
        }
        (found.1, before + found.0 as u64)
    }

    /// Returns the place of an element of an operand of the unit.
    fn place(&self, operand: usize, row: usize, at: usize) -> *mut u8 {
        let size = if self.plan.operands[operand].lie == Lie::Constant { 0 } else { self.plan.operands[operand].size };
        self.places[operand].wrapping_offset(self.steps[operand] * row as isize).wrapping_add(at * size)
    }

    /// Returns a place in the scratch memory.
    fn scratch(&self, at: usize) -> *mut u8 {
        debug_assert!(at <= self.plan.scratch);
        self.scratch.base().wrapping_add(at)
    }

    /// Describes what every step computes in the first `n` elements of these rows of the unit, and how to go on along a row.
    ///
    /// Every operand is readable as the step's loop reads it: an input's rows lie inside its buffer (`check`) or, packed, inside its
    /// scratch memory, and so do tiles, each of which holds a piece of elements of the widest dtype (`bind_steps`). The result's place is
    /// the output's own, which no input overlaps unless the result goes through a tile (`choose_tiles`), or a tile that is no operand of
    /// the step (`assign_tiles`).
    fn lay(&mut self, row: usize, rows: usize, n: usize) {
        let output = self.places.len() - 1;
        for (number, step) in self.plan.steps.iter().enumerate() {
            let (mut places, mut steps, mut advances) = ([std::ptr::null(); 3], [0; 3], [0; 3]);
            for k in 0..3 {
                (places[k], steps[k], advances[k]) = match step.args[k] {
                    Source::Input(i) => (self.place(i, row, 0).cast_const(), self.steps[i], step.sizes[k]),
                    Source::Tile(at) => (self.scratch(at).cast_const(), (n * step.sizes[k]) as isize, 0),
                    Source::Splat(at) => (self.splat(at, row, rows, n), (n * step.sizes[k]) as isize, 0),
                    Source::Absent => continue,
                };
            }
            let (out, out_step, out_advance) = match step.out {
                Some(at) => (self.scratch(at), (n * step.out_size) as isize, 0),
                None => (self.place(output, row, 0), self.steps[output], step.out_size),
            };
            let follows = |k: usize| steps[k] == (n * step.sizes[k]) as isize;
            let joins = rows > 1 && out_step == (n * step.out_size) as isize && (0..3).all(follows);
            let (n, rows) = if joins { (n * rows, 1) } else { (n, rows) };
            let block = Block { n, rows, places, steps, out, out_step };
            self.laid[number] = Laid { call: step.call, block, advances, out_advance };
        }
    }

    /// Brings a piece of the result from its tile to its place, where it was not computed there.
    fn finish(&mut self, row: usize, at: usize, rows: usize, n: usize) {
        let output = self.places.len() - 1;
        let (size, to) = (self.plan.operands[output].size, self.place(output, row, at));
        let step = self.steps[output];
        match self.plan.finish {
            Finish::Direct => {}
            Finish::Copy(tile) => {
                let axes = [Axis { count: rows, stride: step }, Axis { count: n, stride: size as isize }];
                // SAFETY: the rows of the output lie inside its buffer (`check`), and the tile holds them all.
                unsafe { carry(self.plan.isa, &Way::unpack(size, &axes), self.scratch(tile), to) };
            }
            Finish::Scatter(tile) => {
                self.lay_axes(output, rows, n);
                // SAFETY: as for `Copy`; the tile holds the whole unit.
                unsafe {
                    carry(self.plan.isa, &Way::unpack(size, &self.axes), self.scratch(tile), self.places[output]);
                };
            }
        }
    }

    /// Asks for a step's share of the inputs of a later tile, so that they are there when it comes and never all are asked for at once.
    fn fetch_ahead(&self, row: usize, at: usize, elements: usize, step: usize) {
        for &input in &self.plan.fetched {
            let bytes = elements * self.plan.operands[input].size;
            let share = (bytes / self.laid.len()).next_multiple_of(64);
            let from = (share * step).min(bytes);
            fetch(self.place(input, row, at).wrapping_add(from), share.min(bytes - from));
        }
    }

    /// Lays down the axes of a unit as an operand moves along them.
    fn lay_axes(&mut self, operand: usize, rows: usize, n: usize) {
        let (cut, strides) = (&self.plan.cut, &self.plan.operands[operand].strides);
        self.axes.clear();
        self.axes.push(Axis { count: rows, stride: self.plan.operands[operand].across(self.plan) });
        self.axes.push(Axis { count: n / cut.inner, stride: strides[cut.axis] });
        let inner = self.plan.dims.iter().zip(strides).skip(cut.axis + 1);
        self.axes.extend(inner.map(|(&count, &stride)| Axis { count, stride }));
    }

    /// Packs the inputs of a unit that do not lie as loops need them, unless they were packed for the unit before.
    fn gather(&mut self, rows: usize, n: usize) {
        for (number, &Packed { input, at }) in self.plan.packs.iter().enumerate() {
            let operand = &self.plan.operands[input];
            let repeats = operand.across(self.plan) == 0;
            let (from, rows) = (self.starts[input].cast_const(), if repeats { 1 } else { rows });
            self.places[input] = self.scratch(at);
            let (place, held_rows, held) = self.packed[number];
            // A shorter row has the elements of a longer one, but rows of another length lie elsewhere.
            if place == from && (held == n || rows == 1 && held > n) && rows <= held_rows {
                continue;
            }
            self.steps[input] = if repeats { 0 } else { (n * operand.size) as isize };
            self.packed[number] = (from, rows, n);
            self.lay_axes(input, rows, n);
            // SAFETY: the axes reach addresses of the input that `check` found inside its buffer; the scratch memory has room for the unit.
            unsafe { carry(self.plan.isa, &Way::pack(operand.size, &self.axes), from, self.scratch(at)) };
        }
    }

    /// Returns a tile filled with an input's constants, a row of each.
    fn splat(&mut self, number: usize, row: usize, rows: usize, n: usize) -> *const u8 {
        let Packed { input, at } = self.plan.splats[number];
        let (from, to) = (self.place(input, row, 0).cast_const(), self.scratch(at));
        let step = if rows == 1 { 0 } else { self.steps[input] };
        if step != 0 || self.splat[number].0 != from || self.splat[number].1 < rows * n {
            self.splat[number] = (if step == 0 { from } else { std::ptr::null() }, rows * n);
            let axes = [Axis { count: rows, stride: step }, Axis { count: n, stride: 0 }];
            // SAFETY: one element per row, inside the input's buffer (`check`); a tile has room for the piece.
            unsafe { carry(self.plan.isa, &Way::pack(self.plan.operands[input].size, &axes), from, to) };
        }
        to
    }
}

const EMPTY: Block =
    Block { n: 0, rows: 0, places: [std::ptr::null(); 3], steps: [0; 3], out: std::ptr::null_mut(), out_step: 0 };

/// Finds the first element of a block that a step refuses, or the number of all of them.
fn first_refused(step: &BoundStep, block: &Block) -> usize {
    let Some(guard) = step.guard else { return block.n * block.rows };
    let steps = step.sizes.map(|size| usize::from(size != 0));
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

/// Work that all threads of a job do, each its share.
type Work<'a> = &'a (dyn Fn() + Sync);

/// A place where a thread lends its work to threads that outlive it.
pub(crate) struct Loan {
    gate: Gate,
    /// Where the lender's `Work` stands; of any use only inside the gate.
    work: AtomicPtr<Work<'static>>,
}

impl Loan {
    pub(crate) fn new() -> Self {
        Self { gate: Gate::new(), work: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Lends `work` to at most `seats` threads while `meanwhile` runs, and returns when none is at it any more; `false` when somebody
    /// else is lending here, and nothing was done.
    pub(crate) fn lend(&self, seats: usize, work: Work, meanwhile: impl FnOnce()) -> bool {
        let Some(claim) = self.gate.claim() else { return false };
        self.work.store((&raw const work).cast_mut().cast(), Ordering::Relaxed);
        claim.open(seats);
        meanwhile();
        // Dropped also when `meanwhile` panics: `work` stays until nobody is inside.
        drop(claim);
        true
    }

    /// Does the work that is lent here, where there is some and a seat is left.
    pub(crate) fn borrow(&self) {
        if let Some(guest) = self.gate.enter() {
            // SAFETY: who is inside entered after the lender wrote where its work stands, and the lender leaves neither `lend` nor
            // what it borrowed for it before the guest is dropped, which is after the call or in its panic. `Work` may be shared.
            let work = unsafe { *self.work.load(Ordering::Relaxed) };
            work();
            drop(guest);
        }
    }

    /// Counts the threads that do work lent here, which may change at any time.
    pub(crate) fn guests(&self) -> usize {
        self.gate.guests()
    }
}

/// Runs a test in a child process, within 60 seconds; says whether it succeeded.
#[cfg(all(test, unix))]
pub(crate) fn in_child(work: impl FnOnce() -> bool) -> bool {
    // SAFETY: forks, and the child, which has this thread only, ends inside this block. It uses no lock but those of the pool under test
    // and of the allocator, which is made for that; `work` may use memory as in a process that never had another thread.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0, "no process for the test");
        if child == 0 {
            libc::alarm(60);
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            libc::_exit(i32::from(!matches!(done, Ok(true))));
        }
        let mut status = 0;
        libc::waitpid(child, &raw mut status, 0) == child && status == 0
    }
}

/// What tests need unsafe code for, so that it stands in this file and they have none.
#[cfg(test)]
mod raw {
    use super::*;
    use crate::{
        executor::{Scoped, Serial},
        loops::Kernel,
    };

    /// Runs a program whose operands lie in one buffer, at these offsets: those of the inputs, and the output's.
    pub(super) fn run_shared(
        isa: Isa,
        program: &Program,
        nest: &Nest,
        (inputs, output): (&[usize], usize),
        buffer: &mut [u8],
        threads: usize,
    ) -> Result<(), Failure> {
        let (base, len) = (buffer.as_mut_ptr(), buffer.len());
        // SAFETY: the bytes are borrowed until the end of this function and only the call writes them.
        let inputs: Vec<Input> = inputs.iter().map(|&offset| unsafe { Input::from_raw(base, len, offset) }).collect();
        // SAFETY: as for the inputs.
        let output = unsafe { Output::from_raw(base, len, output) };
        run_at(isa, program, nest, &inputs, output, &Scoped(threads), None)
    }

    /// Runs a program of one input with both operands, `len` bytes each, flush against a fence.
    #[cfg(unix)]
    pub(super) fn run_fenced(
        program: &Program,
        nest: &Nest,
        (input, offset): (&Fenced, usize),
        output: &Fenced,
        (len, at_end): (usize, bool),
    ) -> Result<(), Failure> {
        let (from, to) = (input.place(len, at_end), output.place(len, at_end));
        // SAFETY: the bytes lie between the fences and only this call touches them.
        let (input, output) = unsafe { (Input::from_raw(from, len, offset), Output::from_raw(to, len, 0)) };
        run(program, nest, &[input], output, &Serial, None)
    }

    /// Moves elements between memory of these lengths, flush against fences, from these offsets; returns both.
    #[cfg(unix)]
    pub(super) fn carry_fenced(
        isa: Isa,
        way: &Way,
        (from, to): (&Fenced, &Fenced),
        lens: [usize; 2],
        offsets: [usize; 2],
        at_end: bool,
    ) -> [Vec<u8>; 2] {
        let (from, to) = (from.place(lens[0], at_end), to.place(lens[1], at_end));
        // SAFETY: the bytes lie between the fences, and only this call touches them; a way that leaves them meets a fence.
        unsafe {
            (0..lens[0]).for_each(|i| from.add(i).write((i * 7 + i / 256) as u8));
            to.write_bytes(0xee, lens[1]);
            carry(isa, way, from.add(offsets[0]), to.add(offsets[1]));
            [std::slice::from_raw_parts(from, lens[0]).to_vec(), std::slice::from_raw_parts(to, lens[1]).to_vec()]
        }
    }

    /// Memory between two pages that must not be touched.
    #[cfg(unix)]
    pub(super) struct Fenced {
        start: *mut u8,
        len: usize,
        page: usize,
    }

    #[cfg(unix)]
    impl Fenced {
        pub(super) fn new() -> Self {
            // SAFETY: asks for a number, and touches no memory of ours.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            // SAFETY: maps fresh pages wherever there is room.
            let all = unsafe { libc::mmap(std::ptr::null_mut(), 3 * page, libc::PROT_NONE, flags, -1, 0) };
            assert_ne!(all, libc::MAP_FAILED, "no room for three pages");
            let start = all.cast::<u8>().wrapping_add(page);
            // SAFETY: the page in the middle is ours.
            let opened = unsafe { libc::mprotect(start.cast(), page, libc::PROT_READ | libc::PROT_WRITE) };
            assert_eq!(opened, 0, "a page of ours can be opened");
            // SAFETY: the page in the middle is ours and open.
            unsafe { start.write_bytes(1, page) };
            Self { start, len: page, page }
        }

        /// Returns `len` bytes that begin right after the first fence, or end right before the second.
        fn place(&self, len: usize, at_end: bool) -> *mut u8 {
            assert!(len <= self.len, "{len} bytes do not fit {}", self.len);
            self.start.wrapping_add(if at_end { self.len - len } else { 0 })
        }
    }

    #[cfg(unix)]
    impl Drop for Fenced {
        fn drop(&mut self) {
            // SAFETY: these three pages were mapped together and nobody uses them any more.
            unsafe { libc::munmap(self.start.wrapping_sub(self.page).cast(), 3 * self.page) };
        }
    }

    /// Calls every loop of a kernel, and its guard, with rows of operands and result that end at a fence, or begin at one.
    #[cfg(unix)]
    pub(super) fn call_all(kernel: &Kernel, isa: Isa, inputs: &[Fenced; 3], output: &Fenced, n: usize, at_end: bool) {
        for constants in 0..1_u8 << kernel.inputs().len() {
            let variant = kernel.choose(constants);
            if variant.constants != constants {
                continue;
            }
            let (mut places, mut steps) = ([std::ptr::null(); 3], [0; 3]);
            for (k, dtype) in kernel.inputs().iter().enumerate() {
                steps[k] = usize::from(constants & 1 << k == 0);
                places[k] = inputs[k].place(if steps[k] == 0 { 1 } else { n } * dtype.size(), at_end).cast_const();
            }
            let out = output.place(n * kernel.output().size(), at_end);
            let block = Block { n, rows: 1, places, steps: [0; 3], out, out_step: 0 };
            let calls = [variant.versions].into_iter().chain(variant.streaming);
            // SAFETY: each operand has `n` elements or one between its fences, and the result has room for `n`; `isa` is here.
            unsafe {
                assert!(calls.into_iter().all(|call| !call[isa.index()](&block)), "no element is refused");
                if let Some(guard) = kernel.guard() {
                    assert_eq!((guard.first)(n, places, steps), n, "no element is refused");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
