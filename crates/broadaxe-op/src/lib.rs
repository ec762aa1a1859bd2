//! What everything else of Broadaxe stands on: dtypes, scalars, and the operators on elements with their facts.
//!
//! [`OPS`] is the table of operators, without the loops that compute them: readers of models, and the tables of frameworks, need no more.
//! [`stop`] ends long work from outside.

mod dtype;
mod op;
mod scalar;
pub mod stop;
mod table;

pub use dtype::{DType, Family};
pub use half::{bf16, f16};
pub use op::{Op, Promotion};
pub use scalar::Scalar;
pub use table::{OPS, OpId, constants, find, id};
