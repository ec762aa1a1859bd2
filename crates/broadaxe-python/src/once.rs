//! Holds Python objects that are made once.
//!
//! The first thread makes them; where several do, each makes one and the first is kept. A thread that waited for another
//! could wait for ever: a child process that was forked meanwhile does not have that thread.

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

    /// Returns the interned Python string of this word.
    pub(crate) fn get<'py>(&self, py: Python<'py>) -> &Bound<'py, PyString> {
        self.kept.get_or_init(|| Box::new(PyString::intern(py, self.text).unbind())).bind(py)
    }
}

/// A function of a module of the package.
pub(crate) struct Global {
    module: &'static str,
    name: &'static str,
    kept: OnceBox<Py<PyAny>>,
}

impl Global {
    pub(crate) const fn new(module: &'static str, name: &'static str) -> Self {
        Self { module, name, kept: OnceBox::new() }
    }

    /// Returns the function.
    ///
    /// # Errors
    /// What its import raises.
    pub(crate) fn get<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        let found = || Ok::<_, PyErr>(Box::new(py.import(self.module)?.getattr(self.name)?.unbind()));
        Ok(self.kept.get_or_try_init(found)?.bind(py))
    }
}
