//! Runs the subcommands about model files from Python, over a file or bytes.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
};

use broadaxe_cli::{
    answer::Answer,
    args::{Cli, Command, ExtractArgs},
    cmd::model::{self, Open},
    error::Error,
};
use broadaxe_models::Source;
use clap::Parser;
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    error::caught,
    told::{Told, of_file, raised},
    watch,
};

/// What `extract` is told to write to where there is no file to write.
const NOWHERE: &str = "-";

/// Answers a subcommand about one model, about the file that it names last or about bytes in its place.
#[pyfunction]
#[pyo3(name = "model", signature = (args, bytes=None))]
pub(crate) fn ask_model(py: Python<'_>, args: Vec<OsString>, bytes: Option<&[u8]>) -> PyResult<Told> {
    let path = args.last().cloned().unwrap_or_default();
    let line = std::iter::once(OsString::from("broadaxe")).chain(args);
    let cli = Cli::try_parse_from(line).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let path = Path::new(&path);
    let source = match bytes {
        Some(bytes) => Source::memory(bytes, None),
        None => Source::open(path).map_err(|error| match error.cause() {
            Some(cause) => of_file(py, cause, Some(path), &error.to_string()),
            None => raised(py, &error.into()),
        })?,
    };
    // A program says what it wants; the folder that it runs in does not.
    answered(py, cli.command.without_config(), source)?.map_err(|error| raised(py, &error))
}

/// Answers without Python's lock, so that signals end the work.
fn answered(py: Python<'_>, command: Command, source: Source) -> PyResult<Result<Told, Error>> {
    caught(|| match command {
        // What it writes is written, or not, when its caller hears of a signal.
        Command::Extract(_) => watch::stoppable(py, || ask(&command, &source)),
        _ => watch::leavable(py, move || ask(&command, &source)),
    })
}

fn ask(command: &Command, source: &Source) -> Result<Told, Error> {
    let open: Open<'_> = &|_| Ok(source.clone());
    let with = |(answer, changed): (Answer, Option<Vec<u8>>)| Told { answer, changed, inputs: Vec::new() };
    match command {
        Command::Check(args) => model::check(args, false, open)?.whole().map(Told::from),
        Command::Census(args) => model::census(args, open).map(Told::from),
        Command::Sizes(args) => model::sizes(args, open).map(Told::from),
        Command::Fix(args) => model::fixed(args, open).map(with),
        Command::Upgrade(args) => model::upgraded(args, open).map(with),
        Command::Extract(args) => extract(args, open),
        _ => Err(Error::usage("only check, fix, upgrade, census, sizes and extract can be asked here")),
    }
}

fn extract(args: &ExtractArgs, open: Open<'_>) -> Result<Told, Error> {
    let found = model::extracted(args, open)?;
    let written = args.output.as_os_str() != OsStr::new(NOWHERE);
    let answer = if written { found.save(args)? } else { found.answer() };
    let changed = (!written).then_some(found.one.model);
    let inputs = if args.inline { Vec::new() } else { found.one.inputs };
    Ok(Told { answer, changed, inputs })
}
