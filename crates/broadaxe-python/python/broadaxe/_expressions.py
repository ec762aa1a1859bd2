"""Expressions: a text over arrays, fused into one pass; with the names and arguments of numexpr."""

import inspect
import sys
from functools import lru_cache

import numpy as np

from . import _arrays, _broadaxe, _dask
from ._broadaxe import Compiled
from ._dispatch import finish

_OPTIONS = ("optimization", "truediv", "sanitize", "disable_cache")
"""Arguments of numexpr's that change nothing here."""


@lru_cache(maxsize=256)
def _parsed(text):
    return _broadaxe.Expression(text)


def _operands(names, local_dict, global_dict, given, depth):
    """Find what the names stand for: keywords first, then the dictionaries or the caller's variables."""
    missing = [name for name in names if name not in given]
    if not missing:
        return given
    frame = None
    if local_dict is None or global_dict is None:
        frame = sys._getframe(depth)
        local_dict = frame.f_locals if local_dict is None else local_dict
        global_dict = frame.f_globals if global_dict is None else global_dict
    found = dict(given)
    for name in missing:
        if name in local_dict:
            found[name] = local_dict[name]
        elif name in global_dict:
            found[name] = global_dict[name]
        else:
            raise NameError(f"there is no array named '{name}' to evaluate the expression with")
    if frame is not None and frame.f_code.co_flags & inspect.CO_OPTIMIZED and type(frame.f_locals) is dict:
        # Before Python 3.13 a function's frame keeps this copy, and with it every array, until it is asked for again.
        frame.f_locals.clear()
    return found


def _compute(expression, operands, out, order, casting, rule, axis):
    operands = tuple([operands[name] for name in expression.names])
    if order == "K" and (out is None or type(out) is np.ndarray):
        answer = expression.at_once(operands, rule, axis, out)
        if answer is not None:
            return answer
    return compute(expression, operands, out, order, casting, rule, axis)


def compute(expression, operands, out, order, casting, rule, axis):
    """Evaluate an expression over operands of any kind, in the order of its names."""
    if any(_dask.is_dask(operand) for operand in operands):
        return _dask.evaluate(expression.text, dict(zip(expression.names, operands)), out, rule, axis)
    sheet = _broadaxe.Sheet(rule, axis)
    values = {name: sheet.put(_arrays.borrow(operand)) for name, operand in zip(expression.names, operands)}
    return finish(sheet, sheet.lower(expression, values), out, None, casting, order, expression.text)


_last = None


def evaluate(ex, local_dict=None, global_dict=None, out=None, order="K", casting="safe", *,
             rule="numpy", axis=None, _frame_depth=2, **kwargs):
    """Evaluate an expression over arrays, in one pass and without temporaries of the result's size.

    Names stand for the keywords of the call, else for entries of `local_dict` and `global_dict`, else for variables of the
    caller. Shapes broadcast under `rule`; dtypes meet as in NumPy 2, and numbers take the dtype of the arrays
    beside them. `out` is written in place of a new array, cast as `casting` allows; `order` is the order in memory of a new one.
    The other arguments of numexpr's `evaluate` are accepted and change nothing.

    Raises SyntaxError and NameError for the text, ValueError for shapes, TypeError for dtypes, ZeroDivisionError for
    integers divided by 0, MemoryError for results above three quarters of the memory.

    >>> import numpy as np, broadaxe as bx
    >>> a, b = np.arange(3.0), np.ones((2, 1))
    >>> bx.evaluate("2*a + b")
    array([[1., 3., 5.],
           [1., 3., 5.]])
    """
    global _last
    expression = _parsed(ex)
    given = {name: value for name, value in kwargs.items() if name in expression.names}
    for key in kwargs:
        if key not in given and key not in _OPTIONS:
            names = ", ".join(expression.names)
            raise TypeError(f"evaluate() got the keyword '{key}', which the expression does not use; its names: {names}")
    operands = _operands(expression.names, local_dict, global_dict, given, _frame_depth)
    _last = (expression, out, order, casting, rule, axis)
    return _compute(expression, operands, out, order, casting, rule, axis)


def re_evaluate(local_dict=None, global_dict=None, _frame_depth=2, **kwargs):
    """Evaluate the expression of the last `evaluate` again, over what its names stand for now."""
    if _last is None:
        raise RuntimeError("A previous evaluate() execution was not found, please call `evaluate` once before `re_evaluate`")
    expression, out, order, casting, rule, axis = _last
    given = {name: value for name, value in kwargs.items() if name in expression.names}
    operands = _operands(expression.names, local_dict, global_dict, given, _frame_depth)
    return _compute(expression, operands, out, order, casting, rule, axis)


def validate(ex, local_dict=None, global_dict=None, out=None, order="K", casting="safe", *,
             rule="numpy", axis=None, _frame_depth=2, **kwargs):
    """Check that an expression could be evaluated, and compute nothing; return the error or None, as numexpr does.

    >>> import numpy as np, broadaxe as bx
    >>> a, b = np.ones(3), np.ones(2)
    >>> str(bx.validate("a + b"))
    'broadcast of a (3,) with b (2,) under numpy: axis 0 is 3 in a and 2 in b; they must be equal or 1\\n  a + b\\n    ^'
    """
    try:
        expression = _parsed(ex)
        given = {name: value for name, value in kwargs.items() if name in expression.names}
        operands = _operands(expression.names, local_dict, global_dict, given, _frame_depth)
        sheet = _broadaxe.Sheet(rule, axis)
        sheet.lower(expression, {name: sheet.put(_arrays.borrow(operands[name])) for name in expression.names})
    except Exception as error:
        return error
    return None


def signature_of(names):
    """Return the signature of a compiled expression."""
    Kind = inspect.Parameter
    arrays = [Kind(name, Kind.POSITIONAL_OR_KEYWORD) for name in names]
    options = [("out", None), ("order", "K"), ("casting", "same_kind")]
    return inspect.Signature(arrays + [Kind(name, Kind.KEYWORD_ONLY, default=value) for name, value in options if name not in names])


def _again(text, rule, axis):
    return Compiled(text, rule=rule, axis=axis)


def compile(text, *, rule="numpy", axis=None):
    """Parse an expression once, for calls that look no name up.

    Raises SyntaxError and NameError for the text, ValueError for a rule that there is none of.
    """
    return Compiled(text, rule=rule, axis=axis)
