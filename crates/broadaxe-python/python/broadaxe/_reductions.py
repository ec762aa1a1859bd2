"""Reductions: axes of an array folded to one element each."""

import inspect

import numpy as np

from . import _arrays, _broadaxe


def fold(name, x, axis=None, dtype=None, out=None, keepdims=False, **others):
    """Fold axes of one array."""
    for key in others:
        raise TypeError(f"{name}() of one operand got an unexpected keyword argument '{key}'")
    axes = "" if axis is None else f", axis=[{', '.join(str(int(i)) for i in np.atleast_1d(axis))}]"
    expression = _broadaxe.Expression(f"{name}(x{axes}, keepdims={bool(keepdims)})")
    sheet = _broadaxe.Sheet()
    value = sheet.put(_arrays.borrow(x))
    if dtype is not None:
        value = sheet.cast(value, _arrays.short_name(dtype))
    from ._dispatch import finish

    return finish(sheet, sheet.lower(expression, {"x": value}), out, None, "same_kind", "C", name)


def _signature():
    Kind = inspect.Parameter
    parameters = [Kind("x", Kind.POSITIONAL_ONLY)]
    for name, default in (("axis", None), ("dtype", None), ("out", None), ("keepdims", False)):
        parameters.append(Kind(name, Kind.POSITIONAL_OR_KEYWORD, default=default))
    return inspect.Signature(parameters)


SIGNATURE = _signature()
"""The signature of every reduction."""


def reduction(name):
    """Make the function of a reduction that is no operator too."""
    return _broadaxe.Reduction(
        name,
        f"{name}(x, axis=None, dtype=None, out=None, keepdims=False)\n\n"
        f"Fold axes of an array by {name}, all of them or those that `axis` names.\n\n"
        "`keepdims` leaves the folded axes with 1 element. Raises ValueError for axes that are not there and TypeError for\n"
        "dtypes. Sums of an axis follow one tree, so that their bits do not depend on threads or layout.\n",
    )
