"""The methods of operators that NumPy's ufuncs have: reduce, accumulate, reduceat, outer, at, resolve_dtypes."""

import itertools
import math
import operator as python

import numpy as np

from . import _arrays, _classes, _loops, _operands
from ._reductions import ABSENT, axes_of, fold_by

EXACT = frozenset(("bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor", "gcd", "fmax", "fmin"))
"""Operators whose folds give the same in any grouping, so that halves of an axis can be joined."""

SCANS = EXACT | {"max", "min", "logical_and", "logical_or"}
"""The same for what is kept after each element; sums and products of integers too, but not of floats, which round."""


PYTHON = {"add": python.add, "sub": python.sub, "mul": python.mul}
"""Operators that Python's own floats, which are float64, compute alike and sooner where each step is one number."""


def reduce(operator, array, axis=0, dtype=None, out=None, keepdims=False, initial=ABSENT, where=True):
    """Fold an axis, or several, as the method `reduce` of NumPy's ufuncs does."""
    _binary(operator, "reduce", "reduce only supported for binary functions")
    given = {"axis": axis, "dtype": dtype, "out": out, "keepdims": keepdims, "initial": initial, "where": where}
    answer = _override(operator, "reduce", (array,), given)
    if answer is not NotImplemented:
        return answer
    answer = fold_by(operator, array, axis, dtype, out, keepdims, initial, where)
    if answer is not NotImplemented:
        return answer
    out, scalar = _output(out)
    plain = _array(array)
    axes = list(range(plain.ndim)) if axis is None else axes_of(axis, plain.ndim)
    loop = _loop(operator, plain, dtype, out)
    reorders = operator.identity is not None or operator.__name__ in EXACT
    if len(axes) > 1 and not reorders:
        raise ValueError(f"reduction operation '{operator.__name__}' is not reorderable, so at most one axis may be specified")
    _operands.check_plain(initial, "initial")
    start = _identity(operator, loop) if initial is ABSENT else None if initial is None else np.asarray(initial, dtype=loop)
    masked = where is not True
    if masked and start is None:
        raise ValueError(
            f"reduction operation '{operator.__name__}' does not have an identity, so to use a where mask one has to specify 'initial'"
        )
    result = _folded(operator, plain.astype(loop, copy=False), axes, start, where if masked else None)
    result = result.reshape([dim for axis, dim in enumerate(plain.shape) if axis not in axes])
    if keepdims:
        result = np.expand_dims(result, tuple(axes))
    return _give(array, result, out, scalar)


def _identity(operator, dtype):
    """Return what a fold of nothing gives, in a dtype; None where it gives nothing."""
    if operator.identity is None:
        return None
    return np.asarray(operator.identity if dtype.kind not in "biu" else int(operator.identity)).astype(dtype)


def _folded(operator, array, axes, start, where):
    """Fold axes of an array, brought to the front as one, from the first element to the last; the other axes become one too."""
    rest = [axis for axis in range(array.ndim) if axis not in axes]
    count, width = (math.prod(array.shape[axis] for axis in some) for some in (axes, rest))

    def flat(values):
        return values.transpose(axes + rest).reshape(count, width)

    rows, mask = flat(array), None
    if where is not None:
        from ._reductions import _spread

        mask = flat(_spread(where, array.shape))
    if count == 0 and start is None and rows[:0].size == 0 and 0 not in rows.shape[1:]:
        raise ValueError(f"zero-size array to reduction operation {operator.__name__} which has no identity")
    if count == 0:
        return np.full(rows.shape[1:], 0 if start is None else start, array.dtype)
    if operator.__name__ in EXACT:
        neutral = start if operator.identity is None else _identity(operator, array.dtype)
        rows = rows if mask is None else np.where(mask, rows, neutral)
        while len(rows) > 1:
            half = len(rows) // 2
            joined = np.asarray(operator(rows[:half], rows[half : 2 * half]))
            rows = np.concatenate([joined, rows[2 * half :]]) if len(rows) % 2 else joined
        return rows[0] if start is None else np.asarray(operator(start, rows[0])).astype(array.dtype, copy=False)
    result = np.array(rows[0]) if start is None else np.full(rows.shape[1:], start, array.dtype)
    for k in range(0 if start is not None else 1, count):
        if mask is None:
            operator(result, rows[k, ...], out=result)
        else:
            operator(result, rows[k, ...], out=result, where=mask[k])
    return result


