"""Asks onnx and ONNX Runtime about the shapes that Broadaxe infers, and writes `docs/reports/models-inference.md`.

    cargo build --release -p broadaxe-models --example shapes
    python -m conformance.models_infer --models ../shared/models

Four questions: does onnx's own inference agree, value by value; has every value, run by ONNX Runtime, the shape that was inferred,
with what the names of dims stand for put in; has OpenVINO's IR, given other inputs, the shapes that are inferred for them; and do the tests that come with the onnx package have the outputs that are inferred
when their declarations are taken away. Weights that are all zero are drawn, so that the graphs compute something.
"""

import argparse
import gzip
import json
import subprocess
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper, shape_inference

from engines import load

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reports" / "models-inference.md"
# What names of dims stand for when a graph is run; sizes that differ from each other and from what graphs are full of.
SIZES = {"batch": 3, "seq": 23, "sequence": 23, "height": 70, "width": 90}
FRAMES = 3217
# The types of elements that NumPy has too.
NUMBERS = (1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13)


def inferred(binary, paths, options=()):
    """Return what Broadaxe infers, by path: the values by name, the figures, or the error."""
    answers = {str(path): {} for path in paths}
    figures, errors = {}, {}
    for start in range(0, len(paths), 200):
        command = [binary, *options, *map(str, paths[start : start + 200])]
        for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
            row = json.loads(line)
            if "error" in row:
                errors[row["file"]] = row["error"]
            elif "nodes" in row:
                figures[row["file"]] = row
            elif row["graph"] == 0:
                answers[row["file"]][row["name"]] = row
    return answers, figures, errors


def by_onnx(model):
    """Return what onnx infers, by name; None where it refuses."""
    try:
        model = shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    except Exception as why:  # noqa: BLE001
        return None, str(why).splitlines()[0]
    found = {}
    for value in [*model.graph.value_info, *model.graph.output]:
        kind = value.type.tensor_type
        if not kind.HasField("shape"):
            continue
        found[value.name] = [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None for dim in kind.shape.dim]
    return found, None


def compared(ours, theirs):
    """Say how a shape compares: who knows more, or that both cannot be."""
    if ours is None or theirs is None:
        return "same" if ours is theirs else "onnx knows more" if ours is None else "more known here"
    if len(ours) != len(theirs):
        return "contradiction"
    verdict = set()
    for here, there in zip(ours, theirs, strict=True):
        # onnx gives sizes that it does not know names of its own.
        there = None if isinstance(there, str) and there.startswith("unk__") else there
        if isinstance(here, int) and isinstance(there, int):
            verdict.add("same" if here == there else "contradiction")
        elif here == there:
            verdict.add("same")
        elif isinstance(there, int) or (here is None and there is not None):
            verdict.add("onnx knows more")
        elif there is None or isinstance(here, int):
            verdict.add("more known here")
        else:
            verdict.add("other name")
    order = ["contradiction", "onnx knows more", "other name", "more known here", "same"]
    return next(word for word in order if word in verdict or word == "same")


def filled(model, seed):
    """Fill the floating-point weights that are all zero with normal values of deviation 1/sqrt(fan-in)."""
    draw = np.random.default_rng(seed)
    for tensor in model.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype.kind == "f" and array.size and not array.any():
            fan = max(1, int(np.prod(array.shape[1:])) if array.ndim > 1 else array.size)
            tensor.CopyFrom(numpy_helper.from_array(draw.normal(0, fan**-0.5, array.shape).astype(array.dtype), tensor.name))
    return model


def size(dim, names):
    """Return the size of an input's dim, drawn for its name."""
    if dim.HasField("dim_value"):
        return dim.dim_value
    return names.setdefault(dim.dim_param, SIZES.get(dim.dim_param, 5))


def fed(model, names, seed):
    """Draw the inputs: integers for ids, truth for masks, normal values for the rest."""
    draw = np.random.default_rng(seed)
    feed = {}
    constants = {tensor.name for tensor in model.graph.initializer}
    for value in model.graph.input:
        if value.name in constants:
            continue
        kind = value.type.tensor_type
        shape = [size(dim, names) for dim in kind.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        if dtype.kind in "iu":
            feed[value.name] = draw.integers(0, 2, shape).astype(dtype)
        elif dtype.kind == "b":
            feed[value.name] = np.ones(shape, dtype)
        else:
            feed[value.name] = draw.normal(size=shape).astype(dtype)
    return feed


def by_runtime(model, names):
    """Return the shapes that values have when ONNX Runtime runs the graph, by name."""
    known = {value.name for value in model.graph.output}
    for node in model.graph.node:
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in node.output if name and name not in known)
    session = load("onnxruntime").session(model.SerializeToString(), {"optimise": False})
    results = session.run(None, fed(model, names, 1))
    return {output.name: list(result.shape) for output, result in zip(session.get_outputs(), results, strict=True)}


