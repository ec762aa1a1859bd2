"""ONNX Runtime on the CPU, at the newest opset it runs, without optimisations that rewrite the graph."""

import numpy as np

from engines import load

from ..question import Lacking, Refused
from . import onnx_models
from .engine import Engine


class OnnxRuntime(Engine):
    """`onnxruntime.InferenceSession`."""

    name, system, opset = "onnxruntime", "onnx", 26

    def questions(self, full):
        return onnx_models.questions(full)

    def start(self):
        self.driver = load("onnxruntime")
        session = lambda model: self.driver.session(model.SerializeToString(), {"optimise": False})  # noqa: E731
        self.models = onnx_models.Models(self.opset, session)

    def version(self):
        return self.driver.version()

    def answer(self, question):
        session = self.models.of(question)
        if isinstance(session, Exception):
            return Lacking(str(session))
        if any(operand.dtype.name == "bfloat16" for operand in question.operands):
            return Lacking("no kernels for bf16")
        try:
            return np.asarray(session.run(None, self.models.feed(question))[0])
        except Exception as why:
            return Refused(f"{type(why).__name__}: {why}")
