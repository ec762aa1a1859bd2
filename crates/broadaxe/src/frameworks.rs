//! Operators by the names and attributes that frameworks give them.
//!
//! One table per framework ([`operators`]): name, opset it appears in, dtypes, operands, attributes, rule, and which of
//! our operators it is. [`call`] looks a row up, checks operands and attributes against it, and adds the nodes to a
//! graph. What a row says is what the framework's specification says; where engines deviate, the specification wins.
//!
//! Numbers written in an expression take the dtype of the arrays beside them and count as arrays of rank 0.

mod activation;
mod call;
mod ncnn;
mod onnx;
mod openvino;
mod paddle;
mod row;

use std::fmt;

use broadaxe_kernels::{DType, System};
use broadaxe_shape::Rule;

pub use self::row::{Attr, Row, Values};
use crate::{
    error::{Error, ErrorKind},
    graph::{Graph, Node},
    promote::Literal,
    scalar::Scalar,
};

/// Returns the newest opset of a framework known here; `None` for those without opsets.
pub fn newest_opset(system: System) -> Option<i64> {
    match system {
        System::Onnx => Some(28),
        System::Openvino => Some(17),
        System::Numpy | System::Ncnn | System::Paddle => None,
    }
}

/// Lists the operators of a framework, each once per opset in which it changed; NumPy's are operators of ours.
///
/// ```
/// use broadaxe::{System, frameworks::operators};
/// let add: Vec<_> = operators(System::Onnx).filter(|row| row.name() == "Add").map(|row| row.since()).collect();
/// assert_eq!(add, [1, 6, 7, 13, 14]);
/// ```
pub fn operators(system: System) -> impl Iterator<Item = &'static Row> {
    let parts: [&'static [Row]; 2] = match system {
        System::Numpy => [&[], &[]],
        System::Onnx => [onnx::ROWS, activation::ONNX],
        System::Openvino => [openvino::ROWS, activation::OPENVINO],
        System::Ncnn => [ncnn::ROWS, &[]],
        System::Paddle => [paddle::ROWS, &[]],
    };
    parts.into_iter().flatten()
}

/// One operand of a call.
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    /// An array or the result of another operator.
    Node(Node),
    /// A number, which takes the dtype of the others.
    Weak(Literal),
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// `True` or `False`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a point.
    Float(f64),
    /// A text.
    Text(String),
    /// A list of whole numbers.
    Ints(Vec<i64>),
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{}", Literal::Bool(*value)),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(value) => write!(f, "\"{value}\""),
            Self::Ints(values) => write!(f, "{values:?}"),
        }
    }
}

/// Adds a call of a framework's operator to a graph.
///
/// `opset` among the attributes chooses the opset, by default the newest. An attribute without a name is the
/// operator's first.
///
/// # Errors
/// [`ErrorKind::Name`] for an unknown operator; [`ErrorKind::Argument`] for operands and attributes it does not take;
/// [`ErrorKind::DType`] for dtypes it does not take or that differ; [`ErrorKind::Shape`] where the rule refuses.
pub fn call(
    graph: &mut Graph,
    system: System,
    name: &str,
    args: &[Arg],
    attributes: &[(&str, Attribute)],
) -> Result<Node, Error> {
    check(system, name)?;
    call::run(graph, system, name, args, attributes)
}

/// Operators that people look for here and that are not element-wise.
const ELSEWHERE: &[&str] = &[
    "ArgMax",
    "ArgMin",
    "Attention",
    "AveragePool",
    "BatchNormalization",
    "Concat",
    "Conv",
    "Convolution",
    "CumSum",
    "Einsum",
    "FullyConnected",
    "Gather",
    "Gemm",
    "GlobalAveragePool",
    "InnerProduct",
    "LayerNormalization",
    "LogSoftmax",
    "MVN",
    "MatMul",
    "MaxPool",
    "NormalizeL2",
    "Pad",
    "Permute",
    "RMSNormalization",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceSum",
    "Reshape",
    "Slice",
    "Softmax",
    "Split",
    "Squeeze",
    "SwiGLU",
    "Tile",
    "Transpose",
    "Unsqueeze",
    "matmul",
    "matmul_v2",
    "reshape",
    "softmax",
    "transpose",
];

