//! The operators: one unit struct each, with one pure function of single elements.

pub(crate) mod activation;
pub(crate) mod round;
pub(crate) mod arith;
pub(crate) mod bits;
pub(crate) mod cast;
pub(crate) mod compare;
pub(crate) mod divisors;
pub(crate) mod exp;
pub(crate) mod floats;
pub(crate) mod trig;
pub(crate) mod lanewise;
pub(crate) mod like;
pub(crate) mod logic;
pub(crate) mod select;
mod widened;
pub(crate) mod pair;
