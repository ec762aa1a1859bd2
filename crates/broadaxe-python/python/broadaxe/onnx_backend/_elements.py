"""Element-wise operators that need more than their row in the engine's tables, and what passes values on or makes them."""

import math

import numpy as np

from .. import _arrays
from ._table import operator
from ._tensors import NUMBERS, Tensor, Unsupported, short_name

CONSTANTS = {"value_int": np.int64, "value_ints": np.int64, "value_float": np.float32, "value_floats": np.float32}


@operator("Constant")
def constant(call):
    """Give the value of an attribute."""
    (key, value), = call.attributes.items()
    if key == "value":
        return np.asarray(value)
    if key not in CONSTANTS:
        raise Unsupported(f"a constant given as {key} is not supported; the forms are value, {', '.join(CONSTANTS)}")
    return np.asarray(value, CONSTANTS[key])


@operator("Identity")
def identity(call):
    """Pass a value on."""
    return call.input(0)


@operator("Expand")
def expand(call):
    """Broadcast both ways to a shape."""
    shape = call.ints(1)
    if any(dim < 0 for dim in shape):
        raise ValueError(f"the shape {shape} has a dim below 0")
    text = ",".join(map(str, shape)) or "()"
    return call.run.builder.broadcast(call.value(0), f"bidirectional target={text}")


@operator("Clip")
def clip(call):
    """Limit elements; without a least value, what is below is kept."""
    given = {key: value for key, value in call.attributes.items() if key in ("min", "max")}
    if call.version < 11 or call.has(1) or not call.has(2):
        return call.elementwise("Clip", *(call.value(k) for k in range(len(call.inputs)) if call.has(k)), opset=call.version, **given)
    dtype = call.tensor(0).dtype
    least = float("-inf") if dtype.kind in "fV" else int(np.iinfo(dtype).min)
    return call.elementwise("Clip", call.value(0), least, call.value(2), opset=call.version)


@operator("Cast")
def cast(call):
    """Convert to another element type."""
    to = call.need("to")
    if isinstance(to, int):
        to = NUMBERS[short_name(to)]
    return call.elementwise("Cast", call.value(0), opset=call.version, to=to)


@operator("CastLike")
def cast_like(call):
    """Convert to the element type of the second input."""
    return call.cast(call.value(0), call.tensor(1).short)


@operator("BitCast")
def bit_cast(call):
    """Read the bits of elements as another type of the same size."""
    array, dtype = call.array(0), _arrays.dtype_of(short_name(call.need("to")))
    if array.dtype.itemsize != dtype.itemsize:
        raise ValueError(f"{array.dtype} and {dtype} differ in size")
    return np.ascontiguousarray(array).reshape(array.shape).view(dtype)


@operator("Dropout")
def dropout(call):
    """Pass elements on; training drops random ones, which is not supported."""
    training = call.get("is_test", 0) == 0 if call.version < 7 else call.has(2) and bool(call.number(2))
    ratio = call.number(1) if call.has(1) else call.get("ratio", 0.5)
    if training and ratio != 0:
        raise Unsupported("Dropout in training draws random numbers, which is not supported")
    x = call.tensor(0)
    if len(call.outputs) < 2:
        return x
    dtype = np.dtype(bool) if call.version >= 10 else x.dtype
    return x, call.shaped(np.ones((), dtype), [], x.shape)


@operator("ConstantOfShape")
def constant_of_shape(call):
    """Repeat one element."""
    shape, value = call.ints(0), np.asarray(call.get("value", np.zeros(1, np.float32)))
    if any(dim < 0 for dim in shape) or value.size != 1:
        raise ValueError(f"a shape of {shape} and a value of {value.size} elements; dims are 0 or more, and the value is 1 element")
    return call.shaped(value.reshape(()), [], shape)


