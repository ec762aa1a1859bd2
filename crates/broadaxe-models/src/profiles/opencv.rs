//! OpenCV's module dnn on the CPU, through its reader for ONNX.
//!
//! Version 5 has two engines: it tries the new one, and then the one of version 4. Both read a slope alike.

mod several;
mod slope;

use broadaxe_frameworks::System;
use broadaxe_kernels::{DType, id};

use super::{
    Asked, Evidence, Law, PLAIN, Profile, Route, Way, When, affine,
    condition::OF_FLOATS,
    inside::{GROUP_NORM, NO_FLAT_DATA, PER_GROUP, flat_data, has_all_columns, has_several_in_group, lists},
    neighbours::in_function,
    quantised::{self, QUANTIZE, SCALED_KINDS},
};
use crate::{graph::Node, meaning::Kind};

const ASKED: Evidence = Evidence::run_here("OpenCV 5.0.0; recorded answers, conformance/laws/record.py");
const RANKS: Evidence = Evidence::run_here("OpenCV 5.0.0; recorded answers, conformance/laws/ranks.py");
const QUANTISED: Evidence = Evidence::run_here("OpenCV 5.0.0; 1,724 models of conformance/laws/quantised.py");
const INSIDE: Evidence = Evidence::run_here("OpenCV 5.0.0; recorded answers, conformance/laws/inside.py");
const SEVERAL: Evidence = Evidence::run_here("OpenCV 5.0.0; 600 models of four and five operands, conformance/laws/ranks.py");
const SLOPES: Evidence = Evidence::run_here("OpenCV 5.0.0; 1,737 models of PRelu, conformance/laws/ranks.py");

/// Four operands and more.
const FOUR_OR_MORE: When =
    When::Not(&When::Any(&[When::Operands(1), When::Operands(2), When::Operands(3)]));
const NO_PRODUCT: When = When::Dtype(&[DType::F64, DType::I64]);

