"""Asks TensorFlow Lite Micro about models of one node of ranks 0 to 8, and compares its answers with NumPy.

    python -m conformance.litert.micro --python PYTHON [--pairs 14] [--only ADD,PRELU] [--ranks 7,8] [--engine litert] [--seed 5] [--out FILE]
    python -m conformance.litert.micro --python PYTHON --again FILE --out FILE

`--python` names the interpreter that has `tflite-micro`; this Python needs `ai-edge-litert`, whose schema the models are written with. The answers
are `right`, `wrong`, `refused`, and `ended` where the process ends; shapes that do not broadcast are `illegal accepted` where there is an answer.
`--out` writes a line for each case: operator, dtype, kinds (`i` is an input, `c` a constant), shapes (`-` is a scalar), answer. `--fused RELU`
asks about operators with an activation: `ADD:RELU`.
"""

import argparse
import collections
import random
import sys

import numpy as np

from engines import Engine, load

WRITER = load("litert", start=False)
TYPES = {"f32": "f4", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "bool": "?"}
QUANTISED = ("i8", "i16")
COMPARES = {
    "EQUAL": np.equal, "NOT_EQUAL": np.not_equal, "LESS": np.less, "LESS_EQUAL": np.less_equal, "GREATER": np.greater,
    "GREATER_EQUAL": np.greater_equal,
}  # fmt: skip
LOGICAL = {"LOGICAL_AND": np.logical_and, "LOGICAL_OR": np.logical_or}
ARITHMETIC = {
    "ADD": np.add, "SUB": np.subtract, "MUL": np.multiply, "DIV": np.divide, "MAXIMUM": np.maximum, "MINIMUM": np.minimum,
    "SQUARED_DIFFERENCE": lambda a, b: (a - b) ** 2, "FLOOR_DIV": lambda a, b: np.floor(a / b), "FLOOR_MOD": np.mod, "POW": np.power,
    "ATAN2": np.arctan2, "PRELU": lambda x, slope: np.where(x >= 0, x, x * slope),
}  # fmt: skip
UNARY = {
    "ABS": np.abs, "NEG": np.negative, "SQRT": np.sqrt, "RSQRT": lambda x: 1 / np.sqrt(x), "SQUARE": np.square, "SIN": np.sin, "COS": np.cos,
    "LOG": np.log, "EXP": np.exp, "FLOOR": np.floor, "CEIL": np.ceil, "ROUND": np.rint, "LOGISTIC": lambda x: 1 / (1 + np.exp(-x)),
    "TANH": np.tanh, "RELU": lambda x: np.maximum(x, 0), "RELU6": lambda x: np.clip(x, 0, 6), "ELU": lambda x: np.where(x < 0, np.expm1(x), x),
    "HARD_SWISH": lambda x: x * np.clip(x + 3, 0, 6) / 6, "LEAKY_RELU": lambda x: np.where(x < 0, x * 0.5, x), "ZEROS_LIKE": np.zeros_like,
    "LOGICAL_NOT": np.logical_not, "CAST": lambda x: x, "QUANTIZE": lambda x: x, "DEQUANTIZE": lambda x: x,
}  # fmt: skip
# The types that each operator is asked with; others are in `refused` rows of the types that LiteRT has.
DTYPES = {
    **dict.fromkeys(("ADD", "SUB", "MUL", "SQUARED_DIFFERENCE"), ("f32", "i32", "i8", "i16")), "DIV": ("f32", "i32", "i8"),
    **dict.fromkeys(("MAXIMUM", "MINIMUM"), ("f32", "i8", "i16", "i32", "i64")),
    **dict.fromkeys(("FLOOR_DIV", "FLOOR_MOD"), ("f32", "i32")), **dict.fromkeys(("POW", "ATAN2"), ("f32",)),
    **dict.fromkeys(COMPARES, ("f32", "i32", "i64", "i8", "i16")), **dict.fromkeys(LOGICAL, ("bool",)), "PRELU": ("f32", "i8", "i16"),
    "SELECT_V2": ("f32", "i8", "i16", "i32"), "BROADCAST_TO": ("f32", "i8", "i16", "i32", "i64", "bool"),
    **dict.fromkeys(UNARY, ("f32",)), "LOGICAL_NOT": ("bool",), "DEQUANTIZE": ("i8", "i16"),
}  # fmt: skip
DTYPES["EQUAL"] = DTYPES["NOT_EQUAL"] = (*DTYPES["LESS"], "bool")
VERSIONS = {"BROADCAST_TO": 2, "FLOOR_DIV": 2}
# How often elements are drawn again where an answer may be right by chance.
TURNS = 12
FUSES = ("ADD", "SUB", "MUL", "DIV")
FUSED = {"RELU": lambda x: np.maximum(x, 0), "RELU6": lambda x: np.clip(x, 0, 6), "RELU_N1_TO_1": lambda x: np.clip(x, -1, 1)}
# A stored integer q means scale * (q - zero point); i16 has no zero point.
SCALES = {"i8": {"x": (0.5, 3), "y": (0.25, -5)}, "i16": {"x": (0.5, 0), "y": (0.25, 0)}}


