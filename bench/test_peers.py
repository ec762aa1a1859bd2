"""Tests what bench/peers.py calls a wrong result."""

import numpy as np
import pytest

import peers


def check(folder, expression, a, got, tolerance=2e-2):
    a.tofile(folder / "a")
    operand = {"name": "a", "dtype": "f32", "shape": list(a.shape), "layout": "contiguous"}
    work = peers.Work({"expression": expression, "operands": [operand], "result": "f32", "tolerance": tolerance,
                       "save": str(folder)})  # fmt: skip
    return work.check(np.asarray(got, "f4"))


# The tangent of this number is 314966.64, of which one ULP is 1/32.
STEEP = np.array([0.5, 1.5707932], "f4")


def exact(function, a):
    return function(a.astype("f8")).astype("f4")


def test_a_result_that_an_ulp_explains_is_right(tmp_path):
    tangent = np.nextafter(exact(np.tan, STEEP), np.float32(-np.inf))
    assert not check(tmp_path, "sin(tan(a))", STEEP, exact(np.sin, tangent)).startswith("wrong")


@pytest.mark.parametrize("at", [0, 1])
def test_a_larger_error_is_wrong(tmp_path, at):
    got = exact(np.sin, exact(np.tan, STEEP))
    got[at] += 0.2
    assert check(tmp_path, "sin(tan(a))", STEEP, got).startswith("wrong: off by")


@pytest.mark.parametrize("got, want", [([1.0, 2.0], "exact"), ([1.0, 2.1], "wrong: off by 0.05"), ([1.0, np.nan], "wrong: NaN"),
                                       ([1.0], "wrong: 1 of"), ([1.0, np.inf], "wrong: off by inf")])  # fmt: skip
def test_results_without_functions_have_the_tolerance(tmp_path, got, want):
    assert check(tmp_path, "a * 2", np.array([0.5, 1.0], "f4"), got).startswith(want)


def test_without_a_tolerance_every_bit_counts(tmp_path):
    a = np.array([1.0, 2.0], "f4")
    assert check(tmp_path, "a * 2", a, [2.0, 4.0], 0) == "exact"
    assert check(tmp_path, "a * 2", a, [2.0, np.nextafter(np.float32(4), np.float32(5))], 0) == "wrong: first at 1"
