"""A model as plain data, small enough to be read: what the generator makes, the shrinker cuts, and a case file holds.

A spec is a dict:

    format     "onnx", "ir" (operators of OpenVINO), "ir-onnx" (ONNX, written as IR), "paddle" or "ncnn" (ONNX, converted by pnnx)
    opset      the opset of ONNX; absent elsewhere
    seed       what constants and inputs are drawn from
    sizes      the sizes that names of open dims have when the model runs
    inputs     {name: [type, dims]}; a dim is a number or a name
    constants  {name: [type, dims]}, drawn; or with a third entry, the number or the list of numbers that they are
    nodes      [operator, inputs, outputs, attributes]; an attribute that is a dict with "nodes" is a graph
    functions  {name: {"inputs", "outputs", "nodes"}}, functions of the model
    outputs    names of values
    invalid    values of nodes that ONNX does not allow; absent where there are none

Every node has the name of its first output with `n_` in front.
"""

import copy
import json
import zlib

import ml_dtypes
import numpy as np

TYPES = {
    "f32": np.float32, "f16": np.float16, "f64": np.float64, "bool": np.bool_,
    "i64": np.int64, "i32": np.int32, "u8": np.uint8, "i8": np.int8, "i16": np.int16, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "uint4": ml_dtypes.uint4, "int4": ml_dtypes.int4, "float8e4m3fn": ml_dtypes.float8_e4m3fn,
}  # fmt: skip
COMPARISONS = {
    "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "And", "Or", "Xor", "Not", "IsNaN", "IsInf",
    "NotEqual", "LessEqual", "GreaterEqual", "LogicalAnd", "LogicalOr", "LogicalXor", "LogicalNot",
}  # fmt: skip


def empty(form, opset=None, seed=0):
    """Return a spec without nodes."""
    spec = {"format": form, "seed": seed, "sizes": {}, "inputs": {}, "constants": {}, "nodes": [], "outputs": []}
    return spec | ({"opset": opset} if opset else {})


def concrete(spec, dims):
    """Return dims as numbers."""
    return [spec["sizes"].get(dim, dim) if isinstance(dim, str) else dim for dim in dims]


def draw(kind, shape, seed, name):
    """Return an array that depends on nothing but what is passed."""
    rng = np.random.default_rng(zlib.crc32(f"{seed} {name}".encode()))
    if kind[0] == "f":
        return np.asarray((rng.random(shape) * 2.2 + 0.3) * np.where(rng.random(shape) < 0.5, 1, -1), TYPES[kind])
    if kind == "bool":
        return np.asarray(rng.random(shape) < 0.5)
    return np.asarray(rng.integers(1, 5, shape), TYPES[kind])


def constant(spec, name, redraw=0):
    """Return the array of a constant; `redraw` gives drawn ones other numbers."""
    kind, dims, *values = spec["constants"][name]
    if not values:
        return draw(kind, dims, f"{spec['seed']}.{redraw}", name)
    if isinstance(values[0], list):
        return np.array(values[0], TYPES[kind]).reshape(dims)
    return np.full(dims, values[0], TYPES[kind])


def feeds(spec, turn=0):
    """Return arrays for the inputs; another turn gives others."""
    return {
        name: draw(kind, concrete(spec, dims), f"{spec['seed']}/{turn}", name)
        for name, (kind, dims) in spec["inputs"].items()
    }


def nudged(arrays, turn=1):
    """Return inputs that are changed by about 3e-6 of their size, up or down, times the absolute value of `turn`."""
    sign = lambda array: turn * np.where(np.arange(array.size).reshape(array.shape) % 3 == 1, -1, 1)
    return {
        name: np.asarray(array * (1 + 3e-6 * sign(array)), np.float32) if array.dtype == np.float32 else array
        for name, array in arrays.items()
    }


