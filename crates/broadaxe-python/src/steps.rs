//! Builds reductions: the steps of each as nodes of a graph.
//!
//! A reduction is one fused evaluation. Masks, casts, means that are subtracted again and quotients are nodes like any other, and no
//! temporary of the array's shape is made.

use broadaxe::{DType, Graph, Node, Reduction, Rule, Scalar, expr::operate, frameworks::Arg, promote::promote};
use pyo3::exceptions::{PyTypeError, PyValueError};

use crate::{error::of_shapes, number::numpy_name, path::Stop};

/// What a fold starts with, in a dtype.
pub(crate) type Start<'a> = &'a dyn Fn(DType) -> Result<Scalar, Stop>;

/// Whether a fold is told what it starts with.
#[derive(Clone, Copy, Default)]
pub(crate) enum Initial<T> {
    /// It starts with its identity, if it has one.
    #[default]
    Unsaid,
    /// It starts with its first element.
    Nothing,
    Given(T),
}

impl<T> Initial<T> {
    pub(crate) fn given(self) -> Option<T> {
        if let Self::Given(start) = self { Some(start) } else { None }
    }

    pub(crate) fn is_said(&self) -> bool {
        !matches!(self, Self::Unsaid)
    }
}

/// A reduction of a node.
#[derive(Clone, Copy)]
pub(crate) struct Steps<'a> {
    pub(crate) name: &'a str,
    pub(crate) x: Node,
    pub(crate) axes: Option<&'a [i64]>,
    pub(crate) keepdims: bool,
    /// The dtype to compute in, and that of the output.
    pub(crate) dtype: Option<DType>,
    pub(crate) out: Option<DType>,
    /// A mask of the node's shape.
    pub(crate) mask: Option<Node>,
    pub(crate) initial: Initial<Start<'a>>,
    /// What the count is diminished by, and the mean where it is known.
    pub(crate) less: f64,
    pub(crate) mean: Option<Node>,
}

/// Returns a number as an element of a dtype.
fn element(value: f64, dtype: DType) -> Scalar {
    match dtype {
        DType::Bool => Scalar::from_bool(value != 0.0),
        _ => Scalar::from_i128(dtype, value as i128).unwrap_or_else(|| Scalar::from_f64(dtype, value)),
    }
}

fn op(graph: &mut Graph, name: &str, operands: &[Node]) -> Result<Node, Stop> {
    let args: Vec<Arg> = operands.iter().map(|&node| Arg::Node(node)).collect();
    Ok(operate(graph, name, &args, &Rule::numpy())?)
}

/// A count of elements: known, or a node where a mask leaves some out.
enum Count {
    Known(usize),
    Node(Node),
}

