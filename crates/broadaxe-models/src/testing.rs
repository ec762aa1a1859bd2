//! Small models for tests: built value by value ([`Sample`]) or written as one line of text ([`model`]).

mod file;
mod sample;
mod text;

pub(crate) use self::{
    file::onnx,
    sample::Sample,
    text::{FUSED_PARTS, answers, gravest, judge, model},
};
