"""Replaces numexpr while numexpr's own tests run: every name is the package's where the package has it.

Nothing is adapted. A name that the package lacks can be imported, because the tests import all of theirs at the top, and raises at
its first use: `Internal` where the name belongs to numexpr's compiler and virtual machine, `Missing` everywhere else.
"""

import sys
from importlib.metadata import version
from types import ModuleType

import broadaxe

__version__ = version("numexpr")

INTERNALS = {
    "E": "the namespace of expression nodes",
    "disassemble": "the listing of the virtual machine's program",
    "ConstantNode": "a node of the expression tree",
    "getExprNames": "the compiler's search for names",
    "_init_num_threads": "the reading of numexpr's environment variables",
    "MAX_THREADS": "the limit of numexpr's thread pool",
}


class Internal(Exception):
    """The test needs a part of numexpr's implementation."""


class Missing(Exception):
    """The test needs a public name of numexpr that the package lacks."""


class Absent:
    """A name that the package lacks; every use raises."""

    def __init__(self, name):
        object.__setattr__(self, "_name", name)

    def _raise(self, *args, **kwargs):
        if self._name in INTERNALS:
            raise Internal(f"{self._name}: {INTERNALS[self._name]}")
        raise Missing(f"{self._name} is not in the package")

    __call__ = __bool__ = __eq__ = __le__ = __getattr__ = __str__ = _raise


def look_up(name):
    """Return the package's object of this name, or one that raises when it is used."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(broadaxe, name, None) if hasattr(broadaxe, name) else Absent(name)


def __getattr__(name):
    return look_up(name)


for _name in ("expressions", "necompiler", "utils"):
    _module = globals()[_name] = sys.modules[f"{__name__}.{_name}"] = ModuleType(f"{__name__}.{_name}")
    _module.__getattr__ = look_up
