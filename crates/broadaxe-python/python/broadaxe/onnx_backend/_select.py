"""Operators that choose elements by indices, put some in place, or run along an axis; NumPy moves the elements."""

import math

import numpy as np

from .. import _arrays
from ._table import operator
from ._tensors import Unsupported


def indices_of(call, array, size):
    """Return indices counted from the first; raise IndexError for one beyond a size."""
    if array.dtype.kind not in "iu":
        raise TypeError(f"indices are integers, not {array.dtype}")
    wrong = (array < -size) | (array >= size)
    if wrong.any():
        raise IndexError(f"the index {array[wrong].reshape(-1)[0]} is not in an axis of {size}")
    return np.where(array < 0, array + size, array)


@operator("Gather")
def gather(call):
    """Take slices along an axis."""
    x, indices = call.array(0), call.array(1)
    axis = call.axis(call.get("axis", 0), x.ndim)
    call.room((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), x.dtype)
    return np.take(x, indices_of(call, indices, x.shape[axis]), axis)


def _along(call, x, indices, axis):
    """Return, for each axis, the places that indices along one of them name."""
    fits = x.ndim == indices.ndim and all(a <= b for k, (a, b) in enumerate(zip(indices.shape, x.shape)) if k != axis)
    if not fits:
        raise ValueError(f"indices of shape {indices.shape} are not inside of {x.shape}")
    places = list(np.ogrid[tuple(slice(dim) for dim in indices.shape)])
    places[axis] = indices_of(call, indices, x.shape[axis])
    return tuple(places)


@operator("GatherElements")
def gather_elements(call):
    """Take one element for each index, along an axis."""
    x, indices = call.array(0), call.array(1)
    axis = call.axis(call.get("axis", 0), x.ndim)
    return x[_along(call, x, indices, axis)]


def _points(call, x, indices, batch):
    """Return the places that rows of indices name behind the axes of a batch."""
    depth = indices.shape[-1] if indices.ndim else 0
    if not indices.ndim or batch + depth > x.ndim or x.shape[:batch] != indices.shape[:batch]:
        raise ValueError(f"indices of shape {indices.shape} do not point into {x.shape} with batch_dims={batch}")
    grid = np.ogrid[tuple(slice(dim) for dim in indices.shape[:batch])] if batch else []
    grid = [axis.reshape(axis.shape + (1,) * (indices.ndim - 1 - batch)) for axis in grid]
    return (*grid, *(indices_of(call, indices[..., k], x.shape[batch + k]) for k in range(depth)))


@operator("GatherND")
def gather_nd(call):
    """Take the slice that each row of indices names."""
    x, indices = call.array(0), call.array(1)
    places = _points(call, x, indices, call.get("batch_dims", 0))
    call.room((*indices.shape[:-1], *x.shape[len(places) :]), x.dtype)
    return x[places] if places else np.broadcast_to(x, (*indices.shape[:-1], *x.shape)).copy()


REDUCTIONS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def scatter(call, x, places, updates):
    """Put updates into a copy, or combine them with its elements."""
    if x.dtype != updates.dtype:
        raise TypeError(f"updates are {updates.dtype}, the data {x.dtype}; they have one type")
    made, name = x.copy(), call.get("reduction", "none")
    if name == "none":
        made[places] = updates
    elif name in REDUCTIONS:
        REDUCTIONS[name].at(made, places, updates)
    else:
        raise ValueError(f"unknown reduction '{name}'; the reductions are none, {', '.join(REDUCTIONS)}")
    return made


@operator("Scatter", "ScatterElements")
def scatter_elements(call):
    """Put one element at each index, along an axis."""
    x, indices, updates = (call.array(k) for k in range(3))
    axis = call.axis(call.get("axis", 0), x.ndim)
    if indices.shape != updates.shape:
        raise ValueError(f"updates of shape {updates.shape} for indices of {indices.shape}")
    return scatter(call, x, _along(call, x, indices, axis), updates)


@operator("ScatterND")
def scatter_nd(call):
    """Put slices where rows of indices say."""
    x, indices, updates = (call.array(k) for k in range(3))
    places = _points(call, x, indices, 0)
    if updates.shape != (*indices.shape[:-1], *x.shape[len(places) :]):
        raise ValueError(f"updates of shape {updates.shape} for indices of {indices.shape} into {x.shape}")
    return scatter(call, x, places, updates)


@operator("Compress")
def compress(call):
    """Keep the slices whose condition is true."""
    x, condition, axis = call.array(0), call.array(1).reshape(-1).astype(bool), call.get("axis")
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = call.axis(axis, x.ndim)
    if len(condition) > x.shape[axis]:
        raise ValueError(f"{len(condition)} conditions for an axis of {x.shape[axis]}")
    return np.compress(condition, x, axis)


