//! The command `broadaxe`: broadcast rules on the shell, and expressions over array files.
//!
//! A subcommand is a function from its arguments to an [`answer::Answer`]: a text for people, the same as JSON, and
//! whether all is well. Nothing prints but [`front`], which chooses between the two and gives the exit code.

#![forbid(unsafe_code)]
// The texts put together here are short, and read best as they will be printed.
#![allow(clippy::format_push_string)]

pub mod error;

pub mod stop;

pub mod bytes;

pub mod file;

pub mod preview;

pub mod answer;

pub mod args;

pub mod cmd;

pub mod front;
