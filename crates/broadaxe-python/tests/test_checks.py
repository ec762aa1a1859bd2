"""Records of models: built late, printed without colours, shown in notebooks, and the errors that Python users expect."""

import copy
import dataclasses
import errno
import inspect
import io
import json
import os
import pickle
import re
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import broadaxe as bx
from broadaxe import _records
from broadaxe.testing import assert_same

FACE = Path(__file__).parents[3] / "examples" / "face.onnx"


def small(shape=(4, 5, 5), name="act"):
    """Make a model whose PRelu OpenVINO reads along another axis."""
    onnx = pytest.importorskip("onnx")
    value = lambda name, shape: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)  # noqa: E731
    slope = onnx.numpy_helper.from_array(np.arange(5, dtype=np.float32), "slope")
    node = onnx.helper.make_node("PRelu", ["x", "slope"], ["y"], name)
    graph = onnx.helper.make_graph([node], "g", [value("x", shape)], [value("y", shape)], [slope])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)


def test_texts_have_no_colours_unless_asked():
    found = bx.check(FACE)
    assert "\x1b" not in str(found) and "error[BX101]" in str(found)
    out = io.StringIO()
    found.show(out)
    assert out.getvalue() == str(found)
    found.show(out, color=True)
    assert "\x1b[" in out.getvalue()


def test_other_keywords_name_the_one_that_is_meant():
    for function in (bx.check, bx.fix, assert_same):
        for name in ("for_", "target", "runtime", "runtimes"):
            with pytest.raises(TypeError, match=rf"^{function.__name__}\(\) got .*'{name}'; runtimes are named by targets=, such as"):
                function(FACE, **{name: ["onnx"]})
        with pytest.raises(TypeError, match="by input_shapes="):
            function(FACE, targets=["onnx"], shapes={})
        with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'$"):
            function(FACE, targets=["onnx"], nothing=1)
    with pytest.raises(TypeError, match="by out="):
        bx.upgrade(FACE, output="a.onnx")
    # No target is meant where there are none.
    with pytest.raises(TypeError, match="unexpected keyword argument 'runtimes'$"):
        bx.census(FACE, runtimes=["onnx"])


def test_counts_are_written_with_their_verb():
    small_one = bx.check(small().SerializeToString(), ["openvino"])
    assert repr(small_one) == "<Check model: 1 node; openvino: 1 differs>"
    assert "onnx: 2 differ " in repr(bx.check(FACE))


def test_a_terminal_gets_colours(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    found = bx.check(FACE)
    for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm")
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        out = Terminal()
        found.show(out)
        assert ("\x1b[" in out.getvalue()) is coloured, variables


def test_records_are_built_when_they_are_read(monkeypatch):
    built = []
    build = _records.build
    monkeypatch.setattr(_records, "build", lambda kind, data: built.append(kind) or build(kind, data))
    found = bx.check(FACE)
    assert "findings" not in vars(found) and bx.Finding not in built
    assert not found.ok and "findings" not in vars(found) and "_findings" not in vars(found)
    assert [one.node for one in found.problems] == ["bias1", "bias1", "prelu1"]
    assert "findings" not in vars(found)
    assert len(found.findings) == 9 and found.findings is found.findings
    assert found.problems == [one for one in found.findings if one.verdict in ("differs", "refused", "guarded")]


def test_hints_are_read_once_for_a_class(monkeypatch):
    import typing

    calls = []
    hints = typing.get_type_hints
    monkeypatch.setattr(typing, "get_type_hints", lambda *args, **kwargs: calls.append(args[0]) or hints(*args, **kwargs))
    _records._plan.cache_clear()
    for _ in range(3):
        assert len(bx.check(FACE).findings) == 9
    assert calls and len(calls) == len(set(calls))


def test_records_are_what_the_json_says():
    found = bx.check(FACE)
    data = json.loads(found.to_json())
    assert data == dataclasses.asdict(found) and data["findings"][0]["operands"][0]["tensor"]
    for one, record in zip(found.findings, data["findings"]):
        assert [field.name for field in dataclasses.fields(one)] == list(record)
    for other in (copy.copy(found), copy.deepcopy(bx.check(FACE)), pickle.loads(pickle.dumps(bx.check(FACE)))):
        assert other == found and str(other) == str(found) and repr(other) == repr(found)
    fixed = pickle.loads(pickle.dumps(bx.fix(small(), ["openvino"])))
    assert bx.check(fixed.model_bytes, ["openvino"]).ok
    with pytest.raises(AttributeError, match="nope"):
        found.nope


def test_what_is_neither_true_nor_false_says_so():
    for record in (bx.check(FACE), bx.fix(small(), ["openvino"])):
        with pytest.raises(TypeError, match=r"\.ok"):
            bool(record)
    assert bx.check(FACE, ["onnx6"]).ok and not bx.check(FACE).ok


def test_reprs_are_short_lines():
    cases = [
        (bx.check(FACE), "<Check face.onnx: 3 nodes; onnx: 2 differ (2 kinds), 1 same; openvino: 3 same; ncnn: 1 differs, 2 same>"),
        (bx.fix(small(), ["openvino"]), "<Fix: 1 change, verified>"),
        (bx.upgrade(FACE), "<Fix: 4 changes, verified>"),
        (bx.fix(FACE, targets="onnx"), "<Fix: 4 changes, verified>"),
        (bx.census(FACE), "<Census face.onnx: 6 nodes in 4 groups>"),
        (bx.extract(FACE, "bias1"), "<Extract bias1 (Add), 1 input>"),
    ]
    for record, want in cases:
        assert repr(record) == want
    hostile = bx.check(small(name="n\x1b]0;PWNED\x07\u202e").SerializeToString(), ["openvino"])
    for text in (repr(hostile), str(hostile), hostile._repr_html_(), repr(bx.fix(small(name="\x1b[31m"), ["openvino"]))):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text), text