def accumulate(operator, array, axis=0, dtype=None, out=None):
    """Fold an axis and keep what the fold was after every element, as the method `accumulate` of NumPy's ufuncs does."""
    _binary(operator, "accumulate", "accumulate only supported for binary functions")
    answer = _override(operator, "accumulate", (array,), {"axis": axis, "dtype": dtype, "out": out})
    if answer is not NotImplemented:
        return answer
    out, scalar = _output(out)
    plain = _array(array)
    if plain.ndim == 0:
        raise TypeError("cannot accumulate on a scalar")
    axis = _one_axis(axis, plain.ndim, "accumulate")
    loop = _loop(operator, plain, dtype, out)
    rows = np.moveaxis(plain.astype(loop, copy=False), axis, 0)
    result = np.array(rows)
    if operator.__name__ in SCANS or operator.__name__ in ("add", "mul", "sum") and loop.kind in "biu":
        step = 1
        while step < len(rows):
            # What overlaps is as if it had been copied before.
            operator(result[:-step], result[step:], out=result[step:])
            step *= 2
    elif loop == np.float64 and operator.__name__ in PYTHON and rows.size == len(rows):
        steps = itertools.accumulate(rows.reshape(-1).tolist(), PYTHON[operator.__name__])
        result = np.fromiter(steps, np.float64, len(rows)).reshape(rows.shape)
    else:
        for k in range(1, len(rows)):
            operator(result[k - 1, ...], rows[k, ...], out=result[k, ...])
    return _give(array, np.moveaxis(result, 0, axis), out, scalar)


def reduceat(operator, array, indices, axis=0, dtype=None, out=None):
    """Fold pieces of an axis, which begin at these indices, as the method `reduceat` of NumPy's ufuncs does."""
    _binary(operator, "reduceat", "reduceat only supported for binary functions")
    _operands.check_plain(indices, "indices")
    if _operands.is_labelled(array):
        raise _operands.refusal(array, "array")
    answer = _override(operator, "reduceat", (array, indices), {"axis": axis, "dtype": dtype, "out": out})
    if answer is not NotImplemented:
        return answer
    out, scalar = _output(out)
    plain = _array(array)
    if plain.ndim == 0:
        raise TypeError("cannot reduceat on a scalar")
    axis = _one_axis(axis, plain.ndim, "reduceat")
    starts = np.asarray(indices, dtype=np.intp)
    if starts.ndim != 1:
        raise ValueError(f"the indices of reduceat have 1 axis, not {starts.ndim}")
    rows = np.moveaxis(plain.astype(_loop(operator, plain, dtype, out), copy=False), axis, 0)
    for start in starts:
        if not 0 <= start < len(rows):
            raise IndexError(f"index {start} out-of-bounds in {operator.__name__}.reduceat [0, {len(rows)})")
    result = np.empty((len(starts), *rows.shape[1:]), rows.dtype)
    for k, (start, end) in enumerate(zip(starts, [*starts[1:], len(rows)])):
        piece = rows[start:end] if start < end else rows[start : start + 1]
        # A piece begins with its first element: of one element it is that element.
        result[k] = reduce(operator, piece, 0, rows.dtype, initial=None)
    return _give(array, np.moveaxis(result, 0, axis), out, scalar)


def outer(operator, a, b, /, **kwargs):
    """Compute on every element of one operand with every element of the other, as the method `outer` of NumPy's ufuncs does."""
    _binary(operator, "outer", "outer product only supported for binary functions")
    answer = _override(operator, "outer", (a, b), kwargs)
    if answer is not NotImplemented:
        return answer
    # Numbers become arrays first, with the dtypes of NumPy: they are weak in calls only.
    first, second = (_kept(operand, name) for operand, name in ((a, "a"), (b, "b")))
    return operator(first.reshape(first.shape + (1,) * second.ndim), second, **kwargs)


def _kept(operand, name):
    """Return an operand as an array of its own class, or as a plain one where it is none."""
    if isinstance(operand, np.ndarray) or _operands.is_dask(operand):
        return operand
    return np.asarray(_arrays.borrow(operand, name))


def at(operator, a, indices, b=None, /):
    """Compute in place on the elements at these indices, once for each time that one is named, as NumPy's ufuncs do."""
    if operator.nin > 2:
        raise ValueError("Only unary and binary ufuncs supported at this time")
    if operator.nin == 2 and b is None:
        raise ValueError("second operand needed for ufunc")
    if operator.nin == 1 and b is not None:
        raise ValueError("second operand provided when ufunc is unary")
    for index in indices if isinstance(indices, tuple) else (indices,):
        _operands.check_plain(index, "indices")
    answer = _override(operator, "at", (a, indices) if b is None else (a, indices, b), {})
    if answer is not NotImplemented:
        return answer
    _operands.check_plain(a, "a")
    if not isinstance(a, np.ndarray):
        raise TypeError("first operand must be array: it is written in place; pass np.asarray(a)")
    if not a.flags.writeable:
        raise ValueError("array is read-only")
    plain = a.view(np.ndarray)
    # Each element has a number, so that one that is named twice is found.
    numbers = np.arange(plain.size).reshape(plain.shape)[indices]
    try:
        operand = None if b is None else np.broadcast_to(_array(b, "b"), np.shape(numbers)).reshape(-1)
    except ValueError:
        raise ValueError(
            f"array is not broadcastable to correct shape: {np.shape(b)} to {np.shape(numbers)} of the indices"
        ) from None
    numbers = np.asarray(numbers).reshape(-1)
    if not len(numbers):
        # Nothing is computed; dtypes are still checked.
        operator(*(np.empty(0, one.dtype) for one in (plain, operand) if one is not None))
    for chosen in _rounds(numbers):
        places = np.unravel_index(numbers[chosen], plain.shape) if plain.ndim else ...
        operands = (plain[places],) if operand is None else (plain[places], operand[chosen].reshape(np.shape(plain[places])))
        plain[places] = operator(*operands)
    return None


