//! Writes some nodes of a model as a model of their own.

pub use crate::onnx::part::{Part, PartInput};
use crate::{
    edit::rejected,
    error::Error,
    graph::{Constant, Model},
    ncnn, onnx, openvino,
    source::Source,
    tflite,
};

/// The bytes of a model: its file, and the file of weights of formats of two files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelFiles {
    /// The file of the graph.
    pub model: Vec<u8>,
    /// The file of weights.
    pub weights: Option<Vec<u8>>,
}

/// Reads the files of a whole model.
///
/// # Errors
/// Those of reading them.
pub fn whole(model: &Model) -> Result<ModelFiles, Error> {
    Ok(ModelFiles { model: all(&model.source)?, weights: model.weights.as_ref().map(all).transpose()? })
}

/// Writes a part of a model of ONNX, OpenVINO's IR, TFLite or ncnn.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] when a type cannot be written, or the model is of another format; those of reading the file.
pub fn write(model: &Model, part: &Part) -> Result<ModelFiles, Error> {
    let alone = |model: Vec<u8>| ModelFiles { model, weights: None };
    match model.format {
        "onnx" => onnx::part::write(model, part).map(alone),
        // Its constants keep their places, so that the file of weights stays the same.
        "openvino" => {
            let weights = model.weights.as_ref().map(all).transpose()?;
            Ok(ModelFiles { model: openvino::part::write(model, part)?, weights })
        }
        "tflite" => tflite::part::write(model, part).map(alone),
        "ncnn" => {
            let (text, weights) = ncnn::part::write(model, part)?;
            Ok(ModelFiles { model: text, weights: Some(weights) })
        }
        other => {
            Err(rejected(format!("parts are written of ONNX, OpenVINO IR, TFLite and ncnn; this model is in {other}")))
        }
    }
}

/// Lists the arrays that each node holds itself, by [`crate::NodeId`]: layers of ncnn hold their weights.
///
/// # Errors
/// [`crate::ErrorKind::File`] when the file of weights does not say where they are.
pub fn held(model: &Model) -> Result<Vec<Vec<Constant>>, Error> {
    if model.format == "ncnn" { ncnn::held(model) } else { Ok(vec![Vec::new(); model.nodes.len()]) }
}

fn all(source: &Source) -> Result<Vec<u8>, Error> {
    source.read(0, source.len() as usize)
}