pub(super) static OPENCV: Profile = Profile {
    name: "opencv",
    summary: "OpenCV's module dnn on the CPU",
    route: Route::new(&["onnx"], Evidence::run_here("cv2.dnn.readNetFromONNX")),
    laws: &[
        Law {
            kinds: Kind::ALL,
            when: &[],
            way: Way::Ask(in_function),
            text: "does not support functions defined in the model",
            evidence: ASKED,
        },
        Law {
            kinds: &[],
            when: &[When::Empty],
            way: Way::Refused,
            text: "gives no result for tensors without elements",
            evidence: RANKS,
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
            evidence: SLOPES,
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
            evidence: SLOPES,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Ask(slope::slope),
            text: "reads a slope in order: per channel (axis 1), or per element behind the batch",
            evidence: SLOPES,
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
            when: &[When::Named(&["Pow"]), When::Not(&OF_FLOATS)],
            way: Way::Unknown,
            text: "was tested with Pow of integers only in part",
            evidence: RANKS,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[NO_PRODUCT, When::Constant(1), When::Holds(has_constant_matrix)],
            way: Way::Garbled,
            text: "computes Gemm of f64 or i64 as if these were f32",
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Not(&When::Dtype(&[DType::F32, DType::F16]))],
            way: Way::Refused,
            text: "supports Gemm only for f32 and f16",
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[],
            way: Way::Own,
            text: "computes a product and a sum that stretches C",
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Named(&["LayerNormalization"]), When::Not(&When::Dtype(&[DType::F32, DType::F16]))],
            way: Way::Garbled,
            text: "computes LayerNormalization of f64 as if these were f32",
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Holds(affine::all_exact)],
            way: Way::Own,
            text: "normalises, scales and shifts along the normalised axes",
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Named(&["LayerNormalization"]), When::Holds(is_table)],
            way: Way::Garbled,
            text: "reads only the first numbers of a scale of rank 2, per element of the last axis",
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[],
            way: Way::Refused,
            text: "accepts only a scale and a bias of the normalised shape",
            evidence: ASKED,
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
            when: &[QUANTIZE, When::Rank(0, 0, 0)],
            way: Way::Garbled,
            text: "gives the zero point for QuantizeLinear of rank 0",
            evidence: QUANTISED,
        },
        Law {
            kinds: &[Kind::Blocks],
            when: &[QUANTIZE, When::Not(&When::Holds(is_along_last))],
            way: Way::Garbled,
            text: "quantises in blocks correctly only along the last axis",
            evidence: QUANTISED,
        },
        Law {
            kinds: &[Kind::Lists, Kind::Blocks, Kind::Binary, Kind::Bias],
            when: &[When::Holds(is_in_integers)],
            way: Way::Unknown,
            text: "computes some quantised layers in integers, which may differ by a level",
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
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Named(&["ConvInteger", "MatMulInteger"])],
            way: Way::Unsupported,
            text: "has no layer for ConvInteger and MatMulInteger",
            evidence: INSIDE,
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
            evidence: INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Named(&["BatchNormalization"]), When::Holds(has_computed_moments)],
            way: Way::Refused,
            text: "accepts only a constant mean and variance in BatchNormalization",
            evidence: Evidence::documented("OpenCV, parseBatchNormalization in onnx_importer2.cpp"),
        },
        flat_data(Way::Refused, NO_FLAT_DATA, INSIDE),
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Not(&When::Dtype(&[DType::F32, DType::F16]))],
            way: Way::Unknown,
            text: "was tested with lists only in f32 and f16",
            evidence: INSIDE,
        },
        lists(INSIDE),
        Law {
            kinds: &[Kind::Mask],
            when: &[When::Not(&When::Holds(has_all_columns))],
            way: Way::Garbled,
            text: "stretches a mask with one column, which has one key from opset 24 on",
            evidence: INSIDE,
        },
        Law {
            kinds: &[Kind::Mask],
            when: &[],
            way: Way::Own,
            text: "adds the attention mask to the scores",
            evidence: INSIDE,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Dtype(&[DType::I64]), When::Operands(2)],
            way: Way::Refused,
            text: "does not support Clip of i64 with one bound",
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Operands(3), When::Not(&When::All(&[When::Constant(1), When::Constant(2)]))],
            way: Way::Unknown,
            text: "does not accept a lower bound above the upper one, and bounds are computed",
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[],
            way: Way::Own,
            text: "computes Clip with bounds of one element",
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(affine::to_nothing)],
            way: Way::Refused,
            text: "gives no result for tensors without elements",
            evidence: ASKED,
        },
        Law { kinds: &[Kind::Stretch], when: &[], way: Way::Own, text: "repeats the tensor", evidence: ASKED },
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
            text: "writes the fourth operand past each row if operand 1 or 2 stretches along the last axis",
            evidence: SEVERAL,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[FOUR_OR_MORE, When::Operator(&[id("mean")]), When::Holds(several::is_one_row)],
            way: Way::Garbled,
            text: "divides several times in Mean of four operands with one row",
            evidence: SEVERAL,
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

/// Says whether blocks run along the last axis.
fn is_along_last(asked: &Asked<'_>) -> Option<bool> {
    Some(quantised::axis(asked)? + 1 == asked.operands.rank(0)?)
}

/// Says whether the mean or the variance of BatchNormalization is computed.
fn has_computed_moments(asked: &Asked<'_>) -> Option<bool> {
    Some([3, 4].into_iter().any(|k| asked.node.input(k).is_some_and(|value| !asked.facts.is_constant(value))))
}

/// Says whether the node is a part of a layer whose inputs are dequantised and whose result is quantised again.
fn is_in_integers(asked: &Asked<'_>) -> Option<bool> {
    let node = match asked.node.op.as_str() {
        "DequantizeLinear" => asked.reader(asked.node.output(0)?).map(|(reader, _)| reader),
        "QuantizeLinear" => asked.producer(asked.node.input(0)?),
        _ => Some(asked.node),
    };
    let made_by = |value, op| asked.producer(value).is_some_and(|node| node.op == op);
    let is_layer = |node: &Node| {
        let result = node.output(0);
        let mut inputs = node.inputs.iter().flatten().filter(|value| !asked.facts.is_constant(**value)).peekable();
        inputs.peek().is_some()
            && inputs.all(|value| made_by(*value, "DequantizeLinear"))
            && result.is_some_and(|value| asked.readers(value).any(|(reader, _)| reader.op == "QuantizeLinear"))
    };
    Some(node.is_some_and(is_layer))
}
