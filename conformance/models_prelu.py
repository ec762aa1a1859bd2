"""Asks OpenVINO, and ncnn by way of pnnx, what the profiles of targets say of them, and compares verdict by verdict.

    cargo build --release -p broadaxe-models --example verdicts
    python -m conformance.models_prelu [--every N] [--only TEXT]

Each question is an ONNX model of one node. ONNX Runtime says what it means; an engine then gives the same, something
else, or refuses it; and `verdicts` has to say so beforehand, with the first element on which they differ. The questions
are every legal shape of a slope of `PRelu` for data of ranks 1 to 4, with sizes that differ and sizes that coincide; and
what else the profiles state: the number of operands, the batch, ranks, bounds, scales, PDPD in OpenVINO's own files, and
`axis` of before opset 7.
`--every N` asks each Nth model only. Ends with 1 where a verdict is wrong.
"""

import argparse
import itertools
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from engines import Engines

ROOT = Path(__file__).parents[1]
TARGETS = "openvino", "ncnn"
ENGINES = Engines()

# Extents of the data that slopes are tried for: all that are 1, 2 or 3 up to rank 3, and of rank 4 the patterns.
SHAPES = [
    *((n,) for n in (1, 2, 3, 4, 8)),
    *itertools.product((1, 2, 3), repeat=2),
    *((4, 8), (8, 4)),
    *itertools.product((1, 2, 3), repeat=3),
    *((2, 3, 4), (4, 3, 4), (1, 4, 4), (1, 8, 3), (2, 8, 3), (2, 4, 4)),
    *((1, 2, 2, 2), (1, 3, 2, 2), (1, 2, 3, 2), (1, 2, 2, 3), (2, 3, 4, 5), (1, 3, 4, 5), (2, 2, 3, 3), (2, 3, 3, 3)),
    *((3, 3, 3, 3), (2, 3, 3, 2), (2, 3, 2, 3), (1, 3, 3, 3), (1, 1, 3, 3), (2, 1, 3, 3), (1, 3, 1, 3), (1, 3, 3, 1)),
    *((2, 3, 1, 1), (2, 3, 1, 3), (2, 3, 3, 1), (1, 1, 1, 3), (1, 1, 1, 1), (1, 3, 1, 1), (3, 1, 1, 1), (1, 1, 3, 1)),
    *((1, 8, 2, 3), (2, 8, 2, 3)),
]


class Question:
    """A model of one node, its inputs, and the engines that it is asked of."""

    def __init__(self, name, model, feeds, targets=TARGETS):
        self.name, self.model, self.targets = name, model, targets
        self.feeds = {key: np.asarray(value) for key, value in feeds.items()}
        # What the operator means, where ONNX Runtime is not asked; and whether the numbers show the first difference.
        self.want, self.shows = None, True


def numbers(shape, start=1):
    """Return an array of as many different numbers as it has elements."""
    return (np.arange(np.prod(shape), dtype=np.float32) + start).reshape(shape)


