//! Reductions: functions that fold axes of one array.

use std::{
    slice,
    sync::atomic::{AtomicUsize, Ordering},
};

use broadaxe::{Graph, Op, Reduction, call::Function, frameworks::Arg};
use pyo3::{
    prelude::*,
    types::{PyBool, PyDict, PyInt, PyTuple},
};
use smallvec::SmallVec;

use crate::{
    array,
    error::raised,
    number,
    once::{Global, Word},
    path::{self, Lowered, REDUCTION, Stop, Words},
    spelling::{self, Said},
};

// A function that folds axes of an array, such as `prod`. Without documentation of the class each has its own.
#[pyclass(frozen, module = "broadaxe", name = "Reduction")]
pub(crate) struct Folds {
    name: String,
    /// `None` where several steps make it.
    reduction: Option<Reduction>,
    number: usize,
    /// The function of the package for all other calls.
    function: Py<PyAny>,
}

#[pymethods]
impl Folds {
    #[new]
    #[pyo3(text_signature = None)]
    fn new(name: String, function: Py<PyAny>) -> Self {
        // Numbers behind those of the engine's reductions.
        static NEXT: AtomicUsize = AtomicUsize::new(1 << 8);
        let reduction = Reduction::from_name(&name);
        let number = reduction.map_or_else(|| NEXT.fetch_add(1, Ordering::Relaxed), |reduction| reduction as usize);
        Self { name, reduction, number, function }
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Self { name, reduction, number, .. } = self;
        let fold = Fold { name, reduction: *reduction, number: *number, is_method: false };
        match fold.answer(args, kwargs)? {
            Some(answer) => Ok(answer),
            None => self.function.bind(args.py()).call(args, kwargs),
        }
    }

    #[getter]
    fn __name__(&self) -> &str {
        &self.name
    }

    #[getter]
    fn __qualname__(&self) -> &str {
        &self.name
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
        format!("<broadaxe reduction '{}'>", self.name)
    }

    fn __reduce__(&self) -> &str {
        &self.name
    }
}

/// A function that folds axes of one array, of one spelling.
#[derive(Clone, Copy)]
pub(crate) struct Fold<'a> {
    name: &'a str,
    /// `None` where several steps make it.
    reduction: Option<Reduction>,
    number: usize,
    /// Whether it is called as the method `reduce` of an operator, which folds axis 0 unless others are given.
    is_method: bool,
}

/// Returns what the method `reduce` of an operator folds by, where that is a reduction.
pub(crate) fn by(op: &Op) -> Option<Reduction> {
    let name = match op.name() {
        "add" => "sum",
        "mul" => "prod",
        "logical_or" => "any",
        "logical_and" => "all",
        name @ ("sum" | "max" | "min") => name,
        _ => return None,
    };
    Reduction::from_name(name)
}

/// The given axes, below 0 from the last; `None` for all.
type Axes = Option<SmallVec<[i64; 8]>>;

/// A call, of which everything was read.
struct Read<'py> {
    x: Bound<'py, PyAny>,
    axes: Axes,
    keepdims: bool,
    said: Said<'py>,
}

impl Fold<'_> {
    pub(crate) fn of(reduction: Reduction) -> Self {
        let (name, number) = (reduction.name(), reduction as usize);
        Self { name, reduction: Some(reduction), number, is_method: false }
    }

    pub(crate) fn as_method(self) -> Self {
        Self { is_method: true, ..self }
    }

    /// Answers a call on what a plain array can be made of; `None` where a class or the package has to judge it.
    pub(crate) fn answer<'py>(
        self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = args.py();
        let Some(Read { x, axes, keepdims, said }) = self.read(args, kwargs) else { return Ok(None) };
        let out = said.out.as_ref().map(path::look_out).transpose()?.flatten();
        let mut words = Words::new();
        words.extend([usize::from(keepdims), axes.as_ref().map_or(usize::MAX, SmallVec::len)]);
        words.extend(axes.iter().flatten().map(|&axis| axis as usize));
        said.write(&mut words);
        let function = Function::numbered(REDUCTION, self.number);
        let mut lowered = Lowered { function, rule: None, words, is_long: false, explain: &raised };
        let (axes, reduction) = (axes.as_deref(), self.reduction.filter(|_| said.is_plain()));
        let lower = |graph: &mut Graph, args: &[Arg]| match (args, reduction) {
            // The package says what is wrong with axes, in NumPy's classes.
            (&[Arg::Node(node)], Some(reduction)) => {
                graph.reduce(reduction, node, axes, keepdims).map_err(|_| Stop::Unfit)
            }
            _ => Err(Stop::Unfit),
        };
        let objects = said.objects(slice::from_ref(&x), false);
        lowered.spelled(py, &objects, (out, false), lower, |passed, builder| {
            static FOLD: Global = Global::new("broadaxe._reductions", "fold");
            let given = kwargs.map_or_else(|| Ok(PyDict::new(py)), PyDictMethods::copy)?;
            if said.mask.is_some() {
                given.set_item("where", &passed[1])?;
            }
            if self.is_method && args.len() == 1 && !given.contains("axis")? {
                given.set_item("axis", 0)?;
            } else if args.len() == 2 {
                given.set_item("axis", args.get_item(1)?)?;
            }
            given.set_item("builder", builder)?;
            FOLD.get(py)?.call((self.name, &passed[0]), Some(&given))
        })
    }

    /// Reads a call; `None` where the package has to read it.
    fn read<'py>(self, args: &Bound<'py, PyTuple>, kwargs: Option<&Bound<'py, PyDict>>) -> Option<Read<'py>> {
        static KEEPDIMS: Word = Word::new("keepdims");
        static INITIAL: Word = Word::new("initial");
        static DDOF: Word = Word::new("ddof");
        static CORRECTION: Word = Word::new("correction");
        let py = args.py();
        let x = args.iter_borrowed().next().filter(|_| args.len() <= 2)?;
        let x = if array::is_plain(&x) { x.to_owned() } else { array::adopt(&x)? };
        let mut axis = if args.len() == 2 { args.get_item(1).ok() } else { None };
        let (mut keepdims, mut said) = (false, Said::default());
        for (key, value) in kwargs.into_iter().flatten() {
            let literal = || number::read(&value).ok().flatten();
            if key.is(spelling::NAMES.axis.get(py)) && axis.is_none() {
                axis = Some(value);
            } else if key.is(KEEPDIMS.get(py)) {
                keepdims = value.cast_exact::<PyBool>().ok()?.is_true();
            } else if key.is(INITIAL.get(py)) {
                said.note(1, if value.is_none() { None } else { Some(literal()?) });
            } else if key.is(DDOF.get(py)) && !self.is_method {
                said.note(2, Some(literal()?));
            } else if key.is(CORRECTION.get(py)) && !self.is_method {
                said.note(3, if value.is_none() { None } else { Some(literal()?) });
            } else {
                said.read_fold(&key, &value)?;
            }
        }
        // Methods accept what the functions of these names do not.
        let is_alike = match self.name {
            "sum" | "prod" => true,
            "max" | "min" => !said.has_dtype(),
            _ => !said.has_dtype() && !said.has_numbers(),
        };
        if self.is_method && !is_alike {
            return None;
        }
        let axes =
            if axis.is_none() && self.is_method { Some(SmallVec::from_slice(&[0])) } else { axes(axis.as_ref())? };
        Some(Read { x, axes, keepdims, said })
    }
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
