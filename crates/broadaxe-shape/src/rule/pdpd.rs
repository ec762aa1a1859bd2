//! OpenVINO's PDPD rule: the second operand starts at `axis` of the first, and only it may stretch.
//!
//! The result has the first operand's shape. `axis` -1 means rank(a) - rank(b), with the ranks as they were given: a
//! trailing 1 of `b` is an ordinary axis that stretches, it moves neither the start nor the limit. `axis` = rank(a) is
//! legal for a `b` of rank 0 only.
//!
//! Deviations of OpenVINO 2026.4 itself: it refuses an extent of 0 in `a` against 1 in `b`, which the rule's text allows
//! and this rule accepts; and it accepts 1 in `a` against 0 in `b`, changing the result, which this rule refuses.
//! An IR file without the attribute `auto_broadcast.auto_broadcast_axis` means axis 0; the rule's own default is -1.
//!
//! Source: OpenVINO, "Broadcast Rules For Elementwise Operations", PaddlePaddle broadcasting.

use alloc::{format, vec};

use super::{AxisParam, Call, RuleDef};
use crate::{
    align::{Placement, Stretch},
    error::{Error, ErrorKind},
};

pub(super) static RULE: RuleDef = RuleDef {
    name: "pdpd",
    aliases: &[],
    summary: "puts b at axis of a; only b may stretch (OpenVINO auto_broadcast=pdpd)",
    source: "OpenVINO, Broadcast Rules For Elementwise Operations, PDPD",
    operands: (2, 2),
    axis: AxisParam::Default(-1),
    axes: false,
    target: false,
    modes: &[],
    place,
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    place_into(call, 0, 1)
}

/// Puts operand `small` at the call's axis of operand `large`.
pub(super) fn place_into(call: &Call<'_>, large: usize, small: usize) -> Result<Placement, Error> {
    let (rank, rank_small) = (call.extents.rank(large), call.extents.rank(small));
    let axis = call.axis();
    if rank_small > rank {
        let text = format!("b has rank {rank_small} and a only {rank}; the rank of b must not be above that of a");
        return Err(call.fail(ErrorKind::Rank, &text).operand_at(small));
    }
    let start = match axis {
        -1 => rank - rank_small,
        _ => usize::try_from(axis).ok().filter(|&s| s <= rank - rank_small).ok_or_else(|| {
            let text = format!("axis {axis} is out of range; it must be -1 or 0 to {}", rank - rank_small);
            call.fail(ErrorKind::Axis, &text).operand_at(small)
        })?,
    };
    let mut axes = vec![vec![]; call.extents.count()];
    axes[large] = (0..rank).collect();
    axes[small] = (start..start + rank_small).collect();
    Ok(Placement { rank, axes, stretch: Stretch::Into(large) })
}
