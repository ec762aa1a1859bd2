//! Reads the constants of model files as arrays, for `ls` and `eval`.

use std::path::Path;

use broadaxe_models::{
    Constant, Model, format,
    graph::{Data, Element},
};

use crate::{
    error::{Error, ErrorKind, quoted},
    file::{self, Entry, Format, Place, Stored},
};
use broadaxe_session::stream::open;

/// Reads a model file; nothing for what is an array file by its name, or no model by its content.
fn model(path: &Path) -> Result<Option<Model>, Error> {
    if Format::of(path).is_some() || !path.is_file() {
        return Ok(None);
    }
    let source = open(path)?;
    if format::detect(&source)?.is_none() {
        return Ok(None);
    }
    format::read(&source).map(Some).map_err(|error| Error::from(error).of(path))
}

/// Lists the constants of a model, each with its name.
fn named(model: &Model) -> Vec<(&str, &Constant)> {
    model.values.iter().filter_map(|value| Some((value.name.as_str(), value.constant.as_ref()?))).collect()
}

/// Describes the constants of a model file; nothing for a file that is not a model.
///
/// # Errors
/// When the file cannot be read, or is damaged.
pub(super) fn entries(path: &Path) -> Result<Option<Vec<Entry>>, Error> {
    let model = model(path)?;
    Ok(model.map(|model| named(&model).into_iter().map(|(name, constant)| entry(name, constant)).collect()))
}

/// Reads the constant at `place` into memory, of which it may use `limit` bytes; nothing for a file that is not a model.
///
/// # Errors
/// When the file cannot be read, has no such constant, or has several and none is named; when the elements of the constant are missing,
/// have no dtype, or use too much memory.
pub(super) fn read(place: &Place, limit: u64) -> Result<Option<Stored>, Error> {
    let path = place.path();
    let Some(model) = model(path)? else { return Ok(None) };
    let constants = named(&model);
    if constants.is_empty() {
        return Err(Error::new(ErrorKind::File, "the model has no constants").of(path));
    }
    let (name, constant) = file::choose(&constants, |(name, _)| name, place.key()).map_err(|error| error.of(path))?;
    let of = |error: Error| error.inside(name, 0).of(path);
    let dtype = constant.element.dtype().ok_or_else(|| {
        let text = format!("elements of the type {} are not supported", quoted(&constant.element.to_string()));
        of(Error::new(ErrorKind::File, text))
    })?;
    file::within(entry(name, constant).bytes, limit).map_err(of)?;
    let bytes = model.elements(constant, usize::try_from(limit).unwrap_or(usize::MAX));
    let bytes = bytes.map_err(|error| of(error.into()))?.unwrap_or_default();
    Stored::from_little_endian(dtype, &constant.shape, bytes).map(Some).map_err(of)
}

fn entry(name: &str, constant: &Constant) -> Entry {
    let bytes = match &constant.data {
        Data::Held(bytes) => bytes.len() as u64,
        Data::Span { len, .. } | Data::External { len, .. } => *len,
        // The elements are missing, and their size is known.
        _ => needed(&constant.element, &constant.shape),
    };
    Entry { name: name.to_owned(), dtype: constant.element.to_string(), shape: constant.shape.clone(), bytes }
}

fn needed(element: &Element, shape: &[usize]) -> u64 {
    let elements = shape.iter().try_fold(1_u64, |count, &dim| count.checked_mul(dim as u64)).unwrap_or(u64::MAX);
    elements.saturating_mul(u64::from(element.bits())).div_ceil(8)
}
