"""Asks LiteRT about models of one node, and Broadaxe about the same files; then about the files that it has fixed.

    python -m conformance.litert [--device cpu|gpu] [--python PYTHON]... [--seed N] [--count N | --graphs DIR]

The GPU delegate needs a Vulkan adapter; SwiftShader is one. `--python` names the interpreter of another environment, with
another version of LiteRT. `--graphs` asks about whole graphs, which `conformance.litert.graphs` writes. Ends with 1 where a verdict is not what the engine did, or where a fixed file is wrong.
"""

import argparse
import collections
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import broadaxe as bx
from engines import Engine

from .cases import cases
from .models import COMPARES, feeds, numbers, one_node, reference

# How often numbers are drawn again where an engine that reads other elements gives the right result.
AGAIN = 16


def asked(engine, case, arrays, model, want):
    """Return `right`, `wrong`, `refused` or `crash`."""
    kind, found = engine.run(model, [feeds(case, arrays)], format="tflite")
    if kind != "ok":
        return "crash" if kind == "ended" else "refused"
    got = found[0][0]
    if got.size != want.size:
        return "wrong"
    close = np.isclose(got.reshape(-1).astype(float), want.reshape(-1).astype(float), rtol=2e-4, atol=1e-5, equal_nan=True)
    return "right" if close.all() else "wrong"


SAYS = {"same": "right", "differs": "wrong", "refused": "refused", "unsupported": "refused"}


class Run:
    """Compares answers with verdicts, and counts."""

    def __init__(self, device, python):
        self.engine = engine = Engine("litert-gpu" if device == "gpu" else "litert", python)
        engine.start()
        # A model that is repaired for the delegate has to stay right on CPUs.
        self.cpu = Engine("litert", python) if device == "gpu" else None
        self.target = ("litert-gpu@" if device == "gpu" else "litert@") + engine.version
        self.tally, self.wrong = collections.Counter(), []

    def case(self, case, path):
        """Ask about one case, and about the fixed model."""
        arrays = numbers(case)
        want = reference(case, arrays)
        if want is None:
            return
        want = want.astype(bool if case["op"] in COMPARES else np.float32)
        path.write_bytes(one_node(case, arrays, want.shape))
        does = self._asked(case, path.read_bytes(), arrays, want)
        finding = bx.check(path, targets=[self.target]).findings[0]
        says = SAYS.get(finding.verdict, finding.verdict)
        if says == "wrong" and does == "right":
            does = self._again(case, want.shape)
        agree = says == {"crash": "refused"}.get(does, does)
        self.tally[f"{does}, said so" if agree else f"{does}, {finding.verdict} said"] += 1
        if not agree:
            self.wrong.append(f"{json.dumps(case)}: {does}, and the verdict is {finding.verdict}: {finding.reason}")
        if says == "wrong":
            self._fixed(case, path, arrays, want)

    def graph(self, path, scratch):
        """Ask about a whole graph, of which TensorFlow's result is known, and about the fixed one."""
        with np.load(path.with_suffix(".npz")) as known:
            arrays, want = [known["x"]], known["y"]
        case = {"op": path.stem, "kinds": "i"}
        does = self._asked(case, path.read_bytes(), arrays, want)
        findings = [finding for finding in bx.check(path, targets=[self.target]).findings if finding.verdict != "same"]
        says = "wrong" if any(finding.verdict == "differs" for finding in findings) else "right"
        self.tally[f"graph {does}, said so" if says == does else f"graph {does}, {says} said"] += 1
        if says != does:
            self.wrong.append(f"{path.name}: {does}, and the verdict is {says}")
        if says == "wrong":
            scratch.write_bytes(path.read_bytes())
            self._fixed(case, scratch, arrays, want)

    def _asked(self, case, model, arrays, want, engine=None):
        return asked(engine or self.engine, case, arrays, model, want)

    def _again(self, case, shape):
        """Ask with other numbers: an element that is read instead may have the right value by chance."""
        for seed in range(1, AGAIN + 1):
            arrays = numbers(case, seed)
            want = reference(case, arrays).astype(bool if case["op"] in COMPARES else np.float32)
            does = self._asked(case, one_node(case, arrays, shape), arrays, want)
            if does != "right":
                return does
        return "right"

    def _fixed(self, case, path, arrays, want):
        fixed = path.with_name("fixed.tflite")
        fix = bx.fix(path, targets=sorted({self.target, f"litert@{self.engine.version}"}), out=fixed)
        if fix.left:
            self.tally["not repaired"] += 1
            return
        for engine, where in ((self.engine, ""), (self.cpu, " on the CPU")):
            if engine is None:
                continue
            does = self._asked(case, fixed.read_bytes(), arrays, want, engine)
            self.tally[f"repaired: {does}{where}"] += 1
            if does != "right":
                self.wrong.append(f"{json.dumps(case)}: {does}{where} after {[change.change for change in fix.changes]}")


def main():
    """Ask every version, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--graphs", type=Path)
    args = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for python in args.python or [sys.executable]:
            run = Run(args.device, python)
            if args.graphs:
                for path in sorted(args.graphs.glob("*.tflite")):
                    run.graph(path, Path(folder) / "model.tflite")
            else:
                for case in cases(args.seed, args.count):
                    run.case(case, Path(folder) / "model.tflite")
            print(f"{run.target}: " + ", ".join(f"{count} {what}" for what, count in sorted(run.tally.items())))  # noqa: T201
            for text in run.wrong[:20]:
                print(f"  {text}")  # noqa: T201
            wrong += len(run.wrong)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
