"""Shapes with names in explain and compare, dtypes of explain, and unbroadcast."""

import itertools

import numpy as np
import pytest

import broadaxe as bx

RULES = ["numpy", "unidirectional", "ncnn", "pdpd", "paddle", "openvino-prelu", "none"]


def test_explain_takes_names():
    for shapes in (((("n", 4)), (3, 4)), ("n,4", "(3, 4)"), ("n,4", np.zeros((3, 4)))):
        found = bx.explain(*shapes)
        assert found.data["shape"] == [3, 4] and found.data["guards"] == ["n == 3 or n == 1"]
        assert found.data["operands"][0]["repeats"] == [{"axis": 0, "times": 3, "when": "n == 1"}]
    assert bx.explain((None, 4), (4,)).data["shape"] == ["?", 4]
    assert bx.explain((None, 4), (4,)).data["operands"][0]["repeats"] == []
    assert "if n == 3" in bx.explain(("n", 4), (3, 4), rule="unidirectional")
    assert bx.explain(("n", 4), (3, 4), rule="unidirectional").data["operands"][0]["repeats"] == []
    with pytest.raises(ValueError, match="must be equal or 1"):
        bx.explain(("n", 4), (3, 5))


def test_what_is_said_of_names_holds_for_numbers():
    """Puts numbers in the place of names: shape, axes and repeats are those of the numbers where the guards hold."""
    shapes = [("n", 4), ("n", 1, "m"), (3, "n"), ("n", "n"), (1, "m")]
    tried = 0
    for rule, (a, b) in itertools.product(RULES, itertools.product(shapes, repeat=2)):
        try:
            data = bx.explain(a, b, rule=rule).data
        except ValueError:
            data = None
        for sizes in ({"n": n, "m": m} for n in (1, 3, 4) for m in (1, 3, 4)):
            known = [tuple(sizes.get(dim, dim) for dim in shape) for shape in (a, b)]
            holds = data is not None and all(eval(guard, {}, dict(sizes)) for guard in data["guards"])
            try:
                want = bx.explain(*known, rule=rule).data
            except ValueError:
                assert not holds, (rule, known, data)
                continue
            assert holds, (rule, known, data)
            tried += 1
            for dim, size in zip(data["shape"], want["shape"]):
                assert dim == size or isinstance(dim, str), (rule, known, data)
            for k, operand in enumerate(data["operands"]):
                if "axes" not in operand:
                    continue
                assert operand["axes"] == want["operands"][k]["axes"], (rule, known)
                along = {one["axis"] for one in operand["repeats"] if not one["when"] or eval(one["when"], {}, dict(sizes))}
                real = {one["axis"] for one in want["operands"][k]["repeats"]}
                assert real <= along and all(want["shape"][axis] == 1 for axis in along - real), (rule, known, operand)
    assert tried > 300


def test_compare_takes_names_and_finds_sizes():
    data = bx.compare(("n", "n"), ("n",)).data
    rules = {one["rule"]: one for one in data["rules"]}
    assert rules["numpy"]["shape"] == ["n", "n"] and rules["numpy"]["axes"] == [[0, 1], [1]]
    assert rules["ncnn"]["axes"] == [[0, 1], [0]] and rules["numpy"]["meaning"] != rules["ncnn"]["meaning"]
    assert data["sizes"] == {"n": 2} and data["differences"]
    concrete = bx.compare((2, 2), (2,)).data["differences"]
    assert data["differences"] == concrete
    guards = {one["rule"]: one["guards"] for one in bx.compare("n,4", "3,4").data["rules"] if "error" not in one}
    assert guards["numpy"] == ["n == 3 or n == 1"] and guards["none"] == ["n == 3"]
    assert "Only ggml accepts these shapes" in bx.compare((2, "n"), (3, "n"))
    assert "No rule is known to accept these shapes" in bx.compare((2, "n"), (3, 5))


