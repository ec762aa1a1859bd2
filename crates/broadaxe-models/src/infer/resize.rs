//! Shapes of resized images.

use super::{
    Size,
    call::{Call, Made, Stop, because},
    number::{Binary, Number, Unary},
    row::{SAME, ShapeRow, row},
    tensor::Tensor,
};

pub(crate) static RESIZE_ROWS: &[ShapeRow] = &[
    row("Resize", resized, SAME),
    row("Upsample", resized, SAME),
    row("GridSample", sampled, SAME),
    row("AffineGrid", grid, SAME),
];

/// Multiplies an extent by a scale, in 32-bit floats as engines do, and rounds down.
pub(crate) fn scaled(extent: &Size, scale: &Number) -> Option<Size> {
    if let (Some(extent), Some(scale)) = (extent.number(), scale.value()) {
        let product = extent as f32 * scale as f32;
        return (product.abs() < 9e15).then(|| Size::known(product.floor() as i64));
    }
    let product = Number::binary(Binary::Mul, &Number::Whole(extent.clone()), scale, Some(32))?;
    product.unary(Unary::Floor)?.size().cloned()
}

/// Infers a resize: by sizes, or by scales; before opset 9 the scales are an attribute, in opset 10 the second input.
fn resized(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let axes = match call.ints("axes") {
        Some(axes) => call.axes(&axes, dims.len())?,
        None => (0..dims.len()).collect(),
    };
    let present = |k: usize| call.has(k) && call.dims(k).map_or(true, |dims| !matches!(dims, [size] if size.is(0)));
    let mut out = dims.to_vec();
    if present(3) {
        let sizes = call.sizes(3).unwrap_or_else(|| vec![None; axes.len()]);
        if sizes.len() != axes.len() {
            return because(format!("Resize: {} sizes for {} axes", sizes.len(), axes.len()));
        }
        let policy = call.text("keep_aspect_ratio_policy").unwrap_or("stretch");
        for (&axis, size) in axes.iter().zip(&sizes) {
            out[axis] = call.or_open(size.clone());
        }
        return if policy == "stretch" { Ok(vec![Tensor::of(out)]) } else { fitted(call, dims, &axes, &sizes, policy) };
    }
    let k = if call.node.op == "Upsample" || call.version() < 11 { 1 } else { 2 };
    let scales: Option<Vec<Option<Number>>> = match call.node.attribute("scales") {
        Some(crate::graph::Attribute::Floats(scales)) => {
            Some(scales.iter().map(|&scale| Some(Number::float(scale))).collect())
        }
        _ if call.node.attribute("height_scale").is_some() => early(call),
        _ => call.values(k).map(<[_]>::to_vec),
    };
    // A cropped region counts for the size.
    let cropped = call.text("coordinate_transformation_mode") == Some("tf_crop_and_resize");
    let scales = scales.filter(|_| !cropped || axes.is_empty()).unwrap_or_else(|| vec![None; axes.len()]);
    if scales.len() != axes.len() {
        return because(format!("{}: {} scales for {} axes", call.node.op, scales.len(), axes.len()));
    }
    for (&axis, scale) in axes.iter().zip(&scales) {
        out[axis] = call.or_open(scale.as_ref().and_then(|scale| scaled(&dims[axis], scale)));
    }
    Ok(vec![Tensor::of(out)])
}

/// Reads the scales of the first Upsample.
fn early(call: &Call<'_>) -> Option<Vec<Option<Number>>> {
    let scale = |name| match call.node.attribute(name)? {
        crate::graph::Attribute::Float(value) => Some(Number::float(*value)),
        _ => None,
    };
    Some(vec![Some(Number::from(1)), Some(Number::from(1)), scale("height_scale"), scale("width_scale")])
}

/// Infers sizes that keep the aspect: one scale for all axes, rounded to the nearest extent.
fn fitted(call: &Call<'_>, dims: &[Size], axes: &[usize], sizes: &[Option<Size>], policy: &str) -> Made {
    let mut out = dims.to_vec();
    let ratios: Option<Vec<f32>> = axes
        .iter()
        .zip(sizes)
        .map(|(&axis, size)| Some(size.as_ref()?.number()? as f32 / dims[axis].number().filter(|&dim| dim > 0)? as f32))
        .collect();
    let smaller = policy == "not_larger";
    let scale = ratios.and_then(|ratios| ratios.into_iter().reduce(if smaller { f32::min } else { f32::max }));
    for &axis in axes {
        let size = scale.zip(dims[axis].number()).map(|(scale, dim)| (scale * dim as f32 + 0.5).floor() as i64);
        out[axis] = call.or_open(size.map(Size::known));
    }
    Ok(vec![Tensor::of(out)])
}

fn sampled(call: &Call<'_>) -> Made {
    let (image, grid) = (call.least(0, 3)?, call.dims(1)?);
    if grid.len() != image.len() {
        return because(format!("GridSample: the image has rank {}, the grid {}", image.len(), grid.len()));
    }
    let batch = call.same(&image[0], &grid[0])?;
    let out = [&[batch, image[1].clone()], &grid[1..grid.len() - 1]].concat();
    Ok(vec![Tensor::of(out)])
}

fn grid(call: &Call<'_>) -> Made {
    let Ok(size) = super::reshape::target(call, 1) else { return Err(Stop::Input(1)) };
    let [batch, _, rest @ ..] = size.as_slice() else {
        return because("AffineGrid: its size has no batch and channels");
    };
    let axes = Size::known(rest.len() as i64);
    let sizes = [batch].into_iter().chain(rest).map(|size| call.or_open(size.clone()));
    Ok(vec![Tensor::of(sizes.chain([axes]).collect())])
}
