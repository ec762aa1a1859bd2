"""Old ONNX models through `broadaxe upgrade`: every placement of the old attributes, and the models of the onnx package.

    python -m conformance.models_upgrade

Each result is run by ONNX Runtime, which accepts opset 7 and later only. What the placements mean is said here by NumPy:
the second operand gets an axis of 1 for each axis of the first that comes after its own. The package's models carry
recorded outputs. Ends with 1 when anything differs.
"""

import math
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .model_graphs import change, run

FIRST = [(5,), (4, 5), (3, 4, 5), (2, 3, 4, 5), (4, 4), (3, 3, 3), (2, 2, 2, 2), (2, 3, 3, 2), (1, 3, 1, 3), (1, 4)]
# Operators, NumPy's name, and the opset of the old model.
OPERATORS = [
    ("Add", np.add, 6),
    ("Sub", np.subtract, 6),
    ("Mul", np.multiply, 6),
    ("Div", np.divide, 6),
    ("Pow", np.power, 6),
    ("Sub", np.subtract, 1),
    ("Greater", np.greater, 6),
    ("Less", np.less, 6),
    ("Equal", np.equal, 6),
    ("And", np.logical_and, 6),
    ("Or", np.logical_or, 6),
    ("Xor", np.logical_xor, 6),
]


def placements():
    """Return every legal (first, second, axis): runs of the first one's dims, with their axis and without, and one element."""
    found = []
    for first in FIRST:
        rank = len(first)
        for length in range(1, rank + 1):
            for axis in range(rank - length + 1):
                run = first[axis : axis + length]
                if math.prod(run) > 1:
                    found.append((first, run, axis))
                    if axis + length == rank:
                        found.append((first, run, None))
        found += [(first, (1,) * ones, None) for ones in range(rank + 1)]
        found.append((first, (1,), 0))
    return found


def legacy(op, opset, dtypes, first, second, axis, constant):
    """Make a model of one node; `constant` is the second operand, or None for an input."""
    attributes = {"broadcast": 1} | ({} if axis is None else {"axis": axis})
    node = helper.make_node(op, ["a", "b"], ["c"], name="node", **attributes)
    inputs = [helper.make_tensor_value_info("a", dtypes[0], first), helper.make_tensor_value_info("b", dtypes[0], second)]
    weights = [] if constant is None else [numpy_helper.from_array(constant, "b")]
    output = helper.make_tensor_value_info("c", dtypes[1], first)
    graph = helper.make_graph([node], "legacy", inputs, [output], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=3)


def wide(array, rank, axis):
    """Give the second operand an axis of 1 for each axis of the first after its own; one element fits anywhere."""
    if array.size == 1:
        return array.reshape(())
    after = 0 if axis is None else rank - axis - array.ndim
    return array.reshape(array.shape + (1,) * after)


def check_placements():
    """Upgrade and run a model per placement; return the sentences about those that are wrong."""
    wrong, count = [], 0
    found = placements()
    for number, (first, second, axis) in enumerate(found):
        # Every operator somewhere, the plain ones everywhere.
        others = [OPERATORS[2 + (number + k) % (len(OPERATORS) - 2)] for k in range(2)]
        for op, meant, opset in OPERATORS[:2] + others:
            logic = op in ("And", "Or", "Xor")
            kind = bool if logic else np.int32 if op == "Equal" else np.float32
            dtypes = (helper.np_dtype_to_tensor_dtype(np.dtype(kind)),)
            dtypes += (TensorProto.BOOL if logic or op in ("Greater", "Less", "Equal") else dtypes[0],)
            random = np.random.default_rng(number)
            a = (random.integers(0, 2, first) if logic else random.integers(1, 9, first)).astype(kind)
            b = (random.integers(0, 2, second) if logic else random.integers(1, 9, second)).astype(kind)
            for constant in (None, b):
                count += 1
                where = f"{op} of opset {opset}, {first} with {second}, axis {axis}, {'constant' if constant is not None else 'input'}"
                try:
                    upgraded, _ = change(legacy(op, opset, dtypes, first, second, axis, constant), "upgrade")
                    onnx.checker.check_model(upgraded, full_check=True)
                    got = run(upgraded, {"a": a} | ({} if constant is not None else {"b": b}))[0]
                except Exception as error:  # noqa: BLE001 - an engine may raise anything, and it is all the same here
                    wrong.append(f"{where}: {error}")
                    continue
                want = meant(a, wide(b, len(first), axis))
                if got.shape != want.shape or not np.allclose(got, want, rtol=1e-6, atol=0):
                    wrong.append(f"{where}: {got.ravel()[:4]} instead of {want.ravel()[:4]}")
    print(f"placements: {len(found)}, models: {count}, wrong: {len(wrong)}")
    return wrong


