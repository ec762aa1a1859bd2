"""Drawn models around integer weights: how they are scaled, what is between, what reads them, and what follows.

    python -m conformance.laws.record --target openvino --grids weights --out FILE

yields texts as in `cases.py`: 600 models of seed 1. All runs of a model are of one compiled model, which shows what a run overwrites.
"""

import random

from .quantised import dims

NUMBERS = {"u8": "5,3,9,1,7,2,8,6,4,11", "i8": "5,-3,-5,1,7,2,8,-6,4,11", "uint4": "5,3,7,1,6,2,4,0", "int4": "5,-3,7,1,-6,2,4,0"}
ZEROS = "1,2,3,0,2"


def joined(a, b):
    """Return the shape that two broadcast to, or None."""
    pairs = [(a[-k] if k <= len(a) else 1, b[-k] if k <= len(b) else 1) for k in range(1, max(len(a), len(b)) + 1)]
    return None if any(x != y and 1 not in (x, y) for x, y in pairs) else tuple(max(pair) for pair in reversed(pairs))


def const(name, shape, kind="f32", numbers=None):
    """Return the text of a constant."""
    return f"{name}=const{'' if kind == 'f32' else ':' + kind}({dims(shape)})" + (f"={numbers}" if numbers else "")


def scales(shape):
    """Return the shapes of a scale that broadcast with the weights, of every rank and orientation."""
    rows, columns = shape[-2:]
    found = [(), (1,), (columns,), (1, columns), (rows, 1), (rows, columns), (1, 1), (rows,), (1, 1, columns), (1, rows, 1), (1, 1, 1, columns), (1, 1, 1, 1)]
    found += [(shape[0], 1, 1), (shape[0], 1, columns), (shape[0], rows, 1)] if len(shape) == 3 else []
    return [one for one in found if joined(one, shape) is not None]


def cast(draw, kind, shape):
    """Return the nodes of a cast, a zero point and a scale, the opset, and the shape that they make."""
    dtype = "f16" if draw.random() < 0.2 else "f32"
    parts, now = [const("w", shape, kind, NUMBERS[kind]), f"m0=Cast(w) to={dtype}"], "m0"
    if draw.random() < 0.45:
        zero = draw.choice(scales(shape))
        parts += [const("z", zero, dtype), f"m1=Sub({now},z)"]
        now, shape = "m1", joined(shape, zero)
    scale = draw.choice([one for one in scales(shape) if joined(one, shape)])
    operands = draw.choice((f"{now},c", f"{now},c", f"c,{now}"))
    parts += [const("c", scale, dtype), f"m2=Div({now},c)" if draw.random() < 0.2 else f"m2=Mul({operands})"]
    parts += ["m=Cast(m2) to=f32"] if dtype == "f16" else []
    if dtype == "f32":
        parts[-1] = parts[-1].replace("m2=", "m=")
    return parts, 21 if "4" in kind else 18, joined(shape, scale)


def dequantised(draw, kind, shape):
    """Return a DequantizeLinear: of the whole, along an axis, or in blocks; the opset, and the shape."""
    axis = draw.randrange(len(shape))
    along = (shape[axis],)
    listed, said = draw.choice((((), ""), ((1,), ""), (along, f" axis={axis}"), (along, f" axis={axis - len(shape)}")))
    opset = 18
    if draw.random() < 0.4:
        size = draw.choice([one for one in (1, 2, 3, 4, 8) if shape[axis] % one == 0])
        listed = tuple(dim // size if at == axis else dim for at, dim in enumerate(shape))
        said, opset = f" axis={axis} block_size={size}", 21
    parts, names = [const("w", shape, kind, NUMBERS[kind]), const("s", listed)], "w,s"
    if draw.random() < 0.5:
        parts, names = [*parts, const("z", listed, kind, ZEROS)], "w,s,z"
    return [*parts, f"m=DequantizeLinear({names}){said}"], 21 if "4" in kind else opset, shape


def between(draw, shape, turned):
    """Return the nodes between the weights and their reader, and the name of what it reads."""
    rank, parts, now = len(shape), [], "m"
    if draw.random() < 0.1:
        parts, now = [f"p=const:i64({rank})={dims(shape)}", f"k=Reshape({now},p)"], "k"
    if turned and rank == 2:
        return [*parts, f"t=Transpose({now}) perm=1,0"], "t"
    if draw.random() < 0.1 and rank == 2:
        return [*parts, f"t0=Transpose({now}) perm=1,0", "t=Transpose(t0) perm=1,0"], "t"
    return ([*parts, f"j=Identity({now})"], "j") if draw.random() < 0.1 else (parts, now)


def reader(draw, weights, rows, columns, rank):
    """Return what reads the weights, with its data."""
    many = draw.choice((1, 1, 2, 3, 4, 5, 6, 8))
    data = draw.choice((f"{many},{rows}", f"{many},{rows}", f"n={many},{rows}", f"1,{many},{rows}", f"2,{many},{rows}", f"1,1,{many},{rows}", f"{rows}"))
    kind = draw.choice(("MatMul", "MatMul", "MatMul", "Gemm", "Gemm", "twice", "Gather", "Gather"))
    if kind == "Gather":
        first = draw.choice(("v,x", "x,v"))
        return [f"i=const:i64(2)=0,{min(1, rows - 1)}", f"v=Gather({weights},i)", "x()", f"y=Add({first})"]
    if kind == "Gemm" and rank == 2:
        transposed = " transA=1" if draw.random() < 0.2 else ""
        given = f"x({rows},{many})" if transposed else f"x({many},{rows})"
        bias = draw.choice(("", "", f"; b=const({columns})"))
        return [f"{given}{bias}", f"y=Gemm(x,{weights}{',b' if bias else ''}){transposed}{draw.choice(('', '', ' alpha=0.5'))}"]
    return [f"x({data})", f"y=MatMul(x,{weights})", *([f"v=MatMul(x,{weights})"] if kind == "twice" else [])]


def follows(draw, columns):
    """Return what reads the result."""
    shape = draw.choice(((), (1,), (columns,), (1, columns), (1, 1, 1, columns)))
    op = draw.choice(("", "", "", "Relu", "Sigmoid", "Add", "Mul", "Sub", "Max", "Min"))
    if op in ("", "Relu", "Sigmoid"):
        return [f"o={op}(y)"] if op else []
    return [const("e", shape), f"o={op}(y,e)"]


def weights(count=600, seed=1):
    """Yield drawn models."""
    draw, found = random.Random(seed), {}
    while len(found) < count:
        kind, rows, columns = draw.choice(tuple(NUMBERS)), draw.choice((1, 2, 3, 4, 4, 5, 6, 8)), draw.choice((1, 2, 4, 4, 5, 6))
        turned = draw.random() < 0.3
        shape = (columns, rows) if turned else (rows, columns)
        shape = (draw.choice((1, 1, 2)), *shape) if draw.random() < 0.15 and not turned else shape
        parts, opset, shape = draw.choice((cast, cast, dequantised))(draw, kind, shape)
        if turned and len(shape) > 2:
            continue
        more, name = between(draw, shape, turned)
        parts += [*more, *reader(draw, name, rows, columns, len(shape)), *follows(draw, columns)]
        parts += ["u=Relu(m)"] if draw.random() < 0.08 else []
        found["; ".join([f"opset {opset}", *parts] if opset != 18 else parts)] = None
    yield from found


WEIGHTS = {"weights": weights}
