//! A quantisation that the CPU plugin computes as the last step of the node before it.
//!
//! The node's own layout decides which axis the limits run along there. Asked with all dims known, of 14,988 models: some 30 nodes of ranks 2
//! to 5 in front, none, a function, a factor or a sum between, scales of one element and along each axis, with and without a zero
//! point, `QuantizeLinear` alone, with `DequantizeLinear`, and with a node behind that. Wrong or refused are limits along axis 2 behind
//! all that [`LastStepOf`] lists, and along axis 1 behind reductions whose result has its channels elsewhere. Along the other axes, and
//! behind sums, functions, `Softmax`, `MaxPool` and `Transpose`, all are right. A maximum or minimum is taken of elements that
//! are quantised already, unless the limits have no offset.

use broadaxe_shape::Dim;

use super::{
    super::{
        Asked, Does,
        neighbours::{Op, REACH, numbers},
    },
    quantize::limits_axis,
};
use crate::graph::{Node, ValueId};

/// The axis that kernels of other layouts treat as the channels.
const FALSE_CHANNELS: usize = 2;
const OTHER_CHANNELS: &str = "computes an axis-2 quantisation with the node before it, along another axis";
const MAY_BE_MERGED: &str = "may compute a quantisation together with nodes before it, along another axis";
const NOT_COMPILED: &str = "does not compile a quantisation along axis 2 behind convolutions and matrix products";
const REDUCED: &str = "computes an axis-1 quantisation with the reduction before it, along another axis";
const EXTREMES: &str = "computes a quantisation together with the maximum or minimum before it, wrongly";
const MAY_BE_EXTREMES: &str = "may compute a quantisation together with the maximum or minimum before it, wrongly";

/// What has a quantisation as its last step.
enum LastStepOf {
    /// A convolution, or a matrix product that is no layer.
    Layer,
    /// A transposed convolution, or a pooling that averages.
    Other,
    /// A normalisation of each channel, or of the last axis of data of rank 3.
    Normalisation,
    /// A reduction.
    Reduction,
    /// A reduction to a maximum or a minimum.
    Extreme,
}

/// Finds a quantisation that is computed otherwise as the last step of the node before it.
pub(super) fn fused(asked: &Asked<'_>) -> Option<Does> {
    let is_fake = match asked.op(asked.node)? {
        Op::FakeQuantize => true,
        Op::Quantize => false,
        Op::Dequantize => return columns(asked),
        _ => return None,
    };
    let rank = asked.rank_of(asked.value(0)?)?;
    let axis = limits_axis(asked, is_fake, rank);
    let FusingNode { node, step, is_plain, is_direct } = fusing_node(asked, asked.value(0)?, rank)?;
    let garbled = |text: &'static str| Some(Does::Garbled(text.into()));
    match (step, axis) {
        (LastStepOf::Other | LastStepOf::Normalisation | LastStepOf::Reduction | LastStepOf::Extreme, _)
            if !is_plain =>
        {
            axis.filter(|axis| [1, FALSE_CHANNELS].contains(axis)).map(|_| Does::Unknown(MAY_BE_MERGED.into()))
        }
        (LastStepOf::Layer, Some(FALSE_CHANNELS)) => Some(Does::Refused(NOT_COMPILED.into())),
        (LastStepOf::Other, Some(FALSE_CHANNELS)) if is_direct => Some(Does::Refused(NOT_COMPILED.into())),
        // Of data of rank 4, some are right.
        (LastStepOf::Normalisation, Some(FALSE_CHANNELS)) if rank == 4 => Some(Does::Unknown(MAY_BE_MERGED.into())),
        (_, Some(FALSE_CHANNELS)) => garbled(OTHER_CHANNELS),
        (LastStepOf::Reduction | LastStepOf::Extreme, Some(1)) if moves_channels(asked, node, rank)? => {
            if is_fake || has_no_offset(asked) { Some(Does::Unknown(MAY_BE_MERGED.into())) } else { garbled(REDUCED) }
        }
        // Of `FakeQuantize` another law speaks.
        (LastStepOf::Extreme, None | Some(1))
            if !(is_fake || has_no_offset(asked) && is_dequantised_once(asked).unwrap_or(false)) =>
        {
            extreme(asked, node, rank)
        }
        _ => None,
    }
}

/// Finds a scale along axis 1 without an offset, behind a quantisation of a matrix product, which the product treats as one per column.
///
/// It does so where nothing else reads the result, or a constant is added to a result of rank 3.
fn columns(asked: &Asked<'_>) -> Option<Does> {
    let rank = asked.rank_of(asked.value(0)?)?;
    let (quantise, _) = asked.maker(asked.value(0)?).filter(|(_, op)| *op == Op::Quantize)?;
    let along = rank > 2 && limits_axis(asked, false, rank) == Some(1) && has_no_offset(asked);
    let FusingNode { node, .. } = fusing_node(asked, quantise.input(0)?, rank).filter(|_| along)?;
    let is_last = match asked.reader(asked.node.output(0)?) {
        None => true,
        Some((reader, _)) => {
            rank == 3 && matches!(asked.op(reader), Some(Op::Add | Op::Sub)) && asked.split(reader).is_some()
        }
    };
    (asked.op(node) == Some(Op::MatMul) && is_last)
        .then(|| Does::Unknown("may scale the columns of the matrix product before it".into()))
}

/// The node that has a quantisation as its last step.
struct FusingNode<'a> {
    node: &'a Node,
    step: LastStepOf,
    /// Whether the constants between have one element.
    is_plain: bool,
    /// Whether no function is between.
    is_direct: bool,
}

