//! `broadaxe ls`: lists the arrays of a file, without reading their elements.

use std::path::Path;

use serde_json::{Value, json};

use super::constants;
use crate::{
    answer::{Answer, FileRecord, aligned_to, tuple},
    args::LsArgs,
    bytes,
    error::{Error, escaped, quoted},
    file::{self, Entry, Format},
    natural, terminal,
};

/// Lists the arrays of array files, and the constants of model files.
///
/// # Errors
/// When the only file cannot be read, or is neither; of several files, those are errors of the answer.
pub fn run(args: &LsArgs) -> Result<Answer, Error> {
    if let [path] = args.files.as_slice() {
        let Listed { rows, last, json } = listed(path)?;
        return Ok(Answer::new(shown(&rows) + &last, json));
    }
    let (mut text, mut files, mut unread, mut errors) = (String::new(), Vec::new(), Vec::new(), Vec::new());
    for path in &args.files {
        match listed(path) {
            Ok(Listed { rows, last, json }) => {
                text += if text.is_empty() { "" } else { "\n" };
                text += &(last + &shown(&rows));
                files.push(json);
            }
            Err(error) => {
                unread.push(FileRecord::new(&path.display().to_string(), &error));
                errors.push(error);
            }
        }
    }
    let json = if unread.is_empty() { json!({ "files": files }) } else { json!({ "files": files, "errors": unread }) };
    Ok(Answer { errors, ..Answer::new(text, json) })
}

/// Sets the arrays in columns; in a terminal that is too narrow, long names and shapes are cut in the middle.
fn shown(rows: &[Vec<String>]) -> String {
    aligned_to(|| rows.iter().cloned(), terminal::columns(), &[0, 2])
}

/// The arrays of a file.
struct Listed {
    rows: Vec<Vec<String>>,
    /// The file, and how many arrays it holds: the last line for one file, and the heading of each of several.
    last: String,
    json: Value,
}

fn listed(path: &Path) -> Result<Listed, Error> {
    let mut entries = match constants::entries(path)? {
        Some(entries) => entries,
        None => file::entries(path).map_err(unlisted)?,
    };
    entries.sort_by(|a, b| natural::compare(&a.name, &b.name));
    let total: u128 = entries.iter().map(|entry| u128::from(entry.bytes)).sum();
    let rows: Vec<Vec<String>> = entries.iter().map(cells).collect();
    let arrays = if entries.len() == 1 { "array" } else { "arrays" };
    let name = path.display().to_string();
    let last = format!("{}: {} {arrays}, {}\n", escaped(&name), entries.len(), bytes::show(total));
    let last = terminal::fitted(&last, terminal::columns());
    let array =
        |entry: &Entry| json!({ "name": entry.name, "dtype": entry.dtype, "shape": entry.shape, "bytes": entry.bytes });
    let json = json!({
        "file": name,
        "arrays": entries.iter().map(array).collect::<Vec<_>>(),
        "bytes": u64::try_from(total).unwrap_or(u64::MAX),
    });
    Ok(Listed { rows, last, json })
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
