"""Calls on Dask arrays: lazy, chunked along the axes that a rule brings together."""

import numpy as np
import pytest

import broadaxe as bx

da = pytest.importorskip("dask.array")


def chunked(array, *chunks):
    return da.from_array(array, chunks=chunks)


def test_rules():
    x, bias, first = np.arange(48.0).reshape(4, 3, 4), np.arange(3.0), np.arange(4.0)
    lazy = chunked(x, 2, 2, 3)
    cases = [
        (lambda m, f: m.add(f(x, 2, 2, 3), f(bias, 2), rule="pdpd", axis=1), x + bias[:, None]),
        (lambda m, f: m.sub(f(bias, 1), f(x, 2, 2, 3), rule="paddle", axis=1), bias[:, None] - x),
        (lambda m, f: m.add(f(x, 2, 2, 3), f(first, 3), rule="ncnn"), x + first[:, None, None]),
        (lambda m, f: m.add(f(x, 2, 2, 3), f(first, 3)), x + first),
        (lambda m, f: m.less(f(x, 2, 2, 3), 7), x < 7),
        (lambda m, f: m.where(f(x, 2, 2, 3) > 3, f(x, 4, 3, 2), 0), np.where(x > 3, x, 0)),
        (lambda m, f: m.sqrt(f(x, 2, 2, 3)), np.sqrt(x)),
        (lambda m, f: m.add(f(x, 2, 2, 3), first[:, None, None]), x + first[:, None, None]),
        (lambda m, f: m.add(f(x, 2, 2, 3), 1, dtype="f4"), (x + 1).astype("f4")),
        (lambda m, f: m.add(f(x[:, :1], 2, 1, 3), f(bias[:, None], 2, 1)), x[:, :1] + bias[:, None]),
        (lambda m, f: m.evaluate("a * 2 + b", a=f(x, 2, 2, 3), b=f(first, 3)), x * 2 + first),
        (lambda m, f: m.evaluate("a * b", a=f(x, 2, 2, 3), b=f(bias, 3), rule="pdpd", axis=1), x * bias[:, None]),
        (lambda m, f: m.openvino.Add(f(x, 2, 2, 3), f(bias, 2), auto_broadcast="pdpd", axis=1), x + bias[:, None]),
        (lambda m, f: m.paddle.elementwise_add(f(x, 2, 2, 3), f(bias, 2), axis=1), x + bias[:, None]),
        (lambda m, f: m.ncnn.BinaryOp(f(x.astype("f4"), 2, 2, 3), f(first.astype("f4"), 3), op_type=7), first[:, None, None] - x),
        (lambda m, f: m.onnx.Add(f(x, 2, 2, 3), f(first, 3)), x + first),
        (lambda m, f: m.openvino.PReLU(f(-x, 2, 2, 3), f(bias, 2)), -x * bias[:, None]),
        (lambda m, f: m.openvino.Select(f(x, 2, 2, 3) > 3, f(x, 4, 3, 2), f(-x, 1, 3, 4)), np.where(x > 3, x, -x)),
        (lambda m, f: m.onnx.PRelu(f(-x, 2, 2, 3), f(bias[:, None], 2, 1)), -x * bias[:, None]),
        (lambda m, f: m.onnx.Add(f(x, 2, 2, 3), f(bias, 2), broadcast=1, axis=1, opset=1), x + bias[:, None]),
        (lambda m, f: m.onnx.Relu(f(x - 9, 2, 2, 3)), np.maximum(x - 9, 0)),
        (lambda m, f: m.max(f(x, 2, 2, 3), f(first, 3), 7), np.maximum(np.maximum(x, first), 7)),
        (lambda m, f: m.openvino.Divide(f(x, 2, 2, 3), f(first + 1, 3)), x / (first + 1)),
    ]
    for make, want in cases:
        got = make(bx, lambda array, *chunks: chunked(array, *chunks))
        assert isinstance(got, da.Array) and got.shape == want.shape
        block = got.compute()
        assert block.dtype == got.dtype
        np.testing.assert_allclose(block, want)
    assert lazy.numblocks == (2, 2, 2)


def test_nothing_is_computed_early():
    def explode(block):
        raise RuntimeError("computed")

    lazy = chunked(np.ones((4, 4)), 2, 2).map_blocks(explode, dtype=float)
    for result in (bx.add(lazy, 1), bx.evaluate("lazy + 1"), bx.onnx.Neg(lazy), bx.add(lazy, np.ones(4), rule="pdpd", axis=0)):
        assert result.shape == (4, 4)
        with pytest.raises(RuntimeError, match="computed"):
            result.compute()


def test_errors_come_at_once():
    lazy = chunked(np.ones((4, 4)), 2, 2)
    for call, kind in [
        (lambda: bx.add(lazy, np.ones(3)), ValueError),
        (lambda: bx.add(lazy, chunked(np.ones(3), 2), rule="pdpd", axis=0), ValueError),
        (lambda: bx.bitwise_and(lazy, 1), TypeError),
        (lambda: bx.evaluate("sum(x) + 1", x=lazy), ValueError),
        (lambda: bx.evaluate("x - max(x)", x=lazy), ValueError),
        (lambda: bx.evaluate("add(x, y, rule='pdpd', axis=0)", x=lazy, y=lazy[0]), ValueError),
        (lambda: bx.evaluate("onnx.Add(x, y)", x=lazy, y=lazy), ValueError),
        (lambda: bx.evaluate("broadcast_to(x, [4, 4])", x=lazy), ValueError),
        (lambda: bx.onnx.Expand(lazy, shape=[2, 4, 4]), (TypeError, ValueError)),
        (lambda: bx.add(lazy, 1, out=np.ones((4, 4))), TypeError),
        (lambda: bx.onnx.Add(lazy, lazy.astype("f4")), TypeError),
    ]:
        with pytest.raises(kind):
            call()
