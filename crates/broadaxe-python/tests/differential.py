"""Compares random calls of everything that the package shares with NumPy: values, dtypes, shapes, classes, refusals, outputs.

    python tests/differential.py --seed 1 --count 100000
    python tests/differential.py --seed 1 --only 4711

Values are compared bit by bit, except those of functions that round, whose truth has more digits (`reference.py`), and of sums. A
difference is printed with the command that repeats its call; the command fails if there is one.
"""

import argparse
import functools
import operator
import sys
import time
import warnings
from collections import Counter

import numpy as np
from judging import KNOWN, judge
from operands import DTYPES, Draw, block

import broadaxe as bx

UFUNCS = sorted(name for name in {*dir(bx)} & {*dir(np)} if isinstance(getattr(np, name), np.ufunc))
BINARY = [name for name in UFUNCS if getattr(np, name).nin == 2 and getattr(np, name).nout == 1]
UNARY = [name for name in UFUNCS if getattr(np, name).nin == 1]
OTHERS = {"clip": 3, "where": 3, "round": 1}
"""Functions of elements that are not ufuncs of NumPy's, with the number of operands."""
REDUCTIONS = "sum prod mean max min any all argmax argmin var std nansum nanprod nanmean nanmax nanmin nanvar nanstd".split()
FOLDS = """add multiply subtract maximum minimum fmax fmin bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor gcd lcm
    left_shift floor_divide remainder true_divide copysign heaviside less equal hypot""".split()
CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
ERRORS = (TypeError, ZeroDivisionError, OverflowError, ValueError, IndexError)


def shown(value):
    """Describe an operand or a result, on one line."""
    if isinstance(value, type):
        return value.__name__
    if not isinstance(value, np.ndarray):
        return f"{type(value).__name__} {value!r}"[:200]
    shape, strides = (str(dims) if len(dims) < 9 else f"of rank {len(dims)}" for dims in (value.shape, value.strides))
    return f"{type(value).__name__} {value.dtype.str} {shape} strides {strides} {np.asarray(value).ravel()[:10].tolist()}"


class Call:
    """A function by its name, its arguments, and the outputs among them."""

    def __init__(self, name, args, kwargs, outs=()):
        self.name, self.args, self.kwargs, self.outs = name, args, kwargs, outs

    def run(self, module):
        """Return the result, or the class of the exception."""
        try:
            return operator.attrgetter(self.name)(module)(*self.args, **self.kwargs)
        except ERRORS as error:
            return next(kind for kind in ERRORS if isinstance(error, kind))

    def __str__(self):
        parts = [shown(arg) for arg in self.args] + [f"{key}={shown(value)}" for key, value in self.kwargs.items()]
        return f"{self.name}(\n    " + ",\n    ".join(parts) + ")"


def result_of(name, args, **kwargs):
    """Return shape and dtype of NumPy's result; those of a float where it refuses."""
    made = Call(name, args, kwargs).run(np)
    return ((), np.dtype(float)) if isinstance(made, type) else (np.shape(made), np.asarray(made).dtype)


def output(draw, shape, dtype):
    """Draw an output, in most cases one that fits."""
    if draw.chance(0.3):
        dtype = draw.choice(DTYPES)
    if draw.chance(0.05):
        shape = draw.shape()
    elif draw.chance(0.1) and len(shape) < 60:
        shape = (draw.choice((1, 2)), *shape)
    elif draw.chance(0.1):
        shape = tuple(3 if dim == 1 else dim for dim in shape) if len(shape) < 6 else shape
    array = draw.values(dtype, int(np.prod(shape, dtype=object))).reshape(shape)
    ways = (draw.plain, draw.plain, draw.fortran, draw.reversed, draw.swapped, draw.misaligned, draw.transposed, draw.stepped, draw.subclass,
            draw.file)  # fmt: skip
    return draw.choice(ways)(array) if draw.chance(0.97) else draw.read_only(array)


