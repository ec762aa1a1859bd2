//! `broadaxe ls`: lists the arrays of a file, without reading their elements.

use std::path::Path;

use broadaxe_models::{
    Constant, Model, format,
    graph::{Data, Element},
};
use serde_json::json;

use super::model::open;
use crate::{
    answer::{Answer, aligned, tuple},
    args::LsArgs,
    bytes,
    error::{Error, escaped, quoted},
    file::{self, Entry, Format},
    natural,
};

/// Lists the arrays of an array file, or the constants of a model file.
///
/// # Errors
/// When the file cannot be read, or is neither.
pub fn run(args: &LsArgs) -> Result<Answer, Error> {
    let path = &args.file;
    let mut entries = match constants(path)? {
        Some(entries) => entries,
        None => file::entries(path).map_err(unlisted)?,
    };
    entries.sort_by(|a, b| natural::compare(&a.name, &b.name));
    let total: u128 = entries.iter().map(|entry| u128::from(entry.bytes)).sum();
    let rows: Vec<Vec<String>> = entries.iter().map(cells).collect();
    let arrays = if entries.len() == 1 { "array" } else { "arrays" };
    let name = path.display().to_string();
    let last = format!("{}: {} {arrays}, {}\n", escaped(&name), entries.len(), bytes::show(total));
    let array =
        |entry: &Entry| json!({ "name": entry.name, "dtype": entry.dtype, "shape": entry.shape, "bytes": entry.bytes });
    let json = json!({
        "file": name,
        "arrays": entries.iter().map(array).collect::<Vec<_>>(),
        "bytes": u64::try_from(total).unwrap_or(u64::MAX),
    });
    Ok(Answer::new(aligned(&rows) + &last, json))
}

fn cells(entry: &Entry) -> Vec<String> {
    let name = if entry.name.is_empty() { "-".to_owned() } else { escaped(&entry.name) };
    vec![name, quoted(&entry.dtype), tuple(&entry.shape), bytes::show(entry.bytes.into())]
}

/// Adds that models are listed too, where a file is of no format.
fn unlisted(error: Error) -> Error {
    let is_foreign =
        error.field_name() == Some("magic") && Format::of(error.file_name().unwrap_or_default().as_ref()).is_none();
    if is_foreign { error.with_detail("  the constants of model files can be listed too") } else { error }
}

/// Describes the constants of a model file; nothing for a file that is not a model.
fn constants(path: &Path) -> Result<Option<Vec<Entry>>, Error> {
    if Format::of(path).is_some() || file::zarr::is_array(path) {
        return Ok(None);
    }
    let source = open(path)?;
    if format::detect(&source)?.is_none() {
        return Ok(None);
    }
    let model: Model = format::read(&source).map_err(|error| Error::from(error).of(path))?;
    let held = model.values.iter().filter_map(|value| Some(entry(&value.name, value.constant.as_ref()?)));
    Ok(Some(held.collect()))
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
