//! The driver: a program over a nest of loops, tile by tile.
//!
//! [`run`] checks once that every address lies inside its buffer, cuts the nest into tiles, hands ranges of tiles
//! to threads and, per tile and step, calls one loop. What can be decided before the first tile is decided in `schedule.rs`.

use std::{
    marker::PhantomData,
    ops::Range,
    sync::atomic::{AtomicBool, AtomicPtr, Ordering},
};

use crate::{
    executor::{Executor, LOOK, Progress, Watch, parts},
    gate::Gate,
    isa::{FloatMode, Isa},
    nest::{Cut, Nest, apart, reach},
    program::Program,
    schedule::{Schedule, Source},
    tile::{Axis, Buffer, Input, Output, pack, unpack},
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
/// memory with the output is read as if it had been copied before.
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
    let isa = Isa::current().map_err(Failure::Isa)?;
    run_at(isa, program, nest, inputs, output, executor, progress)
}

/// As [`run`], at a given level of instructions.
///
/// # Errors
/// As for [`run`].
#[allow(clippy::needless_pass_by_value)] // The output is given up: it is a borrow of memory to write, of which there is one.
pub fn run_at(
    isa: Isa,
    program: &Program,
    nest: &Nest,
    inputs: &[Input],
    output: Output,
    executor: &dyn Executor,
    progress: Option<Progress>,
) -> Result<(), Failure> {
    check_nest(program, nest, inputs, &output)?;
    let total = nest.dims.iter().map(|&dim| dim as u64).product::<u64>();
    if total == 0 {
        return Ok(());
    }
    let mut inputs = inputs.to_vec();
    let mut strides = nest.inputs.clone();
    let (in_place, copies) = part_from_output(program, nest, &mut inputs, &mut strides, &output)?;
    let plan = Schedule::new(isa, program, nest, &strides, in_place);
    let job = Job { plan, inputs: &inputs, output: &output };
    let result = job.run(total, executor, progress, program.nanos(total, moved(program, nest)));
    drop(copies);
    result
}

/// Counts the bytes of the operands' own elements; those that repeat are read again from a cache.
fn moved(program: &Program, nest: &Nest) -> u64 {
    let own = |strides: &[isize], size: usize| {
        let axes = nest.dims.iter().zip(strides).filter(|&(_, &stride)| stride != 0);
        axes.map(|(&dim, _)| dim as u64).product::<u64>().saturating_mul(size as u64)
    };
    let inputs = program.inputs.iter().zip(&nest.inputs).map(|(dtype, strides)| own(strides, dtype.size()));
    inputs.fold(own(&nest.output, program.output().size()), u64::saturating_add)
}

/// Checks counts, and that every address lies inside its buffer and no two of the output are the same.
fn check_nest(program: &Program, nest: &Nest, inputs: &[Input], output: &Output) -> Result<(), Failure> {
    let wrong = |text: String| Err(Failure::Layout(text));
    let rank = nest.dims.len();
    if inputs.len() != program.inputs.len() || nest.inputs.len() != inputs.len() {
        return wrong(format!(
            "the program has {} inputs, the nest {} and the call {}",
            program.inputs.len(),
            nest.inputs.len(),
            inputs.len()
        ));
    }
    if nest.output.len() != rank || nest.inputs.iter().any(|strides| strides.len() != rank) {
        return wrong(format!("every operand needs {rank} strides, one per loop"));
    }
    if nest.dims.contains(&0) {
        return Ok(());
    }
    let Some(_) =
        nest.dims.iter().try_fold(1_u64, |n, &dim| n.checked_mul(dim as u64)).filter(|&n| i64::try_from(n).is_ok())
    else {
        return wrong(String::from("the loops have more elements than an address can count"));
    };
    for (i, input) in inputs.iter().enumerate() {
        let (low, high) = reach(&nest.dims, &nest.inputs[i], input.offset, program.inputs[i].size());
        if low < 0 || high > input.len as i128 {
            return wrong(format!("input {i} reaches bytes {low} to {high} of a buffer of {}", input.len));
        }
    }
    let size = program.output().size();
    let (low, high) = reach(&nest.dims, &nest.output, output.offset, size);
    if low < 0 || high > output.len as i128 {
        return wrong(format!("the output reaches bytes {low} to {high} of a buffer of {}", output.len));
    }
    if !apart(&nest.dims, &nest.output, size) {
        return wrong(String::from("elements of the output share memory; write to an array whose elements are apart"));
    }
    Ok(())
}

