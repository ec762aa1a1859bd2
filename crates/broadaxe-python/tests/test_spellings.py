"""Every spelling of a call, first and again: kept plans give what the package computes without one, and what NumPy gives."""

import itertools

import numpy as np
import pytest
from conftest import sample

import broadaxe as bx
from broadaxe import _dispatch, _expressions, _reductions

DTYPES = ["bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64"]
OTHERS = [
    np.float32(1.5), np.float64(-2.5), np.float16(3), np.int8(-4), np.uint8(200), np.int64(3), np.bool_(True), 2, -1, 300, 2.5, float("nan"),
    True, [1, 2, 3], [[1.5], [2.0]], (True, False, True), [], np.array(2.0), np.array([], "f4"), np.array([1.0, 2, 3], ">f8"), [[1, 2], 3],
    np.str_("a"), np.datetime64(1, "D"), [np.float32(1), 2, 3],
]  # fmt: skip

pytestmark = pytest.mark.filterwarnings("ignore")


def outcome(function, out=None):
    """Return class, dtype, shape and bytes of the result and of the output, or class and text of the exception."""
    try:
        result = function()
    except Exception as error:
        return type(error).__name__, str(error), None if out is None else out.tobytes()
    made = np.asarray(result)
    return type(result), made.dtype, made.shape, made.strides, made.tobytes(), None if out is None else (result is out, out.tobytes())


def layouts(array):
    """Return an array in several layouts, among them without elements, of rank 0 and read-only."""
    wide = np.repeat(array, 2, -1) if array.ndim else array
    locked = array.copy()
    locked.flags.writeable = False
    return [array, wide[..., ::2], array[..., ::-1], array[:0], array.reshape(-1)[0:1].reshape(()), locked]


def differing(cases):
    """Return the first cases whose calls do not give what the package gives; some calls of them must succeed."""
    wrong, done = [], 0
    for case, fast, slow in cases:
        want = outcome(slow)
        # The plan of the first call answers the others.
        for got in (outcome(fast), outcome(fast), outcome(fast)):
            done += len(got) > 3
            if want != got:
                wrong.append((case, want, got))
    assert done > 100
    return wrong[:3]


def by_package(operator, args, out=None, **kwargs):
    """Answer a call of an operator without plans that are kept."""
    return _dispatch.compute(operator, args, out, kwargs)


@pytest.mark.parametrize("name", ["add", "maximum", "div", "power", "less", "arctan2", "bitwise_and", "mod"])
def test_scalars_and_lists(name):
    operator, cases = getattr(bx, name), []
    for dtype, other in itertools.product(DTYPES, OTHERS):
        for array in layouts(sample(dtype, (2, 3))):
            for args in ((array, other), (other, array)):
                cases.append((args, lambda a=args: operator(*a), lambda a=args: by_package(operator, a)))
    assert differing(cases) == []


def test_scalars_and_lists_are_promoted_as_in_numpy():
    wrong = []
    for dtype, other, name in itertools.product(DTYPES, OTHERS[:-4], ["add", "multiply", "maximum", "less", "arctan2"]):
        array = sample(dtype, (2, 3))
        try:
            want = getattr(np, name)(array, other)
        except Exception as error:
            want = error
        for _ in range(2):
            try:
                got = getattr(bx, name)(array, other)
            except Exception as error:
                got = error
            if isinstance(want, Exception) or isinstance(got, Exception):
                if type(want) is not type(got):
                    wrong.append((dtype, other, name, want, got))
            elif want.dtype != got.dtype or want.shape != got.shape or not np.allclose(want, got, rtol=1e-2, equal_nan=True):
                wrong.append((dtype, other, name, want, got))
    assert wrong == []


KEYWORDS = [
    {"dtype": "f8"}, {"dtype": np.float32}, {"dtype": np.dtype(">i8")}, {"dtype": int}, {"dtype": bool}, {"dtype": "U4"}, {"dtype": None},
    {"casting": "safe"}, {"casting": "no"}, {"casting": "unsafe"}, {"casting": "other"}, {"order": "F"}, {"order": "C"}, {"order": "X"},
    {"where": np.array([True, False, True])}, {"where": [False, True, False]}, {"where": np.array(True)}, {"where": np.True_}, {"where": False},
    {"where": [1, 0, 1]}, {"where": np.array([1, 0, 1])}, {"where": [True, False]}, {"dtype": "f4", "casting": "unsafe", "where": [True, False, True]},
    {"subok": False}, {"rule": "ncnn"}, {"rule": "onnx", "dtype": "f8"}, {"rule": "pdpd", "axis": 0, "casting": "safe"},
]  # fmt: skip


