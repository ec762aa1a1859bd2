//! ONNX before opset 7: `broadcast`, `axis` and `consumed_inputs`, and the axis of Paddle.
//!
//! The reader of ONNX moves the second operand of some operators to their axis; of the others it leaves the axis out of
//! account, and both operands are aligned to the right. `Add` of before opset 6 is refused with `consumed_inputs`.
//! Source: `src/frontends/onnx/frontend/src/op/`, a file per operator.

use broadaxe_frameworks::System;
use broadaxe_kernels::{OpId, id};
use broadaxe_shape::Rule;

use super::super::{Asked, Does};

/// The operators whose axis the reader heeds.
const HEEDS: &[OpId] = &[id("add"), id("sub"), id("mul"), id("div"), id("logical_and")];

/// Says where the second operand of an old node goes, and that of one of Paddle's.
pub(super) fn placed(asked: &Asked<'_>) -> Option<Does> {
    let node = asked.node;
    let rule = &asked.meaning.rule;
    if rule.name() == "paddle" {
        return Some(Does::Rule(Rule::pdpd(rule.params().axis.unwrap_or(-1))));
    }
    if !asked.is_of(System::Onnx) || node.version >= 7 {
        return None;
    }
    if asked.operator() == Some(id("add")) && node.version < 6 && node.attribute("consumed_inputs").is_some() {
        return Some(Does::Refused("does not accept consumed_inputs of Add before opset 6".into()));
    }
    let lost = node.attribute("axis").is_some()
        && !asked.operator().is_some_and(|op| HEEDS.contains(&op))
        && rule.name() == "onnx-legacy";
    Some(if lost { Does::Rule(Rule::numpy()) } else { Does::Own })
}
