//! Shapes of operators that reshape, transpose or expand.

use broadaxe_frameworks::System;
use broadaxe_shape::{MAX_RANK, Rule};

use super::{
    Size,
    call::{Call, Made, Stop, because},
    elementwise::{kept, united},
    row::{SAME, ShapeRow, row},
    tensor::{Tensor, product, small, stretched, strided, strides},
};

pub(crate) static RESHAPE_ROWS: &[ShapeRow] = &[
    row("Reshape", reshaped, SAME),
    row("Flatten", flattened, SAME),
    row("Squeeze", |call| squeezed(call, false), SAME),
    row("Unsqueeze", unsqueezed, SAME),
    row("Transpose", |call| transposed(call, call.ints("perm")), SAME),
    row("Expand", |call| expanded(call, 1), SAME),
    row("DepthToSpace", |call| blocks(call, call.int("blocksize"), true), SAME),
    row("SpaceToDepth", |call| blocks(call, call.int("blocksize"), false), SAME),
    row("Identity", same, SAME),
];

/// Infers a result like the first input, elements too.
pub(crate) fn same(call: &Call<'_>) -> Made {
    Ok(vec![kept(call, call.dims(0)?.to_vec())])
}

/// Reads a shape from an input: its extents, each if it is known.
pub(crate) fn target(call: &Call<'_>, k: usize) -> Result<Vec<Option<Size>>, Stop> {
    // ONNX allows only lists. ONNX Runtime accepts a number as the shape of Expand; of Reshape, Tile and ConstantOfShape, neither it nor
    // OpenVINO does.
    if call.model.system == System::Onnx && call.node.op != "Expand" && matches!(call.dims(k), Ok([])) {
        return because(format!("{}: input {k} is a number, and should be a list", call.node.op));
    }
    if let Some(sizes) = call.sizes(k) {
        return if sizes.len() <= MAX_RANK {
            Ok(sizes)
        } else {
            because("the rank of the result is above the largest")
        };
    }
    let dims = call.dims(k)?;
    match dims {
        [] => Ok(vec![None]),
        [count] => match count.extent().filter(|&count| count <= MAX_RANK) {
            Some(count) => Ok(vec![None; count]),
            None => because(format!("{}: the elements of its input {k} are not known", call.node.op)),
        },
        _ => because(format!("{}: input {k} is a shape, and should be a list", call.node.op)),
    }
}

/// Infers a reshape: 0 keeps an extent, unless zeros are meant as such, and -1 is what is left.
pub(crate) fn reshaped(call: &Call<'_>) -> Made {
    let attribute = || call.ints("shape").map(|shape| shape.into_iter().map(|size| Some(Size::known(size))).collect());
    let wanted = match attribute() {
        Some(wanted) if !call.has(1) => wanted,
        _ => target(call, 1)?,
    };
    let keeps = match call.int("special_zero") {
        Some(special) => special != 0,
        None => call.model.system != System::Openvino && !call.flag("allowzero"),
    };
    reshaped_to(call, wanted, keeps)
}

/// Infers a reshape to these extents; `keeps` says whether 0 keeps an extent.
pub(crate) fn reshaped_to(call: &Call<'_>, wanted: Vec<Option<Size>>, keeps: bool) -> Made {
    let input = call.dims(0).ok();
    let (mut dims, rest) = extents(wanted, input, keeps)?;
    let open = dims.iter().filter(|size| size.is_none()).count();
    let rest = match rest {
        Some(axis) if open == 1 => Some(axis),
        // One extent that is not known, and what all others come to.
        None if open == 1 => dims.iter().position(Option::is_none),
        _ => None,
    };
    if let (Some(axis), Some(input)) = (rest, input) {
        dims[axis] = left_over(call, input, &dims)?;
    }
    if open == 0
        && let (Some(input), Some(all)) = (input, dims.iter().cloned().collect::<Option<Vec<Size>>>())
    {
        fits(call, input, &all)?;
    }
    let dims: Vec<Size> = dims.into_iter().map(|size| call.or_open(size)).collect();
    Ok(vec![kept(call, dims)])
}

