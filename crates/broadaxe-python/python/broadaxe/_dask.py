"""Dask: the same calls on chunked arrays, as one `blockwise` each, reductions as a tree; nothing is computed early.

The chunks of operands are aligned along the axes that a rule brings together, which need not be the last ones: each axis of an
operand carries the letter of the result axis that it feeds. Blocks are then broadcast under NumPy's rule, each
with axes of 1 where its operand has none, so that a worker needs neither the rule nor its axis.
"""

import ast

import numpy as np

from . import _broadaxe
from ._arrays import borrow, dtype_of
from ._operands import check_blocks, is_dask, letters


def _lazy(value, name="an operand"):
    """Return an operand as a Dask array of NumPy blocks, or a number unchanged."""
    import dask.array as da

    if is_dask(value):
        check_blocks(value, name)
        return value
    value = borrow(value, name)
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


def _is_unknown(array):
    """Say whether Dask does not know all sizes of an array's chunks, as after a mask chose among its elements."""
    return any(np.isnan(dim) for dim in array.shape)


def _places(operands, rule, axis):
    """Return the shape of the result, and the result axes that each operand feeds."""
    arrays = [operand for operand in operands if is_dask(operand)]
    whole = [array for array in arrays if array.ndim]
    if any(_is_unknown(array) for array in whole):
        # Chunks of one array are aligned with themselves, whatever their sizes.
        if len({array.name for array in whole}) > 1:
            raise ValueError("a Dask array has chunks of unknown size; call compute_chunk_sizes() on it first")
        own = tuple(range(whole[0].ndim))
        return whole[0].shape, [own if is_dask(operand) and operand.ndim else () for operand in operands]
    lone = len(arrays) == 1
    shape, axes = _broadaxe.place([array.shape for array in arrays], "numpy" if lone else rule, None if lone else axis)
    found = iter(axes)
    return shape, [next(found) if is_dask(operand) else () for operand in operands]


def fold(name, x, **given):
    """Answer a call of a reduction on a Dask array."""
    from . import _dask_reductions

    return _dask_reductions.fold(name, x, **given)


def broadcast(arrays, rule, axis):
    """Return Dask arrays with the shape of the broadcast of arrays, which repeat chunks."""
    import dask.array as da

    arrays = [_lazy(array if is_dask(array) else np.asarray(borrow(array, "array")), "array") for array in arrays]
    if any(_is_unknown(array) for array in arrays):
        raise ValueError("a Dask array has chunks of unknown size; call compute_chunk_sizes() on it first")
    shape, places = _broadaxe.place([array.shape for array in arrays], rule, axis)
    # An axis is cut as the first array cuts it that has all of it.
    chunks = ["auto"] * len(shape)
    for array, axes in reversed(list(zip(arrays, places))):
        for own, at in zip(array.chunks, axes):
            chunks[at] = own if sum(own) == shape[at] else chunks[at]
    widest = max((array.dtype for array in arrays), key=lambda dtype: dtype.itemsize)
    chunks = da.core.normalize_chunks(tuple(chunks), shape, dtype=widest)
    return tuple(_spread(array, axes, shape, chunks) for array, axes in zip(arrays, places))


def _spread(array, axes, shape, chunks):
    """Broadcast a Dask array whose axes feed these axes of the result."""
    import dask.array as da

    array = array.transpose(sorted(range(len(axes)), key=lambda own: axes[own]))
    array = array[tuple(slice(None) if at in axes else None for at in range(len(shape)))]
    own = [one if dim == whole else cut for one, cut, dim, whole in zip(array.chunks, chunks, array.shape, shape)]
    return da.broadcast_to(array, shape, chunks=tuple(own))


def blockwise(operator, args, out, kwargs):
    """Answer a call of an operator on Dask arrays."""
    for key in kwargs:
        if key not in ("rule", "axis", "dtype", "casting", "out"):
            raise TypeError(f"{operator.__name__}() has no keyword '{key}' for Dask arrays")
    _refuse(out)
    operands = [_lazy(arg, name) for arg, name in zip(args, letters(args))]
    shape, places = _places(operands, kwargs.get("rule"), kwargs.get("axis"))
    options = {key: kwargs[key] for key in ("dtype", "casting") if key in kwargs}
    # One element of each says what dtype comes of them.
    ones = [np.ones((1,), operand.dtype) if is_dask(operand) else operand for operand in operands]
    dtype = apply("operator", operator.__qualname__, options, ones).dtype
    return _lay("operator", operator.__qualname__, options, operands, shape, places, dtype)


