"""Asks ncnn about the shapes that Broadaxe infers over its layers, and writes `docs/reports/models-ncnn.md`.

    cargo build --release -p broadaxe-models --example shapes
    python -m conformance.models_ncnn --models ../shared/models

Every graph is run by the engine with weights that are all zero, and every blob's shape is compared with the one that was inferred.
Layers that the engine does not have, those that depend on them, and those past the first gigabyte of weights are left out of the run.
An engine that crashes ends only its own process.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from engines import load

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reports" / "models-ncnn.md"
# How many numbers of weights a run may take.
WEIGHTS = 250_000_000
# Shapes of inputs that no file records, row-major, by the beginning of the file's name.
SHAPES = {
    "hf_whisper_dec": {"in0": (8,), "in1": (50, 64)},
    "hf_whisper_enc": {"in0": (80, 100)},
    "hf_wav2vec2": {"in0": (1, 800)},
    "hf_clip_vision": {"in0": (3, 64, 64)},
    "hf_dpt": {"in0": (3, 56, 56)},
    "hf_segformer": {"in0": (3, 64, 64)},
    "hf_": {"in0": (16,), "in1": (16,)},
    "timm_crossvit": {"in0": (3, 240, 240)},
    "timm_halonet": {"in0": (3, 256, 256)},
    "timm_": {"in0": (3, 224, 224)},
    "tv_": {"in0": (3, 64, 64)},
    "vision_transformer": {"input": (3, 384, 384)},
    "FastestDet": {"in0": (3, 352, 352)},
    "llama3.2_1b_proj": {"in0": (1, 2048)},
    "tinyllama_1.1b_proj": {"in0": (1, 2048)},
    "youtu_llm_2b_proj": {"in0": (1, 2048)},
    "hunyuan_0.5b_instruct_proj": {"in0": (1, 1024)},
    # Seven words after five that are cached, of 12: embeddings, mask, cosines and sines, keys and values by heads.
    "llama3.2_1b_decoder": {"in0": (7, 2048), "in1": (7, 12), "in2": (7, 32), "in3": (7, 32), "cache": (8, 5, 64)},
    "tinyllama_1.1b_decoder": {"in0": (7, 2048), "in1": (7, 12), "in2": (7, 32), "in3": (7, 32), "cache": (4, 5, 64)},
    "hunyuan_0.5b_instruct_decoder": {"in0": (7, 1024), "in1": (7, 12), "in2": (7, 64), "in3": (7, 64), "cache": (8, 5, 128)},
    "youtu_llm_2b_decoder": {
        "in0": (7, 2048), "in1": (7, 12), "in2": (7, 32), "in3": (7, 32), "cache_k": (16, 5, 192), "cache_v": (16, 5, 128),
    },
}


class Layer:
    """A line of a `.param`."""

    def __init__(self, line):
        words = line.split()
        self.line, self.op, self.name = line, words[0], words[1]
        inputs, outputs = int(words[2]), int(words[3])
        self.inputs, self.outputs = words[4 : 4 + inputs], words[4 + inputs : 4 + inputs + outputs]
        self.parameters = dict(word.split("=", 1) for word in words[4 + inputs + outputs :])

    def number(self, key):
        """Return a parameter that is a whole number; 0 without it."""
        return int(self.parameters.get(key, "0"))

    def weights(self):
        """Return about how many numbers of weights it reads."""
        if self.op == "Gemm":
            return self.number("8") * self.number("9")
        key = {"InnerProduct": "2", "Embed": "3", "MultiHeadAttention": "2"}.get(self.op, "6")
        return self.number(key) if self.op.startswith(("Conv", "Deconv")) or self.op in ("InnerProduct", "Embed") else 0


def layers(path):
    """Read the layers that a file counts."""
    lines = [line for line in path.read_text().splitlines() if line.strip()]
    return [Layer(line) for line in lines[2 : 2 + int(lines[1].split()[0])]]


def given(path, found):
    """Return the shapes of inputs by name, from the file or from the table."""
    table = next((shapes for start, shapes in SHAPES.items() if path.name.startswith(start)), {})
    shapes = {}
    for layer in (layer for layer in found if layer.op == "Input"):
        recorded = [layer.number(key) for key in ("2", "11", "1", "0")]
        for name in layer.outputs:
            known = next((shape for start, shape in table.items() if name.startswith(start)), None)
            shapes[name] = known or tuple(size for size in recorded if size)
    return shapes


def asked(path, has_layer):
    """Return the layers that the engine can run, and how many were left out and why."""
    kept, missing, out, weights = [], set(), Counter(), 0
    for layer in layers(path):
        weights += layer.weights()
        if not has_layer(layer.op):
            out[f"no layer {layer.op}"] += 1
        elif missing.intersection(layer.inputs):
            out["behind such a layer"] += 1
        elif weights > WEIGHTS:
            out["past the limit of weights"] += 1
        else:
            kept.append(layer)
            continue
        missing.update(layer.outputs)
    return kept, out


def run(path):
    """Run a graph, and print what is left out and then each blob's shape, a line of JSON each."""
    import numpy as np

    driver = load("ncnn")
    kept, out = asked(path, driver.has_layer)
    shapes = given(path, kept)
    blobs = sum(len(layer.outputs) for layer in kept)
    with tempfile.TemporaryDirectory() as scratch:
        param, weights = Path(scratch) / "m.param", Path(scratch) / "m.bin"
        param.write_text("\n".join(["7767517", f"{len(kept)} {blobs}", *(layer.line for layer in kept), ""]))
        # Zeros that take no room: a mark of 0 says that numbers are stored as they are.
        with weights.open("wb") as file:
            file.truncate(8 * WEIGHTS)
        net = driver.network(param, weights, packing=False, light=False)
    print(json.dumps(out), flush=True)  # noqa: T201
    with net.create_extractor() as extractor:
        for name, shape in shapes.items():
            extractor.input(name, driver.mat(np.zeros(shape, np.float32)))
        for layer in kept:
            for name in layer.outputs:
                code, blob = extractor.extract(name)
                sizes = [blob.w, blob.h, blob.d, blob.c]
                dims = {1: sizes[:1], 2: sizes[:2], 3: [blob.w, blob.h, blob.c], 4: sizes}.get(blob.dims)
                print(json.dumps([name, None if code != 0 or dims is None else dims[::-1]]), flush=True)  # noqa: T201


