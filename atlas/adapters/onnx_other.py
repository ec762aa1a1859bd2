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
    return load(model.SerializeToString())(feeds)


start, title, _ = others.ENGINES[sys.argv[1]]
load = start()
serve(title, others.version(sys.argv[1]), answer)
