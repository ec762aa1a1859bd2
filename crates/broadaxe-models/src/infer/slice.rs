//! Shapes of slices, splits, pads, concatenations, and operators with counted results.

use broadaxe::DType;

use super::{
    Size,
    call::{Call, Made, Stop, because},
    elementwise::kept,
    number::Number,
    reshape::same,
    row::{I64, SAME, ShapeRow, Type, row},
    tensor::{FOLLOWED, Tensor, small, strided, strides},
};

pub(crate) static SLICE_ROWS: &[ShapeRow] = &[
    row("Slice", sliced, SAME),
    row("Split", split, SAME),
    row("Concat", concatenated, SAME),
    row("Pad", padded, SAME),
    row("Tile", tiled, SAME),
    row("CenterCropPad", cropped, SAME),
    row("Trilu", |call| Ok(vec![Tensor::of(call.least(0, 2)?.to_vec())]), SAME),
    row("ReverseSequence", like, SAME),
    row("CumSum", like, SAME),
    row("CumProd", like, SAME),
    row("Compress", compressed, SAME),
    row("NonZero", nonzero, I64),
    row("Unique", unique, &[Type::Same(0), Type::Is(DType::I64)]),
    row("NonMaxSuppression", |call| Ok(vec![Tensor::of(vec![call.counted(), Size::known(3)])]), I64),
    row(
        "StringConcat",
        |call| {
            super::elementwise::broadcast(call, &broadaxe_shape::Rule::numpy(), 2).map(|dims| vec![Tensor::of(dims)])
        },
        SAME,
    ),
    row("StringNormalizer", normalized, SAME),
    row("StringSplit", strings, &[Type::Same(0), Type::Is(DType::I64)]),
    row("RegexFullMatch", like, &[Type::Is(DType::Bool)]),
    row("SequenceMap", |_| because("SequenceMap makes sequences, whose tensors have no common shape"), SAME),
    row("Shrink", same, SAME),
];

/// Infers a result of the first input's shape, with other elements.
pub(crate) fn like(call: &Call<'_>) -> Made {
    Ok(vec![Tensor::of(call.dims(0)?.to_vec())])
}

/// Numbers from here on mean the end of an axis, in files that know none larger.
const END: i64 = i32::MAX as i64;

/// One axis of a slice, as in the file.
pub(crate) struct Range {
    pub(crate) start: Option<Size>,
    pub(crate) end: Option<Size>,
    pub(crate) step: Option<i64>,
}

impl Range {
    /// Returns where it starts in an axis and how many elements it has.
    pub(crate) fn taken(&self, call: &Call<'_>, extent: &Size) -> (Option<Size>, Option<Size>) {
        let (zero, Some(step)) = (Size::known(0), self.step.filter(|&step| step != 0)) else { return (None, None) };
        let top = if step > 0 { Some(extent.clone()) } else { extent.more(-1) };
        let least = if step > 0 { zero.clone() } else { Size::known(-1) };
        // Negative numbers count from the end.
        let place = |at: &Option<Size>, start: bool| -> Option<Size> {
            let at = at.as_ref()?;
            let low = if start { &zero } else { &least };
            match at.number() {
                Some(at) if at >= END => top.clone(),
                Some(at) if at <= -END => Some(low.clone()),
                _ if at.high().is_some_and(|high| high < 0) => {
                    call.at_least(&extent.plus(at)?, low)?.min(&top.clone()?)
                }
                _ if at.low().is_some_and(|low| low >= 0) => at.min(&top.clone()?),
                _ => None,
            }
        };
        let start = place(&self.start, true);
        let count = || {
            let (start, end) = (start.as_ref()?, place(&self.end, false)?);
            let way = if step > 0 { end.minus(start)? } else { start.minus(&end)? };
            call.at_least(&way.ceil(&Size::known(step.checked_abs()?))?, &zero)
        };
        (start.clone(), count())
    }
}

