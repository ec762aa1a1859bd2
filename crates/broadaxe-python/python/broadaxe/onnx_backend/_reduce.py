"""Reductions."""

import math

import numpy as np

from ._table import axis_list, operator

AXES_ARE_INPUTS = {"ReduceSum": 13}
"""The opset from which the axes are an input; 18 for the others."""


def axes_of(call):
    """Return the axes that a reduction folds, counted from the first; None where nothing is folded."""
    since = AXES_ARE_INPUTS.get(call.op, 18)
    given = (call.ints(1) if call.has(1) else []) if call.version >= since else call.get("axes", [])
    rank = len(call.tensor(0).shape)
    if not given:
        return None if call.get("noop_with_empty_axes", 0) else list(range(rank))
    return call.axes(given, rank)


def folded(shape, axes, keep):
    """Return the shape of a reduction's result."""
    return tuple(1 if k in axes else dim for k, dim in enumerate(shape) if keep or k not in axes)


def fold(name, axes, keep, x="x"):
    """Write a reduction as an expression."""
    return f"{name}({x}, axis={axis_list(axes)}, keepdims={bool(keep)})"


def wide(call, x):
    """Return a value, halves as f32."""
    return call.cast(x, "f32") if call.tensor(0).short in ("f16", "bf16") else x


def _filled(call, shape, value):
    return call.shaped(np.array(value, call.tensor(0).dtype), [], shape)


def _least(dtype, sign):
    """Return the least value of a dtype, or the largest for a sign of -1."""
    if dtype.kind == "b":
        return sign < 0
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return limits.min if sign > 0 else limits.max
    return -math.inf * sign


@operator("ReduceMax", "ReduceMin")
def extreme(call):
    """Fold axes to their largest or smallest element; no elements give the least or the largest value of the type."""
    x, axes, keep = call.tensor(0), axes_of(call), call.get("keepdims", 1)
    if axes is None:
        return x
    name = "max" if call.op == "ReduceMax" else "min"
    if not math.prod(x.shape[axis] for axis in axes):
        return _filled(call, folded(x.shape, axes, keep), _least(x.dtype, 1 if name == "max" else -1))
    return call.lower(fold(name, axes, keep), x=x)


SUMS = {
    "ReduceSum": ("sum", "x"), "ReduceProd": ("prod", "x"), "ReduceL1": ("sum", "abs(x)"), "ReduceSumSquare": ("sum", "x * x"),
    "ReduceL2": ("sum", "x * x"), "ReduceLogSum": ("sum", "x"),
}
"""What each reduction folds, and how."""

AFTER = {"ReduceL2": "sqrt(x)", "ReduceLogSum": "log(x)"}
"""What is done to a result that is a float."""

BEFORE = {"ReduceL1": "abs(x)", "ReduceSumSquare": "x * x", "ReduceL2": "abs(x)", "ReduceLogSum": "log(x)"}
"""What remains where nothing is folded."""


@operator(*SUMS)
def sums(call):
    """Fold axes by adding or multiplying; integers that take roots or logarithms are f64 in between."""
    x, axes, keep = call.tensor(0), axes_of(call), call.get("keepdims", 1)
    value = wide(call, x.on(call.run.builder))
    if call.op in AFTER and x.dtype.kind in "iu":
        value = call.cast(value, "f64")
    if axes is None:
        return call.cast(call.lower(BEFORE[call.op], x=value), x.dtype) if call.op in BEFORE else x
    name, inner = SUMS[call.op]
    total = call.lower(fold(name, axes, keep, inner), x=value)
    total = call.lower(AFTER[call.op], x=total) if call.op in AFTER else total
    return call.cast(total, x.dtype)


@operator("ReduceMean")
def mean(call):
    """Fold axes to their mean; that of integers is rounded towards 0."""
    x, axes, keep = call.tensor(0), axes_of(call), call.get("keepdims", 1)
    if axes is None:
        return x
    if x.dtype.kind not in "iu":
        return call.cast(call.lower(fold("mean", axes, keep), x=wide(call, x.on(call.run.builder))), x.dtype)
    count = np.array(math.prod(x.shape[axis] for axis in axes), np.int64).astype(x.dtype)
    if not count:
        raise ValueError("the mean of no integers is not defined")
    total = call.cast(call.lower(fold("sum", axes, keep), x=x), x.dtype)
    return call.elementwise("Div", total, count)


@operator("ReduceLogSumExp")
def log_sum_exp(call):
    """Fold axes to the logarithm of the sum of exponentials, without overflow in between."""
    x, axes, keep = call.tensor(0), axes_of(call), call.get("keepdims", 1)
    if axes is None:
        return x
    shape = folded(x.shape, axes, keep)
    if not math.prod(x.shape[axis] for axis in axes):
        return _filled(call, shape, -math.inf)
    value = call.cast(x, "f64" if x.dtype.kind in "iu" or x.dtype == np.float64 else "f32")
    top = fold("max", axes, True)
    finite = call.lower(f"where(isfinite({top}), {top}, 0.0)", x=value)
    if keep:
        total = call.lower(f"log({fold('sum', axes, keep, 'exp(x - top)')}) + top", x=value, top=finite)
        return call.cast(total, x.dtype)
    return call.cast(call.lower(f"{fold('max', axes, False, 'log(' + fold('sum', axes, True, 'exp(x - top)') + ') + top')}", x=value, top=finite), x.dtype)


@operator("ArgMax", "ArgMin")
def argument(call):
    """Find the place of the first or last of the largest or smallest elements along an axis."""
    x = call.tensor(0)
    axis, keep = call.axis(call.get("axis", 0), len(x.shape)), call.get("keepdims", 1)
    name = call.op.lower()
    if not call.get("select_last_index", 0):
        return call.lower(fold(name, [axis], keep), x=x)
    last = np.int64(x.shape[axis] - 1)
    return call.lower(f"last - {fold(name, [axis], keep)}", x=np.flip(x.elements(), axis), last=last)


@operator("GlobalAveragePool", "GlobalMaxPool")
def global_pool(call):
    """Fold all axes after the channels."""
    x = call.tensor(0)
    name = "mean" if call.op == "GlobalAveragePool" else "max"
    axes = list(range(2, len(x.shape)))
    return call.cast(call.lower(fold(name, axes, True), x=wide(call, x.on(call.run.builder))), x.dtype)
