"""NumPy: its own rule, with Broadaxe's own operators next to its functions, and NumPy 2's promotion."""

import numpy as np

from .. import shapes, values
from ..question import ALL, FLOATS, INTEGERS, NUMBERS, Refused
from .engine import Engine

# Broadaxe's name, NumPy's where it is another, and the dtypes.
BINARY = [
    ("add", "add", NUMBERS), ("sub", "subtract", NUMBERS), ("mul", "multiply", NUMBERS), ("div", "divide", NUMBERS),
    ("div_floor", "floor_divide", NUMBERS), ("mod_floor", "mod", NUMBERS), ("fmod", "fmod", NUMBERS), ("pow", "power", NUMBERS),
    ("max", "maximum", NUMBERS), ("min", "minimum", NUMBERS), ("fmax", "fmax", NUMBERS), ("fmin", "fmin", NUMBERS),
    ("atan2", "arctan2", FLOATS), ("logaddexp", "logaddexp", FLOATS), ("hypot", "hypot", FLOATS),
    ("copysign", "copysign", FLOATS), ("heaviside", "heaviside", FLOATS), ("equal", "equal", ALL),
    ("not_equal", "not_equal", ALL), ("less", "less", ALL), ("less_equal", "less_equal", ALL), ("greater", "greater", ALL),
    ("greater_equal", "greater_equal", ALL), ("logical_and", "logical_and", ("bool",)), ("logical_or", "logical_or", ("bool",)),
    ("logical_xor", "logical_xor", ("bool",)), ("bitwise_and", "bitwise_and", ("bool", *INTEGERS)),
    ("bitwise_or", "bitwise_or", ("bool", *INTEGERS)), ("bitwise_xor", "bitwise_xor", ("bool", *INTEGERS)),
    ("shift_left", "left_shift", INTEGERS), ("shift_right", "right_shift", INTEGERS),
]  # fmt: skip
UNARY = [
    ("isnan", "isnan", FLOATS), ("isinf", "isinf", FLOATS), ("isfinite", "isfinite", FLOATS),
    ("logical_not", "logical_not", ("bool",)), ("bitwise_not", "invert", ("bool", *INTEGERS)), ("neg", "negative", NUMBERS),
    ("abs", "absolute", NUMBERS), ("sign", "sign", NUMBERS), ("square", "square", NUMBERS), ("reciprocal", "reciprocal", FLOATS),
    ("round", "rint", FLOATS), ("asin", "arcsin", FLOATS), ("acos", "arccos", FLOATS), ("atan", "arctan", FLOATS),
    ("asinh", "arcsinh", FLOATS), ("acosh", "arccosh", FLOATS), ("atanh", "arctanh", FLOATS),
    *[(name, name, FLOATS) for name in "sqrt floor ceil trunc exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh".split()],
]  # fmt: skip
NAMES = {ours: theirs for ours, theirs, _ in BINARY + UNARY}


class NumPy(Engine):
    """NumPy's functions."""

    name = "numpy"

    def questions(self, full):
        draw = np.random.default_rng(1)
        seeds = [pair for pair, _ in shapes.seed_pairs(("numpy",)) if len(pair) == 2]
        pairs = seeds + shapes.every_pair(range(4 if full else 3), range(4)) + shapes.random_shapes(draw, 3000 if full else 500)
        found = shapes.binary("numpy", "sub", pairs)
        found += shapes.choosing("numpy", "where", shapes.random_shapes(draw, 400 if full else 100, 3, rank=4))
        targets = shapes.every_pair(range(4 if full else 3), range(4)) + shapes.random_shapes(draw, 500)
        found += shapes.stretching("broadcast-to", "broadcast_to", targets, "shape")
        every = [(name, {}, dtypes) for name, _, dtypes in BINARY]
        found += shapes.spread("numpy", every, shapes.random_shapes(draw, 40))
        for name, _, dtypes in BINARY:
            found += values.binary("numpy", name, dtypes)
        for name, _, dtypes in UNARY:
            found += values.unary("numpy", name, dtypes)
        return found + values.ternary("numpy", "where", ALL)

    def start(self):
        import ml_dtypes  # noqa: F401 - registers bfloat16

        np.seterr(all="ignore")

    def version(self):
        return np.__version__

    def answer(self, question):
        try:
            if question.operator == "broadcast_to":
                return np.array(np.broadcast_to(question.operands[0], question.attributes["shape"]))
            return np.asarray(getattr(np, NAMES.get(question.operator, question.operator))(*question.operands))
        except (ValueError, TypeError) as why:
            return Refused(str(why))