impl Steps<'_> {
    /// Adds the reduction to a graph.
    ///
    /// # Errors
    /// `ValueError` where nothing is folded and there is no start; `TypeError` for dtypes that the reduction does not compute in.
    pub(crate) fn build(mut self, graph: &mut Graph) -> Result<Node, Stop> {
        let wanted = self.mask;
        if self.leaves_nan(graph) {
            let nan = op(graph, "isnan", &[self.x])?;
            let number = op(graph, "logical_not", &[nan])?;
            self.mask = Some(match wanted {
                Some(mask) => op(graph, "logical_and", &[mask, number])?,
                None => number,
            });
        }
        match self.plain() {
            "mean" => self.mean(graph),
            "var" | "std" => self.deviation(graph),
            name @ ("argmax" | "argmin") => self.fold(graph, name, self.x, self.keepdims),
            name => self.join(graph, name, wanted.is_some()),
        }
    }

    /// Returns the name of the reduction that this one is without NaN.
    fn plain(&self) -> &str {
        self.name.strip_prefix("nan").unwrap_or(self.name)
    }

    fn leaves_nan(&self, graph: &Graph) -> bool {
        self.name.starts_with("nan") && graph.dtype(self.x).is_float()
    }

    fn fold(&self, graph: &mut Graph, name: &str, node: Node, keepdims: bool) -> Result<Node, Stop> {
        let unknown = || PyValueError::new_err(format!("unknown reduction '{name}'"));
        let reduction = Reduction::from_name(name).ok_or_else(unknown)?;
        Ok(graph.reduce(reduction, node, self.axes, keepdims)?)
    }

    /// Replaces what the mask leaves out.
    fn masked(&self, graph: &mut Graph, node: Node, by: Scalar) -> Result<Node, Stop> {
        let Some(mask) = self.mask else { return Ok(node) };
        let by = graph.constant(by);
        op(graph, "where", &[mask, node, by])
    }

    /// Returns the dtype that is asked for, if any.
    fn asked(&self, graph: &Graph) -> Option<DType> {
        self.dtype.or_else(|| self.out.map(|out| promote(out, graph.dtype(self.x))))
    }

    /// Counts the elements that are folded.
    fn count(&self, graph: &mut Graph, keepdims: bool) -> Result<Count, Stop> {
        if let Some(mask) = self.mask {
            let ones = graph.cast(mask, DType::I64);
            return self.fold(graph, "sum", ones, keepdims).map(Count::Node);
        }
        let shape = graph.shape(self.x);
        let dim = |&axis: &i64| shape[(if axis < 0 { axis + shape.len() as i64 } else { axis }) as usize];
        Ok(Count::Known(self.axes.map_or_else(|| shape.iter().product(), |axes| axes.iter().map(dim).product())))
    }

    /// Sums in a dtype, whatever the engine would choose.
    fn sum_to(&self, graph: &mut Graph, node: Node, dtype: DType, keepdims: bool) -> Result<Node, Stop> {
        let node = graph.cast(node, dtype);
        let sum = self.fold(graph, "sum", node, keepdims)?;
        Ok(graph.cast(sum, dtype))
    }

    /// Adds what folds by an operator, from a start where there is one; `is_masked` says whether a mask was given.
    fn join(&self, graph: &mut Graph, plain: &str, is_masked: bool) -> Result<Node, Stop> {
        let is_extreme = matches!(plain, "max" | "min");
        let has_identity = match self.initial {
            Initial::Unsaid => !is_extreme,
            start => start.given().is_some(),
        };
        if is_masked && !has_identity {
            let text = "does not have an identity, so to use a where mask one has to specify 'initial'";
            return Err(PyValueError::new_err(format!("reduction operation '{}' {text}", self.name)).into());
        }
        let asked = self.asked(graph).filter(|_| !matches!(plain, "any" | "all"));
        let mut value = asked.map_or(self.x, |dtype| graph.cast(self.x, dtype));
        let name = match (plain, asked) {
            ("sum", Some(DType::Bool)) => "any",
            ("prod", Some(DType::Bool)) => "all",
            (name, _) => name,
        };
        if self.initial.is_said() && self.folds_nothing(graph) {
            return self.of_nothing(graph, if is_extreme { "any" } else { name }, value);
        }
        if self.mask.is_some() {
            let by = self.neutral(plain, graph.dtype(value))?;
            value = self.masked(graph, value, by)?;
        }
        let mut root = self.fold(graph, name, value, self.keepdims)?;
        root = asked.map_or(root, |dtype| graph.cast(root, dtype));
        let dtype = graph.dtype(root);
        if let Initial::Given(start) = self.initial {
            let start = graph.constant(start(dtype)?);
            let joined = op(graph, joining(name), &[start, root])?;
            root = graph.cast(joined, dtype);
        }
        if let (Some(mask), true, false) = (self.mask, is_extreme, has_identity) {
            let left = self.fold(graph, "any", mask, self.keepdims)?;
            let nan = graph.constant(Scalar::from_f64(dtype, f64::NAN));
            root = op(graph, "where", &[left, root, nan])?;
        }
        Ok(root)
    }

    fn folds_nothing(&self, graph: &mut Graph) -> bool {
        let whole = Self { mask: None, ..*self };
        graph.shape(self.x).contains(&0) && matches!(whole.count(graph, false), Ok(Count::Known(0)))
    }

    /// Returns what no elements give: the start, in every element of the result.
    fn of_nothing(&self, graph: &mut Graph, name: &str, value: Node) -> Result<Node, Stop> {
        let folded = self.fold(graph, name, value, self.keepdims)?;
        let is_extreme = matches!(self.plain(), "max" | "min");
        let dtype = graph.dtype(if is_extreme || self.dtype.is_some() { value } else { folded });
        let shape = graph.shape(folded).to_vec();
        let scalar = match self.initial.given() {
            Some(start) => start(dtype)?,
            None if shape.contains(&0) => element(0.0, dtype),
            None => {
                let text = format!("zero-size array to reduction operation {} which has no identity", self.name);
                return Err(PyValueError::new_err(text).into());
            }
        };
        let constant = graph.constant(scalar);
        spread(graph, constant, &shape)
    }

    /// Returns the value of elements that a mask leaves out.
    fn neutral(&self, plain: &str, dtype: DType) -> Result<Scalar, Stop> {
        let value = match (plain, self.initial) {
            ("max" | "min", Initial::Given(start)) => return start(dtype),
            ("max", _) => f64::NEG_INFINITY,
            ("min", _) => f64::INFINITY,
            // A start of -0.0 stays -0.0. Where NaN is left out, 0.0 is in its place, as in NumPy.
            ("sum", Initial::Nothing | Initial::Given(_)) if !self.name.starts_with("nan") => -0.0,
            ("prod" | "all", _) => 1.0,
            _ => 0.0,
        };
        Ok(if dtype.is_float() { Scalar::from_f64(dtype, value) } else { element(value, dtype) })
    }

    /// Returns the dtypes that a mean or a variance computes in and gives.
    fn inner(&self, graph: &Graph) -> (DType, DType) {
        let own = graph.dtype(self.x);
        let dtype = self.asked(graph).unwrap_or(if own.is_float() { own } else { DType::F64 });
        let dtype = if dtype.is_float() || self.dtype.is_some() { dtype } else { DType::F64 };
        (if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype }, dtype)
    }

    fn mean(&self, graph: &mut Graph) -> Result<Node, Stop> {
        let (inner, dtype) = self.inner(graph);
        if self.leaves_nan(graph) && !dtype.is_float() {
            let text = format!("{} of floats is a float; its dtype cannot be {}", self.name, numpy_name(dtype));
            return Err(PyTypeError::new_err(text).into());
        }
        if self.mask.is_none() && inner.is_float() && inner == dtype && dtype == graph.dtype(self.x) {
            return self.fold(graph, "mean", self.x, self.keepdims);
        }
        let x = graph.cast(self.x, inner);
        let value = self.masked(graph, x, element(0.0, inner))?;
        let total = self.sum_to(graph, value, inner, self.keepdims)?;
        let count = self.count(graph, self.keepdims)?;
        let mean = quotient(graph, total, count, 0.0, 0.0)?;
        Ok(graph.cast(mean, dtype))
    }

    /// Adds the mean of the squared distances from the mean, or its root.
    fn deviation(&self, graph: &mut Graph) -> Result<Node, Stop> {
        let (inner, dtype) = self.inner(graph);
        if !inner.is_float() {
            let text = format!("{} is computed in floats; its dtype cannot be {}", self.name, numpy_name(dtype));
            return Err(PyTypeError::new_err(text).into());
        }
        let (x, zero) = (graph.cast(self.x, inner), element(0.0, inner));
        let mean = if let Some(mean) = self.mean {
            graph.cast(mean, inner)
        } else {
            let value = self.masked(graph, x, zero)?;
            let total = self.sum_to(graph, value, inner, true)?;
            let count = self.count(graph, true)?;
            quotient(graph, total, count, 0.0, 0.0)?
        };
        let distance = op(graph, "sub", &[x, mean])?;
        let squares = op(graph, "mul", &[distance, distance])?;
        let squares = self.masked(graph, squares, zero)?;
        let total = self.sum_to(graph, squares, inner, self.keepdims)?;
        let count = self.count(graph, self.keepdims)?;
        // NumPy leaves no degree of freedom undefined where NaN is left out, and infinite elsewhere.
        let least = if self.leaves_nan(graph) { f64::NAN } else { 0.0 };
        let mut root = quotient(graph, total, count, self.less, least)?;
        if self.plain() == "std" {
            root = op(graph, "sqrt", &[root])?;
        }
        Ok(graph.cast(root, dtype))
    }
}

