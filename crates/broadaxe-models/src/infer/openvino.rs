//! Infers OpenVINO's operators, with the shape functions of ONNX where the two agree.
//!
//! A file records every shape, so that these are for other inputs than the recorded ones and for shapes that are dynamic.

use broadaxe::DType;
use broadaxe_frameworks::System;
use broadaxe_shape::{MAX_RANK, Rule};

use super::{
    Size,
    call::{Call, Made, Stop, because},
    cast, conv,
    elementwise::united,
    gather, make,
    matmul::{self, einsum},
    number::Number,
    pool::{pooled, regions},
    reduce::reduced,
    reshape::{self, reshaped, same, target, unsqueezed},
    resize::scaled,
    row::{SAME, ShapeRow, Type, row},
    slice::{self, Range, concatenated, like},
    tensor::{Tensor, product, small, stretched, strided},
};
use crate::graph::Element;

/// Integers of 64 bits, unless the attribute says otherwise.
const COUNTS: &[Type] = &[Type::Named("output_type", DType::I64)];

#[rustfmt::skip]
pub(crate) static OPENVINO_ROWS: &[ShapeRow] = &[
    row("AdaptiveAvgPool", adaptive, SAME),
    row("AdaptiveMaxPool", adaptive, &[Type::Same(0), Type::Named("index_element_type", DType::I64)]),
    row("Assign", same, SAME),
    row("AvgPool", pooled, SAME),
    row("BatchNormInference", like, SAME),
    row("BatchToSpace", ranked, SAME),
    row("Broadcast", to_shape, SAME),
    row("Bucketize", like, COUNTS),
    row("Concat", concatenated, SAME),
    row("Convert", |call| cast::converted(call, call.text("destination_type").and_then(DType::from_name)), &[Type::NamedOr("destination_type", 0)]),
    row("ConvertLike", |call| cast::converted(call, call.element(1).and_then(Element::dtype)), &[Type::Same(1)]),
    row("Convolution", |call| conv::forward(call, 1, 0), SAME),
    row("ConvolutionBackpropData", |call| conv::transposed(call, 0), SAME),
    row("CumSum", like, SAME),
    row("DeformableConvolution", |call| conv::forward(call, 2, 0), SAME),
    row("DepthToSpace", |call| reshape::blocks(call, call.int("block_size"), true), SAME),
    row("Einsum", einsum, SAME),
    row("GRN", like, SAME),
    row("GRUCell", |call| cell(call, 1), SAME),
    row("GRUSequence", |call| sequence(call, 1), SAME),
    row("Gather", gathered, SAME),
    row("GatherElements", |call| Ok(vec![Tensor::of(call.dims(1)?.to_vec())]), SAME),
    row("GatherND", points, SAME),
    row("GatherTree", like, SAME),
    row("GridSample", ranked, SAME),
    row("GroupConvolution", |call| conv::forward(call, 1, 1), SAME),
    row("GroupConvolutionBackpropData", |call| conv::transposed(call, 1), SAME),
    row("GroupNormalization", like, SAME),
    row("HardSigmoid", like, SAME),
    row("Interpolate", interpolated, SAME),
    row("LRN", like, SAME),
    row("LSTMCell", |call| cell(call, 2), SAME),
    row("LSTMSequence", |call| sequence(call, 2), SAME),
    row("LogSoftmax", like, SAME),
    row("MVN", like, SAME),
    row("MatMul", |call| matmul::product(call, 0, 1, call.flag("transpose_a"), call.flag("transpose_b")), SAME),
    row("MaxPool", pooled, &[Type::Same(0), Type::Named("index_element_type", DType::I64)]),
    row("NonZero", slice::nonzero, COUNTS),
    row("NormalizeL2", like, SAME),
    row("OneHot", |call| gather::one_hot(call, call.scalar(1)), &[Type::Same(2)]),
    row("Pad", padded, SAME),
    row("RNNCell", |call| cell(call, 1), SAME),
    row("RNNSequence", |call| sequence(call, 1), SAME),
    row("ROIAlign", |call| regions(call, &["pooled_h", "pooled_w"].map(|side| call.int(side).unwrap_or(1))), SAME),
    row("Range", make::range, &[Type::NamedOr("output_type", 0)]),
    row("ReadValue", same, SAME),
    row("ReduceL1", reduced, SAME),
    row("ReduceL2", reduced, SAME),
    row("ReduceLogicalAnd", reduced, SAME),
    row("ReduceLogicalOr", reduced, SAME),
    row("ReduceMax", reduced, SAME),
    row("ReduceMean", reduced, SAME),
    row("ReduceMin", reduced, SAME),
    row("ReduceProd", reduced, SAME),
    row("ReduceSum", reduced, SAME),
    row("RegionYolo", yolo, SAME),
    row("ReorgYolo", ranked, SAME),
    row("Reshape", reshaped, SAME),
    row("Result", same, SAME),
    row("Reverse", like, SAME),
    row("ReverseSequence", like, SAME),
    row("RMS", like, SAME),
    row("Roll", like, SAME),
    row("ScaledDotProductAttention", attention, SAME),
    row("ScatterElementsUpdate", like, SAME),
    row("ScatterNDUpdate", like, SAME),
    row("ScatterUpdate", like, SAME),
    row("ShapeOf", make::shape, COUNTS),
    row("ShuffleChannels", like, SAME),
    row("Slice", sliced, SAME),
    row("SoftMax", like, SAME),
    row("Softmax", like, SAME),
    row("SpaceToBatch", ranked, SAME),
    row("SpaceToDepth", |call| reshape::blocks(call, call.int("block_size"), false), SAME),
    row("Split", split, SAME),
    row("Squeeze", |call| reshape::squeezed(call, true), SAME),
    row("StridedSlice", masked, SAME),
    row("Swish", like, SAME),
    row("Tile", tiled, SAME),
    row("TopK", best, &[Type::Same(0), Type::Named("index_element_type", DType::I32)]),
    row("Transpose", |call| reshape::transposed(call, order(call)?), SAME),
    row("Unsqueeze", unsqueezed, SAME),
    row("VariadicSplit", pieces, SAME),
];

