//! What runtimes do with `QuantizeLinear` and `DequantizeLinear`: the parts that their laws share, and the laws of those that
//! read every scale as ONNX does, or refuse it.
//!
//! A scale belongs to the whole tensor, to the entries of one axis ([`Kind::Lists`]), or to blocks along it ([`Kind::Blocks`]).

mod litert;

use broadaxe_frameworks::CONTRIB;
use broadaxe_kernels::DType;
use broadaxe_shape::Dim;

pub(super) use self::litert::{LITERT_GPU_SCALES, LITERT_SCALES, VIA_ONNX2TF, ends_in_bytes, is_by_others};
use super::{Asked, Evidence, Law, Way, When, affine, neighbours::Op};
use crate::{
    graph::{Node, ValueId},
    meaning::Kind,
};

/// The kinds of nodes that these laws speak of.
pub(super) const SCALED_KINDS: &[Kind] = &[Kind::Lists, Kind::Blocks];
pub(super) const BLOCKS: When = When::Kind(&[Kind::Blocks]);
pub(super) const QUANTIZE: When = When::Named(&["QuantizeLinear"]);
/// The scale and the zero point are constants.
pub(super) const FIXED: When = When::Holds(is_fixed);
/// The scale has several entries.
pub(super) const LIST: When = When::Not(&When::Single(1));

const FOUR_BITS: &[&str] = &["uint4", "int4"];
const EIGHT_BITS: &[&str] = &["u8", "i8"];
const SIXTEEN_BITS: &[&str] = &["u16", "i16"];
/// How many bytes of a zero point are read at most.
const ZERO_BYTES: usize = 1 << 20;

/// Returns the type of the quantised numbers: of the data of `DequantizeLinear`, of the result of `QuantizeLinear`.
pub(super) fn stored(asked: &Asked<'_>) -> Option<String> {
    let value = if asked.node.op == "QuantizeLinear" { asked.node.output(0)? } else { asked.node.input(0)? };
    // A zero point has the type of the numbers.
    element(asked, value).or_else(|| element(asked, asked.node.input(2)?))
}

/// Returns the type of a value, where the file or its inference tells it.
pub(super) fn element(asked: &Asked<'_>, value: ValueId) -> Option<String> {
    let inferred = || asked.shapes.of.get(value.0 as usize)?.element.as_ref();
    let held = asked.model.value(value);
    let constant = held.constant.as_ref().map(|constant| &constant.element);
    let known = constant.or(held.element.as_ref()).or_else(inferred).map(ToString::to_string);
    let made = || {
        let (node, output) = held.producer?;
        let bytes = asked.model.node(node).op == "DynamicQuantizeLinear" && output != 1;
        bytes.then(|| "u8".to_owned())
    };
    known.or_else(made)
}

/// Says whether the quantised numbers are of one of these types; nothing where the type is not known.
pub(super) fn is_stored_as(asked: &Asked<'_>, types: &[&[&str]]) -> Option<bool> {
    let own = stored(asked)?;
    Some(types.iter().any(|types| types.contains(&own.as_str())))
}

fn is_fixed(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.constants.iter().skip(1).all(|constant| *constant))
}

/// Returns the axis that the node names or means, of the data in this form.
pub(super) fn axis(asked: &Asked<'_>) -> Option<usize> {
    let (axis, rank) = (asked.meaning.rule.params().axis?, i64::try_from(asked.operands.rank(0)?).ok()?);
    usize::try_from(if axis < 0 { axis + rank } else { axis }).ok().filter(|axis| *axis < rank as usize)
}

/// Says whether the zero point is absent, or a constant of zeros; nothing where it is computed.
pub(super) fn has_no_shift(asked: &Asked<'_>) -> Option<bool> {
    is_zero(asked, 2)
}

/// Says whether an input is absent, or a constant of zeros; nothing where it is computed.
pub(super) fn is_zero(asked: &Asked<'_>, input: usize) -> Option<bool> {
    let Some(zero) = asked.node.input(input) else { return Some(true) };
    let constant = asked.model.value(asked.origin(zero)).constant.as_ref()?;
    Some(asked.model.elements(constant, ZERO_BYTES).ok()??.iter().all(|byte| *byte == 0))
}

