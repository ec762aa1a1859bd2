"""What NumPy users expect of calls of operators: outputs of other dtypes, dtypes asked for, masks, classes."""

import sys

import numpy as np
import pytest
from conftest import DTYPES, sample, script

import broadaxe as bx

PAIRS = [(a, b) for a in DTYPES for b in DTYPES if a != b and np.can_cast(a, b, "same_kind")]


def layouts(dtype, shape):
    """Yield an array of 7s and a view of it with this shape, for many ways to lie in memory."""
    rows, columns = shape
    for whole, view in [
        ((rows, columns), lambda w: w),
        ((columns, rows), lambda w: w.T),
        ((rows, columns), lambda w: w[::-1, ::-1]),
        ((2 * rows, 3 * columns), lambda w: w[::2, 1::3]),
        ((rows, columns + 2), lambda w: w[:, 1:-1]),
        ((3, rows, columns), lambda w: w[1]),
    ]:
        array = np.full(whole, 7, dtype)
        yield array, view(array)
    buffer = np.zeros(rows * columns * np.dtype(dtype).itemsize + 1, "u1")
    yield buffer, buffer[1:].view(dtype).reshape(shape)


def test_there_are_all_pairs_that_narrow():
    narrowing = [(a, b) for a, b in PAIRS if np.dtype(b).itemsize < np.dtype(a).itemsize]
    assert len(narrowing) == 27 and len(PAIRS) > 80, len(narrowing)


@pytest.mark.parametrize("computed, stored", PAIRS)
def test_outputs_of_other_dtypes_get_the_cast_result(computed, stored):
    a, b = sample(computed, (3, 4)), sample(computed, (4,), 1)
    for (mine, out), (theirs, want) in zip(layouts(stored, (3, 4)), layouts(stored, (3, 4))):
        for ours, numpys, args in [(bx.add, np.add, (a, b)), (bx.maximum, np.maximum, (a, b[0])), (bx.abs, np.abs, (a,))]:
            with np.errstate(all="ignore"):
                numpys(*args, out=want)
            assert ours(*args, out=out) is out
            # Bytes between and around the elements of the output are unchanged.
            np.testing.assert_array_equal(mine, theirs)


def test_one_decision_for_a_layout_does_not_serve_another_dtype():
    a = np.arange(6.0)
    for _ in range(3):
        for dtype in ("f8", "f4", "f2", ">f4", "f8"):
            out = np.zeros(6, dtype)
            bx.add(a, 1, out=out)
            assert out.tolist() == (a + 1).tolist(), dtype
    x = np.ones((3, 4), "f4")
    assert bx.add(x, np.ones(3, "f4"), out=(out := np.zeros((3, 4), "f2")), rule="pdpd", axis=0).dtype == "f2"
    assert out.tolist() == (x + 1).tolist()


def test_narrow_outputs_share_memory_with_operands():
    whole, same = np.arange(8.0), np.arange(8.0)
    bx.add(whole[:4], 1, out=whole.view("f4")[4:8])
    np.add(same[:4], 1, out=same.view("f4")[4:8])
    np.testing.assert_array_equal(whole, same)


def test_bfloat16_is_found_where_it_is_asked_for_first():
    pytest.importorskip("ml_dtypes")
    for text in ["bx.onnx.Cast(x, to=16)", "bx.evaluate(\"cast(x, 'bf16')\")", "bx.compile(\"cast(x, 'bf16')\")(x)"]:
        child = script(f"import numpy as np, broadaxe as bx; x = np.float32([1.5]); y = {text}; print(y.dtype, float(y[0]))")
        assert child.communicate()[0].strip() == "bfloat16 1.5", text
    child = script(
        "import sys; sys.modules['ml_dtypes'] = None\n"
        "import numpy as np, broadaxe as bx\n"
        "try: bx.onnx.Cast(np.float32([1.5]), to=16)\n"
        "except TypeError as error: print(error)"
    )
    assert "pip install ml_dtypes" in child.communicate()[0]


def test_types_are_letters_of_numpy():
    for operator in bx.operators.values():
        assert operator.ntypes == len(operator.types) > 0
        for text in operator.types:
            operands, result = text.split("->")
            assert len(operands) == operator.nin and all(np.dtype(letter) for letter in operands + result)


def test_polars():
    pl = pytest.importorskip("polars")
    got = bx.add(pl.Series([1.0, 2.0]), 1)
    assert isinstance(got, pl.Series) and got.to_list() == [2.0, 3.0]