/// Infers a result of which only the rank is said.
fn ranked(call: &Call<'_>) -> Made {
    Ok(vec![Tensor::of(call.opens(call.dims(0)?.len()))])
}

fn adaptive(call: &Call<'_>) -> Made {
    let dims = call.least(0, 3)?;
    let sizes = call.sizes(1).unwrap_or_else(|| vec![None; dims.len() - 2]);
    if sizes.len() != dims.len() - 2 {
        return because(format!("{}: {} sizes for {} axes", call.node.op, sizes.len(), dims.len() - 2));
    }
    let rest = sizes.into_iter().map(|size| call.or_open(size));
    let tensor = Tensor::of(dims[..2].iter().cloned().chain(rest).collect());
    Ok(vec![tensor.clone(), tensor])
}

/// Infers an input stretched to a shape: one way, both ways, or with axes put as a list says.
pub(super) fn to_shape(call: &Call<'_>) -> Made {
    if call.text("mode") == Some("bidirectional") {
        return reshape::expanded(call, 1);
    }
    let dims: Vec<Size> = target(call, 1)?.into_iter().map(|size| call.or_open(size)).collect();
    let values = || {
        let (own, to) = (small(call.dims(0).ok()?)?, small(&dims).filter(|_| call.text("mode") != Some("explicit"))?);
        strided(call.values(0)?, 0, &stretched(&own, &to)?, &to)
    };
    let values = values();
    Ok(vec![Tensor::of(dims).with(values)])
}

fn gathered(call: &Call<'_>) -> Made {
    let Some(axis) = call.scalar(2).and_then(|axis| axis.number()) else { return Err(Stop::Input(2)) };
    let batch = call.int("batch_dims").unwrap_or(0);
    let batch = if batch < 0 { batch.saturating_add(call.dims(1)?.len() as i64) } else { batch };
    gather::gathered(call, axis, usize::try_from(batch).unwrap_or(0))
}

/// Infers slices picked by points; before opset 8 the axes of the batch become one.
fn points(call: &Call<'_>) -> Made {
    let batch = call.int("batch_dims").unwrap_or(0);
    let made = gather::points(call, batch)?;
    let Some(batch) = usize::try_from(batch).ok().filter(|&batch| batch > 1 && call.version() < 8) else {
        return Ok(made);
    };
    let Some(dims) = made.into_iter().next().and_then(|tensor| tensor.dims) else { return Err(Stop::Input(1)) };
    let Some((batch, rest)) = dims.split_at_checked(batch) else { return Err(Stop::Input(1)) };
    Ok(vec![Tensor::of([&[call.or_open(product(batch))], rest].concat())])
}

