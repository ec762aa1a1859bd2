//! Broadcast rules of every framework: shapes in, alignments out.
//!
//! A [`Rule`] looks at shapes only and returns an [`Alignment`]: the result's shape and, for each operand, which of its
//! axes feeds each result axis. Nothing here touches an element. Up to rank 8 and four operands, [`Rule::align`] allocates
//! nothing unless it fails. [`Rule::place`] runs a rule over dims of your own type.
//! [`RULES`] lists the rules, the opening comment of each file under `rule/` is the rule's manual, and [`compare()`] shows
//! where they part.

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
