//! Operators by the names and attributes that frameworks give them.
//!
//! The tables are those of [`broadaxe_frameworks`]; [`call`] checks operands and attributes against a row and adds the
//! nodes to a graph. What a row says is what the framework's specification says; where engines deviate, the specification
//! wins.
//!
//! Numbers written in an expression take the dtype of the arrays they meet and count as arrays of rank 0.

mod builder;

mod layers;

mod recipes;

mod call;

pub use call::apply;

pub use broadaxe_frameworks::{
    Arithmetic, Attr, Attribute, Attributes, Choice, Kind, Name, OperandType, Reads, Recipe, Row, RuleBy, Values, When,
    Wiring, called, computing, find, known, names, newest, operators,
};
use broadaxe_frameworks::{is_elsewhere, on_bool};
use broadaxe_kernels::{DType, OpId};
use broadaxe_shape::Rule;

use crate::{
    Scalar, System,
    error::{Error, ErrorKind},
    graph::{Graph, Node},
    promote::Literal,
};

/// One operand of a call.
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    /// An array or the result of another operator.
    Node(Node),
    /// A number, with the dtype of the other operands.
    Weak(Literal),
}

/// Adds a call of a framework's operator to a graph.
///
/// `opset` among the attributes chooses the opset, by default the newest. An attribute without a name is the
/// operator's first.
///
/// # Errors
/// [`ErrorKind::Name`] for an unknown operator; [`ErrorKind::Argument`] for operands and attributes it does not take;
/// [`ErrorKind::DType`] for dtypes it does not take or that differ; [`ErrorKind::Shape`] where the rule rejects.
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

/// Adds operators in turn, each applied to the result before it and to the next operand, if it is binary; those without an
/// operand left are skipped.
///
/// # Errors
/// [`ErrorKind::Argument`] without an operand; otherwise those of [`Graph::op`].
pub fn steps(graph: &mut Graph, ops: &[OpId], rule: &Rule, nodes: &[Node]) -> Result<Node, Error> {
    let mut rest = nodes.iter();
    let Some(&(mut result)) = rest.next() else {
        return Err(Error::new(ErrorKind::Argument, "it has no operand"));
    };
    for op in ops {
        let mut args = vec![result];
        args.extend(rest.by_ref().take(op.op().arity() - 1));
        if args.len() < op.op().arity() {
            break;
        }
        result = emit_op(graph, *op, rule, &args)?;
    }
    Ok(result)
}

/// Checks that a framework has an element-wise operator of this name.
pub(crate) fn check(system: System, name: &str) -> Result<(), Error> {
    if operators(system).any(|row| row.name() == name) {
        return Ok(());
    }
    let shown: String = name.chars().take(40).collect();
    let full = format!("{}.{shown}", system.name());
    if is_elsewhere(name) {
        let message = format!("{full} is not element-wise; only element-wise operators can be called");
        return Err(Error::new(ErrorKind::Name, message));
    }
    let near = nearest(name, operators(system).map(Row::name));
    Err(Error::new(ErrorKind::Name, format!("unknown element-wise operator {full}{near}")))
}

/// Returns the end of a sentence that offers the names most like this one: `; did you mean 'sqrt'?`, or nothing.
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
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
            let message =
                format!("{literal} is a float and the array is {dtype}; write a whole number or cast the array");
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
    match OpId::find(name) {
        Some(op) => emit_op(graph, op, rule, nodes),
        None => Err(Error::new(ErrorKind::Name, format!("unknown operator '{name}'"))),
    }
}

/// Adds one of our operators, as [`emit`].
pub(crate) fn emit_op(graph: &mut Graph, op: OpId, rule: &Rule, nodes: &[Node]) -> Result<Node, Error> {
    let dtype = nodes.last().map(|node| graph.dtype(*node));
    let op = if dtype == Some(DType::Bool) { on_bool(op) } else { op }.op();
    if nodes.len() > op.arity() && !op.is_variadic() {
        let mut sum = nodes[0];
        for node in &nodes[1..] {
            sum = graph.op(op, rule, &[sum, *node])?;
        }
        return Ok(sum);
    }
    graph.op(op, rule, nodes)
}
