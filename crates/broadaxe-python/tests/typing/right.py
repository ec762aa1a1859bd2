# Passes mypy and pyright in their strict modes of calls; tests/test_typing.py runs both.
import os
from pathlib import Path
from typing import Literal

import numpy as np

import broadaxe as bx
from broadaxe.testing import assert_same

a = np.ones(3)

bx.add(a, 1)
bx.add(a, a, a)
bx.add(a, a, out=a, where=[True, False, True], casting="unsafe", dtype="f4", order="C")
bx.add(a, a, rule="pdpd", axis=1)
bx.neg(a)
bx.where(a > 0, a, 0)
bx.max(a)
bx.max(a, axis=0, keepdims=True)
bx.max(a, a, a, a)
bx.evaluate("a + a", rule="ncnn")
bx.unbroadcast(a, (3,), rule="ncnn")
bx.explain((1, 2), ("n", None), a, "n,4", dtype=np.float64)

one: Literal[1] = bx.neg.nin
two: Literal[2] = bx.add.nin
several: Literal[True] = bx.max.variadic


def apply(operator: bx.Operator, x: object) -> object:
    return operator(x) if operator.nin == 1 else operator(x, x)


apply(bx.add, a)
apply(bx.neg, a)
apply(bx.operators["add"], a)
bx.operators["add"](a, a)


def kind(x: object) -> int:
    if isinstance(x, bx.Operator):
        count: int = x.nin
        return count
    return 0


def under(rule: bx.RuleName) -> object:
    return bx.add(a, a, rule=rule)


def runs(targets: list[bx.TargetName]) -> bool:
    return bx.check("m.onnx", targets).ok


under("numpy")
runs(["onnx", "rank<=4"])


def models(path: Path, proto: bytes) -> None:
    for model in (path, str(path), os.fspath(path)):
        bx.check(model)
    bx.check(proto, targets="onnx", input_shapes={"x": (1, "n", None), "y": "1,2"})
    found = bx.check(path, ["onnx", "openvino"], input_shapes={"image": (1, 3, 224, 224)})
    finding: bx.Finding = found.problems[0]
    if finding.counterexample is not None:
        element: list[int] = finding.counterexample.element
        print(element, found.targets[0].differs)
    changed: bytes | None = bx.fix(path, "onnx").model_bytes
    inputs: dict[str, np.ndarray] = bx.extract(path, "conv1").inputs
    assert_same(path, ["onnx"])
    name: str = bx.rules[0].name
    (label, summary, parameters) = bx.rules[0]
    print(changed, inputs, name, label, summary, parameters, bx.targets()[0].laws[0].evidence)
