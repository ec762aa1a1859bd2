"""PyTorch on the CPU, with Broadaxe's own operators next to its functions."""

import numpy as np

from engines import load

from .. import shapes, values
from ..question import ALL, FLOATS, Lacking, Refused
from .engine import Engine

# PyTorch keeps the dtype of its operands where they are equal, so that no promotion is asked; it has u16, u32 and u64 for little.
SOME = ("i8", "i16", "i32", "i64", "u8")
REAL = SOME + FLOATS
BINARY = [
    *[(name, name, REAL) for name in ("add", "sub", "mul", "fmod", "fmax", "fmin")], ("max", "maximum", REAL), ("min", "minimum", REAL),
    ("div", "div", FLOATS), ("div_floor", "floor_divide", REAL), ("mod_floor", "remainder", REAL), ("pow", "pow", REAL),
    ("atan2", "atan2", FLOATS), ("logaddexp", "logaddexp", FLOATS), ("hypot", "hypot", FLOATS), ("copysign", "copysign", FLOATS),
    ("heaviside", "heaviside", FLOATS), ("equal", "eq", ALL), ("not_equal", "ne", ALL), ("less", "lt", ALL),
    ("less_equal", "le", ALL), ("greater", "gt", ALL), ("greater_equal", "ge", ALL),
    *[(name, name, ("bool",)) for name in ("logical_and", "logical_or", "logical_xor")],
    *[(name, name, ("bool", *SOME)) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")],
    ("shift_left", "bitwise_left_shift", SOME), ("shift_right", "bitwise_right_shift", SOME),
]  # fmt: skip
UNARY = [
    *[(name, name, FLOATS) for name in """isnan isinf isfinite reciprocal sqrt rsqrt floor ceil round trunc exp exp2 expm1 log log2
    log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf sigmoid""".split()],
    ("logical_not", "logical_not", ("bool",)), ("bitwise_not", "bitwise_not", ("bool", *SOME)),
    *[(name, name, REAL) for name in ("neg", "abs", "sign", "square", "relu")], ("silu", "silu", FLOATS), ("gelu", "gelu", FLOATS),
    ("softplus", "softplus", FLOATS), ("hardswish", "hardswish", FLOATS),
]  # fmt: skip
NAMES = {ours: theirs for ours, theirs, _ in BINARY + UNARY}
ACTIVATIONS = ("silu", "gelu", "softplus", "hardswish")


class Torch(Engine):
    """Functions of the module `torch`."""

    name, full_only = "torch", True

    def questions(self, full):
        draw = np.random.default_rng(6)
        pairs = shapes.every_pair(range(4), range(4)) + shapes.random_shapes(draw, 2000)
        found = shapes.binary("numpy", "sub", pairs)
        found += shapes.choosing("numpy", "where", shapes.random_shapes(draw, 200, 3, rank=4))
        found += shapes.stretching("broadcast-to", "broadcast_to", shapes.every_pair(range(3), range(4)), "shape")
        found += shapes.spread("numpy", [(name, {}, dtypes) for name, _, dtypes in BINARY], shapes.random_shapes(draw, 24))
        for name, _, dtypes in BINARY:
            found += values.binary("numpy", name, dtypes)
        for name, _, dtypes in UNARY:
            found += values.unary("numpy", name, dtypes)
        return found + values.ternary("numpy", "where", ALL)

    def start(self):
        self.driver = load("torch")
        self.torch = self.driver.library()

    def version(self):
        return self.driver.version()

    def answer(self, question):
        torch = self.torch
        try:
            operands = [self.driver.tensor(np.array(operand)) for operand in question.operands]
            if question.operator == "broadcast_to":
                result = torch.broadcast_to(operands[0], question.attributes["shape"]).contiguous()
            elif question.operator in ACTIVATIONS:
                result = getattr(torch.nn.functional, question.operator)(*operands)
            else:
                result = getattr(torch, NAMES.get(question.operator, question.operator))(*operands)
            return self.driver.numbers(result, question.operands[-1].dtype)
        except (NotImplementedError, TypeError) as why:
            return Lacking(str(why))
        except RuntimeError as why:
            return Lacking(str(why)) if "not implemented" in str(why) else Refused(str(why))
