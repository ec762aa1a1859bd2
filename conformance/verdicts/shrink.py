"""Makes a model on which check and engine disagree as small as it gets, while they still do."""

import copy

from . import spec as specs
from .forms import Left, truth

# Outcomes that are the same disagreement: which of them it is may change while a model shrinks.
KIN = {"missed": ("missed", "fusion"), "fusion": ("missed", "fusion"), "false-alarm": ("false-alarm",), "other": ("other",)}
EXTENTS = (7, 5, 4, 3, 2)


def outcome(judge, spec, target, wanted):
    """Return the outcome of a model if it is the disagreement that is wanted, else None."""
    try:
        if wanted in KIN:
            found = judge.model(spec, target, fixes=False)["outcome"]
            return found if found in KIN[wanted] else None
        record = judge.model(spec, target)
    except (Left, ValueError, KeyError, IndexError, TypeError):
        return None
    if wanted == "failed":
        return wanted if record.get("repair") == "failed" else None
    if wanted == "second":
        return wanted if record.get("second_check") else None
    return wanted if record.get("idempotent") is False else None


def _shorter(spec, values):
    """Yield specs with fewer nodes: one output, a node replaced by an input, a node left out."""
    kinds = specs.types(spec)
    for name in spec["outputs"]:
        if len(spec["outputs"]) > 1:
            yield specs.pruned(spec | {"outputs": [name]})
    for name in specs.made(spec):
        if [name] != spec["outputs"]:
            yield specs.pruned(spec | {"outputs": [name]})
    for k, (_, inputs, outputs, _) in enumerate(spec["nodes"]):
        if outputs[0] in values and outputs[0] not in spec["outputs"]:
            new = copy.deepcopy(spec)
            del new["nodes"][k]
            new["inputs"][outputs[0]] = [kinds[outputs[0]], list(values[outputs[0]].shape)]
            yield specs.pruned(new)
    for k, (_, inputs, outputs, _) in enumerate(spec["nodes"]):
        for name in inputs:
            if name in values and outputs[0] in values and values[name].shape == values[outputs[0]].shape and kinds[name] == kinds[outputs[0]]:
                new = copy.deepcopy(spec)
                del new["nodes"][k]
                for node in new["nodes"]:
                    node[1] = [name if one == outputs[0] else one for one in node[1]]
                new["outputs"] = [name if one == outputs[0] else one for one in new["outputs"]]
                if name in specs.made(new) and set(new["outputs"]) <= set(specs.made(new)):
                    yield specs.pruned(new)


def _smaller(spec):
    """Yield specs with smaller shapes: no open dims, another number in place of an extent, a constant of lower rank, an optional operand less."""
    if spec["sizes"]:
        yield spec | {"sizes": {}, "inputs": {name: [kind, specs.concrete(spec, dims)] for name, (kind, dims) in spec["inputs"].items()}}
    for old in EXTENTS:
        for new in (1, 2, 3):
            if new < old:
                yield _replaced(spec, old, new)
    for name, (kind, dims, *values) in spec["constants"].items():
        if kind == "f32" and dims and dims[0] == 1:
            yield spec | {"constants": spec["constants"] | {name: [kind, dims[1:], *values]}}
    for k, (op, inputs, _, _) in enumerate(spec["nodes"]):
        if op in ("Conv", "Gemm", "LayerNormalization") and len(inputs) == 3:
            new = copy.deepcopy(spec)
            new["nodes"][k][1].pop()
            yield specs.pruned(new)


def _replaced(spec, old, new):
    """Return a spec with an extent exchanged wherever it is one: in inputs, constants, lists of dims, kernels and shapes."""
    swap = lambda dims: [new if dim == old else dim for dim in dims]
    made = copy.deepcopy(spec)
    made["sizes"] = {name: new if size == old else size for name, size in made["sizes"].items()}
    for entry in made["inputs"].values():
        entry[1] = swap(entry[1])
    for entry in made["constants"].values():
        entry[1] = swap(entry[1])
        if len(entry) == 3 and isinstance(entry[2], list):
            if entry[0] == "i64":
                entry[2] = swap(entry[2])
            size = 1
            for dim in entry[1]:
                size *= dim
            if len(entry[2]) != size:
                entry[2] = (entry[2] * size)[:size]
    for node in made["nodes"]:
        for key in ("kernel_shape", "shape"):
            if key in node[3]:
                node[3][key] = swap(node[3][key])
        if "pads" in node[3]:
            node[3]["pads"] = [min(pad, new // 2) if pad == old // 2 else pad for pad in node[3]["pads"]]
        if node[3].get("group") == old:
            node[3]["group"] = new
    return made


def shrink(judge, spec, target, wanted, budget=120):
    """Return the smallest spec found, and its outcome."""
    best, found = spec, outcome(judge, spec, target, wanted)
    if found is None:
        return spec, None
    changed = True
    while changed and budget > 0:
        changed = False
        try:
            values = truth(judge.engines, best)
        except Left:
            break
        for candidates in (_shorter(best, values), _smaller(best)):
            for new in candidates:
                if not new["nodes"] or specs.text(new) == specs.text(best):
                    continue
                budget -= 1
                now = outcome(judge, new, target, wanted)
                if now is not None:
                    best, found, changed = new, now, True
                    break
                if budget <= 0:
                    break
            if changed:
                break
    return best, found


def signature(spec):
    """Return what names the class of a minimal model: its operators in order."""
    return " ".join(node[0] for node in spec["nodes"])