@operator("NonZero")
def non_zero(call):
    """Give the places of elements that are not 0, a row for each axis."""
    x = call.array(0)
    return np.array(np.nonzero(x), np.int64) if x.ndim else np.zeros((0, int(x != 0)), np.int64)


@operator("CumSum", "CumProd")
def cumulate(call):
    """Add up or multiply along an axis, from either end, with the element or up to it."""
    x = call.array(0)
    axis = call.axis(int(call.number(1)), x.ndim)
    turned = np.flip(x, axis) if call.get("reverse", 0) else x
    wide = turned.astype(np.float32) if _arrays.short_name(x.dtype) in ("f16", "bf16") else turned
    made = (np.cumsum if call.op == "CumSum" else np.cumprod)(wide, axis, dtype=wide.dtype).astype(x.dtype)
    if call.get("exclusive", 0):
        first = [slice(None)] * x.ndim
        first[axis] = slice(0, 1)
        start = np.full_like(made[tuple(first)], 0 if call.op == "CumSum" else 1)
        first[axis] = slice(0, -1)
        made = np.concatenate([start, made[tuple(first)]], axis) if x.shape[axis] else made
    return np.flip(made, axis) if call.get("reverse", 0) else made


@operator("TopK")
def top_k(call):
    """Give the largest or smallest elements along an axis in order, and their places; of equal ones the first."""
    x = call.array(0)
    count = int(call.number(1)) if call.version >= 10 else call.need("k")
    axis = call.axis(call.get("axis", -1), x.ndim)
    if not 0 <= count <= x.shape[axis]:
        raise ValueError(f"{count} elements of an axis of {x.shape[axis]}")
    if call.get("largest", 1):
        # Stable and descending: the reversed order of the reversed axis.
        order = x.shape[axis] - 1 - np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
    else:
        order = np.argsort(x, axis, kind="stable")
    first = [slice(None)] * x.ndim
    first[axis] = slice(count)
    order = order[tuple(first)]
    return np.take_along_axis(x, order, axis), order.astype(np.int64)


@operator("Unique")
def unique(call):
    """Return each different element or slice once, with its first place and its count."""
    x, axis = call.array(0), call.get("axis")
    axis = None if axis is None else call.axis(axis, x.ndim)
    made, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
    inverse = inverse.reshape(-1)
    if not call.get("sorted", 1):
        order = np.argsort(first)
        made = np.take(made, order, 0 if axis is None else axis)
        place = np.argsort(order)
        first, inverse, counts = first[order], place[inverse], counts[order]
    return made, *(array.astype(np.int64) for array in (first, inverse, counts))


@operator("TensorScatter")
def tensor_scatter(call):
    """Write a block into each batch of a cache, at the places that are given."""
    cache, update = call.array(0), call.array(1)
    axis, mode = call.axis(call.get("axis", -2), cache.ndim), call.get("mode", "linear")
    starts = call.ints(2) if call.has(2) else [0] * cache.shape[0]
    size, count = cache.shape[axis], update.shape[axis]
    if axis == 0 or len(starts) != cache.shape[0] or mode not in ("linear", "circular"):
        raise ValueError(f"axis={axis}, mode='{mode}' and {len(starts)} places for {cache.shape}")
    made = cache.copy()
    for batch, start in enumerate(starts):
        places = np.arange(start, start + count)
        places = places % size if mode == "circular" and size else places
        if count and (places.min() < 0 or places.max() >= size):
            raise ValueError(f"{count} elements from {start} on are not inside of an axis of {size}")
        cut = [slice(None)] * (cache.ndim - 1)
        cut[axis - 1] = places
        made[batch][tuple(cut)] = update[batch]
    return made


@operator("Upsample")
def upsample(call):
    """Repeat elements along each axis, as scales say; the nearest element only."""
    x = call.array(0)
    scales = [float(s) for s in (call.array(1).reshape(-1) if call.version >= 9 else call.need("scales"))]
    if call.get("mode", "nearest") != "nearest" or len(scales) != x.ndim or any(not 1 <= s < math.inf for s in scales):
        raise Unsupported("Upsample is supported in mode nearest, with one scale of 1 or more for each axis")
    dims = [math.floor(dim * scale) for dim, scale in zip(x.shape, scales)]
    call.room(dims, x.dtype)
    for axis, (dim, scale) in enumerate(zip(dims, scales)):
        x = np.take(x, np.floor(call.places(dim) / scale).astype(np.int64), axis)
    return x
