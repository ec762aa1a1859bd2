"""Random models: of each profile a model by seed and number, always the same."""

import numpy as np

from . import elementwise, layers, patterns
from .maker import DIMS, Maker
from .other import ir, old, paddle

# The opsets of the general profile; ONNX Runtime 1.31 accepts up to 26.
OPSETS = (7, 8, 9, 10, 11, 12, *range(13, 27), 13, 17, 17, 18, 21)


def _add(make, units, count):
    """Add some units; one that does not fit adds nothing."""
    choices, weights = [unit for unit, _ in units], np.array([weight for _, weight in units], float)
    for _ in range(count):
        unit = choices[int(make.rng.choice(len(choices), p=weights / weights.sum()))]
        unit(make)


def _first(make, ranks=(1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 0)):
    """Add the first input."""
    rank = make.pick(ranks)
    shape = [make.dim() for _ in range(rank)]
    if rank >= 3 and make.chance(0.4):
        shape[0] = 1
    make.input(shape)


def _open(make, spec):
    """Give names to dims of inputs, the same name to the same size; sometimes different ones."""
    if make.chance(0.8):
        return spec
    for name, (_, dims) in spec["inputs"].items():
        for k, dim in enumerate(dims):
            if make.chance(0.5):
                letter = f"N{dim}" if make.chance(0.7) else f"M{name}{k}"
                dims[k], spec["sizes"][letter] = letter, dim
    return spec


def general(rng, form="onnx"):
    """Return a model of ONNX: units of all kinds."""
    make = Maker(rng, form, int(rng.choice(OPSETS)))
    _first(make)
    units = elementwise.UNITS + layers.UNITS
    if make.opset >= 8:
        units = units + [(unit, weight / 3) for unit, weight in patterns.UNITS]
    _add(make, units, int(rng.integers(1, 9)))
    return _open(make, make.finish())


def fused(rng, form="onnx"):
    """Return a model of ONNX: one or two patterns that engines fuse, and little else."""
    make = Maker(rng, form, int(rng.choice((13, 15, 17, 18, 20, 21))))
    _first(make, (1, 2, 3, 3, 4, 4))
    _add(make, elementwise.UNITS + layers.UNITS, int(rng.integers(0, 2)))
    _add(make, patterns.UNITS, int(rng.integers(1, 3)))
    _add(make, elementwise.UNITS + layers.UNITS, int(rng.integers(0, 2)))
    return make.finish()


def single(rng, form="onnx"):
    """Return a model of ONNX: one element-wise or one normalising node, mostly behind or before another."""
    make = Maker(rng, form, int(rng.choice(OPSETS)))
    _first(make)
    _add(make, layers.UNITS, int(rng.integers(0, 2)))
    _add(make, elementwise.UNITS + [(layers.layer_norm, 10), (layers.gemm, 10)], 1)
    _add(make, layers.UNITS, int(rng.integers(0, 2)))
    return make.finish()


# What pnnx and ncnn take at least in part.
NCNN_UNARY = ("Relu", "Tanh", "Sigmoid", "Abs", "Neg", "LeakyRelu", "HardSigmoid", "Exp")


def _ncnn_unary(make):
    x = make.last()
    x = make.node("Tanh", [x], make.shape[x])
    return make.node(make.pick(NCNN_UNARY), [x], make.shape[x])


def ncnn(rng, form="onnx"):
    """Return a model of ONNX for pnnx: ranks up to 4, mostly of batch 1, and the operators that ncnn has."""
    make = Maker(rng, form, 17, most_rank=4)
    rank = make.pick((1, 2, 3, 3, 4, 4, 4))
    shape = [make.dim() for _ in range(rank)]
    if rank >= 3 and make.chance(0.75):
        shape[0] = 1
    make.input(shape)
    units = [
        (elementwise.arithmetic, 30), (_ncnn_unary, 8), (elementwise.variadic, 4), (elementwise.prelu, 6), (elementwise.clip, 2),
        (elementwise.power, 2), (layers.conv, 10), (layers.matmul, 5), (layers.pool, 6), (layers.reshape, 4), (layers.transpose, 3),
        (layers.softmax, 1), (layers.layer_norm, 4), (layers.gemm, 6), (layers.batch_norm, 3), (elementwise.expand, 1),
        (layers.reduce, 1), (layers.squeeze, 1), (layers.concat, 1), (patterns.chain, 2), (patterns.after_layer, 3), (patterns.parted_prelu, 2),
        (patterns.shrunk_tanh, 0.5), (patterns.clamp, 1),
    ]  # fmt: skip
    _add(make, units, int(rng.integers(1, 6)))
    spec = make.finish()
    return spec


# Name, what makes a model, its format, the share of all models.
PROFILES = {
    "general": (general, "onnx", 0.26),
    "fused": (fused, "onnx", 0.18),
    "single": (single, "onnx", 0.12),
    "ncnn": (ncnn, "onnx", 0.14),
    "old": (old, "onnx", 0.08),
    "ir": (ir, "ir", 0.08),
    "ir-onnx": (general, "ir-onnx", 0.05),
    "paddle": (paddle, "paddle", 0.05),
    "ncnn-param": (ncnn, "ncnn", 0.04),
}


def model(seed, number, formats=None):
    """Return the profile and the spec of one model of a run; None as the spec where the choices left nothing to ask."""
    rng = np.random.default_rng([seed, number])
    names = [name for name, (_, form, _) in PROFILES.items() if not formats or form in formats or name in formats]
    weights = np.array([PROFILES[name][2] for name in names])
    name = str(rng.choice(names, p=weights / weights.sum()))
    make, form, _ = PROFILES[name]
    spec = make(rng, form)
    return name, spec if spec["nodes"] else None


NORMS = {"LayerNormalization", "RMSNormalization", "GroupNormalization", "InstanceNormalization", "BatchNormalization", "SkipLayerNormalization"}


def subjects(spec):
    """Return what a model is about, of the subjects that a run can be confined to."""
    ops = {node[0] for node in spec["nodes"]}
    whole = {name for name, (kind, *_) in spec["constants"].items() if kind in ("u8", "i8", "uint4", "int4")}
    weights = any(node[0] in ("Cast", "Convert", "DequantizeLinear") and node[1][0] in whole for node in spec["nodes"])
    return {
        name
        for name, is_so in (
            ("integer-weights", weights),
            ("norms", ops & NORMS or ("ReduceMean" in ops and ops & {"Sqrt", "Pow"})),
            ("expand", "Expand" in ops),
            ("quantised", ops & {"QuantizeLinear", "DequantizeLinear", "FakeQuantize"}),
        )
        if is_so
    }


__all__ = ["DIMS", "PROFILES", "model", "subjects"]
