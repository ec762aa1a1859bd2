//! ONNX: from opset 7 on NumPy's rule and the one-way rule of some operators; before it runs of axes, or nothing.

use broadaxe_frameworks::{System, called, operators};
use broadaxe_shape::Rule;

use super::{Asked, Does, Evidence, Law, Profile, Way};
use crate::meaning::Kind;

const RUNTIME: Evidence = Evidence::run_here("ONNX Runtime 1.31, onnx 1.23; conformance, test_engines.py");
const SCHEMAS: Evidence = Evidence::documented("ONNX operator schemas");

pub(super) static ONNX: Profile = Profile {
    name: "onnx",
    summary: "ONNX of opset 7 and later",
    laws: &[
        Law {
            kinds: &[Kind::Stretch, Kind::Channel, Kind::Unary, Kind::Affine, Kind::Bias],
            way: Way::Own,
            text: "has an operator that says the same",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[Kind::Slope],
            way: Way::Rule("unidirectional"),
            text: "aligns the slope of PRelu to the right and stretches nothing else",
            evidence: RUNTIME,
        },
        Law {
            kinds: &[Kind::Bounds],
            way: Way::Rule("onnx-clip"),
            text: "takes scalars as the bounds of Clip",
            evidence: RUNTIME,
        },
        Law {
            kinds: &[Kind::Quantize],
            way: Way::Unknown,
            text: "has no FakeQuantize; what is built in its place decides",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: RUNTIME,
        },
    ],
};

pub(super) static ONNX_6: Profile = Profile {
    name: "onnx6",
    summary: "ONNX before opset 7: shapes as they are, with broadcast=1 and no axis where they differ",
    laws: &[
        Law { kinds: &[], way: Way::Ask(absent), text: "has no such operator before opset 7", evidence: SCHEMAS },
        Law {
            kinds: &[Kind::Unary, Kind::Channel, Kind::Affine, Kind::Quantize],
            way: Way::Own,
            text: "has an operator that says the same",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[Kind::Bounds],
            way: Way::Rule("onnx-clip"),
            text: "has the bounds of Clip as attributes",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[Kind::Many],
            way: Way::Rule("none"),
            text: "takes equal shapes for Max, Min, Sum and Mean before opset 8",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[Kind::Bias],
            way: Way::Rule("unidirectional"),
            text: "stretches C under broadcast=1",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[Kind::Slope],
            way: Way::Rule("onnx-legacy axis=1"),
            text: "gives one slope to all elements, or one to each entry of axis 1",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[],
            way: Way::Ask(legacy),
            text: "takes equal shapes, or one element or a suffix as the second operand",
            evidence: SCHEMAS,
        },
    ],
};

/// Finds operators that came with opset 7 or later; an operator of another framework goes by what it computes.
fn absent(asked: &Asked<'_>) -> Option<Does> {
    let unsupported = |what: &str| Some(Does::Unsupported(format!("has no {what} before opset 7").into()));
    if matches!(asked.meaning.kind, Kind::Stretch | Kind::Select | Kind::Affine | Kind::Quantize) {
        return unsupported(&asked.node.op);
    }
    let known = if asked.is_of(System::Onnx) {
        called(System::Onnx, &asked.node.op).first().is_some_and(|row| row.since() <= 6)
    } else {
        asked.operator().is_some_and(|ours| {
            let computes =
                |row: &broadaxe_frameworks::Row| row.choices().any(|choice| choice.arithmetic.operator() == Some(ours));
            operators(System::Onnx).any(|row| row.since() <= 6 && computes(row))
        })
    };
    if known { None } else { unsupported(&asked.node.op) }
}

/// A node of an old model is what it is; any other is written with `broadcast=1` where shapes differ.
fn legacy(asked: &Asked<'_>) -> Option<Does> {
    if asked.is_of(System::Onnx) && asked.node.version < 7 {
        return Some(Does::Own);
    }
    Some(Does::Rule(Rule::onnx_legacy(None)))
}
