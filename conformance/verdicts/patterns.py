"""Units of the generator that engines fuse into one operator, with constants of ranks that the fused operator may not expect."""

import math

import numpy as np

from . import elementwise, layers


def _odd(make, x, value=None, wider=True):
    """Return a constant of one number whose rank is anything from 0 to one above the value's, or of a shape that fits."""
    rank = len(make.shape[x])
    if value is not None or make.chance(0.4):
        most = min(rank + (1 if wider else 0), make.most_rank)
        ranks = [0, 0, 0, 1, rank, most] if make.chance(0.7) else list(range(most + 1))
        dims = [1] * make.pick(ranks)
        return make.const(dims, value) if value is not None else make.const(dims)
    return make.const(make.partner_shape(make.shape[x], 0.3 if wider else 0))


def _two(make, op, a, b):
    """Add a node of two operands, in either order where that means the same."""
    names = make.order(a, b) if op in ("Add", "Mul", "Max", "Min") else [a, b]
    return make.node(op, names, make.joined(a, b))


def _one(make, op, x):
    return make.node(op, [x], make.shape[x])


def parted_prelu(make):
    """relu(x) - s * relu(-x)."""
    x = make.last(ranks=range(1, 6))
    if x is None:
        return None
    rank = len(make.shape[x])
    shape = make.partner_shape(make.shape[x], 0)
    if make.chance(0.5) and rank > 1:
        shape = [make.shape[x][1 if make.chance(0.5) else -1]]
        if make.shape[x][-1] != shape[0]:
            shape = [1]
    slope = make.operand(shape, constant=0.9)
    up, down = _one(make, "Relu", x), _one(make, "Relu", _one(make, "Neg", x))
    if make.chance(0.5):
        return _two(make, "Sub", up, _two(make, "Mul", down, slope))
    return _two(make, "Add", up, _two(make, "Mul", _one(make, "Neg", down), slope))


def _mean(make, x, axes, keep=True):
    """Return a mean; without its axes of 1, which are added again where the data need them."""
    shape = [1 if k in axes else dim for k, dim in enumerate(make.shape[x])]
    rank = len(shape)
    given = [k - rank for k in axes] if make.chance(0.5) else axes
    if keep or make.opset < 13:
        return layers._axes(make, "ReduceMean", x, given, shape, since=18, keepdims=1)
    short = [dim for k, dim in enumerate(shape) if k not in axes]
    return layers._axes(make, "Unsqueeze", layers._axes(make, "ReduceMean", x, given, short, since=18, keepdims=0), axes, shape)


def _axes_of_norm(make, x):
    """Return the axes of a normalisation: mostly the last ones, or any."""
    rank = len(make.shape[x])
    if make.chance(0.6):
        return [rank - 1]
    if make.chance(0.5):
        return list(range(int(make.rng.integers(rank)), rank))
    return [int(make.rng.integers(rank))]


def _square(make, x):
    if make.chance(0.6):
        return make.node("Pow", [x, _odd(make, x, 2.0, False)], make.shape[x])
    return make.node("Mul", [x, x], make.shape[x])


def _divided(make, x, mean):
    """Return data divided by the root of a mean and an epsilon, in one of the ways in which models say it."""
    sure = _two(make, "Add", mean, _odd(make, mean, 0.01))
    way = make.pick(("Div", "Div", "Reciprocal", "1 / root", "Pow"))
    if way == "Pow":
        return _two(make, "Mul", x, _two(make, "Pow", sure, _odd(make, sure, -0.5)))
    root = _one(make, "Sqrt", sure)
    if way == "Div":
        return _two(make, "Div", x, root)
    inverse = _one(make, "Reciprocal", root) if way == "Reciprocal" else _two(make, "Div", _odd(make, root, 1.0), root)
    return _two(make, "Mul", x, inverse)


def _affine(make, x, ops, share):
    """Add a scale and a bias: constants of any shape, of the shape of the data's last axes, or computed."""
    for op in ops:
        if not make.chance(share):
            continue
        shape = list(make.shape[x])
        shape = make.pick((shape[-1:], shape[1:], [shape[1], *[1] * (len(shape) - 2)])) if len(shape) > 1 else shape
        other = make.operand(shape, constant=0.7) if make.chance(0.5) else _odd(make, x)
        x = _two(make, op, x, other)
    return x


def rms_norm(make):
    """x * rsqrt(mean(x ^ 2) + eps) * g."""
    x = make.last(ranks=range(1, 6))
    if x is None:
        return None
    mean = _mean(make, _square(make, x), _axes_of_norm(make, x), make.chance(0.8))
    return _affine(make, _divided(make, x, mean), ("Mul",), 0.7)