def elementwise(draw):
    """Draw a call of a function of elements."""
    name = draw.choice(draw.choice((BINARY, BINARY, BINARY, UNARY, UNARY, ["divmod", "frexp", "modf", *OTHERS])))
    count = OTHERS.get(name) or getattr(np, name).nin
    shape, dtype = draw.shape(), draw.dtype()
    args = [draw.operand(shape if k == 0 else draw.partner(shape), draw.dtype(dtype)) for k in range(count)]
    kwargs, outs = {}, ()
    if name in ("divmod", "frexp", "modf", *OTHERS):
        return Call(name, args, kwargs)
    if draw.chance(0.12):
        kwargs["dtype"] = draw.choice(DTYPES)
    if draw.chance(0.08):
        kwargs["casting"] = draw.choice(CASTINGS)
    if draw.chance(0.3):
        lapping = overlapping(draw, name, args)
        outs = (output(draw, *result_of(name, args)) if lapping is None else lapping,)
        form = draw.randrange(3)
        # What joins any number of operands has no output behind them.
        if form == 0 and not getattr(bx, name).variadic:
            args = [*args, outs[0]]
        else:
            kwargs["out"] = outs[0] if form < 2 else outs
    # NumPy crashes where it compares with an integer that the dtype does not hold, and a mask leaves everything out.
    if draw.chance(0.1) and not (name.startswith(("equal", "not_", "less", "greater")) and any(type(arg) is int for arg in args)):
        shape = outs[0].shape if outs else np.shape(args[0])
        kwargs["where"] = draw.array(draw.partner(shape), np.dtype(bool))
    return Call(name, args, kwargs, outs)


def overlapping(draw, name, args):
    """Return an operand as the output, or one that begins a few elements later in the same memory; None in most cases."""
    first = args[0]
    if not draw.chance(0.25) or not isinstance(first, np.ndarray) or not first.flags.writeable or 0 in first.strides:
        return None
    shape, dtype = result_of(name, args)
    if shape != first.shape or dtype != first.dtype:
        return None
    if first.ndim == 1 and draw.chance(0.5):
        whole, shift = draw.values(dtype, first.size + 2), draw.randrange(3)
        args[0] = whole[: first.size]
        return whole[shift : shift + first.size]
    return first


def axes(draw, rank):
    """Draw an axis, several or none."""
    mode = draw.randrange(5)
    if mode == 0 or rank == 0:
        return draw.choice((None, None, (), 0))
    if mode == 1:
        return tuple(draw.sample(range(rank), draw.randrange(1, min(rank, 4) + 1)))
    return draw.randrange(-rank - (mode == 4 and draw.chance(0.1)), rank)


def reduction(draw):
    """Draw a call of a reduction."""
    name, dtype = draw.choice(REDUCTIONS), draw.dtype()
    array = draw.array(draw.shape(), dtype)
    kwargs = {"axis": axes(draw, array.ndim)} if draw.chance(0.8) else {}
    if name.startswith("arg"):
        kwargs = {} if isinstance(kwargs.get("axis"), tuple) else kwargs
    elif draw.chance(0.15):
        kwargs["where"] = draw.array(draw.partner(array.shape), np.dtype(bool))
    if draw.chance(0.3):
        kwargs["keepdims"] = draw.chance(0.7)
    if name.startswith(("sum", "prod", "mean", "nansum", "nanprod", "nanmean")) and draw.chance(0.15):
        kwargs["dtype"] = draw.choice(DTYPES)
    if name.removeprefix("nan") in ("sum", "prod", "max", "min") and draw.chance(0.15):
        kwargs["initial"] = draw.choice((0, 1, 2, -1, 2.5))
    if name.endswith(("var", "std")) and draw.chance(0.2):
        kwargs[draw.choice(("ddof", "correction"))] = draw.choice((0, 1, 0.5))
    outs = ()
    if draw.chance(0.15):
        outs = (output(draw, *result_of(name, [array], **kwargs)),)
        kwargs["out"] = outs[0]
    return Call(name, [array], kwargs, outs)


def method(draw):
    """Draw a call of a method of an operator."""
    name, dtype = draw.choice(FOLDS), draw.dtype()
    kind = draw.choice(("reduce", "reduce", "accumulate", "reduceat", "outer", "at"))
    array, kwargs, outs = draw.array(draw.shape(), dtype), {}, ()
    if kind == "outer":
        args = [draw.operand(draw.shape(), draw.dtype(dtype)) for _ in range(2)]
        return Call(f"{name}.outer", args, kwargs)
    if kind == "at":
        # NumPy crashes at rank 64.
        array = np.array(array.ravel() if array.ndim > 32 else array, dtype)
        size = len(array) if array.ndim else 0
        indices = [draw.randrange(-size, size) if size else 0 for _ in range(draw.randrange(4))]
        args = [array, np.array(indices, np.intp), draw.operand((len(indices), *[1] * max(array.ndim - 1, 0)), draw.dtype(dtype))]
        return Call(f"{name}.at", args, kwargs, (array,))
    if draw.chance(0.8):
        kwargs["axis"] = axes(draw, array.ndim) if kind == "reduce" or draw.chance(0.1) else draw.randrange(max(array.ndim, 1))
    # Which dtypes NumPy accepts for folds of comparisons depends on the calls before them.
    compares = name in ("less", "equal")
    if draw.chance(0.1) and not compares:
        kwargs["dtype"] = draw.choice(DTYPES)
    args = [array]
    if kind == "reduceat":
        axis = kwargs.get("axis", 0)
        length = array.shape[axis] if type(axis) is int and -array.ndim <= axis < array.ndim else 1
        args.append([draw.randrange(max(length, 1)) for _ in range(draw.randrange(1, 4))])
    elif kind == "reduce":
        if draw.chance(0.3):
            kwargs["keepdims"] = True
        if draw.chance(0.2):
            kwargs["initial"] = draw.choice((0, 1, 2, None))
        if draw.chance(0.15):
            kwargs["where"] = draw.array(draw.partner(array.shape), np.dtype(bool))
    if draw.chance(0.12) and not compares:
        outs = (output(draw, *result_of(f"{name}.{kind}", args, **kwargs)),)
        kwargs["out"] = outs[0]
    return Call(f"{name}.{kind}", args, kwargs, outs)


