//! Recognises chains: programs that one loop computes without tiles between their steps.
//!
//! A program is a chain if all its steps are operators of the table below, all on f32, all on f16 or all on bf16, and
//! if each step uses the result of one other step, or occasionally of two. Inputs may be cast first, and an f32 result
//! may be cast to f16 or bf16. A chain is a list of links; it needs one current number and one saved number.
//! `tile/chain_loop.rs` has the loop.
//!
//! Two steps on f16 or bf16 are as fast with their own loops in `tile/memory_bound.rs`, or faster, so `schedule/units.rs` uses
//! a chain for them only where it was faster: for dense f16 with AVX-512. `max(a, b) - c` of 60,000 elements needed 9.6 us as a
//! chain and 12.5 with loops, with AVX2 14.9 and 13.7, and with rows of 89 12.3 and 9.6 (the runner, AMD EPYC, Zen 4).

use broadaxe_op::{OpId, constants as ops};

use crate::{
    dtype::DType,
    family::cast,
    isa::Opcode,
    step::{Slot, Step},
    table::HasKernels,
    tile::chain::{LINKS, LinkAction},
};

/// A link of a chain: its operation, and the input that is its operand. `None` is the saved number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) act: LinkAction,
    pub(crate) input: Option<usize>,
    /// Whether the result is rounded to the dtype of the program's result.
    pub(crate) rounds: bool,
}

/// The operators that links can compute, each with its operands in order and with the first two exchanged.
const JOINS: [(OpId, Opcode, Opcode); 14] = [
    (ops::ADD, Opcode::Sum, Opcode::Sum),
    (ops::SUB, Opcode::Difference, Opcode::Reversed),
    (ops::MUL, Opcode::Product, Opcode::Product),
    (ops::DIV, Opcode::Quotient, Opcode::Inverted),
    (ops::SQRT, Opcode::Root, Opcode::Root),
    (ops::MAX, Opcode::Larger, Opcode::LargerSwapped),
    (ops::MIN, Opcode::Smaller, Opcode::SmallerSwapped),
    (ops::RELU, Opcode::Relu, Opcode::Relu),
    (ops::ABS, Opcode::Magnitude, Opcode::Magnitude),
    (ops::NEG, Opcode::Negative, Opcode::Negative),
    (ops::SQUARE, Opcode::Square, Opcode::Square),
    (ops::RECIPROCAL, Opcode::Reciprocal, Opcode::Reciprocal),
    (ops::SQUARED_DIFFERENCE, Opcode::Difference, Opcode::Reversed),
    (ops::CLAMP, Opcode::LargerSwapped, Opcode::Larger),
];

/// Says whether a result has no more digits than its operands.
fn is_exact(join: Opcode) -> bool {
    use Opcode::{Larger, LargerSwapped, Magnitude, Negative, Relu, Smaller, SmallerSwapped};
    matches!(join, Larger | LargerSwapped | Smaller | SmallerSwapped | Relu | Magnitude | Negative)
}

/// Says whether elements of a dtype can be cast to f32 while they are read.
fn widens(dtype: DType) -> bool {
    use DType::{BF16, F16, I8, I16, I32, U8, U16};
    matches!(dtype, F16 | BF16 | I8 | U8 | I16 | U16 | I32)
}

/// Returns the links of a program, if it is a chain.
pub(crate) fn chain(inputs: &[DType], steps: &[Step]) -> Option<Vec<Part>> {
    let (last, output) = (steps.len().checked_sub(1)?, steps.last()?.kernel.output());
    // Every step but the last has at least one link, and casts have one operand.
    // Groups of links leave their numbers in f32.
    let most = if output == DType::F32 { LINKS * LINKS } else { 2 * LINKS };
    if steps.len() > most || !matches!(output, DType::F32 | DType::F16 | DType::BF16) {
        return None;
    }
    let mut uses = vec![0; steps.len()];
    for arg in steps.iter().flat_map(|step| &step.args) {
        if let Slot::Step(s) = *arg {
            uses[s] += 1;
        }
    }
    if uses[..last].iter().any(|&n| n != 1) || uses[last] != 0 {
        return None;
    }
    let writer = Writer { inputs, steps, output };
    // The loop rounds the result as it writes it, and replaces every NaN by the canonical one.
    let mut parts = match *steps[last].args {
        [end @ Slot::Step(_)] if output != DType::F32 && writer.is_cast(last, DType::F32, output) => {
            writer.written(end, true)?
        }
        _ if writer.is_canonical(last) => writer.written(Slot::Step(last), true)?,
        _ => return None,
    };
    parts.last_mut()?.rounds = false;
    (output == DType::F32 && groups(&parts).is_some() || parts.len() <= LINKS).then_some(parts)
}

