//! The driver: a program over a nest of loops, tile by tile.
//!
//! [`run`] checks once that every address lies inside its buffer, cuts the nest into tiles, hands ranges of tiles to threads and, per tile and step, calls
//! one loop.
//!
//! A tile takes whole inner loops and a piece of the next one. An operand that is dense or constant over the tile is used in place;
//! any other is packed into scratch, which stays in the first-level cache. How much a tile takes is chosen so that as little as
//! possible is packed, unless the rows would be too short to be worth a call each.

use std::{
    marker::PhantomData,
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use crate::{
    executor::{Executor, LOOK, Progress, THREAD_BYTES, Watch},
    isa::{Isa, Loop},
    loops::Guard,
    nest::{Cut, LONG, Lie, Nest, SCRATCH, SHORT, apart, cut, lie, reach},
    program::{Program, Slot},
    tile::{Axis, Buffer, pack, unpack},
};

/// The memory of an input, read only.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    base: *const u8,
    len: usize,
    offset: usize,
    borrow: PhantomData<&'a [u8]>,
}

impl<'a> Input<'a> {
    /// Borrows bytes; the element that all loops start from is `offset` bytes in.
    pub fn new(bytes: &'a [u8], offset: usize) -> Self {
        Self { base: bytes.as_ptr(), len: bytes.len(), offset, borrow: PhantomData }
    }

    /// Counts the bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Says whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the bytes from the start of the buffer to the element that all loops start from.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Takes `len` bytes at an address, for memory that others may write at the same time.
    ///
    /// # Safety
    /// The bytes stay readable for `'a`.
    pub unsafe fn from_raw(base: *const u8, len: usize, offset: usize) -> Self {
        Self { base, len, offset, borrow: PhantomData }
    }
}

// SAFETY: an input is a borrow of bytes that are only read.
unsafe impl Send for Input<'_> {}
// SAFETY: as above.
unsafe impl Sync for Input<'_> {}

/// The memory of a result.
pub struct Output<'a> {
    base: *mut u8,
    len: usize,
    offset: usize,
    borrow: PhantomData<&'a mut [u8]>,
}

impl<'a> Output<'a> {
    /// Borrows bytes; the element that all loops start from is `offset` bytes in.
    pub fn new(bytes: &'a mut [u8], offset: usize) -> Self {
        Self { base: bytes.as_mut_ptr(), len: bytes.len(), offset, borrow: PhantomData }
    }

    /// Takes `len` bytes at an address; they may overlap inputs, which are then read as if they had been copied before.
    ///
    /// # Safety
    /// The bytes stay writable for `'a` and nobody else writes them meanwhile.
    pub unsafe fn from_raw(base: *mut u8, len: usize, offset: usize) -> Self {
        Self { base, len, offset, borrow: PhantomData }
    }
}

// SAFETY: threads write disjoint elements: the strides are checked not to meet, and each tile belongs to one thread.
unsafe impl Sync for Output<'_> {}

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
    let job = Job::new(isa, program, nest, &inputs, &strides, &output, in_place);
    let result = job.run(total, executor, progress);
    drop(copies);
    result
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
        // Only the axes that the input moves along are copied; it repeats along the others as before.
        let axes: Vec<Axis> = nest
            .dims
            .iter()
            .zip(&strides[i])
            .map(|(&dim, &stride)| Axis { count: if stride == 0 { 1 } else { dim }, stride })
            .collect();
        let bytes = axes.iter().try_fold(input_size, |n, axis| n.checked_mul(axis.count)).ok_or(Failure::Memory)?;
        let mut copy = Buffer::zeroed(bytes).ok_or(Failure::Memory)?;
        // SAFETY: `check_nest` found every address of the input inside its buffer, and the copy has a place for each element.
        unsafe { pack(input_size, &axes, input.base.add(input.offset), copy.bytes_mut().as_mut_ptr()) };
        let mut step = input_size as isize;
        for (axis, stride) in axes.iter().zip(&mut strides[i]).rev() {
            *stride = if *stride == 0 { 0 } else { step };
            step *= axis.count as isize;
        }
        *input = Input { base: copy.bytes().as_ptr(), len: bytes, offset: 0, borrow: PhantomData };
        copies.push(copy);
    }
    Ok((in_place, copies))
}

