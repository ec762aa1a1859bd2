//! nncase, the compiler for Kendryte's K230: its simulator for the target `cpu`.
//!
//! Up to rank 4, binary operators broadcast as `NumPy` does. Above, operands of different ranks are aligned to the left, and the result loses
//! axes, or the process ends; comparisons and Where are right at all ranks.

use broadaxe_frameworks::System;
use broadaxe_kernels::{DType, id};

use super::{Asked, Deployment, Does, Evidence, Law, PLAIN, Profile, Route, Way, When, affine, rknn::has_bodies};
use crate::meaning::Kind;

const NNCASE_ASKED: Evidence =
    Evidence::run_here("nncase 2.11.0; simulator cpu, recorded answers, conformance/laws/record.py");
const NNCASE_RANKS: Evidence = Evidence::run_here("nncase 2.11.0; simulator cpu, conformance/laws/ranks.py");
const UNEQUAL: Evidence =
    Evidence::run_here("nncase 2.11.0; simulator cpu, docs/reports/upstream/nncase-ranks.md, models of rank 5 and 6");
const MAX_OR_MIN: When = When::Operator(&[id("max"), id("min")]);
const RIGHT_AT_ALL_RANKS: When = When::Named(&["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"]);
/// Ranks up to this one broadcast as NumPy's.
const MOST_ALIGNED: usize = 4;

pub(super) static NNCASE: Profile = Profile {
    name: "nncase",
    title: "nncase",
    deployment: Deployment::Phone,
    summary: "nncase, the compiler for Kendryte's chips (simulator of the target cpu)",
    route: Route::new(&["onnx"], NNCASE_ASKED),
    laws: &[
        Law {
            kinds: Kind::ALL,
            when: &[When::Not(&When::Of(System::Onnx))],
            way: Way::Unknown,
            text: "was tested only with ONNX models",
            evidence: NNCASE_ASKED,
        },
        Law {
            kinds: Kind::ALL,
            when: &[When::Opset6],
            way: Way::Unknown,
            text: "was not tested with operators before opset 7",
            evidence: NNCASE_ASKED,
        },
        Law {
            kinds: Kind::ALL,
            when: &[When::Holds(has_bodies)],
            way: Way::Unknown,
            text: "was not tested in models with If or Loop",
            evidence: NNCASE_ASKED,
        },
        Law {
            kinds: Kind::ALL,
            when: &[When::RankAbove(6)],
            way: Way::Unknown,
            text: "was tested with ranks up to 6",
            evidence: NNCASE_RANKS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Empty],
            way: Way::Unknown,
            text: "was tested with PRelu without elements only of constants",
            evidence: NNCASE_RANKS,
        },
        Law {
            kinds: &[],
            when: &[When::Empty],
            way: Way::Refused,
            text: "crashes in nodes of tensors without elements",
            evidence: NNCASE_RANKS,
        },
        Law {
            kinds: &[],
            when: &[When::Dtype(&[DType::U16])],
            way: Way::Refused,
            text: "does not support u16",
            evidence: NNCASE_RANKS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Named(&["BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"])],
            way: Way::Unsupported,
            text: "does not support bitwise operators",
            evidence: NNCASE_RANKS,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[When::Named(&["Mean"])],
            way: Way::Unsupported,
            text: "does not support Mean",
            evidence: NNCASE_RANKS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Named(&["Xor"])],
            way: Way::Unsupported,
            text: "does not support Xor",
            evidence: NNCASE_RANKS,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Named(&["LayerNormalization", "RMSNormalization"])],
            way: Way::Unsupported,
            text: "does not support LayerNormalization or RMSNormalization",
            evidence: NNCASE_ASKED,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[MAX_OR_MIN, When::Operands(1)],
            way: Way::Refused,
            text: "crashes in Max and Min of one operand",
            evidence: NNCASE_RANKS,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[MAX_OR_MIN, When::Not(&When::Operands(2))],
            way: Way::Ask(|_| Some(Does::Fewer { count: 2 })),
            text: "ignores all operands of Max and Min but the first two",
            evidence: NNCASE_RANKS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[When::AllConstant],
            way: Way::Rule("numpy"),
            text: "computes nodes of constants when it compiles, as NumPy does",
            evidence: NNCASE_RANKS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[When::RankAbove(MOST_ALIGNED), When::Holds(reads_stretched)],
            way: Way::Unknown,
            text: "crashes in some nodes behind Expand above rank 4",
            evidence: NNCASE_ASKED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[When::RankAbove(MOST_ALIGNED), When::Not(&When::EqualRanks), When::Not(&RIGHT_AT_ALL_RANKS)],
            way: Way::Ask(by_left),
            text: "aligns ranks above 4 to the left, and crashes or loses axes",
            evidence: UNEQUAL,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(gives_scalar)],
            way: Way::Refused,
            text: "crashes in Expand to a scalar",
            evidence: NNCASE_ASKED,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(affine::to_nothing)],
            way: Way::Refused,
            text: "returns another shape if the result has no elements, or crashes",
            evidence: NNCASE_ASKED,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Not(&When::Dtype(&[DType::F32])), When::Not(&When::Holds(has_both_bounds))],
            way: Way::Refused,
            text: "crashes in Clip with one bound of other types than f32",
            evidence: NNCASE_ASKED,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[
                When::Not(&When::Dtype(&[DType::F32])),
                When::Not(&When::All(&[When::Constant(1), When::Constant(2)])),
            ],
            way: Way::Unknown,
            text: "was tested with computed bounds of f32",
            evidence: NNCASE_ASKED,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[],
            way: Way::Own,
            text: "computes Clip with bounds of one element",
            evidence: NNCASE_ASKED,
        },
        Law { kinds: &[Kind::Stretch], when: &[], way: Way::Own, text: "repeats the tensor", evidence: NNCASE_ASKED },
        Law {
            kinds: &[Kind::Bias],
            when: &[],
            way: Way::Own,
            text: "computes a product and a sum that stretches C",
            evidence: NNCASE_ASKED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("unidirectional"),
            text: "aligns the slope of PRelu to the right and stretches only the slope",
            evidence: NNCASE_RANKS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: NNCASE_RANKS,
        },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: NNCASE_RANKS,
        },
        Law {
            kinds: Kind::ALL,
            when: &[],
            way: Way::Unknown,
            text: "was not tested with this operator",
            evidence: NNCASE_ASKED,
        },
    ],
    ..PLAIN
};

