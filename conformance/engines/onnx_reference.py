"""The reference evaluator of ONNX, at the newest opset."""

import warnings

import numpy as np

from ..question import Lacking, Refused
from . import onnx_models
from .engine import Engine


class OnnxReference(Engine):
    """`onnx.reference.ReferenceEvaluator`."""

    name, system, opset = "onnx", "onnx", 28

    def questions(self, full):
        return onnx_models.questions(full)

    def start(self):
        import onnx.reference

        warnings.simplefilter("ignore")
        np.seterr(all="ignore")
        self.models = onnx_models.Models(self.opset, onnx.reference.ReferenceEvaluator)

    def version(self):
        import onnx

        return onnx.__version__

    def answer(self, question):
        evaluator = self.models.of(question)
        if isinstance(evaluator, Exception):
            return Lacking(str(evaluator))
        try:
            return np.asarray(evaluator.run(None, self.models.feed(question))[0])
        except Exception as why:
            return Refused(f"{type(why).__name__}: {why}")
