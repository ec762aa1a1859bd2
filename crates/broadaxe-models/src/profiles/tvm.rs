//! TVM, through Relax's frontend for ONNX and LLVM.

use broadaxe_kernels::id;

use super::{
    Evidence, Law, PLAIN, Profile, Route, Way, When,
    opset6::{axis_ignored, axis_unasked},
    stretch::{NO_LIST, TO_NONE},
};
use crate::meaning::Kind;

const TVM_RUN: Evidence = Evidence::run_here("TVM 0.27.0.post1; Relax, LLVM, recorded answers");
const TVM_ASKED: Evidence =
    Evidence::run_here("TVM 0.27.0.post1; Relax, LLVM; recorded answers, and conformance, asked");
const TVM_SHAPES: Evidence = Evidence::run_here("TVM 0.27.0.post1; Relax, LLVM, shapes of Expand");
const TVM_SOURCE: Evidence = Evidence::documented("TVM, Relax operators, broadcasting as in NumPy");

pub(super) static TVM: Profile = Profile {
    name: "tvm",
    summary: "TVM through Relax, which reads ONNX",
    route: Route::new(&["onnx", "tflite"], Evidence::run_here("tvm.relax.frontend; models in TFLite are documented")),
    laws: &[
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(&[id("add")]), When::AllEmpty, When::AnyConstant],
            way: Way::Refused,
            text: "refuses sums of two tensors without elements of which one is a constant",
            evidence: TVM_RUN,
        },
        axis_ignored(TVM_RUN),
        axis_unasked(TVM_RUN),
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Opset6],
            way: Way::Rule("unidirectional"),
            text: "reads the slope of PRelu along the last axis, before opset 7 too",
            evidence: TVM_RUN,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("unidirectional"),
            text: "aligns the slope of PRelu to the right and stretches nothing else",
            evidence: TVM_RUN,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid, NO_LIST],
            way: Way::Refused,
            text: "refuses a shape that is no list",
            evidence: TVM_SHAPES,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[TO_NONE],
            way: Way::Refused,
            text: "refuses to stretch an axis to no entries",
            evidence: TVM_SHAPES,
        },
        Law { kinds: &[Kind::Stretch], when: &[], way: Way::Own, text: "repeats the tensor", evidence: TVM_RUN },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: TVM_RUN,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: TVM_ASKED,
        },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: TVM_SOURCE,
        },
    ],
    ..PLAIN
};
