//! Calls of a schedule: the check of all addresses, and operands that share memory with the result.

use std::marker::PhantomData;

use once_cell::race::OnceBox;

use super::ProgramJob;
use crate::{
    cache::Caches,
    dtype::Element,
    executor::{Executor, Progress},
    isa::{Block, Isa},
    job::Failure,
    machine::Costs,
    nest::{Blocking, Nest, apart},
    pack::{Axis, CopyPlan},
    program::Program,
    schedule::{Copied, LoopBody, Manner, Operand, Outer, Schedule, Source, Spread, Store, measure},
    tile::{Buffer, Input, Output, strided_copy},
};

impl Schedule {
    /// Decides how to run a program over a nest.
    ///
    /// # Errors
    /// [`Failure::Layout`] if the nest does not fit the program or elements of its output share memory;
    /// [`Failure::Environment`].
    pub fn new(program: &Program, nest: &Nest) -> Result<Self, Failure> {
        Self::at(Isa::current().map_err(Failure::Environment)?, program, nest)
    }

    /// As [`Schedule::new`], at a given level of instructions.
    ///
    /// # Errors
    /// As for [`Schedule::new`].
    pub fn at(isa: Isa, program: &Program, nest: &Nest) -> Result<Self, Failure> {
        Self::decide(isa, program, nest, Manner::Alone)
    }

    fn decide(isa: Isa, program: &Program, nest: &Nest, manner: Manner) -> Result<Self, Failure> {
        Caches::current().map_err(Failure::Environment)?;
        Costs::current().map_err(Failure::Environment)?;
        let rank = nest.dims.len();
        let wrong = |text: String| Err(Failure::Layout(text));
        if nest.inputs.len() != program.inputs.len() {
            return wrong(format!(
                "the program has {} inputs and the nest {}",
                program.inputs.len(),
                nest.inputs.len()
            ));
        }
        if nest.output.len() != rank || nest.inputs.iter().any(|strides| strides.len() != rank) {
            return wrong(format!("every operand needs {rank} strides, one per loop"));
        }
        let sizes = measure(program, nest).map_err(Failure::Layout)?;
        if sizes.total > 0 && !apart(&nest.dims, &nest.output, program.output().size()) {
            return wrong(String::from(
                "elements of the output share memory; write to an array whose elements are apart",
            ));
        }
        let plan = Self::bind(isa, program, nest, sizes, manner);
        Ok(if manner == Manner::Alone { plan.or_spread() } else { plan })
    }

    /// Computes the program over this memory.
    ///
    /// # Errors
    /// See [`Failure`]; the output is then partly written.
    #[allow(clippy::needless_pass_by_value)] // The output is given up: it is a borrow of memory to write, of which there is one.
    pub fn run(
        &self,
        inputs: &[Input],
        output: Output,
        executor: &dyn Executor,
        progress: Option<Progress>,
    ) -> Result<(), Failure> {
        let parted = self.check(inputs, &output)?;
        if self.total == 0 {
            return Ok(());
        }
        if !parted {
            return self.run_apart(inputs, &output, executor, progress);
        }
        self.isa.prepare(self.estimate.worth);
        if let Some(spread) = &self.spread {
            return spread.run(inputs, output, executor, progress);
        }
        if progress.is_none() && self.run_quick(inputs, &output, executor) {
            return Ok(());
        }
        let together = self.store == Store::StreamedAlone && self.parts(executor.threads()) > 1;
        let plan = if together { self.instead(&self.together, Manner::Together)? } else { self };
        ProgramJob { plan, inputs, output: &output }.run(executor, progress)
    }

