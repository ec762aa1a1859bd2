//! Holds an answer of the command; Python reads its parts on demand.

use std::{io, mem, path::Path};

use broadaxe_cli::{
    answer::{Answer, Json},
    cmd::model::HeldAnswer,
    error::{Error, ErrorKind},
};
use broadaxe_models::{
    Cause,
    extract::Input,
    report::{
        CheckRecord, Shown,
        html::{HtmlPlace, html},
    },
};
use pyo3::{
    exceptions::{PyMemoryError, PyOSError, PyValueError},
    prelude::*,
    types::PyBytes,
};

use serde::Serialize;

use crate::watch;

/// How many findings are written at a time.
const ITEMS: usize = 1000;

/// The least number of findings that take long to free.
const MANY: usize = 10_000;

/// An answer: its text, its JSON, and the changed model where one was asked for and not written.
#[pyclass(frozen, module = "broadaxe._broadaxe")]
pub(crate) struct Told {
    pub(crate) answer: Answer,
    pub(crate) changed: Option<Vec<u8>>,
    pub(crate) inputs: Vec<Input>,
}

impl From<HeldAnswer> for Told {
    fn from(HeldAnswer { answer, changed, inputs }: HeldAnswer) -> Self {
        Self { answer, changed, inputs }
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        if let Json::Checked(found) = &mut self.answer.json
            && found.models.iter().map(|record| record.findings.len()).sum::<usize>() > MANY
        {
            watch::discard(mem::take(&mut found.models));
        }
    }
}

fn written(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The name, the dtype, the shape and the elements of an array.
type NamedArray<'py> = (&'py str, &'static str, &'py [usize], Bound<'py, PyBytes>);

#[pymethods]
impl Told {
    /// The text for people, without colours.
    #[getter]
    fn text(&self) -> String {
        self.answer.plain()
    }

    /// The text for people, with the escapes that colour it in a terminal.
    #[getter]
    fn coloured(&self) -> &str {
        &self.answer.text
    }

    /// Says whether the command would end with exit code 1.
    #[getter]
    fn refused(&self) -> bool {
        self.answer.refused
    }

    /// Writes the answer as JSON: for a check, the record of the model, without its findings.
    fn json(&self) -> String {
        match &self.answer.json {
            Json::Checked(found) => written(&found.models.first().map(CheckRecord::head)),
            json => json.to_string(),
        }
    }

    /// Writes some findings of a check as JSON, from this one on: none behind the last.
    fn findings(&self, first: usize) -> String {
        let Json::Checked(found) = &self.answer.json else { return written(&[(); 0]) };
        let rest = found.models.first().and_then(|record| record.findings.get(first..)).unwrap_or_default();
        written(&rest[..rest.len().min(ITEMS)])
    }

    /// What a notebook shows, in the words of the command, as JSON: for a check of one model, the groups of its findings.
    #[getter]
    fn words(&self) -> String {
        self.answer.json.grouped().unwrap_or_else(|| self.answer.words.to_string())
    }

    /// What a notebook shows of a check of one model, as HTML.
    #[getter]
    fn html(&self) -> Option<String> {
        let Json::Checked(found) = &self.answer.json else { return None };
        found.models.first().map(|record| html(record, Shown::default(), HtmlPlace::Notebook))
    }

    /// The changed model, where it was not written.
    #[getter]
    fn changed<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.changed.as_ref().map(|bytes| PyBytes::new(py, bytes))
    }

    /// What the inputs of an extracted node may be given: name, dtype, shape and elements.
    #[getter]
    fn inputs<'py>(slf: &'py Bound<'py, Self>) -> Vec<NamedArray<'py>> {
        let one = |input: &'py Input| {
            let elements = PyBytes::new(slf.py(), &input.data);
            (input.name.as_str(), input.dtype.name(), input.shape.as_slice(), elements)
        };
        slf.get().inputs.iter().map(one).collect()
    }
}

/// Makes the exception of an error of the command: that of the operating system where a file could not be used.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    match (error.cause(), error.kind()) {
        (Some(cause), _) => of_file(py, cause, error.file_name().map(Path::new), &error.to_string()),
        (None, ErrorKind::Memory) => PyMemoryError::new_err(error.to_string()),
        (None, _) => PyValueError::new_err(error.to_string()),
    }
}

/// Makes `FileNotFoundError` and its like, with the number and the name of the file.
pub(crate) fn of_file(py: Python<'_>, cause: Cause, path: Option<&Path>, text: &str) -> PyErr {
    let made = || -> PyResult<Option<PyErr>> {
        let code = match cause {
            Cause { code: Some(code), .. } => code,
            Cause { kind: io::ErrorKind::IsADirectory, .. } => py.import("errno")?.getattr("EISDIR")?.extract()?,
            Cause { .. } => return Ok(None),
        };
        let meaning = py.import("os")?.getattr("strerror")?.call1((code,))?;
        let error = py.get_type::<PyOSError>().call1((code, meaning, path.map(Path::as_os_str)))?;
        Ok(Some(PyErr::from_value(error)))
    };
    made().unwrap_or_else(Some).unwrap_or_else(|| PyOSError::new_err(text.to_owned()))
}
