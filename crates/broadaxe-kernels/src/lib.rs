//! Under construction.

pub mod math;