    /// Computes the program into a new vector, whose memory is not cleared first.
    ///
    /// # Errors
    /// As for [`Schedule::run`]; [`Failure::Layout`] if the result has another dtype, or its elements do not fill a vector.
    pub fn run_to_vec<T: Element>(
        &self,
        inputs: &[Input],
        executor: &dyn Executor,
        progress: Option<Progress>,
    ) -> Result<Vec<T>, Failure> {
        let dtype = self.program.output();
        if dtype != T::DTYPE {
            return Err(Failure::Layout(format!("the result is {dtype} and the vector {}", T::DTYPE)));
        }
        let count = usize::try_from(self.total).map_err(|_| Failure::Memory)?;
        let mut result = Vec::<T>::new();
        result.try_reserve_exact(count).map_err(|_| Failure::Memory)?;
        // SAFETY: the vector has room for these bytes, and nothing else uses them until the end of the call.
        let output = unsafe { Output::from_raw(result.as_mut_ptr().cast(), count * size_of::<T>(), 0) };
        self.run(inputs, output, executor, progress)?;
        // SAFETY: the run wrote `count` elements inside these bytes (`check`), and no two of them share a byte (`decide`), so that
        // they fill the bytes. Every pattern is a value of `T`.
        unsafe { result.set_len(count) };
        Ok(result)
    }

    /// Computes the program into memory that one of the inputs shares from its first byte on. What is passed for that
    /// input is ignored.
    ///
    /// # Errors
    /// As for [`Schedule::run`], and [`Failure::Layout`] if no such input exists.
    pub fn run_over(
        &self,
        inputs: &[Input],
        own: usize,
        buffer: &mut Buffer,
        executor: &dyn Executor,
        progress: Option<Progress>,
    ) -> Result<(), Failure> {
        let output = Output::new(buffer.bytes_mut(), 0);
        let mut inputs = inputs.to_vec();
        let Some(input) = inputs.get_mut(own) else {
            return Err(Failure::Layout(format!("no input {own}")));
        };
        *input = Input { base: output.base, len: output.len, offset: 0, borrow: PhantomData };
        self.run(&inputs, output, executor, progress)
    }

    /// Checks that every address is inside its buffer. Returns whether no input shares memory with the output.
    fn check(&self, inputs: &[Input], output: &Output) -> Result<bool, Failure> {
        if inputs.len() + 1 != self.operands.len() {
            let text = format!("the program has {} inputs and the call {}", self.operands.len() - 1, inputs.len());
            return Err(Failure::Layout(text));
        }
        if self.total == 0 {
            return Ok(true);
        }
        let out = self.operands[inputs.len()].range((output.base.addr(), output.len, output.offset));
        let Some((out_start, out_end)) = out else {
            return Err(self.outside("the output", inputs.len(), output.offset, output.len));
        };
        let mut parted = true;
        for (i, input) in inputs.iter().enumerate() {
            let Some((start, end)) = self.operands[i].range((input.base.addr(), input.len, input.offset)) else {
                return Err(self.outside(&format!("input {i}"), i, input.offset, input.len));
            };
            parted &= end <= out_start || out_end <= start;
        }
        Ok(parted)
    }

    fn outside(&self, who: &str, operand: usize, offset: usize, len: usize) -> Failure {
        let (low, high) = self.operands[operand].reach;
        let (low, high) = (offset as i128 + low as i128, offset as i128 + high as i128);
        Failure::Layout(format!("{who} reaches bytes {low} to {high} of a buffer of {len}"))
    }

    /// Copies every input that shares memory with the output, unless it is the output, element for element; then runs.
    fn run_apart(
        &self,
        inputs: &[Input],
        output: &Output,
        executor: &dyn Executor,
        progress: Option<Progress>,
    ) -> Result<(), Failure> {
        let (mut inputs, mut nest) = (inputs.to_vec(), self.nest.clone());
        let (mut in_place, mut copies) = (false, Vec::new());
        let out = &self.operands[inputs.len()];
        let out_range = out.range((output.base.addr(), output.len, output.offset)).unwrap_or_default();
        for (i, input) in inputs.iter_mut().enumerate() {
            let own = &self.operands[i];
            let range = own.range((input.base.addr(), input.len, input.offset)).unwrap_or_default();
            if range.1 <= out_range.0 || out_range.1 <= range.0 {
                continue;
            }
            let same_start = input.base.addr() + input.offset == output.base.addr() + output.offset;
            if same_start && own.size == out.size && own.strides == out.strides {
                in_place = true;
                continue;
            }
            let copy = copied(self.isa, &nest.dims, input, (&mut nest.inputs[i], own.size), progress)?;
            *input = Input { base: copy.base(), len: copy.bytes().len(), offset: 0, borrow: PhantomData };
            copies.push(copy);
        }
        let made;
        let plan = if copies.is_empty() {
            self.instead(&self.in_place, Manner::InPlace)?
        } else {
            let manner = if in_place { Manner::InPlace } else { Manner::Alone };
            made = Self::decide(self.isa, &self.program, &nest, manner)?;
            &made
        };
        let result = ProgramJob { plan, inputs: &inputs, output }.run(executor, progress);
        drop(copies);
        result
    }

