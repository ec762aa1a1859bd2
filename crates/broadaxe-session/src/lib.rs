//! Requests about model files and rules, and their answers.
//!
//! A request is a plain value, which can be read from JSON ([`request`]). Each has a function that answers it with typed values, from
//! which its JSON is written. Every program asks here: the command adds arguments and text, Python classes, the page drawings. Settings,
//! baselines, verification, and the decision which changed models are written are the same for all.

#![forbid(unsafe_code)]
// The texts put together here are short, and read best as they will be printed.
#![allow(clippy::format_push_string)]

pub mod json;
pub mod error;
pub mod record;
pub mod request;
pub mod rule;
pub mod compare;
pub mod shape;
pub mod model;
pub mod judge;
pub mod find;
pub mod fingerprint;
#[cfg(feature = "files")]
pub mod stop;
#[cfg(feature = "files")]
pub mod stamp;
#[cfg(feature = "files")]
pub mod whole;
#[cfg(feature = "files")]
pub mod stream;
#[cfg(feature = "files")]
pub mod npy;
#[cfg(feature = "files")]
mod skip;
#[cfg(feature = "files")]
pub mod inputs;
#[cfg(feature = "files")]
pub mod store;
#[cfg(feature = "files")]
mod parallel;
#[cfg(feature = "files")]
mod results;
#[cfg(feature = "files")]
pub mod config;
#[cfg(feature = "files")]
mod baseline;
#[cfg(feature = "files")]
mod suppress;
#[cfg(feature = "files")]
pub mod destination;
pub mod extract;
#[cfg(feature = "files")]
pub mod child;
#[cfg(feature = "files")]
pub mod ask;
#[cfg(feature = "files")]
pub mod check;
#[cfg(feature = "files")]
pub mod fix;
#[cfg(feature = "files")]
pub mod census;
pub mod sizes;
pub mod list;
pub mod diff;
pub mod explain;
#[cfg(feature = "files")]
pub mod answer;
