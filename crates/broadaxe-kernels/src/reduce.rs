//! Runs reductions: a program is computed slab by slab, and each slab is folded while it is in the cache.
//!
//! The domain is divided into *items*: a box of results and a range of the elements that are folded into them. A thread
//! claims an item, computes the program over pieces of it into a slab of its own (by [`run_at`], on its thread alone),
//! and folds the slab. If the elements of the only input are folded unchanged and their layout is suitable, they are
//! read in place instead. So the memory needed is a slab and a state per thread, and the saved states of items that
//! share results.
//!
//! A slab has either the elements of one result next to each other, which are folded *along*, or those of many results,
//! which are folded *across*, according to the layout of the inputs. The tree over the elements is the same
//! (`fold.rs`), so neither this choice nor the division into items and pieces changes any bit.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use crate::{
    domain::{Domain, SubDomain},
    dtype::DType,
    executor::{Executor, Progress, Serial, Watch, look, parts},
    family::copy,
    fold::{Band, Folder, LARGEST_BLOCK},
    isa::{FloatMode, Isa},
    job::{Failure, Job, Worker},
    measured::{
        CHUNK_ELEMENTS, FOLD_PICOS, MAX_BOX_ELEMENTS, MAX_SLAB_ELEMENTS, MIN_ALONG_ELEMENTS, MIN_SHARED_BOXES,
        ROWS_FOLDED_ACROSS, SLAB_BYTES,
    },
    nest::{Nest, reach},
    program::{Cost, Program, Slot, Step},
    reduction::Reduction,
    run::run_at,
    tile::{Buffer, Input, Output},
};

/// A reduction of the results of a program.
#[derive(Clone, Copy)]
pub struct Reduce<'a> {
    /// How elements are folded.
    pub reduction: Reduction,
    /// The dtype of the elements that are folded, one that [`Reduction::operand`] returns.
    pub operand: DType,
    /// The program that computes the elements; `None` if they are those of the only input.
    pub program: Option<&'a Program>,
    /// The loops.
    pub domain: &'a Domain,
}