/// Infers the regions of a detector: with softmax, a range of axes becomes one.
fn yolo(call: &Call<'_>) -> Made {
    let dims = call.ranked::<4>(0)?;
    if call.int("do_softmax") == Some(0) {
        let numbers = ["classes", "coords"].map(|name| call.int(name).unwrap_or(0));
        let count = call.ints("mask").map_or(0, |mask| mask.len() as i64);
        let each = numbers[0].checked_add(numbers[1]).and_then(|each| each.checked_add(1));
        let channels = call.or_open(each.and_then(|each| each.checked_mul(count)).map(Size::known));
        return Ok(vec![Tensor::of(vec![dims[0].clone(), channels, dims[2].clone(), dims[3].clone()])]);
    }
    let first = call.axis_or(1, dims.len())?;
    let last = call.axis(call.int("end_axis").unwrap_or(1), dims.len())?;
    let Some(folded) = dims.get(first..=last) else { return because("RegionYolo: end_axis is before axis") };
    Ok(vec![Tensor::of([&dims[..first], &[call.or_open(product(folded))], &dims[last + 1..]].concat())])
}

/// Infers a resize: sizes or scales for some axes, as `shape_calculation_mode` says; opset 1 has sizes alone.
fn interpolated(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let by_scales = call.text("shape_calculation_mode") == Some("scales");
    let (sizes, axes) = match (call.version(), call.inputs()) {
        (version, _) if version < 4 => (1, None),
        (4..11, _) => (if by_scales { 2 } else { 1 }, Some(3)),
        _ => (1, Some(2)),
    };
    let axes = match axes {
        None => call.ints("axes"),
        Some(k) if call.has(k) => match call.numbers(k) {
            Some(axes) => Some(axes),
            None => return ranked(call),
        },
        Some(_) => None,
    };
    let axes = axes.map_or_else(|| Ok((0..dims.len()).collect()), |axes| call.axes(&axes, dims.len()))?;
    let values = call.values(sizes).map_or_else(|| vec![None; axes.len()], <[_]>::to_vec);
    if values.len() != axes.len() {
        return because(format!("Interpolate: {} sizes for {} axes", values.len(), axes.len()));
    }
    let (begins, ends) = (call.ints("pads_begin").unwrap_or_default(), call.ints("pads_end").unwrap_or_default());
    let mut out = dims.to_vec();
    for (axis, size) in out.iter_mut().enumerate() {
        let pad = |pads: &[i64]| pads.get(axis).copied().unwrap_or(0);
        *size = call.or_open(pad(&begins).checked_add(pad(&ends)).and_then(|pads| size.more(pads)));
    }
    for (&axis, value) in axes.iter().zip(&values) {
        let scale = |value: &Number| if by_scales { scaled(&out[axis], value) } else { value.size().cloned() };
        out[axis] = call.or_open(value.as_ref().and_then(scale));
    }
    Ok(vec![Tensor::of(out)])
}

fn padded(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let pads =
        |k: usize| call.sizes(k).filter(|pads| pads.len() == dims.len()).unwrap_or_else(|| vec![None; dims.len()]);
    let pairs = pads(1).into_iter().zip(pads(2));
    let size = |(size, (begin, end)): (&Size, (Option<Size>, Option<Size>))| size.plus(&begin?)?.plus(&end?);
    Ok(vec![Tensor::of(dims.iter().zip(pairs).map(|row| call.or_open(size(row))).collect())])
}

fn sliced(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let lists: Vec<Vec<Option<Size>>> = (1..4).map(|k| target(call, k)).collect::<Result<_, _>>()?;
    let axes = match (call.has(4), call.numbers(4)) {
        (true, None) => return ranked(call),
        (true, Some(axes)) => axes,
        (false, _) => (0..lists[0].len() as i64).collect(),
    };
    if lists.iter().any(|list| list.len() != axes.len()) {
        return because("Slice: starts, stops, steps and axes must have the same length");
    }
    let row = |k: usize| Range {
        start: lists[0][k].clone(),
        end: lists[1][k].clone(),
        step: lists[2][k].as_ref().and_then(Size::number),
    };
    let ranges: Vec<(usize, Range)> =
        call.axes(&axes, dims.len())?.into_iter().enumerate().map(|(k, axis)| (axis, row(k))).collect();
    slice::cut(call, dims, &ranges)
}

