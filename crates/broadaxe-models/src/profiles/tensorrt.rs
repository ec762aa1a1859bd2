//! TensorRT, through its parser for ONNX. Documented only: its developers' source was read, and nothing was run.

use broadaxe_frameworks::Role;
use broadaxe_kernels::DType;

use super::{
    Asked, Deployment, Evidence, Law, PLAIN, Profile, Route, Way, When,
    condition::{INTEGERS, OF_FLOATS},
    contrib,
    inside::{GROUP_NORM, PER_GROUP, lists},
    integer_layers, quantised,
};
use crate::meaning::Kind;

const PARSER: Evidence =
    Evidence::documented("onnx-tensorrt 10, importerUtils.cpp, broadcastTensor and elementwiseHelper; not run");
const IMPORTERS: Evidence = Evidence::documented("onnx-tensorrt 10, onnxOpImporters.cpp, PRelu and Where; not run");
const TYPE_CHECKS: Evidence = Evidence::documented(
    "onnx-tensorrt 10.1, onnxOpImporters.cpp, notInvalidType, and importerUtils.cpp, elementwiseCheck; not run",
);
const OTHERS: Evidence =
    Evidence::documented("onnx-tensorrt 10.1, onnxOpImporters.cpp, LayerNormalization, Gemm, Clip and Expand; not run");
const PARSED_LISTS: Evidence = Evidence::documented(
    "onnx-tensorrt 10.1, onnxOpImporters.cpp, BatchNormalization, Conv and ConvTranspose, importerUtils.cpp, normalizationHelper; not run",
);

pub(super) static TENSORRT: Profile = Profile {
    name: "tensorrt",
    title: "TensorRT",
    deployment: Deployment::Server,
    summary: "TensorRT through its parser for ONNX (documented, not run)",
    aliases: &["trt"],
    route: Route::new(&["onnx"], Evidence::documented("TensorRT, its parser for ONNX")),
    laws: &[
        contrib::TENSORRT_CONTRIB[0],
        contrib::TENSORRT_CONTRIB[1],
        integer_layers::TENSORRT_INTEGERS,
        quantised::TENSORRT_SCALES[0],
        quantised::TENSORRT_SCALES[1],
        quantised::TENSORRT_SCALES[2],
        quantised::TENSORRT_SCALES[3],
        quantised::TENSORRT_SCALES[4],
        quantised::TENSORRT_SCALES[5],
        Law {
            kinds: &[Kind::Binary, Kind::Slope, Kind::Select],
            when: &[When::Opset6],
            way: Way::Refused,
            text: "accepts only ONNX of opset 7 and later",
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
            kinds: &[],
            when: &[When::Named(&["BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"])],
            way: Way::Unsupported,
            text: "does not support bitwise operators",
            evidence: Evidence::documented("onnx-tensorrt 10.1, onnxOpImporters.cpp: no such importers; not run"),
        },
        Law {
            kinds: &[],
            when: &[When::Named(&["Clip", "Expand", "Mod", "Where"]), When::Dtype(&[DType::U8])],
            way: Way::Refused,
            text: "does not support uint8 here",
            evidence: TYPE_CHECKS,
        },
        Law {
            kinds: &[],
            when: &[When::Named(&["Gemm", "PRelu"]), When::Dtype(INTEGERS)],
            way: Way::Refused,
            text: "does not support int32 and int64 here",
            evidence: TYPE_CHECKS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Named(&["Pow"]), When::Holds(has_integers)],
            way: Way::Refused,
            text: "does not support int32 and int64 in Pow, as base or exponent",
            evidence: TYPE_CHECKS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Rule("numpy"),
            text: "pads every operand with 1s on the left, and stretches every operand",
            evidence: PARSER,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("unidirectional"),
            text: "pads the slope with 1s on the left to the data's rank",
            evidence: IMPORTERS,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "pads every operand with 1s on the left, and stretches every operand",
            evidence: IMPORTERS,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[When::Not(&When::Opset6)],
            way: Way::Rule("numpy"),
            text: "pads every operand with 1s on the left, and stretches every operand",
            evidence: PARSER,
        },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: Evidence::documented("TensorRT, Operators: Unary; not run"),
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Role(&[Role::LayerNorm]), When::Operands(3), OF_FLOATS],
            way: Way::Rule("unidirectional"),
            text: "pads scale and bias with 1s on the left to the data's rank",
            evidence: OTHERS,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Opset6, When::Not(&When::Rank(1, 2, 2))],
            way: Way::Refused,
            text: "accepts unequal ranks only from opset 7 on",
            evidence: PARSER,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[],
            way: Way::Rule("numpy"),
            text: "adds C to the product as two operands of Add",
            evidence: OTHERS,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[GROUP_NORM, When::Not(&PER_GROUP)],
            way: Way::Unknown,
            text: "receives one scale per channel, but documents one per group",
            evidence: PARSED_LISTS,
        },
        lists(PARSED_LISTS),
        Law {
            kinds: &[Kind::Mask],
            when: &[],
            way: Way::Unsupported,
            text: "does not support Attention",
            evidence: Evidence::documented("onnx-tensorrt 10.1, onnxOpImporters.cpp: no such importer; not run"),
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Any(&[OF_FLOATS, When::Dtype(INTEGERS)])],
            way: Way::Own,
            text: "clips with numbers, or with maximum and minimum of two operands",
            evidence: OTHERS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[],
            way: Way::Own,
            text: "aligns the operand to the right and stretches its axes of 1",
            evidence: OTHERS,
        },
    ],
    ..PLAIN
};

