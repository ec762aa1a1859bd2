//! Builds graphs over arrays of Python that are borrowed for one evaluation.
//!
//! Operands and results are values whose shapes and dtypes are known at once. Nothing is computed before a value is
//! requested; then everything that it needs is one fused evaluation. Masks, casts to the dtype of `out` and
//! broadcasts to its shape are nodes like any other.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use broadaxe::{
    Call, DType, Expr, Graph, Node, Rule, System,
    call::{Function, Key, cached},
    expr::{ExprStep, operate},
    frameworks::{self, Arg, Attribute},
};
use pyo3::{
    IntoPyObjectExt,
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyBool, PyDict, PyList, PyTuple},
};

use crate::{
    array, error,
    error::{caught, raised},
    number, order,
    path::{self, Operands, Out, Stop, Words},
    rule,
    steps::{Initial, Start, Steps},
    watch,
};

/// A value in a graph builder: an array, a number, or what will be computed.
#[pyclass(frozen, module = "broadaxe._broadaxe")]
#[derive(Clone)]
pub(crate) struct Value {
    /// The number of the builder.
    builder: u64,
    arg: Arg,
    pub(crate) shape: Vec<usize>,
    pub(crate) dtype: Option<DType>,
}

#[pymethods]
impl Value {
    /// The dims.
    #[getter(shape)]
    fn dims<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// The name of the dtype; `None` for a number.
    #[getter(dtype)]
    fn dtype_name(&self) -> Option<&'static str> {
        self.dtype.map(DType::name)
    }
}

/// A parsed expression.
#[pyclass(frozen, module = "broadaxe._broadaxe")]
pub(crate) struct Expression {
    pub(crate) expr: Expr,
    text: String,
    names: Py<PyTuple>,
    /// Tells its calls from those of other expressions.
    pub(crate) number: usize,
}

impl Expression {
    pub(crate) fn parse(py: Python<'_>, text: String) -> PyResult<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let parsed =
            caught(
                || if is_long(&text) { watch::stoppable(py, || Expr::parse(&text)) } else { Ok(Expr::parse(&text)) },
            );
        let expr = parsed?.map_err(|error| pointed(py, &error, &text))?;
        let names = PyTuple::new(py, expr.names())?.unbind();
        Ok(Self { expr, text, names, number: NEXT.fetch_add(1, Ordering::Relaxed) })
    }

    pub(crate) fn is_long(&self) -> bool {
        is_long(&self.text)
    }

    pub(crate) fn names_of(&self) -> &[String] {
        self.expr.names()
    }
}

/// The bytes of a text from which parsing and planning may take long; a thread of its own is worth it then.
const LONG_TEXT: usize = 4 << 10;

fn is_long(text: &str) -> bool {
    text.len() > LONG_TEXT
}

#[pymethods]
impl Expression {
    #[new]
    fn new(py: Python<'_>, text: String) -> PyResult<Self> {
        Self::parse(py, text)
    }

    /// The names of the arrays, in order of first use.
    #[getter]
    pub(crate) fn names(&self, py: Python<'_>) -> Py<PyTuple> {
        self.names.clone_ref(py)
    }

    /// Lists the steps, each after those that it uses: numbers, positions in the names, operators with their sign, and calls.
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let steps = self.expr.steps();
        let steps = steps.iter().map(|step| match step {
            ExprStep::Number(literal) => ("number", number::value(py, *literal)?).into_pyobject(py),
            ExprStep::Name(index) => ("name", index).into_pyobject(py),
            ExprStep::Sign(sign, operator, operands) => ("sign", operator, operands, sign).into_pyobject(py),
            ExprStep::Call(system, name, operands, attributes) => {
                let given = PyDict::new(py);
                for (key, value) in *attributes {
                    given.set_item(key, attribute_value(py, value)?)?;
                }
                ("call", name, *operands, system.map(System::name), given).into_pyobject(py)
            }
        });
        PyList::new(py, steps.collect::<PyResult<Vec<_>>>()?)
    }

    /// The text that was parsed.
    #[getter]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// Makes the exception of an error in a text, with a caret under the place.
pub(crate) fn pointed(py: Python<'_>, error: &broadaxe::Error, text: &str) -> PyErr {
    let made = raised(error);
    let Some(at) = error.position().map(|at| text.floor_char_boundary(at)) else { return made };
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().unwrap_or("");
    // A long line is no help.
    if line.len() > 100 {
        return made;
    }
    let column = text[start..at].chars().count();
    PyErr::from_type(made.get_type(py), format!("{error}\n  {line}\n  {:column$}^", ""))
}

/// A graph over borrowed arrays.
#[pyclass(module = "broadaxe._broadaxe")]
pub(crate) struct GraphBuilder {
    /// Tells its values from those of other builders.
    number: u64,
    graph: Graph,
    arrays: Vec<(Py<PyAny>, Node)>,
    rule: Rule,
    /// Whether planning may take long.
    is_long: bool,
    record: Option<Record>,
}