/// The masks of a slice, a bit per range.
#[derive(Clone, Copy)]
pub(super) struct Masks {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) new_axis: u64,
    pub(super) shrink_axis: u64,
    pub(super) ellipsis: u64,
}

fn masked(call: &Call<'_>) -> Made {
    let bits = |name: &str| {
        let flags = call.ints(name).unwrap_or_default();
        flags.iter().take(MAX_RANK).enumerate().fold(0, |bits, (k, &flag)| bits | u64::from(flag != 0) << k)
    };
    let masks = Masks {
        begin: bits("begin_mask"),
        end: bits("end_mask"),
        new_axis: bits("new_axis_mask"),
        shrink_axis: bits("shrink_axis_mask"),
        ellipsis: bits("ellipsis_mask"),
    };
    sliced_by(call, masks, &target(call, 2)?)
}

fn set(mask: u64, k: usize) -> bool {
    mask >> k & 1 != 0
}

/// Counts the axes for which no range is given: those that an ellipsis covers.
fn axes_without_range(call: &Call<'_>, masks: Masks, rank: usize, count: usize) -> Result<usize, Stop> {
    let given = (0..count).filter(|&k| !set(masks.new_axis, k) && !set(masks.ellipsis, k)).count();
    let Some(rest) = rank.checked_sub(given) else {
        return because(format!("{}: there are more ranges than axes", call.node.op));
    };
    if (0..count).filter(|&k| set(masks.ellipsis, k)).count() > 1 {
        return because(format!("{}: more than one range has an ellipsis", call.node.op));
    }
    Ok(rest)
}

/// Returns what the `k`th range, of an axis of this extent, is with its masks.
fn masked_range(system: System, masks: Masks, k: usize, given: Range, extent: &Size) -> Range {
    let Range { mut start, mut end, step } = given;
    let is_down = step.is_some_and(|step| step < 0);
    if set(masks.begin, k) {
        start = Some(Size::known(if is_down { i64::MAX } else { 0 }));
    }
    if set(masks.end, k) {
        end = Some(Size::known(if is_down { i64::MIN } else { i64::MAX }));
    }
    if set(masks.shrink_axis, k) {
        // One element is taken, and its axis goes.
        let next = start.as_ref().and_then(|start| if start.is(-1) { Some(extent.clone()) } else { start.more(1) });
        return Range { start, end: next, step: Some(1) };
    }
    // In TFLite, a range that goes down from before the axis is empty.
    let place = start.as_ref().and_then(Size::number).zip(extent.number());
    let before = place.is_some_and(|(start, extent)| start < 0 && start.saturating_add(extent) < 0);
    if before && is_down && system == System::Tflite {
        return Range { start: Some(Size::known(0)), end: Some(Size::known(0)), step: Some(1) };
    }
    Range { start, end, step }
}

/// Infers a slice with masks: whose ends are left out, which axes are new, and which are dropped.
pub(super) fn sliced_by(call: &Call<'_>, masks: Masks, ends: &[Option<Size>]) -> Made {
    let dims = call.dims(0)?;
    let starts = target(call, 1)?;
    let steps = if call.has(3) { target(call, 3)? } else { vec![Some(Size::known(1)); starts.len()] };
    let count = starts.len();
    if ends.len() != count || steps.len() != count {
        return because(format!("{}: begin, end and strides must have the same length", call.node.op));
    }
    let rest = axes_without_range(call, masks, dims.len(), count)?;
    let (mut ranges, mut made, mut axis) = (Vec::new(), Vec::new(), 0);
    for k in 0..count {
        if set(masks.ellipsis, k) {
            made.extend((axis..axis + rest).map(Some));
            axis += rest;
        } else if set(masks.new_axis, k) {
            made.push(None);
        } else if let Some(extent) = dims.get(axis) {
            let step = steps[k].as_ref().and_then(Size::number);
            let given = Range { start: starts[k].clone(), end: ends[k].clone(), step };
            ranges.push((axis, masked_range(call.model.system, masks, k, given, extent)));
            if !set(masks.shrink_axis, k) {
                made.push(Some(axis));
            }
            axis += 1;
        }
    }
    made.extend((axis..dims.len()).map(Some));
    if made.len() > MAX_RANK {
        return because(format!("{}: the rank of its result is above the largest", call.node.op));
    }
    let cut = slice::cut(call, dims, &ranges)?;
    let Some(Tensor { dims: Some(cut), values, .. }) = cut.into_iter().next() else { return Err(Stop::Input(0)) };
    let out = made.into_iter().map(|axis| axis.map_or(Size::known(1), |axis| cut[axis].clone())).collect();
    Ok(vec![Tensor::of(out).with(values.map(|values| values.to_vec()))])
}

