"""NumPy's modules with the package's functions in the places of NumPy's, for tests of NumPy.

Every name that both have is replaced, but for those in `OTHERS`, which mean something else in the package. With
BROADAXE_PEERS_COUNT set the functions are wrapped and note their names when they are called; results are taken from runs without.
"""

import os
from types import ModuleType

import broadaxe
import numpy
import numpy._core.umath
import numpy.lib._stride_tricks_impl

OTHERS = {
    "fix": "repairs models",
    "extract": "extracts a part of a model",
    "testing": "has helpers for tests of models",
}

METHODS = ("reduce", "accumulate", "outer", "at", "reduceat")

calls = set()


class Counted:
    """A function of the package that notes that it was called."""

    def __init__(self, function, name=None):
        self._function, self._name = function, name or function.__name__

    def __call__(self, *args, **kwargs):
        calls.add(self._name)
        return self._function(*args, **kwargs)

    def __getattr__(self, name):
        found = getattr(self._function, name)
        return Counted(found, self._function.__name__) if name in METHODS else found

    def __repr__(self):
        return repr(self._function)


class _Ufuncs(type):
    def __instancecheck__(cls, value):
        return isinstance(getattr(value, "_function", value), (numpy.ufunc, broadaxe.Operator))

    def __getattr__(cls, name):
        return getattr(numpy.ufunc, name)


class ufunc(metaclass=_Ufuncs):
    """Replaces `numpy.ufunc`: the package's operators are its instances too."""


def shared(module):
    """Return the package's functions that have the name of one in a module of NumPy, by name."""
    counted = "BROADAXE_PEERS_COUNT" in os.environ
    found = {}
    for name in sorted(set(dir(broadaxe)) & set(dir(module)) - set(OTHERS)):
        ours = getattr(broadaxe, name)
        if not name.startswith("_") and callable(ours) and not isinstance(ours, type):
            found[name] = Counted(ours) if counted else ours
    return found


def substituted(module, **more):
    """Return a module with the contents of one of NumPy's and the functions of the package."""
    copy = ModuleType(module.__name__)
    copy.__dict__.update(vars(module))
    copy.__dict__.update(shared(module), **more)
    return copy


ncu = substituted(numpy._core.umath)
stride_tricks = numpy.lib._stride_tricks_impl
np = substituted(numpy, ufunc=ufunc, _core=substituted(numpy._core, umath=ncu))


def method(function, name):
    """Return a method of a function, or one that raises AttributeError when it is called: for lists that are made at import."""

    def absent(*args, **kwargs):
        return getattr(function, name)

    return getattr(function, name, absent)


def rebind(names, module):
    """Bind the names of a module's functions that a file of tests imported to those of this module."""
    for name, function in shared(module).items():
        if name in names:
            names[name] = function
