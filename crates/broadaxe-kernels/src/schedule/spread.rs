//! Copies operands over the innermost loops once, before all units.
//!
//! If short loops repeat operands in turn, no long row has each of them dense or constant. But a repeated operand is
//! small compared with the result, and its copy over the innermost loops still is. The copy is dense there, so units
//! have long rows and need not pack any operand.
//!
//! A row that every round of a long loop repeats is copied over some rounds of it only: the loop is split. Then fewer
//! rows begin and end within cache lines, which pays if the result is streamed.

use super::{
    Manner, Operand, Schedule, is_large,
    units::{Method, choose_units, direct},
};
use crate::{
    cache::Caches,
    dtype::DType,
    machine::{CostTerm, Costs},
    measured::{CHEAP_NANOS, MAX_SPREAD_PART, MAX_SPREAD_PRICE, MIN_SPREAD_ELEMENTS, SPLIT_BYTES},
    nest::{AccessPattern, DirectAccess, Nest, direct_access_pattern},
    pack::{Axis, CopyPlan},
    program::Program,
    schedule::{Decisions, Sizes, measure},
};

/// A schedule over operands of which some were copied over the innermost loops.
pub(crate) struct Spread {
    pub(crate) plan: Schedule,
    pub(crate) copies: Vec<Copied>,
}

/// An input that is copied over the innermost loops.
pub(crate) struct Copied {
    pub(crate) input: usize,
    pub(crate) way: CopyPlan,
    pub(crate) bytes: usize,
}

/// The strides of each input that is copied over the innermost loops, and its number of elements.
type Copies = Vec<Option<(Vec<isize>, usize)>>;

/// A way to copy operands over the innermost loops of a nest.
struct SpreadChoice {
    nest: Nest,
    copies: Copies,
    /// The cost of an element without its arithmetic.
    price: f64,
}

impl Schedule {
    /// Copies operands over the innermost loops first if that makes an element much cheaper.
    pub(crate) fn or_spread(mut self) -> Self {
        if self.total >= MIN_SPREAD_ELEMENTS && self.estimate.price >= CHEAP_NANOS && !self.nest.dims.is_empty() {
            let whole = (0..self.dims.len()).map(|axis| (axis, self.nest.clone()));
            let nests = whole.chain(self.split_nests());
            let chooses = |(axis, nest): (usize, Nest)| {
                let plain = self.choice(axis, nest.clone(), false);
                [plain, self.choice(axis, nest, true)]
            };
            let choices = nests.flat_map(chooses).flatten();
            let least = choices.min_by(|one, other| one.price.total_cmp(&other.price));
            self.spread = least
                .filter(|least| least.price < MAX_SPREAD_PRICE * self.estimate.price)
                .and_then(|least| self.over(least));
        }
        self
    }

    /// Lists nests in which a loop is split so that its inner part has rows of at most `SPLIT_BYTES` bytes, and that part, if
    /// the result is streamed.
    fn split_nests(&self) -> impl Iterator<Item = (usize, Nest)> {
        let is_past = is_large(&self.dims, &self.operands, Manner::Alone);
        let axes = if is_past { 0..self.dims.len() - 1 } else { 0..0 };
        axes.filter_map(|axis| {
            let row: usize = self.dims[axis + 1..].iter().product();
            let most = SPLIT_BYTES / self.program.output().size() / row;
            let inner =
                (2..=most).rev().find(|&inner| self.dims[axis] > inner && self.dims[axis].is_multiple_of(inner))?;
            Some((axis + 1, split(&self.nest, axis, inner)))
        })
    }

