//! What runtimes do with the operators that ONNX Runtime adds to ONNX, which files hold that it optimised and saved.
//!
//! Few runtimes have them: a law speaks of these nodes only where it names their kind.

use broadaxe_shape::SymbolicShape;

use super::{
    Asked, Evidence, Law, Way, When, affine,
    affine::alike,
    condition::any,
    quantised::{LIST, NO_KERNEL, VIA_ONNX2TF, element, ends_in_bytes, has_open_axis, is_by_others},
};
use crate::meaning::Kind;

const PAIRS: When = When::Named(&["QLinearAdd", "QLinearMul"]);
const SKIPS: When = When::Named(&["SkipLayerNormalization", "SkipSimplifiedLayerNormalization"]);
const OWN_PRODUCTS: When = When::Named(&["DynamicQuantizeMatMul", "MatMulIntegerToFloat"]);
const MASKS: When = When::Named(&["Attention", "GroupQueryAttention", "MultiHeadAttention"]);
const QUANTISATIONS: When = When::Named(&["QuantizeLinear", "DequantizeLinear"]);

/// The text of targets that have none of these operators.
const NO_CONTRIB: &str = "does not support ONNX Runtime's own operators";

/// Returns the law of a target that has none of these operators.
pub(super) const fn none(evidence: Evidence) -> Law {
    law(&[], Way::Unsupported, NO_CONTRIB, evidence)
}

/// Returns a law of these operators.
const fn law(when: &'static [When], way: Way, text: &'static str, evidence: Evidence) -> Law {
    Law { kinds: &[Kind::Contrib], when, way, text, evidence }
}

const ORT_CONTRIB_RUN: Evidence =
    Evidence::run_here("ONNX Runtime 1.31.1; CPU; 5,174 models of conformance/laws/contrib.py");

/// The laws of ONNX Runtime, in order.
pub(super) const ORT_CONTRIB: [Law; 8] = [
    law(
        &[When::Invalid, OWN_PRODUCTS, When::Holds(has_flat_bias)],
        Way::Own,
        "reads the bias as one number per column and ignores its shape",
        ORT_CONTRIB_RUN,
    ),
    law(
        &[When::Named(&["BiasAdd", "BiasSplitGelu", "GroupNorm"])],
        Way::Unsupported,
        "supports BiasAdd, BiasSplitGelu and GroupNorm on GPUs only",
        ORT_CONTRIB_RUN,
    ),
    law(
        &[PAIRS, When::Not(&When::Holds(has_scalars))],
        Way::Refused,
        "requires all scales and zero points of QLinearAdd and QLinearMul, as scalars",
        ORT_CONTRIB_RUN,
    ),
    law(
        &[SKIPS, When::Not(&When::Holds(has_whole_skip))],
        Way::Refused,
        "stretches a skip along the batch only; its last two sizes must match",
        ORT_CONTRIB_RUN,
    ),
    law(
        &[OWN_PRODUCTS, When::Not(&When::Holds(has_columns))],
        Way::Refused,
        "accepts one zero point, or one per column with the matrix's rank",
        ORT_CONTRIB_RUN,
    ),
    law(
        &[When::Named(&["MatMulIntegerToFloat"]), When::Holds(has_rows)],
        Way::Refused,
        "accepts only one scale and one zero point for the data of MatMulIntegerToFloat",
        ORT_CONTRIB_RUN,
    ),
    law(
        &[MASKS, When::Not(&When::Holds(is_whole))],
        Way::Refused,
        "accepts only rank-4 masks with a row per query, a column per key",
        ORT_CONTRIB_RUN,
    ),
    law(&[], Way::Own, "supports the operator", ORT_CONTRIB_RUN),
];

const OPENVINO_CONTRIB_RUN: Evidence =
    Evidence::run_here("OpenVINO 2026.4.1; CPU plugin; 5,174 models of conformance/laws/contrib.py");