@pytest.mark.parametrize("name", ["add", "div", "less", "floor_divide", "sqrt"])
def test_keywords(name):
    operator, cases = getattr(bx, name), []
    for dtype, keywords in itertools.product(DTYPES, KEYWORDS):
        for array in layouts(sample(dtype, (2, 3))):
            for args in ((array,),) if operator.nin == 1 else ((array, array), (array, 2), (np.float32(2), array), (array, -1), (0.5, array)):
                cases.append(((args, keywords), lambda a=args, k=keywords: operator(*a, **k), lambda a=args, k=keywords: by_package(operator, a, **k)))
    assert differing(cases) == []


OUTPUTS = ["bool", "uint8", "int64", "float16", "float32", "float64"]


def outputs(dtype, base):
    """Return outputs of several layouts; the last three share memory with `base`, of which they see every byte or a part."""
    made = [np.zeros((2, 3), dtype), np.zeros((3, 2), dtype).T, np.zeros((2, 6), dtype)[:, ::2], np.zeros((4, 2, 3), dtype), np.zeros(3, dtype)]
    locked = np.zeros((2, 3), dtype)
    locked.flags.writeable = False
    memory = base.base.view("u1")
    shared = [memory[start : start + 6 * np.dtype(dtype).itemsize].view(dtype).reshape(2, 3) for start in (0, 8, 16)]
    return [*made, np.zeros((2, 3), np.dtype(dtype).newbyteorder()), locked, *shared]


@pytest.mark.parametrize("name", ["add", "less", "sqrt"])
@pytest.mark.parametrize("dtype", OUTPUTS)
def test_outputs(name, dtype):
    operator, cases = getattr(bx, name), []
    for into, keywords in itertools.product(OUTPUTS, [{}, {"casting": "unsafe"}, {"where": [True, False, True]}, {"dtype": "f8", "casting": "unsafe"}]):
        memory = np.zeros(96, "u1")
        array = memory.view()[: 6 * np.dtype(dtype).itemsize].view(dtype).reshape(2, 3)
        values = np.abs(sample(dtype, (2, 3)))
        for out in outputs(into, array):
            for args in ((array,),) if operator.nin == 1 else ((array, array), (array, 1), (array, [1, 0, 1])):

                def call(function, out=out, args=args, array=array, memory=memory, keywords=keywords):
                    # Operands and output may be the same memory.
                    memory[...] = 0
                    if out.flags.writeable:
                        out[...] = 0
                    array[...] = values
                    return function(*args, out=out, **keywords), memory.tobytes()

                def ours(*args, out, **keywords):
                    return operator(*args, out=out, **keywords) is out, out.tobytes()

                def package(*args, out, **keywords):
                    return by_package(operator, args, out, **keywords) is out, out.tobytes()

                for _ in range(3):
                    want, got = (tried(call, function) for function in (package, ours))
                    if want != got:
                        cases.append((array.dtype, out.dtype, out.strides, keywords, want, got))
    assert cases == []


def tried(call, function):
    try:
        return call(function)
    except Exception as error:
        return type(error).__name__, str(error)


FOLDS = [
    {}, {"axis": 0}, {"axis": (0, 1)}, {"axis": -1, "keepdims": True}, {"axis": ()}, {"axis": 5}, {"axis": (0, 0)}, {"axis": np.int64(1)}, {"keepdims": 1},
    {"dtype": "f8"}, {"dtype": np.float16}, {"dtype": "i8"}, {"dtype": bool}, {"initial": 2}, {"initial": 0.5}, {"initial": None}, {"initial": np.float32(3)},
    {"where": np.array([True, False, True])}, {"where": np.array([[True, False, True], [False, False, False]]), "axis": 1}, {"where": [True, True, False]},
    {"where": [True, False, True], "initial": 1}, {"ddof": 1}, {"ddof": 1.5, "axis": 0}, {"ddof": 7}, {"correction": 1}, {"ddof": 1, "correction": 1},
    {"mean": np.array(2.0)}, {"casting": "safe"}, {"out": None, "axis": 1},
]  # fmt: skip


@pytest.mark.parametrize("name", ["sum", "prod", "max", "any", "mean", "argmax", "var", "std", "nansum", "nanmax", "nanmean", "nanvar", "nanprod"])
def test_folds(name):
    function, cases = getattr(bx, name), []
    for dtype, keywords in itertools.product(DTYPES, FOLDS):
        array = sample(dtype, (2, 3))
        if array.dtype.kind == "f":
            array[0, 1] = np.nan
        for x in [*layouts(array), array.tolist(), array[0, 0]]:
            cases.append(((dtype, keywords), lambda x=x, k=keywords: function(x, **k), lambda x=x, k=keywords: _reductions.fold(name, x, **k)))
    assert differing(cases) == []


