//! What runtimes do with products of integers: `QLinearConv`, `ConvInteger`, `QLinearMatMul` and `MatMulInteger`.
//!
//! A scale, a zero point or a bias is a number for all of the product, or a list along its channels. The operands are the product and
//! those of its weights; the zero points of rows belong to the data, and are looked up by input.

use broadaxe_shape::SymbolicShape;

use super::{
    Asked, Evidence, Law, Way, When,
    condition::any,
    quantised::{self, NO_KERNEL, VIA_ONNX2TF, element, is_zero},
};
use crate::{graph::ValueId, meaning::Kind};

/// Products of integers.
pub(super) const OF_INTEGERS: When = When::Holds(|asked| Some(asked.meaning.is_of_integers()));
const QLINEAR_CONV: When = When::Named(&["QLinearConv"]);
const QLINEAR: When = When::Named(&["QLinearConv", "QLinearMatMul"]);
const CONV: When = When::Named(&["QLinearConv", "ConvInteger"]);
const MATRICES: When = When::Named(&["QLinearMatMul"]);
/// Scale and zero point of the weights are single.
const SINGLES: When = When::All(&[When::Single(1), When::Holds(is_single_last)]);
/// The inputs of weights.
const WEIGHTS: [(&str, usize); 4] =
    [("QLinearConv", 3), ("ConvInteger", 1), ("QLinearMatMul", 3), ("MatMulInteger", 1)];

const fn law(when: &'static [When], way: Way, text: &'static str, evidence: Evidence) -> Law {
    let when = match when {
        [] => const { &[OF_INTEGERS] },
        when => when,
    };
    Law { kinds: &[Kind::Lengths], when, way, text, evidence }
}

const WHOLE_BIAS: &str = "requires one bias per channel in QLinearConv";

const ORT_RUN: Evidence =
    Evidence::run_here("ONNX Runtime 1.31.1; CPU; 1,839 models of conformance/laws/integer_layers.py");

/// The laws of ONNX Runtime, in order.
pub(super) const ORT: [Law; 5] = [
    law(&[OF_INTEGERS, When::Holds(repeats_bias)], Way::Refused, WHOLE_BIAS, ORT_RUN),
    law(
        &[OF_INTEGERS, When::Named(&["ConvInteger"]), When::Not(&When::Single(1))],
        Way::Refused,
        "requires a single zero point of the weights in ConvInteger",
        ORT_RUN,
    ),
    law(
        &[OF_INTEGERS, When::Holds(has_rows)],
        Way::Refused,
        "accepts only one scale and zero point for an integer product's data",
        ORT_RUN,
    ),
    law(
        &[OF_INTEGERS, When::Not(&When::Holds(has_columns))],
        Way::Refused,
        "requires scales and zero points with the rank of batched weights",
        ORT_RUN,
    ),
    law(&[], Way::Own, "reads scales and zero points of the weights per channel", ORT_RUN),
];

const OPENVINO_INTEGERS_RUN: Evidence =
    Evidence::run_here("OpenVINO 2026.4.1; CPU plugin; 1,839 models of conformance/laws/integer_layers.py");