/// The laws of OpenVINO, in order.
pub(super) const OPENVINO_CONTRIB: [Law; 10] = [
    law(&[When::Named(&["BiasSplitGelu"])], Way::Unsupported, "does not support BiasSplitGelu", OPENVINO_CONTRIB_RUN),
    law(
        &[When::Named(&["SimplifiedLayerNormalization"]), When::Holds(counts_from_front)],
        Way::Refused,
        "does not convert SimplifiedLayerNormalization with an axis counted from the front",
        OPENVINO_CONTRIB_RUN,
    ),
    law(
        &[When::Named(&["SkipLayerNormalization"]), When::Holds(has_bias_alone)],
        Way::Refused,
        "does not convert SkipLayerNormalization with a bias but no beta",
        OPENVINO_CONTRIB_RUN,
    ),
    law(
        &[When::Named(&["DequantizeLinear"]), When::Rank(0, 0, 0), When::Rank(1, 1, 1)],
        Way::Garbled,
        "turns a scalar into shape (1,), the shape of its scale",
        OPENVINO_CONTRIB_RUN,
    ),
    law(
        &[When::Named(&["MultiHeadAttention"]), When::Not(&When::Rank(1, 4, 4))],
        Way::Refused,
        "accepts only masks of rank 4 in MultiHeadAttention",
        OPENVINO_CONTRIB_RUN,
    ),
    law(
        &[When::Named(&["GroupQueryAttention"]), When::Not(&When::Holds(has_past))],
        Way::Refused,
        "accepts GroupQueryAttention only with past keys and values",
        OPENVINO_CONTRIB_RUN,
    ),
    law(
        &[MASKS, When::Holds(has_past)],
        Way::Unknown,
        "was tested with attention masks only without past steps",
        OPENVINO_CONTRIB_RUN,
    ),
    law(
        &[OWN_PRODUCTS, When::Not(&When::Holds(has_one_row))],
        Way::Refused,
        "accepts only one scale for the matrix, or one per column",
        OPENVINO_CONTRIB_RUN,
    ),
    law(
        &[When::Named(&["DynamicQuantizeMatMul"])],
        Way::Caveat,
        "multiplies the data of DynamicQuantizeMatMul without rounding to 8 bits",
        OPENVINO_CONTRIB_RUN,
    ),
    law(&[], Way::Own, "has an equivalent operator", OPENVINO_CONTRIB_RUN),
];

const MNN_CONTRIB_RUN: Evidence =
    Evidence::run_here("MNN 3.6.1; CPU, ONNX converter; 2,495 models of conformance/laws/contrib.py");

/// The laws of MNN, in order.
pub(super) const MNN_CONTRIB: [Law; 2] = [
    law(
        &[QUANTISATIONS],
        Way::Unknown,
        "reads it as the ONNX operator of the same name; results were not tested",
        MNN_CONTRIB_RUN,
    ),
    none(MNN_CONTRIB_RUN),
];

const TVM_CONTRIB_RUN: Evidence =
    Evidence::run_here("TVM 0.27.0.post1; CPU, Relax; models of conformance/laws/contrib.py");

/// The laws of TVM, in order.
pub(super) const TVM_CONTRIB: [Law; 7] = [
    law(
        &[When::Not(&When::Named(TVM_OPERATORS))],
        Way::Unsupported,
        "supports only these ONNX Runtime operators: BiasGelu, FastGelu, SkipLayerNormalization, Attention, QuantizeLinear and DequantizeLinear",
        TVM_CONTRIB_RUN,
    ),
    law(
        &[When::Named(&["SkipLayerNormalization"]), When::Not(&When::Holds(has_all_lists))],
        Way::Refused,
        "accepts SkipLayerNormalization only with a beta and a bias",
        TVM_CONTRIB_RUN,
    ),
    law(
        &[When::Named(&["SkipLayerNormalization"]), When::Not(&When::Holds(has_equal_skip))],
        Way::Unknown,
        "was tested only with a skip of the data's shape",
        TVM_CONTRIB_RUN,
    ),
    law(
        &[When::Named(&["Attention"]), When::Not(&When::Holds(has_keys))],
        Way::Refused,
        "accepts only masks of rank 4 with a column per key in Attention",
        TVM_CONTRIB_RUN,
    ),
    law(
        &[When::Named(&["Attention"]), When::Not(&When::Holds(has_heads))],
        Way::Unknown,
        "was tested only with masks that have all batches and heads",
        TVM_CONTRIB_RUN,
    ),
    law(
        &[QUANTISATIONS, LIST, When::Holds(has_open_axis)],
        Way::Refused,
        "does not compile a scale along an open dim",
        TVM_CONTRIB_RUN,
    ),
    law(&[], Way::Own, "has an equivalent operator", TVM_CONTRIB_RUN),
];
const TVM_OPERATORS: &[&str] =
    &["BiasGelu", "FastGelu", "SkipLayerNormalization", "Attention", "QuantizeLinear", "DequantizeLinear"];

