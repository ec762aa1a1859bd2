//! The formats that model files come in.

mod openvino;
mod wire;

use std::path::Path;

use crate::{
    edit::{Edit, Written},
    error::{Error, ErrorKind},
    graph::Model,
    source::Source,
};

/// Describes a format: how its files are told from others, read, and changed.
pub struct Format {
    /// The name in commands and JSON.
    pub name: &'static str,
    /// What files of it are called.
    pub extensions: &'static [&'static str],
    /// Says whether the first bytes (up to 4,096) look like a file of this format.
    pub detect: fn(&[u8]) -> bool,
    /// Reads a model.
    pub read: fn(&Source) -> Result<Model, Error>,
    /// Makes changes; without any, the file as it was.
    pub write: fn(&Model, &[Edit]) -> Result<Written, Error>,
}

/// All formats; the first whose extension and first bytes fit is taken, else the first whose first bytes do.
pub static FORMATS: &[&Format] = &[&openvino::OPENVINO];

/// Reads the model in a file, whatever its format.
///
/// # Errors
/// [`ErrorKind::File`] when it cannot be read, [`ErrorKind::Format`] when it is in none of the formats or broken.
pub fn open(path: &Path) -> Result<Model, Error> {
    read(&Source::open(path)?)
}

/// Reads a model from a source, whatever its format.
///
/// # Errors
/// As [`open`].
pub fn read(source: &Source) -> Result<Model, Error> {
    let head = source.read(0, source.len().min(4096) as usize)?;
    let extension = source.path().and_then(Path::extension).and_then(|text| text.to_str()).unwrap_or("");
    let named = FORMATS.iter().find(|format| format.extensions.contains(&extension) && (format.detect)(&head));
    let format = named.or_else(|| FORMATS.iter().find(|format| (format.detect)(&head)));
    let format = format.ok_or_else(|| {
        let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
        Error::new(ErrorKind::Format, format!("this is no model that is known here; formats are {}", names.join(", ")))
    })?;
    (format.read)(source)
}

/// Makes changes to a model.
///
/// # Errors
/// [`ErrorKind::Edit`] when a change cannot be made in this format.
pub fn write(model: &Model, edits: &[Edit]) -> Result<Written, Error> {
    let format = FORMATS.iter().find(|format| format.name == model.format);
    let format = format.ok_or_else(|| Error::new(ErrorKind::Edit, format!("{} is not written", model.format)))?;
    (format.write)(model, edits)
}
