"""Compare reductions with NumPy's: keywords, dtypes, masks, NaN, empty axes, classes."""

import functools
import itertools
import warnings

import numpy as np
import pytest
from conftest import DTYPES, sample
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import broadaxe as bx

PLAIN = ["sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin"]
SPREAD = ["var", "std"]
NAN = ["nansum", "nanprod", "nanmean", "nanmax", "nanmin", "nanvar", "nanstd"]
MASKED = [name for name in PLAIN + SPREAD + NAN if not name.startswith("arg")]
STARTED = ["sum", "prod", "max", "min", "nansum", "nanprod", "nanmax", "nanmin"]
# NumPy adds halves up in halves where their axis is not the fastest; here they are added in f32.
CLOSE = {"float16": 1e-1, "float32": 1e-4, "float64": 1e-12}


def ask(function, *args, **kwargs):
    """Call and return the result, or the class of the exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError, OverflowError) as error:
            return next(kind for kind in (TypeError, ValueError, OverflowError) if isinstance(error, kind))


def agree(name, *args, **kwargs):
    """Compare a reduction with NumPy's."""
    want, got = ask(getattr(np, name), *args, **kwargs), ask(getattr(bx, name), *args, **kwargs)
    if isinstance(want, type) or isinstance(got, type):
        assert want is got, (name, kwargs, want, got)
        return
    assert type(got) is type(want) and got.dtype == want.dtype and got.shape == want.shape, (name, kwargs, want, got)
    close = CLOSE.get(got.dtype.name, 0)
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=close, atol=close, err_msg=f"{name} {kwargs}")


