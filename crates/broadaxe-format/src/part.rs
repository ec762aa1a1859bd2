//! Writes some nodes of a model as a model of their own.

pub use crate::onnx::part::{Part, PartInput};
use crate::{edit::rejected, error::Error, graph::Model, onnx, openvino};

/// Writes a part of a model of ONNX, or of an IR, whose weights stay in their file.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] when a type cannot be written, or the model is of another format; those of reading the file.
pub fn write(model: &Model, part: &Part) -> Result<Vec<u8>, Error> {
    match model.format {
        "onnx" => onnx::part::write(model, part),
        "openvino" => openvino::part::write(model, part),
        other => Err(rejected(format!("parts are written of ONNX models and IR, and this one is in {other}"))),
    }
}