def pairs(rng, rank, count):
    """Return pairs of shapes that stretch to a rank: equal ones, scalars, one axis, a lower rank, both ways."""
    found = []
    for k in range(400):
        full = [rng.choice((1, 2, 2, 3)) for _ in range(rank)]
        a, b = list(full), list(full)
        if k % 5 == 1:
            b = []
        elif k % 5 == 2:
            b = full[rng.randrange(rank + 1) :]
        elif k % 5 > 2:
            a, b = ([dim if rng.random() < 0.6 else 1 for dim in full] for _ in "ab")
        if k % 7 == 3:
            b = b[rng.randrange(len(b) + 1) :]
        a, b = (b, a) if k % 2 else (a, b)
        if len(np.broadcast_shapes(a, b)) == rank and np.prod(full) <= 800 and (a, b) not in found:
            found.append((a, b))
        if len(found) == count:
            break
    return found


def illegal(rng, rank):
    """Return two pairs of shapes of a rank that do not broadcast."""
    full = [rng.choice((1, 2, 3)) for _ in range(rank)]
    at = rng.randrange(rank)
    a, b = list(full), list(full)
    a[at], b[at] = 2, 3
    return [(a, b), (a, b[at:])]


def cases(count, only, seed=5, ranks=range(9)):
    """Give all cases of some ranks, which depend on the ranks before them."""
    for op, dtypes in DTYPES.items():
        for dtype in dtypes if not only or op in only else ():
            rng = random.Random(f"{seed} {op} {dtype}")
            for rank in ranks:
                yield from _of_rank(rng, op, dtype, rank, count)


def _of_rank(rng, op, dtype, rank, count):
    case = {"op": op, "dtype": dtype, "legal": True}
    if op in UNARY:
        shapes = {tuple(rng.choice((1, 2, 3)) for _ in range(rank)) for _ in range(4)}
        yield from ({**case, "kinds": "i", "shapes": [list(shape)]} for shape in sorted(shapes))
        return
    for a, b in pairs(rng, rank, count):
        full = [int(dim) for dim in np.broadcast_shapes(a, b)]
        if op == "BROADCAST_TO":
            for kinds in ("ic",) if rng.random() < 0.8 else ("ic", "ii"):
                yield {**case, "kinds": kinds, "shapes": [b, full]}
        elif op == "SELECT_V2":
            shapes = [rng.choice((a, full)), rng.choice((b, full)), rng.choice((a, full, [full[-1]] if full else []))]
            yield from ({**case, "kinds": kinds, "shapes": shapes} for kinds in ("iii", "iic", "ici"))
        elif op == "PRELU":
            yield from ({**case, "kinds": kinds, "shapes": [full, b]} for kinds in ("ii", "ic"))
        else:
            yield from ({**case, "kinds": kinds, "shapes": [a, b]} for kinds in ("ii", "ic", "ci"))
    if rank and dtype == "f32" and op not in ("BROADCAST_TO", "SELECT_V2", "PRELU"):
        empty = [0, *(rng.choice((1, 2)) for _ in range(rank - 1))]
        yield from ({**case, "kinds": "ii", "shapes": [empty, b]} for b in (empty, [1] * rank, []))
    if rank and op not in ("BROADCAST_TO", "SELECT_V2"):
        yield from ({**case, "legal": False, "kinds": "ii", "shapes": [a, b]} for a, b in illegal(rng, rank))


