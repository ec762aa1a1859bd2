//! The subcommands, one file each.

mod picture;
pub mod compare;
pub mod shape;
mod constants;
pub mod ls;
pub mod eval;
pub mod explain;
pub mod model;
pub mod ops;
pub mod rules;
pub mod man;
pub mod completions;
pub mod page;
pub mod atlas;
pub mod version;
