"""Units of the generator that are element-wise nodes of ONNX, opset 7 and later."""

import numpy as np

UNARY = ("Relu", "Tanh", "Sigmoid", "Abs", "Neg", "Softplus", "Floor", "Ceil", "Erf", "HardSigmoid", "LeakyRelu", "Elu", "Sin", "Softsign")
SINCE = {"Erf": 9, "Mod": 10, "Where": 9, "Expand": 8, "GreaterOrEqual": 12, "LessOrEqual": 12, "Mish": 18, "Gelu": 20}


def unary(make):
    """Add an operator of one operand."""
    x = make.last()
    op = make.pick(UNARY)
    if make.opset < SINCE.get(op, 1):
        op = "Tanh"
    return make.node(op, [x], make.shape[x])


def arithmetic(make):
    """Add an operator of two operands."""
    x = make.last()
    op = make.pick(("Add", "Sub", "Mul", "Div", "Add", "Mul", "Sub"))
    y = make.partner(x)
    if op == "Div":
        if y not in make.spec["constants"]:
            y = positive(make, y)
        names = [x, y] if make.chance(0.8) else [y, positive(make, x)]
    else:
        names = make.order(x, y)
    return make.node(op, names, make.joined(*names))


def positive(make, name):
    """Return a value of the same shape that is above 0.4."""
    up = make.node("Abs", [name], make.shape[name])
    return make.node("Add", [up, make.const([], 0.5)], make.shape[name])


def variadic(make):
    """Add Max, Min, Sum or Mean of one to three operands."""
    x = make.last()
    names = [x] + [make.partner(x, wider=0.1, constant=0.5) for _ in range(int(make.rng.integers(0, 3)))]
    op = make.pick(("Max", "Min", "Sum", "Mean"))
    try:
        shape = make.joined(*names)
    except ValueError:
        names = names[:2]
        shape = make.joined(*names)
    if make.opset < 8:
        names, shape = [x, x], make.shape[x]
    return make.node(op, names, shape)


def power(make):
    """Add Pow of what is not negative."""
    x = make.last()
    base = positive(make, x)
    if make.chance(0.5):
        exponent = make.const(make.partner_shape(make.shape[x]), make.pick((2, 3, 0.5, 1, -1, 2)))
    else:
        exponent = make.partner(x, constant=0.8)
    low = make.node("Tanh", [base], make.shape[base]) if make.chance(0.5) else base
    return make.node("Pow", [low, exponent], make.joined(low, exponent))


def modulo(make):
    """Add Mod of floats."""
    if make.opset < 10:
        return arithmetic(make)
    x = make.last()
    y = make.partner(x, constant=0.9)
    y = y if y in make.spec["constants"] else positive(make, y)
    return make.node("Mod", [x, y], make.joined(x, y), fmod=1)


def prelu(make):
    """Add PRelu, whose slope alone may stretch: any that fits, one number for each channel, or one for each channel that does not fit."""
    x = make.last(ranks=range(1, 9))
    if x is None:
        return unary(make)
    data = make.shape[x]
    shape = make.partner_shape(data, wider=0)
    if make.chance(0.4) and len(data) > 2:
        behind = len(data) - 2
        shape = make.pick(([data[1]] + [1] * behind, [1, data[1]] + [1] * behind, [data[1]] + [1] * (behind - 1), [data[1]]))
    if make.spec["format"] == "ir-onnx":
        # OpenVINO's reader gives a slope of rank 1 to axis 1, and the file then says so.
        shape = [1] * (len(data) - len(shape)) + shape
    slope = make.operand(shape, constant=0.8)
    value = make.node("PRelu", [x, slope], data)
    dims = [1] * (len(data) - len(shape)) + list(shape)
    if any(dim not in (1, size) for dim, size in zip(dims, data)):
        make.spec.setdefault("invalid", []).append(value)
    return value


def clip(make):
    """Add Clip: bounds that are missing, computed, or of one element and rank 1, which ONNX Runtime reads as a number."""
    x = make.last()
    if make.opset < 11:
        return make.node("Clip", [x], make.shape[x], min=-0.75, max=1.25)
    operands = []
    for value in (-0.75, 1.25):
        shape = [1] if make.chance(0.15) else []
        if make.chance(0.15):
            operands.append("")
            continue
        bound = make.const(shape, value)
        operands.append(make.node("Abs" if value > 0 else "Tanh", [bound], shape) if make.chance(0.15) else bound)
    while operands and not operands[-1]:
        operands.pop()
    return make.node("Clip", [x, *operands], make.shape[x])


def _computed_shape(make, dims):
    """Return a shape that nodes compute: of another value, or of its elements, joined with constants."""
    source = make.operand(dims, constant=0)
    whole = make.node("Shape", [source], [len(dims)], "i64")
    if make.chance(0.4) or not dims:
        return whole
    parts = []
    for k, dim in enumerate(dims):
        if make.chance(0.5):
            parts.append(make.ints(dim))
        elif make.chance(0.5):
            parts.append(make.node("Gather", [whole, make.ints(k)], [1], "i64", axis=0))
        else:
            one = make.node("Gather", [whole, make.const([], k, kind="i64")], [], "i64", axis=0)
            operands = ([one], {"axes": [0]}) if make.opset < 13 else ([one, make.ints(0)], {})
            parts.append(make.node("Unsqueeze", operands[0], [1], "i64", **operands[1]))
    return make.node("Concat", parts, [len(dims)], "i64", axis=0)


