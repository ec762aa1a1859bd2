"""Loads the models of the Atlas with the loader of each format, runs them, and compares the results.

    for format in onnx openvino tflite ncnn paddle; do
        broadaxe atlas models --format $format -o DIR/$format
    done
    python -m conformance.atlas_models DIR [--only TEXT] [--verbose]

DIR has a folder per format. A format whose engine is not installed is left out, so the same command is given to the Python of
each engine. Engines can end the process, so models are run in a child, which is started again after the one that ended it.

Prints for each format how many models the loader reads, and for each rule how many results are those of the rule. `accepted` counts
models that run though the rule rejects the shapes, `refused` those that do not run though it accepts them. Ends with 1 where the
loader does not read a model whose shapes the rule accepts.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

NAMES = "abc"


class Onnx:
    """onnx.checker, and ONNX Runtime."""

    modules = "onnx", "onnxruntime"

    def __init__(self, onnx, onnxruntime):
        self.onnx, self.runtime = onnx, onnxruntime
        onnxruntime.set_default_logger_severity(4)

    def load(self, files):
        model = self.onnx.load(files[0])
        self.onnx.checker.check_model(model)
        return files[0]

    def run(self, model, inputs):
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = 1
        session = self.runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return session.run(["y"], inputs)[0]


class OpenVino:
    """OpenVINO, on its CPU."""

    modules = ("openvino",)

    def __init__(self, openvino):
        # Older versions have it in a module of their own.
        module = openvino if hasattr(openvino, "Core") else importlib.import_module("openvino.runtime")
        self.core = module.Core()
        self.settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}

    def load(self, files):
        return self.core.read_model(*files)

    def run(self, model, inputs):
        compiled = self.core.compile_model(model, "CPU", self.settings)
        return compiled(inputs)["y"]


class Tflite:
    """LiteRT, on its CPU."""

    modules = ("ai_edge_litert.interpreter",)

    def __init__(self, module):
        self.module = module

    def load(self, files):
        return self.module.Interpreter(model_path=files[0], num_threads=1)

    def run(self, model, inputs):
        model.allocate_tensors()
        for detail in model.get_input_details():
            model.set_tensor(detail["index"], inputs[detail["name"]])
        model.invoke()
        return model.get_tensor(model.get_output_details()[0]["index"])


class Ncnn:
    """ncnn, on its CPU, without other layouts and types."""

    modules = ("ncnn",)

    def __init__(self, ncnn):
        self.ncnn = ncnn

    def load(self, files):
        net = self.ncnn.Net()
        net.opt.num_threads = 1
        net.opt.use_vulkan_compute = False
        if net.load_param(files[0]) or net.load_model(files[1]):
            raise ValueError("load_param or load_model fails")
        return net

    def run(self, net, inputs):
        with net.create_extractor() as extractor:
            for name, array in inputs.items():
                extractor.input(name, self.ncnn.Mat(array).clone())
            code, result = extractor.extract("y")
            if code:
                raise ValueError(f"extract gives {code}")
            return np.array(result)


class Paddle:
    """Paddle's inference, on its CPU."""

    modules = ("paddle", "paddle.inference")

    def __init__(self, _, inference):
        self.inference = inference

    def load(self, files):
        config = self.inference.Config(files[0], files[1] if len(files) > 1 else "")
        config.disable_glog_info()
        config.switch_ir_optim(False)
        return self.inference.create_predictor(config)

    def run(self, predictor, inputs):
        for name, array in inputs.items():
            handle = predictor.get_input_handle(name)
            handle.reshape(array.shape)
            handle.copy_from_cpu(array)
        predictor.run()
        return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()


ENGINES = {"onnx": Onnx, "openvino": OpenVino, "tflite": Tflite, "ncnn": Ncnn, "paddle": Paddle}


def engine(name):
    """Make the engine of a format; None where it is not installed."""
    try:
        return ENGINES[name](*map(importlib.import_module, ENGINES[name].modules))
    except ImportError:
        return None


def arrays(line):
    """Make the inputs of a question."""
    found = {}
    for k, (name, operand) in enumerate(zip(NAMES, line["operands"])):
        if not operand["constant"]:
            dtype = bool if line["op"] == "select" and k == 0 else np.float32
            found[name] = np.array(operand["values"], dtype).reshape(operand["shape"])
    return found


def answer(own, folder, line):
    """Load and run one model: what became of it, and a sentence."""
    try:
        model = own.load([str(folder / name) for name in line["files"]])
    except Exception as error:
        return "not loaded", str(error)
    try:
        got = np.asarray(own.run(model, arrays(line)))
    except Exception as error:
        return ("refused" if "shape" in line else "right"), str(error)
    if "shape" not in line:
        return "accepted", f"the result has the shape {got.shape}"
    want = np.array(line["want"], np.float32).reshape(line["shape"])
    if got.shape != want.shape:
        return "shape", f"{got.shape}, and {want.shape} under the rule"
    return ("right", "") if np.array_equal(got, want) else ("wrong", f"{got.ravel()[:8]}, and {want.ravel()[:8]} under the rule")


def serve(name, folder, start):
    """Answer the questions from one on: a line each, on a copy of the output that engines do not write to."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    own = engine(name)
    lines = (folder / "expected.jsonl").read_text().splitlines()
    for text in lines[start:]:
        output.write(json.dumps(answer(own, folder, json.loads(text))) + "\n")
        output.flush()


def answers(name, folder, count):
    """Collect all answers; a child that ends is started again behind the model that ended it."""
    found = []
    while len(found) < count:
        command = [sys.executable, "-m", "conformance.atlas_models", str(folder), "--serve", name, "--start", str(len(found))]
        child = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        found += [tuple(json.loads(text)) for text in child.stdout.splitlines() if text.endswith("]")]
        if len(found) < count:
            found.append(("crash", f"the process ends with {child.returncode}"))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="formats whose name has this text")
    parser.add_argument("--verbose", action="store_true", help="print every answer that is not right")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--start", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        return serve(given.serve, given.folder, given.start)
    failed = False
    for name in ENGINES:
        folder = given.folder / name
        if given.only not in name or not folder.is_dir():
            continue
        if engine(name) is None:
            print(f"{name}: not installed")
            continue
        lines = [json.loads(text) for text in (folder / "expected.jsonl").read_text().splitlines()]
        found = answers(name, folder, len(lines))
        rules, loaded, reasons = defaultdict(Counter), Counter(), Counter()
        for line, (kind, why) in zip(lines, found):
            accepted = "shape" in line
            # An engine may look at the shapes when it loads a model.
            loaded["refused, as the rule" if kind == "not loaded" and not accepted else "refused" if kind == "not loaded" else "loaded"] += 1
            failed |= kind == "not loaded" and accepted
            rules[line["id"].split("-r")[0]]["right" if kind == "not loaded" and not accepted else kind] += 1
            if kind not in ("right", "accepted") and (kind != "not loaded" or accepted):
                reasons[kind, " ".join(why.split())[:160]] += 1
            if given.verbose and kind != "right":
                print(line["id"], kind, [one["shape"] for one in line["operands"]], why)
        print(f"{name}: {len(lines)} models;", ", ".join(f"{count} {kind}" for kind, count in loaded.items()))
        for rule, counts in rules.items():
            print(f"    {rule}:", ", ".join(f"{count} {kind}" for kind, count in counts.items()))
        for (kind, why), count in reasons.most_common(8):
            print(f"    {count} {kind}: {why}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