/// Checks that a framework has an element-wise operator of this name.
pub(crate) fn check(system: System, name: &str) -> Result<(), Error> {
    if operators(system).any(|row| row.name() == name) {
        return Ok(());
    }
    let shown: String = name.chars().take(40).collect();
    let full = format!("{}.{shown}", system.name());
    if ELSEWHERE.contains(&name) {
        let message = format!("{full} is not element-wise; only element-wise operators can be called");
        return Err(Error::new(ErrorKind::Name, message));
    }
    let near = nearest(name, operators(system).map(Row::name));
    Err(Error::new(ErrorKind::Name, format!("there is no element-wise operator {full}{near}")))
}

/// Returns the end of a sentence that offers the names most like this one: `; did you mean 'sqrt'?`, or nothing.
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    if name.len() > 64 {
        return String::new();
    }
    let wanted = name.to_lowercase();
    let limit = (wanted.chars().count() / 4 + 1).min(3);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for other in names {
        let distance = edits(&wanted, &other.to_lowercase());
        if distance <= limit && !found.contains(&(distance, other)) {
            found.push((distance, other));
        }
    }
    found.sort_unstable();
    let names: Vec<String> = found.iter().take(3).map(|(_, name)| format!("'{name}'")).collect();
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(" or ")) }
}

/// Counts the letters to insert, drop or replace that make one word of another (Levenshtein).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// Adds a number as a constant of this dtype.
///
/// # Errors
/// [`ErrorKind::Value`] when the dtype does not hold it: out of range, or a float for an integer.
pub(crate) fn constant(graph: &mut Graph, literal: Literal, dtype: DType) -> Result<Node, Error> {
    let scalar = match (literal, dtype) {
        (_, DType::Bool) => Some(Scalar::from_bool(literal.to_f64() != 0.0)),
        (_, float) if float.is_float() => Some(Scalar::from_f64(float, literal.to_f64())),
        (Literal::Bool(value), _) => Scalar::from_i128(dtype, i128::from(value)),
        (Literal::Int(value), _) => Scalar::from_i128(dtype, value),
        (Literal::Float(_), _) => {
            let message = format!("{literal} is a float beside {dtype}; write a whole number or cast the array");
            return Err(Error::new(ErrorKind::Value, message));
        }
    };
    scalar.map(|scalar| graph.constant(scalar)).ok_or_else(|| {
        let (low, high) = range(dtype);
        Error::new(ErrorKind::Value, format!("{literal} is out of bounds for {dtype}, which holds {low} to {high}"))
    })
}

/// Returns the least and the greatest value of an integer dtype.
pub(crate) fn range(dtype: DType) -> (i128, i128) {
    let bits = 8 * dtype.size();
    if dtype.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// Adds one of our operators; on bool, sums and products become or and and, and bits become truth.
pub(crate) fn emit(graph: &mut Graph, name: &str, rule: &Rule, nodes: &[Node]) -> Result<Node, Error> {
    let dtype = nodes.last().map(|node| graph.dtype(*node));
    let name = if dtype == Some(DType::Bool) { of_bool(name) } else { name };
    let Some(op) = broadaxe_kernels::find(name) else {
        return Err(Error::new(ErrorKind::Name, format!("there is no operator '{name}'")));
    };
    if nodes.len() > op.arity() && !op.is_variadic() {
        let mut sum = nodes[0];
        for node in &nodes[1..] {
            sum = graph.op(op, rule, &[sum, *node])?;
        }
        return Ok(sum);
    }
    graph.op(op, rule, nodes)
}

/// Returns what an operator is on bool, where it is an operator of its own.
fn of_bool(name: &str) -> &str {
    match name {
        "add" | "sum" | "max" | "fmax" | "bitwise_or" => "logical_or",
        "mul" | "min" | "fmin" | "bitwise_and" => "logical_and",
        "bitwise_xor" => "logical_xor",
        "bitwise_not" => "logical_not",
        other => other,
    }
}