const WEBGPU_CONTRIB_RUN: Evidence =
    Evidence::run_here("ONNX Runtime WebGPU 1.27.0; SwiftShader; 240 models of conformance/laws/contrib.py");
const WEBGPU_OPERATORS: &[&str] = &[
    "Attention",
    "BiasAdd",
    "BiasGelu",
    "BiasSplitGelu",
    "FastGelu",
    "FusedConv",
    "GroupQueryAttention",
    "MatMulNBits",
    "MultiHeadAttention",
    "SimplifiedLayerNormalization",
    "SkipLayerNormalization",
    "SkipSimplifiedLayerNormalization",
];

/// The laws of ONNX Runtime's WebGPU provider, in order.
pub(super) const WEBGPU_CONTRIB: [Law; 8] = [
    law(&[When::Not(&When::Named(WEBGPU_OPERATORS))], Way::Unsupported, NO_KERNEL, WEBGPU_CONTRIB_RUN),
    law(
        &[SKIPS, When::Not(&When::Holds(ends_as_data)), When::Holds(has_fours)],
        Way::Refused,
        "accepts a skip only if its last size matches the data",
        WEBGPU_CONTRIB_RUN,
    ),
    law(
        &[SKIPS, When::Not(&When::Holds(ends_as_data))],
        Way::Unknown,
        "was tested with such a skip only if 4 divides the last size",
        WEBGPU_CONTRIB_RUN,
    ),
    law(
        &[SKIPS, When::Not(&When::Holds(runs_along_last))],
        Way::Garbled,
        "reads the skip from its start again for each batch and row it lacks",
        WEBGPU_CONTRIB_RUN,
    ),
    law(
        &[When::Named(&["SimplifiedLayerNormalization"]), When::Not(&When::Holds(|asked| affine::as_many(asked, 1)))],
        Way::Refused,
        "requires one scale per normalised element in SimplifiedLayerNormalization",
        WEBGPU_CONTRIB_RUN,
    ),
    law(
        &[MASKS, When::Not(&When::Holds(is_whole))],
        Way::Refused,
        "accepts only rank-4 masks with a row per query, a column per key",
        WEBGPU_CONTRIB_RUN,
    ),
    law(
        &[When::Named(&["Attention", "BiasSplitGelu", "MultiHeadAttention"])],
        Way::Unknown,
        "was not tested with full attention masks or BiasSplitGelu",
        WEBGPU_CONTRIB_RUN,
    ),
    law(&[], Way::Own, "supports the operator", WEBGPU_CONTRIB_RUN),
];

/// The law of ncnn through pnnx.
pub(super) const PNNX_CONTRIB: Law =
    none(Evidence::run_here("pnnx and ncnn 20261020; 32 models of conformance/laws/contrib.py"));

const QNN_CONTRIB_RUN: Evidence = Evidence::run_here(
    "QNN 2.7.0; onnxruntime-qnn, HTP v73, compiled and not run; 40 models of conformance/laws/contrib.py",
);

/// The laws of QNN, in order.
pub(super) const QNN_CONTRIB: [Law; 2] = [
    law(
        &[When::Named(&["SimplifiedLayerNormalization"])],
        Way::Unknown,
        "compiles SimplifiedLayerNormalization; its results were not tested",
        QNN_CONTRIB_RUN,
    ),
    none(QNN_CONTRIB_RUN),
];

/// The law of Core ML.
pub(super) const COREML_CONTRIB: Law =
    none(Evidence::documented("coremltools 9.0, converters/mil/mil/ops/defs: no such operators; not run"));

/// The law of Paddle.
pub(super) const PADDLE_CONTRIB: Law =
    none(Evidence::documented("X2Paddle 1.4.1 (2024-10-18), op_mapper/onnx2paddle: no such operators; not run"));

const ONNX2TF_OPERATORS: Evidence =
    Evidence::documented("onnx2tf 2.6.9, ops: one file for each operator that it converts; not run");
