"""Generators of models in the words of others: ONNX before opset 7, OpenVINO's operators, Paddle's old programs."""

import numpy as np

from . import ir_form, layers, paddle_form
from .maker import MOST, Maker


def _placed(make, shape):
    """Return a run of a shape, with 1 in place of some, and the axis where it begins."""
    rank = len(shape)
    start = int(make.rng.integers(rank + 1))
    stop = int(make.rng.integers(start, rank + 1))
    dims = [1 if make.chance(0.2) else dim for dim in shape[start:stop]]
    return dims, start, stop == rank




def _start(make, ranks=(1, 2, 2, 3, 3, 4, 4)):
    return make.input([make.dim() for _ in range(make.pick(ranks))])


OLD_BINARY = ("Add", "Sub", "Mul", "Div", "Add", "Mul", "Pow", "Less", "Greater", "And", "Or", "Xor", "Equal")


def old(rng, form="onnx"):
    """Return a model of ONNX before opset 7: `broadcast`, `axis` and, before opset 6, `consumed_inputs`."""
    make = Maker(rng, form, int(rng.integers(1, 7)))
    _start(make)
    for _ in range(int(rng.integers(1, 5))):
        _old_unit(make)
    return make.finish()


def _old_unit(make):
    # Long: a unit for each choice, each a few lines.
    x = make.last(ranks=range(1, 5))
    shape = make.shape[x]
    given = {"consumed_inputs": [0]} if make.opset < 6 and make.chance(0.12) else {}
    choice = make.rng.random()
    if choice < 0.6:
        op = make.pick(OLD_BINARY)
        if op == "Equal":
            op = "Less"
        if make.chance(0.75):
            dims, start, suffix = _placed(make, shape)
            # A run has the extents of the first operand, or is one element.
            dims = list(shape[start : start + len(dims)]) if make.chance(0.9) else [1]
            attributes = {"broadcast": 1} | ({} if suffix and dims and make.chance(0.5) and dims != [1] else {"axis": start})
            if dims == [1] or not dims:
                attributes = {"broadcast": 1}
        else:
            dims, attributes = list(shape), {}
        if op in ("And", "Or", "Xor"):
            x = make.node("Less", [x, make.const(list(shape))], shape, "bool")
            y = make.const(dims, kind="bool")
            value = make.node(op, [x, y], shape, "bool", **attributes)
        elif op in ("Less", "Greater"):
            value = make.node(op, [x, make.operand(dims, constant=0.7)], shape, "bool", **attributes)
        elif op == "Pow":
            up = make.node("Abs", [x], shape)
            return make.node("Pow", [up, make.const(dims, make.pick((2.0, 0.5, 1.5)))], shape, **attributes)
        else:
            y = make.operand(dims, constant=0.7)
            if op == "Div" and y not in make.spec["constants"]:
                op = "Sub"
            return make.node(op, [x, y], shape, **given | attributes)
        # OpenVINO does not read the type of a cast before opset 6, which is a word there.
        return make.node("Cast", [value], shape, to="f32") if make.opset == 6 else value
    if choice < 0.7:
        return make.node(make.pick(("Relu", "Tanh", "Abs", "Neg")), [x], shape, **given)
    if choice < 0.8:
        op = make.pick(("Max", "Min", "Sum", "Mean"))
        return make.node(op, [x, make.const(list(shape))], shape, **given)
    if choice < 0.87 and len(shape) > 1:
        return make.node("PRelu", [x, make.const([shape[1]] if make.chance(0.7) else [1])], shape, **given)
    if choice < 0.9 and len(shape) in (3, 4):
        return layers.conv(make)
    if choice < 0.95:
        merged = [int(np.prod(shape))] if make.chance(0.3) else [*shape[:-2], int(np.prod(shape[-2:]))]
        if make.opset < 5:
            return make.node("Reshape", [x], merged, shape=merged, **given)
        return make.node("Reshape", [x, make.ints(*merged)], merged)
    order = [int(k) for k in make.rng.permutation(len(shape))]
    return make.node("Transpose", [x], [shape[k] for k in order], perm=order)


def ir(rng, form="ir"):
    """Return a model in OpenVINO's operators: NumPy's rule, none, and PDPD with its axis."""
    make = Maker(rng, form)
    _start(make, (1, 2, 3, 3, 3, 4, 4, 5))
    for _ in range(int(rng.integers(1, 6))):
        _ir_unit(make)
    return make.finish()


def _auto(make, x, kind="f32", constant=0.65):
    """Return a second operand and the attributes of one of the three rules."""
    shape = make.shape[x]
    rule = make.pick(("numpy", "numpy", "pdpd", "pdpd", "pdpd", "none"))
    if rule == "none":
        return make.operand(shape, kind, constant), {"auto_broadcast": "none"}
    if rule == "numpy":
        return make.partner(x, kind, constant=constant), {"auto_broadcast": "numpy"}
    dims, start, suffix = _placed(make, shape)
    axis = -1 if suffix and make.chance(0.4) else start
    # Before the default axis is computed, ones at the end count.
    return make.operand(dims, kind, constant), {"auto_broadcast": "pdpd", "axis": axis}


