//! ONNX: a protobuf message, and optional files of weights in the same folder.
//!
//! All versions are read alike. Constants are the initializers and the values of `Constant` nodes. A node that calls a local
//! function gets the function's body as its own graph: the function's inputs and attributes are those of the call, and
//! output `k` of the graph is output `k` of the node. The bodies of `If`, `Loop` and `Scan` have their own inputs and may
//! read all values around them. From IR version 4 on, an initializer that is also an input is a default that a caller may
//! override: it is a constant and an input of the graph. Up to IR version 3 all initializers had to be listed as inputs; the
//! graph does not list them.

mod limits;
mod schema;

mod arity;
mod element;
mod external;
mod types;

mod tensor;

mod attribute;

mod read;
#[cfg(test)]
mod sample;

mod write;
#[cfg(test)]
mod tables;

pub(crate) use self::limits::LOADABLE;
pub(crate) use self::write::part;
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

/// Checks that the first fields are those of an ONNX model, each of its kind.
fn detect(head: &[u8]) -> bool {
    // The kinds of the model's fields by number; 9 for unknown fields.
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
