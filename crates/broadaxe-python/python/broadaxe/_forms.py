"""Forms of calls that NumPy has for functions of the same name: `clip` with one bound, `round` to decimals, `sum(a, 0)`."""

import operator as python

import numpy as np

from . import _arrays, _operands


def rewrite(operator, args, kwargs):
    """Return a call as one of an operator and all its operands; most calls are that already."""
    if operator.__name__ == "clamp":
        return _clip(operator, args, kwargs)
    return operator, args, kwargs


def _clip(operator, args, kwargs):
    names = [name for name in ("min", "max", "a_min", "a_max") if name in kwargs]
    if not args or not names and len(args) < 3:
        return operator, args, kwargs
    kwargs, bounds = dict(kwargs), list(args[1:3])
    if names:
        if bounds or len({name[-3:] for name in names}) < len(names):
            raise TypeError("clip() accepts each bound once: both after the array, or each by its name")
        given = {name[-3:]: kwargs.pop(name) for name in names}
        bounds = [given.get("min"), given.get("max")]
    least, most = _tight(args[0], *bounds)
    rest = args[3:]
    if least is not None and most is not None:
        return operator, (args[0], least, most, *rest), kwargs
    from . import maximum, minimum

    if most is None:
        return maximum, (args[0], args[0] if least is None else least), _with(rest, kwargs)
    return minimum, (args[0], most), _with(rest, kwargs)


def _with(rest, kwargs):
    """Return keywords with the output that was behind the operands."""
    return {**kwargs, "out": rest[0]} if rest else kwargs


def _tight(array, least, most):
    """Leave out bounds that no integer of the array's dtype reaches."""
    dtype = getattr(array, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        least = None if type(least) is int and least <= limits.min else least
        most = None if type(most) is int and most >= limits.max else most
    return least, most


def decimals(operator, args, kwargs):
    """Return to how many decimals a call rounds, and the call without them; 0 for calls that do not say it."""
    if operator.__name__ != "round":
        return 0, args, kwargs
    if "decimals" in kwargs:
        kwargs = dict(kwargs)
        given = kwargs.pop("decimals")
    elif len(args) > 1 and not isinstance(args[1], (np.ndarray, tuple)) and args[1] is not None and args[1] is not Ellipsis:
        given, args = args[1], (args[0], *args[2:])
    else:
        return 0, args, kwargs
    try:
        return python.index(given), args, kwargs
    except TypeError:
        raise TypeError(f"decimals is a whole number, not {given!r}") from None


def round_to(operator, count, args, kwargs):
    """Round to a number of decimals other than 0, by a product, a rounding and a quotient as NumPy does."""
    from . import operators

    array, *rest = args
    if rest:
        kwargs = {**kwargs, "out": rest[0]}
    if _operands.answers(array) and not isinstance(getattr(array, "dtype", None), np.dtype):
        _operands.check_chunks(array, "x")
        if not hasattr(array, "round"):
            raise _operands.refusal(array, "x")
        return array.round(count, **kwargs)
    if not _operands.is_dask(array) and not hasattr(array, "dtype"):
        array = _arrays.borrow(array, "x")
    array = np.asarray(array) if _arrays.is_number(array) else array
    whole = np.dtype(getattr(array, "dtype", float)).kind in "biu"
    if whole and count > 0:
        return operator(array, **kwargs)
    scale = float(10 ** abs(count))
    up, down = (operators[name] for name in (("mul", "div") if count > 0 else ("div", "mul")))
    rounded = operator(up(array, scale))
    if not whole:
        return down(rounded, scale, **kwargs)
    rounded = down(rounded, scale).astype(array.dtype)
    return rounded if kwargs.get("out") is None else operator(rounded, **kwargs)


JOINS = {"sum": "add(a, {})", "max": "maximum(a, {})", "min": "minimum(a, {})", "mean": "divide(add(a, {}), 2)"}
"""How a fold's name is written where it joins an array and a number element by element."""


def reads_axis(operator, second):
    """Say whether the second operand is the axis, as for NumPy's function of the name: of `max(a, 0)`, but not of `maximum(a, 0)`."""
    folds = operator.variadic and operator.__qualname__ == operator.__name__
    return folds and (second is None or isinstance(second, (int, np.integer, tuple)) and type(second) is not bool)


def fold_second(operator, args, kwargs):
    """Fold the axis that is the second operand, as NumPy does; raise TypeError where that cannot be meant."""
    name, axis = operator.__name__, args[1]
    spellings = f"write {name}(a, axis={axis}) to fold axes, or {JOINS[name].format(axis)} to join element by element"
    if len(args) > 2 or kwargs.get("rule") is not None:
        more = "more operands" if len(args) > 2 else "rule="
        raise TypeError(f"{name}(a, {axis}) folds axes, as in NumPy, and has no {more}: {spellings}")
    if "axis" in kwargs:
        raise TypeError(f"{name}() got multiple values for argument 'axis'")
    try:
        return operator(args[0], axis=axis, **kwargs)
    except np.exceptions.AxisError as error:
        raise np.exceptions.AxisError(f"{error}: {spellings}") from None
