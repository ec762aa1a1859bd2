"""Ask ONNX Runtime's CPU provider."""

import onnxruntime
from onnx_node import RULES, build
from protocol import need, serve


def answer(question):
    """Run a model of one node."""
    need(question, RULES)
    model, feeds = build(question)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)[0]


onnxruntime.set_default_logger_severity(4)
serve("ONNX Runtime", onnxruntime.__version__, answer)