def model(nodes, inputs, constants=(), opset=17, output=None):
    """Return a model of these nodes; the last one's output is its own."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape) for name, array in inputs.items()],
        [helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, output)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in dict(constants).items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 10
    return made


def slopes():
    """Yield a question for every legal slope of every shape: of each suffix of its dims, with 1 in place of some."""
    for shape in SHAPES:
        x = -numbers(shape)
        for rank in range(len(shape) + 1):
            for slope in sorted(set(itertools.product(*[(1, size) for size in shape[len(shape) - rank :]]))):
                nodes = [helper.make_node("PRelu", ["x", "slope"], ["y"], name="asked")]
                made = model(nodes, {"x": x}, {"slope": numbers(slope, 2)}, output=shape)
                yield Question(f"PRelu {shape} {slope}", made, {"x": x})


def others():
    """Yield a question for each of the other statements."""
    x = numbers((2, 3, 4))
    negative = -x

    def one(name, op, inputs, constants=(), targets=TARGETS, **attributes):
        opset = attributes.pop("opset", 17)
        names = [*inputs, *dict(constants)]
        node = helper.make_node(op, names, ["y"], name="asked", **attributes)
        return Question(name, model([node], inputs, constants, opset), inputs, targets)

    ncnn = ("ncnn",)
    for slope in ((3, 1), (4,), (1,), ()):
        yield one(f"computed slope {slope}", "PRelu", {"x": negative, "slope": numbers(slope, 2)})
    for op in ("Max", "Min", "Sum", "Mean"):
        for count in (1, 2, 3, 4):
            # The last operand is the one that shows.
            arrays = {f"x{k}": numbers((2, 3), 5 * (k if op != "Min" else -k)) for k in range(count)}
            yield one(f"{op} of {count}", op, arrays)
    for op in ("Add", "Sub", "Mul", "Div", "Pow"):
        for shape in ((2, 3, 4), (4,), (3, 1), (2, 1, 1), (1,), ()):
            yield one(f"{op} {shape}", op, {"x": x}, {"b": numbers(shape, 1) / 4})
            yield one(f"{op} {shape}, computed", op, {"x": x, "b": numbers(shape, 1) / 4})
    yield one("Mod", "Mod", {"x": x + np.float32(0.3)}, {"b": numbers((4,), 2)}, fmod=1)
    yield one("Expand", "Expand", {"x": numbers((3, 1))}, {"shape": np.array([2, 3, 4], np.int64)})
    yield one("Clip", "Clip", {"x": x}, {"low": np.float32(3), "high": np.float32(9)})
    for shape in ((4,), (1, 4), (3, 4), (3, 1), (1,), ()):
        product = {"x": numbers((3, 5))}
        yield one(f"Gemm {shape}", "Gemm", product, {"w": numbers((5, 4)), "c": numbers(shape, 100)})
    for axis, shape in ((-1, (4,)), (-1, (1,)), (1, (3, 4))):
        weights = {"scale": numbers(shape, 3), "bias": numbers(shape, 5)}
        yield one(f"LayerNormalization {shape}", "LayerNormalization", {"x": x}, weights, axis=axis)
        alone = {"scale": numbers(shape, 3)}
        yield one(f"LayerNormalization {shape}, no bias", "LayerNormalization", {"x": x}, alone, axis=axis)
    weights = {"scale": numbers((4, 5), 3), "bias": numbers((4, 5), 5)}
    yield one("LayerNormalization (4, 5)", "LayerNormalization", {"x": numbers((2, 3, 4, 5))}, weights, axis=2)
    batches = [((1, 3, 4, 5), shape) for shape in ((3, 1, 1), (1, 3, 1, 1), (2, 3, 1, 1), (5,), (4, 1))]
    batches += [((2, 3, 4, 5), shape) for shape in ((2, 3, 1, 1), (2, 1, 1, 1), (1, 3, 1, 1), (3, 4, 5), (2, 3, 4, 5))]
    batches += [((2, 3, 4), shape) for shape in ((2, 1, 1), (1, 3, 1), (3, 1), (4,), (5, 1, 3, 4))]
    batches += [((1, 2, 3, 4, 5), shape) for shape in ((5,), (2, 1, 1, 1), (1, 2, 1, 1, 1))]
    for shape, other in batches:
        nodes = [helper.make_node("AveragePool", ["x"], ["p"], kernel_shape=[1] * (len(shape) - 2))]
        nodes.append(helper.make_node("Sub", ["p", "b"], ["y"], name="asked"))
        data, b = numbers(shape), numbers(other, 3)
        yield Question(f"batch {shape} {other}", model(nodes, {"x": data}, {"b": b}), {"x": data}, ncnn)
        if len(other) <= len(shape):
            both = {"x": data, "b": b}
            yield Question(f"batch {shape} {other}, computed", model(nodes, both), both, ncnn)
    for shape, other in (((2, 2, 3, 4, 5), (5,)), ((1, 2, 3, 4, 5), (2, 1, 1, 1))):
        yield one(f"rank 5 {other}", "Sub", {"x": numbers(shape)}, {"b": numbers(other)}, ncnn)


def legacy():
    """Yield a question for each place of a second operand before opset 7, and the same in NumPy's words."""
    for shape in ((2, 3), (3, 3), (2, 3, 4), (3, 3, 3), (2, 3, 4, 5), (2, 3, 3, 2), (3, 3, 3, 3)):
        for first in range(len(shape)):
            for last in range(first + 1, len(shape) + 1):
                x, b = numbers(shape), numbers(shape[first:last], 3)
                for axis in {first} | ({None} if last == len(shape) else set()):
                    given = {"broadcast": 1} if axis is None else {"broadcast": 1, "axis": axis}
                    node = helper.make_node("Sub", ["x", "b"], ["y"], name="asked", **given)
                    question = Question(f"Sub-6 {shape} {b.shape} {axis}", model([node], {"x": x, "b": b}, opset=6), {"x": x, "b": b}, ("openvino",))
                    question.want = x - b.reshape(b.shape + (1,) * (len(shape) - last))
                    yield question


