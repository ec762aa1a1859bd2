"""Expressions, and the ways in which numexpr's users write them."""

import pickle

import numpy as np
import pytest

import broadaxe as bx
import broadaxe as ne


def test_examples_of_numexprs_documentation():
    """The calls of its README and user guide, with only the import changed."""
    a = np.arange(1e5)
    b = np.arange(1e5)
    np.testing.assert_array_equal(ne.evaluate("a + 1"), a + 1)
    np.testing.assert_allclose(ne.evaluate("a * b - 4.1 * a > 2.5 * b"), a * b - 4.1 * a > 2.5 * b)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(ne.evaluate("sin(a) + arcsinh(a/b + 1)"), np.sin(a) + np.arcsinh(a / b + 1))
    np.testing.assert_allclose(ne.evaluate("2*a + 3*b"), 2 * a + 3 * b)
    np.testing.assert_allclose(ne.evaluate("2*a + b**10"), 2 * a + b**10)
    np.testing.assert_allclose(ne.evaluate("sin(a)**2 + cos(a)**2"), np.ones(a.size))
    np.testing.assert_allclose(ne.evaluate("where(a > 10, a, b * 2)"), np.where(a > 10, a, b * 2))
    np.testing.assert_allclose(ne.evaluate("sum(a)"), a.sum())
    np.testing.assert_allclose(ne.evaluate("max(a)"), a.max())
    out = np.empty_like(a)
    assert ne.evaluate("a + b", out=out) is out and out[3] == 6
    assert ne.evaluate("x + y", local_dict={"x": a, "y": 2}, global_dict={})[1] == 3
    assert ne.evaluate("x + y", {"x": a, "y": 2})[1] == 3
    assert ne.re_evaluate({"x": a, "y": 5})[1] == 6
    assert ne.validate("a + b") is None and isinstance(ne.validate("a +* b"), SyntaxError)
    before = ne.set_num_threads(1)
    assert before >= 1 and ne.set_num_threads(before) == 1
    assert ne.evaluate("a / 2", truediv="auto", optimization="aggressive", sanitize=True)[1] == 0.5


NUMEXPR = """a + 1|a * b - 4.1 * a > 2.5 * b|sin(a) + arcsinh(a/b)|2*a + 3*b|2*a + 3*b**2|2*a + b**10|a**2 + b**2 + 2*a*b|sin(a)**2 + cos(b)**2
where(a > 10, a, b)|sum(a)|prod(c)|sum(c, axis=1)|prod(c, axis=0)|min(a)|max(c, axis=0)|(a > 3) & (b < 9)|i % 3|i << 2|i >> 1|i / 3
i ** 2|-i|i & 3|i ^ 3|a % 3|tan(a)|arcsin(a/1e5)|arccos(a/1e5)|arctan(a)|arctan2(a, b)|sinh(a/1e5)|cosh(a/1e5)|tanh(a)|arcsinh(a)|arccosh(a)
arctanh(a/1e6)|log(a)|log10(a)|log1p(a)|exp(a/1e5)|expm1(a/1e5)|sqrt(a)|abs(-a)|floor(a/3)|ceil(a/3)|isnan(a)|isfinite(a)|isinf(a)|a**0.5|a**-1
f*2|f + a|hypot(a, b)|trunc(a/3)|round(a/3)|sign(-a)|maximum(a, b)|minimum(a, b)|log2(a)|copysign(a, -b)"""


def test_results_are_numexprs():
    """Its operators and functions on numbers, the same text to both."""
    numexpr = pytest.importorskip("numexpr")
    a = np.arange(1.0, 1e4)
    arrays = {"a": a, "b": a[::-1].copy(), "c": np.arange(1.0, 13).reshape(3, 4), "i": np.arange(10), "f": a.astype("f4"), "m": a > 5}
    wrong = []
    for text in NUMEXPR.replace("\n", "|").split("|"):
        used = {name: array for name, array in arrays.items() if name in ne.compile(text).names}
        try:
            want = numexpr.evaluate(text, used, {})
        except TypeError as error:
            # A function of a newer numexpr.
            assert "not callable" in str(error), (text, error)
            continue
        got = ne.evaluate(text, used, {})
        if np.shape(got) != np.shape(want) or not np.allclose(got, want, rtol=1e-6, equal_nan=True):
            wrong.append((text, got, want))
    assert not wrong, wrong[:3]


def test_what_numexpr_has_and_we_have_not_is_said():
    names = {"a": np.ones(2), "s": np.array([b"abba", b"abbb"]), "z": np.ones(2, complex)}
    for text, kind, sentence in [
        ("complex(a, a)", NameError, "needs complex numbers"),
        ("angle(a)", NameError, "needs complex numbers"),
        ("z + 1", TypeError, "complex128 is not supported"),
        ("contains(s, a)", NameError, "needs strings"),
        ("b'abba' == s", SyntaxError, "compare texts before"),
        ("s == 'abba'", SyntaxError, "compare texts before"),
        ("s == a", TypeError, "not supported"),
    ]:
        with pytest.raises(kind, match=sentence):
            ne.evaluate(text, names, {})


