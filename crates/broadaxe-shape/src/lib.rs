//! Broadcast rules of every framework: shapes in, alignments out.
//!
//! A [`Rule`] looks at shapes only and returns an [`Alignment`]: the result's shape and, for each operand, which of its
//! axes feeds each result axis. Nothing here touches an element or allocates more than a few lists of dims.
//! [`RULES`] lists the rules, the opening comment of each file under `rule/` is the rule's manual, and [`compare()`] shows
//! where they part.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod error;

pub mod shape;

pub mod align;

pub mod rule;

pub mod symbolic;

pub mod compare;

pub use align::{Alignment, Placed};
pub use compare::{Comparison, Difference, Outcome, Read, compare, infer_all};
pub use error::{Error, ErrorKind};
pub use rule::{AxisParam, Params, RULES, Reversed, Rule, RuleDef};
pub use shape::{MAX_RANK, Shape, contiguous_strides, elements};
pub use symbolic::{Dim, Guard, Inferred, SymbolicShape};
