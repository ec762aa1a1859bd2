"""Compare operators with NumPy's ufuncs of the same name: dtypes, values, keywords, classes, memory order."""

import pickle
import warnings

import numpy as np
import pytest
import reference
from conftest import DTYPES, sample
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import broadaxe as bx

NUMPY = {
    alias: getattr(bx, alias)
    for alias, _ in bx._broadaxe.aliases()
    if isinstance(getattr(np, alias, None), np.ufunc)
} | {name: op for name, op in bx.operators.items() if isinstance(getattr(np, name, None), np.ufunc)}
EXACT = {"add", "subtract", "multiply", "maximum", "minimum", "fmax", "fmin", "equal", "not_equal", "less", "less_equal",
         "greater", "greater_equal", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor"}


def ask(function, *args, **kwargs):
    """Call and return the result, or the class of the exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
            return TypeError if isinstance(error, TypeError) else type(error)


def agrees(name, got, want, args):
    """Say whether values are right: those of functions that round against more digits, others against NumPy."""
    if name in reference.FUNCTIONS and got.dtype.kind == "f":
        return not len(reference.beyond(name, got, *args))
    close = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-14}.get(want.dtype.name, 0)
    return np.allclose(got, want, rtol=close, atol=close, equal_nan=True)


def test_there_are_many_of_numpys_names():
    assert len(NUMPY) > 60 and {"add", "subtract", "arctan2", "floor_divide", "logical_not"} <= set(NUMPY)


@pytest.mark.parametrize("name", sorted(NUMPY))
def test_dtypes_and_values_are_numpys(name):
    ours, theirs = NUMPY[name], getattr(np, name)
    wrong = []
    assert ours.nin == theirs.nin and ours.nout == theirs.nout == 1
    for a_dtype in DTYPES:
        for b_dtype in DTYPES if ours.nin == 2 else [None]:
            arrays = [sample(a_dtype, (2, 3))] + ([sample(b_dtype, (3,), 1)] if b_dtype else [])
            if name == "power":
                arrays[1] = np.abs(arrays[1]) if b_dtype[0] != "b" else arrays[1]
            if name in ("left_shift", "right_shift"):
                arrays = [np.abs(array) if array.dtype.kind == "i" else array for array in arrays]
            if arrays[-1].dtype == bool and name in ("floor_divide", "remainder", "fmod", "mod", "reciprocal"):
                arrays[-1] = np.ones_like(arrays[-1])
            want, got = ask(theirs, *arrays), ask(ours, *arrays)
            if isinstance(want, type) or isinstance(got, type):
                if want is not got:
                    wrong.append((a_dtype, b_dtype, want, got))
            elif want.dtype != got.dtype or want.shape != got.shape:
                wrong.append((a_dtype, b_dtype, want.dtype, got.dtype))
            else:
                if not agrees(name, got, want, arrays):
                    wrong.append((a_dtype, b_dtype, want, got))
    assert not wrong, wrong[:5]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 3, 2.5], ids=["bool", "int", "float"])
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "true_divide", "less", "hypot", "bitwise_and", "copysign"])
def test_numbers_of_python_are_weak(name, number, dtype):
    array = sample(dtype, (4,))
    for args in ((array, number), (number, array)):
        want, got = ask(getattr(np, name), *args), ask(getattr(bx, name), *args)
        if isinstance(want, type):
            assert got is want
        else:
            assert got.dtype == want.dtype and agrees(name, got, want, args), (got, want)


shapes = hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=5, min_side=0, max_side=4)


@settings(max_examples=300, deadline=None)
@given(shapes, st.sampled_from(sorted(EXACT)), st.sampled_from(DTYPES[1:-3]), st.data())
def test_broadcasts_are_numpys(pair, name, dtype, data):
    """Over any strides: reversed, stepped, transposed and repeated axes."""
    arrays = []
    for k, shape in enumerate(pair.input_shapes):
        steps = [data.draw(st.sampled_from([1, 2, -1, -2, 0])) for _ in shape]
        whole = sample(dtype, [max(1, n) * max(1, abs(s)) for n, s in zip(shape, steps)], k)
        view = whole[tuple(slice(None, None, s or 1) for s in steps)]
        view = view[tuple(slice(0, n) for n in shape)]
        for axis, (n, step) in enumerate(zip(shape, steps)):
            if step == 0 and n:
                view = np.broadcast_to(view[tuple(slice(0, 1) if i == axis else slice(None) for i in range(len(shape)))], shape)
        if data.draw(st.booleans()):
            view = np.asfortranarray(view)
        arrays.append(view)
    want, got = getattr(np, name)(*arrays), getattr(bx, name)(*arrays)
    assert want.shape == got.shape and want.dtype == got.dtype and type(want) is type(got)
    np.testing.assert_array_equal(got, want)


@settings(max_examples=100, deadline=None)
@given(hnp.array_shapes(max_dims=4, max_side=4), st.permutations(range(4)), st.booleans())
def test_results_lie_as_numpys_do(shape, order, scalar):
    axes = [axis for axis in order if axis < len(shape)]
    array = np.empty([shape[axis] for axis in axes], "f4").transpose(np.argsort(axes))
    array[...] = 1
    other = 1.0 if scalar else array[..., :1]
    want, got = np.add(array, other), bx.add(array, other)
    assert [s for s, n in zip(got.strides, shape) if n > 1] == [s for s, n in zip(want.strides, shape) if n > 1]


def test_ufunc_attributes():
    assert (bx.add.nin, bx.add.nout, bx.add.nargs) == (2, 1, 3)
    assert bx.add.ntypes == len(bx.add.types) and "ff->f" in bx.add.types and "ff->?" in bx.less.types
    assert bx.add.identity == 0 and bx.sub.identity is None and bx.add.signature is None
    assert bx.add.__name__ == "add" and bx.multiply is bx.mul and "a + b" in bx.add.__doc__
    assert bx.where.types[0].startswith("?") and bx.where.nin == 3


def test_operators_are_pickled_by_name():
    for operator in bx.operators.values():
        assert pickle.loads(pickle.dumps(operator)) is operator


def test_scalars_and_rank_0():
    for args in [(1, 2), (np.float32(1), 2.0), (np.array(3, "i2"), np.array(4, "i2"))]:
        want, got = np.add(*args), bx.add(*args)
        assert type(got) is type(want) and got == want
    out = np.zeros((), "f4")
    assert bx.add(np.float32(1), np.float32(2), out=out) is out and out == 3


def test_out_is_cast_and_broadcast_as_in_numpy():
    a = np.arange(6, dtype="f4").reshape(2, 3)
    for out in [np.zeros((2, 3)), np.zeros((3, 2), "f4").T, np.zeros((4, 6), "f4")[::2, ::-2], np.zeros((5, 2, 3), "f4"),
                np.zeros((2, 3), ">f4"), np.zeros(25, "u1")[1:].view("f4").reshape(2, 3)]:
        same = np.zeros_like(out)
        assert bx.add(a, 1, out=out) is out
        np.add(a, 1, out=same)
        np.testing.assert_array_equal(out, same)
    assert bx.add(a, 1, a) is a and a[0, 0] == 1
    assert bx.add(a, 1, out=(a,)) is a
    with pytest.raises(TypeError, match="same_kind"):
        bx.add(a, 1, out=np.zeros((2, 3), "i4"))
    with pytest.raises(ValueError, match="non-broadcastable"):
        bx.add(a, 1, out=np.zeros(3, "f4"))
    bx.add(a, 0.5, out=(out := np.zeros((2, 3), "i4")), casting="unsafe")
    assert out.tolist() == np.add(a, 0.5).astype("i4").tolist()


def test_overlaps_are_as_if_copied_before():
    cases = [
        (lambda m: (m[:-1], 1, m[1:]), 20),
        (lambda m: (m[1:], m[:-1], m[:-1]), 20),
        (lambda m: (m.reshape(4, 5)[:4, :4].T, 1, m.reshape(4, 5)[:4, :4]), 20),
        (lambda m: (m[::-1], m, m), 20),
        (lambda m: (m[:4], m.reshape(5, 4), m.reshape(5, 4)), 20),
        (lambda m: (m[:-1], 1, m[1:]), 100_000),
    ]
    for make, n in cases:
        want, got = np.arange(n, dtype="f8"), np.arange(n, dtype="f8")
        a, b, out = make(want)
        np.add(a, b, out=out)
        a, b, out = make(got)
        bx.add(a, b, out=out)
        np.testing.assert_array_equal(got, want)


def test_where_leaves_the_rest_alone():
    a, out = np.arange(6).reshape(2, 3), np.full((2, 3), 9)
    assert bx.add(a, 1, out=out, where=a > 2).tolist() == [[9, 9, 9], [4, 5, 6]]
    assert bx.add(a, 1, where=[True, False, True], out=out).tolist() == [[1, 9, 3], [4, 5, 6]]
    # What is masked is not refused either.
    assert bx.floor_divide(a, np.array([1, 0, 2]), where=[True, False, True]).tolist() == [[0, 0, 1], [3, 0, 2]]
    with pytest.raises(TypeError):
        bx.add(a, 1, where=a)


@pytest.mark.parametrize("number", [-1, 0, -300])
@pytest.mark.parametrize("name", ["power", "floor_divide", "remainder", "left_shift"])
def test_numbers_that_the_mask_leaves_out_are_not_refused(name, number):
    for a in (np.int8(3), np.array([3, 2], "i1"), np.array([True, False]), np.array([1.5, 2.5]), 3):
        for mask in ([False, False], [[False]], False):
            try:
                want = getattr(np, name)(a, number, where=np.array(mask), out=None)
            except (TypeError, OverflowError) as error:
                with pytest.raises(type(error)):
                    getattr(bx, name)(a, number, where=np.array(mask))
            else:
                got = getattr(bx, name)(a, number, where=np.array(mask))
                assert (got.dtype, got.shape) == (want.dtype, want.shape)
    with pytest.raises((ValueError, ZeroDivisionError)):
        bx.power(np.array([3, 2], "i1"), -1, where=np.array([True, False]))


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("dtype", ["u1", "i1", "u4", "i8", ">u4"])
def test_of_loops_with_one_result_that_without_a_cast_is_chosen(dtype, casting):
    a = np.array([3, 1], dtype)
    try:
        want = np.bitwise_count(a, dtype="u1", casting=casting)
    except TypeError:
        with pytest.raises(TypeError):
            bx.bitwise_count(a, dtype="u1", casting=casting)
    else:
        assert bx.bitwise_count(a, dtype="u1", casting=casting).tolist() == want.tolist()


def test_dtype_and_casting():
    a = np.arange(3, dtype="i4")
    assert bx.add(a, 1, dtype="f8").dtype == np.add(a, 1, dtype="f8").dtype == np.float64
    assert bx.less(a, 1, dtype=bool).dtype == bool
    for ufunc in (np.add, bx.add):
        with pytest.raises(TypeError):
            ufunc(a + 0.5, 1, dtype="i4")
        assert ufunc(a + 0.5, 1, dtype="i4", casting="unsafe").tolist() == [1, 2, 3]
        with pytest.raises(TypeError):
            ufunc(a, 1, dtype="i2", casting="safe")


def test_classes_are_asked():
    class Greedy(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "greedy", ufunc, method, len(inputs), sorted(kwargs)

    class Refuses:
        __array_ufunc__ = None

    class Passes:
        def __array_ufunc__(self, *args, **kwargs):
            return NotImplemented

    greedy, plain = np.ones(2).view(Greedy), np.ones(2)
    assert bx.add(plain, greedy) == ("greedy", bx.add, "__call__", 2, [])
    assert bx.add(plain, greedy, rule="pdpd")[-1] == ["rule"]
    with pytest.raises(TypeError, match="brings operands together itself"):
        bx.add(Passes(), greedy, rule="pdpd")
    assert bx.add(plain, plain, out=greedy)[-1] == ["out"]
    for other in (Refuses(), Passes()):
        with pytest.raises(TypeError):
            bx.add(plain, other)


def test_subclasses_keep_their_class():
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    got = bx.add(masked, 1)
    assert isinstance(got, np.ma.MaskedArray) and got.mask.tolist() == [False, True, False]
    class Own(np.ndarray):
        pass

    own = np.array([[1, 2]]).view(Own)
    assert type(bx.add(own, 1)) is Own and type(bx.add(1, own)) is Own
    assert type(bx.add(own, 1, subok=False)) is np.ndarray


def test_variadic_operators_take_any_number_and_fold_one():
    a = np.arange(6.0).reshape(2, 3)
    assert bx.maximum(a, 2, a.T.reshape(2, 3)).shape == (2, 3) and bx.sum(a, a, a).tolist() == (3 * a).tolist()
    assert bx.max(a) == 5 and bx.sum(a, axis=0).tolist() == [3, 5, 7] and bx.mean(a, axis=1, keepdims=True).shape == (2, 1)
    assert bx.max(a, axis=0, out=(out := np.zeros(3))) is out and out.tolist() == [3, 4, 5]
    with pytest.raises(TypeError, match="keepdims"):
        bx.max(a, a, keepdims=True)
    assert bx.prod(a + 1, axis=(0, 1)) == 720 and bx.argmax(a, axis=1).tolist() == [2, 2] and bx.any(a) and not bx.all(a)


def test_errors_say_what_the_command_says():
    a = np.zeros((2, 3), "f4")
    cases = [
        (lambda: bx.add(a, np.zeros(2, "f4")), ValueError, "axis 1 is 3 in a and 2 in b; they must be equal or 1"),
        (lambda: bx.div_floor(np.array([1, 2]), np.array([1, 0])), ZeroDivisionError, r"a zero divisor at \(1,\)"),
        (lambda: bx.pow(np.array([2]), np.array([-1])), ValueError, "a negative exponent"),
        (lambda: bx.add(a, 1j), TypeError, "complex128 is not supported"),
        (lambda: bx.add(a, None), TypeError, "object is not supported"),
        (lambda: bx.add(a, np.array(["2020"], "M8[Y]")), TypeError, "not supported"),
        (lambda: bx.sub(a > 0, a > 0), TypeError, "sub of bool and bool is refused"),
        (lambda: bx.add(np.array([1], "u1"), 256), OverflowError, "256 is out of bounds for u8"),
        (lambda: bx.add(np.array([1]), 10**40), OverflowError, "out of bounds"),
        (lambda: bx.add(a), TypeError, "needs 2 operands, not 1"),
        (lambda: bx.add(a, a, other=1), TypeError, "unexpected keyword argument 'other'"),
        (lambda: bx.add(a, a, rule="pdp"), ValueError, "unknown rule 'pdp'; did you mean 'pdpd'. .rules: none, numpy, "),
        (lambda: bx.add(a, a, rule="pdp axis=1"), ValueError, "unknown rule 'pdp'; did you mean 'pdpd'."),
        (lambda: bx.add(a, a, rule="nump"), ValueError, "unknown rule 'nump'; did you mean 'numpy'."),
        (lambda: bx.explain(rule="nump"), ValueError, "unknown rule 'nump'; did you mean 'numpy'."),
        (lambda: bx.explain("numpy"), ValueError, "'numpy' is a rule; 'broadaxe rules numpy' says"),
        (lambda: bx.evaluate("a + a", {"a": a}, rule="nump"), ValueError, "unknown rule 'nump'; did you mean 'numpy'."),
        (lambda: bx.add(a, a, rule="nothing"), ValueError, "unknown rule .*; the rules are none, numpy, "),
        (lambda: bx.add(a, a, rule=3), TypeError, "rule must be"),
        (lambda: bx.add(a, a, axis=1), TypeError, "has an axis only with a rule that has one, such as rule='pdpd'"),
        (lambda: bx.max(a, a, axis=1), TypeError, "to fold axes, pass one array"),
        (lambda: bx.add(a, a, axis=1, rule="numpy"), ValueError, "the rule numpy has no parameter axis"),
        (lambda: bx.add(a, a, casting="most"), ValueError, "casting is one of"),
        (lambda: bx.add(np.broadcast_to(np.float32(1), (1 << 20, 1 << 20)), a[0, 0]), MemoryError, "the budget is"),
    ]
    for call, kind, text in cases:
        with pytest.raises(kind, match=text):
            call()


def test_rules():
    x, bias = np.arange(24, dtype="f4").reshape(2, 3, 4), np.array([10, 20, 30], "f4")
    want = x + bias[:, None]
    for keywords in ({"rule": "pdpd", "axis": 1}, {"rule": "pdpd axis=1"}, {"rule": "paddle", "axis": 1}):
        np.testing.assert_array_equal(bx.add(x, bias, **keywords), want)
        np.testing.assert_array_equal(bx.add(x, bias, out=np.zeros_like(x), **keywords), want)
    np.testing.assert_array_equal(bx.add(x, np.array([1, 2], "f4"), rule="ncnn"), x + np.array([1, 2])[:, None, None])
    with pytest.raises(ValueError, match="under pdpd"):
        bx.add(bias, x, rule="pdpd")
