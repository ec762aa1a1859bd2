//! Checks tensors with one entry per block of the data: `QuantizeLinear` and `DequantizeLinear` with `block_size`.
//!
//! A scale has the data's dims but for one: along `axis` it has one entry for each block, and the last block may be shorter.

use broadaxe_shape::SymbolicShape;

use crate::meaning::Meaning;

/// Says why blocks do not fit their data, and what would; nothing where they fit, or where too little is known.
pub(super) fn wrong(meaning: &Meaning, shapes: &[SymbolicShape]) -> Option<String> {
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
    let wanted: Vec<Option<usize>> = dims
        .iter()
        .enumerate()
        .map(|(k, dim)| dim.size().map(|dim| if k == at { dim.div_ceil(size) } else { dim }))
        .collect();
    let fits = |list: &SymbolicShape| {
        list.dims().is_none_or(|own| {
            let pairs = || own.iter().zip(&wanted).filter_map(|(own, wanted)| Some((own.size()?, (*wanted)?)));
            own.len() == wanted.len() && pairs().all(|(own, wanted)| own == wanted)
        })
    };
    let list = lists.iter().find(|list| !fits(list))?;
    let wanted: Vec<String> =
        wanted.iter().map(|size| size.map_or_else(|| "?".to_owned(), |size| size.to_string())).collect();
    let wanted = wanted.join(", ");
    Some(format!(
        "blocks of {size} along axis {at} of the data {data} need scales of the shape ({wanted}{}), not {list}",
        if dims.len() == 1 { "," } else { "" }
    ))
}
