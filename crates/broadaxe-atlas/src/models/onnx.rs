//! ONNX: `onnx.proto`, written field by field.
//!
//! Opset 6 has the rules `none` and `onnx-legacy`, by the attribute `broadcast`; later opsets have the others. Engines
//! need not support opset 6.
//!
//! Source: `onnx.proto` and the operator schemas of ONNX.

use super::{Call, File, RESULT, Unsupported, protobuf::Message};

/// The version of the format: initializers need not be inputs.
const IR_VERSION: i64 = 8;
/// The opset of the rules of today, and that of the rules before opset 7.
const OPSET: i64 = 18;
const OLD_OPSET: i64 = 6;

/// Numbers of types of elements.
const FLOAT: i64 = 1;
const INT64: i64 = 7;
const BOOL: i64 = 9;

/// The name of the shape that `Expand` stretches to.
const TARGET: &str = "shape";

/// Writes the model.
pub(super) fn write(call: &Call<'_>) -> Result<Vec<File>, Unsupported> {
    let attribute = |name: &str, value: i64| Message::default().text(1, name).int(3, value).int(20, 2);
    let (op, opset) = match call.key() {
        ("add", "numpy") => ("Add", OPSET),
        ("add", "none" | "onnx-legacy") => ("Add", OLD_OPSET),
        ("sub", "numpy") => ("Sub", OPSET),
        ("sub", "none") => ("Sub", OLD_OPSET),
        ("sum", "numpy") => ("Sum", OPSET),
        ("select", "numpy") => ("Where", OPSET),
        ("prelu", "unidirectional") => ("PRelu", OPSET),
        ("expand", "bidirectional") => ("Expand", OPSET),
        ("gemm", "gemm-c") => ("Gemm", OPSET),
        _ => return Err(call.unsupported("ONNX")),
    };
    let mut inputs = call.names();
    inputs.extend((op == "Expand").then_some(TARGET));
    let mut node = Message::default().each(inputs, |node, name| node.text(1, name)).text(2, RESULT).text(4, op);
    if call.rule.name() == "onnx-legacy" {
        node = node.message(5, &attribute("broadcast", 1));
        node = node.each(call.rule.params().axis, |node, axis| node.message(5, &attribute("axis", axis)));
    }
    let element = |name: &str| if call.is_condition(name) { BOOL } else { FLOAT };
    let constants = call.named().filter(|(_, operand)| operand.constant);
    let mut graph = Message::default().message(1, &node).text(2, "atlas").each(constants, |graph, (name, operand)| {
        let dims = operand.shape.iter().map(|&dim| dim as i64);
        graph.message(5, &tensor(name, element(name), dims, &call.bytes(name, operand)))
    });
    if op == "Expand" {
        let target = call.target();
        let bytes: Vec<u8> = target.iter().flat_map(|dim| dim.to_le_bytes()).collect();
        graph = graph.message(5, &tensor(TARGET, INT64, [target.len() as i64].into_iter(), &bytes));
    }
    let graph = graph.each(call.named().filter(|(_, operand)| !operand.constant), |graph, (name, operand)| {
        graph.message(11, &value(name, element(name), Some(&operand.shape)))
    });
    let graph = graph.message(12, &value(RESULT, FLOAT, call.result.as_deref()));
    let opset = Message::default().text(1, "").int(2, opset);
    let model = Message::default().int(1, IR_VERSION).message(7, &graph).message(8, &opset);
    Ok(vec![File { extension: ".onnx", bytes: model.finish() }])
}

/// Makes a `TensorProto`.
fn tensor(name: &str, element: i64, dims: impl Iterator<Item = i64>, bytes: &[u8]) -> Message {
    Message::default().each(dims, |tensor, dim| tensor.int(1, dim)).int(2, element).text(8, name).bytes(9, bytes)
}

/// Makes a `ValueInfoProto`; without a shape, the shape is unknown.
fn value(name: &str, element: i64, shape: Option<&[usize]>) -> Message {
    let dim = |shape: Message, &dim: &usize| shape.message(1, &Message::default().int(1, dim as i64));
    let tensor = Message::default().int(1, element).each(shape, |tensor, shape| {
        let shape = Message::default().each(shape, dim);
        tensor.message(2, &shape)
    });
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}
