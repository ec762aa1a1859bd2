//! Evaluations that are planned once: what an expression or an operator decided for operands that lie alike is found again.
//!
//! Operands are arrays that can be borrowed as they are, and numbers of Python, whose values are part of the plan.

use std::sync::{Arc, Mutex, PoisonError};

use broadaxe::{Error, Evaluation, Graph, Node, Options, Rule, View, frameworks::Arg, promote::Literal};
use broadaxe_kernels::Progress;
use pyo3::{prelude::*, types::PyTuple};

use crate::{
    array::{self, Strided},
    error::{caught, raised},
    number, order, watch,
};

/// The plans that are kept for each expression and operator.
const KEPT: usize = 8;

/// A plan, and what it was made for.
struct Plan {
    rule: Rule,
    key: Vec<usize>,
    /// Shared with those who run it.
    planned: Arc<Evaluation<'static>>,
    /// The strides of the result; row-major ones are left to NumPy.
    strides: Vec<isize>,
}

/// The plans of an expression or an operator, the newest last.
#[derive(Default)]
pub(crate) struct Plans(Mutex<Vec<Plan>>);

/// What was found or made.
struct Found {
    planned: Arc<Evaluation<'static>>,
    strides: Vec<isize>,
}

/// Operands as they were passed.
struct Given<'a> {
    arrays: Vec<Strided<'a>>,
    /// The number of each operand among the arrays, or what number it is.
    operands: Vec<Result<usize, Literal>>,
    /// Words that say how all operands lie, and `out`.
    key: Vec<usize>,
}

impl<'a> Given<'a> {
    /// Reads operands; `None` where one is neither a plain array nor a number.
    fn read(objects: &'a [Bound<'_, PyAny>], out: Option<&Strided<'_>>) -> PyResult<Option<Self>> {
        let mut given = Self { arrays: Vec::new(), operands: Vec::new(), key: Vec::with_capacity(8 * objects.len()) };
        for object in objects {
            if let Some(array) = array::look(object) {
                given.operands.push(Ok(given.arrays.len()));
                given.note(&array);
                given.arrays.push(array);
            } else if let Some(literal) = number::read(object)? {
                given.key.extend(match literal {
                    Literal::Bool(value) => [usize::MAX, usize::from(value), 0],
                    Literal::Int(value) => [usize::MAX - 1, value as usize, (value >> 64) as usize],
                    Literal::Float(value) => [usize::MAX - 2, value.to_bits() as usize, 0],
                });
                given.operands.push(Err(literal));
            } else {
                return Ok(None);
            }
        }
        given.key.push(usize::MAX - 3);
        if let Some(out) = out {
            given.note(out);
        }
        Ok(Some(given))
    }

    fn note(&mut self, array: &Strided<'_>) {
        self.key.push(array.shape.len() << 8 | array.dtype as usize);
        self.key.extend(array.shape);
        self.key.extend(array.strides.iter().map(|stride| stride.cast_unsigned()));
    }
}

impl Plans {
    fn find(&self, rule: &Rule, key: &[usize]) -> Option<Found> {
        let plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let plan = plans.iter().rev().find(|plan| plan.key == key && plan.rule == *rule)?;
        Some(Found { planned: Arc::clone(&plan.planned), strides: plan.strides.clone() })
    }

    fn keep(&self, plan: Plan) {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() >= KEPT {
            plans.remove(0);
        }
        plans.push(plan);
    }

