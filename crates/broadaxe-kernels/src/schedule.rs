//! Schedules: everything that is decided before the first element, and is the same for every call with the same layout.
//!
//! A nest is divided into units (see `nest.rs`). A program of one step whose operands can be used in place is one call
//! per unit. Any other program runs over *tiles*, small pieces of a unit: results of steps stay in the first-level
//! cache between one step and the next, and tiles are so short that the processor loads the operands of the next one
//! while it computes this one. The last step writes its result directly to the output, or through a tile if it must be
//! scattered, may overlap an input, or is too large for the caches and therefore streamed.

mod bind;
mod units;
mod spread;

use once_cell::race::OnceBox;
pub(crate) use spread::{Copied, Spread};
use units::{Method, choose_units, lay_over};

use crate::{
    cache::Caches,
    dtype::DType,
    executor::parts,
    isa::{Isa, Level, Loop},
    loops::Guard,
    nest::{AccessPattern, Blocking, MAX_UNIT_ELEMENTS, Nest, WHOLE, reach},
    program::{Program, Slot, Step},
    tile::{
        Call,
        chain::{Link, LinkAction, OperandMode},
    },
};

/// The source of an operand of a bound step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// In the input, or in its packed copy.
    Input(usize),
    /// In this tile: bytes from the start of the scratch memory.
    Tile(usize),
    /// In a tile filled with an input's constants: its number among the splats.
    Splat(usize),
    /// None: the kernel has no such operand.
    Absent,
}

/// A step with its loop and its sources chosen.
pub(crate) struct BoundStep {
    pub(crate) call: Call,
    pub(crate) guard: Option<Guard>,
    pub(crate) args: [Source; 3],
    /// The tile of the result; `None` for the output itself.
    pub(crate) out: Option<usize>,
    /// The bytes between elements of operands and result, for a loop over strided elements.
    pub(crate) apart: Option<([isize; 3], isize)>,
}

/// A program that one loop computes without tiles, with its sources chosen.
pub(crate) struct BoundChain {
    pub(crate) call: Loop,
    pub(crate) links: Vec<BoundLink>,
}

/// A link of a chain, and the source of its operand.
pub(crate) struct BoundLink {
    pub(crate) act: LinkAction,
    pub(crate) feed: OperandMode,
    pub(crate) rounds: bool,
    /// The input; `None` if the operand is the saved number.
    pub(crate) input: Option<usize>,
    pub(crate) size: usize,
    /// How often an element is repeated.
    pub(crate) times: usize,
    /// The element index of each result of a row, from the first one on.
    pub(crate) table: Vec<u32>,
    /// The stride in elements.
    pub(crate) apart: isize,
    pub(crate) ahead: bool,
}

impl BoundLink {
    /// Describes the link, whose operand has no address yet.
    pub(crate) fn unplaced(&self) -> Link {
        let BoundLink { act, feed, rounds, size, times, ref table, apart, ahead, .. } = *self;
        Link {
            act,
            feed,
            rounds,
            place: std::ptr::null(),
            step: 0,
            size,
            times: times as u32,
            table: table.as_ptr(),
            apart,
            ahead,
        }
    }
}

/// How the result reaches the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// The last step writes it there.
    Direct,
    /// From a tile, row by row.
    Copy(usize),
    /// From a tile as large as the unit, along every loop of it.
    Scatter(usize),
}

/// An operand over the whole nest.
#[derive(Clone)]
pub(crate) struct Operand {
    pub(crate) strides: Vec<isize>,
    pub(crate) size: usize,
    /// The first and the last byte that the nest reaches from the operand's start, the last exclusive.
    pub(crate) reach: (isize, isize),
    /// Its access pattern along a row.
    pub(crate) access: AccessPattern,
}

/// A loop outside the units.
pub(crate) struct Outer {
    pub(crate) count: usize,
    /// The bytes that each operand moves per round, the output's last, then the elements of the nest.
    pub(crate) moves: Vec<isize>,
}

/// An input that is packed, or a constant that is repeated, and its offset in the scratch memory.
#[derive(Clone, Copy)]
pub(crate) struct PackedInput {
    pub(crate) input: usize,
    pub(crate) at: usize,
    /// Whether elements are prefetched.
    pub(crate) ahead: bool,
}

/// The bytes of a tile: the widest element times its number of elements.
const TILE: usize = 1536;

/// The bytes of a row from which it is streamed although it has partial cache lines.
const LONG_ROW: usize = 1024;

/// The bytes of an operand from which the elements of the next tile are prefetched.
const FETCHED: usize = 1 << 20;