def inferred(binary, path):
    """Return what Broadaxe infers, by blob."""
    options = []
    for name, shape in given(path, layers(path)).items():
        options += ["--input-shape", f"{name}:{','.join(map(str, shape))}"]
    lines = subprocess.run([binary, *options, path], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    for row in rows:
        if "error" in row:
            raise SystemExit(f"{path}: {row['error']}")
    return {row["name"]: row for row in rows if "name" in row}


def compared(ours, theirs):
    """Say how a shape compares with the engine's."""
    if theirs is None:
        return "no result"
    if ours["dims"] is None:
        return "unknown"
    known = [dim if isinstance(dim, int) else None for dim in ours["dims"]]
    if len(known) != len(theirs) or any(here not in (None, there) for here, there in zip(known, theirs, strict=True)):
        return "wrong"
    return "open" if None in known else "equal"


def model(binary, path):
    """Compare one graph."""
    command = [sys.executable, "-m", "conformance.models_ncnn", "--run", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    ours = inferred(binary, path)
    unknown = Counter(re.sub(r" \([^()]*\)$", "", row["why"]) for row in ours.values() if row["dims"] is None)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(("{", "["))]
    out, blobs = Counter(lines[0] if lines else {}), lines[1:]
    count, notes = Counter(), []
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or ["no message"])[-1]
        out["the engine fell over"] = len(ours) - len(blobs) - out.total()
        notes.append(f"{path.name}: the engine fell over after {len(blobs)} blobs: {why}")
    producers = {name: layer for layer in layers(path) for name in layer.outputs}
    for name, theirs in blobs:
        verdict = compared(ours[name], theirs)
        count[verdict] += 1
        if verdict not in ("equal", "open"):
            op = producers[name].op
            notes.append(f"{path.name}: {op} {name}: {verdict}: {ours[name]['dims']} inferred, {theirs} run ({ours[name]['why']})")
    return ours, count, notes, out, unknown


def page(version, rows):
    """Write the page."""
    lines = [
        "<!-- Generated by `python -m conformance.models_ncnn` from the answers of the engine: do not edit. -->",
        "# Shapes over ncnn's layers",
        "",
        f"Every blob's inferred shape next to the one that ncnn {version} gives it, with weights that are all zero:",
        "",
        "    cargo build --release -p broadaxe-models --example shapes",
        "    python -m conformance.models_ncnn --models ../shared/models",
        "",
        "`known`: share of all blobs of the graph whose shape is inferred. `open`: the rank and some extents. `no result`: the engine",
        "refuses the layer with these inputs. `left out`: layers that the engine does not have, what depends on them, and what is",
        "past the first 250 million weights.",
        "",
        "| graph | blobs | known | equal | open | wrong | unknown | no result | left out |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    sums = Counter()
    for name, ours, count, _, out, _ in rows:
        known = sum(row["dims"] is not None for row in ours.values())
        cells = {"blobs": len(ours), "known": known, **{word: count[word] for word in ("equal", "open", "wrong", "unknown", "no result")}}
        cells["left out"] = out.total()
        sums.update(cells)
        lines.append(f"| {name} | " + " | ".join(str(cell) for cell in cells.values()) + " |")
    lines.append("| all | " + " | ".join(str(cell) for cell in sums.values()) + " |")
    lines += ["", "## What differs", ""] + [f"- {note}" for row in rows for note in row[3]]
    lines += ["", "## What is not known, and why", ""]
    reasons = Counter()
    for row in rows:
        reasons.update(row[5])
    lines += [f"- {reason}: {count}" for reason, count in reasons.most_common()]
    PAGE.write_text("\n".join(lines) + "\n")
    return sums


def main():
    """Ask everything, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=str(ROOT / "target" / "release" / "examples" / "shapes"))
    parser.add_argument("--models", type=Path, default=ROOT.parent / "shared" / "models")
    parser.add_argument("--run", type=Path, help="run this graph and print its shapes")
    parser.add_argument("--only", default="", help="graphs whose names have this")
    arguments = parser.parse_args()
    if arguments.run:
        run(arguments.run)
        return
    rows = []
    for path in sorted((arguments.models / "ncnn").glob("*/*.param")):
        if arguments.only in path.name:
            rows.append((path.name.removesuffix(".param"), *model(arguments.binary, path)))
            _, ours, count, notes, out, unknown = rows[-1]
            print(rows[-1][0], len(ours), dict(count), dict(out), dict(unknown), *notes[:4], sep="\n    ", flush=True)  # noqa: T201
    if not arguments.only:
        print(dict(page(load("ncnn").version(), rows)))  # noqa: T201


if __name__ == "__main__":
    main()
