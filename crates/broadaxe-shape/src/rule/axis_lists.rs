//! Lists along one axis of the data: the scale and the zero point of ONNX's `QuantizeLinear`, the lists of `BatchNormalization`.
//!
//! The first operand is the data and has the result's shape. Every other operand is a list, of rank 1, whose entry `i`
//! belongs to index `i` of the axis `axis` of the data. All lists have the length of that axis.
//!
//! In the mode `numpy` a list of one element, of shape () or (1,), repeats for all of the data, if all lists are such;
//! `axis` then has no effect. In the mode `each` every such list repeats, whatever the others are. In the mode `none` the
//! lists have the length of the axis, and never repeat.
//!
//! Deviations: the ONNX schemas accept a scalar, not (1,), as the scale of a whole tensor. ONNX Runtime and OpenVINO accept
//! both, and exporters write both.
//!
//! Source: ONNX operator schemas `QuantizeLinear-13`, `DequantizeLinear-13`, `QLinearConv-10` and
//! `BatchNormalization-15`.

use core::fmt;

use super::{AxisParam, Call, Mode, RuleDef};
use crate::{
    align::{Placement, RuleCall, Stretch},
    axes::Axes,
    error::{Error, ErrorKind},
    few::{Empty, PerOperand},
};

pub(super) static AXIS_LISTS: RuleDef = RuleDef {
    name: "axis-lists",
    title: "ONNX lists along an axis",
    summary: "puts lists of one length at axis of the first operand (ONNX QuantizeLinear, BatchNormalization)",
    source: "ONNX operator schemas QuantizeLinear-13 and BatchNormalization-15",
    operands: (2, usize::MAX),
    axis: AxisParam::Default(1),
    lists: true,
    modes: &[Mode::Numpy, Mode::None, Mode::Each],
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    let (rank, count, mode) = (call.extents.rank(0), call.extents.count(), call.mode());
    if let Some(k) = (1..count).find(|&k| call.extents.rank(k) > 1) {
        return Err(no_list(call, k, call.extents.rank(k)));
    }
    let single = mode == Mode::Numpy && are_single(call)?;
    let axis = axis(call, rank);
    let mut axes = PerOperand::<Axes>::default();
    axes.push((0..rank).into());
    for k in 1..count {
        axes.push(match (call.extents.rank(k), axis) {
            (0, _) if single || mode == Mode::Each => Axes::EMPTY,
            (1, Some(axis)) => (axis..axis + 1).into(),
            // A list of one element repeats along any axis.
            (1, None) if single && rank > 0 => (rank - 1..rank).into(),
            (1, None) => return Err(no_axis(call, rank).operand_at(k)),
            (own, _) => return Err(no_list(call, k, own)),
        });
    }
    Ok(Placement { rank, axes, stretch: if mode == Mode::None { Stretch::Never } else { Stretch::Into(0) } })
}

/// Returns the axis of the data, where it has one of this number.
fn axis(call: &Call<'_>, rank: usize) -> Option<usize> {
    let axis = call.axis();
    let from_end = || rank.checked_sub(usize::try_from(axis.unsigned_abs()).ok()?);
    if axis < 0 { from_end() } else { usize::try_from(axis).ok().filter(|axis| *axis < rank) }
}

/// Says whether all lists have one element; an error where some have and others do not, and where that is not known.
fn are_single(call: &Call<'_>) -> Result<bool, Error> {
    let one = |k: usize| match call.extents.rank(k) {
        0 => Ok(true),
        1 => call.extents.is(k, 0, 1),
        _ => Ok(false),
    };
    let lists = || 1..call.extents.count();
    if lists().all(|k| one(k) == Ok(true)) {
        return Ok(true);
    }
    let alike = |k: usize| call.extents.rank(k) == 1 && call.extents.same((1, 0), (k, 0)) == Ok(true);
    let first = call.extents.rank(1) == 1 && lists().all(alike);
    if first && axis(call, call.extents.rank(0)).is_some() {
        return Ok(false);
    }
    let mut undecided = None;
    let (mut some, mut others) = (None, None);
    for k in lists() {
        match one(k) {
            Ok(true) => some = Some(k),
            Ok(false) => others = Some(k),
            Err(error) => undecided = Some(error),
        }
    }
    match (some, others, undecided) {
        (Some(one), Some(many), _) => Err(mixed(call, one, many)),
        (_, _, Some(error)) => Err(error),
        _ => Ok(false),
    }
}

