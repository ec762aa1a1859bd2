"""Ask ONNX Runtime's WebGPU provider, without its CPU provider in the places of kernels that it does not have."""

import os
from pathlib import Path

import onnxruntime
from onnx_node import RULES, build
from protocol import Skip, need, serve

# Names the device as `broadaxe check --ask` does.
SCRIPT = Path(__file__).parents[2] / "crates/broadaxe-cli/src/cmd/model/ask/scripts/vulkan.py"
NAMES = {"os": os}
exec(SCRIPT.read_text(), NAMES)  # noqa: S102 - a script of this project


def answer(question):
    """Run a model of one node."""
    need(question, RULES)
    model, feeds = build(question)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["WebGpuExecutionProvider"])
    except Exception as why:
        if "fallback to CPU EP has been explicitly disabled" in str(why):
            raise Skip("no kernel") from why
        raise
    return session.run(None, feeds)[0]


onnxruntime.set_default_logger_severity(4)
serve("ONNX Runtime WebGPU", onnxruntime.__version__, answer, NAMES["vulkan_device"]() or "webgpu")