def _rounds(numbers):
    """Yield positions so that no number comes twice in a round, and equal ones come in their order."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.empty(0, int)
    lengths = np.diff(np.r_[starts, len(ordered)])
    for k in range(lengths.max(initial=0)):
        yield order[starts[lengths > k] + k]


def resolve_dtypes(operator, dtypes, *, signature=None, casting=None, reduction=False):
    """Return the dtypes that operands of these dtypes are cast to, and that of the result."""
    if len(dtypes) != operator.nargs:
        raise ValueError(f"resolve_dtypes of {operator.__name__} needs {operator.nargs} dtypes, one for the result or None")
    kinds = list(dtypes)
    if reduction:
        kinds[0] = kinds[0] or kinds[1]
    if any(kind is None for kind in kinds[:-1]):
        raise TypeError("All input dtypes must be provided (except the first one in reductions)")
    weak = {int: 1, float: 1.0, bool: True}
    strong = [None if kind in weak else np.dtype(kind) for kind in kinds[:-1]]
    meeting = [weak[kind] if dtype is None else dtype for kind, dtype in zip(kinds, strong)]
    if signature is not None:
        wanted = _loops.wanted(operator, {"signature": signature})
        loop = _loops.find(operator, meeting, wanted)
    else:
        gives = np.asarray(operator(*(one if dtype is None else np.empty(0, dtype) for one, dtype in zip(meeting, strong)))).dtype
        loop = (*_loops.operands_of(operator, meeting, gives), gives)
    for given, to in zip(strong, loop):
        if given is not None and not _loops.can_cast(given, to, casting or "same_kind"):
            raise TypeError(f"{operator.__name__}: cannot cast {given} to {to} with casting rule '{casting or 'same_kind'}'")
    return loop


def _binary(operator, method, message):
    if operator.nin != 2:
        raise ValueError(message)
    if operator.__name__ == "mean":
        raise ValueError(f"mean has no {method}: the mean of a mean and an element is not the mean of all; call bx.mean(x, axis=...)")


def _override(operator, method, operands, given):
    """Let a class with an `__array_ufunc__` of its own answer a method."""
    out = given.get("out")
    passed = {key: value for key, value in given.items() if value is not None and value is not ABSENT or key == "axis"}
    if out is None or out is Ellipsis:
        passed.pop("out", None)
        outs = ()
    else:
        outs = out if isinstance(out, tuple) else (out,)
        passed["out"] = outs
    if passed.get("where") is True:
        del passed["where"]
    if not passed.get("keepdims", True):
        del passed["keepdims"]
    return _classes.ask(operator, method, operands, outs, passed)


def _output(out):
    """Return the output array or None, and whether a result of rank 0 becomes a scalar."""
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError("The 'out' tuple must have exactly one entry")
        out, = out
    if out is Ellipsis:
        return None, False
    if out is not None:
        _arrays.check_output(out)
    return out, True


def _array(value, name="array"):
    return np.asarray(_arrays.borrow(value, name))


def _one_axis(axis, rank, method):
    axes = list(range(rank)) if axis is None else axes_of(axis, rank)
    if len(axes) != 1:
        raise ValueError(f"{method} does not allow multiple axes")
    return axes[0]


def _resolved(operator, dtype):
    gives = _loops.result(operator, (dtype, dtype))
    truth = operator.__name__.startswith("logical_")
    if gives is None or gives != dtype and not truth and (gives == np.bool_ or _loops.result(operator, (gives, gives)) != gives):
        raise TypeError(f"No loop matching the specified signature and casting was found for {operator.__name__}")
    return gives


def _loop(operator, array, dtype, out):
    """Return the dtype that a fold computes in: that of `dtype=` or `out=`, else that of the array, and 64 bits for sums of integers."""
    if dtype is not None:
        dtype = _arrays.dtype_of(_arrays.short_name(dtype))
        loop = _resolved(operator, dtype)
        if loop != dtype:
            raise TypeError(f"No loop matching the specified signature and casting was found for {operator.__name__}")
        return loop
    own = _arrays.dtype_of(_arrays.short_name(array.dtype))
    if out is not None and not _loops.answers_truths(operator):
        own = _arrays.dtype_of(_arrays.short_name(np.promote_types(out.dtype, own)))
    elif operator.__name__ in ("add", "mul", "sum") and own.kind in "biu" and own.itemsize < 8:
        return np.dtype(np.uint64 if own.kind == "u" else np.int64)
    return _resolved(operator, own)


def _give(array, result, out, scalar):
    """Return a result in `out`, or as the class of the array says."""
    if out is not None:
        if out.shape != result.shape:
            raise ValueError(f"output array has shape {out.shape}; the result has {result.shape}")
        np.copyto(out, result, casting="unsafe")
        return out
    chosen, result = _arrays.wrapper((array,)), np.asarray(result)
    if chosen is None and scalar and result.ndim == 0:
        return result[()]
    return _arrays.wrap(chosen, result, None, scalar)
