"""Softmax and normalisations, each one fused program; halves are computed in f32 and rounded once."""

import math

import numpy as np

from .. import _arrays
from ._reduce import fold
from ._table import operator
from ._tensors import Unsupported, short_name


@operator("Softmax", "LogSoftmax")
def softmax(call):
    """Divide exponentials by their sum; before opset 13 over all axes from one on."""
    x = call.tensor(0)
    rank = len(x.shape)
    if call.version < 13:
        axes = list(range(call.axis(call.get("axis", 1), rank, end=True), rank))
    else:
        axes = [call.axis(call.get("axis", -1), rank)] if rank else []
    if not math.prod(x.shape):
        return x
    value = x if x.dtype == np.float64 else call.cast(x, "f32")
    away = f"(x - {fold('max', axes, True)})"
    total = fold("sum", axes, True, f"exp{away}")
    text = f"exp{away} / {total}" if call.op == "Softmax" else f"{away} - log({total})"
    return call.cast(call.lower(text, x=value), x.dtype)


def per_channel(call, place, rank):
    """Return an input with one element for each channel, along axis 1 of a rank."""
    x = call.tensor(place)
    if len(x.shape) != 1:
        raise ValueError(f"input {place} has shape {x.shape}; it has one element for each channel")
    return call.shaped(x, [1], (1, x.shape[0], *[1] * (rank - 2)))


@operator("BatchNormalization")
def batch_normalization(call):
    """Scale each channel by a mean and variance that are given or, in training, found."""
    x = call.tensor(0)
    rank = len(x.shape)
    training = call.get("training_mode", 0) if call.version >= 14 else call.version < 7 and not call.get("is_test", 0)
    if call.version < 9 and not call.get("spatial", 1) or call.version < 7 and training or rank < 2:
        raise Unsupported("BatchNormalization is supported at inference with spatial=1 over tensors of rank 2 or more")
    if call.version < 14 and sum(map(bool, call.outputs)) > 1:
        raise Unsupported("BatchNormalization gives statistics of training from opset 14 on")
    scale, bias, mean, variance = (wide(call, per_channel(call, place, rank)) for place in range(1, 5))
    value, running = wide(call, call.value(0)), ()
    if training:
        axes, given = [0, *range(2, rank)], (mean, variance)
        mean = call.lower(fold("mean", axes, True), x=value)
        variance = call.lower(fold("mean", axes, True, "(x - m) * (x - m)"), x=value, m=mean)
        running = tuple(_running(call, before, now, axes) for before, now in zip(given, (mean, variance)))
    made = call.lower("(x - m) / sqrt(v + e) * s + b", x=value, m=mean, v=variance, s=scale, b=bias, e=call.get("epsilon", 1e-5))
    return (call.cast(made, x.dtype), *running)


def _running(call, before, now, axes):
    """Return the mean of what was and what is, weighted by momentum."""
    text = fold("sum", axes, False, "before * p + now * (1 - p)")
    return call.cast(call.lower(text, before=before, now=now, p=call.get("momentum", 0.9)), call.tensor(3).dtype)


def wide(call, value):
    """Return a value of the graph, halves as f32."""
    return call.cast(value, "f32") if value.dtype in ("f16", "bf16") else value


STANDARD = "(x - {mean}) / sqrt({variance} + e)"


def standard(call, value, axes, epsilon):
    """Take the mean from a value and divide by the deviation."""
    mean = fold("mean", axes, True)
    variance = fold("mean", axes, True, f"(x - {mean}) * (x - {mean})")
    return call.lower(STANDARD.format(mean=mean, variance=variance), x=value, e=float(epsilon))


@operator("InstanceNormalization")
def instance_normalization(call):
    """Standardise each channel of each element of the batch."""
    x = call.tensor(0)
    rank = len(x.shape)
    scale, bias = (wide(call, per_channel(call, place, rank)) for place in (1, 2))
    made = standard(call, wide(call, call.value(0)), list(range(2, rank)), call.get("epsilon", 1e-5))
    return call.cast(call.lower("x * s + b", x=made, s=scale, b=bias), x.dtype)