def expand(make):
    """Add Expand to a shape of any rank, constant or computed; rarely one that ONNX does not allow, or with a 0."""
    if make.opset < 8:
        return arithmetic(make)
    x = make.last()
    shape = list(make.partner_shape(make.shape[x], wider=0.8))
    odd = make.pick(("rank 0", "i32", "-1", "0")) if make.chance(0.12) else ""
    if odd == "0" and make.shape[x] and make.shape[x][-1] == 1:
        found = make.node("Expand", [x, make.ints(*[1] * (len(make.shape[x]) - 1), 0)], [*make.shape[x][:-1], 0])
        # Nothing else reads what is empty.
        make.steps.remove(found)
        return found
    if odd in ("rank 0", "i32"):
        operand = make.const([] if odd == "rank 0" else [len(shape)], shape or 1, kind="i64" if odd == "rank 0" else "i32")
        if odd == "rank 0":
            make.spec["constants"][operand][2], shape = 1, []
    elif odd == "-1":
        operand = make.ints(*(-1 if dim == 1 else dim for dim in shape))
    else:
        operand = make.ints(*shape) if make.chance(0.5) else _computed_shape(make, shape)
    found = make.node("Expand", [x, operand], np.broadcast_shapes(tuple(shape), make.shape[x]))
    if odd not in ("", "0"):
        make.spec.setdefault("invalid", []).append(found)
    return found


def boolean(make):
    """Return a bool: the newest or a comparison."""
    x = make.last("bool")
    return x if x is not None and make.chance(0.5) else comparison(make)


def comparison(make):
    """Add a comparison."""
    x = make.last()
    op = make.pick(("Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal"))
    if make.opset < SINCE.get(op, 1) or op == "Equal" and make.opset < 11:
        op = "Less"
    y = make.partner(x)
    if op == "Equal":
        x, y = (make.node("Floor", [one], make.shape[one]) for one in (x, y))
    if make.opset < 9:
        op = make.pick(("Less", "Greater"))
    names = make.order(x, y)
    return make.node(op, names, make.joined(*names), "bool")


def logic(make):
    """Add And, Or, Xor or Not of bools."""
    x = boolean(make)
    if make.chance(0.15):
        return make.node("Not", [x], make.shape[x], "bool")
    y = make.partner(x, "bool", constant=0.5)
    names = make.order(x, y)
    return make.node(make.pick(("And", "Or", "Xor")), names, make.joined(*names), "bool")


def choose(make):
    """Add Where, with the condition of any shape that fits."""
    if make.opset < 9:
        return arithmetic(make)
    x = make.last()
    y = make.partner(x)
    shape = make.joined(x, y)
    fitting = [name for name in make.values("bool") if make._fits(make.shape[name], shape)]
    condition = make.pick(fitting) if fitting else make.operand(make.partner_shape(shape, 0.15), "bool", 0.5)
    return make.node("Where", [condition, *make.order(x, y)], make.joined(condition, x, y))


def cast(make):
    """Make floats of a bool."""
    x = make.last("bool")
    return make.node("Cast", [x], make.shape[x], to="f32") if x is not None else unary(make)


def typed(make):
    """Add an operator of another element type: whole numbers, f16 or bool."""
    if make.opset < 14:
        return arithmetic(make)
    kind = make.pick(("i32", "i64", "u8", "i8", "f16", "bool"))
    x = make.last(kind)
    if x is None:
        shape = make.shape[make.last()]
        x = make.input(shape, kind) if make.chance(0.5) or kind == "bool" else make.node("Cast", [make.last()], make.shape[make.last()], kind, to=kind)
    if kind in ("u8", "i8") and x not in make.spec["inputs"]:
        x = make.input(make.shape[x], kind)
    y = make.partner(x, kind)
    names, result = make.order(x, y), kind
    ops = {"bool": ("And", "Or", "Xor", "Equal"), "f16": ("Add", "Sub", "Mul", "Div", "Max", "Min", "Less", "PRelu")}
    op = make.pick(ops.get(kind, ("Add", "Sub", "Mul", "Max", "Min", "Div", "Equal", "Greater", "Mod", "Where", *(("BitwiseAnd",) if make.opset >= 18 else ()))))
    shape = make.joined(x, y)
    if op in ("Equal", "Less", "Greater"):
        result = "bool"
    if op == "PRelu" and shape != make.shape[x]:
        op = "Mul"
    if op == "PRelu":
        names = [x, y]
    if op == "Where":
        condition = make.operand(make.partner_shape(shape, 0), "bool", 0.5)
        names = [condition, *names]
    value = make.node(op, names, shape, result)
    return make.node("Cast", [value], make.shape[value], to="f32") if make.chance(0.6) else value


UNITS = [
    (arithmetic, 30), (unary, 8), (variadic, 8), (power, 4), (modulo, 2), (prelu, 6), (clip, 2), (expand, 4), (comparison, 4),
    (logic, 4), (choose, 5), (cast, 3), (typed, 4),
]  # fmt: skip
