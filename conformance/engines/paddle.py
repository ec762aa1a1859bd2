"""Paddle on the CPU: today's functions under NumPy's rule, and the old operators with `axis`."""

import numpy as np

from engines import load

from .. import shapes, values
from ..question import Lacking, Refused
from .engine import Engine

ADDED = ("bool", "i8", "i16", "i32", "i64", "u8", "f32", "f64")
WIDE = ("i32", "i64", "f32", "f64")
DIVIDED = ("i8", "i16", "i32", "i64", "u8", "f32", "f64")
BITS = ("bool", "i8", "i16", "i32", "i64", "u8")
OLD = [
    ("elementwise_add", ADDED), ("elementwise_sub", ("i16", *WIDE)), ("elementwise_mul", ("bool", *WIDE)),
    ("elementwise_div", DIVIDED), *[(f"elementwise_{name}", WIDE) for name in ("max", "min", "fmax", "fmin", "pow", "mod")],
    ("elementwise_floordiv", DIVIDED),
]  # fmt: skip
NEW = [
    ("add", ADDED), ("subtract", ("i16", *WIDE)), ("multiply", ("bool", *WIDE)), ("divide", ADDED), ("floor_divide", DIVIDED),
    *[(name, WIDE) for name in ("remainder", "pow", "maximum", "minimum", "fmax", "fmin")],
    *[(name, ADDED) for name in ("equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal")],
    *[(f"bitwise_{name}", BITS) for name in ("and", "or", "xor")],
    *[(f"bitwise_{name}_shift", BITS[1:]) for name in ("left", "right")],
    *[(f"logical_{name}", ADDED) for name in ("and", "or", "xor")],
]  # fmt: skip


def _inside(a, b, axis):
    """Whether Paddle stays inside its memory: the operand of lower rank does not run past the other's end."""
    return a == b or axis < 0 or axis + min(len(a), len(b)) <= max(len(a), len(b))


class Paddle(Engine):
    """Functions of `paddle`, and of its old operators."""

    name, system, full_only = "paddle", "paddle", True

    def questions(self, full):
        draw = np.random.default_rng(5)
        pairs = shapes.every_pair(range(3), range(4))
        small = shapes.every_pair(range(4), (0, 1, 3))
        found = shapes.binary("numpy", "subtract", pairs + small + shapes.random_shapes(draw, 1000))
        for axis in (-2, -1, 0, 1, 2, 3):
            asked = [(a, b) for a, b in pairs + shapes.random_shapes(draw, 300, rank=4) if _inside(a, b, axis)]
            found += shapes.binary("paddle", "elementwise_sub", asked, {"axis": axis})
        for (a, b), parameters in shapes.seed_pairs(("paddle",)):
            found += shapes.binary("paddle", "elementwise_sub", [(a, b)], parameters)
        for operator, dtypes in OLD:
            placed = [((2, 3, 4), (3,)), ((2, 3, 4), (3, 1)), ((2, 1, 4), (3, 4)), ((3, 4), (2, 3, 4)), ((2, 3), (3,))]
            found += shapes.spread("paddle", [(operator, {}, dtypes)], placed, {"axis": 1})
            found += values.binary("paddle", operator, dtypes)
        found += shapes.spread("numpy", [(operator, {}, dtypes) for operator, dtypes in NEW], shapes.random_shapes(draw, 24))
        for operator, dtypes in NEW:
            found += values.binary("numpy", operator, dtypes)
        found += values.unary("elementwise", "bitwise_not", BITS) + values.unary("elementwise", "logical_not", ADDED)
        return found

    def start(self):
        self.driver = load("paddle")
        self.paddle = self.driver.library()

    def version(self):
        return self.driver.version()

    def answer(self, question):
        try:
            if question.operator.startswith("elementwise"):
                return self.driver.elementwise(question.operator, question.operands, question.attributes.get("axis", -1))
            operands = [self.paddle.to_tensor(operand) for operand in question.operands]
            return getattr(self.paddle, question.operator)(*operands).numpy()
        except Exception as why:
            return Lacking(str(why)) if "not registered" in str(why) or "NOT_FOUND" in str(why) else Refused(str(why)[-300:])
