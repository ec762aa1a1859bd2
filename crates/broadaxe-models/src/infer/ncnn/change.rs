//! Layers that reshape, permute, repeat or reduce.

use super::{
    expression,
    layer::{n, one, whdc},
};
use crate::infer::{
    Size,
    call::{Call, Made, Stop},
    tensor::Tensor,
};

/// The number of no axis.
const NO_AXIS: i64 = 233;

/// Infers a reshape: 0 is the extent of the input with the same letter, -1 what is left.
pub(crate) fn reshape(call: &Call<'_>) -> Made {
    if [call.param("12", NO_AXIS), call.param("13", NO_AXIS)] != [NO_AXIS; 2] {
        return reshape_batch(call);
    }
    let dims = call.blob(0)?;
    // w, h, (d,) c.
    let mut target = match call.expression("6") {
        Some(text) => expression::list(call, text)?,
        None => letters(call),
    };
    let from = whdc(dims);
    let order: &[usize] = match target.len() {
        1 => &[0],
        2 => &[0, 1],
        3 => &[0, 1, 3],
        4 => &[0, 1, 2, 3],
        rank => return call.refuse(&format!("a shape of rank {rank}; ncnn has ranks 1 to 4")),
    };
    for (size, &letter) in target.iter_mut().zip(order) {
        if size.is(0) {
            *size = from[letter].clone();
        }
    }
    filled(call, dims, &mut target)?;
    target.reverse();
    one(target)
}

/// Infers a reshape of all samples: an axis of the input, of the result, or of both counts them. Axes are row-major, and 0
/// is the extent of the input's axis with the same number.
fn reshape_batch(call: &Call<'_>) -> Made {
    let mut from = call.blob(0)?.to_vec();
    let batch = call.batch(0);
    match call.param("12", NO_AXIS) {
        NO_AXIS if batch.is(1) => {}
        NO_AXIS => return call.refuse("it reads one sample, but the input may have more"),
        axis => from.insert(call.axis(axis, from.len() + 1)?, batch),
    }
    let mut to = match call.expression("6") {
        Some(text) => expression::list(call, text)?,
        None => letters(call),
    };
    to.reverse();
    if to.is_empty() || to.len() > 5 {
        return call.refuse(&format!("a shape of rank {}; with samples there are ranks 1 to 5", to.len()));
    }
    for (axis, size) in to.iter_mut().enumerate() {
        if size.is(0) {
            *size = from
                .get(axis)
                .cloned()
                .map_or_else(|| call.refuse(&format!("axis {axis} of the input is not there")), Ok)?;
        }
    }
    filled(call, &from, &mut to)?;
    let batch = match call.param("13", NO_AXIS) {
        NO_AXIS => n(1),
        axis => to.remove(call.axis(axis, to.len())?),
    };
    if to.is_empty() || to.len() > 4 {
        return call.refuse(&format!("a sample of rank {}; ncnn has ranks 1 to 4", to.len()));
    }
    Ok(vec![Tensor { batch: Some(batch), ..Tensor::of(to) }])
}

/// Puts what is left in the place of -1, and compares the numbers of elements.
fn filled(call: &Call<'_>, from: &[Size], to: &mut [Size]) -> Result<(), Stop> {
    let total = call.product(from);
    if let Some(open) = to.iter().position(|size| size.is(-1)) {
        to[open] = n(1);
        if to.iter().any(|size| size.number().is_some_and(|size| size < 1)) {
            return call.refuse("two extents are left open");
        }
        let rest = call.product(to);
        to[open] = call.or_open(total.over(&rest).or_else(|| total.floor(&rest)));
    }
    let after = call.product(to);
    if total.equal(&after) == Some(false) {
        return call.refuse(&format!("{total} elements cannot be given a shape of {after}"));
    }
    Ok(())
}

/// Returns the shape in the parameters, as far as it goes without a gap.
fn letters(call: &Call<'_>) -> Vec<Size> {
    let [w, h, d, c] = ["0", "1", "11", "2"].map(|number| call.param(number, -233));
    match (w, h, d, c) {
        (-233, ..) => Vec::new(),
        (w, -233, ..) => vec![n(w)],
        (w, h, _, -233) => vec![n(w), n(h)],
        (w, h, -233, c) => vec![n(w), n(h), n(c)],
        (w, h, d, c) => vec![n(w), n(h), n(d), n(c)],
    }
}

