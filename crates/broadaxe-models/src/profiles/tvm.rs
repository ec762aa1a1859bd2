//! TVM, through Relax's frontend for ONNX and LLVM.

use broadaxe_kernels::id;

use super::{
    Asked, Does, Evidence, Law, PLAIN, Profile, Route, Way,
    mnn::has_no_elements,
    opset6::{axis_ignored, is_old},
};
use crate::meaning::Kind;

const TVM_RUN: Evidence = Evidence::run_here("TVM 0.27.0.post1; Relax, LLVM, recorded answers");
const TVM_ASKED: Evidence =
    Evidence::run_here("TVM 0.27.0.post1; Relax, LLVM; recorded answers, and conformance, asked");
const TVM_SOURCE: Evidence = Evidence::documented("TVM, Relax operators, broadcasting as in NumPy");

pub(super) static TVM: Profile = Profile {
    name: "tvm",
    summary: "TVM through Relax, which reads ONNX",
    route: Route::new(&["onnx", "tflite"], Evidence::run_here("tvm.relax.frontend; models in TFLite are documented")),
    laws: &[
        Law {
            kinds: &[Kind::Binary],
            way: Way::Ask(empty_sum),
            text: "refuses sums of two tensors without elements of which one is a constant",
            evidence: TVM_RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            way: Way::Ask(axis_ignored),
            text: "ignores the axis of operators before opset 7 and aligns shapes to the right",
            evidence: TVM_RUN,
        },
        Law {
            kinds: &[Kind::Slope],
            way: Way::Ask(old_slope),
            text: "reads the slope of PRelu along the last axis, before opset 7 too",
            evidence: TVM_RUN,
        },
        Law {
            kinds: &[Kind::Slope],
            way: Way::Rule("unidirectional"),
            text: "aligns the slope of PRelu to the right and stretches nothing else",
            evidence: TVM_RUN,
        },
        Law { kinds: &[Kind::Stretch], way: Way::Own, text: "repeats the tensor", evidence: TVM_RUN },
        Law {
            kinds: &[Kind::Select],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: TVM_RUN,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: TVM_ASKED,
        },
        Law {
            kinds: &[Kind::Unary],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: TVM_SOURCE,
        },
    ],
    ..PLAIN
};

fn empty_sum(asked: &Asked<'_>) -> Option<Does> {
    let both = (0..asked.operands.len()).all(|k| asked.elements(k) == Some(0));
    let constant = asked.constants.iter().any(|constant| *constant);
    (both && constant && has_no_elements(asked) && asked.operator() == Some(id("add")))
        .then(|| Does::Refused("refuses sums of two tensors without elements of which one is a constant".into()))
}

fn old_slope(asked: &Asked<'_>) -> Option<Does> {
    is_old(asked).then(|| Does::Rule(broadaxe_shape::Rule::unidirectional()))
}