/// The laws of OpenVINO, in order.
pub(super) const OPENVINO_PRODUCTS: [Law; 13] = [
    law(
        &[When::Invalid, QLINEAR_CONV, When::Holds(has_single_bias)],
        Way::Rule("axis-lists mode=each axis=1"),
        "repeats a bias of shape (1,) in QLinearConv for every channel",
        OPENVINO_INTEGERS_RUN,
    ),
    law(
        &[OF_INTEGERS, When::Holds(repeats_bias)],
        Way::Unknown,
        "was tested with one bias per channel only if all sizes are known",
        OPENVINO_INTEGERS_RUN,
    ),
    law(
        &[OF_INTEGERS, QLINEAR, When::Holds(has_listed_outer)],
        Way::Unknown,
        "was tested only with scalar scales and zero points of data and result",
        OPENVINO_INTEGERS_RUN,
    ),
    law(
        &[QLINEAR_CONV, When::Not(&When::Holds(fits_weights))],
        Way::Refused,
        "reads per-filter lists of QLinearConv along axis 1 of the weights, whose length differs",
        OPENVINO_INTEGERS_RUN,
    ),
    law(
        &[QLINEAR_CONV, When::Holds(has_lists)],
        Way::Garbled,
        "reads per-filter lists of QLinearConv along axis 1 of the weights",
        OPENVINO_INTEGERS_RUN,
    ),
    law(
        &[QLINEAR, When::Not(&When::Constant(1))],
        Way::Unknown,
        "rounds some results differently if the scale of the weights is computed",
        OPENVINO_INTEGERS_RUN,
    ),
    law(
        &[QLINEAR_CONV, When::Holds(has_unsigned_weights), When::Holds(|asked| is_zero(asked, 5))],
        Way::Refused,
        "does not compile QLinearConv with unsigned weights and a zero point of 0",
        OPENVINO_INTEGERS_RUN,
    ),
    law(
        &[MATRICES, When::Any(&[When::Holds(has_rows), When::Not(&SINGLES)])],
        Way::Refused,
        "accepts only one scale and one zero point per matrix in QLinearMatMul",
        OPENVINO_INTEGERS_RUN,
    ),
    law(
        &[MATRICES, When::Holds(has_vector)],
        Way::Refused,
        "cannot read QLinearMatMul of a vector",
        OPENVINO_INTEGERS_RUN,
    ),
    law(
        &[When::Named(&["MatMulInteger"]), When::Holds(has_vector)],
        Way::Unknown,
        "returns some products of a vector and a matrix with another rank",
        OPENVINO_INTEGERS_RUN,
    ),
    law(
        &[When::Named(&["MatMulInteger"]), When::Holds(has_listed_rows)],
        Way::Unknown,
        "was not tested with one zero point per row",
        OPENVINO_INTEGERS_RUN,
    ),
    law(
        &[OF_INTEGERS, When::Not(&When::Holds(is_column))],
        Way::Unknown,
        "was tested only with one zero point per matrix or per column",
        OPENVINO_INTEGERS_RUN,
    ),
    law(&[], Way::Own, "reads scales and zero points per channel", OPENVINO_INTEGERS_RUN),
];

const TVM_INTEGERS_RUN: Evidence =
    Evidence::run_here("TVM 0.27.0.post1; CPU, Relax; models of conformance/laws/integer_layers.py");

/// The laws of TVM, in order.
pub(super) const TVM_INTEGERS: [Law; 4] = [
    law(
        &[OF_INTEGERS, When::Not(&When::Named(&["MatMulInteger"]))],
        Way::Unsupported,
        "does not support QLinearConv, ConvInteger or QLinearMatMul",
        TVM_INTEGERS_RUN,
    ),
    law(
        &[OF_INTEGERS, When::Any(&[When::Holds(has_vector), When::Holds(has_listed_rows)])],
        Way::Unknown,
        "was tested only with matrices, and with zero points per row of rank 2",
        TVM_INTEGERS_RUN,
    ),
    law(
        &[OF_INTEGERS, When::Not(&When::Holds(is_column))],
        Way::Unknown,
        "was tested only with one zero point per matrix or per column",
        TVM_INTEGERS_RUN,
    ),
    law(&[], Way::Own, "subtracts the zero points from the matrices as ONNX does", TVM_INTEGERS_RUN),
];

/// The law of ONNX Runtime's WebGPU provider.
pub(super) const WEBGPU: Law = law(
    &[],
    Way::Unsupported,
    NO_KERNEL,
    Evidence::run_here("ONNX Runtime WebGPU 1.27.0; SwiftShader; models of conformance/laws/integer_layers.py"),
);

const QNN_RUN: Evidence = Evidence::run_here(
    "QNN 2.7.0; onnxruntime-qnn, HTP v73, compiled and not run; models of conformance/laws/integer_layers.py, and 228 of conformance/laws/quantised_graphs.py",
);

/// The laws of QNN, in order.
pub(super) const QNN_INTEGERS: [Law; 7] = [
    law(&[OF_INTEGERS, When::Holds(repeats_bias)], Way::Refused, WHOLE_BIAS, QNN_RUN),
    law(&[OF_INTEGERS, When::Not(&QLINEAR)], Way::Unsupported, "does not support integer products", QNN_RUN),
    law(
        &[
            OF_INTEGERS,
            When::Any(&[When::Holds(has_computed), When::All(&[QLINEAR_CONV, When::Holds(has_computed_weights)])]),
        ],
        Way::Unknown,
        "accepts only constant scales and zero points here; computed filters were not tested",
        QNN_RUN,
    ),
    law(
        &[OF_INTEGERS, When::Holds(has_listed_outer)],
        Way::Unknown,
        "was tested only with scalar scales and zero points of data and result",
        QNN_RUN,
    ),
    law(
        &[QLINEAR_CONV, When::Holds(has_lists)],
        Way::Unknown,
        "compiles some lists of QLinearConv; its results were not tested",
        QNN_RUN,
    ),
    law(
        &[MATRICES, When::Any(&[When::Holds(has_rows), When::Not(&SINGLES)])],
        Way::Refused,
        "accepts only one scale and one zero point per matrix in QLinearMatMul",
        QNN_RUN,
    ),
    law(&[], Way::Own, "receives single scales and zero points", QNN_RUN),
];