/// Says whether an operand is known to be of integers.
fn has_integers(asked: &Asked<'_>) -> Option<bool> {
    let dtypes: Option<Vec<_>> = (0..asked.operands.len()).map(|k| asked.dtype(k)).collect();
    Some(dtypes?.iter().any(|dtype| INTEGERS.contains(dtype)))
}

#[cfg(test)]
mod tests {
    use crate::testing::answers;

    /// What the source of the parser says, read operator by operator.
    const SOURCE: &[(&str, &str)] = &[
        ("opset 17; x(2,3,4); s=const(4); b=const(4); y=LayerNormalization(x,s,b)", "same"),
        ("opset 17; x(2,3,4); s(3,4); b(3,4); y=LayerNormalization(x,s,b) axis=1", "same"),
        ("a(2,3); b=const(3,4); c=const(4); y=Gemm(a,b,c)", "same"),
        ("a(2,3); b(3,4); c(2,1); y=Gemm(a,b,c)", "same"),
        ("a:i32(2,3); b:i32(3,4); c:i32(4); y=Gemm(a,b,c)", "refused"),
        ("opset 13; x(2,3); l=const(); h=const(); y=Clip(x,l,h)", "same"),
        ("opset 13; x:i64(2,3); l:i64(); h:i64(); y=Clip(x,l,h)", "same"),
        ("opset 13; x:u8(2,3); l:u8(); h:u8(); y=Clip(x,l,h)", "refused"),
        ("x(3,1); s=const:i64(2)=3,4; y=Expand(x,s)", "same"),
        ("x:u8(3,1); s=const:i64(2)=3,4; y=Expand(x,s)", "refused"),
        ("opset 13; x(2); n:i64(2); y=Pow(x,n)", "refused"),
        ("opset 13; x(2); n(2); y=Pow(x,n)", "same"),
        ("opset 18; a:i32(2); b:i32(2); y=BitwiseAnd(a,b)", "refused, unsupported"),
        ("opset 13; a:i32(2); b:i32(1); y=Mod(a,b)", "same"),
        ("opset 13; a:u8(2); b:u8(1); y=Mod(a,b)", "refused"),
    ];

    #[test]
    fn verdicts_are_what_the_source_says() {
        answers("tensorrt", &[], SOURCE);
    }
}