/// Where a bound step reads an operand.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// At the input's own place in this tile.
    Place(usize),
    /// In this scratch tile.
    Scratch(usize),
}

/// A step with its loop and its places chosen.
struct BoundStep {
    call: Loop,
    guard: Option<Guard>,
    args: [Source; 3],
    /// 0 where the operand is constant, else 1.
    steps: [usize; 3],
    /// The scratch tile of the result; `None` for the output's own place.
    out: Option<usize>,
}

/// Everything that is decided before the first tile.
struct Job<'a> {
    inputs: &'a [Input<'a>],
    output: &'a Output<'a>,
    dims: Vec<usize>,
    strides: Vec<Vec<isize>>,
    out_strides: Vec<isize>,
    sizes: Vec<usize>,
    out_size: usize,
    cut: Cut,
    steps: Vec<BoundStep>,
    /// Inputs gathered per tile, with their scratch tiles.
    packs: Vec<(usize, usize)>,
    /// Constants repeated into a scratch tile, for loops that take no constant.
    splats: Vec<(usize, usize)>,
    /// The scratch tile the result is scattered from.
    scatter: Option<usize>,
    scratch_count: usize,
    /// The bytes of one scratch tile.
    scratch_size: usize,
}

impl<'a> Job<'a> {
    fn new(
        isa: Isa,
        program: &Program,
        nest: &Nest,
        inputs: &'a [Input<'a>],
        strides: &[Vec<isize>],
        output: &'a Output<'a>,
        in_place: bool,
    ) -> Self {
        // A nest of no loops is one loop of one round.
        let pad = |strides: &[isize]| if nest.dims.is_empty() { vec![0] } else { strides.to_vec() };
        let dims = if nest.dims.is_empty() { vec![1] } else { nest.dims.clone() };
        let strides: Vec<_> = strides.iter().map(|s| pad(s)).collect();
        let out_strides = pad(&nest.output);
        let sizes: Vec<_> = program.inputs.iter().map(|dtype| dtype.size()).collect();
        let out_size = program.output().size();

        let over = |cut: Cut, strides: &[isize], size| {
            let mut tile = dims[cut.axis..].to_vec();
            tile[0] = cut.chunk;
            lie(&tile, &strides[cut.axis..], size)
        };
        let packed = |axis, chunk| {
            let cut = Cut { axis, chunk, inner: 0 };
            let strided = strides.iter().zip(&sizes).filter(|&(s, &size)| over(cut, s, size) == Lie::Strided).count();
            strided + usize::from(over(cut, &out_strides, out_size) == Lie::Strided)
        };
        let mut tile = cut(&dims, LONG, &packed);
        let widest =
            program.steps.iter().map(|s| s.kernel.output().size()).chain(sizes.iter().copied()).max().unwrap_or(8);
        if program.tile_count > 0 || in_place || packed(tile.axis, tile.chunk) > 0 {
            let slots = program.tile_count + inputs.len() + 1;
            tile = cut(&dims, (SCRATCH / slots / widest).max(2 * SHORT), &packed);
        }
        let lies: Vec<_> = strides.iter().zip(&sizes).map(|(s, &size)| over(tile, s, size)).collect();
        let direct = !in_place && matches!(over(tile, &out_strides, out_size), Lie::Dense | Lie::Constant);
        let mut job = Self {
            inputs,
            output,
            dims,
            strides,
            out_strides,
            sizes,
            out_size,
            cut: tile,
            steps: Vec::new(),
            packs: Vec::new(),
            splats: Vec::new(),
            scatter: None,
            scratch_count: program.tile_count,
            scratch_size: 0,
        };
        job.bind(isa, program, &lies, direct);
        // Loops are called one by one per tile, so a constant that must be repeated needs no more than a tile either.
        job.scratch_size = (tile.chunk * tile.inner * widest).next_multiple_of(64);
        job
    }

    fn take_scratch(&mut self) -> usize {
        self.scratch_count += 1;
        self.scratch_count - 1
    }

    fn bind(&mut self, isa: Isa, program: &Program, lies: &[Lie], direct: bool) {
        for (i, &lie) in lies.iter().enumerate() {
            if lie == Lie::Strided {
                let slot = self.take_scratch();
                self.packs.push((i, slot));
            }
        }
        for (at, step) in program.steps.iter().enumerate() {
            let loops = *step.kernel.loops(isa);
            let constant = |arg: usize| matches!(step.args.get(arg), Some(&Slot::Input(i)) if lies[i] == Lie::Constant);
            // A constant stays one where there is a loop for it; of two, the first is repeated.
            let (call, kept) = match (loops.left, loops.right) {
                (Some(left), _) if constant(0) && !constant(1) => (left, Some(0)),
                (_, Some(right)) if constant(1) => (right, Some(1)),
                _ => (loops.dense, None),
            };
            let mut args = [Source::Scratch(0); 3];
            let mut steps = [1; 3];
            for (k, &arg) in step.args.iter().enumerate() {
                args[k] = match arg {
                    Slot::Step(s) => Source::Scratch(program.tiles[s]),
                    Slot::Input(i) if kept == Some(k) => {
                        steps[k] = 0;
                        Source::Place(i)
                    }
                    Slot::Input(i) => self.dense_source(i, lies[i]),
                };
            }
            let last = at + 1 == program.steps.len();
            let out = if !last {
                Some(program.tiles[at])
            } else if direct {
                None
            } else {
                let slot = self.take_scratch();
                self.scatter = Some(slot);
                Some(slot)
            };
            self.steps.push(BoundStep { call, guard: step.kernel.guard().copied(), args, steps, out });
        }
    }

    /// Returns where input `i` can be read as dense, making room for it where it does not lie so.
    fn dense_source(&mut self, i: usize, lie: Lie) -> Source {
        let list = if lie == Lie::Strided { &self.packs } else { &self.splats };
        match (lie, list.iter().find(|&&(input, _)| input == i)) {
            (Lie::Dense, _) => Source::Place(i),
            (_, Some(&(_, slot))) => Source::Scratch(slot),
            (_, None) => {
                let slot = self.take_scratch();
                self.splats.push((i, slot));
                Source::Scratch(slot)
            }
        }
    }

    /// Counts the tiles.
    fn tiles(&self) -> usize {
        self.dims[..self.cut.axis].iter().product::<usize>() * self.dims[self.cut.axis].div_ceil(self.cut.chunk)
    }

    fn run(&self, total: u64, executor: &dyn Executor, progress: Option<Progress>) -> Result<(), Failure> {
        let tiles = self.tiles();
        let bytes = total.saturating_mul((self.sizes.iter().sum::<usize>() + self.out_size) as u64);
        let parts = executor.threads().min(usize::try_from(bytes / THREAD_BYTES).unwrap_or(usize::MAX)).clamp(1, tiles);
        let watch = Watch::new(total, progress);
        let memory = AtomicBool::new(true);
        let work = |part: usize| {
            let range = tiles * part / parts..tiles * (part + 1) / parts;
            match Worker::new(self) {
                Some(mut worker) => worker.run(range, &watch),
                None => memory.store(false, Ordering::Relaxed),
            }
        };
        if parts == 1 {
            work(0)
        } else {
            executor.run(parts, &work)
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
        let row = element / self.cut.inner as u64;
        let per_axis = self.dims[self.cut.axis] as u64;
        let tile = row / per_axis * per_axis.div_ceil(self.cut.chunk as u64) + row % per_axis / self.cut.chunk as u64;
        match worker.tile(tile as usize) {
            Err((step, _)) => {
                Failure::Refused { step, what: self.steps[step].guard.map_or("", |guard| guard.what), element }
            }
            Ok(_) => Failure::Refused { step: 0, what: "an element that was changed meanwhile", element },
        }
    }
}