def test_dtype_names_a_loop():
    a = np.array([3, 4], "i4")
    for ours, numpys in [(bx.divide, np.divide), (bx.sqrt, np.sqrt), (bx.less, np.less), (bx.isnan, np.isnan), (bx.bitwise_and, np.bitwise_and)]:
        args = (a,) * ours.nin
        for dtype in DTYPES:
            results = []
            for function in (numpys, ours):
                try:
                    results.append(function(*args, dtype=dtype).dtype)
                except TypeError as error:
                    results.append("No loop" if "No loop" in str(error) else "casting")
            # NumPy says of some that no loop has the dtype, of others that operands cannot be cast to it.
            assert results[0] == results[1] or {*results} <= {"No loop", "casting"}, (ours, dtype, results)
    with pytest.raises(TypeError, match="No loop matching the specified signature and casting was found for div"):
        bx.divide(np.int32([3]), 2, dtype="i4")


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_casting_holds_for_operands(casting):
    for name in ("add", "divide", "less", "arctan2", "maximum", "logical_and"):
        for a in DTYPES:
            for b in ("int8", "int16", "uint8", "float32", "float64", "bool"):
                outcomes = []
                for module in (np, bx):
                    try:
                        outcomes.append(getattr(module, name)(np.ones(2, a), np.ones(2, b), casting=casting).dtype)
                    except TypeError:
                        outcomes.append(TypeError)
                assert outcomes[0] == outcomes[1], (name, a, b, outcomes)


@pytest.mark.parametrize("where", [[1, 0, 1], [0.5, 0, 2], [True, False, True], (1, 0, 1), 1, np.int64(1), True, [[1, 0, 1]], np.array([True, False, True])])
def test_masks_of_lists(where):
    a = np.arange(3.0)
    want, got = np.full((1, 3), 9.0), np.full((1, 3), 9.0)
    np.add(a, 1, where=where, out=want)
    bx.add(a, 1, where=where, out=got)
    assert got.tolist() == want.tolist()


@pytest.mark.parametrize("mask, out", [((1,), ()), ((3, 1), (1,)), ((3, 1), (2,)), ((2, 1), (1, 1))])
def test_outputs_hold_what_masks_stretch(mask, out):
    for module in (np, bx):
        with pytest.raises(ValueError, match="non-broadcastable output operand"):
            module.add(np.ones(out), 1, where=np.ones(mask, bool), out=np.zeros(out))


@pytest.mark.parametrize("where", [np.array([1, 0, 1]), np.array(2)])
def test_masks_that_are_arrays_of_numbers_are_refused(where):
    for module in (np, bx):
        with pytest.raises(TypeError, match="bool"):
            module.add(np.arange(3.0), 1, where=where, out=np.zeros(3))


def test_signatures():
    a = np.arange(3)
    cases = [
        ({"signature": "ff->f"}, "f4"),
        ({"sig": "dd->d"}, "f8"),
        ({"signature": ("d", None, None)}, "f8"),
        ({"signature": (None, None, "f4")}, "f4"),
        ({"signature": (np.float32, np.float32, np.float32)}, "f4"),
    ]
    for keywords, dtype in cases:
        want, got = np.add(a, 2, **keywords), bx.add(a, 2, **keywords)
        assert got.dtype == want.dtype == dtype and got.tolist() == want.tolist()
    assert bx.less(a, 1, signature="dd->?").tolist() == [True, False, False]
    wrong = [
        ({"signature": "ff->d"}, "No loop"),
        ({"signature": "d"}, "use dtype="),
        ({"signature": "dd->d", "dtype": "d"}, "cannot specify both"),
        ({"signature": "dd->d", "sig": "dd->d"}, "cannot specify both"),
        ({"signature": (None, None, None)}, "at least one"),
        ({"signature": 3}, "a text such as"),
    ]
    for keywords, text in wrong:
        with pytest.raises(TypeError, match=text):
            bx.add(a, 2, **keywords)
    with pytest.raises(ValueError, match="has 2 dtypes; add has 3"):
        bx.add(a, 2, signature="d->d")
    with pytest.raises(TypeError, match="Cannot cast ufunc"):
        bx.add(a + 0.5, 2, signature="ll->l")


def test_an_ellipsis_as_output_keeps_rank_0():
    for args in [(1, 2), (np.float32(1), np.float32(2)), (np.arange(3), 1)]:
        want, got = np.add(*args, out=...), bx.add(*args, out=...)
        assert type(got) is np.ndarray and got.dtype == want.dtype and got.tolist() == want.tolist()
    assert type(bx.sum(np.ones(3), out=...)) is np.ndarray
    assert type(bx.add.reduce(np.ones(3), out=...)) is np.ndarray


