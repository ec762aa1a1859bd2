"""ONNX Runtime on the CPU, at the newest opset it runs, without optimisations that rewrite the graph."""

import numpy as np

from ..question import Lacking, Refused
from . import onnx_models
from .engine import Engine


class OnnxRuntime(Engine):
    """`onnxruntime.InferenceSession`."""

    name, system, opset = "onnxruntime", "onnx", 26

    def questions(self, full):
        return onnx_models.questions(full)

    def start(self):
        import onnxruntime

        onnxruntime.set_default_logger_severity(4)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        run = onnxruntime.RunOptions()
        run.log_severity_level = 4
        self.run = run
        load = lambda model: onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])  # noqa: E731
        self.models = onnx_models.Models(self.opset, load)

    def version(self):
        import onnxruntime

        return onnxruntime.__version__

    def answer(self, question):
        session = self.models.of(question)
        if isinstance(session, Exception):
            return Lacking(str(session))
        if any(operand.dtype.name == "bfloat16" for operand in question.operands):
            return Lacking("no kernels for bf16")
        try:
            return np.asarray(session.run(None, self.models.feed(question), self.run)[0])
        except Exception as why:
            return Refused(f"{type(why).__name__}: {why}")