    /// Computes what `lower` makes of operands, into `out` where there is one; `None` where an operand is neither a plain array nor a
    /// number, `out` is no plain array of the result's shape and dtype, or the result is beyond the budget.
    ///
    /// # Errors
    /// What `lower` refuses, and what comes of the evaluation.
    pub(crate) fn answer<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        rule: &Rule,
        out: Option<&Bound<'py, PyAny>>,
        lower: impl FnOnce(&mut Graph, &[Arg], &Rule) -> PyResult<Node>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, objects) = (args.py(), args.iter().collect::<Vec<_>>());
        let target = match out.map(array::look) {
            Some(None) => return Ok(None),
            target => target.flatten(),
        };
        if target.is_some_and(|target| !target.is_writeable) {
            return Ok(None);
        }
        let Some(given) = Given::read(&objects, target.as_ref())? else { return Ok(None) };
        let found = match self.find(rule, &given.key) {
            Some(found) => found,
            None => match self.plan(&given, rule, target.as_ref(), lower)? {
                Some(found) => found,
                None => return Ok(None),
            },
        };
        let planned = &found.planned;
        let (shape, dtype) = (planned.shape(), planned.dtype());
        let made = match out {
            Some(out) => out.clone(),
            None => array::allocate(py, dtype, shape, Some(&found.strides))?,
        };
        let own = || Strided::new_one(&made, dtype, shape, &found.strides);
        let lent = target.unwrap_or_else(own).target()?;
        let views = given.arrays.iter().map(Strided::view).collect::<PyResult<Vec<View<'_>>>>()?;
        let evaluation = planned.over(views).map_err(|error| raised(&error))?;
        let work = |progress: Option<Progress<'_>>| evaluation.with_progress(progress).run_onto(lent.take());
        let done = watch::run(py, planned.nanos(), objects.iter().chain([&made]).cloned(), work)?;
        done.map_err(|error| raised(&error))?;
        if out.is_some() { Ok(Some(made)) } else { array::scalar(made, shape.len()).map(Some) }
    }

    /// Plans the evaluation of what `lower` makes of operands, and keeps it.
    fn plan(
        &self,
        given: &Given<'_>,
        rule: &Rule,
        out: Option<&Strided<'_>>,
        lower: impl FnOnce(&mut Graph, &[Arg], &Rule) -> PyResult<Node>,
    ) -> PyResult<Option<Found>> {
        let ours = |error: Error| raised(&error);
        let mut graph = Graph::new();
        let nodes = given.arrays.iter().map(|array| graph.input(array.dtype, array.shape));
        let nodes = nodes.collect::<Result<Vec<Node>, _>>().map_err(ours)?;
        let arg = |operand: &Result<usize, Literal>| operand.map_or_else(Arg::Weak, |at| Arg::Node(nodes[at]));
        let args: Vec<Arg> = given.operands.iter().map(arg).collect();
        let root = lower(&mut graph, &args, rule)?;
        let (shape, dtype) = (graph.shape(root).to_vec(), graph.dtype(root));
        if out.is_some_and(|out| out.shape != shape || out.dtype != dtype) {
            return Ok(None);
        }
        let bytes = shape.iter().try_fold(dtype.size() as u64, |bytes, &dim| bytes.checked_mul(dim as u64));
        let is_beyond = |budget: u64| bytes.is_none_or(|bytes| bytes > budget);
        if out.is_none() && broadaxe::default_budget().is_some_and(is_beyond) {
            return Ok(None);
        }
        let strides = match out {
            Some(out) => out.strides.to_vec(),
            None => order::of_arrays(dtype.size(), &shape, &given.arrays),
        };
        let lie = |array: &Strided<'_>| View::of_lie(array.dtype, array.shape, array.strides);
        let views = given.arrays.iter().map(lie).collect::<Result<Vec<View<'static>>, _>>().map_err(ours)?;
        let options = Options { strides: Some(strides.clone()), is_lent: out.is_some(), ..Options::default() };
        let planned = Arc::new(Evaluation::new(&graph, root, views, options).map_err(ours)?);
        let (rule, key) = (rule.clone(), given.key.clone());
        self.keep(Plan { rule, key, planned: Arc::clone(&planned), strides: strides.clone() });
        Ok(Some(Found { planned, strides }))
    }
}

/// As [`Plans::answer`]; a panic is a `RuntimeError`.
pub(crate) fn answer<'py>(
    plans: &Plans,
    args: &Bound<'py, PyTuple>,
    rule: &Rule,
    out: Option<&Bound<'py, PyAny>>,
    lower: impl FnOnce(&mut Graph, &[Arg], &Rule) -> PyResult<Node>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    caught(|| plans.answer(args, rule, out, lower))
}
