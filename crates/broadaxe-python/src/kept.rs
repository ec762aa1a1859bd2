//! Decisions that are kept: how an operator runs over operands that lie alike.
//!
//! A decision is found again by the operator, the rule, and a list of numbers that says how every operand lies. Each thread keeps
//! its own, a few dozen.

use std::cell::RefCell;

use broadaxe::{
    Op, Rule,
    call::{Call, Lie},
};

use pyo3::PyErr;

use crate::{error::raised, order};

/// The decisions that a thread keeps.
const KEPT: usize = 128;

/// A decision, and what it was made for.
struct Kept {
    op: &'static Op,
    /// `None` for NumPy's.
    rule: Option<Rule>,
    key: Box<[usize]>,
    call: Call,
    /// Whether the result is row-major, as NumPy allocates.
    is_row_major: bool,
}

/// A word that stands for a dtype and a rank.
fn head(lie: &Lie<'_>) -> usize {
    lie.shape.len() << 8 | lie.dtype as usize
}

/// Chooses the place of a decision.
#[inline]
fn place(op: &'static Op, operands: &[Lie<'_>], out: Option<&Lie<'_>>) -> usize {
    let mix = |hash: u64, word: usize| (hash ^ word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    let mut hash = std::ptr::from_ref(op).addr() as u64;
    for lie in operands.iter().chain(out) {
        hash = mix(hash, head(lie));
        for (&dim, &stride) in lie.shape.iter().zip(lie.strides) {
            hash = mix(hash, dim.rotate_left(32) ^ stride.cast_unsigned());
        }
    }
    (hash >> 32) as usize % KEPT
}

/// Lists the words that say how operands and a result that is there lie.
fn words(operands: &[Lie<'_>], out: Option<&Lie<'_>>) -> Box<[usize]> {
    let all = operands.iter().chain(out).flat_map(|lie| {
        let strides = lie.strides.iter().map(|stride| stride.cast_unsigned());
        [head(lie)].into_iter().chain(lie.shape.iter().copied()).chain(strides)
    });
    all.collect()
}

impl Kept {
    /// Says whether the decision was made for operands that lie so.
    #[inline]
    fn is_for(&self, op: &'static Op, rule: Option<&Rule>, operands: &[Lie<'_>], out: Option<&Lie<'_>>) -> bool {
        let mut key = &self.key[..];
        for lie in operands.iter().chain(out) {
            let rank = lie.shape.len();
            let Some((own, rest)) = key.split_at_checked(1 + 2 * rank) else { return false };
            let alike = own[0] == head(lie)
                && own[1..=rank] == *lie.shape
                && own[1 + rank..].iter().zip(lie.strides).all(|(&word, stride)| word == stride.cast_unsigned());
            if !alike {
                return false;
            }
            key = rest;
        }
        key.is_empty() && std::ptr::eq(self.op, op) && self.rule.as_ref() == rule
    }
}

thread_local! {
    static CALLS: RefCell<[Option<Box<Kept>>; KEPT]> = const { RefCell::new([const { None }; KEPT]) };
}

/// Calls `use_it` with the decision for these operands, and whether the result is row-major; decides now if need be.
///
/// # Errors
/// As for [`Call::new`].
#[inline]
pub(crate) fn with<R>(
    op: &'static Op,
    rule: Option<&Rule>,
    operands: &[Lie<'_>],
    out: Option<&Lie<'_>>,
    use_it: impl FnOnce(&Call, bool) -> Result<R, Box<PyErr>>,
) -> Result<R, Box<PyErr>> {
    CALLS.with(|calls| {
        // Code of Python that runs while an array is made may call again, and does without.
        let Ok(mut calls) = calls.try_borrow_mut() else {
            let made = decide(op, rule, operands, out)?;
            return use_it(&made.call, made.is_row_major);
        };
        let kept = match &mut calls[place(op, operands, out)] {
            Some(kept) if kept.is_for(op, rule, operands, out) => kept,
            place => place.insert(Box::new(decide(op, rule, operands, out)?)),
        };
        use_it(&kept.call, kept.is_row_major)
    })
}

#[cold]
fn decide(
    op: &'static Op,
    rule: Option<&Rule>,
    operands: &[Lie<'_>],
    out: Option<&Lie<'_>>,
) -> Result<Kept, Box<PyErr>> {
    let numpy = Rule::numpy();
    let call = Call::new(op, rule.unwrap_or(&numpy), operands, |dtype, shape, inputs| match out {
        // The strides of an output of another shape or dtype are not those of the result, which is cast into it elsewhere.
        Some(out) if out.shape == shape && out.dtype == dtype => out.strides.to_vec(),
        _ => order::alike(dtype.size(), shape, inputs),
    })
    .map_err(|error| Box::new(raised(&error)))?;
    let rows: Vec<usize> = (0..call.shape().len()).collect();
    let is_row_major = call.strides() == order::in_order(call.dtype().size(), call.shape(), &rows);
    Ok(Kept { op, rule: rule.cloned(), key: words(operands, out), call, is_row_major })
}
