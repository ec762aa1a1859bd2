//! No broadcasting: all shapes are identical.
//!
//! Ranks are equal too, and a dim of 1 does not stretch: (2, 3) with (1, 3) is an error, and so is () with (1). Dims
//! of 0 are allowed. The rule accepts any number of operands.
//!
//! OpenVINO 2026.4 agrees on every case. Its enumeration also calls this mode `explicit`. ONNX requires the same of
//! `Max`, `Min`, `Sum` and `Mean` before opset 8, and of the binary operators before opset 7 without `broadcast=1`.
//!
//! Source: OpenVINO, "Broadcast Rules For Elementwise Operations", None.

use core::fmt;

use super::{Call, RuleDef};
use crate::{
    align::{Placement, RuleCall, Stretch},
    error::{Error, ErrorKind},
};

pub(super) static NONE: RuleDef = RuleDef {
    name: "none",
    title: "no broadcasting",
    aliases: &["identical"],
    summary: "accepts identical shapes only",
    source: "OpenVINO, Broadcast Rules For Elementwise Operations, None",
    operands: (1, usize::MAX),
    ..RuleDef::new(place)
};

pub(super) fn place(call: &Call<'_>) -> Result<Placement, Error> {
    same_axes(call, Stretch::Never, "the shapes must be identical")
}

/// Puts every operand on the same axes; an error about ranks ends with `must`.
pub(super) fn same_axes(call: &Call<'_>, stretch: Stretch, must: &'static str) -> Result<Placement, Error> {
    let (count, rank) = (call.extents.count(), call.extents.rank(0));
    if let Some(k) = (1..count).find(|&k| call.extents.rank(k) != rank) {
        let own = call.extents.rank(k);
        let text = move |asked: &RuleCall, f: &mut fmt::Formatter<'_>| {
            let (a, b) = (asked.name(0), asked.name(k));
            write!(f, "{a} has rank {rank} and {b} has rank {own}; {must}")
        };
        return Err(call.fail(ErrorKind::Rank, text).operand_at(k));
    }
    Ok(Placement { rank, axes: (0..count).map(|_| (0..rank).into()).collect(), stretch })
}

#[cfg(test)]
mod tests {
    use crate::{Rule, rule::table::check};

    #[test]
    fn shapes() {
        check(
            &Rule::none(),
            &[
                ("()", "() ; ()"),
                ("() ; ()", "() ; () ; ()"),
                ("2,3 ; 2,3", "2,3 ; 3,1 ; 3,1"),
                ("2,0 ; 2,0", "2,0 ; 0,1 ; 0,1"),
                ("2,3 ; 2,3 ; 2,3", "2,3 ; 3,1 ; 3,1 ; 3,1"),
                ("2,3 ; 1,3", "mismatch at 0 of b"),
                ("2,3 ; 2,3 ; 2,4", "mismatch at 1 of c"),
                ("() ; 1", "rank of b"),
                ("2,3 ; 3", "rank of b"),
                ("0 ; 1", "mismatch at 0 of b"),
                ("", "operands"),
            ],
        );
    }
}
