//! Schedules: everything that is decided before the first element, and is the same for every call with the same layout.
//!
//! The loops of a nest are divided twice, from the outside to the inside:
//!
//! ```text
//!   nest    all loops of all operands            dims 8 x 64 x 1000
//!    +- unit    what a thread does at a time     rows of the last loops, at most 2^15 elements: 32 x 1000
//!    |   +- row     what a loop runs along       every operand dense, constant, ... there: 1000
//!    |   +- tile    what stays in the L1 cache   a piece of rows, where several loops follow one another: 384
//!    +- unit    the next one: `outer` loops lead from unit to unit
//! ```
//!
//! `nest.rs` chooses the units, by cost. How they are computed is the [`Body`] of the schedule: one call of one loop per
//! unit, if the operands of a single step can be used in place; the loops of all steps, tile by tile; one loop that
//! applies all steps; or a loop over strided elements. Operands that a loop cannot read are packed first, unit by unit.

mod units;
mod bind;
mod spread;

use once_cell::race::OnceBox;
pub(crate) use spread::{Copied, Spread};
use units::{choose_units, lay_over};

use crate::{
    cache::Caches,
    executor::parts,
    isa::{Isa, Level, Loop, StridedBlock},
    loops::Guard,
    measured::PRICE_PART,
    nest::{AccessPattern, Blocking, Nest, reach},
    pack::{Axis, CopyPlan},
    program::Program,
    tile::{
        Call,
        chain::{Ahead, ChainLoop, Link, LinkAction, OperandMode},
    },
};

/// How the units of a schedule are computed.
pub(crate) enum Body {
    /// One call of the only step's loop for a unit, or for several.
    Loop(LoopBody),
    /// A call of the loop of every step for each tile.
    Tiles(TileBody),
    /// One loop that applies all steps.
    Chain(ChainBody),
    /// The only step's loop over strided elements.
    Strided(StridedBody),
}

impl Body {
    /// Returns the outer loop whose rounds one call computes, if any.
    pub(crate) fn turning(&self) -> Option<usize> {
        if let Self::Loop(own) = self { own.turning } else { None }
    }

    /// Counts the units that one call computes at most.
    fn turns(&self, outer: &[Outer]) -> usize {
        self.turning().map_or(1, |at| outer[at].count)
    }
}

/// The loop of the only step, whose operands are all inputs.
pub(crate) struct LoopBody {
    pub(crate) step: BoundStep,
    /// The outer loop whose rounds one call computes, if any.
    pub(crate) turning: Option<usize>,
    /// Elements recomputed from the preceding piece so that streaming stores start on a cache line.
    pub(crate) margin: usize,
}

/// The loops of steps over tiles: results stay in the first-level cache between one step and the next, and tiles are so
/// short that the processor loads the operands of the next one while it computes this one.
pub(crate) struct TileBody {
    pub(crate) steps: Vec<BoundStep>,
    /// The elements of a tile.
    pub(crate) elements: usize,
    /// Constants that are repeated in a tile, for loops that do not read them as such.
    pub(crate) splats: Vec<PackedInput>,
    pub(crate) finish: Finish,
    /// Packed inputs that are prefetched, tile by tile.
    pub(crate) fetched: Vec<usize>,
}

impl TileBody {
    /// Returns the rows of a tile, of `rows` rows of `n` elements, and the elements of each: tiles are of nearly equal size, and
    /// parts of rows are whole cache lines.
    pub(crate) fn tile(&self, rows: usize, n: usize) -> (usize, usize) {
        let even = |all: usize, most: usize| all.div_ceil(all.div_ceil(most));
        if n > self.elements {
            (1, even(n, self.elements).next_multiple_of(64).min(self.elements))
        } else {
            (even(rows, (self.elements / n).clamp(1, rows)), n)
        }
    }
}

/// A program that one loop computes without tiles, with its sources chosen.
pub(crate) struct ChainBody {
    pub(crate) links: Vec<BoundLink>,
    /// The calls, each for some of the links. A loop follows few operands at a time as fast as one, and many more slowly.
    pub(crate) calls: Vec<ChainCall>,
}

