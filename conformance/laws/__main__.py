"""Asks the engines for the outcome of minimal models, some for each law of a target.

    python -m conformance.laws [--target NAME]

MNN and TVM are asked in environments of their own, which `BROADAXE_ENGINES` names as for `broadaxe check --ask`.

Ends with 1 where an engine, or Broadaxe, says something else than `cases.py`.
"""

import argparse
import re
import sys

import numpy as np

from engines import Engines, python_of

from ..verdicts import spec as specs
from ..verdicts.compare import apart
from ..verdicts.forms import ENGINE, File, Left, truth
from .cases import CASES

WORDS = ("differs", "refused", "unsupported", "guarded", "unknown")


def value(text):
    """Return the value of an attribute: a number, a list where there is a comma, or a text."""
    if "," in text:
        return [int(part) for part in text.split(",") if part]
    if re.fullmatch(r"-?\d+(\.\d+)?", text):
        return float(text) if "." in text else int(text)
    return text


def node(text):
    """Return the node of a text such as `y=Conv(a,w) pads=1,1`, or `q,s,z=DynamicQuantizeLinear(x)`."""
    found = re.fullmatch(r"([\w,]+)=([\w.]+)\(([\w,]*)\)(.*)", text)
    given = dict(pair.split("=", 1) for pair in found[4].split())
    inputs = [name.strip("_") for name in found[3].split(",")]
    return [found[2], inputs, found[1].split(","), {key: value(part) for key, part in given.items()}]


def parse(text):
    """Return the spec of a model's text."""
    spec = specs.empty("onnx", 18, 1)
    for part in (part.strip() for part in text.split(";")):
        if part == "ir":
            spec["format"] = "ir"
            del spec["opset"]
        elif part.startswith("opset "):
            spec["opset"] = int(part[6:])
        elif found := re.fullmatch(r"def (\w+)\(([\w,]+)\): (.*)", part):
            body = [node(found[3])]
            spec.setdefault("functions", {})[found[1]] = {"inputs": found[2].split(","), "outputs": body[-1][2], "nodes": body}
        elif found := re.fullmatch(r"(\w+)(?::(\w+))?\(([\w,=]*)\)", part):
            dims = [dim.split("=") for dim in found[3].split(",") if dim]
            spec["sizes"] |= {dim[0]: int(dim[1]) for dim in dims if len(dim) == 2}
            spec["inputs"][found[1]] = [found[2] or "f32", [dim[0] if len(dim) == 2 else int(dim[0]) for dim in dims]]
        elif found := re.fullmatch(r"(\w+)=const(?::(\w+))?\(([\d,]*)\)(=\S*)?", part):
            kind, dims = found[2] or "f32", [int(size) for size in found[3].split(",") if size]
            given = [float(number) for number in (found[4] or "=")[1:].split(",") if number]
            numbers = [np.resize(given, int(np.prod(dims))).tolist()] if given or found[4] else []
            spec["constants"][found[1]] = [kind, dims, *numbers]
        else:
            spec["nodes"].append(node(part))
    spec["outputs"] = specs.leaves(spec)
    return spec


def asked(engines, target, text):
    """Return what the engine does with a model, and what Broadaxe says of it: the gravest verdict."""
    spec = parse(text)
    file = File(engines, spec)
    # A run before this one shows what a model overwrites.
    kind, found = file.runs(target, (1, 0))
    does = "refused"
    if kind == "ok":
        try:
            want = truth(engines, spec)
            does = "differs" if apart([want[name] for name in spec["outputs"]], found[-1]) else "same"
        except Left:
            # The model means nothing, and the engine computes something.
            does = "differs"
    said = {finding.verdict for finding in file.check(target).findings}
    return does, next((word for word in WORDS if word in said), "same")


def main():
    """Ask about every case, and print what is another."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=list(CASES))
    only = parser.parse_args().target
    engines, count, wrong = Engines(), 0, 0
    for target, rows in CASES.items():
        if only is None and python_of(ENGINE[target]) is None:
            print(f"{target} is not asked: no environment in BROADAXE_ENGINES has it")  # noqa: T201
            continue
        for text, does, said in rows if only in (None, target) else ():
            count += 1
            found = asked(engines, target, text)
            if found != (does, said):
                wrong += 1
                print(f"{target}: {text}: the engine {found[0]}, Broadaxe says {found[1]}; expected {does}, {said}")  # noqa: T201
    engines.close()
    print(f"{count} models, {wrong} wrong")  # noqa: T201
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
