//! What must hold of any bytes that the command reads as an array or as a model. Fuzz targets and mutants share these checks.

#![allow(dead_code, reason = "a program that reads arrays checks no models")]

use std::path::Path;

use broadaxe_cli::{
    args::PictureArgs,
    cmd::model::answered,
    error::{Error, escaped, escaped_json},
    file::{Format, Source, read_from},
    session::request::{CheckRequest, FixRequest, Request},
};
use broadaxe_models::{format, infer::infer, report::Shown};
use broadaxe_shape::Dim;

/// The most bytes that an array may have.
const LIMIT: u64 = 1 << 20;
/// What panics begin with that are about a message.
pub(crate) const MESSAGE: &str = "bad message";

/// Reads an array, by name and without one: nothing panics, every element of what is read can be reached, and errors are plain text.
/// Returns whether one could be read.
pub(crate) fn array(format: Format, bytes: &[u8]) -> bool {
    let read = |key| {
        let mut source = Source::new(std::io::Cursor::new(bytes), bytes.len() as u64);
        match read_from(&mut source, Some(format), key, LIMIT) {
            Ok(array) => {
                assert!(array.byte_count() as u64 <= LIMIT);
                array.view().expect("an array that was read has all its elements");
                true
            }
            Err(error) => {
                assert!(error.offset().is_none_or(|at| at <= bytes.len() as u64 + LIMIT), "{error}");
                plain_error(&error);
                false
            }
        }
    };
    [None, Some("a")].map(read).contains(&true)
}

/// Checks, counts and fixes a model as the command does: everything that it prints is plain text.
pub(crate) fn messages(path: &Path, source: &broadaxe_models::Source) {
    let open = |_: &Path| Ok(source.clone());
    let targets: Vec<String> = ["onnx", "openvino", "ncnn", "litert-gpu"].map(str::to_owned).to_vec();
    let check = CheckRequest { models: vec![path.to_path_buf()], targets: targets.clone(), ..CheckRequest::default() };
    let fix = FixRequest { model: path.to_path_buf(), targets, no_verify: !is_small(source), ..FixRequest::default() };
    for request in [Request::Check(check), Request::Fix(fix)] {
        let answer =
            answered(&request, Shown { all: true }, &PictureArgs::default(), &open).map(|answered| answered.answer);
        match answer {
            Ok(answer) => {
                let text = answer.plain();
                assert!(!text.is_empty(), "{MESSAGE}: there is none");
                plain(&text);
                plain(&escaped_json(&answer.json.to_string()));
                answer.notes.iter().for_each(|note| plain(note));
            }
            Err(error) => plain_error(&error),
        }
    }
}

/// Says whether all tensors are small. Verification computes with tensors of the sizes that a file says, however small the file is.
fn is_small(source: &broadaxe_models::Source) -> bool {
    let model = format::read(source);
    let shapes = model.and_then(|model| infer(&model, &[]));
    // Verification gives open dims sizes below 32.
    let multiplied = |count: usize, dim: &Dim| count.checked_mul(dim.size().unwrap_or(32));
    let is_small = |dims: &[Dim]| dims.iter().try_fold(1, multiplied).is_some_and(|count| count < 1 << 20);
    shapes.is_ok_and(|shapes| shapes.of.iter().all(|known| known.shape.dims().is_none_or(is_small)))
}

fn plain_error(error: &Error) {
    assert!(!error.message().trim().is_empty(), "{MESSAGE}: an error without a sentence");
    plain(&error.to_string());
    plain(&escaped_json(&error.to_json().to_string()));
    error.detail().into_iter().for_each(plain);
}

/// A message contains no control character of a terminal.
fn plain(text: &str) {
    assert!(text.split('\n').all(|line| escaped(line) == line), "{MESSAGE} {text:?}");
}
