"""ONNX's own tests of nodes, driven through the backend."""

import unittest

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
import onnx.backend.test  # noqa: E402

from broadaxe import onnx_backend  # noqa: E402

TESTS = onnx.backend.test.BackendTest(onnx_backend.BroadaxeBackend, __name__)
OPERATORS = "add and bitshift bitwise_and bitwise_or bitwise_xor div equal expand gemm clip greater less max mean min mod mul or pow prelu sub sum where xor"
TESTS.include(rf"^test_({'|'.join(OPERATORS.split())})(2d|3d|4d|_|$)?.*_cpu$")
TESTS.exclude(
    r"expanded|string|maxpool|maxunpool|scatter|cumsum|max_pool|mean_var|meanvariance|sequence|strnorm|nllloss|split|tfidf|upsample|reduce"
)


def chosen(cases):
    """Return a class of the tests that are chosen alone: ONNX makes one of every test and device, and marks most to be skipped."""
    tests = {name: test for name, test in vars(cases).items() if name.startswith("test_")}
    asked = {name: test for name, test in tests.items() if not getattr(test, "__unittest_skip__", False)}
    assert 200 < len(asked) < len(tests)
    return type("NodeTests", (unittest.TestCase,), asked)


NodeTests = chosen(TESTS.test_cases["OnnxBackendNodeModelTest"])


def model(nodes, inputs, outputs, initializers=()):
    value = lambda name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", 2])  # noqa: E731
    graph = onnx.helper.make_graph(nodes, "graph", [value(n) for n in inputs], [value(n) for n in outputs], initializers)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9)


def test_a_graph_is_one_program():
    nodes = [
        onnx.helper.make_node("Sub", ["x", "mean"], ["centred"]),
        onnx.helper.make_node("Div", ["centred", "std"], ["scaled"]),
        onnx.helper.make_node("Relu", ["scaled"], ["y"]),
        onnx.helper.make_node("Shape", ["centred"], ["shape"]),
        onnx.helper.make_node("Expand", ["std", "shape"], ["z"]),
    ]
    std = onnx.numpy_helper.from_array(np.array([2, 4], "f4"), "std")
    backend = onnx_backend.prepare(model(nodes, ["x", "mean"], ["y", "z"], [std]))
    x, mean = np.arange(6, dtype="f4").reshape(3, 2), np.array([2], "f4")
    y, z = backend.run([x, mean])
    np.testing.assert_array_equal(y, np.maximum((x - 2) / np.array([2, 4], "f4"), 0))
    assert z.tolist() == [[2, 4]] * 3
    assert backend.run({"x": x, "mean": mean})[0].tolist() == y.tolist()


def test_models_that_are_not_element_wise_are_refused():
    matmul = model([onnx.helper.make_node("MatMul", ["x", "x"], ["y"])], ["x"], ["y"])
    assert not onnx_backend.is_compatible(matmul)
    with pytest.raises(onnx_backend.Unsupported, match="MatMul"):
        onnx_backend.prepare(matmul)
    with pytest.raises(ValueError, match="no device"):
        onnx_backend.prepare(matmul, device="CUDA")
    assert onnx_backend.supports_device("CPU") and not onnx_backend.supports_device("CUDA:0")
