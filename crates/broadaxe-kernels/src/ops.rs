//! The operators: one unit struct each, with one pure function of single elements.

pub mod activation;
pub mod round;
pub mod arith;
pub mod bits;
pub mod cast;
pub mod compare;
pub mod divisors;
pub mod exp;
pub mod floats;
pub mod trig;
pub mod lanewise;
pub mod like;
pub mod logic;
pub mod select;
mod widened;
pub mod pair;
