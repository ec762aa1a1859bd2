"""Quantization: floats as integers with a scale and a zero point."""

import numpy as np

from .. import _arrays
from ._table import operator
from ._tensors import Unsupported, short_name


def fitted(call, place, shape):
    """Return a scale or zero point in a shape that meets the input: one element, one for each along an axis, or one for each block."""
    given = call.array(place)
    if given.ndim == 0 or given.size == 1 and given.ndim == 1:
        return given.reshape(())
    axis = call.axis(call.get("axis", 1), len(shape))
    if given.ndim == 1:
        if given.size != shape[axis]:
            raise ValueError(f"input {place} has {given.size} elements for an axis of {shape[axis]}")
        return given.reshape(-1, *[1] * (len(shape) - 1 - axis))
    block = call.get("block_size", 0)
    if block < 1 or given.ndim != len(shape):
        raise ValueError(f"input {place} of shape {given.shape} needs a block_size, and the rank of {shape}")
    call.room([dim * block if k == axis else dim for k, dim in enumerate(given.shape)], given.dtype)
    repeated = np.repeat(given, block, axis)
    cut = [slice(None)] * len(shape)
    cut[axis] = slice(shape[axis])
    return repeated[tuple(cut)]


@operator("QuantizeLinear")
def quantize(call):
    """Divide by the scale, round half to even, add the zero point, and saturate."""
    x, scale = call.tensor(0), fitted(call, 1, call.tensor(0).shape)
    if call.has(2):
        zero = fitted(call, 2, x.shape)
    else:
        zero = np.zeros((), _arrays.dtype_of(short_name(call.get("output_dtype", 0) or 2)))
    if zero.dtype.kind not in "iu" or zero.dtype.itemsize > 2:
        raise Unsupported(f"QuantizeLinear to {zero.dtype} is not supported; it gives i8, u8, i16 or u16")
    limits = np.iinfo(zero.dtype)
    middle = "f32" if x.dtype != np.float64 else "f64"
    made = call.lower("round(x / s) + z", x=call.cast(x, middle), s=call.cast(scale, middle), z=call.cast(zero, middle))
    return call.cast(call.lower("clip(x, low, high)", x=made, low=float(limits.min), high=float(limits.max)), zero.dtype)


@operator("DequantizeLinear")
def dequantize(call):
    """Take the zero point away and multiply by the scale."""
    x, scale = call.tensor(0), fitted(call, 1, call.tensor(0).shape)
    if x.dtype.kind not in "iu":
        raise Unsupported(f"DequantizeLinear of {x.dtype} is not supported; it needs integers")
    zero = fitted(call, 2, x.shape) if call.has(2) else np.zeros((), x.dtype)
    to = _arrays.dtype_of(short_name(call.get("output_dtype", 0))) if call.get("output_dtype", 0) else scale.dtype
    made = call.lower("cast(cast(x, 'i64') - cast(z, 'i64'), 'f32') * cast(s, 'f32')", x=x, z=zero, s=scale)
    return call.cast(made, to)
