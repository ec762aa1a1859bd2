"""Makes NumPy's functions inaccurate, as they are on some machines: no test may depend on their last bits.

    BROADAXE_TEST_ROUGH_NUMPY=1 python -m pytest

With this variable every result is off by 4 ULP, up or down, which is what NumPy documents, except zeros and exact ones. Long doubles
stay as they are: they are the reference of the tests.
"""

import contextlib

import numpy as np
from reference import FUNCTIONS, NUMPYS_ULPS, WIDE


class Rough:
    """A ufunc whose results are inaccurate; everything else is that of the ufunc."""

    def __init__(self, ufunc):
        self.ufunc = ufunc

    def __call__(self, *args, **kwargs):
        result = self.ufunc(*args, **kwargs)
        array = np.asarray(result)
        if array.dtype.char not in "efd":
            return result
        moved = np.where(kwargs.get("where", True), self._moved(array, args), array)
        if isinstance(result, np.ndarray):
            result[...] = moved
            return result
        return moved[()]

    def _moved(self, array, args):
        """Move what is not exact."""
        with np.errstate(all="ignore"):
            moved, ends = array, np.where(np.arange(array.size).reshape(array.shape) % 2, np.inf, -np.inf).astype(array.dtype)
            for _ in range(NUMPYS_ULPS):
                moved = np.nextafter(moved, ends)
            operands = (np.asarray(arg).astype(array.dtype).astype(WIDE) for arg in args[: self.ufunc.nin])
            exact = array == np.broadcast_to(self.ufunc(*operands), array.shape)
        return np.where(exact | (array == 0) | ~np.isfinite(array) | ~np.isfinite(moved), array, moved)

    def __getattr__(self, name):
        return getattr(self.ufunc, name)

    @property
    def __class__(self):
        return np.ufunc


def roughen():
    """Replace NumPy's functions by inaccurate ones."""
    with contextlib.suppress(ImportError):
        # It adds loops to the ufuncs when it is imported.
        import ml_dtypes  # noqa: F401
    for name in FUNCTIONS:
        if hasattr(np, name):
            setattr(np, name, Rough(getattr(np, name)))
