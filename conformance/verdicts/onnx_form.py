"""Specs as ONNX models, and small ONNX models as specs."""

import copy

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import spec as specs

ELEMENTS = {
    "f32": TensorProto.FLOAT, "bool": TensorProto.BOOL, "i64": TensorProto.INT64, "i32": TensorProto.INT32,
    "u8": TensorProto.UINT8, "i8": TensorProto.INT8, "f16": TensorProto.FLOAT16, "f64": TensorProto.DOUBLE,
    "i16": TensorProto.INT16, "u16": TensorProto.UINT16, "u32": TensorProto.UINT32, "u64": TensorProto.UINT64,
    "uint4": TensorProto.UINT4, "int4": TensorProto.INT4, "float8e4m3fn": TensorProto.FLOAT8E4M3FN,
}  # fmt: skip
NAMES = {element: name for name, element in ELEMENTS.items()}
DOMAIN = "broadaxe.verdicts"
# The domain of the operators that ONNX Runtime adds to ONNX; specs write it in front of an operator's name.
CONTRIB = "com.microsoft"


def _attribute(key, value, opset):
    if isinstance(value, dict) and "nodes" in value:
        constants = [numpy_helper.from_array(specs.constant(value, name), name) for name in value["constants"]]
        outputs = [helper.make_tensor_value_info(name, ELEMENTS[value["type"]], None) for name in value["outputs"]]
        nodes = [_node(node, opset, ()) for node in value["nodes"]]
        return helper.make_graph(nodes, key, [], outputs, constants)
    if key == "to":
        # Before opset 6 the type of a cast is a word.
        return ELEMENTS[value] if opset >= 6 else {"f32": "FLOAT", "bool": "BOOL", "i64": "INT64", "i32": "INT32"}[value]
    return value


def _node(node, opset, functions):
    op, inputs, outputs, attributes = node
    given = {key: _attribute(key, value, opset) for key, value in attributes.items()}
    domain, _, op = op.rpartition(".")
    domain = DOMAIN if op in functions else domain
    return helper.make_node(op, inputs, outputs, name=f"n_{outputs[0]}", domain=domain, **given)


def build(spec, redraw=0):
    """Return the ONNX model of a spec."""
    opset, kinds, functions = spec["opset"], specs.types(spec), spec.get("functions", {})
    nodes = [_node(node, opset, functions) for node in spec["nodes"]]
    inputs = [helper.make_tensor_value_info(name, ELEMENTS[kind], dims) for name, (kind, dims) in spec["inputs"].items()]
    constants = [numpy_helper.from_array(specs.constant(spec, name, redraw), name) for name in spec["constants"]]
    if opset < 9:
        # Constants of old files are inputs as well.
        inputs += [helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims) for tensor in constants]
    outputs = [helper.make_tensor_value_info(name, ELEMENTS[kinds[name]], None) for name in spec["outputs"]]
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants)
    imports = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(DOMAIN, 1)] if functions else [])
    imports += [helper.make_opsetid(CONTRIB, 1)] if any(node[0].startswith(CONTRIB) for node in spec["nodes"]) else []
    bodies = [
        helper.make_function(
            DOMAIN, name, body["inputs"], body["outputs"], [_node(node, opset, functions) for node in body["nodes"]],
            [helper.make_opsetid("", opset)],
        )
        for name, body in functions.items()
    ]  # fmt: skip
    ir = 3 if opset < 9 else 8 if opset < 20 else 10
    return helper.make_model(graph, opset_imports=imports, functions=bodies, ir_version=ir)


def read(data):
    """Return the spec of an ONNX model without functions whose constants are initializers or `Constant`."""
    model = onnx.load_from_string(data)
    spec = specs.empty("onnx", next(one.version for one in model.opset_import if one.domain in ("", "ai.onnx")))

    def hold(name, tensor):
        array = numpy_helper.to_array(tensor)
        spec["constants"][name] = [NAMES[tensor.data_type], list(array.shape), array.ravel().tolist()]

    for tensor in model.graph.initializer:
        hold(tensor.name, tensor)
    for value in model.graph.input:
        if value.name not in spec["constants"]:
            dims = [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
            spec["inputs"][value.name] = [NAMES[value.type.tensor_type.elem_type], dims]
    for node in model.graph.node:
        attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        if node.op_type == "Constant":
            ((key, value),) = attributes.items()
            hold(node.output[0], value if key == "value" else numpy_helper.from_array(np.array(value)))
            continue
        for key, value in attributes.items():
            if isinstance(value, onnx.GraphProto) or node.domain == DOMAIN:
                raise ValueError("a model with graphs in nodes, or with functions, is not read")
            attributes[key] = value.decode() if isinstance(value, bytes) else list(value) if isinstance(value, tuple) else value
        if "to" in attributes:
            attributes["to"] = NAMES.get(attributes["to"], attributes["to"])
        spec["nodes"].append([node.op_type, list(node.input), list(node.output), attributes])
    spec["outputs"] = [value.name for value in model.graph.output]
    return spec


def shapes(spec):
    """Return the shapes of all values, as `onnx` infers them with the sizes that the model runs with."""
    sized = spec | {"inputs": {name: [kind, specs.concrete(spec, dims)] for name, (kind, dims) in spec["inputs"].items()}}
    model = onnx.shape_inference.infer_shapes(build(specs.exposed(sized)), data_prop=True)
    found = {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer}
    for value in [*model.graph.input, *model.graph.value_info, *model.graph.output]:
        if value.type.tensor_type.HasField("shape"):
            found[value.name] = tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)
    return found


