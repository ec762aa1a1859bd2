//! ncnn: a text with a layer per line (`.param`), and the numbers of all layers one after another (`.bin`).
//!
//! ```text
//! 7767517
//! 3 3
//! Input         data   0 1 data       0=4 1=2
//! MemoryData    shift  0 1 shift      0=4
//! BinaryOp      sum    2 1 data shift out 0=0
//! ```
//!
//! The first number is the format's mark, the next two count layers and blobs. A line has the layer's type, its name, how
//! many blobs it reads and makes, their names, and parameters by number. Shapes are written fastest axis first there; in
//! the graph they are row-major as everywhere, so `0=4 1=2` (w and h) is the shape (2, 4).
//!
//! Layer `k` of the text is node `k` of the graph, `Input` and `MemoryData` too. A parameter is an attribute whose name is
//! its number. The file does not say which bytes of the `.bin` a layer reads: a constant is found by skipping
//! the weights of all layers before it (`weights.rs`).
//!
//! Source: ncnn, "param and model file structure" and "operation param weight table"; the reader and the layers of
//! version 20261020.

mod params;
pub(super) mod text;
mod weights;
mod read;
pub(super) mod draft;
mod edits;
pub(super) mod part;

pub(super) use self::part::held;
pub use self::{params::parameter, weights::draw_weights};
use super::Format;
use crate::edit::Constants;

/// The format of ncnn.
pub static NCNN: Format = Format {
    name: "ncnn",
    extensions: &["param"],
    detect: |head| text::is_marked(head) && !text::is_pnnx(head),
    read: read::read,
    weights: None,
    constants: Constants::Changed,
    write: edits::write,
};

#[cfg(test)]
pub(super) mod tables;
#[cfg(test)]
mod tests;