def types(spec):
    """Return the element type of every value."""
    known = {name: kind for name, (kind, *_) in {**spec["inputs"], **spec["constants"]}.items()}
    for op, inputs, outputs, attributes in spec["nodes"]:
        names, op = [name for name in inputs if name], op.rpartition(".")[2]
        if op in COMPARISONS:
            kind = "bool"
        elif op in ("Cast", "Convert"):
            kind = attributes["to"]
        elif op == "Shape":
            kind = "i64"
        elif op in ("Where", "Select"):
            kind = known[inputs[1]]
        elif op in ("ConvInteger", "MatMulInteger"):
            kind = "i32"
        elif op in ("QLinearConv", "QLinearMatMul", "QLinearAdd", "QLinearMul") and len(inputs) > 7:
            kind = known[inputs[7]]
        elif op == "MatMulIntegerToFloat":
            kind = known[inputs[2]]
        elif op == "QuantizeLinear":
            kind = known[inputs[2]] if len(inputs) > 2 else "u8"
        elif op == "DequantizeLinear":
            kind = known[inputs[1]]
        elif op == "If":
            branch = attributes["then_branch"]
            inner = types(branch | {"inputs": {name: [kind] for name, kind in known.items()}})
            kind = inner[branch["outputs"][0]]
        else:
            kind = known[names[0]] if names else "f32"
        kinds = ("u8", "f32", "u8") if op == "DynamicQuantizeLinear" else (kind,) * len(outputs)
        known |= dict(zip(outputs, kinds))
    return known


def reads(node):
    """Return the names that a node reads, those of its graphs included."""
    names = {name for name in node[1] if name}
    for value in node[3].values():
        if isinstance(value, dict) and "nodes" in value:
            within = {name for inner in value["nodes"] for name in inner[2]} | set(value["constants"])
            names |= ({name for inner in value["nodes"] for name in reads(inner)} | set(value["outputs"])) - within
    return names


def made(spec):
    """Return all values that nodes make, in order."""
    return [name for node in spec["nodes"] for name in node[2]]


def leaves(spec):
    """Return the values that no node reads."""
    used = {name for node in spec["nodes"] for name in reads(node)}
    return [name for name in made(spec) if name not in used]


def pruned(spec):
    """Return a copy without the nodes, constants and inputs that no output needs."""
    spec = copy.deepcopy(spec)
    needed, kept = set(spec["outputs"]), []
    for node in reversed(spec["nodes"]):
        if needed.intersection(node[2]):
            kept.append(node)
            needed |= reads(node)
    spec["nodes"] = kept[::-1]
    for part in ("inputs", "constants"):
        spec[part] = {name: value for name, value in spec[part].items() if name in needed}
    used = {dim for _, dims in spec["inputs"].values() for dim in dims if isinstance(dim, str)}
    spec["sizes"] = {name: size for name, size in spec["sizes"].items() if name in used}
    if "functions" in spec:
        called = {node[0] for node in spec["nodes"]}
        spec["functions"] = {name: function for name, function in spec["functions"].items() if name in called}
    return spec


def exposed(spec):
    """Return a copy in which every value is an output."""
    return spec | {"outputs": made(spec)}


def text(spec):
    """Return the compact text form: a line for each node."""
    lines = []
    for key, value in spec.items():
        if key == "nodes":
            rows = ",\n  ".join(json.dumps(node) for node in value)
            lines.append(f'"nodes": [\n  {rows}\n ]')
        elif value or key in ("seed", "format", "outputs"):
            lines.append(f'"{key}": {json.dumps(value)}')
    return "{" + ",\n ".join(lines) + "}"


def parsed(text):
    """Return the spec that a text holds."""
    spec = json.loads(text)
    return {"sizes": {}, "inputs": {}, "constants": {}, "seed": 0} | spec


def line(spec):
    """Return a model as one line for people: its nodes, with the shapes of inputs and constants."""
    shape = lambda dims: "(" + ",".join(map(str, dims)) + ")"
    typed = lambda kind: "" if kind == "f32" else f":{kind}"

    def operand(name):
        if name in spec["inputs"]:
            kind, dims = spec["inputs"][name]
            return name + typed(kind) + shape(dims)
        if name in spec["constants"]:
            kind, dims, *values = spec["constants"][name]
            if kind == "i64" and values:
                return str(values[0])
            value = f"={values[0]}" if values and not isinstance(values[0], list) else ""
            return "c" + typed(kind) + shape(dims) + value
        return name or "-"

    def shown(attributes):
        return "".join(f" {key}={value}" for key, value in attributes.items() if not isinstance(value, dict))

    nodes = [f"{out[0]}={op}({', '.join(map(operand, ins))}){shown(attrs)}" for op, ins, out, attrs in spec["nodes"]]
    head = spec["format"] + (f"-{spec['opset']}" if "opset" in spec else "")
    return f"{head}: " + "; ".join(nodes)
