"""Asks the installed engines whether Broadaxe is right.

A question is an operator of one engine with its operands. The engine answers in a process of its own, Broadaxe answers
under the engine's own names, and both answers are compared: shapes, dtypes, and every element. What differs is looked up in `known.toml`, which
says of every deviation why it exists; what is not in it fails the run. `docs/reports/conformance.md` has the figures.

    python -m pytest conformance            the bounded part: NumPy, onnx, ONNX Runtime, OpenVINO, ncnn
    python -m pytest conformance --full     everything, and writes docs/reports/conformance.md
"""

import os
import pathlib
import tomllib

# Engines send nothing, also when a suite is not started by cargo.
with open(pathlib.Path(__file__).parent.parent / ".cargo/config.toml", "rb") as config:
    os.environ.update(tomllib.load(config)["env"])