def stored(case, turn=0):
    """Return the elements of each operand: different ones, where the operator and the type allow it."""
    op, dtype, rng = case["op"], case["dtype"], np.random.default_rng(9 + turn)
    arrays = []
    for at, shape in enumerate(case["shapes"][:1] if op == "BROADCAST_TO" else case["shapes"]):
        count = int(np.prod(shape, dtype=int))
        kind = "bool" if op == "SELECT_V2" and at == 0 else dtype
        if kind == "bool":
            found = rng.integers(0, 2, count)
        elif op in COMPARES:
            found = rng.integers(0, 4, count)
        elif op in UNARY or op == "POW":
            found = rng.permutation(count) % 40 / 8 + 0.5 if kind == "f32" else rng.integers(-100, 100, count)
        elif op == "PRELU" and kind == "f32":
            found = -1.0 - rng.permutation(count) if at == 0 else 2.0 + rng.permutation(count)
        elif op == "PRELU":
            found = rng.integers(-110, 0, count) if at == 0 else rng.integers(4, 110, count)
        elif op in ("FLOOR_DIV", "FLOOR_MOD", "DIV") and at == 1:
            found = rng.permutation(count) % 90 + 5
        elif op == "DIV" and dtype == "i8":
            # The kernel gives -128 for one step below zero, whatever the shapes.
            found = rng.integers(8, 110, count)
        elif dtype in QUANTISED:
            found = rng.integers(-110, 110, count) if dtype == "i8" else rng.integers(-9000, 9000, count)
        else:
            found = rng.permutation(count) * (1 if at == 0 else 7) + 1 + at
        if "fused" in case and dtype in ("f32", "i32") and (op != "DIV" or at == 0):
            found = (found - count // 2) * (1 + turn) * (-1) ** turn
        if op in ("FLOOR_DIV", "DIV") and dtype in ("f32", "i32") and at == 0:
            found = found * (1 + 9 * turn)
        arrays.append(np.asarray(found).astype(TYPES[kind]).reshape(shape))
    return arrays


def meaning(case, arrays):
    """Return the result as real numbers, or None where the shapes do not broadcast; and the scales of a quantised case."""
    op, dtype = case["op"], case["dtype"]
    scales = {}
    if op == "BROADCAST_TO":
        return np.broadcast_to(arrays[0], case["shapes"][1]), scales
    if dtype in QUANTISED:
        scales = dict(SCALES[dtype])
        if op in ("MAXIMUM", "MINIMUM", "SELECT_V2"):
            scales["y"] = scales["x"]
        if op == "PRELU":
            scales = {"x": (0.5, 0), "y": (0.03125, 0)}
        if op == "SELECT_V2":
            scales = {"y": scales["x"], "z": scales["x"]}
        if op in COMPARES:
            scales = {name: (0.5, 0) for name in "xy"}
    real = [
        (array.astype(float) - scales[name][1]) * scales[name][0] if name in scales else array.astype(float if array.dtype != bool else bool)
        for name, array in zip("xyz", arrays)
    ]
    call = {**COMPARES, **LOGICAL, **ARITHMETIC, **UNARY, "SELECT_V2": np.where}[op]
    try:
        with np.errstate(all="ignore"):
            want = call(*real)
    except ValueError:
        return None, scales
    want = FUSED[case["fused"]](want) if "fused" in case else want
    if dtype in QUANTISED and op not in COMPARES and op != "DEQUANTIZE":
        same = op in ("MAXIMUM", "MINIMUM", "SELECT_V2")
        # Kernels of i16 sums want scales that are powers of 2.
        top = max(float(np.abs(want).max()), 1.0) / (127 if dtype == "i8" else 32767)
        zero = 0 if dtype == "i16" or op == "PRELU" else 7
        scales["out"] = next(iter(scales.values())) if same else (2.0 ** np.ceil(np.log2(top)), zero)
    return want, scales


def result_dtype(op, dtype):
    """Return the dtype of a result."""
    return "bool" if op in COMPARES or op in LOGICAL else {"QUANTIZE": "i8", "DEQUANTIZE": "f32", "CAST": "i32"}.get(op, dtype)


def question(case, turn=0):
    """Return the bytes of the model, the inputs, and what is expected: the elements and a bound."""
    op = case["op"]
    arrays = stored(case, turn)
    want, scales = meaning(case, arrays)
    dtype = result_dtype(op, case["dtype"])
    if want is None:
        shape = max(case["shapes"], key=lambda one: (len(one), np.prod(one)))
        scales.setdefault("out", (0.5, 0)) if case["dtype"] in QUANTISED and op not in COMPARES else None
    else:
        shape = want.shape
    bound = 2e-4
    if op == "QUANTIZE":
        scales = {"out": (0.0625, 3)}
    if op == "CAST" or op == "DIV" and dtype == "i32":
        want = want if want is None else np.trunc(want)
    if want is not None and "out" in scales:
        scale, zero = scales["out"]
        info = np.iinfo(TYPES[dtype])
        want, bound = np.clip(np.round(want / scale) + zero, info.min, info.max), 1.0
    feeds = dict(zip("xyz", arrays))
    kinds = dict(zip(feeds, case["kinds"]))
    if op == "BROADCAST_TO":
        feeds["y"], kinds = np.array(case["shapes"][1], np.int32), dict(zip("xy", case["kinds"]))
    options = {"fused_activation_function": case.get("fused", "NONE")} if op in FUSES else {"alpha": 0.5} if op == "LEAKY_RELU" else {}
    if op == "CAST":
        options = {"in_data_type": 0, "out_data_type": 2}
    node = {
        "op": op, "version": VERSIONS.get(op, 1), "inputs": list(feeds), "constants": [name for name in feeds if kinds[name] == "c"],
        "options": options, "result": {"name": "out", "dtype": dtype, "shape": [int(dim) for dim in shape]},
        "scales": {name: scale for name, scale in scales.items()},
    }  # fmt: skip
    given = {name: array for name, array in feeds.items() if kinds[name] == "i"}
    return WRITER.write(feeds, ["out"], node)[0], given, want, bound


def answered(engine, case, turn=0):
    """Return what the engine does."""
    model, given, want, bound = question(case, turn)
    kind, found = engine.run(model, [given], ["out"], format="tflite")
    if kind != "ok":
        return kind if kind == "ended" else "refused"
    if want is None:
        return "illegal accepted"
    got = found[0][0]
    # The interface of this engine has no arrays of rank 0.
    if got.shape != want.shape and not (want.shape == () and got.size == 1):
        return "wrong"
    # The kernel of squares of i16 is off by up to 9 of 32,767 steps; its elements differ by thousands.
    bound = 16 if case["op"] == "SQUARED_DIFFERENCE" and case["dtype"] == "i16" else bound
    rough = 1e-4 if bound < 1 else 0
    return "right" if np.allclose(got.astype(float).ravel(), want.astype(float).ravel(), rtol=rough, atol=bound) else "wrong"


def line(case, does):
    """Write a case and its answer."""
    shapes = " ".join(",".join(map(str, shape)) or "-" for shape in case["shapes"])
    op = ":".join([case["op"], case["fused"]] if "fused" in case else [case["op"]])
    return f"{op} {case['dtype']} {case['kinds']} {shapes} {does}"


def read(text):
    """Read a line that `line` wrote; return the case and its answer."""
    name, dtype, kinds, *rest = text.split()
    op, _, fused = name.partition(":")
    shapes = [[] if one == "-" else [int(dim) for dim in one.split(",")] for one in rest[: 2 if op == "BROADCAST_TO" else len(kinds)]]
    does = " ".join(rest[len(shapes) :])
    case = {"op": op, "dtype": dtype, "kinds": kinds, "shapes": shapes, "legal": "illegal" not in does}
    return case | ({"fused": fused} if fused else {}), does


def again(engine, rows):
    """Ask with other elements about answers that may be right by chance: an element that is read instead may have the right value."""
    for row in rows:
        case, does = read(row)
        wrong = (case["op"], case["dtype"]) in (("GREATER", "i16"), ("ADD", "i32"), ("MUL", "i16"))
        doubtful = len(case["kinds"]) > 1 and max(map(len, case["shapes"])) > 7 or wrong and ("fused" in case or case["op"] == "GREATER")
        if does == "right" and doubtful:
            does = next((found for turn in range(1, TURNS) if (found := answered(engine, case, turn)) != "right"), does)
        yield line(case, does)


def main():
    """Ask, and print a row for each operator and dtype."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", required=True)
    parser.add_argument("--pairs", type=int, default=14)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--ranks", default=",".join(map(str, range(9))))
    parser.add_argument("--engine", default="litert-micro", help="another one that runs TFLite models: litert")
    parser.add_argument("--out")
    parser.add_argument("--fused", help="activations, with --only ADD,SUB,MUL,DIV")
    parser.add_argument("--again", help="a file of answers: write it, with doubtful answers asked again with other elements")
    args = parser.parse_args()
    engine, out = Engine(args.engine, args.python), open(args.out, "w") if args.out else None  # noqa: SIM115
    counts, lines = collections.defaultdict(collections.Counter), []
    if args.again:
        with open(args.again) as file:
            rows = [row for row in file if not row.startswith("#")]
        print("\n".join(again(engine, rows)), file=out)
        return 0
    fused = args.fused.split(",") if args.fused else []
    given = cases(args.pairs, args.only.split(",") if args.only else None, args.seed, [int(rank) for rank in args.ranks.split(",")])
    for case in ({**case, "fused": one} for case in given for one in fused) if fused else given:
        does = answered(engine, case)
        rank = max(map(len, case["shapes"]))
        counts[case["op"], case["dtype"]][rank, does if case["legal"] else f"not legal: {does}"] += 1
        lines.append(line(case, does))
        if out:
            print(lines[-1], file=out, flush=True)
    print(f"{args.engine} {engine.version}: {len(lines)} answers")  # noqa: T201
    for (op, dtype), found in counts.items():
        ranks = collections.defaultdict(list)
        for (rank, does), count in sorted(found.items()):
            ranks[does].append(f"{rank}:{count}")
        print(f"{op} {dtype} | " + " | ".join(f"{does} {' '.join(of)}" for does, of in sorted(ranks.items())))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
