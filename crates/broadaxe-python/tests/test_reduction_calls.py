"""Starts, outputs and axes of reductions, as NumPy reads them."""

import itertools
import pickle

import numpy as np
import pytest

import broadaxe as bx

ABSENT = object()


def answer(function, *args, **kwargs):
    """Call and return dtype, shape and text of the result, which shows the sign of zeros; or the class of the exception."""
    with np.errstate(all="ignore"):
        try:
            result = np.asarray(function(*args, **kwargs))
        except (TypeError, ValueError) as error:
            return TypeError if isinstance(error, TypeError) else ValueError
    return result.dtype, result.shape, str(result)


def starts(name, array, axis, where, initial):
    keywords = {"axis": axis}
    keywords |= {} if where is None else {"where": where}
    return keywords | ({} if initial is ABSENT else {"initial": initial})


CASES = [
    (np.empty(0), None), (np.empty(0, "f2"), None), (np.empty(0, "f4"), [True]), (np.empty(0, "i2"), None), (np.empty(0, bool), None),
    (np.array([-0.0]), None), (np.array([-0.0, -0.0]), None), (np.array([0.0, -0.0]), None), (np.array([3.0, -0.0]), None),
    (np.array([-0.0, 1]), [True, False]), (np.array([-0.0, 1]), [False, False]), (np.array([2, 3]), [False, False]),
    (np.array([2, 3], "i1"), None), (np.empty((0, 3)), None), (np.empty((3, 0)), None), (np.array([[-0.0, 1], [-0.0, 2]]), [True, False]),
]  # fmt: skip


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_starts_are_folded_as_in_numpy(name):
    theirs, ours = getattr(np, name), getattr(bx, name)
    join = {"sum": bx.add, "prod": bx.multiply, "max": bx.maximum, "min": bx.minimum}[name]
    ufunc = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[name]
    for (array, where), axis, initial in itertools.product(CASES, (None, 0, -1), (-0.0, 0.0, 1, None)):
        if name in ("max", "min") and 0.0 in (initial, array.sum()) and -0.0 in array.ravel().tolist():
            continue  # Which zero is the larger is not defined.
        keywords = starts(name, array, axis, where, initial)
        want = answer(theirs, array, **keywords)
        if want is ValueError and name in ("max", "min") and array.size == 0 and 0 in np.sum(array, axis=axis).shape:
            continue
        assert answer(ours, array, **keywords) == want, (array, keywords)
        assert answer(join.reduce, array, **keywords) == answer(ufunc.reduce, array, **keywords), (array, keywords)
        assert answer(ours, array, dtype="f4", **keywords) == answer(theirs, array, dtype="f4", **keywords) or name in ("max", "min")


def test_no_start_means_no_identity():
    for name in ("add", "multiply", "logical_or", "logical_and", "maximum", "minimum", "hypot", "bitwise_or"):
        operator, empty = getattr(bx, name), np.empty(0, int if name == "bitwise_or" else float)
        with pytest.raises(ValueError, match="no identity"):
            operator.reduce(empty, initial=None)
        with pytest.raises(ValueError, match="does not have an identity"):
            operator.reduce(np.ones(2, empty.dtype), initial=None, where=[True, False])
        assert operator.reduce(np.ones(1, empty.dtype), initial=None) == 1
        assert operator.reduce(np.ones((0, 0), empty.dtype), initial=None).shape == (0,)
    assert bx.nansum([np.nan], initial=None) == 0 and bx.nanprod([np.nan], initial=None) == 1
    for fold in (bx.sum, bx.prod, bx.nansum, bx.nanprod):
        with pytest.raises(ValueError, match="no identity"):
            fold([], initial=None)


def test_outputs_are_arrays():
    a = np.ones((2, 3))
    for call in (bx.sum, bx.prod, bx.var, bx.add.reduce, bx.fmax.reduce, bx.add.accumulate, bx.argmax):
        for out in ("text", 5, [1.0, 2.0, 3.0]):
            with pytest.raises(TypeError, match=f"out must be an array of NumPy's.* not {type(out).__name__}"):
                call(a, axis=0, out=out)
    with pytest.raises(TypeError, match="out must be an array of NumPy's.* not str"):
        bx.add(a, a, out="text")