/// A program over a nest with every decision made. It can be run any number of times, over any memory.
pub struct Schedule {
    pub(crate) isa: Isa,
    pub(crate) program: Program,
    pub(crate) nest: Nest,
    pub(crate) dims: Vec<usize>,
    /// The inputs, then the output.
    pub(crate) operands: Vec<Operand>,
    pub(crate) total: u64,
    pub(crate) cut: Blocking,
    pub(crate) outer: Vec<Outer>,
    /// The loop outside the units, if any, whose rounds one call computes.
    pub(crate) turning: Option<usize>,
    /// The quick path, for small programs.
    pub(crate) quick: Option<Quick>,
    /// The steps, if each has a loop of its own.
    pub(crate) steps: Vec<BoundStep>,
    /// The chain of all steps.
    pub(crate) chain: Option<BoundChain>,
    pub(crate) packs: Vec<PackedInput>,
    pub(crate) splats: Vec<PackedInput>,
    pub(crate) finish: Finish,
    /// The last step uses streaming stores if its kernel can.
    pub(crate) streams: bool,
    /// Only one thread does so: results of several threads stay in the cache that they share.
    pub(crate) streams_alone: bool,
    /// The elements of a tile; `None` where each unit is one call.
    pub(crate) tile: Option<usize>,
    /// Elements recomputed from the preceding piece so that streaming stores start on a cache line; only for untiled,
    /// infallible, single-kernel units.
    pub(crate) margin: Option<usize>,
    /// Inputs that are prefetched.
    pub(crate) fetched: Vec<usize>,
    /// Inputs whose rows are prefetched for the next unit, which has the adjacent pieces of the rows.
    pub(crate) next_rows: Vec<usize>,
    /// The nest reaches so much memory that prefetched data comes from memory: it is prefetched into the second-level
    /// cache.
    pub(crate) second: bool,
    pub(crate) scratch: usize,
    /// An estimate of the time on one thread.
    pub(crate) nanos: u64,
    /// The part of it that is worth waking a thread for.
    pub(crate) worth: u64,
    /// Estimates the nanoseconds per element, without its arithmetic.
    pub(crate) price: f64,
    /// The alternative that first copies operands over the innermost loops, if it is cheaper.
    pub(crate) spread: Option<Box<Spread>>,
    /// The schedule for a result that overwrites an input, element for element; decided when it is first needed.
    pub(crate) in_place: OnceBox<Schedule>,
    /// The schedule for several threads, if `streams_alone`; decided when it is first needed.
    pub(crate) together: OnceBox<Schedule>,
}

/// How one call of every loop computes a small program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quick {
    /// The only loop, for this number of units.
    Loop(usize),
    /// The loop of every step, for one unit.
    Steps,
    /// The loop of the chain, for one unit.
    Chain,
}

/// The most bytes of scratch memory that the quick path uses on the stack.
pub(crate) const QUICK_SCRATCH: usize = 4096;

/// The situation that a schedule is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// One thread, or any number of them if that makes no difference.
    Alone,
    /// Several threads, which share a cache that is faster than memory.
    Together,
    /// A result that overwrites an input, element for element.
    InPlace,
}

/// The decisions of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decisions {
    /// The level of instructions.
    pub level: Level,
    /// The rows of a unit, each in one loop.
    pub rows: usize,
    /// The elements of a row.
    pub row: usize,
    /// The most units that one call computes.
    pub turns: usize,
    /// The elements of a tile; `None` where a unit is one call.
    pub tile: Option<usize>,
    /// The loops that are called for each tile, or unit.
    pub loops: usize,
    /// The inputs that are packed first.
    pub packed: Vec<usize>,
    /// The inputs that are constant along a row.
    pub constant: Vec<usize>,
    /// Whether one thread streams the result.
    pub streams: bool,
}

/// The properties of a program and nest that are known before they are bound.
pub(crate) struct Sizes {
    pub(crate) dims: Vec<usize>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) total: u64,
}