def test_plans_are_kept_for_operands_that_lie_alike():
    """What was planned is found again for the same layouts, and never for others: numbers, dtypes, strides, rules, outputs."""
    whole = np.arange(24.0)
    layouts = [whole, whole[::2], whole[::-1], whole.reshape(4, 6), whole.reshape(4, 6).T, whole.astype("f4"), whole.astype("i8"), 2, 2.0, 3, True]
    for _ in range(3):
        for x in layouts:
            for y in (1, 1.5, np.float32(1.5), np.ones(()), np.ones(1, "i4")):
                np.testing.assert_array_equal(bx.evaluate("x * 2 + y", x=x, y=y), np.multiply(x, 2) + y)
                np.testing.assert_array_equal(bx.add(x, y), np.add(x, y))
            out = np.zeros(np.shape(x), np.result_type(x, 1.5))
            np.testing.assert_array_equal(bx.evaluate("x + 1.5", x=x, out=out, casting="same_kind"), np.add(x, 1.5))
    square, row = np.arange(4.0).reshape(2, 2), np.arange(2.0)
    for _ in range(2):
        assert bx.evaluate("square + row").tolist() == [[0, 2], [2, 4]]
        assert bx.evaluate("square + row", rule="ncnn").tolist() == [[0, 1], [3, 4]]
        assert bx.evaluate("square + row", rule="pdpd", axis=0).tolist() == [[0, 1], [3, 4]]
        assert bx.evaluate("square + row", order="F").flags.f_contiguous
        with pytest.raises(ValueError, match="read-only"):
            bx.evaluate("square + row", out=np.broadcast_to(row, (2, 2)))


def test_names_are_found_where_numexpr_finds_them():
    hidden = np.ones(2)

    def inner():
        hidden = np.zeros(2)
        return bx.evaluate("hidden + 1")

    assert inner().tolist() == [1, 1]
    assert bx.evaluate("hidden + k", k=3).tolist() == [4, 4]
    with pytest.raises(NameError, match="'missing'"):
        bx.evaluate("missing + 1")
    with pytest.raises(TypeError, match="does not use"):
        bx.evaluate("hidden + 1", other=hidden)


def test_out_order_and_casting():
    a = np.arange(6, dtype="f4").reshape(2, 3)
    assert bx.evaluate("a + 1", order="F").flags.f_contiguous and bx.evaluate("a + 1").flags.c_contiguous
    t = a.T
    assert bx.evaluate("t + 1").flags.f_contiguous and bx.evaluate("t + 1", order="C").flags.c_contiguous
    assert bx.evaluate("a + 1", out=np.zeros((2, 3))).dtype == np.float64
    with pytest.raises(TypeError, match="'same_kind'"):
        bx.evaluate("a + 1", out=np.zeros((2, 3), "i4"))
    assert bx.evaluate("a + 1", out=np.zeros((2, 3), "i4"), casting="unsafe").tolist() == [[1, 2, 3], [4, 5, 6]]
    with pytest.raises(ValueError, match="order"):
        bx.evaluate("a + 1", order="X")
    # As if the operands were copied first.
    m = np.arange(10.0)
    head, tail = m[:-1], m[1:]
    bx.evaluate("head * 2", out=tail)
    assert m.tolist() == [0, 0, 2, 4, 6, 8, 10, 12, 14, 16]


def test_rules_frameworks_and_reductions_in_texts():
    x, y = np.ones((2, 3, 4), "f4"), np.arange(3, dtype="f4")
    assert bx.evaluate("x + y", rule="pdpd", axis=1)[0, :, 0].tolist() == [1, 2, 3]
    assert bx.evaluate("add(x, y, rule='pdpd', axis=1)").shape == (2, 3, 4)
    assert bx.evaluate("ncnn.BinaryOp(x, x, op_type=1)").max() == 0
    assert bx.evaluate("sum(x, axis=[0, 2])").tolist() == [8, 8, 8]
    assert type(bx.evaluate("1 + 2")) is np.int64


def test_compiled():
    norm = bx.compile("(x - mean) / std")
    assert norm.names == ("x", "mean", "std") and norm.text == "(x - mean) / std"
    assert norm(np.array([1.0, 3.0]), 2.0, std=0.5).tolist() == [-2, 2]
    again = pickle.loads(pickle.dumps(bx.compile("x + y", rule="pdpd", axis=0)))
    assert again(np.ones((2, 3)), np.ones(2)).shape == (2, 3)
    for args, kwargs in [((1,), {}), ((1, 2, 3, 4), {}), ((1, 2, 3), {"x": 1}), ((1, 2), {"st": 1})]:
        with pytest.raises(TypeError):
            norm(*args, **kwargs)


def test_errors_point_at_the_text():
    names = {"a": np.ones(3), "b": np.ones(2), "i": np.ones(3, int), "zero": np.zeros(3, int)}
    cases = [
        ("a + (b", SyntaxError, r"\n  a \+ \(b\n {8}\^"),
        ("sine(a)", NameError, "did you mean 'sin'"),
        ("a + b", ValueError, "axis 0 is 3 in a and 2 in b"),
        ("a & 1", TypeError, "refused"),
        ("i // zero", ZeroDivisionError, "a zero divisor"),
        ("a + " * 100 + "(", SyntaxError, "missing"),
        ("__import__('os').system('true')", NameError, "unknown operator '__import__'"),
    ]
    for text, kind, sentence in cases:
        with pytest.raises(kind, match=sentence):
            bx.evaluate(text, names, {})


def test_hostile_texts():
    for text in ["", "(" * 1000, "a" + "+a" * 200_000, "\0", "a.b.c", "lambda: 1", "a[0]", "x" * 2_000_000, "9" * 400, "1e999999"]:
        try:
            bx.evaluate(text, {"a": np.ones(2)}, {})
        except (SyntaxError, NameError, ValueError, TypeError, OverflowError):
            pass
