//! ONNX before opset 7 on runtimes that do not read the attributes of its broadcasts.

use broadaxe_kernels::{OpId, id};

use super::{Evidence, Law, Way, When};
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

/// Makes the law of a runtime that aligns the operands of old nodes to the right, whatever `axis` says.
pub(super) const fn axis_ignored(evidence: Evidence) -> Law {
    Law {
        kinds: &[Kind::Binary],
        when: &[When::Opset6, When::Operator(ASKED)],
        way: Way::Rule("numpy"),
        text: "ignores the axis of operators before opset 7 and aligns shapes to the right",
        evidence,
    }
}

/// Makes the law that follows it: other operators were not asked.
pub(super) const fn axis_unasked(evidence: Evidence) -> Law {
    Law {
        kinds: &[Kind::Binary],
        when: &[When::Opset6],
        way: Way::Unknown,
        text: "ignores the axis of operators before opset 7; this operator was not tested",
        evidence,
    }
}

/// What a runtime says of old nodes that reads no ONNX itself.
pub(super) const UNREAD: &str = "cannot load ONNX; what converters do with operators before opset 7 is unknown";
