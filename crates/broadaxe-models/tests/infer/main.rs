//! Shapes of real models, and of single operators next to what engines say of them.

mod models;
mod expression;
mod case;
mod graph;
mod onnx;
mod openvino;
mod ncnn;
mod coverage;
