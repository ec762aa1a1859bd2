"""Draws nodes: operator, kinds of the operands (`i` is an input, `c` a constant), shapes; and writes them all into one ONNX model."""

import json
import math
import random

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .. import draw

ARITHMETIC = ("Add", "Sub", "Mul", "Div", "Pow")
LISTS = ("Max", "Min", "Sum", "Mean")
COMPARES = ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual")
LOGICAL = ("And", "Or", "Xor")
# Operators that had an attribute `axis` before opset 7; Equal was one of integers.
OLD = (*ARITHMETIC, "Less", "Greater", *LOGICAL)
NEWEST, OLDEST = 17, 6
DIMS = (2, 3, 4, 5, 8)
MOST_ELEMENTS = 2048


def _shapes(rng, count, most_rank):
    return draw.shapes(rng, count, DIMS, MOST_ELEMENTS, most_rank)


def _old(rng):
    """Draw a node of opset 6: an operand of which the other one's axes from `axis` on are a copy, apart from ones."""
    x = _shapes(rng, 1, 4)[0]
    length = rng.randrange(1, len(x) + 1)
    axis = rng.randrange(len(x) - length + 1)
    y = list(x[axis : axis + length])
    attributes = {"broadcast": 1}
    if rng.random() < 0.8:
        attributes["axis"] = axis - (len(x) if rng.random() < 0.2 else 0)
    else:
        y = list(x[len(x) - length :])
    return {"op": rng.choice(OLD), "kinds": rng.choice(("ii", "ic", "ic")), "shapes": [x, y], "attributes": attributes}


def _new(rng, most_rank):
    """Draw a node of the newest opset that is asked."""
    kind = rng.random()
    if kind < 0.1:
        return {"op": "Where", "kinds": rng.choice(("iii", "iic", "ici", "icc", "cii")), "shapes": _shapes(rng, 3, most_rank)}
    if kind < 0.2:
        x = _shapes(rng, 1, most_rank)[0]
        slope = [dim if rng.random() < 0.6 else 1 for dim in x[rng.randrange(len(x) + 1) :]]
        if len(x) > 1 and rng.random() < 0.5:
            slope = [x[1], *[1] * rng.randrange(len(x) - 1)]
        if len(slope) > len(x) or any(s not in (1, d) for s, d in zip(reversed(slope), reversed(x), strict=False)):
            slope = x[-1:]
        return {"op": "PRelu", "kinds": rng.choice(("ic", "ic", "ii")), "shapes": [x, slope]}
    if kind < 0.3:
        count = rng.choice((2, 2, 3))
        kinds = "i" + "".join(rng.choice("iic") for _ in range(count - 1))
        return {"op": rng.choice(LISTS), "kinds": kinds, "shapes": _shapes(rng, count, most_rank)}
    op = rng.choice((*ARITHMETIC, *ARITHMETIC, *COMPARES, *LOGICAL, "Mod"))
    return {"op": op, "kinds": rng.choice(("ii", "ic", "ci")), "shapes": _shapes(rng, 2, most_rank)}


def cases(seed, count, *, old=False, most_rank=5, only=()):
    """Return this many different nodes, drawn from a seed; `old` ones are of opset 6, and `only` names operators."""
    rng, seen = random.Random(seed), {}
    while len(seen) < count:
        case = _old(rng) if old else _new(rng, most_rank)
        if not only or case["op"] in only:
            seen.setdefault(json.dumps(case, sort_keys=True), case)
    return list(seen.values())


def _type(op, at):
    logical = op in LOGICAL or (op == "Where" and at == 0)
    return TensorProto.BOOL if logical else TensorProto.FLOAT


def _constant(name, op, at, shape, seed):
    rng = np.random.default_rng(seed)
    if _type(op, at) == TensorProto.BOOL:
        values = rng.integers(0, 2, shape).astype(bool)
    else:
        values = (np.asarray(rng.permutation(math.prod(shape)), np.float32).reshape(shape) % 5 + 1) / 2
        values = values if op == "Pow" else values * rng.choice((-1, 1), shape).astype(np.float32)
    return numpy_helper.from_array(np.asarray(values), name)


def model(drawn, *, old=False):
    """Return one model with a node for each case; no two nodes share a tensor."""
    nodes, inputs, constants, outputs = [], [], [], []
    for number, case in enumerate(drawn):
        names = []
        for at, (kind, shape) in enumerate(zip(case["kinds"], case["shapes"], strict=True)):
            names.append(f"n{number}_{'abc'[at]}")
            if kind == "i":
                inputs.append(helper.make_tensor_value_info(names[-1], _type(case["op"], at), shape))
            else:
                constants.append(_constant(names[-1], case["op"], at, shape, number))
        result = TensorProto.BOOL if case["op"] in (*COMPARES, *LOGICAL) else TensorProto.FLOAT
        attributes = dict(case.get("attributes", {})) | ({"fmod": 1} if case["op"] == "Mod" else {})
        nodes.append(helper.make_node(case["op"], names, [f"n{number}_out"], name=f"n{number}", **attributes))
        outputs.append(helper.make_tensor_value_info(f"n{number}_out", result, None))
    graph = helper.make_graph(nodes, "drawn", inputs, outputs, constants)
    opset = helper.make_opsetid("", OLDEST if old else NEWEST)
    return helper.make_model(graph, opset_imports=[opset], ir_version=onnx.IR_VERSION if not old else 3)
