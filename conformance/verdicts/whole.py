"""Compares `broadaxe check --ask`, which knows no law, with what the engine gives: random models, each run as a whole."""

import json
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

from engines import Engines

from ..model_graphs import command
from . import generate
from .forms import ENGINE, File, Left, targets, truth
from .judge import BAD, Judge

# How many models one command is given: an engine is started once for them.
BATCH = 25
SUFFIXES = {"onnx": (".onnx", None), "ir": (".xml", ".bin"), "ir-onnx": (".xml", ".bin")}


def drawn(engines, target, numbers, seed, formats):
    """Draw models with what the engine gets wrong in them; yield the number, the spec, the values, the file and what is wrong."""
    for number in numbers:
        profile, spec = generate.model(seed, number, formats)
        # ONNX Runtime has no kernels of opsets before 7. What ONNX does not allow has no meaning to compare with, and functions are more than one node.
        if spec is None or spec["format"] not in SUFFIXES or "invalid" in spec or target not in targets(profile, spec) or target == "onnx" and spec["opset"] < 7:
            continue
        try:
            values, file = truth(engines, spec), File(engines, spec)
            file.keeps(values)
            wrong = file.wrong(target, [values[name] for name in spec["outputs"]])
        except Left:
            continue
        yield number, spec, values, file, wrong


def asked(target, models):
    """Ask the command about models; return the findings of each by its number, and the complaints."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, spec, _, file, _ in models:
            first, second = SUFFIXES[spec["format"]]
            paths.append(Path(folder) / f"{number}{first}")
            paths[-1].write_bytes(file.model)
            if second:
                paths[-1].with_suffix(second).write_bytes(file.weights)
        words = [command(), "check", "--ask", ENGINE[target], "--no-cache", "--no-config", "--json", *paths]
        done = subprocess.run(words, capture_output=True, text=True, timeout=3600)
        found = json.loads(done.stdout)["models"] if done.stdout else []
        return {int(Path(one["model"]).stem): one["findings"] for one in found}, done.stderr


def part(path, target, numbers, seed, formats, until):
    """Judge models in batches until time is up, a line of JSON for each; return the outcomes."""
    engines, tally = Engines(), Counter()
    judge = Judge(engines)
    with path.open("w") as out:
        for start in range(0, len(numbers), BATCH):
            if time.time() > until:
                break
            models = list(drawn(engines, target, numbers[start : start + BATCH], seed, formats))
            found, complaints = asked(target, models) if models else ({}, "")
            for number, spec, values, file, wrong in models:
                findings = found.get(number)
                if findings is None:
                    line = {"outcome": "not asked", "why": complaints[-300:]}
                else:
                    verdicts = {file.names().get(one["node"], one["node"]): one["verdict"] for one in findings}
                    line = {"outcome": judge.outcome(spec, target, values, verdicts, wrong), "why": wrong and wrong[1][-200:]}
                    line["bad"] = [[one["op"], one["verdict"], one["reason"][:200]] for one in findings if one["verdict"] in BAD]
                    line["nodes"], line["unknown"] = len(findings), sum(one["verdict"] == "unknown" for one in findings)
                tally[line["outcome"]] += 1
                tally["nodes"] += line.get("nodes", 0)
                tally["undecided nodes"] += line.get("unknown", 0)
                if line["outcome"] not in ("right-same", "right-bad"):
                    line["spec"] = spec
                out.write(json.dumps({"number": number} | line) + "\n")
                out.flush()
    engines.close()
    return tally
