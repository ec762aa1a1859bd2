//! Checks what the broadcasts of a model file mean on other runtimes, and fixes them.
//!
//! [`format::open`] reads a file into a [`Model`], and [`infer`] computes the shapes of its values. [`check`]
//! compares what the model's broadcasts mean on other runtimes, and [`fix`] plans the [`Edit`]s after which they mean the same.

#![forbid(unsafe_code)]

#[cfg(target_endian = "big")]
compile_error!(
    "broadaxe-models computes counterexamples, and the kernels support little-endian targets only; \
     broadaxe-shape and broadaxe-format support big-endian ones"
);

mod attributes;
mod copied;
pub mod infer;
pub mod meaning;
pub mod profiles;
pub mod code;
pub mod check;
pub mod fix;
pub mod upgrade;
pub mod report;
pub mod verify;
pub mod example;
pub mod equivalence;
pub mod ask;
pub mod extract;
mod check_file;
mod fix_model;
pub mod census;
pub mod sizes;
#[cfg(test)]
mod testing;

pub use broadaxe_format::{
    self as format, Attribute, Cause, Constant, Edit, Element, Error, ErrorKind, Graph, GraphId, Model, Node, NodeId,
    Source, Use, Uses, Value, ValueId, Written, edit, error, graph, source,
};
pub use check_file::{check_file, check_model};
pub use copied::{Copied, CopiedPart};
pub use fix_model::{FixOutcome, Fixed, fix_model, fix_model_as, upgrade_model};
pub use meaning::{Kind, Meaning, Operator, meaning};
pub use profiles::{PROFILES, Profile, Target};
