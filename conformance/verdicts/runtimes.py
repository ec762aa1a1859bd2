"""Runtimes that are installed into environments of their own: how each reads an ONNX model, and runs it.

`BROADAXE_ENGINES` names the folder of the environments, as for `broadaxe check --ask`. This file is read by their Pythons: it needs NumPy and the
runtime. A model runs in a copy of the process, so that one which writes past an end, or falls over, changes no other answer.
"""

import functools
import os
import pickle
import select
import signal
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from .coreml import CoreMl

SECONDS = 30


def apart(work, seconds=SECONDS):
    """Return what a function returns in a copy of this process."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        try:
            answer = "ok", work()
        except BaseException as why:  # noqa: BLE001 - a runtime may raise anything
            answer = "refused", f"{type(why).__name__}: {why}"[-600:]
        with os.fdopen(writes, "wb") as file:
            pickle.dump(answer, file)
        os._exit(0)
    os.close(writes)
    data, until = b"", time.monotonic() + seconds
    with os.fdopen(reads, "rb") as file:
        while select.select([file], [], [], max(until - time.monotonic(), 0))[0]:
            part = file.read1(1 << 20)
            if not part:
                break
            data += part
        else:
            os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not data or status:
        raise RuntimeError(f"it does not answer in {seconds} s" if status == signal.SIGKILL else f"it falls over ({status})")
    kind, answer = pickle.loads(data)
    if kind == "refused":
        raise RuntimeError(answer)
    return answer


class Mnn:
    """MNN on the CPU, with its converter for ONNX."""

    def __init__(self):
        from importlib.metadata import version

        # The module MNN.tools.mnnconvert would install a package with pip, and send a record of its use.
        import _tools
        import MNN.expr
        import MNN.nn

        self.tools, self.nn, self.expr, self.version = _tools, MNN.nn, MNN.expr, version("MNN")

    def run(self, model, feeds, outputs=(), **_):
        """Convert a model and run it on several sets of inputs; `outputs` are the names of its outputs, in order."""
        return apart(lambda: self._run(model, feeds, outputs))

    def convert(self, model, **_):
        """Return what the converter writes of a model, as text in JSON."""
        return apart(lambda: self._in_folder(model, self._text))

    def _in_folder(self, model, work):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            Path("m.onnx").write_bytes(model)
            arguments = ["-f", "ONNX", "--modelFile", "m.onnx", "--MNNModel", "m.mnn", "--bizCode", "x", "--keepInputFormat=1"]
            self.tools.mnnconvert(["mnnconvert", *arguments])
            if not Path("m.mnn").exists():
                raise RuntimeError("the converter refuses the model")
            return work()

    def _text(self):
        self.tools.mnnconvert(["mnnconvert", "-f", "MNN", "--modelFile", "m.mnn", "--JsonFile", "m.json"])
        return Path("m.json").read_text()

    def _run(self, model, feeds, outputs):
        names = list(feeds[0])

        def work():
            net = self.nn.load_module_from_file("m.mnn", names, list(outputs))
            return [self._once(net, [one[name] for name in names]) for one in feeds]

        return self._in_folder(model, work)

    def _once(self, net, arrays):
        expr = self.expr
        kinds = {"f": (np.float32, expr.float), "i": (np.int32, expr.int), "u": (np.int32, expr.int), "b": (np.int32, expr.int)}
        given = []
        for array in arrays:
            dtype, kind = kinds[array.dtype.kind]
            if array.dtype == np.uint8:
                dtype, kind = array.dtype, expr.uint8
            # It reads no arrays of i8, but lists of them.
            values = np.ascontiguousarray(array, dtype) if array.dtype != np.int8 else array.ravel().tolist()
            given.append(expr.const(values, list(array.shape), expr.NCHW, kind if array.dtype != np.int8 else expr.int8))
        found = net.forward(given)
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        if not found:
            raise RuntimeError("it gives no result")
        return [np.array(one.read()).reshape(one.shape) for one in found]


class Tvm:
    """TVM: Relax's front end for ONNX, compiled for the CPU."""

    def __init__(self):
        from importlib.metadata import version

        import onnx
        import tvm
        import tvm.relax.frontend.onnx

        self.onnx, self.tvm, self.version = onnx, tvm, version("apache-tvm")

    def run(self, model, feeds, outputs=(), **_):
        """Compile a model and run it on several sets of inputs."""
        return apart(lambda: self._run(model, feeds))

    def _run(self, model, feeds):
        tvm, relax = self.tvm, self.tvm.relax
        module = relax.frontend.onnx.from_onnx(self.onnx.load_from_string(model), keep_params_in_input=False)
        module = relax.transform.LegalizeOps()(relax.transform.DecomposeOpsForInference()(module))
        # Its parameters are the inputs of the model, in order.
        names = list(feeds[0])
        machine = relax.VirtualMachine(tvm.compile(module, "llvm"), tvm.cpu())
        found = []
        for one in feeds:
            result = machine["main"](*[tvm.runtime.tensor(np.array(one[name], order="C")) for name in names])
            results = [result] if hasattr(result, "numpy") else list(result)
            found.append([result.numpy() for result in results])
        return found


