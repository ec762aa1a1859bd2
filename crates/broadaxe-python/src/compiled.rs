//! Expressions that are parsed once and called with their arrays.

use broadaxe::{Graph, Rule, call::Function, frameworks::Arg};
use pyo3::{
    Borrowed,
    exceptions::PyTypeError,
    prelude::*,
    types::{PyDict, PyTuple},
};

use crate::{
    builder::{Expression, pointed},
    once::Global,
    path::{self, Lowered, Objects, Stop, Words},
    rule::{self, Name},
    spelling::Said,
};

/// An expression that is called with its arrays, in the order of their first use or by name.
///
/// >>> import numpy as np, broadaxe as bx
/// >>> norm = bx.compile("(x - mean) / std")
/// >>> norm.names
/// ('x', 'mean', 'std')
/// >>> norm(np.array([1.0, 3.0]), 2.0, std=0.5)
/// array([-2.,  2.])
#[pyclass(frozen, weakref, module = "broadaxe", name = "Compiled")]
pub(crate) struct Compiled {
    expression: Py<Expression>,
    read: Rule,
    rule: Option<String>,
    axis: Option<i64>,
}

#[pymethods]
impl Compiled {
    #[new]
    #[pyo3(signature = (text, *, rule=Some(Name::NUMPY), axis=None))]
    fn new(text: &Bound<'_, PyAny>, rule: Option<Name<'_>>, axis: Option<i64>) -> PyResult<Self> {
        let Ok(parsed) = text.extract() else {
            let kind = text.get_type().name()?;
            return Err(PyTypeError::new_err(format!("an expression is a text, such as '2*a + b', not {kind}")));
        };
        let expression = Py::new(text.py(), Expression::parse(text.py(), parsed)?)?;
        Ok(Self { expression, read: rule::read(rule, axis)?, rule: rule.map(|name| name.0.to_owned()), axis })
    }

    /// Evaluates over these arrays.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let expression = self.expression.bind(py);
        let count = expression.get().names_of().len();
        if kwargs.is_none() && args.len() == count {
            let objects: Objects<'_, 'py> = args.iter_borrowed().collect();
            if let Some(answer) = answer(expression, &objects, &self.read, &Said::default())? {
                return Ok(answer);
            }
        }
        let call = self.read_call(args, kwargs)?;
        if let Some(said) = &call.said {
            let objects: Objects<'_, 'py> = call.operands.iter().map(Bound::as_borrowed).collect();
            if let Some(answer) = answer(expression, &objects, &self.read, said)? {
                return Ok(answer);
            }
        }
        call.given.set_item("rule", self.rule.as_deref())?;
        call.given.set_item("axis", self.axis)?;
        compute(expression, call.operands, &call.given)
    }

    /// The names of the arrays, in the order of their first use.
    #[getter]
    fn names(&self, py: Python<'_>) -> Py<PyTuple> {
        self.expression.get().names(py)
    }

    /// The text of the expression.
    #[getter]
    fn text(&self) -> &str {
        self.expression.get().text()
    }

    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("broadaxe._expressions")?.getattr("signature_of")?.call1((self.names(py),))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("broadaxe.compile({})", self.text().into_pyobject(py)?.repr()?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Made<'_>)> {
        let again = py.import("broadaxe._expressions")?.getattr("_again")?;
        Ok((again, (self.text(), self.rule.as_deref(), self.axis)))
    }
}

/// What a compiled expression is made of: text, rule and axis.
type Made<'a> = (&'a str, Option<&'a str>, Option<i64>);

/// What a call says.
struct CallArgs<'py> {
    operands: Vec<Bound<'py, PyAny>>,
    /// The keywords that are no arrays.
    given: Bound<'py, PyDict>,
    /// The same; `None` where the package has to judge them.
    said: Option<Said<'py>>,
}