    /// Returns the schedule for another manner, which is decided the first time.
    fn instead<'a>(&'a self, kept: &'a OnceBox<Self>, manner: Manner) -> Result<&'a Self, Failure> {
        if let Some(plan) = kept.get() {
            return Ok(plan);
        }
        let plan = Self::decide(self.isa, &self.program, &self.nest, manner)?;
        Ok(kept.get_or_init(|| Box::new(plan)))
    }
}

impl LoopBody {
    /// Extends a block that computes one unit to `turns` units.
    pub(super) fn take_turns(&self, outer: &[Outer], block: &mut Block, turns: usize) {
        let Some(at) = self.turning else { return };
        let moves = &outer[at].moves;
        for (k, arg) in self.step.args.iter().enumerate() {
            if let Source::Input(i) = *arg {
                block.turn_steps[k] = moves[i];
            }
        }
        // The moves of the output are followed by those of the number of the element.
        (block.turns, block.out_turn) = (turns, moves[moves.len() - 2]);
    }
}

impl Spread {
    /// Copies operands over the innermost loops, and computes the program.
    ///
    /// # Errors
    /// As for [`Schedule::run`].
    fn run(
        &self,
        inputs: &[Input],
        output: Output,
        executor: &dyn Executor,
        progress: Option<Progress>,
    ) -> Result<(), Failure> {
        let mut inputs = inputs.to_vec();
        let mut copies = Vec::with_capacity(self.copies.len());
        for &Copied { input, ref way, bytes } in &self.copies {
            let mut copy = Buffer::uninit(bytes).ok_or(Failure::Memory)?;
            let from = inputs[input].base.wrapping_add(inputs[input].offset);
            // SAFETY: `check` found every address of the input inside its buffer, and the plan walks its axes; the copy
            // has room for all elements (`Schedule::over`).
            unsafe { strided_copy(self.plan.isa, way, from, copy.bytes_mut().as_mut_ptr()) };
            inputs[input] = Input { base: copy.base(), len: bytes, offset: 0, borrow: PhantomData };
            copies.push(copy);
        }
        self.plan.run(&inputs, output, executor, progress)
    }
}

impl Operand {
    /// Returns the addresses of the first byte reached and behind the last, if they are inside a buffer of this base,
    /// length and offset.
    fn range(&self, (base, len, offset): (usize, usize, usize)) -> Option<(usize, usize)> {
        let low = offset.checked_add_signed(self.reach.0)?;
        let high = offset.checked_add_signed(self.reach.1).filter(|&high| high <= len)?;
        Some((base + low, base + high))
    }

    /// Returns the bytes between rows of a unit.
    pub(crate) fn across(&self, cut: &Blocking) -> isize {
        if cut.across == cut.axis { 0 } else { self.strides[cut.across] }
    }
}

/// The bytes of an input that are copied between two calls of the progress function.
const COPIED: usize = 8 << 20;

