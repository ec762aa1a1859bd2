//! Element-wise operators, dtypes and tile loops: all code of Broadaxe that touches elements.
//!
//! [`OPS`] is the table of operators, and [`HasKernels`] finds their loops. A [`Program`] is one or more of their kernels, which run tile by tile. [`run()`] executes a
//! program over a nest of loops, after checking once that every address is inside its buffer.

mod dtype;
mod measured;
pub mod math;
mod number;
mod isa;
mod convert;
mod division;
mod loops;
mod pack;
pub mod tile;
mod mapping;
mod ops;
mod op;
mod family;
mod table;
mod step;
mod fuse;
mod chain;
mod program;
mod machine;
mod nest;
mod executor;
mod job;
mod cache;
mod rendezvous;
mod schedule;
mod run;
pub mod pool;
mod fold;
mod reduction;
mod domain;
mod reduce;

pub use broadaxe_op::{DType, Family, OPS, Op, OpId, Promotion, bf16, constants, f16, find, id};
pub use domain::Domain;
pub use dtype::{Bool, Element};
#[cfg(feature = "rayon")]
pub use executor::Rayon;
pub use executor::{Executor, Progress, Scoped, Serial};
pub use family::{cast, copy};
pub use isa::{Isa, Level};
pub use job::Failure;
pub use loops::{Guard, Kernel};
pub use mapping::{Mapping, MappingMut};
pub use nest::Nest;
pub use pool::{Pool, Team};
pub use program::{Program, Slot, Step};
pub use reduce::Reduce;
pub use reduction::Reduction;
#[doc(hidden)]
pub use run::probe;
pub use run::{run, run_at};
pub use schedule::{Decisions, Schedule};
pub use table::HasKernels;
pub use tile::{Buffer, Input, Output};