const NO_PRODUCTS: &str = "does not support integer products";

/// The law of ncnn through pnnx.
pub(super) const PNNX_INTEGERS: Law = law(
    &[],
    Way::Unsupported,
    NO_PRODUCTS,
    Evidence::documented(
        "pnnx 20261020: no pass reads QLinearConv, ConvInteger, QLinearMatMul or MatMulInteger; not run",
    ),
);

const MNN_INTEGERS_RUN: Evidence = Evidence::run_here(
    "MNN 3.6.1; CPU, ONNX converter; 363 models of conformance/laws/integer_layers.py, and 206 of conformance/laws/quantised_graphs.py",
);

/// The laws of MNN, in order.
pub(super) const MNN_INTEGERS: [Law; 5] = [
    law(
        &[When::Named(&["ConvInteger"])],
        Way::Refused,
        "its ONNX converter does not support ConvInteger",
        MNN_INTEGERS_RUN,
    ),
    law(
        &[When::Named(&["MatMulInteger"]), When::Holds(is_merged)],
        Way::Caveat,
        "quantises the data itself and rounds some differently if none is negative",
        MNN_INTEGERS_RUN,
    ),
    law(
        &[When::Named(&["MatMulInteger"]), When::Holds(is_merged)],
        Way::Own,
        "merges DynamicQuantizeLinear, MatMulInteger and the product with the scales",
        MNN_INTEGERS_RUN,
    ),
    law(
        &[OF_INTEGERS, When::Holds(is_of_dynamic_data)],
        Way::Unknown,
        "was tested only with DynamicQuantizeLinear, MatMulInteger of constants and a product with both scales",
        MNN_INTEGERS_RUN,
    ),
    law(&[], Way::Refused, "does not accept integer products that its converter does not merge", MNN_INTEGERS_RUN),
];

/// The law of TensorRT.
pub(super) const TENSORRT_INTEGERS: Law = law(
    &[],
    Way::Unsupported,
    NO_PRODUCTS,
    Evidence::documented("onnx-tensorrt 10.1, docs/operators.md and onnxOpCheckers.cpp; not run"),
);

/// The law of Paddle.
pub(super) const PADDLE_INTEGERS: Law = law(
    &[],
    Way::Unsupported,
    NO_PRODUCTS,
    Evidence::documented("X2Paddle 1.4.1 (2024-10-18), op_mapper/onnx2paddle: no such operators; not run"),
);

/// The law of Core ML.
pub(super) const COREML_INTEGERS: Law = law(
    &[],
    Way::Unsupported,
    NO_PRODUCTS,
    Evidence::documented(
        "coremltools 9.0, mil/ops/defs/iOS15/conv.py and linear.py: floats, and i32 without zero points; not run",
    ),
);

const WEBNN_PRODUCTS: Evidence =
    Evidence::documented("ONNX Runtime, webnn/builders/map_info.h, decomposed_op_map and op_inputs_map; not run");
const WEBNN_DECOMPOSED: Evidence = Evidence::documented(
    "ONNX Runtime, webnn/builders/impl/gemm_op_builder.cc and conv_op_builder.cc, HasSupportedInputsImpl and AddToModelBuilderImpl; not run",
);

/// The laws of `WebNN`, in order.
pub(super) const WEBNN_INTEGERS: [Law; 6] = [
    law(
        &[OF_INTEGERS, QLINEAR],
        Way::Unsupported,
        "does not support QLinearConv or QLinearMatMul; ONNX Runtime computes them on the CPU",
        WEBNN_PRODUCTS,
    ),
    law(
        &[OF_INTEGERS, When::Holds(has_two_types)],
        Way::Refused,
        "leaves ConvInteger and MatMulInteger of two different types to the CPU",
        WEBNN_DECOMPOSED,
    ),
    law(
        &[When::Named(&["ConvInteger"]), When::Not(&When::Rank(0, 3, 4))],
        Way::Refused,
        "leaves ConvInteger with more than two spatial axes to the CPU",
        WEBNN_DECOMPOSED,
    ),
    law(
        &[
            OF_INTEGERS,
            When::Any(&[
                When::Not(&When::Holds(is_flat_column)),
                When::Holds(has_rows),
                When::All(&[CONV, When::Not(&When::Single(1))]),
            ]),
        ],
        Way::Unknown,
        "reads zero points per row or filter along other axes; no browser was tested",
        WEBNN_DECOMPOSED,
    ),
    law(
        &[OF_INTEGERS],
        Way::Caveat,
        "multiplies in f32, which is exact up to 16,777,216 (258 products of bytes)",
        WEBNN_DECOMPOSED,
    ),
    law(
        &[],
        Way::Own,
        "subtracts the zero points with dequantizeLinear, multiplies, and casts to i32",
        WEBNN_DECOMPOSED,
    ),
];

