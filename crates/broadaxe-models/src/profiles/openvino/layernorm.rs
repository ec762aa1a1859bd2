//! `LayerNormalization` of ONNX: the reader reshapes scale and bias to the normalised shape.
//!
//! It does so wherever their rank is another than the number of normalised axes; of that rank they stretch as ONNX says.
//! A shape with as many elements in another arrangement is then misread, and one with fewer or more is refused.
//! `RMSNormalization` is read correctly. Source: `src/frontends/onnx/frontend/src/op/layer_normalization.cpp`.

use broadaxe_shape::Dim;

use super::super::{Asked, Does, neighbours::Op};
use crate::graph::Attribute;

/// Says what happens to scale and bias.
pub(super) fn reshaped(asked: &Asked<'_>) -> Option<Does> {
    if asked.op(asked.node) != Some(Op::LayerNorm) {
        return None;
    }
    let unknown = |text: &'static str| Some(Does::Unknown(text.into()));
    let Some(ranks) = super::ranks(asked) else {
        return unknown("reshapes scale and bias to the normalised shape, and a rank is unknown");
    };
    let axis = asked.node.attribute("axis").and_then(Attribute::int).unwrap_or(-1);
    let axes = if axis < 0 { axis.unsigned_abs() as usize } else { ranks[0].checked_sub(axis as usize)? };
    let data = asked.operands[0].dims()?;
    let normalised = &data[data.len().checked_sub(axes)?..];
    if asked.in_file(0).known().is_none() && ranks[1..].iter().any(|rank| *rank != axes) {
        return unknown("may reshape scale and bias to the normalised shape, whose dims are open");
    }
    let others = (1..ranks.len()).filter(|&k| ranks[k] != axes).filter_map(|k| asked.operands[k].dims());
    let reordered: Vec<&[Dim]> = others.filter(|own| !is_stretched_alike(own, normalised)).collect();
    if let Some(does) = reordered.iter().find_map(|own| failed_reshape(own, normalised)) {
        return Some(does);
    }
    if reordered.is_empty() {
        return None;
    }
    let counts =
        (1..ranks.len()).all(|k| asked.elements(k) == normalised.iter().try_fold(1, |n, dim| Some(n * dim.size()?)));
    Some(if counts {
        Does::Flat { axes }
    } else {
        Does::Garbled("reshapes scale or bias to the normalised shape, which reorders its elements".into())
    })
}

/// Says what happens where the reshape fails or may fail, since the numbers of elements differ or are unknown.
fn failed_reshape(own: &[Dim], normalised: &[Dim]) -> Option<Does> {
    let count = |dims: &[Dim]| dims.iter().try_fold(1_usize, |n, dim| n.checked_mul(dim.size()?));
    match (count(own), count(normalised)) {
        (Some(own), Some(all)) if own == all => None,
        (Some(_), Some(_)) => Some(Does::Refused(
            "reshapes scale and bias to the normalised shape, whose number of elements differs".into(),
        )),
        _ => Some(Does::Unknown("reshapes scale and bias to the normalised shape, whose sizes are unknown".into())),
    }
}

/// Says whether dims are the normalised ones from the right, and 1 where the other has none: reshaping does then what ONNX says.
fn is_stretched_alike(own: &[Dim], normalised: &[Dim]) -> bool {
    let shared = own.len().min(normalised.len());
    let (own_front, own) = own.split_at(own.len() - shared);
    let (normalised_front, normalised) = normalised.split_at(normalised.len() - shared);
    own == normalised && own_front.iter().chain(normalised_front).all(|dim| dim.size() == Some(1))
}
