//! Infers the shapes of ncnn's layers.
//!
//! Shapes are row-major here too; the shape functions use the letters w, h, d and c where ncnn does ([`Call::whdc`]). A
//! blob may hold many samples: a `Reshape` converts an axis to samples and back, and every other layer sees one sample.
//! The shape of a blob is that of one sample, and [`Tensor::batch`] counts the samples.
//!
//! A result that follows from the inputs is used whatever the file records, which is what its converter saw.
//!
//! Source: ncnn, `src/layer/*.cpp` of version 20261020, compared by `conformance/models_ncnn.py`.
//!
//! [`Call::whdc`]: super::call::Call::whdc
//! [`Tensor::batch`]: super::tensor::Tensor::batch

mod layer;
mod expression;
mod change;
mod cut;
mod detect;
mod product;
mod window;
mod layers;

pub(super) use self::layers::{NCNN_ROWS, depends_on_elements};

#[cfg(test)]
mod tests;