pub(crate) fn flatten(call: &Call<'_>) -> Made {
    one(vec![call.product(call.blob(0)?)])
}

/// The orders of `Permute` for rank 4: which of w, h, d and c the result has, fastest first.
const ORDERS: [&str; 24] = [
    "whdc", "hwdc", "wdhc", "dwhc", "hdwc", "dhwc", "whcd", "hwcd", "wchd", "cwhd", "hcwd", "chwd", "wdch", "dwch",
    "wcdh", "cwdh", "dcwh", "cdwh", "hdcw", "dhcw", "hcdw", "chdw", "dchw", "cdhw",
];
/// The same for rank 3 and for rank 2.
const ORDERS_3: [&str; 6] = ["whc", "hwc", "wch", "cwh", "hcw", "chw"];
const ORDERS_2: [&str; 2] = ["wh", "hw"];

pub(crate) fn permute(call: &Call<'_>) -> Made {
    let dims = call.blob(0)?;
    let orders: &[&str] = match dims.len() {
        1 => return one(dims.to_vec()),
        2 => &ORDERS_2,
        3 => &ORDERS_3,
        _ => &ORDERS,
    };
    let kind = call.param("0", 0);
    let Some(order) = usize::try_from(kind).ok().and_then(|kind| orders.get(kind)) else {
        return call.refuse(&format!("there is no order {kind} of rank {}", dims.len()));
    };
    let [w, h, d, c] = whdc(dims);
    let size = |letter| match letter {
        b'w' => w.clone(),
        b'h' => h.clone(),
        b'd' => d.clone(),
        _ => c.clone(),
    };
    one(order.bytes().rev().map(size).collect())
}

pub(crate) fn concat(call: &Call<'_>) -> Made {
    let mut dims = call.blob(0)?.to_vec();
    let axis = call.axis(call.param("0", 0), dims.len())?;
    for k in 1..call.node.inputs.len() {
        let other = call.blob(k)?;
        if other.len() != dims.len() {
            return call.refuse(&format!("inputs of ranks {} and {}", dims.len(), other.len()));
        }
        dims[axis] = call.or_open(dims[axis].plus(&other[axis]));
    }
    one(dims)
}

/// Infers new axes of extent 1.
pub(crate) fn expand(call: &Call<'_>) -> Made {
    let (dims, axes) = (call.blob(0)?, call.list("3"));
    let rank = dims.len() + axes.len();
    if rank > 4 {
        return call.refuse(&format!("a result of rank {rank}; ncnn has ranks 1 to 4"));
    }
    let axes: Vec<usize> = axes.iter().map(|&axis| call.axis(axis, rank)).collect::<Result<_, _>>()?;
    let mut old = dims.iter().cloned();
    let made: Vec<Size> =
        (0..rank).filter_map(|axis| if axes.contains(&axis) { Some(n(1)) } else { old.next() }).collect();
    if made.len() != rank {
        return call.refuse("an axis is given twice");
    }
    one(made)
}

/// Infers the axes that stay; only those of extent 1 go.
pub(crate) fn squeeze(call: &Call<'_>) -> Made {
    let dims = call.blob(0)?;
    let rank = dims.len();
    let axes = call.list("3");
    let mut asked = vec![false; rank];
    if axes.is_empty() {
        let [w, h, d, c] = ["0", "1", "11", "2"].map(|number| call.param(number, 0) != 0);
        let letters: &[bool] = match rank {
            1 => &[w],
            2 => &[h, w],
            3 => &[c, h, w],
            _ => &[c, d, h, w],
        };
        asked.copy_from_slice(letters);
    }
    for &axis in axes {
        // Another axis is none.
        if let Ok(axis) = call.axis(axis, rank) {
            asked[axis] = true;
        }
    }
    let mut made = Vec::with_capacity(rank);
    for (size, asked) in dims.iter().zip(asked) {
        match (asked, size.equal(&n(1))) {
            (true, Some(true)) => {}
            (true, None) => return call.refuse("whether an extent is 1 is not known"),
            _ => made.push(size.clone()),
        }
    }
    one(if made.is_empty() { vec![n(1)] } else { made })
}

