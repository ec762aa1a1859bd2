//! The C interface of Broadaxe: broadcast rules of frameworks, and checks of model files.
//!
//! `include/broadaxe.h` declares it. The module [`edge`] has the exported functions. It checks every pointer, length and size,
//! copies what they refer to, and calls the safe modules before it. A panic becomes the status [`status::BX_ERROR_INTERNAL`].

#![deny(unsafe_code)]

pub mod status;
mod last;
pub mod structs;
mod rules;
pub mod models;

// Reads and writes memory of the caller. All other modules are safe.
#[allow(unsafe_code)]
pub mod edge;
