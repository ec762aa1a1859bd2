"""Models of one node, written with the schema that LiteRT brings, and numbers that tell the elements apart."""

import zlib

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

# Operator: the version that LiteRT's own converter writes, and the table of its options.
OPERATORS = {
    "ADD": (1, "AddOptions"),
    "SUB": (1, "SubOptions"),
    "MUL": (1, "MulOptions"),
    "DIV": (1, "DivOptions"),
    "MAXIMUM": (1, "MaximumMinimumOptions"),
    "MINIMUM": (1, "MaximumMinimumOptions"),
    "SQUARED_DIFFERENCE": (1, "SquaredDifferenceOptions"),
    "POW": (1, "PowOptions"),
    "FLOOR_DIV": (2, "FloorDivOptions"),
    "FLOOR_MOD": (1, "FloorModOptions"),
    "ATAN2": (1, None),
    "EQUAL": (1, "EqualOptions"),
    "NOT_EQUAL": (1, "NotEqualOptions"),
    "LESS": (1, "LessOptions"),
    "LESS_EQUAL": (1, "LessEqualOptions"),
    "GREATER": (1, "GreaterOptions"),
    "GREATER_EQUAL": (1, "GreaterEqualOptions"),
    "LOGICAL_AND": (1, "LogicalAndOptions"),
    "LOGICAL_OR": (1, "LogicalOrOptions"),
    "SELECT_V2": (1, "SelectV2Options"),
    "PRELU": (1, None),
}
FUSES = ("ADD", "SUB", "MUL", "DIV")
COMPARES = {"EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "LOGICAL_AND", "LOGICAL_OR"}
ACTIVATIONS = {"NONE": 0, "RELU": 1, "RELU6": 3}
TYPES = {np.dtype(np.float32): schema.TensorType.FLOAT32, np.dtype(bool): schema.TensorType.BOOL}

_REFERENCES = {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": np.divide,
    "MAXIMUM": np.maximum,
    "MINIMUM": np.minimum,
    "SQUARED_DIFFERENCE": lambda a, b: (a - b) ** 2,
    "POW": np.power,
    "FLOOR_DIV": np.floor_divide,
    "FLOOR_MOD": np.mod,
    "ATAN2": np.arctan2,
    "EQUAL": np.equal,
    "NOT_EQUAL": np.not_equal,
    "LESS": np.less,
    "LESS_EQUAL": np.less_equal,
    "GREATER": np.greater,
    "GREATER_EQUAL": np.greater_equal,
    "LOGICAL_AND": np.logical_and,
    "LOGICAL_OR": np.logical_or,
    "SELECT_V2": np.where,
    "PRELU": lambda x, slope: np.where(x >= 0, x, x * slope),
}


def numbers(case, seed=0):
    """Return an array for each operand: every element of an operand another number, where the operator allows it."""
    op, shapes = case["op"], case["shapes"]
    rng = np.random.default_rng(seed + zlib.crc32(repr((op, shapes)).encode()))
    arrays = []
    for at, shape in enumerate(shapes):
        count = int(np.prod(shape))
        if op.startswith("LOGICAL") or (op == "SELECT_V2" and at == 0):
            values = rng.integers(0, 2, count).astype(bool)
        elif op in COMPARES:
            values = rng.integers(0, 4, count)
        elif op == "PRELU":
            values = -1.0 - np.arange(count) % 97 if at == 0 else 2.0 + rng.permutation(count)
        elif op in ("POW", "MAXIMUM", "MINIMUM"):
            values = rng.uniform(1, 3, count)
        elif op in ("FLOOR_DIV", "FLOOR_MOD"):
            values = rng.integers(20, 900, count) + 0.5 if at == 0 else rng.integers(2, 19, count)
        else:
            values = rng.permutation(count) * (1 if at == 0 else 1.37) + 1.0 + at
            values = values * rng.choice((-1, 1), count) if case.get("act", "NONE") != "NONE" else values
        arrays.append(np.asarray(values).astype(bool if np.asarray(values).dtype == bool else np.float32).reshape(shape))
    return arrays


def reference(case, arrays):
    """Return NumPy's result, or None where the shapes do not broadcast."""
    try:
        with np.errstate(all="ignore"):
            result = _REFERENCES[case["op"]](*arrays)
    except ValueError:
        return None
    low, high = {"NONE": (None, None), "RELU": (0, None), "RELU6": (0, 6)}[case.get("act", "NONE")]
    return result if low is None else np.clip(result, low, high)


def _tensor(model, name, shape, dtype, data=None):
    tensor, graph = schema.TensorT(), model.subgraphs[0]
    tensor.name, tensor.shape, tensor.type, tensor.hasRank = name.encode(), list(shape), TYPES[np.dtype(dtype)], True
    buffer = schema.BufferT()
    if data is not None:
        buffer.data = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
    model.buffers.append(buffer)
    tensor.buffer = len(model.buffers) - 1
    graph.tensors.append(tensor)
    return len(graph.tensors) - 1


def one_node(case, arrays, shape):
    """Return the bytes of a model of one node whose result is declared with this shape."""
    version, options = OPERATORS[case["op"]]
    model, graph, code, node = schema.ModelT(), schema.SubGraphT(), schema.OperatorCodeT(), schema.OperatorT()
    model.version, model.subgraphs, model.operatorCodes, model.buffers = 3, [graph], [code], [schema.BufferT()]
    model.buffers[0].data = []
    graph.name, graph.tensors, graph.inputs = b"main", [], []
    code.builtinCode = getattr(schema.BuiltinOperator, case["op"])
    code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), version
    node.opcodeIndex, node.inputs = 0, []
    for at, (kind, array) in enumerate(zip(case["kinds"], arrays, strict=True)):
        node.inputs.append(_tensor(model, "xyz"[at], array.shape, array.dtype, array if kind == "c" else None))
        if kind == "i":
            graph.inputs.append(node.inputs[-1])
    node.outputs = [_tensor(model, "out", shape, bool if case["op"] in COMPARES else np.float32)]
    graph.outputs, graph.operators = node.outputs, [node]
    if options:
        node.builtinOptionsType = getattr(schema.BuiltinOptions, options)
        node.builtinOptions = getattr(schema, options + "T")()
        if case["op"] in FUSES:
            node.builtinOptions.fusedActivationFunction = ACTIVATIONS[case.get("act", "NONE")]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
