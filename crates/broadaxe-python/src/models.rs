//! Model files: the subcommands about them, asked from Python, over a file or over bytes.

use broadaxe_cli::{
    answer::Answer,
    args::{Cli, Command},
    cmd::model::{self, Open},
    error::Error,
};
use broadaxe_models::Source;
use clap::Parser;
use pyo3::{
    exceptions::{PyOSError, PyValueError},
    prelude::*,
    types::PyBytes,
};

use crate::error::caught;

/// The text of an answer, its JSON, and the changed model where one was asked for and not written.
type Told<'py> = (String, String, Option<Bound<'py, PyBytes>>);

/// Answers `check`, `fix`, `census` or `sizes`, about the file it names or about bytes in its place.
#[pyfunction]
#[pyo3(name = "model", signature = (args, bytes=None))]
pub(crate) fn ask_model<'py>(py: Python<'py>, args: Vec<String>, bytes: Option<&[u8]>) -> PyResult<Told<'py>> {
    let path = args.last().cloned();
    let line = std::iter::once("broadaxe".to_string()).chain(args);
    let cli = Cli::try_parse_from(line).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let path = std::path::PathBuf::from(path.unwrap_or_default());
    let source = match bytes {
        Some(bytes) => Source::memory(bytes, None),
        None => Source::open(&path).map_err(|error| PyOSError::new_err(error.to_string()))?,
    };
    let answer = py.detach(|| caught(|| Ok(ask(&cli.command, &source))))?;
    let (answer, changed) = answer.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let changed = changed.map(|bytes| PyBytes::new(py, &bytes));
    Ok((answer.text, answer.json.to_string(), changed))
}

fn ask(command: &Command, source: &Source) -> Result<(Answer, Option<Vec<u8>>), Error> {
    let open: Open<'_> = &|_| Ok(source.clone());
    match command {
        Command::Check(args) => Ok((model::check(args, false, open)?, None)),
        Command::Census(args) => Ok((model::census(args, open)?, None)),
        Command::Sizes(args) => Ok((model::sizes(args, open)?, None)),
        Command::Fix(args) => model::fixed(args, open),
        _ => Err(Error::usage("only check, fix, census and sizes can be asked here")),
    }
}
