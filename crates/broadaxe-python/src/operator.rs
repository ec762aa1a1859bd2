//! Operators: objects that are called as NumPy's ufuncs are.
//!
//! A call on plain arrays of the dtype that the operator computes in, with numbers beside one of them, is answered here. Whatever else
//! a ufunc takes, other operands, masks, dtypes, is prepared by the function `dispatch` of the package.

use broadaxe::{
    DType, Input, OPS, Op, Promotion, Rule,
    call::{Call, Lie},
    expr::operate,
    promote::{self, Literal, Typed},
};
use broadaxe_kernels::Progress;
use once_cell::race::OnceBox;
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyDict, PyTuple},
};

use crate::{
    again::{self, Plans},
    array::{self, Lent, Strided},
    error::{Answer, caught_small, raised},
    facts, kept, number,
    once::Word,
    rule, watch,
};

/// The most operands of an operator.
const MOST: usize = 3;

// Without documentation of the class each operator has its own.
#[pyclass(frozen, module = "broadaxe")]
pub(crate) struct Operator {
    op: &'static Op,
    /// Whether the first operand is a condition.
    chooses: bool,
    /// Dtypes, a bit each, in which operands of that dtype alone are computed by one kernel.
    alone: u16,
    /// The same beside a float, an integer and a bool of Python.
    beside: [u16; 3],
    /// What was decided for operands that several kernels compute.
    plans: Plans,
}

/// Makes the operator of a name.
pub(crate) fn of(name: &str) -> Option<Operator> {
    let op = OPS.iter().find(|op| op.name() == name)?;
    let promotion = op.promotion();
    let takes = |dtype: DType, operands: &[Typed]| {
        let kernel = op.kernel(dtype).filter(|_| promote::dtype(promotion, operands) == Some(dtype))?;
        let condition = usize::from(promotion == Promotion::Choose);
        (kernel.inputs()[condition..].iter().all(|&input| input == dtype) && !op.is_average())
            .then_some(1 << dtype as u16)
    };
    let bits = |weak: Option<Literal>| {
        let last = |dtype| weak.map_or(Typed::Strong(dtype), Typed::Weak);
        let operands = |dtype| match op.arity() {
            1 => vec![Typed::Strong(dtype)],
            2 => vec![Typed::Strong(dtype), last(dtype)],
            _ if promotion == Promotion::Choose => vec![Typed::Strong(DType::Bool), Typed::Strong(dtype), last(dtype)],
            _ => vec![Typed::Strong(dtype), Typed::Strong(dtype), last(dtype)],
        };
        DType::ALL.into_iter().filter_map(|dtype| takes(dtype, &operands(dtype))).fold(0, |all, bit: u16| all | bit)
    };
    let beside = [Literal::Float(0.5), Literal::Int(1), Literal::Bool(true)].map(|literal| bits(Some(literal)));
    Some(Operator { op, chooses: promotion == Promotion::Choose, alone: bits(None), beside, plans: Plans::default() })
}

/// The operands of a call as they were passed.
type Objects<'a, 'py> = [Option<Borrowed<'a, 'py, PyAny>>; MOST];

/// What a call says beside its operands.
#[derive(Default)]
struct Asked<'a> {
    out: Option<Strided<'a>>,
    rule: Option<Rule>,
}

impl Operator {
    /// Answers a call on plain arrays; `None` where it is not one.
    fn at_once<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        asked: &Asked<'_>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Option<Bound<'py, PyAny>>> {
        let arity = self.op.arity();
        if args.len() != arity {
            return Ok(None);
        }
        let objects: Objects<'_, 'py> =
            std::array::from_fn(|k| if k < arity { args.get_borrowed_item(k).ok() } else { None });
        let mut given = Given::new();
        if !self.read(&objects, &mut given)? {
            return Ok(None);
        }
        let takes = |dtype: &DType| self.alone & given.weak & 1 << *dtype as u16 != 0;
        let Some(dtype) = given.dtype.filter(takes) else { return Ok(None) };
        if given.arrays < arity {
            if self.chooses || given.arrays > 1 && asked.rule.is_some() {
                return Ok(None);
            }
            return self.beside_numbers(args, &mut given, dtype, asked, out);
        }
        self.compute(args, &given, asked.rule.as_ref(), asked, out)
    }

