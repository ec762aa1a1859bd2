"""Compares what `broadaxe check` says of a model for a target with what the engine does, and checks what `fix` does with it."""

import functools
import itertools
from collections import Counter

import numpy as np

from . import onnx_form, paddle_form
from . import spec as specs
from .compare import HALF_LEVELS, HALVED, apart, bits, equal, finite
from .forms import File, Left, truth

# Verdicts that say the target does not do what the model says.
BAD = ("differs", "refused", "unsupported", "guarded")


class Judge:
    """Judges models; `deep` also attributes, and runs `fix`."""

    def __init__(self, engines):
        self.engines = engines

    def model(self, spec, target, fixes=True):
        """Return the record of one model and target; raises Left where nothing can be learned."""
        try:
            values = truth(self.engines, spec, levels=HALF_LEVELS if target in HALVED else 1)
        except Left as why:
            # What OpenVINO writes of such a model follows its own rules.
            if "invalid" not in spec or "refuses it" not in str(why) or spec["format"] == "ir-onnx":
                raise
            return self._invalid(spec, target)
        valid(spec, values)
        file = File(self.engines, spec)
        file.keeps(values)
        want = [values[name] for name in spec["outputs"]] if spec["format"] != "ncnn" else self._own(file)
        check = file.check(target)
        verdicts = {file.names().get(one.node): one.verdict for one in check.findings}
        reasons = {file.names().get(one.node): one.reason for one in check.findings if one.verdict in BAD}
        record = {
            "nodes": check.nodes, "unknown": sum(one == "unknown" for one in verdicts.values()),
            "bad": sum(one in BAD for one in verdicts.values()), "ops": [one.op for one in check.findings],
            "undecided": dict(Counter(f"{one.op}: {one.reason}" for one in check.findings if one.verdict == "unknown")),
        }  # fmt: skip
        if spec["sizes"]:
            loose = {file.names().get(one.node): one.verdict for one in file.check(target, open_dims=True).findings}
            record["open_unknown"] = sum(one == "unknown" for one in loose.values())
            worse = [name for name, verdict in loose.items() if verdict == "same" and verdicts.get(name) in BAD]
            if worse:
                return record | {"outcome": "missed", "why": f"said same with open dims, {verdicts[worse[0]]} with their sizes"}
        if target == "paddle" and spec["format"] == "onnx":
            return record | self._paddle(spec, values, verdicts)
        if target == "ncnn-param":
            # The format's own engine: only repairs for others can be asked.
            return record | {"outcome": "right-same"} | (self._repair(file, "numpy", want, target) if fixes else {})
        wrong = file.wrong(target, want)
        record["why"] = wrong[1][-300:] if wrong else next(iter(reasons.values()), "")
        record["outcome"] = self.outcome(spec, target, values, verdicts, wrong)
        if fixes:
            record |= self._repair(file, target, want, target)
            if record.get("repair") == "failed" and record["outcome"] in ("missed", "other"):
                # What was never flagged is no repair that failed.
                record["repair"] = "not flagged"
        return record

    def outcome(self, spec, target, values, verdicts, wrong):
        """Say what verdicts, by the values that they are about, come to, given what is wrong with the engine's outputs."""
        bad = any(one in BAD for one in verdicts.values())
        if not wrong:
            return self._alarm(spec, target) if bad else "right-same"
        return self._explained(spec, target, values, verdicts) if bad else self._cause(spec, target, values, verdicts)

    def _invalid(self, spec, target):
        """Return the record of a model that ONNX does not allow: of no such node may be said that the target does what the model says."""
        file = File(self.engines, spec)
        try:
            check = file.check(target)
        except ValueError as why:
            return {"nodes": 0, "unknown": 0, "bad": 1, "ops": [], "outcome": "right-bad", "why": str(why)[:200]}
        wrong = [one for one in check.findings if one.verdict == "same" and file.names().get(one.node) in spec["invalid"]]
        record = {"nodes": check.nodes, "unknown": 0, "bad": 1, "ops": [one.op for one in check.findings]}
        why = f"an invalid {wrong[0].op} is said to be the same" if wrong else ""
        return record | {"outcome": "missed" if wrong else "right-bad", "why": why}

    def _own(self, file):
        kind, found = file.run("ncnn-param")
        if kind != "ok":
            raise Left("ncnn does not run what pnnx wrote")
        if not finite(found):
            raise Left("its numbers are not finite")
        return found

    def _alarm(self, spec, target):
        """Say whether a verdict that is not `same` is a false alarm: the engine is right for other numbers too, every intermediate exposed.

        Where it is wrong only when every value is shown, the numbers hide it, or what the node is fused into makes it right.
        """
        if "invalid" in spec:
            # What the engine gives is not what ONNX says, as it says nothing.
            return "right-bad"
        hidden = False
        # What is read past an end is another number in each run, which a maximum of two elements mostly hides.
        for more in range(1, 8):
            plain = spec | {"seed": spec["seed"] + more}
            for shown in (plain, specs.exposed(plain)) if more < 3 and spec["format"] == "onnx" else (plain,):
                try:
                    values = truth(self.engines, shown)
                    wrong = File(self.engines, shown).wrong(target, [values[name] for name in shown["outputs"]])
                except Left:
                    continue
                if wrong:
                    if shown is plain:
                        return "right-bad"
                    hidden = True
        if hidden or self._without_effect(spec, target) or (spec["format"] in ("onnx", "ir-onnx") and self._masked(spec, target)) or self._uniform(spec, target):
            return "hidden"
        return "false-alarm"

    def _without_effect(self, spec, target):
        """Say whether every flagged node has an operand that shows nothing: a slope of data above 0, a product with 0, one number."""
        values = truth(self.engines, spec)
        arrays = dict(values) | specs.feeds(spec) | {name: specs.constant(spec, name) for name in spec["constants"]}
        file = File(self.engines, spec)
        flagged = {file.names().get(one.node) for one in file.check(target).findings if one.verdict in BAD}
        uniform = lambda name: name in spec["constants"] and arrays[name].size > 1 and np.ptp(arrays[name].astype(float)) == 0
        fmod = {outputs[0] for op, _, outputs, attributes in spec["nodes"] if op == "Mod" and attributes.get("fmod")}
        hides = lambda op, names, output: (
            any(map(uniform, names))
            # The sign of the remainder is the dividend's, and may be the divisor's too.
            or output in fmod and all(name in arrays for name in names) and equal(arrays[output], np.mod(*(arrays[name] for name in names)))
            # Half of the bytes are the same number with a sign or without.
            or op == "QuantizeLinear" and output in arrays and arrays[output].dtype == np.uint8 and arrays[output].max(initial=0) < 128
            or op == "DequantizeLinear" and arrays[names[0]].dtype == np.uint8 and arrays[names[0]].max(initial=0) < 128
            or output in arrays and arrays[output].dtype == np.bool_ and len(np.unique(arrays[output])) < 2
            or op in ("PRelu", "PReLU") and names[0] in arrays and arrays[names[0]].min(initial=0) >= 0
            or op in ("Mul", "Multiply") and any(name in arrays and not arrays[name].any() for name in names)
            or op in ("Max", "Min") and len(names) > 2 and self._two_do(op, names, arrays)
        )  # fmt: skip
        nodes = [(op, inputs, outputs[0]) for op, inputs, outputs, _ in spec["nodes"] if outputs[0] in flagged]
        return bool(nodes) and all(hides(*node) for node in nodes)

    @staticmethod
    def _two_do(op, names, arrays):
        """Say whether two operands give what all of them give."""
        if not all(name in arrays for name in names):
            return False
        fold = np.maximum if op == "Max" else np.minimum
        whole = functools.reduce(fold, (arrays[name] for name in names))
        return any(np.array_equal(whole, fold(arrays[one], arrays[other])) for one, other in itertools.combinations(names, 2))

    def _uniform(self, spec, target):
        """Say whether the engine is wrong where constants that are one number everywhere are drawn."""
        drawn = {name: given[:2] if given[0] == "f32" and len(given) > 2 and np.prod(given[1]) > 1 else given for name, given in spec["constants"].items()}
        if drawn == spec["constants"]:
            return False
        other = spec | {"constants": drawn}
        try:
            values = truth(self.engines, other)
            kind, found = File(self.engines, other).run(target)
        except Left:
            return False
        return kind != "ok" or apart([values[name] for name in other["outputs"]], found) is not None

    def _masked(self, spec, target):
        """Say whether the engine is wrong where the model ends with an earlier value: what comes after hides it."""
        for k in range(len(spec["nodes"])):
            cut = specs.pruned(spec | {"nodes": spec["nodes"][: k + 1], "outputs": [spec["nodes"][k][2][0]]})
            try:
                values = truth(self.engines, cut)
                kind, found = File(self.engines, cut).run(target)
            except Left:
                continue
            if kind != "ok" or apart([values[name] for name in cut["outputs"]], found):
                return True
        return False

    def _run_all(self, spec, target):
        """Return the values of all nodes on the engine by name, or why it refuses."""
        shown = specs.exposed(spec)
        kind, found = File(self.engines, shown).run(target)
        return (dict(zip(shown["outputs"], found)), "") if kind == "ok" else (None, found)

    def culprit(self, spec, target, values):
        """Return the place of the first node that an engine gets wrong or refuses with all values shown; None for a fusion."""
        found, _ = self._run_all(spec, target)
        if found is not None:
            for k, (_, _, outputs, _) in enumerate(spec["nodes"]):
                if not all(equal(values[name], found[name]) for name in outputs if name in found):
                    return k
            return None
        low, high = 0, len(spec["nodes"])
        while low < high:
            middle = (low + high) // 2
            part = spec | {"nodes": spec["nodes"][: middle + 1]}
            part = specs.pruned(part | {"outputs": specs.made(part)})
            if self._run_all(part, target)[0] is None:
                high = middle
            else:
                low = middle + 1
        return low if low < len(spec["nodes"]) else None

    def _explained(self, spec, target, values, verdicts):
        """Say whether what was said to be bad is what is bad."""
        if spec["format"] == "ncnn" or spec.get("functions"):
            return "right-bad"
        place = self.culprit(spec, target, values)
        if place is None:
            return "right-bad"
        name = spec["nodes"][place][2][0]
        if verdicts.get(name) == "same":
            # What a flagged node gives it may already be wrong in the file of a whole.
            return "missed" if self._alone(spec, place, target, values, unsaid=True) else "right-bad"
        return "right-bad"

    def _alone(self, spec, place, target, values, unsaid=False):
        """Whether a node alone, given its true operands, is wrong on the engine; with `unsaid`, and check does not say so of it alone."""
        for opened in (False, True)[: 1 + bool(spec["sizes"])]:
            alone = single(spec, place, values, opened)
            try:
                true, file = truth(self.engines, alone), File(self.engines, alone)
                kind, found = file.run(target)
            except Left:
                continue
            if kind != "ok" or apart([true[name] for name in alone["outputs"]], found):
                # An output of a model may be computed in another way than the same value between nodes.
                return not (unsaid and any(one.verdict in BAD for one in file.check(target).findings))
        return False

    def _cause(self, spec, target, values, verdicts):
        """Say why an engine is wrong where check finds nothing: an element-wise node, something else, or a node that is unknown."""
        if any(verdict == "unknown" for verdict in verdicts.values()):
            return "unknown"
        if spec["format"] == "ncnn" or spec.get("functions") or target == "mnn" and self._is_long(spec, values):
            return "other"
        place = self.culprit(spec, target, values)
        # pnnx follows the batch through the whole graph: a node alone is another question there.
        if place is not None and (target == "ncnn" or self._alone(spec, place, target, values)):
            # In a file of OpenVINO a normalisation is many nodes, some of them not element-wise.
            many = spec["format"] == "ir-onnx" and spec["nodes"][place][0] == "LayerNormalization"
            return "missed" if spec["nodes"][place][2][0] in verdicts and not many else "other"
        alone = self._before(spec, target) or self._not_judged(spec, target, values, verdicts)
        return "other" if alone else "fusion"

    def _not_judged(self, spec, target, values, verdicts):
        """Say whether a node that has no verdict is wrong alone."""
        if spec["format"] != "onnx":
            return False
        return any(self._alone(spec, k, target, values) for k, (_, _, outputs, _) in enumerate(spec["nodes"]) if outputs[0] not in verdicts)

    def is_refused_without(self, spec, target):
        """Say whether the engine refuses the nodes without a verdict also where numbers stand for all that have one."""
        file = File(self.engines, spec)
        if spec["format"] != "onnx" or file.run(target)[0] == "ok":
            return False
        values, verdicts = truth(self.engines, spec), {file.names().get(one.node) for one in file.check(target).findings}
        known = set(spec["constants"])
        for _, inputs, outputs, _ in spec["nodes"]:
            known |= set(outputs) if known.issuperset(name for name in inputs if name) else set()
        kinds = {np.dtype(kind): name for name, kind in specs.TYPES.items()}
        kept = [node for node in spec["nodes"] if node[2][0] not in verdicts and not known.intersection(node[2])]
        made = {name for node in kept for name in node[2]}
        rest = spec | {"nodes": kept, "outputs": [name for name in spec["outputs"] if name in made]}
        rest |= {"inputs": dict(spec["inputs"]), "constants": dict(spec["constants"])}
        for name in {name for node in kept for name in node[1] if name in values} - made:
            array = values[name]
            if name in known:
                rest["constants"][name] = [kinds[array.dtype], list(array.shape), array.ravel().tolist()]
            else:
                rest["inputs"][name] = [kinds[array.dtype], list(array.shape)]
        return bool(rest["outputs"]) and File(self.engines, specs.pruned(rest)).run(target)[0] != "ok"

    def _is_long(self, spec, values):
        """Say whether MNN gives the result of a 1-D convolution without a bias, in which nothing broadcasts, an axis more, and no other."""
        kind, found = File(self.engines, spec).run("mnn")
        ends = {outputs[0] for op, inputs, outputs, _ in spec["nodes"] if op == "Conv" and len(inputs) == 2 and values[outputs[0]].ndim == 3}
        return kind == "ok" and all(
            equal(values[name], got.reshape(values[name].shape) if name in ends and got.shape == (*values[name].shape, 1) else got)
            for name, got in zip(spec["outputs"], found)
        )

    def _before(self, spec, target):
        """Say whether the engine is wrong already where the model ends before its first node with a verdict."""
        if spec["format"] != "onnx":
            return False
        for k, (_, _, outputs, _) in enumerate(spec["nodes"]):
            cut = specs.pruned(spec | {"nodes": spec["nodes"][: k + 1], "outputs": [outputs[0]]})
            try:
                values = truth(self.engines, cut)
                file = File(self.engines, cut)
                kind, found = file.run(target)
            except Left:
                continue
            if kind != "ok" or apart([values[outputs[0]]], found):
                return not file.check(target).findings
        return False

    def _paddle(self, spec, values, verdicts):
        """Judge the element-wise nodes of an ONNX model by the functions of Paddle, a node at a time."""
        arrays = dict(values) | specs.feeds(spec) | {name: specs.constant(spec, name) for name in spec["constants"]}
        nodes = [node for node in spec["nodes"] if node[2][0] in verdicts]
        calls = [(op, [arrays[name] for name in inputs if name], attributes) for op, inputs, _, attributes in nodes]
        kind, found = self.engines.ask("paddle", "call", **paddle_form.calls(calls))
        if kind != "ok":
            return {"outcome": "other", "why": str(found)}
        outcome, why = "right-same", ""
        missing = len(verdicts) - len(nodes) + sum(answer is None for answer in found)
        for k, ((op, _, (name, *_), _), answer) in enumerate(zip(nodes, found)):
            if answer is None or verdicts[name] == "unknown":
                continue
            right = not isinstance(answer, str) and equal(arrays[name], answer)
            if right and verdicts[name] in BAD and not self._numbers_hide(op, [arrays[one] for one in nodes[k][1] if one]):
                outcome, why = "false-alarm", f"{op}: said {verdicts[name]}"
            elif not right and verdicts[name] == "same":
                return {"outcome": "missed", "why": f"{op}: {answer if isinstance(answer, str) else 'other numbers'}"[:200], "not_asked": missing}
            elif not right and outcome == "right-same":
                outcome = "right-bad"
        return {"outcome": outcome, "why": why, "not_asked": missing}

    def _numbers_hide(self, op, operands):
        """Say whether Paddle gives something else for other numbers: negative data of a slope, quotients that are rounded down and not towards 0."""
        if op == "Div" and operands[0].dtype.kind == "i":
            quotients = operands[0] / operands[1]
            return np.array_equal(np.floor(quotients), np.trunc(quotients))
        if op != "PRelu":
            return False
        data, slope = operands
        data = -np.abs(data) - 1
        _, (answer,) = self.engines.ask("paddle", "call", **paddle_form.calls([("PRelu", [data, slope], {})]))
        return isinstance(answer, str) or not equal(data * slope, answer)

    def _repair(self, file, target, want, runs):
        """Return what `fix` claims, and whether it holds."""
        try:
            record, fixed = file.fix(target)
        except ValueError as why:
            return {"repair": "raised", "repair_why": str(why)[-200:]}
        if not record.changes:
            return {"repair": "left"} if record.left else {}
        found = {"changes": [one.change for one in record.changes][:4]}
        again, twice = file.fix(target, fixed)
        if twice[0] != fixed[0]:
            found |= {"idempotent": False, "again": [one.change for one in again.changes][:4]}
        if file.form == "onnx":
            found |= self._same_meaning(file, fixed[0])
        after = [one.verdict for one in file.check(target, model=fixed).findings]
        left = [one for one in after if one in BAD]
        if left and not record.left:
            found["second_check"] = left
        if record.left:
            return found | {"repair": "left"}
        wrong = file.wrong(runs, want, fixed)
        if not wrong:
            return found | {"repair": "held"}
        if "unknown" in after:
            # Of a node that stays undecided nothing is claimed.
            return found | {"repair": "undecided"}
        kind = "other" if self._elsewhere(file, target, fixed[0]) else "failed"
        return found | {"repair": kind, "repair_why": wrong[1][-300:]}

    def _elsewhere(self, file, target, fixed):
        """Whether a changed model is wrong for a node that is not element-wise and that `fix` did not add."""
        if file.form != "onnx" or file.spec["opset"] < 7:
            return False
        try:
            spec = onnx_form.read(fixed) | {"seed": file.spec["seed"], "sizes": file.spec["sizes"]}
            if self._untouched(file.spec, spec, target):
                return True
            if self.model(spec, target, fixes=False)["outcome"] != "other":
                return False
            place = self.culprit(spec, target, truth(self.engines, spec))
            return place is not None and spec["nodes"][place][2][0] in specs.made(file.spec)
        except (Left, ValueError, KeyError):
            return False

    def _untouched(self, old, new, target):
        """Say whether every output that is wrong by itself comes from nodes that a repair left as they were."""
        if len(new["outputs"]) < 2:
            return False
        values, wrong = truth(self.engines, new), 0
        for name in new["outputs"]:
            one = specs.pruned(new | {"outputs": [name]})
            kind, found = File(self.engines, one).run(target)
            if kind == "ok" and not apart([values[name]], found):
                continue
            wrong += 1
            before = specs.pruned(old | {"outputs": [name]})
            if [node[:3] for node in before["nodes"]] != [node[:3] for node in one["nodes"]]:
                return False
        return wrong > 0

    def _same_meaning(self, file, fixed):
        """Say whether the changed model gives the same bits in ONNX Runtime with its optimisations off."""
        if file.spec["opset"] < 7:
            return {}
        feeds, options = [specs.feeds(file.spec)], {"optimise": False}
        one, two = (self.engines.run("onnxruntime", model, feeds, options=options) for model in (file.model, fixed))
        return {"bits": one[0] == two[0] == "ok" and bits(one[1][0], two[1][0])}


