//! Axes that MNN removes too late: behind a convolution along one axis, which has four axes within MNN, and behind a `Squeeze`.
//!
//! The pass `Conv1dSqueezeMove` puts a sum, a `Relu` and what becomes one before the `Squeeze`, by which the sum may meet another axis; an output of
//! the model is then the tensor with all axes. The sum has a constant of rank 0 or 1, and the `Squeeze` is written with one axis as an
//! attribute, or is that of a product with a list. About 560 models were asked.

use broadaxe_frameworks::Role;
use broadaxe_kernels::id;
use broadaxe_shape::SymbolicShape;

use super::super::{
    Asked, Does,
    neighbours::{REACH, numbers},
};
use crate::graph::{Node, ValueId};

/// What removes an axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Remover {
    /// A convolution along one axis.
    Convolution,
    /// A `Squeeze`.
    Squeeze,
    /// A product of matrices of which one is a list.
    Product,
}

/// Says whether an output of the model is what the node gives, with axes that it has within MNN only.
pub(super) fn is_shown(asked: &Asked<'_>) -> Option<bool> {
    Some(shows(asked, asked.node.output(0)?, REACH))
}

/// Says whether an output of the model is what a 1-D convolution gives, with the axis that it has within MNN.
///
/// Where a node makes the data, and their channels or length are open in the file, the axis is removed: of 1,152 models that were asked, all such were right.
pub(super) fn is_shown_conv(asked: &Asked<'_>) -> Option<bool> {
    Some(keeps_rank(asked, asked.node) && is_shown(asked)?)
}

fn keeps_rank(asked: &Asked<'_>, conv: &Node) -> bool {
    let Some(data) = conv.input(0) else { return false };
    let open = || asked.facts.in_file(data).or_else(|| asked.shape(data)).and_then(SymbolicShape::dims);
    let open = open().is_some_and(|dims| dims.iter().skip(1).any(|dim| dim.size().is_none()));
    !open || asked.producer(asked.origin(data)).is_none()
}

fn shows(asked: &Asked<'_>, value: ValueId, reach: usize) -> bool {
    let next =
        |node: &Node, operand: usize| reach > 0 && (operand == 0 && is_moved(asked, node) || is_moved_sum(asked, node));
    let behind = |node: &Node| node.output(0).is_some_and(|value| shows(asked, value, reach - 1));
    asked.facts.is_output(value) || asked.readers(value).any(|(node, operand)| next(node, operand) && behind(node))
}

/// Says whether a node that is put before a `Squeeze` shows the axis.
pub(super) fn keeps_axis(asked: &Asked<'_>) -> Option<bool> {
    let moved = is_moved(asked, asked.node);
    let found = asked.node.input(0).filter(|_| moved).and_then(|data| source(asked, data));
    let lost = matches!(found, Some((_, Remover::Convolution | Remover::Squeeze)));
    Some(lost && is_shown(asked)?)
}

/// Finds a sum that is put before a `Squeeze`.
pub(super) fn sum(asked: &Asked<'_>) -> Option<Does> {
    if asked.operator() != Some(id("add")) && asked.node.op != "Sum" || asked.operands.len() != 2 {
        return None;
    }
    let constant = (0..2).find(|&k| asked.constants[k] && !asked.constants[1 - k])?;
    if asked.operands.rank(constant).is_some_and(|rank| rank > 1) {
        return None;
    }
    let (node, source) = source(asked, asked.value(1 - constant)?)?;
    let rank = i64::try_from(asked.operands.rank(1 - constant)?).ok()?;
    let axis = match source {
        Remover::Convolution => return None,
        Remover::Squeeze => match numbers(node, "axes")?[..] {
            [axis] if axis != -1 && axis != 3 => axis,
            _ => return None,
        },
        Remover::Product => i64::from(asked.shape(node.input(1)?)?.rank()? == 1),
    };
    // A constant with one number per column becomes the bias of the product before that: asked of 1,671 models.
    let direct = asked.value(1 - constant).filter(|value| asked.is_single(*value));
    let direct = direct.and_then(|value| asked.producer(value)).is_some_and(|made| std::ptr::eq(made, node));
    let columns = asked.operands[1 - constant].dims().and_then(|dims| dims.last()?.size());
    if source == Remover::Product && axis == 0 && direct && columns.is_some() && asked.elements(constant) == columns {
        return None;
    }
    let last = axis == rank || axis == -1;
    let text = "adds before the axis is squeezed, so a model output keeps it";
    let misplaced = last && asked.elements(constant) != Some(1);
    (misplaced || is_shown(asked)?).then(|| Does::Garbled(text.into()))
}

/// Follows a value to the node that removes an axis.
fn source<'a>(asked: &Asked<'a>, mut value: ValueId) -> Option<(&'a Node, Remover)> {
    let mut functions = false;
    for _ in 0..REACH {
        let node = asked.producer(asked.origin(value))?;
        let own_rank = |k: usize| node.input(k).and_then(|value| asked.shape(value)?.rank());
        match node.op.as_str() {
            "Conv" | "ConvTranspose" if !functions && own_rank(0) == Some(3) => {
                return keeps_rank(asked, node).then_some((node, Remover::Convolution));
            }
            "Squeeze" => return Some((node, Remover::Squeeze)),
            "MatMul" if node.input(1).is_some_and(|second| asked.facts.is_constant(second)) => {
                let list =
                    own_rank(0) == Some(1) && own_rank(1) == Some(2) || own_rank(0) > Some(1) && own_rank(1) == Some(1);
                return list.then_some((node, Remover::Product));
            }
            _ if is_moved(asked, node) => {}
            _ if is_moved_sum(asked, node) && !functions => {
                value = *node.inputs.iter().flatten().find(|input| !asked.facts.is_constant(**input))?;
                continue;
            }
            _ if node.inputs.len() == 1 && asked.op(node).is_some_and(is_function) => functions = true,
            _ => return None,
        }
        value = node.input(0)?;
    }
    None
}

fn is_function(role: Role) -> bool {
    matches!(
        role,
        Role::Abs
            | Role::Erf
            | Role::Exp
            | Role::Log
            | Role::Neg
            | Role::Reciprocal
            | Role::Sigmoid
            | Role::Sqrt
            | Role::Tanh
    )
}

/// Says whether a node becomes a `Relu`, or one with bounds.
fn is_moved(asked: &Asked<'_>, node: &Node) -> bool {
    let constants = || node.inputs.iter().skip(1).flatten().all(|value| asked.facts.is_constant(*value));
    match node.op.as_str() {
        "Relu" | "LeakyRelu" => true,
        "Clip" => constants(),
        "PRelu" => constants() && has_one_slope(asked, node),
        _ => false,
    }
}

/// Says whether a node is a sum with a constant of rank 0 or 1.
fn is_moved_sum(asked: &Asked<'_>, node: &Node) -> bool {
    let list = |value: ValueId| asked.shape(value).and_then(SymbolicShape::rank).is_some_and(|rank| rank < 2);
    matches!(node.op.as_str(), "Add" | "Sum") && asked.split(node).is_some_and(|(constant, ..)| list(constant))
}

fn has_one_slope(asked: &Asked<'_>, node: &Node) -> bool {
    let slope = node.input(1).and_then(|slope| asked.shape(slope)?.known());
    slope.is_some_and(|slope| slope.iter().product::<usize>() == 1)
}
