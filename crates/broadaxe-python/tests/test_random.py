"""Random operators over random views of one block of random bytes: any strides, any alignment, results among the operands."""

import warnings

import numpy as np
import pytest
import reference
from conftest import DTYPES

import broadaxe as bx

# Ours, and NumPy's name where it is another one. Not those whose answers differ for NaN with a sign or a payload.
OPERATORS = {"add": "add", "sub": "subtract", "mul": "multiply", "max": "maximum", "min": "minimum", "less": "less",
             "equal": "equal", "where": "where", "neg": "negative", "div": "true_divide", "atan2": "arctan2", "hypot": "hypot",
             "logical_and": "logical_and", "bitwise_xor": "bitwise_xor"}


def view(generator, block, shape, dtype):
    """Return a view of a block whose elements are apart, or None where there is no room for it."""
    dtype, strides, offset = np.dtype(dtype), [0] * len(shape), 0
    step = dtype.itemsize * int(generator.integers(1, 3)) + int(generator.integers(0, 3) * (generator.random() < 0.2))
    for axis in generator.permutation(len(shape)):
        strides[axis] = step
        step *= max(shape[axis], 1)
    for axis, dim in enumerate(shape):
        if generator.random() < 0.3:
            offset += strides[axis] * max(dim - 1, 0)
            strides[axis] = -strides[axis]
    room = len(block) - step - dtype.itemsize
    if room <= 0:
        return None
    return np.ndarray(shape, dtype, buffer=block, offset=offset + int(generator.integers(0, room)), strides=strides)


def close(got, want):
    tolerance = {2: 2e-3, 4: 1e-5, 8: 1e-12}[want.dtype.itemsize] if want.dtype.kind == "f" else 0
    return np.allclose(got, want, rtol=tolerance, atol=1e-30 if tolerance else 0, equal_nan=True)


def one_case(generator):
    """Compute one operator on views, into a new array and into a view that may lie on them; say what was wrong."""
    block = bytearray(generator.bytes(3000))
    shape = tuple(int(dim) for dim in generator.integers(0, 5, generator.integers(0, 4)))
    ours = generator.choice(list(OPERATORS))
    operator, views = getattr(bx, ours), []
    for k in range(operator.nin):
        own = tuple(1 if generator.random() < 0.25 else dim for dim in shape)
        own = own[int(generator.integers(0, len(shape) + 1)) if generator.random() < 0.3 else 0 :]
        views.append(view(generator, block, own, "bool" if ours == "where" and k == 0 else generator.choice(DTYPES)))
    if any(one is None for one in views):
        return None
    copies = [one.copy() for one in views]
    for copy in copies:
        if copy.dtype == bool:
            copy[...] = copy.view("u1") != 0
    try:
        want = reference.answer(OPERATORS[ours], *copies)
    except TypeError:
        with pytest.raises(TypeError):
            operator(*views)
        return None
    got = operator(*views)
    if (got.dtype, got.shape) != (want.dtype, want.shape) or not close(got, want):
        return ours, copies, want, got
    out = view(generator, block, want.shape, want.dtype)
    if out is None:
        return None
    mask = generator.random(want.shape) < 0.5 if generator.random() < 0.4 and ours != "where" else True
    want = np.where(mask, want, out.copy())
    operator(*views, out=out, where=mask)
    return None if close(out, want) else (ours, copies, want, out)


@pytest.mark.parametrize("seed", range(4))
def test_random_views(seed):
    generator = np.random.default_rng(seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for case in range(1500):
            wrong = one_case(generator)
            assert wrong is None, (seed, case, wrong)
