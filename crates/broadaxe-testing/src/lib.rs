//! Test support: case files, an oracle, and random shapes.
//!
//! The oracle is written for being obviously right, in wide arithmetic, and shares no code with the engine. The cases in
//! `cases/` say what frameworks do. Never published.

#![forbid(unsafe_code)]

pub mod cases;
pub mod oracle;
pub mod outside;
pub mod strided;
// After what it draws layouts for.
pub mod random;

/// Runs the examples of the guide to the rules.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embed-the-rules.md")]
struct EmbedTheRules;
