//! The quick path for small programs: one call of every loop, on the caller's thread, with scratch memory on its stack.
//!
//! For a few elements, finding threads, allocating memory and checking for a stop cost more than all loops together.

use std::mem::MaybeUninit;

use crate::{
    executor::Executor,
    isa::{Block, FloatMode, stack::Aligned},
    measured::QUICK_SCRATCH_BYTES,
    pack::CopyPlan,
    schedule::{Body, BoundLink, ChainBody, LoopBody, PackedInput, Quick, Schedule, Source, TileBody},
    tile::{
        Input, Output,
        chain::{ChainBlock, Link},
        strided_copy,
    },
};

/// The operands of the one unit, which is the whole nest.
#[derive(Clone, Copy)]
struct Operands<'a> {
    plan: &'a Schedule,
    inputs: &'a [Input<'a>],
    output: *mut u8,
    /// The scratch memory, if the program needs any.
    scratch: *mut u8,
}

impl Operands<'_> {
    fn across(&self, operand: usize) -> isize {
        self.plan.operands[operand].across(&self.plan.cut)
    }

    /// Returns where an input begins.
    fn given(&self, input: usize) -> *const u8 {
        self.inputs[input].base.wrapping_add(self.inputs[input].offset)
    }

    fn scratch(&self, at: usize) -> *mut u8 {
        self.scratch.wrapping_add(at)
    }

    /// Returns where an input or its packed copy begins, and the bytes between its rows.
    fn input(&self, input: usize) -> (*const u8, isize) {
        let Some(pack) = self.plan.packs.iter().find(|pack| pack.input == input) else {
            return (self.given(input), self.across(input));
        };
        let cut = &self.plan.cut;
        let (_, step) = self.plan.operands[input].packed(cut, [cut.rows, cut.chunk * cut.inner]);
        (self.scratch(pack.at), step)
    }

    /// Returns where the output begins, and the bytes between its rows.
    fn result(&self) -> (*mut u8, isize) {
        (self.output, self.across(self.inputs.len()))
    }
}

impl Schedule {
    /// Computes the whole nest on the quick path, if it has one; returns whether it did, and no element was rejected.
    ///
    /// If a step rejects an element, the ordinary path computes the nest again and finds which one.
    #[inline]
    pub(super) fn run_quick(&self, inputs: &[Input], output: &Output, executor: &dyn Executor) -> bool {
        let Some(quick) = &self.quick else { return false };
        if quick.is_one_row && self.parts(executor.threads()) > 1 {
            return false;
        }
        let _mode = FloatMode::standard();
        let output = output.base.wrapping_add(output.offset);
        let operands = Operands { plan: self, inputs, output, scratch: std::ptr::null_mut() };
        match &self.body {
            _ if self.scratch > 0 => self.call_with_scratch(quick, operands),
            Body::Loop(own) => self.call_loop(own, operands),
            Body::Chain(own) => self.call_chain(own, operands),
            Body::Tiles(own) => self.call_tiles(own, operands),
            Body::Strided(_) => false,
        }
    }

    /// Counts the elements of a row, in however many pieces units compute it.
    fn row(&self) -> usize {
        self.dims[self.cut.axis] * self.cut.inner
    }

    /// Packs the inputs that loops cannot read, and calls the loops; returns whether no element was rejected.
    // Its own function, because only it needs so much stack.
    #[inline(never)]
    fn call_with_scratch(&self, quick: &Quick, operands: Operands) -> bool {
        let mut memory = MaybeUninit::<Aligned<[u8; QUICK_SCRATCH_BYTES]>>::uninit();
        let operands = Operands { scratch: memory.as_mut_ptr().cast(), ..operands };
        // Packs are written whole before they are read.
        let cleared = self.packs.first().map_or(self.scratch, |pack| pack.at);
        // SAFETY: a program on the quick path needs at most this much (`has_quick_path`).
        unsafe { operands.scratch.write_bytes(0, cleared) };
        let copy = |&PackedInput { input, at, .. }: &PackedInput, way: &CopyPlan| {
            // SAFETY: the axes reach addresses of the input that `check` found inside its buffer; the scratch memory has room for
            // the unit, and a tile for all rows of the one piece that there is with repeated constants (`has_quick_path`).
            unsafe { strided_copy(self.isa, way, operands.given(input), operands.scratch(at)) };
        };
        self.packs.iter().zip(&quick.packs).for_each(|(pack, way)| copy(pack, way));
        match &self.body {
            Body::Loop(own) => self.call_loop_of_packs(own, operands),
            Body::Chain(own) => self.call_chain(own, operands),
            Body::Tiles(own) => {
                own.splats.iter().zip(&quick.splats).for_each(|(splat, way)| copy(splat, way));
                self.call_tiles(own, operands)
            }
            Body::Strided(_) => false,
        }
    }

