"""Asks ONNX Runtime about every dtype of the operators that broadcast, and writes what it ran and what it refused.

    python -m conformance.laws.dtypes --out crates/broadaxe-models/src/profiles/onnx/dtypes.txt
"""

import argparse
from itertools import groupby
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from engines import load

DTYPES = {
    "bool": TensorProto.BOOL, "i8": TensorProto.INT8, "i16": TensorProto.INT16, "i32": TensorProto.INT32, "i64": TensorProto.INT64,
    "u8": TensorProto.UINT8, "u16": TensorProto.UINT16, "u32": TensorProto.UINT32, "u64": TensorProto.UINT64, "f16": TensorProto.FLOAT16,
    "bf16": TensorProto.BFLOAT16, "f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE,
}  # fmt: skip
OPSETS = range(7, 27)
OPERATORS = (
    "Add And BatchNormalization BitShift BitwiseAnd BitwiseOr BitwiseXor Clip Conv ConvTranspose Div Equal Expand Gemm Greater GreaterOrEqual GroupNormalization "
    "InstanceNormalization LayerNormalization Less LessOrEqual Max Mean Min Mod Mul Or PRelu Pow RMSNormalization Sub Sum Where Xor"
).split()
# The inputs whose shape is not that of the others.
SHAPES = {
    ("Clip", 1): [], ("Clip", 2): [], ("Conv", 1): [2, 2, 1], ("ConvTranspose", 1): [2, 2, 1], ("Expand", 1): [2], ("LayerNormalization", 1): [2],
    ("LayerNormalization", 2): [2], ("RMSNormalization", 1): [2],
}  # fmt: skip
# How many inputs those have that have more than two; behind the data of the last come lists of one number per channel.
COUNTS = {"Clip": 3, "Gemm": 3, "LayerNormalization": 3, "Where": 3}
LISTS = {"BatchNormalization": 5, "Conv": 3, "ConvTranspose": 3, "GroupNormalization": 3, "InstanceNormalization": 3}
SHAPES |= {(name, k): [2] if k else [2, 2, 2] for name, count in LISTS.items() for k in range(count) if (name, k) not in SHAPES}
COUNTS |= LISTS


def allowed(schema, k):
    """Return the dtypes that a schema allows for an input."""
    types = schema.inputs[min(k, len(schema.inputs) - 1)].types
    named = lambda dtype: f"tensor({TensorProto.DataType.Name(dtype).lower()})"
    return [name for name, dtype in DTYPES.items() if named(dtype) in types]


def runs(driver, operator, opset, dtypes):
    """Say whether ONNX Runtime makes a session of a model of one node."""
    first, _, second = dtypes.partition(",")
    kinds = [first] * COUNTS.get(operator, 2)
    if operator in ("Expand", "Pow"):
        kinds[1] = "i64" if operator == "Expand" else second or first
    if operator == "Where":
        kinds[0] = "bool"
    attributes = {"Mod": {"fmod": int("f" in first)}, "BitShift": {"direction": "LEFT"}, "GroupNormalization": {"num_groups": 2}}.get(operator, {})
    names = [f"x{k}" for k in range(len(kinds))]
    shapes = [SHAPES.get((operator, k), [2, 2]) for k in range(len(kinds))]
    tensor = helper.make_tensor_value_info
    inputs = [tensor(name, DTYPES[kind], shape) for name, kind, shape in zip(names, kinds, shapes, strict=True)]
    compares = onnx.defs.get_schema(operator, opset).outputs[0].types == {"tensor(bool)"}
    output = tensor("y", DTYPES["bool" if compares else first], None)
    node = helper.make_node(operator, names, ["y"], **attributes)
    model = helper.make_model(helper.make_graph([node], "g", inputs, [output]), opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    try:
        driver.session(model.SerializeToString())
    except Exception:  # noqa: BLE001 - it raises what it likes
        return False
    return True


def answers(driver, operator, opset):
    """Return the dtypes that ran and those that were refused, or nothing where the opset has no such operator."""
    if operator == "Clip" and opset < 11 or operator == "LayerNormalization" and opset < 17:
        return None
    try:
        schema = onnx.defs.get_schema(operator, opset)
    except onnx.defs.SchemaError:
        return None
    dtypes = allowed(schema, 1 if operator == "Where" else 0)
    if operator == "Pow" and opset >= 12:
        dtypes = [f"{base},{exponent}" for base in dtypes for exponent in allowed(schema, 1)]
    ran = [dtype for dtype in dtypes if runs(driver, operator, opset, dtype)]
    return " ".join(ran), " ".join(dtype for dtype in dtypes if dtype not in ran)


def main():
    """Ask about all operators in all opsets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    driver = load("onnxruntime")
    version = driver.version()
    lines = [f"# Operator, opsets | dtypes that ONNX Runtime {version} ran on the CPU | dtypes that it refused"]
    for operator in OPERATORS:
        found = [(opset, answers(driver, operator, opset)) for opset in OPSETS]
        for said, group in groupby(found, key=lambda one: one[1]):
            opsets = [opset for opset, _ in group]
            if said:
                lines.append(f"{operator} {opsets[0]}-{opsets[-1]} | {said[0]} | {said[1]}".rstrip())
    given.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
