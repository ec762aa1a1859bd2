//! Shapes of gathers and scatters.

use super::{
    Size,
    call::{Call, Made, Stop, because},
    row::{SAME, ShapeRow, Type, row},
    slice::like,
    tensor::{Tensor, small},
};

pub(crate) static GATHER_ROWS: &[ShapeRow] = &[
    row("Gather", |call| gathered(call, call.int("axis").unwrap_or(0), 0), SAME),
    row("GatherElements", |call| Ok(vec![Tensor::of(call.dims(1)?.to_vec())]), SAME),
    row("GatherND", |call| points(call, call.int("batch_dims").unwrap_or(0)), SAME),
    row("Scatter", like, SAME),
    row("ScatterElements", like, SAME),
    row("ScatterND", like, SAME),
    row("TensorScatter", like, SAME),
    row("OneHot", |call| one_hot(call, call.scalar(1)), &[Type::Same(2)]),
];

/// Infers slices along an axis, picked by indices.
pub(crate) fn gathered(call: &Call<'_>, axis: i64, batch: usize) -> Made {
    let (dims, indices) = (call.least(0, 1)?, call.dims(1)?);
    let axis = call.axis(axis, dims.len())?;
    if batch > axis || batch > indices.len() {
        return because(format!("{}: {batch} axes of batches are too many", call.node.op));
    }
    let out = [&dims[..axis], &indices[batch..], &dims[axis + 1..]].concat();
    let picked = || {
        let (own, _) = (small(dims)?, small(&out).filter(|_| batch == 0)?);
        let (all, at) = (call.values(0)?, call.sizes(1)?);
        let (before, behind): (usize, usize) = (own[..axis].iter().product(), own[axis + 1..].iter().product());
        let pick = |block: usize, at: &Option<Size>, i: usize| {
            let at = at.as_ref()?.number()?;
            let at = usize::try_from(if at < 0 { at.checked_add(own[axis] as i64)? } else { at }).ok()?;
            all.get((block * own[axis] + at).checked_mul(behind)?.checked_add(i)?)?.clone()
        };
        let (pick, at) = (&pick, &at);
        let blocks =
            (0..before).flat_map(|block| at.iter().flat_map(move |at| (0..behind).map(move |i| pick(block, at, i))));
        Some(blocks.collect())
    };
    let values = picked();
    Ok(vec![Tensor::of(out).with(values)])
}

/// Infers slices picked by points: the last axis of the indices counts the axes that they fix.
pub(crate) fn points(call: &Call<'_>, batch: i64) -> Made {
    let (dims, indices) = (call.least(0, 1)?, call.least(1, 1)?);
    let Some((last, before)) = indices.split_last() else { return Err(Stop::Input(1)) };
    let Some(fixed) = last.extent() else { return because("GatherND: the last extent of the indices is not known") };
    let rest = usize::try_from(batch).ok().and_then(|batch| dims.get(batch.checked_add(fixed)?..));
    let Some(rest) = rest else { return because("GatherND: the indices fix more axes than there are") };
    Ok(vec![Tensor::of([before, rest].concat())])
}

/// Infers a new axis of this extent.
pub(crate) fn one_hot(call: &Call<'_>, depth: Option<Size>) -> Made {
    let mut dims = call.dims(0)?.to_vec();
    let axis = call.axis_or(-1, dims.len() + 1)?;
    dims.insert(axis, call.or_open(depth));
    Ok(vec![Tensor::of(dims)])
}
