//! QNN's HTP back end, through ONNX Runtime. Models were compiled, not run: values are documented only.

use broadaxe_kernels::{DType, id};
use broadaxe_shape::SymbolicShape;

use super::{
    Asked, Deployment, Evidence, Law, PLAIN, Profile, Route, Way, When,
    affine::{self, factor, to_nothing},
    channels, contrib,
    inside::{GROUP_NORM, NO_FLAT_DATA, flat_data, has_computed_list, lists},
    integer_layers, quantised,
};
use crate::meaning::Kind;

const COMPILED: Evidence = Evidence::run_here("QNN 2.7.0; onnxruntime-qnn, HTP v73, compiled and not run");
const COMPILED_NODES: Evidence = Evidence::run_here(
    "QNN 2.7.0; onnxruntime-qnn, HTP v73, compiled and not run; recorded answers, conformance/laws/record.py",
);
const COMPILED_INSIDE: Evidence = Evidence::run_here(
    "QNN 2.7.0; onnxruntime-qnn, HTP v73, compiled and not run; recorded answers, conformance/laws/inside.py",
);
const QNN_VALUES: Evidence =
    Evidence::documented("ONNX Broadcasting.md, which QNN's execution provider follows; not run");

/// The operators of two operands that were compiled up to rank 5.
const TO_RANK_5: When = When::All(&[
    When::Operands(2),
    When::Operator(&[
        id("add"),
        id("sub"),
        id("mul"),
        id("div"),
        id("pow"),
        id("equal"),
        id("less"),
        id("less_equal"),
        id("greater"),
        id("greater_equal"),
    ]),
]);
/// Those that were compiled up to rank 4.
const TO_RANK_4: When = When::All(&[
    When::Operands(2),
    When::Operator(&[id("max"), id("min"), id("logical_and"), id("logical_or"), id("logical_xor")]),
]);

