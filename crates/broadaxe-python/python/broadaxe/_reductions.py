"""Reductions: axes of an array folded to one element each.

The engine answers calls on plain arrays by itself. What is here reads every other operand and keyword, and says what is wrong with them.
"""

import functools
import inspect
import operator as python

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from . import _arrays, _broadaxe, _dask, _operands

ABSENT = np._NoValue
"""What `initial` is where it is not given: None says that there is none, as in NumPy."""

JOINS = {"sum": "add", "prod": "mul", "max": "max", "min": "min", "any": "logical_or", "all": "logical_and"}
"""The operator that a reduction folds by."""

NAN = {f"nan{name}": name for name in ("sum", "prod", "max", "min", "mean", "var", "std")}
"""Reductions that leave NaN out, and those that they are without it."""

NAMES = [*_broadaxe.reductions(), "var", "std", *NAN]
"""Every reduction, the engine's first."""


def accepts(name):
    """Return the keywords of a reduction behind its array and `axis`, in NumPy's order."""
    plain = NAN.get(name, name)
    if plain in ("argmax", "argmin"):
        return ("out", "keepdims")
    if plain in ("any", "all"):
        return ("out", "keepdims", "where")
    if plain in ("max", "min"):
        return ("out", "keepdims", "initial", "where")
    if plain in ("var", "std"):
        return ("dtype", "out", "ddof", "keepdims", "where", "mean", "correction")
    return ("dtype", "out", "keepdims", *(() if plain == "mean" else ("initial",)), "where")


def fold(name, x, axis=None, dtype=None, out=None, keepdims=False, initial=ABSENT, where=True, **others):
    """Fold axes of one array as the function `name` does."""
    given = {"dtype": dtype, "out": out, "keepdims": keepdims, "initial": initial, "where": where, **others}
    given = _said(given)
    for key in given:
        if key not in accepts(name):
            raise TypeError(f"{name}() of one operand got an unexpected keyword argument '{key}'")
    return _answer(name, x, axis, given)


_ABSENCES = {"dtype": None, "out": None, "keepdims": False, "initial": ..., "where": True, "mean": None, "correction": None}
"""What keywords are where they are not given."""


def _said(given):
    """Leave out keywords that say nothing."""
    return {key: value for key, value in given.items() if value is not ABSENT and value is not _ABSENCES.get(key, ABSENT)}


def fold_by(operator, x, axis, dtype, out, keepdims, initial, where):
    """Fold axes as the method `reduce` of an operator does; None where no reduction folds by the operator."""
    names = {"sum": "sum", **{join: name for name, join in JOINS.items()}}
    name = names.get(operator.__name__)
    if name is None:
        return NotImplemented
    given = {"dtype": dtype, "out": out, "keepdims": keepdims, "initial": initial, "where": where}
    given = _said(given)
    if name in ("any", "all") and "dtype" in given:
        if _arrays.short_name(given.pop("dtype")) != "bool":
            raise TypeError(f"No loop matching the specified signature and casting was found for {operator.__name__}")
    return _answer(name, x, axis, given)


def _answer(name, x, axis, given):
    if type(x) is not np.ndarray:
        answer = _ask_class(name, x, axis, given)
        if answer is not NotImplemented:
            return answer
    out = given.get("out")
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError("The 'out' tuple must have exactly one entry")
        out, = out
    scalar = out is not Ellipsis
    if scalar and out is not None:
        _arrays.check_output(out)
    given["out"] = out if scalar else None
    if _operands.is_dask(x):
        return _dask.fold(name, x, axis=axis, **given)
    array = _arrays.borrow(x, "x")
    _operands.check_plain(given.get("initial"), "initial")
    if _arrays.is_number(array):
        array = np.asarray(array)
    result = _folded(name, array, axis, given)
    if given["out"] is not None:
        return out
    if name in ("argmax", "argmin") and isinstance(x, np.ndarray) and scalar and np.ndim(result) == 0:
        # A position is a number, whatever the class of the array.
        return result
    return _arrays.wrap(_arrays.wrapper((x,)), result, None, scalar)


def _ask_class(name, x, axis, given):
    """Let the class of an array answer, as NumPy does: by a method of its own (masked arrays, data frames), or its `__array_ufunc__`."""
    kind, own = type(x), getattr(type(x), name, None)
    if not hasattr(kind, "__array_ufunc__") or isinstance(x, np.generic) or _operands.is_dask(x):
        return NotImplemented
    _operands.check_chunks(x, "x")
    if own is not None and own is not getattr(np.ndarray, name, None):
        if name in ("var", "std") and not {"ddof", "correction"} & set(given):
            # Some classes have another default.
            given["ddof"] = 0
        return getattr(x, name)(axis=axis, **given)
    if not _operands.answers(x):
        return NotImplemented
    if name in JOINS:
        from . import operators

        return operators[JOINS[name]].reduce(x, axis=axis, **given)
    if isinstance(x, np.ndarray):
        return getattr(np, name)(x, axis=axis, **given)
    raise _operands.refusal(x, "x")


