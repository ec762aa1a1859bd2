"""Asks engines: starts the drivers, each in a process of its own with the Python that has its engine, and speaks their protocol.

A driver is a file of `crates/broadaxe-session/engines/`, which `broadaxe check --ask` has too: the one place where an engine is imported, configured, and
given models. What a driver offers is said in its `protocol.py`. `BROADAXE_ENGINES` names the folder of the environments, as for `check --ask`.
"""

import functools
import hashlib
import json
import os
import select
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
DRIVERS = ROOT / "crates" / "broadaxe-session" / "engines"
# Each engine: its driver, the words that it is started with, and the package of its environment; none where this Python has the module.
ENGINES = {
    "onnxruntime": ("onnxruntime", (), "onnxruntime", None),
    "openvino": ("openvino", (), "openvino", None),
    "ncnn": ("ncnn", (), "ncnn", None),
    "paddle": ("paddle", (), "paddle", None),
    "litert": ("litert", (), "ai_edge_litert", None),
    "litert-gpu": ("litert", ("gpu",), "ai_edge_litert", None),
    "litert-micro": ("litert", ("micro",), None, "tflite_micro"),
    "mnn": ("mnn", (), None, "[Mm][Nn][Nn]"),
    "tvm": ("tvm", (), None, "apache_tvm"),
    "ort-webgpu": ("onnxruntime", ("webgpu",), None, "onnxruntime_webgpu"),
    "qnn": ("onnxruntime", ("qnn",), None, "onnxruntime_qnn"),
    "coreml": ("coreml", (), None, "coremltools"),
    "opencv": ("opencv", (), None, "opencv_*python*"),
    "nncase": ("nncase", (), None, "nncase"),
    "rknn": ("rknn", (), None, "rknn_toolkit2"),
}  # fmt: skip
SECONDS = {"ncnn": 90}
# How many answers are kept.
MOST_ANSWERS = 200


def text(name):
    """Return the script of an engine's driver, behind what all drivers share."""
    driver = ENGINES[name][0] if name in ENGINES else name
    return "\n".join((DRIVERS / f"{part}.py").read_text() for part in dict.fromkeys(("protocol", driver)))


def load(name, start=True):
    """Return the driver of an engine as a module of this process; started, unless that is left out."""
    module = ModuleType(f"driver of {name}")
    exec(compile(text(name), f"{name}.py", "exec"), module.__dict__)  # noqa: S102 - scripts of this project
    if start:
        module.device = module.start(*ENGINES[name][1] if name in ENGINES else ())
    return module


PROTOCOL = load("protocol", start=False)


def python_of(name):
    """Return the Python that has an engine, or None; this one for those without an environment of their own."""
    pattern = ENGINES[name][3]
    if pattern is None:
        return sys.executable
    for folder in os.environ.get("BROADAXE_ENGINES", "").split(os.pathsep):
        for python in sorted([Path(folder) / "bin/python", *Path(folder).glob("*/bin/python")]) if folder else ():
            if any(python.parent.parent.glob(f"lib/python*/site-packages/{pattern}-*.dist-info")):
                return str(python)
    return None


@functools.cache
def installed(name):
    """Say whether an engine can be asked on this machine."""
    module = ENGINES[name][2]
    return python_of(name) is not None and (module is None or find_spec(module) is not None)


