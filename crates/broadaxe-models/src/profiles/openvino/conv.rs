//! A product with a constant before a convolution, whose constant is multiplied into the weights.
//!
//! `MultiplyConvolutionFusion` and `MultiplyGroupConvolutionFusion`
//! (`src/common/transformations/src/transformations/common_optimizations/mul_conv_fusion.cpp`) do so wherever the constant
//! stretches to the weights' shape. So an extent of the data that equals the kernel's is taken for a position in the
//! kernel, which is right only where each window is the data itself. Products in a row, negations and paddings on the way
//! are merged first; a sum with a constant before the product keeps it from being merged.

use super::super::{
    Asked, Does,
    neighbours::{Op, REACH, fits, merged, numbers},
};
use crate::graph::{Attribute, Node, ValueId};

/// How large a padded extent is followed window by window.
const EXTENT: usize = 1 << 10;

const LACKS: &str = "multiplies the constant into the next convolution's weights and drops the constant's extra axes";

/// A convolution behind a product.
struct Conv<'a> {
    node: &'a Node,
    /// Whether its weights have an axis of groups in front.
    has_group_axis: bool,
    /// How many zeros a `Pad` on the way adds in front of and behind each axis.
    padding: Vec<(i64, i64)>,
    /// The shape of the constant, merged with those of the products on the way.
    constant: Vec<usize>,
}

/// Says what becomes of a constant that a convolution's input is multiplied by.
pub(super) fn multiplied(asked: &Asked<'_>) -> Option<Does> {
    let (own, constant, data, second) = factor(asked)?;
    let own_rank = asked.form(data)?.rank()?;
    let constant = placed(asked, asked.node, constant, own_rank)?;
    let rank = own_rank.max(constant.len());
    if rank < 3 || own_rank == rank && constant.iter().all(|size| *size == 1) {
        return None;
    }
    let mut conv = behind(asked, constant, rank)?;
    let base =
        if own == Op::LayerNorm || own == Op::Div && !second { data } else { before(asked, data, &mut conv.constant)? };
    if matches!(asked.maker(base), Some((_, Op::Dequantize | Op::FakeQuantize))) {
        return Some(Does::Unknown("may multiply the constant into a quantised convolution's weights".into()));
    }
    let weights = asked.sizes(conv.node.input(1)?)?;
    let base_dims: Vec<Option<usize>> = asked.file_dims(base)?.iter().map(broadaxe_shape::Dim::size).collect();
    let known: Option<Vec<usize>> = base_dims.iter().copied().collect();
    let one = base_dims.iter().all(|size| *size == Some(1));
    if base_dims.len() < rank && !one && stretches(&conv, &weights, rank) {
        let grouped = conv.has_group_axis || conv.node.attribute("group").and_then(Attribute::int) > Some(1);
        return Some(if grouped { Does::Unknown(LACKS.into()) } else { Does::Refused(LACKS.into()) });
    }
    if known.as_ref().is_some_and(|base| fits(base, &conv.constant)) || !stretches(&conv, &weights, rank) {
        return None;
    }
    let kernel = &weights[weights.len().checked_sub(rank - 2)?..];
    let whole = merged(&conv.constant, &vec![1; rank]);
    let extents = base_dims.get(base_dims.len().checked_sub(rank)?..)?;
    if whole[1] > 1 && extents[1] == Some(1) {
        return Some(Does::Refused(
            "multiplies the constant into the next convolution's weights, which then misfit the data".into(),
        ));
    }
    let misread = (0..rank - 2).filter(|&axis| whole[axis + 2] > 1).any(|axis| {
        let Some(extent) = extents[axis + 2] else { return true };
        !is_aligned(&conv, axis, extent, kernel[axis], rank)
    });
    let text = "multiplies the constant into the next convolution's weights, along the kernel";
    misread.then(|| Does::Garbled(text.into()))
}

/// Returns the operator, the constant factor and the data of a product, and whether the constant is the second.
fn factor(asked: &Asked<'_>) -> Option<(Op, ValueId, ValueId, bool)> {
    let own = asked.op(asked.node)?;
    let (constant, data, second) = match own {
        Op::Mul | Op::Div => asked.split(asked.node)?,
        // The reader makes a product with the scale of it, and a sum with the bias, if it has one.
        Op::LayerNorm if asked.operands.len() == 2 && asked.constants[1] => (asked.value(1)?, asked.value(0)?, true),
        _ => return None,
    };
    Some((own, constant, data, second))
}

/// Returns the shape of a constant, before opset 7 with the axes behind that `axis` gives it, as the reader writes it.
///
/// Asked of 144 products and quotients of opsets 1 to 17.
fn placed(asked: &Asked<'_>, node: &Node, constant: ValueId, rank: usize) -> Option<Vec<usize>> {
    let mut sizes = asked.sizes(constant)?;
    let axis = node.attribute("axis").and_then(Attribute::int).filter(|_| asked.is_before_opset_7());
    let behind = axis.and_then(|axis| rank.checked_sub(usize::try_from(axis).ok()?));
    if let Some(behind) = behind.filter(|behind| *behind > sizes.len()) {
        sizes.resize(behind, 1);
    }
    Some(sizes)
}

/// Finds the convolution that the product is merged with.
fn behind<'a>(asked: &Asked<'a>, constant: Vec<usize>, rank: usize) -> Option<Conv<'a>> {
    let (mut constant, mut padding) = (constant, vec![(0, 0); rank]);
    let mut value = asked.node.output(0)?;
    for _ in 0..REACH {
        let (node, input) = asked.reader(value)?;
        match asked.op(node)? {
            own @ (Op::Conv | Op::GroupConv) if input == 0 => {
                return Some(Conv { node, has_group_axis: own == Op::GroupConv, padding, constant });
            }
            Op::Neg => {}
            Op::Mul => constant = merged(&constant, &placed(asked, node, asked.split(node)?.0, rank)?),
            Op::Div if input == 0 => constant = merged(&constant, &placed(asked, node, asked.split(node)?.0, rank)?),
            Op::Pad if input == 0 => pad(asked, node, &mut padding)?,
            _ => return None,
        }
        value = node.output(0)?;
    }
    None
}

