//! Model files: what their broadcasts mean on other runtimes, and how to repair them.
//!
//! A [`format`](mod@format) reads a file into a [`Model`], a flat graph that all formats share. Nothing of a file is copied but its
//! structure: constants stay where they lie, and a change is a list of [`Edit`]s that the format writes as the smallest
//! difference, every other byte as it was.

#![forbid(unsafe_code)]

pub mod error;
pub mod source;
pub mod graph;
mod attributes;
pub mod edit;
pub mod format;
pub mod infer;
pub mod meaning;
pub mod target;
pub mod check;
pub mod report;
pub mod extract;
pub mod fix;
pub mod verify;
pub mod upgrade;
pub mod census;
pub mod sizes;

pub use edit::{Edit, Written};
pub use error::{Cause, Error, ErrorKind};
pub use graph::{Attribute, Constant, Element, Graph, GraphId, Model, Node, NodeId, Use, Value, ValueId};
pub use meaning::{Kind, Meaning, Operator, meaning};
pub use report::check_file;
pub use source::Source;
pub use target::{PROFILES, Profile, Target};
