"""Ask an engine that reads ONNX models, whose name is the argument, by models of one node."""

import sys

from onnx_node import RULES, build
from protocol import Skip, need, serve

from engines import load

TITLES = {"onnxruntime": "ONNX Runtime", "ort-webgpu": "ONNX Runtime WebGPU", "mnn": "MNN", "tvm": "TVM", "opencv": "OpenCV"}
TITLES |= {"nncase": "nncase", "rknn": "RKNN"}


def answer(question):
    """Run a model of one node."""
    need(question, RULES)
    model, feeds = build(question)
    try:
        call = driver.load(driver.Model(model.SerializeToString()), list(feeds), ["out"], {})
    except Exception as why:
        if "fallback to CPU EP has been explicitly disabled" in str(why):
            raise Skip("no kernel") from why
        raise
    return call(feeds)[0]


name = sys.argv[1]
driver = load(name)
serve(TITLES[name], driver.version(), answer, driver.device or "cpu")
