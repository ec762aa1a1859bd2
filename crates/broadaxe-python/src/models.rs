//! Answers requests about model files from Python, over a file or bytes.

use std::path::{Path, PathBuf};

use broadaxe_cli::{
    args::{Colours, PictureArgs, TargetsArgs},
    cmd::model::{self, answered},
    error::Error,
};
use broadaxe_models::{Source, report::Shown};
use broadaxe_session::{
    request::{Out, Request},
    stream,
};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    error::caught,
    told::{Told, of_file, raised},
    watch,
};

/// Answers a request in JSON about one model: the file of this path, or bytes in its place. What is made is written to `out`.
#[pyfunction]
#[pyo3(name = "model", signature = (request, path, bytes=None, out=None))]
pub(crate) fn ask_model(
    py: Python<'_>,
    request: &str,
    path: PathBuf,
    bytes: Option<&[u8]>,
    out: Option<PathBuf>,
) -> PyResult<Told> {
    let mut request: Request =
        serde_json::from_str(request).map_err(|error| PyValueError::new_err(error.to_string()))?;
    name(&mut request, path.clone(), out)?;
    let source = match bytes {
        Some(bytes) => Source::memory(bytes, None),
        None => Source::open(&path).map_err(|error| match error.cause() {
            Some(cause) => of_file(py, cause, Some(&path), &error.to_string()),
            None => raised(py, &error.into()),
        })?,
    };
    // What is written is written, or not, when its caller hears of a signal.
    let writes = matches!(request, Request::Extract(_));
    let ask = move || ask(&request, &source);
    caught(|| if writes { watch::stoppable(py, ask) } else { watch::leavable(py, ask) })?
        .map_err(|error| raised(py, &error))
}

fn ask(request: &Request, source: &Source) -> Result<Told, Error> {
    answered(request, Shown::default(), &PictureArgs::default(), &|_: &Path| Ok(source.clone())).map(Told::from)
}

/// Reads the name of a theme.
fn colours(name: &str) -> PyResult<Colours> {
    name.parse().map_err(|error: String| PyValueError::new_err(error))
}

/// Answers a request in JSON about rules; `form` is that of a drawing, such as `svg`, in the place of the text.
#[pyfunction]
#[pyo3(name = "rules_request", signature = (request, form=None, theme=None, steps=false))]
pub(crate) fn ask_rules(
    py: Python<'_>,
    request: &str,
    form: Option<&str>,
    theme: Option<&str>,
    steps: bool,
) -> PyResult<Told> {
    let request: Request = serde_json::from_str(request).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let svg = (form == Some("svg")).then(|| "-".into());
    let theme = theme.map(colours).transpose()?;
    let (html, markdown) = (form == Some("html"), form == Some("markdown"));
    let picture = PictureArgs { svg, html, markdown, theme, steps, ..PictureArgs::default() };
    let answer = caught(|| Ok(answered(&request, Shown::default(), &picture, &stream::open)))?;
    answer.map(Told::from).map_err(|error| raised(py, &error))
}

/// Writes the targets and their laws as JSON.
#[pyfunction]
pub(crate) fn targets(py: Python<'_>) -> PyResult<String> {
    let answer = model::targets(&TargetsArgs { names: Vec::new() });
    answer.map(|answer| answer.json.to_string()).map_err(|error| raised(py, &error))
}

/// Names the files of a request: names in Python may hold what JSON cannot.
fn name(request: &mut Request, path: PathBuf, out: Option<PathBuf>) -> PyResult<()> {
    let to = |out: Option<PathBuf>| out.map_or(Out::Returned, Out::File);
    match request {
        Request::Check(request) => request.models = vec![path],
        Request::Census(request) => request.models = vec![path],
        Request::Fix(request) => (request.model, request.out) = (path, to(out)),
        Request::Upgrade(request) => (request.model, request.out) = (path, to(out)),
        Request::Extract(request) => (request.model, request.output) = (path, out),
        Request::Sizes(request) => request.model = path,
        Request::List(request) => request.model = path,
        Request::Diff(request) => request.a = path,
        Request::Explain(request) if request.node.is_some() => request.shapes = vec![path.display().to_string()],
        Request::Compare(_) | Request::Shape(_) | Request::Explain(_) => {
            return Err(PyValueError::new_err("the request is about no model file"));
        }
    }
    Ok(())
}