def parted_layer_norm(make):
    """(x - mean) / sqrt(var + eps) * gamma + beta."""
    x = make.last(ranks=range(1, 6))
    if x is None:
        return None
    axes = _axes_of_norm(make, x)
    low = _two(make, "Sub", x, _mean(make, x, axes, make.chance(0.8)))
    again = _two(make, "Sub", x, _mean(make, x, axes)) if make.chance(0.2) else low
    return _affine(make, _divided(make, low, _mean(make, _square(make, again), axes)), ("Mul", "Add"), 0.8)


def gelu(make):
    """x * 0.5 * (1 + erf(x / sqrt(2))), or with tanh."""
    x = make.last()
    if make.opset < 9:
        return None
    if make.chance(0.6):
        inner = _two(make, "Div", x, _odd(make, x, math.sqrt(2)))
        up = _two(make, "Add", _one(make, "Erf", inner), _odd(make, x, 1.0))
    else:
        cube = make.node("Pow", [x, make.const([], 3.0)], make.shape[x])
        inner = _two(make, "Mul", _two(make, "Add", x, _two(make, "Mul", cube, _odd(make, x, 0.044715))), _odd(make, x, math.sqrt(2 / math.pi)))
        up = _two(make, "Add", _one(make, "Tanh", inner), _odd(make, x, 1.0))
    if make.chance(0.5):
        return _two(make, "Mul", _two(make, "Mul", x, up), _odd(make, x, 0.5))
    return _two(make, "Mul", _two(make, "Mul", x, _odd(make, x, 0.5)), up)


def hard_swish(make):
    """x * clip(x + 3, 0, 6) / 6."""
    if make.opset < 11:
        return None
    x = make.last()
    up = _two(make, "Add", x, _odd(make, x, 3.0))
    if make.chance(0.6):
        cut = make.node("Clip", [up, make.const([], 0.0), make.const([], 6.0)], make.shape[up])
    else:
        cut = _two(make, "Min", _one(make, "Relu", up), _odd(make, up, 6.0))
    if make.chance(0.5):
        return _two(make, "Div", _two(make, "Mul", x, cut), _odd(make, x, 6.0))
    return _two(make, "Mul", x, _two(make, "Mul", cut, _odd(make, x, 1 / 6)))


def mish(make):
    """log(exp(x) + 1), and x * tanh of it."""
    x = make.last()
    soft = _one(make, "Log", _two(make, "Add", _one(make, "Exp", _one(make, "Tanh", x)), _odd(make, x, 1.0)))
    return _two(make, "Mul", x, _one(make, "Tanh", soft)) if make.chance(0.5) else soft


def swish(make):
    """x * sigmoid(beta * x)."""
    x = make.last()
    return _two(make, "Mul", x, _one(make, "Sigmoid", _two(make, "Mul", x, _odd(make, x))))


def clamp(make):
    """min(max(x, a), b)."""
    x = make.last()
    low = _two(make, "Max", x, _odd(make, x, -0.5))
    return _two(make, "Min", low, _odd(make, low, 0.75))


def negated_add(make):
    """x * -1 + y, or x * y ^ -1."""
    x = make.last()
    if make.chance(0.6):
        return _two(make, "Add", _two(make, "Mul", x, _odd(make, x, -1.0)), make.partner(x))
    y = elementwise.positive(make, make.partner(x, constant=0.2))
    return _two(make, "Mul", x, _two(make, "Pow", y, _odd(make, y, -1.0)))


def ones_divided(make):
    """ones / x * y."""
    x = elementwise.positive(make, make.last())
    return _two(make, "Mul", _two(make, "Div", _odd(make, x, 1.0), x), make.partner(x))


def normalised(make):
    """x / sqrt(sum(x ^ 2) + eps)."""
    x = make.last(ranks=range(1, 6))
    if x is None:
        return None
    rank = len(make.shape[x])
    axis = int(make.rng.integers(rank))
    square = make.node("Pow", [x, make.const([], 2.0)], make.shape[x])
    shape = [1 if k == axis else dim for k, dim in enumerate(make.shape[x])]
    total = layers._axes(make, "ReduceSum", square, [axis], shape, since=13, keepdims=1)
    op = make.pick(("Add", "Max"))
    return _two(make, "Div", x, _one(make, "Sqrt", _two(make, op, total, _odd(make, total, 0.01))))


