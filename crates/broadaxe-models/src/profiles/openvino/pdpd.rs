//! PDPD in OpenVINO's own files, whose axis does not survive every pass.
//!
//! The CPU plugin rewrites `Subtract` and `Divide` as operators without an axis, and computes comparisons with axes of 1 put
//! in front of the second operand. `AddMultiplyFusion`, `AddAddFusion` and `MultiplyMultiplyFusion`
//! (`src/common/transformations/src/transformations/common_optimizations/lin_op_sequence_fusion.cpp`), and the passes that
//! bring a product or a sum into `MatMul`, write new nodes with the default rule in place of those they merge.

use broadaxe_kernels::{OpId, id};
use broadaxe_shape::{Rule, SymbolicShape};

use super::super::{Asked, Does, neighbours::Op};
use crate::meaning::Kind;

/// What the CPU plugin rewrites as an operator that has no axis any more.
const LOSES: &[OpId] = &[id("sub"), id("div"), id("bitwise_and"), id("bitwise_or"), id("bitwise_xor")];
/// What it computes with operands of equal rank, after putting axes of 1 in front of the second.
const PADS: &[OpId] = &[
    id("equal"),
    id("not_equal"),
    id("less"),
    id("less_equal"),
    id("greater"),
    id("greater_equal"),
    id("logical_and"),
    id("logical_or"),
    id("logical_xor"),
    id("where"),
];

/// What was asked of two constants, which are computed when the model is compiled: 19 forms of shapes for each operator.
const OF_CONSTANTS: &[OpId] = &[
    id("sub"),
    id("div"),
    id("equal"),
    id("not_equal"),
    id("less"),
    id("less_equal"),
    id("greater"),
    id("greater_equal"),
];
/// Of these, only what is computed as the opposite of exchanged operands was wrong, and only where the shapes differ.
const FLIPPED: &[OpId] = &[id("greater"), id("greater_equal")];

/// Of these, `BroadcastElementwiseFusion` removes a Broadcast of the first operand too.
const COMMUTE: &[OpId] = &[id("add"), id("mul"), id("max")];
/// Of these, it removes one of the second operand only.
const ORDERED: &[OpId] =
    &[id("sub"), id("div"), id("div_floor"), id("div_trunc"), id("fmod"), id("mod_floor"), id("pow"), id("less")];

/// Finds operands that a Broadcast makes, which `BroadcastElementwiseFusion` removes: the node's own rule then places its data.
///
/// 200 models were asked: the rule accepts the data of the second operand only, along the axis that the node names.
pub(super) fn unbroadcast(asked: &Asked<'_>) -> Option<Does> {
    const TEXT: &str = "may read the data before the Broadcast in a PDPD node";
    let (axis, op) = (super::pdpd_axis(asked)?, asked.operator()?);
    let made = |k: usize| asked.producer(asked.value(k)?).filter(|node| node.op == "Broadcast");
    let (operand, made) = (0..2).find_map(|k| Some((k, made(k).filter(|_| !asked.constants[k])?)))?;
    if operand == 0 {
        return match (COMMUTE.contains(&op), ORDERED.contains(&op)) {
            (true, _) => {
                Some(Does::Refused("passes the data before the Broadcast, which PDPD rejects as first operand".into()))
            }
            (_, true) => None,
            _ => Some(Does::Unknown(TEXT.into())),
        };
    }
    if !COMMUTE.contains(&op) && !ORDERED.contains(&op) {
        return Some(Does::Unknown(TEXT.into()));
    }
    let data = made.input(0).and_then(|data| asked.shape(data)).and_then(SymbolicShape::known);
    let (Some(first), Some(data)) = (asked.operands[0].known(), data) else { return Some(Does::Unknown(TEXT.into())) };
    if op == id("fmod") && data.len() != first.len() {
        return Some(Does::Refused(
            "passes Mod the data before the Broadcast, and cannot compile unequal ranks".into(),
        ));
    }
    if axis < 0 || data.len() == first.len() || LOSES.contains(&op) || PADS.contains(&op) {
        return None;
    }
    match Rule::pdpd(axis).align(&[first.dims(), data.dims()]) {
        Err(_) => Some(Does::Refused(
            format!("passes the node {data}, the data before the Broadcast, which axis={axis} does not accept").into(),
        )),
        Ok(_) if data.dims().iter().all(|dim| *dim == 1) => None,
        Ok(_) => Some(Does::Garbled(format!("aligns {data}, the data before the Broadcast, by axis={axis}").into())),
    }
}