/// Adds what a `Pad` adds; nothing where it is not known.
fn pad(asked: &Asked<'_>, node: &Node, padding: &mut [(i64, i64)]) -> Option<()> {
    let (data, result) = (asked.sizes(node.input(0)?)?, asked.sizes(node.output(0)?)?);
    // Where the zeros are does not matter: any make windows that are not the data itself.
    for (axis, pair) in padding.iter_mut().enumerate() {
        pair.0 += i64::try_from(*result.get(axis)?).ok()? - i64::try_from(*data.get(axis)?).ok()?;
    }
    Some(())
}

/// Follows products with constants back to the first value, and merges their shapes; nothing for a value that keeps the
/// product from being merged.
fn before(asked: &Asked<'_>, mut value: ValueId, constant: &mut Vec<usize>) -> Option<ValueId> {
    for _ in 0..REACH {
        let Some((node, kind)) = asked.maker(value).filter(|_| asked.is_single(value)) else { return Some(value) };
        let split = asked.split(node);
        match (kind, split) {
            (Op::Neg, _) => value = node.input(0)?,
            (Op::Mul, Some((other, data, _))) | (Op::Div, Some((other, data, true))) => {
                *constant = merged(constant, &placed(asked, node, other, asked.form(data)?.rank()?)?);
                value = data;
            }
            (Op::LayerNorm, _) => {
                if node.input(2).is_some() {
                    return None;
                }
                *constant = merged(constant, &asked.sizes(node.input(1)?)?);
                return node.input(0);
            }
            (Op::Add | Op::Sub, Some(_)) | (Op::BatchNorm, _) => return None,
            _ => return Some(value),
        }
    }
    Some(value)
}

/// Says whether the constant stretches to the weights as the pass lays both out.
fn stretches(conv: &Conv<'_>, weights: &[usize], rank: usize) -> bool {
    let constant = &conv.constant;
    let given = conv.node.attribute("group").or_else(|| conv.node.attribute("groups"));
    let given = given.and_then(Attribute::int).unwrap_or(1);
    let grouped = conv.has_group_axis || given > 1;
    if !grouped {
        return fits(constant, weights) && (constant.len() < weights.len() || constant[0] == 1);
    }
    if constant.len() > rank {
        return false;
    }
    let whole = merged(constant, &vec![1; rank]);
    let (groups, inputs) = if conv.has_group_axis {
        (weights.first().copied().unwrap_or(1), weights.get(2).copied().unwrap_or(1))
    } else {
        (given.unsigned_abs() as usize, weights.get(1).copied().unwrap_or(1))
    };
    let channels = if whole[1] > 1 { whole[1] / groups.max(1) } else { 1 };
    whole[0] == 1
        && (channels == 1 || channels == inputs)
        && fits(&whole[2..], &weights[weights.len().saturating_sub(rank - 2)..])
}

/// Says whether each position of the kernel meets the entry of the data with its own number only.
fn is_aligned(conv: &Conv<'_>, axis: usize, extent: usize, kernel: usize, rank: usize) -> bool {
    let node = conv.node;
    let at = |name: &str, default: i64| numbers(node, name).and_then(|list| list.get(axis).copied()).unwrap_or(default);
    let (stride, dilation) = (at("strides", 1).max(1), at("dilations", 1).max(1));
    let pads = numbers(node, "pads").unwrap_or_default();
    let list = |k: usize| pads.get(k).copied().unwrap_or(0);
    let (mut front, mut back) = (list(axis) + at("pads_begin", 0), list(axis + rank - 2) + at("pads_end", 0));
    // Paddle has one number for each axis, or two.
    match numbers(node, "paddings").as_deref() {
        Some(pads) if pads.len() == rank - 2 => (front, back) = (pads[axis], pads[axis]),
        Some(pads) if pads.len() == 2 * (rank - 2) => (front, back) = (pads[2 * axis], pads[2 * axis + 1]),
        _ => {}
    }
    let (padded, behind) = conv.padding[axis + 2];
    let Ok(size) = i64::try_from(extent) else { return false };
    let reach =
        (i64::try_from(kernel).unwrap_or(i64::MAX).saturating_sub(1)).saturating_mul(dilation).saturating_add(1);
    let auto = node.attribute("auto_pad").or_else(|| node.attribute("padding_algorithm"));
    let auto = auto.and_then(Attribute::text).unwrap_or_default().to_ascii_uppercase();
    if auto.starts_with("SAME") {
        let total = ((size - 1) / stride).saturating_mul(stride).saturating_add(reach).saturating_sub(size).max(0);
        (front, back) =
            if auto == "SAME_LOWER" { (total - total / 2, total / 2) } else { (total / 2, total - total / 2) };
    } else if auto == "VALID" {
        (front, back) = (0, 0);
    }
    let all = size.saturating_add(front).saturating_add(back);
    if extent == 1 && kernel > 1 || padded != 0 || behind != 0 || all > EXTENT as i64 || kernel > EXTENT {
        return false;
    }
    let windows = (all - reach) / stride + 1;
    (0..windows.max(0)).all(|window| {
        (0..kernel as i64).all(|k| {
            let read = window * stride + k * dilation - front;
            !(0..size).contains(&read) || read == k
        })
    })
}
