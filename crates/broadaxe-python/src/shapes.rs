//! Shapes without elements: broadcasts of known and of symbolic dims, and where the axes of operands go.

use std::ffi::OsString;

use broadaxe_shape::{Dim, Shape, SymbolicShape};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyInt, PyString, PyTuple},
};

use crate::{
    error::{caught, of_shapes},
    rule,
};

/// Reads a shape of known dims: a sequence of integers or a single one.
fn known(object: &Bound<'_, PyAny>) -> PyResult<Shape> {
    if object.is_instance_of::<PyInt>() {
        return Ok(Shape::from([known_dim(object)?]));
    }
    let dims = object.try_iter()?.map(|object| known_dim(&object?)).collect::<PyResult<Vec<usize>>>()?;
    Ok(Shape::from(dims))
}

fn known_dim(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    object.extract::<usize>().map_err(|error| {
        if error.is_instance_of::<PyTypeError>(object.py()) {
            return PyTypeError::new_err(format!("{object} is not a dim; dims are whole numbers"));
        }
        PyValueError::new_err(format!("a dim is {object}; dims are 0 or more and can be counted"))
    })
}

/// Reads a shape whose dims may be names, ranges or unknown, written as a text or as a tuple of integers and texts.
fn symbolic(object: &Bound<'_, PyAny>) -> PyResult<SymbolicShape> {
    let text = if let Ok(text) = object.extract::<String>() {
        text
    } else {
        let dims = object.try_iter()?.map(|dim| {
            let dim = dim?;
            if dim.is_none() {
                Ok("?".to_string())
            } else if is_integer(&dim) || dim.is_instance_of::<PyString>() {
                Ok(dim.str()?.to_cow()?.into_owned())
            } else {
                Err(PyTypeError::new_err(format!("{dim} is not a dim; dims are whole numbers, texts or None")))
            }
        });
        format!("({})", dims.collect::<PyResult<Vec<_>>>()?.join(","))
    };
    text.parse().map_err(|error| of_shapes(&error))
}

/// Broadcasts shapes under a rule; with names, ranges or unknown dims returns the shape and the guards under which it holds.
#[pyfunction]
#[pyo3(signature = (*shapes, rule=None, axis=None))]
pub(crate) fn broadcast_shapes<'py>(
    py: Python<'py>,
    shapes: &Bound<'py, PyTuple>,
    rule: Option<rule::Name<'_>>,
    axis: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let rule = rule::read(rule, axis)?;
    if shapes.is_empty() {
        return Ok(PyTuple::empty(py).into_any());
    }
    let mut names = false;
    for shape in shapes.iter() {
        names |= has_names(&shape)?;
    }
    if !names {
        let shapes = shapes.iter().map(|shape| known(&shape)).collect::<PyResult<Vec<Shape>>>()?;
        let dims: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
        let alignment = rule.align(&dims).map_err(|error| of_shapes(&error))?;
        return Ok(PyTuple::new(py, alignment.shape().dims())?.into_any());
    }
    let shapes = shapes.iter().map(|shape| symbolic(&shape)).collect::<PyResult<Vec<_>>>()?;
    let inferred = caught(|| rule.infer(&shapes).map_err(|error| of_shapes(&error)))?;
    let guards: Vec<String> = inferred.guard().clauses().into_iter().map(|(_, text)| text).collect();
    let shape = match inferred.shape().dims() {
        None => py.None().into_bound(py),
        Some(dims) => {
            let dim = |dim: &Dim| match dim.size() {
                Some(size) => Ok(size.into_pyobject(py)?.into_any()),
                None => Ok(dim.to_string().into_pyobject(py)?.into_any()),
            };
            PyTuple::new(py, dims.iter().map(dim).collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
    };
    Ok(PyTuple::new(py, [shape, PyTuple::new(py, guards)?.into_any()])?.into_any())
}

/// Says whether a shape has dims that are not numbers.
fn has_names(shape: &Bound<'_, PyAny>) -> PyResult<bool> {
    if shape.is_instance_of::<PyInt>() {
        return Ok(false);
    }
    Ok(shape.is_instance_of::<PyString>() || shape.try_iter()?.any(|dim| dim.is_ok_and(|dim| !is_integer(&dim))))
}

fn is_integer(object: &Bound<'_, PyAny>) -> bool {
    object.hasattr("__index__").unwrap_or(false)
}

/// The result's shape and, per operand, the result axis of each of its axes.
type Placed = (Vec<usize>, Vec<Vec<usize>>);

/// Aligns shapes under a rule: returns the result's shape and, per operand, the result axis that each of its axes feeds. Raises
/// `ValueError` where an operand is tiled.
#[pyfunction]
#[pyo3(signature = (shapes, rule=None, axis=None))]
pub(crate) fn place(
    shapes: Vec<Bound<'_, PyAny>>,
    rule: Option<rule::Name<'_>>,
    axis: Option<i64>,
) -> PyResult<Placed> {
    let shapes = shapes.iter().map(known).collect::<PyResult<Vec<Shape>>>()?;
    let dims: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
    let alignment = rule::read(rule, axis)?.align(&dims).map_err(|error| of_shapes(&error))?;
    if alignment.is_tiled() {
        return Err(PyValueError::new_err(format!(
            "an operand is tiled to {} under ggml, and no strides of a view or chunks of an array do so; numpy.tile copies",
            alignment.shape()
        )));
    }
    let axes = alignment.operands().iter().map(|operand| operand.axes().to_vec()).collect();
    Ok((alignment.shape().dims().to_vec(), axes))
}

/// Returns the axes that a gradient is summed over to the shape of an operand, and that shape.
#[pyfunction]
#[pyo3(signature = (gradient, shape, rule=None, axis=None))]
pub(crate) fn unbroadcast(
    gradient: Vec<usize>,
    shape: Vec<Bound<'_, PyAny>>,
    rule: Option<rule::Name<'_>>,
    axis: Option<i64>,
) -> PyResult<(Vec<usize>, Vec<usize>)> {
    let shape = shape.iter().map(known_dim).collect::<PyResult<Vec<usize>>>()?;
    let axes = broadaxe::unbroadcast_axes(&gradient, &shape, &rule::read(rule, axis)?);
    Ok((axes.map_err(|error| crate::error::raised(&error))?, shape))
}

/// Runs the command line `broadaxe` with these arguments, and returns its exit code.
#[pyfunction]
pub(crate) fn command_line(py: Python<'_>, args: Vec<OsString>, output_is_closed: bool) -> PyResult<u8> {
    // Nothing of Python is touched meanwhile, and the command handles signals itself.
    py.detach(|| caught(|| Ok(broadaxe_cli::front::main_with(&args, output_is_closed))))
}
