//! The rule of ncnn's `BinaryOp`: missing axes are the fastest ones, then every operand may stretch.
//!
//! ncnn writes shapes fastest axis first: `[w]`, `[w, h]`, `[w, h, c]`, `[w, h, d, c]`. This rule uses row-major
//! shapes, which are the reverse: (w), (h, w), (c, h, w), (c, d, h, w). [`Shape::reversed`] converts one to the other,
//! and [`Reversed`] writes shapes and strides as ncnn does.
//!
//! In row-major order, with the operand of lower rank called x and the other y:
//!
//! - equal ranks: the shapes align axis by axis;
//! - x of rank 2 or 3: x aligns to the *left*, the opposite of NumPy's rule. No other alignment is tried;
//! - x of rank 1: x feeds y's slowest axis (h or c) if the sizes are equal, and otherwise the fastest, w. If both fit,
//!   it feeds the slowest: (3, 3) with (3) repeats along w. A size of 1 is not special: (2) with (1, 3) feeds w, and
//!   fails.
//!
//! Either operand may be x. The ranks are 1 to 4. A scalar is (1), or ncnn's `with_scalar`. A dim of 0 is an error:
//! ncnn has no result for an empty `Mat`.
//!
//! Deviations of ncnn 20261020: it does not report sizes that do not broadcast. Its result then has clamped or
//! uninitialised values. They are errors here.
//!
//! Source: ncnn, "binaryop-broadcasting"; `BinaryOp` itself, with and without packing.

use core::fmt;

use super::{Call, RuleDef};
#[cfg(doc)]
use crate::Shape;
use crate::{
    align::{Placement, RuleCall, Stretch},
    axes::Axes,
    error::{Error, ErrorKind},
    few::PerOperand,
};

pub(super) static NCNN: RuleDef = RuleDef {
    name: "ncnn",
    title: "ncnn BinaryOp",
    aliases: &["ncnn-binaryop"],
    summary: "aligns to the slowest axis; both may stretch; row-major shapes of rank 1 to 4 (ncnn BinaryOp)",
    source: "ncnn, binaryop-broadcasting",
    operands: (2, 2),
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    for k in 0..2 {
        admit(call, k)?;
    }
    let rank = call.extents.rank(0).max(call.extents.rank(1));
    let mut axes = PerOperand::<Axes>::default();
    for k in 0..2 {
        let start = start(call, k, rank)?;
        axes.push((start..start + call.extents.rank(k)).into());
    }
    Ok(Placement { rank, axes, stretch: Stretch::All })
}

/// Rejects what an ncnn `Mat` cannot be. A dim that is not known is taken not to be 0.
fn admit(call: &Call<'_>, k: usize) -> Result<(), Error> {
    let rank = call.extents.rank(k);
    if !(1..=4).contains(&rank) {
        let hint = if rank == 0 { "write a scalar as (1,)" } else { "merge neighbouring axes" };
        let text = move |asked: &RuleCall, f: &mut fmt::Formatter<'_>| {
            write!(f, "{} has rank {rank}; ncnn has ranks 1 to 4, {hint}", asked.name(k))
        };
        return Err(call.fail(ErrorKind::Rank, text).operand_at(k));
    }
    if let Some(axis) = (0..rank).find(|&axis| call.extents.is(k, axis, 0) == Ok(true)) {
        let text = move |asked: &RuleCall, f: &mut fmt::Formatter<'_>| {
            let name = asked.name(k);
            write!(f, "axis {axis} of {name} is 0; ncnn has no result for empty operands, every dim must be 1 or more")
        };
        return Err(call.fail(ErrorKind::Empty, text).operand_at(k));
    }
    Ok(())
}

/// Returns the result axis at which operand `k` starts.
fn start(call: &Call<'_>, k: usize, rank: usize) -> Result<usize, Error> {
    let slowest = call.extents.rank(k) != 1 || rank == 1 || call.extents.same((k, 0), (1 - k, 0))?;
    Ok(if slowest { 0 } else { rank - 1 })
}

/// Writes a row-major list, of dims or of strides, as ncnn writes it: fastest axis first, in brackets.
///
/// ```
/// use broadaxe_shape::{Reversed, Rule, Shape};
/// let (a, b) = ("[2,3,4]".parse::<Shape>()?.reversed(), "[3,4]".parse::<Shape>()?.reversed());
/// let alignment = Rule::ncnn().align(&[&a, &b])?;
/// assert_eq!(Reversed(alignment.shape()).to_string(), "[2, 3, 4]");
/// assert_eq!(Reversed(&alignment.strides(1)).to_string(), "[0, 1, 3]");
/// # Ok::<(), broadaxe_shape::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reversed<'a, T>(pub &'a [T]);

impl<T: fmt::Display> fmt::Display for Reversed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, value) in self.0.iter().rev().enumerate() {
            write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use crate::{Rule, rule::table::check};

    #[test]
    fn shapes() {
        check(
            &Rule::ncnn(),
            &[
                ("4,3,2 ; 4,3", "4,3,2 ; 6,2,1 ; 3,1,0"),
                ("4,3 ; 4,3,2", "4,3,2 ; 3,1,0 ; 6,2,1"),
                ("5,4,3,2 ; 5,4", "5,4,3,2 ; 24,6,2,1 ; 4,1,0,0"),
                ("3,2 ; 3", "3,2 ; 2,1 ; 1,0"),
                ("3,2 ; 2", "3,2 ; 2,1 ; 0,1"),
                ("4,3,2 ; 4", "4,3,2 ; 6,2,1 ; 1,0,0"),
                ("4,3,2 ; 2", "4,3,2 ; 6,2,1 ; 0,0,1"),
                ("3,3 ; 3", "3,3 ; 3,1 ; 1,0"),
                ("2 ; 2,2", "2,2 ; 1,0 ; 2,1"),
                ("2 ; 2,1", "2,1 ; 1,0 ; 1,0"),
                ("3,1 ; 1,2", "3,2 ; 1,0 ; 0,1"),
                ("3,1 ; 2", "3,2 ; 1,0 ; 0,1"),
                ("4,3,2 ; 1", "4,3,2 ; 6,2,1 ; 0,0,0"),
                ("1,2 ; 3", "mismatch at 1 of b"),
                ("3,2,2 ; 2,2", "mismatch at 0 of b"),
                ("4,3,2 ; 3", "mismatch at 2 of b"),
                ("() ; 1", "rank of a"),
                ("1 ; 1,1,1,1,1", "rank of b"),
                ("0 ; 1", "empty of a"),
                ("2,3 ; 2,0", "empty of b"),
            ],
        );
    }
}