def test_engines_are_asked(tmp_path):
    with pytest.raises(ValueError, match="onnxruntime 0.0.1 is not installed"):
        bx.check(FACE, ask="onnxruntime@0.0.1")
    with pytest.raises(ValueError, match="did you mean 'onnxruntime'"):
        bx.fix(FACE, "ncnn", ask=["onnxruntim"])
    with pytest.raises(TypeError, match="name the engines"):
        bx.check(FACE, engines=tmp_path)
    packages, python = tmp_path / "packages", tmp_path / "ort" / "bin" / "python"
    for name in ("onnxruntime", "numpy"):
        (packages / f"{name}-9.1.dist-info").mkdir(parents=True)
        (packages / f"{name}-9.1.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 9.1\n")
    (packages / "onnxruntime.py").write_text("raise OSError('no device')\n")
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\nPYTHONPATH='{packages}' exec '{sys.executable}' \"$@\"\n")
    python.chmod(0o755)
    with pytest.raises(ValueError, match="onnxruntime 9.1 does not work: OSError: no device"):
        bx.check(FACE, ask="onnxruntime@9.1", engines=tmp_path)


class Strict(HTMLParser):
    """Checks that tags are closed in order, and collects what they and their attributes are."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], set(), set(), []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def shown():
    """Return one of everything that a notebook shows."""
    return {
        "check": bx.check(FACE),
        "fine": bx.check(FACE, ["onnx6"]),
        "fix": bx.fix(small(), ["openvino"]),
        "nothing": bx.fix(FACE, ["onnx6"]),
        "census": bx.census(FACE),
        "sizes": bx.sizes(small(("n", 5, 5)), "n=1..8"),
        "explain": bx.explain((8, 1, 6, 1), (7, 1, 5)),
        "scalar": bx.explain(()),
        "symbols": bx.explain(("n", 1, 4), ("m", 4)),
        "undecided": bx.explain(("n", 2), (2,), rule="ncnn"),
        "compare": bx.compare((2, 2), (2,)),
        "open": bx.compare(("n", "n"), ("n",)),
        "refused": bx.compare((2, 3), (4, 5)),
    }


TAGS = {"div", "table", "thead", "tbody", "tr", "th", "td", "b", "i", "code", "span", "details", "summary"}
DRAWN = {"explain", "scalar", "symbols", "undecided", "compare", "open", "refused"}
PICTURE_TAGS = set("figure figcaption svg title desc style defs pattern path rect text g caption".split())
PICTURE_ATTRIBUTES = set(
    "xmlns class id width height viewbox role aria-labelledby scope x y rx d stroke-width stroke-opacity patternunits patterntransform transform".split()
)


def test_drawings_have_several_forms():
    drawn = bx.explain((2, 3), (3,))
    assert drawn.svg.startswith("<svg ") and drawn._repr_svg_() == drawn.svg
    assert "light-dark" in drawn.svg and "light-dark" not in drawn.draw(theme="dark")
    assert drawn.draw("html", steps=True).count("Stretch: ") == 1 and "Stretch: " not in drawn.html
    for wrong in ({"theme": "blue"}, {"form": "png"}):
        with pytest.raises(ValueError, match="the (themes|forms) are"):
            drawn.draw(**wrong)
    assert drawn.svg in drawn.html and "| `b` (3,) | · → 2 | 3 |" in drawn.markdown


def test_html_is_closed_escaped_and_without_scripts():
    for name, record in shown().items():
        page = Strict(record._repr_html_())
        # Links lead to what is known of a runtime, and are followed by a click only.
        assert page.tags <= TAGS | {"a"} | (PICTURE_TAGS if name in DRAWN else set()), name
        assert page.attributes <= {"style", "title", "href"} | (PICTURE_ATTRIBUTES if name in DRAWN else set()), name
        assert all(link.startswith("https://") for link in re.findall(r'href="([^"]*)', record._repr_html_())), name
        assert "".join(page.texts).strip(), name
        assert not re.search(r"background:\s*(#|white|black|rgb)|color:\s*#", record._repr_html_()), name
    evil = small(name="<script>alert(1)</script>&\"'")
    for record in (bx.check(evil, ["openvino"]), bx.fix(evil, ["openvino"]), bx.explain(("<b>", 2), (2,)), bx.compare(("<b>",), (2,))):
        page = Strict(record._repr_html_())
        assert "script" not in page.tags
        assert any("<script>" in text or "<b>" in text for text in page.texts)


def test_files_raise_what_python_users_expect(tmp_path):
    missing, locked = tmp_path / "no such.onnx", tmp_path / "locked.onnx"
    locked.write_bytes(FACE.read_bytes())
    locked.chmod(0)
    cases = [
        (lambda: bx.check(missing), FileNotFoundError, errno.ENOENT, missing),
        (lambda: bx.fix(str(missing), ["onnx"]), FileNotFoundError, errno.ENOENT, missing),
        (lambda: bx.census(tmp_path), IsADirectoryError, errno.EISDIR, tmp_path),
        (lambda: bx.upgrade(FACE, out=tmp_path / "no" / "out.onnx"), FileNotFoundError, errno.ENOENT, tmp_path / "no" / "out.onnx"),
    ]
    if os.geteuid() != 0:
        cases.append((lambda: bx.check(locked), PermissionError, errno.EACCES, locked))
    for ask, kind, number, path in cases:
        with pytest.raises(kind) as raised:
            ask()
        assert (raised.value.errno, raised.value.filename) == (number, str(path))


@pytest.mark.parametrize(
    ("ask", "kind", "says"),
    [
        (lambda: bx.check(5), TypeError, "path, the bytes of a model file, or an onnx.ModelProto, not int"),
        (lambda: bx.check(None), TypeError, "not NoneType"),
        (lambda: bx.check(FACE, 5), TypeError, r'\["onnx", "ncnn"\]'),
        (lambda: bx.check(FACE, [5]), TypeError, r'\["onnx", "ncnn"\]'),
        (lambda: bx.check(FACE, []), ValueError, "empty"),
        (lambda: bx.check(FACE, "openvno"), ValueError, "did you mean 'openvino'"),
        (lambda: bx.check(FACE, ["OpenVIN"]), ValueError, "did you mean 'openvino'"),
        (lambda: bx.check(FACE, "abacus"), ValueError, "targets: onnx, "),
        (lambda: bx.check(FACE, input_shapes=[(1, 3)]), TypeError, r'\{"image": \(1, 3, 224, 224\)\}, not list'),
        (lambda: bx.check(FACE, input_shapes={"image": 5}), TypeError, "tuple of whole numbers"),
        (lambda: bx.check(FACE, input_shapes={"image": (1.5,)}), TypeError, "1.5; dims are whole numbers"),
        (lambda: bx.check(FACE, input_shapes={1: (1,)}), TypeError, "name of an input"),
        (lambda: bx.check(FACE, input_shapes={"picture": (1, 3)}), ValueError, "image"),
        (lambda: bx.sizes(FACE, 5), TypeError, "height=1..512"),
        (lambda: bx.extract(FACE, 5), TypeError, "conv1"),
        (lambda: bx.extract(FACE, "nowhere"), ValueError, "nowhere"),
        (lambda: bx.upgrade(b"\x00\x01"), ValueError, "model"),
    ],
)
def test_wrong_arguments_say_what_works(ask, kind, says):
    with pytest.raises(kind, match=says):
        ask()


def test_shapes_of_inputs_may_have_names_and_unknown_dims():
    model = small(("n", 5, 5))
    assert bx.check(model, ["onnx"], input_shapes={"x": (None, 5, 5)}).findings[0].operands[0].shape == ["?", 5, 5]
    assert bx.check(model, ["onnx"], input_shapes={"x": ("m", 5, np.int64(5))}).findings[0].operands[0].shape == ["m", 5, 5]
    assert bx.check(model, ["onnx"], input_shapes={"x": "7,5,5"}).findings[0].operands[0].shape == [7, 5, 5]


def test_upgrade_means_the_same_under_newer_opsets(tmp_path):
    onnx = pytest.importorskip("onnx")
    upgraded = bx.upgrade(FACE)
    model = onnx.load_from_string(upgraded.model_bytes)
    assert [one.version for one in model.opset_import if one.domain == ""] == [7]
    assert bx.check(upgraded.model_bytes, ["onnx"]).ok and not bx.check(FACE, ["onnx"]).ok
    out = tmp_path / "out.onnx"
    assert bx.upgrade(FACE, out=out).model_bytes is None and out.read_bytes() == upgraded.model_bytes
    assert bx.upgrade(out).changes == []


def test_what_cannot_be_upgraded_is_named(tmp_path):
    onnx = pytest.importorskip("onnx")
    value = lambda name, shape: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)  # noqa: E731
    node = onnx.helper.make_node("Add", ["x", "b"], ["y"], "sum", broadcast=1, axis=1)
    graph = onnx.helper.make_graph([node], "g", [value("x", None), value("b", [3])], [value("y", None)])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 6)], ir_version=3).SerializeToString()
    for out in (None, tmp_path / "out.onnx"):
        with pytest.raises(ValueError, match="sum"):
            bx.upgrade(model, out=out)
    assert not (tmp_path / "out.onnx").exists()


def test_extract_returns_or_writes_a_model_that_runs(tmp_path):
    onnx = pytest.importorskip("onnx")
    reference = pytest.importorskip("onnx.reference")
    model = small()
    one = bx.extract(model, "act", seed=3)
    assert (one.node, one.op, list(one.inputs)) == ("act", "PRelu", ["x"])
    x = one.inputs["x"]
    assert x.shape == (4, 5, 5) and x.dtype == np.float32 and x.flags.writeable
    want = reference.ReferenceEvaluator(model).run(None, {"x": x})[0]
    got = reference.ReferenceEvaluator(onnx.load_from_string(one.model_bytes)).run(None, one.inputs)[0]
    np.testing.assert_array_equal(got, want)
    assert not np.array_equal(bx.extract(model, "y", seed=4).inputs["x"], x)
    path = tmp_path / "one.onnx"
    written = bx.extract(model, "act", out=path, seed=3)
    assert written.model_bytes is None and path.read_bytes() == one.model_bytes
    np.testing.assert_array_equal(np.load(tmp_path / "one.0.npy"), x)
    inline = bx.extract(model, "act", inline=True)
    assert inline.inputs == {} and onnx.load_from_string(inline.model_bytes).graph.input == []


def test_fix_verifies_unless_told_not_to():
    assert inspect.signature(bx.fix).parameters["verify"].default is True
    assert "bit for bit" in bx.fix(small(), ["openvino"]).verified
    assert bx.fix(small(), ["openvino"], verify=False).verified is None


def test_fix_does_what_the_caller_means():
    onnx = pytest.importorskip("onnx")
    value = lambda name, shape: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)  # noqa: E731
    slope = onnx.numpy_helper.from_array(np.arange(6, dtype=np.float32), "slope")
    node = onnx.helper.make_node("PRelu", ["x", "slope"], ["y"], "act")
    graph = onnx.helper.make_graph([node], "g", [value("x", [1, 6, 6, 5])], [value("y", [1, 6, 6, 5])], [slope])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    [finding] = bx.check(model, ["openvino"]).findings
    assert (finding.verdict, finding.code) == ("differs", "BX002") and "axis 3 is 5" in finding.invalid
    [left] = bx.fix(model, ["openvino"]).left
    assert "--intend channels" in left.reason
    fixed = bx.fix(model, ["openvino"], intend="channels")
    assert [change.change for change in fixed.changes] == ["reshape the constant slope from (6,) to (1, 6, 1, 1): one number per channel"]
    assert "bit for bit" in fixed.verified
    with pytest.raises(TypeError, match="intend must be a text"):
        bx.fix(model, ["openvino"], intend=1)


def test_targets_have_evidence():
    targets = {target.name: target for target in bx.targets()}
    assert {"onnx", "openvino", "ncnn"} <= set(targets)
    sources = {one.source for one in bx.check(FACE).findings if one.target == "ncnn" and one.source}
    assert sources and sources <= {law.source for law in targets["ncnn"].laws}


def test_assert_same():
    assert_same(FACE, ["onnx6"])
    assert_same(small(), ["onnx"], input_shapes={"x": (4, 5, 5)})
    with pytest.raises(AssertionError) as raised:
        assert_same(FACE, ["onnx", "ncnn"])
    text = str(raised.value)
    assert "BX101 differs on ncnn: 1 node\n  bias1 (Add), #" in text and "onnx: 2 differ (2 kinds), 1 same" in text
    assert len(text) < 1500
    onnx = pytest.importorskip("onnx")
    value = lambda name, shape: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)  # noqa: E731
    nodes = [onnx.helper.make_node("Add", [f"x{i}", "b"], [f"x{i + 1}"], f"sum{i}") for i in range(50)]
    graph = onnx.helper.make_graph(nodes, "g", [value("x0", [2, 3]), value("b", [3])], [value("x50", [2, 3])])
    many = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    with pytest.raises(AssertionError) as raised:
        assert_same(many, "equal-rank")
    text = str(raised.value)
    assert "equal-rank: 50 nodes\n  sum0 (Add), #0, sum{1..49}\n" in text and len(text.splitlines()) < 8


def test_groups_are_those_of_the_command():
    onnx = pytest.importorskip("onnx")
    helper, value = onnx.helper, lambda name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 4, 4, 4])
    rows = onnx.numpy_helper.from_array(np.arange(4, dtype=np.float32), "c")
    nodes = [helper.make_node(op, [f"x{i}", "c"], [f"x{i + 1}"], op.lower()) for i, op in enumerate(("Add", "Mul", "Sub"))]
    graph = helper.make_graph(nodes, "g", [value("x0")], [value("x3")], [rows])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    for which, targets, groups in ((model, "none", 1), (model, ["none", "equal-rank"], 2), (FACE, ["onnx", "ncnn"], 3), (FACE, "onnx6", 0)):
        found = bx.check(which, targets)
        heads = re.findall(r"^(error|warning|note)\[(\w+)\]", found.text, re.MULTILINE)
        assert [(one.severity, one.code) for one in found.groups] == heads and len(heads) == groups
        assert sum(len(one.members) for one in found.groups) == len(found.problems)
        assert found._repr_html_().count("<details") == groups
        for one in found.groups:
            assert one.sample["node"].startswith(found.findings[one.members[0]].node) and one.title in found._repr_html_()
            assert one.severity == "error" and one.title in found.text


def test_many_findings_cost_little():
    onnx = pytest.importorskip("onnx")
    value = lambda name, shape: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)  # noqa: E731
    nodes = [onnx.helper.make_node("Add", [f"x{i}", "b"], [f"x{i + 1}"], f"sum{i}") for i in range(2000)]
    graph = onnx.helper.make_graph(nodes, "g", [value("x0", [2, 3]), value("b", [3])], [value("x2000", [2, 3])])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    found = bx.check(model, ["equal-rank"])
    # The time of this thread: what else the machine computes does not count.
    start = time.thread_time()
    assert len(found.problems) == 2000 and len(repr(found)) < 100 and len(found._repr_html_()) < 20_000
    assert time.thread_time() - start < 2
