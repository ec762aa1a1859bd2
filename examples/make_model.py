"""Makes face.onnx, the first layers of a face detector as exporters of 2017 wrote them: python make_model.py (needs onnx).

It is of opset 6. The bias is placed on the channels by the old attributes `broadcast` and `axis`, and the slope of PRelu has a
number per channel. There are 16 channels and 16 columns, so newer rules accept the same file and read other elements.
"""

from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(7)


def weights(name, *shape):
    values = random.normal(0, 0.25, shape).astype(np.float32)
    return numpy_helper.from_array(values, name)


nodes = [
    helper.make_node("Conv", ["image", "conv1_w"], ["conv1"], "conv1", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    helper.make_node("Add", ["conv1", "conv1_b"], ["bias1"], "bias1", broadcast=1, axis=1),
    helper.make_node("PRelu", ["bias1", "slope"], ["prelu1"], "prelu1"),
    helper.make_node("Conv", ["prelu1", "conv2_w"], ["conv2"], "conv2", kernel_shape=[1, 1]),
    helper.make_node("Add", ["conv2", "prelu1"], ["sum"], "sum"),
    helper.make_node("Sigmoid", ["sum"], ["face"], "face"),
]
initializers = [
    weights("conv1_w", 16, 3, 3, 3),
    weights("conv1_b", 16),
    weights("slope", 16),
    weights("conv2_w", 16, 16, 1, 1),
]


def value(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


inputs = [value("image", [1, 3, 16, 16])] + [value(tensor.name, tensor.dims) for tensor in initializers]
graph = helper.make_graph(nodes, "face", inputs, [value("face", [1, 16, 16, 16])], initializers)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 6)], ir_version=3, producer_name="example")
Path(__file__).with_name("face.onnx").write_bytes(model.SerializeToString())
