//! What runtimes do with `QuantizeLinear` and `DequantizeLinear`: the parts that their laws share, and the laws of those that
//! read every scale as ONNX does, or refuse it.
//!
//! A scale belongs to the whole tensor, to the entries of one axis ([`Kind::Lists`]), or to blocks along it ([`Kind::Blocks`]).

use broadaxe_frameworks::CONTRIB;
use broadaxe_kernels::DType;
use broadaxe_shape::Dim;

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
    let (axis, rank) = (asked.meaning.rule.params().axis?, i64::try_from(asked.operands.first()?.rank()?).ok()?);
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
        text: "is given the floats: pnnx computes nodes of constants",
        evidence: PNNX_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[],
        way: Way::Unsupported,
        text: "has no layers QuantizeLinear and DequantizeLinear, which pnnx leaves in the file",
        evidence: PNNX_SCALES_RUN,
    },
];

const LITERT_SCALES_RUN: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; 307 models of conformance/laws/quantised.py and 671 of conformance/laws/quantised_graphs.py through onnx2tf 2.6.9, on the CPU",
);
const VIA_ONNX2TF: When = When::Via("onnx2tf");

/// The laws of LiteRT through onnx2tf, in order.
pub(super) const LITERT_SCALES: [Law; 9] = [
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::AllConstant],
        way: Way::Own,
        text: "is given the floats: onnx2tf computes nodes of constants",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Rank(0, 0, 0)],
        way: Way::Garbled,
        text: "is given data of the shape (1,) by onnx2tf in place of a scalar",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Any(&[BLOCKS, When::Not(&FIXED)])],
        way: Way::Refused,
        text: "supports a constant scale of the whole tensor or of one axis",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Holds(|asked| is_stored_as(asked, &[SIXTEEN_BITS])), When::Single(1)],
        way: Way::Unknown,
        text: "refuses numbers of 16 bits with a zero point, and others were not asked",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Not(&When::Holds(|asked| is_stored_as(asked, &[EIGHT_BITS])))],
        way: Way::Refused,
        text: "supports computed numbers of 8 bits only",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, QUANTIZE, When::Operands(2), When::Holds(is_read_back)],
        way: Way::Garbled,
        text: "is given i8 by onnx2tf where a QuantizeLinear without a zero point is in front of DequantizeLinear, and ONNX means u8",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Holds(is_by_others), When::Single(1)],
        way: Way::Unknown,
        text: "was asked about quantised numbers that are constants, inputs, outputs, or between some operators of quantised numbers",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Any(&[When::Holds(is_of_computed_integers), When::Holds(is_read_by_others)]), LIST],
        way: Way::Unknown,
        text: "was asked about a scale for each channel of constants, inputs, outputs, or between QuantizeLinear and DequantizeLinear",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF],
        way: Way::Own,
        text: "has quantised tensors with a scale along any axis",
        evidence: LITERT_SCALES_RUN,
    },
];

const LITERT_GPU_RUN: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; WebGPU on SwiftShader, 148 models of conformance/laws/quantised_graphs.py through onnx2tf 2.6.9",
);

/// The laws of LiteRT's GPU delegate through onnx2tf, in order, behind those that are the same on the CPU.
pub(super) const LITERT_GPU_SCALES: [Law; 7] = [
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::RankAbove(4)],
        way: Way::RefusedRank,
        text: "supports ranks up to 4 and leaves the node to the CPU",
        evidence: LITERT_GPU_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Rank(0, 0, 1), When::Not(&When::Constant(0))],
        way: Way::Unknown,
        text: "was asked about quantised numbers of ranks 2 to 4",
        evidence: LITERT_GPU_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Any(&[When::Holds(is_by_others), LIST])],
        way: Way::Unknown,
        text: "was asked about single scales of computed numbers, between operators of quantised numbers",
        evidence: LITERT_GPU_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[
            VIA_ONNX2TF,
            When::Not(&When::Holds(|asked| is_stored_as(asked, &[&["i8"]]))),
            When::Not(&When::Holds(is_in_pair)),
        ],
        way: Way::Unknown,
        text: "was asked about u8 between QuantizeLinear and DequantizeLinear",
        evidence: LITERT_GPU_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Not(&When::Holds(|asked| is_stored_as(asked, &[&["i8"]])))],
        way: Way::Garbled,
        text: "gives other numbers for u8, which onnx2tf stores as i8",
        evidence: LITERT_GPU_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF],
        way: Way::Own,
        text: "has quantised tensors of i8 with one scale",
        evidence: LITERT_GPU_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[],
        way: Way::Unknown,
        text: "was asked about quantised numbers through onnx2tf only",
        evidence: LITERT_GPU_RUN,
    },
];

