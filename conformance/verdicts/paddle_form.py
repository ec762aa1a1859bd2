"""Specs in Paddle's operators: as programs, and what they mean as ONNX; and single operators, asked in place of ONNX's.

The nodes are those of old programs: `elementwise_*` with `axis`, the operand of lower rank being placed there, and a few others.
"""

import copy

from . import spec as specs
from .onnx_form import placed, shapes

BINARY = {
    "elementwise_add": "Add", "elementwise_sub": "Sub", "elementwise_mul": "Mul", "elementwise_div": "Div", "elementwise_max": "Max",
    "elementwise_min": "Min", "elementwise_pow": "Pow",
}  # fmt: skip
UNARY = {"relu": "Relu", "tanh": "Tanh", "abs": "Abs", "sigmoid": "Sigmoid"}


def program(spec):
    """Return what Paddle's driver writes the program of a spec from."""
    known = shapes(modern(spec))
    inputs = {name: [-1 if isinstance(dim, str) else dim for dim in dims] for name, (_, dims) in spec["inputs"].items()}
    made = {name: known[name] for name in specs.made(spec)}
    constants = {name: specs.constant(spec, name) for name in spec["constants"]}
    return {"inputs": constants, "outputs": spec["outputs"], "options": {"inputs": inputs, "nodes": spec["nodes"], "shapes": made}}


def modern(spec):
    """Return what a spec means as a spec of ONNX; values keep their names."""
    new = copy.deepcopy(spec) | {"format": "onnx", "opset": 17, "nodes": []}
    for op, inputs, outputs, attributes in spec["nodes"]:
        inputs, given = list(inputs), {}
        if op in BINARY:
            axis = attributes["axis"]
            known = shapes(new)
            low = 1 if len(known[inputs[1]]) <= len(known[inputs[0]]) else 0
            inputs[low] = placed(new, inputs[1 - low], inputs[low], None if axis == -1 else axis, outputs[0])
        elif op == "conv2d":
            given = {"pads": attributes["paddings"] * 2, "group": attributes["groups"]}
        elif op == "softmax":
            given = {"axis": attributes["axis"]}
        name = {"conv2d": "Conv", "softmax": "Softmax", "matmul_v2": "MatMul"}.get(op) or BINARY.get(op) or UNARY[op]
        new["nodes"].append([name, inputs, outputs, given])
    return new


def calls(nodes):
    """Return the request to call functions of Paddle: each node is an operator of ONNX, its operands, and its attributes."""
    feeds = {f"{k}.{at}": operand for k, (_, operands, _) in enumerate(nodes) for at, operand in enumerate(operands)}
    told = [[op, [f"{k}.{at}" for at in range(len(operands))], given] for k, (op, operands, given) in enumerate(nodes)]
    return {"inputs": feeds, "options": {"calls": told}}
