//! One operand placed into a target shape axis by axis: axis `i` feeds axis `axes[i]`.
//!
//! `axes` has one entry for each axis of the operand. The entries are axes of the target and strictly increasing. Each
//! dim of the operand is 1 or that of its axis of the target. The result is the target. For a scalar, the list is
//! empty.
//!
//! Deviations of OpenVINO 2026.4: it accepts a repeated axis and computes wrong values. It also accepts one axis of
//! size 1 for a scalar. Like this rule, it rejects negative axes.
//!
//! Source: OpenVINO, "Broadcast-1" and "Broadcast-3", mode explicit.

use alloc::vec::Vec;
use core::fmt;

use super::{Call, RuleDef};
use crate::{
    align::{Placement, RuleCall, Stretch},
    axes::Axes,
    error::{Error, ErrorKind},
    few::PerAxis,
    shape::list,
};

pub(super) static EXPLICIT: RuleDef = RuleDef {
    name: "explicit",
    title: "OpenVINO Broadcast, explicit",
    aliases: &["axes-mapping"],
    summary: "puts axis i of one operand at axes[i] of a target shape (Broadcast mode explicit)",
    source: "OpenVINO Broadcast-3, explicit",
    operands: (1, 1),
    axes: true,
    target: true,
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    let axes = call.params.axes.as_deref().unwrap_or_default();
    let (own, rank) = (call.extents.rank(0), call.extents.rank(1));
    let fail = |wrong| Err(wrong_axes(call, wrong));
    if axes.len() != own {
        return fail(Wrong::Count { own });
    }
    let mut placed = PerAxis::default();
    for &axis in axes {
        match usize::try_from(axis).ok().filter(|&axis| axis < rank) {
            Some(axis) if placed.last().is_some_and(|&last| last >= axis) => {
                return fail(Wrong::Order);
            }
            Some(axis) => placed.push(axis),
            None => return fail(Wrong::Range { axis, rank }),
        }
    }
    Ok(Placement {
        rank,
        axes: [Axes::from(&*placed), (0..rank).into()].into_iter().collect(),
        stretch: Stretch::Into(1),
    })
}

/// What may be wrong with the list of axes.
#[derive(Clone, Copy)]
enum Wrong {
    Count { own: usize },
    Order,
    Range { axis: i64, rank: usize },
}

fn wrong_axes(call: &Call<'_>, wrong: Wrong) -> Error {
    let axes: Vec<i64> = call.params.axes.clone().unwrap_or_default();
    let text = move |_: &RuleCall, f: &mut fmt::Formatter<'_>| {
        let (count, axes) = (axes.len(), list(&axes));
        match wrong {
            Wrong::Count { own } => write!(f, "axes {axes} has {count} entries; it must have {own}, one per axis of a"),
            Wrong::Order => write!(f, "axes {axes} must be strictly increasing"),
            Wrong::Range { rank: 0, .. } => write!(f, "axes {axes} must be empty, target has rank 0"),
            Wrong::Range { axis, rank } => write!(f, "axis {axis} of axes {axes} must be 0 to {}", rank - 1),
        }
    };
    call.fail(ErrorKind::Axes, text).operand_at(0)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use crate::{Rule, Shape, rule::table::check};

    #[test]
    fn shapes() {
        let cases: &[(&str, &[i64], &str, &str)] = &[
            ("50,50", &[1, 2], "1,50,50,16", "1,50,50,16 ; 0,50,1,0"),
            ("3", &[1], "2,3,4", "2,3,4 ; 0,1,0"),
            ("2,1", &[0, 2], "2,3,4", "2,3,4 ; 1,0,0"),
            ("()", &[], "2", "2 ; 0"),
            ("()", &[], "()", "() ; ()"),
            ("0", &[0], "0,3", "0,3 ; 1,0"),
            ("1", &[0], "0,3", "0,3 ; 0,0"),
            ("3", &[2], "2,3,4", "mismatch at 2 of a"),
            ("3", &[0], "1,3", "direction at 0 of a"),
            ("3", &[3], "2,3,4", "axes of a"),
            ("3", &[-1], "2,3", "axes of a"),
            ("1", &[0], "()", "axes of a"),
            ("2,2", &[0, 0], "2,2,2", "axes of a"),
            ("2,2", &[1, 0], "2,2,2", "axes of a"),
            ("3", &[], "3", "axes of a"),
            ("()", &[0], "1,3", "axes of a"),
        ];
        for &(operand, axes, target, want) in cases {
            let rule = Rule::explicit(Vec::from(axes), target.parse::<Shape>().unwrap());
            check(&rule, &[(operand, want)]);
        }
    }
}
