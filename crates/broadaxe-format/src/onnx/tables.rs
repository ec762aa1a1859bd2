//! Tables of tests: bytes and what they mean.

mod fields;
mod tensors;

mod edits;