impl Reduce<'_> {
    /// Returns the peak memory in bytes on this many threads, without the result.
    pub fn scratch(&self, threads: usize) -> u64 {
        let Some([kept, folded]) = self.domain.counts().filter(|counts| !counts.contains(&0)) else { return 0 };
        let cut = ReduceBlocking::new(self, kept, folded);
        // The lanes of a state and the results of 1, 2, 4, ... blocks, in elements of 8 bytes.
        let state = cut.width * (LARGEST_BLOCK / 16 + 24) * 8;
        let parts = (threads as u64).min((cut.boxes() * cut.chunks) as u64);
        let saved = if cut.chunks > 1 { cut.chunks as u64 * kept as u64 * 16 } else { 0 };
        parts.saturating_mul((cut.slab(self.operand.size()) + state) as u64).saturating_add(saved)
    }

    /// Returns an estimate of the nanoseconds on one thread.
    pub fn nanos(&self) -> u64 {
        self.domain.counts().map_or(u64::MAX, |[kept, folded]| self.work(kept as u64 * folded as u64).nanos())
    }

    fn work(&self, total: u64) -> Cost {
        let sizes = self.program.map_or(self.operand.size(), |p| p.inputs().iter().map(|d| d.size()).sum());
        let bytes = total.saturating_mul(sizes as u64);
        let work = self.program.map_or(Cost::of_memory(bytes), |program| program.work(total, bytes));
        work.and_computing(total.saturating_mul(FOLD_PICOS * self.operand.size() as u64) / 1000)
    }

    /// Folds into `out`, which has room for one element of [`Reduction::folded`] for each round of the kept loops, in
    /// their order.
    ///
    /// Results do not depend on the executor, the instruction set or the layout of any input, to the last bit. A
    /// rejected element is counted in the order of the loops, with the kept loops outermost.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn run_at(
        &self,
        isa: Isa,
        inputs: &[Input],
        out: &mut [u8],
        executor: &dyn Executor,
        progress: Option<Progress>,
    ) -> Result<(), Failure> {
        let [kept, folded] = self.check(inputs, out)?;
        if kept == 0 {
            return Ok(());
        }
        if folded == 0 {
            return self.nothing(kept, out);
        }
        let cut = ReduceBlocking::new(self, kept, folded);
        let program = match (self.program, cut.direct) {
            (None, false) => Program::new(vec![self.operand], vec![Step::new(copy(self.operand), [Slot::Input(0)])]),
            (program, _) => program.cloned(),
        };
        let saved_size = self.folder()?.saved_size();
        let saved = if cut.chunks > 1 { cut.chunks.checked_mul(kept * saved_size) } else { Some(0) };
        let mut saved = saved.and_then(Buffer::zeroed).ok_or(Failure::Memory)?;
        let size = self.reduction.folded(self.operand).size();
        let job = ReduceJob { reduce: self, cut, program, isa, inputs, size, saved_size };
        job.run(out, &mut saved, executor, progress)
    }

    /// As [`Reduce::run_at`], with the instruction set that [`Isa::current`] returns.
    ///
    /// # Errors
    /// As for [`Reduce::run_at`].
    pub fn run(
        &self,
        inputs: &[Input],
        out: &mut [u8],
        executor: &dyn Executor,
        progress: Option<Progress>,
    ) -> Result<(), Failure> {
        self.run_at(Isa::current().map_err(Failure::Environment)?, inputs, out, executor, progress)
    }

    fn folder(&self) -> Result<Box<dyn Folder>, Failure> {
        let wrong = || Failure::Layout(format!("{} does not fold {}", self.reduction.name(), self.operand));
        self.reduction.folder(self.operand).ok_or_else(wrong)
    }

    /// Checks that dtypes, inputs and output fit together; addresses are checked where they are used.
    fn check(&self, inputs: &[Input], out: &[u8]) -> Result<[usize; 2], Failure> {
        let wrong = |text: &str| Err(Failure::Layout(text.to_owned()));
        self.folder()?;
        let Some([kept, folded]) = self.domain.counts() else {
            return wrong("the loops have more elements than an address can count");
        };
        let made = self.program.map_or(self.operand, Program::output);
        let expected = self.program.map_or(1, |program| program.inputs().len());
        if made != self.operand || inputs.len() != expected || self.domain.inputs.len() != expected {
            return wrong("the inputs, the program and the fold do not fit together");
        }
        for (i, input) in inputs.iter().enumerate().filter(|_| kept * folded > 0) {
            let size = self.program.map_or(self.operand, |program| program.inputs()[i]).size();
            let Some((low, high)) = reach(&self.domain.dims(), &self.domain.inputs[i], size) else {
                return wrong(&format!("input {i} reaches more than an address can count"));
            };
            let (low, high) = (input.offset as i128 + low as i128, input.offset as i128 + high as i128);
            if low < 0 || high > input.len as i128 {
                return wrong(&format!("input {i} reaches bytes {low} to {high} of a buffer of {}", input.len));
            }
        }
        if kept.checked_mul(self.reduction.folded(self.operand).size()) != Some(out.len()) {
            return wrong("the output needs one element for each result");
        }
        Ok([kept, folded])
    }

    /// Writes the result of a reduction of no elements.
    fn nothing(&self, kept: usize, out: &mut [u8]) -> Result<(), Failure> {
        if !self.reduction.takes_none() {
            return Err(Failure::Layout(format!("{} of no elements", self.reduction.name())));
        }
        // The sum of nothing is 0, and `any` of nothing is false; a fold of nothing would return -0.
        out.fill(0);
        if matches!(self.reduction, Reduction::Prod | Reduction::All) {
            let mut folder = self.folder()?;
            folder.start(kept, 0);
            folder.finish(out);
        }
        Ok(())
    }
}

