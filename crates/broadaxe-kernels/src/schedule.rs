//! Schedules: everything that is decided before the first element, and is the same for every call with operands that lie alike.
//!
//! A nest is cut into units (see `nest.rs`). A program of one step whose operands can be used in place is one call per unit. Any other
//! runs over *tiles*, small pieces of a unit: results of steps stay in the first-level cache between one step and the next,
//! and tiles are so short that the processor fetches the operands of the next one while it computes this one. The last
//! step's result goes to its place, or through a tile where it must be scattered, may lie on an input, or is too
//! large for the caches and better written past them.

use std::sync::OnceLock;

use crate::{
    cache::Caches,
    dtype::DType,
    executor::parts,
    isa::{Isa, Level, Loop},
    loops::Guard,
    nest::{Cut, LONG, Layout, Lie, Nest, cut, lie, reach},
    program::{Program, Slot, Step},
};

/// Where a bound step reads an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// In the input, or in its packed copy.
    Input(usize),
    /// In this tile: bytes from the start of the scratch memory.
    Tile(usize),
    /// In a tile filled with an input's constants: its number among the splats.
    Splat(usize),
    /// Nowhere: the kernel has no such operand.
    Absent,
}

/// A step with its loop and its places chosen.
pub(crate) struct BoundStep {
    pub(crate) call: Loop,
    pub(crate) guard: Option<Guard>,
    pub(crate) args: [Source; 3],
    /// The bytes of an element of each operand; 0 where the loop reads it as a constant.
    pub(crate) sizes: [usize; 3],
    /// The tile of the result; `None` for the output's own place.
    pub(crate) out: Option<usize>,
    pub(crate) out_size: usize,
}

/// How the result gets to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// The last step writes there.
    Direct,
    /// From a tile, row by row.
    Copy(usize),
    /// From a tile as large as the unit, along every loop of it.
    Scatter(usize),
}

/// An operand over the whole nest.
pub(crate) struct Operand {
    pub(crate) strides: Vec<isize>,
    pub(crate) size: usize,
    /// The first and the last byte that the nest reaches from the operand's start, the last exclusive.
    pub(crate) reach: (isize, isize),
    /// How it lies over a row.
    pub(crate) lie: Lie,
}

/// A loop outside the units.
pub(crate) struct Outer {
    pub(crate) count: usize,
    /// The bytes that each operand moves per round, the output's last, then the elements of the nest.
    pub(crate) moves: Vec<isize>,
}

/// An input that is packed, or a constant that is repeated, and where in the scratch memory.
#[derive(Clone, Copy)]
pub(crate) struct Packed {
    pub(crate) input: usize,
    pub(crate) at: usize,
}

/// The most picoseconds that a unit computes, so that threads can share a job evenly; but not below so many elements.
const LONG_PICOS: u64 = 4_000_000;
const SHORT: u64 = 4096;

/// The bytes of a tile: the widest element times its number of elements.
const TILE: usize = 1536;

/// The bytes of an operand from which those of the next tile are fetched ahead.
const FETCHED: usize = 1 << 20;

/// A program over a nest, with everything decided: it can be run any number of times, over any memory.
pub struct Schedule {
    pub(crate) isa: Isa,
    pub(crate) program: Program,
    pub(crate) nest: Nest,
    pub(crate) dims: Vec<usize>,
    /// The inputs, then the output.
    pub(crate) operands: Vec<Operand>,
    pub(crate) total: u64,
    pub(crate) cut: Cut,
    pub(crate) outer: Vec<Outer>,
    pub(crate) steps: Vec<BoundStep>,
    pub(crate) packs: Vec<Packed>,
    pub(crate) splats: Vec<Packed>,
    pub(crate) finish: Finish,
    /// The last step writes past the caches, if its kernel can.
    pub(crate) streams: bool,
    /// The elements of a tile; `None` where each unit is one call.
    pub(crate) tile: Option<usize>,
    /// Inputs that are fetched ahead.
    pub(crate) fetched: Vec<usize>,
    pub(crate) scratch: usize,
    /// An estimate of the time one thread takes.
    pub(crate) nanos: u64,
    /// What of it is worth waking a thread for.
    pub(crate) worth: u64,
    /// The same for a result that lies on an input, element for element; decided when it is first needed.
    pub(crate) in_place: OnceLock<Box<Schedule>>,
}