const LITERT_PAIRS_RUN: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; 216 models of conformance/laws/quantised_graphs.py through onnx2tf 2.6.9, on the CPU",
);
const LITERT_GPU_PAIRS_RUN: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; WebGPU on SwiftShader, 70 models of conformance/laws/quantised_graphs.py through onnx2tf 2.6.9",
);
const HALVES: &str = "rounds some results near the middle of two steps the other way";
const ADDS: When = When::Named(&["QLinearAdd"]);
const BYTES_AT_ENDS: Law = law(
    &[VIA_ONNX2TF, PAIRS, When::Holds(ends_in_bytes)],
    Way::Garbled,
    "receives i8 instead of u8 from onnx2tf, also at the model's inputs and outputs",
    LITERT_PAIRS_RUN,
);
const UNASKED_PAIRS: Law = law(
    &[
        VIA_ONNX2TF,
        PAIRS,
        When::Any(&[
            When::Not(&When::Holds(has_scalars)),
            When::Not(&When::Holds(has_constants)),
            When::Holds(is_by_others),
        ]),
    ],
    Way::Unknown,
    "was tested only with constant scalar scales and zero points, between some quantised operators",
    LITERT_PAIRS_RUN,
);
const UNASKED: Law = law(
    &[VIA_ONNX2TF, When::Named(&["QuantizeLinear", "DequantizeLinear", "FusedConv", "GroupNorm", "Attention"])],
    Way::Unknown,
    "was not tested with the ONNX Runtime operators that onnx2tf converts",
    ONNX2TF_OPERATORS,
);
const OTHER_PAIRS: Law = law(&[When::Not(&VIA_ONNX2TF), PAIRS], Way::Unsupported, NO_CONTRIB, ONNX2TF_OPERATORS);

/// The laws of LiteRT through its converters, in order.
pub(super) const LITERT_CONTRIB: [Law; 7] = [
    OTHER_PAIRS,
    BYTES_AT_ENDS,
    UNASKED_PAIRS,
    law(&[VIA_ONNX2TF, PAIRS], Way::Caveat, HALVES, LITERT_PAIRS_RUN),
    law(&[VIA_ONNX2TF, PAIRS], Way::Own, "receives ADD or MUL of floats from onnx2tf", LITERT_PAIRS_RUN),
    UNASKED,
    none(ONNX2TF_OPERATORS),
];

/// The laws of LiteRT's GPU delegate through its converters, in order.
pub(super) const LITERT_GPU_CONTRIB: [Law; 12] = [
    OTHER_PAIRS,
    BYTES_AT_ENDS,
    UNASKED_PAIRS,
    law(
        &[VIA_ONNX2TF, PAIRS, When::RankAbove(4)],
        Way::RefusedRank,
        "supports ranks up to 4; the CPU computes higher ranks",
        LITERT_GPU_PAIRS_RUN,
    ),
    law(
        &[VIA_ONNX2TF, PAIRS, When::AnyConstant, When::Not(&When::Any(&[SHORT_FIRST, SHORT_SECOND]))],
        Way::Unknown,
        "aligns a constant of QLinearAdd or QLinearMul by its own rank; results are unknown",
        LITERT_GPU_PAIRS_RUN,
    ),
    law(
        &[VIA_ONNX2TF, ADDS, When::Not(&When::AnyConstant)],
        Way::Garbled,
        "computes wrong values for QLinearAdd of two computed operands",
        LITERT_GPU_PAIRS_RUN,
    ),
    law(
        &[VIA_ONNX2TF, When::Named(&["QLinearMul"]), When::AnyConstant],
        Way::Refused,
        "leaves QLinearMul with a constant to the CPU",
        LITERT_GPU_PAIRS_RUN,
    ),
    law(
        &[VIA_ONNX2TF, PAIRS, When::Not(&When::Holds(is_signed))],
        Way::Garbled,
        "computes wrong values for u8, which onnx2tf stores as i8",
        LITERT_GPU_PAIRS_RUN,
    ),
    law(&[VIA_ONNX2TF, PAIRS], Way::Caveat, HALVES, LITERT_GPU_PAIRS_RUN),
    law(
        &[VIA_ONNX2TF, PAIRS],
        Way::Own,
        "computes the sum or product of floats that onnx2tf writes",
        LITERT_GPU_PAIRS_RUN,
    ),
    UNASKED,
    none(ONNX2TF_OPERATORS),
];
/// One of the operands is a constant that has no more than one axis.
const SHORT_FIRST: When = When::All(&[When::Constant(0), When::Rank(0, 0, 1)]);
const SHORT_SECOND: When = When::All(&[When::Constant(1), When::Rank(1, 0, 1)]);

/// Says whether all scales and zero points of both operands and of the result are constants.
fn has_constants(asked: &Asked<'_>) -> Option<bool> {
    Some(
        [1, 2, 4, 5, 6, 7].into_iter().all(|k| asked.node.input(k).is_some_and(|value| asked.facts.is_constant(value))),
    )
}

