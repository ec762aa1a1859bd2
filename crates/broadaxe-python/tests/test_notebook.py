"""A notebook that is executed: what a reader of its outputs sees."""

import json
import os
from pathlib import Path

import pytest

FACE = Path(__file__).parents[3] / "examples" / "face.onnx"

CELLS = {
    "check": "bx.check(face)",
    "fix": "bx.fix(small, ['openvino'])",
    "census": "bx.census(face)",
    "sizes": "bx.sizes(open_, 'n=1..8')",
    "explain": "bx.explain((8, 1, 6, 1), (7, 1, 5))",
    "symbols": "bx.explain(('n', 1, 4), (3, 'm', 1))",
    "compare": "bx.compare((2, 2), (2,))",
    "open": "bx.compare(('n', 'n'), ('n',))",
}

SETUP = f"""
import numpy as np, onnx
import broadaxe as bx
face = {str(FACE)!r}
def model(shape):
    value = lambda name, shape: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
    slope = onnx.numpy_helper.from_array(np.arange(5, dtype=np.float32), "slope")
    node = onnx.helper.make_node("PRelu", ["x", "slope"], ["y"], "act")
    graph = onnx.helper.make_graph([node], "g", [value("x", shape)], [value("y", shape)], [slope])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
small, open_ = model([4, 5, 5]), model(["n", 5, 5])
"""


def executed(folder):
    """Run the notebook and return it."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("onnx")
    import sys

    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(text) for text in (SETUP, *CELLS.values())]
    kernels = folder / "kernels" / "here"
    kernels.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernels / "kernel.json").write_text(json.dumps({"argv": command, "display_name": "here", "language": "python"}))
    os.environ["JUPYTER_PATH"] = str(folder)
    nbclient.NotebookClient(notebook, kernel_name="here", timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


def test_outputs_of_a_notebook(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    notebook = executed(tmp_path)
    shown = {}
    for name, cell in zip(CELLS, notebook.cells[1:]):
        (output,) = cell.outputs
        assert output["output_type"] == "execute_result", (name, output)
        assert len(output["data"]["text/plain"]) < 3000 and "\x1b" not in output["data"]["text/plain"], name
        shown[name] = output["data"]["text/html"]
        assert len(shown[name]) < 20_000 and "<script" not in shown[name], name
    wanted = {
        "check": ["face.onnx", "prelu1", "differs on onnx", "element [0, 0, 0, 1] is 3 in this model and 4 on onnx", "3 of 3 findings can be fixed"],
        "fix": ["1 change", "act", "bit for bit"],
        "census": ["PRelu", "prefix"],
        "sizes": ["<code", "n"],
        "explain": ["repeated 7 times", "<svg "],
        "symbols": ["repeated 3 times along axis 0 if n == 1", "m"],
        "compare": ["ncnn", "strides", "<svg "],
        "open": ["With n = 2", "axes"],
    }
    for name, words in wanted.items():
        for word in words:
            assert word in shown[name], (name, word)
    target = os.environ.get("BROADAXE_NOTEBOOK")
    if target:
        nbformat = pytest.importorskip("nbformat")
        nbformat.write(notebook, target)
