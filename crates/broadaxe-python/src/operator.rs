//! Operators: objects that are called as NumPy's ufuncs are.
//!
//! A call on plain arrays of the dtype that the operator computes in, with numbers beside one of them, is answered here. Whatever else
//! a ufunc takes, other operands, masks, dtypes, is prepared by the function `dispatch` of the package.

use broadaxe::{
    DType, Input, OPS, Op, Rule, Scalar,
    call::{Call, Lie},
    promote::{Literal, Typed, Typing},
};
use broadaxe_kernels::Progress;
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    intern,
    prelude::*,
    sync::PyOnceLock,
    types::{PyDict, PyTuple},
};

use crate::{
    array::{self, Lent, Strided},
    error::raised,
    kept, number, rule, watch,
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
}

/// Makes the operator of a name.
pub(crate) fn of(name: &str) -> Option<Operator> {
    let op = OPS.iter().find(|op| op.name() == name)?;
    let typing = Typing::of(op.name());
    let takes = |dtype: DType, operands: &[Typed]| {
        let kernel = op.kernel(dtype).filter(|_| typing.dtype(operands) == Some(dtype))?;
        let condition = usize::from(typing == Typing::Choose);
        (kernel.inputs()[condition..].iter().all(|&input| input == dtype) && !op.is_average())
            .then_some(1 << dtype as u16)
    };
    let bits = |weak: Option<Literal>| {
        let last = |dtype| weak.map_or(Typed::Strong(dtype), Typed::Weak);
        let operands = |dtype| match op.arity() {
            1 => vec![Typed::Strong(dtype)],
            2 => vec![Typed::Strong(dtype), last(dtype)],
            _ if typing == Typing::Choose => vec![Typed::Strong(DType::Bool), Typed::Strong(dtype), last(dtype)],
            _ => vec![Typed::Strong(dtype), Typed::Strong(dtype), last(dtype)],
        };
        DType::ALL.into_iter().filter_map(|dtype| takes(dtype, &operands(dtype))).fold(0, |all, bit: u16| all | bit)
    };
    let beside = [Literal::Float(0.5), Literal::Int(1), Literal::Bool(true)].map(|literal| bits(Some(literal)));
    Some(Operator { op, chooses: typing == Typing::Choose, alone: bits(None), beside })
}

/// One operand of a call that can be answered here.
#[derive(Clone, Copy)]
enum Operand<'a> {
    Array(Strided<'a>),
    Number(Literal),
}

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
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        asked: &Asked<'_>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let arity = self.op.arity();
        if args.len() != arity {
            return Ok(None);
        }
        let objects: [Option<Borrowed<'_, 'py, PyAny>>; MOST] =
            std::array::from_fn(|k| if k < arity { args.get_borrowed_item(k).ok() } else { None });
        let mut operands = [const { Operand::Number(Literal::Bool(false)) }; MOST];
        let (mut dtype, mut arrays, mut weak) = (None, 0, u16::MAX);
        for (k, object) in objects.iter().flatten().enumerate() {
            if let Some(array) = array::look(object) {
                arrays += 1;
                if self.chooses && k == 0 {
                    if array.dtype != DType::Bool {
                        return Ok(None);
                    }
                } else if *dtype.get_or_insert(array.dtype) != array.dtype {
                    return Ok(None);
                }
                operands[k] = Operand::Array(array);
            } else if let Some(literal) = number::read(object)? {
                weak &= match literal {
                    Literal::Float(_) => self.beside[0],
                    Literal::Int(_) => self.beside[1],
                    Literal::Bool(_) => self.beside[2],
                };
                operands[k] = Operand::Number(literal);
            } else {
                return Ok(None);
            }
        }
        let Some(dtype) = dtype.filter(|&dtype| self.alone & weak & 1 << dtype as u16 != 0) else { return Ok(None) };
        if arrays < arity && (arrays > 1 && asked.rule.is_some() || self.chooses) {
            return Ok(None);
        }
        self.compute(py, &operands[..arity], dtype, asked, out)
    }

    /// Computes on operands that one kernel takes as they are.
    fn compute<'py>(
        &self,
        py: Python<'py>,
        operands: &[Operand<'_>],
        dtype: DType,
        asked: &Asked<'_>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let empty = Lie { dtype, shape: &[], strides: &[] };
        let (mut lies, mut inputs) = ([empty; MOST], [Input::new(&[], 0); MOST]);
        let mut elements = [[0; 8]; MOST];
        let mut numbers = false;
        for (element, operand) in elements.iter_mut().zip(operands) {
            if let Operand::Number(literal) = operand {
                let Some(scalar) = number::element(*literal, dtype) else { return Ok(None) };
                *element = Scalar::bytes(scalar);
                numbers = true;
            }
        }
        for (k, operand) in operands.iter().enumerate() {
            if let Operand::Array(array) = operand {
                lies[k] = array.lie();
                inputs[k] = array.input();
            } else {
                inputs[k] = Input::new(&elements[k], 0);
            }
        }
        // A number has every shape: beside one array nothing is broadcast.
        let rule = asked.rule.as_ref().filter(|_| !numbers);
        let inputs = &inputs[..operands.len()];
        let made = kept::with(
            self.op,
            rule,
            &lies[..operands.len()],
            asked.out.as_ref().map(Strided::lie).as_ref(),
            |call, is_row_major| match (&asked.out, out) {
                (Some(array), Some(object)) => {
                    if array.shape != call.shape() || array.dtype != call.dtype() {
                        return Ok(None);
                    }
                    run(py, call, inputs, array)?;
                    Ok(Some(object.clone()))
                }
                _ => fresh(py, call, inputs, is_row_major),
            },
        );
        made.map_err(|error| raised(&error))?
    }
}

