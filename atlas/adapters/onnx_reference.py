"""Ask the reference evaluator of the package onnx."""

import numpy
import onnx
from onnx.reference import ReferenceEvaluator
from onnx_node import RULES, build
from protocol import need, serve


def answer(question):
    """Evaluate a model of one node."""
    need(question, RULES)
    model, feeds = build(question)
    return numpy.asarray(ReferenceEvaluator(model).run(None, feeds)[0])


serve("ONNX reference evaluator", onnx.__version__, answer)
