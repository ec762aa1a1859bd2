//! Tells constants stored in the file from constants that a node computes. The delegate runs such a node with the rest of the model.

use broadaxe_frameworks::{Role, System};
use broadaxe_kernels::DType;

use super::super::Asked;
use crate::{
    graph::{Node, ValueId},
    meaning,
};

/// The f32 operators that were tested on constants, and on the results of nodes of constants: their names in TFLite and in OpenVINO IR.
const TESTED_ALONE: &[&str] =
    &["ADD", "Add", "SUB", "Subtract", "MUL", "Multiply", "DIV", "Divide", "MAXIMUM", "Maximum"];

/// Says whether the delegate was tested with constants such as the node's.
pub(super) fn is_known_of_constants(asked: &Asked<'_>) -> bool {
    let constant = |k: usize| asked.constants.get(k) == Some(&true);
    let count = asked.operands.len();
    if !(0..count).any(constant) || !asked.is_of(System::Tflite) && !(0..count).all(constant) {
        return true;
    }
    let plain =
        TESTED_ALONE.contains(&asked.node.op.as_str()) && (0..count).all(|k| asked.dtype(k) == Some(DType::F32));
    let known = |k: usize| !constant(k) || is_stored(asked, k) || plain && is_computed_as_asked(asked, k);
    (0..count).all(known) && (plain || !(0..count).all(constant))
}

/// Says whether only tested operators compute an operand from constants of the file.
fn is_computed_as_asked(asked: &Asked<'_>, operand: usize) -> bool {
    let mut left: Vec<ValueId> = asked.value(operand).into_iter().collect();
    for _ in 0..CHAIN {
        let Some(value) = left.pop() else { return true };
        match asked.producer(value) {
            Some(node) if TESTED_ALONE.contains(&node.op.as_str()) => left.extend((0..2).filter_map(|k| node.input(k))),
            Some(_) => return false,
            None => {}
        }
    }
    false
}

/// How many values of a chain of constants are looked at.
const CHAIN: usize = 64;

/// Says which operands the delegate finds in the file. Converters fold what nodes compute from constants; in a file of TFLite, only a
/// widened one counts.
pub(super) fn stored_of(asked: &Asked<'_>) -> Vec<bool> {
    let folded = !asked.is_of(System::Tflite);
    (0..asked.operands.len()).map(|k| asked.constants[k] && (folded || is_stored(asked, k))).collect()
}

/// Says whether an operand is a constant of the file, or one of f16 that is widened first: the delegate reads both alike.
fn is_stored(asked: &Asked<'_>, operand: usize) -> bool {
    let Some(value) = asked.value(operand) else { return true };
    let constant = |value: ValueId| asked.model.value(value).constant.as_ref();
    let widens = |node: &&Node| node.op == "Convert" || meaning::role(asked.model, node) == Some(Role::Dequantize);
    let widened = asked.producer(value).filter(widens);
    let half = widened
        .and_then(|node| constant(node.input(0)?))
        .is_some_and(|constant| constant.element.dtype() == Some(DType::F16));
    half || constant(value).is_some()
}