/// The operators around quantised numbers that LiteRT was asked about through onnx2tf.
const ASKED_AROUND: &[&str] = &[
    "DequantizeLinear",
    "QuantizeLinear",
    "QLinearAdd",
    "QLinearConv",
    "QLinearMatMul",
    "QLinearMul",
    "QLinearSoftmax",
    "QLinearSigmoid",
    "QLinearConcat",
    "Gather",
    "Reshape",
    "Transpose",
    "Unsqueeze",
];

/// Lists the operators that make or read quantised numbers, this node aside.
fn around<'a>(asked: &Asked<'a>) -> Vec<&'a Node> {
    let quantizes = asked.node.op != "DequantizeLinear";
    let read: Vec<&Node> = if quantizes {
        asked.node.output(0).into_iter().flat_map(|made| asked.readers(made)).map(|(node, _)| node).collect()
    } else {
        Vec::new()
    };
    let data: &[usize] = match asked.node.op.as_str() {
        "QuantizeLinear" => &[],
        "DequantizeLinear" => &[0],
        _ => &[0, 3],
    };
    let inputs = data.iter().filter_map(|&k| asked.node.input(k)).filter(|value| !asked.facts.is_constant(*value));
    read.into_iter().chain(inputs.filter_map(|value| asked.producer(value))).collect()
}

/// Says whether an operator that was not asked about makes or reads quantised numbers of the node.
pub(super) fn is_by_others(asked: &Asked<'_>) -> Option<bool> {
    Some(around(asked).iter().any(|node| !ASKED_AROUND.contains(&node.op.as_str())))
}

/// Says whether quantised numbers are of u8 and inputs or outputs of the model, which onnx2tf makes i8.
pub(super) fn ends_in_bytes(asked: &Asked<'_>) -> Option<bool> {
    let made = asked.node.output(0)?;
    let inputs = [0, 3].into_iter().filter_map(|k| asked.node.input(k));
    let outer = |value: &ValueId| !asked.facts.is_constant(*value) && asked.producer(*value).is_none();
    if !asked.facts.is_output(made) && !{ inputs }.any(|value| outer(&value)) {
        return Some(false);
    }
    Some(element(asked, asked.node.input(7)?)? == "u8")
}

/// Says whether only `QuantizeLinear` and `DequantizeLinear` have quantised numbers of the node.
fn is_in_pair(asked: &Asked<'_>) -> Option<bool> {
    let around = around(asked);
    Some(!around.is_empty() && around.iter().all(|node| matches!(asked.op(node), Some(Op::Quantize | Op::Dequantize))))
}

/// Says whether a `DequantizeLinear` reads what the node makes.
fn is_read_back(asked: &Asked<'_>) -> Option<bool> {
    let made = asked.node.output(0)?;
    Some(asked.readers(made).any(|(node, _)| asked.op(node) == Some(Op::Dequantize)))
}

/// Says whether another operator than `DequantizeLinear` reads quantised numbers.
fn is_read_by_others(asked: &Asked<'_>) -> Option<bool> {
    let made = asked.node.output(0)?;
    let other = asked.readers(made).any(|(node, _)| asked.op(node) != Some(Op::Dequantize));
    Some(other && asked.node.op == "QuantizeLinear")
}

