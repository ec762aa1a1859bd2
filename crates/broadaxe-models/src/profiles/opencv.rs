//! OpenCV's module dnn on the CPU, through its reader for ONNX.
//!
//! Version 5 has two engines: it tries the new one, and then the one of version 4. Both read a slope alike.

mod fused;
mod levels;
mod several;
mod slope;

use broadaxe_frameworks::System;
use broadaxe_kernels::{DType, id};

use super::{
    Asked, Deployment, Evidence, Law, PLAIN, Profile, Route, Way, When, affine,
    condition::{OF_FLOATS, any},
    inside::{GROUP_NORM, NO_FLAT_DATA, PER_GROUP, flat_data, has_all_columns, has_several_in_group, lists},
    neighbours::in_function,
    quantised::{self, QUANTIZE, SCALED_KINDS},
};
use crate::{
    graph::Attribute,
    meaning::{Kind, SHORTER_MASK},
};

const DNN_ASKED: Evidence = Evidence::run_here("OpenCV 5.0.0; recorded answers, conformance/laws/record.py");
const RANKS: Evidence = Evidence::run_here("OpenCV 5.0.0; recorded answers, conformance/laws/ranks.py");
const QUANTISED: Evidence = Evidence::run_here("OpenCV 5.0.0; 1,724 models of conformance/laws/quantised.py");
const DNN_INSIDE: Evidence = Evidence::run_here("OpenCV 5.0.0; recorded answers, conformance/laws/inside.py");
const DNN_SEVERAL: Evidence =
    Evidence::run_here("OpenCV 5.0.0; 600 models of four and five operands, conformance/laws/ranks.py");
const FUSED: Evidence = Evidence::run_here("OpenCV 5.0.0; conformance, laws");
const DNN_SLOPES: Evidence = Evidence::run_here("OpenCV 5.0.0; 1,737 models of PRelu, conformance/laws/ranks.py");

const PAST_FUNCTION: Evidence =
    Evidence::run_here("OpenCV 5.0.0; 900 models of six layers, 30 functions and five scales; recorded answers");
const OLD: Evidence =
    Evidence::run_here("OpenCV 5.0.0; and 4.7.0 to 4.14.0, recorded answers, conformance/laws/ranks.py");
const BEFORE_5: When = When::Not(&When::From("5.0.0"));
const BEFORE_4_11: When = When::Not(&When::From("4.11.0"));
/// Four operands and more.
const FOUR_OR_MORE: When = When::Not(&When::Any(&[When::Operands(1), When::Operands(2), When::Operands(3)]));
const NO_PRODUCT: When = When::Dtype(&[DType::F64, DType::I64]);

