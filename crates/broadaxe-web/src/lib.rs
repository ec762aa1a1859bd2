//! Broadaxe as a WebAssembly module for the page and for npm.
//!
//! The module has one function, [`answer`]: it takes a request as JSON and returns the answer as JSON. [`edge`] is how JavaScript calls
//! it: `reserve` memory, write the request there, `call`, read the answer, `release` it.

#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "the edge to JavaScript, which owns no types")]
pub mod edge;
#[cfg(feature = "check")]
mod files;
#[cfg(feature = "check")]
mod one_node;
#[cfg(feature = "check")]
mod check;
pub mod answer;