# Operators of OpenVINO under PDPD: what they are in NumPy, and the type of their operands and result.
PDPD = {
    "Add": (np.add, "f32", "f32"),
    "Subtract": (np.subtract, "f32", "f32"),
    "Multiply": (np.multiply, "f32", "f32"),
    "Divide": (np.divide, "f32", "f32"),
    "Power": (np.power, "f32", "f32"),
    "Maximum": (np.maximum, "f32", "f32"),
    "Minimum": (np.minimum, "f32", "f32"),
    "SquaredDifference": (lambda a, b: (a - b) ** 2, "f32", "f32"),
    "FloorMod": (np.mod, "f32", "f32"),
    "Mod": (np.fmod, "f32", "f32"),
    "Equal": (np.equal, "f32", "boolean"),
    "NotEqual": (np.not_equal, "f32", "boolean"),
    "Less": (np.less, "f32", "boolean"),
    "LessEqual": (np.less_equal, "f32", "boolean"),
    "Greater": (np.greater, "f32", "boolean"),
    "GreaterEqual": (np.greater_equal, "f32", "boolean"),
    "LogicalAnd": (np.logical_and, "boolean", "boolean"),
    "LogicalOr": (np.logical_or, "boolean", "boolean"),
    "LogicalXor": (np.logical_xor, "boolean", "boolean"),
    "BitwiseAnd": (np.bitwise_and, "i32", "i32"),
    "BitwiseOr": (np.bitwise_or, "i32", "i32"),
    "BitwiseXor": (np.bitwise_xor, "i32", "i32"),
}
TYPES = {"f32": ("FP32", np.float32), "i32": ("I32", np.int32), "boolean": ("BOOL", np.bool_)}


def intermediate(op, shapes, types, axis):
    """Return the text of an IR of one operator under PDPD."""
    version = 13 if op.startswith("Bitwise") else 1
    port = lambda k, shape, kind: f'<port id="{k}" precision="{TYPES[kind][0]}">' + "".join(f"<dim>{d}</dim>" for d in shape) + "</port>"
    layers = [
        f'<layer id="{k}" name="{name}" type="Parameter" version="opset1"><data shape="{",".join(map(str, shape))}" element_type="{types[0]}"/>'
        f"<output>{port(0, shape, types[0])}</output></layer>"
        for k, (name, shape) in enumerate(zip("xb", shapes))
    ]
    layers.append(
        f'<layer id="2" name="asked" type="{op}" version="opset{version}"><data auto_broadcast="pdpd" auto_broadcast.auto_broadcast_axis="{axis}"/>'
        f"<input>{port(0, shapes[0], types[0])}{port(1, shapes[1], types[0])}</input><output>{port(2, shapes[0], types[1])}</output></layer>"
    )
    layers.append(f'<layer id="3" name="y" type="Result" version="opset1"><input>{port(0, shapes[0], types[1])}</input></layer>')
    edges = [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)]
    edge = '<edge from-layer="{}" from-port="{}" to-layer="{}" to-port="{}"/>'
    return f'<?xml version="1.0"?><net name="pdpd" version="11"><layers>{"".join(layers)}</layers><edges>{"".join(edge.format(*e) for e in edges)}</edges></net>'


