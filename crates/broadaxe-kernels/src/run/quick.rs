//! The quick path for small programs: one call of every loop, on the caller's thread, with scratch memory on its stack.
//!
//! For a few elements, finding threads, allocating memory and checking for a stop cost more than all loops together.

use std::mem::MaybeUninit;

use crate::{
    isa::{Block, FloatMode},
    measured::QUICK_SCRATCH_BYTES,
    pack::{Axis, CopyPlan},
    schedule::{Body, BoundLink, ChainBody, LoopBody, PackedInput, Schedule, Source, TileBody},
    tile::{
        Input, Output,
        chain::{ChainBlock, Link},
        strided_copy,
    },
};

/// Scratch memory on the stack, aligned as a buffer is.
#[repr(C, align(64))]
struct Scratch(MaybeUninit<[u8; QUICK_SCRATCH_BYTES]>);

impl Schedule {
    /// Computes the whole nest on the quick path, if it has one; returns whether it did, and no element was rejected.
    ///
    /// If a step rejects an element, the ordinary path computes the nest again and finds which one.
    #[inline]
    pub(super) fn run_quick(&self, inputs: &[Input], output: &Output) -> bool {
        if !self.is_quick {
            return false;
        }
        let _mode = FloatMode::standard();
        match &self.body {
            Body::Loop(own) => self.call_loop(own, inputs, output),
            Body::Tiles(own) => self.call_tiles(own, inputs, output),
            Body::Chain(own) => self.call_chain(own, inputs, output),
            Body::Strided(_) => false,
        }
    }

    /// Calls the only loop for all units; returns whether no element was rejected.
    fn call_loop(&self, own: &LoopBody, inputs: &[Input], output: &Output) -> bool {
        let mut block = Block {
            n: self.cut.chunk * self.cut.inner,
            rows: self.cut.rows,
            out: output.base.wrapping_add(output.offset),
            out_step: self.operands[inputs.len()].across(&self.cut),
            ..Block::EMPTY
        };
        for (k, arg) in own.step.args.iter().enumerate() {
            if let Source::Input(i) = *arg {
                block.places[k] = inputs[i].base.wrapping_add(inputs[i].offset);
                block.steps[k] = self.operands[i].across(&self.cut);
            }
        }
        own.take_turns(&self.outer, &mut block, self.turns());
        // SAFETY: `check` found every address that the nest reaches inside its buffer, and no input on the output. Each
        // operand is dense or constant along a row, as its loop expects (`Draft::only_loop`).
        unsafe { !own.step.call.run(&block) }
    }

    /// Calls the loop of the chain over the one unit.
    fn call_chain(&self, own: &ChainBody, inputs: &[Input], output: &Output) -> bool {
        let place = |bound: &BoundLink| {
            let mut link = bound.unplaced();
            if let Some(i) = bound.input {
                let step = self.operands[i].across(&self.cut);
                (link.place, link.step) = (inputs[i].base.wrapping_add(inputs[i].offset), step);
            }
            link
        };
        let links: Vec<Link> = own.links.iter().map(place).collect();
        let block = ChainBlock {
            links: &raw const links[..],
            rows: self.cut.rows,
            n: self.cut.chunk * self.cut.inner,
            out: output.base.wrapping_add(output.offset),
            out_step: self.operands[inputs.len()].across(&self.cut),
        };
        // SAFETY: `check` found every address that the nest reaches inside its buffer, and no input on the output; the
        // links give the access pattern of each operand along a row.
        unsafe { (own.call)(&block) };
        true
    }

    /// Calls the loop of every step for each tile of the one unit. Returns whether no element was rejected.
    // Its own function, because only it needs so much stack.
    #[inline(never)]
    fn call_tiles(&self, own: &TileBody, inputs: &[Input], output: &Output) -> bool {
        let (rows, n) = (self.cut.rows, self.cut.chunk * self.cut.inner);
        let mut memory = Scratch(MaybeUninit::uninit());
        let base = memory.0.as_mut_ptr().cast::<u8>();
        // SAFETY: a program on the quick path needs at most this much (`has_quick_path`).
        unsafe { base.write_bytes(0, self.scratch) };
        let scratch = |at: usize| base.wrapping_add(at);
        let begin = |input: usize| inputs[input].base.wrapping_add(inputs[input].offset);
        for &PackedInput { input, at, .. } in &own.splats {
            let operand = &self.operands[input];
            let axes = [Axis { count: rows, stride: operand.across(&self.cut) }, Axis { count: n, stride: 0 }];
            // SAFETY: one element per row, inside the input's buffer (`check`); there is one tile, which has room for the unit.
            unsafe { strided_copy(self.isa, &CopyPlan::pack(operand.size, &axes), begin(input), scratch(at)) };
        }
        let across = |operand: usize| self.operands[operand].across(&self.cut);
        let result = (inputs.len(), output.base.wrapping_add(output.offset));
        let (most, len) = own.tile(rows, n);
        let mut tiles = (0..rows).step_by(most).flat_map(|row| (0..n).step_by(len).map(move |at| (row, at)));
        tiles.all(|(row, at)| {
            let moved = |operand: usize| self.operands[operand].moved(across(operand), row, at);
            let extent = [most.min(rows - row), len.min(n - at)];
            own.steps.iter().all(|step| {
                let out = match step.out {
                    Some(at) => (scratch(at), None),
                    None => (result.1.wrapping_offset(moved(result.0)), Some(across(result.0))),
                };
                let find = |source| match source {
                    Source::Input(i) => (begin(i).wrapping_offset(moved(i)), Some(across(i))),
                    Source::Tile(at) => (scratch(at).cast_const(), None),
                    Source::Splat(number) => (scratch(own.splats[number].at).cast_const(), None),
                    Source::Absent => (std::ptr::null(), None),
                };
                let laid = step.laid(extent, find, out);
                // SAFETY: as for a unit of a job (`TileState::lay`): `check` found every address that the nest reaches
                // inside its buffer, and no input on the output; tiles hold the piece.
                unsafe { !laid.call.run(&laid.block) }
            })
        })
    }
}

#[cfg(test)]
mod tests;
