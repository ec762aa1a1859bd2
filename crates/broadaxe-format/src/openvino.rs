//! OpenVINO IR, versions 10 and 11: a graph in XML, with its constants in a `.bin`.
//!
//! The XML is read into layers that know the places of their words (`net`), and a change replaces words. Constants become
//! values that point into the `.bin`, `Parameter` and `Result` become inputs and outputs of the graph, every other layer is
//! a node, and the bodies of loops and branches are graphs.
//!
//! Recorded shapes are kept: extents in ports, ranges of a `Parameter`. A port without extents is a scalar or has an unknown
//! rank; it is read as a scalar only if that follows from the layer (`rank`). The axis of `pdpd` is written
//! `auto_broadcast.auto_broadcast_axis`, and its default is 0 (not -1, the operators' default); it becomes the attribute
//! `axis`, which is always present. OpenVINO ignores a plain `axis` there, so the reader drops it with a remark.

mod element;
mod scan;

mod net;

mod order;
mod rank;

mod build;
mod result;

mod draft;

mod render;
mod replace;

mod write;

pub(crate) mod part;
#[cfg(test)]
mod tables;

use super::Format;
use crate::{edit::Constants, error::Error, graph::Model, source::Source};

/// The format.
pub(super) static OPENVINO: Format = Format {
    name: "openvino",
    extensions: &["xml"],
    detect,
    read,
    weights: Some("bin"),
    constants: Constants::Copied,
    write: write::write,
};

/// The limits of what is read.
struct XmlLimits {
    /// Bytes of XML.
    bytes: u64,
    /// Depth of nested elements.
    depth: usize,
    /// Attributes of an element.
    attributes: usize,
    /// Elements.
    elements: usize,
    /// Depth of nested bodies.
    bodies: usize,
}

const XML_LIMITS: XmlLimits =
    XmlLimits { bytes: 1 << 28, depth: 256, attributes: 1024, elements: 4_000_000, bodies: 64 };

/// The attribute with the axis of `pdpd`.
const AXIS: &str = "auto_broadcast.auto_broadcast_axis";

fn detect(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let named = |at: usize| head[at..].starts_with(b"<net") && head.get(at + 4).is_none_or(u8::is_ascii_whitespace);
    head.starts_with(b"<") && (0..head.len()).any(named)
}

fn read(source: &Source) -> Result<Model, Error> {
    let text = source.text(XML_LIMITS.bytes)?;
    Ok(build::build(source, &net::nets(&text)?)?.0)
}
