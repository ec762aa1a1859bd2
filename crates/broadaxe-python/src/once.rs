//! Objects of Python that are made once.
//!
//! Whoever comes first makes them, and where several threads do, each makes one and the first is kept. A thread that waited for another
//! could wait for ever: a child process that was forked meanwhile has not the thread that is at it.

use once_cell::race::OnceBox;
use pyo3::{prelude::*, types::PyString};

/// A word that is often looked for.
pub(crate) struct Word {
    text: &'static str,
    kept: OnceBox<Py<PyString>>,
}

impl Word {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, kept: OnceBox::new() }
    }

    /// Returns the string that Python has for this word wherever it stands in a program.
    pub(crate) fn get<'py>(&self, py: Python<'py>) -> &Bound<'py, PyString> {
        self.kept.get_or_init(|| Box::new(PyString::intern(py, self.text).unbind())).bind(py)
    }
}
