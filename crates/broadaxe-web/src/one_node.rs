//! Writes an ONNX model of one Add, whose verdicts say what runtimes do with two shapes.

use broadaxe_shape::SymbolicShape;

/// The version of the file format, and of the operators.
const IR_VERSION: u64 = 8;
const OPSET: u64 = 13;
/// The code of f32.
const FLOAT: u64 = 1;
/// The most bytes of the constants of a model.
const MOST_BYTES: usize = 1 << 20;

/// Writes a model that adds operands of these shapes, with constants where `constants` says so. Constants are full of 1.
///
/// # Errors
/// When a rank is not known, or a constant has dims that are not known or more than 1 MiB.
pub(crate) fn add(shapes: &[SymbolicShape], constants: &[bool]) -> Result<Vec<u8>, String> {
    let [a, b] = shapes else { return Err("runtimes are asked about two shapes".to_owned()) };
    let mut graph = Message::default();
    graph.message(1, &node());
    graph.bytes(2, b"add");
    for (k, (name, shape)) in [("a", a), ("b", b)].into_iter().enumerate() {
        if constants.get(k) == Some(&true) {
            graph.message(5, &constant(name, shape)?);
        } else {
            graph.message(11, &value(name, Some(shape))?);
        }
    }
    graph.message(12, &value("c", None)?);
    let mut opset = Message::default();
    opset.number(2, OPSET);
    let mut model = Message::default();
    model.number(1, IR_VERSION);
    model.message(7, &graph);
    model.message(8, &opset);
    Ok(model.0)
}

fn node() -> Message {
    let mut node = Message::default();
    node.bytes(1, b"a");
    node.bytes(1, b"b");
    node.bytes(2, b"c");
    node.bytes(3, b"add");
    node.bytes(4, b"Add");
    node
}

fn constant(name: &str, shape: &SymbolicShape) -> Result<Message, String> {
    let known =
        shape.known().ok_or_else(|| format!("a constant has known dims, and the shape of {name} is {shape}"))?;
    let count = known.iter().try_fold(size_of::<f32>(), |bytes, &dim| bytes.checked_mul(dim));
    let bytes = count.filter(|&bytes| bytes <= MOST_BYTES);
    let bytes = bytes.ok_or_else(|| format!("the constant {name} of shape {shape} is too large"))?;
    let mut tensor = Message::default();
    known.iter().for_each(|&dim| tensor.number(1, dim as u64));
    tensor.number(2, FLOAT);
    tensor.bytes(8, name.as_bytes());
    tensor.bytes(9, &1_f32.to_le_bytes().repeat(bytes / size_of::<f32>()));
    Ok(tensor)
}

fn value(name: &str, shape: Option<&SymbolicShape>) -> Result<Message, String> {
    let mut tensor = Message::default();
    tensor.number(1, FLOAT);
    if let Some(shape) = shape {
        let dims = shape.dims().ok_or_else(|| format!("the rank of {name} is not known"))?;
        let mut message = Message::default();
        for dim in dims {
            let mut one = Message::default();
            match dim.size() {
                Some(size) => one.number(1, size as u64),
                None => one.bytes(2, dim.to_string().as_bytes()),
            }
            message.message(1, &one);
        }
        tensor.message(2, &message);
    }
    let mut kind = Message::default();
    kind.message(1, &tensor);
    let mut value = Message::default();
    value.bytes(1, name.as_bytes());
    value.message(2, &kind);
    Ok(value)
}

/// A message of protocol buffers.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn message(&mut self, field: u64, message: &Self) {
        self.bytes(field, &message.0);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}
