"""Loads the models of the Atlas with the loader of each format, runs them, and compares the results.

    for format in onnx openvino tflite ncnn paddle; do
        broadaxe atlas models --format $format -o DIR/$format
    done
    python -m conformance.atlas_models DIR [--only TEXT] [--verbose]

DIR has a folder per format. A format whose engine is not installed is left out, so the same command is given to the Python of
each engine. Engines can end the process, so models are run in a child, which is started again after the one that ended it.

Prints for each format how many models the loader reads, and for each rule how many results are those of the rule. `accepted` counts
models that run though the rule rejects the shapes, `refused` those that do not run though it accepts them. Ends with 1 where the
loader does not read a model whose shapes the rule accepts.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

import engines

NAMES = "abc"


class Read:
    """A driver that is given files."""

    def __init__(self, name):
        self.name, self.driver = name, engines.load(ENGINES[name])

    def load(self, files):
        """Return the model in files, if the engine reads it."""
        read = [Path(file).read_bytes() for file in files]
        model = self.driver.Model(read[0], self.name, read[1] if len(read) > 1 else None)
        if self.name == "onnx":
            import onnx

            onnx.checker.check_model(onnx.load(files[0]))
        elif self.name == "openvino":
            self.driver.read(model)
        elif self.name == "tflite":
            self.driver.interpreter(model.data)
        elif self.name == "ncnn":
            self.driver.network_of(model.data, model.weights)
        return model

    def run(self, model, inputs):
        """Return the result of a model."""
        return self.driver.run(model, inputs, ["y"], {})[0]


ENGINES = {"onnx": "onnxruntime", "openvino": "openvino", "tflite": "litert", "ncnn": "ncnn", "paddle": "paddle"}


def arrays(line):
    """Make the inputs of a question."""
    found = {}
    for k, (name, operand) in enumerate(zip(NAMES, line["operands"])):
        if not operand["constant"]:
            dtype = bool if line["op"] == "select" and k == 0 else np.float32
            found[name] = np.array(operand["values"], dtype).reshape(operand["shape"])
    return found


def answer(own, folder, line):
    """Load and run one model: what became of it, and a sentence."""
    try:
        model = own.load([str(folder / name) for name in line["files"]])
    except Exception as error:
        return "not loaded", str(error)
    try:
        got = np.asarray(own.run(model, arrays(line)))
    except Exception as error:
        return ("refused" if "shape" in line else "right"), str(error)
    if "shape" not in line:
        return "accepted", f"the result has the shape {got.shape}"
    want = np.array(line["want"], np.float32).reshape(line["shape"])
    if got.shape != want.shape:
        return "shape", f"{got.shape}, and {want.shape} under the rule"
    return ("right", "") if np.array_equal(got, want) else ("wrong", f"{got.ravel()[:8]}, and {want.ravel()[:8]} under the rule")


def serve(name, folder, start):
    """Answer the questions from one on: a line each, on a copy of the output that engines do not write to."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    own = Read(name)
    lines = (folder / "expected.jsonl").read_text().splitlines()
    for text in lines[start:]:
        output.write(json.dumps(answer(own, folder, json.loads(text))) + "\n")
        output.flush()


def answers(name, folder, count):
    """Collect all answers; a child that ends is started again behind the model that ended it."""
    found = []
    while len(found) < count:
        command = [sys.executable, "-m", "conformance.atlas_models", str(folder), "--serve", name, "--start", str(len(found))]
        child = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        found += [tuple(json.loads(text)) for text in child.stdout.splitlines() if text.endswith("]")]
        if len(found) < count:
            found.append(("crash", f"the process ends with {child.returncode}"))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="formats whose name has this text")
    parser.add_argument("--verbose", action="store_true", help="print every answer that is not right")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--start", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        return serve(given.serve, given.folder, given.start)
    failed = False
    for name in ENGINES:
        folder = given.folder / name
        if given.only not in name or not folder.is_dir():
            continue
        if not engines.installed(ENGINES[name]):
            print(f"{name}: not installed")
            continue
        lines = [json.loads(text) for text in (folder / "expected.jsonl").read_text().splitlines()]
        found = answers(name, folder, len(lines))
        rules, loaded, reasons = defaultdict(Counter), Counter(), Counter()
        for line, (kind, why) in zip(lines, found):
            accepted = "shape" in line
            # An engine may look at the shapes when it loads a model.
            loaded["refused, as the rule" if kind == "not loaded" and not accepted else "refused" if kind == "not loaded" else "loaded"] += 1
            failed |= kind == "not loaded" and accepted
            rules[line["id"].split("-r")[0]]["right" if kind == "not loaded" and not accepted else kind] += 1
            if kind not in ("right", "accepted") and (kind != "not loaded" or accepted):
                reasons[kind, " ".join(why.split())[:160]] += 1
            if given.verbose and kind != "right":
                print(line["id"], kind, [one["shape"] for one in line["operands"]], why)
        print(f"{name}: {len(lines)} models;", ", ".join(f"{count} {kind}" for kind, count in loaded.items()))
        for rule, counts in rules.items():
            print(f"    {rule}:", ", ".join(f"{count} {kind}" for kind, count in counts.items()))
        for (kind, why), count in reasons.most_common(8):
            print(f"    {count} {kind}: {why}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
