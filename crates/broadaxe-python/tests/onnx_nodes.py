"""Random nodes of ONNX: an operator, an opset, attributes and inputs."""

import math

import numpy as np

REDUCTIONS = "Sum Mean Max Min Prod L1 L2 LogSum LogSumExp SumSquare".split()
FLOATS = ("float16", "float32", "float64")
INTS = ("int32", "int64", "uint32", "uint64")


class Draw:
    """Draws the parts of a node from a generator."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def one(self, *choices):
        return choices[self.generator.integers(len(choices))]

    def below(self, low, high):
        """Return a whole number from low up to high, which is left out."""
        return int(self.generator.integers(low, high))

    def shape(self, low=1, high=5, least=0):
        """Return dims, a 0 among them at times."""
        return tuple(self.one(*range(least, 4), 2, 3, 5) for _ in range(self.below(low, high)))

    def array(self, shape, dtype):
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return self.generator.integers(0, 2, shape).astype(bool)
        if dtype.kind == "u":
            return self.generator.integers(0, 5, shape).astype(dtype)
        values = self.generator.integers(-6, 7, shape)
        return (values / 2 if dtype.kind == "f" else values).astype(dtype)

    def axis(self, rank):
        return self.below(-rank, rank)

    def axes(self, rank, least=0):
        """Return some axes, each from either end, in any order."""
        chosen = self.generator.permutation(rank)[: self.below(least, rank + 1)]
        return [int(axis) - rank * self.below(0, 2) for axis in chosen]


def of_axes(name, version, since, axes, inputs, attributes):
    """Give axes as an attribute or, from an opset on, as an input."""
    if axes is None:
        return
    if version >= since:
        inputs.append(np.array(axes, np.int64))
    else:
        attributes["axes"] = axes


def reduction(draw):
    name, version = f"Reduce{draw.one(*REDUCTIONS)}", draw.one(13, 18, 20)
    types = (*FLOATS, "int32", "int64") if name != "ReduceMean" else FLOATS
    types = (*types, "bool", "int8", "uint8") if name in ("ReduceMax", "ReduceMin") and version == 20 else types
    types = FLOATS if "L" in name[6:] else types
    x = draw.array(draw.shape(least=0 if version >= 18 else 1), draw.one(*types))
    if name == "ReduceLogSum":
        x = abs(x) + x.dtype.type(1)
    inputs, attributes = [x], {"keepdims": draw.below(0, 2)}
    # Reading the axes of an empty list as all or none: both ways of noop_with_empty_axes.
    since = 13 if name == "ReduceSum" else 18
    axes = draw.one(draw.axes(x.ndim, 1), draw.axes(x.ndim), None)
    axes = None if version < since and not axes else axes
    of_axes(name, version, since, axes, inputs, attributes)
    if version >= since and draw.below(0, 2) and name in ("ReduceSum", "ReduceMax", "ReduceMean", "ReduceProd"):
        attributes["noop_with_empty_axes"] = 1
    return name, version, inputs, attributes


def argument(draw):
    x = draw.array(draw.shape(least=1), draw.one(*FLOATS, "int32", "int8", "uint8"))
    attributes = {"axis": draw.axis(x.ndim), "keepdims": draw.below(0, 2), "select_last_index": draw.below(0, 2)}
    return draw.one("ArgMax", "ArgMin"), 13, [x], attributes


def softmax(draw):
    version = draw.one(11, 13)
    x = draw.array(draw.shape(2, 5, least=1), "float32" if version == 11 else draw.one(*FLOATS))
    axis = draw.axis(x.ndim) if version == 13 else draw.below(0, x.ndim)
    return draw.one("Softmax", "LogSoftmax", "Hardmax"), version, [x], {"axis": axis}


def shape_of(draw):
    """Draw a Reshape, Squeeze, Unsqueeze, Flatten, Transpose or Tile."""
    x, name = draw.array(draw.shape(), draw.one(*FLOATS, *INTS, "bool")), draw.one("Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose", "Tile")
    if name == "Reshape":
        dims = list(x.shape)
        if 0 not in dims and len(dims) > 1:
            at = draw.below(0, len(dims) - 1)
            dims[at : at + 2] = [dims[at] * dims[at + 1]]
            dims[draw.below(0, len(dims))] = -1
        return name, 14, [x, np.array(dims, np.int64)], {"allowzero": int(0 in dims)}
    if name == "Squeeze":
        axes = draw.axes(x.ndim, 1)
        folded = [axis % x.ndim for axis in axes]
        x = draw.array([1 if k in folded else dim for k, dim in enumerate(x.shape)], x.dtype)
        return name, 13, [x, np.array(axes, np.int64)], {}
    if name == "Unsqueeze":
        count = draw.below(1, 3)
        rank = x.ndim + count
        axes = [int(axis) - rank * draw.below(0, 2) for axis in draw.generator.permutation(rank)[:count]]
        return name, 13, [x, np.array(axes, np.int64)], {}
    if name == "Flatten":
        return name, 13, [x], {"axis": draw.below(-x.ndim, x.ndim + 1)}
    if name == "Transpose":
        return name, 13, [x], draw.one({}, {"perm": [int(axis) for axis in draw.generator.permutation(x.ndim)]})
    return name, 13, [x, np.array([draw.below(0, 4) for _ in x.shape], np.int64)], {}


def slice_(draw):
    x = draw.array(draw.shape(), draw.one(*FLOATS, *INTS))
    axes = draw.axes(x.ndim, 1)
    bound = lambda: draw.one(draw.below(-8, 8), draw.below(-8, 8), 2**31, -(2**31))  # noqa: E731
    parts = [[bound() for _ in axes], [bound() for _ in axes], axes, [draw.one(1, 2, 3, -1, -2) for _ in axes]]
    return "Slice", 13, [x, *(np.array(part, np.int64) for part in parts)], {}


def pad(draw):
    x, mode = draw.array(draw.shape(least=1), draw.one("float32", "int32")), draw.one("constant", "edge", "reflect", "wrap")
    most = {"reflect": 1, "wrap": 2}.get(mode, 4)
    pads = [draw.below(0, min(most, dim if mode == "reflect" else most) + (dim > 1)) for dim in x.shape * 2]
    return "Pad", 19, [x, np.array(pads, np.int64), x.dtype.type(7)], {"mode": mode}


def join(draw):
    """Draw a Concat, Split or Expand."""
    x, name = draw.array(draw.shape(), draw.one(*FLOATS, *INTS)), draw.one("Concat", "Expand")
    if name == "Concat":
        axis = draw.axis(x.ndim)
        others = [draw.array([draw.below(0, 4) if k == axis % x.ndim else dim for k, dim in enumerate(x.shape)], x.dtype) for _ in range(draw.below(0, 3))]
        return name, 13, [x, *others], {"axis": axis}
    target = [draw.one(dim, 1) if dim != 1 else draw.below(0, 4) for dim in x.shape]
    return name, 13, [x, np.array([*[2] * draw.below(0, 2), *target], np.int64)], {}


def gather(draw):
    x, name = draw.array(draw.shape(least=1), draw.one(*FLOATS, *INTS, "bool")), draw.one("Gather", "GatherElements", "GatherND")
    axis = draw.axis(x.ndim)
    size = x.shape[axis]
    if name == "Gather":
        return name, 13, [x, draw.generator.integers(-size, size, draw.shape(0, 3))], {"axis": axis}
    if name == "GatherElements":
        dims = [draw.below(1, 4) if k == axis % x.ndim else dim for k, dim in enumerate(x.shape)]
        return name, 13, [x, draw.generator.integers(-size, size, dims)], {"axis": axis}
    batch = draw.below(0, x.ndim)
    depth = draw.below(1, x.ndim - batch + 1)
    rows = (*x.shape[:batch], draw.below(1, 4))
    indices = np.stack([draw.generator.integers(-dim, dim, rows) for dim in x.shape[batch : batch + depth]], -1)
    return name, 13, [x, indices], {"batch_dims": batch}


def scatter(draw):
    x, name = draw.array(draw.shape(least=1), draw.one("float32", "int64")), draw.one("ScatterElements", "ScatterND")
    reduction = draw.one("none", "add", "mul", "max", "min")
    axis = draw.axis(x.ndim)
    if name == "ScatterElements":
        # Each place once: what comes last where places repeat is not defined.
        order = np.argsort(draw.generator.random(x.shape), axis).astype(np.int64)
        count = draw.below(1, x.shape[axis] + 1)
        indices = np.take(order, range(count), axis)
        return name, 18, [x, indices, draw.array(indices.shape, x.dtype)], {"axis": axis, "reduction": reduction}
    depth = draw.below(1, x.ndim + 1)
    every = np.argwhere(np.ones(x.shape[:depth], bool))
    indices = draw.generator.permutation(every)[: draw.below(1, len(every) + 1)].astype(np.int64)
    return name, 18, [x, indices, draw.array((len(indices), *x.shape[depth:]), x.dtype)], {"reduction": reduction}


def along(draw):
    """Draw a CumSum, TopK, Compress, NonZero, Trilu, OneHot or ReverseSequence."""
    name = draw.one("CumSum", "TopK", "Compress", "NonZero", "Trilu", "OneHot", "ReverseSequence", "Unique")
    x = draw.array(draw.shape(2, 5, least=1), draw.one("float32", "int64"))
    axis = draw.axis(x.ndim)
    if name == "CumSum":
        return name, 14, [x, np.array(axis, np.int64)], {"exclusive": draw.below(0, 2), "reverse": draw.below(0, 2)}
    if name == "TopK":
        return name, 11, [x, np.array([draw.below(0, x.shape[axis] + 1)], np.int64)], {"axis": axis, "largest": draw.below(0, 2)}
    if name == "Compress":
        return name, 11, [x, draw.array(draw.below(1, x.shape[axis] + 1), "bool")], {"axis": axis}
    if name == "NonZero":
        return name, 13, [x], {}
    if name == "Trilu":
        return name, 14, [x, np.array(draw.below(-4, 5), np.int64)], {"upper": draw.below(0, 2)}
    if name == "OneHot":
        indices = draw.generator.integers(-3, 3, draw.shape(least=1))
        return name, 11, [indices, np.array(3, np.int64), draw.array(2, "float32")], {"axis": draw.axis(indices.ndim + 1)}
    if name == "Unique":
        return name, 11, [x], draw.one({}, {"axis": axis, "sorted": draw.below(0, 2)}, {"sorted": draw.below(0, 2)})
    batch = draw.below(0, 2)
    lengths = draw.generator.integers(1, x.shape[1 - batch] + 1, x.shape[batch])
    return name, 10, [x, lengths], {"batch_axis": batch, "time_axis": 1 - batch}


def normalization(draw):
    name = draw.one("LayerNormalization", "InstanceNormalization", "BatchNormalization", "GroupNormalization", "RMSNormalization", "LpNormalization", "MeanVarianceNormalization")
    dtype = draw.one("float32", "float64") if name in ("InstanceNormalization", "BatchNormalization", "LpNormalization") else "float32"
    shape = (draw.below(1, 4), 2 * draw.below(1, 3), draw.below(2, 5), draw.below(2, 4))
    x, per_channel = draw.array(shape, dtype), lambda: draw.array(shape[1], dtype)
    if name in ("LayerNormalization", "RMSNormalization"):
        axis = draw.axis(4)
        rest = shape[axis % 4 :]
        extra = [draw.array(rest, dtype)] if name == "LayerNormalization" else []
        return name, 17 if extra else 23, [x, draw.array(rest, dtype), *extra], {"axis": axis}
    if name == "BatchNormalization":
        return name, 15, [x, per_channel(), per_channel(), per_channel(), abs(per_channel()) + 1], {"epsilon": 1e-3}
    if name == "InstanceNormalization":
        return name, 6, [x, per_channel(), per_channel()], {"epsilon": 1e-3}
    if name == "GroupNormalization":
        return name, 21, [x, per_channel(), per_channel()], {"num_groups": 2, "epsilon": 1e-3}
    if name == "LpNormalization":
        return name, 1, [x], {"axis": draw.axis(4), "p": draw.one(1, 2)}
    return name, 13, [x], {"axes": [axis % 4 for axis in draw.axes(4, 1)]}


def quantization(draw):
    x, name = draw.array(draw.shape(2, 4, least=1), "float32") * 40, draw.one("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear")
    if name == "DynamicQuantizeLinear":
        return name, 11, [x], {}
    kind = draw.one(np.int8, np.uint8)
    axis = draw.below(0, x.ndim)
    dims = draw.one((), x.shape[axis])
    scale = (draw.generator.integers(1, 5, dims) / 4).astype("float32")
    zero = draw.generator.integers(0, 20, dims).astype(kind)
    x = x if name == "QuantizeLinear" else np.clip(abs(x), 0, 120).astype(kind)
    return name, 13, [x, scale, zero], {"axis": axis} if dims != () else {}


def product(draw):
    name = draw.one("MatMul", "Gemm", "Einsum", "MatMulInteger")
    m, n, k, batch = draw.below(1, 4), draw.below(1, 4), draw.below(1, 4), draw.shape(0, 3, least=1)
    dtype = draw.one("float32", "float64", "int64") if name != "MatMulInteger" else "int8"
    a, b = draw.array((*batch, m, k), dtype), draw.array((k, n), dtype)
    if name == "Gemm":
        turned, a = draw.below(0, 2), draw.array((m, k), "float32")
        c = draw.array(draw.one((m, n), (n,), (1,), (m, 1), ()), "float32")
        return name, 13, [a.T if turned else a, b.astype("float32"), c], {"transA": turned, "alpha": 0.5, "beta": 2.0}
    if name == "Einsum":
        return name, 12, [draw.array((m, k), "float64"), b.astype("float64")], {"equation": draw.one("ij,jk->ik", "ij,jk", "ij,jk->i", "ij,jk->jki")}
    return name, 13 if name == "MatMul" else 10, [a, b], {}


def count(draw):
    """Draw a Range, ConstantOfShape, EyeLike, Shape or Size."""
    name = draw.one("Range", "EyeLike", "Shape", "Size", "ConstantOfShape")
    if name == "Range":
        kind = draw.one(np.float32, np.float64, np.int32, np.int64, np.int16)
        step = draw.one(1, 2, 3, -1, -2) * (0.5 if kind in (np.float32, np.float64) else 1)
        return name, 11, [np.array(value, kind) for value in (draw.below(-5, 5), draw.below(-9, 9), step)], {}
    if name == "EyeLike":
        return name, 9, [draw.array((draw.below(1, 5), draw.below(1, 5)), "float32")], {"k": draw.below(-5, 6)}
    if name == "ConstantOfShape":
        return name, 9, [np.array(draw.shape(0, 4), np.int64)], {}
    x = draw.array(draw.shape(0, 4), "float32")
    return name, 15, [x], {"start": draw.below(-4, 4), "end": draw.below(-4, 5)} if name == "Shape" else {}


TOPICS = (reduction, argument, softmax, shape_of, slice_, pad, join, gather, scatter, along, normalization, quantization, product, count)


def node(topic, seed):
    """Return an operator, an opset, inputs and attributes, drawn from a topic."""
    name, version, inputs, attributes = topic(Draw(seed))
    assert all(math.prod(np.shape(x)) < 10_000 for x in inputs)
    return name, version, [np.asarray(x) for x in inputs], attributes
