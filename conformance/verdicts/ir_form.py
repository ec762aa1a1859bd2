"""Specs in OpenVINO's operators: as IR, and what they mean as ONNX.

The attributes of a node are those of OpenVINO: `auto_broadcast` ("numpy", "none", "pdpd") and `axis`, which is the axis of PDPD.
"""

import copy

from . import spec as specs
from .onnx_form import placed, shapes

# The operator of ONNX that computes the same on floats; of some, nodes that do.
BINARY = {
    "Add": "Add", "Subtract": "Sub", "Multiply": "Mul", "Divide": "Div", "Power": "Pow", "Maximum": "Max", "Minimum": "Min",
    "Mod": "Mod", "FloorMod": None, "SquaredDifference": None, "Equal": "Equal", "NotEqual": None, "Less": "Less",
    "LessEqual": "LessOrEqual", "Greater": "Greater", "GreaterEqual": "GreaterOrEqual", "LogicalAnd": "And", "LogicalOr": "Or",
    "LogicalXor": "Xor",
}  # fmt: skip
UNARY = {
    "ReLU": "Relu", "Abs": "Abs", "Negative": "Neg", "Tanh": "Tanh", "Sigmoid": "Sigmoid", "Floor": "Floor", "LogicalNot": "Not",
}  # fmt: skip
# Those that have the attribute `auto_broadcast`.
PLACED = {*BINARY, "Select"}
TYPES = {"f32": ("f32", "FP32"), "bool": ("boolean", "BOOL"), "i64": ("i64", "I64"), "i32": ("i32", "I32")}


def _data(op, attributes):
    """Return the attributes of a layer."""
    if op in ("Convolution", "GroupConvolution"):
        ones, pads = ",".join("1" for _ in attributes["pads"]), ",".join(map(str, attributes["pads"]))
        return {"strides": ones, "dilations": ones, "pads_begin": pads, "pads_end": pads, "auto_pad": "explicit"}
    if op == "Convert":
        return {"destination_type": TYPES[attributes["to"]][0]}
    fixed = {
        "MatMul": {"transpose_a": "false", "transpose_b": "false"}, "Reshape": {"special_zero": "false"}, "ReduceSum": {"keep_dims": "true"},
    }.get(op, {})  # fmt: skip
    given = {"auto_broadcast.auto_broadcast_axis" if key == "axis" and op in PLACED else key: value for key, value in attributes.items()}
    return fixed | given


def build(spec):
    """Return the text of the IR, and the weights."""
    known, kinds = shapes(modern(spec)), specs.types(spec)
    layers, edges, weights, ports = [], [], b"", {}

    def port(number, name, named=""):
        dims = "".join(f"<dim>{dim}</dim>" for dim in known[name])
        return f'<port id="{number}" precision="{TYPES[kinds[name]][1]}"{named}>{dims}</port>'

    def layer(name, op, data, inputs=(), outputs=(), version="opset1"):
        number = len(layers)
        given = "".join(f' {key}="{value}"' for key, value in data.items())
        text = f'<layer id="{number}" name="{name}" type="{op}" version="{version}"><data{given}/>'
        for k, source in enumerate(inputs):
            edges.append(f'<edge from-layer="{ports[source][0]}" from-port="{ports[source][1]}" to-layer="{number}" to-port="{k}"/>')
        for word, names, first in (("input", inputs, 0), ("output", outputs, len(inputs))):
            inner = "".join(port(first + k, one, f' names="{one}"' if word == "output" else "") for k, one in enumerate(names))
            text += f"<{word}>{inner}</{word}>" if names else ""
        ports.update({one: (number, len(inputs) + k) for k, one in enumerate(outputs)})
        layers.append(text + "</layer>")

    for name, (kind, dims) in spec["inputs"].items():
        layer(name, "Parameter", {"shape": ",".join("?" if isinstance(dim, str) else str(dim) for dim in dims), "element_type": TYPES[kind][0]}, (), [name])
    for name, (kind, dims, *_) in spec["constants"].items():
        data = specs.constant(spec, name).tobytes()
        where = {"offset": len(weights), "size": len(data)}
        layer(name, "Const", {"element_type": TYPES[kind][0], "shape": ",".join(map(str, dims))} | where, (), [name])
        weights += data + bytes(-len(data) % 64)
    for op, inputs, outputs, attributes in spec["nodes"]:
        kind, version = ("SoftMax", "opset8") if op == "Softmax" else (op, "opset1")
        layer(f"n_{outputs[0]}", kind, _data(op, attributes), inputs, outputs, version)
    for name in spec["outputs"]:
        layer(f"r_{name}", "Result", {}, [name])
    text = f'<?xml version="1.0"?>\n<net name="m" version="11">\n<layers>\n{"".join(one + chr(10) for one in layers)}</layers>\n'
    return (text + f"<edges>\n{chr(10).join(edges)}\n</edges>\n</net>\n").encode(), weights


