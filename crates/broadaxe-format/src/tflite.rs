//! TFLite, the format of LiteRT: one FlatBuffer with subgraphs, tensors, operators and weights, in a `.tflite` or a `.litertlm`.
//!
//! Every tensor of a subgraph becomes a value and every operator a node, in the order of the file, which is the order of
//! execution. A tensor with data is a constant that points into the file. Subgraph 0 is the main graph; a subgraph that an
//! operator names becomes the body of the first one that does, and the others are graphs of their own.
//!
//! Names of tensors need not be unique; the second `x` of a subgraph becomes `x#5`, with its number. A tensor without
//! dims is a scalar or has an unknown rank. Constants, inputs, and tensors that the file marks (`has_rank`) are scalars. A
//! tensor without elements cannot be told from one without data, and is not a constant.
//!
//! Source: `schema.fbs` of LiteRT, as the package ai-edge-litert 2.3.0 has it.

mod flat;
mod flatten;
mod schema;
mod options;
mod container;
mod layout;
mod quantization;
mod bodies;
mod read;
mod copies;
mod draft;
mod settle;
mod change;
mod render;
pub(super) mod part;
mod write;
#[cfg(test)]
mod tables;

use super::Format;
use crate::edit::Constants;

/// The format.
pub(super) static TFLITE: Format = Format {
    name: "tflite",
    extensions: &["tflite", "litertlm", "lite"],
    detect,
    read: read::read,
    weights: None,
    constants: Constants::Copied,
    write: write::write,
};

/// The identifier of the FlatBuffer, and the byte at which it is.
const IDENTIFIER: &[u8] = b"TFL3";
const IDENTIFIER_AT: usize = 4;

fn detect(head: &[u8]) -> bool {
    let identifier = head.get(IDENTIFIER_AT..).unwrap_or_default();
    let named = identifier.starts_with(b"TFL") && identifier.get(3).is_some_and(u8::is_ascii_digit);
    named || head.starts_with(container::BUNDLE)
}
