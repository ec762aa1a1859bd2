//! Errors as exceptions: the class says what kind, the sentence is the engine's own.

use broadaxe::{Error, ErrorKind};
use broadaxe_shape::ErrorKind as ShapeKind;
use pyo3::{
    PyErr,
    exceptions::{
        PyKeyboardInterrupt, PyMemoryError, PyNameError, PyOverflowError, PySyntaxError, PyTypeError, PyValueError,
        PyZeroDivisionError,
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