    /// Calls the only loop for all units, whose operands it reads in place; returns whether no element was rejected.
    #[inline]
    fn call_loop(&self, own: &LoopBody, operands: Operands) -> bool {
        let (out, out_step) = operands.result();
        let mut block = Block { n: self.row(), rows: self.cut.rows, out, out_step, ..Block::EMPTY };
        for (k, arg) in own.step.args.iter().enumerate() {
            if let Source::Input(i) = *arg {
                (block.places[k], block.steps[k]) = (operands.given(i), operands.across(i));
            }
        }
        own.take_turns(&self.outer, &mut block, self.turns());
        // SAFETY: `check` found every address that the nest reaches inside its buffer, and no input on the output. Each
        // operand is dense or constant along a row, as its loop expects (`Draft::only_loop`).
        unsafe { !own.step.call.run(&block) }
    }

    /// Calls the only loop for the one unit, of which operands are packed; returns whether no element was rejected.
    fn call_loop_of_packs(&self, own: &LoopBody, operands: Operands) -> bool {
        let (out, out_step) = operands.result();
        let find = |source| match source {
            Source::Input(i) => {
                let (place, step) = operands.input(i);
                (place, Some(step))
            }
            _ => (std::ptr::null(), None),
        };
        let laid = own.step.laid([self.cut.rows, self.cut.chunk * self.cut.inner], find, (out, Some(out_step)));
        // SAFETY: as for `call_loop`, and packs hold the unit. No unit follows another by `turning`, because something is packed.
        unsafe { !laid.call.run(&laid.block) }
    }

    /// Calls the loop of the chain over the one unit.
    fn call_chain(&self, own: &ChainBody, operands: Operands) -> bool {
        let place = |bound: &BoundLink| {
            let mut link = bound.unplaced();
            if let Some(i) = bound.input {
                (link.place, link.step) = operands.input(i);
            }
            link
        };
        let links: Vec<Link> = own.links.iter().map(place).collect();
        let (out, out_step) = operands.result();
        let block = ChainBlock { links: &raw const links[..], rows: self.cut.rows, n: self.row(), out, out_step };
        // SAFETY: `check` found every address that the nest reaches inside its buffer, and no input on the output; the
        // links give the access pattern of each operand along a row.
        unsafe { (own.calls[0].call)(&block) };
        true
    }

    /// Calls the loop of every step for each tile of the one unit. Returns whether no element was rejected.
    fn call_tiles(&self, own: &TileBody, operands: Operands) -> bool {
        let (rows, n) = (self.cut.rows, self.cut.chunk * self.cut.inner);
        let (most, len) = own.tile(rows, n);
        let mut tiles = (0..rows).step_by(most).flat_map(|row| (0..n).step_by(len).map(move |at| (row, at)));
        tiles.all(|(row, at)| {
            let moved = |operand: usize, step| self.operands[operand].moved(step, row, at);
            let extent = [most.min(rows - row), len.min(n - at)];
            own.steps.iter().all(|step| {
                let result = || {
                    let (out, step) = operands.result();
                    (out.wrapping_offset(moved(operands.inputs.len(), step)), Some(step))
                };
                let out = step.out.map_or_else(result, |at| (operands.scratch(at), None));
                let find = |source| match source {
                    Source::Input(i) => {
                        let (place, step) = operands.input(i);
                        (place.wrapping_offset(moved(i, step)), Some(step))
                    }
                    Source::Tile(at) => (operands.scratch(at).cast_const(), None),
                    Source::Splat(number) => (operands.scratch(own.splats[number].at).cast_const(), None),
                    Source::Absent => (std::ptr::null(), None),
                };
                let laid = step.laid(extent, find, out);
                // SAFETY: as for a unit of a job (`TileState::lay`): `check` found every address that the nest reaches
                // inside its buffer, and no input on the output; tiles hold the piece, and packs the unit.
                unsafe { !laid.call.run(&laid.block) }
            })
        })
    }
}

#[cfg(test)]
mod tests;
