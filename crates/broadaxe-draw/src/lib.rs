//! Draws how shapes broadcast.

#![forbid(unsafe_code)]
// The texts put together here are short, and read best as they will be printed.
#![allow(clippy::format_push_string)]

pub mod words;
