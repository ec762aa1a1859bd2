//! Reads model files into one graph, and writes small changes back.
//!
//! [`open`] detects the format of a file and reads it into a [`Model`]: values, nodes and graphs in three flat lists. It does not
//! copy constants; the model records their positions in the file. A change is a list of [`Edit`]s. [`write()`] changes as few bytes
//! as possible and preserves all others.

#![forbid(unsafe_code)]

pub mod error;
pub mod source;
mod foreign;
pub mod graph;
pub mod edit;
mod result_shape;
mod wire;
mod onnx;
mod openvino;
pub mod ncnn;
mod pnnx;
mod paddle;
mod tflite;

pub mod part;

#[cfg(test)]
mod facts;

use std::path::Path;

use self::edit::{Constants, File, Lowered, Piece, lower};
pub use self::{
    edit::{Edit, Written},
    error::{Cause, Error, ErrorKind},
    foreign::foreign,
    graph::{Attribute, Constant, Element, Graph, GraphId, Model, Node, NodeId, Use, Uses, Value, ValueId},
    onnx::single,
    source::Source,
};

/// Describes a format: how its files are recognised, read and changed.
#[derive(Debug)]
pub struct Format {
    /// The name in commands and JSON.
    pub name: &'static str,
    /// The extensions of its files.
    pub extensions: &'static [&'static str],
    /// Says whether the first bytes (up to 4,096) look like a file of this format.
    pub detect: fn(&[u8]) -> bool,
    /// Reads a model.
    pub read: fn(&Source) -> Result<Model, Error>,
    /// The extension of a second file, of weights, that is written too.
    pub(crate) weights: Option<&'static str>,
    /// What can be done to constants.
    pub(crate) constants: Constants,
    /// Makes changes; the list is not empty.
    pub(crate) write: fn(&Model, &Lowered) -> Result<Rewritten, Error>,
}

/// The pieces of a changed file, and the bytes that are appended to the weights.
pub(crate) type Rewritten = (Vec<Piece>, Vec<u8>);

/// All formats. A file is read as the first format that matches its extension and its first bytes, or else its first bytes.
pub static FORMATS: &[&Format] =
    &[&onnx::ONNX, &openvino::OPENVINO, &ncnn::NCNN, &pnnx::PNNX, &paddle::PADDLE, &tflite::TFLITE];

/// Returns the type of elements that has this number in ONNX.
pub fn onnx_element(code: i64) -> Option<Element> {
    onnx::element(code)
}

/// Reads the model in a file, whatever its format.
///
/// # Errors
/// [`ErrorKind::File`] when the file cannot be read, [`ErrorKind::Format`] when it is damaged or has none of the formats.
pub fn open(path: &Path) -> Result<Model, Error> {
    read(&Source::open(path)?)
}

/// Reads a model from a source, whatever its format.
///
/// # Errors
/// As [`open`].
pub fn read(source: &Source) -> Result<Model, Error> {
    let format = detect(source)?.ok_or_else(|| unreadable(source))?;
    (format.read)(source)
}

/// Says what keeps runtimes from loading a model that can be read here; nothing where that is not known.
pub fn remark(model: &Model) -> Option<String> {
    let len = model.source.len();
    (model.format == "onnx" && len > onnx::LOADABLE).then(|| {
        format!(
            "the file has {len} bytes, and runtimes load ONNX files of less than 2 GiB; \
             save the model with its weights in another file"
        )
    })
}

/// Makes the error of a source that is of no format: it says what the file is instead, where its name tells.
pub fn unreadable(source: &Source) -> Error {
    foreign::unreadable(source, &FORMATS.iter().map(|format| format.name).collect::<Vec<_>>())
}

/// Returns the format that the first bytes of a source are of, if they are of one.
///
/// # Errors
/// [`ErrorKind::File`] when the file cannot be read.
pub fn detect(source: &Source) -> Result<Option<&'static Format>, Error> {
    let head = source.read(0, source.len().min(4096) as usize)?;
    let extension = source.path().and_then(Path::extension).and_then(|text| text.to_str()).unwrap_or("");
    let named = FORMATS.iter().find(|format| format.extensions.contains(&extension) && (format.detect)(&head));
    Ok(named.or_else(|| FORMATS.iter().find(|format| (format.detect)(&head))).copied())
}

/// Makes changes to a model. Without changes, every file keeps its bytes.
///
/// # Errors
/// [`ErrorKind::Edit`] when a change cannot be made in this format.
pub fn write(model: &Model, edits: &[Edit]) -> Result<Written, Error> {
    let format = format_of(model)?;
    let kept = |source: &Source| vec![Piece::Kept { at: 0, len: source.len() }];
    let (pieces, added) = match edits {
        [] => (kept(&model.source), Vec::new()),
        edits => (format.write)(model, &lower(model, edits, format.constants)?)?,
    };
    let mut files = vec![File { extension: "", pieces }];
    if let Some(extension) = format.weights {
        let mut pieces = model.weights.as_ref().map_or_else(Vec::new, kept);
        pieces.extend((!added.is_empty()).then_some(Piece::New(added)));
        files.extend((!pieces.is_empty()).then_some(File { extension, pieces }));
    }
    Ok(Written { files })
}

/// Returns the format that a model was read in.
fn format_of(model: &Model) -> Result<&'static Format, Error> {
    let format = FORMATS.iter().find(|format| format.name == model.format);
    format
        .copied()
        .ok_or_else(|| Error::new(ErrorKind::Edit, format!("models of format {:?} cannot be written", model.format)))
}

/// Reads a changed model before it is written. Unchanged bytes are read from the original files.
///
/// # Errors
/// Those of [`read`].
pub fn changed(model: &Model, written: &Written) -> Result<Model, Error> {
    let assemble = |file: &File, base: Option<&Source>| {
        let path = model.source.path().filter(|_| file.extension.is_empty());
        Source::parts(base, file.pieces.clone(), path.map(Path::to_path_buf))
    };
    let find = |main: bool| written.files.iter().find(|file| file.extension.is_empty() == main);
    let mut main = find(true).map_or_else(|| Ok(model.source.clone()), |file| assemble(file, Some(&model.source)))?;
    let weights = find(false).map(|file| assemble(file, model.weights.as_ref())).transpose()?;
    if let Some(weights) = weights.or_else(|| model.weights.clone()) {
        main = main.with_weights(weights);
    }
    main = main.with_files_of(&model.source);
    // An insertion may move the bytes that identify the format, so the format is not detected again.
    (format_of(model)?.read)(&main)
}