def modern(spec):
    """Return what a spec means as a spec of ONNX; values keep their names."""
    new = copy.deepcopy(spec) | {"format": "onnx", "opset": 17, "nodes": []}

    def add(op, inputs, output, **attributes):
        new["nodes"].append([op, inputs, [output], attributes])

    for op, inputs, (output,), attributes in spec["nodes"]:
        inputs = list(inputs)
        if attributes.get("auto_broadcast") == "pdpd":
            axis = attributes["axis"]
            for k in (1,) if op != "Select" else (0, 2):
                # The default axis lets the second operand end where the first does.
                inputs[k] = placed(new, inputs[1 if op == "Select" else 0], inputs[k], None if axis == -1 else axis, f"{output}_{k}")
        if op == "SquaredDifference":
            add("Sub", inputs, f"{output}_d")
            add("Mul", [f"{output}_d"] * 2, output)
        elif op == "FloorMod":
            add("Div", inputs, f"{output}_q")
            add("Floor", [f"{output}_q"], f"{output}_f")
            add("Mul", [f"{output}_f", inputs[1]], f"{output}_p")
            add("Sub", [inputs[0], f"{output}_p"], output)
        elif op == "NotEqual":
            add("Equal", inputs, f"{output}_e")
            add("Not", [f"{output}_e"], output)
        elif op == "Mod":
            add("Mod", inputs, output, fmod=1)
        elif op in BINARY:
            add(BINARY[op], inputs, output)
        elif op in UNARY:
            add(UNARY[op], inputs, output)
        elif op == "Select":
            add("Where", inputs, output)
        elif op == "PReLU":
            known = shapes(new)
            x, slope = known[inputs[0]], known[inputs[1]]
            if len(slope) == 1 and len(x) > 1 and slope[0] == x[1]:
                inputs[1] = placed(new, inputs[0], inputs[1], 1, output)
            add("PRelu", inputs, output)
        elif op == "ReduceSum":
            add("ReduceSum", inputs, output, keepdims=1)
        elif op in ("Convolution", "GroupConvolution"):
            pads = attributes["pads"] * 2
            groups = 1
            if op == "GroupConvolution":
                dims = shapes(new)[inputs[1]]
                groups = dims[0]
                new["constants"][f"{output}_w"] = ["i64", [len(dims) - 1], [dims[0] * dims[1], *dims[2:]]]
                add("Reshape", [inputs[1], f"{output}_w"], f"{output}_weights")
                inputs[1] = f"{output}_weights"
            add("Conv", inputs, output, pads=pads, group=groups)
        elif op == "Transpose":
            add("Transpose", inputs[:1], output, perm=spec["constants"][inputs[1]][2])
        elif op == "Convert":
            add("Cast", inputs, output, to=attributes["to"])
        else:
            add(op, inputs, output, **attributes)
    return new