    /// Reads the operands of a call; says whether each is a number or a plain array of the dtype of the others.
    #[inline]
    fn read<'a>(&self, objects: &'a Objects<'_, '_>, given: &mut Given<'a>) -> Answer<bool> {
        for (k, object) in objects.iter().flatten().enumerate() {
            if let Some(array) = array::look(object) {
                given.arrays += 1;
                if self.chooses && k == 0 {
                    if array.dtype != DType::Bool {
                        return Ok(false);
                    }
                } else if *given.dtype.get_or_insert(array.dtype) != array.dtype {
                    return Ok(false);
                }
                given.lies[k] = array.lie();
                given.inputs[k] = array.input();
            } else if let Some(literal) = number::read(object).map_err(Box::new)? {
                given.weak &= match literal {
                    Literal::Float(_) => self.beside[0],
                    Literal::Int(_) => self.beside[1],
                    Literal::Bool(_) => self.beside[2],
                };
                given.numbers[k] = Some(literal);
            } else {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Answers a call on plain arrays of several dtypes and numbers; `None` where it is not one.
    fn mixed<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        asked: &Asked<'_>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if args.len() != self.op.arity() {
            return Ok(None);
        }
        let numpy = Rule::numpy();
        again::answer(&self.plans, args, asked.rule.as_ref().unwrap_or(&numpy), out, |graph, args, rule| {
            operate(graph, self.op.name(), args, rule).map_err(|error| raised(&error))
        })
    }

    /// Answers a call on plain arrays and numbers.
    fn answer<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        asked: &Asked<'_>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Option<Bound<'py, PyAny>>> {
        caught_small(|| match self.at_once(args, asked, out) {
            Ok(None) => self.mixed(args, asked, out).map_err(Box::new),
            answer => answer,
        })
    }

    /// Computes on one array, or several under NumPy's rule, beside numbers.
    fn beside_numbers<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        given: &mut Given<'_>,
        dtype: DType,
        asked: &Asked<'_>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Option<Bound<'py, PyAny>>> {
        let mut elements = [[0; 8]; MOST];
        for (element, literal) in elements.iter_mut().zip(given.numbers) {
            let Some(literal) = literal else { continue };
            let Some(scalar) = number::element(literal, dtype) else { return Ok(None) };
            *element = scalar.bytes();
        }
        let mut with = Given { lies: given.lies, ..Given::new() };
        for (k, literal) in given.numbers.iter().enumerate() {
            if literal.is_some() {
                with.lies[k] = Lie { dtype, shape: &[], strides: &[] };
                with.inputs[k] = Input::new(&elements[k], 0);
            } else {
                with.inputs[k] = given.inputs[k];
            }
        }
        // A number has every shape: beside one array nothing is broadcast.
        self.compute(args, &with, None, asked, out)
    }

    /// Computes on operands that one kernel takes as they are.
    fn compute<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        given: &Given<'_>,
        rule: Option<&Rule>,
        asked: &Asked<'_>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Option<Bound<'py, PyAny>>> {
        let (py, arity) = (args.py(), self.op.arity());
        let (lies, inputs) = (&given.lies[..arity], &given.inputs[..arity]);
        let (Some(array), Some(object)) = (&asked.out, out) else {
            return kept::with(self.op, rule, lies, None, |call, is_row_major| {
                fresh(py, call, (args, inputs), is_row_major)
            });
        };
        kept::with(self.op, rule, lies, Some(&array.lie()), |call, _| {
            if array.shape != call.shape() || array.dtype != call.dtype() {
                return Ok(None);
            }
            run(py, call, inputs, array, args.iter().chain([object.clone()]))?;
            Ok(Some(object.clone()))
        })
    }
}