def before_conv(make):
    """An operator with a constant, then a convolution; often of a kernel as large as the map."""
    x = make.last(ranks=(3, 4))
    if x is None:
        x = make.input([make.dim() for _ in range(make.pick((3, 4)))])
    y = make.operand(make.partner_shape(make.shape[x], 0), constant=0.9)
    _two(make, make.pick(("Mul", "Mul", "Div", "Add", "Sub")), x, y)
    return layers.conv(make)


def after_layer(make):
    """A convolution, product, pool or normalisation, then one or two operators with constants."""
    layer = make.pick((layers.conv, layers.matmul, layers.pool, layers.batch_norm, layers.gemm, layers.flatten, layers.transpose, layers.quantize))
    if layer(make) is None:
        return None
    unit = make.pick((_constant, _constant, elementwise.prelu, elementwise.variadic))
    found = unit(make)
    return _constant(make) if make.chance(0.5) else found


def _constant(make):
    """Add an operator with a constant of any shape that fits."""
    x = make.last()
    y = make.const(make.partner_shape(make.shape[x], 0.15))
    return _two(make, make.pick(("Add", "Mul", "Sub", "Add", "Mul", "Div")), x, y)


def chain(make):
    """Two or three operators with constants."""
    for _ in range(int(make.rng.integers(2, 4))):
        found = _constant(make)
    return found


def shrunk_tanh(make):
    """x - tanh(x)."""
    x = make.last()
    return make.node("Sub", [x, _one(make, "Tanh", x)], make.shape[x])


def parted_softmax(make):
    """exp(x - max) / sum, with a mask or a scale before it."""
    x = make.last(ranks=range(1, 6))
    if x is None:
        return None
    rank = len(make.shape[x])
    masked = _two(make, make.pick(("Add", "Mul", "Div")), x, _odd(make, x, wider=False)) if make.chance(0.5) else _masked(make, x)
    rank = len(make.shape[masked])
    if make.chance(0.5):
        return make.node("Softmax", [masked], make.shape[masked], axis=rank - 1)
    top = layers._axes(make, "ReduceMax", masked, [rank - 1], [*make.shape[masked][:-1], 1], since=18, keepdims=1)
    up = _one(make, "Exp", _two(make, "Sub", masked, top))
    total = layers._axes(make, "ReduceSum", up, [rank - 1], [*make.shape[up][:-1], 1], since=13, keepdims=1)
    return _two(make, "Div", up, total)


def _masked(make, scores):
    """Add a mask to scores, or put -inf where a mask says so."""
    shape = make.partner_shape(make.shape[scores], 0.1)
    if make.opset < 9 or make.chance(0.5):
        return _two(make, "Add", scores, make.operand(shape, constant=0.5))
    # The first of a row is kept, so that no row is all -inf.
    width = shape[-1] if shape else 1
    keeps = [k % width == 0 or k % 3 == 0 for k in range(int(np.prod(shape)))]
    low = make.const([] if make.chance(0.5) else [1], make.pick((-math.inf, -10000.0)))
    if make.chance(0.5):
        condition, names = make.const(shape, keeps, kind="bool"), [scores, low]
    else:
        condition, names = make.const(shape, [not keep for keep in keeps], kind="bool"), [low, scores]
    return make.node("Where", [condition, *names], make.joined(condition, scores, low))


def attention(make):
    """softmax(q k' * scale + mask) v."""
    x = make.last(ranks=(3, 4))
    if x is None or np.prod(make.shape[x]) > 600:
        return None
    *batch, rows, width = make.shape[x]
    order = [*range(len(batch)), len(batch) + 1, len(batch)]
    turned = make.node("Transpose", [make.operand([*batch, rows, width], constant=0.3)], [*batch, width, rows], perm=order)
    scores = make.node("MatMul", [x, turned], [*batch, rows, rows])
    scores = _two(make, make.pick(("Mul", "Mul", "Div")), scores, _odd(make, scores, 0.25, False))
    scores = _masked(make, scores)
    scores = make.node("Softmax", [scores], make.shape[scores], axis=len(batch) + 1)
    return make.node("MatMul", [scores, make.operand([*batch, rows, width], constant=0.3)], [*batch, rows, width])


UNITS = [
    (parted_prelu, 5), (rms_norm, 4), (parted_layer_norm, 4), (gelu, 4), (hard_swish, 3), (mish, 3), (swish, 3), (clamp, 3), (negated_add, 4),
    (ones_divided, 3), (normalised, 3), (before_conv, 8), (after_layer, 12), (chain, 5), (shrunk_tanh, 1), (parted_softmax, 3), (attention, 2),
]  # fmt: skip