/// Copies every input that shares memory with the output, unless it is the output, element for element; says whether one is.
fn part_from_output(
    program: &Program,
    nest: &Nest,
    inputs: &mut [Input],
    strides: &mut [Vec<isize>],
    output: &Output,
) -> Result<(bool, Vec<Buffer>), Failure> {
    let (mut in_place, mut copies) = (false, Vec::new());
    let size = program.output().size();
    let (low, high) = reach(&nest.dims, &nest.output, output.offset, size);
    let out_start = output.base.addr() as i128;
    for (i, input) in inputs.iter_mut().enumerate() {
        let input_size = program.inputs[i].size();
        let (from, to) = reach(&nest.dims, &strides[i], input.offset, input_size);
        let start = input.base.addr() as i128;
        if start + to <= out_start + low || out_start + high <= start + from {
            continue;
        }
        let same_start = start + input.offset as i128 == out_start + output.offset as i128;
        if same_start && input_size == size && strides[i] == nest.output {
            in_place = true;
            continue;
        }
        let copy = copied(nest, input, &mut strides[i], input_size)?;
        *input = Input { base: copy.bytes().as_ptr(), len: copy.bytes().len(), offset: 0, borrow: PhantomData };
        copies.push(copy);
    }
    Ok((in_place, copies))
}

/// Copies the elements that a nest reaches in an input, and changes the strides to those of the copy.
///
/// Only the axes that the input moves along are copied; it repeats along the others as before.
fn copied(nest: &Nest, input: &Input, strides: &mut [isize], size: usize) -> Result<Buffer, Failure> {
    let count = |(&dim, &stride): (&usize, &isize)| Axis { count: if stride == 0 { 1 } else { dim }, stride };
    let axes: Vec<Axis> = nest.dims.iter().zip(&*strides).map(count).collect();
    let bytes = axes.iter().try_fold(size, |n, axis| n.checked_mul(axis.count)).ok_or(Failure::Memory)?;
    let mut copy = Buffer::zeroed(bytes).ok_or(Failure::Memory)?;
    // SAFETY: `check_nest` found every address of the input inside its buffer, and the copy has a place for each element.
    unsafe { pack(size, &axes, input.base.add(input.offset), copy.bytes_mut().as_mut_ptr()) };
    let mut step = size as isize;
    for (axis, stride) in axes.iter().zip(strides).rev() {
        *stride = if *stride == 0 { 0 } else { step };
        step *= axis.count as isize;
    }
    Ok(copy)
}

/// A schedule and the memory it is for.
struct Job<'a> {
    plan: Schedule,
    inputs: &'a [Input<'a>],
    output: &'a Output<'a>,
}

impl Job<'_> {
    fn run(&self, total: u64, executor: &dyn Executor, progress: Option<Progress>, nanos: u64) -> Result<(), Failure> {
        let tiles = self.plan.tiles();
        let parts = parts(nanos, executor.threads()).clamp(1, tiles);
        let watch = Watch::new(total, progress);
        let memory = AtomicBool::new(true);
        let work = |part: usize| {
            if watch.is_stopped() {
                return;
            }
            let _mode = FloatMode::standard();
            let range = tiles * part / parts..tiles * (part + 1) / parts;
            match Worker::new(self) {
                Some(mut worker) => worker.run(range, &watch),
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
            Some(element) => Err(self.explain(element)),
            None if watch.is_stopped() => Err(Failure::Interrupted),
            None => Ok(()),
        }
    }

    /// Runs the tile of a refused element again, to learn which step refused it.
    fn explain(&self, element: u64) -> Failure {
        let Some(mut worker) = Worker::new(self) else { return Failure::Memory };
        let row = element / self.plan.cut.inner as u64;
        let per_axis = self.plan.dims[self.plan.cut.axis] as u64;
        let tile = row / per_axis * per_axis.div_ceil(self.plan.cut.chunk as u64)
            + row % per_axis / self.plan.cut.chunk as u64;
        match worker.tile(tile as usize) {
            Err((step, _)) => {
                Failure::Refused { step, what: self.plan.steps[step].guard.map_or("", |guard| guard.what), element }
            }
            Ok(_) => Failure::Refused { step: 0, what: "an element that was changed meanwhile", element },
        }
    }
}

