//! Writes messages of protocol buffers, field by field.
//!
//! Source: the page "Encoding" of the documentation of Protocol Buffers.

/// A message that is being built: the bytes of its fields, in order.
#[derive(Clone, Debug, Default)]
pub struct Message(pub Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value > 127 {
            self.0.push(value as u8 | 128);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Adds a whole number.
    #[must_use]
    pub fn int(mut self, number: u64, value: i64) -> Self {
        self.varint(number << 3);
        self.varint(value as u64);
        self
    }

    /// Adds a number of four bytes.
    #[must_use]
    pub fn float(mut self, number: u64, value: f32) -> Self {
        self.varint(number << 3 | 5);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Adds bytes: a text, or a message.
    #[must_use]
    pub fn bytes(mut self, number: u64, value: &[u8]) -> Self {
        self.varint(number << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }
}

/// Makes an ONNX file of nodes (operator, inputs, output) and inputs, whose dims are numbers or names.
pub fn onnx<'a>(
    nodes: impl Iterator<Item = (&'a str, Vec<String>, String)>,
    inputs: impl Iterator<Item = (String, Vec<String>)>,
) -> Vec<u8> {
    let mut graph = Message::default();
    let mut last = String::new();
    for (op, inputs, output) in nodes {
        let node = inputs.iter().fold(Message::default(), |node, input| node.bytes(1, input.as_bytes()));
        graph = graph.bytes(1, &node.bytes(2, output.as_bytes()).bytes(4, op.as_bytes()).0);
        last = output;
    }
    for (name, dims) in inputs {
        let dim = |dim: &String| match dim.parse() {
            Ok(size) => Message::default().int(1, size),
            Err(_) => Message::default().bytes(2, dim.as_bytes()),
        };
        let shape = dims.iter().fold(Message::default(), |shape, size| shape.bytes(1, &dim(size).0));
        let tensor = Message::default().int(1, 1).bytes(2, &shape.0);
        let value = Message::default().bytes(1, name.as_bytes()).bytes(2, &Message::default().bytes(1, &tensor.0).0);
        graph = graph.bytes(11, &value.0);
    }
    let graph = graph.bytes(2, b"g").bytes(12, &Message::default().bytes(1, last.as_bytes()).0);
    let opset = Message::default().bytes(1, b"").int(2, 18);
    Message::default().int(1, 8).bytes(7, &graph.0).bytes(8, &opset.0).0
}