def broadcast(*sizes):
    """Return the size among some that is not 1."""
    return next((size for size in sizes if size != 1), 1)


def value(dim, names):
    """Return the size that a dim has when names stand for these; None if it cannot be said."""
    if dim is None or isinstance(dim, int):
        return dim
    try:
        return eval(dim.split(":")[0], {"__builtins__": {}}, {**names, "min": min, "max": max, "broadcast": broadcast})  # noqa: S307
    except (NameError, SyntaxError):
        return None


def runs(ours, real, names):
    """Count values whose real shape is as inferred, is left open, or is another."""
    count, wrong = Counter(), []
    for name, shape in real.items():
        row = ours.get(name)
        if row is None or row["dims"] is None:
            count["unknown"] += 1
            continue
        sizes = [value(dim, names) for dim in row["dims"]]
        if len(sizes) != len(shape) or any(here not in (None, there) for here, there in zip(sizes, shape, strict=True)):
            wrong.append(f"{name}: {row['dims']} inferred, {shape} run")
            count["wrong"] += 1
        else:
            count["open" if None in sizes else "equal"] += 1
    return count, wrong


def stripped(model):
    """Take away the shapes of outputs and of values between nodes."""
    del model.graph.value_info[:]
    for output in model.graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")
    return model


def shapes_of(arrays):
    """Return the shapes of arrays; None for what is no tensor."""
    return [list(array.shape) if isinstance(array, np.ndarray | np.generic) else None for array in arrays]


def tensors(folder, what):
    """Read the tensors of a test's folder; None for what is none."""
    found = []
    for index in range(len(list(folder.glob(f"{what}_*.pb")))):
        tensor = onnx.TensorProto()
        try:
            tensor.ParseFromString((folder / f"{what}_{index}.pb").read_bytes())
            found.append(numpy_helper.to_array(tensor))
        except Exception:  # noqa: BLE001
            found.append(None)
    return found


def cases():
    """Return the tests of the onnx package: group, name, model, inputs and outputs."""
    from onnx.backend.test import loader

    with np.errstate(all="ignore"):
        nodes = loader.load_model_tests(kind="node")
    for case in nodes:
        inputs, outputs = case.data_sets[0]
        yield "node", case.name, case.model, inputs, outputs
    data = Path(onnx.__file__).parent / "backend" / "test" / "data"
    for path in sorted(data.glob("*/*/model.onnx")):
        folder = path.parent / "test_data_set_0"
        yield path.parent.parent.name, path.parent.name, onnx.load(path), tensors(folder, "input"), tensors(folder, "output")
    for path in sorted(data.glob("light/*.onnx")):
        tensor = onnx.TensorProto()
        tensor.ParseFromString(path.with_name(path.stem + "_output_0.pb").read_bytes())
        yield "light", path.stem, onnx.load(path), [], [numpy_helper.to_array(tensor)]


def fixed(model, inputs):
    """Make constants of the inputs, as far as they are tensors of numbers."""
    names = {tensor.name for tensor in model.graph.initializer}
    free = [value for value in model.graph.input if value.name not in names]
    for value, array in zip(free, inputs, strict=False):
        kind = value.type.tensor_type.elem_type
        if not isinstance(array, np.ndarray | np.generic) or array.dtype.kind not in "iufb" or kind not in NUMBERS:
            continue
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(array), value.name))
        model.graph.input.remove(value)
    return model


# How the tests of the onnx package are asked: as they are, without declarations, and with constants for inputs too.
WAYS = ("unchanged", "undeclared", "constant inputs")


