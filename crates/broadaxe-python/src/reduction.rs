//! Reductions: functions that fold axes of one array.

use broadaxe::{Reduction, call::Function, frameworks::Arg};
use pyo3::{
    Borrowed,
    exceptions::PyNameError,
    prelude::*,
    types::{PyBool, PyDict, PyInt, PyTuple},
};
use smallvec::SmallVec;

use crate::{
    array,
    error::{caught_small, raised},
    once::Word,
    path::{self, Lowered, REDUCTION, Stop, Words},
};

// A function that folds axes of an array, such as `prod`. Without documentation of the class each has its own.
#[pyclass(frozen, module = "broadaxe", name = "Reduction")]
pub(crate) struct Folds {
    reduction: Reduction,
    /// The function of the package for all other calls.
    function: Py<PyAny>,
}

#[pymethods]
impl Folds {
    #[new]
    #[pyo3(text_signature = None)]
    fn new(name: &str, function: Py<PyAny>) -> PyResult<Self> {
        let unknown = || PyNameError::new_err(format!("unknown reduction '{name}'"));
        Ok(Self { reduction: Reduction::from_name(name).ok_or_else(unknown)?, function })
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match at_once(self.reduction, args, kwargs)? {
            Some(answer) => Ok(answer),
            None => self.function.bind(args.py()).call(args, kwargs),
        }
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.reduction.name()
    }

    #[getter]
    fn __qualname__(&self) -> &'static str {
        self.reduction.name()
    }

    #[getter]
    fn __doc__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.function.bind(py).getattr("__doc__")
    }

    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.function.bind(py).getattr("__signature__")
    }

    fn __repr__(&self) -> String {
        format!("<broadaxe reduction '{}'>", self.reduction.name())
    }

    fn __reduce__(&self) -> &'static str {
        self.reduction.name()
    }
}

/// The given axes, below 0 from the last; `None` for all.
type Axes = Option<SmallVec<[i64; 8]>>;

/// Answers a call on a plain array whose keywords are no more than `axis`, `keepdims` and `out`; `None` for any other.
pub(crate) fn at_once<'py>(
    reduction: Reduction,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    static AXIS: Word = Word::new("axis");
    static KEEPDIMS: Word = Word::new("keepdims");
    static OUT: Word = Word::new("out");
    let py = args.py();
    let (mut axis, mut keep, mut out) = (None, false, None);
    let (Some(x), 1..=2) = (args.iter_borrowed().next(), args.len()) else { return Ok(None) };
    if array::look(&x).is_none() {
        return Ok(None);
    }
    if args.len() == 2 {
        axis = Some(args.get_item(1)?);
    }
    for (key, value) in kwargs.into_iter().flatten() {
        if key.is(AXIS.get(py)) && axis.is_none() {
            axis = Some(value);
        } else if let (true, Ok(value)) = (key.is(KEEPDIMS.get(py)), value.cast_exact::<PyBool>()) {
            keep = value.is_true();
        } else if key.is(OUT.get(py)) {
            out = Some(value).filter(|value| !value.is_none());
        } else {
            return Ok(None);
        }
    }
    let Some(axes) = axes(axis.as_ref()) else { return Ok(None) };
    let out = match out.as_ref().map(path::look_out).transpose()? {
        Some(None) => return Ok(None),
        out => out.flatten(),
    };
    fold(py, reduction, x, &axes, keep, out).map_err(|error| *error)
}

/// Reads axes; `None` for what is neither None, an integer nor a tuple of integers.
fn axes(axis: Option<&Bound<'_, PyAny>>) -> Option<Axes> {
    let one = |axis: &Bound<'_, PyAny>| axis.cast_exact::<PyInt>().ok()?.extract::<i64>().ok();
    let Some(axis) = axis.filter(|axis| !axis.is_none()) else { return Some(None) };
    if let Ok(several) = axis.cast_exact::<PyTuple>() {
        return several.iter().map(|axis| one(&axis)).collect::<Option<_>>().map(Some);
    }
    one(axis).map(|axis| Some(SmallVec::from_slice(&[axis])))
}

fn fold<'py>(
    py: Python<'py>,
    reduction: Reduction,
    x: Borrowed<'_, 'py, PyAny>,
    axes: &Axes,
    keep: bool,
    out: Option<path::Out<'_, 'py>>,
) -> crate::error::Answer<Option<Bound<'py, PyAny>>> {
    let mut words = Words::new();
    words.extend([usize::from(keep), axes.as_ref().map_or(usize::MAX, SmallVec::len)]);
    words.extend(axes.iter().flatten().map(|&axis| axis as usize));
    let function = Function::numbered(REDUCTION, reduction as usize);
    let lowered = Lowered { function, rule: None, words, is_long: false, explain: &raised };
    caught_small(|| {
        lowered.answer(py, &[x], out, |graph, args| match args {
            // The package says what is wrong with axes, in NumPy's classes.
            &[Arg::Node(node)] => graph.reduce(reduction, node, axes.as_deref(), keep).map_err(|_| Stop::Unfit),
            _ => Err(Stop::Unfit),
        })
    })
}
