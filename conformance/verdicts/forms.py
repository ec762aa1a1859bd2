"""What each format and target is to the judge: the file that `broadaxe` is asked about, what it means, and which engine runs it."""

import re
import tempfile
from pathlib import Path

import broadaxe
import numpy as np
from engines import ENGINES, installed

from . import ir_form, onnx_form, paddle_form
from . import spec as specs
from .compare import HALF_LEVELS, HALVED, apart, finite

# The targets that models of a profile or a format are asked for.
TARGETS = {
    "onnx": ("openvino", "onnx", "paddle", "mnn", "tvm", "opencv"), "ncnn": ("ncnn-param",), "ir": ("openvino",), "ir-onnx": ("openvino",),
    "paddle": ("openvino", "paddle"),
}  # fmt: skip
ENGINE = {"onnx": "onnxruntime", "openvino": "openvino", "ncnn": "ncnn", "ncnn-param": "ncnn", "paddle": "paddle"}
ENGINE |= {name: name for name in ENGINES if name not in ENGINE}
# The engines that write the files of a format.
WRITER = {"ncnn": "ncnn", "ir-onnx": "openvino", "paddle": "paddle"}


def targets(profile, spec):
    """Return the targets to ask about a model: those whose engines are installed."""
    found = TARGETS[spec["format"]]
    if profile in ("ncnn", "old"):
        found = ("ncnn",) if profile == "ncnn" else ("openvino", "onnx")
    return [target for target in found if installed(ENGINE[target]) and installed(WRITER.get(spec["format"], "onnxruntime"))]


class Left(Exception):
    """A model that nothing can be learned from, and why."""


def meaning(spec):
    """Return the spec of ONNX that says what a spec means; values keep their names."""
    if spec["format"] == "ir":
        return ir_form.modern(spec)
    if spec["format"] == "paddle":
        return paddle_form.modern(spec)
    if spec["format"] == "onnx" and spec["opset"] < 7:
        return onnx_form.modern(spec)
    return spec | {"format": "onnx"}


def sized(spec):
    """Return a spec without open dims."""
    inputs = {name: [kind, specs.concrete(spec, dims)] for name, (kind, dims) in spec["inputs"].items()}
    return spec | {"inputs": inputs, "sizes": {}}


def truth(engines, spec, turn=0, redraw=0, levels=1):
    """Return the values of all nodes by name, as ONNX Runtime gives them with its optimisations off."""
    try:
        model = onnx_form.build(specs.exposed(meaning(spec)), redraw).SerializeToString()
    except (ValueError, KeyError, IndexError) as why:
        raise Left(f"the meaning is not written: {why}") from why
    feeds = specs.feeds(spec, turn)
    # An element between two levels of a quantisation is rounded either way.
    levels = max(levels, 10 if any(node[0] == "QuantizeLinear" for node in spec["nodes"]) else 1)
    near = [specs.nudged(feeds, sign * levels) for sign in (1, -1)]
    kind, found = engines.run("onnxruntime", model, [feeds, *near], options={"optimise": False})
    if kind != "ok":
        raise Left("ONNX Runtime refuses it with optimisations off: " + found[-160:])
    if not finite(found[0]):
        raise Left("its numbers are not finite")
    rtol = 1e-2 if levels == HALF_LEVELS else 2e-3
    if apart(found[0], found[1], rtol) or apart(found[0], found[2], rtol):
        raise Left("its result jumps under a small change")
    return dict(zip(specs.made(meaning(spec)), found[0]))


