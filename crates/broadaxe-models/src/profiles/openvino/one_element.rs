//! Constants of one element that lose their axes, and shapes without entries.
//!
//! Snippets, the compiler of broadcasting nodes in the CPU plugin, turns a constant of one element into a scalar of shape
//! (1). Under `auto_broadcast="none"` that is another shape than the partner's, unless the rank is 1. And the CPU plugin
//! keeps a tensor of rank 0 as one of shape (1), which `Expand` to a shape without entries brings to light; a shape
//! without entries that is computed is read where nothing was written.

use broadaxe_frameworks::System;
use broadaxe_kernels::id;

use super::super::{Asked, Does, neighbours::Op};
use crate::meaning::Kind;

/// Refuses a constant of one element under `none`.
pub(super) fn none(asked: &Asked<'_>) -> Option<Does> {
    // Differences and quotients are rewritten first, without the attribute.
    let rewritten = asked.operator().is_some_and(|op| op == id("sub") || op == id("div"));
    // So are Max and Min of ONNX before opset 8 read.
    let old = asked.is_of(System::Onnx) && asked.meaning.kind == Kind::Many;
    // A mean is a sum that is divided, and computed in another way.
    if old && asked.operator() == Some(id("mean")) {
        return None;
    }
    if !(asked.is_of(System::Openvino) || old) || asked.meaning.rule.name() != "none" || rewritten {
        return None;
    }
    let one = (0..asked.operands.len()).any(|k| asked.constants[k] && asked.elements(k) == Some(1));
    let all = asked.constants.iter().all(|constant| *constant);
    if !one || all {
        return None;
    }
    match asked.rank() {
        Some(1) if old => {
            Some(Does::Unknown("may reshape a constant of one element where equal shapes are required".into()))
        }
        Some(1) => {
            let reader = asked.node.output(0).and_then(|value| asked.reader(value));
            let scaled = reader.is_some_and(|(node, _)| matches!(asked.op(node), Some(Op::Mul | Op::Div)));
            scaled.then(|| {
                Does::Unknown(
                    "may move the next factor before the node, which auto_broadcast=\"none\" does not accept".into(),
                )
            })
        }
        _ if old && asked.operands.len() > 2 && asked.operator() == Some(id("sum")) => {
            Some(Does::Unknown("may reshape a constant of one element, or add the constants first".into()))
        }
        _ => Some(Does::Refused(
            "reshapes a constant of one element to (1,), which auto_broadcast=\"none\" does not accept".into(),
        )),
    }
}

/// Finds an `Expand` by a shape without entries.
pub(super) fn stretched(asked: &Asked<'_>) -> Option<Does> {
    let target = asked.node.input(1).filter(|_| asked.is_of(System::Onnx) || asked.is_of(System::Openvino))?;
    if asked.shape(target)?.dims()?.first()?.size() != Some(0) {
        return None;
    }
    if !asked.facts.is_constant(target) {
        // A shape that the caller gives is read rightly.
        asked.producer(target)?;
        return Some(Does::Garbled("reads a computed shape without entries from unwritten memory".into()));
    }
    let text = "returns shape (1,) if a tensor of rank 0 is stretched to rank 0";
    (asked.operands.rank(0) == Some(0)).then(|| Does::Garbled(text.into()))
}

/// Refuses a remainder of constants, which OpenVINO folds and has no function for.
pub(super) fn remainder(asked: &Asked<'_>) -> Option<Does> {
    asked.operator().filter(|op| *op == id("fmod"))?;
    let chosen = |k: usize| {
        let maker = asked.value(k).and_then(|value| asked.producer(value));
        maker.is_some_and(|node| {
            asked.op(node) == Some(Op::Select) && node.input(0).is_some_and(|value| asked.facts.is_constant(value))
        })
    };
    if asked.constants.iter().all(|constant| *constant) {
        return Some(Does::Unknown("may not fold a remainder of constants".into()));
    }
    (0..asked.operands.len())
        .all(|k| asked.constants[k] || chosen(k))
        .then(|| Does::Unknown("may fold the operand, but cannot fold a remainder".into()))
}
