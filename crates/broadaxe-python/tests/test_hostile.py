"""Shapes and elements at their ends, through every way into the engine."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import broadaxe as bx

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
HUGE = 2**62


def ways(name, text):
    """List the ways in which an operator of two operands is called."""
    return {
        "operator": lambda a, b: getattr(bx, name)(a, b),
        "out": lambda a, b: getattr(bx, name)(a, b, out=np.empty(np.broadcast(a, b).shape, np.result_type(a, b))),
        "expression": lambda a, b: bx.evaluate(text, {"a": a, "b": b}, {}),
        "compiled": lambda a, b: bx.compile(text)(a, b),
    }


ADD = {**ways("add", "a + b"), "onnx": bx.onnx.Add, "openvino": bx.openvino.Add, "paddle": bx.paddle.elementwise_add}


@pytest.mark.parametrize("way", ADD)
def test_shapes(way):
    add = ADD[way]
    good = [((0,), (1,), (0,)), ((2, 0), (2, 1), (2, 0)), ((0, 2**40), (1, 1), (0, 2**40)), ((), (), ()), ((1,) * 64, (), (1,) * 64)]
    for a, b, want in good:
        if way == "out" and len(want) > 32:
            # NumPy's `broadcast`, which makes the output here, goes no further.
            continue
        assert np.shape(add(np.zeros(a, "f4"), np.zeros(b, "f4"))) == want, (a, b)
    refused = [((0,), (5,)), ((2,), (3,)), ((2, 3), (2,))]
    for a, b in refused:
        if way == "out":
            continue
        with pytest.raises(ValueError, match=r"axis \d is \d in . and \d in .; they must be equal|rank"):
            add(np.zeros(a, "f4"), np.zeros(b, "f4"))
    # Results beyond the memory, and results that cannot be counted.
    one = np.ones((), "f4")
    if way != "out":
        with pytest.raises(MemoryError, match="the budget is"):
            add(np.broadcast_to(one, (2**24, 1)), np.broadcast_to(one, (2**24,)))
        with pytest.raises(ValueError, match="count|elements|large"):
            add(np.broadcast_to(one, (2**31, 1, 1)), np.broadcast_to(one, (2**15, 2**31)))


def test_shapes_that_nobody_could_count():
    x, sizes = np.ones((1, 1), "f4"), [[HUGE, 4], [2**32, 2**32], [-1, 2], [-1, -1], [2**200, 1]]
    for shape in sizes:
        calls = [
            lambda: bx.broadcast_to(x, shape),  # noqa: B023
            lambda: bx.broadcast_to(x, shape, rule="bidirectional"),  # noqa: B023
            lambda: bx.broadcast_shapes(tuple(shape), (1,)),  # noqa: B023
            lambda: bx.explain(tuple(shape), (1,)),  # noqa: B023
            lambda: bx.onnx.Expand(x, shape=shape),  # noqa: B023
            lambda: bx.evaluate(f"broadcast_to(x, {shape})", {"x": x}, {}),  # noqa: B023
        ]
        for k, call in enumerate(calls):
            with pytest.raises((ValueError, MemoryError, OverflowError, SyntaxError, TypeError)) as raised:
                call()
            assert str(raised.value), (shape, k)
    assert bx.broadcast_shapes((0, 2**40), (1,)) == (0, 2**40)
    with pytest.raises(ValueError):
        bx.broadcast_shapes((0, HUGE, 4), (1,))


def test_overlaps_of_every_kind_in_expressions():
    """As if the operands had been copied before: shifted by one, by two bytes, transposed, reversed, and in place."""
    for name, make in {
        "shift": lambda m: (m[:-1], m[1:]),
        "back": lambda m: (m[1:], m[:-1]),
        "transpose": lambda m: (m[:16].reshape(4, 4).T, m[:16].reshape(4, 4)),
        "reverse": lambda m: (m[::-1], m),
        "same": lambda m: (m, m),
        "two bytes": lambda m: (m.view("u1")[:96].view("f4"), m.view("u1")[2:98].view("f4")),
        "large": lambda m: (m[:-1], m[1:]),
    }.items():
        found = []
        for compute in (np.add, lambda a, b, out: bx.evaluate("a + b", {"a": a, "b": b}, {}, out=out), bx.add, bx.onnx.Add):
            m = np.arange(300_000 if name == "large" else 25, dtype="f4")
            a, out = make(m)
            compute(a, np.float32(1), out=out)
            found.append(m.tobytes())
        assert len(set(found)) == 1, name


def test_outputs_that_may_not_be_written(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(3, "f4"))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    locked = np.frombuffer(bytes(12), "f4")
    a = np.ones(3, "f4")
    calls = [
        lambda out: bx.add(a, a, out=out),
        lambda out: bx.add(a, a, out),
        lambda out: bx.add(a, a.astype("f8"), out=out, casting="unsafe"),
        lambda out: bx.add(a, a, out=out, where=a > 0),
        lambda out: bx.evaluate("a + a", {"a": a}, {}, out=out),
        lambda out: bx.compile("a + a")(a, out=out),
        lambda out: bx.onnx.Add(a, a, out=out),
        lambda out: bx.sum(np.ones((2, 3), "f4"), axis=0, out=out),
    ]
    for call in calls:
        for out in (mapped, locked, np.broadcast_to(a, (3,))):
            with pytest.raises(ValueError, match="read-only"):
                call(out)
        with pytest.raises(ValueError, match="share memory"):
            call(as_strided(np.zeros(3, "f4"), (3,), (0,)))
        for out, kind in [(np.zeros(3, object), TypeError), (np.zeros(3, "c8"), TypeError), (np.zeros(4, "f4"), ValueError)]:
            with pytest.raises(kind):
                call(out)
    assert bx.add(mapped, 1).tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_never_trap(dtype):
    """At every place of a row, be it in vectors or in what is left."""
    info = np.iinfo(dtype)
    for n in (1, 3, 17, 64, 131):
        a, b = np.full(n, info.max, dtype), np.full(n, 1, dtype)
        wrapped = np.full(n, info.min, dtype)
        for way, add in ways("add", "a + b").items():
            assert np.array_equal(add(a, b), wrapped), way
        if info.min < 0:
            a, b = np.full(n, info.min, dtype), np.full(n, -1, dtype)
            for way, divide in ways("div_floor", "a // b").items():
                assert np.array_equal(divide(a, b), a), way
            for way, remainder in ways("mod_floor", "a % b").items():
                assert not remainder(a, b).any(), way
            assert np.array_equal(bx.div_trunc(a, b), a) and not bx.fmod(a, b).any() and np.array_equal(bx.abs(a), a)
            with pytest.raises(ValueError, match="a negative"):
                bx.pow(a, b)
            # Counts of the width or more, and negative ones, shift everything out.
            assert not bx.shift_left(a, b).any() and np.array_equal(bx.shift_right(a, b), b)
        for at in {0, n // 2, n - 1}:
            divisor = np.full(n, 3, dtype)
            divisor[at] = 0
            for name, text in [("div_floor", "a // b"), ("mod_floor", "a % b")]:
                for way, divide in ways(name, text).items():
                    with pytest.raises(ZeroDivisionError, match=rf"a zero divisor at \({at},\)"):
                        divide(a, divisor)
            with pytest.raises(ZeroDivisionError):
                bx.onnx.Div(a, divisor)
            with pytest.raises(ZeroDivisionError):
                bx.openvino.Divide(a, divisor)
        width = np.full(n, info.bits, dtype)
        a = np.full(n, info.max, dtype)
        assert not bx.shift_left(a, width).any() and not bx.shift_right(a, width).any()


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_at_their_ends(dtype):
    info = np.finfo(dtype)
    for n in (1, 5, 33, 130):
        tiny = np.full(n, info.smallest_subnormal, dtype)
        assert np.array_equal(bx.add(tiny, tiny), tiny + tiny) and bx.add(tiny, tiny).all()
        most = np.full(n, info.max, dtype)
        assert np.isinf(bx.add(most, most)).all() and np.isinf(bx.evaluate("most * 2")).all()
        for at in {0, n // 2, n - 1}:
            x, y = np.ones(n, dtype), np.full(n, 2, dtype)
            x[at] = np.nan
            for a, b in ((x, y), (y, x)):
                for name in ("max", "min"):
                    assert np.flatnonzero(np.isnan(getattr(bx, name)(a, b))).tolist() == [at]
                for name in ("fmax", "fmin"):
                    assert not np.isnan(getattr(bx, name)(a, b)).any()


def test_floats_to_integers_are_one_answer_everywhere():
    """NaN, infinities and what is out of range give the same at every length, place and layout."""
    odd = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 300.7, -300.7, 2.5])
    for dtype in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"):
        alone = [int(bx.evaluate(f"cast(x, '{dtype}')", {"x": np.array([x])}, {})[0]) for x in odd]
        for n in (8, 24, 136):
            x = np.resize(odd, n)
            for layout in (x, x[::-1][::-1], np.repeat(x, 2)[::2], x.reshape(2, -1).T.copy().T.reshape(-1)):
                assert bx.evaluate(f"cast(layout, '{dtype}')").tolist() == (alone * n)[:n], dtype


@pytest.mark.parametrize("byte", [2, 3, 128, 255])
def test_bytes_of_bools_at_every_place(byte):
    for n in (1, 7, 64, 130):
        odd = np.zeros(n, "u1")
        odd[::2] = byte
        odd, want = odd.view("?"), np.arange(n) % 2 == 0
        as_is = [bx.logical_and(odd, odd), bx.logical_or(odd, False), bx.evaluate("odd | odd"), bx.not_equal(odd, False), bx.max(odd, odd),
                 bx.onnx.And(odd, odd), bx.equal(odd, True), bx.logical_xor(odd, False)]
        for k, got in enumerate(as_is):
            assert got.view("u1").tolist() == want.astype("u1").tolist(), k
        assert bx.add(odd, 0).tolist() == want.astype(int).tolist() and bx.sum(odd) == want.sum()
        # What is copied or chosen becomes 0 or 1 too.
        chosen = [bx.where(odd, odd, False), bx.where(want, odd, odd), bx.evaluate("odd"), bx.evaluate("cast(odd, 'bool')"),
                  bx.compile("x")(odd), bx.onnx.Expand(odd, shape=[n]), bx.onnx.Expand(odd, shape=[3, n])[1],
                  bx.onnx.Where(odd, odd, odd), bx.onnx.Identity(odd) if hasattr(bx.onnx, "Identity") else bx.max(odd[:, None], axis=1),
                  bx.min(odd.reshape(1, n), axis=0), bx.evaluate("where(odd, odd, odd)")]
        for k, got in enumerate(chosen):
            assert got.view("u1").tolist() == want.astype("u1").tolist(), k
        assert bx.where(odd, 1, 2).tolist() == np.where(want, 1, 2).tolist() and bx.logical_not(odd).tolist() == (~want).tolist()
        out = np.full(n, 9)
        bx.add(out, 1, out=out, where=odd)
        assert out.tolist() == np.where(want, 10, 9).tolist()


def test_byte_orders_and_misaligned_arrays_everywhere():
    want = np.arange(6, dtype="f4").reshape(2, 3)
    swapped = want.astype(">f4")
    odd = np.zeros(25, "u1")[1:].view("f4").reshape(2, 3)
    odd[...] = want
    for array in (swapped, odd, want.astype(">f4")[:, ::-1][:, ::-1]):
        for got in (bx.add(array, array), bx.evaluate("array + array"), bx.onnx.Add(array, array), bx.compile("x + x")(array),
                    bx.openvino.Add(array, array), bx.add(array, want), bx.where(array > 0, array, array) * 2):
            assert got.dtype == np.float32 and np.array_equal(got, want + want)
        assert bx.sum(array) == 15 and bx.max(array, axis=0).tolist() == [3, 4, 5]
        out = np.zeros_like(array)
        assert bx.evaluate("array * 2", out=out) is out and np.array_equal(out, want * 2)
        assert bx.add(array, 1, out=out, where=array > 2) is out and out[0, 0] == 0 and out[1, 0] == 4


def test_what_is_no_array():
    for odd in (None, object(), "text", [None], {"a": 1}, np.array([1, "a"], object), np.zeros(2, "U3"), np.zeros(2, "V8"),
                np.zeros(2, [("a", "f4")]), 1j, np.zeros(2, "c16"), np.zeros(2, "m8[s]"), np.longdouble(1)):
        for call in (lambda: bx.add(odd, 1), lambda: bx.evaluate("odd + 1", {"odd": odd}, {}), lambda: bx.onnx.Neg(odd),  # noqa: B023
                     lambda: bx.compile("x * 2")(odd), lambda: bx.sum(odd), lambda: bx.ncnn.UnaryOp(odd, op_type=1)):  # noqa: B023
            with pytest.raises((TypeError, ValueError)) as raised:
                call()
            assert str(raised.value), odd