def package(binary, scratch):
    """Compare what is inferred for the tests of the onnx package with the outputs they record."""
    asked, count, wrong, unknown = [], defaultdict(Counter), [], defaultdict(Counter)
    for number, (group, name, model, inputs, outputs) in enumerate(cases()):
        paths = [scratch / f"{number}-{way}.onnx" for way in range(len(WAYS))]
        results = [output.name for output in model.graph.output]
        operators = sorted({node.op_type for node in model.graph.node})
        paths[0].write_bytes(model.SerializeToString())
        paths[1].write_bytes(stripped(model).SerializeToString())
        paths[2].write_bytes(fixed(model, inputs).SerializeToString())
        asked.append((group, name, paths, results, operators, shapes_of(outputs)))
    for way, words in enumerate(WAYS):
        answers, _, errors = inferred(binary, [paths[way] for _, _, paths, *_ in asked])
        for group, name, paths, results, operators, outputs in asked:
            path, tally = str(paths[way]), count[group, words]
            tally["models"] += 1
            if path in errors:
                tally["refused"] += 1
                wrong.append(f"{name}, {words}: {errors[path]}")
                continue
            for output, shape in zip(results, outputs, strict=False):
                row = answers[path].get(output)
                verdict = verdict_of(row, shape)
                tally[verdict] += 1
                if verdict == "wrong":
                    wrong.append(f"{name}, {words}: {output} {row['dims']} inferred, {shape} recorded")
                elif verdict in ("unknown", "open") and way == 2:
                    unknown[" ".join(operators[:3])][row["why"] if verdict == "unknown" else f"extents left open: {name}"] += 1
    return count, wrong, unknown


def verdict_of(row, shape):
    """Compare what is inferred with the shape of a result."""
    if shape is None or row is None:
        return "no tensor"
    if row["dims"] is None:
        return "unknown"
    known = [dim if isinstance(dim, int) else None for dim in row["dims"]]
    if len(known) != len(shape) or any(here not in (None, there) for here, there in zip(known, shape, strict=True)):
        return "wrong"
    return "open" if None in known else "equal"


def shown(binary, models, scratch):
    """Compare what is inferred for the shown graphs with onnx and ONNX Runtime."""
    paths = []
    for packed in sorted((models / "onnx").glob("*.onnx.gz")):
        path = scratch / packed.name.removesuffix(".gz")
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        paths.append(path)
    answers, figures, errors = inferred(binary, paths)
    rows, notes = [], []
    for path in paths:
        ours = answers[str(path)]
        model = onnx.load(path)
        theirs, refusal = by_onnx(model)
        made = {name for node in model.graph.node for name in node.output if name}
        here = {name: row for name, row in ours.items() if name in made and row["origin"] != "constant"}
        against = Counter()
        for name, row in here.items():
            verdict = "onnx refuses" if theirs is None else compared(row["dims"], theirs.get(name))
            against[verdict] += 1
            if verdict in ("contradiction", "onnx knows more", "other name"):
                notes.append((path.stem, verdict, name, row["dims"], theirs.get(name), row["why"]))
        names = {"seq": FRAMES} if "wav2vec2" in path.stem else {}
        try:
            count, wrong = runs(here, {k: v for k, v in by_runtime(filled(model, 7), names).items() if k in here}, names)
        except Exception as why:  # noqa: BLE001
            count, wrong = Counter(), [str(why).splitlines()[0]]
        rows.append((path.stem, figures.get(str(path)), here, against, count, wrong, errors.get(str(path)), refusal))
        print(path.stem, dict(against), dict(count), *wrong[:3], flush=True)  # noqa: T201
    return rows, notes, paths


def main():
    """Ask everything, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=str(ROOT / "target" / "release" / "examples" / "shapes"))
    parser.add_argument("--models", type=Path, default=ROOT.parent / "shared" / "models")
    parser.add_argument("--only", choices=["shown", "package"])
    arguments = parser.parse_args()
    rows, notes, ours, (count, wrong, unknown) = [], [], [], ({}, [], {})
    with tempfile.TemporaryDirectory() as scratch:
        if arguments.only != "package":
            from .models_infer_openvino import reshaped

            rows, notes, paths = shown(arguments.binary, arguments.models, Path(scratch))
            ours = reshaped(arguments.binary, Path(scratch), paths)
        if arguments.only != "shown":
            count, wrong, unknown = package(arguments.binary, Path(scratch))
    for note in notes:
        print(*note)  # noqa: T201
    for stem, tally in ours:
        print(stem, "OpenVINO refuses" if tally is None else dict(tally))  # noqa: T201
    for group, counts in count.items():
        print(group, dict(counts))  # noqa: T201
    for text in wrong:
        print("WRONG", text)  # noqa: T201
    for operator, reasons in unknown.items():
        print("UNKNOWN", operator, dict(reasons))  # noqa: T201
    if arguments.only is None:
        from .models_infer_page import write

        write(PAGE, rows, notes, ours, count, wrong, unknown)


if __name__ == "__main__":
    main()