/// One thread's places.
struct Worker<'a> {
    job: &'a Job<'a>,
    plan: &'a Schedule,
    scratch: Buffer,
    /// The tile's axes, per input and for the output; the first count is that of the tile at hand.
    axes: Vec<Vec<Axis>>,
    places: Vec<*const u8>,
    /// Where the tile starts, in bytes from each operand's start; the output last.
    offsets: Vec<isize>,
    /// Where the elements in each pack's and splat's scratch tile were read, and how many.
    filled: Vec<(*const u8, usize)>,
}

impl<'a> Worker<'a> {
    fn new(job: &'a Job<'a>) -> Option<Self> {
        let plan = &job.plan;
        let scratch = Buffer::zeroed(plan.scratch_count.checked_mul(plan.scratch_size)?)?;
        let axes = plan.operand_strides().map(|strides| {
            let tile = plan.dims.iter().zip(strides).skip(plan.cut.axis);
            tile.map(|(&count, &stride)| Axis { count, stride }).collect()
        });
        Some(Self {
            job,
            plan,
            scratch,
            axes: axes.collect(),
            places: vec![std::ptr::null(); job.inputs.len()],
            offsets: Vec::new(),
            filled: vec![(std::ptr::null(), 0); plan.packs.len() + plan.splats.len()],
        })
    }

    fn run(&mut self, tiles: Range<usize>, watch: &Watch) {
        let mut since = 0;
        for tile in tiles {
            match self.tile(tile) {
                Ok(count) => since += count as u64,
                Err((_, element)) => {
                    // Tiles ascend, so this is the first of this range; a lower range may still find an earlier one.
                    watch.refuse(element);
                    return;
                }
            }
            if since >= LOOK {
                if !watch.go_on(since) {
                    return;
                }
                since = 0;
            }
        }
        watch.go_on(since);
    }

    /// Returns where a scratch tile begins.
    fn scratch(&self, slot: usize) -> *mut u8 {
        debug_assert!(slot < self.plan.scratch_count);
        // SAFETY: the buffer has `scratch_count` tiles of `scratch_size` bytes, and slots are counted by `take_scratch`.
        unsafe { self.scratch.base().add(slot * self.plan.scratch_size) }
    }

    /// Computes one tile; returns its elements, or the step that refused and the first element it refused.
    fn tile(&mut self, tile: usize) -> Result<usize, (usize, u64)> {
        let (count, first) = self.place(tile);
        self.gather(count);
        // Behind a step that refuses an element, the others look at the elements before it: one may be refused there.
        let (mut whole, mut refused) = (count, None);
        for at in 0..self.plan.steps.len() {
            let found = self.step(at, whole);
            if found < whole {
                (whole, refused) = (found, Some(at));
            }
        }
        if let Some(at) = refused {
            return Err((at, first + whole as u64));
        }
        self.scatter();
        Ok(count)
    }

    /// Finds the places of a tile's operands; returns its number of elements and the number of its first one.
    fn place(&mut self, tile: usize) -> (usize, u64) {
        let (job, plan) = (self.job, self.plan);
        let Cut { axis, chunk, inner } = plan.cut;
        let pieces = plan.dims[axis].div_ceil(chunk);
        let first = tile % pieces * chunk;
        let rows = chunk.min(plan.dims[axis] - first);
        // The index of every loop outside the tile, the innermost first.
        let mut outer = tile / pieces;
        let row = outer * plan.dims[axis] + first;
        self.offsets.clear();
        self.offsets.extend(plan.operand_strides().map(|strides| strides[axis] * first as isize));
        for at in (0..axis).rev() {
            let index = (outer % plan.dims[at]) as isize;
            outer /= plan.dims[at];
            for (offset, strides) in self.offsets.iter_mut().zip(plan.operand_strides()) {
                *offset += strides[at] * index;
            }
        }
        for axes in &mut self.axes {
            axes[0].count = rows;
        }
        for (i, input) in job.inputs.iter().enumerate() {
            // SAFETY: `check_nest` found every address that the loops reach inside the buffer, and this is one of them.
            self.places[i] = unsafe { input.base.add(input.offset).offset(self.offsets[i]) };
        }
        (rows * inner, row as u64 * inner as u64)
    }

