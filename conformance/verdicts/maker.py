"""What the generators share: a spec that grows, the shapes of its values, and operands that broadcast with a value."""

import numpy as np

from . import spec as specs

DIMS = (1, 2, 3, 4, 5, 7)
MOST = 6000


class Maker:
    """Builds a spec from random choices; every value has a known shape and element type."""

    def __init__(self, rng, form, opset=None, most_rank=5):
        self.rng, self.opset, self.most_rank = rng, opset or 17, most_rank
        self.spec = specs.empty(form, opset, int(rng.integers(1 << 30)))
        self.shape, self.kind, self.count = {}, {}, 0
        # Few extents to a model, so that many coincide.
        self.letters = [int(one) for one in rng.choice(DIMS, rng.integers(2, 4), replace=False)]
        self.steps = []

    def chance(self, share):
        """Return true in this share of calls."""
        return self.rng.random() < share

    def pick(self, choices):
        """Return one of them."""
        return choices[int(self.rng.integers(len(choices)))]

    def dim(self):
        """Return an extent: one of the few, or rarely any."""
        return self.pick(self.letters if self.chance(0.9) else DIMS)

    def _name(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def input(self, shape, kind="f32"):
        """Add an input."""
        name = self._name("x")
        self.spec["inputs"][name] = [kind, list(shape)]
        self.shape[name], self.kind[name] = tuple(shape), kind
        return name

    def const(self, shape, *value, kind="f32"):
        """Add a constant: drawn, or of a value or a list of them."""
        name = self._name("c")
        self.spec["constants"][name] = [kind, list(shape), *value]
        self.shape[name], self.kind[name] = tuple(shape), kind
        return name

    def ints(self, *values):
        """Add a constant list of whole numbers."""
        return self.const([len(values)], [int(value) for value in values], kind="i64")

    def node(self, op, inputs, shape, kind="f32", /, **attributes):
        """Add a node with one output of this shape."""
        name = self._name("v")
        self.spec["nodes"].append([op, list(inputs), [name], attributes])
        self.shape[name], self.kind[name] = tuple(int(dim) for dim in shape), kind
        self.steps.append(name)
        return name

    def values(self, kind="f32", ranks=range(9)):
        """Return the values and inputs of a type and of some ranks; the newest last."""
        return [
            name for name in [*self.spec["inputs"], *self.steps] if self.kind[name] == kind and len(self.shape[name]) in ranks
        ]

    def last(self, kind="f32", ranks=range(9)):
        """Return a value to go on from: mostly the newest; None where none fits."""
        found = self.values(kind, ranks)
        if not found:
            return None
        return found[-1] if self.chance(0.8) else self.pick(found)

    def partner_shape(self, shape, wider=0.25, same_rank=False):
        """Return a shape that broadcasts with one; `wider` is how often it may make the result larger."""
        shape = list(shape)
        rank = len(shape) if same_rank else int(self.rng.integers(0, len(shape) + 1))
        if not same_rank and self.chance(0.5):
            rank = len(shape)
        ones = self.pick((0.15, 0.5, 0.8))
        grows = self.chance(wider)
        dims = [1 if self.chance(ones) else dim for dim in shape[len(shape) - rank :]]
        if grows:
            dims = [self.dim() if old == 1 and self.chance(0.4) else dim for dim, old in zip(dims, shape[len(shape) - rank :])]
            if not same_rank:
                while len(dims) < self.most_rank and len(dims) >= len(shape) and self.chance(0.4):
                    dims.insert(0, 1 if self.chance(0.6) else self.dim())
        if np.prod(np.broadcast_shapes(tuple(dims), tuple(shape)), dtype=int) > MOST:
            return [1] * rank
        return dims

    def operand(self, shape, kind="f32", constant=0.65):
        """Return a value of this shape: a constant, an input, or one that was computed."""
        if self.chance(constant):
            return self.const(shape, kind=kind)
        found = [name for name in self.values(kind) if self.shape[name] == tuple(shape)]
        if found and self.chance(0.6):
            return self.pick(found)
        name = self.input(shape, kind)
        if kind == "f32" and self.chance(0.4) and self.spec["format"] in ("onnx", "ir-onnx", "ncnn"):
            return self.node(self.pick(("Abs", "Tanh", "Neg", "Relu")), [name], shape)
        return name

    def partner(self, name, kind=None, wider=0.25, constant=0.65, same_rank=False):
        """Return an operand that broadcasts with a value."""
        kind = kind or self.kind[name]
        shape = self.partner_shape(self.shape[name], wider, same_rank)
        if self.chance(1 - constant) and self.chance(0.4):
            fitting = [one for one in self.values(kind) if one != name and self._fits(self.shape[one], self.shape[name])]
            if fitting:
                return self.pick(fitting)
        return self.operand(shape, kind, constant)

    @staticmethod
    def _fits(a, b):
        try:
            return np.prod(np.broadcast_shapes(a, b), dtype=int) <= MOST
        except ValueError:
            return False

    def joined(self, *names):
        """Return the shape that operands broadcast to."""
        return np.broadcast_shapes(*[self.shape[name] for name in names])

    def order(self, *names):
        """Return the names in either order."""
        return list(names) if self.chance(0.7) else list(names)[::-1]

    def finish(self):
        """Return the spec, with what nothing reads as outputs."""
        leaves = specs.leaves(self.spec)
        self.spec["outputs"] = leaves[-3:]
        return specs.pruned(self.spec)
