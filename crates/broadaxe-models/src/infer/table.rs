//! Finds the shape function of an operator, in tables by topic.

use std::{collections::HashMap, sync::OnceLock};

use broadaxe_frameworks::{CONTRIB, Kind, System};
use broadaxe_kernels::DType;

use super::{
    attention,
    call::{Call, Function},
    cast, contrib, conv, elementwise, gather, make, matmul, ncnn, norm, openvino, pool, quant, reduce, reshape, resize,
    rnn,
    row::{BOOL, SAME, ShapeRow, Type, row},
    sequence, slice, tflite,
};
use crate::{attributes::is_standard, graph::Element};

static ONNX_TABLES: &[&[ShapeRow]] = &[
    attention::ATTENTION_ROWS,
    cast::CAST_ROWS,
    conv::CONV_ROWS,
    gather::GATHER_ROWS,
    make::MAKE_ROWS,
    matmul::MATMUL_ROWS,
    norm::NORM_ROWS,
    pool::POOL_ROWS,
    quant::QUANT_ROWS,
    reduce::REDUCE_ROWS,
    reshape::RESHAPE_ROWS,
    resize::RESIZE_ROWS,
    rnn::RNN_ROWS,
    sequence::SEQUENCE_ROWS,
    slice::SLICE_ROWS,
];

/// The operators of ONNX's domain of classical learning that keep a shape.
static LEARNING_TABLES: &[&[ShapeRow]] = &[&[
    row("Binarizer", slice::like, SAME),
    row("Imputer", slice::like, SAME),
    row("LabelEncoder", slice::like, &[Type::Open]),
    row("Normalizer", slice::like, &[Type::Is(DType::F32)]),
    row("Scaler", slice::like, &[Type::Is(DType::F32)]),
]];

static CONTRIB_TABLES: &[&[ShapeRow]] = &[contrib::CONTRIB_ROWS];

static OPENVINO_TABLES: &[&[ShapeRow]] = &[openvino::OPENVINO_ROWS];

static NCNN_TABLES: &[&[ShapeRow]] = &[ncnn::NCNN_ROWS];

static TFLITE_TABLES: &[&[ShapeRow]] = &[tflite::TFLITE_ROWS];

type Index = HashMap<&'static str, &'static ShapeRow>;

fn index(tables: &'static [&'static [ShapeRow]]) -> Index {
    tables.iter().copied().flatten().map(|row| (row.name, row)).collect()
}

/// Finds the shape function of a node's operator, and the types of its results.
pub(crate) fn find(call: &Call<'_>) -> Option<(Function, &'static [Type])> {
    static ALL: OnceLock<[Index; 6]> = OnceLock::new();
    let all = || [ONNX_TABLES, LEARNING_TABLES, CONTRIB_TABLES, OPENVINO_TABLES, NCNN_TABLES, TFLITE_TABLES].map(index);
    let [onnx, learning, contrib, openvino, ncnn, tflite] = ALL.get_or_init(all);
    let (system, op) = (call.model.system, call.node.op.as_str());
    let newest = System::Onnx.newest_opset().unwrap_or(i64::MAX);
    if system == System::Onnx && call.node.domain == "ai.onnx.ml" {
        return learning.get(op).map(|row| (row.infer, row.types));
    }
    if system == System::Onnx && call.node.domain == CONTRIB {
        return contrib.get(op).map(|row| (row.infer, row.types));
    }
    if system == System::Onnx && !(1..=newest).contains(&call.version()) {
        return None;
    }
    let index = match system {
        System::Onnx if is_standard(system, &call.node.domain) => onnx,
        System::Openvino => openvino,
        System::Tflite if is_standard(system, &call.node.domain) => tflite,
        System::Ncnn => return ncnn.get(op).map(|row| (row.infer, row.types)),
        _ => return None,
    };
    if let Some(row) = index.get(op) {
        return Some((row.infer, row.types));
    }
    let row = elementwise::row(call)?;
    let types: &[Type] = match row.kind() {
        _ if row.is_truth() => BOOL,
        Kind::Select => &[Type::Same(1)],
        _ => SAME,
    };
    Some((elementwise::infer, types))
}

/// Returns the type of an output's elements.
pub(crate) fn element(call: &Call<'_>, types: &[Type], output: usize) -> Option<Element> {
    let named = |name| cast::named(call, name);
    match *types.get(output).or(types.last())? {
        Type::Same(k) => call.element(k).cloned(),
        Type::Is(dtype) => Some(Element::Known(dtype)),
        Type::Named(name, dtype) if call.node.attribute(name).is_none() => Some(Element::Known(dtype)),
        Type::NamedOr(name, k) if call.node.attribute(name).is_none() => call.element(k).cloned(),
        Type::Named(name, _) | Type::NamedOr(name, _) => named(name),
        Type::Quantized if call.has(2) => call.element(2).cloned(),
        Type::Quantized => named("output_dtype").or(Some(Element::Known(DType::U8))),
        Type::Held(name) => make::held(call, name),
        Type::Open => None,
    }
}
