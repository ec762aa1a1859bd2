//! OpenVINO's PDPD rule: the second operand starts at `axis` of the first, and only it may stretch.
//!
//! The result has the first operand's shape. `axis` -1 means rank(a) - rank(b), with the ranks as they were given. A
//! trailing 1 of `b` is an axis like the others: it stretches, and changes neither the start nor the limit. `axis` =
//! rank(a) is valid only for a `b` of rank 0.
//!
//! Deviations of OpenVINO 2026.4: it rejects a dim of 0 in `a` against 1 in `b`, which the specification and this rule
//! accept. It accepts 1 in `a` against 0 in `b` and changes the result, which this rule rejects. An IR file without
//! the attribute `auto_broadcast.auto_broadcast_axis` means axis 0. The default of this rule is -1.
//!
//! Source: OpenVINO, "Broadcast Rules For Elementwise Operations", PaddlePaddle broadcasting.

use core::fmt;

use super::{AxisParam, Call, RuleDef};
use crate::{
    align::{Placement, RuleCall, Stretch},
    axes::Axes,
    error::{Error, ErrorKind},
};

pub(super) static PDPD: RuleDef = RuleDef {
    name: "pdpd",
    title: "OpenVINO pdpd",
    summary: "puts b at axis of a; only b may stretch (OpenVINO auto_broadcast=pdpd)",
    source: "OpenVINO, Broadcast Rules For Elementwise Operations, PDPD",
    operands: (2, 2),
    axis: AxisParam::Default(-1),
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    let (rank, start) = (call.extents.rank(0), start(call, 0, 1)?);
    let axes = [0..rank, start..start + call.extents.rank(1)].into_iter().map(Axes::from).collect();
    Ok(Placement { rank, axes, stretch: Stretch::Into(0) })
}

/// Returns the axis of operand `large` at which operand `small` starts.
///
/// # Errors
/// [`ErrorKind::Rank`] when `small` has the higher rank, [`ErrorKind::Axis`] when it does not fit at the call's axis.
pub(super) fn start(call: &Call<'_>, large: usize, small: usize) -> Result<usize, Error> {
    let (rank, rank_small) = (call.extents.rank(large), call.extents.rank(small));
    let axis = call.axis();
    if rank_small > rank {
        let text = move |asked: &RuleCall, f: &mut fmt::Formatter<'_>| {
            let (a, b) = (asked.name(large), asked.name(small));
            write!(f, "{b} has rank {rank_small} and {a} only {rank}; the rank of {b} must not be above that of {a}")
        };
        return Err(call.fail(ErrorKind::Rank, text).operand_at(small));
    }
    let last = rank - rank_small;
    match axis {
        -1 => Ok(last),
        _ => usize::try_from(axis).ok().filter(|&start| start <= last).ok_or_else(|| {
            let text = move |asked: &RuleCall, f: &mut fmt::Formatter<'_>| {
                write!(f, "{} does not fit at axis {axis}; axis must be -1 or 0 to {last}", asked.name(small))
            };
            call.fail(ErrorKind::Axis, text).operand_at(small)
        }),
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use crate::{Rule, rule::table::check};

    #[test]
    fn default_axis() {
        check(
            &Rule::pdpd(-1),
            &[
                ("3,3 ; 3,1", "3,3 ; 3,1 ; 1,0"),
                ("3,3,3 ; 3,1", "3,3,3 ; 9,3,1 ; 0,1,0"),
                ("2,3,4,5 ; ()", "2,3,4,5 ; 60,20,5,1 ; 0,0,0,0"),
                ("2,3,4,5 ; 5", "2,3,4,5 ; 60,20,5,1 ; 0,0,0,1"),
                ("2,3 ; 3,1", "mismatch at 0 of b"),
                ("2,3,4,5 ; 3,1", "mismatch at 2 of b"),
                ("3 ; 3,1", "rank of b"),
                ("1 ; 2", "direction at 0 of b"),
                ("0 ; 1", "0 ; 1 ; 0"),
                ("1 ; 0", "direction at 0 of b"),
                ("0 ; 2", "mismatch at 0 of b"),
            ],
        );
    }

    #[test]
    fn given_axis() {
        let cases: &[(i64, &str, &str)] = &[
            (1, "2,3,4,5 ; 3,4", "2,3,4,5 ; 60,20,5,1 ; 0,4,1,0"),
            (0, "2,3,4,5 ; 1,3", "2,3,4,5 ; 60,20,5,1 ; 0,1,0,0"),
            (1, "2,3,4,5 ; 3,1", "2,3,4,5 ; 60,20,5,1 ; 0,1,0,0"),
            (3, "2,3,4,5 ; 5", "2,3,4,5 ; 60,20,5,1 ; 0,0,0,1"),
            (4, "2,3,4,5 ; ()", "2,3,4,5 ; 60,20,5,1 ; 0,0,0,0"),
            (5, "2,3,4,5 ; ()", "axis of b"),
            (4, "2,3,4,5 ; 1", "axis of b"),
            (1, "2,3 ; 3,1", "axis of b"),
            (0, "2,3 ; 2,3", "2,3 ; 3,1 ; 3,1"),
            (1, "2,3 ; 2,3", "axis of b"),
            (-2, "2,3 ; 3", "axis of b"),
            (i64::MIN, "2,3 ; 3", "axis of b"),
            (i64::MAX, "2,3 ; 3", "axis of b"),
            (1, "8,1,6,1 ; 7,1,5", "direction at 1 of b"),
        ];
        for &(axis, operands, want) in cases {
            check(&Rule::pdpd(axis), &[(operands, want)]);
        }
    }

    #[test]
    fn sentences() {
        let text = |axis, a: &[usize], b: &[usize]| Rule::pdpd(axis).align(&[a, b]).unwrap_err().to_string();
        assert_eq!(
            text(1, &[8, 1, 6, 1], &[7, 1, 5]),
            "broadcast of a (8, 1, 6, 1) with b (7, 1, 5) under pdpd: axis 1 is 1 in a and 7 in b; a may not stretch, so b must \
             be 1 there"
        );
        assert_eq!(
            text(1, &[2, 3], &[3, 1]),
            "broadcast of a (2, 3) with b (3, 1) under pdpd: b does not fit at axis 1; axis must be -1 or 0 to 0"
        );
    }
}