/// Returns the operator that a reduction folds by.
fn joining(name: &str) -> &str {
    match name {
        "sum" => "add",
        "prod" => "mul",
        "any" => "logical_or",
        "all" => "logical_and",
        name => name,
    }
}

/// Divides a sum by the count of its elements less a number; by `least` where fewer than one are left.
fn quotient(graph: &mut Graph, total: Node, count: Count, less: f64, least: f64) -> Result<Node, Stop> {
    let wide = if graph.dtype(total).is_float() { total } else { graph.cast(total, DType::F64) };
    let dtype = graph.dtype(wide);
    let count = match count {
        Count::Known(count) => {
            let left = count as f64 - less;
            graph.constant(Scalar::from_f64(dtype, if left > 0.0 { left } else { least }))
        }
        Count::Node(count) => {
            let [less, zero, least] =
                [less, 0.0, least].map(|number| graph.constant(Scalar::from_f64(DType::F64, number)));
            let count = graph.cast(count, DType::F64);
            let left = op(graph, "sub", &[count, less])?;
            let some = op(graph, "greater", &[left, zero])?;
            let left = op(graph, "where", &[some, left, least])?;
            graph.cast(left, dtype)
        }
    };
    op(graph, "div", &[wide, count])
}

/// Broadcasts a node to a shape.
///
/// # Errors
/// The engine's, where it does not broadcast to it.
pub(crate) fn spread(graph: &mut Graph, node: Node, shape: &[usize]) -> Result<Node, Stop> {
    if graph.shape(node) == shape {
        return Ok(node);
    }
    let dims: Vec<String> = shape.iter().map(usize::to_string).collect();
    let text = format!("broadcast-to target={}", if dims.is_empty() { "()".to_owned() } else { dims.join(",") });
    let rule: Rule = text.parse().map_err(|error| of_shapes(&error))?;
    Ok(graph.broadcast(node, &rule)?)
}