class File:
    """A model in its format, as `broadaxe` and an engine take it."""

    def __init__(self, engines, spec, redraw=0):
        self.engines, self.spec, self.form = engines, spec, spec["format"]
        self.weights = self.script = None
        if self.form == "ir":
            self.model, self.weights = ir_form.build(spec)
        elif self.form == "paddle":
            self.model, self.weights = self._asked("paddle", "write", **paddle_form.program(spec))
        else:
            self.model = onnx_form.build(spec, redraw).SerializeToString()
            self.order = list(spec["inputs"])
            if self.form == "ir-onnx":
                self.model, self.weights = self._convert("openvino", self.model)
            elif self.form == "ncnn":
                sized_model = onnx_form.build(sized(spec), redraw).SerializeToString()
                self.model, self.weights, self.script = self._convert("ncnn", sized_model)

    def _convert(self, engine, model):
        return self._asked(engine, "convert", model=model)

    def _asked(self, engine, do, **request):
        kind, answer = self.engines.ask(engine, do, **request)
        if kind != "ok":
            raise Left(f"{engine} does not write it: {answer[-160:]}")
        return answer

    def keeps(self, values):
        """Raise Left where OpenVINO wrote another model than it read: one whose outputs have other shapes, or that quantises along another axis."""
        if self.form != "ir-onnx":
            return
        for name in self.spec["outputs"]:
            found = re.search(rf'output_names="{name}">\s*<input>\s*<port[^>]*?(/>|>(.*?)</port>)', self.model.decode(), re.DOTALL)
            dims = re.findall(r"<dim>(-?\d+)</dim>", found[2] or "") if found else []
            if found and "-1" not in dims and tuple(map(int, dims)) != values[name].shape:
                raise Left("OpenVINO writes a model of another meaning")
        for op, names, outputs, attributes in self.spec["nodes"] if self.spec["sizes"] else ():
            # Where the dim of the scales is open, their axis is not found, and they are written along the last one.
            if op == "QuantizeLinear" and outputs[0] in values and np.prod(self.spec["constants"].get(names[1], [0, []])[1]) > 1:
                rank = values[outputs[0]].ndim
                if attributes.get("axis", 1) % rank != rank - 1:
                    raise Left("OpenVINO may write scales along another axis")

    def _shapes(self, target):
        """Return the sizes that are told; TVM compiles a model for every size that a name may have."""
        if self.form == "ncnn":
            # pnnx removes the axis of the batch, if it exists: 233 says that it does not.
            batch = {int(k): int(axis) for k, axis in re.findall(r"in(\d+)\.numpy\(\), batch_index=(\d+)", self.script.decode())}
            dims = [specs.concrete(self.spec, self.spec["inputs"][name][1]) for name in self.order]
            if not all(re.search(rf"^Input +in{k} ", self.model.decode(), re.MULTILINE) for k in range(len(dims))):
                raise Left("pnnx leaves out an input")
            return {f"in{k}": [dim for at, dim in enumerate(one) if at != batch.get(k)] for k, one in enumerate(dims)}
        if not self.spec["sizes"] or target == "tvm":
            return {}
        if self.form == "ir-onnx" and any(f'name="{name}" type="Parameter"' not in self.model.decode() for name in self.spec["inputs"]):
            raise Left("OpenVINO gives an input another name when it writes the file")
        return {name: specs.concrete(self.spec, dims) for name, (_, dims) in self.spec["inputs"].items()}

    def _path(self, folder, model, weights):
        suffixes = {"ir": ("xml", "bin"), "ir-onnx": ("xml", "bin"), "paddle": ("pdmodel", "pdiparams"), "ncnn": ("ncnn.param", "ncnn.bin")}
        first, second = suffixes[self.form]
        path = Path(folder) / f"m.{first}"
        path.write_bytes(model)
        (Path(folder) / f"m.{second}").write_bytes(weights)
        return path, Path(folder) / f"m.{second}"

    def check(self, target, open_dims=False, model=None):
        """Ask `broadaxe check`; with `open_dims` the sizes that names have are not told."""
        model = model or (self.model, self.weights)
        given = {"targets": [target]} if open_dims else {"targets": [target], "input_shapes": self._shapes(target)}
        if self.form == "onnx":
            return broadaxe.check(model[0], **given)
        with tempfile.TemporaryDirectory() as folder:
            return broadaxe.check(self._path(folder, *model)[0], **given)

    def fix(self, target, model=None):
        """Ask `broadaxe fix`; return its record and the changed files."""
        model = model or (self.model, self.weights)
        if self.form == "onnx":
            record = broadaxe.fix(model[0], [target], input_shapes=self._shapes(target))
            return record, (record.model_bytes or model[0], None)
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
            path, _ = self._path(folder, *model)
            out, weights = self._path(other, b"", b"")
            out.unlink()
            weights.unlink()
            record = broadaxe.fix(path, [target], out=out, input_shapes=self._shapes(target))
            return record, (out.read_bytes() if out.exists() else model[0], weights.read_bytes() if weights.exists() else model[1])

    def run(self, target, turn=0, model=None):
        """Run the engine of a target; return ("ok", outputs) or ("refused", why)."""
        kind, found = self.runs(target, (turn,), model)
        return (kind, found[0]) if kind == "ok" else (kind, found)

    def wrong(self, target, want, model=None):
        """Return what is wrong with the first run, or with one after a run of other numbers, which may have overwritten a constant; else None."""
        kind, found = self.runs(target, (0, 1, 0), model)
        if kind != "ok" and not self._means(1):
            # With the other numbers the model itself is refused: a divisor is 0.
            kind, found = self.runs(target, (0,), model)
        if kind != "ok":
            return 0, f"refused: {found}"
        # What is computed in f16 on the way may be rounded elsewhere.
        rtol = 1e-2 if target in HALVED or "f16" in specs.types(self.spec).values() else 2e-3
        first, later = apart(want, found[0], rtol), apart(want, found[-1], rtol)
        return first or later and (later[0], f"in a later run, {later[1]}")

    def _means(self, turn):
        """Whether the model has a meaning for the numbers of a turn."""
        try:
            return bool(truth(self.engines, self.spec, turn))
        except Left:
            return False

    def runs(self, target, turns, model=None):
        """Run the engine of a target once for each turn; return ("ok", the outputs of each) or ("refused", why)."""
        data, weights = model or (self.model, self.weights)
        engine, feeds, more = ENGINE[target], [specs.feeds(self.spec, turn) for turn in turns], {}
        if target == "onnx" and self.form == "onnx" and self.spec["opset"] < 7:
            old = self.spec if model is None else onnx_form.read(data)
            data = onnx_form.build(onnx_form.restamped(old)).SerializeToString()
        if self.form in ("ir", "ir-onnx", "paddle"):
            more = {"weights": weights, "format": "paddle" if self.form == "paddle" else "openvino"}
        elif self.form == "ncnn":
            more = {"weights": weights, "format": "ncnn", "options": {"script": self.script.decode()}}
        elif engine == "ncnn" and self.spec["sizes"] and model is None:
            data = onnx_form.build(sized(self.spec)).SerializeToString()
        elif engine == "tvm":
            more = {"options": {"optimise": False}}
        return self.engines.run(engine, data, feeds, self.spec["outputs"], **more)

    def names(self):
        """Return the value that each node's finding is about, by the name that findings use."""
        return {name: out for op, _, (out, *_), _ in self.spec["nodes"] for name in (f"n_{out}", f"{op}({out})", out)}