pub(crate) fn reduce(call: &Call<'_>) -> Made {
    let dims = call.blob(0)?;
    let (all, keep) = (call.param("1", 1) != 0, call.param("4", 0) != 0);
    let mut folded = vec![all || dims.len() == 1; dims.len()];
    for &axis in call.list("3").iter().filter(|_| !all && dims.len() > 1) {
        folded[call.axis(axis, dims.len())?] = true;
    }
    let mut made: Vec<Size> = Vec::with_capacity(dims.len());
    for (size, folded) in dims.iter().zip(folded) {
        match (folded, keep) {
            (false, _) => made.push(size.clone()),
            (true, true) => made.push(n(1)),
            (true, false) => {}
        }
    }
    one(if made.is_empty() { vec![n(1)] } else { made })
}

/// Infers repetitions: along one axis, or along the last ones.
pub(crate) fn tile(call: &Call<'_>) -> Made {
    let dims = call.blob(0)?;
    let counts = call.list("2");
    let mut made = dims.to_vec();
    if counts.is_empty() {
        let axis = if dims.len() == 1 { 0 } else { call.axis(call.param("0", 0), dims.len())? };
        made[axis] = call.or_open(made[axis].times(&n(call.param("1", 1))));
        return one(made);
    }
    if counts.len() > 4 {
        return call.refuse(&format!("{} counts; ncnn has ranks 1 to 4", counts.len()));
    }
    // Depths go behind the channels of an image.
    if made.len() == 3 && counts.len() == 4 {
        made.insert(1, n(1));
    }
    while made.len() < counts.len() {
        made.insert(0, n(1));
    }
    let first = made.len() - counts.len();
    for (size, &count) in made[first..].iter_mut().zip(counts) {
        *size = call.or_open(size.times(&n(count)));
    }
    one(made)
}

/// Infers a resized image: by an expression, a second input, extents or factors.
pub(crate) fn resize(call: &Call<'_>) -> Made {
    let dims = call.blob(0)?;
    let [w, h, _, c] = whdc(dims);
    let (outw, outh) = if let Some(text) = call.expression("9") {
        match &expression::list(call, text)?[..] {
            [outw] => (outw.clone(), h),
            [outw, outh] => (outw.clone(), outh.clone()),
            sizes => return call.refuse(&format!("an expression of {} extents; an image has two", sizes.len())),
        }
    } else if call.node.inputs.len() > 1 {
        let [w, h, ..] = call.whdc(1)?;
        (w, h)
    } else {
        match (call.param("4", 0), call.param("3", 0)) {
            (outw, outh) if outw != 0 && outh != 0 => (n(outw), n(outh)),
            _ => {
                // A row of numbers counts as an image of one pixel.
                let (w, h) = if dims.len() == 1 { (n(1), n(1)) } else { (w, h) };
                (scaled(call, &w, call.real("2", 1.0)), scaled(call, &h, call.real("1", 1.0)))
            }
        }
    };
    one(match dims.len() {
        1 => vec![dims[0].clone(), outh, outw],
        2 => vec![dims[0].clone(), outw],
        3 => vec![c, outh, outw],
        rank => return call.refuse(&format!("an image of rank {rank}; it has at most 3")),
    })
}

/// Multiplies by a factor and rounds down, in single precision.
fn scaled(call: &Call<'_>, size: &Size, factor: f64) -> Size {
    let factor = factor as f32;
    if let Some(size) = size.number() {
        return n((size as f32 * factor) as i64);
    }
    call.or_open(if factor.fract() == 0.0 { size.times(&n(factor as i64)) } else { None })
}

/// Infers pixels that become channels or the other way round.
pub(crate) fn shuffle(call: &Call<'_>) -> Made {
    let dims = call.blob(0)?;
    let [w, h, _, c] = whdc(dims);
    let by = call.param("0", 1);
    let Some(square) = by.checked_mul(by).filter(|_| by > 0) else { return call.refuse("the factor is not positive") };
    let (by, square) = (n(by), n(square));
    let made = if call.node.op == "Reorg" {
        [c.times(&square), h.floor(&by), w.floor(&by)]
    } else {
        [c.floor(&square), h.times(&by), w.times(&by)]
    };
    one(made.into_iter().map(|size| call.or_open(size)).collect())
}
