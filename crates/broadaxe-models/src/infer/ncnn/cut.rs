//! Layers that slice, crop and pad.

use super::{
    expression,
    layer::{n, one, whdc},
};
use crate::infer::{
    Size,
    call::{Call, Made},
    tensor::Tensor,
};

/// The number of an extent or end that follows from the others.
const OPEN: i64 = -233;

/// Infers parts along an axis: by their sizes, or by where they end.
pub(crate) fn slice(call: &Call<'_>) -> Made {
    let dims = call.blob(0)?;
    let axis = if dims.len() == 1 { 0 } else { call.axis(call.param("1", 0), dims.len())? };
    let (parts, sizes, ends) = (call.node.outputs.len(), call.list("0"), call.list("2"));
    if ends.is_empty() && sizes.len() < parts || !ends.is_empty() && ends.len() + 1 < parts {
        return call.refuse(&format!("it has {parts} results, but not as many numbers"));
    }
    let whole = &dims[axis];
    let mut begin = n(0);
    let mut made = Vec::with_capacity(parts);
    for k in 0..parts {
        let left = call.or_open(whole.minus(&begin));
        let size = if ends.is_empty() {
            match sizes[k] {
                OPEN => call.or_open(left.floor(&n((parts - k) as i64))),
                size => n(size),
            }
        } else if k + 1 == parts {
            left
        } else {
            let end = if ends[k] < 0 { whole.more(ends[k]) } else { Some(n(ends[k])) };
            call.or_open(end.and_then(|end| end.minus(&begin)))
        };
        begin = call.or_open(begin.plus(&size));
        let mut part = dims.to_vec();
        part[axis] = size;
        made.push(Tensor::of(part));
    }
    Ok(made)
}

/// Infers halves along an axis, the second of which gates the first.
pub(crate) fn halves(call: &Call<'_>) -> Made {
    let mut dims = call.blob(0)?.to_vec();
    let axis = if dims.len() == 1 { 0 } else { call.axis(call.param("0", 0), dims.len())? };
    dims[axis] = call.or_open(dims[axis].floor(&n(2)));
    one(dims)
}

/// Infers a part of a blob: from starts to ends, by offsets, or as large as a second input.
pub(crate) fn crop(call: &Call<'_>) -> Made {
    let dims = call.blob(0)?;
    if let (Some(starts), Some(ends)) = (call.expression("19"), call.expression("20")) {
        let axes = call.expression("21").map(|text| expression::list(call, text)).transpose()?.unwrap_or_default();
        let axes: Option<Vec<i64>> = axes.iter().map(Size::number).collect();
        let Some(axes) = axes else { return call.refuse("which axes are cut is not known") };
        return between(call, dims, &expression::list(call, starts)?, &expression::list(call, ends)?, &axes);
    }
    let (starts, ends) = (call.list("9"), call.list("10"));
    if !starts.is_empty() && !ends.is_empty() {
        let sizes = |list: &[i64]| list.iter().map(|&at| n(at)).collect::<Vec<_>>();
        return between(call, dims, &sizes(starts), &sizes(ends), call.list("11"));
    }
    if call.node.inputs.len() > 1 {
        if call.param("0", 0) == OPEN {
            return call.refuse("the part is said by numbers that are known at run time only");
        }
        return like(call, dims, call.blob(1)?);
    }
    // Offset, extent and offset from the end of w, h, d and c.
    let numbers = [["0", "3", "6"], ["1", "4", "7"], ["13", "14", "15"], ["2", "5", "8"]];
    let letters: &[usize] = match dims.len() {
        1 => &[0],
        2 => &[1, 0],
        3 => &[3, 1, 0],
        _ => &[3, 2, 1, 0],
    };
    let part = dims.iter().zip(letters).map(|(size, &letter)| {
        let [offset, extent, behind] = numbers[letter].map(|number| call.param(number, 0));
        let left = size.more(-offset).and_then(|left| left.more(-behind));
        call.or_open(if extent == OPEN { left } else { left.and_then(|left| left.min(&n(extent))) })
    });
    one(part.collect())
}

/// Cuts from starts to ends; those below zero count from the end, and an end of 0 is the end.
fn between(call: &Call<'_>, dims: &[Size], starts: &[Size], ends: &[Size], axes: &[i64]) -> Made {
    let mut made = dims.to_vec();
    let count = if axes.is_empty() { dims.len() } else { axes.len() };
    if starts.len() < count || ends.len() < count {
        return call.refuse(&format!("{count} axes, but not as many starts and ends"));
    }
    for k in 0..count {
        let axis = if dims.len() == 1 { 0 } else { call.axis(axes.get(k).copied().unwrap_or(k as i64), dims.len())? };
        let whole = &dims[axis];
        let start = match starts[k].number() {
            Some(OPEN) => Some(n(0)),
            Some(start) if start < 0 => whole.more(start),
            _ => Some(starts[k].clone()),
        };
        let end = match ends[k].number() {
            Some(OPEN) => Some(whole.clone()),
            Some(end) if end <= 0 => whole.more(end),
            _ => whole.min(&ends[k]),
        };
        made[axis] = call.or_open(start.and_then(|start| end?.minus(&start)));
    }
    one(made)
}

/// Cuts to the extents of another blob; channels stay unless its rank is the same.
fn like(call: &Call<'_>, dims: &[Size], other: &[Size]) -> Made {
    let [w, h, d, c] = whdc(other);
    let c = if other.len() == dims.len() { c } else { dims[0].clone() };
    one(match dims.len() {
        1 => vec![w],
        2 => vec![h, w],
        3 => vec![c, h, w],
        4 => vec![c, d, h, w],
        rank => return call.refuse(&format!("a blob of rank {rank}")),
    })
}

/// Infers what is put around a blob.
pub(crate) fn pad(call: &Call<'_>) -> Made {
    if call.node.inputs.len() > 1 {
        return call.refuse("how much is put around is known at run time only");
    }
    let mut dims = call.blob(0)?.to_vec();
    let get = |number: &str| call.param(number, 0);
    let (w, h, front) = ([get("2"), get("3")], [get("0"), get("1")], [get("7"), get("8")]);
    // In front and behind are channels of an image, and depths of a volume.
    let around: &[(usize, [i64; 2])] = match dims.len() {
        1 => &[(0, w)],
        2 => &[(1, w), (0, h)],
        3 => &[(2, w), (1, h), (0, front)],
        _ => &[(3, w), (2, h), (1, front)],
    };
    for &(axis, [before, behind]) in around {
        dims[axis] = call.or_open(dims[axis].more(before).and_then(|size| size.more(behind)));
    }
    one(dims)
}
