//! Layers for detection, regions and signals, and the rest.

use super::layer::{n, one};
use crate::infer::{
    call::{Call, Made},
    tensor::Tensor,
};

/// Infers a list of boxes, as many as are found.
pub(crate) fn boxes(call: &Call<'_>) -> Made {
    if call.node.op == "Proposal" {
        let found = call.open();
        return Ok([vec![found.clone(), n(1), n(4)], vec![found, n(1), n(1)]].map(Tensor::of).into());
    }
    one(vec![call.open(), n(6)])
}

/// Says why nothing is known: where no box is found the layer returns its input.
pub(crate) fn boxes_or_input(call: &Call<'_>) -> Made {
    call.refuse("its result is a list of boxes, or its input where it finds none")
}

/// Infers the boxes that a detector starts from, four numbers each.
pub(crate) fn priors(call: &Call<'_>) -> Made {
    let [w, h, ..] = call.whdc(0)?;
    let (least, most, ratios) = (call.count("0"), call.count("1"), call.count("2"));
    let plain = call.node.inputs.len() == 1 && call.param("9", 0) == -233 && call.param("10", 0) == -233 && most == 0;
    let count = if plain {
        least - 1 + ratios
    } else {
        let both = if call.param("7", 1) == 0 { 1 } else { 2 };
        least * ratios * both + least + most
    };
    let all = call.product(&[n(4), w, h, n(count)]);
    one(if plain { vec![all] } else { vec![n(2), all] })
}

/// Infers a region that is resized.
pub(crate) fn regions(call: &Call<'_>) -> Made {
    let (otherwise, own) = if call.node.op == "PSROIPooling" { (7, true) } else { (0, false) };
    let [_, _, _, c] = call.whdc(0)?;
    let channels = if own { n(call.param("3", 0)) } else { c };
    one(vec![channels, n(call.param("1", otherwise)), n(call.param("0", otherwise))])
}

pub(crate) fn arg_max(call: &Call<'_>) -> Made {
    one(vec![n(if call.param("0", 0) == 0 { 1 } else { 2 }), n(call.param("1", 1))])
}

/// Infers a matrix with a diagonal, or the diagonal of a matrix.
pub(crate) fn diagonal(call: &Call<'_>) -> Made {
    let (dims, offset) = (call.blob(0)?, call.param("0", 0));
    match dims {
        [w] => {
            let side = call.or_open(i64::try_from(offset.unsigned_abs()).ok().and_then(|offset| w.more(offset)));
            one(vec![side.clone(), side])
        }
        [h, w] => {
            let (Some(h), Some(w)) = (h.number(), w.number()) else { return one(vec![call.open()]) };
            one(vec![n(h.min(h + offset).min(w - offset).min(w))])
        }
        _ => call.refuse(&format!("a blob of rank {}", dims.len())),
    }
}

/// Infers samples at the points of a grid.
pub(crate) fn grid(call: &Call<'_>) -> Made {
    let [_, _, _, c] = call.whdc(0)?;
    let grid = call.blob(1)?;
    // The coordinates of a point stand in the last axis, or in the first if the order was changed.
    let inner = if call.param("3", 0) == 0 { &grid[..grid.len() - 1] } else { &grid[1..] };
    one([c].into_iter().chain(inner.iter().cloned()).collect())
}

/// Infers a mean per channel, and perhaps a deviation.
pub(crate) fn statistics(call: &Call<'_>) -> Made {
    let [_, _, _, c] = call.whdc(0)?;
    one(vec![call.or_open(c.times(&n(if call.param("0", 0) == 0 { 1 } else { 2 })))])
}

/// Infers the frequencies of a signal over time.
pub(crate) fn spectrum(call: &Call<'_>) -> Made {
    let [w, ..] = call.whdc(0)?;
    let length = call.param("0", 0);
    let hop = call.param("2", length / 4);
    if length < 1 || hop < 1 {
        return call.refuse("the window or its step is not positive");
    }
    let around = if call.param("5", 1) == 0 { 0 } else { length / 2 * 2 };
    let frames = w.more(around - length).and_then(|space| space.floor(&n(hop))?.more(1));
    let frequencies = if call.param("8", 1) == 0 { length } else { length / 2 + 1 };
    let mut made = vec![n(frequencies), call.or_open(frames)];
    if call.param("1", 0) == 0 {
        made.push(n(2));
    }
    one(made)
}

/// Infers the signal of frequencies over time.
pub(crate) fn signal(call: &Call<'_>) -> Made {
    let [_, frames, ..] = call.whdc(0)?;
    let length = call.param("0", 0);
    let hop = call.param("2", length / 4);
    let rest = if call.param("5", 1) == 0 { length } else { length % 2 };
    let size = frames.more(-1).and_then(|steps| steps.times(&n(hop))?.more(rest));
    let size = call.or_open(size);
    one(if call.param("1", 0) == 0 { vec![size, n(2)] } else { vec![size] })
}
