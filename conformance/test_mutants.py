"""Tests which changes of an engine's answer are reported."""

import pytest

from .mutants import judged


class Fake:
    """Answers what the name of a model says."""

    def load(self, path):
        return path.name.split("-")["now" in path.name]


@pytest.mark.parametrize(
    ("name", "change", "is_worse"),
    [
        ("loaded-loaded", "loaded -> loaded", False),
        ("loaded-rejected why", "loaded -> rejected", True),
        ("loaded-ended", "loaded -> ended", True),
        ("rejected why-loaded", "rejected -> loaded", False),
        ("rejected why-rejected why", "rejected -> rejected", False),
        ("ended-ended", "ended -> ended", False),
    ],
)
def test_a_fixed_model_is_worse_if_only_the_original_is_loaded(tmp_path, name, change, is_worse):
    was = tmp_path / f"{name}-.was.onnx"
    changes, worse = judged(Fake(), [was])
    assert changes == {change: 1}
    assert [path.name for path, _ in worse] == ([f"{name}-.now.onnx"] if is_worse else [])
