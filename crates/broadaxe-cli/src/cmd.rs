//! The subcommands, a file each.

pub mod compare;
pub mod eval;
pub mod explain;
pub mod model;
pub mod ops;
pub mod rules;
pub mod shape;
