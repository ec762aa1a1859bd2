"""Units of the generator that are not element-wise: what engines fuse element-wise nodes into, and what moves axes."""

import numpy as np

from .maker import MOST


def _ranked(make, ranks):
    """Return a value of one of these ranks; reshape or draw one where there is none."""
    x = make.last(ranks=ranks)
    if x is not None:
        return x
    return make.input([make.dim() for _ in range(make.pick(list(ranks)))])


def conv(make):
    """Add a convolution: of one or two dims, grouped or depthwise or neither, padded or not."""
    x = _ranked(make, (3, 4))
    n, channels, *space = make.shape[x]
    kernel = [make.pick([k for k in (1, 2, 3, 5, 7, dim) if k <= dim + 4]) for dim in space]
    pads = [int(make.rng.integers(0, k // 2 + 1)) if k > 1 else 0 for k in kernel]
    if make.chance(0.5):
        pads = [k // 2 for k in kernel]
    pads = [max(pad, -(-(k - dim) // 2)) if k > dim else pad for pad, k, dim in zip(pads, kernel, space)]
    divisors = [g for g in range(1, channels + 1) if channels % g == 0]
    group = make.pick((1, 1, channels, make.pick(divisors)))
    out = group * make.pick((1, 1, 2)) if group > 1 else make.dim()
    out_space = [dim + 2 * pad - k + 1 for dim, pad, k in zip(space, pads, kernel)]
    if min(out_space) < 1 or np.prod([n, out, *out_space]) > MOST:
        return None
    operands = [x, make.const([out, channels // group, *kernel])]
    if make.chance(0.4):
        operands.append(make.const([out]))
    return make.node("Conv", operands, [n, out, *out_space], pads=pads * 2, group=group, **_written(make, kernel))


def _written(make, kernel):
    """Return the attributes of a window that exporters write, and that ONNX does not require: mostly all."""
    ones = [1] * len(kernel)
    return {"kernel_shape": kernel, "strides": ones, "dilations": ones} if make.chance(0.85) else {}


def matmul(make):
    """Add a product of matrices: with a constant, an input or what was computed."""
    x = _ranked(make, range(1, 6))
    shape = make.shape[x]
    width = make.dim()
    if len(shape) == 1:
        return make.node("MatMul", [x, make.const([shape[-1], width])], [width])
    right = [shape[-1], width]
    if make.chance(0.3):
        right = [dim if make.chance(0.7) else 1 for dim in shape[:-2]] + right
    return make.node("MatMul", [x, make.operand(right, constant=0.7)], [*shape[:-1], width])


def pool(make):
    """Add pooling."""
    x = _ranked(make, (3, 4))
    space = make.shape[x][2:]
    if make.chance(0.3):
        return make.node(make.pick(("GlobalAveragePool", "GlobalMaxPool")), [x], [*make.shape[x][:2]] + [1] * len(space))
    kernel = [make.pick([k for k in (1, 2, 3) if k <= dim]) for dim in space]
    shape = [*make.shape[x][:2]] + [dim - k + 1 for dim, k in zip(space, kernel)]
    written = {"strides": [1] * len(kernel)} if make.chance(0.85) else {}
    return make.node(make.pick(("MaxPool", "AveragePool")), [x], shape, kernel_shape=kernel, **written)


def reshape(make):
    """Merge, split or append axes."""
    x = make.last()
    shape = list(make.shape[x])
    for _ in range(int(make.rng.integers(1, 3))):
        if len(shape) > 1 and make.chance(0.6):
            k = int(make.rng.integers(len(shape) - 1))
            shape[k : k + 2] = [shape[k] * shape[k + 1]]
        elif len(shape) < make.most_rank:
            shape.insert(int(make.rng.integers(len(shape) + 1)), 1)
    return make.node("Reshape", [x, make.ints(*shape)], shape)


def transpose(make):
    """Exchange axes."""
    x = _ranked(make, range(2, 6))
    order = [int(k) for k in make.rng.permutation(len(make.shape[x]))]
    return make.node("Transpose", [x], [make.shape[x][k] for k in order], perm=order)


def concat(make):
    """Join two values along an axis."""
    x = _ranked(make, range(1, 6))
    axis = int(make.rng.integers(len(make.shape[x])))
    other = list(make.shape[x])
    other[axis] = make.dim()
    y = make.operand(other, constant=0.4)
    shape = list(make.shape[x])
    shape[axis] += other[axis]
    return make.node("Concat", make.order(x, y), shape, axis=axis)


def cut(make):
    """Take a slice along an axis."""
    x = _ranked(make, range(1, 6))
    axis = int(make.rng.integers(len(make.shape[x])))
    size = make.shape[x][axis]
    start = int(make.rng.integers(size))
    end = int(make.rng.integers(start, size)) + 1
    shape = list(make.shape[x])
    shape[axis] = end - start
    if make.opset < 10:
        return make.node("Slice", [x], shape, starts=[start], ends=[end], axes=[axis])
    return make.node("Slice", [x, make.ints(start), make.ints(end), make.ints(axis)], shape)


def _axes(make, op, x, axes, shape, kind="f32", since=13, **attributes):
    """Add an operator whose axes are an attribute before some opset, and an input from it on."""
    if make.opset < since:
        return make.node(op, [x], shape, kind, axes=axes, **attributes)
    return make.node(op, [x, make.ints(*axes)], shape, kind, **attributes)


def reduce(make):
    """Fold one or two axes."""
    x = _ranked(make, range(1, 6))
    rank = len(make.shape[x])
    axes = sorted(int(k) for k in make.rng.choice(rank, min(rank, int(make.rng.integers(1, 3))), replace=False))
    keep = int(make.chance(0.6))
    op = make.pick(("ReduceMean", "ReduceSum", "ReduceMax"))
    shape = [1 if k in axes else dim for k, dim in enumerate(make.shape[x]) if keep or k not in axes]
    return _axes(make, op, x, axes, shape, since=13 if op == "ReduceSum" else 18, keepdims=keep)


def softmax(make):
    """Normalise along the last axis, or another one where the operator has one axis."""
    x = _ranked(make, range(1, 6))
    rank = len(make.shape[x])
    axis = int(make.rng.integers(rank)) if make.opset >= 13 else rank - 1
    return make.node("Softmax", [x], make.shape[x], axis=axis)


def layer_norm(make):
    """Add LayerNormalization or RMSNormalization: mostly with scales of the shape that is normalised, or any that broadcast with the data."""
    if make.opset < 17:
        return softmax(make)
    x = _ranked(make, range(1, 6))
    rank = len(make.shape[x])
    axis = rank - 1 if make.chance(0.6) else int(make.rng.integers(rank))
    full = list(make.shape[x][axis:])
    scale, bias = (full if make.chance(0.6) else make.partner_shape(make.pick((full, make.shape[x])), 0) for _ in range(2))
    if make.chance(0.1):
        scale = [1] * axis + full
    operands = [x, make.operand(scale, constant=0.85)]
    if make.opset >= 23 and make.chance(0.5):
        return make.node("RMSNormalization", operands, make.shape[x], axis=axis)
    if make.chance(0.7):
        operands.append(make.operand(bias, constant=0.85))
    return make.node("LayerNormalization", operands, make.shape[x], axis=axis - rank if make.chance(0.2) else axis)


def gemm(make):
    """Add Gemm, with C of any shape that fits, a constant or computed, and either factor turned."""
    x = _ranked(make, (2,))
    rows, inner = make.shape[x]
    width = make.dim()
    attributes = {} if make.chance(0.6) else {"alpha": make.pick((0.5, 1.0)), "beta": make.pick((0.5, 1.0, 2.0, 0.0))}
    attributes |= {"transB": 1} if make.chance(0.4) else {}
    if make.chance(0.25):
        attributes["transA"], rows, inner = 1, inner, rows
    operands = [x, make.operand([width, inner] if "transB" in attributes else [inner, width], constant=0.85)]
    if make.chance(0.8) or make.opset < 11:
        operands.append(make.operand(make.partner_shape([rows, width], 0), constant=0.6))
    return make.node("Gemm", operands, [rows, width], **attributes)


def quantize(make):
    """Quantise and undo it: for the whole tensor, or along an axis, with zeros of u8 or i8, or none."""
    x = make.last(ranks=range(1, 6))
    if make.opset < 13 or x is None:
        return None
    shape = make.shape[x]
    kind = make.pick(("u8", "u8", "i8"))
    if make.chance(0.6):
        axis = 1 if len(shape) > 1 and make.chance(0.7) else int(make.rng.integers(len(shape)))
        size, attributes = [shape[axis]], {"axis": axis}
        scales = [round(0.02 + 0.01 * k, 2) for k in range(shape[axis])]
    else:
        size, attributes, scales = [1] if make.chance(0.2) else [], {}, 0.05
    operands = [make.const(size, scales)]
    if kind == "i8" or make.chance(0.8):
        operands.append(make.const(size, 128 if kind == "u8" else make.pick((0, 3)), kind=kind))
    q = make.node("QuantizeLinear", [x, *operands], shape, kind, **attributes)
    return make.node("DequantizeLinear", [q, *operands], shape, **attributes)


def stored(make):
    """Read weights that are stored as integers: Cast and a scale and a zero, or DequantizeLinear, then MatMul, Gemm or Gather."""
    op = make.pick(("MatMul", "Gemm", "Gather") if make.opset >= 11 else ("MatMul", "Gather"))
    kind = make.pick(("u8", "i8"))
    if op == "Gather":
        x, rows = make.input([make.dim() for _ in range(make.pick((0, 1, 2)))], "i64"), 5
    else:
        x = _ranked(make, (2,) if op == "Gemm" else range(2, 5))
        rows = make.shape[x][-1]
    turned = op == "Gemm" and make.chance(0.4)
    dims = [make.dim(), rows] if turned else [rows, make.dim()]
    weights = make.const(dims, [(7 * k) % 23 - (11 if kind == "i8" else 0) for k in range(int(np.prod(dims)))], kind=kind)
    if op == "Gather" and make.chance(0.4):
        taken = make.node("Gather", [weights, x], [*make.shape[x], dims[1]], kind, axis=0)
        return _scaled(make, taken, kind)
    weights = _scaled(make, weights, kind)
    if make.shape[weights] != tuple(dims):
        return None
    if op == "Gather":
        return make.node("Gather", [weights, x], [*make.shape[x], dims[1]], axis=0)
    shape = [*make.shape[x][:-1], dims[0] if turned else dims[1]]
    if op == "MatMul":
        return make.node("MatMul", [x, weights], shape)
    operands = [x, weights] + ([make.const(make.partner_shape(shape, 0))] if make.chance(0.6) else [])
    return make.node("Gemm", operands, shape, **({"transB": 1} if turned else {}))


def _scaled(make, name, kind):
    """Return the floats that integers are stored for: one scale, or one for each of an axis."""
    dims = make.shape[name]
    along = int(make.rng.integers(len(dims))) if dims and make.chance(0.6) else None
    if make.opset >= 13 and make.chance(0.4):
        size, attributes = ([], {}) if along is None else ([dims[along]], {"axis": along})
        operands = [name, make.const(size, 0.05), *([make.const(size, 2, kind=kind)] if make.chance(0.6) else [])]
        return make.node("DequantizeLinear", operands, dims, **attributes)
    value = make.node("Cast", [name], dims, to="f32")
    size = [dim if k == along else 1 for k, dim in enumerate(dims)]
    if along is None:
        size = make.pick(([], [1], [1] * len(dims)))
    if along is not None and make.chance(0.5):
        size = size[along:]
    for op in ("Sub", "Mul") if make.chance(0.6) else ("Mul",):
        other = make.const(size, 2.0) if op == "Sub" else make.const(size)
        value = make.node(op, make.order(value, other) if op == "Mul" else [value, other], make.joined(value, other))
    return value


def branch(make):
    """Add If, whose branches read a value from outside; its condition is an input or a constant."""
    if make.opset < 9:
        return None
    x = make.last()
    condition = make.operand([], "bool", 0.3)
    shape = make.partner_shape(make.shape[x], 0)
    graphs = {}
    for key, op in (("then_branch", "Add"), ("else_branch", "Mul")):
        name = f"{key[:4]}{make.count}"
        constant = f"k_{name}"
        graphs[key] = {"nodes": [[op, [x, constant], [name], {}]], "outputs": [name], "constants": {constant: ["f32", shape]}, "seed": 1, "type": "f32"}
    return make.node("If", [condition], make.shape[x], **graphs)


def squeeze(make):
    """Drop an axis of 1, or add one."""
    x = make.last()
    shape = list(make.shape[x])
    ones = [k for k, dim in enumerate(shape) if dim == 1]
    if ones and make.chance(0.5):
        axis = make.pick(ones)
        return _axes(make, "Squeeze", x, [axis], shape[:axis] + shape[axis + 1 :])
    if len(shape) >= make.most_rank:
        return None
    axis = int(make.rng.integers(len(shape) + 1))
    return _axes(make, "Unsqueeze", x, [axis], shape[:axis] + [1] + shape[axis:])


def flatten(make):
    """Make a matrix."""
    x = _ranked(make, range(1, 6))
    axis = int(make.rng.integers(len(make.shape[x]) + 1))
    shape = make.shape[x]
    return make.node("Flatten", [x], [int(np.prod(shape[:axis])), int(np.prod(shape[axis:]))], axis=axis)


def batch_norm(make):
    """Add BatchNormalization."""
    x = _ranked(make, range(2, 6))
    size = [make.shape[x][1]]
    variance = make.const(size, [0.5 + 0.25 * k for k in range(size[0])])
    return make.node("BatchNormalization", [x, make.const(size), make.const(size), make.const(size), variance], make.shape[x])


def function(make):
    """Call a function of the model."""
    if make.opset < 15:
        return None
    x = make.last()
    y = make.partner(x, wider=0)
    functions = make.spec.setdefault("functions", {})
    functions["F"] = {"inputs": ["a", "b"], "outputs": ["d"], "nodes": [["Add", ["a", "b"], ["s"], {}], ["Tanh", ["s"], ["d"], {}]]}
    return make.node("F", [x, y], make.joined(x, y))


UNITS = [
    (conv, 10), (matmul, 6), (pool, 5), (reshape, 5), (transpose, 4), (concat, 3), (cut, 2), (reduce, 4), (softmax, 2), (layer_norm, 4),
    (gemm, 4), (quantize, 4), (stored, 5), (branch, 1), (squeeze, 3), (flatten, 2), (batch_norm, 2), (function, 0.3),
]  # fmt: skip
