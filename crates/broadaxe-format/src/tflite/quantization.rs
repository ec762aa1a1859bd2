//! Reads what the whole numbers of a tensor represent.

use std::sync::Arc;

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