/// Reads the extents of a reshape, and which of them is inferred from the others.
fn extents(
    wanted: Vec<Option<Size>>,
    input: Option<&[Size]>,
    keeps: bool,
) -> Result<(Vec<Option<Size>>, Option<usize>), Stop> {
    let mut dims = Vec::with_capacity(wanted.len());
    let mut rest = None;
    for (axis, size) in wanted.into_iter().enumerate() {
        dims.push(match size {
            Some(size) if size.is(0) && keeps => match input {
                Some(input) if axis < input.len() => Some(input[axis].clone()),
                Some(input) => {
                    return because(format!("Reshape: 0 on axis {axis} has no extent at rank {}", input.len()));
                }
                None => None,
            },
            Some(size) if size.is(-1) && rest.replace(axis).is_some() => {
                return because("Reshape: the shape has two extents of -1");
            }
            Some(size) if size.is(-1) => None,
            Some(size) if size.high().is_some_and(|high| high < 0) => {
                return because(format!("Reshape: {size} is no extent"));
            }
            size => size,
        });
    }
    Ok((dims, rest))
}

/// Refuses numbers of elements that differ for all sizes.
fn fits(call: &Call<'_>, from: &[Size], to: &[Size]) -> Result<(), Stop> {
    if let (Some(x), Some(y)) = (product(from), product(to))
        && let (Some(x), Some(y)) = (x.number(), y.number())
        && x != y
    {
        return because(format!("{}: {x} elements do not go into a shape of {y}", call.node.op));
    }
    Ok(())
}

/// Returns what the extents that are known leave for the last.
fn left_over(call: &Call<'_>, input: &[Size], dims: &[Option<Size>]) -> Result<Option<Size>, Stop> {
    let mut from: Vec<&Size> = input.iter().collect();
    let mut to: Vec<&Size> = Vec::new();
    // Equal extents go out before anything is multiplied.
    for size in dims.iter().flatten() {
        match from.iter().position(|known| *known == size && !size.is(0)) {
            Some(at) => {
                from.swap_remove(at);
            }
            None => to.push(size),
        }
    }
    let (Some(total), Some(divisor)) = (product(from), product(to)) else { return Ok(None) };
    match (total.number(), divisor.number()) {
        (Some(_), Some(0)) => Ok(None),
        (Some(x), Some(y)) if x % y != 0 => {
            because(format!("{}: {x} elements cannot be divided into parts of {y}", call.node.op))
        }
        _ => Ok(total.floor(&divisor)),
    }
}

fn flattened(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let axis = call.int("axis").unwrap_or(1);
    let axis = if axis == dims.len() as i64 { dims.len() } else { call.axis(axis, dims.len())? };
    let sides = [&dims[..axis], &dims[axis..]].map(|side| call.or_open(product(side)));
    Ok(vec![kept(call, sides.to_vec())])
}

/// Reads axes from an input or the attribute.
fn axes(call: &Call<'_>) -> Result<Option<Vec<i64>>, Stop> {
    if !call.has(1) {
        return Ok(call.ints("axes").or_else(|| call.ints("squeeze_dims")));
    }
    match call.numbers(1) {
        Some(axes) => Ok(Some(axes)),
        None => Err(Stop::Input(1)),
    }
}

/// Infers a squeeze; `lenient` passes over axes of another extent than 1, as OpenVINO does; with
/// `allow_axis_skip` an extent that is not known may be another too.
pub(crate) fn squeezed(call: &Call<'_>, lenient: bool) -> Made {
    let dims = call.dims(0)?;
    let axes = match axes(call) {
        Ok(axes) => axes,
        Err(stop) => match call.ranked::<1>(1).ok().and_then(|[count]| count.extent()) {
            Some(count) if count <= dims.len() && !lenient => {
                return Ok(vec![kept(call, call.opens(dims.len() - count))]);
            }
            _ => return Err(stop),
        },
    };
    let ones: Vec<usize> = match axes {
        Some(axes) if !axes.is_empty() => call.axes(&axes, dims.len())?,
        _ => {
            if dims.iter().any(|size| size.number().is_none() && size.equal(&Size::known(1)) != Some(false)) {
                return because("Squeeze without axes: it is not known which extents are 1");
            }
            (0..dims.len()).filter(|&axis| dims[axis].is(1)).collect()
        }
    };
    let open = |axis: usize| dims[axis].equal(&Size::known(1)).is_none();
    if lenient && call.flag("allow_axis_skip") && ones.iter().any(|&axis| open(axis)) {
        return because("Squeeze: it is not known which of its axes have an extent of 1");
    }
    let other = |axis: usize| dims[axis].equal(&Size::known(1)) == Some(false);
    if let Some(&axis) = ones.iter().find(|&&axis| !lenient && other(axis)) {
        return because(format!("Squeeze: the extent of axis {axis} is {}, not 1", dims[axis]));
    }
    let left = dims
        .iter()
        .enumerate()
        .filter(|(axis, size)| !ones.contains(axis) || (lenient && size.equal(&Size::known(1)) == Some(false)));
    Ok(vec![kept(call, left.map(|(_, size)| size.clone()).collect())])
}

