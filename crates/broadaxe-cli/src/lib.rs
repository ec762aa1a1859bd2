//! The command `broadaxe`.
#![forbid(unsafe_code)]
pub mod error;
pub mod dtype;
pub mod stop;
pub mod file;