@operator("Range")
def range_(call):
    """Count from a start in steps."""
    start, limit, delta = (call.number(k) for k in range(3))
    dtype = start.dtype
    if not limit.dtype == delta.dtype == dtype:
        raise TypeError(f"the inputs are {dtype}, {limit.dtype} and {delta.dtype}; they have one type")
    if delta == 0 or not all(math.isfinite(x) for x in (start, limit, delta)):
        raise ValueError(f"from {start} to {limit} in steps of {delta} has no end")
    if dtype.kind in "iu":
        count = max(0, -((int(start) - int(limit)) // int(delta)))
    else:
        count = max(0, math.ceil((float(limit) - float(start)) / float(delta)))
    steps = call.places(count)
    if dtype.kind in "iu":
        return (int(start) + steps * int(delta)).astype(dtype) if count else np.zeros(0, dtype)
    wide = np.dtype(np.float64) if dtype == np.float64 else np.dtype(np.float32)
    total = call.lower("start + steps * delta", start=start.astype(wide), steps=steps.astype(wide), delta=delta.astype(wide))
    return call.cast(total, dtype)


@operator("EyeLike")
def eye_like(call):
    """Write ones on a diagonal."""
    x = call.tensor(0)
    if len(x.shape) != 2:
        raise ValueError(f"it needs a tensor of rank 2, not {x.shape}")
    short = short_name(call.get("dtype")) if call.get("dtype") else x.short
    dtype = _arrays.dtype_of(short)
    call.room(x.shape, dtype)
    k = max(-x.shape[0], min(x.shape[1], call.get("k", 0)))
    return np.eye(*x.shape, k=k, dtype=bool).astype(dtype)


@operator("OneHot")
def one_hot(call):
    """Write one of two values, by whether an index is that of the place."""
    indices, depth, values = call.tensor(0), int(call.array(1).reshape(-1)[0]), call.array(2)
    if depth < 0 or values.shape != (2,):
        raise ValueError(f"a depth of {depth} and values of shape {values.shape}; the depth is 0 or more, and there are two values")
    rank = len(indices.shape)
    axis = call.axis(call.get("axis", -1), rank + 1)
    target = (*indices.shape[:axis], 1, *indices.shape[axis:])
    places = [k for k in range(rank + 1) if k != axis]
    where = call.shaped(call.cast(indices, "i64"), places, target)
    classes = call.places(depth).reshape(depth, *[1] * (rank - axis))
    return call.lower("where((i == c) | (i == c - n), one, zero)", i=where, c=classes, n=np.int64(depth), one=values[1], zero=values[0])


@operator("Trilu")
def trilu(call):
    """Keep a triangle of each matrix."""
    x = call.tensor(0)
    if len(x.shape) < 2:
        raise ValueError(f"it needs a tensor of rank 2 or more, not {x.shape}")
    k = int(call.number(1)) if call.has(1) else 0
    rows, columns = (call.places(dim) for dim in x.shape[-2:])
    is_kept = "c - r >= k" if call.get("upper", 1) else "c - r <= k"
    zero = np.zeros((), x.dtype)
    return call.lower(f"where({is_kept}, x, zero)", x=x, zero=zero, r=rows[:, None], c=columns, k=np.int64(k))


@operator("Hardmax")
def hardmax(call):
    """Write 1 at the first of the largest elements of each row, and 0 elsewhere."""
    x = call.tensor(0)
    rank = len(x.shape)
    axis = call.axis(call.get("axis", -1 if call.version >= 13 else 1), rank, end=call.version < 13)
    if call.version < 13:
        rows = x.elements().reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))
        shape, x, axis = x.shape, Tensor(array=rows), 1
    else:
        shape = x.shape
    if not math.prod(x.shape):
        return np.zeros(shape, x.dtype)
    places = call.places(x.shape[axis]).reshape(-1, *[1] * (len(x.shape) - 1 - axis))
    chosen = call.lower(f"argmax(x, axis={axis}, keepdims=True) == p", x=x, p=places)
    made = call.keep(call.cast(chosen, x.dtype))
    return made if made.shape == shape else made.elements().reshape(shape)