def test_integers_of_any_length():
    for number in (10**40, 10**5000, -(10**5000), 2**127, -(2**127) - 1):
        for call in (lambda: bx.add(np.arange(3), number), lambda: bx.evaluate("a + n", a=np.arange(3), n=number)):
            with pytest.raises(OverflowError, match="out of bounds"):
                call()


class Wrapped:
    """A class that is no ndarray and wraps results, as older libraries do."""

    def __init__(self, array, priority=0.0):
        self.array, self.__array_priority__ = array, priority

    def __array__(self, dtype=None, copy=None):
        return self.array

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return self, type(array), context and (context[0].__name__, len(context[1])), return_scalar


def test_classes_wrap_results():
    low, high = Wrapped(np.ones(2)), Wrapped(np.ones(2), 5.0)
    for ours, args, chosen in [
        (bx.add, (low, 1), low),
        (bx.add, (low, high), high),
        (bx.add, (np.ones(2), low), low),
        (bx.negative, (high,), high),
        (bx.add, (low, np.float64(1)), low),
    ]:
        got, want = ours(*args), getattr(np, "add" if ours is bx.add else "negative")(*args)
        assert got[0] is want[0] is chosen and got[1] is np.ndarray and got[2] == (ours.__name__, len(args)) and got[3] == want[3]
    assert bx.add(Wrapped(np.ones(())), 1)[3] is np.add(Wrapped(np.ones(())), 1)[3] is True
    assert bx.add(Wrapped(np.ones(2), -1.0), np.ones(2)).tolist() == [2, 2]
    out = np.zeros(2)
    assert bx.add(low, 1, out=out) is out and out.tolist() == [2, 2]
    assert type(bx.add(low, 1, subok=False)) is np.ndarray


def test_tensors_stay_tensors():
    torch = pytest.importorskip("torch")
    tensor = torch.arange(3.0)
    assert bx.add(tensor, 1).tolist() == [1, 2, 3] and bx.less(tensor, 1).dtype == torch.bool
    assert bx.add(tensor.to(torch.bfloat16), 1).dtype == torch.bfloat16


