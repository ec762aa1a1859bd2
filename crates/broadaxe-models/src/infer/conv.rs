//! Shapes of convolutions.

use broadaxe::DType;

use super::{
    Size,
    call::{Call, Made, Stop, because},
    row::{SAME, ShapeRow, Type, row},
    tensor::Tensor,
    window::{Padding, Rounding, Window, checked, padding, windows},
};

pub(crate) static CONV_ROWS: &[ShapeRow] = &[
    row("Conv", |call| forward(call, 1, 0), SAME),
    row("ConvInteger", |call| forward(call, 1, 0), &[Type::Is(DType::I32)]),
    row("QLinearConv", |call| forward(call, 3, 0), &[Type::Same(7)]),
    row("DeformConv", |call| forward(call, 1, 0), SAME),
    row("ConvTranspose", |call| transposed(call, 0), SAME),
    row("Col2Im", columns, SAME),
    row("CausalConvWithState", causal, SAME),
];

/// Splits an image into batch, channels and the rest.
fn image<'a>(call: &Call<'a>) -> Result<(&'a Size, &'a Size, &'a [Size]), Stop> {
    match call.least(0, 2)? {
        [batch, channels, rest @ ..] => Ok((batch, channels, rest)),
        _ => Err(Stop::Input(0)),
    }
}

/// Infers a convolution: weights (out, in, kernel...), behind as many axes of groups.
pub(crate) fn forward(call: &Call<'_>, weights: usize, groups: usize) -> Made {
    let (batch, channels, rest) = image(call)?;
    let w = call.dims(weights).ok();
    if let Some(w) = w
        && w.len() != rest.len() + 2 + groups
    {
        return because(format!(
            "{}: the weights have rank {}, but the image has rank {}",
            call.node.op,
            w.len(),
            rest.len() + 2
        ));
    }
    let group = Size::known(call.int("group").unwrap_or(1));
    let read = w.and_then(|w| if groups == 0 { w[1].times(&group) } else { w[0].times(&w[2]) });
    if let Some(read) = read {
        call.same(channels, &read)?;
    }
    let windows = windows(call, rest.len(), w.map(|w| &w[2 + groups..]))?;
    let out = w.and_then(|w| super::tensor::product(&w[..=groups]));
    let mut dims = vec![batch.clone(), call.or_open(out)];
    for (axis, (extent, window)) in rest.iter().zip(&windows).enumerate() {
        dims.push(checked(call, window.positions(extent, padding(call), Rounding::Floor), axis + 2)?);
    }
    Ok(vec![Tensor::of(dims)])
}

/// Infers a transposed convolution: weights (in, out, kernel...), behind as many axes of groups.
///
/// ONNX has the groups in the attribute `group`: there are as many times out channels.
pub(crate) fn transposed(call: &Call<'_>, groups: usize) -> Made {
    let (batch, _, rest) = image(call)?;
    let w = call.dims(1).ok();
    if w.is_some_and(|w| w.len() != rest.len() + 2 + groups) {
        return because(format!("{}: the weights do not fit an image of rank {}", call.node.op, rest.len() + 2));
    }
    let windows = windows(call, rest.len(), w.map(|w| &w[2 + groups..]))?;
    let group = Size::known(call.int("group").unwrap_or(1));
    let out = w.and_then(|w| if groups == 0 { w[1].times(&group) } else { w[0].times(&w[2]) });
    let mut dims = vec![batch.clone(), call.or_open(out)];
    let shape = match call.ints("output_shape").filter(|shape| !shape.is_empty()) {
        Some(shape) => Some(shape.into_iter().map(|size| Some(Size::known(size))).collect()),
        None if call.model.system == broadaxe_frameworks::System::Openvino && call.has(2) => {
            Some(call.sizes(2).unwrap_or_else(|| vec![None; rest.len()]))
        }
        None => None,
    };
    if let Some(shape) = shape {
        // Some exporters give the whole shape, batch and channels too.
        let skipped = shape.len().saturating_sub(rest.len());
        dims.extend(shape.into_iter().skip(skipped).map(|size| call.or_open(size)));
        return if dims.len() == rest.len() + 2 {
            Ok(vec![Tensor::of(dims)])
        } else {
            because("output_shape is short")
        };
    }
    let added = call.ints("output_padding").unwrap_or_default();
    // Without a shape to fit, OpenVINO pads nothing.
    let padding = match padding(call) {
        Padding::Same if call.model.system == broadaxe_frameworks::System::Openvino => Padding::Valid,
        padding => padding,
    };
    for (axis, (extent, window)) in rest.iter().zip(&windows).enumerate() {
        let more = added.get(axis).copied().unwrap_or(0);
        dims.push(checked(call, spread(extent, window, more, padding), axis + 2)?);
    }
    Ok(vec![Tensor::of(dims)])
}

fn spread(extent: &Size, window: &Window, more: i64, padding: Padding) -> Option<Size> {
    let stride = Size::known(window.stride);
    if padding == Padding::Same {
        return extent.times(&stride);
    }
    let pads = if padding == Padding::Valid { 0 } else { window.begin.checked_add(window.end)? };
    extent.more(-1)?.times(&stride)?.plus(&window.reach()?)?.more(more.checked_sub(pads)?)
}

/// Infers columns laid back into an image: (n, channels * block, blocks) to (n, channels, image...).
fn columns(call: &Call<'_>) -> Made {
    let [batch, rows, _] = call.ranked::<3>(0)?;
    let Some(image) = call.sizes(1) else {
        let Ok([rank]) = call.ranked::<1>(1) else { return Err(Stop::Input(1)) };
        let Some(rank) = rank.extent().filter(|&rank| rank < 60) else { return Err(Stop::Input(1)) };
        return Ok(vec![Tensor::of([vec![batch.clone()], call.opens(rank + 1)].concat())]);
    };
    let block = call.sizes(2).and_then(|block| block.into_iter().collect::<Option<Vec<Size>>>());
    let channels = block.and_then(|block| rows.over(&super::tensor::product(&block)?));
    let image = image.into_iter().map(|size| call.or_open(size));
    let dims = [batch.clone(), call.or_open(channels)].into_iter().chain(image).collect();
    Ok(vec![Tensor::of(dims)])
}

fn causal(call: &Call<'_>) -> Made {
    let dims = call.ranked::<3>(0)?;
    let [_, _, kernel] = call.ranked::<3>(1)?;
    let state = vec![dims[0].clone(), dims[1].clone(), call.or_open(kernel.more(-1))];
    Ok(vec![Tensor::of(dims.to_vec()), Tensor::of(state)])
}