@pytest.mark.parametrize("name", ["sum", "mean", "var", "nansum", "max"])
def test_folds_into_outputs(name):
    function, wrong = getattr(bx, name), []
    for dtype, into, keywords in itertools.product(OUTPUTS, OUTPUTS, [{}, {"keepdims": True}, {"where": [True, False, True]}, {"dtype": "f8"}]):
        x = sample(dtype, (2, 3))
        for out in (np.zeros(2, into), np.zeros((2, 1), into), np.zeros(4, into)[::2], np.zeros((), into), x[:, 0]):
            for _ in range(3):
                answers = []
                for call in (_reductions.fold, lambda name, *args, **given: function(*args, **given)):
                    x[...] = sample(dtype, (2, 3))
                    answers.append((tried(lambda f: f(name, x, 1, out=out, **keywords) is out, call), out.tobytes()))
                if answers[0] != answers[1]:
                    wrong.append((dtype, into, keywords, out.shape, answers))
    assert wrong == []


def test_methods_fold_as_in_numpy():
    names = ["add", "multiply", "maximum", "minimum", "logical_or", "logical_and"]
    for name, dtype, keywords in itertools.product(names, ["bool", "int8", "float32"], [{}, {"axis": None}, {"axis": (0, 1)}, {"keepdims": True}, {"initial": 1}]):
        array = sample(dtype, (2, 3))
        for x, _ in itertools.product([array, array[:, ::2], array.tolist()], range(2)):
            want, got = (getattr(module, name).reduce(x, **keywords) for module in (np, bx))
            assert type(want) is type(got) and want.dtype == got.dtype, (name, dtype, keywords)
            np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("text", ["a * b", "a + 2 * b", "a < b", "sum(a * b)"])
def test_expressions(text):
    compiled, parsed, cases = bx.compile(text), bx._broadaxe.Expression(text), []
    for dtype, other, keywords in itertools.product(DTYPES, OTHERS, [{}, {"order": "F"}, {"casting": "safe"}, {"casting": "unsafe", "order": "C"}]):
        array = sample(dtype, (2, 3))
        for fast in (compiled, lambda a, b, **given: bx.evaluate(text, {"a": a, "b": b}, **given)):
            slow = lambda a=array, b=other, k=keywords: _expressions.compute(parsed, (a, b), **k)
            cases.append(((dtype, other, keywords), lambda a=array, b=other, f=fast, k=keywords: f(a, b, **k), slow))
    assert differing(cases) == []
    wrong = []
    for dtype, into, casting in itertools.product(DTYPES, OUTPUTS, ["same_kind", "unsafe", "no"]):
        a, out = sample(dtype, (2, 3)), np.zeros((2, 3), into)
        for _ in range(3):
            calls = (lambda: _expressions.compute(parsed, (a, a), out, "K", casting), lambda: compiled(a, a, out=out, casting=casting))
            answers = [(outcome(call, out), out.fill(0)) for call in calls]
            if answers[0] != answers[1]:
                wrong.append((dtype, into, casting, answers))
    assert wrong == []


def test_plans_are_told_apart():
    """Calls that differ in one thing only do not answer each other."""
    a, b, o = np.array([1.5, 2.5], "f4"), np.array([10, 20], "f4"), np.zeros(2, "f4")
    mask, other = np.array([True, False]), np.array([False, True])
    for _ in range(3):
        assert bx.add(a, a, dtype="f8").tolist() == [3, 5] and bx.add(a, b, dtype="f8").tolist() == [11.5, 22.5]
        assert bx.add(a, 1, dtype="f8").tolist() == [2.5, 3.5] and bx.add(a, 2, dtype="f8").tolist() == [3.5, 4.5]
        assert bx.add(a, np.float32(1)).tolist() == [2.5, 3.5] and bx.add(a, np.float32(2)).tolist() == [3.5, 4.5]
        o[...] = 7
        assert bx.add(a, b, where=mask, out=o).tolist() == [11.5, 7] and bx.add(a, b, where=other, out=o).tolist() == [11.5, 22.5]
        assert bx.add(o, o, where=mask, out=o).tolist() == [23, 22.5] and bx.add(a, o, where=mask, out=o).tolist() == [24.5, 22.5]
        assert bx.max(a, initial=9.0) == 9 and bx.max(a, initial=8.0) == 8 and bx.max(a, initial=-1.0) == 2.5
        assert bx.var(b) == 25 and bx.var(b, ddof=1) == 50 and bx.var(b, correction=1) == 50 and bx.std(b) == 5
        assert bx.sum(mask, where=mask) == 1 and bx.sum(mask, where=other) == 0
        assert bx.add.reduce(b.reshape(2, 1)).tolist() == [30] and bx.sum(b.reshape(2, 1)) == 30


def test_plans_follow_arrays_that_change_their_shape():
    a = np.arange(6.0)
    for _ in range(2):
        for shape in ((6,), (2, 3), (3, 2)):
            a.shape = shape
            assert bx.add(a, a, dtype="f4").shape == shape and bx.var(a, axis=0).shape == shape[1:]
