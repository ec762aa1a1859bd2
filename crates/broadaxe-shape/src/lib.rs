//! Broadcast rules of NumPy, ONNX, OpenVINO, Paddle, ncnn and TOSA: shapes in, alignments out.
//!
//! A [`Rule`] sees only shapes and returns an [`Alignment`]: the result's shape and, for each operand, the result axis that each
//! of its axes feeds. The crate never touches elements. [`Rule::align`] does not allocate when it succeeds, up to rank 8 and
//! four operands. [`Rule::place`] runs a rule over dims of your own type. [`RULES`] lists the rules; the comment at the top of
//! each file under `rule/` documents one. [`compare()`] finds the elements on which two rules differ.

#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

extern crate alloc;

pub mod error;

mod few;

pub mod shape;

mod axes;

pub mod align;

pub mod rule;

pub mod symbolic;

pub mod compare;

pub use align::{Alignment, Extents, Placed, Placement, Stretch};
pub use compare::{Comparison, Difference, Outcome, Read, compare, infer_all};
pub use error::{Error, ErrorKind};
pub use rule::{AxisParam, Mode, Params, RULES, Reversed, Rule, RuleDef};
pub use shape::{MAX_RANK, Shape, contiguous_strides, elements};
pub use symbolic::{Dim, Guard, Inferred, SymbolicShape};

/// Runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