/// Says whether the result is of i8.
fn is_signed(asked: &Asked<'_>) -> Option<bool> {
    Some(element(asked, asked.node.input(7)?)? == "i8")
}

const WEBNN_SOURCE: Evidence =
    Evidence::documented("ONNX Runtime, webnn/builders/map_info.h, decomposed_op_map and op_inputs_map; not run");

/// The laws of `WebNN`, in order.
pub(super) const WEBNN_CONTRIB: [Law; 2] = [
    law(
        &[When::Named(&[
            "DequantizeLinear",
            "GroupNorm",
            "GroupQueryAttention",
            "MatMulNBits",
            "MultiHeadAttention",
            "QuantizeLinear",
            "SimplifiedLayerNormalization",
            "SkipLayerNormalization",
            "SkipSimplifiedLayerNormalization",
        ])],
        Way::Unknown,
        "replaces it with several operators; no browser was tested",
        WEBNN_SOURCE,
    ),
    law(&[], Way::Unsupported, "does not support the operator; ONNX Runtime computes it on the CPU", WEBNN_SOURCE),
];

const TENSORRT_SOURCE: Evidence =
    Evidence::documented("onnx-tensorrt 10.1, ModelImporter.cpp and onnxOpImporters.cpp; not run");

/// The laws of TensorRT, in order.
pub(super) const TENSORRT_CONTRIB: [Law; 2] = [
    law(
        &[QUANTISATIONS],
        Way::Unknown,
        "reads it as the ONNX operator of the same name and ignores the domain",
        TENSORRT_SOURCE,
    ),
    none(TENSORRT_SOURCE),
];

/// Returns the shape of an input; nothing where it is absent.
fn input<'a>(asked: &Asked<'a>, k: usize) -> Option<&'a SymbolicShape> {
    asked.node.input(k).and_then(|value| asked.shape(value))
}

fn is_given(asked: &Asked<'_>, k: usize) -> bool {
    asked.node.input(k).is_some()
}

/// Says whether the last operand has as many elements as the last axis of the data has entries.
fn has_flat_bias(asked: &Asked<'_>) -> Option<bool> {
    let columns = asked.operands.first()?.dims()?.last()?.size()?;
    Some(is_given(asked, bias_of(asked)?) && asked.elements(asked.operands.len() - 1)? == columns)
}

/// Returns the input that is the bias of a product of integers.
fn bias_of(asked: &Asked<'_>) -> Option<usize> {
    match asked.node.op.as_str() {
        "DynamicQuantizeMatMul" => Some(4),
        "MatMulIntegerToFloat" => Some(6),
        _ => None,
    }
}

/// Says whether all scales and zero points of both operands and of the result are scalars.
fn has_scalars(asked: &Asked<'_>) -> Option<bool> {
    affine::all(
        [1, 2, 4, 5, 6, 7]
            .into_iter()
            .map(|k| if is_given(asked, k) { Some(input(asked, k)?.rank()? == 0) } else { Some(false) }),
    )
}

/// Says whether a skip has the shape of the data, or that of one entry of their batch.
fn has_whole_skip(asked: &Asked<'_>) -> Option<bool> {
    let (data, skip) = (asked.operands.first()?.dims()?, asked.operands.get(1)?.dims()?);
    if skip.len() < 2 || data.len() > 3 || skip.len() > data.len() {
        return Some(false);
    }
    let ends = |k: usize| alike((data.iter().rev().nth(k), skip.iter().rev().nth(k)));
    affine::all((0..2).map(ends))
}

/// Says whether a zero point of the matrix is single, or has the shape of the matrix with one row; of rank 1 for a plain matrix.
fn has_columns(asked: &Asked<'_>) -> Option<bool> {
    let zero = if asked.node.op == "DynamicQuantizeMatMul" { 3 } else { 5 };
    if !is_given(asked, zero) {
        return Some(true);
    }
    let (zero, matrix) = (input(asked, zero)?.dims()?, input(asked, 1)?.dims()?);
    if any(zero.iter().map(|dim| dim.size().map(|size| size != 1))) == Some(false) {
        return Some(true);
    }
    Some(match zero {
        [_] => matrix.len() == 2,
        [.., row, _] => zero.len() == matrix.len() && row.size()? == 1,
        [] => true,
    })
}