/// Runs a decision into a new array; `None` where that would be beyond the budget.
fn fresh<'py>(
    py: Python<'py>,
    call: &Call,
    inputs: &[Input<'_>],
    is_row_major: bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let bytes = call.shape().iter().product::<usize>() as u64 * call.dtype().size() as u64;
    if broadaxe::default_budget().is_some_and(|budget| bytes > budget) {
        return Ok(None);
    }
    let strides = if is_row_major { None } else { Some(call.strides()) };
    let made = array::allocate(py, call.dtype(), call.shape(), strides)?;
    run(py, call, inputs, &Strided::new_one(&made, call.dtype(), call.shape(), call.strides()))?;
    array::scalar(made, call.shape().len()).map(Some)
}

fn run(py: Python<'_>, call: &Call, inputs: &[Input<'_>], out: &Strided<'_>) -> PyResult<()> {
    let output = Lent::new(out.output());
    let work = |progress: Option<Progress<'_>>| call.run(inputs, output.take(), progress);
    watch::run(py, call.nanos(), work)?.map_err(|error| raised(&error))
}

/// Returns the function of the package that prepares every other call.
fn dispatch(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static DISPATCH: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let found = || Ok::<_, PyErr>(py.import("broadaxe._dispatch")?.getattr("dispatch")?.unbind());
    Ok(DISPATCH.get_or_try_init(py, found)?.bind(py))
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
            None => this.at_once(py, args, &Asked::default(), None)?,
            Some(kwargs) => this.asked(py, args, kwargs)?,
        };
        match answered {
            Some(answer) => Ok(answer),
            None => {
                let kwargs = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
                dispatch(py)?.call1((slf, args, kwargs))
            }
        }
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
        crate::tables::documentation(self.op)
    }

    /// The number of operands.
    #[getter]
    fn nin(&self) -> usize {
        self.op.arity()
    }

    /// The number of results.
    #[getter]
    fn nout(&self) -> usize {
        1
    }

    /// The number of operands and results.
    #[getter]
    fn nargs(&self) -> usize {
        self.op.arity() + 1
    }

    /// The number of dtypes that the operator computes in.
    #[getter]
    fn ntypes(&self) -> usize {
        self.op.dtypes().count()
    }

    /// The dtypes of operands and result, as NumPy's letters.
    #[getter]
    fn types(&self) -> Vec<String> {
        crate::tables::types(self.op)
    }

    /// The element that leaves the other operand as it is.
    #[getter]
    fn identity(&self) -> Option<f64> {
        self.op.identity()
    }

    /// Always `None`: operators work element by element.
    #[getter]
    fn signature(&self) -> Option<&str> {
        None
    }

    /// Says whether the operator takes any number of operands.
    #[getter]
    fn variadic(&self) -> bool {
        self.op.is_variadic()
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
        let (mut out, mut name, mut axis) = (None, None, None);
        for (key, value) in kwargs.iter() {
            if key.is(intern!(py, "out")) && !value.is_none() {
                out = Some(value);
            } else if key.is(intern!(py, "rule")) {
                name =
                    Some(value.extract::<String>().map_err(|_| PyTypeError::new_err("rule takes the name of a rule"))?);
            } else if key.is(intern!(py, "axis")) && !value.is_none() {
                let Ok(value) = value.extract::<i64>() else { return Ok(None) };
                axis = Some(value);
            } else {
                return Ok(None);
            }
        }
        let rule = rule::read(name.as_deref(), axis)?;
        let rule = (rule != Rule::numpy()).then_some(rule);
        let Some(object) = &out else { return self.at_once(py, args, &Asked { out: None, rule }, None) };
        let Some(array) = array::look(object) else { return Ok(None) };
        if !array.is_writeable {
            return Err(PyValueError::new_err("output array is read-only"));
        }
        self.at_once(py, args, &Asked { out: Some(array), rule }, Some(object))
    }
}
