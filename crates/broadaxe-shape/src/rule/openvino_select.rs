//! The rule of OpenVINO's `Select`: condition, then and else, in the three modes of `auto_broadcast`.
//!
//! - `numpy`, the default: all three align to the right and may stretch. The specification says that only the
//!   condition stretches to the others. The engine broadcasts all three with each other, and this rule follows it: (3,
//!   2) with (2) and (2) is (3, 2).
//! - `none`: three identical shapes.
//! - `pdpd`: condition and else start at `axis` of then, as under `pdpd`, and only they stretch. The result has then's
//!   shape. An `axis` under another mode is an error.
//!
//! Deviations of OpenVINO 2026.4: under `pdpd` its CPU plugin ignores an axis that is not -1.
//!
//! Source: OpenVINO, "Select-1".

use core::fmt;

use super::{AxisParam, Call, Mode, RuleDef, none, numpy::right_aligned, pdpd};
use crate::{
    align::{Placement, RuleCall, Stretch},
    axes::Axes,
    error::{Error, ErrorKind},
    few::PerOperand,
};

pub(super) static OPENVINO_SELECT: RuleDef = RuleDef {
    name: "openvino-select",
    title: "OpenVINO Select",
    aliases: &["select"],
    summary: "places condition, then and else by one of OpenVINO's modes (Select)",
    source: "OpenVINO Select-1",
    operands: (3, 3),
    axis: AxisParam::Optional,
    modes: &[Mode::Numpy, Mode::None, Mode::Pdpd],
    ..RuleDef::new(place)
};

/// The operand whose shape is the result's under `pdpd`.
const THEN: usize = 1;

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    let mode = call.mode();
    if call.params.axis.is_some() && mode != Mode::Pdpd {
        let text =
            move |_: &RuleCall, f: &mut fmt::Formatter<'_>| write!(f, "mode {mode} has no axis; only pdpd has one");
        return Err(call.fail(ErrorKind::Parameter, text));
    }
    match mode {
        Mode::None => none::place(call),
        Mode::Pdpd => into_then(call),
        Mode::Numpy | Mode::Each => Ok(right_aligned(call, Stretch::All)),
    }
}

fn into_then(call: &Call<'_>) -> Result<Placement, Error> {
    let rank = call.extents.rank(THEN);
    let mut axes = PerOperand::<Axes>::default();
    for k in 0..3 {
        let start = if k == THEN { 0 } else { pdpd::start(call, THEN, k)? };
        axes.push((start..start + call.extents.rank(k)).into());
    }
    Ok(Placement { rank, axes, stretch: Stretch::Into(THEN) })
}

#[cfg(test)]
mod tests {
    use crate::{Rule, rule::table::check};

    #[test]
    fn shapes() {
        let cases: &[(&str, Option<i64>, &str, &str)] = &[
            ("numpy", None, "3,2 ; 2 ; 2", "3,2 ; 2,1 ; 0,1 ; 0,1"),
            ("numpy", None, "3,1 ; 1,4 ; 2,1,1", "2,3,4 ; 0,1,0 ; 0,0,1 ; 1,0,0"),
            ("numpy", None, "3 ; 2 ; 2", "mismatch at 0 of b"),
            ("numpy", Some(0), "2 ; 2 ; 2", "parameter"),
            ("none", None, "2,3 ; 2,3 ; 2,3", "2,3 ; 3,1 ; 3,1 ; 3,1"),
            ("none", None, "3 ; 2,3 ; 2,3", "rank of b"),
            ("pdpd", None, "2,3,4 ; 2,3,4 ; 4", "2,3,4 ; 12,4,1 ; 12,4,1 ; 0,0,1"),
            ("pdpd", Some(-1), "4 ; 2,3,4 ; 4", "2,3,4 ; 0,0,1 ; 12,4,1 ; 0,0,1"),
            ("pdpd", Some(0), "2 ; 2,3,4 ; 2", "2,3,4 ; 1,0,0 ; 12,4,1 ; 1,0,0"),
            ("pdpd", Some(1), "2,3,4 ; 2,3,4 ; 2,3,4", "axis of a"),
            ("pdpd", None, "1 ; 1 ; 3", "direction at 0 of c"),
            ("pdpd", None, "2,3,4 ; 1,3,4 ; 2,3,4", "direction at 0 of a"),
            ("pdpd", None, "2,3 ; 3 ; 3", "rank of a"),
        ];
        for &(mode, axis, operands, want) in cases {
            check(&Rule::openvino_select(mode, axis).unwrap(), &[(operands, want)]);
        }
    }
}