pub(super) static OPENCV: Profile = Profile {
    name: "opencv",
    title: "OpenCV",
    deployment: Deployment::Server,
    summary: "OpenCV's module dnn on the CPU",
    versions: &["4.7.0", "4.8.1", "4.9.0", "4.10.0", "4.11.0", "4.12.0", "4.13.0", "4.14.0", "5.0.0"],
    route: Route::new(&["onnx"], Evidence::run_here("cv2.dnn.readNetFromONNX")),
    laws: &[
        Law {
            kinds: Kind::ALL,
            when: &[],
            way: Way::Ask(in_function),
            text: "does not support functions defined in the model",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: Kind::ALL,
            when: &[When::Holds(has_bodies)],
            way: Way::Unknown,
            text: "was not tested in models with If or Loop",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: &[],
            when: &[When::Empty],
            way: Way::Refused,
            text: "returns no result for tensors without elements",
            evidence: RANKS,
        },
        Law {
            kinds: &[
                Kind::Bounds,
                Kind::Stretch,
                Kind::Bias,
                Kind::Affine,
                Kind::Lists,
                Kind::Blocks,
                Kind::Lengths,
                Kind::Mask,
            ],
            when: &[BEFORE_5],
            way: Way::Unknown,
            text: "was tested before version 5 only with element-wise operators",
            evidence: OLD,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[BEFORE_5, When::Named(&["And", "Or", "Xor"])],
            way: Way::Unsupported,
            text: "does not support And, Or and Xor before version 5",
            evidence: OLD,
        },
        Law {
            kinds: &[],
            when: &[
                BEFORE_5,
                When::Any(&[
                    When::AllConstant,
                    When::Not(&When::Dtype(&[DType::F32])),
                    When::Kind(&[Kind::Select]),
                    When::Named(&["Pow"]),
                    When::Holds(fused::is_behind_layer),
                ]),
            ],
            way: Way::Unknown,
            text: "was tested only in part with this node before version 5",
            evidence: OLD,
        },
        Law {
            kinds: &[],
            when: &[BEFORE_5, When::Holds(has_low_rank)],
            way: Way::Unknown,
            text: "reads tensors of rank 0 and 1 as matrices before version 5",
            evidence: OLD,
        },
        Law {
            kinds: &[],
            when: &[When::Any(&[
                When::All(&[BEFORE_4_11, When::Named(&["Mean"])]),
                When::All(&[When::Not(&When::From("4.10.0")), When::Named(&["Mod"])]),
            ])],
            way: Way::Unsupported,
            text: "does not support Mean before 4.11 and Mod before 4.10",
            evidence: OLD,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Not(&When::From("4.9.0"))],
            way: Way::Unknown,
            text: "reads some slopes in another order before 4.9",
            evidence: OLD,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[
                When::Not(&When::From("4.13.0")),
                When::Any(&[BEFORE_4_11, When::Not(&When::Any(&[When::Operands(1), When::Operands(2)]))]),
            ],
            way: Way::Unknown,
            text: "returns wrong results for some lists of operands before 4.13",
            evidence: OLD,
        },
        Law {
            kinds: &[],
            when: &[When::RankAbove(10)],
            way: Way::RefusedRank,
            text: "supports ranks up to 10",
            evidence: RANKS,
        },
        Law {
            kinds: &[],
            when: &[When::RankAbove(6)],
            way: Way::Unknown,
            text: "was tested with ranks up to 6",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Not(&When::Holds(slope::is_written))],
            way: Way::Refused,
            text: "accepts only constant slopes",
            evidence: DNN_SLOPES,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Not(&When::Dtype(&[DType::F16, DType::F32, DType::F64]))],
            way: Way::Refused,
            text: "does not support PRelu of integers",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Dtype(&[DType::F64]), When::Single(1)],
            way: Way::Garbled,
            text: "reads a single slope of f64 as f32",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Dtype(&[DType::F64])],
            way: Way::Refused,
            text: "does not support slopes of f64",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Invalid],
            way: Way::Ask(slope::slope),
            text: "does not compare the shape of a slope with the data",
            evidence: DNN_SLOPES,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Ask(slope::slope),
            text: "reads a slope in order: per channel (axis 1), or per element",
            evidence: DNN_SLOPES,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[When::Dtype(&[DType::Bool])],
            way: Way::Refused,
            text: "does not support Where of bools",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(&[id("equal")]), When::Dtype(&[DType::Bool])],
            way: Way::Refused,
            text: "does not support Equal of bools",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Named(&["BitShift"]), When::Not(&When::EqualShapes)],
            way: Way::Unknown,
            text: "accepts shifts of the data's shape; others depend on the dtype",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Named(&["BitShift"]), When::Single(1)],
            way: Way::Unknown,
            text: "garbles or rejects BitShift of single elements by dtype",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Named(&["Pow"]), When::Single(1), When::Holds(has_longer_exponent)],
            way: Way::Unknown,
            text: "returns Pow in the base's shape if a single exponent has more axes",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[When::Of(System::Onnx), When::Holds(fused::residual)],
            way: Way::Unknown,
            text: "may add a computed tensor inside a convolution, which rejects some shapes",
            evidence: FUSED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Named(&["Pow"]), When::Not(&OF_FLOATS)],
            way: Way::Unknown,
            text: "was tested with Pow of integers only in part",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Of(System::Onnx), When::Holds(fused::softplus)],
            way: Way::Garbled,
            text: "fuses log(exp(x) + c) into Softplus of x and ignores c",
            evidence: FUSED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Of(System::Onnx), When::Holds(fused::norm)],
            way: Way::Unknown,
            text: "may fuse nodes into LayerNormalization, and finds scale and bias by order",
            evidence: FUSED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Of(System::Onnx), When::Holds(fused::mish)],
            way: Way::Garbled,
            text: "fuses x * tanh(softplus(y)) into Mish of y",
            evidence: FUSED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Of(System::Onnx)],
            way: Way::Ask(fused::gelu),
            text: "fuses five nodes into GELU by operators alone",
            evidence: FUSED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Of(System::Onnx)],
            way: Way::Ask(fused::bias),
            text: "reads a constant behind MatMul as a row if it fits the columns",
            evidence: FUSED,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[NO_PRODUCT, When::Constant(1), When::Holds(has_constant_matrix)],
            way: Way::Garbled,
            text: "computes Gemm of f64 or i64 as if these were f32",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Not(&When::Dtype(&[DType::F32, DType::F16]))],
            way: Way::Refused,
            text: "supports Gemm only for f32 and f16",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[],
            way: Way::Own,
            text: "computes a product and a sum that stretches C",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Named(&["LayerNormalization"]), When::Not(&When::Dtype(&[DType::F32, DType::F16]))],
            way: Way::Garbled,
            text: "computes LayerNormalization of f64 as if these were f32",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Holds(affine::all_exact)],
            way: Way::Own,
            text: "normalises, scales and shifts along the normalised axes",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Named(&["LayerNormalization"]), When::Holds(is_table), When::Single(1)],
            way: Way::Own,
            text: "accepts a single number of rank 2 for a last axis of one element",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Named(&["LayerNormalization"]), When::Holds(is_table)],
            way: Way::Garbled,
            text: "reads only the first numbers of a scale of rank 2",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[],
            way: Way::Refused,
            text: "accepts only a scale and a bias of the normalised shape",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: SCALED_KINDS,
            when: &[When::Holds(has_other_numbers)],
            way: Way::Refused,
            text: "supports only 8-bit integers here, and i32 in DequantizeLinear",
            evidence: QUANTISED,
        },
        Law {
            kinds: SCALED_KINDS,
            when: &[When::Holds(names_no_axis)],
            way: Way::Unknown,
            text: "rejects some axes that the data lacks, also for one scale",
            evidence: QUANTISED,
        },
        Law {
            kinds: SCALED_KINDS,
            when: &[When::Holds(fused::has_other_zero)],
            way: Way::Refused,
            text: "accepts only a zero point of the scale's shape",
            evidence: QUANTISED,
        },
        Law {
            kinds: &[Kind::Blocks],
            when: &[QUANTIZE, When::Not(&When::Holds(levels::is_along_last))],
            way: Way::Garbled,
            text: "quantises in blocks correctly only along the last axis",
            evidence: QUANTISED,
        },
        Law {
            kinds: &[Kind::Lists, Kind::Blocks, Kind::Binary, Kind::Bias],
            when: &[When::Holds(fused::is_in_integers)],
            way: Way::Unknown,
            text: "computes some quantised layers in integers, which may differ by a level",
            evidence: QUANTISED,
        },
        Law {
            kinds: SCALED_KINDS,
            when: &[QUANTIZE, When::Holds(levels::has_single_columns), When::Not(&When::Holds(levels::makes_signed))],
            way: Way::Ask(levels::zero_point),
            text: "returns the zero point for u8 of data whose last axis has one element",
            evidence: QUANTISED,
        },
        Law {
            kinds: SCALED_KINDS,
            when: &[],
            way: Way::Own,
            text: "reads the scale as ONNX does",
            evidence: QUANTISED,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[GROUP_NORM, PER_GROUP, When::Holds(has_several_in_group)],
            way: Way::Refused,
            text: "accepts one number per channel only, not per group",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Named(&["ConvInteger", "MatMulInteger"])],
            way: Way::Unsupported,
            text: "does not support ConvInteger and MatMulInteger",
            evidence: DNN_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Not(&When::Named(&[
                "BatchNormalization",
                "Conv",
                "ConvTranspose",
                "GroupNormalization",
                "InstanceNormalization",
            ]))],
            way: Way::Unknown,
            text: "was not tested with this operator",
            evidence: DNN_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Of(System::Onnx), When::Holds(fused::past_function)],
            way: Way::Garbled,
            text: "folds BatchNormalization into the convolution's weights, past the function between them",
            evidence: PAST_FUNCTION,
        },
        flat_data(Way::Refused, NO_FLAT_DATA, DNN_INSIDE),
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Not(&When::Dtype(&[DType::F32, DType::F16]))],
            way: Way::Unknown,
            text: "was tested with lists only in f32 and f16",
            evidence: DNN_INSIDE,
        },
        lists(DNN_INSIDE),
        Law {
            kinds: &[Kind::Mask],
            when: &[When::Holds(is_shorter)],
            way: Way::Garbled,
            text: "stretches a mask of one column, also from opset 24 on",
            evidence: DNN_INSIDE,
        },
        Law {
            kinds: &[Kind::Mask],
            when: &[],
            way: Way::Own,
            text: "adds the attention mask to the scores",
            evidence: DNN_INSIDE,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Dtype(&[DType::I64]), When::Not(&When::Holds(has_both_bounds))],
            way: Way::Refused,
            text: "does not support Clip of i64 with one bound",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Holds(has_both_bounds), When::Not(&When::All(&[When::Constant(1), When::Constant(2)]))],
            way: Way::Unknown,
            text: "does not accept a lower bound above the upper one, and bounds are computed",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[],
            way: Way::Own,
            text: "computes Clip with bounds of one element",
            evidence: DNN_ASKED,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(affine::to_nothing)],
            way: Way::Refused,
            text: "returns no result for tensors without elements",
            evidence: DNN_ASKED,
        },
        Law { kinds: &[Kind::Stretch], when: &[], way: Way::Own, text: "repeats the tensor", evidence: DNN_ASKED },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Select],
            when: &[When::Opset6],
            way: Way::Unknown,
            text: "was not tested with operators before opset 7",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[FOUR_OR_MORE, When::Holds(several::is_short)],
            way: Way::Garbled,
            text: "writes the fourth operand past a row if operand 1 or 2 stretches",
            evidence: DNN_SEVERAL,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[FOUR_OR_MORE, When::Operator(&[id("mean")]), When::Holds(several::is_one_row)],
            way: Way::Garbled,
            text: "divides several times in Mean of four operands that do not stretch",
            evidence: DNN_SEVERAL,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[When::Operator(&[id("max"), id("min")]), OF_FLOATS],
            way: Way::Caveat,
            text: "drops NaN in Max and Min unless it is in the first operand",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Select],
            when: &[When::Dtype(&[DType::I64, DType::U64]), When::Not(&When::AllConstant)],
            way: Way::Caveat,
            text: "reads 64-bit inputs of the model in 32 bits from Python",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Select],
            when: &[When::Of(System::Onnx)],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: RANKS,
        },
    ],
    ..PLAIN
};