const LITERT_INTEGERS_RUN: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; 272 models of conformance/laws/quantised_graphs.py through onnx2tf 2.6.9, on the CPU",
);
const LITERT_GPU_INTEGERS_RUN: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; WebGPU on SwiftShader, 72 models of conformance/laws/quantised_graphs.py through onnx2tf 2.6.9",
);
const ROUTE: &str = "was tested with integer products only through onnx2tf";

/// The laws of LiteRT through onnx2tf, in order.
pub(super) const LITERT_INTEGERS: [Law; 6] = [
    law(&[OF_INTEGERS, When::Not(&VIA_ONNX2TF)], Way::Unknown, ROUTE, LITERT_INTEGERS_RUN),
    law(
        &[MATRICES, When::Any(&[When::Not(&When::Holds(has_matrices)), When::Holds(has_computed_parts)])],
        Way::Refused,
        "receives QLinearMatMul from onnx2tf only up to rank 2, with constant weights",
        LITERT_INTEGERS_RUN,
    ),
    law(
        &[CONV, When::Any(&[When::Not(&When::Rank(0, 4, 4)), When::Holds(has_computed_parts)])],
        Way::Refused,
        "receives integer convolutions from onnx2tf only in 2-D, with constant weights",
        LITERT_INTEGERS_RUN,
    ),
    law(
        &[
            QLINEAR,
            When::Any(&[
                When::Holds(quantised::ends_in_bytes),
                When::Holds(quantised::is_by_others),
                When::Holds(has_listed_outer),
                When::All(&[MATRICES, When::Not(&SINGLES)]),
                When::Holds(|asked| Some(groups(asked) > 1)),
            ]),
        ],
        Way::Unknown,
        "was tested only with single scales, no groups, and u8 (stored as i8)",
        LITERT_INTEGERS_RUN,
    ),
    law(
        &[
            When::Named(&["ConvInteger", "MatMulInteger"]),
            When::Any(&[
                When::Holds(has_computed_parts),
                When::Holds(has_vector),
                When::Holds(has_rows),
                When::Not(&When::Holds(is_flat_column)),
                When::Holds(has_groups_of_several),
            ]),
        ],
        Way::Unknown,
        "was tested only with constant weights and one zero point per matrix or column",
        LITERT_INTEGERS_RUN,
    ),
    law(&[], Way::Own, "receives the sums and products that onnx2tf writes", LITERT_INTEGERS_RUN),
];

/// The laws of LiteRT's GPU delegate through onnx2tf, in order.
pub(super) const LITERT_GPU_INTEGERS: [Law; 3] = [
    law(&[OF_INTEGERS, When::Not(&VIA_ONNX2TF)], Way::Unknown, ROUTE, LITERT_GPU_INTEGERS_RUN),
    law(&[MATRICES], Way::Refused, "cannot compile what onnx2tf writes for QLinearMatMul", LITERT_GPU_INTEGERS_RUN),
    law(&[], Way::Refused, "leaves integer products to the CPU", LITERT_GPU_INTEGERS_RUN),
];

/// The law of TNN.
pub(super) const TNN_INTEGERS: Law = law(
    &[],
    Way::Unsupported,
    NO_PRODUCTS,
    Evidence::documented("TNN (2025-03-25), tools/converter and tools/onnx2tnn: no such converters; not run"),
);

/// Returns the shape of an input; nothing where it is absent.
fn input<'a>(asked: &Asked<'a>, k: usize) -> Option<&'a SymbolicShape> {
    asked.node.input(k).and_then(|value| asked.shape(value))
}

/// Says whether an input of several elements is given.
fn has_several(asked: &Asked<'_>, k: usize) -> Option<bool> {
    if asked.node.input(k).is_none() {
        return Some(false);
    }
    any(input(asked, k)?.dims()?.iter().map(|dim| dim.size().map(|size| size != 1)))
}