/// What a plan is kept for.
struct Record {
    function: Function,
    rule: Option<Rule>,
    words: Words,
    /// The number of arrays that a later call brings; where there are more, the plan is of no use to it.
    arrays: usize,
}

impl GraphBuilder {
    fn value(&self, node: Node) -> Value {
        Value {
            builder: self.number,
            arg: Arg::Node(node),
            shape: self.graph.shape(node).to_vec(),
            dtype: Some(self.graph.dtype(node)),
        }
    }

    /// Returns the operand of a value of this graph builder.
    fn arg(&self, value: &Value) -> PyResult<Arg> {
        if value.builder == self.number {
            return Ok(value.arg);
        }
        Err(PyValueError::new_err("the value belongs to another graph builder"))
    }

    fn args(&self, values: &[PyRef<'_, Value>]) -> PyResult<Vec<Arg>> {
        values.iter().map(|value| self.arg(value)).collect()
    }

    fn added(&mut self, name: &str, args: &[Arg]) -> PyResult<Value> {
        let node = operate(&mut self.graph, name, args, &self.rule).map_err(|error| raised(&error))?;
        Ok(self.value(node))
    }

    /// Makes an empty builder.
    pub(crate) fn under(rule: Rule) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            graph: Graph::new(),
            arrays: Vec::new(),
            rule,
            is_long: false,
            record: None,
        }
    }

    /// Keeps the plan of what is computed, for calls with the layouts of the arrays that were put.
    pub(crate) fn record(&mut self, function: Function, rule: Option<Rule>, words: Words) {
        self.record = Some(Record { function, rule, words, arrays: self.arrays.len() });
    }

    /// Adds the element of an array of rank 0 that was made for this call.
    fn constant(&mut self, array: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<Value>> {
        let literal = number::read(&array.call_method0("item")?)?;
        let scalar = literal.and_then(|literal| number::element(literal, dtype));
        Ok(scalar.map(|scalar| self.graph.constant(scalar)).map(|node| self.value(node)))
    }

    /// Returns a value as a node of the graph.
    fn node(&mut self, value: &Value) -> PyResult<Node> {
        match self.arg(value)? {
            Arg::Node(node) => Ok(node),
            // What a number alone is, an expression says.
            Arg::Weak(_) => {
                let expr = Expr::parse("x").map_err(|error| raised(&error))?;
                expr.lower_args(&mut self.graph, &[("x", value.arg)], &self.rule).map_err(|error| raised(&error))
            }
        }
    }
}

#[pymethods]
impl GraphBuilder {
    #[new]
    #[pyo3(signature = (rule=None, axis=None))]
    fn new(rule: Option<rule::Name<'_>>, axis: Option<i64>) -> PyResult<Self> {
        rule::read(rule, axis).map(Self::under)
    }

