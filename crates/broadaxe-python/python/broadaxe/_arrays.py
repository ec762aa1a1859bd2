"""What callers pass as arrays, as plain arrays of NumPy; without a copy wherever the memory can be shared."""

import sys

import numpy as np

from . import _broadaxe, _operands

NAMES = dict(_broadaxe.dtypes())
"""The name that NumPy has for each dtype."""

SHORT = {np.dtype(name): short for short, name in NAMES.items() if short != "bf16"}
"""The name of each dtype of NumPy's here; bfloat16 is added where there is one."""

_bfloat16 = None


def bfloat16():
    """Return the dtype bfloat16 of `ml_dtypes`, and tell the engine its number."""
    global _bfloat16
    if _bfloat16 is None:
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError("bf16 needs the package ml_dtypes; install it with: pip install ml_dtypes") from None
        _bfloat16 = np.dtype(ml_dtypes.bfloat16)
        SHORT[_bfloat16] = "bf16"
        _broadaxe.set_bfloat16(_bfloat16)
    return _bfloat16


def known_bfloat16():
    """Return the dtype bfloat16 where its package is installed, else None."""
    try:
        return bfloat16()
    except TypeError:
        return None


def dtype_of(short):
    """Return NumPy's dtype for a short name such as f32."""
    return bfloat16() if short == "bf16" else np.dtype(NAMES[short])


def short_name(dtype):
    """Return the short name of a dtype of NumPy's; raise TypeError for one that the engine does not have."""
    short = SHORT.get(dtype) if type(dtype) is not str else None
    if short is not None:
        return short
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype.name == "bfloat16":
        bfloat16()
    if dtype not in SHORT:
        raise TypeError(f"the dtype {dtype} is not supported; the dtypes are {', '.join(NAMES.values())}")
    return SHORT[dtype]


def plain(array):
    """Return an array whose class is ndarray and whose dtype is one of the engine's in this machine's order of bytes."""
    short_name(array.dtype)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array if type(array) is np.ndarray else array.view(np.ndarray)


def check_output(out):
    """Raise TypeError for an output that is no array."""
    if _operands.is_dask(out):
        raise TypeError("a Dask array cannot be an output; use the result")
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be an array of NumPy's, a tuple of arrays, ... or None, not {type(out).__name__}")
    _operands.check_plain(out, "out")


def is_number(value):
    """Say whether a value is a number of Python, which follows the dtype of the arrays."""
    return type(value) in (bool, int, float)


def borrow(value, name="an operand", masks=False):
    """Return a number of Python unchanged and anything else as a plain array, of shared memory where possible.

    Raises TypeError for what would lose something as a plain array; `masks` accepts masked arrays, without their mask.
    """
    if _broadaxe.is_plain(value) or is_number(value):
        return value
    _operands.check_plain(value, name, masks)
    if isinstance(value, np.ndarray):
        return plain(value)
    if isinstance(value, np.generic) or hasattr(value, "__array_interface__"):
        return plain(np.asarray(value))
    if hasattr(value, "__dlpack__"):
        return plain(_borrowed(value))
    return plain(np.asarray(value))


def _borrowed(value):
    """Borrow what another library exports, or what it converts where it cannot export that: nulls, bits, other dtypes."""
    try:
        return _from_dlpack(value)
    except Exception as refused:
        if not hasattr(value, "__array__"):
            raise
        try:
            return np.asarray(value)
        except Exception:
            raise refused from None


def _from_dlpack(value):
    """Borrow the memory of another library's array; NumPy knows no bfloat16, so that passes as the integers of its bits."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor) and value.dtype == torch.bfloat16:
        return np.from_dlpack(value.view(torch.int16)).view(bfloat16())
    return np.from_dlpack(value)


def wrapper(args):
    """Return the operand whose class wraps the result, as NumPy chooses it: the first of the highest priority; or None."""
    chosen, priority = None, -np.inf
    for arg in args:
        plain_one = _broadaxe.is_plain(arg) or type(arg) is np.ndarray
        if isinstance(arg, np.generic) or is_number(arg) or not plain_one and not hasattr(type(arg), "__array_wrap__"):
            continue
        own = 0.0 if plain_one else getattr(arg, "__array_priority__", 0.0)
        if own > priority or chosen is None and own == priority == 0.0 and not plain_one:
            chosen, priority = None if plain_one else arg, own
    return chosen


def wrap(chosen, result, context, scalar):
    """Give a result the class of the operand that was chosen; `scalar` says whether rank 0 becomes a scalar."""
    if chosen is None:
        return result if scalar else np.asarray(result)
    array = np.asarray(result)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(chosen, torch.Tensor):
        # Its own method makes integers of bools, and knows no bfloat16.
        half = array.dtype.name == "bfloat16"
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16) if half else torch.from_numpy(array)
    for arguments in ((array, context, scalar and array.ndim == 0), (array, context), (array,)):
        try:
            return chosen.__array_wrap__(*arguments)
        except TypeError as error:
            refused = error
    raise refused