class Exports:
    """A class whose elements cannot be exported, though they can be converted."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        raise BufferError("bits cannot be exported")

    def __dlpack_device__(self):
        return (1, 0)


def test_what_cannot_be_exported_is_converted():
    class Converts(Exports):
        def __array__(self, dtype=None, copy=None):
            return self.array

    array = np.array([True, False])
    assert bx.logical_not(Converts(array)).tolist() == [False, True]
    with pytest.raises(BufferError, match="cannot be exported"):
        bx.logical_not(Exports(array))
    pa = pytest.importorskip("pyarrow")
    assert bx.logical_not(pa.array([True, False])).tolist() == [False, True]
    np.testing.assert_array_equal(bx.add(pa.array([1.0, None]), 1), [2, np.nan])


def test_clip_as_numpy_has_it():
    arrays = [np.arange(6.0), np.array([np.nan, 1, 9]), np.arange(6, dtype="u1"), np.arange(-3, 3, dtype="i2"), 4, 2.5]
    bounds = [(0, None), (None, 3), (1, 3), (-1, 300), (None, None), (3, 1), (-1, None), (None, 300)]
    for array in arrays:
        for least, most in bounds:
            want = np.clip(array, least, most)
            for got in (bx.clip(array, least, most), bx.clip(array, min=least, max=most), bx.clip(array, a_min=least, a_max=most)):
                assert got.dtype == want.dtype and type(got) is type(want), (array, least, most)
                np.testing.assert_array_equal(got, want)
    array = np.arange(6.0)
    assert bx.clip(array, max=2).tolist() == np.clip(array, max=2).tolist()
    assert bx.clip(array, 1, None, array) is array and array[0] == 1
    assert bx.clip(array, None, 2, out=array) is array and array[-1] == 2
    assert bx.clip(array, np.full(6, 1.5), None).tolist() == [1.5] * 2 + [2] * 4
    masked = np.ma.array([1, 2, 3], mask=[0, 1, 0])
    assert bx.clip(masked, 2, None).tolist() == [2, None, 3]
    assert bx.clip(np.arange(3, dtype="i2"), min=1.5).dtype == np.clip(np.arange(3, dtype="i2"), min=1.5).dtype
    for call in (lambda: bx.clip(array, 1), lambda: bx.clip(array, 1, min=2), lambda: bx.clip(array, min=1, a_min=1)):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "int64", "uint16"])
def test_round_to_decimals(dtype):
    numbers = np.random.default_rng(0).normal(size=200) * 100
    array = np.abs(numbers).astype(dtype) if dtype[0] == "u" else numbers.astype(dtype)
    for decimals in (-2, -1, 0, 1, 2, 3):
        with np.errstate(all="ignore"):
            want = np.round(array, decimals)
        for got in (bx.round(array, decimals), bx.around(array, decimals=decimals), bx.round(array, np.int8(decimals))):
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got, want)
        out = np.zeros_like(array)
        assert bx.round(array, decimals, out) is out
        np.testing.assert_array_equal(out, want)
    masked = np.ma.array([1.26, 2.26], mask=[0, 1])
    assert bx.round(masked, 1).tolist() == [1.3, None]
    assert bx.round(2.345, 2) == np.round(2.345, 2) and type(bx.round(2.345, 2)) is np.float64
    assert bx.round([1.26], 1).tolist() == [1.3]
    with pytest.raises(TypeError, match="whole number"):
        bx.round(array, 1.5)


def test_subok():
    masked = np.ma.array([1, 2], mask=[0, 1])
    with pytest.raises(TypeError, match="its mask would be dropped here; pass array.filled"):
        bx.broadcast_to(masked, (3, 2))
    matrix = np.matrix([[1, 2]])
    assert type(bx.broadcast_to(matrix, (3, 2))) is type(np.broadcast_to(matrix, (3, 2))) is np.ndarray
    for module in (np, bx):
        wide = module.broadcast_to(masked, (3, 2), subok=True)
        assert type(wide) is np.ma.MaskedArray and wide.shape == (3, 2)
        one, other = module.broadcast_arrays(masked, np.zeros((3, 1)), subok=True)
        assert type(one) is np.ma.MaskedArray and type(other) is np.ndarray and one.shape == (3, 2)
        if module is bx:
            assert wide.mask.tolist() == one.mask.tolist() == [[False, True]] * 3
    assert type(bx.add(masked, 1, subok=False)) is np.ndarray


def test_attributes():
    for name in ("add", "multiply", "bitwise_and", "logical_or", "logical_and", "logical_xor", "bitwise_or", "bitwise_xor", "subtract"):
        ours, theirs = getattr(bx, name), getattr(np, name)
        assert ours.nin == theirs.nin and ours.nout == theirs.nout and ours.nargs == theirs.nargs and ours.signature is None
        assert ours.identity == theirs.identity and isinstance(ours.__doc__, str)


def test_resolve_dtypes():
    for name in ("add", "divide", "less", "arctan2", "bitwise_or"):
        ours, theirs = getattr(bx, name), getattr(np, name)
        for a in DTYPES:
            for b in (*DTYPES, int, float):
                outcomes = []
                for function in (theirs, ours):
                    try:
                        outcomes.append(function.resolve_dtypes((np.dtype(a), b if b in (int, float) else np.dtype(b), None)))
                    except TypeError:
                        outcomes.append(TypeError)
                assert outcomes[0] == outcomes[1], (name, a, b)
    assert bx.add.resolve_dtypes((None, np.dtype("i4"), None), reduction=True) == (np.dtype("i4"),) * 3
    assert bx.add.resolve_dtypes((np.dtype("i4"), int, None), signature="ff->f") == (np.dtype("f4"),) * 3
    with pytest.raises(TypeError, match="must be provided"):
        bx.add.resolve_dtypes((None, None, None))


def test_a_call_through_python_leaves_no_reference():
    array, out = np.arange(6.0), np.zeros(6, "f4")
    count = sys.getrefcount(array), sys.getrefcount(out)
    for _ in range(50):
        bx.add(array, 1, out=out)
        bx.clip(array, 1, None)
    assert (sys.getrefcount(array), sys.getrefcount(out)) == count


def test_another_order_of_bytes_is_a_cast():
    native, swapped = np.float32([1]), np.array([1], ">f4")
    assert bx.add(native, swapped, casting="equiv") == 2
    with pytest.raises(TypeError, match="input 1"):
        bx.add(native, swapped, casting="no")
    with pytest.raises(TypeError, match="input 1"):
        bx.add(native, swapped, casting="no", dtype="f4")
    for module in (np, bx):
        assert module.sign(native, out=swapped.copy(), casting="equiv") == 1
        with pytest.raises(TypeError, match="[Cc]annot cast ufunc|Cannot cast 'sign' output"):
            module.sign(native, out=swapped.copy(), casting="no")
