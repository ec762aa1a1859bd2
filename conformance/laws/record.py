"""Asks a runtime about the models of `grids.py`, and writes what it did: the tables under `profiles/tests/recorded/`.

    python -m conformance.laws.record --target mnn --out FILE [--grids layernorm,gemm] [--shard K/N] [--python PYTHON,PYTHON]

A row is `version | model | same`, `differs` or `refused`. With the Pythons of several versions, a row names those that gave its answer. Models that have no meaning are left out. The tables hold six rows of each kind (`--most 6`).
The test `answers_about_models` adds what Broadaxe says instead, and writes the tables: `BROADAXE_MODELS` is the folder of the rows, a file for each
table, and `BROADAXE_RECORDED` that of the tables.
"""

import argparse
import sys
from pathlib import Path

from onnx.reference import ReferenceEvaluator

from engines import Engine, Engines

from ..verdicts import onnx_form
from ..verdicts import spec as specs
from ..verdicts.compare import HALF_LEVELS, HALVED, apart
from ..verdicts.forms import Left, truth
from . import attention, contrib
from .__main__ import parse
from .grids import GRIDS

# How many sets of inputs each model is asked about: an element that is read elsewhere may be right by chance.
TURNS = 3


def wanted(engines, spec, levels=1):
    """Return what a model means: as ONNX Runtime computes it, or the reference of onnx where it does not."""
    if [node[0] for node in spec["nodes"]] == ["Attention"]:
        found = [attention.meaning(spec, turn) for turn in range(TURNS)]
        if any(one is None for one in found):
            raise Left("the mask does not stretch to the scores")
        return [[one] for one in found]
    if contrib.is_known(spec):
        found = [contrib.meaning(spec, turn) for turn in range(TURNS)]
        if any(one is None for one in found):
            raise Left("the operands do not fit")
        return [[one] for one in found]
    try:
        return [
            [found[name] for name in spec["outputs"]]
            for found in (truth(engines, spec, turn, levels=levels) for turn in range(TURNS))
        ]  # fmt: skip
    except Left as why:
        if "refuses" not in str(why):
            raise
    try:
        reference = ReferenceEvaluator(onnx_form.build(spec))
        return [reference.run(None, specs.feeds(spec, turn)) for turn in range(TURNS)]
    except Exception as why:  # noqa: BLE001 - it raises what it likes
        raise Left(str(why)) from why


def does(want, engine, spec):
    """Return what a runtime does with a model that means this, and why."""
    model = onnx_form.build(spec).SerializeToString()
    feeds = [specs.feeds(spec, turn) for turn in range(TURNS)]
    kind, found = engine.run(model, feeds, spec["outputs"])
    if kind == "unknown" and "does not answer" not in found:
        raise Left(found)
    if kind != "ok":
        return "refused", found
    rtol = 1e-2 if engine.name in HALVED else 2e-3
    wrong = [apart(one, other, rtol) for one, other in zip(want, found, strict=True) if other is not None]
    return next((("differs", one[1]) for one in wrong if one), ("same", ""))


def asked(engines, runtimes, text):
    """Return what each of some runtimes does with a model."""
    spec = parse(text)
    if runtimes[0].name == "qnn" and spec["sizes"]:
        raise Left("QNN compiles models without open dims")
    want = wanted(engines, spec, HALF_LEVELS if any(one.name in HALVED for one in runtimes) else 1)
    return [does(want, engine, spec) for engine in runtimes]


def thinned(rows, most):
    """Return some rows of each kind: of the same operators, constants, dtypes and answer."""
    groups = {}
    for text, word in rows:
        spec = parse(text)
        operators = tuple(node[0] for node in spec["nodes"])
        given = [(one[0], name in spec["constants"]) for name, one in {**spec["inputs"], **spec["constants"]}.items()]
        groups.setdefault((operators, tuple(given), word), []).append(text)
    step = lambda group: -(-len(group) // most)
    return {text for group in groups.values() for text in group[:: step(group)]}


def main():
    """Ask about all models of the grids."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--grids", default=",".join(GRIDS))
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--most", type=int, default=10**6, help="how many rows of each kind are written")
    parser.add_argument("--python", help="the Pythons of the versions, with commas; else the newest in BROADAXE_ENGINES")
    parser.add_argument("--why", action="store_true", help="add what the runtime said to each row")
    given = parser.parse_args()
    engines, left = Engines(), 0
    number, count = map(int, given.shard.split("/"))
    runtimes = [Engine(given.target, python) for python in given.python.split(",")] if given.python else [engines.all[given.target]]
    texts = dict.fromkeys(text for name in given.grids.split(",") for text in GRIDS[name]())
    rows = {}
    for text in list(texts)[number::count]:
        try:
            for engine, (word, why) in zip(runtimes, asked(engines, runtimes, text)):
                rows.setdefault((text, word), (why, []))[1].append(engine.version)
        except Left as why:
            left += 1
            print(f"left out: {text}: {' '.join(str(why).split())[-150:]}", file=sys.stderr)  # noqa: T201
    kept = thinned(rows, given.most)
    lines = [
        f"{' '.join(versions)} | {text} | {word}" + (f" | {' '.join(why.split())[-200:]}" if given.why else "")
        for (text, word), (why, versions) in rows.items() if text in kept
    ]  # fmt: skip
    given.out.write_text("".join(f"{line}\n" for line in lines))
    for engine in [*runtimes, engines]:
        engine.close()
    print(f"{len(texts)} models, {left} left out")  # noqa: T201


if __name__ == "__main__":
    main()
