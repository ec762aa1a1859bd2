"""Dask: the same calls on chunked arrays, as one `blockwise` each; nothing is computed early.

The chunks of operands are aligned along the axes that a rule brings together, which need not be the last ones: each axis of an
operand carries the letter of the result axis that it feeds. Blocks are then broadcast under NumPy's rule, each
with axes of 1 where its operand has none, so that a worker needs neither the rule nor its axis.
"""

import sys

import numpy as np

from . import _broadaxe


def is_dask(value):
    """Say whether a value is an array of Dask's, without importing Dask."""
    module = sys.modules.get("dask.array")
    return module is not None and isinstance(value, module.Array)


def _lazy(value):
    """Return an operand as a Dask array of NumPy blocks, or a number as it is."""
    import dask.array as da

    from ._arrays import borrow

    if is_dask(value):
        return value
    value = borrow(value)
    return value if not isinstance(value, np.ndarray) else da.from_array(value, chunks=-1)


class _Block:
    """What is done to the blocks of one place: a picklable function."""

    def __init__(self, kind, name, options, places, rank):
        self.kind, self.name, self.options, self.places, self.rank = kind, name, options, places, rank

    def __call__(self, *blocks):
        aligned = [self._spread(block, at) for block, at in zip(blocks, self.places)]
        return apply(self.kind, self.name, self.options, aligned)

    def _spread(self, block, at):
        """Give a block axes of 1 where the result has axes that it does not feed."""
        if at is None:
            return block
        shape = [1] * self.rank
        for dim, axis in zip(np.shape(block), at):
            shape[axis] = dim
        return np.reshape(block, shape)


def apply(kind, name, options, operands):
    """Compute blocks that are aligned already."""
    import broadaxe

    if kind == "operator":
        return np.asarray(getattr(broadaxe, name)(*operands, **options))
    if kind == "expression":
        names, text = options["names"], name
        return np.asarray(broadaxe.evaluate(text, dict(zip(names, operands)), {}, casting="same_kind"))
    return np.asarray(getattr(getattr(broadaxe, kind), name)(*operands, **options))


def _lay(kind, name, options, operands, shape, places, dtype):
    """Make the blockwise array of operands whose axes feed these axes of the result."""
    import dask.array as da

    rank = len(shape)
    arguments, at = [], []
    for operand, axes in zip(operands, places):
        if isinstance(operand, da.Array):
            arguments += [operand, tuple(axes)]
            at.append(tuple(axes) if tuple(axes) != tuple(range(rank)) else None)
        else:
            arguments += [operand, None]
            at.append(None)
    block = _Block(kind, name, options, at, rank)
    meta = np.empty((0,) * rank, dtype)
    return da.blockwise(block, tuple(range(rank)), *arguments, dtype=dtype, meta=meta, align_arrays=True)


def _dtype(kind, name, options, operands):
    """Return the dtype of the result, from operands of no extent."""
    import dask.array as da

    empty = [np.ones((1,), operand.dtype) if isinstance(operand, da.Array) else operand for operand in operands]
    return apply(kind, name, options, empty).dtype


def _places(operands, rule, axis):
    import dask.array as da

    arrays = [operand for operand in operands if isinstance(operand, da.Array)]
    if any(np.isnan(dim) for array in arrays for dim in array.shape):
        raise ValueError("a Dask array has chunks of unknown size; call compute_chunk_sizes() on it first")
    lone = len(arrays) == 1
    shape, axes = _broadaxe.place([array.shape for array in arrays], "numpy" if lone else rule, None if lone else axis)
    found = iter(axes)
    return shape, [next(found) if isinstance(operand, da.Array) else () for operand in operands]


def blockwise(operator, args, out, kwargs):
    """Answer a call of an operator on Dask arrays."""
    for key in kwargs:
        if key not in ("rule", "axis", "dtype", "casting", "out"):
            raise TypeError(f"{operator.__name__}() takes no '{key}' on Dask arrays")
    if out is not None:
        raise TypeError("a Dask array cannot be an output; use the result")
    operands = [_lazy(arg) for arg in args]
    shape, places = _places(operands, kwargs.get("rule"), kwargs.get("axis"))
    options = {key: kwargs[key] for key in ("dtype", "casting") if key in kwargs}
    dtype = _dtype("operator", operator.__name__, options, operands)
    return _lay("operator", operator.__name__, options, operands, shape, places, dtype)


def evaluate(text, named, out, rule, axis):
    """Evaluate an expression over Dask arrays; under another rule than NumPy's it is one operator of two arrays."""
    import dask.array as da

    if out is not None:
        raise TypeError("a Dask array cannot be an output; use the result")
    names = _broadaxe.Expression(text).names
    operands = [_lazy(named[name]) for name in names]
    options = {"names": names}
    # What the expression makes of the shapes, it says itself; blocks that are cut otherwise could mean something else.
    sheet = _broadaxe.Sheet(rule, axis)
    probes = [np.broadcast_to(np.ones((), o.dtype), o.shape) if isinstance(o, da.Array) else o for o in operands]
    result = sheet.lower(_broadaxe.Expression(text), {name: sheet.put(probe) for name, probe in zip(names, probes)})
    shape, places = _places(operands, rule, axis)
    if tuple(shape) != result.shape:
        raise ValueError(
            f"the expression is not element-wise over its arrays: they broadcast to {tuple(shape)} and it gives {result.shape}"
        )
    from ._arrays import dtype_of

    return _lay("expression", text, options, operands, shape, places, dtype_of(result.dtype))


def call(system, name, operands, attributes, out):
    """Answer a call of a framework's operator on Dask arrays."""
    if out is not None:
        raise TypeError("a Dask array cannot be an output; use the result")
    operands = [_lazy(operand) for operand in operands]
    rule, axis, rest = _rule(system, dict(attributes))
    shape, places = _places(operands, rule, axis)
    dtype = _dtype(system, name, rest, operands)
    return _lay(system, name, rest, operands, shape, places, dtype)


def _rule(system, attributes):
    """Return the rule of a call, its axis, and the attributes that are left when the blocks are aligned already."""
    if system == "ncnn":
        return "ncnn", None, attributes
    if system == "paddle":
        return "paddle", attributes.pop("axis", -1), attributes
    if system == "onnx":
        if attributes.get("broadcast"):
            axis = attributes.pop("axis", None)
            return "onnx-legacy", axis, attributes
        return "numpy", None, attributes
    mode = attributes.pop("auto_broadcast", "numpy")
    axis = attributes.pop("axis", attributes.pop("auto_broadcast_axis", None))
    if mode == "pdpd":
        return "pdpd", -1 if axis is None else axis, attributes
    return ("none" if mode in ("none", "explicit") else "numpy"), None, attributes