/// Reads the ranges of a slice, a row per axis that is cut.
fn ranges(call: &Call<'_>, rank: usize) -> Result<Vec<(usize, Range)>, Stop> {
    let list = |k: usize, name: &str| -> Result<Option<Vec<Option<Size>>>, Stop> {
        if call.version() < 10 && !call.has(1) {
            return Ok(call.ints(name).map(|values| values.into_iter().map(|at| Some(Size::known(at))).collect()));
        }
        if call.has(k) { super::reshape::target(call, k).map(Some) } else { Ok(None) }
    };
    let (starts, ends) = (list(1, "starts")?.unwrap_or_default(), list(2, "ends")?.unwrap_or_default());
    let axes = match list(3, "axes")? {
        Some(axes) => axes.into_iter().map(|axis| axis.and_then(|axis| axis.number())).collect::<Option<Vec<i64>>>(),
        None => Some((0..starts.len() as i64).collect()),
    };
    let Some(axes) = axes else { return because("Slice: the axes are not known") };
    let steps = list(4, "steps")?.unwrap_or_else(|| vec![Some(Size::known(1)); starts.len()]);
    if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] {
        return because("Slice: starts, ends, axes and steps must have the same length");
    }
    let axes = call.axes(&axes, rank)?;
    let rows = starts.into_iter().zip(ends).zip(steps).map(|((start, end), step)| Range {
        start,
        end,
        step: step.and_then(|step| step.number()),
    });
    Ok(axes.into_iter().zip(rows).collect())
}

/// Infers a slice.
pub(crate) fn sliced(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let ranges = match ranges(call, dims.len()) {
        Ok(ranges) => ranges,
        // All that is left is the rank.
        Err(Stop::Because(_)) if call.has(3) => return Ok(vec![Tensor::of(call.opens(dims.len()))]),
        Err(stop) => return Err(stop),
    };
    cut(call, dims, &ranges)
}

/// Cuts ranges out of axes, and follows the elements of a list.
pub(crate) fn cut(call: &Call<'_>, dims: &[Size], ranges: &[(usize, Range)]) -> Made {
    let mut out = dims.to_vec();
    let mut starts = vec![Some(0); dims.len()];
    let mut steps = vec![1; dims.len()];
    for (axis, range) in ranges {
        let (start, count) = range.taken(call, &dims[*axis]);
        out[*axis] = call.or_open(count);
        (starts[*axis], steps[*axis]) = (start.and_then(|start| start.number()), range.step.unwrap_or(1));
    }
    let values = || {
        let (own, to) = (strides(&small(dims)?), small(&out)?);
        let first =
            starts.iter().zip(&own).try_fold(0, |first: i64, (start, stride)| first.checked_add((*start)? * stride));
        let steps: Option<Vec<i64>> = own.iter().zip(&steps).map(|(stride, step)| stride.checked_mul(*step)).collect();
        strided(call.values(0)?, first?, &steps?, &to)
    };
    let values = values();
    Ok(vec![Tensor::of(out).with(values)])
}

fn split(call: &Call<'_>) -> Made {
    let dims = call.least(0, 1)?;
    let axis = call.axis_or(0, dims.len())?;
    let parts = call.node.outputs.len();
    let sizes: Vec<Option<Size>> = match (call.has(1), call.ints("split")) {
        (true, _) => call.sizes(1).unwrap_or_else(|| vec![None; parts]),
        (false, Some(sizes)) => sizes.into_iter().map(|size| Some(Size::known(size))).collect(),
        (false, None) => even(&dims[axis], call.int("num_outputs").map_or(parts, |count| count.max(0) as usize), parts),
    };
    pieces(call, 0, axis, &sizes)
}

/// Divides an extent evenly; the last part is smaller where that does not come out.
fn even(extent: &Size, count: usize, parts: usize) -> Vec<Option<Size>> {
    let number = Size::known(count.max(1) as i64);
    let each = extent.ceil(&number);
    let last = each.as_ref().and_then(|each| extent.minus(&each.times(&number)?.minus(each)?));
    (0..parts).map(|k| if k + 1 == count { last.clone() } else { each.clone() }).collect()
}

/// Puts what the other lengths leave of an extent where a length is -1.
pub(crate) fn lengths(call: &Call<'_>, mut sizes: Vec<Option<Size>>, extent: &Size) -> Result<Vec<Option<Size>>, Stop> {
    if sizes.iter().flatten().filter(|size| size.is(-1)).count() > 1 {
        return because(format!("{}: two lengths are -1", call.node.op));
    }
    if let Some(at) = sizes.iter().position(|size| size.as_ref().is_some_and(|size| size.is(-1))) {
        let rest = || {
            let others = sizes.iter().enumerate().filter(|(k, _)| *k != at);
            let sum = others.map(|(_, size)| size.as_ref()).try_fold(Size::known(0), |sum, size| sum.plus(size?))?;
            extent.minus(&sum)
        };
        let rest = rest();
        sizes[at] = rest;
    }
    Ok(sizes)
}