    /// Returns where the tile's result begins.
    fn result(&self) -> *mut u8 {
        let output = self.job.output;
        // SAFETY: `check_nest` found every address that the loops reach inside the buffer, and this is one of them.
        unsafe { output.base.add(output.offset).offset(self.offsets[self.job.inputs.len()]) }
    }

    /// Runs a step over the tile up to the first element it refuses; returns that element, or `count`.
    fn step(&mut self, at: usize, mut count: usize) -> usize {
        let plan = self.plan;
        let step = &plan.steps[at];
        let args = step.args.map(|source| match source {
            Source::Place(i) => self.places[i],
            Source::Scratch(slot) => self.scratch(slot).cast_const(),
            Source::Absent => std::ptr::null(),
        });
        if let Some(guard) = step.guard {
            // SAFETY: operands are dense for `count` elements, or constant where the step is 0; see `bind`.
            count = unsafe { (guard.check)(count, args, step.steps) };
        }
        let out = match step.out {
            Some(slot) => self.scratch(slot),
            None => self.result(),
        };
        // SAFETY: operands as above. Scratch tiles hold `chunk * inner` elements of the widest dtype. `out` is a scratch tile that
        // is no operand of this step (`assign_tiles`), or the output's own place, which no input in use overlaps
        // (`part_from_output`) and whose tile is dense. The `Isa` that chose the loop proves its instructions.
        unsafe { (step.call)(count, args, out) };
        count
    }

    /// Brings the tile's result from scratch to its place, where it was not computed there.
    fn scatter(&mut self) {
        if let Some(slot) = self.plan.scatter {
            let (from, to) = (self.scratch(slot), self.result());
            let axes = &self.axes[self.job.inputs.len()];
            // SAFETY: the axes reach addresses of the output that `check_nest` found inside its buffer; the scratch tile holds them all.
            unsafe { unpack(self.plan.out_size, axes, from, to) };
        }
    }

    /// Fills the scratch tiles of inputs that are not dense; one that holds the same elements from a tile before is left.
    fn gather(&mut self, count: usize) {
        let plan = self.plan;
        for (at, &(i, slot)) in plan.packs.iter().chain(&plan.splats).enumerate() {
            let place = self.places[i];
            // The same place starts the same rows: along the piece's axis the operand repeats, or there is one piece only.
            if self.filled[at].0 == place && count <= self.filled[at].1 {
                continue;
            }
            self.filled[at] = (place, count);
            let repeat = [Axis { count, stride: 0 }];
            let axes = if at < plan.packs.len() { &self.axes[i][..] } else { &repeat };
            // SAFETY: the axes reach addresses of the input that `check_nest` found inside its buffer (one element, for a constant); the
            // scratch tile has room for `count`.
            unsafe { pack(plan.sizes[i], axes, place, self.scratch(slot)) };
        }
    }
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

    /// Calls every loop of a kernel, and its guard, with operands and result flush against a fence.
    #[cfg(unix)]
    pub(super) fn call_all(kernel: &Kernel, isa: Isa, inputs: &[Fenced; 3], output: &Fenced, n: usize, at_end: bool) {
        let loops = kernel.loops(isa);
        let calls = [(Some(loops.dense), 3), (loops.left, 0), (loops.right, 1)];
        for (call, constant) in calls.into_iter().filter_map(|(call, k)| call.map(|call| (call, k))) {
            let mut operands = [std::ptr::null(); 3];
            for (k, dtype) in kernel.inputs().iter().enumerate() {
                let count = if k == constant { 1 } else { n };
                operands[k] = inputs[k].place(count * dtype.size(), at_end).cast_const();
            }
            let out = output.place(n * kernel.output().size(), at_end);
            let steps = [0, 1, 2].map(|k| usize::from(k != constant));
            // SAFETY: each operand has `n` elements or one between its fences, and the result has room for `n`; `isa` is here.
            unsafe {
                if let Some(guard) = kernel.guard() {
                    assert_eq!((guard.check)(n, operands, steps), n, "no element is refused");
                }
                call(n, operands, out);
            }
        }
    }
}

#[cfg(test)]
mod tests;
