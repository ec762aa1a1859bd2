"""Frameworks' operators under their own names."""

import importlib
import inspect

import numpy as np
import pytest

import broadaxe as bx


def test_each_has_its_semantics():
    a, b = np.arange(24, dtype="f4").reshape(2, 3, 4), np.arange(3, dtype="f4")
    np.testing.assert_array_equal(bx.openvino.Add(a, b, auto_broadcast="pdpd", axis=1), a + b[:, None])
    np.testing.assert_array_equal(bx.paddle.elementwise_add(b, a, axis=1), a + b[:, None])
    np.testing.assert_array_equal(bx.ncnn.BinaryOp(a, a[0, 0, :2], op_type=7), a[0, 0, :2, None, None] - a)
    np.testing.assert_array_equal(bx.onnx.Add(a, a[0]), a + a[0])
    np.testing.assert_array_equal(bx.ncnn.BinaryOp(a, with_scalar=1, b=2.0, op_type=2), a * 2)
    assert bx.onnx.Div(np.array([-7]), np.array([2])) == -3 and bx.openvino.Divide(np.array([-7]), np.array([2])) == -4
    assert bx.onnx.Cast(a, to="int32").dtype == np.int32 and bx.onnx.Cast(a, to=np.int32).dtype == np.int32
    assert bx.onnx.Max(a, a, a).shape == a.shape and bx.onnx.Relu(-a).max() == 0
    assert bx.onnx.Add(a, 1.0, opset=7).dtype == np.float32
    out = np.zeros((2, 3, 4), "f4")
    assert bx.onnx.Add(a, a, out=out) is out and out[1, 2, 3] == 46


def test_errors():
    a = np.ones((2, 3), "f4")
    cases = [
        (lambda: bx.onnx.Add(a, a.astype("f8")), TypeError, "the dtypes must be equal"),
        (lambda: bx.onnx.Add(a, np.ones(2, "f4")), ValueError, "under numpy"),
        (lambda: bx.onnx.Add(a, a, axis=1), ValueError, "has no attribute 'axis'"),
        (lambda: bx.openvino.Add(a, a, auto_broadcast="pdp"), ValueError, "should be one of"),
        (lambda: bx.openvino.Add(a, a, axis=1), ValueError, 'axis needs auto_broadcast="pdpd"'),
        (lambda: bx.ncnn.BinaryOp(a, a, op_type=99), ValueError, "use op_type=0 to op_type=18"),
        (lambda: bx.ncnn.BinaryOp(a.astype("f8"), a), TypeError, "it accepts f32"),
        (lambda: bx.onnx.Div(np.array([1]), np.array([0])), ZeroDivisionError, "zero divisor"),
        (lambda: bx.onnx.Add(a, a, opset=99), ValueError, "opset=99 is not an opset"),
        (lambda: bx.onnx.Add(a, a, opset=object()), TypeError, "an attribute is"),
    ]
    for call, kind, text in cases:
        with pytest.raises(kind, match=text):
            call()
    for name in ("MatMul", "Conv", "Nope"):
        assert not hasattr(bx.onnx, name)


def test_modules_have_names_documentation_and_signatures():
    count = 0
    for system in ("onnx", "openvino", "ncnn", "paddle"):
        module = importlib.import_module(f"broadaxe.{system}")
        assert module is getattr(bx, system)
        for name in module.__all__:
            function = getattr(module, name)
            assert function.__name__ == name and function.__doc__.startswith(f"Compute {name} of {system}")
            assert "out" in inspect.signature(function).parameters
            count += 1
    assert count > 150
    assert inspect.signature(bx.ncnn.BinaryOp).parameters["op_type"].default == 0