/// The division of the loops.
#[derive(Clone, Copy, Debug)]
struct ReduceBlocking {
    kept: usize,
    folded: usize,
    /// Whether the elements of one result are adjacent.
    along: bool,
    /// Whether they are read in place.
    direct: bool,
    /// The results of an item: whole inner loops, and some rounds of one loop.
    width: usize,
    /// The results of all rounds of that loop.
    span: usize,
    /// The elements of each result that are folded at a time.
    piece: usize,
    /// The elements of each result that are folded in an item, and the number of such ranges.
    chunk: usize,
    chunks: usize,
}

impl ReduceBlocking {
    fn new(reduce: &Reduce, kept: usize, folded: usize) -> Self {
        let (domain, size) = (reduce.domain, reduce.operand.size());
        // Few results per row would leave the lanes of a search empty, while the rows of a fold are joined together.
        let narrow = reduce.reduction.is_search() && domain.kept.last().is_none_or(|&dim| dim < MIN_ALONG_ELEMENTS / 2);
        let along = kept == 1
            || ((folded >= MIN_ALONG_ELEMENTS || kept < MIN_ALONG_ELEMENTS) && (narrow || is_contiguous_along(domain)));
        let direct = reduce.program.is_none() && is_readable_in_place(domain, along, size);
        let most = (SLAB_BYTES / size).min(MAX_SLAB_ELEMENTS);
        // Elements in place are read along one loop at a time.
        let outermost = if direct { domain.kept.len().saturating_sub(1) } else { 0 };
        let whole = folded <= most && !(direct && domain.folded.len() > 1);
        let widest = match (along, direct) {
            (true, _) if whole => most / folded,
            (true, _) => 1,
            (false, true) => (most / folded).clamp(MAX_BOX_ELEMENTS, 2 * MAX_BOX_ELEMENTS),
            (false, false) => most / folded.min(ROWS_FOLDED_ACROSS / 2),
        };
        let (width, span) = widest_box(&domain.kept, widest, outermost);
        let piece = match (along, direct) {
            (true, _) => most,
            (false, true) => ROWS_FOLDED_ACROSS,
            // Whole rounds of all lanes, if one fits.
            (false, false) if most / width >= ROWS_FOLDED_ACROSS / 4 => {
                most / width / (ROWS_FOLDED_ACROSS / 4) * (ROWS_FOLDED_ACROSS / 4)
            }
            (false, false) => (most / width).max(1),
        };
        let mut cut = Self { kept, folded, along, direct, width, span, piece, chunk: folded, chunks: 1 };
        let chunk = (CHUNK_ELEMENTS / width).next_power_of_two().max(LARGEST_BLOCK);
        if (width == 1 || !along) && folded > chunk && cut.boxes() < MIN_SHARED_BOXES {
            (cut.chunk, cut.chunks) = (chunk, folded.div_ceil(chunk));
        }
        cut
    }

    /// Returns the bytes of a slab; 0 if elements are read in place.
    fn slab(&self, size: usize) -> usize {
        if self.direct { 0 } else { self.width * self.piece.min(self.folded) * size }
    }

    /// Counts the boxes of results.
    fn boxes(&self) -> usize {
        self.kept / self.span * self.span.div_ceil(self.width)
    }

    /// Returns the first and the last result of a box, the last exclusive.
    fn results(&self, number: usize) -> [usize; 2] {
        let of_span = self.span.div_ceil(self.width);
        let start = number % of_span * self.width;
        let first = number / of_span * self.span + start;
        [first, first + self.width.min(self.span - start)]
    }
}

/// Says whether, for most inputs, the elements of a result are closer together than those of adjacent results.
fn is_contiguous_along(domain: &Domain) -> bool {
    let step = |input, folded| domain.strides(input, folded).last().map_or(0, |stride| stride.unsigned_abs());
    let votes = (0..domain.inputs.len()).map(|input| match (step(input, false), step(input, true)) {
        (0, 0) => 0,
        (_, 0) => -1,
        (kept, folded) => {
            if kept == 0 || folded < kept {
                1
            } else {
                -1
            }
        }
    });
    votes.sum::<i32>() >= 0
}

