"""NumPy's functions of the parts of numbers, of divisors, angles and roots: the same values, dtypes and refusals."""

import os
import subprocess
import sys

import numpy as np
import pytest
import reference
from conftest import DTYPES

import broadaxe as bx

ml_dtypes = pytest.importorskip("ml_dtypes")
BF16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype("f2"), BF16, np.dtype("f4"), np.dtype("f8")]
ALL = [np.dtype(name) for name in DTYPES] + [BF16]
UNARY = """bitwise_count cbrt conj conjugate copy deg2rad degrees fabs imag ones_like positive rad2deg radians real rint signbit
    spacing""".split()
BINARY = "float_power gcd lcm ldexp logaddexp2 nextafter".split()
PAIRS = ["frexp", "modf"]

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def special(dtype):
    """Return elements at which functions go wrong first: ends, zeros of both signs, subnormals, neighbours, specials."""
    dtype = np.dtype(dtype)
    if dtype == bool:
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        list = [0, 1, 2, 3, 4, 5, 6, 7, 9, 12, 36, 100, 127, info.max // 2, info.max - 1, info.max]
        if dtype.kind == "i":
            list += [-1, -2, -3, -6, -12, -100, -127, info.min + 1, info.min]
        return np.array(list, dtype)
    bits = np.dtype(f"u{dtype.itemsize}")
    one = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}[dtype.name]
    infinity = ((1 << (8 * dtype.itemsize - 1 - one)) - 1) << one
    sizes = [0, 1, 2, 3, (1 << one) - 1, 1 << one, (1 << one) + 1, infinity // 2, infinity // 2 + 1, infinity // 2 - 1]
    sizes += [infinity - 1, infinity - (1 << one), infinity]
    sign = 1 << (8 * dtype.itemsize - 1)
    near = np.array([0.1, 0.5, 1, 1.5, 2, 2.5, 3, 7, 8, 27, 64, 100, 180, 360, np.pi], dtype)
    made = np.array([size | s for size in sizes for s in (0, sign)], bits).view(dtype)
    return np.concatenate([made, near, -near, np.array([np.nan], dtype)])


def random(dtype, count, seed):
    """Return elements of any bits."""
    generator = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype == bool:
        return generator.integers(0, 2, count).astype(bool)
    array = np.frombuffer(generator.bytes(count * dtype.itemsize), dtype)
    # Of a signalling NaN the C library's powers are NaN where those of a quiet one are 1.
    return np.where(np.isnan(array), np.array(np.nan, dtype), array) if dtype.kind in "fV" else array


def every_half(dtype):
    return np.arange(65536, dtype="u2").view(dtype)


def ask(function, *args, **kwargs):
    """Return the results as a tuple, or the class of the error."""
    try:
        result = function(*args, **kwargs)
    except Exception as error:
        return TypeError if isinstance(error, TypeError) else type(error)
    return result if isinstance(result, tuple) else (result,)


def differing(got, want):
    """Say which elements are not those of NumPy; of NaN only that it is one counts."""
    got, want = np.asarray(got), np.asarray(want)
    if want.dtype.kind not in "fV":
        return np.flatnonzero(got != want)
    nan = np.isnan(want)
    same = got.view(f"u{got.dtype.itemsize}") == want.view(f"u{got.dtype.itemsize}")
    return np.flatnonzero((np.isnan(got) != nan) | ~nan & ~same)


def compare(name, args, faults, ours=None, numpys=None):
    ours, numpys = ours or getattr(bx, name), numpys or getattr(np, name)
    want, got = ask(numpys, *args), ask(ours, *args)
    dtypes = [getattr(arg, "dtype", type(arg).__name__) for arg in args]
    if isinstance(want, type) or isinstance(got, type):
        if want is not got:
            faults.append((name, dtypes, "want", want, "got", got))
        return
    for w, g in zip(want, got, strict=True):
        if w.dtype != g.dtype or w.shape != g.shape:
            faults.append((name, dtypes, w.dtype, g.dtype, w.shape, g.shape))
            continue
        # What rounds is not compared with NumPy, which is off by several ULP on some machines.
        wrong = reference.beyond(name, g, *args) if name in reference.FUNCTIONS else differing(g, w)
        if len(wrong):
            at = wrong[0]
            faults.append((name, dtypes, [np.asarray(arg).ravel()[at % np.size(arg)] for arg in args], "want", w.ravel()[at], "got", g.ravel()[at], len(wrong)))


@pytest.mark.parametrize("name", UNARY + PAIRS)
def test_functions_of_one_operand(name):
    faults = []
    # Of degrees and radians ml_dtypes knows the other names only: NumPy goes to f32.
    numpys = {"degrees": np.rad2deg, "radians": np.deg2rad}.get(name)
    for dtype in ALL:
        compare(name, (special(dtype),), faults, numpys=numpys)
        compare(name, (random(dtype, 3000, 1),), faults, numpys=numpys)
    for dtype in FLOATS[:2]:
        compare(name, (every_half(dtype),), faults, numpys=numpys)
    assert not faults, faults[:5]


@pytest.mark.parametrize("name", [*BINARY, "divmod"])
def test_functions_of_two_operands(name):
    faults = []
    for k, first in enumerate(ALL):
        for second in ALL:
            a, b = special(first), special(second)
            if name == "divmod":
                b = b[b != 0]
                if BF16 in (first, second):
                    continue
            compare(name, (a[:, None], b), faults)
            if name != "divmod":
                compare(name, (random(first, 500, k), random(second, 500, k + 50)), faults)
    assert not faults, faults[:5]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nextafter_of_every_kind_of_pair(dtype):
    a = every_half(dtype) if dtype.itemsize == 2 else random(dtype, 60000, 3)
    faults = []
    for b in special(dtype):
        compare("nextafter", (a, np.full(1, b)), faults)
    assert not faults, faults[:5]


def test_numbers_of_python():
    faults = []
    for name in BINARY:
        for dtype in ALL:
            array = special(dtype)
            for number in (True, 3, -2, 2.5):
                if number == -2 and dtype.kind == "u" or name == "logaddexp2" and number == -2:
                    continue
                compare(name, (array, number), faults)
                compare(name, (number, array), faults)
    assert not faults, faults[:5]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_cube_roots_are_within_one_unit(dtype):
    """Against a root in wider numbers: the nearest, or its neighbour."""
    x = random(dtype, 200_000, 9)
    x = x[np.isfinite(x)]
    root = bx.cbrt(x).astype(np.longdouble)
    unit = np.spacing(np.abs(bx.cbrt(x))).astype(np.longdouble)
    exact = np.cbrt(x.astype(np.longdouble))
    assert np.max(np.abs(root - exact) / unit) <= 0.52


def test_pairs_take_outputs():
    x, y = np.array([1.5, -2.25, np.inf]), np.array([2.0, 0.5, 3.0])
    m, n = np.zeros(3), np.zeros(3, np.int32)
    result = bx.frexp(x, out=(m, n))
    assert result[0] is m and result[1] is n
    np.testing.assert_array_equal(m, np.frexp(x)[0])
    np.testing.assert_array_equal(n, np.frexp(x)[1])
    for outputs in ((m, np.zeros(3)), (None, np.zeros(3)), (np.zeros(3), None)):
        for got in (bx.modf(x, *outputs), bx.modf(x, out=outputs)):
            for g, w, out in zip(got, np.modf(x), outputs):
                np.testing.assert_array_equal(g, w)
                assert out is None or g is out
    # An output over an operand does not change the other result.
    for at in (0, 1):
        a, b = x.copy(), y.copy()
        want = np.divmod(a, b)
        outputs = [np.zeros(3), np.zeros(3)]
        outputs[at] = a
        for g, w in zip(bx.divmod(a, b, out=tuple(outputs)), want):
            np.testing.assert_array_equal(g, w)
    mask = np.array([True, False, True])
    kept = (np.full(3, 9.0), np.full(3, 9.0))
    bx.divmod(x, y, out=kept, where=mask)
    want = (np.full(3, 9.0), np.full(3, 9.0))
    np.divmod(x, y, out=want, where=mask)
    np.testing.assert_array_equal(kept, want)
    assert bx.divmod(7, 3) == (2, 1) and bx.modf(2.5) == (0.5, 2.0)
    assert (bx.frexp.__name__, bx.divmod(np.ones((2, 1)), np.ones(3))[0].shape) == ("frexp", (2, 3))


def test_pairs_say_what_they_take():
    x = np.ones(2)
    for call, kind, sentence in [
        (lambda: bx.modf(x, out=x), TypeError, "out is a tuple of two arrays"),
        (lambda: bx.modf(x, out=(x,)), ValueError, "must be two arrays, not 1"),
        (lambda: bx.modf(x, x, out=(x, x)), TypeError, "behind its operands and as out="),
        (lambda: bx.divmod(np.ones(2, int), 0), ZeroDivisionError, "zero"),
        (lambda: bx.gcd(1.5, 2), TypeError, "integers"),
        (lambda: bx.ldexp(x, x), TypeError, "second operand is an integer"),
        (lambda: bx.positive(x > 0), TypeError, "cast it to i8"),
    ]:
        with pytest.raises(kind, match=sentence):
            call()


TEXTS = """ones_like(a)|copy(a)|conj(a)|real(a)|imag(a)|signbit(a)|nextafter(a, b)|cbrt(a)|gcd(i, 6)|a.real|a.imag|(a - 10).real
    |(a - 10).imag + b|-a.real ** 2|a.real.real|rint(a)|rint(i)|fabs(-a)|fabs(-i)|logaddexp2(a, b)|ldexp(a, i)|+a|positive(i)
    |conjugate(i)|degrees(a)|radians(a)|deg2rad(i)|spacing(a)|float_power(i, 2)|lcm(i, 4)|bitwise_count(i)|frexp_exponent(a)
    |np.real(a)|real(a) + imag(a)"""


def test_functions_in_texts():
    a, b, i = np.array([1.5, -0.0, -7.25, np.inf]), np.array([2.0, -1, 0.5, 3]), np.array([3, -4, 6, 0])
    named = {name: getattr(np, name) for name in UNARY + BINARY}
    named |= {"a": a, "b": b, "i": i, "np": np, "frexp_exponent": lambda x: np.frexp(x)[1]}
    for text in (text.strip() for text in TEXTS.split("|")):
        want, got = eval(text, {}, named), bx.evaluate(text, {"a": a, "b": b, "i": i}, {})
        assert want.dtype == got.dtype, text
        np.testing.assert_allclose(got, want, rtol=1e-15, atol=0, err_msg=text)
        assert not np.shares_memory(got, a), text


def test_texts_are_numexprs():
    numexpr = pytest.importorskip("numexpr")
    a, b = np.array([1.5, -0.0, -7.25, np.inf]), np.array([2.0, -1, 0.5, 3])
    for text in ["ones_like(a)", "copy(a)", "conj(a)", "real(a)", "imag(a)", "signbit(a)", "nextafter(a, b)", "(a-10).real", "a.imag"]:
        try:
            want = numexpr.evaluate(text, {"a": a, "b": b}, {}, sanitize=False)
        except (TypeError, AttributeError):
            # A function of a newer numexpr.
            continue
        np.testing.assert_array_equal(bx.evaluate(text, {"a": a, "b": b}, {}), want, err_msg=text)


def test_other_attributes_are_refused():
    for text, sentence in [
        ("(a - 1).T", "attributes and methods"),
        ("a.shape", "'a' is not a framework"),
        ("(a).real()", "attributes and methods"),
        ("a.real()", "'a' is not a framework"),
    ]:
        with pytest.raises((SyntaxError, NameError), match=sentence):
            bx.evaluate(text, a=np.ones(2))


LEVELS = """
import hashlib, sys
import numpy as np, broadaxe as bx
sys.path.insert(0, sys.argv[1])
from test_functions import BINARY, FLOATS, UNARY, random, special
digest = hashlib.sha256()
for name in UNARY + ["frexp_mantissa", "frexp_exponent", "modf_fraction", "modf_whole"]:
    for dtype in FLOATS if name != "bitwise_count" else [np.dtype("i1"), np.dtype("i8")]:
        for x in (special(dtype), random(dtype, 5003, 5)):
            digest.update(getattr(bx, name)(x).tobytes())
for name in BINARY:
    for dtype in FLOATS if name not in ("gcd", "lcm") else [np.dtype("i2"), np.dtype("u8")]:
        second = np.dtype("i4") if name == "ldexp" else dtype
        for a, b in ((special(dtype)[:, None], special(second)), (random(dtype, 3001, 5), random(second, 3001, 6))):
            digest.update(getattr(bx, name)(a, b).tobytes())
print(digest.hexdigest())
"""


def test_every_level_gives_the_same_bits():
    digests = {}
    for level in ("baseline", "avx2", "avx512", "neon"):
        environment = {**os.environ, "BROADAXE_ISA": level}
        command = [sys.executable, "-W", "ignore", "-c", LEVELS, os.path.dirname(__file__)]
        run = subprocess.run(command, env=environment, capture_output=True, text=True)
        if "not supported by this CPU" in run.stderr:
            continue
        assert run.returncode == 0, run.stderr
        digests[level] = run.stdout
    assert len(digests) >= 1 and len(set(digests.values())) == 1, digests
