//! Schedules: everything that is decided before the first tile.
//!
//! A tile takes whole inner loops and a piece of the next one. An operand that is dense or constant over the tile is used in place;
//! any other is packed into scratch, which stays in the first-level cache. How much a tile takes is chosen so that as little as
//! possible is packed, unless the rows would be too short to be worth a call each.

use crate::{
    dtype::DType,
    isa::{Isa, Loop},
    loops::{Guard, Loops},
    nest::{Cut, LONG, Lie, Nest, SCRATCH, SHORT, cut, lie},
    program::{Program, Slot, Step},
};

/// Where a bound step reads an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// At the input's own place in this tile.
    Place(usize),
    /// In this scratch tile.
    Scratch(usize),
    /// Nowhere: the kernel has no such operand.
    Absent,
}

/// A step with its loop and its places chosen.
pub(crate) struct BoundStep {
    pub(crate) call: Loop,
    pub(crate) guard: Option<Guard>,
    pub(crate) args: [Source; 3],
    /// 0 where the operand is constant, else 1.
    pub(crate) steps: [usize; 3],
    /// The scratch tile of the result; `None` for the output's own place.
    pub(crate) out: Option<usize>,
}

/// Chooses a step's loop, and the operand it keeps constant; of two constants the first is repeated into a tile.
fn choose_loop(loops: Loops, step: &Step, lies: &[Lie]) -> (Loop, Option<usize>) {
    let constant = |arg: usize| matches!(step.args.get(arg), Some(&Slot::Input(i)) if lies[i] == Lie::Constant);
    match (loops.left, loops.right) {
        (Some(left), _) if constant(0) && !constant(1) => (left, Some(0)),
        (_, Some(right)) if constant(1) => (right, Some(1)),
        _ => (loops.dense, None),
    }
}

/// Says how an operand lies over a tile.
fn lie_over(dims: &[usize], cut: Cut, strides: &[isize], size: usize) -> Lie {
    let mut tile = dims[cut.axis..].to_vec();
    tile[0] = cut.chunk;
    lie(&tile, &strides[cut.axis..], size)
}

/// Returns the size of the widest element that a program touches.
fn widest(program: &Program) -> usize {
    let results = program.steps.iter().map(|step| step.kernel.output());
    results.chain(program.inputs.iter().copied()).map(DType::size).max().unwrap_or(8)
}

/// Chooses a long tile where nothing goes through scratch, else one whose scratch stays in the first-level cache.
fn choose_cut(program: &Program, dims: &[usize], strides: &[Vec<isize>], out_strides: &[isize], in_place: bool) -> Cut {
    let sizes = program.inputs.iter().chain([&program.output()]).map(|dtype| dtype.size()).collect::<Vec<_>>();
    let strided = |axis, chunk, free: &dyn Fn(&[isize]) -> bool| {
        let cut = Cut { axis, chunk, inner: 0 };
        let operands = strides.iter().map(Vec::as_slice).chain([out_strides]).zip(&sizes);
        operands.filter(|&(s, &size)| lie_over(dims, cut, s, size) == Lie::Strided && !free(s)).count()
    };
    // What repeats along the axis of the pieces is packed once for many tiles.
    let packed = |axis: usize, chunk| strided(axis, chunk, &|strides| strides[axis] == 0);
    let tile = cut(dims, LONG, &packed);
    if program.tile_count == 0 && !in_place && strided(tile.axis, tile.chunk, &|_| false) == 0 {
        return tile;
    }
    let slots = program.tile_count + sizes.len();
    cut(dims, (SCRATCH / slots / widest(program)).max(2 * SHORT), &packed)
}

/// Everything that is decided before the first tile.
pub(crate) struct Schedule {
    pub(crate) dims: Vec<usize>,
    pub(crate) strides: Vec<Vec<isize>>,
    pub(crate) out_strides: Vec<isize>,
    pub(crate) sizes: Vec<usize>,
    pub(crate) out_size: usize,
    pub(crate) cut: Cut,
    pub(crate) steps: Vec<BoundStep>,
    /// Inputs gathered per tile, with their scratch tiles.
    pub(crate) packs: Vec<(usize, usize)>,
    /// Constants repeated into a scratch tile, for loops that take no constant.
    pub(crate) splats: Vec<(usize, usize)>,
    /// The scratch tile the result is scattered from.
    pub(crate) scatter: Option<usize>,
    pub(crate) scratch_count: usize,
    /// The bytes of one scratch tile.
    pub(crate) scratch_size: usize,
}

impl Schedule {
    pub(crate) fn new(isa: Isa, program: &Program, nest: &Nest, strides: &[Vec<isize>], in_place: bool) -> Self {
        // A nest of no loops is one loop of one round.
        let pad = |strides: &[isize]| if nest.dims.is_empty() { vec![0] } else { strides.to_vec() };
        let dims = if nest.dims.is_empty() { vec![1] } else { nest.dims.clone() };
        let strides: Vec<_> = strides.iter().map(|s| pad(s.as_slice())).collect();
        let out_strides = pad(&nest.output);
        let sizes: Vec<_> = program.inputs.iter().map(|dtype| dtype.size()).collect();
        let out_size = program.output().size();
        let cut = choose_cut(program, &dims, &strides, &out_strides, in_place);
        let over = |strides: &[isize], size| lie_over(&dims, cut, strides, size);
        let lies: Vec<_> = strides.iter().zip(&sizes).map(|(s, &size)| over(s, size)).collect();
        let direct = !in_place && over(&out_strides, out_size) != Lie::Strided;
        let mut schedule = Self {
            cut,
            steps: Vec::new(),
            packs: Vec::new(),
            splats: Vec::new(),
            scatter: None,
            scratch_count: program.tile_count,
            scratch_size: (cut.chunk * cut.inner * widest(program)).next_multiple_of(64),
            dims,
            strides,
            out_strides,
            sizes,
            out_size,
        };
        schedule.bind(isa, program, &lies, direct);
        schedule
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
            let (call, kept) = choose_loop(*step.kernel.loops(isa), step, lies);
            let mut args = [Source::Absent; 3];
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

    /// Returns the strides of every input and then of the output.
    pub(crate) fn operand_strides(&self) -> impl Iterator<Item = &Vec<isize>> {
        self.strides.iter().chain([&self.out_strides])
    }

    /// Counts the tiles.
    pub(crate) fn tiles(&self) -> usize {
        self.dims[..self.cut.axis].iter().product::<usize>() * self.dims[self.cut.axis].div_ceil(self.cut.chunk)
    }
}
