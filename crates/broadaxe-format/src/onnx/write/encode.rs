//! New messages.

use super::super::{
    super::wire::splice::{bytes, float, int, length, wrap},
    schema::{attribute as attributes, graph, node as nodes, tensor as tensors},
};
use crate::{
    edit::{Piece, Scalar},
    error::{Error, ErrorKind},
};

/// The kinds of attributes, as they are written.
const FLOAT: i64 = 1;
const INT: i64 = 2;
const TEXT: i64 = 3;
const TENSOR: i64 = 4;
const FLOATS: i64 = 6;
const INTS: i64 = 7;

/// A node to write.
pub(super) struct Made<'a> {
    pub(super) name: &'a str,
    pub(super) op: &'a str,
    pub(super) inputs: &'a [String],
    pub(super) output: &'a str,
    pub(super) attributes: &'a [(String, Scalar)],
}

impl Made<'_> {
    /// Writes the node as field `number` of its graph.
    pub(super) fn field(&self, number: u32) -> Vec<u8> {
        let (mut message, mut field) = (Vec::new(), Vec::new());
        for input in self.inputs {
            bytes(&mut message, nodes::INPUT, input.as_bytes());
        }
        bytes(&mut message, nodes::OUTPUT, self.output.as_bytes());
        bytes(&mut message, nodes::NAME, self.name.as_bytes());
        bytes(&mut message, nodes::OP, self.op.as_bytes());
        for (name, value) in self.attributes {
            message.extend(attribute(name, value));
        }
        bytes(&mut field, number, &message);
        field
    }
}

/// Writes an attribute as a field of a node.
pub(super) fn attribute(name: &str, value: &Scalar) -> Vec<u8> {
    let (mut message, mut field) = (Vec::new(), Vec::new());
    bytes(&mut message, attributes::NAME, name.as_bytes());
    let kind = match value {
        Scalar::Float(value) => {
            float(&mut message, attributes::FLOAT, *value as f32);
            FLOAT
        }
        Scalar::Int(value) => {
            int(&mut message, attributes::INT, *value);
            INT
        }
        Scalar::Text(value) => {
            bytes(&mut message, attributes::TEXT, value.as_bytes());
            TEXT
        }
        Scalar::Ints(values) => {
            for value in values {
                int(&mut message, attributes::INTS, *value);
            }
            INTS
        }
        Scalar::Floats(values) => {
            for value in values {
                float(&mut message, attributes::FLOATS, *value as f32);
            }
            FLOATS
        }
    };
    int(&mut message, attributes::TYPE, kind);
    bytes(&mut field, nodes::ATTRIBUTE, &message);
    field
}

/// Writes an attribute that holds a tensor as a field of a node.
pub(super) fn tensor_attribute(name: &str, tensor: Vec<Piece>) -> Vec<Piece> {
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    bytes(&mut head, attributes::NAME, name.as_bytes());
    int(&mut tail, attributes::TYPE, TENSOR);
    let mut message = vec![Piece::New(head)];
    message.extend(wrap(attributes::TENSOR, tensor));
    message.push(Piece::New(tail));
    wrap(nodes::ATTRIBUTE, message)
}

/// Writes a node that holds a constant as field `number` of its graph.
pub(super) fn constant_node(number: u32, name: &str, tensor: Vec<Piece>) -> Vec<Piece> {
    let mut head = Vec::new();
    bytes(&mut head, nodes::OUTPUT, name.as_bytes());
    bytes(&mut head, nodes::NAME, name.as_bytes());
    bytes(&mut head, nodes::OP, b"Constant");
    let mut message = vec![Piece::New(head)];
    message.extend(tensor_attribute("value", tensor));
    wrap(number, message)
}

/// Writes sizes as fields of a tensor.
pub(super) fn dims(shape: &[usize]) -> Vec<u8> {
    let mut fields = Vec::new();
    for &size in shape {
        int(&mut fields, tensors::DIMS, size as i64);
    }
    fields
}

/// Writes a tensor of this shape, type and elements.
pub(super) fn tensor(name: &str, shape: &[usize], code: i64, raw: &[u8]) -> Vec<Piece> {
    let mut message = dims(shape);
    int(&mut message, tensors::TYPE, code);
    bytes(&mut message, tensors::NAME, name.as_bytes());
    bytes(&mut message, tensors::RAW, raw);
    vec![Piece::New(message)]
}

/// Writes the shape of a recorded type as its field.
pub(super) fn shape_field(shape: &[usize]) -> Vec<u8> {
    let (mut message, mut field) = (Vec::new(), Vec::new());
    for &size in shape {
        let mut dim = Vec::new();
        int(&mut dim, 1, size as i64);
        bytes(&mut message, 1, &dim);
    }
    bytes(&mut field, 2, &message);
    field
}

/// Writes an input of a graph, a tensor of this type and shape, as its field.
pub(super) fn input(name: &str, code: i64, shape: &[usize]) -> Vec<u8> {
    let (mut tensor, mut kind, mut message, mut field) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    int(&mut tensor, 1, code);
    tensor.extend(shape_field(shape));
    bytes(&mut kind, 1, &tensor);
    bytes(&mut message, 1, name.as_bytes());
    bytes(&mut message, 2, &kind);
    bytes(&mut field, graph::INPUT, &message);
    field
}

/// Writes the import of a version as a field of the model.
pub(super) fn opset(number: u32, version: i64) -> Vec<u8> {
    let (mut message, mut field) = (Vec::new(), Vec::new());
    bytes(&mut message, 1, b"");
    int(&mut message, 2, version);
    bytes(&mut field, number, &message);
    field
}

/// Refuses a file that would be longer than protobuf can be.
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