/// Says what the CPU plugin does with nodes under PDPD, where it does not do what they say.
pub(super) fn lost(asked: &Asked<'_>) -> Option<Does> {
    let axis = super::pdpd_axis(asked)?;
    let (op, name) = (asked.operator()?, &asked.node.op);
    let folded = (0..asked.operands.len()).all(|k| asked.value(k).is_some_and(|value| asked.facts.is_constant(value)));
    if folded && OF_CONSTANTS.contains(&op) {
        return (FLIPPED.contains(&op) && asked.operands[0] != asked.operands[1])
            .then(|| Does::Garbled(format!("exchanges the operands when it folds {name} of constants").into()));
    }
    let equal = super::ranks(asked).is_some_and(|ranks| ranks.iter().all(|rank| *rank == ranks[0]));
    if equal {
        return None;
    }
    if op == id("fmod") {
        return Some(Does::Refused(
            "cannot compile Mod of unequal ranks with auto_broadcast=\"pdpd\" for the CPU".into(),
        ));
    }
    if axis < 0 {
        return None;
    }
    if LOSES.contains(&op) {
        return Some(Does::Rule(Rule::numpy()));
    }
    let within = asked.operands.rank(0).is_some_and(|rank| (axis as usize) < rank);
    let one = asked.meaning.kind != Kind::Select && asked.constants[1] && asked.elements(1) == Some(1);
    match PADS.contains(&op) {
        true if one && !within => {
            Some(Does::Refused("cannot compile a comparison with an axis after those of the data".into()))
        }
        true if one => None,
        true if axis > 0 || asked.meaning.kind == Kind::Select => {
            Some(Does::Refused(format!("cannot compile {name} with axis={axis} for the CPU").into()))
        }
        true => Some(Does::Rule(Rule::pdpd(-1))),
        false => None,
    }
}

/// Finds sums and products under PDPD that are merged with a neighbour.
pub(super) fn merged(asked: &Asked<'_>) -> Option<Does> {
    super::pdpd_axis(asked).filter(|axis| *axis >= 0)?;
    let own = asked.op(asked.node).filter(|own| matches!(own, Op::Add | Op::Mul))?;
    let ranks = super::ranks(asked)?;
    if ranks[1] >= ranks[0] {
        return None;
    }
    let made = asked.value(0).and_then(|value| before(asked, own, value));
    let behind = asked.constants[1] && behind(asked, own);
    let product = matches!(asked.value(0).and_then(|value| asked.maker(value)), Some((_, Op::MatMul)));
    if !behind && made == Some(true) && product && ranks[0] > 4 {
        return Some(Does::Unknown("may drop PDPD's axis after a matrix product of rank 5 or more".into()));
    }
    if !behind && product && is_apart(asked) == Some(true) {
        return None;
    }
    (behind || made == Some(true)).then(|| Does::Rule(Rule::numpy()))
}

/// Says whether a constant of up to two axes behind a product of matrices stays a node of its own: it is not one number per column.
///
/// Asked of 432 products of rank 3, and of some of rank 2 and 4.
fn is_apart(asked: &Asked<'_>) -> Option<bool> {
    let constant = asked.operands[1].known().filter(|constant| constant.len() < 3)?;
    let columns = asked.operands[0].dims()?.last()?.size()?;
    let (last, leading) = constant.split_last()?;
    Some(*last != columns || leading.iter().any(|size| *size != 1))
}

/// Says whether the only node behind is merged with this one.
fn behind(asked: &Asked<'_>, own: Op) -> bool {
    let Some((node, input)) = asked.node.output(0).and_then(|value| asked.reader(value)) else { return false };
    let constant = asked.split(node).is_some();
    match asked.op(node) {
        Some(Op::Neg) => true,
        Some(Op::Mul) => constant,
        Some(Op::Add) => constant && own == Op::Add,
        // What is subtracted is multiplied by -1, whatever it is subtracted from: asked of 480 models.
        Some(Op::Sub) => input == 1 || constant && own == Op::Add,
        Some(Op::Div) => constant && input == 0,
        _ => false,
    }
}

/// Says whether the node before is merged with this one.
fn before(asked: &Asked<'_>, own: Op, value: crate::ValueId) -> Option<bool> {
    let (node, kind) = asked.maker(value)?;
    asked.reader(value)?;
    let constant = asked.constants[1];
    let split = asked.split(node);
    Some(match kind {
        Op::Neg => constant || own == Op::Add,
        Op::MatMul => constant && (own == Op::Mul || split.is_some_and(|(_, _, second)| second)),
        Op::Add | Op::Sub => constant && split.is_some(),
        Op::Mul | Op::Div => constant && split.is_some() && own == Op::Mul,
        _ => false,
    })
}
