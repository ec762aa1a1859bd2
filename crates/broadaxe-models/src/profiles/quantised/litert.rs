//! What LiteRT does with `QuantizeLinear` and `DequantizeLinear` through onnx2tf, on the CPU and with its GPU delegate.

use super::{
    super::{Asked, Evidence, Law, Way, When, neighbours::Op},
    BLOCKS, EIGHT_BITS, FIXED, LIST, QUANTIZE, SCALED_KINDS, SIXTEEN_BITS, element, is_of_computed_integers,
    is_stored_as,
};
use crate::graph::{Node, ValueId};

const LITERT_SCALES_RUN: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; 307 models of conformance/laws/quantised.py and 671 of conformance/laws/quantised_graphs.py through onnx2tf 2.6.9, on the CPU",
);
pub(in super::super) const VIA_ONNX2TF: When = When::Via("onnx2tf");

/// The laws of LiteRT through onnx2tf, in order.
pub(in super::super) const LITERT_SCALES: [Law; 9] = [
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::AllConstant],
        way: Way::Own,
        text: "receives floats: onnx2tf folds nodes of constants",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Rank(0, 0, 0)],
        way: Way::Garbled,
        text: "receives data of shape (1,) from onnx2tf in place of a scalar",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Any(&[BLOCKS, When::Not(&FIXED)])],
        way: Way::Refused,
        text: "supports only a constant scale per tensor or per axis",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Holds(|asked| is_stored_as(asked, &[SIXTEEN_BITS])), When::Single(1)],
        way: Way::Unknown,
        text: "does not accept 16-bit numbers with a zero point; others were not tested",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Not(&When::Holds(|asked| is_stored_as(asked, &[EIGHT_BITS])))],
        way: Way::Refused,
        text: "supports computed quantised numbers only of 8 bits",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, QUANTIZE, When::Operands(2), When::Holds(is_read_back)],
        way: Way::Garbled,
        text: "receives i8 from onnx2tf for QuantizeLinear without zero point; ONNX means u8",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Holds(is_by_others), When::Single(1)],
        way: Way::Unknown,
        text: "was tested only with quantised constants, inputs, outputs, and between some quantised operators",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Any(&[When::Holds(is_of_computed_integers), When::Holds(is_read_by_others)]), LIST],
        way: Way::Unknown,
        text: "was tested with per-channel scales only on constants, inputs, outputs and QuantizeLinear-DequantizeLinear pairs",
        evidence: LITERT_SCALES_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF],
        way: Way::Own,
        text: "supports quantised tensors with a scale along any axis",
        evidence: LITERT_SCALES_RUN,
    },
];

const LITERT_GPU_RUN: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; WebGPU on SwiftShader, 148 models of conformance/laws/quantised_graphs.py through onnx2tf 2.6.9",
);

/// The laws of LiteRT's GPU delegate through onnx2tf, in order, behind those that are the same on the CPU.
pub(in super::super) const LITERT_GPU_SCALES: [Law; 7] = [
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::RankAbove(4)],
        way: Way::RefusedRank,
        text: "supports ranks up to 4; the CPU computes higher ranks",
        evidence: LITERT_GPU_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Rank(0, 0, 1), When::Not(&When::Constant(0))],
        way: Way::Unknown,
        text: "was tested only with quantised numbers of ranks 2 to 4",
        evidence: LITERT_GPU_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Any(&[When::Holds(is_by_others), LIST])],
        way: Way::Unknown,
        text: "was tested with computed numbers only with single scales, between quantised operators",
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
        text: "was tested with u8 only between QuantizeLinear and DequantizeLinear",
        evidence: LITERT_GPU_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF, When::Not(&When::Holds(|asked| is_stored_as(asked, &[&["i8"]])))],
        way: Way::Garbled,
        text: "computes wrong values for u8, which onnx2tf stores as i8",
        evidence: LITERT_GPU_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[VIA_ONNX2TF],
        way: Way::Own,
        text: "supports quantised tensors of i8 with one scale",
        evidence: LITERT_GPU_RUN,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[],
        way: Way::Unknown,
        text: "was tested with quantised numbers only through onnx2tf",
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

/// Says whether an untested operator makes or reads the quantised numbers of the node.
pub(in super::super) fn is_by_others(asked: &Asked<'_>) -> Option<bool> {
    Some(around(asked).iter().any(|node| !ASKED_AROUND.contains(&node.op.as_str())))
}

/// Says whether quantised numbers are of u8 and inputs or outputs of the model, which onnx2tf makes i8.
pub(in super::super) fn ends_in_bytes(asked: &Asked<'_>) -> Option<bool> {
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