/// Says what becomes of operands of different ranks above rank 4: a scalar and a list that is not stretched along the last axis are right.
fn by_left(asked: &Asked<'_>) -> Option<Does> {
    let text = "aligns ranks above 4 to the left, and crashes or loses axes";
    if asked.operands.len() != 2 {
        let text = "was tested above rank 4 with different ranks only in nodes of two operands";
        return Some(Does::Unknown(text.into()));
    }
    let short = usize::from(asked.operands.rank(1)? < asked.operands.rank(0)?);
    let (own, other) = (asked.operands[short].dims()?, asked.operands[1 - short].dims()?);
    let fits = match own {
        [] => Some(true),
        [dim] if dim.size() == Some(1) => Some(true),
        [dim] => affine::alike((Some(dim), other.last())),
        _ => Some(false),
    };
    (!fits?).then(|| Does::Refused(text.into()))
}

/// Says whether Clip has a lower bound and an upper one.
fn has_both_bounds(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.node.input(1).is_some() && asked.node.input(2).is_some())
}

/// Says whether an operand is what Expand gives.
fn reads_stretched(asked: &Asked<'_>) -> Option<bool> {
    let is_stretched = |k: usize| {
        let producer = asked.value(k).and_then(|value| asked.producer(value));
        producer.is_some_and(|node| node.op == "Expand") && !asked.constants[k]
    };
    Some((0..asked.operands.len()).any(is_stretched))
}

/// Says whether the result has no axis.
fn gives_scalar(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.shape(asked.node.output(0)?)?.rank()? == 0)
}