    /// Adds a plain array or a number of Python; the same array twice is one value.
    pub(crate) fn put(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Value> {
        if let Some((_, node)) = self.arrays.iter().find(|(known, _)| known.is(object)) {
            return Ok(self.value(*node));
        }
        if let Some(array) = array::look(object) {
            if self.record.is_some()
                && array.shape.is_empty()
                && let Some(value) = self.constant(object, array.dtype)?
            {
                return Ok(value);
            }
            let node = self.graph.input(array.dtype, array.shape).map_err(|error| raised(&error))?;
            self.arrays.push((object.clone().unbind(), node));
            return Ok(self.value(node));
        }
        match number::read(object)? {
            Some(literal) => {
                Ok(Value { builder: self.number, arg: Arg::Weak(literal), shape: Vec::new(), dtype: None })
            }
            None => Err(PyTypeError::new_err("an operand is neither a plain array nor a number")),
        }
    }

    /// Adds an operator by its name or an alias of it.
    fn operate(&mut self, name: &str, operands: Vec<PyRef<'_, Value>>) -> PyResult<Value> {
        let args = self.args(&operands)?;
        caught(|| self.added(name, &args))
    }

    /// Adds the choice of one value or another by a mask, always under NumPy's rule.
    fn choose(&mut self, mask: &Value, one: &Value, other: &Value) -> PyResult<Value> {
        let args = [self.arg(mask)?, self.arg(one)?, self.arg(other)?];
        caught(|| {
            let node = operate(&mut self.graph, "where", &args, &Rule::numpy()).map_err(|error| raised(&error))?;
            Ok(self.value(node))
        })
    }

    /// Adds a framework's operator with its attributes.
    fn call(
        &mut self,
        system: &str,
        name: &str,
        operands: Vec<PyRef<'_, Value>>,
        attributes: &Bound<'_, PyDict>,
    ) -> PyResult<Value> {
        let found = System::CALLED.into_iter().find(|known| known.name() == system);
        let system = found.ok_or_else(|| PyValueError::new_err(format!("unknown framework '{system}'")))?;
        let args = self.args(&operands)?;
        let mut read = Vec::with_capacity(attributes.len());
        for (key, value) in attributes.iter() {
            read.push((key.extract::<String>()?, attribute(&value)?));
        }
        let attributes: Vec<(&str, Attribute)> =
            read.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
        caught(|| {
            let node = frameworks::call(&mut self.graph, system, name, &args, &attributes);
            node.map(|node| self.value(node)).map_err(|error| raised(&error))
        })
    }

    /// Adds an expression, its names bound to values.
    fn lower(&mut self, expression: &Expression, values: &Bound<'_, PyDict>) -> PyResult<Value> {
        let py = values.py();
        let mut names = Vec::with_capacity(values.len());
        for (name, value) in values.iter() {
            names.push((name.extract::<String>()?, self.arg(value.cast::<Value>()?.get())?));
        }
        let names: Vec<(&str, Arg)> = names.iter().map(|(name, arg)| (name.as_str(), *arg)).collect();
        let (graph, rule) = (&mut self.graph, &self.rule);
        let mut lower = || expression.expr.lower_args(graph, &names, rule);
        let lowered = caught(|| if expression.is_long() { watch::stoppable(py, lower) } else { Ok(lower()) });
        let node = lowered?.map_err(|error| pointed(py, &error, &expression.text))?;
        self.is_long |= expression.is_long();
        Ok(self.value(node))
    }

    /// Casts a value to a dtype, by its name.
    fn cast(&mut self, value: &Value, dtype: &str) -> PyResult<Value> {
        let to = DType::from_name(dtype).ok_or_else(|| PyTypeError::new_err(format!("unknown dtype '{dtype}'")))?;
        let node = self.node(value)?;
        let node = self.graph.cast(node, to);
        Ok(self.value(node))
    }

    /// Adds a reduction; `initial` makes an array of what it starts with, of the dtype of a name, or says with `False` that there is no start.
    #[pyo3(signature = (name, x, axes, keepdims, *, dtype=None, out=None, mask=None, initial=None, less=0.0, mean=None))]
    #[allow(clippy::too_many_arguments)] // They are keywords.
    fn fold(
        &mut self,
        name: &str,
        x: &Value,
        axes: Option<Vec<i64>>,
        keepdims: bool,
        dtype: Option<&str>,
        out: Option<&str>,
        mask: Option<&Value>,
        initial: Option<Bound<'_, PyAny>>,
        less: f64,
        mean: Option<&Value>,
    ) -> PyResult<Value> {
        let x = self.node(x)?;
        let mask = mask.map(|mask| self.node(mask)).transpose()?;
        let mean = mean.map(|mean| self.node(mean)).transpose()?;
        let start = |dtype: DType| {
            let made = initial.as_ref().map(|initial| initial.call1((dtype.name(),))?.call_method0("item"));
            let literal = number::read(&made.expect("asked where there is one")?)?;
            let scalar = literal.and_then(|literal| number::element(literal, dtype));
            scalar.ok_or_else(|| PyTypeError::new_err("initial must be a single number").into())
        };
        let start = match &initial {
            None => Initial::Unsaid,
            Some(initial) if initial.is_callable() => Initial::Given(&start as Start<'_>),
            Some(_) => Initial::Nothing,
        };
        let [dtype, out] = [dtype, out].map(|name| name.and_then(DType::from_name));
        let steps = Steps { name, x, axes: axes.as_deref(), keepdims, dtype, out, mask, initial: start, less, mean };
        let node = caught(|| {
            steps.build(&mut self.graph).map_err(|stop| match stop {
                Stop::Engine(error) => raised(&error),
                Stop::Raised(error) => *error,
                Stop::Unfit => PyTypeError::new_err("a reduction has steps that there are none of"),
            })
        });
        Ok(self.value(node?))
    }

    /// Broadcasts a value by a rule with a target.
    fn broadcast(&mut self, value: &Value, rule: &str) -> PyResult<Value> {
        let rule: Rule = rule.parse().map_err(|error| error::of_shapes(&error))?;
        let node = self.node(value)?;
        let node = self.graph.broadcast(node, &rule).map_err(|error| raised(&error))?;
        Ok(self.value(node))
    }

    /// Computes a value, into `out` where there is one; `order` is that of a new array: C, F, K or A, by default K.
    #[pyo3(signature = (value, out=None, order=None))]
    pub(crate) fn compute<'py>(
        &mut self,
        py: Python<'py>,
        value: &Value,
        out: Option<Bound<'py, PyAny>>,
        order: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let root = self.node(value)?;
        let place = Order::read(order.as_ref())?;
        let arrays: Vec<Bound<'py, PyAny>> = self.arrays.iter().map(|(array, _)| array.bind(py).clone()).collect();
        // What is held is looked at afterwards, as that may run code of Python's.
        let _held = array::held(arrays.iter().chain(&out));
        let mut operands = Operands::new();
        for (object, (_, node)) in arrays.iter().zip(&self.arrays) {
            match array::look(object) {
                Some(array) if array.shape == self.graph.shape(*node) && array.dtype == self.graph.dtype(*node) => {
                    operands.push(object, &array);
                }
                _ => return Err(PyValueError::new_err("an operand has changed since it was added")),
            }
        }
        let target = match &out {
            None => None,
            Some(out) => {
                let no_array = || PyTypeError::new_err("the output must be a plain array of a supported dtype");
                Some(path::look_out(out)?.ok_or_else(no_array)?)
            }
        };
        let given = target.map(|out| out.array.layout());
        let strides = |dtype: DType, shape: &[usize], operands: &[Vec<isize>]| match given {
            Some(out) if out.shape == shape => out.strides.to_vec(),
            _ => place.strides(dtype.size(), shape, operands),
        };
        let (graph, layouts) = (&self.graph, operands.layouts());
        let plan = || Call::of(graph, root, layouts, strides);
        let planned = caught(|| if self.is_long { watch::stoppable(py, plan) } else { Ok(plan()) });
        let call = planned?.map_err(|error| raised(&error))?;
        self.run(py, call, &operands, target)
    }
}

impl GraphBuilder {
    /// Runs a call, and keeps it where later ones can bring all its arrays.
    fn run<'py>(
        &self,
        py: Python<'py>,
        call: Call,
        operands: &Operands<'_, 'py>,
        out: Option<Out<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let record = self.record.as_ref().filter(|record| record.arrays == self.arrays.len());
        caught(|| {
            let Some(Record { function, rule, words, .. }) = record else { return path::run(py, &call, operands, out) };
            let (operands_of, out_of) = (operands.layouts(), out.map(|out| out.array.layout()));
            let key = Key { function: *function, rule: rule.as_ref(), words, operands: operands_of, out: out_of };
            cached(&key, || Ok(call), |call| path::run(py, call, operands, out)).flatten()
        })
    }
}

