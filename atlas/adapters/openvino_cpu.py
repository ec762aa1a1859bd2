"""Ask OpenVINO's CPU plugin, in f32."""

import numpy
from protocol import arrays, need, serve

from engines import load

ELEMENTWISE = ["numpy", "none", "pdpd"]
RULES = {
    "add": ELEMENTWISE, "sub": ELEMENTWISE, "select": ["numpy", "none", "openvino-select"], "prelu": ["openvino-prelu"],
    "expand": ["broadcast-to", "bidirectional", "explicit"],
}  # fmt: skip
OPERATORS = {"add": "Add", "sub": "Subtract", "select": "Select", "prelu": "PRelu", "expand": "Broadcast"}
MODES = {"broadcast-to": "numpy", "openvino-prelu": None, "openvino-select": None}


def constant(array):
    """Make a constant."""
    tensor = openvino.Tensor(openvino.Type(array.dtype), openvino.Shape(array.shape))
    if array.size:
        tensor.data[...] = array
    return openvino.op.Constant(tensor)


def answer(question):
    """Run a model of one node."""
    need(question, RULES)
    op, given, parameters, inputs = question["op"], {}, [], []
    for operand, array in zip(question["operands"], arrays(question)):
        if operand["constant"]:
            inputs.append(constant(array))
            continue
        kind = openvino.Type.boolean if array.dtype == bool else openvino.Type.f32
        parameters.append(openvino.op.Parameter(kind, openvino.PartialShape(operand["shape"])))
        given[len(given)] = array
        inputs.append(parameters[-1])
    mode = MODES.get(question["rule"], question["rule"]) or question.get("mode", "numpy")
    attributes = {} if op == "prelu" else {"mode" if op == "expand" else "auto_broadcast": mode}
    if mode == "pdpd":
        attributes["auto_broadcast.auto_broadcast_axis"] = question.get("axis", -1)
    if op == "expand":
        inputs.append(constant(numpy.array(question["target"], numpy.int64)))
        if mode == "explicit":
            inputs.append(constant(numpy.array(question["axes"], numpy.int64)))
    node = driver.factory("opset3" if op == "expand" else "opset1").create(OPERATORS[op], [one.output(0) for one in inputs], attributes)
    model = openvino.Model([node], parameters, "question")
    return numpy.array(driver.compiled(model)(given)[0])


driver = load("openvino")
openvino = driver.library()
serve("OpenVINO", driver.version(), answer)
