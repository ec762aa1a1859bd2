"""Judges the models of `grids.py`: compares what Broadaxe says of each for a target with what the runtime does, before and after `fix`.

    python -m conformance.laws.judged --target opencv [--grids by-rank,slopes] [--shard K/N] [--python PYTHON] [--version 4.14.0]

Prints how many models and nodes were asked, and each model of which Broadaxe is wrong; ends with 1 where there is one. `--python` is the Python of an older
version, and `--version` names it as the target does.
"""

import argparse
import sys
from collections import Counter

from engines import Engine, Engines

from ..verdicts.forms import ENGINE
from ..verdicts.judge import Judge, Left
from .__main__ import parse
from .grids import GRIDS


def main():
    """Judge all models of the grids."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", required=True)
    parser.add_argument("--grids", default=",".join(GRIDS))
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--python")
    parser.add_argument("--version")
    given = parser.parse_args()
    engines, tally, wrong = Engines(), Counter(), 0
    if given.python:
        engines.all[given.target] = Engine(given.target, given.python)
    target = f"{given.target}@{given.version}" if given.version else given.target
    ENGINE[target] = ENGINE[given.target]
    judge, (number, count) = Judge(engines), map(int, given.shard.split("/"))
    texts = dict.fromkeys(text for name in given.grids.split(",") for text in GRIDS[name]())
    for text in list(texts)[number::count]:
        try:
            record = judge.model(parse(text), target)
        except Left as why:
            tally["left out: " + str(why).split(":")[0][:60]] += 1
            continue
        tally["models"] += 1
        tally["nodes"] += record["nodes"]
        tally["unknown nodes"] += record["unknown"]
        tally[record["outcome"]] += 1
        if record.get("repair"):
            tally["repair " + record["repair"]] += 1
        if record["outcome"] in ("missed", "false-alarm", "fusion") or record.get("repair") in ("failed", "raised"):
            wrong += 1
            print(f"{record['outcome']}, {record.get('repair')}: {text}: {record.get('repair_why') or record['why']}", flush=True)  # noqa: T201
    print(f"{target}, {engines.all[given.target].version}: " + ", ".join(f"{name} {number}" for name, number in tally.most_common()))  # noqa: T201
    engines.close()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