impl Schedule {
    /// Decides how to run a program over a nest with valid sizes; `InPlace` means that an input may be the output.
    // Long: most of it lists fields.
    pub(crate) fn bind(isa: Isa, program: &Program, nest: &Nest, sizes: Sizes, manner: Manner) -> Self {
        let Sizes { dims, mut operands, total } = sizes;
        let choice = choose_units(isa, program, &dims, &operands, manner);
        let (cut, method) = (choice.cut, choice.method);
        lay_over(choice, program, &dims, &mut operands);
        let mut schedule = Self {
            isa,
            program: program.clone(),
            nest: nest.clone(),
            outer: outer_loops(&dims, &operands, &cut),
            price: choice.price,
            spread: None,
            turning: None,
            quick: None,
            cut,
            dims,
            operands,
            total,
            steps: Vec::new(),
            chain: None,
            packs: Vec::new(),
            splats: Vec::new(),
            finish: Finish::Direct,
            streams: false,
            streams_alone: false,
            tile: None,
            margin: None,
            fetched: Vec::new(),
            next_rows: Vec::new(),
            second: false,
            scratch: 0,
            nanos: 0,
            worth: 0,
            in_place: OnceBox::new(),
            together: OnceBox::new(),
        };
        let bytes = reached(&schedule.dims, &schedule.operands);
        let work = program.work(total, bytes as u64);
        schedule.second = is_far(bytes);
        (schedule.nanos, schedule.worth) = (work.nanos(), work.worth());
        schedule.choose_tiles(manner, method);
        schedule.make_room_for_packs();
        match method {
            Method::Chain => schedule.bind_chain(),
            Method::Strided => schedule.bind_strided(),
            Method::Loops => {
                schedule.bind_steps();
                schedule.turning = schedule.choose_turning();
            }
        }
        schedule.quick = schedule.choose_quick();
        schedule
    }

    /// Returns the decisions.
    pub fn decisions(&self) -> Decisions {
        if let Some(spread) = &self.spread {
            return spread.decisions();
        }
        let inputs =
            |access| (0..self.program.inputs.len()).filter(move |&i| self.operands[i].access == access).collect();
        Decisions {
            level: self.isa.level(),
            rows: self.cut.rows,
            row: self.cut.chunk * self.cut.inner,
            turns: self.turning.map_or(1, |at| self.outer[at].count),
            tile: self.tile,
            loops: if self.chain.is_some() { 1 } else { self.steps.len() },
            packed: inputs(AccessPattern::Irregular),
            constant: inputs(AccessPattern::Constant),
            streams: self.streams,
        }
    }

    /// Returns the number of parts for this many threads; 1 means the caller's thread alone.
    pub fn parts(&self, threads: usize) -> usize {
        parts(self.nanos, threads).clamp(1, self.units())
    }

    /// Returns an estimate of the nanoseconds on one thread.
    pub fn nanos(&self) -> u64 {
        self.nanos
    }

    /// Returns the size of the widest element that the program reads or writes.
    fn widest(&self) -> usize {
        let results = self.program.steps.iter().map(|step| step.kernel.output());
        results.chain(self.program.inputs.iter().copied()).map(DType::size).max().unwrap_or(8)
    }

    fn take_scratch(&mut self, bytes: usize) -> usize {
        let at = self.scratch;
        self.scratch += bytes.next_multiple_of(64);
        at
    }

    /// Says whether results of steps, or repeated constants, need tiles.
    fn needs_tiles(&self) -> bool {
        let splats = |step: &Step| {
            let constants = self.constants(step);
            step.kernel.choose(constants).constants != constants
        };
        self.program.steps.len() > 1 || self.program.steps.iter().any(splats)
    }

    /// Decides whether units are divided into tiles, and how the result reaches the output.
    fn choose_tiles(&mut self, manner: Manner, method: Method) {
        let in_place = manner == Manner::InPlace;
        let output = self.program.inputs.len();
        let widest = self.widest();
        let scatters = self.operands[output].access == AccessPattern::Irregular;
        let row_bytes = self.cut.chunk * self.cut.inner * self.operands[output].size;
        let in_pieces = self.cut.across != self.cut.axis && self.cut.chunk < self.dims[self.cut.axis];
        let tile = if scatters { self.cut.elements() } else { (TILE / widest).min(self.cut.elements()) };
        if method != Method::Strided && (in_place || scatters || self.needs_tiles()) {
            self.tile = Some(tile);
        }
        let is_plain =
            matches!(&self.program.steps[..], [step] if step.kernel.guard().is_none()) && method == Method::Loops;
        let blocks = is_plain && self.tile.is_none() && self.cut.across != self.cut.axis;
        // Pieces of rows that one loop computes can start and end at cache lines of the result.
        let shifts = blocks && self.cut.inner == 1 && row_bytes.is_multiple_of(64);
        let fits =
            if in_pieces { shifts || self.operands[output].across(self) % 64 == 0 } else { row_bytes >= 2 * WHOLE };
        let rows_fit = row_bytes >= LONG_ROW || row_bytes.is_multiple_of(WHOLE) && fits;
        let streams = |manner| {
            method != Method::Strided
                && !in_place
                && !scatters
                && rows_fit
                && is_large(&self.dims, &self.operands, manner)
        };
        let (streams, streams_alone) = (streams(manner), streams(manner) && !streams(Manner::Together));
        let far: Vec<usize> = (0..output)
            .filter(|&i| self.operands[i].access == AccessPattern::Dense && self.is_far(&self.operands[i]))
            .collect();
        self.next_rows = if in_pieces { far.clone() } else { Vec::new() };
        self.fetched = if self.tile.is_some() { far } else { Vec::new() };
        (self.streams, self.streams_alone) = (streams, streams_alone);
        self.margin = blocks.then(|| if shifts && in_pieces && streams { 64 / self.operands[output].size } else { 0 });
        self.finish = match (scatters, in_place) {
            (true, _) => Finish::Scatter(self.take_scratch(tile * widest)),
            (_, true) => Finish::Copy(self.take_scratch(tile * widest)),
            _ => Finish::Direct,
        };
    }