SIGNS = "+ - * / // % & | ^ < <= == != > >=".split()
INSIDE = ["maximum({}, {})", "minimum({}, {})", "abs({})", "sqrt({})", "floor({})", "(-{})", "(~{})", "where({}, {}, {})", "isnan({})", "({} ** 2)"]


class Expression(Call):
    """A text that is evaluated by the package, and by Python over NumPy."""

    def __init__(self, text, names):
        super().__init__("evaluate", [text], names)

    def run(self, module):
        text, names = self.args[0], self.kwargs
        # NumPy's `where` loses a class, and a name alone is no operator.
        keep = np.asarray if "where(" in text or text in names else np.asanyarray
        try:
            if module is bx:
                made = bx.evaluate(text, names, {})
            else:
                made = keep(eval(text, {}, {**vars(np), **names}))
                made = made.astype(made.dtype.newbyteorder("="))
            return made if isinstance(made, np.ndarray) and type(made) is not np.ndarray and keep is np.asanyarray else np.asarray(made)[()]
        except ERRORS as error:
            return next(kind for kind in ERRORS if isinstance(error, kind))


def tree(draw, depth):
    """Draw the text of an expression; its leftmost leaf is an array."""
    if depth == 0 or draw.chance(0.2):
        return draw.choice("abc")
    if draw.chance(0.35):
        return draw.choice(INSIDE).format(*(tree(draw, depth - 1) for _ in range(3)))
    right = draw.choice(("2", "3", "2.5", "-1", "0.5", "True")) if draw.chance(0.25) else tree(draw, depth - 1)
    return f"({tree(draw, depth - 1)} {draw.choice(SIGNS)} {right})"


def expression(draw):
    """Draw an expression over three arrays."""
    text, shape, dtype = tree(draw, draw.randrange(1, 4)), draw.shape(), draw.dtype()
    return Expression(text, {name: draw.array(draw.partner(shape), draw.dtype(dtype)) for name in "abc" if name in text})


KINDS = (elementwise, elementwise, elementwise, reduction, method, expression)


class Session:
    """Runs calls with a seed, and counts what they gave."""

    def __init__(self, seed):
        self.seed, self.counts, self.blocks = seed, Counter(), (block(), block(), block())

    def draw(self, number, block):
        draw = Draw(self.seed << 40 | number, self.blocks[block])
        return draw.choice(KINDS)(draw)

    def compare(self, number):
        """Make a call with each; return what differs, or None."""
        theirs, ours = self.draw(number, 0), self.draw(number, 1)
        want, got = theirs.run(np), ours.run(bx)
        wrong = judge(theirs, ours, want, got, lambda: self.draw(number, 2))
        if wrong is None:
            self.counts["both refused" if isinstance(want, type) else "equal"] += 1
            return None
        reason = next((reason for reason, applies in KNOWN if applies(theirs, want, got)), None)
        if reason is not None:
            self.counts[reason] += 1
            return None
        return f"{wrong}\n  {self.draw(number, 2)}\n  numpy {shown(want)}\n  ours  {shown(got)}\n  repeat: --seed {self.seed} --only {number}"


def run(seed, numbers, show=None):
    """Compare calls; return the differences, each of which is shown when it is found, and the counts."""
    session, faults = Session(seed), []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for number in numbers:
            fault = session.compare(number)
            if fault is not None:
                faults.append(fault)
                show and show(fault[:2000])
    return faults, session.counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10000, help="how many calls to make")
    parser.add_argument("--only", type=int, help="make only the call of this number")
    options = parser.parse_args()
    start = time.monotonic()
    faults, counts = run(options.seed, range(options.count) if options.only is None else [options.only], functools.partial(print, flush=True))
    total, took = counts.total() + len(faults), time.monotonic() - start
    print(f"seed {options.seed}: {total} calls in {took:.0f} s, {len(faults)} differ")
    for reason, count in counts.most_common():
        print(f"{count:8} {reason}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