/// Returns the inputs of the scale and the zero point of the rows of a matrix product; none for a convolution.
fn of_rows(asked: &Asked<'_>) -> &'static [usize] {
    match asked.node.op.as_str() {
        "QLinearMatMul" => &[1, 2],
        "MatMulInteger" => &[2],
        _ => &[],
    }
}

fn has_rows(asked: &Asked<'_>) -> Option<bool> {
    any(of_rows(asked).iter().map(|&k| has_several(asked, k)))
}

/// Says whether a list of rank 1 with several elements belongs to the rows.
fn has_listed_rows(asked: &Asked<'_>) -> Option<bool> {
    any(of_rows(asked).iter().map(|&k| {
        let listed = asked.node.input(k).is_some() && input(asked, k)?.rank()? == 1;
        Some(listed && has_several(asked, k)?)
    }))
}

fn weights<'a>(asked: &Asked<'a>) -> Option<&'a SymbolicShape> {
    let (_, k) = WEIGHTS.iter().find(|(name, _)| *name == asked.node.op)?;
    input(asked, *k)
}

/// Says whether a matrix is a vector.
fn has_vector(asked: &Asked<'_>) -> Option<bool> {
    Some(input(asked, 0)?.rank()? < 2 || weights(asked)?.rank()? < 2)
}

/// Says whether what belongs to the weights is one number, or has one for each column: `(N,)` or `(..., 1, N)`.
fn is_column(asked: &Asked<'_>) -> Option<bool> {
    any((1..asked.operands.len()).map(|k| {
        Some(match asked.operands[k].dims()? {
            [.., row, _] => row.size()? != 1,
            _ => false,
        })
    }))
    .map(|other| !other)
}

/// Says whether ONNX Runtime reads what belongs to the columns: one number, or the shape of the weights with one row.
fn has_columns(asked: &Asked<'_>) -> Option<bool> {
    if CONV.holds(asked)? {
        return Some(true);
    }
    let own = weights(asked)?.rank()?;
    let fits = |k: usize| {
        let single = When::Single(k).holds(asked)?;
        let rank = asked.operands.rank(k)?;
        Some(single || rank == own || rank == 1 && own == 2)
    };
    let wrong = any((1..asked.operands.len()).map(|k| fits(k).map(|fits| !fits)));
    Some(!wrong? && is_column(asked)?)
}

/// Says whether the bias of `QLinearConv` has the shape `(1,)`, and scale and zero point of the weights are scalars.
fn has_single_bias(asked: &Asked<'_>) -> Option<bool> {
    let scalar = |shape: &SymbolicShape| shape.rank() == Some(0);
    let Some(bias) = asked.meaning.bias() else { return Some(false) };
    Some(When::Single(bias).holds(asked)? && asked.operands.rank(bias)? == 1 && of_weights(asked).all(scalar))
}

/// Says whether the bias of `QLinearConv` has another length than there are channels.
fn repeats_bias(asked: &Asked<'_>) -> Option<bool> {
    let Some(bias) = asked.meaning.bias() else { return Some(false) };
    let channels = asked.operands[0].dims()?.get(1)?.size()?;
    Some(asked.operands.rank(bias)? != 1 || asked.elements(bias)? != channels)
}

/// Says whether scale or zero point of data and result is no scalar.
fn has_listed_outer(asked: &Asked<'_>) -> Option<bool> {
    let rows = of_rows(asked);
    let outer = [1, 2, 6, 7].into_iter().filter(|k| !rows.contains(k));
    any(outer.map(|k| if asked.node.input(k).is_none() { Some(false) } else { Some(input(asked, k)?.rank()? > 0) }))
}

/// Lists the operands that are scale and zero point of the weights.
fn of_weights<'a>(asked: &'a Asked<'_>) -> impl Iterator<Item = &'a SymbolicShape> {
    let bias = usize::from(asked.meaning.bias().is_some());
    asked.operands[1..asked.operands.len() - bias].iter()
}

/// Says whether lists of the weights have as many entries as axis 1 of the weights.
fn fits_weights(asked: &Asked<'_>) -> Option<bool> {
    let size = weights(asked)?.dims()?.get(1)?.size()?;
    any(of_weights(asked).map(|shape| Some(shape.rank()? > 0 && shape.dims()?[0].size()? != size))).map(|other| !other)
}

