"""What a call costs beside NumPy's, and beside numexpr's where that is installed: python bench/python_overhead.py.

Everything is timed in one run, in turns, and the least of many repeats counts. The last column is NumPy's time by ours.
"""

import timeit

import numpy as np

import broadaxe as bx

try:
    import numexpr
except ImportError:
    numexpr = None

SETUP = {
    "four": np.arange(4, dtype=np.float32),
    "rows": np.zeros((2, 3), np.float32),
    "row": np.ones(3, np.float32),
    "ints": np.arange(4, dtype=np.int32),
    "doubles": np.arange(4.0),
    "out": np.zeros(4, np.float32),
    "image": np.ones((64, 56, 56), np.float32),
    "channels": np.ones((64, 1, 1), np.float32),
    "large": np.ones(1_000_000, np.float32),
    "wide": np.ones((1, 2000)),
    "tall": np.ones((2000, 1)),
}

CASES = [
    ("four + four", "bx.add(four, four)", "np.add(four, four)"),
    ("(2, 3) + (3,)", "bx.add(rows, row)", "np.add(rows, row)"),
    ("four + 1.0", "bx.add(four, 1.0)", "np.add(four, 1.0)"),
    ("-four", "bx.neg(four)", "np.negative(four)"),
    ("four + four into out", "bx.add(four, four, out=out)", "np.add(four, four, out=out)"),
    ("int32 + float64", "bx.add(ints, doubles)", "np.add(ints, doubles)"),
    ("(64, 56, 56) + (64, 1, 1)", "bx.add(image, channels)", "np.add(image, channels)"),
    ("a million + a million", "bx.add(large, large)", "np.add(large, large)"),
    ("exp of a million", "bx.exp(large)", "np.exp(large)"),
    ("expression of four", "bx.evaluate('2*four + out')", "2*four + out"),
    ("expression of a million", "bx.evaluate('2*large + large*large')", "2*large + large*large"),
    ("sin(wide)**2 + cos(tall)**2", "bx.evaluate('sin(wide)**2 + cos(tall)**2')", "np.sin(wide)**2 + np.cos(tall)**2"),
]

NUMEXPR = [
    ("numexpr: expression of four", "bx.evaluate('2*four + out')", "numexpr.evaluate('2*four + out')"),
    ("numexpr: of a million", "bx.evaluate('2*large + large*large')", "numexpr.evaluate('2*large + large*large')"),
    ("numexpr: sin(wide)**2 + ...", "bx.evaluate('sin(wide)**2 + cos(tall)**2')", "numexpr.evaluate('sin(wide)**2 + cos(tall)**2')"),
]


def least(statements, names, repeats=15):
    """Time statements in turns and return the least time of each, in seconds."""
    timers = [timeit.Timer(statement, globals=names) for statement in statements]
    counts = [max(1, int(0.02 / max(timer.timeit(3) / 3, 1e-9))) for timer in timers]
    found = [float("inf")] * len(timers)
    for _ in range(repeats):
        for k, (timer, count) in enumerate(zip(timers, counts)):
            found[k] = min(found[k], timer.timeit(count) / count)
    return found


def shown(seconds):
    """Write a time with its unit."""
    for unit, scale in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)):
        if seconds < 1000 * scale or unit == "ms":
            return f"{seconds / scale:.3g} {unit}"


def main():
    """Print a table of all cases."""
    names = {"np": np, "bx": bx, "numexpr": numexpr, **SETUP}
    print(f"{'':30}{'broadaxe':>12}{'other':>12}{'ratio':>8}   (NumPy {np.__version__}, {bx.num_threads()} threads)")
    for name, ours, theirs in CASES + (NUMEXPR if numexpr else []):
        mine, other = least([ours, theirs], names)
        print(f"{name:30}{shown(mine):>12}{shown(other):>12}{other / mine:8.2f}")


if __name__ == "__main__":
    main()