def _ir_unit(make):
    # Long: a unit for each choice, each a few lines.
    x = make.last(ranks=range(1, 6))
    if x is None:
        x = make.last()
    shape, choice = make.shape[x], make.rng.random()
    if choice < 0.6:
        op = make.pick([name for name in ir_form.BINARY if not name.startswith("Logical")] + ["Add", "Multiply", "Subtract"])
        if op == "Power":
            x = make.node("Abs", [x], shape)
        if op in ("Equal", "NotEqual"):
            x = make.node("Floor", [x], shape)
        y, attributes = _auto(make, x, constant=1.0 if op in ("Divide", "Mod", "FloorMod", "Power") else 0.65)
        if op in ("Equal", "NotEqual"):
            y = make.node("Floor", [y], make.shape[y])
        names = [x, y]
        if attributes["auto_broadcast"] == "numpy" and op not in ("Divide", "Mod", "FloorMod", "Power"):
            names = make.order(x, y)
        full = make.joined(x, y) if attributes["auto_broadcast"] == "numpy" else shape
        if op in ("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"):
            value = make.node(op, names, full, "bool", **attributes)
            if make.chance(0.4):
                z, attributes = _auto(make, value, "bool")
                full = make.joined(value, z) if attributes["auto_broadcast"] == "numpy" else full
                value = make.node(make.pick(("LogicalAnd", "LogicalOr", "LogicalXor")), [value, z], full, "bool", **attributes)
            return make.node("Convert", [value], full, to="f32")
        return make.node(op, names, full, **attributes)
    if choice < 0.68:
        return make.node(make.pick(("ReLU", "Abs", "Tanh", "Negative", "Sigmoid")), [x], shape)
    if choice < 0.76:
        slope = make.operand([shape[1]] if len(shape) > 1 and make.chance(0.4) else make.partner_shape(shape, 0), constant=0.8)
        return make.node("PReLU", [x, slope], shape)
    if choice < 0.82:
        condition = make.operand(make.partner_shape(shape, 0), "bool", 0.5)
        y = make.partner(x, wider=0)
        return make.node("Select", [condition, x, y], shape, auto_broadcast="numpy")
    if choice < 0.9 and len(shape) in (3, 4):
        kernel = [make.pick([k for k in (1, 3, dim) if k % 2]) for dim in shape[2:] if dim] or [1]
        kernel = [k if k % 2 else 1 for k in kernel]
        pads = [k // 2 for k in kernel]
        out = make.dim()
        if np.prod([shape[0], out, *shape[2:]]) <= MOST:
            return make.node("Convolution", [x, make.const([out, shape[1], *kernel])], [shape[0], out, *shape[2:]], pads=pads)
    if choice < 0.95 and len(shape) > 1:
        width = make.dim()
        return make.node("MatMul", [x, make.const([shape[-1], width])], [*shape[:-1], width])
    order = [int(k) for k in make.rng.permutation(len(shape))]
    return make.node("Transpose", [x, make.ints(*order)], [shape[k] for k in order])


def paddle(rng, form="paddle"):
    """Return an old program of Paddle: `elementwise_*` with `axis`."""
    make = Maker(rng, form)
    _start(make, (2, 3, 3, 3, 4, 4))
    for _ in range(int(rng.integers(1, 5))):
        _paddle_unit(make)
    return make.finish()


def _paddle_unit(make):
    x = make.last(ranks=range(1, 6))
    shape, choice = make.shape[x], make.rng.random()
    if choice < 0.7:
        op = make.pick(list(paddle_form.BINARY))
        dims, start, suffix = _placed(make, shape)
        axis = -1 if suffix and make.chance(0.4) else start
        dims, axis = (dims, axis) if dims else ([shape[-1]], -1)
        if op == "elementwise_pow":
            x = make.node("abs", [x], shape)
        if make.chance(0.1):
            shape = tuple(make.dim() if dim == 1 else dim for dim in shape)
            dims = list(shape) if axis == -1 or len(dims) == len(shape) else dims
            return None
        y = make.operand(dims, constant=1.0 if op in ("elementwise_div", "elementwise_pow") else 0.65)
        return make.node(op, [x, y], make.shape[x], axis=axis)
    if choice < 0.8:
        return make.node(make.pick(list(paddle_form.UNARY)), [x], shape)
    if choice < 0.9 and len(shape) == 4:
        out = make.dim()
        attributes = {"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 1}
        return make.node("conv2d", [x, make.const([out, shape[1], 3, 3])], [shape[0], out, *shape[2:]], **attributes)
    if choice < 0.95 and len(shape) > 1:
        width = make.dim()
        return make.node("matmul_v2", [x, make.const([shape[-1], width])], [*shape[:-1], width], trans_x=False, trans_y=False)
    return make.node("softmax", [x], shape, axis=len(shape) - 1)