    /// Says whether an operand comes from memory and is worth prefetching: elements in a cache arrive as fast, or
    /// faster, without a prefetch.
    fn is_far(&self, operand: &Operand) -> bool {
        self.second && footprint(&self.dims, operand) >= FETCHED
    }

    fn make_room_for_packs(&mut self) {
        for input in 0..self.program.inputs.len() {
            if self.operands[input].access == AccessPattern::Irregular {
                let elements = self.cut.elements() + self.cut.rows * self.margin.unwrap_or(0);
                let at = self.take_scratch(elements * self.operands[input].size);
                let (low, high) = self.operands[input].reach;
                let ahead = is_far(high.abs_diff(low));
                self.packs.push(PackedInput { input, at, ahead });
            }
        }
    }

    /// Chooses the loop outside the units whose rounds one call computes: possible if a unit is one call, nothing is
    /// done before it, and whole rounds of the loop follow one another.
    fn choose_turning(&self) -> Option<usize> {
        let [BoundStep { guard: None, .. }] = self.steps[..] else { return None };
        let at = self.outer.iter().rposition(|outer| outer.count > 1)?;
        let pieces = if self.cut.across == self.cut.axis { 1 } else { 2 };
        (self.tile.is_none() && self.packs.is_empty() && at + pieces < self.outer.len()).then_some(at)
    }

    /// Chooses the quick path if one call of every loop computes the whole nest.
    fn choose_quick(&self) -> Option<Quick> {
        let turns = self.turning.map_or(1, |at| self.outer[at].count);
        let is_whole = (self.cut.elements() * turns) as u64 == self.total
            && (turns == 1 || self.total <= MAX_UNIT_ELEMENTS as u64);
        if !is_whole || !self.packs.is_empty() {
            return None;
        }
        if self.chain.is_some() {
            return Some(Quick::Chain).filter(|_| self.total <= MAX_UNIT_ELEMENTS as u64);
        }
        let Some(tile) = self.tile else {
            return matches!(&self.steps[..], [BoundStep { apart: None, .. }]).then_some(Quick::Loop(turns));
        };
        let fits = self.cut.elements() <= tile && self.scratch <= QUICK_SCRATCH && self.finish == Finish::Direct;
        fits.then_some(Quick::Steps)
    }

    /// Returns a bit for each operand of a step that is constant along a row.
    fn constants(&self, step: &Step) -> u8 {
        let is_constant =
            |arg: &Slot| matches!(*arg, Slot::Input(i) if self.operands[i].access == AccessPattern::Constant);
        step.args.iter().enumerate().map(|(k, arg)| u8::from(is_constant(arg)) << k).sum()
    }

    /// Reserves space for an input's constants, repeated.
    fn splat(&mut self, input: usize, bytes: usize) -> Source {
        let known = self.splats.iter().position(|splat| splat.input == input);
        Source::Splat(known.unwrap_or_else(|| {
            let at = self.take_scratch(bytes);
            self.splats.push(PackedInput { input, at, ahead: false });
            self.splats.len() - 1
        }))
    }

    /// Counts the units.
    pub(crate) fn units(&self) -> usize {
        self.outer.iter().map(|outer| outer.count).product()
    }
}

/// Counts the bytes of cache that an element occupies: all up to the next one, as far as that is on the same line.
fn taken(dims: &[usize], Operand { strides, size, .. }: &Operand) -> usize {
    let moving = dims.iter().zip(strides).filter(|&(&dim, &stride)| dim > 1 && stride != 0);
    moving.map(|(_, stride)| stride.unsigned_abs().clamp(*size, 64)).min().unwrap_or(*size)
}

