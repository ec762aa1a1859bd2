//! Checks tensors with one entry per block of the data: `QuantizeLinear` and `DequantizeLinear` with `block_size`.
//!
//! A scale has the data's dims but for one: along `axis` it has one entry for each block, and the last block may be shorter.

use broadaxe_shape::{Dim, SymbolicShape};

use super::Meaning;

/// Returns the dims of the scales of blocks along an axis; nothing for those that are open.
fn wanted(dims: &[Dim], at: usize, size: usize) -> Vec<Option<usize>> {
    let along = |(k, dim): (usize, &Dim)| dim.size().map(|dim| if k == at { dim.div_ceil(size) } else { dim });
    dims.iter().enumerate().map(along).collect()
}

/// Says whether scales may have the dims that are wanted.
fn fits(list: &SymbolicShape, wanted: &[Option<usize>]) -> bool {
    list.dims().is_none_or(|own| {
        let mut pairs = own.iter().zip(wanted).filter_map(|(own, wanted)| Some((own.size()?, (*wanted)?)));
        own.len() == wanted.len() && pairs.all(|(own, wanted)| own == wanted)
    })
}

/// Says why blocks do not fit their data, and what would; nothing where they fit, or where too little is known.
pub(crate) fn wrong(meaning: &Meaning, shapes: &[SymbolicShape]) -> Option<String> {
    let (axis, size) = meaning.blocks()?;
    let (data, lists) = shapes.split_first()?;
    if size < 1 {
        return Some(format!("block_size={size} must be 1 or more, or 0 for no blocks"));
    }
    let size = usize::try_from(size).ok()?;
    let dims = data.dims()?;
    let from_end = || dims.len().checked_sub(usize::try_from(axis.unsigned_abs()).ok()?);
    let at = if axis < 0 { from_end() } else { usize::try_from(axis).ok().filter(|at| *at < dims.len()) };
    let Some(at) = at else {
        return Some(format!("axis={axis} is no axis of the data {data}, whose rank is {}", dims.len()));
    };
    let sizes = wanted(dims, at, size);
    let list = lists.iter().find(|list| !fits(list, &sizes))?;
    let sizes: Vec<String> =
        sizes.iter().map(|size| size.map_or_else(|| "?".to_owned(), |size| size.to_string())).collect();
    let sizes = sizes.join(", ");
    let also = only_axis(meaning, shapes).map_or_else(String::new, |axis| format!("; axis={axis} would fit"));
    Some(format!(
        "blocks of {size} along axis {at} of the data {data} need scales of the shape ({sizes}{}), not {list}{also}",
        if dims.len() == 1 { "," } else { "" }
    ))
}

/// Returns the only axis along which blocks fit, whatever axis the node names; nothing where several do, or a shape is open.
pub(crate) fn only_axis(meaning: &Meaning, shapes: &[SymbolicShape]) -> Option<i64> {
    let (_, size) = meaning.blocks()?;
    let size = usize::try_from(size).ok().filter(|size| *size > 0)?;
    let (data, lists) = shapes.split_first().filter(|_| shapes.iter().all(|shape| shape.known().is_some()))?;
    let dims = data.dims()?;
    let fit = |at: &usize| lists.iter().all(|list| fits(list, &wanted(dims, *at, size)));
    let mut axes = (0..dims.len()).filter(fit);
    let only = axes.next().filter(|_| !lists.is_empty())?;
    if axes.next().is_none() { Some(only as i64) } else { None }
}
