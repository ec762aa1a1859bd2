"""Names that programs import from numexpr, apart from `evaluate` and its like."""

import os
import platform
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _arrays, _broadaxe, _classes
from ._expressions import Compiled, check_options

use_vml = False
"""Whether Intel's vector library computes; it never does."""

MAX_THREADS = 1024
"""The largest number of threads; `set_num_threads` reduces larger numbers to it."""


def get_vml_version() -> None:
    """Return None: Intel's vector library is not used."""


def set_vml_num_threads(nthreads: int) -> None:
    """Do nothing: Intel's vector library is not used. `set_num_threads` sets the number of threads."""


def set_vml_accuracy_mode(mode: str | None) -> None:
    """Do nothing: Intel's vector library is not used."""


def detect_number_of_cores() -> int:
    """Return the number of CPUs that are online."""
    return os.cpu_count() or 1


def detect_number_of_threads() -> int:
    """Return the number of threads that large work is shared among, as `get_num_threads` does."""
    return _broadaxe.num_threads()


ncores = detect_number_of_cores()
"""The number of CPUs that are online."""


def print_versions() -> None:
    """Print the versions of Broadaxe, NumPy and Python, and what they run on."""
    print(f"Broadaxe {_broadaxe.__version__}, NumPy {np.__version__}, Python {sys.version.split()[0]}")
    print(f"{platform.platform()}, {platform.machine()}, {ncores} CPUs, {_broadaxe.num_threads()} threads")


def _cast(operand: Any, dtype: np.dtype[Any], casting: Any, name: str) -> Any:
    """Cast an array as far as `casting` allows, and a number of Python always."""
    return np.asarray(operand, dtype) if _arrays.is_number(operand) else _classes.cast(operand, dtype, casting, name)


class NumExpr:
    """A compiled expression with the calling convention of numexpr: arrays by position, in the order of the signature.

    Without a signature the order is that of the sorted names, and arrays keep their dtypes. With one, it names every array and
    the type that the array is cast to: `bool`, `float` (float32, as in numexpr) or a NumPy type.

    `optimization` and `truediv` are checked and change nothing, nor does `sanitize`.

    Raises SyntaxError and NameError for the text, ValueError for a signature that does not name the same arrays.

    >>> import numpy as np, broadaxe as bx
    >>> difference = bx.NumExpr("b - a")
    >>> difference.input_names
    ('a', 'b')
    >>> difference(np.array([1.0, 2.0]), np.array([5.0, 5.0]))
    array([4., 3.])
    """

    def __init__(self, ex: str, signature: Iterable[tuple[str, Any]] = (), sanitize: bool = True, **kwargs: Any) -> None:
        check_options(kwargs)
        self._compiled = Compiled(ex)
        self._signature = tuple(signature)
        self.input_names: tuple[str, ...] = tuple(name for name, _ in self._signature) or tuple(sorted(self._compiled.names))
        if sorted(self.input_names) != sorted(self._compiled.names):
            given, wanted = ", ".join(self.input_names), ", ".join(sorted(self._compiled.names))
            raise ValueError(f"the signature names {given}, but the expression uses {wanted}")
        self._dtypes = [np.dtype(np.float32 if kind is float else kind) for _, kind in self._signature]

    def __call__(
        self, *args: Any, out: Any = None, order: Any = "K", casting: Any = "safe", ex_uses_vml: bool = False
    ) -> Any:
        """Evaluate over these arrays."""
        if len(args) != len(self.input_names):
            names = ", ".join(self.input_names)
            raise ValueError(f"the expression has {len(self.input_names)} arrays ({names}), not {len(args)}")
        if self._dtypes:
            args = tuple(_cast(arg, dtype, casting, name) for arg, dtype, name in zip(args, self._dtypes, self.input_names))
        by_name = dict(zip(self.input_names, args))
        return self._compiled(*[by_name[name] for name in self._compiled.names], out=out, order=order, casting=casting)

    run = __call__

    def __repr__(self) -> str:
        return f"broadaxe.NumExpr({self._compiled.text!r})"

    def __reduce__(self) -> Any:
        return NumExpr, (self._compiled.text, self._signature)