@operator("GroupNormalization")
def group_normalization(call):
    """Standardise groups of channels."""
    x, groups = call.tensor(0), call.need("num_groups")
    channels, rank = x.shape[1], len(x.shape)
    if groups < 1 or channels % groups:
        raise ValueError(f"{channels} channels do not make {groups} groups")
    split = x.elements().reshape(x.shape[0], groups, channels // groups, *x.shape[2:])
    middle = _arrays.dtype_of(short_name(call.get("stash_type", 1))) if call.version >= 21 else np.float32
    value = call.cast(split, np.float64 if x.dtype == np.float64 else middle)
    made = call.cast(standard(call, value, list(range(2, rank + 1)), call.get("epsilon", 1e-5)), x.dtype)
    target = (1, groups, channels // groups, *[1] * (rank - 2))
    for place, sign in ((1, "*"), (2, "+")):
        given = call.array(place)
        shape = target if given.shape == (channels,) and call.version >= 21 else (1, groups, *[1] * (rank - 1))
        made = call.lower(f"x {sign} s", x=wide(call, made), s=wide(call, call.on_builder(given.reshape(shape))))
    return call.keep(call.cast(made, x.dtype)).elements().reshape(x.shape)


@operator("LayerNormalization", "RMSNormalization")
def layer_normalization(call):
    """Standardise all axes from one on, or divide them by the root of their mean square."""
    x = call.tensor(0)
    rank = len(x.shape)
    axes = list(range(call.axis(call.get("axis", -1), rank), rank))
    value = call.cast(x, short_name(call.get("stash_type", 1)))
    values = {"x": value, "e": float(call.get("epsilon", 1e-5))}
    mean = fold("mean", axes, True)
    away = "x" if call.op == "RMSNormalization" else f"(x - {mean})"
    inverse = f"1 / sqrt({fold('mean', axes, True, f'{away} * {away}')} + e)"
    made = call.lower(f"{away} * ({inverse})", **values)
    made = call.elementwise("Mul", call.cast(made, x.dtype), call.value(1))
    if call.op == "RMSNormalization":
        return made
    made = call.elementwise("Add", made, call.value(2)) if call.has(2) else made
    return made, call.lower(mean, x=value), call.lower(inverse, **values)


@operator("MeanVarianceNormalization")
def mean_variance_normalization(call):
    """Standardise over axes; the deviation is at least 1e-9."""
    x = call.tensor(0)
    axes = call.axes(call.get("axes", [0, 2, 3]), len(x.shape))
    mean = fold("mean", axes, True)
    variance = fold("mean", axes, True, f"(x - {mean}) * (x - {mean})")
    return call.cast(call.lower(f"(x - {mean}) / (sqrt({variance}) + 1e-9)", x=wide(call, call.value(0))), x.dtype)


@operator("LpNormalization")
def lp_normalization(call):
    """Divide by the sum of absolute values, or the root of the sum of squares, along an axis; 0 stays 0."""
    x, p = call.tensor(0), call.get("p", 2)
    axes = [call.axis(call.get("axis", -1), len(x.shape))]
    if p not in (1, 2):
        raise ValueError(f"p is 1 or 2, not {p}")
    length = fold("sum", axes, True, "abs(x)") if p == 1 else f"sqrt({fold('sum', axes, True, 'x * x')})"
    return call.cast(call.lower(f"where({length} == 0, 0 * x, x / {length})", x=wide(call, call.value(0))), x.dtype)


@operator("LRN")
def local_response(call):
    """Divide by the squares of channels near by."""
    x, size = call.array(0), call.need("size")
    before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
    channels = x.shape[1]
    total = np.zeros((), x.dtype)
    padded = np.pad(x, [(0, 0), (min(before, channels), min(after, channels)), *[(0, 0)] * (x.ndim - 2)])
    for k in range(max(0, before - channels), min(size, before + channels)):
        first = k - max(0, before - channels)
        total = call.lower("t + x * x", t=total, x=padded[:, first : first + channels])
    alpha, beta, bias = call.get("alpha", 1e-4), call.get("beta", 0.75), call.get("bias", 1.0)
    return call.lower("x / (k + a * t) ** b", x=x, t=total, a=alpha / size, b=beta, k=bias)