/// Says whether B of a Gemm is a constant.
fn has_constant_matrix(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.facts.is_constant(asked.node.input(1)?))
}

/// Says whether the last axis is normalised, and the scale and a bias have rank 2 and as many rows as that axis has elements.
///
/// Source: `getMemoryShapes` in `layer_norm.cpp`, which compares the first dim of such a scale.
fn is_table(asked: &Asked<'_>) -> Option<bool> {
    if !affine::last_only(asked)? {
        return Some(false);
    }
    let last = asked.operands[0].dims()?.last();
    let fits = |k: usize| {
        let own = asked.operands[k].dims()?;
        if own.len() == 2 { affine::alike((own.first(), last)) } else { Some(false) }
    };
    affine::all((1..asked.operands.len()).map(fits))
}

/// Says whether the quantised numbers are known to be of a type that is refused.
fn has_other_numbers(asked: &Asked<'_>) -> Option<bool> {
    Some(quantised::is_stored_as(asked, &[&["u8", "i8", "i32"]]) == Some(false))
}

/// Says whether a mask has fewer columns than there are keys, and the node's opset says that others are masked.
fn is_shorter(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.node.version >= SHORTER_MASK && asked.operands.rank(1)? > 0 && !has_all_columns(asked)?)
}

/// Says whether Clip has a lower bound and an upper one.
fn has_both_bounds(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.node.input(1).is_some() && asked.node.input(2).is_some())
}

/// Says whether an operand that is no constant of the file has fewer axes than two, or had.
fn has_low_rank(asked: &Asked<'_>) -> Option<bool> {
    any((0..asked.operands.len()).map(|k| match asked.value(k) {
        Some(value) => fused::has_low_rank(asked, value),
        None => Some(false),
    }))
}

/// Says whether the exponent has a higher rank than the base.
fn has_longer_exponent(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.operands.rank(1)? > asked.operands.rank(0)?)
}

/// Says whether the model has graphs within nodes.
fn has_bodies(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.model.graphs.len() > 1)
}

/// Says whether the node names an axis that the data does not have.
fn names_no_axis(asked: &Asked<'_>) -> Option<bool> {
    let rank = i64::try_from(asked.operands.rank(0)?).ok()?;
    let axis = asked.node.attribute("axis").and_then(Attribute::int);
    Some(rank > 0 && axis.is_some_and(|axis| axis >= rank || axis < -rank))
}
