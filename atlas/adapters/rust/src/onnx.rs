//! Writes a question as an ONNX file of one node. Constant operands are initializers.
//!
//! Sources: `onnx.proto` of ONNX, and the page "Encoding" of the documentation of Protocol Buffers.

use crate::{No, Operand, Question};

/// Holds the bytes of an ONNX file, and the operands that are its inputs, in order.
pub struct Model<'a> {
    pub bytes: Vec<u8>,
    pub inputs: Vec<Input<'a>>,
}

/// Holds an input of the file. The condition of `Where` is a tensor of bools.
pub struct Input<'a> {
    pub name: String,
    pub operand: &'a Operand,
    pub bool: bool,
}

const FLOAT: u64 = 1;
const INT64: u64 = 7;
const BOOL: u64 = 9;

/// Writes the file of a question. ONNX has one rule for each operator.
pub fn model(question: &Question) -> Result<Model<'_>, No> {
    let op = match (question.op.as_str(), question.rule.as_str()) {
        ("add", "numpy") => "Add",
        ("sub", "numpy") => "Sub",
        ("sum", "numpy") => "Sum",
        ("select", "numpy") => "Where",
        ("prelu", "unidirectional") => "PRelu",
        ("expand", "bidirectional") => "Expand",
        ("gemm", "gemm-c") => "Gemm",
        _ => return Err(No::Skip("ONNX does not have this rule for this operator")),
    };
    let (mut node, mut graph, mut inputs) = (Message::default(), Message::default().bytes(2, b"g"), Vec::new());
    for (k, operand) in question.operands.iter().enumerate() {
        let input = Input { name: format!("x{k}"), operand, bool: op == "Where" && k == 0 };
        node = node.bytes(1, input.name.as_bytes());
        if operand.constant {
            graph = graph.bytes(5, &initializer(&input));
        } else {
            graph = graph.bytes(11, &declare(&input));
            inputs.push(input);
        }
    }
    if op == "Expand" {
        node = node.bytes(1, b"target");
        let raw: Vec<u8> = question.target.iter().flat_map(|&dim| (dim as i64).to_le_bytes()).collect();
        graph = graph.bytes(5, &tensor("target", INT64, &[question.target.len()], &raw));
    }
    let graph = graph.bytes(1, &node.bytes(2, b"y").bytes(3, b"node").bytes(4, op.as_bytes()).0);
    let output =
        Message::default().bytes(1, b"y").bytes(2, &Message::default().bytes(1, &Message::default().int(1, FLOAT).0).0);
    let opset = Message::default().bytes(1, b"").int(2, 17);
    let file = Message::default().int(1, 8).bytes(7, &graph.bytes(12, &output.0).0).bytes(8, &opset.0);
    Ok(Model { bytes: file.0, inputs })
}

fn initializer(input: &Input<'_>) -> Vec<u8> {
    let Operand { shape, values, .. } = input.operand;
    if input.bool {
        tensor(&input.name, BOOL, shape, &values.iter().map(|&v| v as u8).collect::<Vec<_>>())
    } else {
        tensor(&input.name, FLOAT, shape, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
    }
}

fn tensor(name: &str, dtype: u64, shape: &[usize], raw: &[u8]) -> Vec<u8> {
    let dims = shape.iter().fold(Message::default(), |message, &dim| message.int(1, dim as u64));
    dims.int(2, dtype).bytes(8, name.as_bytes()).bytes(9, raw).0
}

fn declare(input: &Input<'_>) -> Vec<u8> {
    let dim = |message: Message, &dim: &usize| message.bytes(1, &Message::default().int(1, dim as u64).0);
    let shape = input.operand.shape.iter().fold(Message::default(), dim);
    let tensor = Message::default().int(1, if input.bool { BOOL } else { FLOAT }).bytes(2, &shape.0);
    Message::default().bytes(1, input.name.as_bytes()).bytes(2, &Message::default().bytes(1, &tensor.0).0).0
}

/// A message that is being built: the bytes of its fields, in order.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value > 127 {
            self.0.push(value as u8 | 128);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn int(mut self, number: u64, value: u64) -> Self {
        self.varint(number << 3);
        self.varint(value);
        self
    }

    fn bytes(mut self, number: u64, value: &[u8]) -> Self {
        self.varint(number << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }
}
