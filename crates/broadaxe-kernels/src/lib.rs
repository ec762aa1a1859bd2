//! Element-wise operators, dtypes and tile loops: every line of Broadaxe that touches an element.
//!
//! [`OPS`] is the table of operators. A [`Program`] is one or more of their kernels over tiles; [`run()`] drives it over a nest of
//! loops, after checking once that every address lies inside its buffer.

pub mod dtype;
pub mod isa;
pub mod loops;
pub mod math;
pub mod number;
pub mod op;
pub mod ops;
pub mod run;
pub mod table;
pub mod tile;

pub use dtype::{Bool, DType, Element, Family, bf16, f16};
pub use isa::{Isa, Level};
pub use loops::Kernel;
pub use op::{Op, System, cast, copy};
pub use run::{Failure, Input, Nest, Output, Program, Slot, Step, run};
pub use table::{OPS, find, find_abroad};
pub use tile::Buffer;
