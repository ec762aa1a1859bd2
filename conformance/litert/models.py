"""Models of one node, built as `check --ask` builds them, and numbers that tell the elements apart."""

import zlib

import numpy as np

from engines import load

DRIVER = load("litert", start=False)

OPERATORS = (
    "ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "POW", "FLOOR_DIV", "FLOOR_MOD", "ATAN2", "EQUAL", "NOT_EQUAL",
    "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "LOGICAL_AND", "LOGICAL_OR", "SELECT_V2", "PRELU",
)  # fmt: skip
# The versions that LiteRT's own converter writes, where they are not the first.
VERSIONS = {"FLOOR_DIV": 2}
FUSES = ("ADD", "SUB", "MUL", "DIV")
COMPARES = {"EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "LOGICAL_AND", "LOGICAL_OR"}

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


def feeds(case, arrays):
    """Return the arrays of a case's operands that are inputs, by name."""
    return {name: array for name, kind, array in zip("xyz", case["kinds"], arrays) if kind == "i"}


def one_node(case, arrays, shape):
    """Return the bytes of a model of one node whose result is declared with this shape."""
    node = {
        "op": case["op"], "version": VERSIONS.get(case["op"], 1), "inputs": list("xyz"[: len(arrays)]),
        "options": {"fused_activation_function": case.get("act", "NONE")} if case["op"] in FUSES else {},
        "constants": [name for name, kind in zip("xyz", case["kinds"]) if kind == "c"],
        "result": {"name": "out", "dtype": "bool" if case["op"] in COMPARES else "f32", "shape": [int(dim) for dim in shape]},
    }  # fmt: skip
    return DRIVER.write(dict(zip("xyz", arrays)), ["out"], node)[0]
