"""Asks engines that are no targets about models of one ONNX node, and compares their answers with NumPy.

    python -m conformance.others ENGINE --python PYTHON [--count 12] [--step N] [--only Add,PRelu] [--batch N] [--out FILE]
    python -m conformance.others ENGINE --python PYTHON --atlas DIR

`ENGINE` is a name of `atlas/adapters/others.py`. `--count` is how many shapes each operator is asked with at each rank from 0 to 6. An engine that
ends or does not answer is started again after the question. `--step N` asks every Nth question, `--batch N` has N of them compiled together where the
engine can. `DIR` is what `broadaxe atlas models --format onnx` wrote: the core of the Atlas is asked instead.
"""

import argparse
import base64
import collections
import itertools
import json
import random
import select
import subprocess
import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, load_model_from_string, numpy_helper

ADAPTERS = Path(__file__).resolve().parents[1] / "atlas" / "adapters"
CHILD = """
import base64, json, os, sys
answers_to = os.fdopen(os.dup(1), "w"); os.dup2(2, 1)
sys.path.insert(0, sys.argv[1])
import numpy, others
load = others.ENGINES[sys.argv[2]][0]()
print(json.dumps({"version": others.version(sys.argv[2])}), file=answers_to, flush=True)
def said(found):
    if isinstance(found, Exception):
        return {"refused": " ".join(f"{type(found).__name__}: {found}".split())[:200]}
    found = numpy.asarray(found)
    return {"shape": found.shape, "values": numpy.nan_to_num(found.astype(float), nan=3e38, posinf=3e38, neginf=-3e38).ravel().tolist()}
def answer(data, feeds):
    try:
        return said(load(data)(feeds))
    except Exception as why:
        return said(why)
for line in sys.stdin:
    asked = json.loads(line)
    feeds = [{name: numpy.array(values, dtype).reshape(shape) for name, dtype, shape, values in one["feeds"]} for one in asked]
    models = [base64.b64decode(one["model"]) for one in asked]
    try:
        answers = list(map(said, load.many(models, feeds))) if hasattr(load, "many") and len(asked) > 1 else None
    except Exception as why:
        answers = [{"single": str(why)[-300:]}] * len(asked)
    print(json.dumps(answers or list(map(answer, models, feeds))), file=answers_to, flush=True)
"""
SECONDS = 15
TYPES = {"f": (TensorProto.FLOAT, "f4"), "i": (TensorProto.INT32, "i4"), "l": (TensorProto.INT64, "i8"), "b": (TensorProto.BOOL, "?")}
REFERENCES = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": lambda a, b: a / b if a.dtype.kind == "f" else np.trunc(a / b), "Pow": np.power,
    "Max": lambda *given: np.maximum.reduce(np.broadcast_arrays(*given)), "Min": np.minimum, "Mod": np.mod, "Less": np.less, "Greater": np.greater,
    "Equal": np.equal, "LessOrEqual": np.less_equal, "GreaterOrEqual": np.greater_equal, "And": np.logical_and, "Or": np.logical_or,
    "Xor": np.logical_xor, "PRelu": lambda a, b: np.where(a >= 0, a, a * b), "Where": np.where, "Sum": lambda a, b, c: a + b + c,
    "Mean": lambda a, b, c: (a + b + c) / 3,
}  # fmt: skip
COMPARES = ("Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual")
# The rules of ONNX's operators since opset 7.
RULES = ("numpy", "unidirectional", "bidirectional", "gemm-c")
# An operator, its dtype, and how many operands it has.
FAMILIES = [
    *((op, "f", 2) for op in ("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", *COMPARES, "PRelu")),
    *((op, "i", 2) for op in ("Add", "Mul", "Div", "Mod")), ("Add", "l", 2), *((op, "b", 2) for op in ("And", "Or", "Xor")),
    *((op, "f", 3) for op in ("Where", "Sum", "Max", "Mean")),
]  # fmt: skip


def shapes(rng, rank, count, operands):
    """Return lists of shapes that stretch to a rank."""
    found = []
    for _ in range(200):
        full = [rng.choice((1, 2, 2, 3, 4)) for _ in range(rank)]
        one = [[dim if rng.random() < 0.6 else 1 for dim in full] for _ in range(operands)]
        if rank and rng.random() < 0.5:
            k = rng.randrange(operands)
            one[k] = one[k][rng.randrange(rank + 1) :]
        result = np.broadcast_shapes(*map(tuple, one))
        if len(result) == rank and np.prod(result) <= 600 and one not in found:
            found.append(one)
        if len(found) == count:
            break
    return found


def numbers(op, dtype, given):
    """Return the operands: different elements, where the operator allows it."""
    arrays = []
    for at, shape in enumerate(given):
        places = np.arange(int(np.prod(shape)))
        if dtype == "b" or op == "Where" and at == 0:
            found = places * (3 + at) % 5 > 1
        elif op in COMPARES:
            found = places * (3 - at) % 5
        elif op == "Pow":
            found = places % (4 - at) + 1 - at
        else:
            found = (places + 1) * (-1 if op == "PRelu" else 1) if at == 0 else (places * 7 % 11 + 1) * (1 + 10 * (at == 2))
        arrays.append(found.astype("?" if found.dtype == bool else TYPES[dtype][1]).reshape(shape))
    return arrays


