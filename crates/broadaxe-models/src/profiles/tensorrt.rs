//! TensorRT, through its parser for ONNX. Documented only: its developers' source was read, and nothing was run.

use broadaxe_shape::Rule;

use super::{Asked, Does, Evidence, Law, PLAIN, Profile, Route, Way, opset6};
use crate::meaning::Kind;

const PARSER: Evidence =
    Evidence::documented("onnx-tensorrt 10, importerUtils.cpp, broadcastTensor and elementwiseHelper; not run");
const IMPORTERS: Evidence = Evidence::documented("onnx-tensorrt 10, onnxOpImporters.cpp, PRelu and Where; not run");

/// The largest rank of a tensor, `nvinfer1::Dims::MAX_DIMS`.
const MAX_DIMS: usize = 8;

pub(super) static TENSORRT: Profile = Profile {
    name: "tensorrt",
    summary: "TensorRT through its parser for ONNX (documented, not run)",
    aliases: &["trt"],
    route: Route::new(&["onnx"], Evidence::documented("TensorRT, its parser for ONNX")),
    laws: &[
        Law {
            kinds: &[Kind::Binary, Kind::Slope, Kind::Select],
            way: Way::Ask(opset6::refused),
            text: "supports ONNX of opset 7 and later",
            evidence: PARSER,
        },
        Law {
            kinds: &[],
            way: Way::Ask(rank),
            text: "supports ranks up to 8",
            evidence: Evidence::documented("TensorRT, NvInferRuntimeBase.h, Dims::MAX_DIMS; not run"),
        },
        Law {
            kinds: &[Kind::Binary],
            way: Way::Rule("numpy"),
            text: "gives every operand the largest rank, 1s in front, and stretches every operand",
            evidence: PARSER,
        },
        Law {
            kinds: &[Kind::Slope],
            way: Way::Rule("unidirectional"),
            text: "gives the slope the rank of the data, 1s in front",
            evidence: IMPORTERS,
        },
        Law {
            kinds: &[Kind::Select],
            way: Way::Rule("numpy"),
            text: "gives every operand the largest rank, 1s in front, and stretches every operand",
            evidence: IMPORTERS,
        },
        Law {
            kinds: &[Kind::Many],
            way: Way::Ask(combined),
            text: "gives every operand the largest rank, 1s in front, and stretches every operand",
            evidence: PARSER,
        },
        Law {
            kinds: &[Kind::Unary],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: Evidence::documented("TensorRT, Operators: Unary; not run"),
        },
    ],
    ..PLAIN
};

fn rank(asked: &Asked<'_>) -> Option<Does> {
    let rank = asked.rank().filter(|rank| *rank > MAX_DIMS)?;
    Some(Does::RefusedRank(format!("supports ranks up to {MAX_DIMS}; an operand has rank {rank}").into()))
}

/// The parser combines a list of operands one by one, all of one rank.
fn combined(asked: &Asked<'_>) -> Option<Does> {
    (!opset6::is_old(asked)).then(|| Does::Rule(Rule::numpy()))
}
