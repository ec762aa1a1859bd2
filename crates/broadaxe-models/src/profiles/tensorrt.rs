//! TensorRT, through its parser for ONNX. Documented only: its developers' source was read, and nothing was run.

use super::{Evidence, Law, PLAIN, Profile, Route, Way, When};
use crate::meaning::Kind;

const PARSER: Evidence =
    Evidence::documented("onnx-tensorrt 10, importerUtils.cpp, broadcastTensor and elementwiseHelper; not run");
const IMPORTERS: Evidence = Evidence::documented("onnx-tensorrt 10, onnxOpImporters.cpp, PRelu and Where; not run");

pub(super) static TENSORRT: Profile = Profile {
    name: "tensorrt",
    summary: "TensorRT through its parser for ONNX (documented, not run)",
    aliases: &["trt"],
    route: Route::new(&["onnx"], Evidence::documented("TensorRT, its parser for ONNX")),
    laws: &[
        Law {
            kinds: &[Kind::Binary, Kind::Slope, Kind::Select],
            when: &[When::Opset6],
            way: Way::Refused,
            text: "supports ONNX of opset 7 and later",
            evidence: PARSER,
        },
        Law {
            kinds: &[],
            when: &[When::RankAbove(8)],
            way: Way::RefusedRank,
            text: "supports ranks up to 8",
            evidence: Evidence::documented("TensorRT, NvInferRuntimeBase.h, Dims::MAX_DIMS; not run"),
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Rule("numpy"),
            text: "gives every operand the largest rank, 1s in front, and stretches every operand",
            evidence: PARSER,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("unidirectional"),
            text: "gives the slope the rank of the data, 1s in front",
            evidence: IMPORTERS,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "gives every operand the largest rank, 1s in front, and stretches every operand",
            evidence: IMPORTERS,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[When::Not(&When::Opset6)],
            way: Way::Rule("numpy"),
            text: "gives every operand the largest rank, 1s in front, and stretches every operand",
            evidence: PARSER,
        },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: Evidence::documented("TensorRT, Operators: Unary; not run"),
        },
    ],
    ..PLAIN
};