/// How a program is run, as a schedule decided it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decisions {
    /// The level of instructions.
    pub level: Level,
    /// The rows of a unit, each in one loop.
    pub rows: usize,
    /// The elements of a row.
    pub row: usize,
    /// The elements of a tile; `None` where a unit is one call.
    pub tile: Option<usize>,
    /// The loops that are called for each tile, or unit.
    pub loops: usize,
    /// The inputs that are packed first.
    pub packed: Vec<usize>,
    /// The inputs that are constant along a row.
    pub constant: Vec<usize>,
    /// Whether the result is written past the caches.
    pub streams: bool,
}

/// What is known of a program and nest before they are bound.
pub(crate) struct Sizes {
    pub(crate) dims: Vec<usize>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) total: u64,
}

impl Schedule {
    /// Decides how to run a program over a nest whose sizes are sound; with `in_place`, an input may be the output.
    pub(crate) fn bind(isa: Isa, program: &Program, nest: &Nest, sizes: Sizes, in_place: bool) -> Self {
        let Sizes { dims, mut operands, total } = sizes;
        let inputs = program.inputs.len();
        let layouts = operands.iter().enumerate();
        let layouts: Vec<_> =
            layouts.map(|(i, o)| Layout { strides: &o.strides, size: o.size, is_output: i == inputs }).collect();
        let guarded = program.steps.iter().any(|step| step.kernel.guard().is_some());
        let longest = (LONG_PICOS / program.picos().max(1)).clamp(SHORT, LONG as u64) as usize;
        let cut = cut(&dims, &layouts, (program.steps.len(), longest), guarded);
        for operand in &mut operands {
            operand.lie = lie(cut.row(&dims, &operand.strides), operand.size);
        }
        let mut schedule = Self {
            isa,
            program: program.clone(),
            nest: nest.clone(),
            outer: outer_loops(&dims, &operands, &cut),
            cut,
            dims,
            operands,
            total,
            steps: Vec::new(),
            packs: Vec::new(),
            splats: Vec::new(),
            finish: Finish::Direct,
            streams: false,
            tile: None,
            fetched: Vec::new(),
            scratch: 0,
            nanos: 0,
            worth: 0,
            in_place: OnceLock::new(),
        };
        let bytes: usize = (0..=inputs).map(|i| schedule.footprint(i)).fold(0, usize::saturating_add);
        let work = program.work(total, bytes as u64);
        (schedule.nanos, schedule.worth) = (work.nanos(), work.worth());
        schedule.choose_tiles(in_place);
        schedule.bind_steps();
        schedule
    }

    /// Says how the program is run.
    pub fn decisions(&self) -> Decisions {
        let inputs = |lie| (0..self.program.inputs.len()).filter(move |&i| self.operands[i].lie == lie).collect();
        Decisions {
            level: self.isa.level(),
            rows: self.cut.rows,
            row: self.cut.chunk * self.cut.inner,
            tile: self.tile,
            loops: self.steps.len(),
            packed: inputs(Lie::Strided),
            constant: inputs(Lie::Constant),
            streams: self.streams,
        }
    }

    /// Returns the number of parts that the work is cut into for so many threads; 1 stays on the caller's.
    pub fn parts(&self, threads: usize) -> usize {
        parts(self.nanos, threads).clamp(1, self.units())
    }

    /// Returns the size of the widest element that the program touches.
    fn widest(&self) -> usize {
        let results = self.program.steps.iter().map(|step| step.kernel.output());
        results.chain(self.program.inputs.iter().copied()).map(DType::size).max().unwrap_or(8)
    }

    fn take_scratch(&mut self, bytes: usize) -> usize {
        let at = self.scratch;
        self.scratch += bytes.next_multiple_of(64);
        at
    }

    /// Counts the bytes that an operand reaches, as far as they matter to caches.
    fn footprint(&self, operand: usize) -> usize {
        let Operand { strides, size, .. } = &self.operands[operand];
        let moving = self.dims.iter().zip(strides).filter(|&(_, &stride)| stride != 0);
        moving.fold(*size, |bytes, (&dim, _)| bytes.saturating_mul(dim))
    }

