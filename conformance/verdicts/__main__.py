"""Generates random models, asks check, fix and the engines about them, and writes docs/reports/verdicts.md.

    python -m conformance.verdicts --seed 1 --count 10000 [--jobs 2] [--minutes 60] [--resume] [--formats onnx,ir] [--targets ncnn]
    python -m conformance.verdicts --seed 2 --about integer-weights=500,norms=300,expand=200,quantised=300
    python -m conformance.verdicts --cases
    python -m conformance.verdicts --whole openvino --seed 1 --count 1000 [--minutes 60] [--formats onnx,ir]

Answers are appended to `target/verdicts/`; `--resume` goes on where a run was stopped. `--save` keeps the smallest model of
each kind of disagreement in `conformance/verdicts/cases/`, and `--cases` asks about those again. Ends with 1 where a verdict is wrong, a
repair fails, or a case does not hold. `--about` asks about models of these subjects only, until it has this number of each. `--whole` asks `check --ask` of an engine, which uses no law, instead.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from engines import ROOT, Engines, installed

from . import generate, page, run, whole
from . import spec as specs
from .forms import ENGINE, TARGETS
from .judge import Judge

CASES = Path(__file__).parent / "cases"
FOLDER = ROOT / "target" / "verdicts"
MOST_CASES = 150


def _files(seed):
    return sorted(FOLDER.glob(f"seed-{seed}.*.jsonl"))


def _lines(seed):
    """Return the lines of models, by number, the engines' versions, and how often they fell over and then answered."""
    lines, versions, recovered = {}, {}, Counter()
    for path in _files(seed):
        for text in path.read_text().splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                # The last line of a run that was stopped.
                continue
            if "versions" in line:
                versions |= line["versions"]
                recovered.update(line.get("recovered", {}))
            else:
                lines[line["number"]] = line
    return [lines[number] for number in sorted(lines)], versions, recovered


def cases(only=""):
    """Ask about every case; return how many do not hold."""
    engines, wrong, asked = Engines(), 0, 0
    judge = Judge(engines)
    for path in sorted(CASES.glob("*.json")):
        if only not in path.name:
            continue
        asked += 1
        case = json.loads(path.read_text())
        found = run.case_holds(judge, case | {"model": specs.parsed(json.dumps(case["model"]))})
        if found:
            wrong += 1
            print(f"{path.name}: {' '.join(found.split())[:200]}", flush=True)  # noqa: T201
    engines.close()
    print(f"{asked} cases, {wrong} that do not hold")  # noqa: T201
    return wrong


def save(lines):
    """Write the smallest model of each kind of disagreement as a case."""
    for (word, target, name), members in page.classes(lines).items():
        models = [(why, small) for why, small in members if small]
        if word in ("other", "not-judged") or name == "not shrunk" or not models:
            continue
        why, small = min(models, key=lambda member: len(str(member[1])))
        slug = re.sub(r"[^a-z0-9]+", "-", f"{target} {word} {small['format']} {name}".lower())[:90].strip("-")
        path = CASES / f"{slug}.json"
        if not path.exists() and len(list(CASES.glob("*.json"))) < MOST_CASES:
            head = {"target": target, "found": word, "why": " ".join(why.split())[-200:]}
            body = "".join(f'"{key}": {json.dumps(value)},\n' for key, value in head.items())
            path.write_text("{" + body + '"model": ' + specs.text(small) + "}\n")


def about(arguments, formats):
    """Return the numbers of the first models of each subject that are wanted, as many as are wanted of it."""
    left = {name: int(count) for name, count in (pair.split("=") for pair in arguments.about.split(","))}
    chosen = []
    for number in range(100 * sum(left.values())):
        spec = generate.model(arguments.seed, number, formats)[1]
        short = [name for name in left if left[name] > 0 and spec is not None and name in generate.subjects(spec)]
        for name in short:
            left[name] -= 1
        chosen += [number] * bool(short)
        if not any(count > 0 for count in left.values()):
            break
    return chosen


def main():
    """Read the arguments, and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--formats", default="", help="formats or profiles, with commas")
    parser.add_argument("--targets", default="")
    parser.add_argument("--about", default="", help="how many models of which subjects, such as norms=300,expand=200")
    parser.add_argument("--save", action="store_true", help="keep the smallest models as cases")
    parser.add_argument("--cases", nargs="?", const="", help="ask about the cases, or those with this in their name")
    parser.add_argument("--whole", metavar="TARGET", help="judge check --ask of this target's engine, without laws")
    parser.add_argument("--part", type=int, help="judge every Nth model, N being the jobs")
    arguments = parser.parse_args()
    if arguments.cases is not None:
        return int(cases(arguments.cases) > 0)
    FOLDER.mkdir(parents=True, exist_ok=True)
    split = lambda words: [word for word in words.split(",") if word]
    until = time.time() + 60 * arguments.minutes
    if arguments.whole:
        path = FOLDER / f"whole-{arguments.whole}-{arguments.seed}.jsonl"
        tally = whole.part(path, arguments.whole, range(arguments.count), arguments.seed, split(arguments.formats), until)
        print(", ".join(f"{name} {count}" for name, count in tally.most_common()))  # noqa: T201
        return int(any(tally[name] for name in ("missed", "fusion", "false-alarm", "not asked")))
    if arguments.part is not None:
        done = {line["number"] for line in _lines(arguments.seed)[0]}
        chosen = about(arguments, split(arguments.formats)) if arguments.about else range(arguments.count)
        numbers = [number for number in chosen if number % arguments.jobs == arguments.part and number not in done]
        path = FOLDER / f"seed-{arguments.seed}.{arguments.part}.jsonl"
        run.part(path, numbers, arguments.seed, split(arguments.formats), split(arguments.targets), until)
        return 0
    wanted = arguments.targets.split(",") if arguments.targets else [target for found in TARGETS.values() for target in found]
    missing = [target for target in dict.fromkeys(wanted) if not installed(ENGINE[target])]
    if missing:
        print("not installed, and not asked: " + ", ".join(missing))  # noqa: T201
    if not arguments.resume:
        for path in _files(arguments.seed):
            path.unlink()
    command = [sys.executable, "-m", "conformance.verdicts", *sys.argv[1:]]
    parts = [subprocess.Popen([*command, "--part", str(k)], cwd=ROOT) for k in range(arguments.jobs)]
    failed = [part.wait() for part in parts]
    lines, versions, recovered = _lines(arguments.seed)
    rows = page.write(lines, versions, recovered, arguments)
    if arguments.save:
        save(lines)
    wrong = 0
    for (profile, target), row in sorted(rows.items()):
        print(f"{profile:<11} {target:<10} " + ", ".join(f"{name} {row[name]}" for name in page.COLUMNS if row[name]))  # noqa: T201
        if profile == "all":
            wrong += row["missed"] + row["failed"] + row["not idempotent"]
    return int(any(failed) or wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
