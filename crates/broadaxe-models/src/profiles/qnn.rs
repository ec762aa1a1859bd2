//! QNN's HTP back end, through ONNX Runtime. Models were compiled, not run: values are documented only.

use broadaxe_kernels::{OpId, id};
use broadaxe_shape::{Rule, SymbolicShape};

use super::{Asked, Does, Evidence, Law, PLAIN, Profile, Route, Way, mnn::has_no_elements, opset6};
use crate::meaning::Kind;

const COMPILED: Evidence = Evidence::run_here("QNN 2.7.0; onnxruntime-qnn, HTP v73, compiled and not run");
const QNN_VALUES: Evidence =
    Evidence::documented("ONNX Broadcasting.md, which QNN's execution provider follows; not run");

/// The operators that were compiled, each with its largest rank.
const LARGEST_RANKS: &[(OpId, usize)] = &[
    (id("add"), 5),
    (id("sub"), 5),
    (id("mul"), 5),
    (id("div"), 5),
    (id("pow"), 5),
    (id("equal"), 5),
    (id("less"), 5),
    (id("greater"), 5),
    (id("max"), 4),
    (id("min"), 4),
    (id("logical_and"), 4),
];

pub(super) static QNN: Profile = Profile {
    name: "qnn",
    summary: "QNN HTP through ONNX Runtime (compiled only; values are documented)",
    route: Route::new(
        &["onnx", "tflite"],
        Evidence::run_here("ONNX Runtime; the QNN converter for TFLite is documented"),
    ),
    laws: &[
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Slope],
            way: Way::Ask(opset6::refused),
            text: "supports ONNX of opset 7 and later",
            evidence: COMPILED,
        },
        Law {
            kinds: &[Kind::Select],
            way: Way::Unknown,
            text: "could not compile Where in the set-up that was asked, for lack of memory in the compiler",
            evidence: COMPILED,
        },
        Law { kinds: &[], way: Way::Ask(empty), text: "refuses dims of 0", evidence: COMPILED },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            way: Way::Ask(rank),
            text: "supports ranks up to 5, Max, Min and And up to 4",
            evidence: COMPILED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            way: Way::Ask(numpy),
            text: "aligns shapes to the right and stretches every operand",
            evidence: QNN_VALUES,
        },
        Law {
            kinds: &[Kind::Slope],
            way: Way::Rule("unidirectional"),
            text: "aligns the slope of PRelu to the right and stretches nothing else",
            evidence: QNN_VALUES,
        },
        Law {
            kinds: &[Kind::Stretch],
            way: Way::Ask(scalar),
            text: "refuses to stretch a tensor to the shape of a scalar",
            evidence: COMPILED,
        },
        Law { kinds: &[Kind::Stretch, Kind::Unary], way: Way::Own, text: "does what ONNX says", evidence: QNN_VALUES },
    ],
    ..PLAIN
};

fn empty(asked: &Asked<'_>) -> Option<Does> {
    has_no_elements(asked).then(|| Does::Refused("refuses dims of 0".into()))
}

fn largest(asked: &Asked<'_>) -> Option<usize> {
    let op = asked.operator()?;
    let known = LARGEST_RANKS.iter().find(|(known, _)| *known == op)?;
    (asked.operands.len() == 2).then_some(known.1)
}

fn rank(asked: &Asked<'_>) -> Option<Does> {
    let largest = largest(asked)?;
    let Some(rank) = asked.rank() else {
        return Some(Does::Unknown(format!("supports ranks up to {largest}, and the ranks are not known").into()));
    };
    if rank > largest {
        return Some(Does::RefusedRank(
            format!("supports ranks up to {largest} here; an operand has rank {rank}").into(),
        ));
    }
    if asked.operator() == Some(id("pow")) && rank == 5 {
        return Some(Does::Unknown("compiles some nodes of Pow of rank 5, and which is not known".into()));
    }
    (rank == 5 && low_constant_stretches(asked)).then(|| {
        let text = "ended the compiler's process for the one node that was asked of rank 5 with a constant of lower rank that stretches the other operand";
        Does::Unknown(text.into())
    })
}

/// Says whether a constant may stretch an operand of a higher rank than its own.
fn low_constant_stretches(asked: &Asked<'_>) -> bool {
    let [a, b] = asked.operands else { return false };
    let stretches = |constant: &SymbolicShape, other: &SymbolicShape| {
        let (Some(constant), Some(other)) = (constant.dims(), other.dims()) else { return true };
        let mut pairs = constant.iter().rev().zip(other.iter().rev());
        constant.len() < other.len()
            && pairs.any(|(dim, other)| dim.size() != Some(1) && other.size().is_none_or(|size| size == 1))
    };
    let constant = |k: usize| asked.constants.get(k) == Some(&true);
    constant(0) && stretches(a, b) || constant(1) && stretches(b, a)
}

fn numpy(asked: &Asked<'_>) -> Option<Does> {
    largest(asked).map(|_| Does::Rule(Rule::numpy()))
}

/// Finds wanted shapes without dims, which do not change the tensor.
fn scalar(asked: &Asked<'_>) -> Option<Does> {
    let wanted = asked.node.input(1).and_then(|value| asked.shape(value))?.known()?;
    (*wanted == [0]).then(|| Does::Refused("refuses to stretch a tensor to the shape of a scalar".into()))
}
