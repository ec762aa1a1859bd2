//! Reads numbers of Python, which follow the dtype of the arrays.

use broadaxe::{DType, Scalar, promote::Literal};
use broadaxe_kernels::Family;
use pyo3::{
    IntoPyObjectExt,
    exceptions::PyOverflowError,
    prelude::*,
    types::{PyBool, PyFloat, PyInt},
};

/// Reads an instance of `bool`, `int` or `float`, of no class derived from one; `None` for anything else.
///
/// # Errors
/// `OverflowError` for an integer beyond 128 bits.
pub(crate) fn read(object: &Bound<'_, PyAny>) -> PyResult<Option<Literal>> {
    if let Ok(float) = object.cast_exact::<PyFloat>() {
        return Ok(Some(Literal::Float(float.value())));
    }
    if let Ok(int) = object.cast_exact::<PyInt>() {
        return match int.extract::<i64>() {
            Ok(value) => Ok(Some(Literal::Int(value.into()))),
            Err(_) => wide(int).map(|value| Some(Literal::Int(value))),
        };
    }
    Ok(object.cast_exact::<PyBool>().ok().map(|value| Literal::Bool(value.is_true())))
}

/// Makes a number of Python.
///
/// # Errors
/// What Python raises, such as `MemoryError`.
pub(crate) fn value(py: Python<'_>, literal: Literal) -> PyResult<Bound<'_, PyAny>> {
    match literal {
        Literal::Bool(value) => value.into_bound_py_any(py),
        Literal::Int(value) => value.into_bound_py_any(py),
        Literal::Float(value) => value.into_bound_py_any(py),
    }
}

fn wide(int: &Bound<'_, PyInt>) -> PyResult<i128> {
    let beyond = |_| PyOverflowError::new_err("the integer is out of bounds for every dtype; write it as a float");
    int.extract::<i128>().map_err(beyond)
}

/// Makes an element of a dtype that holds the number exactly; `None` where the engine decides.
pub(crate) fn element(literal: Literal, dtype: DType) -> Option<Scalar> {
    match literal {
        _ if dtype.is_float() => Some(Scalar::from_f64(dtype, literal.to_f64())),
        Literal::Int(value) if dtype.is_integer() => Scalar::from_i128(dtype, value),
        Literal::Bool(value) if dtype == DType::Bool => Some(Scalar::from_bool(value)),
        _ => None,
    }
}

/// Returns NumPy's name of a dtype.
pub(crate) fn numpy_name(dtype: DType) -> String {
    let bits = 8 * dtype.size();
    match dtype.family() {
        Family::Bool => String::from("bool"),
        Family::Signed => format!("int{bits}"),
        Family::Unsigned => format!("uint{bits}"),
        Family::Float if dtype == DType::BF16 => String::from("bfloat16"),
        Family::Float => format!("float{bits}"),
    }
}
