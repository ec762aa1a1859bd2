"""Ask an engine of `others.py`, whose name is the argument, by models of one ONNX node."""

import sys

import others
from onnx_node import RULES, build
from protocol import Skip, need, serve


def answer(question):
    """Run a model of one node."""
    need(question, RULES)
    model, feeds = build(question)
    if not feeds:
        raise Skip("no inputs")
    if "shape" in question:
        # Some importers want the shape of the result.
        dims = model.graph.output[0].type.tensor_type.shape
        for dim in question["shape"]:
            dims.dim.add().dim_value = dim
    return load(model.SerializeToString())(feeds)


start, title, _ = others.ENGINES[sys.argv[1]]
load = start()
serve(title, others.version(sys.argv[1]), answer)