/// Says whether a value is the result of `DequantizeLinear`.
fn is_dequantised(asked: &Asked<'_>, value: ValueId) -> bool {
    asked.producer(value).is_some_and(|node| asked.op(node) == Some(Op::Dequantize))
}

/// Returns the only node that reads what the node makes, where all its inputs are dequantised; and whether its result is only quantised.
pub(super) fn group<'a>(asked: &Asked<'a>) -> Option<(&'a Node, usize, bool)> {
    let (reader, input) = asked.reader(asked.node.output(0)?)?;
    group_of(asked, reader, input)
}

/// Returns what [`group`] does, for a runtime that dequantises once for each node that reads the result.
pub(super) fn groups<'a>(asked: &Asked<'a>) -> Vec<(&'a Node, usize, bool)> {
    let one = || group(asked).into_iter().collect::<Vec<_>>();
    let Some(output) = asked.node.output(0).filter(|output| !asked.is_single(*output)) else { return one() };
    asked.readers(output).filter_map(|(reader, input)| group_of(asked, reader, input)).collect()
}

/// Returns a node with the input by which it reads, where all its inputs are dequantised; and whether its result is only quantised.
fn group_of<'a>(asked: &Asked<'a>, reader: &'a Node, input: usize) -> Option<(&'a Node, usize, bool)> {
    let output = reader.output(0)?;
    let closed = !asked.facts.is_output(output)
        && asked.readers(output).next().is_some()
        && asked.readers(output).all(|(node, _)| asked.op(node) == Some(Op::Quantize));
    let all = reader.inputs.iter().flatten().all(|value| is_dequantised(asked, *value));
    all.then_some((reader, input, closed))
}

/// Returns the dims of the scale and the data.
fn dims<'a>(asked: &'a Asked<'_>) -> Option<(&'a [Dim], &'a [Dim])> {
    Some((asked.operands.get(1)?.dims()?, asked.operands.first()?.dims()?))
}

const PNNX_SCALES_RUN: Evidence =
    Evidence::run_here("pnnx and ncnn 20261020; 364 models of conformance/laws/quantised.py");

/// The laws of ncnn through pnnx, in order.
pub(super) const PNNX_SCALES: [Law; 2] = [
    Law {
        kinds: SCALED_KINDS,
        when: &[When::AllConstant, When::Holds(|asked| Some(asked.dtype(1)? == DType::F32))],
        way: Way::Own,
        text: "receives floats: pnnx folds nodes of constants",
        evidence: PNNX_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[],
        way: Way::Unsupported,
        text: "does not support QuantizeLinear and DequantizeLinear, which pnnx keeps in the file",
        evidence: PNNX_SCALES_RUN,
    },
];

const TVM_SCALES_RUN: Evidence =
    Evidence::run_here("TVM 0.27.0.post1; CPU, Relax; recorded answers, conformance/laws/record.py");

/// The laws of TVM, in order.
pub(super) const TVM_SCALES: [Law; 4] = [
    Law {
        kinds: &[Kind::Blocks],
        when: &[],
        way: Way::Refused,
        text: "does not support a scale per block",
        evidence: TVM_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Holds(|asked| is_stored_as(asked, &[EIGHT_BITS, SIXTEEN_BITS, &["i32"]])))],
        way: Way::Refused,
        text: "does not support 4-bit numbers or 8-bit floats here",
        evidence: TVM_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[LIST, When::Holds(has_open_axis)],
        way: Way::Refused,
        text: "does not compile a scale along an open dim",
        evidence: TVM_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[],
        way: Way::Own,
        text: "reads the scale as ONNX does",
        evidence: TVM_SCALES_RUN,
    },
];

/// Says whether the axis of a list is open in the file.
pub(super) fn has_open_axis(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.in_file(0).dims()?.get(axis(asked)?)?.size().is_none())
}