/// Reads the axis of a split, its second input.
fn split_axis(call: &Call<'_>, rank: usize) -> Result<usize, Stop> {
    match call.scalar(1).and_then(|axis| axis.number()) {
        Some(axis) => call.axis(axis, rank),
        None => Err(Stop::Input(1)),
    }
}

fn split(call: &Call<'_>) -> Made {
    let dims = call.least(0, 1)?;
    let axis = split_axis(call, dims.len())?;
    let parts = call.node.outputs.len().max(1);
    let size = dims[axis].floor(&Size::known(parts as i64));
    slice::pieces(call, 0, axis, &vec![size; parts])
}

fn pieces(call: &Call<'_>) -> Made {
    let dims = call.least(0, 1)?;
    let axis = split_axis(call, dims.len())?;
    let sizes = call.sizes(2).unwrap_or_else(|| vec![None; call.node.outputs.len()]);
    slice::pieces(call, 0, axis, &slice::lengths(call, sizes, &dims[axis])?)
}

/// Infers repeats; the shorter of shape and repeats gets ones in front.
fn tiled(call: &Call<'_>) -> Made {
    let (dims, repeats) = (call.dims(0)?, target(call, 1)?);
    let rank = dims.len().max(repeats.len());
    let size = |axis: usize| {
        let from = (axis + dims.len()).checked_sub(rank).map_or(Size::known(1), |at| dims[at].clone());
        match (axis + repeats.len()).checked_sub(rank) {
            Some(at) => from.times(repeats[at].as_ref()?),
            None => Some(from),
        }
    };
    Ok(vec![Tensor::of((0..rank).map(|axis| call.or_open(size(axis))).collect())])
}

pub(super) fn best(call: &Call<'_>) -> Made {
    let mut dims = call.least(0, 1)?.to_vec();
    let axis = call.axis_or(-1, dims.len())?;
    dims[axis] = call.or_open(call.scalar(1));
    let tensor = Tensor::of(dims);
    Ok(vec![tensor.clone(), tensor])
}

/// Reads the order of a transpose; an empty one turns all axes round.
pub(super) fn order(call: &Call<'_>) -> Result<Option<Vec<i64>>, Stop> {
    match (call.has(1), call.numbers(1)) {
        (true, None) => because("Transpose: its order is not known"),
        (_, order) => Ok(order.filter(|order| !order.is_empty())),
    }
}

/// Infers attention: (batch..., length, width of the values).
fn attention(call: &Call<'_>) -> Made {
    let (q, k, v) = (call.least(0, 2)?, call.least(1, 2)?, call.least(2, 2)?);
    let batches = [q, k, v].map(|dims| &dims[..dims.len() - 2]);
    let mut dims = united(call, &Rule::numpy(), &batches)?;
    dims.extend([q[q.len() - 2].clone(), v[v.len() - 1].clone()]);
    Ok(vec![Tensor::of(dims)])
}

/// Infers a step of a recurrent layer: new states like the old ones.
fn cell(call: &Call<'_>, states: usize) -> Made {
    (1..=states).map(|k| Ok(Tensor::of(call.dims(k)?.to_vec()))).collect()
}

/// Infers a recurrent layer: all steps (batch, directions, length, hidden), then states like the first.
fn sequence(call: &Call<'_>, states: usize) -> Made {
    let ([batch, length, _], [_, directions, hidden]) = (call.ranked::<3>(0)?, call.ranked::<3>(1)?);
    let all = [batch, directions, length, hidden].map(Clone::clone);
    let rest = (1..=states).map(|k| Ok(Tensor::of(call.dims(k)?.to_vec())));
    std::iter::once(Ok(Tensor::of(all.to_vec()))).chain(rest).collect()
}
