//! Support for the tests of Broadaxe: a reader of the case files, an oracle, random shapes, a writer of protocol buffers, and
//! damaged files.
//!
//! The oracle computes in wide arithmetic, is as simple as possible, and shares no code with the engine. The cases in `cases/`
//! record what frameworks do. This crate is not published.

#![forbid(unsafe_code)]

pub mod cases;
pub mod limit;
pub mod oracle;
pub mod outside;
pub mod protobuf;
pub mod strided;
pub mod temporary;
pub mod corpus;
// After what it draws layouts for.
pub mod random;
pub mod mutate;

/// Runs the examples of the guide to the rules.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/embed-the-rules.md")]
struct EmbedTheRules;
