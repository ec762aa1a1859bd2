"""Modules of the array API: the arrays of NumPy or array_api_strict, and the package's functions.

A name of the standard that the package lacks is the base's. A call with an array that is complex is the base's as well: the
tests draw complex numbers nearly everywhere, and would otherwise say nothing about the other dtypes. The package returns NumPy's
arrays, so over another base results are converted to its arrays, and its dtypes are given as NumPy's.
"""

import inspect
from types import ModuleType

import array_api_strict
import broadaxe
import numpy

OTHERS = {"extract": "extracts a part of a model"}


def _leaves(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _leaves(value)
        else:
            yield value


def _is_complex(value):
    if isinstance(value, complex):
        return True
    dtype = getattr(value, "dtype", value)
    dtype = getattr(dtype, "_np_dtype", dtype)
    return dtype is numpy.complex64 or dtype is numpy.complex128 or (isinstance(dtype, numpy.dtype) and dtype.kind == "c")


def over(name, base):
    """Return a module of this name over the arrays of `base`."""
    module = ModuleType(name)
    module.__dict__.update({key: value for key, value in vars(base).items() if key not in ("__name__", "__spec__", "__file__", "__path__")})
    for key in sorted(set(dir(array_api_strict)) & set(dir(broadaxe)) - set(OTHERS)):
        ours, theirs = getattr(broadaxe, key), getattr(base, key)
        if not key.startswith("_") and callable(ours) and not isinstance(ours, type):
            module.__dict__[key] = _either(base, ours, theirs)
    return module


def _converted(base, result):
    if isinstance(result, (tuple, list)):
        return type(result)(_converted(base, item) for item in result)
    return base.asarray(result) if isinstance(result, (numpy.ndarray, numpy.generic)) else result


def _either(base, ours, theirs):
    def call(*args, **kwargs):
        if any(_is_complex(value) for value in _leaves((*args, *kwargs.values()))):
            return theirs(*args, **kwargs)
        if base is numpy:
            return ours(*args, **kwargs)
        kwargs = {key: getattr(value, "_np_dtype", value) if key == "dtype" else value for key, value in kwargs.items()}
        return _converted(base, ours(*args, **kwargs))

    call.__name__ = ours.__name__
    try:
        call.__signature__ = inspect.signature(ours)
    except (TypeError, ValueError):
        call.__signature__ = inspect.signature(lambda *args, **kwargs: None)
    return call