/// Makes the parts of an axis of an input.
pub(crate) fn pieces(call: &Call<'_>, input: usize, axis: usize, sizes: &[Option<Size>]) -> Made {
    let dims = call.dims(input)?;
    let mut at = Some(0usize);
    let own = small(dims).map(|dims| strides(&dims));
    let mut made = Vec::with_capacity(sizes.len());
    let sum = sizes.iter().try_fold(Size::known(0), |sum, size| sum.plus(size.as_ref()?));
    if sum.is_some_and(|sum| sum.equal(&dims[axis]) == Some(false)) {
        return because(format!("{}: the parts do not add up to the extent {}", call.node.op, dims[axis]));
    }
    for size in sizes.iter().take(call.node.outputs.len()) {
        let mut out = dims.to_vec();
        out[axis] = call.or_open(size.clone());
        let end = at.zip(size.as_ref().and_then(Size::extent)).and_then(|(at, size)| at.checked_add(size));
        let values = || {
            let (to, own) = (small(&out)?, own.as_ref()?);
            strided(call.values(input)?, (at? as i64).checked_mul(own[axis])?, own, &to)
        };
        let values = values();
        made.push(Tensor::of(out).with(values));
        at = end;
    }
    Ok(made)
}

/// Infers tensors put together along an axis.
pub(crate) fn concatenated(call: &Call<'_>) -> Made {
    let first = call.least(0, 1)?;
    // Before opset 4 the axis may be left out.
    let axis = call.axis_or(1, first.len())?;
    let mut out = first.to_vec();
    for k in 1..call.inputs() {
        let dims = call.dims(k)?;
        if dims.len() != out.len() {
            return because(format!("Concat: input {k} has rank {}, the first {}", dims.len(), out.len()));
        }
        for (at, size) in dims.iter().enumerate() {
            out[at] = if at == axis { call.or_open(out[at].plus(size)) } else { call.same(&out[at], size)? };
        }
    }
    let values = joined(call, &out, axis);
    Ok(vec![Tensor::of(out).with(values)])
}

/// Puts followed elements together along an axis; those that are not followed are unknown.
pub(crate) fn joined(call: &Call<'_>, out: &[Size], axis: usize) -> Option<Vec<Option<Number>>> {
    let to = small(out)?;
    let before: usize = to[..axis].iter().product();
    if !(0..call.inputs()).any(|k| call.followed(k)) {
        return None;
    }
    let mut parts = Vec::with_capacity(call.inputs());
    for k in 0..call.inputs() {
        let count = super::tensor::count(call.dims(k).ok()?)?;
        parts.push((call.values(k).filter(|values| values.len() == count), count.checked_div(before)?));
    }
    let mut all = Vec::with_capacity(to.iter().product());
    for block in 0..before {
        for (values, count) in &parts {
            match values {
                Some(values) => all.extend_from_slice(values.get(block * count..(block + 1) * count)?),
                None => all.resize(all.len() + count, None),
            }
        }
    }
    Some(all)
}

fn padded(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let pads: Option<Vec<Option<Size>>> = if call.has(1) {
        call.sizes(1)
    } else {
        let pads = call.ints("pads").or_else(|| call.ints("paddings"));
        pads.map(|pads| pads.into_iter().map(|pad| Some(Size::known(pad))).collect())
    };
    let axes = match (call.has(3), call.numbers(3)) {
        (false, _) => (0..dims.len()).collect(),
        (true, Some(axes)) => call.axes(&axes, dims.len())?,
        (true, None) => return Ok(vec![Tensor::of(call.opens(dims.len()))]),
    };
    let Some(pads) = pads else { return Ok(vec![Tensor::of(call.opens(dims.len()))]) };
    if pads.len() != 2 * axes.len() {
        return because(format!("Pad: {} pads for {} axes", pads.len(), axes.len()));
    }
    let mut out = dims.to_vec();
    for (k, &axis) in axes.iter().enumerate() {
        let size = pads[k].as_ref().zip(pads[k + axes.len()].as_ref());
        out[axis] = call.or_open(size.and_then(|(begin, end)| dims[axis].plus(begin)?.plus(end)));
    }
    Ok(vec![Tensor::of(out)])
}

