//! `Gemm` with a C: one of three layers, by its factors and by which of its inputs are constants.
//!
//! pnnx reads a `Gemm` whose alpha and beta are both 1 as a linear layer if B is transposed or a constant. A linear layer
//! of ncnn holds its weights and a list of one number per column; with anything else the layer has no counterpart, and
//! the network does not load. Every other `Gemm` becomes ncnn's own, which accepts C in all its
//! shapes, as long as the product has no batch.
//!
//! Asked of 404 models: five sizes, each legal shape of C, alpha and beta, transpositions, and all inputs constant or not.

use std::borrow::Cow;

use broadaxe_shape::SymbolicShape;

use super::{
    super::{Asked, neighbours::Op},
    Does, attribute,
    batch::is_linear,
};
use crate::graph::{Node, ValueId};

/// Says what becomes of the C of a `Gemm`.
pub(super) fn bias(asked: &Asked<'_>) -> Option<Does> {
    let weights = asked.node.input(1).is_some_and(|value| asked.facts.is_constant(value));
    if is_gemm(asked, asked.node) {
        let batch =
            [asked.node.output(0), asked.value(1)].into_iter().flatten().any(|value| asked.facts.has_batch(value));
        if batch {
            return Some(Does::Unknown(Cow::Borrowed("may treat the first axis of Gemm as the batch")));
        }
        return super::number(asked).or_else(|| super::batch::batch(asked)).or(Some(Does::Own));
    }
    if !weights || !asked.constants[1] {
        return Some(Does::Refused(Cow::Borrowed("supports Gemm only with constant weights and a constant C")));
    }
    let columns = asked.operands[0].dims().and_then(|dims| dims.last());
    Some(match asked.operands[1].dims() {
        Some([]) if columns.and_then(broadaxe_shape::Dim::size) == Some(1) => Does::Own,
        Some([own]) if columns.is_none_or(|columns| columns == own) => Does::Own,
        Some(_) => Does::Refused(Cow::Borrowed("accepts only one number per column as the C of Gemm, of rank 1")),
        None => Does::Unknown(Cow::Borrowed("accepts only one number per column as Gemm's C, whose shape is unknown")),
    })
}

/// Finds a `BatchNormalization` behind a product with constant weights, perhaps with a bias: ncnn multiplies its numbers into the weights'
/// columns, and its channels are the rows of data of rank 3.
///
/// Asked of 35 models: ranks 2 to 4, biases of five shapes, and other nodes between or that read the product.
pub(super) fn is_folded_into_columns(asked: &Asked<'_>) -> Option<bool> {
    let single = |value: &ValueId| asked.is_single(*value);
    let Some(mut product) = asked.value(0).filter(single) else { return Some(false) };
    if let Some((sum, Op::Add)) = asked.maker(product) {
        let Some((bias, data, _)) = asked.split(sum).filter(|(_, data, _)| single(data)) else { return Some(false) };
        if asked.sizes(bias)? != [columns(asked, data)?] {
            return Some(false);
        }
        product = data;
    }
    let Some((node, Op::MatMul)) = asked.maker(product) else { return Some(false) };
    let Some(weights) = node.input(1).filter(|weights| asked.facts.is_constant(*weights)) else { return Some(false) };
    let one = asked.elements(1) == Some(1) && columns(asked, product)? == 1;
    Some(asked.shape(weights)?.rank() == Some(2) && !one)
}

/// Returns the size of a value's last axis.
fn columns(asked: &Asked<'_>, value: ValueId) -> Option<usize> {
    asked.form(value)?.dims()?.last()?.size()
}

/// Says whether a `Gemm` becomes ncnn's own, and not a linear layer.
fn is_gemm(asked: &Asked<'_>, node: &Node) -> bool {
    !is_linear(node, &|value| asked.facts.is_constant(value))
}

/// Finds operands that a `Gemm`, or a product of two computed matrices, gives with a batch, which ncnn's do not have.
pub(super) fn behind(asked: &Asked<'_>) -> Option<Does> {
    let made = |value: ValueId| {
        let node = asked.producer(value).filter(|_| asked.facts.has_batch(value));
        let rank = asked.shape(value).and_then(SymbolicShape::rank);
        node.is_some_and(|node| match asked.op(node) {
            Some(Op::Gemm) => is_gemm(asked, node),
            Some(Op::MatMul) => {
                let mut inputs = node.inputs.iter().flatten();
                let with_batch = |value: &ValueId| {
                    asked.facts.is_constant(*value) && asked.shape(*value).and_then(SymbolicShape::rank) > Some(2)
                };
                let computed = || node.inputs.iter().flatten().all(|value| !asked.facts.is_constant(*value));
                inputs.any(with_batch) || rank.is_none_or(|rank| rank < 3) && computed()
            }
            Some(Op::Concat) => node.inputs.iter().flatten().any(|value| is_joined_apart(asked, node, *value)),
            _ => false,
        })
    };
    let found = (0..asked.operands.len()).filter_map(|k| asked.value(k)).any(made);
    found.then_some(Does::Unknown(Cow::Borrowed("may treat the rows of the preceding MatMul as the batch axis")))
}

/// Says whether a constant of a concatenation may have the axis of the batch, which the other tensors do not have.
fn is_joined_apart(asked: &Asked<'_>, node: &Node, value: ValueId) -> bool {
    let dims = asked.shape(value).and_then(SymbolicShape::dims);
    let axis = attribute(node, "axis").zip(dims).map(|(axis, dims)| axis.rem_euclid(dims.len().max(1) as i64));
    let first = dims.and_then(<[_]>::first).and_then(broadaxe_shape::Dim::size);
    let lacking = [Some(value), node.output(0)].map(|value| asked.facts.lacking(value?));
    asked.facts.is_constant(value)
        && !(lacking == [Some(0); 2] && first == Some(1) && axis.is_some_and(|axis| axis > 0))
}
