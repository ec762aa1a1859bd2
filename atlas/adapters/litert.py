"""Ask LiteRT: its interpreter on the CPU, or with the argument `gpu` its GPU delegate, as `broadaxe check --ask` asks them.

The argument `micro` asks TensorFlow Lite Micro.
"""

import math
import sys

import numpy
from protocol import arrays, need, serve

from engines import load

GPU = sys.argv[1:] == ["gpu"]
RULES = {
    "add": ["numpy"], "sub": ["numpy"], "select": ["numpy"], "prelu": ["unidirectional"], "expand": ["broadcast-to"],
}  # fmt: skip
VERSIONS = {"expand": 2}
OPERATORS = {"add": "ADD", "sub": "SUB", "select": "SELECT_V2", "prelu": "PRELU", "expand": "BROADCAST_TO"}


def answer(question):
    """Run a model of one node."""
    need(question, {op: RULES[op] for op in RULES if not (GPU and op == "expand")})
    feeds = {f"in{k}": array for k, array in enumerate(arrays(question))}
    constants = [name for name, operand in zip(feeds, question["operands"]) if operand["constant"]]
    # A file declares the shape of the result; where there is none, some shape has to do.
    likely = max((array.shape for array in feeds.values()), key=lambda shape: (len(shape), math.prod(shape)))
    if question["op"] == "expand":
        feeds["target"] = numpy.array(question["target"], numpy.int32)
        constants.append("target")
        likely = max((likely, feeds["target"].shape), key=lambda shape: (len(shape), math.prod(shape)))
    node = {
        "op": OPERATORS[question["op"]], "version": VERSIONS.get(question["op"], 1), "inputs": list(feeds), "constants": constants,
        "options": {"fused_activation_function": "NONE"} if question["op"] in ("add", "sub") else {},
        "result": {"name": "out", "dtype": "f32", "shape": list(question.get("shape", likely))},
    }  # fmt: skip
    (model,) = driver.write(feeds, ["out"], node)
    given = {name: array for name, array in feeds.items() if name not in constants}
    return driver.run(driver.Model(model, "tflite"), given, ["out"], {})[0]


TITLES = {"": "LiteRT", "gpu": "LiteRT GPU", "micro": "TensorFlow Lite Micro"}
device = "".join(sys.argv[1:])
driver = load(f"litert-{device}" if device else "litert")
serve(TITLES[device], driver.version(), answer, driver.device or "cpu")
