//! Raises errors as exceptions: the kind chooses the class, the text is the engine's.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use broadaxe::{Error, ErrorKind};
use broadaxe_shape::ErrorKind as ShapeKind;
use pyo3::{
    PyErr, PyResult,
    exceptions::{
        PyKeyboardInterrupt, PyMemoryError, PyNameError, PyOverflowError, PyRuntimeError, PySyntaxError, PyTypeError,
        PyValueError, PyZeroDivisionError,
    },
};

/// Makes the exception of an engine's error.
pub(crate) fn raised(error: &Error) -> PyErr {
    let text = error.to_string();
    match error.kind() {
        ErrorKind::DType => PyTypeError::new_err(text),
        ErrorKind::Value if text.contains("zero divisor") => PyZeroDivisionError::new_err(text),
        ErrorKind::Value if text.contains("is out of bounds for") => PyOverflowError::new_err(text),
        ErrorKind::Syntax => PySyntaxError::new_err(text),
        ErrorKind::Name => PyNameError::new_err(text),
        ErrorKind::Memory => PyMemoryError::new_err(text),
        ErrorKind::Interrupted => PyKeyboardInterrupt::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// Makes the exception of an error about shapes.
pub(crate) fn of_shapes(error: &broadaxe_shape::Error) -> PyErr {
    match error.kind() {
        ShapeKind::Operands => PyTypeError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// An answer, or why there is none. The error is boxed to keep answers in registers.
pub(crate) type Answer<T> = Result<T, Box<PyErr>>;

/// Runs a call from Python; a panic, which is an internal error, becomes a `RuntimeError`.
///
/// What is left half done belongs to that call alone: a builder, or memory that Python may write at any time.
#[inline]
pub(crate) fn caught<R>(answer: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|panic| Err(of_panic(panic.as_ref())))
}

/// As [`caught`], for answers that are small.
#[inline]
pub(crate) fn caught_small<R>(answer: impl FnOnce() -> Answer<R>) -> Answer<R> {
    match catch_unwind(AssertUnwindSafe(answer)) {
        Ok(answer) => answer,
        Err(panic) => Err(Box::new(of_panic(panic.as_ref()))),
    }
}

#[cold]
fn of_panic(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    PyRuntimeError::new_err(format!("internal error in broadaxe: {}; please report it", text.unwrap_or("a panic")))
}
