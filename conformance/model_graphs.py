"""Real model graphs: read, filled with weights, run under ONNX Runtime, and changed by the command."""

import gzip
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

from engines import load

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Where the graphs lie; they are too large for the repository.
GRAPHS = pathlib.Path(os.environ.get("BROADAXE_MODELS", ROOT.parent / "shared" / "models"))

# Lengths for the names that models leave open; the rest get 7.
LENGTHS = {"batch": 2, "seq": 800}
IDS = {"seq": 12}


def command():
    """Return the path of the command: `BROADAXE`, else the newest build."""
    if "BROADAXE" in os.environ:
        return os.environ["BROADAXE"]
    builds = [ROOT / "target" / kind / "broadaxe" for kind in ("release", "debug")]
    builds = [build for build in builds if build.exists()]
    if not builds:
        sys.exit("there is no build of the command; run cargo build")
    return str(max(builds, key=lambda build: build.stat().st_mtime))


def change(model, *words):
    """Write a model, run `broadaxe WORDS.. FILE -o OUT`, and return the changed model with what the command printed."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = os.path.join(folder, "model.onnx"), os.path.join(folder, "changed.onnx")
        with open(before, "wb") as file:
            file.write(model if isinstance(model, bytes) else model.SerializeToString())
        run = [command(), words[0], before, "-o", after, *words[1:]]
        done = subprocess.run(run, capture_output=True, text=True, timeout=600)
        if not os.path.exists(after):
            raise RuntimeError(f"exit {done.returncode}: {(done.stderr or done.stdout).strip()[-400:]}")
        return onnx.load(after), done


def counted(model):
    """Return how many nodes of a model broadcast, as `broadaxe check` counts them."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(model.SerializeToString())
        done = subprocess.run([command(), "check", path, "--for", "onnx", "--json"], capture_output=True, text=True, timeout=600)
        return json.loads(done.stdout)["models"][0]["nodes"]


def graphs(only=""):
    """Return the shown ONNX graphs, by name."""
    paths = sorted((GRAPHS / "onnx").glob("*.onnx.gz"))
    if not paths:
        sys.exit(f"there are no graphs in {GRAPHS / 'onnx'}; set BROADAXE_MODELS")
    for path in paths:
        name = path.name.removesuffix(".onnx.gz")
        if only in name:
            yield name, onnx.load_from_string(gzip.decompress(path.read_bytes()))


def fill(model):
    """Give the weights that were left out values: normal ones, smaller the more of them are added up."""
    readers = {}
    for node in model.graph.node:
        for index, name in enumerate(node.input):
            readers.setdefault(name, (node.op_type, index))
    for number, tensor in enumerate(model.graph.initializer):
        kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
        if kind.kind != "f" or not tensor.dims:
            continue
        array = numpy_helper.to_array(tensor)
        if array.any():
            continue
        op, index = readers.get(tensor.name, ("", 0))
        fan = array.shape[0] if op in ("MatMul", "Gemm") else math.prod(array.shape[1:])
        drawn = np.random.default_rng(number).standard_normal(array.shape) / math.sqrt(max(fan, 1))
        if op == "BatchNormalization" and index == 4:
            drawn = 1 + np.abs(drawn)
        tensor.CopyFrom(numpy_helper.from_array(drawn.astype(kind), tensor.name))


def feeds(model):
    """Draw the inputs: small whole numbers for ids, ones for masks, normal values for the rest."""
    weights = {tensor.name for tensor in model.graph.initializer}
    drawn = {}
    for number, value in enumerate(model.graph.input):
        if value.name in weights:
            continue
        tensor = value.type.tensor_type
        kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        lengths = LENGTHS | (IDS if kind.kind in "iu" else {})
        shape = [dim.dim_value or lengths.get(dim.dim_param, 7) for dim in tensor.shape.dim]
        random = np.random.default_rng(1000 + number)
        if "mask" in value.name:
            drawn[value.name] = np.ones(shape, kind)
        elif kind.kind in "iu":
            drawn[value.name] = random.integers(0, 50, shape).astype(kind)
        else:
            drawn[value.name] = random.standard_normal(shape).astype(kind)
    return drawn


def run(model, inputs):
    """Run a model under ONNX Runtime unchanged, without rewriting it first."""
    driver = load("onnxruntime")
    return driver.run(driver.Model(model.SerializeToString()), inputs, [], {"optimise": False})


def same(one, other):
    """Say whether two lists of arrays are equal bit for bit."""
    return len(one) == len(other) and all(
        x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes() for x, y in zip(one, other)
    )
