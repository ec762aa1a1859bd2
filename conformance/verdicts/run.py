"""One part of a run: judges models, shrinks what check and engine disagree on, and appends a line of JSON for each model."""

import json
import re
import time
import traceback
from collections import Counter

from engines import Engines

from . import generate, shrink
from .forms import Left, targets
from .judge import Judge

WRONG = ("missed", "fusion", "false-alarm", "other")
# What a quantisation is in OpenVINO's own files: of it alone the integers are wrong, not an operand's place.
QUANTISES = {"FakeQuantize", "Convert"}
# How often a kind of disagreement is shrunk in one part, and how many models may be tried for it.
EACH, BUDGET = 3, {"ncnn": 30, "ncnn-param": 30}


def disagreement(record):
    """Return the word for what is to be shrunk in a record, or None."""
    if record["outcome"] in WRONG:
        return record["outcome"]
    if record.get("repair") == "failed":
        return "failed"
    if record.get("idempotent") is False:
        return "twice"
    return "second" if record.get("second_check") else None


def settled(judge, spec, target, record, tally):
    """Shrink a disagreement, and say of a fusion whether an element-wise node is part of it."""
    wanted = disagreement(record)
    if wanted is None:
        return record
    kind = (target, wanted, re.sub(r"[\d.\-]+", "0", record.get("why", "") or "")[:50])
    tally[kind] += 1
    if tally[kind] <= EACH or wanted == "fusion":
        budget = BUDGET.get(target, 120) if tally[kind] <= EACH else 40
        small, found = shrink.shrink(judge, spec, target, wanted, budget)
        if found is not None:
            record["small"], record["class"] = small, shrink.signature(small)
            now = judge.model(small, target, fixes=False)
            if wanted in shrink.KIN and now["outcome"] not in shrink.KIN[wanted]:
                # The smaller model does not show it again: what was seen on the whole model counts, as it was.
                record.pop("small"), record.pop("class")
                return record | {"outcome": "missed" if wanted == "fusion" else wanted, "spec": spec}
            if wanted in ("missed", "fusion"):
                # What is left has an element-wise node that was said to be the same, or it has none.
                judged = set(now["ops"]) - QUANTISES and not judge.is_refused_without(small, target)
                record["outcome"] = "missed" if judged else "other"
                record["kind"] = "fusion" if len(small["nodes"]) > 1 else "node"
            if wanted in WRONG:
                record["why"] = now["why"]
    if record["outcome"] == "fusion":
        record["outcome"] = "missed"
    if "class" not in record:
        record["spec"] = spec
    return record


def judged(judge, number, seed, formats, wanted, tally):
    """Return the line of one model."""
    profile, spec = generate.model(seed, number, formats)
    line = {"number": number, "profile": profile, "targets": {}}
    if spec is None:
        return line
    line |= {"format": spec["format"], "opset": spec.get("opset"), "open": bool(spec["sizes"])}
    for target in targets(profile, spec):
        if wanted and target not in wanted:
            continue
        try:
            line["targets"][target] = settled(judge, spec, target, judge.model(spec, target), tally)
        except Left as why:
            line["targets"][target] = {"outcome": "left-out", "why": re.sub(r"[\d.]+", "0", str(why))[:60]}
        except Exception as why:  # noqa: BLE001 - one model must not end a run; the page counts these
            trace = traceback.format_exc()[-500:]
            line["targets"][target] = {"outcome": "not-judged", "why": f"{type(why).__name__}: {why}"[:120], "trace": trace, "spec": spec}
    return line


def part(path, numbers, seed, formats, wanted, until):
    """Judge models one after the other until time is up."""
    engines, tally = Engines(), Counter()
    judge = Judge(engines)
    with path.open("a") as file:
        for number in numbers:
            if time.time() > until:
                break
            file.write(json.dumps(judged(judge, number, seed, formats, wanted, tally)) + "\n")
            file.flush()
        file.write(json.dumps({"versions": engines.versions(), "recovered": engines.recovered()}) + "\n")
    engines.close()


def case_holds(judge, case):
    """Return what is wrong with a case, or None: a model that check and engine agree on, and whose repair holds."""
    try:
        record = judge.model(case["model"], case["target"])
    except Left as why:
        return f"left out: {why}"
    found = disagreement(record)
    return f"{found}: {record.get('repair_why') or record['why']}" if found not in (None, "other") else None