/// Divides links into groups of at most [`LINKS`], each computed by a call of its own: all but the first begin with the number that
/// the group before it has left. Returns where groups end; `None` if no number may be left there, because another one is saved.
pub(crate) fn groups(parts: &[Part]) -> Option<Vec<usize>> {
    let mut saved = false;
    let is_end = parts.iter().map(|part| {
        saved = match part.act {
            LinkAction::Keep => true,
            LinkAction::Apply(join) => saved && (part.input.is_some() || is_unary(join)),
            LinkAction::Begin => false,
        };
        !saved
    });
    let is_end: Vec<bool> = is_end.collect();
    let count = (parts.len() - 1).div_ceil(LINKS - 1).max(1);
    let most = (parts.len() + count - 1).div_ceil(count);
    let mut ends = vec![];
    let mut from = 0;
    while from < parts.len() {
        let limit = parts.len().min(from + if from == 0 { most } else { most - 1 });
        from = (from + 1..=limit).rev().find(|&end| is_end[end - 1])?;
        ends.push(from);
    }
    Some(ends)
}

/// Says whether an operation has one operand.
fn is_unary(join: Opcode) -> bool {
    use Opcode::{Magnitude, Negative, Reciprocal, Relu, Root, Square};
    matches!(join, Root | Relu | Magnitude | Negative | Square | Reciprocal)
}

/// The program from which links are derived.
struct Writer<'a> {
    inputs: &'a [DType],
    steps: &'a [Step],
    /// The dtype of the program's result.
    output: DType,
}

impl Writer<'_> {
    /// Says whether a step casts one dtype to another.
    fn is_cast(&self, step: usize, from: DType, to: DType) -> bool {
        std::ptr::eq(self.steps[step].kernel, cast(from, to))
    }

    /// Returns the input that is read for an operand, directly or through a cast.
    fn input(&self, slot: Slot) -> Option<usize> {
        match slot {
            Slot::Input(i) => (self.inputs[i] == DType::F32 || self.inputs[i] == self.output).then_some(i),
            Slot::Step(s) => match *self.steps[s].args {
                [Slot::Input(i)] => {
                    let from = self.inputs[i];
                    // f16 and bf16 represent every integer of eight bits exactly.
                    let fits = |to| to == DType::F32 && widens(from) || matches!(from, DType::I8 | DType::U8);
                    [DType::F32, self.output].iter().any(|&to| fits(to) && self.is_cast(s, from, to)).then_some(i)
                }
                _ => None,
            },
        }
    }

    /// Returns the row of the operator that a step is.
    fn row(&self, step: usize) -> Option<(OpId, Opcode, Opcode)> {
        let kernel = self.steps[step].kernel;
        let is = |op: &OpId, dtype| op.kernel(dtype).is_some_and(|own| std::ptr::eq(own, kernel));
        JOINS.iter().find(|(op, ..)| is(op, DType::F32) || is(op, self.output)).copied()
    }

    /// Says whether every NaN in a step's result is the canonical one.
    fn is_canonical(&self, step: usize) -> bool {
        match (self.row(step), &*self.steps[step].args) {
            (None | Some((_, Opcode::Negative, _)), _) => false,
            (Some((_, Opcode::Magnitude, _)), &[Slot::Step(s)]) => self.is_canonical(s),
            (Some((_, join, _)), _) => join != Opcode::Magnitude,
        }
    }

    /// Returns the links of an operand. They use the saved number only if `may` is true.
    fn written(&self, slot: Slot, may: bool) -> Option<Vec<Part>> {
        if let Some(input) = self.input(slot) {
            return Some(vec![Part { act: LinkAction::Begin, input: Some(input), rounds: false }]);
        }
        let Slot::Step(s) = slot else { return None };
        let step = &self.steps[s];
        if self.output != DType::F32 && self.is_cast(s, self.output, DType::F32) {
            return self.written(step.args[0], may);
        }
        let (op, join, swapped) = self.row(s)?;
        let part = |join, input| {
            let rounds = self.output != DType::F32 && step.kernel.output() == self.output && !is_exact(join);
            Part { act: LinkAction::Apply(join), input, rounds }
        };
        let (mut parts, join, input) = match *step.args {
            [a] => (self.written(a, may)?, join, None),
            [a, b] => match (self.input(a), self.input(b)) {
                (_, Some(b)) => (self.written(a, may)?, join, Some(b)),
                (Some(a), _) => (self.written(b, may)?, swapped, Some(a)),
                _ if !may => return None,
                _ => match self.written(b, false) {
                    Some(second) => (kept(self.written(a, true)?, second), swapped, None),
                    None => (kept(self.written(b, true)?, self.written(a, false)?), join, None),
                },
            },
            [a, b, _] => (self.written(a, may)?, join, Some(self.input(b)?)),
            _ => return None,
        };
        parts.push(part(join, input));
        match *step.args {
            [_, _, c] => parts.push(part(Opcode::SmallerSwapped, Some(self.input(c)?))),
            [_, _] if op == ops::SQUARED_DIFFERENCE => parts.push(part(Opcode::Square, None)),
            _ => {}
        }
        Some(parts)
    }
}

/// Appends links to others whose result is saved.
fn kept(mut first: Vec<Part>, mut second: Vec<Part>) -> Vec<Part> {
    second[0].act = LinkAction::Keep;
    first.append(&mut second);
    first
}

#[cfg(test)]
mod tests;
