//! Reductions: functions that fold axes of one array.

use std::{
    slice,
    sync::atomic::{AtomicUsize, Ordering},
};

use broadaxe::{DType, Graph, Node, Op, Reduction, Scalar, call::Function, frameworks::Arg, promote::Literal};
use pyo3::{
    prelude::*,
    types::{PyBool, PyDict, PyInt, PyTuple},
};
use smallvec::SmallVec;

use crate::{
    array,
    error::{caught_small, raised},
    number,
    once::Word,
    path::{self, Lowered, REDUCTION, Stop, Words},
    spelling::{self, Said},
    steps::{Initial, Start, Steps, spread},
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

/// What a call says of the reduction.
#[derive(Default)]
struct FoldArgs {
    axes: Axes,
    keepdims: bool,
    dtype: Option<DType>,
    initial: Initial<Literal>,
    ddof: Option<Literal>,
    correction: Option<Literal>,
    is_masked: bool,
}

impl FoldArgs {
    /// Writes everything as words.
    fn words(&self) -> Words {
        let mut words = Words::new();
        let Self { axes, keepdims, dtype, initial, ddof, correction, is_masked } = self;
        let dtype = dtype.map_or(0, |dtype| 1 + dtype as usize);
        let flags = usize::from(*keepdims) | usize::from(*is_masked) << 1 | usize::from(initial.is_said()) << 2;
        words.extend([flags, dtype, axes.as_ref().map_or(usize::MAX, SmallVec::len)]);
        words.extend(axes.iter().flatten().map(|&axis| axis as usize));
        for literal in [initial.given(), *ddof, *correction] {
            match literal {
                Some(literal) => path::note(&mut words, literal),
                None => words.push(0),
            }
        }
        words
    }
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
        let (Some(x), 1..=2) = (args.iter_borrowed().next(), args.len()) else { return Ok(None) };
        let made = if array::is_plain(&x) { Some(x.to_owned()) } else { array::adopt(&x) };
        let (Some(x), Some((said, mut asked))) = (made, self.read(args, kwargs)) else { return Ok(None) };
        // A single element has its axis 0 or -1, as in NumPy.
        if let (Some([0 | -1]), Some([])) = (asked.axes.as_deref(), array::look(&x).map(|x| x.shape)) {
            asked.axes = Some(SmallVec::new());
        }
        if let Some(plain) = self.without_nan(&x, &said, &asked)
            && let Some(answer) = plain.answer(args, kwargs)?
            && !has_nan(&answer)?
        {
            return Ok(Some(answer));
        }
        let out = said.out.as_ref().map(path::look_out).transpose()?.flatten();
        let function = Function::numbered(REDUCTION, self.number);
        let into = out.map(|out| out.array.dtype);
        let (words, is_row_major) = (asked.words(), !self.is_plain(&asked));
        let mut lowered = Lowered { function, rule: None, words, is_long: false, is_row_major, explain: &raised };
        let answer = caught_small(|| {
            lowered.answer(py, &said.objects(slice::from_ref(&x), false), out, |graph, args| {
                // The package says what is wrong, in NumPy's classes.
                self.lower(graph, args, &asked, into).map_err(|_| Stop::Unfit)
            })
        });
        answer.map_err(|error| *error)
    }

    /// Reads the keywords of a call; `None` where the package has to read them.
    fn read<'py>(
        self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Option<(Said<'py>, FoldArgs)> {
        static KEEPDIMS: Word = Word::new("keepdims");
        static INITIAL: Word = Word::new("initial");
        static DDOF: Word = Word::new("ddof");
        static CORRECTION: Word = Word::new("correction");
        let py = args.py();
        let mut axis = if args.len() == 2 { args.get_item(1).ok() } else { None };
        let (mut said, mut asked) = (Said::default(), FoldArgs::default());
        for (key, value) in kwargs.into_iter().flatten() {
            let literal = || number::read(&value).ok().flatten();
            if key.is(spelling::NAMES.axis.get(py)) && axis.is_none() {
                axis = Some(value);
            } else if key.is(KEEPDIMS.get(py)) {
                asked.keepdims = value.cast_exact::<PyBool>().ok()?.is_true();
            } else if key.is(INITIAL.get(py)) {
                asked.initial = if value.is_none() { Initial::Nothing } else { Initial::Given(literal()?) };
            } else if key.is(DDOF.get(py)) {
                asked.ddof = Some(literal()?);
            } else if key.is(CORRECTION.get(py)) && !value.is_none() {
                asked.correction = Some(literal()?);
            } else {
                said.read_fold(&key, &value)?;
            }
        }
        let all = if self.is_method { Some(SmallVec::from_slice(&[0])) } else { None };
        asked.axes = if axis.is_none() { all } else { axes(axis.as_ref())? };
        (asked.dtype, asked.is_masked) = (said.dtype, said.mask.is_some());
        self.accepts(&asked).then_some((said, asked))
    }

    /// Returns the reduction that this one is where no element is NaN, for floats without `out`, mask, dtype and start. It propagates NaN,
    /// so a result without NaN is that of this one too, and took one fold.
    fn without_nan(self, x: &Bound<'_, PyAny>, said: &Said<'_>, asked: &FoldArgs) -> Option<Self> {
        let reduction = Reduction::from_name(self.name.strip_prefix("nan")?)?;
        let plain = Self { is_method: self.is_method, ..Self::of(reduction) };
        let seen = array::look(x)?;
        let is_whole = seen.dtype.is_float() && !seen.shape.contains(&0);
        (is_whole && said.out.is_none() && plain.is_plain(asked)).then_some(plain)
    }

    /// Says whether the reduction has all the keywords; methods have more, which the package reads.
    fn accepts(self, asked: &FoldArgs) -> bool {
        let FoldArgs { dtype, initial, ddof, correction, is_masked, .. } = asked;
        let (has_dtype, has_initial, has_ddof, has_mask) = match self.name.trim_start_matches("nan") {
            "var" | "std" => (true, false, true, true),
            "mean" => (true, false, false, true),
            "sum" | "prod" => (true, true, false, true),
            "max" | "min" => (false, true, false, true),
            "any" | "all" => (false, false, false, true),
            _ => (false, false, false, false),
        };
        // Both are an error unless one is 0, which the package says.
        let less = usize::from(ddof.is_some()) + usize::from(correction.is_some());
        (has_dtype || dtype.is_none())
            && (has_initial || !initial.is_said())
            && (less == 0 || has_ddof && less == 1)
            && (has_mask || !is_masked)
    }

    /// Says whether the engine has the reduction itself.
    fn is_plain(self, asked: &FoldArgs) -> bool {
        let FoldArgs { dtype, initial, is_masked, .. } = asked;
        self.reduction.is_some() && dtype.is_none() && !initial.is_said() && !is_masked
    }

    /// Adds the reduction of the first operand to a graph; the second is the mask.
    fn lower(self, graph: &mut Graph, args: &[Arg], asked: &FoldArgs, out: Option<DType>) -> Result<Node, Stop> {
        let &[Arg::Node(x), ref mask @ ..] = args else { return Err(Stop::Unfit) };
        let FoldArgs { axes, keepdims, dtype, initial, ddof, correction, .. } = asked;
        let (axes, keepdims, dtype) = (axes.as_deref(), *keepdims, *dtype);
        if let Some(reduction) = self.reduction.filter(|_| self.is_plain(asked))
            && out.is_none_or(|out| out == reduction.result(graph.dtype(x)))
        {
            return Ok(graph.reduce(reduction, x, axes, keepdims)?);
        }
        // NumPy does not promote bfloat16 with every dtype.
        if out.is_some_and(|out| (out == DType::BF16) != (graph.dtype(x) == DType::BF16)) {
            return Err(Stop::Unfit);
        }
        let shape = graph.shape(x).to_vec();
        let mask = match mask {
            [Arg::Node(mask)] => Some(spread(graph, *mask, &shape)?),
            _ => None,
        };
        let start = |dtype: DType| match initial.given() {
            Some(literal) if dtype == DType::Bool => Ok(Scalar::from_bool(literal.to_f64() != 0.0)),
            literal => literal.and_then(|literal| number::element(literal, dtype)).ok_or(Stop::Unfit),
        };
        let initial = match initial {
            Initial::Given(_) => Initial::Given(&start as Start<'_>),
            Initial::Nothing => Initial::Nothing,
            Initial::Unsaid => Initial::Unsaid,
        };
        let less = correction.or(*ddof).map_or(0.0, Literal::to_f64);
        let steps = Steps { name: self.name, x, axes, keepdims, dtype, out, mask, initial, less, mean: None };
        let node = steps.build(graph)?;
        Ok(out.map_or(node, |out| graph.cast(node, out)))
    }
}

/// Says whether an element of a result is NaN.
fn has_nan(result: &Bound<'_, PyAny>) -> PyResult<bool> {
    let largest = match array::look(result) {
        Some(seen) if seen.shape.contains(&0) => return Ok(false),
        Some(seen) if !seen.shape.is_empty() => {
            Fold::of(Reduction::Max).answer(&PyTuple::new(result.py(), [result])?, None)?
        }
        _ => None,
    };
    Ok(largest.as_ref().unwrap_or(result).extract::<f64>()?.is_nan())
}

/// Says whether an object is an integer of Python's or NumPy's.
pub(crate) fn is_integer(object: &Bound<'_, PyAny>) -> bool {
    let is_scalar = || array::element_of(object).is_some_and(|(dtype, _)| dtype.is_integer());
    object.is_exact_instance_of::<PyInt>() || is_scalar()
}

/// Reads axes; `None` for what is neither None, an integer nor a tuple of integers.
fn axes(axis: Option<&Bound<'_, PyAny>>) -> Option<Axes> {
    let one = |axis: &Bound<'_, PyAny>| if is_integer(axis) { axis.extract::<i64>().ok() } else { None };
    let Some(axis) = axis.filter(|axis| !axis.is_none()) else { return Some(None) };
    if let Ok(several) = axis.cast_exact::<PyTuple>() {
        return several.iter().map(|axis| one(&axis)).collect::<Option<_>>().map(Some);
    }
    one(axis).map(|axis| Some(SmallVec::from_slice(&[axis])))
}
