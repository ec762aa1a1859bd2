//! TOSA's rule: equal ranks, then every operand may stretch.
//!
//! Operands have the same rank, up to 6, and every dim is 1 or more. On each axis the dims are equal or 1, and the
//! result has the one that is not 1. Operands of lower rank are an error in TOSA: a converter reshapes them first.
//! Rank 0 is allowed.
//!
//! Sources: TOSA 1.0 specification, elementwise operators; `tosa-opt` and the reference model 2026.8.0, which agree on
//! every case.

use core::fmt;

use super::{Call, RuleDef, none};
use crate::{
    align::{Placement, RuleCall, Stretch},
    error::{Error, ErrorKind},
};

/// The largest rank, `MAX_RANK` of the specification's highest level.
const MAX_TOSA_RANK: usize = 6;

pub(super) static TOSA: RuleDef = RuleDef {
    name: "tosa",
    title: "TOSA",
    summary: "equal ranks up to 6; every operand may stretch from 1",
    source: "TOSA 1.0 specification, elementwise operators",
    operands: (1, 3),
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    let placed = none::same_axes(call, Stretch::All, "the ranks must be equal")?;
    if placed.rank > MAX_TOSA_RANK {
        let rank = placed.rank;
        let text = move |_: &RuleCall, f: &mut fmt::Formatter<'_>| {
            write!(f, "the rank is {rank}; TOSA has ranks up to {MAX_TOSA_RANK}, merge neighbouring axes")
        };
        return Err(call.fail(ErrorKind::Rank, text).operand_at(0));
    }
    for k in 0..call.extents.count() {
        if let Some(axis) = (0..placed.rank).find(|&axis| call.extents.is(k, axis, 0) == Ok(true)) {
            let text = move |asked: &RuleCall, f: &mut fmt::Formatter<'_>| {
                write!(f, "axis {axis} of {} is 0; every dim must be 1 or more in TOSA", asked.name(k))
            };
            return Err(call.fail(ErrorKind::Empty, text).operand_at(k));
        }
    }
    Ok(placed)
}

#[cfg(test)]
mod tests {
    use crate::rule::table::check;

    #[test]
    fn shapes() {
        check(
            &"tosa".parse().unwrap(),
            &[
                ("() ; ()", "() ; () ; ()"),
                ("2,3 ; 2,3", "2,3 ; 3,1 ; 3,1"),
                ("2,3 ; 1,3", "2,3 ; 3,1 ; 0,1"),
                ("5,1 ; 1,5", "5,5 ; 1,0 ; 0,1"),
                ("2,1 ; 1,3 ; 1,1", "2,3 ; 1,0 ; 0,1 ; 0,0"),
                ("1,1,1,1,1,2 ; 1,1,1,1,2,1", "1,1,1,1,2,2 ; 0,0,0,0,0,1 ; 0,0,0,0,1,0"),
                ("1,1,1,1,1,1,2 ; 1,1,1,1,1,1,2", "rank of a"),
                ("2,3 ; 3", "rank of b"),
                ("() ; 1", "rank of b"),
                ("2,3 ; 2,1 ; 3", "rank of c"),
                ("2,3 ; 2,4", "mismatch at 1 of b"),
                ("2,0 ; 2,0", "empty of a"),
                ("2,1 ; 2,0", "empty of b"),
                ("2 ; 2 ; 2 ; 2", "operands"),
                ("", "operands"),
            ],
        );
    }
}