const WEBGPU_SCALES_RUN: Evidence = Evidence::run_here(
    "ONNX Runtime WebGPU 1.27.0; SwiftShader; recorded answers, conformance/laws/record.py, and 51 models of conformance/laws/quantised_graphs.py",
);
/// What WebGPU does with operators and types that it has no kernel for.
pub(super) const NO_KERNEL: &str =
    "has no kernel: ONNX Runtime uses the CPU, or refuses the model with session.disable_cpu_ep_fallback";

/// The laws of ONNX Runtime's WebGPU provider, in order.
pub(super) const WEBGPU_SCALES: [Law; 8] = [
    Law {
        kinds: SCALED_KINDS,
        when: &[QUANTIZE, When::AllConstant],
        way: Way::Own,
        text: "computes constant nodes when it loads the model",
        evidence: WEBGPU_SCALES_RUN,
    },
    Law { kinds: SCALED_KINDS, when: &[QUANTIZE], way: Way::Unsupported, text: NO_KERNEL, evidence: WEBGPU_SCALES_RUN },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Holds(|asked| is_stored_as(asked, &[FOUR_BITS, EIGHT_BITS, &["i32"]])))],
        way: Way::Unsupported,
        text: NO_KERNEL,
        evidence: WEBGPU_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Holds(|asked| Some(asked.dtype(1)? == DType::F32)))],
        way: Way::Unknown,
        text: "was tested only with scales of f32",
        evidence: WEBGPU_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Constant(0)), When::Holds(|asked| is_stored_as(asked, &[FOUR_BITS]))],
        way: Way::Unknown,
        text: "was tested with 4-bit numbers only as constants",
        evidence: WEBGPU_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Holds(is_of_computed_integers), When::Not(&When::Holds(is_of_webgpu))],
        way: Way::Unknown,
        text: "was tested only with quantised constants, inputs and results of some quantised operators",
        evidence: WEBGPU_SCALES_RUN,
    },
    Law {
        kinds: &[Kind::Blocks],
        when: &[When::Rank(0, 1, 1)],
        way: Way::Garbled,
        text: "reads the wrong entry of the scale if data of rank 1 has blocks",
        evidence: WEBGPU_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[],
        way: Way::Own,
        text: "reads the scale as ONNX does",
        evidence: WEBGPU_SCALES_RUN,
    },
];

const QNN_SCALES_RUN: Evidence = Evidence::run_here(
    "QNN 2.7.0; onnxruntime-qnn, HTP v73, compiled and not run; recorded answers, conformance/laws/record.py",
);

/// The laws of QNN, in order.
pub(super) const QNN_SCALES: [Law; 7] = [
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Any(&[BLOCKS, When::Not(&FIXED)])],
        way: Way::Refused,
        text: "supports only a constant scale per tensor or per axis",
        evidence: QNN_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[LIST, When::Not(&When::Holds(is_grouped_weight))],
        way: Way::Refused,
        text: "supports a per-axis scale only for symmetric weights of fully quantised layers",
        evidence: QNN_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[
            When::Not(&When::Holds(|asked| is_stored_as(asked, &[FOUR_BITS, EIGHT_BITS, SIXTEEN_BITS]))),
            When::Not(&When::Holds(is_grouped_bias)),
        ],
        way: Way::Refused,
        text: "supports 4, 8 and 16 bits, and 32 for a quantised layer's bias",
        evidence: QNN_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Holds(is_open_gemm)],
        way: Way::Refused,
        text: "does not support Gemm with dequantised inputs and a result that is not quantised",
        evidence: QNN_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Holds(is_alone)],
        way: Way::Refused,
        text: "does not compile QuantizeLinear or DequantizeLinear as the only node",
        evidence: QNN_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Holds(is_of_computed_integers), When::Not(&When::Holds(is_of_known))],
        way: Way::Unknown,
        text: "was tested only with quantised constants, inputs and results of some quantised operators",
        evidence: QNN_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[],
        way: Way::Own,
        text: "receives the scale and the zero point",
        evidence: QNN_SCALES_RUN,
    },
];

