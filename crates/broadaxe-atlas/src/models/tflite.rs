//! TFLite: a `Model` of one operator as a FlatBuffer.
//!
//! Operators and versions are those that LiteRT registers. Where the rule rejects the shapes, the result has no rank.
//!
//! Source: `schema.fbs` of TensorFlow Lite, version 3.

use super::{
    Call, File, RESULT, Unsupported,
    flatbuffer::{Field, Object, write as flatbuffer},
};

/// An operator of the schema: its number, its version, and the number of the type of its options.
struct Builtin {
    code: i32,
    version: i32,
    options: Option<u8>,
}

/// Numbers of types of elements.
const FLOAT32: u8 = 0;
const INT32: u8 = 2;
const TFLITE_BOOL: u8 = 6;

/// The name of the shape that `BROADCAST_TO` stretches to.
const SHAPE_INPUT: &str = "shape";

/// Writes the model.
pub(super) fn write(call: &Call<'_>) -> Result<Vec<File>, Unsupported> {
    let operator = operator(call)?;
    let mut model = Model::default();
    let (mut read, mut inputs) = (Vec::new(), Vec::new());
    for (name, operand) in call.named() {
        let element = if call.is_condition(name) { TFLITE_BOOL } else { FLOAT32 };
        let data = operand.constant.then(|| call.bytes(name, operand));
        let tensor = model.tensor(name, element, Some(&operand.shape), data);
        read.push(tensor);
        inputs.extend((!operand.constant).then_some(tensor));
    }
    if call.family == "expand" {
        let target = call.target();
        let data = target.iter().flat_map(|&dim| (dim as i32).to_le_bytes()).collect();
        read.push(model.tensor(SHAPE_INPUT, INT32, Some(&[target.len()]), Some(data)));
    }
    let result = model.tensor(RESULT, FLOAT32, call.result.as_deref(), None);
    let bytes = model.finish(&operator, read, inputs, result);
    Ok(vec![File { extension: ".tflite", bytes }])
}

/// Returns the operator with the rule of a call.
fn operator(call: &Call<'_>) -> Result<Builtin, Unsupported> {
    let (code, version, options) = match call.key() {
        ("add", "numpy") => (0, 1, Some(11)),
        ("sub", "numpy") => (41, 1, Some(28)),
        // ADD_N accepts equal shapes only.
        ("add", "none") => (106, 1, Some(82)),
        ("sum", "numpy") if call.has_equal_shapes() => (106, 1, Some(82)),
        ("sum", "numpy") => return Err(Unsupported("TFLite adds three operands only of equal shapes".to_owned())),
        ("select", "numpy") => (123, 1, Some(98)),
        ("prelu", "unidirectional") => (54, 1, None),
        ("expand", "broadcast-to") => (130, 2, Some(104)),
        _ => return Err(call.unsupported("TFLite")),
    };
    Ok(Builtin { code, version, options })
}

/// The tensors and buffers so far.
struct Model {
    tensors: Vec<Object>,
    buffers: Vec<Object>,
}

impl Default for Model {
    /// Makes a model with the empty buffer that tensors without data have.
    fn default() -> Self {
        Self { tensors: Vec::new(), buffers: vec![Object::Table(vec![])] }
    }
}

impl Model {
    /// Adds a tensor, and returns its number.
    fn tensor(&mut self, name: &'static str, element: u8, shape: Option<&[usize]>, data: Option<Vec<u8>>) -> i32 {
        let buffer = data.map_or(0, |data| {
            self.buffers.push(Object::Table(vec![Field::Of(Object::Bytes(data))]));
            self.buffers.len() - 1
        });
        let dims = shape.unwrap_or_default().iter().map(|&dim| dim as i32).collect();
        let mut fields = vec![
            Field::Of(Object::Ints(dims)),
            Field::Byte(element),
            Field::Int(buffer as i32),
            Field::Of(Object::Text(name)),
        ];
        fields.extend([Field::Absent, Field::Absent, Field::Absent, Field::Absent]);
        fields.push(Field::Byte(u8::from(shape.is_some())));
        self.tensors.push(Object::Table(fields));
        self.tensors.len() as i32 - 1
    }

    /// Writes the model.
    fn finish(self, operator: &Builtin, read: Vec<i32>, inputs: Vec<i32>, result: i32) -> Vec<u8> {
        let ints = |numbers: Vec<i32>| Field::Of(Object::Ints(numbers));
        // Readers of old files read the first field, in which numbers above 127 do not fit.
        let code = Object::Table(vec![
            Field::Byte(operator.code.min(127) as u8),
            Field::Absent,
            Field::Int(operator.version),
            Field::Int(operator.code),
        ]);
        let mut node = vec![Field::Int(0), ints(read), ints(vec![result])];
        if let Some(options) = operator.options {
            node.extend([Field::Byte(options), Field::Of(Object::Table(vec![]))]);
        }
        let graph = Object::Table(vec![
            Field::Of(Object::List(self.tensors)),
            ints(inputs),
            ints(vec![result]),
            Field::Of(Object::List(vec![Object::Table(node)])),
            Field::Of(Object::Text("main")),
        ]);
        let root = Object::Table(vec![
            Field::Int(3),
            Field::Of(Object::List(vec![code])),
            Field::Of(Object::List(vec![graph])),
            Field::Of(Object::Text("atlas")),
            Field::Of(Object::List(self.buffers)),
        ]);
        flatbuffer(&root, *b"TFL3")
    }
}