def pdpd():
    """Yield a question for each operator of OpenVINO under PDPD, at the axis that is the default one and at others."""
    for op, (function, *types) in PDPD.items():
        for shape, other, axis in (((2, 3, 4), (3,), 1), ((3, 3, 3), (3,), 0), ((2, 3, 4), (3, 4), 1), ((2, 3, 4), (4,), -1)):
            kind = TYPES[types[0]][1]
            least = int(kind != np.bool_)
            x, b = ((numbers(shape, 1) % (2 + 3 * least) + least).astype(kind), (numbers(other) % (2 + least) + least).astype(kind))
            question = Question(f"{op} under PDPD {shape} {other} {axis}", intermediate(op, (shape, other), types, axis), {"x": x, "b": b}, ("openvino",))
            start = len(shape) - len(other) if axis == -1 else axis
            question.want = function(x, b.reshape(other + (1,) * (len(shape) - start - len(other))))
            question.shows = types == ["f32", "f32"]
            yield question


def by_onnxruntime(question):
    """Return what a model means."""
    if question.want is not None:
        return question.want
    kind, found = ENGINES.run("onnxruntime", question.model.SerializeToString(), [question.feeds])
    if kind != "ok":
        raise RuntimeError(found)
    return found[0][0]


def asked(engine, question):
    """Return what an engine computes for a model; raises what it says if it refuses."""
    if isinstance(question.model, str):
        given = {"model": question.model.encode(), "weights": b"", "format": "openvino"}
    else:
        given = {"model": question.model.SerializeToString()}
    names = list(question.feeds) if isinstance(question.model, str) else [value.name for value in question.model.graph.input]
    kind, found = ENGINES.run(engine, feeds=[{name: question.feeds[name] for name in names}], **given)
    if kind != "ok":
        raise RuntimeError(found)
    return found[0][0]


def seen(question, engine):
    """Say what an engine did: same, refused, or differs with the first element that does; None for another shape."""
    want = by_onnxruntime(question)
    try:
        got = asked(engine, question)
    except Exception as why:  # noqa: BLE001
        return "refused", str(why)[-100:]
    if got.shape != want.shape:
        return "differs", None
    wrong = ~np.isclose(got, want, rtol=1e-3, atol=1e-4, equal_nan=True)
    return ("differs", tuple(np.argwhere(wrong)[0].tolist())) if wrong.any() else ("same", None)


def said(binary, questions):
    """Return what the profiles say of each question and target: the verdict and the element."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for k, question in enumerate(questions):
            path = f"{folder}/{k}.{'xml' if isinstance(question.model, str) else 'onnx'}"
            paths[path] = question
            if isinstance(question.model, str):
                Path(path).write_text(question.model)
            else:
                onnx.save(question.model, path)
        lines = []
        for start in range(0, len(paths), 200):
            command = [binary, "--all", ",".join(TARGETS), *list(paths)[start : start + 200]]
            lines += subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        found = {}
        for line in lines:
            row = json.loads(line)
            if row.get("node") == "asked":
                element = row["element"]
                found[paths[row["file"]], row["target"]] = row["verdict"], element and tuple(element), row["reason"]
        return found


def main():
    """Ask, compare, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=ROOT / "target" / "release" / "examples" / "verdicts")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="", help="only questions whose name has this text")
    options = parser.parse_args()
    every = [question for question in itertools.chain(others(), pdpd(), legacy(), slopes()) if options.only in question.name]
    questions = every[:: options.every]
    verdicts = said(options.binary, questions)
    figures, wrong = Counter(), 0
    for question in questions:
        for target in question.targets:
            verdict, element, reason = verdicts[question, target]
            outcome, first = seen(question, target)
            figures[re.sub(r"\W.*", "", question.name), target, outcome] += 1
            # An element is compared where both name one: a result of no use has another shape, or differs anywhere.
            shown = first and element and question.shows
            if outcome != verdict or (shown and first != element):
                wrong += 1
                print(f"{question.name} for {target}: {outcome} {first}, but said to be {verdict} {element}: {reason}")
    for (name, target, outcome), count in sorted(figures.items()):
        print(f"{name:<20} {target:<10} {outcome:<8} {count}")
    print(f"{len(questions)} models, {sum(figures.values())} answers, {wrong} wrong verdicts")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