    /// Describes the copies of inputs over the loops of a nest from `axis` on, all of them or only those that a chain
    /// cannot read directly, and prices them. Returns `None` if there are none, or if they are too large.
    fn choice(&self, axis: usize, nest: Nest, is_chain: bool) -> Option<SpreadChoice> {
        if is_chain && self.program.chain.is_none() {
            return None;
        }
        let Sizes { dims, mut operands, total } = measure(&self.program, &nest).ok()?;
        let copies = copies_over(&self.program, axis, &dims, &operands, is_chain)?;
        let mut made = 0;
        for (own, (strides, elements)) in
            operands.iter_mut().zip(&copies).filter_map(|(own, copy)| Some((own, copy.as_ref()?)))
        {
            own.strides.clone_from(strides);
            made += elements;
        }
        let units = choose_units(self.isa, &self.program, &dims, &operands, Manner::Alone);
        let price = units.price + made as f64 * Costs::here()[CostTerm::Spread] / total as f64;
        let fits = made as u64 <= total / MAX_SPREAD_PART && (units.method == Method::Chain || !is_chain);
        fits.then_some(SpreadChoice { nest, copies, price })
    }

    /// Makes the schedule over copies.
    fn over(&self, SpreadChoice { mut nest, copies, .. }: SpreadChoice) -> Option<Box<Spread>> {
        let mut made = Vec::new();
        for (input, (strides, elements)) in
            copies.into_iter().enumerate().filter_map(|(input, copy)| Some((input, copy?)))
        {
            let size = self.operands[input].size;
            let axis = |(&count, (&from, &to)): (&usize, (&isize, &isize))| Axis {
                count: if to == 0 { 1 } else { count },
                stride: from,
            };
            let axes: Vec<_> = nest.dims.iter().zip(nest.inputs[input].iter().zip(&strides)).map(axis).collect();
            made.push(Copied { input, way: CopyPlan::pack(size, &axes), bytes: elements * size });
            nest.inputs[input] = strides;
        }
        let sizes = measure(&self.program, &nest).ok()?;
        Some(Box::new(Spread { plan: Self::bind(self.isa, &self.program, &nest, sizes, Manner::Alone), copies: made }))
    }
}

/// Splits a loop of a nest, so that its inner part has `inner` rounds.
fn split(nest: &Nest, axis: usize, inner: usize) -> Nest {
    let mut dims = nest.dims.clone();
    dims[axis] /= inner;
    dims.insert(axis + 1, inner);
    let strides = |own: &Vec<isize>| {
        let mut strides = own.clone();
        strides[axis] *= inner as isize;
        strides.insert(axis + 1, own[axis]);
        strides
    };
    Nest { dims, output: strides(&nest.output), inputs: nest.inputs.iter().map(strides).collect() }
}

/// Describes the copies of inputs over the loops from `axis` on: all that are neither dense nor constant there. Returns
/// `None` if there are none, or if they do not stay in the second-level cache.
fn copies_over(program: &Program, axis: usize, dims: &[usize], operands: &[Operand], is_chain: bool) -> Option<Copies> {
    let copied = |(own, &dtype): (&Operand, &DType)| {
        let row = dims[axis..].iter().copied().zip(own.strides[axis..].iter().copied());
        let direct = if is_chain { direct(dtype) } else { DirectAccess::No };
        (direct_access_pattern(row, own.size, direct) == AccessPattern::Irregular).then(|| {
            let (mut strides, mut elements) = (vec![0; dims.len()], 1_usize);
            for at in (0..dims.len()).rev().filter(|&at| at >= axis || own.strides[at] != 0) {
                strides[at] = elements.saturating_mul(own.size) as isize;
                elements = elements.saturating_mul(dims[at]);
            }
            (strides, elements)
        })
    };
    let inputs = &operands[..program.inputs().len()];
    let copies: Copies = inputs.iter().zip(program.inputs()).map(copied).collect();
    let bytes =
        |(own, copy): (&Operand, &Option<(_, usize)>)| copy.as_ref().map(|copy| copy.1.saturating_mul(own.size));
    let bytes = inputs.iter().zip(&copies).filter_map(bytes).reduce(usize::saturating_add)?;
    (bytes <= Caches::here().second).then_some(copies)
}

impl Spread {
    /// Returns the decisions.
    pub(super) fn decisions(&self) -> Decisions {
        let mut decisions = self.plan.decisions();
        decisions.packed.extend(self.copies.iter().map(|copied| copied.input));
        decisions.packed.sort_unstable();
        decisions
    }
}

#[cfg(test)]
mod tests;