/// The operands of a call.
struct Given<'a> {
    lies: [Lie<'a>; MOST],
    inputs: [Input<'a>; MOST],
    numbers: [Option<Literal>; MOST],
    arrays: usize,
    /// That of the arrays, a condition aside.
    dtype: Option<DType>,
    /// The dtypes that take the numbers as they are, a bit each.
    weak: u16,
}

impl Given<'_> {
    fn new() -> Self {
        Self {
            lies: [Lie { dtype: DType::Bool, shape: &[], strides: &[] }; MOST],
            inputs: [Input::new(&[], 0); MOST],
            numbers: [None; MOST],
            arrays: 0,
            dtype: None,
            weak: u16::MAX,
        }
    }
}

/// Runs a decision into a new array; `None` where that would be beyond the budget.
fn fresh<'py>(
    py: Python<'py>,
    call: &Call,
    (args, inputs): (&Bound<'py, PyTuple>, &[Input<'_>]),
    is_row_major: bool,
) -> Answer<Option<Bound<'py, PyAny>>> {
    let bytes = call.shape().iter().product::<usize>() as u64 * call.dtype().size() as u64;
    if broadaxe::default_budget().is_some_and(|budget| bytes > budget) {
        return Ok(None);
    }
    let strides = if is_row_major { None } else { Some(call.strides()) };
    let made = array::allocate(py, call.dtype(), call.shape(), strides).map_err(Box::new)?;
    run(py, call, inputs, &Strided::new_one(&made, call.dtype(), call.shape(), call.strides()), args.iter())?;
    array::scalar(made, call.shape().len()).map(Some).map_err(Box::new)
}

fn run<'py>(
    py: Python<'py>,
    call: &Call,
    inputs: &[Input<'_>],
    out: &Strided<'_>,
    lent: impl Iterator<Item = Bound<'py, PyAny>>,
) -> Answer<()> {
    let output = Lent::new(out.output());
    let work = |progress: Option<Progress<'_>>| call.run(inputs, output.take(), progress);
    let done = watch::run(py, call.nanos(), lent, work).map_err(Box::new)?;
    done.map_err(|error| Box::new(raised(&error)))
}

/// Returns the function of the package that prepares every other call.
fn dispatch(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static DISPATCH: OnceBox<Py<PyAny>> = OnceBox::new();
    let found = || Ok::<_, PyErr>(Box::new(py.import("broadaxe._dispatch")?.getattr("dispatch")?.unbind()));
    Ok(DISPATCH.get_or_try_init(found)?.bind(py))
}

/// Calls a method of an operator, which the package has as a function of the operator.
fn method<'py>(
    operator: &Bound<'py, Operator>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = operator.py();
    let args = [operator.as_any().clone()].into_iter().chain(args.iter());
    let args = PyTuple::new(py, args.collect::<Vec<_>>())?;
    py.import("broadaxe._methods")?.getattr(name)?.call(args, kwargs)
}

