//! `LayerNormalization` of ONNX: the reader reshapes scale and bias to the normalised shape.
//!
//! It does so wherever their rank is another than the number of normalised axes; of that rank they stretch as ONNX says.
//! A shape with as many elements in another arrangement is then misread, and one with fewer or more is refused.
//! `RMSNormalization` is read correctly. Source: `src/frontends/onnx/frontend/src/op/layer_normalization.cpp`.

use super::super::{Asked, Does, neighbours::Op};
use crate::graph::Attribute;

/// Says what happens to scale and bias.
// Long: each outcome of the reshape has its own sentence.
pub(super) fn reshaped(asked: &Asked<'_>) -> Option<Does> {
    if asked.op(asked.node) != Some(Op::LayerNorm) {
        return None;
    }
    let unknown =
        || Some(Does::Unknown("reshapes scale and bias to the normalised shape, and a rank is unknown".into()));
    let Some(ranks) = super::ranks(asked) else { return unknown() };
    let axis = asked.node.attribute("axis").and_then(Attribute::int).unwrap_or(-1);
    let axes = if axis < 0 { axis.unsigned_abs() as usize } else { ranks[0].checked_sub(axis as usize)? };
    let data = asked.operands[0].dims()?;
    let normalised = &data[data.len().checked_sub(axes)?..];
    if asked.in_file(0).known().is_none() && ranks[1..].iter().any(|rank| *rank != axes) {
        let text = "may reshape scale and bias to the normalised shape, whose dims are open";
        return Some(Does::Unknown(text.into()));
    }
    let mut flat = false;
    for k in (1..ranks.len()).filter(|&k| ranks[k] != axes) {
        let own = asked.operands[k].dims()?;
        if own.iter().rev().zip(normalised.iter().rev()).all(|(a, b)| a == b)
            && own
                .iter()
                .rev()
                .skip(axes)
                .chain(normalised.iter().rev().skip(own.len()))
                .all(|dim| dim.size() == Some(1))
        {
            continue;
        }
        let count = |dims: &[broadaxe_shape::Dim]| dims.iter().try_fold(1_usize, |n, dim| n.checked_mul(dim.size()?));
        match (count(own), count(normalised)) {
            (Some(own), Some(all)) if own == all => flat = true,
            (Some(_), Some(_)) => {
                let text = "reshapes scale and bias to the normalised shape, whose number of elements differs";
                return Some(Does::Refused(text.into()));
            }
            _ => {
                return Some(Does::Unknown(
                    "reshapes scale and bias to the normalised shape, whose sizes are unknown".into(),
                ));
            }
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
