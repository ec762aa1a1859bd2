//! Chains: programs that one loop computes without a tile between their steps.
//!
//! A program is a chain when each of its steps is a sum, difference, product, quotient or square root of f32, and has one result of
//! another step or at most, once in a while, two of them; inputs may be cast to f32 first. Written down as links, it needs one number at
//! hand and one that is kept. `tile/chain.rs` has the loop.

use crate::{
    dtype::DType,
    family::cast,
    isa::Join,
    step::{Slot, Step},
    table::find,
    tile::chain::{Act, LINKS},
};

/// A link of a chain: what is done, and the input that is its operand; none stands for the number that was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) act: Act,
    pub(crate) input: Option<usize>,
}

/// The operators that links can be.
const JOINS: [(&str, Join, Join); 5] = [
    ("add", Join::Sum, Join::Sum),
    ("sub", Join::Difference, Join::Reversed),
    ("mul", Join::Product, Join::Product),
    ("div", Join::Quotient, Join::Inverted),
    ("sqrt", Join::Root, Join::Root),
];

/// Says whether elements of a dtype can be cast to f32 on the way.
fn widens(dtype: DType) -> bool {
    use DType::{BF16, F16, I8, I16, I32, U8, U16};
    matches!(dtype, F16 | BF16 | I8 | U8 | I16 | U16 | I32)
}

/// Writes a program down as links, if it is a chain.
pub(crate) fn chain(inputs: &[DType], steps: &[Step]) -> Option<Vec<Part>> {
    // Every step but the last has a link at least, and casts have an operand.
    if steps.len() > 2 * LINKS || steps.last()?.kernel.output() != DType::F32 {
        return None;
    }
    let mut uses = vec![0; steps.len()];
    for arg in steps.iter().flat_map(|step| &step.args) {
        if let Slot::Step(s) = *arg {
            uses[s] += 1;
        }
    }
    let (all, last) = uses.split_at(steps.len() - 1);
    if all.iter().any(|&n| n != 1) || last != [0] {
        return None;
    }
    let parts = Writer { inputs, steps }.written(Slot::Step(steps.len() - 1), true)?;
    (parts.len() <= LINKS).then_some(parts)
}

/// What links are written from.
struct Writer<'a> {
    inputs: &'a [DType],
    steps: &'a [Step],
}

impl Writer<'_> {
    /// Returns the input that is read for an operand, as it is or cast.
    fn input(&self, slot: Slot) -> Option<usize> {
        match slot {
            Slot::Input(i) => (self.inputs[i] == DType::F32).then_some(i),
            Slot::Step(s) => match *self.steps[s].args {
                [Slot::Input(i)] if widens(self.inputs[i]) => {
                    std::ptr::eq(self.steps[s].kernel, cast(self.inputs[i], DType::F32)).then_some(i)
                }
                _ => None,
            },
        }
    }

    /// Writes the links of an operand; only where it `may` do they keep a number.
    fn written(&self, slot: Slot, may: bool) -> Option<Vec<Part>> {
        if let Some(input) = self.input(slot) {
            return Some(vec![Part { act: Act::Begin, input: Some(input) }]);
        }
        let Slot::Step(s) = slot else { return None };
        let step = &self.steps[s];
        let own = |name: &str| find(name).and_then(|op| op.kernel(DType::F32));
        let is = |name: &str| own(name).is_some_and(|own| std::ptr::eq(own, step.kernel));
        let &(_, join, swapped) = JOINS.iter().find(|(name, ..)| is(name))?;
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
            _ => return None,
        };
        parts.push(Part { act: Act::Join(join), input });
        Some(parts)
    }
}

/// Writes links that are followed by others with their result kept.
fn kept(mut first: Vec<Part>, mut second: Vec<Part>) -> Vec<Part> {
    second[0].act = Act::Keep;
    first.append(&mut second);
    first
}

#[cfg(test)]
mod tests;
