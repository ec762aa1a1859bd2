"""Specs in Paddle's operators: as programs, and what they mean as ONNX; and single operators, asked in place of ONNX's.

The nodes are those of old programs: `elementwise_*` with `axis`, the operand of lower rank being placed there, and a few others.
"""

import copy
import tempfile
from pathlib import Path

import numpy as np

from . import spec as specs
from .onnx_form import placed, shapes

BINARY = {
    "elementwise_add": "Add", "elementwise_sub": "Sub", "elementwise_mul": "Mul", "elementwise_div": "Div", "elementwise_max": "Max",
    "elementwise_min": "Min", "elementwise_pow": "Pow",
}  # fmt: skip
UNARY = {"relu": "Relu", "tanh": "Tanh", "abs": "Abs", "sigmoid": "Sigmoid"}


def build(paddle, spec):
    """Return the program and the weights of a spec."""
    main, start = paddle.static.Program(), paddle.static.Program()
    known = shapes(modern(spec))
    scope, runner = paddle.static.Scope(), paddle.static.Executor(paddle.CPUPlace())
    with paddle.static.program_guard(main, start), tempfile.TemporaryDirectory() as folder, paddle.static.scope_guard(scope):
        values = {}
        for name, (_, dims) in spec["inputs"].items():
            values[name] = paddle.static.data(name, [-1 if isinstance(dim, str) else dim for dim in dims], "float32")
        for name, (_, dims, *_) in spec["constants"].items():
            values[name] = paddle.create_parameter(dims, "float32", name=name)
        block = main.global_block()
        for op, inputs, (output,), attributes in spec["nodes"]:
            values[output] = block.create_var(name=output, shape=known[output], dtype="float32")
            words = ("Input", "Filter") if op == "conv2d" else ("X", "Y")
            given = {word: [values[name]] for word, name in zip(words, inputs)}
            out = "Output" if op == "conv2d" else "Out"
            block.append_op(type=op, inputs=given, outputs={out: [values[output]]}, attrs=attributes)
        runner.run(start)
        for name in spec["constants"]:
            scope.find_var(name).get_tensor().set(specs.constant(spec, name), paddle.CPUPlace())
        path = Path(folder) / "m"
        inputs, outputs = [values[name] for name in spec["inputs"]], [values[name] for name in spec["outputs"]]
        paddle.static.save_inference_model(str(path), inputs, outputs, runner, program=main)
        weights = path.with_suffix(".pdiparams")
        return path.with_suffix(".pdmodel").read_bytes(), weights.read_bytes() if weights.exists() else b""


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


# Functions of Paddle that say what an operator of ONNX says; each is given tensors.
def _functions(paddle):
    folded = lambda function: lambda *all_of: _fold(function, all_of)
    named = {
        "Add": "add", "Sub": "subtract", "Mul": "multiply", "Div": "divide", "Pow": "pow", "Equal": "equal", "Less": "less_than",
        "LessOrEqual": "less_equal", "Greater": "greater_than", "GreaterOrEqual": "greater_equal", "And": "logical_and",
        "Or": "logical_or", "Xor": "logical_xor", "Where": "where",
    }  # fmt: skip
    found = {name: getattr(paddle, function) for name, function in named.items()}
    found |= {"Max": folded(paddle.maximum), "Min": folded(paddle.minimum), "Sum": folded(paddle.add)}
    found["Mean"] = lambda *all_of: _fold(paddle.add, all_of) / len(all_of)
    found["PRelu"] = paddle.nn.functional.prelu
    return found


def _fold(function, operands):
    result = operands[0]
    for operand in operands[1:]:
        result = function(result, operand)
    return result


def call(paddle, op, operands, attributes):
    """Return what Paddle's function gives, None where none says the same, or the text of its error."""
    function = _functions(paddle).get(op)
    if op == "Mod" and not attributes.get("fmod"):
        function = paddle.remainder
    if op == "Div" and operands[0].dtype.kind in "iu":
        function = paddle.floor_divide
    if function is None:
        return None
    try:
        return np.array(function(*[paddle.to_tensor(operand) for operand in operands]).numpy())
    except Exception as why:  # noqa: BLE001 - an engine may raise anything
        return str(why)[-300:]
