//! Writes an ONNX model of a single node.

use super::{
    super::{
        super::wire::splice::{bytes, bytes_field, int},
        element,
        schema::{
            ATTRIBUTE_NAME, ATTRIBUTE_TEXTS, ATTRIBUTE_TYPE, GRAPH_INITIALIZER, GRAPH_INPUT, GRAPH_NAME, GRAPH_NODE,
            GRAPH_OUTPUT, MODEL_GRAPH, MODEL_IR, NODE_ATTRIBUTE, NODE_DOMAIN, NODE_INPUT, NODE_NAME, NODE_OP,
            NODE_OUTPUT,
        },
    },
    encode,
};
use crate::{
    edit::{Piece, Scalar, rejected},
    error::Error,
    graph::{Attribute, Element, Model, Node},
};

/// The version of the format that is written, and the one from which on newer types of elements are known.
const WRITTEN_IR: i64 = 8;
const NEWER_IR: (i64, i64) = (21, 10);
/// The most bytes of a tensor in an attribute.
const MAX_TENSOR_BYTES: usize = 64 << 20;

/// An input or output of the node.
#[derive(Clone, Debug)]
pub struct End {
    /// Its name; an input or output without a name is omitted.
    pub name: String,
    /// The type of its elements.
    pub element: Element,
    /// Its sizes, where they are known.
    pub shape: Option<Vec<usize>>,
    /// Its elements, for a constant.
    pub data: Option<Vec<u8>>,
}

/// Converts a number to one element of a dtype: its bytes, little-endian.
pub fn number_bytes(dtype: broadaxe_op::DType, value: f64) -> Vec<u8> {
    encode::number(dtype, value)
}

/// Writes the model; inputs and outputs without a name are omitted.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] when an attribute or a type cannot be written.
pub fn write(model: &Model, node: &Node, inputs: &[End], outputs: &[End]) -> Result<Vec<u8>, Error> {
    let (mut whole, mut graph) = (Vec::new(), Vec::new());
    bytes(&mut graph, GRAPH_NODE, &message(model, node, inputs, outputs)?);
    bytes(&mut graph, GRAPH_NAME, b"one_node");
    for (k, end) in inputs.iter().enumerate().filter(|(_, end)| !end.name.is_empty()) {
        if inputs[..k].iter().any(|other| other.name == end.name) {
            continue;
        }
        let code = code(end)?;
        match (&end.data, &end.shape) {
            (Some(data), Some(shape)) => {
                let tensor = flat(encode::tensor(&end.name, shape, code, data));
                bytes(&mut graph, GRAPH_INITIALIZER, &tensor);
            }
            _ => bytes(&mut graph, GRAPH_INPUT, &encode::info(&end.name, code, end.shape.as_deref())),
        }
    }
    for end in outputs.iter().filter(|end| !end.name.is_empty()) {
        bytes(&mut graph, GRAPH_OUTPUT, &encode::info(&end.name, code(end)?, end.shape.as_deref()));
    }
    let imported = model.opsets.iter().filter(|(domain, _)| domain.is_empty() && !node.domain.is_empty());
    let versions: Vec<(String, i64)> = imported.cloned().chain([(node.domain.clone(), node.version)]).collect();
    let new = versions.iter().any(|(domain, version)| domain.is_empty() && *version >= NEWER_IR.0);
    int(&mut whole, MODEL_IR, if new { NEWER_IR.1 } else { WRITTEN_IR });
    for (domain, version) in &versions {
        whole.extend(encode::opset(domain, (*version).max(1)));
    }
    bytes(&mut whole, MODEL_GRAPH, &graph);
    Ok(whole)
}

/// Writes the node.
fn message(model: &Model, node: &Node, inputs: &[End], outputs: &[End]) -> Result<Vec<u8>, Error> {
    let mut message = Vec::new();
    for (number, ends) in [(NODE_INPUT, inputs), (NODE_OUTPUT, outputs)] {
        for end in ends {
            bytes(&mut message, number, end.name.as_bytes());
        }
    }
    bytes(&mut message, NODE_NAME, node.name.as_bytes());
    bytes(&mut message, NODE_OP, node.op.as_bytes());
    bytes(&mut message, NODE_DOMAIN, node.domain.as_bytes());
    for (name, value) in &node.attributes {
        message.extend(attribute(model, name, value)?);
    }
    Ok(message)
}

fn code(end: &End) -> Result<i64, Error> {
    element::code(&end.element)
        .ok_or_else(|| rejected(format!("{} has elements of {}, which ONNX does not support", end.name, end.element)))
}

fn attribute(model: &Model, name: &str, value: &Attribute) -> Result<Vec<u8>, Error> {
    Ok(match value {
        Attribute::Int(value) => encode::attribute(name, &Scalar::Int(*value)),
        Attribute::Float(value) => encode::attribute(name, &Scalar::Float(*value)),
        Attribute::Text(value) => encode::attribute(name, &Scalar::Text(value.clone())),
        Attribute::Ints(values) => encode::attribute(name, &Scalar::Ints(values.clone())),
        Attribute::Floats(values) => encode::attribute(name, &Scalar::Floats(values.clone())),
        Attribute::Texts(values) => {
            let mut message = Vec::new();
            bytes(&mut message, ATTRIBUTE_NAME, name.as_bytes());
            for value in values {
                bytes(&mut message, ATTRIBUTE_TEXTS, value.as_bytes());
            }
            int(&mut message, ATTRIBUTE_TYPE, 8);
            bytes_field(NODE_ATTRIBUTE, &message)
        }
        Attribute::Tensor(tensor) => {
            let raw = model
                .elements(tensor, MAX_TENSOR_BYTES)?
                .ok_or_else(|| rejected(format!("the attribute {name} is too large")))?;
            let unknown = || rejected(format!("the attribute {name} has elements of {}", tensor.element));
            let code = element::code(&tensor.element).ok_or_else(unknown)?;
            flat(encode::tensor_attribute(name, encode::tensor("", &tensor.shape, code, &raw)))
        }
        Attribute::Graph(_) | Attribute::Other(_) => {
            return Err(rejected(format!("the attribute {name} cannot be extracted from its model")));
        }
    })
}

/// Concatenates new pieces.
pub(super) fn flat(pieces: Vec<Piece>) -> Vec<u8> {
    let new = |piece| if let Piece::New(bytes) = piece { bytes } else { Vec::new() };
    pieces.into_iter().flat_map(new).collect()
}
