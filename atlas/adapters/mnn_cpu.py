"""Ask MNN on the CPU, through its converter from ONNX."""

import os
import tempfile

import numpy
import protocol
from onnx_node import RULES, build

import _tools
import MNN.expr
import MNN.nn


def answer(question):
    """Convert a model of one node, and run it."""
    protocol.need(question, RULES)
    model, feeds = build(question)
    with open("m.onnx", "wb") as file:
        file.write(model.SerializeToString())
    if os.path.exists("m.mnn"):
        os.remove("m.mnn")
    # The module MNN.tools.mnnconvert would install a package.
    arguments = ["-f", "ONNX", "--modelFile", "m.onnx", "--MNNModel", "m.mnn", "--bizCode", "x", "--keepInputFormat=1"]
    _tools.mnnconvert(["mnnconvert", *arguments])
    if not os.path.exists("m.mnn"):
        raise RuntimeError("the converter refuses the model")
    given = []
    for array in feeds.values():
        array = array.astype(numpy.int32) if array.dtype == bool else array
        kind = MNN.expr.int if array.dtype == numpy.int32 else MNN.expr.float
        given.append(MNN.expr.const(numpy.ascontiguousarray(array), list(array.shape), MNN.expr.NCHW, kind))
    module = MNN.nn.load_module_from_file("m.mnn", list(feeds), ["out"])
    result = module.forward(given)
    result = result[0] if isinstance(result, (list, tuple)) else result
    # There is nothing to read in a result without elements.
    return numpy.zeros(result.shape) if 0 in result.shape else numpy.array(result.read()).reshape(result.shape)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    protocol.serve("MNN", MNN.version() if hasattr(MNN, "version") else MNN.__version__, answer)
