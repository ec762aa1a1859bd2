"""Edge values of every dtype, and questions that ask operators about all pairs of them."""

import numpy as np

from .question import FLOATS, INTEGERS, Question, numpy_dtype


def edges(dtype):
    """Return the numbers of a dtype where arithmetic goes wrong first."""
    kind = numpy_dtype(dtype)
    if dtype == "bool":
        return np.array([False, True])
    if dtype in FLOATS:
        import ml_dtypes

        info = ml_dtypes.finfo(kind)
        found = [0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -7, 7, 0.1, 10, 100.25, -1000, np.inf, -np.inf, np.nan]
        tiny, most = float(info.smallest_normal), float(info.max)
        return np.array([*found, tiny, -tiny, float(info.smallest_subnormal), most, -most, float(info.eps)], np.float64).astype(kind)
    info = np.iinfo(kind)
    found = {0, 1, 2, 3, 5, 7, 8, 10, 31, 63, 100, info.max, info.max - 1, info.max // 2 + 1, info.min, info.min + 1}
    if info.min < 0:
        found |= {-1, -2, -3, -7, -8, -10, -100}
    if info.bits == 64:
        found |= {2**31, 2**32 + 1, 2**53 + 1}
    if info.bits >= 32:
        found |= {2**16, 2**24 + 1}
    return np.array(sorted(found), kind)


def pairs(dtype, other=None):
    """Return all pairs of edge values as two arrays."""
    a, b = np.meshgrid(edges(dtype), edges(other or dtype), indexing="ij")
    return a.ravel(), b.ravel()


def unary(rule, operator, dtypes, attributes=None):
    """Ask an operator of one operand about all edge values, and numbers between them."""
    found = []
    for dtype in dtypes:
        values = edges(dtype)
        if dtype in FLOATS:
            between = np.random.default_rng(7).normal(0, 3, 100).astype(numpy_dtype(dtype))
            values = np.concatenate([values, between])
        found.append(Question("value", rule, operator, dtype, (values,), attributes or {}))
    return found


def binary(rule, operator, dtypes, attributes=None):
    """Ask an operator of two operands about all pairs of edge values.

    Integers are asked in groups, for a divisor of 0 refuses a whole array, and the least number divided by -1 ends processes.
    """
    found = []
    for dtype in dtypes:
        a, b = pairs(dtype)
        for chosen, mayhem in _groups(operator, dtype, a, b):
            if chosen.any():
                found.append(Question("value", rule, operator, dtype, (a[chosen], b[chosen]), attributes or {}, mayhem))
    return found


# Parts of the names of operators whose second operand may be refused.
REFUSING = ("div", "mod", "remainder", "pow")


def _groups(operator, dtype, a, b):
    if dtype not in INTEGERS or not any(part in operator.lower() for part in REFUSING):
        return [(np.ones(a.shape, bool), False)]
    zero = b == 0
    if dtype[0] == "u":
        return [(~zero, False), (zero, True)]
    over = (a == np.iinfo(a.dtype).min) & (b == -1)
    negative = (b < 0) & ~over
    return [((b > 0), False), (negative, False), (zero, True), (over, True)]


def ternary(rule, operator, dtypes, attributes=None):
    """Ask an operator that chooses by a condition about pairs of edge values."""
    found = []
    for dtype in dtypes:
        a, b = pairs(dtype)
        condition = np.arange(a.size) % 3 == 0
        found.append(Question("value", rule, operator, dtype, (condition, a, b), attributes or {}))
    return found