def valid(spec, values):
    """Raise Left for a slope that is larger than its data: ONNX Runtime and others take it, each in its own way."""
    arrays = dict(values) | specs.feeds(spec) | {name: specs.constant(spec, name) for name in spec["constants"]}
    for op, inputs, outputs, attributes in spec["nodes"]:
        if op == "PRelu" and spec.get("opset", 7) >= 7 and all(name in arrays for name in (*inputs, *outputs)):
            data, slope = arrays[inputs[0]].shape, arrays[inputs[1]].shape
            if np.broadcast_shapes(data, slope) != data:
                raise Left("a slope is larger than its data")
        if op == "QuantizeLinear" and all(name in arrays for name in inputs[:2]) and not attributes.get("block_size"):
            data, scale = arrays[inputs[0]].astype(np.float64), arrays[inputs[1]].astype(np.float64)
            along = [1] * data.ndim
            if scale.size > 1 and scale.ndim == 1 and data.ndim:
                along[attributes.get("axis", 1)] = -1
                scale = scale.reshape(along)
            levels = data / scale
            # What integers come to is not moved by the nudges of truth().
            if (np.abs(levels - np.floor(levels) - 0.5) < 1e-5).any():
                raise Left("an element is between two levels of a quantisation")
        if op == "LayerNormalization" and inputs[0] in arrays:
            data = arrays[inputs[0]]
            axis = attributes.get("axis", -1) % data.ndim
            rows = data.reshape(*data.shape[:axis], -1).astype(np.float64)
            if (rows.std(axis=-1) < 1e-3 * np.abs(rows).max(axis=-1, initial=0)).any():
                raise Left("a normalisation of equal elements shows nothing but rounding")


def single(spec, place, values, opened=False):
    """Return a spec of one node, whose computed operands are inputs; `opened`, with dims of any size."""
    op, inputs, outputs, attributes = node = spec["nodes"][place]
    alone = spec | {"nodes": [node], "outputs": list(outputs), "inputs": dict(spec["inputs"]), "sizes": dict(spec["sizes"])}
    kinds = specs.types(spec)
    for name in specs.reads(node):
        if name not in spec["inputs"] and name not in spec["constants"]:
            dims = list(values[name].shape)
            if opened:
                alone["sizes"] |= {f"D{name}{k}": dim for k, dim in enumerate(dims)}
                dims = [f"D{name}{k}" for k in range(len(dims))]
            alone["inputs"][name] = [kinds[name], dims]
    return specs.pruned(alone)


__all__ = ["BAD", "Judge", "Left", "onnx_form", "single"]
