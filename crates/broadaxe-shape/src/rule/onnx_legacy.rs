//! The rule of ONNX before opset 7: the second operand's shape is a run of the first's.
//!
//! Under `broadcast=1` the second operand is stretched to the first one's shape, in one of two ways. If it has one
//! element, it repeats everywhere. Its rank may then be anything up to the first operand's, and `axis` has no effect.
//! Otherwise its shape equals a contiguous run of the first operand's dims, which starts at `axis`, or is at the end
//! if `axis` is not given. Axes inside the run do not stretch: (2, 3, 4) with (1, 4) is an error, which OpenVINO's
//! `pdpd` accepts. Dims of 0 are not special: (2, 0) with (0) is (2, 0), and so is (2, 0) with (1).
//!
//! A negative `axis` is an error, because the schemas do not define it. Caffe2, from which the rule came, wrote -1
//! where the schemas say "not set". A reader of Caffe2 models passes -1 as no axis.
//!
//! Without `broadcast=1`, and for `Max`, `Min`, `Sum` and `Mean` before opset 8, the rule is `none`.
//!
//! Source: ONNX operator schemas `Add-1` and `Add-6`, and those that refer to them. No current engine implements the
//! rule.

use core::fmt;

use super::{AxisParam, Call, RuleDef, unidirectional::one_way};
use crate::{
    align::{Placement, RuleCall, Stretch},
    axes::Axes,
    error::{Error, ErrorKind},
};

pub(super) static ONNX_LEGACY: RuleDef = RuleDef {
    name: "onnx-legacy",
    title: "ONNX before opset 7",
    aliases: &["onnx-6"],
    summary: "puts b, a run of a's dims or one element, at axis of a (ONNX before opset 7)",
    source: "ONNX operator schemas Add-1 and Add-6",
    operands: (2, 2),
    axis: AxisParam::Optional,
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    let one_element = one_way(call, 0)?;
    let (rank, small) = (call.extents.rank(0), call.extents.rank(1));
    let last = rank - small;
    let start = start(call, last);
    match (has_one_element(call), start) {
        (Ok(true), _) => return Ok(one_element),
        (Ok(false), _) => {}
        // Where the dims are the same names, the two ways mean the same.
        (Err(_), Some(start)) if (0..small).all(|i| call.extents.same((0, start + i), (1, i)) == Ok(true)) => {}
        (Err(undecided), _) => return Err(undecided),
    }
    let start = start.ok_or_else(|| does_not_fit(call, last))?;
    let axes = [0..rank, start..start + small].into_iter().map(Axes::from).collect();
    Ok(Placement { rank, axes, stretch: Stretch::Never })
}

/// Returns the axis of the first operand at which the run starts, `last` at most.
fn start(call: &Call<'_>, last: usize) -> Option<usize> {
    let Some(axis) = call.params.axis else { return Some(last) };
    usize::try_from(axis).ok().filter(|&start| start <= last)
}

fn does_not_fit(call: &Call<'_>, last: usize) -> Error {
    let axis = call.params.axis.unwrap_or_default();
    let text = move |_: &RuleCall, f: &mut fmt::Formatter<'_>| {
        write!(f, "b does not fit at axis {axis}; axis must be 0 to {last}, or absent for {last}")
    };
    call.fail(ErrorKind::Axis, text).operand_at(1)
}

/// Says whether the second operand has one element; one dim that is not 1 decides it.
fn has_one_element(call: &Call<'_>) -> Result<bool, Error> {
    let mut undecided = None;
    for axis in 0..call.extents.rank(1) {
        match call.extents.is(1, axis, 1) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) => undecided = Some(error),
        }
    }
    undecided.map_or(Ok(true), Err)
}

#[cfg(test)]
mod tests {
    use crate::{Rule, rule::table::check};

    #[test]
    fn suffix() {
        check(
            &Rule::onnx_legacy(None),
            &[
                ("2,3,4,5 ; ()", "2,3,4,5 ; 60,20,5,1 ; 0,0,0,0"),
                ("2,3,4,5 ; 1,1", "2,3,4,5 ; 60,20,5,1 ; 0,0,0,0"),
                ("2,3,4,5 ; 5", "2,3,4,5 ; 60,20,5,1 ; 0,0,0,1"),
                ("2,3,4,5 ; 4,5", "2,3,4,5 ; 60,20,5,1 ; 0,0,5,1"),
                ("2,0 ; 0", "2,0 ; 0,1 ; 0,1"),
                ("2,0 ; 1", "2,0 ; 0,1 ; 0,0"),
                ("2,3,4 ; 1,4", "mismatch at 1 of b"),
                ("1,4 ; 3,4", "mismatch at 0 of b"),
                ("2,3,4 ; 3", "mismatch at 2 of b"),
                ("() ; 1", "rank of b"),
                ("3 ; 1,3", "rank of b"),
            ],
        );
    }

    #[test]
    fn at_axis() {
        let cases: &[(i64, &str, &str)] = &[
            (1, "2,3,4,5 ; 3,4", "2,3,4,5 ; 60,20,5,1 ; 0,4,1,0"),
            (0, "2,3,4,5 ; 2", "2,3,4,5 ; 60,20,5,1 ; 1,0,0,0"),
            (1, "2,1,4 ; 1,4", "2,1,4 ; 4,0,1 ; 0,0,1"),
            (7, "2,3 ; 1", "2,3 ; 3,1 ; 0,0"),
            (-3, "2,3 ; ()", "2,3 ; 3,1 ; 0,0"),
            (0, "2,3 ; 3", "mismatch at 0 of b"),
            (2, "2,3 ; 3", "axis of b"),
            (1, "2,3,4 ; 3,4,5", "axis of b"),
            (-1, "2,3 ; 3", "axis of b"),
        ];
        for &(axis, operands, want) in cases {
            check(&Rule::onnx_legacy(Some(axis)), &[(operands, want)]);
        }
    }
}
