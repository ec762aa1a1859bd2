"""Which dtypes calls compute in, as `types` lists them and as `dtype=`, `casting=` and numbers of Python choose them."""

import functools
import itertools
import warnings

import numpy as np
import pytest
import reference

import broadaxe as bx

NUMBERS = [True, 1, 200, -1, -200, 2.5, 2**63, 2**64 - 1, 2**64]
ARRAYS = [np.array([3], code) for code in "?bBlLefd"]
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]
ASKED = [{}] + [{"dtype": code} for code in "?bBlLefd"] + [{"signature": code} for code in "bld"]


def answer(function, *args, **kwargs):
    """Call and return the result, or None where the call is refused."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return np.asarray(function(*args, **kwargs))
        except (TypeError, ValueError, OverflowError):
            return None


@pytest.mark.parametrize("name", sorted(bx.operators))
def test_types_are_what_calls_give(name):
    operator = bx.operators[name]
    assert operator.ntypes == len(operator.types) == len(set(operator.types)) > 0
    for types in operator.types:
        operands, result = types.split("->")
        assert len(operands) == operator.nin
        arrays = [np.ones(2, code) for code in operands]
        assert operator(*arrays).dtype == result, types
        # Nothing is cast, and an output of the dtype is written directly.
        assert operator(*arrays, casting="no", out=np.zeros(2, result)).dtype == result, types
        assert operator(*arrays, casting="no", signature=types).dtype == result, types


def test_types_are_numpys():
    for name in ("ldexp", "float_power"):
        # NumPy has long doubles and complex numbers too.
        theirs = {types for types in getattr(np, name).types if not set(types) & set("gFDG")}
        assert set(getattr(bx, name).types) == theirs, name


@pytest.mark.parametrize("name", ["add", "bitwise_and", "equal", "less", "arctan2", "true_divide", "power", "sqrt", "negative", "bitwise_count"])
def test_numbers_are_cast_as_in_numpy(name):
    ours, theirs = getattr(bx, name), functools.partial(reference.answer, name)
    wrong, refused = [], 0
    for args in itertools.product(NUMBERS + ARRAYS, repeat=ours.nin):
        if all(isinstance(arg, np.ndarray) for arg in args) or not all(accepts(arg, name, args) for arg in args):
            continue
        for casting, asked in itertools.product(CASTINGS, ASKED):
            code = asked.get("signature")
            asked = asked if code is None else {"signature": code * ours.nin + "->" + code}
            want, got = (answer(function, *args, casting=casting, **asked) for function in (theirs, ours))
            refused += want is None
            if (want is None) != (got is None) or want is not None and (want.dtype != got.dtype or not close(got, want)):
                wrong.append((args, casting, asked, want, got))
    assert refused > 100 and not wrong, (len(wrong), wrong[:5])


def close(got, want):
    return np.allclose(got.astype(float), want.astype(float), rtol=1e-3, equal_nan=True)


def accepts(arg, name, args):
    """Leave out integers that NumPy computes as objects, casts by their low bits, or refuses to compare with bools."""
    large = type(arg) is int and arg >= 2**63
    exact = name in ("equal", "less") and not any(isinstance(one, np.ndarray) and one.dtype == bool or one is True for one in args)
    return not large or exact or name in ("arctan2", "true_divide")


def test_integers_alone_are_uint64_where_int64_is_too_small():
    for value in (2**63 - 1, 2**63, 2**64 - 1):
        for name in ("negative", "positive", "absolute", "invert", "sign", "square", "bitwise_count", "isfinite", "sqrt", "sum", "max",
                     "prod", "floor", "reciprocal", "logical_not"):  # fmt: skip
            got, want = (answer(getattr(module, name), value) for module in (bx, np))
            assert want is not None and got.dtype == want.dtype and got == want, (name, value)
        assert bx.evaluate("a", {"a": value}) == value
    # With another number an integer is int64, as in NumPy.
    for call in (lambda m: m.add(2**63, 1), lambda m: m.bitwise_and(2**63, 2**63), lambda m: m.negative(-(2**63) - 1)):
        with pytest.raises(OverflowError):
            call(bx)
    assert bx.add(2**63, 0.5) == np.add(2**63, 0.5) and bx.ldexp(2**63, 1) == 2.0**64


def test_numbers_are_compared_exactly():
    values = [-(2**63) - 1, -1, 0, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**70]
    for a, b in itertools.product(values, values):
        for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
            got = getattr(bx, name)(a, b)
            assert got == getattr(np, name)(a, b) and got.dtype == bool, (name, a, b)


def test_floats_are_not_cast_to_integers_unless_that_is_asked_for():
    with pytest.raises(TypeError, match="Cannot cast ufunc 'pow' input 0 from dtype.'float64'. to dtype.'int64'. with casting rule 'same_kind'"):
        bx.power(1.5, 2.8, dtype=int)
    assert bx.power(1.5, 2.8, dtype=int, casting="unsafe") == 1
    assert bx.add(1.5, np.ones(2, int), signature=(int, int, None)).tolist() == [2, 2]
    with pytest.raises(OverflowError):
        bx.add(np.ones(2, "u1"), -200, dtype="u2", casting="unsafe")
    assert bx.ldexp(np.float32(1), np.int64(2), dtype="d") == 4
    with pytest.raises(TypeError):
        bx.ldexp(1.0, np.uint64(3), dtype="d")


@pytest.mark.skipif(np.dtype("l").itemsize != 8, reason="NumPy's exponents are C's ints and longs, which have 32 bits here")
def test_exponents_are_cast_as_in_numpy():
    for base, exponent, casting in itertools.product((True, 2, 2.5, *ARRAYS), ARRAYS, CASTINGS[:4]):
        want, got = (answer(module.ldexp, base, exponent, casting=casting) for module in (np, bx))
        assert (want is None) == (got is None) and (want is None or want.dtype == got.dtype), (base, exponent, casting, want, got)


def test_joined_operands_are_all_cast():
    a = np.arange(4)
    for count in (2, 3, 4, 5):
        assert bx.sum(*[a] * count, dtype="f4").tolist() == (count * a).tolist()
        assert bx.sum(*[a] * count, dtype="f4").dtype == np.float32
        with pytest.raises(TypeError, match=f"input {count - 1} from"):
            bx.sum(*[a.astype("i2")] * (count - 1), a, dtype="i2", casting="safe")


WORDS = [
    (lambda a: bx.modf(a, order=int), TypeError, "order is one of C, F, A and K, not <class 'type'>"),
    (lambda a: bx.add(a, a, order=5), TypeError, "order is one of C, F, A and K, not <class 'int'>"),
    (lambda a: bx.add(a, a, order="Z"), ValueError, "order is one of C, F, A and K, not 'Z'"),
    (lambda a: bx.evaluate("a + a", order=5), TypeError, "order is one of C, F, A and K"),
    (lambda a: bx.evaluate("a + a", rule=5), TypeError, "rule must be the name of a rule"),
    (lambda a: bx.compile("a + a", rule=5), TypeError, "rule must be the name of a rule"),
    (lambda a: bx.compile(5), TypeError, "an expression is a text"),
    (lambda a: bx.broadcast_shapes((2,), (2,), rule=5), TypeError, "rule must be the name of a rule"),
]


def test_keywords_are_refused_in_the_words_of_the_package():
    a = np.ones(3)
    for call, error, part in WORDS:
        with pytest.raises(error) as caught:
            call(a)
        assert str(caught.value).startswith(part), caught.value
    assert bx.add(a, a, order=None).tolist() == [2, 2, 2]
