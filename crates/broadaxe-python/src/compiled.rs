//! Expressions that are parsed once and called with their arrays.

use broadaxe::Rule;
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyDict, PyTuple},
};

use crate::{
    builder::Expression,
    once::{Global, Word},
    path::Objects,
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
            if let Some(answer) = Expression::answer(expression, &objects, &self.read, &Said::default())? {
                return Ok(answer);
            }
        }
        let call = self.read_call(args, kwargs)?;
        if let Some(said) = &call.said {
            let objects: Objects<'_, 'py> = call.operands.iter().map(Bound::as_borrowed).collect();
            if let Some(answer) = Expression::answer(expression, &objects, &self.read, said)? {
                return Ok(answer);
            }
        }
        static COMPUTE: Global = Global::new("broadaxe._expressions", "compute");
        let operands = PyTuple::new(py, call.operands)?;
        COMPUTE.get(py)?.call1((
            expression,
            operands,
            call.out,
            call.order,
            call.casting,
            self.rule.as_deref(),
            self.axis,
        ))
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
    out: Option<Bound<'py, PyAny>>,
    order: Bound<'py, PyAny>,
    casting: Bound<'py, PyAny>,
    /// `None` where the package has to judge the keywords.
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
        static ORDER: Word = Word::new("K");
        static CASTING: Word = Word::new("same_kind");
        let (mut out, mut order, mut casting) = (None, None, None);
        let mut said = Some(Said::default());
        let mut operands: Vec<Option<Bound<'py, PyAny>>> = args.iter().map(Some).collect();
        operands.resize(names.len(), None);
        for (key, value) in kwargs.into_iter().flatten() {
            let word: String = key.extract()?;
            let at = names.iter().position(|name| *name == word);
            if let Some(at) = at.filter(|&at| operands[at].is_none()) {
                operands[at] = Some(value);
                continue;
            }
            said = said.and_then(|mut said| said.read_result(&key, &value).map(|()| said));
            match word.as_str() {
                "out" => out = Some(value).filter(|value| !value.is_none()),
                "order" => order = Some(value),
                "casting" => casting = Some(value),
                _ => {
                    let what = if at.is_some() { "was given twice" } else { "is not one of them" };
                    let text = format!("the expression has the arrays {}; '{word}' {what}", listed());
                    return Err(PyTypeError::new_err(text));
                }
            }
        }
        Ok(CallArgs {
            operands: all(operands, names)?,
            out,
            order: order.unwrap_or_else(|| ORDER.get(py).clone().into_any()),
            casting: casting.unwrap_or_else(|| CASTING.get(py).clone().into_any()),
            said,
        })
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