/// Copies the elements that a nest reaches in an input, and changes the strides to those of the copy.
///
/// Only axes along which the input moves are copied; it is still repeated along the others.
fn copied(
    isa: Isa,
    dims: &[usize],
    input: &Input,
    (strides, size): (&mut [isize], usize),
    progress: Option<Progress>,
) -> Result<Buffer, Failure> {
    let count = |(&dim, &stride): (&usize, &isize)| Axis { count: if stride == 0 { 1 } else { dim }, stride };
    let axes: Vec<Axis> = dims.iter().zip(&*strides).map(count).collect();
    let bytes = axes.iter().try_fold(size, |n, axis| n.checked_mul(axis.count)).ok_or(Failure::Memory)?;
    let mut copy = Buffer::zeroed(bytes).ok_or(Failure::Memory)?;
    let (whole, to) = ((bytes / size) as u64, copy.bytes_mut().as_mut_ptr());
    for CopyPart { axes, from, at } in pieces(&axes, COPIED / size) {
        if progress.is_some_and(|progress| !progress(0, whole)) {
            return Err(Failure::Interrupted);
        }
        let from = input.base.wrapping_add(input.offset).wrapping_offset(from);
        // SAFETY: `check` found every address of the input inside its buffer, and pieces are parts of it; the copy has
        // a place for each element, in row-major order, where those of a piece begin.
        unsafe { strided_copy(isa, &CopyPlan::pack(size, &axes), from, to.add(at * size)) };
    }
    let mut step = size as isize;
    for (axis, stride) in axes.iter().zip(strides).rev() {
        *stride = if *stride == 0 { 0 } else { step };
        step *= axis.count as isize;
    }
    Ok(copy)
}

/// A part of an operand: its axes, the bytes to its first element, and the number of elements before it.
struct CopyPart {
    axes: Vec<Axis>,
    from: isize,
    at: usize,
}

/// Divides an operand into pieces of at most `most` elements, in order: whole inner axes, and some rounds of the one
/// around them.
fn pieces(axes: &[Axis], most: usize) -> impl Iterator<Item = CopyPart> {
    let (mut cut, mut inner) = (axes.len(), 1);
    while cut > 0 && inner * axes[cut - 1].count <= most {
        cut -= 1;
        inner *= axes[cut].count;
    }
    // Axis `cut - 1` is divided into runs of `rounds` rounds; those before it are walked one by one.
    let rounds = (most / inner).max(1);
    let runs = cut.checked_sub(1).map_or(1, |axis| axes[axis].count.div_ceil(rounds));
    let outer = &axes[..cut.saturating_sub(1)];
    let count = outer.iter().map(|axis| axis.count).product::<usize>() * runs;
    (0..count).map(move |number| {
        let (mut rest, run) = (number / runs, number % runs);
        let mut piece = CopyPart { axes: axes[cut.saturating_sub(1)..].to_vec(), from: 0, at: 0 };
        let mut before = inner;
        if let Some(axis) = piece.axes.first_mut().filter(|_| cut > 0) {
            let first = run * rounds;
            (piece.from, piece.at) = (first as isize * axis.stride, first * inner);
            before *= axis.count;
            axis.count = rounds.min(axis.count - first);
        }
        for axis in outer.iter().rev() {
            let round = rest % axis.count;
            rest /= axis.count;
            piece.from += round as isize * axis.stride;
            piece.at += round * before;
            before *= axis.count;
        }
        piece
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element is in one piece, in order, and no piece is too large.
    #[test]
    fn pieces_cover_everything_once() {
        let of = |counts: &[usize]| -> Vec<Axis> {
            counts.iter().zip([700, -90, 8, 1]).map(|(&count, stride)| Axis { count, stride }).collect()
        };
        let all = |axes: &[Axis]| {
            axes.iter().fold(vec![0_isize], |from, axis| {
                let along = |&at: &isize| (0..axis.count as isize).map(move |round| at + round * axis.stride);
                from.iter().flat_map(along).collect()
            })
        };
        for counts in [&[][..], &[1], &[7], &[3, 5], &[1, 1, 6], &[4, 1, 3, 5], &[2, 3, 4, 5]] {
            for most in [1, 2, 3, 7, 20, 59, 60, 1000] {
                let axes = of(counts);
                let mut found = Vec::new();
                for piece in pieces(&axes, most) {
                    assert_eq!(piece.at, found.len(), "{counts:?} by {most}");
                    let elements = all(&piece.axes);
                    assert!(elements.len() <= most, "{counts:?} by {most}");
                    found.extend(elements.iter().map(|from| from + piece.from));
                }
                assert_eq!(found, all(&axes), "{counts:?} by {most}");
            }
        }
    }
}