/// Says whether scale or zero point of the data have several entries.
fn has_rows(asked: &Asked<'_>) -> Option<bool> {
    // A scale of two axes is multiplied with the product.
    let (scale, zero) = (input(asked, 2)?.rank()? < 2, is_given(asked, 4));
    any([(2, scale), (4, zero)]
        .into_iter()
        .filter(|(_, asked)| *asked)
        .map(|(k, _)| any(input(asked, k)?.dims()?.iter().map(|dim| dim.size().map(|size| size != 1)))))
}

/// Says whether a mask has four axes, the last two with the numbers of queries and of keys.
fn is_whole(asked: &Asked<'_>) -> Option<bool> {
    let (scores, mask) = (asked.operands.first()?.dims()?, asked.operands.get(1)?.dims()?);
    let [.., rows, columns] = mask else { return Some(false) };
    if mask.len() != 4 {
        return Some(false);
    }
    affine::all([(rows, scores.get(2)), (columns, scores.get(3))].into_iter().map(|(own, dim)| alike((Some(own), dim))))
}

fn counts_from_front(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.node.attribute("axis").and_then(crate::graph::Attribute::int).is_some_and(|axis| axis >= 0))
}

fn has_bias_alone(asked: &Asked<'_>) -> Option<bool> {
    Some(is_given(asked, 4) && !is_given(asked, 3))
}

fn has_all_lists(asked: &Asked<'_>) -> Option<bool> {
    Some(is_given(asked, 3) && is_given(asked, 4))
}

/// Says whether an attention reads keys of past steps.
fn has_past(asked: &Asked<'_>) -> Option<bool> {
    let past: &[usize] = match asked.node.op.as_str() {
        "Attention" => &[4],
        "MultiHeadAttention" => &[6, 7],
        _ => &[3, 4],
    };
    Some(past.iter().any(|&k| is_given(asked, k)))
}

/// Says whether a scale of a matrix repeats for all rows.
fn has_one_row(asked: &Asked<'_>) -> Option<bool> {
    let scale = if asked.node.op == "DynamicQuantizeMatMul" { 2 } else { 3 };
    if !is_given(asked, scale) {
        return Some(true);
    }
    Some(match input(asked, scale)?.dims()? {
        [.., row, _] => row.size()? == 1,
        _ => true,
    })
}

/// Says whether a skip has the shape of the data.
fn has_equal_skip(asked: &Asked<'_>) -> Option<bool> {
    let (data, skip) = (asked.operands.first()?.dims()?, asked.operands.get(1)?.dims()?);
    if data.len() != skip.len() {
        return Some(false);
    }
    affine::all(data.iter().zip(skip).map(|(dim, own)| alike((Some(own), Some(dim)))))
}

/// Says whether a mask has four axes, the last with the number of keys.
fn has_keys(asked: &Asked<'_>) -> Option<bool> {
    let (scores, mask) = (asked.operands.first()?.dims()?, asked.operands.get(1)?.dims()?);
    if mask.len() == 4 { alike((mask.last(), scores.last())) } else { Some(false) }
}

/// Says whether a mask of four axes has all batches and heads.
fn has_heads(asked: &Asked<'_>) -> Option<bool> {
    let (scores, mask) = (asked.operands.first()?.dims()?, asked.operands.get(1)?.dims()?);
    affine::all((0..2).map(|k| alike((mask.get(k), scores.get(k)))))
}

/// Says whether the last size of the data is a multiple of 4.
fn has_fours(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.operands.first()?.dims()?.last()?.size()? % 4 == 0)
}

/// Says whether the last size of a skip is that of the data.
fn ends_as_data(asked: &Asked<'_>) -> Option<bool> {
    let (data, skip) = (asked.operands.first()?.dims()?, asked.operands.get(1)?.dims()?);
    if skip.is_empty() { Some(false) } else { alike((data.last(), skip.last())) }
}

/// Says whether a skip runs along some of the last axes of the data and no others: axes of 1 in front do not matter.
fn runs_along_last(asked: &Asked<'_>) -> Option<bool> {
    let (data, skip) = (asked.operands.first()?.dims()?, asked.operands.get(1)?.dims()?);
    let front = skip.iter().take_while(|dim| dim.size() == Some(1)).count();
    let rest = &skip[front..];
    let pairs = rest.iter().rev().zip(data.iter().rev());
    affine::all(pairs.map(|(own, dim)| alike((Some(own), Some(dim)))))
}
