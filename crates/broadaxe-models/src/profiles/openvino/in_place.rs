//! Sums with what a convolution computes, in a model of open dims.
//!
//! The CPU plugin adds a second computed operand in place, in the memory of the result (`FuseConvolutionSumAndConvolutionSumActivation`
//! in `src/plugins/intel_cpu/src/graph_optimizer.cpp`). It compares shapes when it compiles the model, and treats open dims
//! as equal. An operand that stretches along one is then read beyond its end: other numbers, or a crash. Equal shapes of one
//! channel are wrong, too, and those of several channels right. Behind a `MatMul` all are.
//!
//! Other nodes are computed in the memory of their first operand, even where that is a constant that was computed once.

use broadaxe_frameworks::System;
use broadaxe_kernels::{OpId, id};
use broadaxe_shape::Dim;

use super::{
    super::{
        Asked, Does,
        neighbours::{Op, REACH, fits, merged},
    },
    compressed, reduce,
};
use crate::{graph::ValueId, meaning::Kind};

/// Finds a sum of two computed operands of which one is the result of a convolution.
pub(super) fn summed(asked: &Asked<'_>) -> Option<Does> {
    if asked.operands.len() != 2 || asked.constants.iter().any(|constant| *constant) {
        return None;
    }
    matches!(asked.own_op(), Some(Op::Add | Op::Sub)).then_some(())?;
    (0..2).any(|k| asked.value(k).is_some_and(|value| is_conv(asked, value))).then_some(())?;
    let shapes = [asked.in_file(0), asked.in_file(1)];
    if shapes.iter().all(|shape| shape.known().is_some()) {
        return None;
    }
    let equal = shapes[0].dims().is_some() && shapes[0] == shapes[1];
    let channels = shapes[0].dims().and_then(|dims| dims.get(1)).and_then(Dim::size);
    (!equal || channels.is_none_or(|channels| channels == 1))
        .then(|| Does::Unknown("may add in place to a convolution's result, and treats open dims as equal".into()))
}

/// Says whether a value is the result of a convolution, or of it and constants.
fn is_conv(asked: &Asked<'_>, mut value: ValueId) -> bool {
    for _ in 0..REACH {
        match asked.maker(value) {
            Some((_, Op::Conv | Op::GroupConv)) => return true,
            Some((node, Op::Add | Op::Sub | Op::Mul | Op::Div)) => match asked.split(node) {
                Some((_, data, _)) => value = data,
                None => return false,
            },
            Some((node, Op::Neg | Op::BatchNorm)) => match node.input(0) {
                Some(data) => value = data,
                None => return false,
            },
            _ => return false,
        }
    }
    false
}

/// Operators that are computed in the memory of their first operand.
const IN_PLACE: &[OpId] =
    &[id("add"), id("sub"), id("mul"), id("div"), id("max"), id("min"), id("pow"), id("fmod"), id("sum"), id("mean")];

/// Finds a first operand that is computed of integer weights when the model is loaded, and whose memory holds the result.
///
/// Look-ups and products of scaled integer weights are not folded; nor is `Gemm` with a computed C, which is such a sum (96 of 96 models).
/// Asked of 183 models, three runs each: comparisons, a second operand,
/// one that others read, and a result of another shape or with open dims are right.
pub(super) fn overwritten(asked: &Asked<'_>) -> Option<Does> {
    const TEXT: &str = "overwrites what it computed from integer weights, so only the first run is right";
    if asked.meaning.kind == Kind::Bias {
        let constant = |k: usize| asked.node.input(k).map(|value| asked.facts.is_constant(value));
        let sum = constant(0) == Some(true) && constant(1) == Some(true) && constant(2) == Some(false);
        return (sum && compressed::is_kept_product(asked, asked.node)).then(|| Does::Garbled(TEXT.into()));
    }
    let first = asked.value(0).filter(|_| asked.constants.first() == Some(&true))?;
    asked.operator().filter(|operator| IN_PLACE.contains(operator))?;
    let given = asked.constants.iter().position(|constant| !constant)?;
    let known = |k: usize| asked.in_file(k).known().map(|shape| shape.to_vec());
    let mut own = known(0)?;
    for k in 1..given {
        own = merged(&own, &known(k)?);
    }
    if !compressed::is_single(asked, first) || merged(&own, &known(given)?) != own {
        return None;
    }
    compressed::is_kept(asked, first).then(|| {
        let one = asked.elements(given) == Some(1);
        if is_stretched(asked, &own, one) {
            let text = "may overwrite what it computed from integer weights, unless the node is fused";
            return Does::Unknown(text.into());
        }
        Does::Garbled(TEXT.into())
    })
}

/// Says whether constants behind the node give the result another shape, or functions follow a node with one element: these nodes may
/// be made one.
fn is_stretched(asked: &Asked<'_>, own: &[usize], one: bool) -> bool {
    let mut value = asked.node.output(0);
    for _ in 0..REACH {
        let Some((node, _)) = value.and_then(|value| asked.reader(value)) else { return false };
        let constant = asked.split(node).and_then(|(constant, ..)| asked.sizes(constant));
        let function = one && asked.op(node).is_some_and(Op::is_fused_function);
        if function || constant.is_some_and(|constant| !fits(&constant, own)) {
            return true;
        }
        value = node.output(0);
    }
    false
}

/// Finds nodes of three operands or more, which the reader makes nodes of two: one of these may be merged with a neighbour.
///
/// Asked of Max, Min, Sum and Mean behind 15 operators, with constants of six shapes in four orders: behind a reduction, or with
/// operands of several ranks.
pub(super) fn several(asked: &Asked<'_>) -> Option<Does> {
    if asked.operands.len() < 3 || !asked.is_of(System::Onnx) {
        return None;
    }
    let first = asked.in_file(0);
    if first.dims().is_some() && (1..asked.operands.len()).all(|k| asked.in_file(k) == first) {
        return None;
    }
    let data = (0..asked.operands.len()).filter(|&k| !asked.constants[k]);
    let rank = data.clone().filter_map(|k| asked.operands.rank(k)).max();
    let longer = (0..asked.operands.len()).any(|k| asked.constants[k] && asked.operands.rank(k) > rank);
    let unequal = data.clone().any(|k| asked.operands.rank(k) != rank);
    let open = (0..asked.operands.len()).any(|k| asked.in_file(k).known().is_none());
    let mut makers = data.filter_map(|k| asked.value(k)).filter(|value| asked.maker(*value).is_some());
    let merges = |value| unequal || open || asked.facts.is_quantised() || reduce::is_reduced(asked, value);
    (longer || makers.any(merges))
        .then(|| Does::Unknown("splits these operands into sums of two, and may merge one with its producer".into()))
}