@pytest.mark.parametrize("name", ["sum", "max", "min", "mean", "prod", "any", "all", "var", "nansum"])
def test_a_second_operand_that_is_an_integer_is_the_axis(name):
    ours, theirs = getattr(bx, name), getattr(np, name)
    for array in (np.arange(24.0).reshape(2, 3, 4), np.arange(6).reshape(1, 2, 3)[..., ::-1], [[[1, 2], [3, 4]]]):
        for axis in (0, 1, -1, None, (0, 2), np.int64(1), np.uint8(2), ()):
            np.testing.assert_allclose(ours(array, axis), theirs(array, axis))
            np.testing.assert_allclose(ours(array, axis, keepdims=True), theirs(array, axis, keepdims=True))
        out = np.zeros(np.shape(theirs(array, 0)), np.asarray(theirs(array, 0)).dtype)
        assert ours(array, 0, out=out) is out
        np.testing.assert_allclose(out, theirs(array, 0))
    with pytest.raises(np.exceptions.AxisError):
        ours(np.ones(2), 5)


@pytest.mark.parametrize("name, joined", [("sum", "add(a, 0)"), ("max", "maximum(a, 0)"), ("min", "minimum(a, 0)"), ("mean", "divide(add(a, 0), 2)")])
def test_what_joins_and_what_folds(name, joined):
    a, fold = np.array([[1.0, -2.0], [3.0, -4.0]]), getattr(bx, name)
    functions = {"add": bx.add, "maximum": bx.maximum, "minimum": bx.minimum, "divide": bx.divide, "a": a}
    # What the message names is what joining gives.
    np.testing.assert_array_equal(eval(joined, functions), fold(a, np.zeros(2)))
    for call in (lambda: fold(a, 0, rule="numpy"), lambda: fold(a, 0, a), lambda: fold(a, 0, out=None, rule="pdpd")):
        with pytest.raises(TypeError) as caught:
            call()
        assert f"write {name}(a, axis=0) to fold axes, or {joined} to join" in str(caught.value)
    with pytest.raises(TypeError, match="multiple values for argument 'axis'"):
        fold(a, 0, axis=0)
    with pytest.raises(np.exceptions.AxisError, match=rf"write {name}\(a, axis=2\) to fold axes"):
        fold(a, 2)
    np.testing.assert_array_equal(fold(a, 0.0), eval(joined, functions))


def test_maximum_and_minimum_only_join():
    a = np.array([[1, -2], [3, -4]])
    for ours, theirs in ((bx.maximum, np.maximum), (bx.minimum, np.minimum)):
        for number in (0, 1, np.int64(-3)):
            np.testing.assert_array_equal(ours(a, number), theirs(a, number))
            np.testing.assert_array_equal(ours(number, a), theirs(number, a))
        assert pickle.loads(pickle.dumps(ours)) is ours
        np.testing.assert_array_equal(ours.reduce(a, axis=0), theirs.reduce(a, axis=0))
    assert bx.maximum is not bx.max and pickle.loads(pickle.dumps(bx.max)) is bx.max
    np.testing.assert_array_equal(bx.clip(a, 0, None), np.clip(a, 0, None))
    np.testing.assert_array_equal(bx.clip(a, None, 0), np.clip(a, None, 0))


def test_dask_arrays_take_the_axis_too():
    da = pytest.importorskip("dask.array")
    a = np.arange(12.0).reshape(3, 4)
    x = da.from_array(a, chunks=2)
    np.testing.assert_array_equal(bx.sum(x, 0).compute(), a.sum(0))
    np.testing.assert_array_equal(bx.max(x, 1).compute(), a.max(1))
    np.testing.assert_array_equal(bx.maximum(x, 5).compute(), np.maximum(a, 5))
