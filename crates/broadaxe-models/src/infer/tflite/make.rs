//! Shapes of tensors that are made of lists and numbers, and of results that count what they find.

use broadaxe_shape::Rule;

use crate::infer::{
    Size,
    call::{Call, Made, Stop, because},
    elementwise::united,
    number::Number,
    reshape::target,
    tensor::{FOLLOWED, Tensor, count},
};

/// Infers a result of the shape that an input says.
pub(super) fn shaped(call: &Call<'_>, k: usize) -> Made {
    let dims: Vec<Size> = target(call, k)?.into_iter().map(|size| call.or_open(size)).collect();
    match dims.iter().find(|size| size.high().is_some_and(|high| high < 0)) {
        Some(size) => because(format!("{}: {size} is no extent", call.node.op)),
        None => Ok(vec![Tensor::of(dims)]),
    }
}

/// Infers a tensor of a shape, filled with one number.
pub(super) fn filled(call: &Call<'_>) -> Made {
    let value = call.values(1).and_then(|values| values.first()?.clone());
    let fill = |tensor: Tensor| {
        let count = tensor.dims.as_deref().and_then(count).filter(|&count| count <= FOLLOWED);
        tensor.with(count.map(|count| vec![value.clone(); count]))
    };
    Ok(shaped(call, 0)?.into_iter().map(fill).collect())
}

/// Infers the number of axes.
pub(super) fn rank(call: &Call<'_>) -> Made {
    let rank = Number::from(call.dims(0)?.len() as i64);
    Ok(vec![Tensor::of(Vec::new()).with(Some(vec![Some(rank)]))])
}

/// Infers the list that two shapes, given as lists, broadcast to.
pub(super) fn common(call: &Call<'_>) -> Made {
    let ([one], [two]) = (call.ranked::<1>(0)?, call.ranked::<1>(1)?);
    let sizes = |k| Some(target(call, k).ok()?.into_iter().map(|size| call.or_open(size)).collect::<Vec<_>>());
    let Some((x, y)) = sizes(0).zip(sizes(1)) else { return Ok(vec![Tensor::of(vec![call.or_open(one.max(two))])]) };
    let dims = united(call, &Rule::numpy(), &[&x, &y])?;
    Ok(vec![Tensor::list(dims.into_iter().map(|size| Some(Number::Whole(size))).collect())])
}

/// Infers the places of the elements that are not 0: a row each.
pub(super) fn found(call: &Call<'_>) -> Made {
    let rank = Size::known(call.dims(0)?.len() as i64);
    let truths = call.values(0).and_then(|values| {
        let truths: Option<Vec<f64>> = values.iter().map(|value| value.as_ref()?.truth()?.value()).collect();
        truths
    });
    let count = truths.map(|truths| truths.into_iter().filter(|&truth| truth != 0.0).count() as i64);
    Ok(vec![Tensor::of(vec![count.map_or_else(|| call.counted(), Size::known), rank])])
}

/// Infers the elements that differ, and the place of each input element among them.
pub(super) fn unique(call: &Call<'_>) -> Made {
    Ok(vec![Tensor::of(vec![call.counted()]), Tensor::of(call.dims(0)?.to_vec())])
}

/// Infers the boxes that are left: as many as the third input says at most, as lists, and their number.
pub(super) fn suppressed(call: &Call<'_>, lists: usize) -> Made {
    let list = Tensor::of(vec![call.or_open(call.scalar(2))]);
    let number = Tensor::of(Vec::new());
    Ok([vec![list; lists], vec![number]].concat())
}

/// Infers numbers drawn per row.
pub(super) fn drawn(call: &Call<'_>) -> Made {
    let [batch, _] = call.ranked::<2>(0)?;
    Ok(vec![Tensor::of(vec![batch.clone(), call.or_open(call.scalar(1))])])
}

/// Infers sums over rows of one number each; how many there are depends on the elements.
pub(super) fn segments(call: &Call<'_>) -> Made {
    let dims = call.least(0, 1)?;
    Ok(vec![Tensor::of([&[call.counted()], &dims[1..]].concat())])
}

/// Infers sums over rows of one number each, of which the third input says how many there are.
pub(super) fn numbered_segments(call: &Call<'_>) -> Made {
    let (dims, numbers) = (call.dims(0)?, call.dims(1)?);
    let Some(rest) = dims.get(numbers.len()..) else { return Err(Stop::Input(1)) };
    Ok(vec![Tensor::of([&[call.or_open(call.scalar(2))], rest].concat())])
}

/// Infers a spectrum over the last two axes; of the last, half is computed.
pub(super) fn spectrum(call: &Call<'_>) -> Made {
    let mut dims = call.least(0, 2)?.to_vec();
    let sides = target(call, 1)?;
    let [rows, columns] = sides.as_slice() else { return because("RFFT2D: its lengths are not two") };
    let half = columns.as_ref().and_then(|size| size.floor(&Size::known(2))?.more(1));
    let at = dims.len() - 2;
    (dims[at], dims[at + 1]) = (call.or_open(rows.clone()), call.or_open(half));
    Ok(vec![Tensor::of(dims)])
}
