//! Dtypes, scalars, and the operators on elements with their facts: the base of all other crates.
//!
//! [`OPS`] is the table of operators, without the loops that compute them: readers of models, and the tables of frameworks, need no more.
//! [`stop`] ends long work from outside.

#![forbid(unsafe_code)]

mod dtype;
mod names;
mod op;
mod scalar;
pub mod stop;
mod table;

pub use dtype::{DType, Family};
pub use half::{bf16, f16};
pub use names::{OpId, constants, id};
pub use op::{Op, Promotion};
pub use scalar::Scalar;
pub use table::{OPS, find};
