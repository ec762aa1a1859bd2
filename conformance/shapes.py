"""Shapes to ask about, and operands of them whose elements carry codes.

An operand's element number `i` carries a code such that a result tells which element of every operand it came from: sums
of `i` and of `j` times the size of the first operand, for instance. All codes are whole numbers that f32 holds exactly.
"""

import itertools
import re
from pathlib import Path

import numpy as np

from .question import Question, numpy_dtype

SEEDS = Path(__file__).parents[1] / "cases" / "seeds.case"


def shapes(ranks, dims):
    """List all shapes of these ranks and dims."""
    return [shape for rank in ranks for shape in itertools.product(dims, repeat=rank)]


def every_pair(ranks, dims):
    """List all pairs of shapes of these ranks and dims."""
    return list(itertools.product(shapes(ranks, dims), repeat=2))


def seed_pairs(rules):
    """List the pairs of shapes of the founding documents' examples under these rules, with their parameters."""
    found = []
    for line in SEEDS.read_text().splitlines():
        words = line.split("#")[0].split(" -> ")[0].split()
        if len(words) < 3 or words[1] not in rules:
            continue
        parameters = dict(word.split("=") for word in words[2:] if "=" in word)
        operands = tuple(_tuple(word) for word in words[2:] if word.startswith("("))
        found.append((operands, {key: _value(value) for key, value in parameters.items()}))
    return found


def _tuple(word):
    return tuple(int(dim) for dim in re.findall(r"-?\d+", word))


def _value(word):
    if word[0] in "([":
        return _tuple(word)
    return int(word) if re.fullmatch(r"-?\d+", word) else word


def random_shapes(generator, count, operands=2, rank=6, least=0):
    """Draw groups of shapes up to a rank: most broadcast, 0 and 1 are drawn often, and some do not fit."""
    found = []
    for _ in range(count):
        full = [int(generator.choice([max(least, 0), 1, 1, 2, 3, 4])) for _ in range(generator.integers(max(least, 0), rank + 1))]
        group = []
        for _ in range(operands):
            own = [1 if generator.random() < 0.3 else dim for dim in full]
            own = own[int(generator.integers(0, len(own) + 1 - least)) :] if generator.random() < 0.5 else own
            if own and generator.random() < 0.1:
                own[int(generator.integers(0, len(own)))] = int(generator.choice([max(least, 0), 2, 3]))
            group.append(tuple(own))
        found.append(tuple(group))
    return found


def coded(pair, dtype="f32"):
    """Make operands whose sums, and differences, tell where both elements came from."""
    arrays, factor = [], 1
    for shape in pair:
        size = int(np.prod(shape))
        arrays.append((np.arange(size) * factor).reshape(shape).astype(numpy_dtype(dtype)))
        factor *= max(size, 1)
    return tuple(arrays)


def coded_product(pair):
    """Make operands whose products tell where both elements came from; the first are negative."""
    x, slope = (np.arange(int(np.prod(shape)), dtype="f4").reshape(shape) for shape in pair)
    return np.asarray(-(x + 1)), np.asarray(1 + (x.size + 1) * slope)


def small(group, dtype, seed):
    """Make operands of small numbers, none of which is 0, for operators that codes do not suit."""
    generator = np.random.default_rng(seed)
    if dtype == "bool":
        return tuple(generator.integers(0, 2, shape).astype(bool) for shape in group)
    return tuple(generator.integers(1, 7, shape).astype(numpy_dtype(dtype)) for shape in group)


def binary(rule, operator, pairs, attributes=None, dtype="f32"):
    """Ask a commutative or subtracting operator about pairs of shapes."""
    attributes = attributes or {}
    return [Question("shape", rule, operator, dtype, coded(pair, dtype), attributes) for pair in pairs]


def choosing(rule, operator, groups, attributes=None):
    """Ask an operator that chooses by a condition: once for every bit of the condition's index."""
    found = []
    for condition, *rest in groups:
        size = int(np.prod(condition))
        for bit in range(max(1, (size - 1).bit_length())):
            flags = (np.arange(size) >> bit & 1).astype(bool).reshape(condition)
            x, y = coded(rest)
            found.append(Question("shape", rule, operator, "f32", (flags, np.asarray(x + 1), np.asarray(-y - 1)), attributes or {}))
    return found


def stretching(rule, operator, pairs, name, attributes=None):
    """Ask an operator of one operand, with a target shape as an attribute."""
    found = []
    for data, target in pairs:
        found.append(Question("shape", rule, operator, "f32", coded((data,)), {name: tuple(target), **(attributes or {})}))
    return found


def spread(rule, operators, groups, attributes=None):
    """Ask every operator of a list about a few groups of shapes: that it has the rule that one was asked about in full."""
    found = []
    for operator, own, dtypes in operators:
        for k, group in enumerate(groups):
            dtype = next(dtype for dtype in ("f32", "i32", "bool", *dtypes) if dtype in dtypes)
            found.append(Question("shape", rule, operator, dtype, small(group, dtype, k), {**own, **(attributes or {})}))
    return found
