//! Broadcasting that means the same thing everywhere: arrays, expressions and framework operators under any rule.

#![forbid(unsafe_code)]

pub mod error;
pub mod stop;
pub mod scalar;
pub mod ops;
pub mod view;
pub mod plan;
mod memory;
pub mod array;
pub mod operand;
pub mod graph;
pub mod eval;
pub mod call;
pub mod unbroadcast;
pub mod frameworks;
pub mod expr;

pub use array::Array;
pub use broadaxe_frameworks::{System, promote};
#[cfg(feature = "rayon")]
pub use broadaxe_kernels::Rayon;
pub use broadaxe_kernels::{
    Bool, DType, Decisions, Element, Executor, Input, Isa, Level, OPS, Op, OpId, Output, Promotion, Reduction, bf16,
    f16, find, id,
};
pub use broadaxe_shape::{self as shape, Params, RULES, Rule, Shape};
pub use call::{Call, apply, apply_into, apply_owned};
pub use error::{Error, ErrorKind};
pub use eval::{Evaluation, Options, StageReport};
pub use expr::Expr;
pub use graph::{Graph, Node};
pub use memory::{default_budget, keep_bytes, num_threads, release_memory, set_keep_bytes, set_num_threads};
pub use operand::{Destination, Operand};
pub use plan::Plan;
pub use scalar::Scalar;
pub use unbroadcast::{unbroadcast, unbroadcast_axes, unbroadcast_operand};
pub use view::{View, ViewMut};

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
