"""Operators that give the same elements in another shape or order."""

import math

import numpy as np

from ._table import operator
from ._tensors import Unsupported


@operator("Shape")
def shape(call):
    """Give the dims, or some of them."""
    dims = call.tensor(0).shape
    return np.array(dims[call.get("start", 0) : call.get("end", len(dims))], np.int64)


@operator("Size")
def size(call):
    """Give the number of elements."""
    return np.array(math.prod(call.tensor(0).shape), np.int64)


@operator("Reshape")
def reshape(call):
    """Give the same elements another shape; 0 keeps a dim, and -1 is what is left."""
    x = call.tensor(0)
    dims = call.ints(1) if call.version >= 5 else list(call.need("shape"))
    if not call.get("allowzero", 0):
        if any(dim == 0 and k >= len(x.shape) for k, dim in enumerate(dims)):
            raise ValueError(f"{dims} keeps a dim that {x.shape} does not have")
        dims = [x.shape[k] if dim == 0 else dim for k, dim in enumerate(dims)]
    elif 0 in dims and -1 in dims:
        raise ValueError(f"{dims} has both 0 and -1, which allowzero=1 does not allow")
    if any(dim < -1 for dim in dims):
        raise ValueError(f"{dims} has a dim below -1")
    return x if tuple(dims) == x.shape else x.elements().reshape(dims)


@operator("Flatten")
def flatten(call):
    """Join the axes before one and those from it on."""
    x = call.array(0)
    axis = call.axis(call.get("axis", 1), x.ndim, end=True)
    return x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))


@operator("Transpose")
def transpose(call):
    """Put the axes in another order."""
    x = call.array(0)
    order = call.get("perm", range(x.ndim)[::-1])
    if sorted(order) != list(range(x.ndim)):
        raise ValueError(f"perm={list(order)} is not an order of the {x.ndim} axes of {x.shape}")
    return x.transpose(order)


def _given_axes(call):
    """Return the axes of Squeeze or Unsqueeze; None where they are not given."""
    if call.version >= 13:
        return call.ints(1) if call.has(1) else None
    return call.get("axes")


@operator("Squeeze")
def squeeze(call):
    """Drop axes of 1."""
    x, axes = call.tensor(0), _given_axes(call)
    dims = x.shape
    axes = [k for k, dim in enumerate(dims) if dim == 1] if axes is None else call.axes(axes, len(dims))
    if any(dims[axis] != 1 for axis in axes):
        raise ValueError(f"the axes {axes} of {dims} are not all of 1")
    return x.elements().reshape([dim for k, dim in enumerate(dims) if k not in axes]) if axes else x


@operator("Unsqueeze")
def unsqueeze(call):
    """Insert axes of 1."""
    x, given = call.tensor(0), _given_axes(call)
    if given is None:
        raise ValueError("the axes are not given")
    rank = len(x.shape) + len(given)
    axes = call.axes(given, rank)
    rest = iter(x.shape)
    return x.elements().reshape([1 if k in axes else next(rest) for k in range(rank)])


@operator("Slice")
def slice_(call):
    """Take a range of each axis."""
    x = call.array(0)
    if call.version < 10:
        starts, ends, axes, steps = call.need("starts"), call.need("ends"), call.get("axes"), None
    else:
        starts, ends = call.ints(1), call.ints(2)
        axes, steps = (call.ints(k) if call.has(k) else None for k in (3, 4))
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps):
        raise ValueError(f"{len(starts)} starts, {len(ends)} ends, {len(axes)} axes and {len(steps)} steps; each axis has one of each")
    if 0 in steps:
        raise ValueError("a step is 0")
    call.axes(axes, x.ndim)
    cut = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        cut[axis] = _range(start, end, step, x.shape[axis])
    return x[tuple(cut)]


def _range(start, end, step, dim):
    """Return a range of an axis as NumPy writes it, both ends brought inside as ONNX says: backwards it starts at 0 at the least."""
    start, end = (place + dim if place < 0 else place for place in (start, end))
    if step > 0:
        return slice(min(max(start, 0), dim), min(max(end, 0), dim), step)
    start, end = min(max(start, 0), dim - 1), min(max(end, -1), dim - 1)
    return slice(max(start, 0), None if end < 0 else end, step) if dim else slice(0, 0)