/// Says whether the only input can be folded in place without too many calls.
fn is_readable_in_place(domain: &Domain, along: bool, size: usize) -> bool {
    let last = |folded: bool| {
        let dims = if folded { &domain.folded } else { &domain.kept };
        let stride = domain.strides(0, folded).last();
        (dims.last().copied().unwrap_or(1), stride.copied().unwrap_or(size as isize), dims.len())
    };
    let (side, other) = (last(along), last(!along));
    let rows = if along && side.2 > 1 { 1 } else { other.0 };
    let single = side.2 <= 1 && other.2 <= 1;
    side.1 == size as isize && (single || side.0 * rows >= MIN_ALONG_ELEMENTS * MIN_ALONG_ELEMENTS)
}

/// Returns the most results, at most `most`, of whole loops and some rounds of one, none of them before `outermost`;
/// and the results of all rounds of that one.
fn widest_box(dims: &[usize], most: usize, outermost: usize) -> (usize, usize) {
    let (mut width, mut span) = (1, 1);
    for &dim in dims[outermost..].iter().rev() {
        let rounds = (most / span).clamp(1, dim);
        if rounds == 1 && span > 1 {
            break;
        }
        width = span * rounds;
        span *= dim;
        if width < span {
            break;
        }
    }
    (width, span)
}

/// The state that the threads share.
struct ReduceJob<'a> {
    reduce: &'a Reduce<'a>,
    cut: ReduceBlocking,
    /// The program that fills a slab; `None` if elements are read in place.
    program: Option<Program>,
    isa: Isa,
    inputs: &'a [Input<'a>],
    /// The bytes of a result, and of its saved state.
    size: usize,
    saved_size: usize,
}

/// The memory that threads write to.
struct Places<'a> {
    out: &'a mut [u8],
    saved: &'a mut [u8],
}

impl ReduceJob<'_> {
    fn run(
        &self,
        out: &mut [u8],
        saved: &mut Buffer,
        executor: &dyn Executor,
        progress: Option<Progress>,
    ) -> Result<(), Failure> {
        let total = self.cut.kept as u64 * self.cut.folded as u64;
        let units = self.cut.boxes() * self.cut.chunks;
        let work = self.reduce.work(total);
        self.isa.prepare(work.worth());
        let parts = parts(work.nanos(), executor.threads()).clamp(1, units);
        let watch = Watch::new(total, progress);
        let places = Mutex::new(Places { out, saved: saved.bytes_mut() });
        let job = Job { units, parts, worth: work.worth(), watch: &watch };
        job.run(executor, || ReduceWorker::new(self, &places))?;
        let mut places = places.into_inner().unwrap_or_else(PoisonError::into_inner);
        if self.cut.chunks > 1 { self.join(&mut places) } else { Ok(()) }
    }

    /// Joins the saved states of items that share results.
    fn join(&self, places: &mut Places) -> Result<(), Failure> {
        let _mode = FloatMode::standard();
        let mut folder = self.reduce.folder()?;
        for number in 0..self.cut.boxes() {
            let [first, last] = self.cut.results(number);
            folder.start(last - first, 0);
            for chunk in 0..self.cut.chunks {
                folder.load(self.isa, &places.saved[self.place_of_state([first, last], chunk)]);
            }
            folder.finish(&mut places.out[first * self.size..last * self.size]);
        }
        Ok(())
    }

    fn place_of_state(&self, [first, last]: [usize; 2], chunk: usize) -> Range<usize> {
        let start = (chunk * self.cut.kept + first) * self.saved_size;
        start..start + (last - first) * self.saved_size
    }
}

/// One thread's slab and state.
struct ReduceWorker<'a, 'p> {
    job: &'a ReduceJob<'a>,
    places: &'a Mutex<Places<'p>>,
    folder: Box<dyn Folder>,
    slab: Buffer,
}

