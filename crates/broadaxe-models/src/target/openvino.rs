//! OpenVINO: NumPy's rule unless the model says otherwise, and a `PReLU` that prefers axis 1.

use broadaxe_frameworks::System;
use broadaxe_shape::{Rule, SymbolicShape};

use super::{Asked, Does, Evidence, Law, Profile, Way};
use crate::meaning::Kind;

const RUN: Evidence = Evidence::run_here("OpenVINO 2026.4; conformance, test_engines.py");
const PRELU: Evidence = Evidence::run_here("OpenVINO 2026.4; conformance, models_prelu.py");

pub(super) static PROFILE: Profile = Profile {
    name: "openvino",
    summary: "OpenVINO 2026, through its own files or its readers of ONNX and Paddle",
    laws: &[
        Law {
            kinds: &[Kind::Binary, Kind::Select],
            way: Way::Ask(lost_axis),
            text: "loses the axis of PDPD when it compiles this operator for the CPU",
            evidence: PRELU,
        },
        Law { kinds: &[], way: Way::Ask(own), text: "wrote the model", evidence: RUN },
        Law {
            kinds: &[Kind::Slope],
            way: Way::Rule("openvino-prelu"),
            text: "puts a slope of rank 1 at axis 1 if the lengths match, else aligns it to the right",
            evidence: PRELU,
        },
        Law {
            kinds: &[Kind::Stretch],
            way: Way::Ask(empty),
            text: "crashes when it stretches a tensor without elements",
            evidence: Evidence::documented("OpenVINO 2026.4, CPU plugin"),
        },
        Law {
            kinds: &[Kind::Stretch, Kind::Channel, Kind::Unary, Kind::Affine, Kind::Bias, Kind::Bounds],
            way: Way::Own,
            text: "has an operator that says the same",
            evidence: RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            way: Way::Ask(legacy),
            text: "reads broadcast and axis of old ONNX files as they are meant",
            evidence: Evidence::run_here("OpenVINO 2026.4; conformance, models_prelu.py"),
        },
        Law {
            kinds: &[Kind::Select],
            way: Way::Rule("openvino-select"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: RUN,
        },
        Law {
            kinds: &[Kind::Quantize],
            way: Way::Rule("openvino-fake-quantize"),
            text: "stretches the limits to the data",
            evidence: RUN,
        },
        Law {
            kinds: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: RUN,
        },
    ],
};

/// What the CPU plugin rewrites as an operator that has no axis any more.
const LOSES: &[&str] = &["Subtract", "Divide", "BitwiseAnd", "BitwiseOr", "BitwiseXor"];
/// What it computes with operands of equal rank, after putting axes of 1 in front of the second.
const PADS: &[&str] = &[
    "Equal",
    "NotEqual",
    "Less",
    "LessEqual",
    "Greater",
    "GreaterEqual",
    "LogicalAnd",
    "LogicalOr",
    "LogicalXor",
    "Xor",
    "Select",
];

/// Says what the CPU plugin does with nodes under PDPD, where it does not do what they say.
fn lost_axis(asked: &Asked<'_>) -> Option<Does> {
    let rule = &asked.meaning.rule;
    let pdpd = rule.name() == "pdpd" || rule.params().mode.as_deref() == Some("pdpd");
    if !asked.is_of(System::Openvino) || !pdpd {
        return None;
    }
    let (op, axis) = (asked.node.op.as_str(), rule.params().axis.unwrap_or(-1));
    let refused = |why: String| Some(Does::Refused(why.into()));
    if op == "Mod" {
        return refused("does not compile Mod with auto_broadcast=\"pdpd\" for the CPU".to_string());
    }
    let ranks: Option<Vec<usize>> = asked.operands.iter().map(SymbolicShape::rank).collect();
    let equal = ranks.is_some_and(|ranks| ranks.iter().all(|rank| *rank == ranks[0]));
    if axis < 0 || equal {
        return None;
    }
    if LOSES.contains(&op) {
        return Some(Does::Rule(Rule::pdpd(-1)));
    }
    match PADS.contains(&op) {
        true if axis > 0 || op == "Select" => refused(format!("does not compile {op} with axis={axis} for the CPU")),
        true => Some(Does::Rule(Rule::pdpd(-1))),
        false => None,
    }
}

fn own(asked: &Asked<'_>) -> Option<Does> {
    asked.is_of(System::Openvino).then_some(Does::Own)
}

fn empty(asked: &Asked<'_>) -> Option<Does> {
    let none = asked.elements(0) == Some(0);
    none.then(|| Does::Refused("crashes when it stretches a tensor without elements".into()))
}

/// OpenVINO's reader of ONNX aligns the second operand of old nodes to their axis, and Paddle's axis is PDPD there.
fn legacy(asked: &Asked<'_>) -> Option<Does> {
    if asked.is_of(System::Onnx) && asked.node.version < 7 {
        return Some(Does::Own);
    }
    let rule = &asked.meaning.rule;
    (rule.name() == "paddle").then(|| Does::Rule(Rule::pdpd(rule.params().axis.unwrap_or(-1))))
}
