//! Compares the engine with the oracle and with itself.
//!
//! Against the oracle: every operator and cast on the elements at which arithmetic goes wrong first, and operators over random views.
//! Against itself: results are the same to the bit for every instruction set, number of threads, position, length, stride and
//! grouping into programs.
#![allow(clippy::print_stdout)]

mod drive;

mod casts;
mod facts;
mod fused;
mod large;
mod layouts;
mod ops;
mod stops;
mod strides;