@pytest.mark.parametrize(
    ("ask", "kind", "says"),
    [
        (lambda: bx.explain((2.5,)), TypeError, "2.5 is not a dim"),
        (lambda: bx.explain(2.5), TypeError, "2.5 is not a shape"),
        (lambda: bx.compare((-1,)), ValueError, "0 or more"),
        (lambda: bx.explain((2,), dtype="i8"), ValueError, "'int64' or 'int8'"),
        (lambda: bx.explain((2,), dtype="complex64"), TypeError, "complex64"),
        (lambda: bx.explain((2,), rule="nmpy"), ValueError, "numpy"),
        (lambda: bx.explain("n:9..2"), ValueError, "2"),
    ],
)
def test_refusals(ask, kind, says):
    with pytest.raises(kind, match=says):
        ask()


def test_bytes_are_those_of_the_arrays():
    for dtype in ("float16", "int8", "float64", "uint16"):
        data = bx.explain(np.zeros((2, 3), dtype), np.zeros(3, dtype)).data
        size = np.dtype(dtype).itemsize
        assert (data["bytes_read"], data["bytes_written"]) == (9 * size, 6 * size), dtype
    mixed = bx.explain(np.zeros((2, 3), np.int8), np.zeros(3))
    assert (mixed.data["bytes_read"], mixed.data["bytes_written"], mixed.data["dtype"]) == (6 + 24, 48, "f64")
    assert [one.get("dtype") for one in mixed.data["operands"]] == ["i8", None]
    for dtype in ("f8", "f64", "float64", np.float64, np.dtype("f8"), float):
        assert bx.explain((2,), dtype=dtype).data["bytes_read"] == 16, dtype
    assert bx.explain((2,)).data["bytes_read"] == 8


def naive(gradient, shape, axes):
    """Sum element by element."""
    summed = np.zeros(shape, gradient.dtype)
    for index in np.ndindex(gradient.shape):
        at = tuple(0 if dim == 1 else index[axis] for dim, axis in zip(shape, axes))
        summed[at] += gradient[index]
    return summed


def test_unbroadcast_sums_what_was_repeated():
    generator = np.random.default_rng(0)
    cases = [
        ((2, 3, 4), (4,), {}, [2]),
        ((2, 3, 4), (3, 1), {}, [1, 2]),
        ((2, 3, 4), (), {}, []),
        ((2, 3, 4), (2, 3, 4), {}, [0, 1, 2]),
        ((2, 3, 4), (3,), {"rule": "pdpd", "axis": 1}, [1]),
        ((3, 3), (3,), {"rule": "ncnn"}, [0]),
        ((2, 3), (3,), {"rule": "broadcast-to target=2,3"}, [1]),
        ((0, 3), (3,), {}, [1]),
    ]
    for dtype in (np.float32, np.float64, np.int8, np.float16):
        for result, shape, keywords, axes in cases:
            gradient = generator.integers(-4, 5, result).astype(dtype)
            got = bx.unbroadcast(gradient, shape, **keywords)
            assert isinstance(got, np.ndarray) and got.dtype == dtype and got.shape == shape
            np.testing.assert_array_equal(got, naive(gradient, shape, axes))
    like = np.zeros((3, 1))
    np.testing.assert_array_equal(bx.unbroadcast(np.ones((2, 3, 4)), like), np.full((3, 1), 8.0))
    for shape, keywords in (((3,), {}), ((5, 2, 1), {}), ((2, 2), {"rule": "none"})):
        with pytest.raises(ValueError):
            bx.unbroadcast(np.ones((2, 1)), shape, **keywords)


def test_unbroadcast_is_the_gradient():
    torch = pytest.importorskip("torch")
    for result, shape in (((2, 3, 4), (3, 1)), ((5, 4), (4,)), ((2, 2), (1, 1))):
        operand = torch.zeros(shape, dtype=torch.float64, requires_grad=True)
        gradient = torch.rand(result, dtype=torch.float64)
        (operand + torch.zeros(result, dtype=torch.float64)).backward(gradient)
        np.testing.assert_allclose(bx.unbroadcast(gradient, shape), operand.grad.numpy(), rtol=1e-14)
