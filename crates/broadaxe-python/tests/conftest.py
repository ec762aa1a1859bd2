"""What the tests share: dtypes, and arrays with edge values."""

import os
import subprocess
import sys

import numpy as np
import pytest
import rough

if os.environ.get("BROADAXE_TEST_ROUGH_NUMPY"):
    rough.roughen()

# ONNX Runtime, which is asked for results, sends nothing.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]


def sample(dtype, shape, seed=0):
    """Make an array of small numbers, none of which is 0."""
    generator = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    values = generator.integers(1, 7, shape)
    if dtype.kind in "if":
        values = values * generator.choice([-1, 1], shape)
    return (values * 0.5 if dtype.kind == "f" else values).astype(dtype)


def script(text, **kwargs):
    """Start a Python that runs a text; what it prints is a pipe."""
    return subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kwargs)


@pytest.fixture
def one_thread():
    """Compute on one thread during a test."""
    import broadaxe as bx

    before = bx.set_num_threads(1)
    yield
    bx.set_num_threads(before)
