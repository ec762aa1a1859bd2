//! Operands that are brought over the innermost loops once, before all units.
//!
//! Where short loops repeat operands in turn, no row is long in which each of them is dense or one element. But what is repeated is small
//! beside the result, and still is when it is brought over the innermost loops. There it is dense then, and units have long rows, of which
//! no operand has to be packed.

use super::{Manner, Operand, Schedule, units::choose_units};
use crate::{
    cache::Caches,
    nest::{Lie, lie},
    pack::{Axis, Way},
    schedule::{Decisions, measure},
};

/// A schedule over operands of which some were brought over the innermost loops.
pub(crate) struct Spread {
    pub(crate) plan: Schedule,
    pub(crate) copies: Vec<Copied>,
}

/// An input that is brought over the innermost loops.
pub(crate) struct Copied {
    pub(crate) input: usize,
    pub(crate) way: Way,
    pub(crate) bytes: usize,
}

/// The elements of a result below which it is not worth it.
const FEW: u64 = 1 << 14;

/// The nanoseconds per element, beside its arithmetic, below which nothing is to be gained.
const CHEAP: f64 = 0.02;

/// The nanoseconds that it takes to bring an element over the innermost loops.
const BROUGHT: f64 = 0.7;

/// The share of the price without copies that the price with them may have.
const GAIN: f64 = 0.8;

/// The part of the result's elements that may be brought over the innermost loops.
const PART: u64 = 8;

/// The strides of each input that is brought over the innermost loops, and its elements then.
type Copies = Vec<Option<(Vec<isize>, usize)>>;

impl Schedule {
    /// Lets operands be brought over the innermost loops first, where an element costs much less then.
    pub(crate) fn or_spread(mut self) -> Self {
        if self.total >= FEW && self.price >= CHEAP {
            let choices = (0..self.dims.len()).filter_map(|axis| {
                let copies = self.copies_over(axis)?;
                Some((self.price_with(&copies), copies))
            });
            let least = choices.min_by(|(one, _), (other, _)| one.total_cmp(other));
            self.spread =
                least.filter(|(price, _)| *price < GAIN * self.price).and_then(|(_, copies)| self.over(copies));
        }
        self
    }

    /// Describes the copies of inputs that are brought over the loops from `axis` on: all that are neither dense nor one element there.
    /// Returns nothing where there are none, or where they are too large.
    fn copies_over(&self, axis: usize) -> Option<Copies> {
        let copied = |own: &Operand| {
            let row = self.dims[axis..].iter().copied().zip(own.strides[axis..].iter().copied());
            (lie(row, own.size) == Lie::Strided).then(|| {
                let (mut strides, mut elements) = (vec![0; self.dims.len()], 1_usize);
                for at in (0..self.dims.len()).rev().filter(|&at| at >= axis || own.strides[at] != 0) {
                    strides[at] = elements.saturating_mul(own.size) as isize;
                    elements = elements.saturating_mul(self.dims[at]);
                }
                (strides, elements)
            })
        };
        let inputs = &self.operands[..self.program.inputs.len()];
        let copies: Copies = inputs.iter().map(copied).collect();
        let sizes = || inputs.iter().zip(&copies).filter_map(|(own, copy)| Some((copy.as_ref()?.1, own.size)));
        let elements = sizes().fold(0, |sum: usize, (elements, _)| sum.saturating_add(elements));
        let bytes = sizes().fold(0, |sum: usize, (elements, size)| sum.saturating_add(elements.saturating_mul(size)));
        let fits = elements as u64 <= self.total / PART && bytes <= Caches::here().second;
        (elements > 0 && fits).then_some(copies)
    }

    /// Estimates what an element costs beside its arithmetic where these copies are made.
    fn price_with(&self, copies: &Copies) -> f64 {
        let mut operands = self.operands.clone();
        let mut made = 0;
        for (operand, (strides, elements)) in
            operands.iter_mut().zip(copies).filter_map(|(own, copy)| Some((own, copy.as_ref()?)))
        {
            operand.strides.clone_from(strides);
            made += elements;
        }
        let choice = choose_units(self.isa, &self.program, &self.dims, &operands, Manner::Alone);
        choice.price + made as f64 * BROUGHT / self.total as f64
    }

    /// Makes the schedule over these copies.
    fn over(&self, copies: Copies) -> Option<Box<Spread>> {
        let mut nest = self.nest.clone();
        let mut made = Vec::new();
        for (input, (strides, elements)) in
            copies.into_iter().enumerate().filter_map(|(input, copy)| Some((input, copy?)))
        {
            let own = &self.operands[input];
            let axis = |(&count, (&from, &to)): (&usize, (&isize, &isize))| Axis {
                count: if to == 0 { 1 } else { count },
                stride: from,
            };
            let axes: Vec<_> = self.dims.iter().zip(own.strides.iter().zip(&strides)).map(axis).collect();
            made.push(Copied { input, way: Way::pack(own.size, &axes), bytes: elements * own.size });
            nest.inputs[input] = strides;
        }
        let sizes = measure(&self.program, &nest).ok()?;
        Some(Box::new(Spread { plan: Self::bind(self.isa, &self.program, &nest, sizes, Manner::Alone), copies: made }))
    }
}

impl Spread {
    /// Says how the program is run.
    pub(super) fn decisions(&self) -> Decisions {
        let mut decisions = self.plan.decisions();
        decisions.packed.extend(self.copies.iter().map(|copied| copied.input));
        decisions.packed.sort_unstable();
        decisions
    }
}

#[cfg(test)]
mod tests;
