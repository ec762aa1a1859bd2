//! The command `broadaxe`: checks and fixes models, compares broadcast rules, and evaluates expressions over array files.
//!
//! A subcommand is a function from its arguments to an [`answer::Answer`]: a text for people, the same content as JSON, and
//! whether it counts as a failure. Only [`front`] prints: it chooses between text and JSON, and sets the exit code.

#![forbid(unsafe_code)]
// The texts put together here are short, and read best as they will be printed.
#![allow(clippy::format_push_string)]

pub mod terminal;

mod link;

pub mod bytes;

mod natural;

pub mod exact;

pub mod file;

pub mod preview;

pub mod answer;

pub mod args;

mod tips;

pub mod cmd;

pub mod front;

pub use broadaxe_session::{self as session, error, stop};
