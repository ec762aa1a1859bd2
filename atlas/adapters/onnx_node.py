"""Build the ONNX model of a question, for the engines that read ONNX."""

from onnx import TensorProto, helper, numpy_helper
from protocol import arrays

import numpy

RULES = {
    "add": ["numpy"], "sub": ["numpy"], "sum": ["numpy"], "select": ["numpy"], "prelu": ["unidirectional"],
    "expand": ["bidirectional"], "gemm": ["gemm-c"],
}  # fmt: skip
OPERATORS = {"add": "Add", "sub": "Sub", "sum": "Sum", "select": "Where", "prelu": "PRelu", "expand": "Expand", "gemm": "Gemm"}


def build(question):
    """Return a model of one node, with constants as initializers, and the arrays of its inputs by their names."""
    inputs, constants, feeds, names = [], [], {}, []
    for k, (operand, array) in enumerate(zip(question["operands"], arrays(question))):
        names.append(f"x{k}")
        if operand["constant"]:
            constants.append(numpy_helper.from_array(array, names[k]))
        else:
            dtype = TensorProto.BOOL if array.dtype == bool else TensorProto.FLOAT
            inputs.append(helper.make_tensor_value_info(names[k], dtype, operand["shape"]))
            feeds[names[k]] = array
    if question["op"] == "expand":
        names.append("target")
        constants.append(numpy_helper.from_array(numpy.array(question["target"], numpy.int64), "target"))
    node = helper.make_node(OPERATORS[question["op"]], names, ["out"])
    # Some engines refuse models whose results have no shape.
    output = helper.make_tensor_value_info("out", TensorProto.FLOAT, question.get("shape"))
    graph = helper.make_graph([node], "question", inputs, [output], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), feeds
