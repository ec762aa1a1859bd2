"""Model files from Python: check, fix, census and sizes over paths, bytes and ModelProto."""

import json
from pathlib import Path

import numpy as np
import pytest

import broadaxe as bx

FACE = Path(__file__).parents[3] / "examples" / "face.onnx"


def test_check_of_a_path_of_bytes_and_of_a_proto():
    onnx = pytest.importorskip("onnx")
    found = bx.check(FACE, targets=["onnx", "onnx6"])
    assert (found.nodes, found.unknown, found.ok) == (3, 0, False)
    assert {one.verdict for one in found.findings if one.target == "onnx6"} == {"same"}
    differs = [one for one in found.findings if one.verdict == "differs"]
    assert [one.node for one in differs] == ["bias1", "prelu1"]
    for one in differs:
        assert one.counterexample.here != one.counterexample.there
        assert one.operands[0].shape == [1, 16, 16, 16]
    for model in (FACE.read_bytes(), bytearray(FACE.read_bytes()), onnx.load(FACE)):
        other = bx.check(model, targets="onnx,onnx6")
        assert other.findings == found.findings
    assert "onnx   2 differ (2 kinds), 1 same" in str(found)
    assert json.loads(found.to_json())["findings"][0]["op"] == "Add"


def test_fix_returns_or_writes_a_model_that_is_the_same(tmp_path):
    onnx = pytest.importorskip("onnx")
    reference = pytest.importorskip("onnx.reference")
    x = np.random.default_rng(1).normal(size=(4, 5, 5)).astype(np.float32)
    value = lambda name, shape: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)  # noqa: E731
    slope = onnx.numpy_helper.from_array(np.arange(5, dtype=np.float32), "slope")
    node = onnx.helper.make_node("PRelu", ["x", "slope"], ["y"], "act")
    graph = onnx.helper.make_graph([node], "g", [value("x", [4, 5, 5])], [value("y", [4, 5, 5])], [slope])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    assert not bx.check(model, ["openvino"]).ok
    fixed = bx.fix(model, ["openvino"])
    assert fixed.left == [] and fixed.verified is not None
    again = onnx.load_from_string(fixed.model_bytes)
    assert bx.check(again, ["openvino"]).ok
    want = reference.ReferenceEvaluator(model).run(None, {"x": x})[0]
    np.testing.assert_array_equal(reference.ReferenceEvaluator(again).run(None, {"x": x})[0], want)
    out = tmp_path / "out.onnx"
    (tmp_path / "in.onnx").write_bytes(model.SerializeToString())
    written = bx.fix(tmp_path / "in.onnx", ["openvino"], out=out)
    assert written.model_bytes is None and out.read_bytes() == fixed.model_bytes


def test_census_and_sizes():
    counted = bx.census(FACE)
    assert counted.nodes == 6 and {row.op for row in counted.rows} == {"Add", "PRelu", "Sigmoid"}
    assert "prefix" in str(counted)
    with pytest.raises(ValueError, match="height"):
        bx.sizes(FACE, "height=1..8")


@pytest.mark.parametrize(
    ("ask", "kind", "says"),
    [
        (lambda: bx.check("no-such-file.onnx"), OSError, "no-such-file"),
        (lambda: bx.check(FACE, targets=["abacus"]), ValueError, "abacus"),
        (lambda: bx.check(b"\x00\x01"), ValueError, "model"),
        (lambda: bx.check(FACE.read_bytes()[:100]), ValueError, "."),
        (lambda: bx.check(FACE, input_shapes={"picture": (1, 3)}), ValueError, "image"),
        (lambda: bx.check(3), TypeError, "."),
    ],
)
def test_refusals(ask, kind, says):
    with pytest.raises(kind, match=says):
        ask()