pub(super) static QNN: Profile = Profile {
    name: "qnn",
    title: "QNN",
    deployment: Deployment::Phone,
    summary: "QNN HTP through ONNX Runtime (compiled only; values are documented)",
    route: Route::new(
        &["onnx", "tflite"],
        Evidence::run_here("ONNX Runtime; the QNN converter for TFLite is documented"),
    ),
    laws: &[
        contrib::QNN_CONTRIB[0],
        contrib::QNN_CONTRIB[1],
        integer_layers::QNN_INTEGERS[0],
        integer_layers::QNN_INTEGERS[1],
        integer_layers::QNN_INTEGERS[2],
        integer_layers::QNN_INTEGERS[3],
        integer_layers::QNN_INTEGERS[4],
        integer_layers::QNN_INTEGERS[5],
        integer_layers::QNN_INTEGERS[6],
        quantised::QNN_SCALES[0],
        quantised::QNN_SCALES[1],
        quantised::QNN_SCALES[2],
        quantised::QNN_SCALES[3],
        quantised::QNN_SCALES[4],
        quantised::QNN_SCALES[5],
        quantised::QNN_SCALES[6],
        Law {
            kinds: &[Kind::Slope],
            when: &[channels::WRONG_SLOPE],
            way: Way::Unknown,
            text: "compiles a slope that does not stretch to the data; results were not tested",
            evidence: COMPILED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Slope],
            when: &[When::Opset6],
            way: Way::Refused,
            text: "accepts only ONNX of opset 7 and later",
            evidence: COMPILED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Select, Kind::Bounds, Kind::Affine, Kind::Bias],
            when: &[When::AllConstant],
            way: Way::Own,
            text: "computes constant nodes when ONNX Runtime loads the model",
            evidence: COMPILED_NODES,
        },
        Law {
            kinds: &[],
            when: &[When::Empty],
            way: Way::Refused,
            text: "does not accept dims of 0",
            evidence: COMPILED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Select],
            when: &[When::Holds(unsupported_dtype)],
            way: Way::Refused,
            text: "does not support f64, or bool in Equal and Where",
            evidence: COMPILED_NODES,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[TO_RANK_5, When::RankAbove(5)],
            way: Way::RefusedRank,
            text: "supports ranks up to 5 here",
            evidence: COMPILED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[TO_RANK_4, When::RankAbove(4)],
            way: Way::RefusedRank,
            text: "supports ranks up to 4 here",
            evidence: COMPILED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(&[id("pow")]), When::RankAbove(4)],
            way: Way::Unknown,
            text: "compiles only some Pow nodes of rank 5",
            evidence: COMPILED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[TO_RANK_5, When::RankAbove(4), When::Holds(low_constant_stretches)],
            way: Way::Unknown,
            text: "crashed the compiler on the only such node tested (rank 5, lower-rank constant)",
            evidence: COMPILED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[When::Any(&[TO_RANK_5, TO_RANK_4])],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: QNN_VALUES,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[When::RankAbove(5)],
            way: Way::RefusedRank,
            text: "supports ranks up to 5 here",
            evidence: COMPILED_NODES,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: QNN_VALUES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Not(&When::Holds(affine::last_only))],
            way: Way::Refused,
            text: "normalises the last axis only",
            evidence: COMPILED_NODES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::RankAbove(4)],
            way: Way::RefusedRank,
            text: "supports ranks up to 4 here",
            evidence: COMPILED_NODES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Holds(affine::all_exact)],
            way: Way::Own,
            text: "scales and shifts along the last axis",
            evidence: QNN_VALUES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[],
            way: Way::Unknown,
            text: "compiles some normalisations whose scale or bias is not (n,); results untested",
            evidence: COMPILED_NODES,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Holds(|asked| Some(factor(asked.node, "alpha") == 1.0 && factor(asked.node, "beta") == 1.0))],
            way: Way::Own,
            text: "computes a product and a sum that stretches C",
            evidence: QNN_VALUES,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Holds(|asked| Some(factor(asked.node, "alpha") == 1.0 && factor(asked.node, "beta") == 0.0))],
            way: Way::Unknown,
            text: "compiles Gemm with beta=0; its results were not tested",
            evidence: COMPILED_NODES,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[],
            way: Way::Refused,
            text: "supports Gemm only with alpha=1 and beta=1",
            evidence: COMPILED_NODES,
        },
        Law {
            kinds: &[Kind::Lengths, Kind::Mask],
            when: &[When::Dtype(&[DType::F64])],
            way: Way::Refused,
            text: "does not support f64",
            evidence: COMPILED_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[GROUP_NORM],
            way: Way::Unsupported,
            text: "does not support GroupNormalization",
            evidence: COMPILED_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Named(&["BatchNormalization"]), When::Holds(has_computed_list)],
            way: Way::Refused,
            text: "accepts only constant lists in BatchNormalization",
            evidence: COMPILED_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Named(&["BatchNormalization", "InstanceNormalization"]), When::RankAbove(4)],
            way: Way::RefusedRank,
            text: "normalises only data of ranks up to 4",
            evidence: COMPILED_INSIDE,
        },
        flat_data(Way::Refused, NO_FLAT_DATA, COMPILED_INSIDE),
        lists(QNN_VALUES),
        Law {
            kinds: &[Kind::Mask],
            when: &[When::Holds(|asked| Some(asked.dtype(1) == Some(DType::Bool)))],
            way: Way::Refused,
            text: "does not compile Attention with a mask of bool",
            evidence: COMPILED_INSIDE,
        },
        Law {
            kinds: &[Kind::Mask],
            when: &[],
            way: Way::Own,
            text: "receives nodes in place of Attention, one of them a sum with the mask",
            evidence: QNN_VALUES,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Any(&[When::Not(&When::Constant(1)), When::Not(&When::Constant(2))])],
            way: Way::Refused,
            text: "accepts only constant bounds in Clip",
            evidence: COMPILED_NODES,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Dtype(&[DType::F32, DType::F16, DType::I32, DType::I64])],
            way: Way::Own,
            text: "computes Clip with bounds of one element",
            evidence: QNN_VALUES,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("unidirectional"),
            text: "aligns the slope of PRelu to the right and stretches only the slope",
            evidence: QNN_VALUES,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(to_scalar)],
            way: Way::Refused,
            text: "does not accept stretching a tensor to the shape of a scalar",
            evidence: COMPILED,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(to_nothing)],
            way: Way::Refused,
            text: "does not accept dims of 0",
            evidence: COMPILED_NODES,
        },
        Law {
            kinds: &[Kind::Stretch, Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "follows ONNX",
            evidence: QNN_VALUES,
        },
    ],
    ..PLAIN
};

/// Says whether a constant may stretch an operand of a higher rank than its own.
fn low_constant_stretches(asked: &Asked<'_>) -> Option<bool> {
    let [a, b] = asked.operands.shapes() else { return Some(false) };
    let stretches = |constant: &SymbolicShape, other: &SymbolicShape| {
        let (Some(constant), Some(other)) = (constant.dims(), other.dims()) else { return true };
        let mut pairs = constant.iter().rev().zip(other.iter().rev());
        constant.len() < other.len()
            && pairs.any(|(dim, other)| dim.size() != Some(1) && other.size().is_none_or(|size| size == 1))
    };
    let constant = |k: usize| asked.constants.get(k) == Some(&true);
    Some(constant(0) && stretches(a, b) || constant(1) && stretches(b, a))
}

/// Finds wanted shapes without dims, which do not change the tensor.
fn to_scalar(asked: &Asked<'_>) -> Option<bool> {
    let wanted = asked.node.input(1).and_then(|value| asked.shape(value)).and_then(SymbolicShape::known);
    Some(wanted.is_some_and(|wanted| *wanted == [0]))
}

/// Finds dtypes that are refused, where the file tells the dtype.
fn unsupported_dtype(asked: &Asked<'_>) -> Option<bool> {
    let of = |dtypes: &'static [DType]| When::Dtype(dtypes).holds(asked) == Some(true);
    let bools = asked.meaning.kind == Kind::Select || asked.operator() == Some(id("equal"));
    Some(of(&[DType::F64]) || bools && of(&[DType::Bool]))
}
