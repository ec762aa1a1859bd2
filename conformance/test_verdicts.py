"""The models that verdicts are judged by: the same for a seed, valid, and the same after they were written as text."""

import json
from pathlib import Path

import numpy as np
import onnx

from .verdicts import generate, onnx_form
from .verdicts import spec as specs
from .verdicts.forms import File, meaning

CASES = sorted((Path(__file__).parent / "verdicts" / "cases").glob("*.json"))


def _models(count=150):
    found = [generate.model(11, number) for number in range(count)]
    return [(name, spec) for name, spec in found if spec]


def test_a_seed_always_gives_the_same_models():
    one, two = _models(60), _models(60)
    assert one == two
    assert len({specs.text(spec) for _, spec in one}) > 50


def test_models_are_valid():
    wrong, profiles = [], set()
    for name, spec in _models():
        profiles.add(name)
        try:
            model = onnx_form.build(meaning(spec))
            onnx.checker.check_model(onnx.shape_inference.infer_shapes(model, strict_mode=True))
        except Exception as why:  # noqa: BLE001 - all that fail are reported
            wrong.append(f"{specs.line(spec)}: {why}")
    assert not wrong, "\n".join(wrong)
    assert profiles == set(generate.PROFILES)


def test_a_text_holds_the_whole_model():
    for _, spec in _models(60):
        assert specs.parsed(specs.text(spec)) == json.loads(json.dumps(spec))


def test_cases_are_models():
    assert CASES
    for path in CASES:
        case = json.loads(path.read_text())
        spec = specs.parsed(json.dumps(case["model"]))
        onnx_form.build(meaning(spec))
        assert case["target"] and case["found"], path.name


class _Overwrites:
    """An engine that is right in its first run only."""

    def run(self, engine, model, feeds, outputs=(), **more):
        return "ok", [[np.full(2, float(turn), np.float32)] for turn in range(len(feeds))]


def test_a_run_after_other_numbers_counts():
    spec = specs.parsed('{"format": "onnx", "opset": 17, "inputs": {"x": ["f32", [2]]}, "nodes": [["Relu", ["x"], ["y"], {}]], "outputs": ["y"]}')
    file = File(_Overwrites(), spec)
    kind, found = file.run("openvino")
    assert kind == "ok" and not found[0].any()
    assert file.wrong("openvino", [np.zeros(2, np.float32)]) == (0, "in a later run, element (0,): 2 for 0")
