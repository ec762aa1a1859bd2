"""Dask: the same calls on chunked arrays, as one `blockwise` each; nothing is computed early.

The chunks of operands are aligned along the axes that a rule brings together, which need not be the last ones: each axis of an
operand carries the letter of the result axis that it feeds. Blocks are then broadcast under NumPy's rule, each
with axes of 1 where its operand has none, so that a worker needs neither the rule nor its axis.
"""

import ast
import sys

import numpy as np

from . import _broadaxe
from ._arrays import borrow, dtype_of


def is_dask(value):
    """Say whether a value is an array of Dask's, without importing Dask."""
    module = sys.modules.get("dask.array")
    return module is not None and isinstance(value, module.Array)


def _lazy(value):
    """Return an operand as a Dask array of NumPy blocks, or a number as it is."""
    import dask.array as da

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


def _lay(kind, name, options, operands, shape, places, dtype, spread=True):
    """Make the blockwise array of operands whose axes feed these axes of the result."""
    import dask.array as da

    rank = len(shape)
    arguments, at = [], []
    for operand, axes in zip(operands, places):
        if isinstance(operand, da.Array):
            arguments += [operand, tuple(axes)]
            at.append(tuple(axes) if spread and tuple(axes) != tuple(range(rank)) else None)
        else:
            arguments += [operand, None]
            at.append(None)
    block = _Block(kind, name, options, at, rank)
    meta = np.empty((0,) * rank, dtype)
    return da.blockwise(block, tuple(range(rank)), *arguments, dtype=dtype, meta=meta, align_arrays=True)


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
    _refuse(out)
    operands = [_lazy(arg) for arg in args]
    shape, places = _places(operands, kwargs.get("rule"), kwargs.get("axis"))
    options = {key: kwargs[key] for key in ("dtype", "casting") if key in kwargs}
    # One element of each says what dtype comes of them.
    ones = [np.ones((1,), operand.dtype) if is_dask(operand) else operand for operand in operands]
    dtype = apply("operator", operator.__name__, options, ones).dtype
    return _lay("operator", operator.__name__, options, operands, shape, places, dtype)


def evaluate(text, named, out, rule, axis):
    """Evaluate an expression over Dask arrays, whose operators all meet under the rule of the call."""
    _refuse(out)
    _check(text)
    names = _broadaxe.Expression(text).names
    operands = [_lazy(named[name]) for name in names]
    sheet = _broadaxe.Sheet(rule, axis)
    values = {name: sheet.put(_probe(operand)) for name, operand in zip(names, operands)}
    result = sheet.lower(_broadaxe.Expression(text), values)
    shape, places = _places(operands, rule, axis)
    _agree(shape, result.shape)
    return _lay("expression", text, {"names": names}, operands, shape, places, dtype_of(result.dtype))


def _refuse(out):
    if out is not None:
        raise TypeError("a Dask array cannot be an output; use the result")


def _probe(operand):
    """Return an array that stands for a Dask array, of its shape and dtype and of one element's memory."""
    return np.broadcast_to(np.ones((), operand.dtype), operand.shape) if is_dask(operand) else operand


def _agree(shape, result):
    """Refuse what is not element-wise over its arrays: blocks of it would not be blocks of the result."""
    if tuple(shape) != tuple(result):
        raise ValueError(f"this is not element-wise over its arrays: they broadcast to {tuple(shape)}, and it gives {tuple(result)}")


def _check(text):
    """Refuse texts whose blocks would mean something else than the whole: folds, and calls with rules of their own."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        raise ValueError("this expression cannot be cut into blocks; write it as Python would") from None
    folds = set(_broadaxe.reductions())
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        system = getattr(getattr(call.func, "value", None), "id", "np")
        if name in folds and len(call.args) == 1:
            raise ValueError(f"{name}() of one array folds it, which blocks cannot; fold the result with Dask")
        if call.keywords or system not in ("np", "numpy") or name.startswith("broadcast"):
            raise ValueError(f"{name}() has a rule or a shape of its own; on Dask arrays give rule= to evaluate")


def call(system, name, operands, attributes, out):
    """Answer a call of a framework's operator on Dask arrays."""
    _refuse(out)
    operands = [_lazy(operand) for operand in operands]
    sheet = _broadaxe.Sheet()
    values = [sheet.put(_probe(operand)) for operand in operands]
    given = {key: value for key, value in attributes.items() if value is not None}
    result = sheet.call(system, name, values, given)
    kind, rule, reads = _broadaxe.rule_of(system, name, given)
    lists = operands[1:] if kind == "pdpd" and len(operands) > 2 else []
    shape, places = _places(operands[:2] if lists else operands, rule, None)
    # Further lists of a layer go where the first one goes, each by itself.
    places += [_places([operands[0], each], rule, None)[1][1] for each in lists[1:]]
    _agree(shape, result.shape)
    # ONNX's old rule stretches nothing, not even axes of 1: its blocks keep their ranks and their axis.
    spread = kind != "onnx-legacy"
    rest = {key: value for key, value in attributes.items() if key not in reads or not spread}
    return _lay(system, name, rest, operands, shape, places, dtype_of(result.dtype), spread)
