"""Compares answers: shapes, dtypes, and every element."""

from dataclasses import dataclass

import numpy as np


def same_kind(ours, theirs):
    """Whether two arrays have one shape and one dtype."""
    return ours.shape == theirs.shape and ours.dtype == theirs.dtype


@dataclass
class Tolerance:
    """How exact floats must be: within some units in the last place or some distance, and whether zeros must have one sign."""

    ulp: int = 0
    within: float = 0.0
    zeros: bool = False


def agree(ours, theirs, tolerance):
    """Return where two arrays of one shape and dtype agree; a NaN agrees with a NaN."""
    if ours.dtype.kind in "biu":
        return np.asarray(ours == theirs)
    equal = ours == theirs
    if not tolerance.zeros:
        equal &= np.signbit(ours) == np.signbit(theirs)
    equal |= np.isnan(ours) & np.isnan(theirs)
    if tolerance.ulp:
        equal |= _near(ours, theirs, tolerance.ulp)
    if tolerance.within:
        with np.errstate(invalid="ignore"):
            equal |= np.abs(ours.astype(np.float64) - theirs.astype(np.float64)) <= tolerance.within
    return np.asarray(equal)


def _near(ours, theirs, ulp):
    """Compare as whole numbers that count the floats between; an infinity follows the largest number, and zeros are as they are."""
    comparable = ~(np.isnan(ours) | np.isnan(theirs) | ((ours == 0) & (theirs == 0)))
    one, other = _places(ours), _places(theirs)
    if ours.dtype.itemsize == 8:
        one, other = one.astype(object), other.astype(object)
    return comparable & (np.abs(one - other) <= ulp).astype(bool)


def _places(array):
    bits = {2: np.int16, 4: np.int32, 8: np.int64}[array.dtype.itemsize]
    places = np.ascontiguousarray(array).reshape(array.shape).view(bits).astype(np.int64)
    return np.where(places < 0, np.iinfo(bits).min - places, places)


def farthest(ours, theirs):
    """Return by how many units in the last place finite floats of two arrays differ at most."""
    finite = np.isfinite(ours) & np.isfinite(theirs)
    apart = np.abs(_places(ours).astype(object) - _places(theirs).astype(object))[finite]
    return int(apart.max()) if apart.size else 0
