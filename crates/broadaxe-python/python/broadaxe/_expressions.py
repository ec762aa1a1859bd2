"""Expressions: a text over arrays, fused into one pass; with the names and arguments of numexpr."""

import weakref
from collections.abc import Mapping
from contextvars import ContextVar
from difflib import get_close_matches
from sys import _getframe as _frame

import numpy as np

from . import _arrays, _broadaxe, _classes, _dask, _operands
from ._broadaxe import Compiled
from ._dispatch import finish

_OPTIONS = {"optimization": ("none", "moderate", "aggressive"), "truediv": (False, True, "auto")}
"""Keywords of numexpr's with the values they take; they change nothing here."""

_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")

_LIMIT = 256
"""How many parsed texts are cached."""

_cache: dict[str, _broadaxe.Expression] = {}
"""Parsed texts with their plans, the oldest first."""

_last: ContextVar[tuple] = ContextVar("broadaxe.last")
"""What `re_evaluate` evaluates: each thread has its own, and so has each task of asyncio. It holds no array."""


class MissingName(KeyError, NameError):
    """A name of an expression is not bound. It is a KeyError, as in numexpr, and a NameError; `args` holds the name.

    >>> import broadaxe as bx
    >>> try:
    ...     bx.evaluate("height + 1", names={"weight": 2})
    ... except KeyError as error:
    ...     print(error)
    no array named 'height' to evaluate the expression with; did you mean 'weight'?
    """

    def __init__(self, name, known=()):
        super().__init__(name)
        self._known = tuple(known)

    def __str__(self):
        near = get_close_matches(self.args[0], [name for name in self._known if isinstance(name, str)], 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        return f"no array named '{self.args[0]}' to evaluate the expression with{hint}"


def _parsed(text):
    """Parse a text that is not in the cache, and cache it."""
    if not isinstance(text, str):
        raise ValueError(f"an expression is a text, such as '2*a + b', not {type(text).__name__}")
    expression = _cache.get(text)
    if expression is None:
        expression = _broadaxe.Expression(text)
        while len(_cache) >= _LIMIT:
            try:
                del _cache[next(iter(_cache))]
            except (KeyError, RuntimeError, StopIteration):
                # Another thread was faster. A lock could be held for ever in a forked process.
                break
        _cache[text] = expression
    return expression


def check_options(kwargs, names=()):
    """Return the keywords that are arrays, those in `names`; check the others.

    Raises TypeError for keywords that are neither names nor options, ValueError for values that an option does not take.
    """
    given = {}
    for key, value in kwargs.items():
        if key in names:
            given[key] = value
        elif key not in _OPTIONS:
            raise TypeError(f"got the keyword '{key}', which the expression does not use; its names: {', '.join(names)}")
        elif value not in _OPTIONS[key]:
            raise ValueError(f"{key} must be one of {_OPTIONS[key]}, not {value!r}")
    return given


def _bound(wanted, given, names, local_dict, global_dict, depth):
    """Return what the names stand for, in their order; `depth` is the caller's frame, counted from here.

    Keywords come first, then `names` alone, or else the dictionaries, or the caller's variables where there are none.
    """
    if names is not None:
        if local_dict is not None or global_dict is not None:
            raise TypeError("names= replaces local_dict and global_dict; give one or the other")
        local_dict, global_dict = names, {}
    borrowed = None
    if local_dict is None and len(given) < len(wanted):
        frame = _frame(depth)
        local_dict = frame.f_locals
        if global_dict is None:
            global_dict = frame.f_globals
        # Before Python 3.13 a function's frame keeps this copy, and with it every array, until it is asked for again.
        if frame.f_code.co_flags & _OPTIMIZED and type(local_dict) is dict:
            borrowed = local_dict
    try:
        found = []
        for name in wanted:
            if name in given:
                found.append(given[name])
            elif name in local_dict:
                found.append(local_dict[name])
            else:
                if global_dict is None:
                    global_dict = _frame(depth).f_globals
                found.append(global_dict[name] if name in global_dict else _default(name, given, local_dict, global_dict))
        return tuple(found)
    finally:
        if borrowed is not None:
            borrowed.clear()


_OPTIMIZED = 1
"""The flag of code whose variables are not in a dictionary: a function's (`inspect.CO_OPTIMIZED`)."""


def _default(name, given, local_dict, global_dict):
    """Return the value of a mapping for a missing key, as a defaultdict makes it."""
    try:
        return local_dict[name]
    except KeyError:
        # Frames of pandas and datasets of xarray have names, too.
        places = [place for place in (given, local_dict, global_dict) if isinstance(place, Mapping) or hasattr(place, "columns")]
        raise MissingName(name, [key for place in places for key in place]) from None


def _answer(expression, operands, out, order, casting, rule, axis):
    """Evaluate an expression by its cached plans where they fit, or else by `compute`."""
    if casting != "same_kind" and casting not in _CASTINGS:
        raise ValueError(f"casting must be one of {', '.join(_CASTINGS)}, not {casting!r}")
    answer = _broadaxe.at_once(expression, operands, rule, axis, out, order, casting)
    if answer is not None:
        return answer
    return compute(expression, operands, out, order, casting, rule, axis)


def compute(expression, operands, out=None, order="K", casting="same_kind", rule="numpy", axis=None, builder=None):
    """Evaluate an expression over operands of any kind, in the order of its names; a builder that the engine gives keeps the plan."""
    if _classes.has_say(expression, operands, out):
        return _classes.evaluate(expression, operands, out, rule, axis)
    if any(_operands.is_dask(operand) for operand in operands):
        return _dask.evaluate(expression.text, dict(zip(expression.names, operands)), out, rule, axis)
    builder = builder or _broadaxe.GraphBuilder(rule, axis)
    result = finish(builder, _lowered(builder, expression, operands), out, None, casting, order, expression.text)
    return result if out is not None else _classes.wrapped("evaluate", operands, result)


def compute_again(expression, operands):
    """Evaluate an expression under NumPy's rule over what a class made of its operands."""
    return _answer(expression, operands, None, "K", "same_kind", "numpy", None)


def _lowered(builder, expression, operands):
    """Add an expression over plain operands to a builder."""
    values = {name: builder.put(_arrays.borrow(operand, name)) for name, operand in zip(expression.names, operands)}
    return builder.lower(expression, values)


def _weak(out):
    """Return a weak reference to an output; None where there is none, or it is of a class that has none."""
    try:
        return weakref.ref(out)
    except TypeError:
        return None


def evaluate(ex, local_dict=None, global_dict=None, out=None, order="K", casting="same_kind", sanitize=None, _frame_depth=3,
             disable_cache=False, *, rule="numpy", axis=None, names=None, **kwargs):
    """Evaluate an expression over arrays, in one pass and without temporaries of the result's size.

    Names stand for the keywords of the call, else for entries of `local_dict` and `global_dict`, else for variables of the
    caller. With `names`, a mapping, they stand for its entries and nothing else is looked at. Shapes broadcast under `rule`; dtypes
    meet as in NumPy 2, and numbers take the dtype of the arrays they are used with. `out` is written in place of a new array, cast as
    `casting` allows; `order` is the order in memory of a new one. `disable_cache` parses the text again and leaves `re_evaluate` as it was.
    `sanitize`, `optimization` and `truediv` change nothing: no text is ever run as Python code. Operands with labels, masks or units
    are computed as by the operators of their classes, and Dask arrays lazily.

    Raises SyntaxError and NameError for the text, MissingName (a KeyError) for an unknown array, ValueError for shapes,
    TypeError for dtypes, ZeroDivisionError for integers divided by 0, MemoryError for results above three quarters of the memory.

    >>> import numpy as np, broadaxe as bx
    >>> a, b = np.arange(3.0), np.ones((2, 1))
    >>> bx.evaluate("2*a + b")
    array([[1., 3., 5.],
           [1., 3., 5.]])
    """
    try:
        expression = _cache[ex]
    except (KeyError, TypeError):
        expression = None
    if expression is None:
        expression = _parsed(ex)
    wanted = expression.names
    given = check_options(kwargs, wanted) if kwargs else kwargs
    operands = _bound(wanted, given, names, local_dict, global_dict, _frame_depth - 1)
    if disable_cache:
        expression = _broadaxe.Expression(ex)
    else:
        _last.set((expression, None if out is None else _weak(out), order, casting, rule, axis))
    return _answer(expression, operands, out, order, casting, rule, axis)


def re_evaluate(local_dict=None, global_dict=None, _frame_depth=2, *, names=None, **kwargs):
    """Evaluate the expression of the last `evaluate` or `validate` of this thread again, over what its names stand for now.

    The other arguments are those of that call. Its `out` is written again as long as something else refers to it; afterwards
    the result is a new array.

    Raises RuntimeError where this thread has evaluated nothing, and what `evaluate` raises.

    >>> import numpy as np, broadaxe as bx
    >>> a = np.arange(3.0)
    >>> bx.validate("a * 10")
    >>> bx.re_evaluate()
    array([ 0., 10., 20.])
    """
    try:
        expression, out, order, casting, rule, axis = _last.get()
    except LookupError:
        message = "this thread has evaluated nothing yet; call `evaluate` or `validate` before `re_evaluate`"
        raise RuntimeError(message) from None
    given = check_options(kwargs, expression.names) if kwargs else kwargs
    operands = _bound(expression.names, given, names, local_dict, global_dict, _frame_depth)
    return _answer(expression, operands, None if out is None else out(), order, casting, rule, axis)


def validate(ex, local_dict=None, global_dict=None, out=None, order="K", casting="safe", _frame_depth=2, sanitize=None, *,
             rule="numpy", axis=None, names=None, **kwargs):
    """Check that an expression could be evaluated, and compute nothing; return the error or None, as numexpr does.

    Only where classes of operands compute themselves, as those of xarray and pandas do, is the result computed, and dropped.
    Where it returns None, `re_evaluate` evaluates this expression with these arguments. As in numexpr, `casting` is "safe" unless it
    is given.

    >>> import numpy as np, broadaxe as bx
    >>> a, b = np.ones(3), np.ones(2)
    >>> str(bx.validate("a + b"))
    'broadcast of a (3,) with b (2,) under numpy: axis 0 is 3 in a and 2 in b; they must be equal or 1\\n  a + b\\n    ^'
    """
    try:
        expression = _parsed(ex)
        given = check_options(kwargs, expression.names)
        operands = _bound(expression.names, given, names, local_dict, global_dict, _frame_depth)
        if any(_operands.kind(operand) in (_operands.OWN, _operands.MASKED, _operands.CHUNKED) for operand in operands):
            compute(expression, operands, None, order, casting, rule, axis)
        else:
            _lowered(_broadaxe.GraphBuilder(rule, axis), expression, operands)
    except Exception as error:
        return error
    _last.set((expression, None if out is None else _weak(out), order, casting, rule, axis))
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
