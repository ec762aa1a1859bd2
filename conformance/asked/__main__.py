"""Asks a runtime about drawn nodes with `check --ask`, and compares with what its target says; then again after `fix`.

    python -m conformance.asked --runtime mnn@3.6.1 --engines DIR [--seed N] [--count N] [--old] [--most-rank N] [--command FILE]

`--engines` is a folder of Python environments, as for `check`. Prints a table, then the nodes whose verdict is not what the runtime
did; ends with 1 where there are any. A node of which the laws say `unknown` is counted, and is no disagreement.
"""

import argparse
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx

from .cases import cases, model

# Nodes to a model: one that fails to load or to be fixed loses no others.
BATCH = 250


class Run:
    """Asks about batches of nodes, and counts."""

    def __init__(self, args):
        self.args = args
        self.target_name = args.target or args.runtime
        self.tally, self.unknown, self.wrong = collections.Counter(), collections.Counter(), []
        self.rows, self.asked = [], ""

    def _broadaxe(self, *words):
        found = subprocess.run([self.args.command, *map(str, words)], capture_output=True, text=True, check=False)
        if found.returncode > 1:
            raise SystemExit(found.stderr)
        return found.stdout

    def check(self, path):
        """Return the verdicts of the laws and those of the runtime, by node; nodes without one are the same."""
        words = ["--for", self.target_name, "--ask", self.args.runtime, "--ask-nodes", "--format", "json"]
        if self.args.engines:
            words += ["--engines", self.args.engines]
        record = json.loads(self._broadaxe("check", path, *words))["models"][0]
        law, runtime = (target["name"] for target in record["targets"])
        self.asked = runtime
        found = {law: {}, runtime: {}}
        for finding in record["findings"]:
            found[finding["target"]][finding["node"]] = finding
        return found[law], found[runtime]

    def batch(self, drawn, folder):
        """Ask about some nodes, then about what is repaired of them."""
        path, fixed = folder / "model.onnx", folder / "fixed.onnx"
        onnx.save(model(drawn, old=self.args.old), path)
        says, does = self.check(path)
        verdict = lambda found, node: found[node]["verdict"] if node in found else "same"  # noqa: E731
        for number, case in enumerate(drawn):
            node = f"n{number}"
            said, did = verdict(says, node), verdict(does, node)
            groups = {"unsupported": "refused", "guarded": "same"}
            said, did = groups.get(said, said), groups.get(did, did)
            self.tally[did, said] += 1
            self.rows.append({**case, "runtime": did, "laws": said, "version": self.asked})
            if said == "unknown":
                self.unknown[case["op"], says[node]["reason"]] += 1
            if said not in (did, "unknown") and did != "unknown":
                reason = does.get(node, says.get(node))["reason"]
                self.wrong.append(f"{json.dumps(case)}: {self.asked} {did}, the laws say {said}: {reason}")
        fixed.unlink(missing_ok=True)
        self._broadaxe("fix", path, "--for", self.target_name, "-o", fixed)
        if not any(finding["verdict"] == "differs" for finding in says.values()) or not fixed.exists():
            return
        before = {node for node, finding in says.items() if finding["verdict"] == "differs"}
        says, does = self.check(fixed)
        left = {node for node, finding in says.items() if finding["verdict"] != "same"}
        for node in sorted(before):
            did = verdict(does, node)
            if node in left:
                self.tally["not repaired", verdict(says, node)] += 1
            else:
                self.tally["repaired", did] += 1
                if did != "same":
                    self.wrong.append(f"{json.dumps(drawn[int(node[1:])])}: {did} after the repair: {does[node]['reason']}")

    def all(self):
        """Ask about all cases."""
        drawn = cases(self.args.seed, self.args.count, old=self.args.old, most_rank=self.args.most_rank, only=self.args.only)
        with tempfile.TemporaryDirectory() as folder:
            for start in range(0, len(drawn), BATCH):
                self.batch(drawn[start : start + BATCH], Path(folder))


def main():
    """Ask, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--target", help="the target whose laws are compared, where it is not named as the runtime")
    parser.add_argument("--engines")
    parser.add_argument("--command", default=Path(__file__).parents[2] / "target/debug/broadaxe")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--old", action="store_true", help="nodes of opset 6, with the attribute axis")
    parser.add_argument("--most-rank", type=int, default=5)
    parser.add_argument("--only", type=lambda text: text.split(","), default=(), help="operators, such as Max,Min")
    parser.add_argument("--rows", type=Path, help="where to write every case, as lines of JSON")
    run = Run(parser.parse_args())
    run.all()
    if run.args.rows:
        run.args.rows.write_text("".join(json.dumps(row) + "\n" for row in run.rows))
    print(f"{run.asked} ({'opset 6' if run.args.old else 'opset 17'}, seed {run.args.seed}):")  # noqa: T201
    for (first, second), count in sorted(run.tally.items()):
        text = f"{first}: {second}" if "repaired" in first else f"runtime {first}, laws {second}"
        print(f"  {count:6} {text}")  # noqa: T201
    for (op, reason), count in run.unknown.most_common():
        print(f"  {count:6} unknown, {op}: {reason}")  # noqa: T201
    for text in run.wrong:
        print(f"  {text}")  # noqa: T201
    return int(bool(run.wrong))


if __name__ == "__main__":
    sys.exit(main())
