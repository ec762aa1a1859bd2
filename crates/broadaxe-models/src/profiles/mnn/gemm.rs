//! Gemm, which becomes a convolution where B is a constant.

use broadaxe_shape::Dim;

use super::super::{
    Asked, Does,
    affine::{self, factor},
    condition::any,
};
use crate::graph::{Attribute, Node};

/// Finds a product without a C that is arranged as its transpose, and read by the node.
pub(super) fn reads_lost_transposition(asked: &Asked<'_>) -> Option<bool> {
    let lost = |k: usize| {
        let product = asked.value(k).and_then(|value| asked.producer(asked.origin(value)));
        let Some(product) = product.filter(|node| node.op == "Gemm" && node.input(2).is_none()) else {
            return Some(false);
        };
        is_lost(asked, product, asked.shape(product.output(0)?)?.dims())
    };
    any((0..asked.operands.len()).map(lost))
}

pub(super) fn lost_transposition(asked: &Asked<'_>) -> Option<bool> {
    is_lost(asked, asked.node, asked.operands[0].dims())
}

/// Finds products with a transposed A and a constant B, whose result has more than one row and more than one column.
///
/// The pass `ConvertMatMulToConv2D` makes a convolution of them, unless more than four nodes read B.
fn is_lost(asked: &Asked<'_>, product: &Node, dims: Option<&[Dim]>) -> Option<bool> {
    let transposed = product.attribute("transA").and_then(Attribute::int).unwrap_or(0) != 0;
    let constant = |k: usize| product.input(k).is_some_and(|value| asked.facts.is_constant(value));
    if !transposed || constant(0) || !constant(1) {
        return Some(false);
    }
    let several = |dim: &Dim| dim.size().map(|size| size > 1);
    let long = affine::all(dims?.iter().map(several));
    let shared = product.input(1).is_some_and(|value| asked.facts.readers(value).len() > 4);
    if shared && long != Some(false) { None } else { long }
}

/// Finds a C with one number for each column that does not run along the columns, of a Gemm that does not scale the product.
pub(super) fn term_as_row(asked: &Asked<'_>) -> Option<bool> {
    if factor(asked.node, "alpha") != 1.0 || factor(asked.node, "beta") == 0.0 {
        return Some(false);
    }
    let constant = |k: usize| asked.node.input(k).is_some_and(|value| asked.facts.is_constant(value));
    if constant(0) && constant(1) {
        return Some(false);
    }
    let (columns, own) = (asked.operands[0].dims()?.last()?.size(), asked.operands[1].dims()?);
    let count = asked.elements(1)?;
    if count == 1 || own.last().and_then(Dim::size) == Some(count) {
        return Some(false);
    }
    Some(columns? == count)
}

pub(super) fn along_columns(asked: &Asked<'_>) -> Option<Does> {
    Some(Does::List { operand: 1, axis: asked.operands.rank(0)?.checked_sub(1)? })
}
