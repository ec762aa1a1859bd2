//! Shapes of reductions, `ArgMax` and `TopK`.

use broadaxe::DType;
use broadaxe_frameworks::System;

use super::{
    Size,
    call::{Call, Made, Stop, because},
    number::{Binary, Number},
    row::{I64, SAME, ShapeRow, Type, row},
    tensor::{FOLLOWED, Tensor},
};

pub(crate) static REDUCE_ROWS: &[ShapeRow] = &[
    row("ReduceL1", reduced, SAME),
    row("ReduceL2", reduced, SAME),
    row("ReduceLogSum", reduced, SAME),
    row("ReduceLogSumExp", reduced, SAME),
    row("ReduceMax", reduced, SAME),
    row("ReduceMean", reduced, SAME),
    row("ReduceMin", reduced, SAME),
    row("ReduceProd", reduced, SAME),
    row("ReduceSum", reduced, SAME),
    row("ReduceSumSquare", reduced, SAME),
    row("ArgMax", chosen, I64),
    row("ArgMin", chosen, I64),
    row("TopK", best, &[Type::Same(0), Type::Is(DType::I64)]),
];

/// Reads the axes of a reduction from its second input or the attribute; nothing means all.
fn axes(call: &Call<'_>, rank: usize) -> Result<Option<Vec<usize>>, Stop> {
    if call.has(1) {
        let Some(axes) = call.numbers(1) else { return Err(Stop::Input(1)) };
        return call.axes(&axes, rank).map(Some);
    }
    call.ints("axes").map(|axes| call.axes(&axes, rank)).transpose()
}

/// Drops axes, or leaves an extent of 1.
pub(crate) fn without(dims: &[Size], axes: &[usize], keep: bool) -> Vec<Size> {
    let kept = |(axis, size): (usize, &Size)| {
        if axes.contains(&axis) { keep.then(|| Size::known(1)) } else { Some(size.clone()) }
    };
    dims.iter().enumerate().filter_map(kept).collect()
}

/// Infers a reduction.
pub(crate) fn reduced(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    // Elsewhere than in ONNX, axes are kept only if that is written, and an empty list of axes means none.
    let is_onnx = !matches!(call.model.system, System::Openvino | System::Tflite);
    let keep = call.int("keepdims").or_else(|| call.int("keep_dims")).unwrap_or(1) != 0;
    let keep = if is_onnx { keep } else { call.flag("keep_dims") };
    let axes = match axes(call, dims.len()) {
        Ok(axes) => axes,
        // The axes are not known, but how many extents are left may be.
        Err(Stop::Input(1)) if keep => return Ok(vec![Tensor::of(call.opens(dims.len()))]),
        Err(Stop::Input(1)) => match call.ranked::<1>(1).ok().and_then(|[count]| count.extent()) {
            Some(count) if count <= dims.len() && count > 0 => {
                return Ok(vec![Tensor::of(call.opens(dims.len() - count))]);
            }
            _ => return because(format!("{}: its axes are not known", call.node.op)),
        },
        Err(stop) => return Err(stop),
    };
    let axes = match axes {
        Some(axes) if !axes.is_empty() => axes,
        _ if call.flag("noop_with_empty_axes") || !is_onnx => Vec::new(),
        _ => (0..dims.len()).collect(),
    };
    let tensor = Tensor::of(without(dims, &axes, keep));
    let values = folded(call, dims.len() == 1 && axes == [0]).map(|value| vec![Some(value)]);
    Ok(vec![tensor.with(values)])
}

/// Reduces a followed list to one element.
fn folded(call: &Call<'_>, whole: bool) -> Option<Number> {
    let op = match call.node.op.as_str() {
        "ReduceProd" | "REDUCE_PROD" => Binary::Mul,
        "ReduceSum" | "SUM" => Binary::Add,
        "ReduceMax" | "REDUCE_MAX" => Binary::Max,
        "ReduceMin" | "REDUCE_MIN" => Binary::Min,
        _ => return None,
    };
    let values = call.values(0).filter(|values| whole && values.len() <= FOLLOWED)?;
    let (first, rest) = values.split_first()?;
    let floats = call.floats(0);
    rest.iter().try_fold(first.clone()?, |x, y| Number::binary(op, &x, y.as_ref()?, floats))
}

fn chosen(call: &Call<'_>) -> Made {
    let dims = call.least(0, 1)?;
    let axis = call.axis_or(0, dims.len())?;
    Ok(vec![Tensor::of(without(dims, &[axis], call.int("keepdims").unwrap_or(1) != 0))])
}

fn best(call: &Call<'_>) -> Made {
    let mut dims = call.least(0, 1)?.to_vec();
    let axis = call.axis_or(-1, dims.len())?;
    let count = if call.has(1) { call.scalar(1) } else { call.int("k").map(Size::known) };
    dims[axis] = call.or_open(count);
    let tensor = Tensor::of(dims);
    Ok(vec![tensor.clone(), tensor])
}