/// Infers axes of 1 put in, counted in the result.
pub(crate) fn unsqueezed(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let axes = match axes(call) {
        Ok(axes) => axes.unwrap_or_default(),
        Err(stop) => match call.ranked::<1>(1).ok().and_then(|[count]| count.extent()) {
            Some(count) if count + dims.len() <= MAX_RANK => {
                return Ok(vec![kept(call, call.opens(dims.len() + count))]);
            }
            _ => return Err(stop),
        },
    };
    let rank = dims.len() + axes.len();
    let axes = call.axes(&axes, rank)?;
    let mut rest = dims.iter();
    let out: Vec<Size> = (0..rank)
        .filter_map(|axis| if axes.contains(&axis) { Some(Size::known(1)) } else { rest.next().cloned() })
        .collect();
    if out.len() != rank || rest.next().is_some() {
        return because(format!("{}: an axis is given twice", call.node.op));
    }
    Ok(vec![kept(call, out)])
}

/// Infers another order of axes; without one, the opposite order.
pub(crate) fn transposed(call: &Call<'_>, order: Option<Vec<i64>>) -> Made {
    let dims = call.dims(0)?;
    let order = match order {
        Some(order) => call.axes(&order, dims.len())?,
        None => (0..dims.len()).rev().collect(),
    };
    if order.len() != dims.len() || (0..dims.len()).any(|axis| !order.contains(&axis)) {
        return because(format!("Transpose: its order is none of rank {}", dims.len()));
    }
    let out: Vec<Size> = order.iter().map(|&axis| dims[axis].clone()).collect();
    let values = || {
        let (from, to) = (small(dims)?, small(&out)?);
        let own = strides(&from);
        strided(call.values(0)?, 0, &order.iter().map(|&axis| own[axis]).collect::<Vec<_>>(), &to)
    };
    let values = values();
    Ok(vec![Tensor::of(out).with(values)])
}

/// Infers an input stretched to a shape, both ways.
pub(crate) fn expanded(call: &Call<'_>, k: usize) -> Made {
    let dims = call.dims(0)?;
    let target: Vec<Size> = target(call, k)?.into_iter().map(|size| call.or_open(size)).collect();
    let out = united(call, &Rule::numpy(), &[dims, &target])?;
    let values = || {
        let (from, to) = (small(dims)?, small(&out)?);
        strided(call.values(0)?, 0, &stretched(&from, &to)?, &to)
    };
    let values = values();
    Ok(vec![Tensor::of(out).with(values)])
}

/// Infers blocks of channels spread over the image, or the way back.
pub(crate) fn blocks(call: &Call<'_>, side: Option<i64>, spread: bool) -> Made {
    let dims = call.least(0, 3)?;
    let Some(side) = side.filter(|&side| side > 0) else {
        return because(format!("{}: the block has no size", call.node.op));
    };
    let rest = &dims[2..];
    let side = Size::known(side);
    let block = rest.iter().try_fold(Size::known(1), |product, _| product.times(&side));
    let Some(block) = block else { return because("the block is too large") };
    let change = |size: &Size, by: &Size, multiply: bool| {
        let changed = if multiply { size.times(by) } else { size.floor(by) };
        call.or_open(changed)
    };
    let channels = change(&dims[1], &block, !spread);
    let image = rest.iter().map(|size| change(size, &side, spread));
    Ok(vec![Tensor::of([dims[0].clone(), channels].into_iter().chain(image).collect())])
}
