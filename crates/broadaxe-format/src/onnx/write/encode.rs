//! New messages.

use broadaxe_op::DType;

use super::super::{
    super::wire::splice::{bytes, bytes_field, float, int, length, wrap},
    schema::{
        ATTRIBUTE_FLOAT, ATTRIBUTE_FLOATS, ATTRIBUTE_INT, ATTRIBUTE_INTS, ATTRIBUTE_NAME, ATTRIBUTE_TENSOR,
        ATTRIBUTE_TEXT, ATTRIBUTE_TYPE, MODEL_OPSET, NODE_ATTRIBUTE, NODE_INPUT, NODE_NAME, NODE_OP, NODE_OUTPUT,
        TENSOR_DIMS, TENSOR_NAME, TENSOR_RAW, TENSOR_TYPE,
    },
};
use crate::{
    edit::{Piece, Scalar},
    error::{Error, ErrorKind},
};

/// The kinds of attributes, as they are written.
const KIND_FLOAT: i64 = 1;
const KIND_INT: i64 = 2;
const KIND_TEXT: i64 = 3;
const KIND_TENSOR: i64 = 4;
const KIND_FLOATS: i64 = 6;
const KIND_INTS: i64 = 7;

/// A node to write.
pub(super) struct NewNodeMessage<'a> {
    pub(super) name: &'a str,
    pub(super) op: &'a str,
    pub(super) inputs: &'a [String],
    pub(super) output: &'a str,
    pub(super) attributes: &'a [(String, Scalar)],
}

impl NewNodeMessage<'_> {
    /// Writes the node as field `number` of its graph.
    pub(super) fn field(&self, number: u32) -> Vec<u8> {
        let mut message = Vec::new();
        for input in self.inputs {
            bytes(&mut message, NODE_INPUT, input.as_bytes());
        }
        bytes(&mut message, NODE_OUTPUT, self.output.as_bytes());
        bytes(&mut message, NODE_NAME, self.name.as_bytes());
        bytes(&mut message, NODE_OP, self.op.as_bytes());
        for (name, value) in self.attributes {
            message.extend(attribute(name, value));
        }
        bytes_field(number, &message)
    }
}

/// Writes an attribute as a field of a node.
pub(super) fn attribute(name: &str, value: &Scalar) -> Vec<u8> {
    let mut message = Vec::new();
    bytes(&mut message, ATTRIBUTE_NAME, name.as_bytes());
    let kind = match value {
        Scalar::Float(value) => {
            float(&mut message, ATTRIBUTE_FLOAT, *value as f32);
            KIND_FLOAT
        }
        Scalar::Int(value) => {
            int(&mut message, ATTRIBUTE_INT, *value);
            KIND_INT
        }
        Scalar::Text(value) => {
            bytes(&mut message, ATTRIBUTE_TEXT, value.as_bytes());
            KIND_TEXT
        }
        Scalar::Ints(values) => {
            for value in values {
                int(&mut message, ATTRIBUTE_INTS, *value);
            }
            KIND_INTS
        }
        Scalar::Floats(values) => {
            for value in values {
                float(&mut message, ATTRIBUTE_FLOATS, *value as f32);
            }
            KIND_FLOATS
        }
    };
    int(&mut message, ATTRIBUTE_TYPE, kind);
    bytes_field(NODE_ATTRIBUTE, &message)
}

/// Writes an attribute that holds a tensor as a field of a node.
pub(super) fn tensor_attribute(name: &str, tensor: Vec<Piece>) -> Vec<Piece> {
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    bytes(&mut head, ATTRIBUTE_NAME, name.as_bytes());
    int(&mut tail, ATTRIBUTE_TYPE, KIND_TENSOR);
    let mut message = vec![Piece::New(head)];
    message.extend(wrap(ATTRIBUTE_TENSOR, tensor));
    message.push(Piece::New(tail));
    wrap(NODE_ATTRIBUTE, message)
}

/// Writes a node that holds a constant as field `number` of its graph.
pub(super) fn constant_node(number: u32, name: &str, tensor: Vec<Piece>) -> Vec<Piece> {
    let mut head = Vec::new();
    bytes(&mut head, NODE_OUTPUT, name.as_bytes());
    bytes(&mut head, NODE_NAME, name.as_bytes());
    bytes(&mut head, NODE_OP, b"Constant");
    let mut message = vec![Piece::New(head)];
    message.extend(tensor_attribute("value", tensor));
    wrap(number, message)
}

/// Writes sizes as fields of a tensor.
pub(super) fn dims(shape: &[usize]) -> Vec<u8> {
    let mut fields = Vec::new();
    for &size in shape {
        int(&mut fields, TENSOR_DIMS, size as i64);
    }
    fields
}

/// Returns the bytes of an element with this value.
pub(super) fn number(dtype: DType, value: f64) -> Vec<u8> {
    crate::edit::number_bytes(dtype, value)
}

/// Writes a tensor of this shape, type and elements.
pub(super) fn tensor(name: &str, shape: &[usize], code: i64, raw: &[u8]) -> Vec<Piece> {
    let mut message = dims(shape);
    int(&mut message, TENSOR_TYPE, code);
    bytes(&mut message, TENSOR_NAME, name.as_bytes());
    bytes(&mut message, TENSOR_RAW, raw);
    vec![Piece::New(message)]
}

/// Writes the shape of a recorded type as its field; an axis without a size is open.
pub(super) fn shape_field(shape: impl IntoIterator<Item = Option<usize>>) -> Vec<u8> {
    let mut message = Vec::new();
    for size in shape {
        let mut dim = Vec::new();
        if let Some(size) = size {
            int(&mut dim, 1, size as i64);
        }
        bytes(&mut message, 1, &dim);
    }
    bytes_field(2, &message)
}

/// Writes the recorded type of a value: a tensor of this type and, where it is known, of this shape.
pub(super) fn info(name: &str, code: i64, shape: Option<&[usize]>) -> Vec<u8> {
    typed(name, code, shape.map(|shape| shape_field(shape.iter().copied().map(Some))))
}

/// As [`info`], with the field of the shape.
pub(super) fn typed(name: &str, code: i64, shape: Option<Vec<u8>>) -> Vec<u8> {
    let (mut tensor, mut message) = (Vec::new(), Vec::new());
    int(&mut tensor, 1, code);
    tensor.extend(shape.unwrap_or_default());
    bytes(&mut message, 1, name.as_bytes());
    bytes(&mut message, 2, &bytes_field(1, &tensor));
    message
}

/// Writes the import of a version as a field of the model.
pub(super) fn opset(domain: &str, version: i64) -> Vec<u8> {
    let mut message = bytes_field(1, domain.as_bytes());
    int(&mut message, 2, version);
    bytes_field(MODEL_OPSET, &message)
}

/// Rejects a file that would be longer than protobuf can be.
///
/// # Errors
/// [`ErrorKind::Limit`] from 2 GiB on.
pub(super) fn fits(pieces: &[Piece], most: u64) -> Result<(), Error> {
    if length(pieces) <= most {
        return Ok(());
    }
    let message = "the changed model would pass 2 GiB; save it with its weights in another file first";
    Err(Error::new(ErrorKind::Limit, message))
}