impl Worker for ReduceWorker<'_, '_> {
    fn run(&mut self, units: Range<usize>, watch: &Watch) -> Result<(), (usize, Failure)> {
        for item in units {
            self.item(item, watch).map_err(|failure| (item, failure))?;
            if watch.is_stopped() {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl<'a, 'p> ReduceWorker<'a, 'p> {
    fn new(job: &'a ReduceJob<'a>, places: &'a Mutex<Places<'p>>) -> Result<Self, Failure> {
        let slab = Buffer::zeroed(job.cut.slab(job.reduce.operand.size())).ok_or(Failure::Memory)?;
        Ok(Self { job, places, folder: job.reduce.folder()?, slab })
    }

    /// Folds an item and writes its results, or saves its states.
    fn item(&mut self, item: usize, watch: &Watch) -> Result<(), Failure> {
        let (job, cut) = (self.job, &self.job.cut);
        let results = cut.results(item / cut.chunks);
        let (chunk, [first, last]) = (item % cut.chunks, results);
        let (mut at, end) = (chunk * cut.chunk, cut.folded.min((chunk + 1) * cut.chunk));
        let kept = SubDomain::cut(&job.reduce.domain.kept, first, last, 0);
        self.folder.start(kept.count, at as u64);
        while at < end {
            let to = end.min(at + cut.piece);
            if cut.direct {
                self.in_place(&kept, at, to)?;
            } else {
                self.by_slab(&kept, first, [at, to], watch)?;
            }
            if !watch.go_on(((to - at) * kept.count) as u64) {
                return Ok(());
            }
            at = to;
        }
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if cut.chunks == 1 {
            self.folder.finish(&mut places.out[first * job.size..last * job.size]);
        } else {
            self.folder.save(&mut places.saved[job.place_of_state(results, chunk)]);
        }
        Ok(())
    }

    /// Folds elements `at` to `to` of each result in place.
    fn in_place(&mut self, kept: &SubDomain, mut at: usize, to: usize) -> Result<(), Failure> {
        let (job, domain) = (self.job, self.job.reduce.domain);
        let (strides, size) =
            ([false, true].map(|folded| domain.strides(0, folded)), job.reduce.operand.size() as isize);
        let steps = strides.map(|strides| strides.last().copied().unwrap_or(size));
        while at < to {
            let piece = SubDomain::cut(&domain.folded, at, to, domain.folded.len().saturating_sub(1));
            let input = job.inputs[0];
            let from = input.offset as isize + kept.offset(strides[0]) + piece.offset(strides[1]);
            let (rows, count, pitch) =
                if job.cut.along { (kept.count, piece.count, steps[0]) } else { (piece.count, kept.count, steps[1]) };
            feed(&mut *self.folder, job, Band { input, at: from, rows, count, pitch })?;
            at += piece.count;
        }
        Ok(())
    }

    /// Computes elements `at` to `to` of each result into the slab, and folds them.
    fn by_slab(&mut self, kept: &SubDomain, first: usize, [at, to]: [usize; 2], watch: &Watch) -> Result<(), Failure> {
        let (job, domain) = (self.job, self.job.reduce.domain);
        let Some(program) = &job.program else { return Ok(()) };
        // A slab of a long program can take so long that a stop has to interrupt it.
        let ask = |_, _| watch.go_on(0);
        let progress: Option<Progress> = (look(program.picos()) < MAX_SLAB_ELEMENTS as u64).then_some(&ask);
        let size = job.reduce.operand.size();
        let (rows, count) = if job.cut.along { (kept.count, to - at) } else { (to - at, kept.count) };
        let mut done = at;
        while done < to {
            let piece = SubDomain::cut(&domain.folded, done, to, 0);
            let (start, nest, inputs) = self.nest(kept, &piece, done - at, to - at);
            let output = Output::new(self.slab.bytes_mut(), start);
            run_at(job.isa, program, &nest, &inputs, output, &Serial, progress).map_err(|failure| match failure {
                Failure::Rejected { step, what, element } => {
                    // Counted in the order of the nest, whose outer loops depend on the layout of the slab.
                    let inner = if job.cut.along { piece.count } else { kept.count } as u64;
                    let (outer, inner) = (element / inner, element % inner);
                    let (result, number) = if job.cut.along { (outer, inner) } else { (inner, outer) };
                    let element = (first as u64 + result) * job.cut.folded as u64 + done as u64 + number;
                    Failure::Rejected { step, what, element }
                }
                other => other,
            })?;
            done += piece.count;
        }
        let slab = Input::new(self.slab.bytes(), 0);
        let band = Band { input: slab, at: 0, rows, count, pitch: (count * size) as isize };
        feed(&mut *self.folder, job, band)
    }

    /// Returns the offset of a box in the slab, after `before` of `count` elements of each result; its loops; and the
    /// inputs from its first element on.
    fn nest(&self, kept: &SubDomain, piece: &SubDomain, before: usize, count: usize) -> (usize, Nest, Vec<Input<'a>>) {
        let (job, domain) = (self.job, self.job.reduce.domain);
        let size = job.reduce.operand.size();
        // The bytes in the slab between results, and between the elements of a result.
        let (result, element) = if job.cut.along { (count * size, size) } else { (size, kept.count * size) };
        let mut loops: Vec<LoopDim> = Vec::new();
        for (folded, piece, mut step) in [(false, kept, result), (true, piece, element)] {
            let at = loops.len();
            for axis in (0..piece.rounds.len()).rev() {
                let inputs = (0..job.inputs.len()).map(|input| domain.strides(input, folded)[axis]).collect();
                loops.insert(at, LoopDim { dim: piece.rounds[axis], output: step as isize, inputs });
                step *= piece.rounds[axis];
            }
        }
        if !job.cut.along {
            loops.rotate_left(domain.kept.len());
        }
        let inputs = job.inputs.iter().enumerate().map(|(i, input)| {
            let moved = kept.offset(domain.strides(i, false)) + piece.offset(domain.strides(i, true));
            Input { offset: input.offset.wrapping_add_signed(moved), ..*input }
        });
        (before * element, merged(loops, job.inputs.len()), inputs.collect())
    }
}

fn feed(folder: &mut dyn Folder, job: &ReduceJob, band: Band) -> Result<(), Failure> {
    let there = if job.cut.along { folder.along(job.isa, band) } else { folder.across(job.isa, band) };
    if there { Ok(()) } else { Err(Failure::Layout(String::from("an element is outside its buffer"))) }
}

/// A loop of a nest.
struct LoopDim {
    dim: usize,
    output: isize,
    inputs: Vec<isize>,
}

/// Makes a nest of loops. Loops of one round are dropped, and adjacent loops are merged if every operand walks them
/// alike.
fn merged(loops: Vec<LoopDim>, inputs: usize) -> Nest {
    let mut kept: Vec<LoopDim> = Vec::with_capacity(loops.len());
    for round in loops.into_iter().filter(|round| round.dim != 1) {
        let strides =
            |round: &LoopDim| std::iter::once(round.output).chain(round.inputs.iter().copied()).collect::<Vec<_>>();
        let continues = |outer: &LoopDim| {
            strides(outer)
                .into_iter()
                .eq(strides(&round).into_iter().map(|stride| stride.wrapping_mul(round.dim as isize)))
        };
        match kept.last_mut() {
            Some(outer) if continues(outer) => *outer = LoopDim { dim: outer.dim * round.dim, ..round },
            _ => kept.push(round),
        }
    }
    Nest {
        dims: kept.iter().map(|round| round.dim).collect(),
        output: kept.iter().map(|round| round.output).collect(),
        inputs: (0..inputs).map(|i| kept.iter().map(|round| round.inputs[i]).collect()).collect(),
    }
}