/// Rejects a list of one element where another has more.
fn mixed(call: &Call<'_>, one: usize, many: usize) -> Error {
    let text = move |asked: &RuleCall, f: &mut fmt::Formatter<'_>| {
        let (one, many) = (asked.name(one), asked.name(many));
        write!(f, "{one} has one element and {many} has more; {one} must have the shape of {many}")
    };
    call.fail(ErrorKind::Rank, text).operand_at(one)
}

fn no_axis(call: &Call<'_>, rank: usize) -> Error {
    let axis = call.axis();
    let text = move |_: &RuleCall, f: &mut fmt::Formatter<'_>| {
        write!(f, "axis={axis} is no axis of a, whose rank is {rank}")?;
        match rank {
            0 => write!(f, "; only a list of one element suits it"),
            _ => write!(f, "; axis must be -{rank} to {}", rank - 1),
        }
    };
    call.fail(ErrorKind::Axis, text)
}

/// Rejects what is no list: of rank 2 or more, or a scalar where it does not repeat.
fn no_list(call: &Call<'_>, k: usize, own: usize) -> Error {
    let (axis, scalar) = (call.axis(), if call.mode() == Mode::None { "" } else { "a scalar or " });
    let text = move |asked: &RuleCall, f: &mut fmt::Formatter<'_>| {
        write!(f, "{} has rank {own}; it must be {scalar}a list along axis {axis} of a", asked.name(k))
    };
    call.fail(ErrorKind::Rank, text).operand_at(k)
}

#[cfg(test)]
mod tests {
    use crate::{Rule, rule::table::check};

    #[test]
    fn lists_along_an_axis() {
        check(
            &Rule::axis_lists(1, true),
            &[
                ("2,3,4 ; 3", "2,3,4 ; 12,4,1 ; 0,1,0"),
                ("2,3,4 ; 3 ; 3", "2,3,4 ; 12,4,1 ; 0,1,0 ; 0,1,0"),
                ("2,3,4 ; () ; 1", "2,3,4 ; 12,4,1 ; 0,0,0 ; 0,0,0"),
                ("2,1,4 ; 1", "2,1,4 ; 4,0,1 ; 0,0,0"),
                ("6 ; 1", "6 ; 1 ; 0"),
                ("() ; ()", "() ; () ; ()"),
                ("2,0 ; 0", "2,0 ; 0,1 ; 0,1"),
                ("2,3,4 ; 2", "mismatch at 1 of b"),
                ("2,1,4 ; 4", "direction at 1 of b"),
                ("2,3,4 ; 3 ; ()", "rank of c"),
                ("2,3,4 ; 3 ; 1", "rank of c"),
                ("2,3,4 ; 3 ; 4", "mismatch at 1 of c"),
                ("2,3,4 ; 3,1", "rank of b"),
                ("6 ; 6", "axis of b"),
                ("() ; 1", "axis of b"),
            ],
        );
        check(&Rule::axis_lists(-3, true), &[("2,3,4 ; 2", "2,3,4 ; 12,4,1 ; 1,0,0"), ("2,3 ; 2", "axis of b")]);
    }

    #[test]
    fn lists_that_repeat_alone() {
        check(
            &Rule::axis_lists_each(1),
            &[
                ("2,3,4 ; 3 ; ()", "2,3,4 ; 12,4,1 ; 0,1,0 ; 0,0,0"),
                ("2,3,4 ; 1 ; 3", "2,3,4 ; 12,4,1 ; 0,0,0 ; 0,1,0"),
                ("2,3,4 ; 3 ; 4", "mismatch at 1 of c"),
                ("2,1,4 ; 4", "direction at 1 of b"),
                ("2,3,4 ; () ; 3,1", "rank of c"),
                ("6 ; 1", "axis of b"),
            ],
        );
    }

    #[test]
    fn lists_that_never_repeat() {
        check(
            &Rule::axis_lists(1, false),
            &[
                ("2,3,4 ; 3 ; 3", "2,3,4 ; 12,4,1 ; 0,1,0 ; 0,1,0"),
                ("2,1,4 ; 1", "2,1,4 ; 4,0,1 ; 0,0,0"),
                ("2,3,4 ; 1", "mismatch at 1 of b"),
                ("2,3,4 ; ()", "rank of b"),
            ],
        );
    }
}
