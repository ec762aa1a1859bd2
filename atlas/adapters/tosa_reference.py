"""Ask TOSA's reference model, for which `tosa-opt` checks the operators and writes the file."""

import re
import subprocess
import sysconfig
import tempfile
from importlib import metadata
from itertools import zip_longest
from pathlib import Path

import numpy
from protocol import arrays, need, serve

OPERATORS = {"add": "tosa.add", "sub": "tosa.sub", "select": "tosa.select"}
TOOLS = Path(sysconfig.get_path("purelib")) / "bin"


def kind(shape, dtype="f32"):
    """Write the type of a tensor."""
    return f"tensor<{''.join(f'{dim}x' for dim in shape)}{dtype}>"


def run(folder, *command):
    """Run a tool of the package."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        said = re.search(r"(?:error: |ERROR AT .*:\n)(.*)", done.stderr)
        raise RuntimeError(said[1] if said else done.stderr[-300:])


def answer(question):
    """Write a model of one node, and run it."""
    need(question, {op: ["tosa"] for op in OPERATORS})
    operands = arrays(question)
    # Where the rule gives no shape, take the largest dims.
    likely = [max(dims) for dims in zip_longest(*(array.shape[::-1] for array in operands), fillvalue=1)][::-1]
    result = kind(question["shape"] if "shape" in question else likely)
    kinds = [kind(array.shape, "i1" if array.dtype == bool else "f32") for array in operands]
    inputs = [k for k, operand in enumerate(question["operands"]) if not operand["constant"]]
    lines = [f"func.func @main({', '.join(f'%x{k}: {kinds[k]}' for k in inputs)}) -> {result} {{"]
    for k in set(range(len(operands))) - set(inputs):
        listed = str(operands[k].tolist()).lower() if operands[k].size else ""
        lines.append(f'%x{k} = "tosa.const"() <{{values = dense<{listed}> : {kinds[k]}}}> : () -> {kinds[k]}')
    names = ", ".join(f"%x{k}" for k in range(len(operands)))
    lines += [f"%out = {OPERATORS[question['op']]} {names} : ({', '.join(kinds)}) -> {result}", f"return %out : {result}", "}"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "m.mlir").write_text("\n".join(lines))
        run(folder, TOOLS / "tosa-opt", "m.mlir", "--tosa-serialize=tosa-flatbuffer-filename=m.tosa")
        files = [f"{k}.npy" for k in inputs]
        for k, file in zip(inputs, files):
            numpy.save(folder / file, operands[k])
        given = [f"--ifm_name={','.join(f'TosaInput_{n}' for n in range(len(files)))}", f"--ifm_file={','.join(files)}"]
        given += ["--ofm_name=TosaOutput_0", "--ofm_file=out.npy", "--tosa_file=m.tosa", "--flatbuffer_dir=.", "--output_dir=."]
        run(folder, TOOLS / "tosa_reference_model", *given)
        return numpy.load(folder / "out.npy")


serve("TOSA reference model", metadata.version("tosa-tools"), answer)
