"""Ask LiteRT: its interpreter on the CPU, or with the argument `gpu` its GPU delegate, as `broadaxe check --ask` asks them."""

import math
import sys
from importlib import metadata
from pathlib import Path

import numpy
from protocol import arrays, need, serve

SCRIPTS = Path(__file__).parents[2] / "crates/broadaxe-cli/src/cmd/model/ask/scripts"
GPU = sys.argv[1:] == ["gpu"]
PARTS = ("protocol", "tflite", "vulkan", "litert_gpu") if GPU else ("protocol", "tflite", "litert")
ASK = {}
exec("\n".join((SCRIPTS / f"{part}.py").read_text() for part in PARTS), ASK)  # noqa: S102 - scripts of this project

RULES = {
    "add": ["numpy"], "sub": ["numpy"], "select": ["numpy"], "prelu": ["unidirectional"], "expand": ["broadcast-to"],
}  # fmt: skip
VERSIONS = {"expand": 2}
OPERATORS = {"add": "ADD", "sub": "SUB", "select": "SELECT_V2", "prelu": "PRELU", "expand": "BROADCAST_TO"}
DTYPES = {"float32": "f32", "bool": "bool", "int32": "i32"}


def tensor(name, array, constant):
    """Describe an operand."""
    return {"name": name, "dtype": DTYPES[array.dtype.name], "shape": array.shape, "constant": constant, "bytes": array.nbytes}


def answer(question):
    """Run a model of one node."""
    need(question, {op: RULES[op] for op in RULES if not (GPU and op == "expand")})
    given = arrays(question)
    inputs = [tensor(f"in{k}", array, question["operands"][k]["constant"]) for k, array in enumerate(given)]
    if question["op"] == "expand":
        given.append(numpy.array(question["target"], numpy.int32))
        inputs.append(tensor("target", given[-1], True))
    # A file declares the shape of the result; where there is none, some shape has to do.
    shape = question["shape"] if "shape" in question else max((array.shape for array in given), key=lambda shape: (len(shape), math.prod(shape)))
    output = {"name": "out", "dtype": "f32", "shape": list(shape), "constant": False, "bytes": 0}
    options = {"fused_activation_function": "NONE"} if question["op"] in ("add", "sub") else {}
    said = {"op": OPERATORS[question["op"]], "version": VERSIONS.get(question["op"], 1), "options": options, "model": None, "inputs": inputs, "output": output}
    data = iter([numpy.ascontiguousarray(array).tobytes() for array in given])
    return numpy.asarray(ASK["answer"](ASK["Question"](said, lambda _count: next(data))))


device = ASK["start"]() or "cpu"
serve("LiteRT GPU" if GPU else "LiteRT", metadata.version("ai-edge-litert"), answer, device)