class Engine:
    """An engine's process, started when it is needed, in a folder of its own."""

    def __init__(self, name, python=None):
        self.name, self.python, self.process, self.version, self.device = name, python, None, "", None
        self.recovered, self.answers = 0, {}

    def run(self, model, feeds, outputs=(), **more):
        """Run a model on several sets of inputs: return ("ok", a list of arrays for each, or None), or another word and why."""
        kind, found = self.ask("run", model=model, inputs=feeds, outputs=list(outputs), **more)
        if kind != "ok":
            return kind, found
        if found is None:
            return kind, [None for _ in feeds]
        each = len(found) // len(feeds)
        return kind, [found[k * each : (k + 1) * each] for k in range(len(feeds))]

    def ask(self, do, **request):
        """Return ("ok", value), or ("refused", "unknown" or "ended", and why); one that falls over is asked once more, in a new process."""
        data = self._request(do, **request)
        key = hashlib.sha256(data).digest()
        if key not in self.answers:
            answer = self._once(data)
            if self.process is None:
                answer = self._once(data)
                self.recovered += answer[0] == "ok"
            while len(self.answers) >= MOST_ANSWERS:
                self.answers.pop(next(iter(self.answers)))
            self.answers[key] = answer
        return self.answers[key]

    def _request(self, do, model=None, weights=None, format="onnx", inputs=(), outputs=(), options=None):
        self.start()
        sets = [inputs] if isinstance(inputs, dict) else list(inputs)
        said, parts = [], [part for part in (model, weights) if part is not None]
        for name, array in (pair for one in sets for pair in one.items()):
            data = array.tobytes()
            dtype = PROTOCOL.SHORT.get(array.dtype.name, array.dtype.name)
            said.append({"name": name, "dtype": dtype, "shape": array.shape, "bytes": len(data)})
            parts.append(data)
        line = {
            "do": do, "model": None if model is None else len(model), "weights": None if weights is None else len(weights), "format": format,
            "inputs": said, "outputs": outputs, "options": options or {}, "sets": len(sets), "seconds": SECONDS.get(self.name, 40),
        }  # fmt: skip
        return b"".join([json.dumps(line).encode(), b"\n", *parts])

    def start(self):
        """Start the process, if there is none."""
        if self.process is not None and self.process.poll() is None:
            return
        python = self.python or python_of(self.name)
        if python is None:
            raise SystemExit(f"no environment in BROADAXE_ENGINES has {self.name}: conformance/requirements-runtimes.txt names its package")
        words = ", ".join(map(repr, ENGINES[self.name][1]))
        self.folder = tempfile.TemporaryDirectory()
        environment = {**os.environ, "TMPDIR": self.folder.name, "PYTHONDONTWRITEBYTECODE": "1", "PIP_NO_INDEX": "1", "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [python, "-c", f"{text(self.name)}\nmain({words})\n"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            cwd=self.folder.name, env=environment,
        )  # fmt: skip
        said, _ = self._read(180)
        if not said.get("ready"):
            raise SystemExit(f"{self.name} does not start: {said}")
        self.version, self.device = said["version"], said["device"]

    def _once(self, data):
        self.start()
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError:
            return self._ended()
        said, data = self._read(SECONDS.get(self.name, 40))
        word = next((word for word in ("refused", "unknown", "ended") if word in said), None)
        if word is not None:
            return word, said[word]
        if "files" in said:
            return "ok", _cut(data, said["files"])
        if "outputs" not in said:
            return "ok", None
        sizes = [(one or {}).get("bytes", 0) for one in said["outputs"]]
        return "ok", [_array(one, part) for one, part in zip(said["outputs"], _cut(data, sizes))]

    def _read(self, seconds):
        """Return an answer and its bytes."""
        # The process itself says that it is late, where it makes copies of itself.
        if not select.select([self.process.stdout], [], [], seconds + 2)[0]:
            self.process.kill()
            self._ended()
            return {"unknown": f"it does not answer within {seconds} seconds"}, b""
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            return dict([self._ended()]), b""
        said = json.loads(line)
        count = sum((one or {}).get("bytes", 0) for one in said.get("outputs", ())) + sum(said.get("files", ()))
        data = self.process.stdout.read(count)
        return (said, data) if len(data) == count else (dict([self._ended()]), b"")

    def _ended(self):
        code, self.process = self.process.wait(), None
        return "ended", f"ends the process ({f'signal {-code}' if code < 0 else f'exit code {code}'})"

    def close(self):
        """End the process."""
        if self.process is not None and self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(20)
        self.process = None


def _cut(data, sizes):
    parts, at = [], 0
    for size in sizes:
        parts.append(data[at : at + size])
        at += size
    return parts


def _array(said, data):
    """Return a result: an array, None where there is none, or a text why."""
    import numpy as np

    if said is None or "refused" in said:
        return said and said["refused"]
    dtype = np.uint16 if said["dtype"] == "bf16" else PROTOCOL.DTYPES[said["dtype"]]
    found = np.frombuffer(data, dtype).reshape(said["shape"]).copy()
    if said["dtype"] == "bf16":
        import ml_dtypes

        found = found.view(ml_dtypes.bfloat16)
    return found


class Engines:
    """All engines."""

    def __init__(self):
        self.all = {name: Engine(name) for name in ENGINES}

    def run(self, engine, model, feeds, outputs=(), **more):
        """Run a model on one engine, as `Engine.run`."""
        return self.all[engine].run(model, feeds, outputs, **more)

    def ask(self, engine, do, **request):
        """Ask one engine something else."""
        return self.all[engine].ask(do, **request)

    def versions(self):
        """Return the versions of those that were started."""
        return {name: engine.version for name, engine in self.all.items() if engine.version}

    def recovered(self):
        """Return how often each fell over and then gave an answer."""
        return {name: engine.recovered for name, engine in self.all.items() if engine.recovered}

    def close(self):
        """End all."""
        for engine in self.all.values():
            engine.close()
