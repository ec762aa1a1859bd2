//! Operators: objects that are called as NumPy's ufuncs are.
//!
//! A call on plain arrays, scalars and numbers is answered here. Other spellings (lists, masks, dtypes) are answered by plans that the
//! function `compute` of the package makes once. Operands of other classes are prepared by its function `dispatch`.

use broadaxe::{
    Call, DType, Graph, Node, Op, Promotion, Reduction, Rule,
    call::Function,
    expr::operate,
    frameworks::Arg,
    promote::{self, Literal, Typed},
};
use broadaxe_kernels::HasKernels;
use pyo3::{
    Borrowed,
    exceptions::PyValueError,
    prelude::*,
    types::{PyDict, PyTuple},
};

use crate::{
    array,
    error::{Answer, caught_small, raised},
    facts, number,
    once::{Global, Word},
    path::{self, Lowered, Objects, Operands, Out, Question, Stop, Words},
    reduction::{self, Fold},
    rule,
    spelling::{self, Plain, Said},
};

/// The most operands of an operator.
const MOST: usize = 3;

// Without documentation of the class each operator has its own.
#[pyclass(frozen, module = "broadaxe")]
pub(crate) struct Operator {
    op: &'static Op,
    /// What it does with one operand, where it joins any number of them.
    folds: Option<Reduction>,
    /// The name that the package has it by: its own, or an alias.
    global: &'static str,
    /// Whether the first operand is a condition.
    chooses: bool,
    /// Dtypes, a bit each, in which operands of that dtype alone are computed by one kernel.
    alone: u16,
    /// The same with a float, an integer and a bool of Python.
    with_number: [u16; 3],
}

/// Makes an operator that the package has by a name: the operator's own, or an alias.
pub(crate) fn of(op: &'static Op, global: &'static str) -> Operator {
    let promotion = op.promotion();
    let accepts = |dtype: DType, operands: &[Typed]| {
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
        DType::ALL.into_iter().filter_map(|dtype| accepts(dtype, &operands(dtype))).fold(0, |all, bit: u16| all | bit)
    };
    let with_number = [Literal::Float(0.5), Literal::Int(1), Literal::Bool(true)].map(|literal| bits(Some(literal)));
    let folds = Reduction::from_name(op.name()).filter(|_| op.is_variadic());
    Operator { op, folds, global, chooses: promotion == Promotion::Choose, alone: bits(None), with_number }
}

/// What a call says besides its operands.
#[derive(Clone, Copy, Default)]
struct Asked<'a, 'py> {
    out: Option<Out<'a, 'py>>,
    /// `None` for NumPy's.
    rule: Option<&'a Rule>,
}

impl Operator {
    /// Answers a call on plain arrays and numbers; `None` where it is not one.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        objects: &[Borrowed<'_, 'py, PyAny>],
        asked: Asked<'_, 'py>,
    ) -> Answer<Option<Bound<'py, PyAny>>> {
        caught_small(|| {
            let (mut elements, mut scalars) = ([[0; 8]; MOST], [[0; 8]; MOST]);
            let (mut given, mut operands) = (Given::default(), Operands::new());
            if !self.read(objects, &mut given, &mut operands, &mut scalars)? {
                return Ok(None);
            }
            let (rule, mut lowered) = (asked.rule, self.lowered(asked.rule));
            let lower = |graph: &mut Graph, args: &[Arg]| self.lower(graph, args, rule);
            if given.is_mixed && given.arrays == objects.len() {
                return lowered.answer_arrays(py, &operands, asked.out, lower);
            }
            match self.at_once(py, &given, (&mut operands, &mut elements), asked)? {
                Some(answer) => Ok(Some(answer)),
                None => lowered.answer(py, objects, asked.out, lower),
            }
        })
    }

    /// Answers a call on operands of one dtype that one kernel computes; `None` for other calls.
    fn at_once<'a, 'py>(
        &self,
        py: Python<'py>,
        given: &Given,
        (operands, elements): (&mut Operands<'a, 'py>, &'a mut [[u8; 8]; MOST]),
        asked: Asked<'a, 'py>,
    ) -> Answer<Option<Bound<'py, PyAny>>> {
        let fits = |dtype| asked.out.is_none_or(|out| self.op.output(dtype) == Some(out.array.dtype));
        let accepts =
            |dtype: &DType| !given.is_mixed && self.alone & given.weak & 1 << *dtype as u16 != 0 && fits(*dtype);
        let Some(dtype) = given.dtype.filter(accepts) else { return Ok(None) };
        let mut rule = asked.rule;
        if given.arrays < given.count {
            if self.chooses || given.arrays > 1 && rule.is_some() {
                return Ok(None);
            }
            // A number has every shape: next to one array nothing is broadcast.
            rule = None;
            for (element, literal) in elements.iter_mut().zip(given.numbers) {
                let Some(literal) = literal else { continue };
                let Some(scalar) = number::element(literal, dtype) else { return Ok(None) };
                *element = scalar.bytes();
            }
            for (k, element) in elements.iter().enumerate().filter(|&(k, _)| given.numbers[k].is_some()) {
                operands.set_element(k, dtype, element);
            }
        }
        let question = Question { function: Function::operator(self.op), rule, words: &[], operands, out: asked.out };
        question.answer(py, |layouts, place| {
            let numpy = Rule::numpy();
            let place = |dtype, shape: &[usize], operands: &[Vec<isize>]| place.strides(dtype, shape, operands);
            Ok(Call::new(self.op, rule.unwrap_or(&numpy), layouts, place)?)
        })
    }

    /// Reads the operands of a call; says whether each is a number, a scalar or a plain array.
    #[inline]
    fn read<'a, 'py>(
        &self,
        objects: &'a [Borrowed<'_, 'py, PyAny>],
        given: &mut Given,
        operands: &mut Operands<'a, 'py>,
        scalars: &'a mut [[u8; 8]; MOST],
    ) -> Answer<bool> {
        given.count = objects.len();
        for (k, (object, scalar)) in objects.iter().zip(scalars).enumerate() {
            if let Some(array) = array::look(object) {
                operands.push(object, &array);
                given.add(array.dtype, self.chooses && k == 0);
            } else if let Some((dtype, element)) = array::element_of(object) {
                *scalar = element;
                operands.push_element(dtype, scalar);
                given.add(dtype, self.chooses && k == 0);
            } else if let Some(literal) = number::read(object).map_err(Box::new)? {
                given.weak &= match literal {
                    Literal::Float(_) => self.with_number[0],
                    Literal::Int(_) => self.with_number[1],
                    Literal::Bool(_) => self.with_number[2],
                };
                given.numbers[k] = Some(literal);
                operands.push_number();
            } else {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Describes the call for operands of several dtypes.
    fn lowered<'q>(&self, rule: Option<&'q Rule>) -> Lowered<'q> {
        Lowered {
            function: Function::promoted(self.op),
            rule,
            words: Words::new(),
            is_long: false,
            is_row_major: false,
            explain: &raised,
        }
    }

    /// Adds the operator over operands of any dtypes to a graph.
    fn lower(&self, graph: &mut Graph, args: &[Arg], rule: Option<&Rule>) -> Result<Node, Stop> {
        let numpy = Rule::numpy();
        Ok(operate(graph, self.op.name(), args, rule.unwrap_or(&numpy))?)
    }
}

