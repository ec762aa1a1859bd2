"""Random shapes and values compared with NumPy, and with the array API standard."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import broadaxe as bx

from .engines.numpy import BINARY
from .shapes import coded, small

strict = pytest.importorskip("array_api_strict")

# Ours for the standard's name where it is another one.
NAMES = {"bitwise_invert": "bitwise_not", "divide": "div", "floor_divide": "div_floor", "remainder": "mod_floor",
         "bitwise_left_shift": "shift_left", "bitwise_right_shift": "shift_right", "negative": "neg", "multiply": "mul",
         "subtract": "sub", "maximum": "max", "minimum": "min"}  # fmt: skip
STANDARD = """abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or
bitwise_right_shift bitwise_xor ceil copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot
isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum
minimum multiply negative not_equal pow reciprocal remainder round sign sin sinh square sqrt subtract tan tanh trunc""".split()
DTYPES = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"]
SHAPES = hnp.mutually_broadcastable_shapes
RUNS = settings(max_examples=60, deadline=None, database=None)


@RUNS
@given(SHAPES(num_shapes=2, min_dims=0, max_dims=6, min_side=0, max_side=3))
def test_elements_meet_as_in_numpy(pair):
    a, b = coded(pair.input_shapes)
    got = bx.sub(a, b)
    assert got.shape == pair.result_shape == bx.broadcast_shapes(*pair.input_shapes)
    np.testing.assert_array_equal(got, np.subtract(a, b))


@RUNS
@given(SHAPES(num_shapes=4, min_dims=0, max_dims=5, min_side=0, max_side=4))
def test_many_shapes_meet_as_in_numpy(group):
    assert bx.broadcast_shapes(*group.input_shapes) == group.result_shape
    for ours, theirs in zip(bx.broadcast_arrays(*coded(group.input_shapes)), np.broadcast_arrays(*coded(group.input_shapes))):
        np.testing.assert_array_equal(ours, theirs)


@RUNS
@given(st.lists(hnp.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=3), min_size=2, max_size=3))
def test_shapes_are_refused_as_by_numpy(group):
    try:
        want = np.broadcast_shapes(*group)
    except ValueError:
        with pytest.raises(ValueError, match="under numpy"):
            bx.broadcast_shapes(*group)
    else:
        assert bx.broadcast_shapes(*group) == want


@RUNS
@given(st.data(), SHAPES(num_shapes=2, max_dims=4, min_side=0, max_side=3), st.integers(0, 99))
def test_every_operator_is_numpys(data, pair, seed):
    name, theirs, dtypes = data.draw(st.sampled_from(BINARY))
    a, b = small(pair.input_shapes, data.draw(st.sampled_from(dtypes)), seed)
    want = np.asarray(getattr(np, theirs)(a, b))
    got = np.asarray(getattr(bx, name)(a, b))
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_allclose(got.astype("f8"), want.astype("f8"), rtol={2: 1e-2, 4: 1e-6}.get(want.dtype.itemsize, 1e-13))


@pytest.mark.parametrize("name", STANDARD)
@settings(max_examples=20, deadline=None, database=None)
@given(SHAPES(num_shapes=2, max_dims=5, min_side=0, max_side=3), st.sampled_from(DTYPES), st.integers(0, 99))
def test_element_wise_functions_are_the_standards(name, pair, dtype, seed):
    theirs, ours = getattr(strict, name), getattr(bx, NAMES.get(name, name))
    arrays = small(pair.input_shapes, dtype, seed)[: ours.nin]
    try:
        want = np.asarray(theirs(*(strict.asarray(array) for array in arrays))._array)
    except TypeError:
        # The standard leaves the dtype out.
        return
    got = np.asarray(ours(*arrays))
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-5 if want.dtype == "f4" else 1e-12)
