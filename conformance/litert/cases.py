"""Cases: operator, kinds of the operands (`i` is an input, `c` a constant), shapes, activation."""

import itertools
import json
import random

import numpy as np

from .. import draw
from .models import FUSES, OPERATORS

KINDS = ("ii", "ic", "ci")
TWO = [op for op in OPERATORS if op not in ("SELECT_V2", "PRELU")]


def legal(a, b):
    """Say whether NumPy broadcasts two shapes."""
    return all(x == y or 1 in (x, y) for x, y in zip(reversed(a), reversed(b), strict=False))


def grid():
    """Give `ADD` of all pairs of shapes of ranks 0 to 3 with dims 1 to 3, and of rank 4 with dims 1 and 2."""
    shapes = [s for rank in range(4) for s in itertools.product((1, 2, 3), repeat=rank)]
    shapes += itertools.product((1, 2), repeat=4)
    for a, b in itertools.product(shapes, repeat=2):
        if legal(a, b):
            yield from ({"op": "ADD", "kinds": kinds, "shapes": [list(a), list(b)]} for kinds in KINDS)


def _shapes(rng, count):
    return draw.shapes(rng, count, (2, 3, 4, 5, 8, 17), 4096)


def drawn(rng):
    """Draw a case of any operator."""
    kind = rng.random()
    if kind < 0.08:
        condition, x, y = _shapes(rng, 3)
        return {"op": "SELECT_V2", "kinds": rng.choice(("iii", "iic", "ici", "icc", "cii")), "shapes": [condition, x, y]}
    a, b = _shapes(rng, 2)
    if kind < 0.16:
        # With XNNPACK, LiteRT accepts a constant slope that stretches the data; its own kernels refuse it.
        x = [int(dim) for dim in np.broadcast_shapes(a, b)]
        return {"op": "PRELU", "kinds": rng.choice(("ic", "ic", "ii")), "shapes": [x, rng.choice((a, b))]}
    case = {"op": rng.choice(TWO), "kinds": rng.choice(KINDS), "shapes": [a, b]}
    if case["op"] in FUSES and rng.random() < 0.4:
        case["act"] = rng.choice(("RELU", "RELU6"))
    return case


def cases(seed, count):
    """Return the grid where there is no count, or this many different cases drawn from a seed."""
    if not count:
        return list(grid())
    rng, seen = random.Random(seed), {}
    while len(seen) < count:
        case = drawn(rng)
        seen.setdefault(json.dumps(case, sort_keys=True), case)
    return list(seen.values())