/// What was read of operands.
struct Given {
    count: usize,
    numbers: [Option<Literal>; MOST],
    arrays: usize,
    /// That of the first array, a condition aside.
    dtype: Option<DType>,
    /// Whether another array is of another dtype, or a condition is not of bools.
    is_mixed: bool,
    /// The dtypes that take the numbers as they are, a bit each.
    weak: u16,
}

impl Given {
    /// Adds an array, or a scalar of NumPy's, which is read as an array of rank 0.
    #[inline]
    fn add(&mut self, dtype: DType, is_condition: bool) {
        self.arrays += 1;
        let wanted = if is_condition { DType::Bool } else { *self.dtype.get_or_insert(dtype) };
        self.is_mixed |= dtype != wanted;
    }
}

impl Default for Given {
    fn default() -> Self {
        Self { count: 0, numbers: [None; MOST], arrays: 0, dtype: None, is_mixed: false, weak: u16::MAX }
    }
}

/// Returns the function of the package that prepares every other call.
fn dispatch(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static DISPATCH: Global = Global::new("broadaxe._dispatch", "dispatch");
    DISPATCH.get(py)
}

/// Returns the function of the package that plans a call on plain operands.
fn compute(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static COMPUTE: Global = Global::new("broadaxe._dispatch", "compute");
    COMPUTE.get(py)
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
        let answered = match this.folds {
            Some(reduction) if args.len() == 1 || this.reads_axis(args)? => {
                match Fold::of(reduction).answer(args, kwargs) {
                    // The package says what else the second operand can mean.
                    Err(error) if args.len() == 2 && error.is_instance_of::<PyValueError>(py) => None,
                    answer => answer?,
                }
            }
            _ if args.len() == this.op.arity() => this.quick(py, args, kwargs)?,
            _ => None,
        };
        if let Some(answer) = answered {
            return Ok(answer);
        }
        if let Some(answer) = Self::spelled(slf, args, kwargs)? {
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
        self.global
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

    /// Says whether the operator accepts any number of operands.
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
        if let Some(fold) = reduction::by(slf.get().op).map(Fold::of)
            && let Some(answer) = fold.as_method().answer(args, kwargs)?
        {
            return Ok(answer);
        }
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
        self.global
    }
}

impl Operator {
    /// Says whether NumPy has a function of the name that folds one array.
    fn is_named_as_numpys(&self) -> bool {
        self.folds.is_some_and(|reduction| reduction.name() == self.global)
    }

    /// Says whether the second of two operands is an axis, as in NumPy's function of the same name: `max(a, 0)`, but not `maximum(a, 0)`.
    #[inline]
    fn reads_axis(&self, args: &Bound<'_, PyTuple>) -> PyResult<bool> {
        if args.len() != 2 || !self.is_named_as_numpys() {
            return Ok(false);
        }
        let second = args.get_borrowed_item(1)?;
        Ok(second.is_none() || second.is_exact_instance_of::<PyTuple>() || reduction::is_integer(&second))
    }

