//! ONNX before opset 7 on runtimes that do not read the attributes of its broadcasts.

use broadaxe_frameworks::System;
use broadaxe_kernels::{OpId, id};
use broadaxe_shape::Rule;

use super::{Asked, Does};
use crate::meaning::Kind;

/// The operators that runtimes were asked about with `broadcast` and `axis`.
const ASKED: &[OpId] = &[
    id("add"),
    id("sub"),
    id("mul"),
    id("div"),
    id("pow"),
    id("less"),
    id("greater"),
    id("logical_and"),
    id("logical_or"),
    id("logical_xor"),
];

/// Says whether a node is ONNX's and of an opset before 7.
pub(super) fn is_old(asked: &Asked<'_>) -> bool {
    asked.is_of(System::Onnx) && asked.node.version < 7
}

/// Aligns the operands of an old node to the right, as a runtime does that ignores `axis`.
pub(super) fn axis_ignored(asked: &Asked<'_>) -> Option<Does> {
    if !is_old(asked) || asked.meaning.kind != Kind::Binary {
        return None;
    }
    if asked.operator().is_some_and(|op| ASKED.contains(&op)) {
        return Some(Does::Rule(Rule::numpy()));
    }
    Some(Does::Unknown("ignores the axis of operators before opset 7; this operator was not asked".into()))
}

/// Refuses every old node.
pub(super) fn refused(asked: &Asked<'_>) -> Option<Does> {
    is_old(asked).then(|| Does::Refused("supports ONNX of opset 7 and later".into()))
}

/// Leaves open what becomes of an old node on a runtime that reads no ONNX itself.
pub(super) fn unread(asked: &Asked<'_>) -> Option<Does> {
    let text = "reads no ONNX itself, and what a converter does with operators before opset 7 is not known";
    is_old(asked).then(|| Does::Unknown(text.into()))
}