/// Counts the bytes that an operand occupies in caches.
fn footprint(dims: &[usize], operand: &Operand) -> usize {
    let moving = dims.iter().zip(&operand.strides).filter(|&(_, &stride)| stride != 0);
    moving.fold(taken(dims, operand), |bytes, (&dim, _)| bytes.saturating_mul(dim))
}

/// Counts the bytes that operands and result occupy together.
fn reached(dims: &[usize], operands: &[Operand]) -> usize {
    operands.iter().map(|own| footprint(dims, own)).fold(0, usize::saturating_add)
}

/// Says whether `bytes` bytes come from memory.
fn is_far(bytes: usize) -> bool {
    bytes >= Caches::here().last / 2
}

/// Counts the bytes of an operand that come from beyond the second-level cache: data that does not fit there is loaded
/// again in every round of an axis that repeats it.
fn traffic(dims: &[usize], operand: &Operand) -> usize {
    let second = Caches::here().second;
    dims.iter().zip(&operand.strides).rev().fold(taken(dims, operand), |bytes, (&dim, &stride)| {
        if stride != 0 || bytes > second { bytes.saturating_mul(dim) } else { bytes }
    })
}

/// Says whether operands and result, which is the last, are so large that the result should be streamed.
///
/// Streaming costs the same whatever is read, while results in the last-level cache compete with inputs for it, and
/// with those of other threads for memory bandwidth. For products with one to three arrays and 2 to 96 MiB of result,
/// with 32 MiB of cache, both were equal within a fifth where the weighted sums below are 1.2 times the limit. Programs
/// that compute more, or read in another order, were equal earlier.
fn is_large(dims: &[usize], operands: &[Operand], manner: Manner) -> bool {
    let last = Caches::here().last;
    let Some((output, inputs)) = operands.split_last() else { return false };
    let all = |bytes: fn(&[usize], &Operand) -> usize| {
        inputs.iter().map(|input| bytes(dims, input)).fold(0, usize::saturating_add)
    };
    let (read, most) = match manner {
        Manner::Together => (all(footprint).saturating_mul(2), last * 2),
        _ => (all(traffic).saturating_mul(4), last / 2 * 3),
    };
    let result = footprint(dims, output);
    cfg!(target_arch = "x86_64") && result >= last / 16 && read.saturating_add(result) >= most
}

/// Measures the operands over a nest, or returns which size overflows an address.
pub(crate) fn measure(program: &Program, nest: &Nest) -> Result<Sizes, String> {
    // A nest without loops is one loop of one round.
    let mut dims = if nest.dims.is_empty() { vec![1] } else { nest.dims.clone() };
    let total =
        if dims.contains(&0) { Some(0) } else { dims.iter().try_fold(1_u64, |n, &dim| n.checked_mul(dim as u64)) };
    let Some(total) = total.filter(|&n| i64::try_from(n).is_ok()) else {
        return Err(String::from("the loops have more elements than an address can count"));
    };
    if total == 0 {
        dims.fill(1);
    }
    let dtypes = program.inputs.iter().copied().chain([program.output()]);
    let mut operands = Vec::with_capacity(nest.inputs.len() + 1);
    for (i, (strides, dtype)) in nest.inputs.iter().chain([&nest.output]).zip(dtypes).enumerate() {
        let strides = if nest.dims.is_empty() { vec![0] } else { strides.clone() };
        let Some(reach) = reach(&dims, &strides, dtype.size()) else {
            let who = if i == nest.inputs.len() { String::from("the output") } else { format!("input {i}") };
            return Err(format!("{who} reaches more than an address can count"));
        };
        operands.push(Operand { strides, size: dtype.size(), reach, access: AccessPattern::Irregular });
    }
    Ok(Sizes { dims, operands, total })
}

/// Lists the loops outside the units, outermost first: those that no unit touches, then the pieces of the rows' loop
/// and of the row.
fn outer_loops(dims: &[usize], operands: &[Operand], cut: &Blocking) -> Vec<Outer> {
    let mut elements = vec![1_isize; dims.len()];
    for axis in (1..dims.len()).rev() {
        elements[axis - 1] = elements[axis] * dims[axis] as isize;
    }
    let outer = |axis: usize, chunk: usize| {
        let strides = operands.iter().map(|operand| operand.strides[axis]).chain([elements[axis]]);
        Outer { count: dims[axis].div_ceil(chunk), moves: strides.map(|stride| stride * chunk as isize).collect() }
    };
    let untouched = (0..cut.axis).filter(|&axis| axis != cut.across);
    let rows = (cut.across != cut.axis).then(|| outer(cut.across, cut.rows));
    untouched.map(|axis| outer(axis, 1)).chain(rows).chain([outer(cut.axis, cut.chunk)]).collect()
}
