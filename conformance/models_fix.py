"""`broadaxe fix --for equal-rank` over the shown ONNX graphs, checked by ONNX's own shapes and by ONNX Runtime.

    python -m conformance.models_fix [--for TARGETS] [--only TEXT] [--write]

For each graph: the constants that got another shape, the nodes that came in, whether every element-wise node then has
operands of one rank, and whether the outputs are those of the original, bit for bit. Weights that were left out of the
graphs are drawn (see `model_graphs.fill`). `--write` writes docs/reports/models-fix.md. Ends with 1 when anything is wrong.
"""

import argparse
import sys

import numpy as np
import onnx

from engines import load

from .model_graphs import ROOT, change, counted, feeds, fill, graphs, run, same

PAGE = ROOT / "docs" / "reports" / "models-fix.md"
# Operators whose operands broadcast with each other; of Where all three.
BROADCAST = set(
    "Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min Mod "
    "Mul Or PRelu Pow Sub Sum Where Xor".split()
)


def ranks(model):
    """Return the element-wise nodes with several operands whose ranks differ, how many there are, and how many are unknown."""
    known = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph
    rank = {tensor.name: len(tensor.dims) for tensor in known.initializer}
    for value in [*known.input, *known.value_info, *known.output]:
        if value.type.tensor_type.HasField("shape"):
            rank[value.name] = len(value.type.tensor_type.shape.dim)
    for node in known.node:
        if node.op_type == "Constant":
            value = node.attribute[0]
            rank[node.output[0]] = len(value.t.dims) if value.name == "value" else int(value.name.endswith("s"))
    nodes = [node for node in known.node if node.op_type in BROADCAST and len(node.input) > 1]
    operands = [[rank.get(name) for name in node.input if name] for node in nodes]
    unknown = sum(None in own for own in operands)
    odd = [node for node, own in zip(nodes, operands) if None not in own and len(set(own)) > 1]
    return odd, len(nodes), unknown


def constants(before, after):
    """Count the constants of both models that have another shape."""
    shapes = lambda model: {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer} | {
        node.output[0]: tuple(node.attribute[0].t.dims)
        for node in model.graph.node
        if node.op_type == "Constant" and node.attribute[0].name == "value"
    }
    one, two = shapes(before), shapes(after)
    return sum(name in one and one[name] != shape for name, shape in two.items()), sum(name not in one for name in two)


def row(name, model, targets):
    """Fix and run one graph; return the cells of its row, and what is wrong with it."""
    fill(model)
    odd, nodes, unknown = ranks(model)
    fixed, _ = change(model, "fix", "--for", targets)
    onnx.checker.check_model(fixed, full_check=True)
    left, _, _ = ranks(fixed)
    reshaped, copied = constants(model, fixed)
    work = lambda model: sum(node.op_type != "Constant" for node in model.graph.node)
    added = work(fixed) - work(model)
    inputs = feeds(model)
    one, two = run(model, inputs), run(fixed, inputs)
    equal = same(one, two)
    finite = all(np.isfinite(array).all() for array in one)
    wrong = []
    if "equal-rank" in targets and left:
        wrong.append(f"{name}: {len(left)} nodes have operands of other ranks, such as {left[0].name}")
    if not equal:
        wrong.append(f"{name}: other outputs")
    if not finite:
        wrong.append(f"{name}: the outputs are not finite, so that they show nothing")
    cells = [name, counted(model), nodes, unknown, len(odd), reshaped, copied, added, len(left), "equal" if equal else "DIFFER"]
    return cells, wrong


def main():
    """Fix all graphs and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--for", dest="targets", default="equal-rank")
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    rows, wrong = [], []
    for name, model in graphs(arguments.only):
        try:
            cells, found = row(name, model, arguments.targets)
        except Exception as error:  # noqa: BLE001 - an engine may raise anything, and one graph must not hide the rest
            cells, found = [name] + [""] * 8 + ["FAILED"], [f"{name}: {' '.join(str(error).split())[:300]}"]
        rows.append(cells)
        wrong += found
        print(*cells, sep=" | ", flush=True)
    for sentence in wrong:
        print(sentence)
    numbers = [[cell for cell in column if isinstance(cell, int)] for column in zip(*rows)]
    rows.append([f"{len(rows)} graphs", *map(sum, numbers[1:9]), "equal" if not wrong else f"{len(wrong)} WRONG"])
    print(*rows[-1], sep=" | ")
    if arguments.write:
        write(rows, arguments.targets)
    sys.exit(1 if wrong else 0)


def write(rows, targets):
    """Write the page."""
    head = ["graph", "broadcasting nodes", "element-wise nodes", "of unknown rank to onnx", "of unequal ranks", "constants reshaped", "constants added",
            "nodes added", "unequal afterwards", f"outputs under ONNX Runtime {load('onnxruntime').version()}"]
    table = "\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in [head, ["---"] + ["---:"] * 8 + ["---"], *rows])
    PAGE.write_text(
        f"<!-- Generated by conformance/models_fix.py; do not edit. -->\n\n# Real models, fixed for `{targets}`\n\n"
        f"Each graph went through `broadaxe fix --for {targets}` and was then checked by other programs: the ranks are those "
        f"that `onnx.shape_inference` (onnx {onnx.__version__}, strict, with data propagation) gives, and both models were run on the "
        "same inputs, their outputs compared bit for bit. Big weights, which the graphs do not carry, are drawn: normal, with "
        "the deviation 1/sqrt(fan-in). Broadcasting nodes are those that `broadaxe check` counts; `broadaxe census` counts these and the nodes of one operand. "
        "Element-wise nodes are those among them whose ranks `equal-rank` compares: arithmetic, comparisons, Where and the like, but not Gemm, "
        "Clip, Expand or normalisations. The added constants are the "
        "axes and shapes that added nodes read, and copies of constants that nodes need in two shapes.\n\n"
        f"{table}\n\nGenerated by `python -m conformance.models_fix --write`.\n"
    )


if __name__ == "__main__":
    main()
