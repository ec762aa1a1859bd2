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
    let mut flat = false;
    for k in (1..ranks.len()).filter(|&k| ranks[k] != axes) {
        match is_rearranged(asked.operands[k].dims()?, normalised) {
            Ok(rearranged) => flat |= rearranged,
            Err(does) => return Some(does),
        }
    }
    let counts =
        (1..ranks.len()).all(|k| asked.elements(k) == normalised.iter().try_fold(1, |n, dim| Some(n * dim.size()?)));
    match (flat, counts) {
        (false, _) => None,
        (true, true) => Some(Does::Flat { axes }),
        (true, false) => {
            Some(Does::Garbled("reshapes scale or bias to the normalised shape, which reorders its elements".into()))
        }
    }
}

/// Says whether the reshape gives the elements another arrangement than ONNX does; an error where it fails or may fail.
fn is_rearranged(own: &[Dim], normalised: &[Dim]) -> Result<bool, Does> {
    if is_stretched_alike(own, normalised) {
        return Ok(false);
    }
    let count = |dims: &[Dim]| dims.iter().try_fold(1_usize, |n, dim| n.checked_mul(dim.size()?));
    match (count(own), count(normalised)) {
        (Some(own), Some(all)) if own == all => Ok(true),
        (Some(_), Some(_)) => Err(Does::Refused(
            "reshapes scale and bias to the normalised shape, whose number of elements differs".into(),
        )),
        _ => Err(Does::Unknown("reshapes scale and bias to the normalised shape, whose sizes are unknown".into())),
    }
}

/// Says whether dims are the normalised ones from the right, and 1 where the other has none: reshaping does then what ONNX says.
fn is_stretched_alike(own: &[Dim], normalised: &[Dim]) -> bool {
    let shared = own.len().min(normalised.len());
    let (own_front, own) = own.split_at(own.len() - shared);
    let (normalised_front, normalised) = normalised.split_at(normalised.len() - shared);
    own == normalised && own_front.iter().chain(normalised_front).all(|dim| dim.size() == Some(1))
}
