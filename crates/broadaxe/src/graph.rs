//! Builds graphs: nodes with known shapes and dtypes, not yet computed.
//!
//! A node is an input, a constant, an operator, a cast, a broadcast or a reduction. Nodes are numbered in the order they are made, operands
//! before operators. A node that is added twice is made once, so that equal sub-expressions are shared.

use std::{
    collections::HashMap,
    fmt,
    hash::{BuildHasher, Hash, Hasher},
};

use broadaxe_kernels::{DType, HasKernels, Kernel, Op, Reduction, cast, copy, find};
use broadaxe_shape::{Alignment, Rule, Shape};

use crate::{
    Scalar,
    error::{Error, ErrorKind},
    stop,
};

mod reduce;

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub(crate) u32);

impl Node {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What makes a node's elements.
#[derive(Clone)]
pub(crate) enum Origin {
    /// The input of this number.
    Input(usize),
    /// One number.
    Constant(Scalar),
    /// A kernel over operands aligned with the node's shape.
    Kernel(Box<Applied>),
    /// Elements of another node, folded.
    Fold(Folded),
}

/// A reduction, of a node of the dtype of its fold.
#[derive(Clone)]
pub(crate) struct Folded {
    pub(crate) reduction: Reduction,
    pub(crate) arg: Node,
    /// The axes that are folded, ascending.
    pub(crate) axes: Vec<usize>,
}

/// A kernel and what it is applied to.
#[derive(Clone)]
pub(crate) struct Applied {
    /// The operator's name, for errors and drawings.
    pub(crate) name: &'static str,
    pub(crate) kernel: &'static Kernel,
    pub(crate) args: Vec<Node>,
    pub(crate) alignment: Alignment,
}

pub(crate) struct Made {
    pub(crate) origin: Origin,
    pub(crate) dtype: DType,
    pub(crate) shape: Shape,
}

/// What tells two reductions apart: name, operands, dtype, shape and axes.
type ReductionKey = (&'static str, Vec<Node>, DType, Shape, Vec<Vec<usize>>);

/// A computation over inputs of known shapes and dtypes.
///
/// ```
/// use broadaxe::{DType, Graph, Rule, ops};
/// let mut graph = Graph::new();
/// let a = graph.input(DType::F32, &[2, 3, 4, 5])?;
/// let b = graph.input(DType::F32, &[3, 4])?;
/// let sum = graph.op(ops::ADD, &Rule::pdpd(1), &[a, b])?;
/// assert_eq!(graph.shape(sum), [2, 3, 4, 5]);
/// # Ok::<(), broadaxe::Error>(())
/// ```
#[derive(Default)]
pub struct Graph {
    nodes: Vec<Made>,
    inputs: usize,
    /// Kernels by the hash of what tells them apart; where two have the same, the later one has the next number that is free.
    made: HashMap<u64, Node>,
    folded: HashMap<ReductionKey, Node>,
    constants: HashMap<Scalar, Node>,
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("nodes", &self.nodes.len()).field("inputs", &self.inputs).finish_non_exhaustive()
    }
}

impl Graph {
    /// Makes an empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    fn push(&mut self, origin: Origin, dtype: DType, shape: Shape) -> Node {
        stop::checkpoint();
        let node = Node(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        stop::push(&mut self.nodes, Made { origin, dtype, shape });
        node
    }

    /// Adds an input; inputs are numbered from 0 in the order they are added.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the shape cannot be counted.
    pub fn input(&mut self, dtype: DType, shape: &[usize]) -> Result<Node, Error> {
        broadaxe_shape::elements(shape)?;
        self.inputs += 1;
        Ok(self.push(Origin::Input(self.inputs - 1), dtype, shape.into()))
    }

    /// Adds a constant of rank 0.
    pub fn constant(&mut self, value: Scalar) -> Node {
        if let Some(&node) = self.constants.get(&value) {
            return node;
        }
        let node = self.push(Origin::Constant(value), value.dtype(), Shape::default());
        self.constants.insert(value, node);
        node
    }

    /// Applies an operator to operands of one dtype, aligned under a rule.
    ///
    /// A variadic operator accepts one operand or more; the rule aligns all of them, and they are folded from the left.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for a wrong number of operands, [`ErrorKind::DType`] for dtypes that differ or that the operator does
    /// not take, [`ErrorKind::Shape`] for shapes that do not broadcast.
    pub fn op(&mut self, op: impl Into<&'static Op>, rule: &Rule, args: &[Node]) -> Result<Node, Error> {
        let op = op.into();
        let enough = if op.is_variadic() { !args.is_empty() } else { args.len() == op.arity() };
        if !enough {
            let want = if op.is_variadic() { String::from("at least 1") } else { op.arity().to_string() };
            return Err(Error::new(
                ErrorKind::Argument,
                format!("{} needs {want} operands, not {}", op.name(), args.len()),
            ));
        }
        let kernel = self.kernel_for(op, args)?;
        if op.is_average() {
            self.average(op, rule, args)
        } else if op.is_variadic() && args.len() != 2 {
            self.fold(op.name(), kernel, rule, args)
        } else {
            self.apply(op.name(), kernel, rule, args)
        }
    }

