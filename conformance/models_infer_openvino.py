"""Asks OpenVINO which shapes its IR has for other inputs, to compare with what Broadaxe infers from the same file."""

from collections import Counter

from engines import load

from .models_infer import FRAMES, inferred

# Open extents: the first is the batch, the others lengths.
BATCH, LENGTH = 3, 23


def other(shape, frames):
    """Return other sizes for an input: open ones are drawn, and the batch is another."""
    open_size = FRAMES if frames else LENGTH
    sizes = [(BATCH if k == 0 else open_size) if dim.is_dynamic else dim.get_length() for k, dim in enumerate(shape)]
    return sizes if any(dim.is_dynamic for dim in shape) else [2, *sizes[1:]]


def reshaped(binary, scratch, paths):
    """Save every graph as IR, give it other input shapes, and compare all values; None for graphs that OpenVINO cannot give them."""
    rows = []
    driver = load("openvino")
    core, openvino = driver.CORE, driver.library()
    for path in paths:
        target = scratch / f"{path.stem}.xml"
        openvino.save_model(core.read_model(path), target, compress_to_fp16=False)
        model = core.read_model(target)
        shapes = {value: other(value.partial_shape, "wav2vec2" in path.stem) for value in model.inputs}
        options = [word for value, sizes in shapes.items() for word in ("--input-shape", f"{value.get_any_name()}:{','.join(map(str, sizes))}")]
        try:
            model.reshape({value: openvino.PartialShape(sizes) for value, sizes in shapes.items()})
        except RuntimeError:
            rows.append((path.stem, None))
            continue
        answers, _, errors = inferred(binary, [target], options)
        rows.append((path.stem, Counter(refused=1) if errors else compared(model, answers[str(target)])))
    return rows


def compared(model, ours):
    """Count the values of a graph whose extents are those that OpenVINO has."""
    count = Counter()
    for node in model.get_ordered_ops():
        if node.get_type_name() in ("Constant", "Result"):
            continue
        for index, output in enumerate(node.outputs()):
            names = [node.get_friendly_name(), f"{node.get_friendly_name()}:{index}", *output.get_names()]
            row = next((ours[name] for name in names if name in ours), None)
            shape = [dim.get_length() if dim.is_static else None for dim in output.partial_shape]
            if row is None:
                count["without a name"] += 1
            elif row["dims"] is None:
                count["unknown"] += 1
            elif len(shape) != len(row["dims"]) or any(None not in (x, y) and x != y for x, y in zip(row["dims"], shape, strict=True)):
                count["wrong"] += 1
            else:
                count["equal" if row["dims"] == shape else "open"] += 1
    return count
