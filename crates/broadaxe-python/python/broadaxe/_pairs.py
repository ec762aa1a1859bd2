"""Functions of two results, each computed by two operators."""

import numpy as np

from . import _broadaxe

_OPERATORS = {operator.__name__: operator for operator in _broadaxe.operators()}


def divmod(x1, x2, out1=None, out2=None, /, *, out=None, **kwargs):
    """Divide: return the quotient, rounded down, and the remainder, which has the sign of `x2`.

    The shapes broadcast. The results are those of the operators `div_floor` and `mod_floor`, which take the same keywords, such
    as `where` and `rule`. `out` is a tuple of two arrays, each of which may be None.

    Raises ValueError for shapes, TypeError for dtypes, ZeroDivisionError for integers divided by 0. As `numpy.divmod`.
    """
    return _both("divmod", ("div_floor", "mod_floor"), (x1, x2), (out1, out2), out, kwargs)


def frexp(x, out1=None, out2=None, /, *, out=None, **kwargs):
    """Split `x` into m and n with x = m * 2**n, where |m| is at least 1/2 and below 1 and n is int32.

    The results have the shape of `x` and are those of the operators `frexp_mantissa` and `frexp_exponent`, which take the same
    keywords, such as `where`. Of zeros, infinities and NaN m is the element itself and n is 0. `out` is a tuple of two arrays,
    each of which may be None.

    Raises ValueError for an `out` of another shape and TypeError for dtypes. As `numpy.frexp`.
    """
    return _both("frexp", ("frexp_mantissa", "frexp_exponent"), (x,), (out1, out2), out, kwargs)


def modf(x, out1=None, out2=None, /, *, out=None, **kwargs):
    """Split `x` into its fraction and its whole part, both with the sign of `x`.

    The results have the shape of `x` and are those of the operators `modf_fraction` and `modf_whole`, which take the same
    keywords, such as `where`. The fraction of an infinity is 0. `out` is a tuple of two arrays, each of which may be None.

    Raises ValueError for an `out` of another shape and TypeError for dtypes. As `numpy.modf`.
    """
    return _both("modf", ("modf_fraction", "modf_whole"), (x,), (out1, out2), out, kwargs)


def _both(name, operators, operands, behind, out, kwargs):
    """Compute both results, each into its output where there is one."""
    if out is None:
        out = behind
    elif any(array is not None for array in behind):
        raise TypeError(f"{name}() got outputs behind its operands and as out=")
    if not isinstance(out, tuple):
        raise TypeError(f"{name}() has two results: out is a tuple of two arrays, each of which may be None")
    if len(out) != 2:
        raise ValueError(f"{name}() has two results: out must be two arrays, not {len(out)}")
    operands = tuple(_apart(operand, out) for operand in operands)
    results = []
    for operator, output in zip(operators, out):
        given = kwargs if output is None else {**kwargs, "out": output}
        results.append(_OPERATORS[operator](*operands, **given))
    return tuple(results)


def _apart(operand, outputs):
    """Return an operand, copied if an output may lie in its memory: the first result must not change the second."""
    lent = isinstance(operand, np.ndarray)
    shared = lent and any(isinstance(out, np.ndarray) and np.may_share_memory(operand, out) for out in outputs)
    return operand.copy() if shared else operand
