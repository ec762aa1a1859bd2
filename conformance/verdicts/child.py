"""The process that an engine lives in: reads requests, writes answers, and may fall over.

A request is a dict with `do`; an answer is ("ok", value) or ("refused", what the engine said).
"""

import os
import pickle
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from .runtimes import RUNTIMES


class Onnxruntime:
    """ONNX Runtime, with all optimisations off or with those that it has by default."""

    def __init__(self):
        import onnxruntime

        self.runtime, self.version = onnxruntime, onnxruntime.__version__
        onnxruntime.set_default_logger_severity(4)

    def run(self, model, feeds, off=False, **_):
        """Run a model on several sets of inputs."""
        options = self.runtime.SessionOptions()
        options.log_severity_level, options.intra_op_num_threads, options.inter_op_num_threads = 4, 1, 1
        if off:
            options.graph_optimization_level = self.runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        # By default it rounds the data of a product with integer weights to 8 bits.
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
        session = self.runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        names = {value.name for value in session.get_inputs()}
        return [session.run(None, {name: array for name, array in one.items() if name in names}) for one in feeds]


class Openvino:
    """OpenVINO on the CPU, in f32."""

    def __init__(self):
        import openvino

        self.openvino, self.version = openvino, openvino.get_version().split("-")[0]
        self.core = openvino.Core()
        self.settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}

    def _read(self, model, weights, suffix):
        if suffix == "pdmodel":
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "m.pdmodel"
                path.write_bytes(model)
                path.with_suffix(".pdiparams").write_bytes(weights)
                return self.core.read_model(path)
        return self.core.read_model(model) if weights is None else self.core.read_model(model, weights)

    def run(self, model, feeds, weights=None, suffix="onnx", **_):
        """Compile a model and run it on several sets of inputs."""
        compiled = self.core.compile_model(self._read(model, weights, suffix), "CPU", self.settings)
        names = [set(one.get_names()) for one in compiled.inputs]
        found = []
        for one in feeds:
            given = {k: one[next(name for name in one if name in known)] for k, known in enumerate(names)}
            result = compiled(given)
            found.append([np.array(result[k]) for k in range(len(compiled.outputs))])
        return found

    def write(self, model):
        """Return the IR of an ONNX model: the xml and the weights."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.xml"
            self.openvino.serialize(self._read(model, None, "onnx"), path, path.with_suffix(".bin"))
            return path.read_bytes(), path.with_suffix(".bin").read_bytes()


class Ncnn:
    """pnnx, which converts, and ncnn, which runs."""

    def __init__(self):
        import ncnn

        self.ncnn, self.version = ncnn, ncnn.__version__
        # The package alone would import torch, which the program does not need.
        self.pnnx = Path(find_spec("pnnx").origin).parent / "pnnx"

    def convert(self, model, **_):
        """Return what pnnx writes of an ONNX model: the graph, the weights and the script that runs them."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.onnx"
            path.write_bytes(model)
            done = subprocess.run([self.pnnx, path, "fp16=0"], cwd=folder, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
            files = [Path(folder) / name for name in ("m.ncnn.param", "m.ncnn.bin", "m_ncnn.py")]
            if not all(file.exists() for file in files):
                raise RuntimeError(f"pnnx ends with {done.returncode}: {done.stderr[-200:].decode(errors='replace')}")
            return tuple(file.read_bytes() for file in files)

    def run(self, model=None, feeds=(), files=None, order=(), **_):
        """Run a model, or what pnnx wrote of one, on several sets of inputs; `order` are the inputs of the ONNX model."""
        param, weights, script = files or self.convert(model)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.param"
            path.write_bytes(param)
            path.with_suffix(".bin").write_bytes(weights)
            net = self.ncnn.Net()
            option = net.opt
            option.use_vulkan_compute = option.use_fp16_packed = option.use_fp16_storage = option.use_fp16_arithmetic = False
            option.use_bf16_storage, option.num_threads = False, 1
            if net.load_param(str(path)) or net.load_model(str(path.with_suffix(".bin"))):
                raise RuntimeError("ncnn does not load what pnnx wrote")
            return [self._once(net, script.decode(), one, order) for one in feeds]

    def _once(self, net, script, feeds, order):
        inputs = re.findall(r'ex\.input\("in(\d+)", ncnn\.Mat\(in\d+(?:\.squeeze\((\d+)\))?\.numpy\(\)(?:, batch_index=(\d+))?\)', script)
        outputs = re.findall(r'ex\.extract\("(out\d+)"\)[\s\S]*?\.numpy\((?:batch_index=(\d+))?\)\)(?:\.unsqueeze\((\d+)\))?', script)
        with net.create_extractor() as extractor:
            for k, squeezed, axis in inputs:
                array = np.ascontiguousarray(feeds[order[int(k)]])
                array = np.squeeze(array, int(squeezed)) if squeezed else array
                mat = self.ncnn.Mat(array, batch_index=int(axis)) if axis else self.ncnn.Mat(array)
                extractor.input(f"in{k}", mat.clone())
            found = []
            for name, axis, added in outputs:
                code, mat = extractor.extract(name)
                if code:
                    raise RuntimeError(f"ncnn returns {code}")
                array = np.array(mat.numpy(batch_index=int(axis)) if axis else mat.numpy()).copy()
                found.append(np.expand_dims(array, int(added)) if added else array)
            return found


class Paddle:
    """Paddle: its own programs, and single operators."""

    def __init__(self):
        os.environ["FLAGS_enable_pir_api"] = "0"
        import paddle

        self.paddle, self.version = paddle, paddle.__version__
        paddle.enable_static()

    def write(self, spec):
        """Return the program and the weights of a spec."""
        from .paddle_form import build

        return build(self.paddle, spec)

    def run(self, model, feeds, weights=b"", **_):
        """Run a program on several sets of inputs."""
        paddle = self.paddle
        with tempfile.TemporaryDirectory() as folder, paddle.static.scope_guard(paddle.static.Scope()):
            path = Path(folder) / "m"
            path.with_suffix(".pdmodel").write_bytes(model)
            path.with_suffix(".pdiparams").write_bytes(weights)
            runner = paddle.static.Executor(paddle.CPUPlace())
            program, names, outputs = paddle.static.load_inference_model(str(path), runner)
            return [
                [np.array(one) for one in runner.run(program, {name: given[name] for name in names}, outputs)] for given in feeds
            ]

    def operators(self, calls, **_):
        """Return what single operators give: calls are (operator of ONNX, operands, attributes)."""
        from .paddle_form import call

        self.paddle.disable_static()
        try:
            return [call(self.paddle, *one) for one in calls]
        finally:
            self.paddle.enable_static()


ENGINES = {"onnxruntime": Onnxruntime, "openvino": Openvino, "ncnn": Ncnn, "paddle": Paddle, **RUNTIMES}


def main(name):
    """Answer requests until there are no more."""
    # Engines write to the standard output as they like; the answers go another way.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    engine = ENGINES[name]()
    pickle.dump(("ok", engine.version), answers)
    answers.flush()
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = "ok", getattr(engine, request.pop("do"))(**request)
        except Exception as why:  # noqa: BLE001 - an engine may raise anything
            answer = "refused", str(why)[-600:]
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
