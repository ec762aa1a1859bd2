"""Asks pnnx and ncnn for the outcome of minimal models, one for each law of the target ncnn.

    python -m conformance.laws.ncnn_laws

Every model has a name, the outcome of the engine (`same`, `differs` or `refused`, against ONNX Runtime without
optimisations) and the verdict of `broadaxe.check`, which is compared where the package is installed. Ends with 1 where
an outcome or a verdict is another one.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pnnx
from onnx import TensorProto, helper, numpy_helper

from conformance.models_prelu import CHILD

PNNX = Path(pnnx.__file__).parent / "pnnx"
NODE = helper.make_node


def numbers(*shape):
    """Return an array of different small numbers."""
    count = int(np.prod(shape, dtype=int))
    return np.asarray((np.arange(count, dtype=np.float32) * 7 % 23 - 11) / 8 + 0.0625, np.float32).reshape(shape)


def model(nodes, inputs, constants):
    """Return a model of these nodes; the last one's output is its own."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made.ir_version = 9
    return made


def gemm(c, constant_b=True, constant_c=True, **attributes):
    """Return a model of a Gemm of (3, 5) and (5, 4)."""
    b = (4, 5) if attributes.get("transB") else (5, 4)
    inputs = {"x": (3, 5), **({} if constant_b else {"b": b}), **({} if constant_c else {"c": c})}
    constants = {**({"b": numbers(*b)} if constant_b else {}), **({"c": numbers(*c)} if constant_c else {})}
    return model([NODE("Gemm", ["x", "b", "c"], ["y"], **attributes)], inputs, constants)


def norm(x, scale, bias, axis=-1):
    """Return a model of a LayerNormalization."""
    constants = {"scale": numbers(*scale), **({} if bias is None else {"bias": numbers(*bias)})}
    node = NODE("LayerNormalization", ["x", *constants], ["y"], axis=axis)
    return model([node], {"x": x}, constants)


def pooled(op, x, c, *steps, constant=True, first=False):
    """Return a model in which a pooled tensor, shaped by steps, meets another operand."""
    nodes, value, constants = [NODE("AveragePool", ["x"], ["p"], kernel_shape=[1, 1])], "p", {}
    for k, (step, argument) in enumerate(steps):
        if step == "Transpose":
            nodes.append(NODE(step, [value], [f"v{k}"], perm=argument))
        else:
            constants[f"s{k}"] = np.array(argument, np.int64)
            nodes.append(NODE(step, [value, f"s{k}"], [f"v{k}"]))
        value = f"v{k}"
    nodes.append(NODE(op, ["c", value] if first else [value, "c"], ["y"]))
    inputs = {"x": x, **({} if constant else {"c": c})}
    return model(nodes, inputs, {**constants, **({"c": numbers(*c)} if constant else {})})


def one(op, x, c, constant=True, first=False):
    """Return a model of one node with two operands."""
    node = NODE(op, ["c", "x"] if first else ["x", "c"], ["y"])
    return model([node], {"x": x, **({} if constant else {"c": c})}, {"c": numbers(*c)} if constant else {})


TANHSHRINK = [NODE("Tanh", ["x"], ["t"]), NODE("Sub", ["x", "t"], ["y"])]
SOFTSIGN = [NODE("Abs", ["x"], ["a"]), NODE("Add", ["a", "one"], ["b"]), NODE("Div", ["x", "b"], ["y"])]

