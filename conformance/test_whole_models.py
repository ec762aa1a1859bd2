"""Whole models on installed engines: `broadaxe check --ask` names the nodes that an engine computes wrongly, and no others."""

import json
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import engines

from .model_graphs import command

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def _model(nodes, constants, x):
    made = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    inputs = [helper.make_tensor_value_info("x", *x)]
    outputs = [helper.make_empty_tensor_value_info("y")]
    graph = helper.make_graph([helper.make_node(*node[:3], node[2][0], **(node[3:] or ({},))[0]) for node in nodes], "g", inputs, outputs, made)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


WEIGHTS = np.arange(16, dtype=np.int8).reshape(4, 4)
ROWS = np.array([[0.25], [0.5], [0.75], [1]], np.float32)
SCALED = [("Cast", ["w"], ["cast"], {"to": FLOAT}), ("Mul", ["cast", "s"], ["scaled"])]
CASES = {
    # OpenVINO multiplies by the scale of the row where it reads one for each column.
    "look-up": ([*SCALED, ("Gather", ["scaled", "x"], ["y"])], {"w": WEIGHTS, "s": ROWS[:, 0].copy()}, (INT64, [3]), "reads s along axis 0"),
    "product": ([*SCALED, ("MatMul", ["x", "scaled"], ["y"])], {"w": WEIGHTS, "s": ROWS}, (FLOAT, [2, 4]), "reads the first element of s for all"),
    "right": (
        [("MatMul", ["x", "v"], ["m"]), ("Add", ["m", "s"], ["b"]), ("LayerNormalization", ["b", "s", "s"], ["n"]), ("Mul", ["n", "x"], ["y"])],
        {"v": WEIGHTS.astype(np.float32) / 16, "s": ROWS[:, 0].copy()}, (FLOAT, ["n", 4]), None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_openvino(name, tmp_path):
    nodes, constants, x, reads = CASES[name]
    path = tmp_path / "m.onnx"
    path.write_bytes(_model(nodes, constants, x).SerializeToString())
    words = [command(), "check", path, "--ask", "openvino", "--engines", sys.prefix, "--no-cache", "--json"]
    done = subprocess.run([*words, "--ask-save", tmp_path / "saved"], capture_output=True, text=True, timeout=300)
    findings = json.loads(done.stdout)["models"][0]["findings"]
    wrong = {finding["node"]: finding["reason"] for finding in findings if finding["verdict"] != "same"}
    if reads is None:
        assert not wrong and len(findings) == 3, wrong
        return
    assert list(wrong) == ["scaled"] and reads in wrong["scaled"] and "cast (Cast)" in wrong["scaled"], wrong
    # What was saved shows it alone.
    (small,) = (tmp_path / "saved").glob("*.onnx")
    model = onnx.load(small)
    stem = str(small.with_suffix(""))
    feeds = {value.name: np.load(f"{stem}.{k}.npy") for k, value in enumerate(model.graph.input)}
    engine = engines.Engine("openvino")
    kind, found = engine.run(small.read_bytes(), [feeds], [value.name for value in model.graph.output])
    engine.close()
    assert kind == "ok" and not np.allclose(found[0][0], np.load(f"{stem}.out.npy"), rtol=1e-2)