const TVM_SCALES_RUN: Evidence =
    Evidence::run_here("TVM 0.27.0.post1; CPU, Relax; recorded answers, conformance/laws/record.py");

/// The laws of TVM, in order.
pub(super) const TVM_SCALES: [Law; 4] = [
    Law {
        kinds: &[Kind::Blocks],
        when: &[],
        way: Way::Refused,
        text: "does not support a scale for each block",
        evidence: TVM_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Holds(|asked| is_stored_as(asked, &[EIGHT_BITS, SIXTEEN_BITS, &["i32"]])))],
        way: Way::Refused,
        text: "does not support numbers of 4 bits or floats of 8 bits here",
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
pub(super) const NO_KERNEL: &str = "has no kernel for it: ONNX Runtime computes the node on the CPU, or refuses the model where \
     session.disable_cpu_ep_fallback is set";

/// The laws of ONNX Runtime's WebGPU provider, in order.
pub(super) const WEBGPU_SCALES: [Law; 8] = [
    Law {
        kinds: SCALED_KINDS,
        when: &[QUANTIZE, When::AllConstant],
        way: Way::Own,
        text: "computes nodes of constants when it loads the model",
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
        text: "was asked about scales of f32",
        evidence: WEBGPU_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Constant(0)), When::Holds(|asked| is_stored_as(asked, &[FOUR_BITS]))],
        way: Way::Unknown,
        text: "was asked about constants of 4 bits",
        evidence: WEBGPU_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Holds(is_of_computed_integers), When::Not(&When::Holds(is_of_webgpu))],
        way: Way::Unknown,
        text: "was asked about quantised numbers that are constants, inputs, or from some operators of quantised numbers",
        evidence: WEBGPU_SCALES_RUN,
    },
    Law {
        kinds: &[Kind::Blocks],
        when: &[When::Rank(0, 1, 1)],
        way: Way::Garbled,
        text: "reads another entry of the scale where data of rank 1 have blocks",
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
        text: "supports a constant scale of the whole tensor or of one axis",
        evidence: QNN_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[LIST, When::Not(&When::Holds(is_grouped_weight))],
        way: Way::Refused,
        text: "supports a scale along an axis for symmetric weights of a layer whose inputs are all dequantised and whose result is quantised",
        evidence: QNN_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[
            When::Not(&When::Holds(|asked| is_stored_as(asked, &[FOUR_BITS, EIGHT_BITS, SIXTEEN_BITS]))),
            When::Not(&When::Holds(is_grouped_bias)),
        ],
        way: Way::Refused,
        text: "supports numbers of 4, 8 and 16 bits, and of 32 as the bias of a layer between DequantizeLinear and QuantizeLinear",
        evidence: QNN_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Holds(is_open_gemm)],
        way: Way::Refused,
        text: "does not support a Gemm of dequantised inputs whose result is not quantised",
        evidence: QNN_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Holds(is_alone)],
        way: Way::Refused,
        text: "compiles no QuantizeLinear or DequantizeLinear that is alone in the model",
        evidence: QNN_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Holds(is_of_computed_integers), When::Not(&When::Holds(is_of_known))],
        way: Way::Unknown,
        text: "was asked about quantised numbers that are constants, inputs, or from some operators of quantised numbers",
        evidence: QNN_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[],
        way: Way::Own,
        text: "is given the scale and the zero point",
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
        text: "has quantize and dequantize with a constant scale, of the whole tensor or of one axis, for numbers of 8 bits",
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
        text: "has quantize and dequantize, from iOS 17 on, along any axis",
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
        text: "quantises to i8 where neither a zero point nor output_dtype says to which type, and ONNX means u8",
        evidence: TENSORRT_SCALES_SOURCE,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Holds(|asked| is_stored_as(asked, &[&["i8", "int4", "float8e4m3fn"]])))],
        way: Way::Refused,
        text: "has i8, int4 and float8e4m3fn as quantised numbers",
        evidence: TENSORRT_SCALES_SOURCE,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Holds(has_no_shift))],
        way: Way::Refused,
        text: "requires a zero point of zeros",
        evidence: TENSORRT_SCALES_SOURCE,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Any(&[BLOCKS, When::Not(&FIXED), When::Rank(0, 0, 0)])],
        way: Way::Unknown,
        text: "does not say in its parser what TensorRT builds of blocks, computed scales and scalars",
        evidence: TENSORRT_SCALES_SOURCE,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[LIST, When::Holds(|asked| Some(asked.node.attribute("axis").is_none()))],
        way: Way::Rule("axis-lists mode=numpy axis=0"),
        text: "reads a scale along axis 0 where the node names no axis",
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
        text: "has integers of 4, 8 and 32 bits as quantised numbers",
        evidence: Evidence::documented(
            "Web Neural Network API (2026-06), quantizeLinear and dequantizeLinear; not run",
        ),
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Holds(divides))],
        way: Way::Refused,
        text: "leaves a node to the CPU whose scale, aligned to the right, does not divide the data: a list is compared with the last axis",
        evidence: WEBNN_SCALES_SOURCE,
    },
    Law {
        kinds: &[Kind::Lists],
        when: &[When::Rank(1, 1, 1), When::Single(1), When::Holds(is_reshaped)],
        way: Way::Refused,
        text: "reshapes a scale of the shape (1,) to the size of the axis that the node names",
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
mod tests {
    use crate::testing::answers;

    /// What the importer of onnx-tensorrt says.
    const PARSED: &[(&str, &str)] = &[
        ("x(4,3); s=const(); q=QuantizeLinear(x,s)", "differs"),
        ("opset 21; x(4,3); s=const(); q=QuantizeLinear(x,s) output_dtype=3", "same"),
        ("x(4,3); s=const(); z=const:i8()=0; q=QuantizeLinear(x,s,z)", "same"),
        ("x(4,3); s=const(); z=const:i8()=1; q=QuantizeLinear(x,s,z)", "refused"),
        ("x(4,3); s=const(); z=const:u8()=0; q=QuantizeLinear(x,s,z)", "refused"),
        ("x:i8(4,3); s=const(4); d=DequantizeLinear(x,s) axis=0", "same"),
        ("x:i8(4,3); s=const(3); d=DequantizeLinear(x,s)", "refused"),
        ("x:i8(3,3); s=const(3); d=DequantizeLinear(x,s)", "differs"),
        ("x:i8(3,3); s=const(3); d=DequantizeLinear(x,s) axis=1", "same"),
        ("x:i32(3); s=const(); d=DequantizeLinear(x,s)", "refused"),
    ];

    /// What ONNX Runtime's provider for `WebNN` says.
    const LEFT_TO_CPU: &[(&str, &str)] = &[
        ("x:i8(4,3); s=const(); d=DequantizeLinear(x,s)", "same"),
        ("x:i8(4,3); s=const(3); d=DequantizeLinear(x,s) axis=1", "same"),
        ("x:i8(4,3); s=const(4); d=DequantizeLinear(x,s) axis=0", "refused"),
        ("x:i8(2,4); s=const(2); d=DequantizeLinear(x,s) axis=0", "same"),
        ("x:i8(2,4); s=const(1); d=DequantizeLinear(x,s) axis=0", "refused"),
        ("x:i8(2,4); s=const(1); d=DequantizeLinear(x,s)", "same"),
        ("x:i8(4); s=const(1); d=DequantizeLinear(x,s)", "same"),
        ("x:i16(2,4); s=const(); d=DequantizeLinear(x,s)", "refused"),
        (
            "x(2,4); q,s,z=DynamicQuantizeLinear(x); w=const:i8(4,3); k=const:i8(); m=MatMulInteger(q,w,z,k); c=Cast(m) to=1",
            "refused",
        ),
        ("x:u8(2,4); w=const:u8(4,3); z=const:u8(); k=const:u8(3); m=MatMulInteger(x,w,z,k)", "same"),
        ("x:u8(1,2,5,5); w=const:u8(3,2,3,3); z=const:u8(); k=const:u8(); m=ConvInteger(x,w,z,k)", "same"),
        ("x:u8(1,2,5,5); w=const:i8(3,2,3,3); z=const:u8(); k=const:i8(); m=ConvInteger(x,w,z,k)", "refused"),
        ("x(16,3,3,3); s=const(16); z=const:i8(16); q=QuantizeLinear(x,s,z) axis=0", "refused"),
    ];

    /// What pnnx and ncnn did, and LiteRT with what onnx2tf wrote.
    const NCNN: &[(&str, &str)] = &[
        ("w=const:i8(3,2,4); s=const(2); d=DequantizeLinear(w,s); x(4); y=Add(x,d)", "same"),
        ("x(2,3); s=const(); z=const:u8(); q=QuantizeLinear(x,s,z)", "refused, unsupported"),
        ("x:u8(2,3); s=const(); d=DequantizeLinear(x,s)", "refused, unsupported"),
    ];
    const LITERT: &[(&str, &str)] = &[
        ("x(2,3); s=const(); z=const:u8(); q=QuantizeLinear(x,s,z); y=DequantizeLinear(q,s,z)", "same"),
        ("x(2,3); s=const(); q=QuantizeLinear(x,s); y=DequantizeLinear(q,s)", "differs"),
        ("x(2,3); s=const(3); q=QuantizeLinear(x,s)", "same"),
        ("x(); s=const(); q=QuantizeLinear(x,s)", "differs"),
        ("x:u8(2,3); s(); d=DequantizeLinear(x,s)", "refused"),
        ("x(1,3,2,2); s(3); y=QuantizeLinear(x,s) axis=1", "refused"),
        ("x:i32(2,3); s=const(); d=DequantizeLinear(x,s)", "refused"),
        ("w=const:i32(2,3); s=const(3); d=DequantizeLinear(w,s); x(2,3); y=Add(x,d)", "same"),
        ("opset 21; x:i8(6); s=const(3); d=DequantizeLinear(x,s) axis=0 block_size=2", "refused"),
        (
            "opset 21; w=const:u8(2,4,6); s=const(2,2,6); d=DequantizeLinear(w,s) axis=1 block_size=2; x(6); y=Add(x,d)",
            "same",
        ),
    ];

    const DYNAMIC: &str = "q,s,z=DynamicQuantizeLinear(x); w=const:i8(4,3); k=const:i8(); m=MatMulInteger(q,w,z,k); c=Cast(m) to=1; l=const(); p=Mul(s,l); v=Mul(c,p)";
    const PAIR: &str = "s=const()=0.02; z=const:i8()=3; q=QuantizeLinear(x,s,z)";
    const LAST: &str = "t=const()=0.05; u=const:i8()=3";

    /// What LiteRT did on the CPU with what onnx2tf wrote of whole patterns, and its GPU delegate.
    const PATTERNS: &[(&str, &str, &str)] = &[
        ("x(2,4); [dynamic]", "same", "refused"),
        ("x(1,2,3,4); [dynamic]", "same", "refused"),
        (
            "x(1,3,5,5); q,s,z=DynamicQuantizeLinear(x); w=const:i8(4,3,3,3); k=const:i8(); m=ConvInteger(q,w,z,k); c=Cast(m) to=1",
            "same",
            "refused",
        ),
        ("x(2,4); q,s,z=DynamicQuantizeLinear(x); y=DequantizeLinear(q,s,z)", "refused", "refused"),
        ("x(2,3,4); [pair]; y=DequantizeLinear(q,s,z); r=Relu(y)", "same", "same"),
        (
            "x(2,3,4); s=const()=0.02; z=const:u8()=120; q=QuantizeLinear(x,s,z); y=DequantizeLinear(q,s,z)",
            "same",
            "differs",
        ),
        (
            "x(2,4); [pair]; w=const:i8(4,3); [last]; o=QLinearMatMul(q,s,z,w,s,z,t,u); y=DequantizeLinear(o,t,u)",
            "same",
            "refused",
        ),
        (
            "x(2,3,4); [pair]; w=const:i8(4,3); [last]; o=QLinearMatMul(q,s,z,w,s,z,t,u); y=DequantizeLinear(o,t,u)",
            "refused",
            "refused",
        ),
        (
            "x(1,2,4,4); [pair]; w=const:i8(3,2,3,3); [last]; o=QLinearConv(q,s,z,w,s,z,t,u); y=DequantizeLinear(o,t,u)",
            "same",
            "refused",
        ),
        ("x(2,3,4); [pair]; w=const:i8(4); [last]; y=com.microsoft.QLinearAdd(q,s,z,w,s,z,t,u)", "same", "same"),
        ("x(2,3,4); [pair]; w=const:i8(4); [last]; y=com.microsoft.QLinearMul(q,s,z,w,s,z,t,u)", "same", "refused"),
        ("x(2,3,4); [pair]; [last]; y=com.microsoft.QLinearMul(q,s,z,q,s,z,t,u)", "same", "same"),
        (
            "x(2,3,4); [pair]; h(2,3,4); g=QuantizeLinear(h,s,z); [last]; o=com.microsoft.QLinearAdd(q,s,z,g,s,z,t,u)",
            "same",
            "differs",
        ),
        (
            "x:u8(2,4); w:u8(2,4); s=const(); z=const:u8(); y=com.microsoft.QLinearMul(x,s,z,w,s,z,s,z)",
            "differs",
            "differs",
        ),
    ];

    /// What coremltools converts.
    const BUILT: &[(&str, &str)] = &[
        ("x(2,3); s=const(3); q=QuantizeLinear(x,s)", "same"),
        ("x(2,3); s=const(2); z=const:i8(2); q=QuantizeLinear(x,s,z) axis=-2", "same"),
        ("x(2,3); s(3); q=QuantizeLinear(x,s)", "refused, unsupported"),
        ("x:i32(3); s=const(); d=DequantizeLinear(x,s)", "refused, unsupported"),
        (
            "x(2,3); a=ReduceSum(x) keepdims=0; s=const(); q=QuantizeLinear(a,s); d=DequantizeLinear(q,s); y=Mul(x,d)",
            "same",
        ),
        ("x(1,2,1,3,2,2); s=const(); q=QuantizeLinear(x,s)", "refused"),
        ("x(2,3); a=ReduceSum(x) keepdims=0; b=ReduceMax(x) keepdims=0; c=Sub(a,b); y=Div(x,c)", "same"),
    ];

    #[test]
    fn patterns_are_what_litert_did() {
        let parts = &[("[dynamic]", DYNAMIC), ("[pair]", PAIR), ("[last]", LAST)];
        let cpu: Vec<(&str, &str)> = PATTERNS.iter().map(|(text, cpu, _)| (*text, *cpu)).collect();
        let gpu: Vec<(&str, &str)> = PATTERNS.iter().map(|(text, _, gpu)| (*text, *gpu)).collect();
        answers("litert", parts, &cpu);
        answers("litert-gpu", parts, &gpu);
    }

    #[test]
    fn verdicts_are_what_sources_and_builders_say() {
        for (target, rows) in
            [("tensorrt", PARSED), ("webnn", LEFT_TO_CPU), ("coreml", BUILT), ("ncnn", NCNN), ("litert", LITERT)]
        {
            answers(target, &[], rows);
        }
    }
}