def check_slopes():
    """Upgrade and run PRelu of opset 6, whose slope is along axis 1."""
    wrong, count = [], 0
    for shape in [(2, 3), (2, 3, 4), (2, 3, 4, 5), (2, 3, 3, 3), (4, 4, 4, 4), (2, 3, 4, 5, 6)]:
        for slopes in {1, shape[1]}:
            count += 1
            slope = np.linspace(0.1, 0.9, slopes).astype(np.float32)
            inputs = [helper.make_tensor_value_info(name, 1, dims) for name, dims in (("a", shape), ("b", (slopes,)))]
            graph = helper.make_graph(
                [helper.make_node("PRelu", ["a", "b"], ["c"])], "slopes", inputs,
                [helper.make_tensor_value_info("c", 1, shape)], [numpy_helper.from_array(slope, "b")],
            )
            model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 6)], ir_version=3)
            a = np.random.default_rng(count).standard_normal(shape).astype(np.float32)
            want = np.where(a < 0, a * slope.reshape((-1,) + (1,) * (len(shape) - 2)), a)
            try:
                got = run(change(model, "upgrade")[0], {"a": a})[0]
                if not np.allclose(got, want):
                    wrong.append(f"PRelu {shape} with {slopes} slopes: other values")
            except Exception as error:  # noqa: BLE001
                wrong.append(f"PRelu {shape} with {slopes} slopes: {error}")
    print(f"slopes: {count}, wrong: {len(wrong)}")
    return wrong


def recorded(folder):
    """Return the inputs and outputs that a folder of the package records."""
    read = lambda path: numpy_helper.to_array(onnx.load_tensor(str(path)))
    order = lambda path: int(path.stem.split("_")[1])
    inputs = [read(path) for path in sorted(folder.glob("input_*.pb"), key=order)]
    return inputs, [read(path) for path in sorted(folder.glob("output_*.pb"), key=order)]


def check_package():
    """Upgrade and run the models of opset 6 in the onnx package."""
    wrong, count = [], 0
    data = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data"
    for path in sorted(data.glob("pytorch-*/*/model.onnx")):
        model = onnx.load(str(path))
        if model.opset_import[0].version >= 7:
            continue
        count += 1
        name = f"{path.parent.parent.name}/{path.parent.name}"
        try:
            upgraded, _ = change(path.read_bytes(), "upgrade")
            onnx.checker.check_model(upgraded, full_check=True)
            weights = {tensor.name for tensor in upgraded.graph.initializer}
            names = [value.name for value in upgraded.graph.input if value.name not in weights]
            for folder in sorted(path.parent.glob("test_data_set_*")):
                inputs, outputs = recorded(folder)
                for got, want in zip(run(upgraded, dict(zip(names, inputs))), outputs, strict=True):
                    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-5)
        except Exception as error:  # noqa: BLE001
            wrong.append(f"{name}: {' '.join(str(error).split())[:300]}")
    print(f"models of the package: {count}, wrong: {len(wrong)}")
    return wrong


def main():
    """Run all checks."""
    wrong = check_placements() + check_slopes() + check_package()
    for sentence in wrong:
        print(sentence)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