    /// Answers a call with as many operands as the operator has, whose keywords are no more than `out`, `rule` and `axis`.
    fn quick<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let objects: Objects<'_, 'py> = args.iter_borrowed().collect();
        let Some(kwargs) = kwargs else {
            return self.answer(py, &objects, Asked::default()).map_err(|error| *error);
        };
        let spelling::Names { out: out_word, axis: axis_word, .. } = &spelling::NAMES;
        let (mut out, mut rule, mut axis) = (None, None, None);
        for (key, value) in kwargs.iter() {
            if key.is(out_word.get(py)) {
                out = Some(value).filter(|value| !value.is_none());
            } else if key.is(RULE.get(py)) {
                rule = Some(value);
            } else if key.is(axis_word.get(py)) && !value.is_none() {
                let Ok(value) = value.extract::<i64>() else { return Ok(None) };
                axis = Some(value);
            } else {
                return Ok(None);
            }
        }
        // An axis without a rule is rejected there.
        if axis.is_some() && rule.is_none() {
            return Ok(None);
        }
        let rule = rule::of_keyword(rule.as_ref(), axis)?;
        let out = match out.as_ref().map(path::look_out).transpose()? {
            Some(None) => return Ok(None),
            out => out.flatten(),
        };
        self.answer(py, &objects, Asked { out, rule: rule.as_deref() }).map_err(|error| *error)
    }

    /// Answers a call of any spelling on what plain arrays are made of; `None` where a class or the package has to judge it.
    fn spelled<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, this) = (slf.py(), slf.get());
        let Some(call) = this.read_call(args, kwargs) else { return Ok(None) };
        let Spelled { operands, said, rule, axis } = &call;
        let rule = rule::of_keyword(rule.as_ref(), *axis)?;
        let rule = rule.as_deref();
        let out = match said.out.as_ref().map(|object| (object, array::look(object))) {
            None => None,
            Some((object, Some(array))) if array.is_writeable => Some(Out { object, array }),
            Some(_) => return Ok(None),
        };
        let is_plain = said.is_plain();
        if is_plain && operands.len() == this.op.arity() {
            let objects = said.objects(operands, false);
            if let Some(answer) = this.answer(py, &objects, Asked { out, rule }).map_err(|error| *error)? {
                return Ok(Some(answer));
            }
        }
        let mut lowered = this.lowered(rule);
        said.write(&mut lowered.words);
        let objects = said.objects(operands, said.reads_out());
        let lower = |graph: &mut Graph, args: &[Arg]| {
            if is_plain { this.lower(graph, args, rule) } else { Err(Stop::Unfit) }
        };
        lowered.spelled(py, &objects, (out, said.reads_out()), lower, |mut passed, builder| {
            let given = kwargs.map_or_else(|| Ok(PyDict::new(py)), PyDictMethods::copy)?;
            if said.mask.is_some() {
                given.set_item("where", &passed[operands.len()])?;
            }
            passed.truncate(operands.len());
            compute(py)?.call1((slf, PyTuple::new(py, passed)?, said.out.as_ref(), given, builder))
        })
    }

    /// Reads a call of any spelling; `None` where the package has to read it.
    fn read_call<'py>(&self, args: &Bound<'py, PyTuple>, kwargs: Option<&Bound<'py, PyDict>>) -> Option<Spelled<'py>> {
        let (py, arity) = (args.py(), self.op.arity());
        let count = if self.op.is_variadic() { args.len().max(2) } else { arity };
        let operands = spelling::plain(args.iter_borrowed().take(count)).filter(|operands| operands.len() == count)?;
        let is_number = |operand: &Bound<'_, PyAny>| array::look(operand).is_none();
        // The second operand may be an axis, and bounds of integers may be left out.
        let is_axis = self.is_named_as_numpys() && !array::is_plain(&*args.get_borrowed_item(1).ok()?);
        if is_axis || self.op.name() == "clamp" && operands.iter().any(is_number) {
            return None;
        }
        let mut call = Spelled { operands, said: Said::default(), rule: None, axis: None };
        match args.len() - count {
            0 => {}
            1 => call.said.read_out(&args.get_item(count).ok()?)?,
            _ => return None,
        }
        for (key, value) in kwargs.into_iter().flatten() {
            if key.is(RULE.get(py)) {
                call.rule = Some(value);
            } else if !key.is(spelling::NAMES.axis.get(py)) {
                call.said.read(&key, &value)?;
            } else if !value.is_none() {
                call.axis = Some(value.extract().ok()?);
            }
        }
        // An axis without a rule is rejected by the package.
        (call.axis.is_none() || call.rule.is_some()).then_some(call)
    }
}

static RULE: Word = Word::new("rule");

/// A call of any spelling.
struct Spelled<'py> {
    operands: Plain<'py>,
    said: Said<'py>,
    rule: Option<Bound<'py, PyAny>>,
    axis: Option<i64>,
}