def placed(spec, a, b, start, name):
    """Return the name of operand b with axes of 1 behind it, so that it begins at axis `start` of a; add the node for it.

    A start below 0 is None for one that ends where a ends. Axes of 1 at the end of b that would pass the end of a are dropped.
    """
    known = shapes(spec)
    rank, dims = len(known[a]), list(known[b])
    while start is not None and dims and start + len(dims) > rank and dims[-1] == 1:
        dims.pop()
    behind = 0 if start is None else rank - start - len(dims)
    if behind < 0:
        raise ValueError("the operand passes the end of the other")
    dims += [1] * behind
    if tuple(dims) == known[b]:
        return b
    spec["constants"][f"{name}_dims"] = ["i64", [len(dims)], dims]
    spec["nodes"].append(["Reshape", [b, f"{name}_dims"], [f"{name}_placed"], {}])
    return f"{name}_placed"


def modern(spec):
    """Return what a spec of old ONNX means as a spec of opset 13: attributes of old broadcasts become reshapes."""
    new = copy.deepcopy(spec) | {"format": "onnx", "opset": 13, "nodes": []}
    for op, inputs, outputs, attributes in spec["nodes"]:
        attributes = {key: value for key, value in attributes.items() if key != "consumed_inputs"}
        inputs, name = list(inputs), outputs[0]
        if attributes.pop("broadcast", 0):
            axis = attributes.pop("axis", None)
            if axis is not None and op != "Gemm":
                axis += len(shapes(new)[inputs[0]]) if axis < 0 else 0
                inputs[1] = placed(new, inputs[0], inputs[1], axis, name)
        elif op == "PRelu":
            known = shapes(new)
            if len(known[inputs[1]]) == 1 and len(known[inputs[0]]) > 1 and known[inputs[1]] != (1,):
                inputs[1] = placed(new, inputs[0], inputs[1], 1, name)
        elif op == "Reshape" and "shape" in attributes:
            new["constants"][f"{name}_shape"] = ["i64", [len(attributes["shape"])], attributes.pop("shape")]
            inputs.append(f"{name}_shape")
        elif op == "Clip" and len(inputs) == 1:
            for key in ("min", "max"):
                new["constants"][f"{name}_{key}"] = ["f32", [], attributes.pop(key)]
                inputs.append(f"{name}_{key}")
        elif op in ("Squeeze", "Unsqueeze", "ReduceSum") and "axes" in attributes:
            new["constants"][f"{name}_axes"] = ["i64", [len(attributes["axes"])], attributes.pop("axes")]
            inputs.append(f"{name}_axes")
        elif op == "Softmax":
            # Until opset 12 all axes from this one on are one.
            rank = len(shapes(new)[inputs[0]])
            if attributes.get("axis", 1) % rank != rank - 1:
                raise ValueError("a Softmax over several axes cannot be written")
        new["nodes"].append([op, inputs, outputs, attributes])
    return new


def restamped(spec, opset=7):
    """Return a spec of old ONNX with its nodes read by the rules of opset 7: what a runtime of today computes for them."""
    new = copy.deepcopy(spec) | {"opset": opset}
    for node in new["nodes"]:
        for key in ("broadcast", "consumed_inputs"):
            node[3].pop(key, None)
        if node[0] not in ("Concat", "Softmax", "Flatten"):
            node[3].pop("axis", None)
        if node[0] == "Reshape" and "shape" in node[3]:
            dims = node[3].pop("shape")
            new["constants"][f"{node[2][0]}_shape"] = ["i64", [len(dims)], dims]
            node[1].append(f"{node[2][0]}_shape")
    return new