/// A call for some links of a chain.
pub(crate) struct ChainCall {
    pub(crate) call: ChainLoop,
    /// The number of its last link, exclusive.
    pub(crate) end: usize,
    /// Where its result is in the scratch memory; `None` for the output itself.
    pub(crate) out: Option<usize>,
}

/// The loop of the only step over elements at any distance.
pub(crate) struct StridedBody {
    pub(crate) call: Loop<StridedBlock>,
    /// The inputs of the operands.
    pub(crate) inputs: Vec<usize>,
    /// The bytes between elements of operands and result.
    pub(crate) apart: [isize; 3],
    pub(crate) out_apart: isize,
}

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
}

/// A link of a chain, and the source of its operand.
pub(crate) struct BoundLink {
    pub(crate) act: LinkAction,
    pub(crate) feed: OperandMode,
    pub(crate) rounds: bool,
    /// The input; `None` if the operand is the saved number, or the result of the call before.
    pub(crate) input: Option<usize>,
    /// Where the result of the call before is in the scratch memory.
    pub(crate) left: Option<usize>,
    pub(crate) size: usize,
    /// How often an element is repeated.
    pub(crate) times: usize,
    /// The element index of each result of a row, from the first one on.
    pub(crate) table: Vec<u32>,
    /// The stride in elements.
    pub(crate) apart: isize,
    pub(crate) ahead: Ahead,
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

impl Finish {
    /// Returns the tile that the last step writes to, if any.
    fn tile(self) -> Option<usize> {
        match self {
            Self::Direct => None,
            Self::Copy(at) | Self::Scatter(at) => Some(at),
        }
    }
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

impl Operand {
    /// Returns the bytes from the first element of a unit, whose rows are `across` bytes apart, to another one.
    pub(crate) fn moved(&self, across: isize, row: usize, at: usize) -> isize {
        let size = if self.access == AccessPattern::Constant { 0 } else { self.size };
        across * row as isize + (at * size) as isize
    }

    /// Returns how many of the `rows` rows of `n` elements of a unit are packed, and the bytes between them in the packed copy: of
    /// a row that repeats there is one.
    pub(crate) fn packed(&self, cut: &Blocking, [rows, n]: [usize; 2]) -> (usize, isize) {
        if self.across(cut) == 0 { (1, 0) } else { (rows, (n * self.size) as isize) }
    }

