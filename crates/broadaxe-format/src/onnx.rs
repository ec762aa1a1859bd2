//! ONNX: one protobuf message, and files of weights beside it.
//!
//! All versions of the format are read alike. Constants are the initializers and what `Constant` nodes hold. A node that
//! calls a local function gets the function's body as a graph of its own, in which the names of the function's inputs
//! stand for the very values that the call gives, and the function's attributes for theirs; output `k` of that graph is
//! output `k` of the node. The bodies of `If`, `Loop` and `Scan` have inputs of their own and may read all values around
//! them. An initializer that is also an input (from IR version 4 on) is a default that a caller may override: it is a
//! constant and stands among the inputs of the graph. Up to IR version 3 all initializers had to be listed as inputs, and
//! they are not among them here.

mod arity;
mod attribute;
mod element;
mod external;
mod read;
#[cfg(test)]
mod sample;
mod schema;
mod tensor;
mod types;
mod write;

pub use self::write::single;
use super::Format;
use crate::{
    edit::Constants,
    error::Error,
    graph::{Element, Model},
    source::Source,
};

/// Describes ONNX.
pub(super) static ONNX: Format = Format {
    name: "onnx",
    extensions: &["onnx"],
    detect,
    read,
    weights: None,
    constants: Constants::Copied,
    write: write::write,
};

fn read(source: &Source) -> Result<Model, Error> {
    read::read(source).map(|(model, _)| model)
}

/// Returns the type of elements with this number.
pub(super) fn element(code: i64) -> Option<Element> {
    element::row(code).map(element::Row::element)
}

/// What is taken at most; above, a file is refused or, where it says so, a part of it stays opaque.
mod limits {
    /// Bytes of the file: what protobuf can hold. Weights that need more stand in files of their own.
    pub(super) const FILE: u64 = (1 << 31) - 1;
    /// Graphs inside each other, calls of functions among them.
    pub(super) const DEPTH: usize = 64;
    /// Nodes, and as many values.
    pub(super) const NODES: usize = 1_000_000;
    /// Nodes and other parts that calls of functions bring in; further calls stay opaque.
    pub(super) const EXPANDED: usize = 200_000;
    /// Bytes that they bring in beyond the length of the file.
    pub(super) const EXPANDED_BYTES: u64 = 64 << 20;
    /// Letters of a name in the place of a node.
    pub(super) const PLACE: usize = 60;
    /// Attributes of a node.
    pub(super) const ATTRIBUTES: usize = 1024;
    /// Elements of an attribute that is a list; a longer one stays opaque.
    pub(super) const LIST: usize = 1 << 16;
    /// Bytes of an attribute that is a text; a longer one stays opaque.
    pub(super) const TEXT: u64 = 1 << 16;
    /// Bytes of constants that are held in memory because the file spells them number by number; more stay where they are.
    pub(super) const HELD: usize = 64 << 20;
    /// Sizes of a shape.
    pub(super) const RANK: usize = broadaxe_shape::MAX_RANK;
    /// The newest version of the format that is known.
    pub(super) const IR: i64 = 14;
    /// A version of the format that no file has.
    pub(super) const NO_IR: i64 = 100;
}

/// Looks at the first fields: those of a model in ONNX, each of its kind.
fn detect(head: &[u8]) -> bool {
    // The kinds of the model's fields by number; 9 where there is no such field.
    const KINDS: [u8; 27] = [9, 0, 2, 2, 2, 0, 2, 2, 2, 9, 9, 9, 9, 9, 2, 9, 9, 9, 9, 9, 2, 9, 9, 9, 9, 2, 2];
    let mut at = 0;
    let varint = |at: &mut usize| {
        let mut value = 0u64;
        for k in 0..10 {
            let byte = head.get(*at)?;
            *at += 1;
            value |= u64::from(byte & 0x7f) << (7 * k);
            if *byte < 0x80 {
                return Some(value);
            }
        }
        None
    };
    let mut known = false;
    while at < head.len() {
        let Some(tag) = varint(&mut at) else { return known };
        let kind = usize::try_from(tag >> 3).ok().and_then(|number| KINDS.get(number));
        if kind.is_none_or(|&kind| u64::from(kind) != tag & 7) {
            return false;
        }
        known |= matches!(tag >> 3, 1 | 7 | 8);
        let Some(value) = varint(&mut at) else { return known };
        if tag & 7 == 2 {
            let Some(next) = usize::try_from(value).ok().and_then(|len| at.checked_add(len)) else { return false };
            at = next;
        }
    }
    known
}