/// Infers repeats along axes.
pub(crate) fn tiled(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    // Opset 1 has a number of tiles and an axis.
    if call.inputs() == 3 {
        let mut out = call.opens(dims.len());
        if let (Some(tiles), Some(axis)) = (call.scalar(1), call.scalar(2).and_then(|axis| axis.number())) {
            out = dims.to_vec();
            let axis = call.axis(axis, dims.len())?;
            out[axis] = call.or_open(dims[axis].times(&tiles));
        }
        return Ok(vec![Tensor::of(out)]);
    }
    let repeats = super::reshape::target(call, 1)?;
    if repeats.len() != dims.len() {
        return because(format!("Tile: {} repeats at rank {}", repeats.len(), dims.len()));
    }
    let sizes = dims.iter().zip(&repeats).map(|(size, by)| call.or_open(by.as_ref().and_then(|by| size.times(by))));
    let out: Vec<Size> = sizes.collect();
    if repeats.iter().all(|by| by.as_ref().is_some_and(|by| by.is(1))) {
        return Ok(vec![kept(call, out)]);
    }
    let values = call.values(0).filter(|_| dims.len() == 1).and_then(|values| {
        let count = repeats[0].as_ref()?.extent()?;
        (values.len().checked_mul(count)? <= FOLLOWED).then(|| (0..count).flat_map(|_| values.to_vec()).collect())
    });
    Ok(vec![Tensor::of(out).with(values)])
}

fn cropped(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let sizes = super::reshape::target(call, 1)?;
    let axes = match call.ints("axes") {
        Some(axes) => call.axes(&axes, dims.len())?,
        None => (0..dims.len()).collect(),
    };
    if axes.len() != sizes.len() {
        return because("CenterCropPad: its shape does not fit its axes");
    }
    let mut out = dims.to_vec();
    for (axis, size) in axes.into_iter().zip(sizes) {
        out[axis] = call.or_open(size);
    }
    Ok(vec![Tensor::of(out)])
}

fn compressed(call: &Call<'_>) -> Made {
    let Some(axis) = call.int("axis") else { return Ok(vec![Tensor::of(vec![chosen(call)])]) };
    let mut out = call.least(0, 1)?.to_vec();
    let axis = call.axis(axis, out.len())?;
    out[axis] = chosen(call);
    Ok(vec![Tensor::of(out)])
}

/// Counts the true elements of a followed condition.
fn chosen(call: &Call<'_>) -> Size {
    let count = || {
        let truths: Option<Vec<f64>> = call.values(1)?.iter().map(|value| value.as_ref()?.truth()?.value()).collect();
        Some(truths?.into_iter().filter(|&truth| truth != 0.0).count())
    };
    count().map_or_else(|| call.counted(), |count| Size::known(count as i64))
}

/// Infers the indices of the elements that are not 0: a row per axis.
pub(crate) fn nonzero(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    // A scalar counts as a list of one.
    let rank = Size::known(dims.len().max(1) as i64);
    let rows = call.values(0).and_then(|values| {
        let truths: Option<Vec<f64>> = values.iter().map(|value| value.as_ref()?.truth()?.value()).collect();
        truths
    });
    let Some(truths) = rows else { return Ok(vec![Tensor::of(vec![rank, call.counted()])]) };
    let at: Vec<i64> = (0i64..).zip(&truths).filter(|(_, truth)| **truth != 0.0).map(|(at, _)| at).collect();
    let tensor = Tensor::of(vec![rank, Size::known(at.len() as i64)]);
    let values = (dims.len() == 1).then(|| at.into_iter().map(|at| Some(Number::from(at))).collect());
    Ok(vec![tensor.with(values)])
}

fn unique(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let count = call.counted();
    let list = Tensor::of(vec![count.clone()]);
    let (values, inverse) = match call.int("axis") {
        Some(axis) => {
            let axis = call.axis(axis, dims.len())?;
            let mut out = dims.to_vec();
            out[axis] = count;
            (Tensor::of(out), dims[axis].clone())
        }
        None => (list.clone(), call.or_open(super::tensor::product(dims))),
    };
    Ok(vec![values, list.clone(), Tensor::of(vec![inverse]), list])
}

fn normalized(call: &Call<'_>) -> Made {
    let mut dims = call.least(0, 1)?.to_vec();
    if let Some(last) = dims.last_mut() {
        *last = call.counted();
    }
    Ok(vec![Tensor::of(dims)])
}

fn strings(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    Ok(vec![Tensor::of([dims, &[call.counted()]].concat()), Tensor::of(dims.to_vec())])
}
