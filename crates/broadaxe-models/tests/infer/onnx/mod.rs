//! Operators of ONNX.

mod attention;
mod cast;
mod contrib;
mod conv;
mod elementwise;
mod gather;
mod learning;
mod make;
mod matmul;
mod norm;
mod pool;
mod quant;
mod reduce;
mod reshape;
mod resize;
mod rnn;
mod sequence;
mod slice;

use broadaxe_frameworks::System;

use crate::{case::check, graph::results};

/// All tables.
pub(crate) const ONNX_TABLES: &[&str] = &[
    attention::ONNX_ATTENTION,
    cast::ONNX_CAST,
    contrib::ONNX_CONTRIB,
    conv::ONNX_CONV,
    elementwise::ONNX_ELEMENTWISE,
    gather::ONNX_GATHER,
    learning::ONNX_LEARNING,
    make::ONNX_MAKE,
    matmul::ONNX_MATMUL,
    norm::ONNX_NORM,
    pool::ONNX_POOL,
    quant::ONNX_QUANT,
    reduce::ONNX_REDUCE,
    reshape::ONNX_RESHAPE,
    resize::ONNX_RESIZE,
    rnn::ONNX_RNN,
    sequence::ONNX_SEQUENCE,
    slice::ONNX_SLICE,
];

/// Compares a table; operators are of opset 21 unless a case says otherwise.
fn compare(name: &str, table: &str) {
    check(name, table, &|case, named| results(System::Onnx, 21, case, named));
}

#[test]
fn attention_cases() {
    compare("onnx_attention", attention::ONNX_ATTENTION);
}

#[test]
fn cast_cases() {
    compare("onnx_cast", cast::ONNX_CAST);
}

#[test]
fn contrib_cases() {
    compare("onnx_contrib", contrib::ONNX_CONTRIB);
}

#[test]
fn conv_cases() {
    compare("onnx_conv", conv::ONNX_CONV);
}

#[test]
fn elementwise_cases() {
    compare("onnx_elementwise", elementwise::ONNX_ELEMENTWISE);
}

#[test]
fn gather_cases() {
    compare("onnx_gather", gather::ONNX_GATHER);
}

#[test]
fn learning_cases() {
    compare("onnx_learning", learning::ONNX_LEARNING);
}

#[test]
fn make_cases() {
    compare("onnx_make", make::ONNX_MAKE);
}

#[test]
fn matmul_cases() {
    compare("onnx_matmul", matmul::ONNX_MATMUL);
}

#[test]
fn norm_cases() {
    compare("onnx_norm", norm::ONNX_NORM);
}

#[test]
fn pool_cases() {
    compare("onnx_pool", pool::ONNX_POOL);
}

#[test]
fn quant_cases() {
    compare("onnx_quant", quant::ONNX_QUANT);
}

#[test]
fn reduce_cases() {
    compare("onnx_reduce", reduce::ONNX_REDUCE);
}

#[test]
fn reshape_cases() {
    compare("onnx_reshape", reshape::ONNX_RESHAPE);
}

#[test]
fn resize_cases() {
    compare("onnx_resize", resize::ONNX_RESIZE);
}

#[test]
fn rnn_cases() {
    compare("onnx_rnn", rnn::ONNX_RNN);
}

#[test]
fn sequence_cases() {
    compare("onnx_sequence", sequence::ONNX_SEQUENCE);
}

#[test]
fn slice_cases() {
    compare("onnx_slice", slice::ONNX_SLICE);
}
