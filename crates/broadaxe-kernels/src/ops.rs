//! The operators: one unit struct each, with one pure function of single elements.

pub mod activation;
pub mod arith;
pub mod bits;
pub mod cast;
pub mod compare;
pub mod divisors;
pub mod exp;
pub mod floats;
pub mod lanewise;
pub mod like;
pub mod logic;
pub mod round;
pub mod select;
pub mod trig;
mod widened;
pub mod pair;
