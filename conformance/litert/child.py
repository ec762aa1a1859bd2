"""The process that LiteRT lives in: it may end at any question, which is an answer too.

    python child.py cpu|gpu

Reads a line of JSON for each question, `{"model": base64, "feeds": [[dtype, shape, base64]], "shape": [...], "dtype": "f4"}`,
and writes one: `{"ok": base64}`, `{"refused": text}`. The first line that it writes is the version.
"""

import base64
import json
import os
import sys
from importlib.metadata import version

import numpy as np


def _arrays(feeds):
    return [np.frombuffer(base64.b64decode(data), dtype).reshape(shape) for dtype, shape, data in feeds]


def on_cpu(question):
    """Run a model with the interpreter."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_content=base64.b64decode(question["model"]))
    interpreter.allocate_tensors()
    for detail, array in zip(interpreter.get_input_details(), _arrays(question["feeds"]), strict=True):
        interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


def on_gpu(question):
    """Run a model with the GPU delegate, in f32, if it accelerates the whole model."""
    from ai_edge_litert.compiled_model import CompiledModel
    from ai_edge_litert.hardware_accelerator import HardwareAccelerator

    model, gpu = base64.b64decode(question["model"]), HardwareAccelerator.GPU
    try:
        from ai_edge_litert.options import GpuOptions, Options

        options = Options(hardware_accelerators=gpu, gpu_options=GpuOptions(enforce_f32=True))
        compiled = CompiledModel.from_buffer(model, options=options)
    except ImportError:
        compiled = CompiledModel.from_buffer(model, gpu)
    if hasattr(compiled, "is_fully_accelerated") and not compiled.is_fully_accelerated():
        raise RuntimeError("not fully accelerated")
    inputs, outputs = compiled.create_input_buffers(0), compiled.create_output_buffers(0)
    for buffer, array in zip(inputs, _arrays(question["feeds"]), strict=True):
        flat = np.ascontiguousarray(array).reshape(-1)
        try:
            buffer.write(flat)
        except Exception as error:
            if "dtype" not in str(error):
                raise
            buffer.write(flat.view(np.int8))
    compiled.run_by_index(0, inputs, outputs)
    count, dtype = int(np.prod(question["shape"])), np.dtype(question["dtype"])
    try:
        return outputs[0].read(count, dtype.type)
    except Exception as error:
        if "dtype" not in str(error):
            raise
        return outputs[0].read(count, np.int8).astype(bool)


def main():
    """Answer questions until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    run = on_gpu if sys.argv[1] == "gpu" else on_cpu
    print(json.dumps(version("ai-edge-litert")), file=answers, flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        try:
            result = np.ascontiguousarray(run(question))
            answer = {"ok": base64.b64encode(result.astype(question["dtype"]).tobytes()).decode(), "shape": list(result.shape)}
        except Exception as error:  # noqa: BLE001 - whatever an engine raises is its answer
            answer = {"refused": " ".join(str(error).split())[-160:]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
