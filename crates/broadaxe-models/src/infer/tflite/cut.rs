//! Shapes of slices, splits and pads.

use super::change::axis;
use crate::infer::{
    Size,
    call::{Call, Made, Stop, because},
    openvino::{Masks, sliced_by},
    reshape::target,
    slice::{self, Range, lengths, pieces},
    tensor::Tensor,
};

/// Infers a slice: where it begins, and how many elements it has; -1 is all that are left.
pub(super) fn sliced(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let (begins, sizes) = (target(call, 1)?, target(call, 2)?);
    if [begins.len(), sizes.len()] != [dims.len(); 2] {
        return because(format!("SLICE: {} and {} numbers at rank {}", begins.len(), sizes.len(), dims.len()));
    }
    let beyond = |((begin, size), extent): ((&Option<Size>, &Option<Size>), &Size)| {
        let end = begin.as_ref()?.number()?.checked_add(size.as_ref()?.number()?.max(0))?;
        (end > extent.number()?).then_some(end)
    };
    if let Some(end) = begins.iter().zip(&sizes).zip(dims).find_map(beyond) {
        return because(format!("SLICE: a range ends at {end}, beyond its axis"));
    }
    let range = |(begin, size): (&Option<Size>, &Option<Size>)| {
        let end = || match size.as_ref()? {
            size if size.is(-1) => Some(Size::known(i64::MAX)),
            size => begin.as_ref()?.plus(size),
        };
        Range { start: begin.clone(), end: end(), step: Some(1) }
    };
    let ranges: Vec<(usize, Range)> = begins.iter().zip(&sizes).map(range).enumerate().collect();
    let cut = slice::cut(call, dims, &ranges)?;
    let Some(Tensor { dims: Some(mut out), values, .. }) = cut.into_iter().next() else { return Err(Stop::Input(0)) };
    // How many there are holds, even where it is not known where they begin.
    for (out, size) in out.iter_mut().zip(sizes) {
        if let Some(size) = size.filter(|size| size.low().is_some_and(|low| low >= 0)) {
            *out = size;
        }
    }
    Ok(vec![Tensor::of(out).with(values.map(|values| values.to_vec()))])
}

/// Infers a slice with masks; with `offset`, the ends count from the begins.
pub(super) fn strided(call: &Call<'_>) -> Made {
    let bits = |name: &str| u64::from(call.int(name).unwrap_or(0) as u32);
    let masks = Masks {
        begin: bits("begin_mask"),
        end: bits("end_mask"),
        new_axis: bits("new_axis_mask"),
        shrink_axis: bits("shrink_axis_mask"),
        ellipsis: bits("ellipsis_mask"),
    };
    let mut ends = target(call, 2)?;
    if call.flag("offset") {
        for (end, begin) in ends.iter_mut().zip(target(call, 1)?) {
            *end = end.as_ref().zip(begin.as_ref()).and_then(|(end, begin)| begin.plus(end));
        }
    }
    sliced_by(call, masks, &ends)
}

/// Makes results of which only the rank is known.
fn open(call: &Call<'_>, rank: usize) -> Vec<Tensor> {
    call.node.outputs.iter().map(|_| Tensor::of(call.opens(rank))).collect()
}

/// Infers even parts along the axis that the first input says.
pub(super) fn split(call: &Call<'_>) -> Made {
    let dims = call.least(1, 1)?;
    let parts = call.node.outputs.len().max(1);
    let Some(axis) = axis(call, 0, dims.len())? else { return Ok(open(call, dims.len())) };
    let size = dims[axis].floor(&Size::known(parts as i64));
    pieces(call, 1, axis, &vec![size; parts])
}

/// Infers parts of the lengths that the second input says, along the axis that the third does.
pub(super) fn split_as(call: &Call<'_>) -> Made {
    let dims = call.least(0, 1)?;
    let Some(axis) = axis(call, 2, dims.len())? else { return Ok(open(call, dims.len())) };
    let sizes = call.sizes(1).unwrap_or_else(|| vec![None; call.node.outputs.len()]);
    pieces(call, 0, axis, &lengths(call, sizes, &dims[axis])?)
}

/// Infers pads: a row per axis, before it and behind it.
pub(super) fn padded(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let Some(pads) = call.sizes(1) else { return Ok(vec![Tensor::of(call.opens(dims.len()))]) };
    if pads.len() != 2 * dims.len() {
        return because(format!("{}: {} pads at rank {}", call.node.op, pads.len(), dims.len()));
    }
    let padded = |(size, pads): (&Size, &[Option<Size>])| match pads {
        [Some(before), Some(behind)] => size.plus(before)?.plus(behind),
        _ => None,
    };
    let out = dims.iter().zip(pads.chunks_exact(2)).map(|row| call.or_open(padded(row)));
    Ok(vec![Tensor::of(out.collect())])
}
