"""Compares results of engines."""

import numpy as np

# The targets whose engines compute f32 in f16.
HALVED = ("rknn",)
# How many steps of `spec.nudged` an f32 is rounded by in f16.
HALF_LEVELS = 160


def finite(arrays):
    """Whether all numbers are finite, and small enough that sums of them stay so; a mask may be -inf."""
    kept = [np.where(np.isneginf(array), 0, array) if array.dtype.kind == "f" else array for array in arrays]
    return all(array.dtype == np.bool_ or (np.isfinite(array).all() and np.abs(array.astype(float)).max(initial=0) < 1e6) for array in kept)


def equal(want, got, rtol=2e-3):
    """Whether two arrays have one shape and the same numbers: to 2e-3 of each, or 1e-4 of the largest, or 1e-6; f16 to 1e-2."""
    want, got = np.asarray(want), np.asarray(got)
    rtol = max(rtol, 1e-2) if np.float16 in (want.dtype, got.dtype) else rtol
    if want.shape != got.shape:
        return False
    if want.dtype == np.bool_ or got.dtype == np.bool_:
        return np.array_equal(want.astype(np.float64), got.astype(np.float64))
    want, got = want.astype(np.float64), got.astype(np.float64)
    scale = np.abs(want[np.isfinite(want)]).max(initial=0)
    return np.allclose(got, want, rtol=rtol, atol=max(rtol / 20 * scale, 1e-6), equal_nan=True)


def bits(want, got):
    """Whether two lists of arrays have the same bits."""
    return len(want) == len(got) and all(
        a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(want, got)
    )


def apart(want, got, rtol=2e-3):
    """Return None where all outputs are equal, else the place of the first that is not, and how."""
    if len(want) != len(got):
        return 0, f"{len(got)} outputs for {len(want)}"
    for k, (a, b) in enumerate(zip(want, got)):
        if not equal(a, b, rtol):
            a, b = np.asarray(a), np.asarray(b)
            if a.shape != b.shape:
                return k, f"shape {b.shape} for {a.shape}"
            wrong = ~np.isclose(b.astype(float), a.astype(float), rtol=rtol, atol=rtol / 20 * np.abs(a.astype(float)).max(initial=0))
            place = tuple(map(int, np.argwhere(wrong)[0])) if wrong.any() else (0,) * a.ndim
            return k, f"element {place}: {float(b[place]):.5g} for {float(a[place]):.5g}"
    return None