    /// Finds the kernel for the operands' common dtype.
    fn kernel_for(&self, op: &'static Op, args: &[Node]) -> Result<&'static Kernel, Error> {
        let dtypes: Vec<DType> = args.iter().map(|&arg| self.dtype(arg)).collect();
        let dtype = dtypes[dtypes.len() - 1];
        let kernel = op.kernel(dtype).ok_or_else(|| {
            let dtypes: Vec<_> = op.dtypes().map(DType::name).collect();
            Error::new(
                ErrorKind::DType,
                format!("{} does not accept {dtype}; it accepts {}", op.name(), dtypes.join(", ")),
            )
        })?;
        let wanted = |at: usize| if op.is_variadic() { dtype } else { kernel.inputs()[at] };
        if dtypes.iter().enumerate().all(|(at, &found)| found == wanted(at)) {
            return Ok(kernel);
        }
        if op.arity() == 3 && dtypes[0] != wanted(0) && dtypes[1] == dtypes[2] {
            let text = format!("{} needs {} as its first operand, not {}; cast it", op.name(), wanted(0), dtypes[0]);
            return Err(Error::new(ErrorKind::DType, text));
        }
        Err(Error::mixed(op.name(), &dtypes[usize::from(op.arity() == 3 && dtypes[0] == wanted(0))..]))
    }

    /// Adds a kernel over operands aligned under a rule.
    fn apply(
        &mut self,
        name: &'static str,
        kernel: &'static Kernel,
        rule: &Rule,
        args: &[Node],
    ) -> Result<Node, Error> {
        let shapes: Vec<&[usize]> = args.iter().map(|&arg| self.shape(arg)).collect();
        // One operand is aligned with itself under every rule.
        let alignment =
            if shapes.len() == 1 && !rule.def().target { Rule::numpy().align(&shapes)? } else { rule.align(&shapes)? };
        Ok(self.insert(name, kernel, args, alignment))
    }

    fn insert(&mut self, name: &'static str, kernel: &'static Kernel, args: &[Node], alignment: Alignment) -> Node {
        let mut hash = self.hash(name, kernel, args, &alignment);
        while let Some(&node) = self.made.get(&hash) {
            if self.is_made(node, name, kernel, args, &alignment) {
                return node;
            }
            hash = hash.wrapping_add(1);
        }
        let shape = alignment.shape().clone();
        let origin = Origin::Kernel(Box::new(Applied { name, kernel, args: args.to_vec(), alignment }));
        let node = self.push(origin, kernel.output(), shape);
        self.made.insert(hash, node);
        node
    }

    /// Hashes what tells two kernels apart: name, operands, dtype, shape, and where the operands' axes go.
    fn hash(&self, name: &'static str, kernel: &'static Kernel, args: &[Node], alignment: &Alignment) -> u64 {
        let mut hasher = self.made.hasher().build_hasher();
        (name, args, kernel.output(), alignment.shape()).hash(&mut hasher);
        alignment.operands().iter().for_each(|operand| operand.axes().hash(&mut hasher));
        hasher.finish()
    }

    fn is_made(&self, node: Node, name: &str, kernel: &Kernel, args: &[Node], alignment: &Alignment) -> bool {
        let made = &self.nodes[node.index()];
        let Origin::Kernel(known) = &made.origin else { return false };
        let (one, other) = (known.alignment.operands(), alignment.operands());
        (known.name, made.dtype, &made.shape) == (name, kernel.output(), alignment.shape())
            && known.args == args
            && one.len() == other.len()
            && one.iter().zip(other).all(|(one, other)| one.axes() == other.axes())
    }

    fn fold(&mut self, name: &'static str, kernel: &'static Kernel, rule: &Rule, args: &[Node]) -> Result<Node, Error> {
        // All together first: a rule of two operands only is rejected, and errors name the operands as the caller counts them.
        let shapes: Vec<&[usize]> = args.iter().map(|&arg| self.shape(arg)).collect();
        rule.align(&shapes)?;
        let mut result = args[0];
        for &arg in &args[1..] {
            result = self.apply(name, kernel, rule, &[result, arg])?;
        }
        Ok(result)
    }

    /// Adds up and divides by the count; the halves add in f32 and round once, as ONNX Runtime does.
    fn average(&mut self, op: &'static Op, rule: &Rule, args: &[Node]) -> Result<Node, Error> {
        let dtype = self.dtype(args[0]);
        let wide = if dtype == DType::F64 { dtype } else { DType::F32 };
        let args: Vec<_> = args.iter().map(|&arg| self.cast(arg, wide)).collect();
        let kernel = self.kernel_for(op, &args)?;
        let sum = self.fold("sum", kernel, rule, &args)?;
        let count = self.constant(Scalar::from_f64(wide, args.len() as f64));
        let divide = find("div")
            .and_then(|op| op.kernel(wide))
            .ok_or_else(|| Error::new(ErrorKind::DType, format!("div does not take {wide}")))?;
        let mean = self.apply("mean", divide, &Rule::numpy(), &[sum, count])?;
        Ok(self.cast(mean, dtype))
    }

    /// Casts every element to a dtype; a node of that dtype is returned unchanged.
    ///
    /// Integers wrap; floats round once, to nearest and ties to even; a float becomes the whole number next to it towards zero, clamped
    /// to the range, NaN gives 0; anything but 0 is true.
    pub fn cast(&mut self, node: Node, dtype: DType) -> Node {
        if self.dtype(node) == dtype {
            return node;
        }
        let kernel = cast(self.dtype(node), dtype);
        let alignment = self.identity(node);
        self.insert("cast", kernel, &[node], alignment)
    }

    fn identity(&self, node: Node) -> Alignment {
        match Rule::numpy().align(&[self.shape(node)]) {
            Ok(alignment) => alignment,
            Err(error) => unreachable!("a node's shape was counted when it was made: {error}"),
        }
    }

    /// Broadcasts a node by a rule of one operand: `broadcast-to`, `bidirectional` or `explicit`, with their target.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the shape does not broadcast.
    pub fn broadcast(&mut self, node: Node, rule: &Rule) -> Result<Node, Error> {
        let kernel = copy(self.dtype(node));
        let alignment = rule.align(&[self.shape(node)])?;
        if alignment.operands().len() != 1 {
            let text = format!("the rule {} broadcasts several operands together, not one to a target", rule.name());
            return Err(Error::new(ErrorKind::Argument, text));
        }
        if alignment.is_identity(0) {
            return Ok(node);
        }
        Ok(self.insert("broadcast", kernel, &[node], alignment))
    }

    /// Returns the shape of a node.
    pub fn shape(&self, node: Node) -> &[usize] {
        &self.nodes[node.index()].shape
    }

    /// Returns the dtype of a node.
    pub fn dtype(&self, node: Node) -> DType {
        self.nodes[node.index()].dtype
    }

    /// Counts the inputs.
    pub fn input_count(&self) -> usize {
        self.inputs
    }

    pub(crate) fn made(&self, node: Node) -> &Made {
        &self.nodes[node.index()]
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_nodes_are_made_once() {
        let mut graph = Graph::new();
        let a = graph.input(DType::F32, &[2, 1]).expect("small");
        let b = graph.input(DType::F32, &[2]).expect("small");
        let add = find("add").expect("add");
        let numpy = graph.op(add, &Rule::numpy(), &[a, b]).expect("numpy");
        assert_eq!(graph.op(add, &Rule::numpy(), &[a, b]), Ok(numpy));
        let ncnn = graph.op(add, &Rule::ncnn(), &[a, b]).expect("ncnn");
        assert_ne!(ncnn, numpy);
        assert_eq!((graph.shape(numpy), graph.shape(ncnn)), (&[2, 2][..], &[2, 1][..]));
        assert_eq!(
            graph.constant(Scalar::from_f64(DType::F32, 2.0)),
            graph.constant(Scalar::from_f64(DType::F32, 2.0))
        );
    }

    #[test]
    fn operands_are_checked() {
        let mut graph = Graph::new();
        let f = graph.input(DType::F32, &[2]).expect("small");
        let i = graph.input(DType::I32, &[2]).expect("small");
        let t = graph.input(DType::Bool, &[2]).expect("small");
        let find = |name| find(name).expect("in the table");
        let cases: &[(&str, &[Node], Result<DType, ErrorKind>)] = &[
            ("add", &[f, i], Err(ErrorKind::DType)),
            ("add", &[f], Err(ErrorKind::Argument)),
            ("add", &[t, t], Err(ErrorKind::DType)),
            ("where", &[t, i, i], Ok(DType::I32)),
            ("where", &[i, i, i], Err(ErrorKind::DType)),
            ("where", &[t, i, f], Err(ErrorKind::DType)),
            ("max", &[i], Ok(DType::I32)),
            ("max", &[], Err(ErrorKind::Argument)),
            ("sum", &[f, f, f], Ok(DType::F32)),
            ("mean", &[f, f, f], Ok(DType::F32)),
            ("mean", &[i, i], Err(ErrorKind::DType)),
            ("less", &[i, i], Ok(DType::Bool)),
        ];
        for &(name, args, ref want) in cases {
            let got = graph.op(find(name), &Rule::numpy(), args).map(|node| graph.dtype(node)).map_err(|e| e.kind());
            assert_eq!(got, *want, "{name} of {args:?}");
        }
    }
}