# Name, model, what the engine does, and the verdict.
LAWS = [
    ("Gemm, C of one number per column", gemm((4,)), "same", "same"),
    ("Gemm, C of a row", gemm((1, 4)), "refused", "refused"),
    ("Gemm, computed C", gemm((4,), constant_c=False), "refused", "refused"),
    ("Gemm, computed B", gemm((3, 1), constant_b=False), "same", "same"),
    ("Gemm, computed B, transposed", gemm((4,), constant_b=False, transB=1), "refused", "refused"),
    ("Gemm, alpha", gemm((3, 1), alpha=0.5), "same", "same"),
    ("Gemm, beta, computed C", gemm((1, 4), constant_c=False, beta=2.0), "same", "same"),
    ("LayerNormalization", norm((2, 3, 4), (4,), (4,)), "same", "same"),
    ("LayerNormalization, axes of 1", norm((2, 3, 4), (1, 4), (4,)), "same", "same"),
    ("LayerNormalization, one scale", norm((2, 3, 4), (1,), (1,)), "refused", "refused"),
    ("LayerNormalization, bias of rank 0", norm((2, 3, 4), (4,), ()), "refused", "refused"),
    ("LayerNormalization, one element", norm((2, 3, 1), (1,), ()), "same", "same"),
    ("LayerNormalization, all axes but the first", norm((2, 3, 4), (3, 4), (3, 4), -2), "differs", "differs"),
    ("LayerNormalization, a row", norm((1, 1, 4), (4,), (4,), -2), "same", "same"),
    ("LayerNormalization, no bias", norm((2, 3, 4), (4,), None), "refused", "unsupported"),
    ("a number of higher rank", one("Sub", (3,), (1, 1)), "differs", "differs"),
    ("a row of higher rank", one("Sub", (3,), (1, 3)), "same", "same"),
    ("rank 5", one("Add", (2, 2, 2, 2, 2), (2,)), "refused", "refused"),
    ("a batch, and a constant with one", pooled("Mul", (2, 3, 4, 5), (2, 1, 1, 5)), "differs", "differs"),
    ("a batch kept by a reshape", pooled("Mul", (2, 3, 4, 5), (2, 1, 5), ("Reshape", (2, 12, 5))), "differs", "differs"),
    ("a batch merged away", pooled("Mul", (2, 3, 1, 1), (6, 1), ("Reshape", (6, 1))), "same", "same"),
    (
        "a batch in operands of two ranks",
        pooled("Add", (2, 2, 4, 3), (2, 1, 2, 1, 1), constant=False, first=True),
        "differs",
        "differs",
    ),
    (
        "a batch at the last axis",
        pooled("Sub", (2, 2, 2, 4), (2, 2), ("Transpose", [1, 3, 2, 0]), constant=False),
        "refused",
        "refused",
    ),
    ("an operand without the batch", pooled("Add", (2, 3, 2, 3), (2, 3), constant=False, first=True), "same", "same"),
    ("x - tanh(x)", model(TANHSHRINK, {"x": (2, 3)}, {}), "refused", "unsupported"),
    ("x / (1 + |x|)", model(SOFTSIGN, {"x": (2, 3)}, {"one": np.float32(1)}), "refused", "unsupported"),
]


def by_ncnn(made, feeds):
    """Return what ncnn computes of a model that pnnx converts, or None."""
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(made, f"{folder}/model.onnx")
        subprocess.run([PNNX, f"{folder}/model.onnx"], cwd=folder, capture_output=True, timeout=120)
        for k, array in enumerate(feeds.values()):
            np.save(f"{folder}/in{k}.npy", array)
        done = subprocess.run([sys.executable, "-c", CHILD, folder], capture_output=True, timeout=120)
        return np.load(f"{folder}/out.npy") if done.returncode == 0 else None


def outcome(made):
    """Say what the engine does with a model: same, differs or refused."""
    feeds = {
        value.name: numbers(*[dim.dim_value for dim in value.type.tensor_type.shape.dim]) for value in made.graph.input
    }
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    want = onnxruntime.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feeds)[0]
    got = by_ncnn(made, feeds)
    if got is None:
        return "refused"
    close = got.shape == want.shape and np.allclose(got, want, rtol=2e-3, atol=1e-4)
    return "same" if close else "differs"


def verdict(made):
    """Return the gravest verdict of the installed package for a model; None where there is no package."""
    try:
        import broadaxe
    except ImportError:
        return None
    said = {finding.verdict for finding in broadaxe.check(made, ["ncnn"]).findings}
    return next((word for word in ("differs", "refused", "unsupported", "guarded", "unknown") if word in said), "same")


def main():
    wrong = 0
    for name, made, does, says in LAWS:
        found, said = outcome(made), verdict(made)
        right = found == does and said in (None, says)
        wrong += not right
        print(f"{'ok   ' if right else 'WRONG'} {name}: the engine {found} ({does}), the check {said} ({says})")
    print(f"{len(LAWS)} models, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
