"""Times the checker on model graphs next to onnx and OpenVINO: python bench/models.py PROGRAM FOLDER [PAGE].

PROGRAM is the command `broadaxe`, FOLDER has graphs as `*.onnx.gz` and `*.xml.gz`; the results go to PAGE too. Every figure is the least
of several rounds in turn, on one core. The command is timed as people run it, its start included; the others without the start
of Python. A model of 10 GiB is made of a small graph and a file of weights with nothing but a length.
"""

import gzip
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from engines import load

ROUNDS = 7
LARGEST = 5
TARGETS = "onnx,onnx6,openvino,ncnn,ncnn-param,paddle,numpy,equal-rank,rank<=4,none"


def least(work):
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best * 1000


def check(program, *paths):
    done = subprocess.run([program, "check", "--quiet", "--for", TARGETS, *map(str, paths)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return done.stdout


def graphs(folder, suffix, into):
    """Unpacks the graphs; returns those with the longest files."""
    found = []
    for packed in sorted(Path(folder).glob(f"*/*{suffix}.gz")):
        path = Path(into) / packed.name.removesuffix(".gz")
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        found.append(path)
    return sorted(found, key=lambda path: -path.stat().st_size)


def large(folder):
    """Makes a model of 10 GiB: 40 additions of weights of 256 MiB each, which lie in another file."""
    count, length = 40, 1 << 28
    weights = Path(folder) / "large.bin"
    with weights.open("wb") as file:
        file.truncate(count * length)
    nodes, tensors, last = [], [], "x"
    for i in range(count):
        tensor = TensorProto(name=f"w{i}", data_type=TensorProto.FLOAT, dims=[1 << 13, 1 << 13])
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in [("location", "large.bin"), ("offset", str(i * length)), ("length", str(length))]:
            tensor.external_data.add(key=key, value=value)
        tensors.append(tensor)
        nodes.append(helper.make_node("Add", [last, f"w{i}"], [f"y{i}"], f"add{i}"))
        last = f"y{i}"
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1 << 13, 1 << 13]) for name in ("x", last)]
    graph = helper.make_graph(nodes, "large", info[:1], info[1:], tensors)
    path = Path(folder) / "large.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    return path


# A small process starts the command, because a child begins with the memory of its parent.
MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def most_memory(program, path):
    """Returns the seconds of a check, and its peak memory, in MiB."""
    command = [program, "check", "--quiet", "--for", TARGETS, str(path)]
    begin = time.perf_counter()
    check(program, path)
    seconds = time.perf_counter() - begin
    done = subprocess.run([sys.executable, "-c", MEASURE, *command], capture_output=True, text=True, check=True)
    code, memory = map(int, done.stdout.split())
    if code not in (0, 1):
        raise SystemExit(f"{path} is not read")
    return seconds, memory / 1024


def rows(program, folder, into):
    openvino = load("openvino").library()
    for path in graphs(folder, ".onnx", into)[:LARGEST]:
        model = onnx.load(path)
        ours, inferred = least(lambda: check(program, path)), least(lambda: onnx.shape_inference.infer_shapes(model))
        read = least(lambda: openvino.Core().read_model(path))
        yield [path.stem, str(len(model.graph.node)), f"{ours:.1f}", f"{inferred:.1f}", f"{read:.1f}"]
    for path in graphs(folder, ".xml", into)[:LARGEST]:
        ours, layers = least(lambda: check(program, path)), path.read_text().count("<layer ")
        yield [f"{path.stem} (IR)", str(layers), f"{ours:.1f}", "-", "-"]


def main():
    program, folder, *page = sys.argv[1:]
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as into:
        head = ["model", "nodes", "check, all targets", "onnx infer_shapes", "OpenVINO read_model"]
        lines = [f"| {' | '.join(head)} |", "|---|---:|---:|---:|---:|"]
        lines += [f"| {' | '.join(row)} |" for row in rows(program, folder, into)]
        seconds, memory = most_memory(program, large(into))
    versions = f"onnx {onnx.__version__}, OpenVINO {load('openvino').version()}, NumPy {np.__version__}"
    text = "\n".join(
        [
            "<!-- Generated by `cargo xtask bench --models --record`. -->",
            "# How fast models are checked",
            "",
            "See how long a check needs for large models, next to what other programs need to read them.",
            "",
            f"Milliseconds on one core, the least of {ROUNDS} rounds in turn; {versions}. The largest graphs of each format. The check reads",
            "the file, infers all shapes and asks all targets; the start of the command is part of it.",
            "",
            *lines,
            "",
            f"A model of 10 GiB, its weights in another file, needs {seconds:.2f} s and {memory:.0f} MiB of memory.",
            "",
        ]
    )
    print(text)
    for path in page:
        Path(path).write_text(text)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
