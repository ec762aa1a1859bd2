"""The minimal models of laws, one or more for each, by target: rows of `profiles/tests/recorded/NAME_laws.txt`.

A row is `version | model | answer`. A model is a text, as in the tests of the targets: `x(1,4,n=3)` is an input, whose last dim the file leaves open,
`c=const(3)` a constant, `c=const:i64(2)=3,4` one of these numbers, `y=Conv(a,w) pads=1,1,1,1` a node, `_` an absent input; `opset 6;` and `ir;` come
first. The answer is what the engine does: the same as the model means, something else (`differs`), or it refuses. Broadaxe says so too, or the second word:
`unknown` for what is understood only in part, `unsupported` for what an engine has no layer for.
"""

from engines import ROOT

TABLES = ROOT / "crates/broadaxe-models/src/profiles/tests/recorded"
TARGETS = ("openvino", "onnx", "ncnn", "mnn", "tvm", "opencv", "nncase", "rknn")


def rows(target):
    """Return the rows of a target: the model, what the engine does, and what Broadaxe says."""
    found = []
    for line in (TABLES / f"{target}_laws.txt").read_text().splitlines():
        if not line.startswith("#"):
            _, text, answer = line.split(" | ")
            does, _, said = answer.partition(", ")
            found.append((text, does, said or does))
    return found


CASES = {target: rows(target) for target in TARGETS}
