"""Computes functions in more digits than their results have, which is the truth on every machine.

NumPy chooses the code of its functions by the CPU and the C library, and documents errors of up to 4 ULP. A test that compares with
them passes or fails by the machine.
"""

import re

import numpy as np

import broadaxe as bx

FUNCTIONS = frozenset(
    """arccos arccosh arcsin arcsinh arctan arctan2 arctanh acos acosh asin asinh atan atan2 atanh cbrt cos cosh exp exp2 expm1
    float_power hypot log log10 log1p log2 logaddexp logaddexp2 pow power sin sinh tan tanh""".split()
)
"""NumPy's functions that IEEE 754 does not round correctly."""

NUMPYS_ULPS = 4
"""How far NumPy's own functions may be off."""

WIDE = np.longdouble
HAS_MORE_DIGITS = np.finfo(WIDE).nmant >= 63
"""Whether this machine has wider floats than f64. Elsewhere NumPy's f64 functions are the reference, with their own error."""


def is_float(dtype):
    """Say whether a dtype is one of floats, bfloat16 too."""
    return dtype.kind == "f" or dtype.name == "bfloat16"


def wide(name, dtype, args):
    """Return what a function gives for operands that are cast to `dtype`, in more digits."""
    function, operands = getattr(np, name), [np.asarray(arg).astype(dtype) for arg in args]
    with np.errstate(all="ignore"):
        exact = np.asarray(function(*(operand.astype(WIDE) for operand in operands)))
        if name in ("pow", "power", "float_power"):
            # glibc's long double power of an infinity and a large negative exponent is wrong; these results are 0, 1, NaN or infinite.
            ends = np.isinf(operands[0]) | np.isinf(operands[1])
            exact = np.where(ends, function(*(operand.astype(float) for operand in operands)), exact)
    return exact


def answer(name, *args, **kwargs):
    """Return what NumPy's function gives, its values computed in more digits and rounded once.

    The keywords are those that choose dtypes.
    """
    plain = getattr(np, name)(*args, **kwargs)
    if name not in FUNCTIONS or not is_float(plain.dtype):
        return plain
    with np.errstate(all="ignore"):
        rounded = wide(name, plain.dtype, args).astype(plain.dtype)
    return rounded if isinstance(plain, np.ndarray) else rounded[()]


def ulp_bound(name, dtype):
    """Return the error that the table of operators claims, in ULP; f16 and bf16 are computed in f32 and rounded once more."""
    claimed = re.search(r"at most (\S+) units in the last place for f32, (\S+) for f64", getattr(bx, name).__doc__)
    if dtype.itemsize == 2:
        return 0.51
    if dtype.itemsize == 4:
        return float(claimed[1])
    return float(claimed[2]) + (0 if HAS_MORE_DIGITS else NUMPYS_ULPS)


def unit(size):
    """Return the distance of floats at a size."""
    return np.abs(np.spacing(size)).astype(WIDE)


def beyond(name, got, *args, loop=None):
    """Return the places of results that are farther from the exact ones than is claimed, or not NaN, infinite or 0 where those are.

    `loop` is the dtype in which they were computed, where they were cast to another one.
    """
    got = np.asarray(got)
    loop = loop or got.dtype
    exact = wide(name, loop, args)
    with np.errstate(all="ignore"):
        rounded, given = exact.astype(got.dtype), got.astype(WIDE)
        size = np.abs(rounded)
        if name.startswith("logaddexp"):
            # Where the two parts cancel, the error is a matter of the operands' units. Zeros have any sign.
            for arg in args:
                size = np.fmax(size, (np.abs(np.asarray(arg).astype(WIDE)) * 2.0**-7).astype(got.dtype))
        signs = (np.signbit(given) == np.signbit(rounded)) | name.startswith("logaddexp")
        same = (given == rounded) & signs | np.isnan(given) & np.isnan(rounded)
        near = np.abs(given - exact) <= ulp_bound(name, loop) * unit(size.astype(loop)) + (loop != got.dtype) * unit(size)
    return np.flatnonzero(~(same | near & (given != 0)))
