//! Reads what the whole numbers of a tensor represent.

use std::sync::Arc;

use broadaxe_shape::{shape::elements, symbolic::SymbolicShape};

use super::{
    flat::{FlatReader, FlatTable},
    layout::field,
};
use crate::{error::Error, graph::Quantization};

/// Reads the quantization of a tensor; nothing where it has no scale.
pub(super) fn quantization(flat: &FlatReader<'_>, tensor: FlatTable) -> Result<Option<Arc<Quantization>>, Error> {
    let Some(table) = flat.child(tensor, field::TENSOR_QUANTIZATION)? else { return Ok(None) };
    let scales = flat.floats(table, field::QUANTIZATION_SCALE)?;
    let zero_points = flat.longs(table, field::QUANTIZATION_ZERO)?;
    let axis = flat.int(table, field::QUANTIZATION_AXIS)?.unwrap_or(0).into();
    Ok((!scales.is_empty()).then(|| Arc::new(Quantization { scales, zero_points, axis })))
}

/// Returns where an axis is in another shape of the same elements: as many come before and behind it as in the old one.
pub(super) fn moved_axis(old: &SymbolicShape, new: &SymbolicShape, axis: i64) -> Option<i32> {
    let (old, new) = (old.known()?, new.known()?);
    let axis = usize::try_from(axis).ok().filter(|&axis| axis < old.len())?;
    let before = |shape: &[usize], axis: usize| elements(&shape[..axis]).ok();
    let found = (0..new.len()).find(|&at| new[at] == old[axis] && before(&new, at) == before(&old, axis))?;
    i32::try_from(found).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_in_other_shapes() {
        let cases = [
            (&[3][..], &[1, 3][..], 0, Some(1)),
            (&[3], &[3, 1], 0, Some(0)),
            (&[2, 3], &[1, 2, 3], 1, Some(2)),
            (&[2, 3], &[2, 1, 1, 3], 1, Some(3)),
            (&[2, 3], &[6], 1, None),
            (&[2, 3], &[3, 2], 1, None),
            (&[2, 3], &[2, 3], 2, None),
            (&[2, 3], &[2, 3], -1, None),
        ];
        for (old, new, axis, want) in cases {
            assert_eq!(moved_axis(&SymbolicShape::from(old), &SymbolicShape::from(new), axis), want, "{old:?} {new:?}");
        }
    }
}
