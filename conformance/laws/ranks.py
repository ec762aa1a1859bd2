"""Models of one node each by the ranks of its operands, by dtype, and without elements: what a runtime says of ranks 0 to 6.

The functions yield texts as in `cases.py`; `grids.py` lists them.
"""

import itertools
import random

from ..verdicts.spec import COMPARISONS

ARITHMETIC = ("Add", "Sub", "Mul", "Div", "Pow")
COMPARES = ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual")
LOGICAL = ("And", "Or", "Xor")
VARIADIC = ("Max", "Min", "Sum", "Mean")
BITS = ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift")
MOST_RANK, EACH = 6, 6
FLOATS, SIGNED, UNSIGNED = ("f32", "f64", "f16"), ("i8", "i16", "i32", "i64"), ("u8", "u16", "u32", "u64")
DTYPES = {
    **dict.fromkeys((*ARITHMETIC, *VARIADIC[:2], *COMPARES), FLOATS + SIGNED + UNSIGNED), **dict.fromkeys(VARIADIC[2:], FLOATS),
    "Mod": SIGNED + UNSIGNED, **dict.fromkeys(LOGICAL, ("bool",)), **dict.fromkeys(BITS[:3], SIGNED + UNSIGNED), "BitShift": UNSIGNED,
    "Where": (*FLOATS, *SIGNED, *UNSIGNED, "bool"), "PRelu": (*FLOATS, "i32", "i64", "u32", "u64"),
}  # fmt: skip
DTYPES["Equal"] += ("bool",)


def operand(name, shape, kind, dtype="f32"):
    """Return an input, or a constant (`c`)."""
    typed = "" if dtype == "f32" else f":{dtype}"
    return f"{name}{'=const' if kind == 'c' else ''}{typed}({','.join(map(str, shape))})"


def stretched(rng, rank, count):
    """Return shapes that broadcast to one of a rank: the first or another one has it."""
    full = [rng.choice((1, 2, 2, 3, 4)) for _ in range(rank)]
    shapes = [[dim if rng.random() < 0.65 else 1 for dim in full] for _ in range(count)]
    for k in range(1, count):
        if rng.random() < 0.5:
            shapes[k] = shapes[k][rng.randrange(rank + 1) :]
    if rng.random() < 0.3:
        shapes.reverse()
    return shapes


def node(op, shapes, kinds, dtype="f32", attributes=""):
    """Return the model of a node."""
    dtypes = ["bool" if op == "Where" and k == 0 else dtype for k in range(len(shapes))]
    parts = [operand(name, *rest) for name, *rest in zip("abcde", shapes, kinds, dtypes)]
    names = ",".join("abcde"[: len(shapes)])
    cast = "; z=Cast(y) to=f32" if op in COMPARISONS and "c" in kinds and "i" not in kinds else ""
    return f"{'; '.join(parts)}; y={op}({names}){attributes}{cast}"


def attributes(op, dtype="f32"):
    """Return the attributes that an operator cannot be without."""
    return " fmod=1" if op == "Mod" and dtype[0] == "f" else " direction=LEFT" if op == "BitShift" else ""


def by_rank():
    """Element-wise operators at ranks 0 to 6, each operand an input or a constant."""
    rng = random.Random(5)
    for op in (*ARITHMETIC, "Mod", *COMPARES, *LOGICAL, *VARIADIC, "Where"):
        dtype = "bool" if op in LOGICAL else "f32"
        for rank in range(MOST_RANK + 1):
            for _ in range(EACH if rank else 1):
                count = 3 if op == "Where" else rng.choice((1, 2, 3, 3, 4)) if op in VARIADIC else 2
                shapes = stretched(rng, rank, count)
                kinds = ["i" * count, *("".join(rng.choice("ic") for _ in shapes) for _ in range(2)), "c" * count]
                for each in dict.fromkeys(kinds):
                    yield node(op, shapes, each, dtype, attributes(op))


def slopes():
    """PRelu: every slope that stretches to data of ranks 0 to 6, constant or an input, of unequal numbers or of one."""
    datas = [
        (), (1,), (3,), (16,), (2, 3), (3, 3), (3, 4), (1, 3), (4, 1), (1, 1), (2, 3, 4), (1, 3, 4), (3, 3, 3), (2, 1, 3), (1, 8, 17), (2, 3, 4, 5),
        (1, 3, 4, 5), (3, 3, 3, 3), (1, 1, 3, 4), (1, 3, 1, 1), (1, 3, 1, 4), (1, 3, 2, 3), (2, 2, 3, 2), (1, 2, 3, 4, 5), (2, 3, 2, 3, 2), (1, 1, 3, 1, 2),
        (1, 2, 3, 2, 3, 2), (2, 3, 1, 2, 3, 2), (1, 3, 1, 1, 1, 1),
    ]  # fmt: skip
    for x in datas:
        shapes = {dims for rank in range(len(x) + 1) for dims in itertools.product(*[{1, dim} for dim in x[len(x) - rank :]])}
        for slope in sorted(shapes, key=lambda one: (len(one), one)):
            for kind in ("c", "i", "c=0.5"):
                given = operand("s", slope, kind[0]) + kind[1:]
                yield f"{operand('x', x, 'i')}; {given}; y=PRelu(x,s)"


def several():
    """Sum, Mean, Max and Min of four and five operands, which some runtimes compute in another way than two or three."""
    rng = random.Random(6)
    for op, count, rank, first in itertools.product(VARIADIC, (4, 5), range(5), range(6)):
        shapes = stretched(rng, rank, count)
        if first < 3 and rank:
            # The first two operands end as the result does, or one of them does not.
            full = rng.choice((2, 3))
            shapes = [[*shape[:-1], full if k != first else 1] for k, shape in enumerate(shapes)]
        for kinds in ("i" * count, "i" + "".join(rng.choice("ic") for _ in shapes[1:])):
            yield node(op, shapes, kinds)


def by_dtype():
    """Element-wise operators in every dtype that ONNX has for them."""
    for op, dtypes in DTYPES.items():
        for dtype, (first, second) in itertools.product(dtypes, (((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), (1, 1)), ((3,), (3,)), ((), ()))):
            shapes = [first, second, first] if op == "Where" else [first, second]
            kinds = ("iii", "cii", "iic", "icc") if op == "Where" else ("ic", "ii") if op == "PRelu" else ("ii", "ic", "ci")
            for each in kinds:
                yield node(op, shapes, each, dtype, attributes(op, dtype))


def empty():
    """Operators of tensors without elements."""
    for op in ("Add", "Mul", "Less", "And", "Max", "Sum", "Where", "PRelu"):
        dtype = "bool" if op == "And" else "f32"
        for first, second in (((0,), (0,)), ((0,), (1,)), ((0,), ()), ((2, 0), (2, 0)), ((2, 0), (1, 0)), ((0, 3), (3,)), ((2, 0, 3), (3,))):
            shapes = [first, second, first] if op == "Where" else [first, second]
            for kinds in ("iii", "iic", "icc", "ccc"):
                yield node(op, shapes, kinds[: len(shapes)], dtype)


GRIDS = {"by-rank": by_rank, "slopes": slopes, "several": several, "by-dtype": by_dtype, "empty": empty}