/// One thread's places.
struct Worker<'a> {
    job: &'a Job<'a>,
    scratch: Buffer,
    /// The tile's axes, per input and for the output; the first count is that of the tile at hand.
    axes: Vec<Vec<Axis>>,
    places: Vec<*const u8>,
    /// How many elements of each splat are filled, for constants that never change.
    filled: Vec<usize>,
}

impl<'a> Worker<'a> {
    fn new(job: &'a Job<'a>) -> Option<Self> {
        let scratch = Buffer::zeroed(job.scratch_count.checked_mul(job.scratch_size)?)?;
        let axes = job.strides.iter().chain([&job.out_strides]).map(|strides| {
            let tile = job.dims.iter().zip(strides).skip(job.cut.axis);
            tile.map(|(&count, &stride)| Axis { count, stride }).collect()
        });
        Some(Self {
            job,
            scratch,
            axes: axes.collect(),
            places: vec![std::ptr::null(); job.inputs.len()],
            filled: vec![0; job.splats.len()],
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

    fn scratch(&mut self, slot: usize) -> *mut u8 {
        // A scratch tile is a slice of the buffer: the index is checked.
        self.scratch.bytes_mut()[slot * self.job.scratch_size..].as_mut_ptr()
    }

    /// Computes one tile; returns its elements, or the step that refused and the first element it refused.
    fn tile(&mut self, tile: usize) -> Result<usize, (usize, u64)> {
        let job = self.job;
        let Cut { axis, chunk, inner } = job.cut;
        let pieces = job.dims[axis].div_ceil(chunk);
        let first = tile % pieces * chunk;
        let rows = chunk.min(job.dims[axis] - first);
        let count = rows * inner;

        // Where the tile starts, in bytes from each operand's start.
        let mut offsets: Vec<isize> =
            job.strides.iter().chain([&job.out_strides]).map(|s| s[axis] * first as isize).collect();
        let mut outer = tile / pieces;
        for at in (0..axis).rev() {
            let index = (outer % job.dims[at]) as isize;
            outer /= job.dims[at];
            for (offset, strides) in offsets.iter_mut().zip(job.strides.iter().chain([&job.out_strides])) {
                *offset += strides[at] * index;
            }
        }
        for axes in &mut self.axes {
            axes[0].count = rows;
        }
        for (i, input) in job.inputs.iter().enumerate() {
            // SAFETY: `check_nest` found every address that the loops reach inside the buffer, and this is one of them.
            self.places[i] = unsafe { input.base.add(input.offset).offset(offsets[i]) };
        }
        self.gather(count);
        for (at, step) in job.steps.iter().enumerate() {
            let args = step.args.map(|source| match source {
                Source::Place(i) => self.places[i],
                Source::Scratch(slot) => self.scratch(slot).cast_const(),
            });
            if let Some(guard) = step.guard {
                // SAFETY: operands are dense for `count` elements, or constant where the step is 0; see `bind`.
                let found = unsafe { (guard.check)(count, args, step.steps) };
                if found < count {
                    let row = tile / pieces * job.dims[axis] + first;
                    return Err((at, (row * inner + found) as u64));
                }
            }
            let out = match step.out {
                Some(slot) => self.scratch(slot),
                // SAFETY: as for the inputs; the output was checked in the same way.
                None => unsafe { job.output.base.add(job.output.offset).offset(offsets[job.inputs.len()]) },
            };
            // SAFETY: operands as above. Scratch tiles hold `chunk * inner` elements of the widest dtype. `out` is a scratch tile that
            // is no operand of this step (`assign_tiles`), or the output's own place, which no input in use overlaps
            // (`part_from_output`) and whose tile is dense. The `Isa` that chose the loop proves its instructions.
            unsafe { (step.call)(count, args, out) };
        }
        if let Some(slot) = job.scatter {
            let from = self.scratch(slot);
            // SAFETY: the axes reach addresses of the output that `check_nest` found inside its buffer; the scratch tile holds `count` elements.
            unsafe {
                let to = job.output.base.add(job.output.offset).offset(offsets[job.inputs.len()]);
                unpack(job.out_size, &self.axes[job.inputs.len()], from, to);
            }
        }
        Ok(count)
    }

    /// Fills the scratch tiles of inputs that are not dense.
    fn gather(&mut self, count: usize) {
        let job = self.job;
        for &(i, slot) in &job.packs {
            let to = self.scratch(slot);
            // SAFETY: the axes reach addresses of the input that `check_nest` found inside its buffer; the scratch tile has room for `count`.
            unsafe { pack(job.sizes[i], &self.axes[i], self.places[i], to) };
        }
        for (at, &(i, slot)) in job.splats.iter().enumerate() {
            if self.filled[at] >= count {
                continue;
            }
            let to = self.scratch(slot);
            // SAFETY: one element is read, at the input's place; the scratch tile has room for `count`.
            unsafe { pack(job.sizes[i], &[Axis { count, stride: 0 }], self.places[i], to) };
            if job.strides[i].iter().all(|&stride| stride == 0) {
                self.filled[at] = count;
            }
        }
    }
}
