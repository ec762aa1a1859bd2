//! Shapes of dense and recurrent layers.

use crate::infer::{
    Size,
    call::{Call, Made, because},
    tensor::{Tensor, product},
};

/// Infers a dense layer: weights (units, width). The rows are what the width leaves of all elements, unless the axes are kept;
/// elements that fill no row are left out.
pub(super) fn dense(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let [units, width] = call.ranked::<2>(1)?;
    if !call.flag("keep_num_dims") {
        let rows = product(dims).and_then(|count| count.floor(width));
        return Ok(vec![Tensor::of(vec![call.or_open(rows), units.clone()])]);
    }
    let Some((last, before)) = dims.split_last() else { return because("FULLY_CONNECTED: the input has no axis") };
    call.same(last, width)?;
    Ok(vec![Tensor::of([before, std::slice::from_ref(units)].concat())])
}

/// Infers the rows of a table that the first input names.
pub(super) fn looked_up(call: &Call<'_>) -> Made {
    let ([count], table) = (call.ranked::<1>(0)?, call.least(1, 1)?);
    Ok(vec![Tensor::of([std::slice::from_ref(count), &table[1..]].concat())])
}

/// Infers a recurrent layer: like its input, but as wide as an axis of some weights.
pub(super) fn recurrent(call: &Call<'_>, weights: usize, axis: usize) -> Made {
    let dims = call.least(0, 1)?;
    let width = call.ranked::<2>(weights)?[axis].clone();
    Ok(vec![Tensor::of([&dims[..dims.len() - 1], &[width]].concat())])
}

/// Infers a step of an LSTM. The basic kernel has five inputs, and returns its state and what it computed with.
pub(super) fn step(call: &Call<'_>) -> Made {
    if call.text("kernel_type") != Some("BASIC") {
        return recurrent(call, 8, 1);
    }
    let ([batch, width], [_, units]) = (call.ranked::<2>(0)?, call.ranked::<2>(1)?);
    let all = [units.clone(), units.clone()].into_iter().map(Some);
    let widths = all.chain([width.plus(units), units.times(&Size::known(4))]);
    Ok(widths.map(|width| Tensor::of(vec![batch.clone(), call.or_open(width)])).collect())
}

/// Infers an LSTM that goes both ways: two results, or one that is as wide as both.
pub(super) fn both_ways(call: &Call<'_>) -> Made {
    let dims = call.least(0, 1)?;
    let (one, two) = (&call.ranked::<2>(8)?[1], &call.ranked::<2>(25)?[1]);
    let wide = |width: Size| Tensor::of([&dims[..dims.len() - 1], &[width]].concat());
    if call.flag("merge_outputs") {
        return Ok(vec![wide(call.or_open(one.plus(two)))]);
    }
    Ok(vec![wide(one.clone()), wide(two.clone())])
}

/// Infers an SVDF: as many units as filters over the rank.
pub(super) fn filtered(call: &Call<'_>) -> Made {
    let ([batch, _], [filters, _]) = (call.ranked::<2>(0)?, call.ranked::<2>(1)?);
    let rank = Size::known(call.int("rank").unwrap_or(0).max(1));
    Ok(vec![Tensor::of(vec![batch.clone(), call.or_open(filters.over(&rank))])])
}
