//! The bounds of ONNX `Clip`: scalars, and nothing broadcasts.
//!
//! The first operand is the data and has the result's shape. Every other operand, a lower and an upper bound, has rank
//! 0 and repeats for each element. A bound that is omitted counts as a scalar. A bound of shape (1,) is rejected,
//! although it would mean the same.
//!
//! Deviations: ONNX Runtime 1.31 also accepts a bound of shape (1,). The reference evaluator broadcasts a bound of any
//! shape.
//!
//! Source: ONNX operator schema `Clip`, since opset 11: "min" and "max" are tensors of empty shape.

use core::fmt;

use super::{Call, RuleDef};
use crate::{
    align::{Placement, RuleCall, Stretch},
    axes::Axes,
    error::{Error, ErrorKind},
    few::{Empty, PerOperand},
};

pub(super) static ONNX_CLIP: RuleDef = RuleDef {
    name: "onnx-clip",
    title: "ONNX Clip",
    summary: "accepts scalar bounds of the first operand, and broadcasts nothing else (ONNX Clip)",
    source: "ONNX operator schema Clip, since opset 11",
    operands: (3, 3),
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    let rank = call.extents.rank(0);
    let mut axes = PerOperand::<Axes>::default();
    axes.push((0..rank).into());
    for k in 1..call.extents.count() {
        let own = call.extents.rank(k);
        if own > 0 {
            let text = move |asked: &RuleCall, f: &mut fmt::Formatter<'_>| {
                write!(f, "{} has rank {own}; a bound must be a scalar, of shape ()", asked.name(k))
            };
            return Err(call.fail(ErrorKind::Rank, text).operand_at(k));
        }
        axes.push(Axes::EMPTY);
    }
    Ok(Placement { rank, axes, stretch: Stretch::Into(0) })
}

#[cfg(test)]
mod tests {
    use crate::{Params, Rule};

    #[test]
    fn bounds_are_scalars() {
        let rule = Rule::new("onnx-clip", Params::default()).expect("in the list");
        let cases: &[(&[&[usize]], bool)] = &[
            (&[&[2, 3], &[], &[]], true),
            (&[&[], &[], &[]], true),
            (&[&[2, 3], &[]], false),
            (&[&[0], &[], &[]], true),
            (&[&[2, 3], &[1], &[]], false),
            (&[&[2, 3], &[], &[3]], false),
            (&[&[2, 3], &[], &[], &[]], false),
        ];
        for &(shapes, good) in cases {
            let got = rule.align(shapes);
            assert_eq!(got.as_ref().ok().map(|a| a.shape().dims()), good.then_some(shapes[0]), "{shapes:?}: {got:?}");
        }
    }
}
