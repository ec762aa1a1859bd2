"""ONNX's backend interface, for graphs of element-wise operators, broadcasts, reductions and what moves elements.

`prepare(model)` checks a model and returns a representation whose `run(inputs)` evaluates it. Element-wise operators, broadcasts,
reductions, softmax and normalisations are fused programs: results in between take no memory as a whole. Operators that move elements
(Reshape, Gather, Concat) and products (MatMul, Einsum) are NumPy's, without a copy where a view will do. Operators that ONNX
defines by others, and functions of the model, are evaluated by their definitions.

>>> import onnx, numpy as np
>>> from broadaxe import onnx_backend
>>> node = onnx.helper.make_node("Add", ["a", "b"], ["c"])
>>> onnx_backend.run_node(node, [np.ones((2, 1), np.float32), np.ones(3, np.float32)])[0].shape
(2, 3)
>>> node = onnx.helper.make_node("Conv", ["x", "w"], ["y"])
>>> onnx_backend.run_node(node, [np.ones((1, 1, 4), np.float32), np.ones((1, 1, 3), np.float32)])
Traceback (most recent call last):
    ...
broadaxe.onnx_backend.Unsupported: the operator Conv is not supported
"""

from ._backend import BroadaxeBackend, Representation
from ._tensors import Unsupported

__all__ = [
    "BroadaxeBackend",
    "Representation",
    "Unsupported",
    "is_compatible",
    "operators",
    "prepare",
    "run_model",
    "run_node",
    "supports_device",
]

is_compatible = BroadaxeBackend.is_compatible
prepare = BroadaxeBackend.prepare
run_model = BroadaxeBackend.run_model
run_node = BroadaxeBackend.run_node
supports_device = BroadaxeBackend.supports_device
operators = BroadaxeBackend.operators