@st.composite
def arrays(draw, dtypes=DTYPES):
    """Make an array of any rank, dtype, byte order and layout."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    array = sample(dtype, [2 * dim for dim in shape], draw(st.integers(0, 5)))
    if dtype.kind == "f" and draw(st.booleans()):
        array = np.where(np.random.default_rng(1).random(array.shape) < 0.3, np.nan, array).astype(dtype)
    array = np.asarray(array)[tuple(slice(None, None, draw(st.sampled_from([2, -2]))) for _ in shape)]
    kind = draw(st.sampled_from(["C", "F", ">", "T"]))
    if kind == "F":
        return np.asfortranarray(array)
    if kind == ">":
        return array.astype(dtype.newbyteorder(">"))
    return array.T if kind == "T" else array


def axes(draw, rank):
    """Choose None, an axis, or several."""
    if rank == 0:
        return draw(st.sampled_from([None, ()]))
    some = st.lists(st.integers(-rank, rank - 1), unique_by=lambda i: i % rank, max_size=rank).map(tuple)
    return draw(st.one_of(st.none(), st.integers(-rank, rank - 1), some))


@pytest.mark.parametrize("name", PLAIN + SPREAD + NAN)
@settings(max_examples=60, deadline=None)
@given(array=arrays(), data=st.data())
def test_reductions_are_numpys(name, array, data):
    if name in ("prod", "nanprod"):
        array = np.sign(array) * (np.abs(array) > 2) + (array == array) if array.dtype.kind != "b" else array
    axis = axes(data.draw, array.ndim)
    if array.size == 0 and name.removeprefix("nan") in ("max", "min", "argmax", "argmin"):
        # A result of no elements needs none; NumPy refuses it where a folded axis is empty.
        return
    keywords = {"keepdims": data.draw(st.booleans())}
    if name.startswith("arg"):
        axis = axis if not isinstance(axis, tuple) else None
    elif data.draw(st.booleans()):
        shape = data.draw(st.sampled_from([array.shape, array.shape[1:], (1,) * array.ndim]))
        keywords["where"] = np.random.default_rng(2).random(shape) < 0.6
    if name in STARTED and data.draw(st.booleans()):
        keywords["initial"] = data.draw(st.sampled_from([0, 1, 2]))
    if name in ("var", "std", "nanvar", "nanstd"):
        keywords[data.draw(st.sampled_from(["ddof", "correction"]))] = data.draw(st.sampled_from([0, 1, 0.5, 2]))
    agree(name, array, axis=axis, **keywords)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "nansum", "nanmean", "var", "std"])
@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_the_dtype_asked_for_is_the_results(name, dtype):
    spread = name in SPREAD
    for own in DTYPES:
        if spread and np.dtype(dtype).kind != "f":
            with pytest.raises(TypeError, match="computed in floats"):
                getattr(bx, name)(sample(own, (2, 3)), dtype=dtype)
            continue
        array = np.abs(sample(own, (2, 3))) if own != "bool" else sample(own, (2, 3))
        for axis in (None, 0, 1):
            agree(name, array, axis=axis, dtype=dtype)


def test_sums_wrap_as_their_dtype_does():
    array = np.array([100, 100, 100], "i1")
    for dtype in ("i1", "u1", "i2", "f2", bool):
        agree("sum", array, dtype=dtype)
        agree("prod", array, dtype=dtype)


@pytest.mark.parametrize("name", [name for name in PLAIN + SPREAD + NAN])
def test_outputs(name):
    for own in ("i4", "f4", "f8", "?"):
        array = sample(own, (3, 4))
        for dtype in ("i2", "f4", "f8", ">f4"):
            if name.startswith("arg") and dtype != "i8":
                continue
            want, got = np.zeros(4, dtype), np.zeros(4, dtype)
            with np.errstate(all="ignore"):
                answer = ask(getattr(np, name), array, axis=0, out=want)
            if isinstance(answer, type):
                continue
            assert getattr(bx, name)(array, axis=0, out=got) is got
            np.testing.assert_allclose(got, want, rtol=1e-4, err_msg=f"{name} {own} {dtype}")
    out = np.zeros((1, 4), "i8" if name.startswith("arg") else "f8")
    assert getattr(bx, name)(np.ones((3, 4)), axis=0, out=out, keepdims=True) is out
    with pytest.raises(ValueError, match=r"output array has shape \(3,\); the reduction .* gives \(4,\)"):
        getattr(bx, name)(np.ones((3, 4)), axis=0, out=np.zeros(3))


def test_nothing():
    for shape, axis in [((0,), None), ((2, 0), 1), ((2, 0), 0), ((0, 2), (0, 1))]:
        for name in PLAIN + SPREAD + NAN:
            if name.startswith("arg") and axis == (0, 1):
                continue
            agree(name, np.ones(shape), axis=axis)
        for name in STARTED:
            agree(name, np.ones(shape), axis=axis, initial=3)
    agree("max", np.ones(0), initial=None)
    with pytest.raises(ValueError, match="does not have an identity"):
        bx.max(np.ones(3), where=[True, False, True])


def test_starts():
    array = np.array([1, 2], "i1")
    for name in ("max", "min", "sum", "prod"):
        for initial in (3, 3.5, -1, None, np.int64(5)):
            agree(name, array, initial=initial)
    for name in ("max", "min"):
        agree(name, array, initial=300)
    agree("sum", np.ones(3), initial=None, where=[True, False, True])
    agree("sum", np.ones(3), initial=np._NoValue)


def test_axes():
    array = np.ones((2, 3))
    for axis in ((), (0, 1), (-1, 0), np.int64(1), 2, -3, (0, 0), (1, -1), 1.5, "0"):
        for name in ("sum", "max", "mean", "any", "var", "nanmax"):
            agree(name, array, axis=axis)
    for axis in (0, -1, 1, None):
        agree("sum", np.float64(3), axis=axis)
    with pytest.raises(np.exceptions.AxisError):
        bx.var(array, axis=2)


def test_positions_and_keywords_are_numpys():
    array = np.arange(6.0).reshape(2, 3)
    out = np.zeros(3)
    assert bx.prod(array, 0, None, out) is out and bx.any(array, 1, None, True).shape == (2, 1)
    assert bx.var(array, 0, "f4", None, 1).dtype == np.float32 and bx.nansum(array, 0, "f4").dtype == np.float32
    assert bx.std(array, axis=0, mean=array.mean(0, keepdims=True)).tolist() == [1.5] * 3
    cases = [
        (lambda: bx.argmax(array, where=array > 0), "argmax.. of one operand got an unexpected keyword argument 'where'"),
        (lambda: bx.mean(array, initial=1), "unexpected keyword argument 'initial'"),
        (lambda: bx.max(array, dtype="f4"), "unexpected keyword argument 'dtype'"),
        (lambda: bx.var(array, 0, None, None, 0, False, True, None, None, 1), "at most 9 operands"),
        (lambda: bx.prod(array, 0, None, dtype="f4"), "multiple values"),
        (lambda: bx.sum(array, where=np.array([1, 0, 1])), "bool"),
    ]
    for call, text in cases:
        with pytest.raises(TypeError, match=text):
            call()
    with pytest.raises(ValueError, match="ddof and correction"):
        bx.var(array, ddof=1, correction=1)
    with pytest.raises(ValueError, match="does not broadcast to the array's shape"):
        bx.sum(np.ones(3), where=np.ones((2, 3), bool))


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([1, 2, np.nan, 4], ml_dtypes.bfloat16)
    assert bx.nansum(array).dtype == array.dtype and float(bx.nansum(array)) == 7 and float(bx.nanmax(array)) == 4
    assert bx.sum(array[:2], dtype="f4").dtype == np.float32 and float(bx.var(array[:2])) == 0.25


def test_variances_are_fused_and_exact():
    array = np.random.default_rng(0).normal(1e6, 1, (50, 1000)).astype("f8")
    np.testing.assert_allclose(bx.var(array, axis=1), np.var(array, axis=1), rtol=1e-9)
    halves = np.full(3000, 60.0, "f2")
    assert bx.var(halves) == 0 and bx.mean(halves) == 60 and bx.std(halves).dtype == np.float16


def test_classes_answer_or_stay():
    masked = np.ma.array([[1.0, 2, 3], [4, 5, 6]], mask=[[0, 1, 0], [0, 1, 1]])
    for name in PLAIN + SPREAD + ["nansum", "nanmax"]:
        for axis in (None, 0):
            want, got = ask(getattr(np, name), masked, axis=axis), ask(getattr(bx, name), masked, axis=axis)
            assert type(got) is type(want) and str(got) == str(want), name

    class Own(np.ndarray):
        pass

    own = np.arange(6.0).reshape(2, 3).view(Own)
    for name in PLAIN + SPREAD:
        for axis in (None, 0):
            want, got = getattr(np, name)(own, axis=axis), getattr(bx, name)(own, axis=axis)
            if axis == 0:
                assert type(got) is Own
            np.testing.assert_allclose(np.asarray(got), np.asarray(want))
    for name in ("argmax", "argmin"):
        assert type(getattr(bx, name)(own)) is type(getattr(bx, name)(own[0], axis=0)) is np.intp
    assert isinstance(bx.sum(np.matrix([[1, 2]]), axis=1), np.matrix)
    pd = pytest.importorskip("pandas")
    assert type(bx.sum(pd.DataFrame({"a": [1.0, 2.0]}), axis=0)) is pd.Series and bx.max(pd.Series([1.0, 2.0])) == 2


def test_tensors_and_lists():
    assert bx.sum([[1, 2], [3, 4]], axis=0).tolist() == [4, 6] and bx.sum(3) == 3 and bx.any([]) == False  # noqa: E712
    torch = pytest.importorskip("torch")
    tensor = torch.ones(2, 3)
    for got in (bx.sum(tensor, axis=1), bx.add.reduce(tensor, axis=1), bx.subtract.reduce(tensor, axis=1) + 4):
        assert isinstance(got, torch.Tensor) and got.tolist() == [3, 3]
    assert bx.var(tensor) == 0 and bx.argmax(tensor, axis=0).dtype == torch.int64


METHODS = ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power", "maximum", "minimum", "fmax", "fmin",
           "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "logical_and", "logical_or", "logical_xor", "less", "equal",
           "arctan2", "hypot", "logaddexp", "copysign", "heaviside"]  # fmt: skip
# NumPy's own loops of these read what they have just written, where the axis is the fastest, so that it is asked step by step.
STEPWISE = ("power", "arctan2")


def compare(want, got, text):
    """Compare results, or classes of exceptions."""
    if isinstance(want, type) or isinstance(got, type):
        assert want is got, (text, want, got)
        return
    assert type(got) is type(want) and got.dtype == want.dtype and got.shape == want.shape, (text, want, got)
    close = CLOSE.get(got.dtype.name, 0)
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=close, atol=close * 1e-2, err_msg=str(text))


def small(dtype, shape, seed=0):
    """Make an array of 1 to 3, or of bools."""
    values = np.random.default_rng(seed).integers(0 if dtype == "bool" else 1, 2 if dtype == "bool" else 4, shape)
    return values.astype(dtype)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "uint16", "uint64", "float16", "float32", "float64"])
def test_reduce_and_accumulate(name, dtype):
    ours, numpys = getattr(bx, name), getattr(np, name)
    array = small(dtype, (3, 4)) % (3 if "shift" in name else 4) if dtype != "bool" else small(dtype, (3, 4))
    keywords = [{}, {"axis": 1}, {"axis": None}, {"axis": (0, 1)}, {"keepdims": True}, {"axis": -1, "initial": 1}, {"dtype": "f8"},
                {"dtype": "i8"}, {"axis": -1, "initial": 1, "where": array > 1}, {"where": array > 1}, {"axis": 5},
                {"axis": ()}, {"axis": (0,), "keepdims": True, "initial": None}]  # fmt: skip
    for given in keywords:
        if name in ("floor_divide", "remainder") and dtype == "bool":
            return
        if name in STEPWISE and ("where" in given or given.get("axis", 0) not in (0, (0,))):
            continue
        compare(ask(numpys.reduce, array, **given), ask(ours.reduce, array, **given), (name, dtype, given))
    compare(ask(numpys.reduce, array[:0]), ask(ours.reduce, array[:0]), (name, dtype, "empty"))
    for given in ({}, {"axis": 1}, {"axis": None}, {"dtype": "f8"}):
        compare(ask(numpys.accumulate, array, **given), ask(ours.accumulate, array, **given), (name, dtype, given))
        compare(ask(numpys.accumulate, array[0], **given), ask(ours.accumulate, array[0], **given), (name, dtype, given))
    for given in ({}, {"dtype": "f8"}) if name in STEPWISE else ({}, {"axis": 1}, {"dtype": "f8"}):
        want, got = (ask(function.reduceat, array, [0, 2, 1, 1], **given) for function in (numpys, ours))
        compare(want, got, (name, dtype, "reduceat", given))


@pytest.mark.parametrize("name", STEPWISE)
def test_folds_go_from_the_first_to_the_last(name):
    array = small("float64", (3, 5))
    want = functools.reduce(getattr(np, name), array.T)
    np.testing.assert_allclose(getattr(bx, name).reduce(array, axis=1), want, rtol=1e-12)


def test_outputs_of_methods():
    array = small("int32", (3, 4))
    for method, shape in (("reduce", (4,)), ("accumulate", (3, 4))):
        for name in ("add", "subtract", "maximum", "hypot"):
            for dtype in ("i4", "i2", "f4", ">f8"):
                want, got = np.zeros(shape, dtype), np.zeros(shape, dtype)
                answer = ask(getattr(getattr(np, name), method), array, out=want)
                if isinstance(answer, type):
                    continue
                assert getattr(getattr(bx, name), method)(array, out=got) is got
                np.testing.assert_allclose(got, want, rtol=1e-5, err_msg=f"{name} {method} {dtype}")
    assert bx.add.accumulate(array, 0, None, array) is array


def test_accumulate_is_sequential():
    array = np.random.default_rng(0).normal(size=3000).astype("f4")
    np.testing.assert_array_equal(bx.add.accumulate(array), np.add.accumulate(array))
    np.testing.assert_array_equal(bx.multiply.accumulate(array[:50]), np.multiply.accumulate(array[:50]))
    for name in ("add", "subtract", "multiply"):
        line = np.array([1e300, 1e300, -np.inf, np.inf, np.nan, 0.1, -0.0])[::-1]
        for doubles in (line, line[:, None], line[None], line[:0], array.astype("f8")[:100]):
            with np.errstate(all="ignore"):
                want = getattr(np, name).accumulate(doubles)
            np.testing.assert_array_equal(getattr(bx, name).accumulate(doubles), want)
    whole = np.arange(1000, dtype="i8") * 2**50
    np.testing.assert_array_equal(bx.add.accumulate(whole), np.add.accumulate(whole))
    np.testing.assert_array_equal(bx.maximum.accumulate(array), np.maximum.accumulate(array))


def test_pieces_begin_with_their_first_element():
    for name in ("hypot", "add", "subtract", "logical_and"):
        array = np.array([-2.0, -0.0, 3.0, -4.0])
        want, got = (getattr(module, name).reduceat(array, [0, 1, 2]) for module in (np, bx))
        compare(want, got, name)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(want), name)


@pytest.mark.parametrize("name", ["less", "equal", "greater", "logical_and"])
def test_truths_are_folded_into_any_output(name):
    # Step by step: which outputs the method of NumPy accepts depends on calls before it.
    operator, array = getattr(bx, name), np.array([True, False, True])
    want = list(itertools.accumulate(array, getattr(np, name)))
    for out in ("?", "u1", "f4"):
        assert operator.reduce(array, out=np.zeros((), out)) == want[-1]
        assert operator.accumulate(array, out=np.zeros(3, out)).tolist() == want


def test_folds_of_no_axis_have_any_rank():
    array = np.ones([1] * 64, "i4")
    for name in ("logical_xor", "gcd", "hypot", "subtract"):
        for axis in ((), 0, 63):
            compare(ask(getattr(np, name).reduce, array, axis=axis), ask(getattr(bx, name).reduce, array, axis=axis), (name, axis))


def test_outer():
    for a, b in [(small("i4", (2, 3)), small("i4", (2,))), (small("i1", 2), 3), (1, 2), ([1, 2], [3.0]), (small("f4", ()), small("f4", 3))]:
        for name in ("add", "less", "divide", "arctan2"):
            compare(ask(getattr(np, name).outer, a, b), ask(getattr(bx, name).outer, a, b), (name, a, b))
    assert bx.add.outer(np.ones(2), np.ones(3), dtype="f4").dtype == np.float32
    assert bx.add.outer(np.ones(2), np.ones(3), out=(out := np.zeros((2, 3)))) is out
    masked = np.ma.array([1, 2], mask=[0, 1])
    assert type(bx.add.outer(masked, np.ones(2))) is type(np.add.outer(masked, np.ones(2)))
    with pytest.raises(ValueError, match="only supported for binary"):
        bx.negative.outer(1, 2)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_at(data):
    name = data.draw(st.sampled_from(["add", "subtract", "multiply", "maximum", "divide", "logical_xor", "negative", "sqrt"]))
    dtype = data.draw(st.sampled_from(["int8", "int32", "float32", "float64"]))
    ours, numpys = getattr(bx, name), getattr(np, name)
    base = small(dtype, (6, 8))[::2, ::-2]
    indices = data.draw(st.sampled_from(["one", "two", "slice", "mask", "none"]))
    counts = st.lists(st.integers(-3, 2), min_size=0, max_size=12)
    if indices == "one":
        at = np.array(data.draw(counts), np.intp)
    elif indices == "two":
        rows = data.draw(counts)
        at = (rows, [data.draw(st.integers(0, 3)) for _ in rows]) if rows else ([0, 0], [1, 1])
    else:
        at = {"slice": (slice(None), 1), "mask": base > 1, "none": ()}[indices]
    number = np.arange(base.size).reshape(base.shape)[at]
    args = ()
    if ours.nin == 2:
        kind = data.draw(st.sampled_from(["number", "array", "float"]))
        args = {"number": (2,), "array": (small(dtype, np.shape(number), 3),), "float": (1.5,)}[kind]
    want, got = base.copy(), np.zeros((6, 8), dtype)[::2, ::-2]
    got[...] = base
    outcome = ask(numpys.at, want, at, *args), ask(ours.at, got, at, *args)
    compare(want, got, (name, dtype, at, args, outcome))


def test_at_counts_every_time():
    ours, numpys = np.zeros(5, "f4"), np.zeros(5, "f4")
    places = np.random.default_rng(0).integers(0, 5, 2000)
    parts = np.random.default_rng(1).normal(size=2000).astype("f4")
    bx.add.at(ours, places, parts)
    np.add.at(numpys, places, parts)
    np.testing.assert_array_equal(ours, numpys)


def test_methods_that_are_refused():
    array = np.ones((2, 3))
    readonly = np.ones(3)
    readonly.flags.writeable = False
    cases = [
        (lambda m: m.negative.reduce(array), ValueError, "only supported for binary"),
        (lambda m: m.sqrt.accumulate(array), ValueError, "only supported for binary"),
        (lambda m: m.sqrt.reduceat(array, [0]), ValueError, "only supported for binary"),
        (lambda m: m.subtract.reduce(array, axis=(0, 1)), ValueError, "not reorderable"),
        (lambda m: m.subtract.reduce(array[:0]), ValueError, "no identity"),
        (lambda m: m.subtract.reduce(array, where=array > 0), ValueError, "does not have an identity"),
        (lambda m: m.less.reduce(array), TypeError, "loop"),
        (lambda m: m.add.accumulate(np.float64(1)), TypeError, "cannot accumulate on a scalar"),
        (lambda m: m.add.accumulate(array, axis=(0, 1)), ValueError, "does not allow multiple axes"),
        (lambda m: m.add.reduceat(array, [0, 2]), IndexError, "out-of-bounds in add.reduceat"),
        (lambda m: m.add.reduceat(array, [-1]), IndexError, "out-of-bounds in add.reduceat"),
        (lambda m: m.add.at([1, 2], [0], 1), TypeError, "first operand must be array"),
        (lambda m: m.add.at(np.ones(2), [0]), ValueError, "second operand needed"),
        (lambda m: m.negative.at(np.ones(2), [0], 1), ValueError, "second operand provided"),
        (lambda m: m.add.at(np.ones(2), [5], 1), IndexError, "out of bounds"),
        (lambda m: m.bitwise_xor.at(np.ones(2), np.empty(0, int), 1), TypeError, "not supported|refused"),
        (lambda m: m.add.at(np.ones(2), [0, 1], [1, 2, 3]), ValueError, "not broadcastable to correct shape"),
    ]
    for call, kind, text in cases:
        for module in (np, bx):
            with pytest.raises(kind, match=text):
                call(module)
    # NumPy writes into them.
    with pytest.raises(ValueError, match="read-only"):
        bx.add.at(readonly, [0], 1)
    with pytest.raises(ValueError, match="the mean of a mean"):
        bx.mean.reduce(array)
    with pytest.raises(ValueError, match="unary and binary"):
        bx.where.at(np.ones(2), [0], 1)


def test_methods_are_handed_to_classes():
    class Own(np.ndarray):
        pass

    class Greedy(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return ufunc, method, len(inputs), sorted(kwargs)

    own, greedy = np.ones((2, 3)).view(Own), np.ones(3).view(Greedy)
    assert type(bx.add.reduce(own)) is Own and type(bx.subtract.accumulate(own)) is Own and type(bx.add.outer(own, 1)) is Own
    assert bx.sum(greedy) == (bx.add, "reduce", 1, ["axis"])
    # The class answers each step of a variance, and with what this one answers NumPy cannot go on.
    for module in (np, bx):
        with pytest.raises(ValueError, match="inhomogeneous"):
            module.var(greedy)
    assert bx.add.reduce(greedy, axis=None) == (bx.add, "reduce", 1, ["axis"])
    assert bx.subtract.accumulate(greedy)[:2] == (bx.subtract, "accumulate")
    assert bx.add.outer(greedy, 1) == (bx.add, "outer", 2, [])
    assert bx.add.at(greedy, [0], 1)[1:3] == ("at", 3)
    assert bx.subtract.reduce(np.ones(3), out=np.ones(()).view(Greedy))[3] == ["axis", "out"]