/// The order in memory of a new array.
#[derive(Clone, Copy)]
enum Order {
    RowMajor,
    ColumnMajor,
    Operands,
}

impl Order {
    fn read(order: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(order) = order else { return Ok(Self::Operands) };
        match order.extract::<&str>() {
            Ok("C") => Ok(Self::RowMajor),
            Ok("F") => Ok(Self::ColumnMajor),
            Ok("K" | "A") => Ok(Self::Operands),
            Ok(other) => Err(PyValueError::new_err(format!("order is one of C, F, A and K, not '{other}'"))),
            Err(_) => Err(PyTypeError::new_err(format!("order is one of C, F, A and K, not {}", order.get_type()))),
        }
    }

    fn strides(self, size: usize, shape: &[usize], operands: &[Vec<isize>]) -> Vec<isize> {
        let mut axes: Vec<usize> = (0..shape.len()).collect();
        match self {
            Self::RowMajor => {}
            Self::ColumnMajor => axes.reverse(),
            Self::Operands => return order::alike(size, shape, operands),
        }
        order::in_order(size, shape, &axes)
    }
}

/// Makes an attribute's value an object of Python.
fn attribute_value<'py>(py: Python<'py>, value: &Attribute) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Attribute::Bool(value) => value.into_bound_py_any(py),
        Attribute::Int(value) => value.into_bound_py_any(py),
        Attribute::Float(value) => value.into_bound_py_any(py),
        Attribute::Text(value) => value.into_bound_py_any(py),
        Attribute::Ints(values) => values.into_bound_py_any(py),
        Attribute::Floats(values) => values.into_bound_py_any(py),
    }
}

/// Reads the value of an attribute.
pub(crate) fn attribute(value: &Bound<'_, PyAny>) -> PyResult<Attribute> {
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Attribute::Bool(flag.is_true()));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return match value.extract() {
            Ok(ints) => Ok(Attribute::Ints(ints)),
            Err(_) => Ok(Attribute::Floats(value.extract()?)),
        };
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(Attribute::Text(text));
    }
    if let Ok(int) = value.extract::<i64>() {
        return Ok(Attribute::Int(int));
    }
    if let Ok(float) = value.extract::<f64>() {
        return Ok(Attribute::Float(float));
    }
    let kind = value.get_type().name()?.to_string();
    Err(PyTypeError::new_err(format!("an attribute is a number, a text, a flag or a list of numbers, not {kind}")))
}
