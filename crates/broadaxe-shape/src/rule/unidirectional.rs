//! ONNX's unidirectional rule: align to the right, only operands after the first stretch.
//!
//! An operand may have fewer axes than the first. It may not have more, even if they are leading dims of 1: (2, 3)
//! with (1, 2, 3) is an error. Each of its dims is 1 or that of the first operand. The result has the first operand's
//! shape, so 1 in the first with 0 in the second is an error, and 0 with 1 is valid. ONNX calls the first operand "the
//! larger" and does not define the term. (2, 1) with (1, 1) is valid, and (1, 3) with (2, 3) is not.
//!
//! The rule applies to `PRelu`'s slope, to `Gemm`'s C (see `gemm-c`, which also fixes the rank), and to scale and bias
//! of `LayerNormalization`, with more than two operands.
//!
//! Deviations: ONNX Runtime 1.31 broadcasts some invalid `PRelu` cases multidirectionally and returns a shape larger
//! than the data's. The reference evaluator aligns a slope of rank 1 with the first axis of the same size. This rule
//! rejects both, as the specification does.
//!
//! Source: ONNX `Broadcasting.md`, "Unidirectional Broadcasting".

use core::fmt;

use super::{Call, RuleDef};
use crate::{
    align::{Placement, RuleCall, Stretch},
    axes::Axes,
    error::{Error, ErrorKind},
    few::PerOperand,
};

pub(super) static UNIDIRECTIONAL: RuleDef = RuleDef {
    name: "unidirectional",
    title: "ONNX PRelu",
    aliases: &["onnx-unidirectional"],
    summary: "aligns to the right; the first operand may not stretch (ONNX)",
    source: "ONNX Broadcasting.md, unidirectional",
    operands: (2, usize::MAX),
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    one_way(call, 0)
}

/// Puts every operand's last axis on the last axis of operand `into`, which has the result's shape.
///
/// # Errors
/// [`ErrorKind::Rank`] when an operand has a higher rank than `into`.
pub(super) fn one_way(call: &Call<'_>, into: usize) -> Result<Placement, Error> {
    let rank = call.extents.rank(into);
    let mut axes = PerOperand::<Axes>::default();
    for k in 0..call.extents.count() {
        let own = call.extents.rank(k);
        let Some(start) = rank.checked_sub(own) else {
            let text = move |asked: &RuleCall, f: &mut fmt::Formatter<'_>| {
                let (a, b) = (asked.name(into), asked.name(k));
                write!(f, "{b} has rank {own} and {a} only {rank}; the rank of {b} must not be above that of {a}")
            };
            return Err(call.fail(ErrorKind::Rank, text).operand_at(k));
        };
        axes.push((start..rank).into());
    }
    Ok(Placement { rank, axes, stretch: Stretch::Into(into) })
}

#[cfg(test)]
mod tests {
    use crate::{Rule, rule::table::check};

    #[test]
    fn shapes() {
        check(
            &Rule::unidirectional(),
            &[
                ("2,3,4,5 ; ()", "2,3,4,5 ; 60,20,5,1 ; 0,0,0,0"),
                ("2,3,4,5 ; 2,1,1,5", "2,3,4,5 ; 60,20,5,1 ; 5,0,0,1"),
                ("2,3,4,5 ; 1,3,1,5", "2,3,4,5 ; 60,20,5,1 ; 0,5,0,1"),
                ("2,1 ; 1,1", "2,1 ; 1,0 ; 0,0"),
                ("0 ; 1", "0 ; 1 ; 0"),
                ("2,3,4 ; 4 ; 3,4", "2,3,4 ; 12,4,1 ; 0,0,1 ; 0,4,1"),
                ("2,4,4 ; 4", "2,4,4 ; 16,4,1 ; 0,0,1"),
                ("2,3,4,5 ; 3", "mismatch at 3 of b"),
                ("1,3 ; 2,3", "direction at 0 of b"),
                ("2,3 ; 1,2,3", "rank of b"),
                ("() ; 1", "rank of b"),
                ("1 ; 0", "direction at 0 of b"),
                ("2,3,4 ; 4 ; 3", "mismatch at 2 of c"),
                ("2", "operands"),
            ],
        );
    }
}