def evaluate(text, named, out, rule, axis):
    """Evaluate an expression over Dask arrays, whose operators all meet under the rule of the call."""
    _refuse(out)
    names = _broadaxe.Expression(text).names
    tree = _parse(text)
    folded = _outer_fold(tree)
    if folded is not None:
        name, inner, options = folded
        return fold(name, evaluate(ast.get_source_segment(text.strip(), inner), named, None, rule, axis), **options)
    _check(tree)
    operands = [_lazy(named[name], name) for name in names]
    builder = _broadaxe.GraphBuilder(rule, axis)
    values = {name: builder.put(_probe(operand)) for name, operand in zip(names, operands)}
    result = builder.lower(_broadaxe.Expression(text), values)
    shape, places = _places(operands, rule, axis)
    _agree(shape, result.shape)
    return _lay("expression", text, {"names": names}, operands, shape, places, dtype_of(result.dtype))


def _refuse(out):
    if out is not None:
        raise TypeError("a Dask array cannot be an output; use the result")


def _probe(operand):
    """Return an array of the shape and dtype of a Dask array, with one element's memory; unknown dims are 1."""
    return np.broadcast_to(np.ones((), operand.dtype), _known(operand.shape)) if is_dask(operand) else operand


def _known(shape):
    return tuple(1 if np.isnan(dim) else dim for dim in shape)


def _agree(shape, result):
    """Refuse what is not element-wise over its arrays: blocks of it would not be blocks of the result."""
    if _known(shape) != tuple(result):
        raise ValueError(f"this is not element-wise over its arrays: they broadcast to {tuple(shape)}, and it gives {tuple(result)}")


def _parse(text):
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise ValueError("this expression cannot be cut into blocks; write it as Python would") from None


def _called(call):
    """Return the framework and the name of a call; the framework is "numpy" where none is written."""
    function = call.func
    if isinstance(function, ast.Attribute):
        system = getattr(function.value, "id", "")
        return "numpy" if system == "np" else system, function.attr
    return "numpy", getattr(function, "id", "")


def _is_fold(call):
    system, name = _called(call)
    return system == "numpy" and name in _broadaxe.reductions() and len(call.args) == 1


def _outer_fold(tree):
    """Return the name, the operand and the keywords of a reduction that is all of an expression; None for anything else."""
    if not (isinstance(tree, ast.Call) and _is_fold(tree)):
        return None
    return _called(tree)[1], tree.args[0], {word.arg: ast.literal_eval(word.value) for word in tree.keywords}


def _check(tree):
    """Refuse texts whose blocks would mean something else than the whole: folds, and calls with rules of their own."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        system, name = _called(call)
        if _is_fold(call):
            raise ValueError(
                f"{name}() in the middle of an expression cannot be cut into blocks; compute it first, as bx.{name}() or with an"
                " evaluate() of its own, and write a name for it here"
            )
        if call.keywords or system != "numpy" or name.startswith("broadcast"):
            raise ValueError(f"{name}() has a rule or a shape of its own; on Dask arrays give rule= to evaluate")


def call(system, name, operands, attributes, out):
    """Answer a call of a framework's operator on Dask arrays."""
    _refuse(out)
    operands = [_lazy(operand, f"x{k + 1}") for k, operand in enumerate(operands)]
    builder = _broadaxe.GraphBuilder()
    values = [builder.put(_probe(operand)) for operand in operands]
    given = {key: value for key, value in attributes.items() if value is not None}
    result = builder.call(system, name, values, given)
    kind, rule, reads = _broadaxe.rule_of(system, name, given)
    if " target=" in rule:
        raise TypeError(f"{system}.{name} has the shape of the whole array, which no chunk has; use bx.broadcast_to")
    lists = operands[1:] if kind == "pdpd" and len(operands) > 2 else []
    shape, places = _places(operands[:2] if lists else operands, rule, None)
    # Further lists of a layer go where the first one goes, each by itself.
    places += [_places([operands[0], each], rule, None)[1][1] for each in lists[1:]]
    _agree(shape, result.shape)
    # ONNX's old rule stretches nothing, not even axes of 1: its blocks keep their ranks and their axis.
    spread = kind != "onnx-legacy"
    rest = {key: value for key, value in attributes.items() if key not in reads or not spread}
    return _lay(system, name, rest, operands, shape, places, dtype_of(result.dtype), spread)
