//! Broadaxe as a WebAssembly module for the page and for npm.
//!
//! The module has one function, [`answer::answer`]: it reads a request and returns the answer as JSON. [`exports`] is how JavaScript
//! calls it: `reserve` memory, write the request there, `call`, read the answer, `release` it.

#![deny(unsafe_code)]

// Calls JavaScript. All other modules but `exports` are safe.
#[cfg(feature = "check")]
#[allow(unsafe_code)]
pub mod edge;
#[cfg(feature = "check")]
mod files;
#[cfg(feature = "check")]
mod one_node;
#[cfg(feature = "check")]
mod check;
#[cfg(feature = "golden")]
#[path = "../../broadaxe-testing/tests/golden/hashes.rs"]
#[allow(dead_code, reason = "the test also names layouts")]
mod hashes;
pub mod answer;

// Reads and writes the memory that JavaScript shares.
#[allow(unsafe_code)]
pub mod exports;
