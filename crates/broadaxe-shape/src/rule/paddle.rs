//! Paddle's own rule: the operand of lower rank starts at `axis` of the other, then both may stretch.
//!
//! OpenVINO's `pdpd` comes from this rule, which allows more: either operand may have the lower rank, and a dim of 1
//! stretches in both. (8, 1, 6, 1) with (7, 1, 5) at axis 1 is (8, 7, 6, 5) here and an error under `pdpd`.
//!
//! - Identical shapes: `axis` has no effect.
//! - Equal ranks: `axis` is -1 or 0.
//! - Different ranks: `axis` is -1, which aligns to the right and is NumPy's rule, or 0 to the higher rank less one,
//!   even for an operand of rank 0. The axes of the operand of lower rank must not extend past the end of the other.
//!
//! Deviations of Paddle 3.3.1: it does not notice an operand that extends past the end, which corrupts memory. Its
//! shape inference accepts other negative axes, which the kernels then reject. Both are errors here. The earliest
//! kernels required equal dims, and nothing stretched. Since Paddle 2 only the legacy operators, such as
//! `elementwise_add`, accept `axis`.
//!
//! Source: Paddle, `elementwise_*` operators; every case was compared with Paddle 3.3.1.

use core::fmt;

use super::{AxisParam, Call, RuleDef};
use crate::{
    align::{Placement, RuleCall, Stretch},
    error::{Error, ErrorKind},
};

pub(super) static PADDLE: RuleDef = RuleDef {
    name: "paddle",
    title: "PaddlePaddle",
    aliases: &["paddle-axis"],
    summary: "puts the operand of lower rank at axis of the other; both may stretch (Paddle elementwise_*)",
    source: "Paddle elementwise operators, attribute axis",
    operands: (2, 2),
    axis: AxisParam::Default(-1),
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    let ranks = [call.extents.rank(0), call.extents.rank(1)];
    let (rank, small) = (ranks[0].max(ranks[1]), usize::from(ranks[1] <= ranks[0]));
    let start = start(call, rank, small)?;
    let axes = (0..2).map(|k| if k == small { (start..start + ranks[small]).into() } else { (0..rank).into() });
    Ok(Placement { rank, axes: axes.collect(), stretch: Stretch::All })
}

/// Returns the result axis at which the operand of lower rank starts.
fn start(call: &Call<'_>, rank: usize, small: usize) -> Result<usize, Error> {
    let (axis, own) = (call.axis(), call.extents.rank(small));
    let last = rank - own;
    if axis == -1 || (last == 0 && (axis == 0 || identical(call, rank)?)) {
        return Ok(last);
    }
    // Rank 0 fits behind the last axis too, but the attribute must name an axis.
    let most = last.min(rank.saturating_sub(1));
    usize::try_from(axis).ok().filter(|&start| start <= most && last > 0).ok_or_else(|| {
        let text = move |asked: &RuleCall, f: &mut fmt::Formatter<'_>| match last {
            0 => write!(f, "axis is {axis} for operands of equal rank; it must be -1 or 0"),
            _ => write!(f, "{} does not fit at axis {axis}; axis must be -1 or 0 to {most}", asked.name(small)),
        };
        call.fail(ErrorKind::Axis, text).operand_at(small)
    })
}

fn identical(call: &Call<'_>, rank: usize) -> Result<bool, Error> {
    for axis in 0..rank {
        if !call.extents.same((0, axis), (1, axis))? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use crate::{Rule, rule::table::check};

    #[test]
    fn shapes() {
        let cases: &[(i64, &str, &str)] = &[
            (1, "8,1,6,1 ; 7,1,5", "8,7,6,5 ; 6,0,1,0 ; 0,5,0,1"),
            (1, "2,1,4 ; 3", "2,3,4 ; 4,0,1 ; 0,1,0"),
            (1, "3 ; 2,3,4", "2,3,4 ; 0,1,0 ; 12,4,1"),
            (-1, "2,3,4 ; 3,1", "2,3,4 ; 12,4,1 ; 0,1,0"),
            (2, "2,3,4,5 ; 4,5", "2,3,4,5 ; 60,20,5,1 ; 0,0,5,1"),
            (7, "2,3 ; 2,3", "2,3 ; 3,1 ; 3,1"),
            (-5, "() ; ()", "() ; () ; ()"),
            (0, "1,3 ; 2,1", "2,3 ; 0,1 ; 1,0"),
            (1, "1,3 ; 2,1", "axis of b"),
            (1, "2,3,4,5 ; 1,3,1,1", "axis of b"),
            (3, "2,3,4,5 ; ()", "2,3,4,5 ; 60,20,5,1 ; 0,0,0,0"),
            (4, "2,3,4,5 ; ()", "axis of b"),
            (2, "2,3,4 ; 4,1", "axis of b"),
            (2, "4,1 ; 2,3,4", "axis of a"),
            (-2, "2,3,4 ; 3", "axis of b"),
            (0, "2,3,4 ; 3", "mismatch at 0 of b"),
            (1, "0,1 ; 2", "0,2 ; 1,0 ; 0,1"),
            (0, "0,1 ; 2", "mismatch at 0 of b"),
            (i64::MIN, "2,3 ; 3", "axis of b"),
            (i64::MAX, "2,3 ; 3", "axis of b"),
        ];
        for &(axis, operands, want) in cases {
            check(&Rule::paddle(axis), &[(operands, want)]);
        }
    }
}
