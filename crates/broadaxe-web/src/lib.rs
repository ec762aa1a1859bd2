//! Broadaxe as a WebAssembly module for the page and for npm.
//!
//! The module has one function, [`answer`]: it takes a request as JSON and returns the answer as JSON. [`edge`] is how JavaScript calls
//! it: `reserve` memory, write the request there, `call`, read the answer, `release` it.

#![deny(unsafe_code)]

pub mod answer;
#[allow(unsafe_code, reason = "the edge to JavaScript, which owns no types")]
pub mod edge;