@operator("Split")
def split(call):
    """Cut along an axis, by lengths or into equal parts."""
    x, count = call.array(0), len(call.outputs)
    axis = call.axis(call.get("axis", 0), x.ndim)
    lengths = call.ints(1) if call.has(1) else call.get("split")
    if lengths is None:
        part = -(-x.shape[axis] // count)
        lengths = [max(0, min(part, x.shape[axis] - k * part)) for k in range(count)]
        if call.version < 18 and x.shape[axis] % count:
            raise ValueError(f"{x.shape[axis]} elements do not make {count} equal parts")
    if len(lengths) != count or sum(lengths) != x.shape[axis] or any(length < 0 for length in lengths):
        raise ValueError(f"the lengths {list(lengths)} do not make {count} parts of {x.shape[axis]} elements")
    ends = np.cumsum(lengths)
    return tuple(np.split(x, ends[:-1], axis))


def joined(call, arrays, axis):
    """Put arrays after each other along an axis."""
    if len({array.dtype for array in arrays}) > 1:
        raise TypeError(f"the inputs are {', '.join(sorted({str(array.dtype) for array in arrays}))}; they have one type")
    total = math.prod(arrays[0].shape[:axis]) * sum(array.shape[axis] * math.prod(array.shape[axis + 1 :]) for array in arrays)
    call.room((total,), arrays[0].dtype)
    return np.concatenate(arrays, axis)


@operator("Concat")
def concat(call):
    """Put tensors after each other along an axis."""
    arrays = [call.array(k) for k in range(len(call.inputs))]
    axis = call.axis(call.get("axis", 1) if call.version < 4 else call.need("axis"), arrays[0].ndim)
    return joined(call, arrays, axis)


@operator("Tile")
def tile(call):
    """Repeat each axis as a whole."""
    if call.version < 6:
        raise Unsupported("Tile of opset 1 is not supported; it is from opset 6 on")
    x, repeats = call.tensor(0), call.ints(1)
    if len(repeats) != len(x.shape) or any(repeat < 0 for repeat in repeats):
        raise ValueError(f"the repeats {repeats} do not fit {x.shape}: one for each axis, 0 or more")
    target = [dim for pair in zip(repeats, x.shape) for dim in pair]
    made = call.keep(call.shaped(x, list(range(1, len(target), 2)), target)).elements()
    return made.reshape([repeat * dim for repeat, dim in zip(repeats, x.shape)])


@operator("Pad")
def pad(call):
    """Add elements before and after each axis, or with numbers below 0 take some away."""
    x = call.array(0)
    if call.version >= 11:
        pads, value = call.ints(1), call.array(2) if call.has(2) else np.zeros((), x.dtype)
    else:
        pads, value = call.need("pads" if call.version >= 2 else "paddings"), np.asarray(call.get("value", 0.0)).astype(x.dtype)
    axes = [call.axis(axis, x.ndim) for axis in call.ints(3)] if call.has(3) else list(range(x.ndim))
    if len(pads) != 2 * len(axes):
        raise ValueError(f"{len(pads)} pads for {len(axes)} axes; each axis has two")
    widths = [(0, 0)] * x.ndim
    for place, axis in enumerate(axes):
        widths[axis] = (int(pads[place]), int(pads[place + len(axes)]))
    x = x[tuple(slice(max(0, -a), max(0, dim + min(b, 0))) for dim, (a, b) in zip(x.shape, widths))]
    widths = [(max(a, 0), max(b, 0)) for a, b in widths]
    call.room([dim + a + b for dim, (a, b) in zip(x.shape, widths)], x.dtype)
    mode = call.get("mode", "constant")
    if mode not in ("constant", "edge", "reflect", "wrap"):
        raise ValueError(f"unknown mode '{mode}'; the modes are constant, edge, reflect and wrap")
    if mode == "constant":
        return np.pad(x, widths, constant_values=value.reshape(-1)[0] if value.size else 0)
    return np.pad(x, widths, mode=mode)


@operator("DepthToSpace", "SpaceToDepth")
def blocks(call):
    """Move blocks between the channels and the spatial axes."""
    x, block = call.array(0), call.need("blocksize")
    if x.ndim != 4 or block < 1:
        raise ValueError(f"a shape of {x.shape} and blocks of {block}; the shape has 4 dims, and blocks are 1 or more")
    n, c, h, w = x.shape
    mode, is_split = call.get("mode", "DCR"), call.op == "SpaceToDepth"
    if mode not in ("DCR", "CRD"):
        raise ValueError(f"unknown mode '{mode}'; the modes are DCR and CRD")
    if (h % block or w % block) if is_split else c % block**2:
        raise ValueError(f"{x.shape} does not divide into blocks of {block}")
    if is_split:
        order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
        moved = x.reshape(n, c, h // block, block, w // block, block).transpose(order)
        return moved.reshape(n, c * block**2, h // block, w // block)
    if mode == "DCR":
        moved = x.reshape(n, block, block, c // block**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        moved = x.reshape(n, c // block**2, block, block, h, w).transpose(0, 1, 4, 2, 5, 3)
    return moved.reshape(n, c // block**2, h * block, w * block)


@operator("ReverseSequence")
def reverse_sequence(call):
    """Reverse the first elements of each batch, as many as its length says."""
    x, lengths = call.array(0), call.ints(1)
    batch, time = call.get("batch_axis", 1), call.get("time_axis", 0)
    if {batch, time} != {0, 1} or x.ndim < 2 or len(lengths) != x.shape[batch]:
        raise ValueError(f"{len(lengths)} lengths for {x.shape} with batch_axis={batch} and time_axis={time}; these are 0 and 1")
    if any(not 0 <= length <= x.shape[time] for length in lengths):
        raise ValueError(f"the lengths {lengths} are not between 0 and {x.shape[time]}")
    steps = np.arange(x.shape[time])[:, None]
    order = np.where(steps < lengths, np.array(lengths, np.int64) - 1 - steps, steps)
    columns = np.arange(len(lengths))[None]
    return x[order, columns] if time == 0 else x[columns.T, order.T]