/// Says whether scale or zero point of the weights have several entries.
fn has_lists(asked: &Asked<'_>) -> Option<bool> {
    any(of_weights(asked).map(|shape| any(shape.dims()?.iter().map(|dim| dim.size().map(|size| size != 1)))))
}

fn is_single_last(asked: &Asked<'_>) -> Option<bool> {
    When::Single(asked.operands.len() - 1).holds(asked)
}

fn has_computed(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.constants.iter().skip(1).any(|constant| !constant))
}

fn has_computed_weights(asked: &Asked<'_>) -> Option<bool> {
    Some(!asked.facts.is_constant(asked.node.input(3)?))
}

fn has_unsigned_weights(asked: &Asked<'_>) -> Option<bool> {
    let value = asked.node.input(3)?;
    let inferred = asked.shapes.of.get(value.0 as usize).and_then(|known| known.element.as_ref());
    Some(inferred?.to_string() != "i8")
}

fn is_of_dynamic_data(asked: &Asked<'_>) -> Option<bool> {
    let producer = asked.producer(asked.node.input(0)?);
    Some(producer.is_some_and(|node| node.op == "DynamicQuantizeLinear"))
}

/// Says whether data or weights have a type other than the zero points and each other; nothing where a type is not known.
fn has_two_types(asked: &Asked<'_>) -> Option<bool> {
    let own = element(asked, asked.node.input(0)?)?;
    any((1..4).filter_map(|k| asked.node.input(k)).map(|value| Some(element(asked, value)? != own)))
}

/// Says whether what belongs to the weights is one number, or a list of rank 1 with one for each column.
fn is_flat_column(asked: &Asked<'_>) -> Option<bool> {
    any((1..asked.operands.len()).map(|k| Some(asked.operands.rank(k)? > 1))).map(|other| !other)
}

/// Says whether neither data nor weights have more than two axes, and the weights have two.
fn has_matrices(asked: &Asked<'_>) -> Option<bool> {
    Some(input(asked, 0)?.rank()? == 2 && weights(asked)?.rank()? == 2)
}

/// Says whether the weights, or what else has to be a constant, are computed; the zero point of data of integers may be.
fn has_computed_parts(asked: &Asked<'_>) -> Option<bool> {
    let constant = |k: usize| asked.node.input(k).is_none_or(|value| asked.facts.is_constant(value));
    let parts: &[usize] = if QLINEAR.holds(asked)? { &[1, 2, 3, 4, 5, 6, 7, 8] } else { &[1, 3] };
    Some(!parts.iter().all(|k| constant(*k)))
}

fn groups(asked: &Asked<'_>) -> i64 {
    asked.node.attribute("group").and_then(crate::graph::Attribute::int).unwrap_or(1)
}

/// Says whether a convolution has groups of several channels.
fn has_groups_of_several(asked: &Asked<'_>) -> Option<bool> {
    Some(groups(asked) > 1 && weights(asked)?.dims()?.get(1)?.size()? > 1)
}

/// Says whether MNN merges a product of integers: the data are quantised for it, the weights are a matrix of constants, and all that reads it is a
/// product with the scale of the data times that of the weights.
fn is_merged(asked: &Asked<'_>) -> Option<bool> {
    let made = |k: usize, output: usize| {
        let (node, own) = asked.model.value(asked.node.input(k)?).producer?;
        (asked.model.node(node).op == "DynamicQuantizeLinear" && own == output).then_some(node)
    };
    let (Some(data), Some(zero)) = (made(0, 0), made(2, 2)) else { return Some(false) };
    let constant = |k: usize| asked.node.input(k).is_some_and(|value| asked.facts.is_constant(value));
    if data != zero || !constant(1) || !constant(3) || weights(asked)?.rank()? != 2 || !is_flat_column(asked)? {
        return Some(false);
    }
    let scale = asked.model.node(data).output(1);
    let scaled = |value: ValueId| {
        let scales = asked.producer(value).filter(|node| node.op == "Mul");
        scales.is_some_and(|node| {
            let inputs = || node.inputs.iter().flatten();
            inputs().any(|input| Some(*input) == scale) && inputs().any(|input| asked.facts.is_constant(*input))
        })
    };
    let cast = asked.node.output(0).and_then(|value| asked.reader(value)).map(|(node, _)| node);
    let product = cast.filter(|node| node.op == "Cast").and_then(|node| asked.reader(node.output(0)?));
    let Some((product, input)) = product.filter(|(node, _)| node.op == "Mul") else { return Some(false) };
    Some(product.input(1 - input).is_some_and(scaled))
}