    /// Decides whether units are cut into tiles, and how the result gets to its place.
    fn choose_tiles(&mut self, in_place: bool) {
        let output = self.program.inputs.len();
        let widest = self.widest();
        let caches = Caches::here();
        let scatters = self.operands[output].lie == Lie::Strided;
        let all: usize = (0..=output).map(|i| self.footprint(i)).fold(0, usize::saturating_add);
        let row_bytes = self.cut.chunk * self.cut.inner * self.operands[output].size;
        let streams = !in_place
            && !scatters
            && row_bytes >= 256
            && cfg!(target_arch = "x86_64")
            && self.footprint(output) >= caches.last / 16
            && all >= caches.last / 3;
        let tile = if scatters { self.cut.elements() } else { (TILE / widest).min(self.cut.elements()) };
        let splats = |step: &Step| {
            let constants = self.constants(step);
            step.kernel.choose(constants).constants != constants
        };
        if self.program.steps.len() > 1 || in_place || scatters || self.program.steps.iter().any(splats) {
            self.tile = Some(tile);
        }
        let is_far = |i: &usize| self.operands[*i].lie == Lie::Dense && self.footprint(*i) >= FETCHED;
        self.fetched = if self.tile.is_some() { (0..output).filter(is_far).collect() } else { Vec::new() };
        self.streams = streams;
        self.finish = match (scatters, in_place) {
            (true, _) => Finish::Scatter(self.take_scratch(tile * widest)),
            (_, true) => Finish::Copy(self.take_scratch(tile * widest)),
            _ => Finish::Direct,
        };
    }

    fn bind_steps(&mut self) {
        let (output, widest) = (self.program.inputs.len(), self.widest());
        let tile = self.tile.unwrap_or(self.cut.elements());
        for input in 0..output {
            if self.operands[input].lie == Lie::Strided {
                let at = self.take_scratch(self.cut.elements() * self.operands[input].size);
                self.packs.push(Packed { input, at });
            }
        }
        let tiles = self.take_scratch(self.program.tile_count * (tile * widest).next_multiple_of(64));
        let tile_at = |slot: usize| tiles + slot * (tile * widest).next_multiple_of(64);
        for (at, step) in self.program.steps.clone().iter().enumerate() {
            let last = at + 1 == self.program.steps.len();
            let variant = step.kernel.choose(self.constants(step));
            let constants = variant.constants;
            let streaming = variant.streaming.filter(|_| last && self.streams);
            let call = streaming.unwrap_or(variant.versions)[self.isa.index()];
            let (mut args, mut sizes) = ([Source::Absent; 3], [0; 3]);
            for (k, &arg) in step.args.iter().enumerate() {
                let constant = constants & 1 << k != 0;
                sizes[k] = if constant { 0 } else { step.kernel.inputs()[k].size() };
                args[k] = match arg {
                    Slot::Step(s) => Source::Tile(tile_at(self.program.tiles[s])),
                    Slot::Input(i) if self.operands[i].lie == Lie::Constant && !constant => {
                        self.splat(i, tile * widest)
                    }
                    Slot::Input(i) => Source::Input(i),
                };
            }
            let out = match self.finish {
                _ if !last => Some(tile_at(self.program.tiles[at])),
                Finish::Direct => None,
                Finish::Copy(at) | Finish::Scatter(at) => Some(at),
            };
            let (guard, out_size) = (step.kernel.guard().copied(), step.kernel.output().size());
            self.steps.push(BoundStep { call, guard, args, sizes, out, out_size });
        }
    }

    /// Returns a bit for each operand of a step that is constant along a row.
    fn constants(&self, step: &Step) -> u8 {
        let is_constant = |arg: &Slot| matches!(*arg, Slot::Input(i) if self.operands[i].lie == Lie::Constant);
        step.args.iter().enumerate().map(|(k, arg)| u8::from(is_constant(arg)) << k).sum()
    }

    /// Makes room for an input's constants, repeated.
    fn splat(&mut self, input: usize, bytes: usize) -> Source {
        let known = self.splats.iter().position(|splat| splat.input == input);
        Source::Splat(known.unwrap_or_else(|| {
            let at = self.take_scratch(bytes);
            self.splats.push(Packed { input, at });
            self.splats.len() - 1
        }))
    }

    /// Counts the units.
    pub(crate) fn units(&self) -> usize {
        self.outer.iter().map(|outer| outer.count).product()
    }
}

/// Measures the operands over a nest; says what an address cannot count.
pub(crate) fn measure(program: &Program, nest: &Nest) -> Result<Sizes, String> {
    // A nest of no loops is one loop of one round.
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
        operands.push(Operand { strides, size: dtype.size(), reach, lie: Lie::Strided });
    }
    Ok(Sizes { dims, operands, total })
}

/// Lists the loops outside the units, the outermost first: those that no unit touches, then the pieces of the rows' loop and of the row.
fn outer_loops(dims: &[usize], operands: &[Operand], cut: &Cut) -> Vec<Outer> {
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