class OrtWebgpu:
    """ONNX Runtime's WebGPU provider, without its CPU provider in the places of kernels that it does not have.

    SwiftShader is an adapter on the CPU: `VK_ICD_FILENAMES` names its file.
    """

    def __init__(self):
        import onnxruntime

        self.runtime, self.version = onnxruntime, onnxruntime.__version__
        onnxruntime.set_default_logger_severity(4)

    def run(self, model, feeds, **_):
        """Run a model on several sets of inputs."""
        options = self.runtime.SessionOptions()
        options.log_severity_level = 4
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        session = self.runtime.InferenceSession(model, options, providers=["WebGpuExecutionProvider"])
        names = {value.name for value in session.get_inputs()}
        return [session.run(None, {name: array for name, array in one.items() if name in names}) for one in feeds]


class Qnn:
    """QNN's compiler for HTP, in ONNX Runtime: it compiles, and nothing is computed."""

    def __init__(self):
        from importlib.metadata import version

        import onnxruntime
        import onnxruntime_qnn

        self.runtime, self.version = onnxruntime, version("onnxruntime-qnn")
        onnxruntime.set_default_logger_severity(4)
        onnxruntime.register_execution_provider_library("QNNExecutionProvider", onnxruntime_qnn.get_library_path())
        self.devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == "QNNExecutionProvider"]
        # Without the model of the chip, the compiler finds no memory for Where of floats. 43 is Snapdragon 8 Gen 2.
        self.settings = {"backend_path": onnxruntime_qnn.get_qnn_htp_path(), "htp_arch": "73", "soc_model": "43"}

    def run(self, model, feeds, **_):
        """Compile a model; the results are None."""
        with tempfile.TemporaryDirectory() as folder:
            options = self.runtime.SessionOptions()
            options.log_severity_level = 4
            options.add_provider_for_devices(self.devices, self.settings)
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
            options.add_session_config_entry("ep.context_enable", "1")
            options.add_session_config_entry("ep.context_file_path", f"{folder}/m.onnx")
            self.runtime.InferenceSession(model, options)
        return [None for _ in feeds]


RUNTIMES = {"mnn": Mnn, "tvm": Tvm, "ort-webgpu": OrtWebgpu, "qnn": Qnn, "coreml": CoreMl}
PACKAGES = {"mnn": "[Mm][Nn][Nn]", "tvm": "apache_tvm", "ort-webgpu": "onnxruntime_webgpu", "qnn": "onnxruntime_qnn", "coreml": "coremltools"}


# The modules of the engines that the environment of this Python has.
MODULES = {"onnxruntime": "onnxruntime", "openvino": "openvino", "ncnn": "pnnx", "paddle": "paddle"}


@functools.cache
def installed(name):
    """Say whether an engine can be asked on this machine."""
    return python_of(name) is not None and (name not in MODULES or find_spec(MODULES[name]) is not None)


def python_of(name):
    """Return the Python that has a runtime, or None; this one for those without an environment of their own."""
    if name not in PACKAGES:
        return sys.executable
    for folder in os.environ.get("BROADAXE_ENGINES", "").split(os.pathsep):
        for python in sorted([Path(folder) / "bin/python", *Path(folder).glob("*/bin/python")]) if folder else ():
            packages = python.parent.parent.glob(f"lib/python*/site-packages/{PACKAGES[name]}-*.dist-info")
            if any(packages):
                return str(python)
    return None