fn is_grouped_weight(asked: &Asked<'_>) -> Option<bool> {
    if is_grouped_bias(asked)? {
        return Some(true);
    }
    let Some((reader, 1, true)) = group(asked) else { return Some(false) };
    let along = axis(asked)?;
    let fits = match asked.op(reader) {
        Some(Op::Conv) => along == 0,
        _ if reader.op == "ConvTranspose" => along == 1,
        Some(Op::Gemm | Op::MatMul) => true,
        _ => false,
    };
    Some(fits && asked.constants[0] && is_stored_as(asked, &[&["i8"]])? && has_no_shift(asked)?)
}

fn is_grouped_bias(asked: &Asked<'_>) -> Option<bool> {
    let reads =
        matches!(group(asked), Some((reader, 2, true)) if matches!(asked.op(reader), Some(Op::Conv | Op::Gemm)));
    Some(reads && asked.constants[0] && is_stored_as(asked, &[&["i32"]])?)
}

fn is_open_gemm(asked: &Asked<'_>) -> Option<bool> {
    Some(matches!(group(asked), Some((reader, _, false)) if asked.op(reader) == Some(Op::Gemm)))
}

/// Says whether a node has an input of the model as its data, and makes an output.
fn is_alone(asked: &Asked<'_>) -> Option<bool> {
    let (data, made) = (asked.node.input(0)?, asked.node.output(0)?);
    let outer = !asked.facts.is_constant(data) && asked.producer(data).is_none();
    Some(outer && asked.readers(made).next().is_none())
}

fn is_of_computed_integers(asked: &Asked<'_>) -> Option<bool> {
    let data = asked.node.input(0)?;
    let known = |node: &Node| asked.op(node) == Some(Op::Quantize);
    let quantised = asked.facts.is_constant(data) || asked.producer(data).is_none_or(known);
    Some(asked.node.op == "DequantizeLinear" && !quantised)
}

/// Says whether `WebGPU` was asked about quantised numbers of this operator.
fn is_of_webgpu(asked: &Asked<'_>) -> Option<bool> {
    const MAKERS: &[&str] = &[
        "DynamicQuantizeLinear",
        "Gather",
        "QLinearAdd",
        "QLinearConv",
        "QLinearMatMul",
        "QLinearMul",
        "Reshape",
        "Transpose",
    ];
    let maker = asked.producer(asked.node.input(0)?)?;
    Some(MAKERS.contains(&maker.op.as_str()))
}

/// Says whether quantised numbers are made by an operator that was compiled, or by one of ONNX Runtime's own: that one runs on the CPU, and what
/// it makes is an input.
fn is_of_known(asked: &Asked<'_>) -> Option<bool> {
    let maker = asked.producer(asked.node.input(0)?)?;
    let compiled = ["QLinearConv", "QLinearMatMul", "Transpose"].contains(&maker.op.as_str());
    Some(compiled || maker.domain == CONTRIB)
}

const COREML_SCALES_RUN: Evidence = Evidence::run_here(
    "Core ML 9.0; coremltools, quantize and dequantize in an ML program for iOS 17, 285 programs converted and not run",
);

/// The laws of Core ML, in order.
pub(super) const COREML_SCALES: [Law; 3] = [
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Any(&[
            BLOCKS,
            When::Not(&FIXED),
            When::Not(&When::Holds(|asked| is_stored_as(asked, &[EIGHT_BITS]))),
        ])],
        way: Way::Unsupported,
        text: "supports only constant scales, per tensor or per axis, for 8-bit numbers",
        evidence: Evidence::documented(
            "coremltools 9.0, mil/ops/defs/iOS17/quantization_ops.py, quantize and dequantize",
        ),
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::RankAbove(5)],
        way: Way::RefusedRank,
        text: "supports ranks up to 5",
        evidence: COREML_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[],
        way: Way::Own,
        text: "supports quantize and dequantize along any axis, from iOS 17 on",
        evidence: COREML_SCALES_RUN,
    },
];