    /// Returns the axes of a unit of `rows` rows of `n` elements, with the operand's strides, for strided copies.
    pub(crate) fn axes(&self, dims: &[usize], cut: &Blocking, [rows, n]: [usize; 2]) -> impl Iterator<Item = Axis> {
        let outer = [
            Axis { count: rows, stride: self.across(cut) },
            Axis { count: n / cut.inner, stride: self.strides[cut.axis] },
        ];
        let inner = dims.iter().zip(&self.strides).skip(cut.axis + 1);
        outer.into_iter().chain(inner.map(|(&count, &stride)| Axis { count, stride }))
    }
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

/// What the quick path does before it calls the loops.
pub(crate) struct Quick {
    /// Whether units are pieces of one row, which one call computes if no other thread helps.
    pub(crate) is_one_row: bool,
    /// The strided copy of each pack.
    pub(crate) packs: Vec<CopyPlan>,
    /// The strided copy of each constant that is repeated.
    pub(crate) splats: Vec<CopyPlan>,
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// Through the caches.
    Cached,
    /// With streaming stores, where the loop has them.
    Streamed,
    /// So by one thread only: results of several threads stay in the cache that they share.
    StreamedAlone,
}

impl Store {
    /// Says whether one thread streams.
    pub(crate) fn streams(self) -> bool {
        self != Self::Cached
    }
}

/// What is prefetched for the unit after this one.
pub(crate) struct Prefetch {
    /// Inputs of which the next unit has the adjacent pieces of the rows.
    pub(crate) rows: Vec<usize>,
    /// The nest reaches so much memory that data comes from memory: it is prefetched into the second-level cache.
    pub(crate) is_far: bool,
}

/// What a schedule is expected to cost on one thread.
#[derive(Clone, Copy)]
pub(crate) struct Estimate {
    pub(crate) nanos: u64,
    /// The part of it that is worth waking a thread for.
    pub(crate) worth: u64,
    /// The nanoseconds per element, without its arithmetic.
    pub(crate) price: f64,
}

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
    pub(crate) packs: Vec<PackedInput>,
    pub(crate) body: Body,
    pub(crate) store: Store,
    pub(crate) prefetch: Prefetch,
    /// The bytes of scratch memory.
    pub(crate) scratch: usize,
    pub(crate) estimate: Estimate,
    /// The quick path of a small program, whose one unit is the whole nest.
    pub(crate) quick: Option<Quick>,
    /// The alternative that first copies operands over the innermost loops, if it is cheaper.
    pub(crate) spread: Option<Box<Spread>>,
    /// The schedule for a result that overwrites an input, element for element; decided when it is first needed.
    pub(crate) in_place: OnceBox<Schedule>,
    /// The schedule for several threads, if one thread alone streams; decided when it is first needed.
    pub(crate) together: OnceBox<Schedule>,
}

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
        lay_over(choice, program, &dims, &mut operands);
        let bytes = reached(&dims, &operands);
        let around = (choice.price * total as f64) as u64 / PRICE_PART;
        let work = program.work(total, bytes as u64).and_computing(around);
        let outer = outer_loops(&dims, &operands, &choice.cut);
        let (cut, is_far) = (choice.cut, is_far(bytes));
        let draft = bind::Draft {
            isa,
            program,
            dims: &dims,
            operands: &operands,
            outer: &outer,
            total,
            cut,
            manner,
            reached: bytes,
            work,
            scratch: 0,
        };
        let bind::Bound { body, store, packs, next_rows, scratch, quick } = draft.bind(choice.method);
        Self {
            isa,
            program: program.clone(),
            nest: nest.clone(),
            cut,
            outer,
            dims,
            operands,
            total,
            packs,
            body,
            store,
            prefetch: Prefetch { rows: next_rows, is_far },
            scratch,
            estimate: Estimate { nanos: work.nanos(), worth: work.worth(), price: choice.price },
            quick,
            spread: None,
            in_place: OnceBox::new(),
            together: OnceBox::new(),
        }
    }

    /// Returns the decisions.
    pub fn decisions(&self) -> Decisions {
        if let Some(spread) = &self.spread {
            return spread.decisions();
        }
        let inputs =
            |access| (0..self.program.inputs.len()).filter(move |&i| self.operands[i].access == access).collect();
        let (tile, loops) = match &self.body {
            Body::Tiles(own) => (Some(own.elements), own.steps.len()),
            Body::Chain(own) => (None, own.calls.len()),
            Body::Loop(_) | Body::Strided(_) => (None, 1),
        };
        Decisions {
            level: self.isa.level(),
            rows: self.cut.rows,
            row: self.cut.chunk * self.cut.inner,
            turns: self.turns(),
            tile,
            loops,
            packed: inputs(AccessPattern::Irregular),
            constant: inputs(AccessPattern::Constant),
            streams: self.store.streams(),
        }
    }

    /// Returns the number of parts for this many threads; 1 means the caller's thread alone.
    pub fn parts(&self, threads: usize) -> usize {
        parts(self.estimate.nanos, threads).clamp(1, self.units())
    }

    /// Returns an estimate of the nanoseconds on one thread.
    pub fn nanos(&self) -> u64 {
        self.estimate.nanos
    }

    /// Counts the units.
    pub(crate) fn units(&self) -> usize {
        self.outer.iter().map(|outer| outer.count).product()
    }

    /// Counts the units that one call computes at most.
    pub(crate) fn turns(&self) -> usize {
        self.body.turns(&self.outer)
    }

    /// Returns the steps that are called one by one; none where one loop is called for all of them.
    pub(crate) fn steps(&self) -> &[BoundStep] {
        match &self.body {
            Body::Loop(own) => std::slice::from_ref(&own.step),
            Body::Tiles(own) => &own.steps,
            Body::Chain(_) | Body::Strided(_) => &[],
        }
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
