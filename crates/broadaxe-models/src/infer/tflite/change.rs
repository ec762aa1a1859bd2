//! Shapes of reshapes, and of tensors that are stacked, unstacked and gathered.

use broadaxe_shape::Rule;

use crate::infer::{
    Size,
    call::{Call, Made, Stop, because},
    elementwise::united,
    gather, openvino,
    reshape::{self, reshaped_to, target, unsqueezed},
    slice::joined,
    tensor::{Tensor, small, strided, strides},
};

/// Reads an axis from an input, if it is known.
pub(super) fn axis(call: &Call<'_>, k: usize, rank: usize) -> Result<Option<usize>, Stop> {
    call.scalar(k).and_then(|axis| axis.number()).map(|axis| call.axis(axis, rank)).transpose()
}

/// Infers an axis of 1 put in.
pub(super) fn expanded(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    match axis(call, 1, dims.len() + 1)? {
        Some(_) => unsqueezed(call),
        None => Ok(vec![Tensor::of(call.opens(dims.len() + 1))]),
    }
}

/// Infers an input stretched to a shape, one way.
pub(super) fn stretched(call: &Call<'_>) -> Made {
    let target: Vec<Size> = target(call, 1)?.into_iter().map(|size| call.or_open(size)).collect();
    united(call, &Rule::unidirectional(), &[&target, call.dims(0)?])?;
    openvino::to_shape(call)
}

/// Infers the greatest elements along the last axis, which has as many.
pub(super) fn best(call: &Call<'_>) -> Made {
    let last = call.least(0, 1)?.last().and_then(Size::number);
    match call.scalar(1).and_then(|count| count.number()) {
        Some(count) if last.is_some_and(|last| count > last) => {
            because(format!("{}: {count} elements are more than the axis has", call.node.op))
        }
        _ => openvino::best(call),
    }
}

/// Infers another order of axes.
pub(super) fn transposed(call: &Call<'_>) -> Made {
    match call.numbers(1) {
        Some(order) => reshape::transposed(call, Some(order)),
        None => Ok(vec![Tensor::of(call.opens(call.dims(0)?.len()))]),
    }
}

/// Infers a reshape to a list, the second input, or else to the option; 0 is an extent, and `[0]` alone is a scalar.
pub(super) fn reshaped(call: &Call<'_>) -> Made {
    let is_list = !call.has(1) || call.dims(1)?.len() == 1;
    let wanted = match call.ints("new_shape") {
        _ if call.has(1) && is_list => target(call, 1)?,
        None => return because("RESHAPE: the file does not say the new shape"),
        Some(shape) if shape == [0] => Vec::new(),
        Some(shape) => shape.into_iter().map(|size| Some(Size::known(size))).collect(),
    };
    reshaped_to(call, wanted, false)
}

/// Infers tensors stacked along a new axis.
pub(super) fn packed(call: &Call<'_>) -> Made {
    let mut out = call.dims(0)?.to_vec();
    for k in 1..call.inputs() {
        let dims = call.dims(k)?;
        if dims.len() != out.len() {
            return because(format!("PACK: input {k} has rank {}, the first {}", dims.len(), out.len()));
        }
        for (size, other) in out.iter_mut().zip(dims) {
            *size = call.same(size, other)?;
        }
    }
    let axis = call.axis_or(0, out.len() + 1)?;
    out.insert(axis, Size::known(call.inputs() as i64));
    let values = joined(call, &out, axis);
    Ok(vec![Tensor::of(out).with(values)])
}

/// Infers the parts of a stack: one per index of an axis.
pub(super) fn unpacked(call: &Call<'_>) -> Made {
    let dims = call.least(0, 1)?;
    let axis = call.axis_or(0, dims.len())?;
    let count = call.node.outputs.len();
    call.same(&dims[axis], &Size::known(count as i64))?;
    let mut out = dims.to_vec();
    out.remove(axis);
    let part = |k: usize| {
        let values = || {
            let (mut own, to) = (strides(&small(dims)?), small(&out)?);
            let first = (k as i64).checked_mul(own.remove(axis))?;
            strided(call.values(0)?, first, &own, &to)
        };
        Tensor::of(out.clone()).with(values())
    };
    Ok((0..count).map(part).collect())
}

/// Infers slices along an axis, picked by indices behind some axes of batches.
pub(super) fn gathered(call: &Call<'_>) -> Made {
    let batch = call.int("batch_dims").unwrap_or(0);
    let batch = if batch < 0 { batch.saturating_add(call.dims(1)?.len() as i64) } else { batch };
    gather::gathered(call, call.int("axis").unwrap_or(0), usize::try_from(batch).unwrap_or(0))
}

/// Infers matrices with the input on their diagonals.
pub(super) fn diagonal(call: &Call<'_>) -> Made {
    let dims = call.least(0, 1)?;
    Ok(vec![Tensor::of([dims, &dims[dims.len() - 1..]].concat())])
}