/// Says what a node is that has a quantisation behind it as its last step; nothing where it does not have one.
fn last_step_of(asked: &Asked<'_>, node: &Node, rank: usize) -> Option<LastStepOf> {
    let is_constant = |k: usize| node.input(k).is_none_or(|value| asked.facts.is_constant(value));
    match (node.op.as_str(), asked.op(node)) {
        (
            "ConvTranspose" | "ConvolutionBackpropData" | "GroupConvolutionBackpropData" | "AveragePool" | "AvgPool",
            _,
        ) => Some(LastStepOf::Other),
        ("InstanceNormalization" | "MVN", _) => Some(LastStepOf::Normalisation),
        ("ReduceMax" | "ReduceMin" | "GlobalMaxPool", _) => Some(LastStepOf::Extreme),
        ("GlobalAveragePool", _) => Some(LastStepOf::Reduction),
        (name, kind) if name.starts_with("Reduce") || matches!(kind, Some(Op::Mean | Op::SumOf)) => {
            Some(LastStepOf::Reduction)
        }
        (_, Some(Op::MatMul)) if rank == 3 && is_constant(1) => None,
        (_, Some(Op::MatMul | Op::Conv | Op::GroupConv)) => Some(LastStepOf::Layer),
        // A scale of ones and no bias: the plugin has a plain normalisation, `MVN`.
        (_, Some(Op::LayerNorm)) if rank == 3 && node.input(2).is_none() => {
            (asked.number(node.input(1)?) == Some(1.0)).then_some(LastStepOf::Normalisation)
        }
        _ => None,
    }
}

/// Finds the node that has the quantisation of a value as its last step, in front of functions and constants.
fn fusing_node<'a>(asked: &Asked<'a>, mut value: ValueId, rank: usize) -> Option<FusingNode<'a>> {
    let (mut is_plain, mut is_direct) = (true, true);
    for _ in 0..REACH {
        if !asked.is_single(value) {
            return None;
        }
        let node = asked.producer(asked.origin(value))?;
        if let Some(step) = last_step_of(asked, node, rank) {
            return Some(FusingNode { node, step, is_plain, is_direct });
        }
        value = match asked.op(node)? {
            function if function.is_fused_function() => {
                is_direct = false;
                node.input(0)?
            }
            // A sum is a step of a convolution, too.
            Op::Add if asked.split(node).is_none() => {
                let is_conv = |value: &ValueId| matches!(asked.maker(*value), Some((_, Op::Conv | Op::GroupConv)));
                node.inputs.iter().flatten().copied().find(is_conv)?
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div => {
                let (constant, data, _) = asked.split(node)?;
                is_plain &= asked.sizes(constant)?.iter().all(|size| *size == 1);
                data
            }
            _ => return None,
        };
    }
    None
}

/// Lists the axes of a reduction's data that it reduces.
fn reduced_axes(asked: &Asked<'_>, node: &Node, rank: usize) -> Vec<usize> {
    let listed = numbers(node, "axes").or_else(|| asked.integers(node.input(1)?)).filter(|axes| !axes.is_empty());
    let first = if node.op.starts_with("Global") { 2 } else { 0 };
    let Some(listed) = listed else { return (first..rank).collect() };
    let count = i64::try_from(rank).unwrap_or(i64::MAX).max(1);
    listed.iter().filter_map(|axis| usize::try_from(axis.rem_euclid(count)).ok()).collect()
}

/// Says whether axis 1 of a reduction's result is not where its data have their channels; data of rank 3 have them last.
fn moves_channels(asked: &Asked<'_>, node: &Node, rank: usize) -> Option<bool> {
    let data = asked.rank_of(node.input(0)?)?;
    let reduces_front = || reduced_axes(asked, node, data).iter().any(|axis| *axis < 2);
    Some(data == 3 || rank != data && reduces_front())
}

/// Says what becomes of a maximum or minimum, whose result has this rank.
///
/// Results of rank 1 are right, and so are most of those over all axes.
fn extreme(asked: &Asked<'_>, node: &Node, rank: usize) -> Option<Does> {
    let dims = asked.form(node.input(0)?)?;
    let dims = dims.dims()?;
    let axes = reduced_axes(asked, node, dims.len());
    let is_one = |axis: &usize| dims.get(*axis).and_then(Dim::size) == Some(1);
    if rank < 2 {
        return None;
    }
    let covers_all = (0..dims.len()).all(|axis| axes.contains(&axis) || is_one(&axis));
    Some(if covers_all { Does::Unknown(MAY_BE_EXTREMES.into()) } else { Does::Garbled(EXTREMES.into()) })
}

/// Says whether the zero point is 0 everywhere.
fn has_no_offset(asked: &Asked<'_>) -> bool {
    asked.value(2).is_none_or(|zero| asked.number(zero) == Some(0.0))
}

/// Says whether one `DequantizeLinear` reads the result, which at most one node reads that adds no list.
fn is_dequantised_once(asked: &Asked<'_>) -> Option<bool> {
    let (node, input) = asked.reader(asked.node.output(0)?)?;
    let output = node.output(0)?;
    let mut readers = asked.readers(output);
    let adds_list = readers
        .next()
        .and_then(|(reader, _)| matches!(asked.op(reader), Some(Op::Add | Op::Sub)).then(|| asked.split(reader))?);
    let is_list = adds_list
        .and_then(|(constant, ..)| asked.sizes(constant))
        .is_some_and(|sizes| sizes.iter().any(|size| *size > 1));
    Some(asked.op(node) == Some(Op::Dequantize) && input == 0 && readers.next().is_none() && !is_list)
}
