//! The quick path for small programs: one call of every loop, on the caller's thread, with scratch memory on its stack.
//!
//! For a few elements, finding threads, allocating memory and checking for a stop cost more than all loops together.

use std::mem::MaybeUninit;

use crate::{
    isa::{Block, FloatMode},
    pack::{Axis, CopyPlan},
    schedule::{BoundLink, PackedInput, QUICK_SCRATCH, Quick, Schedule, Source},
    tile::{Input, Output, chain::Link, strided_copy},
};

/// Scratch memory on the stack, aligned as a buffer is.
#[repr(C, align(64))]
struct Scratch(MaybeUninit<[u8; QUICK_SCRATCH]>);

impl Schedule {
    /// Computes the whole nest on the quick path, if it has one; returns whether it did, and no element was rejected.
    ///
    /// If a step rejects an element, the ordinary path computes the nest again and finds which one.
    #[inline]
    pub(super) fn run_quick(&self, inputs: &[Input], output: &Output) -> bool {
        let Some(quick) = self.quick else { return false };
        let _mode = FloatMode::standard();
        match quick {
            Quick::Loop(turns) => self.call_loop(turns, inputs, output),
            Quick::Steps => self.call_steps(inputs, output),
            Quick::Chain => self.call_chain(inputs, output),
        }
    }

    /// Calls the only loop for this number of units; returns whether no element was rejected.
    fn call_loop(&self, turns: usize, inputs: &[Input], output: &Output) -> bool {
        let step = &self.steps[0];
        let mut block = Block {
            n: self.cut.chunk * self.cut.inner,
            rows: self.cut.rows,
            out: output.base.wrapping_add(output.offset),
            out_step: self.operands[inputs.len()].across(self),
            ..Block::EMPTY
        };
        for (k, arg) in step.args.iter().enumerate() {
            if let Source::Input(i) = *arg {
                block.places[k] = inputs[i].base.wrapping_add(inputs[i].offset);
                block.steps[k] = self.operands[i].across(self);
            }
        }
        self.take_turns(&mut block, turns);
        // SAFETY: `check` found every address that the nest reaches inside its buffer, and no input on the output. Each
        // operand is dense or constant along a row, as its loop expects (`bind_steps`).
        unsafe { !step.call.run(&block) }
    }

    /// Calls the loop of the chain over the one unit. Returns whether there is such a loop.
    fn call_chain(&self, inputs: &[Input], output: &Output) -> bool {
        let Some(chain) = &self.chain else { return false };
        let place = |bound: &BoundLink| {
            let mut link = bound.unplaced();
            if let Some(i) = bound.input {
                (link.place, link.step) =
                    (inputs[i].base.wrapping_add(inputs[i].offset), self.operands[i].across(self));
            }
            link
        };
        let links: Vec<Link> = chain.links.iter().map(place).collect();
        let (rows, n) = (self.cut.rows, self.cut.chunk * self.cut.inner);
        let out = (output.base.wrapping_add(output.offset), self.operands[inputs.len()].across(self));
        // SAFETY: `check` found every address that the nest reaches inside its buffer, and no input on the output; the
        // links give the access pattern of each operand along a row.
        unsafe { chain.run(&links, [rows, n], out) };
        true
    }

    /// Calls the loop of every step over the one unit. Returns whether no element was rejected.
    fn call_steps(&self, inputs: &[Input], output: &Output) -> bool {
        let (rows, n) = (self.cut.rows, self.cut.chunk * self.cut.inner);
        let mut memory = Scratch(MaybeUninit::uninit());
        let base = memory.0.as_mut_ptr().cast::<u8>();
        // SAFETY: a program on the quick path needs at most this much (`choose_quick`).
        unsafe { base.write_bytes(0, self.scratch) };
        let scratch = |at: usize| base.wrapping_add(at);
        let begin = |input: usize| inputs[input].base.wrapping_add(inputs[input].offset);
        for &PackedInput { input, at, .. } in &self.splats {
            let operand = &self.operands[input];
            let axes = [Axis { count: rows, stride: operand.across(self) }, Axis { count: n, stride: 0 }];
            // SAFETY: one element per row, inside the input's buffer (`check`); a tile has room for the unit.
            unsafe { strided_copy(self.isa, &CopyPlan::pack(operand.size, &axes), begin(input), scratch(at)) };
        }
        let own = output.base.wrapping_add(output.offset);
        self.steps.iter().all(|step| {
            let out = match step.out {
                Some(at) => (scratch(at), None),
                None => (own, Some(self.operands[inputs.len()].across(self))),
            };
            let find = |source| match source {
                Source::Input(i) => (begin(i), Some(self.operands[i].across(self))),
                Source::Tile(at) => (scratch(at).cast_const(), None),
                Source::Splat(number) => (scratch(self.splats[number].at).cast_const(), None),
                Source::Absent => (std::ptr::null(), None),
            };
            let laid = step.laid([rows, n], find, out);
            // SAFETY: as for a unit of a job (`lay`): `check` found every address that the nest reaches inside its buffer, and no input on
            // the output; tiles hold the unit.
            unsafe { !laid.call.run(&laid.block) }
        })
    }
}

#[cfg(test)]
mod tests;
