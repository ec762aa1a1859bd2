//! Boxes, regions, signals, and the rest.

use super::call::{Call, Made, n};

/// Infers a list of boxes, as many as are found.
pub(super) fn boxes(call: &Call<'_>) -> Made {
    if call.node.op == "Proposal" {
        let found = call.open();
        return Ok(vec![vec![found.clone(), n(1), n(4)], vec![found, n(1), n(1)]]);
    }
    Ok(vec![vec![call.open(), n(6)]])
}

/// Says why nothing is known: where no box is found the layer returns its input.
pub(super) fn boxes_or_input(call: &Call<'_>) -> Made {
    call.refuse("its result is a list of boxes, or its input where it finds none")
}

/// Infers the boxes that a detector starts from, four numbers each.
pub(super) fn priors(call: &Call<'_>) -> Made {
    let [w, h, ..] = call.whdc(0)?;
    let (least, most, ratios) = (call.count("0"), call.count("1"), call.count("2"));
    let plain = call.node.inputs.len() == 1 && call.int("9", 0) == -233 && call.int("10", 0) == -233 && most == 0;
    let count = if plain {
        least - 1 + ratios
    } else {
        let both = if call.int("7", 1) == 0 { 1 } else { 2 };
        least * ratios * both + least + most
    };
    let all = call.product(&[n(4), w, h, n(count)]);
    Ok(vec![if plain { vec![all] } else { vec![n(2), all] }])
}

/// Infers a region that is resized.
pub(super) fn regions(call: &Call<'_>) -> Made {
    let (otherwise, own) = if call.node.op == "PSROIPooling" { (7, true) } else { (0, false) };
    let [_, _, _, c] = call.whdc(0)?;
    let channels = if own { n(call.int("3", 0)) } else { c };
    Ok(vec![vec![channels, n(call.int("1", otherwise)), n(call.int("0", otherwise))]])
}

pub(super) fn arg_max(call: &Call<'_>) -> Made {
    Ok(vec![vec![n(if call.int("0", 0) == 0 { 1 } else { 2 }), n(call.int("1", 1))]])
}

/// Infers a matrix with a diagonal, or the diagonal of a matrix.
pub(super) fn diagonal(call: &Call<'_>) -> Made {
    let (dims, offset) = (call.dims(0)?, call.int("0", 0));
    match dims {
        [w] => {
            let side = call.or_open(i64::try_from(offset.unsigned_abs()).ok().and_then(|offset| w.more(offset)));
            Ok(vec![vec![side.clone(), side]])
        }
        [h, w] => {
            let (Some(h), Some(w)) = (h.number(), w.number()) else { return Ok(vec![vec![call.open()]]) };
            Ok(vec![vec![n(h.min(h + offset).min(w - offset).min(w))]])
        }
        _ => call.refuse(&format!("a blob of rank {}", dims.len())),
    }
}

/// Infers samples at the points of a grid.
pub(super) fn grid(call: &Call<'_>) -> Made {
    let [_, _, _, c] = call.whdc(0)?;
    let grid = call.dims(1)?;
    // The coordinates of a point stand in the last axis, or in the first if the order was changed.
    let inner = if call.int("3", 0) == 0 { &grid[..grid.len() - 1] } else { &grid[1..] };
    Ok(vec![[c].into_iter().chain(inner.iter().cloned()).collect()])
}

/// Infers a mean per channel, and perhaps a deviation.
pub(super) fn statistics(call: &Call<'_>) -> Made {
    let [_, _, _, c] = call.whdc(0)?;
    Ok(vec![vec![call.or_open(c.times(&n(if call.int("0", 0) == 0 { 1 } else { 2 })))]])
}

/// Infers the frequencies of a signal over time.
pub(super) fn spectrum(call: &Call<'_>) -> Made {
    let [w, ..] = call.whdc(0)?;
    let length = call.int("0", 0);
    let hop = call.int("2", length / 4);
    if length < 1 || hop < 1 {
        return call.refuse("the window or its step is not positive");
    }
    let around = if call.int("5", 1) == 0 { 0 } else { length / 2 * 2 };
    let frames = w.more(around - length).and_then(|space| space.floor(&n(hop))?.more(1));
    let frequencies = if call.int("8", 1) == 0 { length } else { length / 2 + 1 };
    let mut made = vec![n(frequencies), call.or_open(frames)];
    if call.int("1", 0) == 0 {
        made.push(n(2));
    }
    Ok(vec![made])
}

/// Infers the signal of frequencies over time.
pub(super) fn signal(call: &Call<'_>) -> Made {
    let [_, frames, ..] = call.whdc(0)?;
    let length = call.int("0", 0);
    let hop = call.int("2", length / 4);
    let rest = if call.int("5", 1) == 0 { length } else { length % 2 };
    let size = frames.more(-1).and_then(|steps| steps.times(&n(hop))?.more(rest));
    let size = call.or_open(size);
    Ok(vec![if call.int("1", 0) == 0 { vec![size, n(2)] } else { vec![size] }])
}