const TENSORRT_SCALES_SOURCE: Evidence =
    Evidence::documented("onnx-tensorrt 10.1, onnxOpImporters.cpp, QuantDequantLinearHelper; not run");

/// The laws of TensorRT, in order.
pub(super) const TENSORRT_SCALES: [Law; 6] = [
    Law {
        kinds: SCALED_KINDS,
        when: &[QUANTIZE, When::Operands(2), When::Holds(|asked| is_stored_as(asked, &[&["u8"]]))],
        way: Way::Garbled,
        text: "quantises to i8 by default, where ONNX means u8",
        evidence: TENSORRT_SCALES_SOURCE,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Holds(|asked| is_stored_as(asked, &[&["i8", "int4", "float8e4m3fn"]])))],
        way: Way::Refused,
        text: "supports only i8, int4 and float8e4m3fn as quantised numbers",
        evidence: TENSORRT_SCALES_SOURCE,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Holds(has_no_shift))],
        way: Way::Refused,
        text: "accepts only zero points of 0",
        evidence: TENSORRT_SCALES_SOURCE,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Any(&[BLOCKS, When::Not(&FIXED), When::Rank(0, 0, 0)])],
        way: Way::Unknown,
        text: "does not document what TensorRT builds from blocks, computed scales and scalars",
        evidence: TENSORRT_SCALES_SOURCE,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[LIST, When::Holds(|asked| Some(asked.node.attribute("axis").is_none()))],
        way: Way::Rule("axis-lists mode=numpy axis=0"),
        text: "reads a scale along axis 0 if the node names no axis",
        evidence: TENSORRT_SCALES_SOURCE,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[],
        way: Way::Own,
        text: "reads the scale as ONNX does",
        evidence: TENSORRT_SCALES_SOURCE,
    },
];

const WEBNN_SCALES_SOURCE: Evidence = Evidence::documented(
    "ONNX Runtime, webnn/builders/impl/qdq_op_builder.cc, IsOpSupportedImpl and AddToModelBuilderImpl; not run",
);

/// The laws of `WebNN`, in order.
pub(super) const WEBNN_SCALES: [Law; 4] = [
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Holds(|asked| is_stored_as(asked, &[FOUR_BITS, EIGHT_BITS, &["i32"]])))],
        way: Way::Refused,
        text: "supports only 4-, 8- and 32-bit integers as quantised numbers",
        evidence: Evidence::documented(
            "Web Neural Network API (2026-06), quantizeLinear and dequantizeLinear; not run",
        ),
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Holds(divides))],
        way: Way::Refused,
        text: "leaves the node to the CPU if the right-aligned scale does not fit",
        evidence: WEBNN_SCALES_SOURCE,
    },
    Law {
        kinds: &[Kind::Lists],
        when: &[When::Rank(1, 1, 1), When::Single(1), When::Holds(is_reshaped)],
        way: Way::Refused,
        text: "stretches a scale of shape (1,) along the axis that the node names",
        evidence: WEBNN_SCALES_SOURCE,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[],
        way: Way::Own,
        text: "reads the scale as ONNX does",
        evidence: WEBNN_SCALES_SOURCE,
    },
];

fn divides(asked: &Asked<'_>) -> Option<bool> {
    let (scale, data) = dims(asked)?;
    if scale.len() > data.len() {
        return Some(false);
    }
    let fits = |(own, dim): (&Dim, &Dim)| match (own.size(), dim.size()) {
        (Some(1), _) => Some(true),
        (Some(own), Some(dim)) => Some(own > 0 && dim % own == 0),
        _ => None,
    };
    affine::all(scale.iter().rev().zip(data.iter().rev()).map(fits))
}

/// Says whether the scale is reshaped for an axis that is not the last one, and has another size.
fn is_reshaped(asked: &Asked<'_>) -> Option<bool> {
    let (_, data) = dims(asked)?;
    if data.len() < 2 {
        return Some(false);
    }
    let along = axis(asked)?;
    Some(along + 1 < data.len() && data[along].size()? != 1)
}

#[cfg(test)]
mod tests;
