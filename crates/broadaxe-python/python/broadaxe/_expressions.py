"""Expressions: a text over arrays, fused into one pass; with the names and arguments of numexpr."""

import inspect
import sys
from functools import lru_cache

import numpy as np

from . import _arrays, _broadaxe, _dask
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
    if order == "K" and (out is None or type(out) is np.ndarray):
        answer = expression.at_once(tuple([operands[name] for name in expression.names]), rule, axis, out)
        if answer is not None:
            return answer
    if any(_dask.is_dask(operand) for operand in operands.values()):
        return _dask.evaluate(expression.text, operands, out, rule, axis)
    sheet = _broadaxe.Sheet(rule, axis)
    values = {name: sheet.put(_arrays.borrow(operands[name])) for name in expression.names}
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


class Compiled:
    """An expression that is called with its arrays, in the order of their first use or by name.

    >>> import numpy as np, broadaxe as bx
    >>> norm = bx.compile("(x - mean) / std")
    >>> norm.names
    ('x', 'mean', 'std')
    >>> norm(np.array([1.0, 3.0]), 2.0, std=0.5)
    array([-2.,  2.])
    """

    def __init__(self, text, *, rule="numpy", axis=None):
        self._expression = _parsed(text)
        self._rule, self._axis = rule, axis
        _broadaxe.Sheet(rule, axis)

    @property
    def names(self):
        """The names of the arrays, in the order of their first use."""
        return self._expression.names

    @property
    def text(self):
        """The text of the expression."""
        return self._expression.text

    def __call__(self, *args, out=None, order="K", casting="same_kind", **kwargs):
        """Evaluate over these arrays."""
        names = self._expression.names
        if len(args) > len(names):
            raise TypeError(f"the expression takes {len(names)} arrays ({', '.join(names)}), not {len(args)}")
        operands = dict(zip(names, args))
        for name, value in kwargs.items():
            if name in operands or name not in names:
                what = "was given twice" if name in operands else "is no name of it"
                raise TypeError(f"the expression takes the arrays {', '.join(names)}; '{name}' {what}")
            operands[name] = value
        for name in names:
            if name not in operands:
                raise TypeError(f"the expression needs the array '{name}'")
        return _compute(self._expression, operands, out, order, casting, self._rule, self._axis)

    def __repr__(self):
        return f"broadaxe.compile({self.text!r})"

    def __reduce__(self):
        return _again, (self.text, self._rule, self._axis)


def _again(text, rule, axis):
    return Compiled(text, rule=rule, axis=axis)


def compile(text, *, rule="numpy", axis=None):
    """Parse an expression once, for calls that look no name up.

    Raises SyntaxError and NameError for the text, ValueError for a rule that there is none of.
    """
    return Compiled(text, rule=rule, axis=axis)
