//! The subcommands, one file each.

pub mod model;
mod constants;
pub mod ls;
pub mod eval;
mod picture;
pub mod explain;
pub mod compare;
pub mod ops;
pub mod rules;
pub mod shape;
pub mod man;
pub mod completions;
pub mod page;
pub mod atlas;
pub mod version;
