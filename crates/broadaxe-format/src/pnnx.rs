//! pnnx: the text between torch and ncnn (`.pnnx.param`), with names for parameters and shapes in comments.
//!
//! ```text
//! 7767517
//! 3 2
//! pnnx.Input       in   0 1 a #a=(1,3,?,5)f32
//! nn.Conv2d        conv 1 1 a b bias=True kernel_size=(3,3) @weight=(8,3,3,3)f32 $input=a #a=(1,3,?,5)f32 #b=(1,8,?,5)f32
//! pnnx.Output      out  1 0 b
//! ```
//!
//! Lines are those of ncnn. After the names of the blobs, which are torch's tensors, `key=value` is a parameter, `@key` a
//! tensor of the layer (its numbers are in the archive `.pnnx.bin`, which stores them as they are), `$key` says which input
//! a blob is, and `#name` is the shape of a blob, row-major. `?` is an extent that is not known, `%n` one with a name. In
//! the graph a node's attributes are all but the shapes, under the keys that the file has; the output of a
//! `pnnx.Attribute` is a constant.
//!
//! Source: pnnx, `ir.cpp` and `storezip.cpp` of version 20261020.

mod store;

mod read;

mod edits;

use super::{Format, ncnn::text};
use crate::edit::Constants;

/// The format of pnnx.
pub(super) static PNNX: Format = Format {
    name: "pnnx",
    extensions: &["param"],
    detect: |head| text::is_marked(head) && text::is_pnnx(head),
    read: read::read,
    weights: None,
    constants: Constants::Changed,
    write: edits::write,
};

#[cfg(test)]
mod tables;
#[cfg(test)]
mod tests;
