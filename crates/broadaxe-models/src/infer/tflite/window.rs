//! Shapes of convolutions, poolings, and images that are resized or cut into blocks. The channels are the last axis.

use crate::infer::{
    Size,
    call::{Call, Made, Stop, because},
    reshape::target,
    tensor::Tensor,
    window::{Padding, Rounding, Window, checked},
};

/// Reads the stride and the dilation of an axis, which is one letter in the options.
fn window(call: &Call<'_>, axis: &str, kernel: &Size) -> Result<Window, Stop> {
    let stride = call.int(&format!("stride_{axis}")).unwrap_or(0);
    let dilation = call.int(&format!("dilation_{axis}_factor")).unwrap_or(1);
    if stride < 1 || dilation < 1 {
        return because(format!("{}: a window cannot have stride {stride} and dilation {dilation}", call.node.op));
    }
    Ok(Window { kernel: kernel.clone(), stride, dilation, begin: 0, end: 0 })
}

fn padding(call: &Call<'_>) -> Padding {
    if call.text("padding") == Some("VALID") { Padding::Valid } else { Padding::Same }
}

/// Infers what windows over the axes of an image make, with these channels.
fn slid(call: &Call<'_>, axes: &[&str], kernel: &[Size], channels: &Size) -> Made {
    let dims = image(call, 0, axes.len())?;
    let mut out = vec![dims[0].clone()];
    for (k, (axis, kernel)) in axes.iter().zip(kernel).enumerate() {
        let window = window(call, axis, kernel)?;
        out.push(checked(call, window.positions(&dims[k + 1], padding(call), Rounding::Floor), k + 1)?);
    }
    out.push(channels.clone());
    Ok(vec![Tensor::of(out)])
}

/// Returns the extents of an image: batch, as many axes, and channels.
fn image<'a>(call: &Call<'a>, k: usize, axes: usize) -> Result<&'a [Size], Stop> {
    let dims = call.dims(k)?;
    if dims.len() != axes + 2 {
        return because(format!("{}: input {k} has rank {}, but needs {}", call.node.op, dims.len(), axes + 2));
    }
    Ok(dims)
}

/// Infers a convolution whose weights have the kernel from an axis on, and the channels of the result on another.
pub(super) fn convolved(call: &Call<'_>, axes: &[&str], kernel: usize, channels: usize) -> Made {
    let (dims, weights) = (image(call, 0, axes.len())?, image(call, 1, axes.len())?);
    let sides = kernel..kernel + axes.len();
    // The axis that is left has the input's channels, of one group.
    if let Some(own) = (0..weights.len()).find(|k| !sides.contains(k) && *k != channels) {
        divided(call, &dims[dims.len() - 1], &weights[own])?;
    }
    slid(call, axes, &weights[sides], &weights[channels])
}

/// Infers a pooling.
pub(super) fn pooled(call: &Call<'_>) -> Made {
    let kernel = ["filter_height", "filter_width"].map(|side| Size::known(call.int(side).unwrap_or(0)));
    slid(call, &["h", "w"], &kernel, &image(call, 0, 2)?[3])
}

/// Infers a transposed convolution: the first input is the shape of the result, over which the windows make the image.
pub(super) fn transposed(call: &Call<'_>, axes: &[&str], kernel: usize) -> Made {
    let out: Vec<Size> = target(call, 0)?.into_iter().map(|size| call.or_open(size)).collect();
    if out.len() != axes.len() + 2 {
        return because(format!("{}: the result cannot have rank {}", call.node.op, out.len()));
    }
    let (weights, dims) = (image(call, 1, axes.len())?, image(call, 2, axes.len())?);
    for (k, axis) in axes.iter().enumerate() {
        let window = window(call, axis, &weights[kernel + k])?;
        let positions = window.positions(&out[k + 1], padding(call), Rounding::Floor);
        call.same(&call.or_open(positions), &dims[k + 1])?;
    }
    Ok(vec![Tensor::of(out)])
}

/// Infers an image of the size that the second input says.
pub(super) fn resized(call: &Call<'_>) -> Made {
    let [batch, _, _, channels] = call.ranked::<4>(0)?;
    let sides = target(call, 1)?;
    let [height, width] = sides.as_slice() else { return because(format!("{}: its sides are not two", call.node.op)) };
    let sides = [height, width].map(|side| call.or_open(side.clone()));
    Ok(vec![Tensor::of([std::slice::from_ref(batch), &sides, std::slice::from_ref(channels)].concat())])
}

/// Divides, where that must leave nothing over.
fn divided(call: &Call<'_>, size: &Size, by: &Size) -> Result<Size, Stop> {
    match (size.number(), by.number()) {
        (Some(x), Some(y)) if x.checked_rem(y) != Some(0) => {
            because(format!("{}: {x} cannot be divided by {y}", call.node.op))
        }
        _ => Ok(call.or_open(size.floor(by))),
    }
}

/// Infers blocks of channels spread over the image, or the way back.
pub(super) fn blocks(call: &Call<'_>, spread: bool) -> Made {
    let [batch, height, width, channels] = call.ranked::<4>(0)?;
    let Some(side) = call.int("block_size").filter(|&side| side > 0).map(Size::known) else {
        return because(format!("{}: the block has no size", call.node.op));
    };
    let Some(block) = side.times(&side) else { return because(format!("{}: the block is too large", call.node.op)) };
    let (sides, channels) = if spread {
        ([height, width].map(|size| Ok(call.or_open(size.times(&side)))), divided(call, channels, &block)?)
    } else {
        ([height, width].map(|size| divided(call, size, &side)), call.or_open(channels.times(&block)))
    };
    let [height, width] = sides;
    Ok(vec![Tensor::of(vec![batch.clone(), height?, width?, channels])])
}

/// Infers blocks of an image as further samples, or the way back: block sizes, then a row of pads or crops per axis.
pub(super) fn batches(call: &Call<'_>, cut: bool) -> Made {
    let dims = call.least(0, 2)?;
    let sides: Vec<Size> = target(call, 1)?.into_iter().map(|side| call.or_open(side)).collect();
    if sides.len() + 1 > dims.len() {
        return because(format!("{}: {} sides of blocks at rank {}", call.node.op, sides.len(), dims.len()));
    }
    let edges = call.sizes(2).filter(|edges| edges.len() == 2 * sides.len());
    let edges = edges.unwrap_or_else(|| vec![None; 2 * sides.len()]);
    let mut out = dims.to_vec();
    for (k, side) in sides.iter().enumerate() {
        out[0] = if cut { call.or_open(out[0].times(side)) } else { divided(call, &out[0], side)? };
        let edge = edges[2 * k].as_ref().zip(edges[2 * k + 1].as_ref());
        let edge = edge.and_then(|(before, behind)| before.plus(behind));
        out[k + 1] = if cut {
            divided(call, &call.or_open(edge.and_then(|edge| dims[k + 1].plus(&edge))), side)?
        } else {
            call.or_open(edge.and_then(|edge| dims[k + 1].times(side)?.minus(&edge)))
        };
    }
    Ok(vec![Tensor::of(out)])
}