impl Compiled {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `TypeError` for arrays that are too many, missing or given twice, and for names that are none of the expression's.
    fn read_call<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<CallArgs<'py>> {
        let (py, names) = (args.py(), self.expression.get().names_of());
        let listed = || names.join(", ");
        if args.len() > names.len() {
            let (most, count, listed) = (names.len(), args.len(), listed());
            return Err(PyTypeError::new_err(format!("the expression has {most} arrays ({listed}), not {count}")));
        }
        let (given, mut said) = (PyDict::new(py), Some(Said::default()));
        let mut operands: Vec<Option<Bound<'py, PyAny>>> = args.iter().map(Some).collect();
        operands.resize(names.len(), None);
        for (key, value) in kwargs.into_iter().flatten() {
            let word: String = key.extract()?;
            let at = names.iter().position(|name| *name == word);
            if let Some(at) = at.filter(|&at| operands[at].is_none()) {
                operands[at] = Some(value);
                continue;
            }
            if !matches!(word.as_str(), "out" | "order" | "casting") {
                let what = if at.is_some() { "was given twice" } else { "is not one of them" };
                let text = format!("the expression has the arrays {}; '{word}' {what}", listed());
                return Err(PyTypeError::new_err(text));
            }
            said = said.and_then(|mut said| said.read_result(&key, &value).map(|()| said));
            given.set_item(key, value)?;
        }
        Ok(CallArgs { operands: all(operands, names)?, given, said })
    }
}

/// Returns the operands of all names.
///
/// # Errors
/// `TypeError` for a name without one.
fn all<'py>(operands: Vec<Option<Bound<'py, PyAny>>>, names: &[String]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let missing = |name: &String| PyTypeError::new_err(format!("the expression needs the array '{name}'"));
    operands.into_iter().zip(names).map(|(operand, name)| operand.ok_or_else(|| missing(name))).collect()
}

/// Evaluates over what plain arrays can be made of and numbers, in the order of the names; `None` where there is anything else.
fn answer<'py>(
    expression: &Bound<'py, Expression>,
    objects: &[Borrowed<'_, 'py, PyAny>],
    rule: &Rule,
    said: &Said<'py>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (py, this) = (expression.py(), expression.get());
    let out = said.out.as_ref().map(path::look_out).transpose()?.flatten();
    let function = Function::numbered(path::EXPRESSION, this.number);
    let explain = |error: &broadaxe::Error| pointed(py, error, this.text());
    let (is_long, is_plain, expr) = (this.is_long(), said.is_plain(), &this.expr);
    let mut lowered =
        Lowered { function, rule: Some(rule), words: Words::new(), is_long, is_row_major: false, explain: &explain };
    said.write(&mut lowered.words);
    let lower = |graph: &mut Graph, args: &[Arg]| {
        if !is_plain {
            return Err(Stop::Unfit);
        }
        let names: Vec<(&str, Arg)> = expr.names().iter().map(String::as_str).zip(args.iter().copied()).collect();
        Ok(expr.lower_args(graph, &names, rule)?)
    };
    lowered.spelled(py, objects, (out, false), lower, |operands, builder| {
        let given = said.names(py)?;
        given.set_item("builder", builder)?;
        compute(expression, operands, &given)
    })
}

/// Lets the package evaluate an expression.
fn compute<'py>(
    expression: &Bound<'py, Expression>,
    operands: Vec<Bound<'py, PyAny>>,
    given: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    static COMPUTE: Global = Global::new("broadaxe._expressions", "compute");
    let py = expression.py();
    COMPUTE.get(py)?.call((expression, PyTuple::new(py, operands)?), Some(given))
}

/// Evaluates over what plain arrays can be made of and numbers, in the order of the names; `None` where there is anything else.
#[pyfunction]
#[pyo3(signature = (expression, operands, rule=None, axis=None, out=None, order=None, casting=None))]
pub(crate) fn at_once<'py>(
    expression: &Bound<'py, Expression>,
    operands: &Bound<'py, PyTuple>,
    rule: Option<rule::Name<'_>>,
    axis: Option<i64>,
    out: Option<Bound<'py, PyAny>>,
    order: Option<Bound<'py, PyAny>>,
    casting: Option<Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (rule, mut said) = (rule::read(rule, axis)?, Said::default());
    let objects: Objects<'_, 'py> = operands.iter_borrowed().collect();
    let is_read = out.is_none_or(|out| said.read_out(&out).is_some())
        && order.is_none_or(|order| said.read_order(&order).is_some())
        && casting.is_none_or(|casting| said.read_casting(&casting).is_some());
    if is_read { answer(expression, &objects, &rule, &said) } else { Ok(None) }
}