def _folded(name, array, axis, given):
    """Fold axes of a plain array, into `out` where there is one."""
    from ._dispatch import finish

    builder, out, steps = _broadaxe.GraphBuilder(), given["out"], {"less": _less(given) + 0.0}
    x = builder.put(array)
    axes = None if axis is None else axes_of(axis, array.ndim)
    if "where" in given:
        steps["mask"] = builder.put(_spread(given["where"], array.shape))
    if "mean" in given:
        steps["mean"] = builder.put(np.asarray(_arrays.borrow(given["mean"], "mean")))
    if "initial" in given:
        steps["initial"] = given["initial"] is not None and functools.partial(_start, given["initial"])
    if "dtype" in given:
        steps["dtype"] = _arrays.short_name(given["dtype"])
    elif out is not None and name not in ("any", "all", "argmax", "argmin"):
        steps["out"] = _arrays.short_name(np.promote_types(out.dtype, array.dtype))
    root = builder.fold(name, x, axes, bool(given.get("keepdims", False)), **steps)
    if out is not None and np.shape(out) != root.shape:
        raise ValueError(f"output array has shape {np.shape(out)}; the reduction {name} gives {root.shape}")
    return finish(builder, root, out, None, "unsafe", "C", name)


def _start(number, short):
    """Return what a fold starts with, cast to a dtype as NumPy does."""
    return np.asarray(bool(number)) if short == "bool" else np.asarray(number, dtype=_arrays.dtype_of(short))


def _less(given):
    less, correction = given.get("ddof", 0), given.get("correction")
    if correction is not None:
        if less != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        return correction
    return less


def axes_of(axis, rank):
    """Return the axes that were named, each once and counted from the first; a single element has its axis 0 or -1, as in NumPy."""
    axes = axis if isinstance(axis, (tuple, list)) or np.ndim(axis) else (axis,)
    if rank == 0 and len(axes) == 1 and python.index(axes[0]) in (0, -1):
        return []
    return sorted(normalize_axis_tuple([python.index(i) for i in axes], rank, "axis"))


def _spread(where, shape):
    """Return a mask over all of an array, of which it may have fewer axes."""
    from ._dispatch import as_mask

    mask = np.asarray(as_mask(where))
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(f"a mask of shape {mask.shape} does not broadcast to the array's shape {shape}") from None


def reduction(name):
    """Make the function of a reduction that is no operator too."""
    keywords = accepts(name)
    defaults = {"ddof": 0, **_ABSENCES, "initial": ABSENT}

    def function(x, axis=None, *args, **kwargs):
        if len(args) > len(keywords):
            raise TypeError(f"{name}() accepts at most {2 + len(keywords)} operands, not {2 + len(args)}")
        for key, value in zip(keywords, args):
            if key in kwargs:
                raise TypeError(f"{name}() got multiple values for argument '{key}'")
            kwargs[key] = value
        return fold(name, x, axis, **kwargs)

    Kind = inspect.Parameter
    parameters = [Kind("x", Kind.POSITIONAL_OR_KEYWORD), Kind("axis", Kind.POSITIONAL_OR_KEYWORD, default=None)]
    parameters += [Kind(key, Kind.POSITIONAL_OR_KEYWORD, default=defaults[key]) for key in keywords]
    function.__signature__ = inspect.Signature(parameters)
    function.__name__ = function.__qualname__ = name
    function.__module__ = "broadaxe"
    function.__doc__ = f"{name}{function.__signature__}\n\n{_documentation(name)}"
    # The engine answers calls whose plans it has, and asks the function about the rest.
    return _broadaxe.Reduction(name, function)


def _documentation(name):
    text = f"Fold axes of an array by {NAN.get(name, name)}{', leaving NaN out' * (name in NAN)}: all of them, or those that `axis` names.\n\n"
    text += "`keepdims` leaves the folded axes with 1 element."
    if "where" in accepts(name):
        text += " `where` is a mask of the elements to fold."
    if "initial" in accepts(name):
        text += " `initial` is what the fold starts with."
    if "ddof" in accepts(name):
        text += " The divisor is the count of elements less `ddof`, also called `correction`; `mean` is the mean where it is known."
    text += "\nRaises ValueError for axes that are not there and TypeError for dtypes. Sums of an axis follow one tree, so that their\n"
    return text + "bits do not depend on threads or layout. No warning is issued: NaN is the mean of nothing and what NaN alone leaves.\n"