def questions(count):
    """Give the questions: family, rank, the model's bytes, the inputs, and what is expected."""
    rng = random.Random(11)
    for op, dtype, operands in FAMILIES:
        choices = {2: ("ii", "ic", "ci"), 3: ("iii", "iic", "ici", "cii")}[operands]
        for rank in range(7):
            for one in shapes(rng, rank, count, operands):
                if op == "PRelu":
                    one[0] = [int(dim) for dim in np.broadcast_shapes(*map(tuple, one))]
                arrays = numbers(op, dtype, one)
                want = REFERENCES[op](*arrays)
                for kinds in choices[: 2 if op == "PRelu" else 4]:
                    yield {"family": f"{op} {dtype}{operands}", "rank": rank, "kinds": kinds, **model(op, arrays, kinds, want)}


def model(op, arrays, kinds, want):
    """Write a model of one node."""
    types = {array.dtype.str[-2:]: kind for kind, (_, name) in TYPES.items() for array in (np.zeros(1, name),)}
    names = [f"x{k}" for k in range(len(arrays))]
    kind = lambda array: TYPES["b" if array.dtype == bool else types[array.dtype.str[-2:]]][0]  # noqa: E731
    inputs = [(name, array) for name, array, of in zip(names, arrays, kinds) if of == "i"]
    constants = [numpy_helper.from_array(array, name) for name, array, of in zip(names, arrays, kinds) if of == "c"]
    dtype = TensorProto.BOOL if want.dtype == bool else kind(arrays[-1])
    value = helper.make_tensor_value_info
    ends = [[value(name, kind(array), array.shape) for name, array in inputs], [value("out", dtype, want.shape)]]
    graph = helper.make_graph([helper.make_node(op, names, ["out"])], "question", *ends, constants)
    data = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    feeds = [(name, array.dtype.str, array.shape, array.ravel().tolist()) for name, array in inputs]
    return {"model": data, "feeds": feeds, "want": want, "shapes": [list(array.shape) for array in arrays]}


class Child:
    """The process of an engine."""

    def __init__(self, python, engine):
        self.words, self.process, self.version = [python, "-c", CHILD, str(ADAPTERS), engine], None, ""

    def ask(self, questions):
        """Return what the engine says of each question; one by one, where it does not answer them together."""
        if self.process is None:
            self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            self.version = json.loads(self.process.stdout.readline())["version"]
        line = [{"model": base64.b64encode(one["model"]).decode(), "feeds": one["feeds"]} for one in questions]
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        seconds = SECONDS * len(questions)
        said = self.process.stdout.readline() if select.select([self.process.stdout], [], [], seconds)[0] else ""
        found = json.loads(said) if said else []
        if not said:
            self.process.kill()
            code, self.process = self.process.wait(), None
            found = [{"ended": code}]
        if len(questions) > 1 and (not said or "single" in found[0]):
            half = len(questions) // 2
            return self.ask(questions[:half]) + self.ask(questions[half:])
        return found


def of_atlas(folder):
    """Give the questions of the Atlas whose models are in a folder."""
    for line in (folder / "expected.jsonl").read_text().splitlines():
        one = json.loads(line)
        if one["rule"] not in RULES:
            continue
        data = (folder / one["files"][0]).read_bytes()
        operands = [operand for operand in one["operands"] if not operand["constant"]]
        feeds = [
            (value.name, "?" if value.type.tensor_type.elem_type == TensorProto.BOOL else "<f4", operand["shape"], operand["values"])
            for value, operand in zip(load_model_from_string(data).graph.input, operands)
        ]  # fmt: skip
        want = np.array(one["want"]).reshape(one["shape"]) if "shape" in one else None
        shapes, kinds = [operand["shape"] for operand in one["operands"]], "".join("ic"[operand["constant"]] for operand in one["operands"])
        yield {
            "family": f"atlas {one['op']}", "rank": max(map(len, shapes)), "kinds": kinds, "model": data, "feeds": feeds, "want": want, "shapes": shapes,
        }  # fmt: skip


def judged(question, said):
    """Return `right`, `wrong`, `refused` or `ended`."""
    if "values" not in said:
        return "ended" if "ended" in said else "refused" if question["want"] is not None else "illegal refused"
    want = question["want"]
    if want is None:
        return "illegal accepted"
    if list(want.shape) != said["shape"]:
        return "wrong"
    # Simulators compute in f16.
    return "right" if np.allclose(said["values"], want.astype(float).ravel(), rtol=2e-3, atol=1e-3) else "wrong"


def main():
    """Ask, and print a row for each family."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--atlas", type=Path)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    child, counts, lines, total = Child(args.python, args.engine), collections.defaultdict(collections.Counter), [], collections.Counter()
    every = list(of_atlas(args.atlas)) if args.atlas else list(questions(args.count))
    every = [one for one in every if not args.only or one["family"].split()[0] in args.only.split(",")][:: args.step]
    answers = itertools.chain.from_iterable(child.ask(every[k : k + args.batch]) for k in range(0, len(every), args.batch))
    for question, said in zip(every, answers, strict=True):
        does = judged(question, said)
        total[does] += 1
        counts[question["family"]][question["rank"], does] += 1
        shown = " ".join(",".join(map(str, one)) or "-" for one in question["shapes"])
        why = said.get("refused", said.get("ended", "")) if does != "wrong" else f"{said['shape']} {said['values'][:6]}"
        lines.append(f"{question['family']} {question['kinds']} {shown} {does}" + (f" # {why}" if does != "right" else ""))
        if args.out:
            args.out.write_text("\n".join(lines) + "\n")
    shown = ", ".join(f"{count} {does}" for does, count in sorted(total.items()))
    print(f"{args.engine} {child.version}: {len(lines)} asked, {shown}")  # noqa: T201
    for family, found in counts.items():
        print(f"  {family}: " + " ".join(f"{rank}:{count} {does}" for (rank, does), count in sorted(found.items())))  # noqa: T201
    if args.out:
        args.out.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
