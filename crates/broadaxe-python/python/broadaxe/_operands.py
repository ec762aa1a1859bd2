"""What an operand is, decided once for all entry points.

An operand may be no more than its elements, or it may have more: labels, a mask, units, chunks that are not in memory. What it has
more is obeyed, by the operand's own class, or the call raises TypeError: it is never dropped in silence.
"""

import sys

import numpy as np

PLAIN = "plain"
"""No more than elements: arrays of NumPy, numbers, lists, buffers, and arrays of other libraries that these are made of."""

WRAPS = "wraps"
"""Elements of a class that results are given, too: classes derived from `ndarray`, and classes with `__array_wrap__`."""

MASKED = "masked"
"""NumPy's masked arrays, whose mask every operator combines."""

CHUNKED = "chunked"
"""Dask arrays, which are computed lazily, chunk by chunk."""

OWN = "own"
"""Classes that answer NumPy's functions themselves (`__array_ufunc__`): xarray, pandas, sparse arrays, quantities."""

LOST = "lost"
"""Classes that have more than elements and do not answer NumPy's functions."""

_SIMPLE = frozenset((np.ndarray, np.memmap, bool, int, float, complex, str, bytes, list, tuple, type(None)))
"""Classes of plain operands; a mapped file is an array."""


def is_dask(value):
    """Say whether a value is an array of Dask's, without importing Dask."""
    module = sys.modules.get("dask.array")
    return module is not None and isinstance(value, module.Array)


def kind(value):
    """Return what a value is: one of the kinds of this module."""
    own = type(value)
    if own in _SIMPLE or isinstance(value, np.generic):
        return PLAIN
    if is_dask(value):
        return CHUNKED
    if isinstance(value, np.ma.MaskedArray):
        return MASKED
    default = np.ndarray.__array_ufunc__
    if getattr(own, "__array_ufunc__", default) is not default:
        return OWN
    if isinstance(value, np.ndarray):
        return WRAPS
    if _has_names(own) or _has_chunks(value):
        return LOST
    return WRAPS if hasattr(own, "__array_wrap__") else PLAIN


def _has_names(own):
    """Say whether a class names its dims or its columns."""
    return any(hasattr(own, name) for name in ("dims", "dimensions", "columns", "column_names"))


def _has_chunks(value):
    """Say whether the elements are in chunks that may not be in memory; pyarrow lists chunks that are."""
    own = type(value)
    return hasattr(own, "__dask_graph__") or hasattr(own, "chunks") and not isinstance(value.chunks, list)


def answers(value):
    """Say whether the class of a value has a say in what is computed, and not only in the class of the result."""
    return kind(value) in (OWN, MASKED)


def is_labelled(value):
    """Say whether a value has names of dims or an index, by which it is aligned with others."""
    own = type(value)
    return kind(value) in (OWN, LOST) and (_has_names(own) or hasattr(own, "index"))


def check_plain(value, name, masks=False, depth=2):
    """Raise TypeError for a value that would lose something as a plain array; `masks` accepts masked arrays."""
    if type(value) in (list, tuple):
        others = set(map(type, value)) - {bool, int, float} if depth else ()
        for item in value if others else ():
            if type(item) in others:
                check_plain(item, f"an element of {name}", masks, depth - 1)
        return
    found = kind(value)
    if found not in (PLAIN, WRAPS) and not (masks and found == MASKED):
        raise refusal(value, name)


def check_mixture(values):
    """Raise TypeError for operands with an index next to operands with names of dims, or to lazy ones: neither class knows the other."""
    indexed = next((value for value in values if is_labelled(value) and not hasattr(type(value), "dims")), None)
    other = next((value for value in values if hasattr(type(value), "dims") or is_dask(value)), None)
    if indexed is not None and other is not None:
        raise TypeError(
            f"{_described(indexed, 'one operand')}, {_described(other, 'another')}, and neither knows the labels of the other; "
            f"convert one of them, such as one.to_xarray()"
        )


def check_shape(value, name):
    """Raise TypeError for a value that is given for its shape, but is aligned by its labels."""
    if is_labelled(value):
        raise TypeError(f"{_described(value, name)}, which is aligned by its labels and not by its shape; pass {name}.shape")


def letters(values):
    """Return what messages call operands that have no names: a, b, c."""
    return [chr(ord("a") + k) if k < 26 else f"operand {k + 1}" for k in range(len(values))]


def check_blocks(value, name):
    """Raise TypeError for a Dask array whose chunks are no plain arrays."""
    block = getattr(value, "_meta", None)
    if block is not None and type(block) is not np.ndarray:
        raise TypeError(
            f"{name} is a Dask array whose chunks are of the class {type(block).__name__}, and what they have more than elements would"
            f" be dropped here; pass {name}.map_blocks(function), with a function that makes arrays of NumPy"
        )


def check_chunks(value, name):
    """Raise TypeError for labelled arrays over chunks of other libraries than Dask, which their own methods may load at once."""
    for array in value.data_vars.values() if hasattr(type(value), "data_vars") else [value]:
        chunks = getattr(array, "chunks", None) if hasattr(type(array), "dims") else None
        if chunks and not is_dask(array.data):
            raise TypeError(f"{_described(value, name)} over {_described(array.data, 'chunks')}, and {_LOADED}; pass {name}.compute()")


def check_rule(values, names, rule):
    """Raise TypeError for a rule other than NumPy's on operands whose classes bring operands together by themselves."""
    if rule in (None, "numpy"):
        return
    for value, name in zip(values, names):
        found = kind(value)
        if found == MASKED or found == OWN and not isinstance(value, np.ndarray):
            raise TypeError(
                f"{_described(value, name)}, whose class brings operands together itself, so that rule={rule!r} cannot be obeyed; "
                f"{instead(value, name)}"
            )


def instead(value, name):
    """Return what a message says can be passed instead of a value."""
    return f"pass {_loss(value, name)[1]}"


def refusal(value, name):
    """Return the TypeError for a value that would lose something as a plain array."""
    loss, works = _loss(value, name)
    return TypeError(f"{_described(value, name)}, and {loss}; pass {works}")


def _described(value, name):
    own = type(value)
    article = "an" if own.__name__[0] in "AEIOUaeiou" else "a"
    return f"{name} is {article} {own.__name__} of {own.__module__.partition('.')[0]}"


_LOADED = "all its chunks would be loaded at once here"


def _loss(value, name):
    """Return what a value would lose as a plain array, and what can be passed instead."""
    own, root = type(value), type(value).__module__.partition(".")[0]
    # "an element of x" is written as `element`.
    name = name.split()[1] if " " in name else name
    if isinstance(value, np.ma.MaskedArray):
        return "its mask would be dropped here", f"{name}.filled(number)"
    if hasattr(own, "dims"):
        works = f"one variable of {name}" if hasattr(own, "data_vars") else f"{name}.values"
        return "the names of its dims would be dropped here", works
    if root == "cubed":
        return _LOADED, f"{name}.compute(), or write cubed.map_blocks(function, {name}, dtype=...)"
    if _has_chunks(value):
        lazy = hasattr(own, "__dask_graph__")
        return _LOADED, f"{name}.compute()" if lazy else f"{name}[...], or dask.array.from_array({name}) to compute chunk by chunk"
    if hasattr(own, "to_numpy"):
        return "its labels or missing values would be dropped here", f"{name}.to_numpy()"
    return "what its class adds to the elements would be dropped here", f"np.asarray({name})"
