"""Compare the element-wise functions of the array API standard with array_api_strict."""

import numpy as np
import pytest
from conftest import sample
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import broadaxe as bx

strict = pytest.importorskip("array_api_strict")

# Ours for the standard's name where it is another one.
NAMES = {"bitwise_invert": "bitwise_not", "divide": "div", "floor_divide": "div_floor", "pow": "pow", "remainder": "mod_floor",
         "bitwise_left_shift": "shift_left", "bitwise_right_shift": "shift_right", "negative": "neg", "multiply": "mul",
         "subtract": "sub"}
STANDARD = """abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or
bitwise_right_shift bitwise_xor ceil copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot
isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum
minimum multiply negative not_equal pow reciprocal remainder round sign sin sinh square sqrt subtract tan tanh trunc""".split()
REALS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]


def test_the_names_are_there():
    assert [name for name in STANDARD if not hasattr(bx, NAMES.get(name, name))] == []


@pytest.mark.parametrize("name", STANDARD)
@settings(max_examples=25, deadline=None)
@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3), st.sampled_from(["bool", *REALS]), st.integers(0, 9))
def test_results_are_the_standards(name, pair, dtype, seed):
    theirs, ours = getattr(strict, name), getattr(bx, NAMES.get(name, name))
    arrays = [sample(dtype, shape, seed + k) for k, shape in enumerate(pair.input_shapes)][: ours.nin]
    if name in ("pow", "bitwise_left_shift", "bitwise_right_shift") and arrays[1].dtype.kind in "if":
        arrays[1] = np.abs(arrays[1])
    with np.errstate(all="ignore"):
        try:
            want = theirs(*(strict.asarray(array) for array in arrays))
        except TypeError:
            # The standard leaves the dtype out.
            return
        want = np.asarray(want._array)
    got = np.asarray(ours(*arrays))
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-5 if want.dtype == "f4" else 1e-12)