#[pymethods]
impl Operator {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let answered = match kwargs {
            None => this.answer(args, &Asked::default(), None).map_err(|error| *error)?,
            Some(kwargs) => this.asked(py, args, kwargs)?,
        };
        if let Some(answer) = answered {
            return Ok(answer);
        }
        dispatch(py)?.call1((slf, args, kwargs.cloned().unwrap_or_else(|| PyDict::new(py))))
    }

    /// The name, as in expressions.
    #[getter]
    fn __name__(&self) -> &'static str {
        self.op.name()
    }

    #[getter]
    fn __qualname__(&self) -> &'static str {
        self.op.name()
    }

    /// The name, the meaning and the facts.
    #[getter]
    fn __doc__(&self) -> String {
        facts::documentation(self.op)
    }

    /// The signature, for `inspect.signature` and completion.
    #[getter]
    fn __signature__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("broadaxe._signatures")?.getattr("of")?.call1((slf,))
    }

    /// The number of operands.
    #[getter]
    fn nin(&self) -> usize {
        self.op.arity()
    }

    /// The number of results.
    #[getter]
    #[allow(clippy::unused_self)] // A getter has one.
    fn nout(&self) -> usize {
        1
    }

    /// The number of operands and results.
    #[getter]
    fn nargs(&self) -> usize {
        self.op.arity() + 1
    }

    /// The number of `types`.
    #[getter]
    fn ntypes(&self) -> usize {
        facts::types(self.op).len()
    }

    /// The dtypes of operands and result, as NumPy's letters; bfloat16 has none.
    #[getter]
    fn types(&self) -> Vec<String> {
        facts::types(self.op)
    }

    /// What a fold of no elements gives.
    #[getter]
    fn identity(&self) -> Option<f64> {
        facts::identity(self.op)
    }

    /// Always `None`: operators work element by element.
    #[getter]
    #[allow(clippy::unused_self)] // A getter has one.
    fn signature(&self) -> Option<&str> {
        None
    }

    /// Says whether the operator takes any number of operands.
    #[getter]
    fn variadic(&self) -> bool {
        self.op.is_variadic()
    }

    /// Folds an axis, or several, by the operator.
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, array, axis=0, dtype=None, out=None, keepdims=False, initial=..., where=True)")]
    fn reduce<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "reduce", args, kwargs)
    }

    /// Folds an axis and keeps what it was after every element.
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, array, axis=0, dtype=None, out=None)")]
    fn accumulate<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "accumulate", args, kwargs)
    }

    /// Folds pieces of an axis.
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, array, indices, axis=0, dtype=None, out=None)")]
    fn reduceat<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "reduceat", args, kwargs)
    }

    /// Computes on every element of one operand with every element of the other.
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, a, b, /, **kwargs)")]
    fn outer<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "outer", args, kwargs)
    }

    /// Computes in place on the elements at these indices, once for each time that one is named.
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, a, indices, b=None, /)")]
    fn at<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "at", args, kwargs)
    }

    /// Returns the dtypes that operands of these dtypes are cast to, and that of the result.
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, dtypes, *, signature=None, casting=None, reduction=False)")]
    fn resolve_dtypes<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "resolve_dtypes", args, kwargs)
    }

    fn __repr__(&self) -> String {
        format!("<broadaxe operator '{}'>", self.op.name())
    }

    fn __reduce__(&self) -> &'static str {
        self.op.name()
    }
}

impl Operator {
    /// Answers a call with keywords, where they are no more than `out`, `rule` and `axis`.
    fn asked<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: &Bound<'py, PyDict>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if args.len() != self.op.arity() {
            return Ok(None);
        }
        static OUT: Word = Word::new("out");
        static RULE: Word = Word::new("rule");
        static AXIS: Word = Word::new("axis");
        let (mut out, mut name, mut axis) = (None, None, None);
        for (key, value) in kwargs.iter() {
            if key.is(OUT.get(py)) && !value.is_none() {
                out = Some(value);
            } else if key.is(RULE.get(py)) {
                name =
                    Some(value.extract::<String>().map_err(|_| PyTypeError::new_err("rule takes the name of a rule"))?);
            } else if key.is(AXIS.get(py)) && !value.is_none() {
                let Ok(value) = value.extract::<i64>() else { return Ok(None) };
                axis = Some(value);
            } else {
                return Ok(None);
            }
        }
        // An axis without a rule is refused there.
        let Some(axis) = (name.is_some() || axis.is_none()).then_some(axis) else { return Ok(None) };
        let rule = rule::read(name.as_deref(), axis)?;
        let rule = (rule != Rule::numpy()).then_some(rule);
        let Some(object) = &out else {
            return self.answer(args, &Asked { out: None, rule }, None).map_err(|error| *error);
        };
        let Some(array) = array::look(object) else { return Ok(None) };
        if !array.is_writeable {
            return Err(PyValueError::new_err("output array is read-only"));
        }
        self.answer(args, &Asked { out: Some(array), rule }, Some(object)).map_err(|error| *error)
    }
}
