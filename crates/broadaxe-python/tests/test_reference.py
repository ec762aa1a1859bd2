"""The truth of the tests: that it has more digits, and that no test depends on the last bits of NumPy.

With BROADAXE_LONG=1 in the environment, more files run again with less accurate functions of NumPy.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import reference

import broadaxe as bx

KNOWN = [
    ("exp", (1.0,), "2.718281828459045235360"), ("log", (10.0,), "2.302585092994045684018"), ("cbrt", (2.0,), "1.259921049894873164767"),
    ("sin", (1e22,), "-0.852200849767188801773"), ("tanh", (0.5,), "0.462117157260009758502"), ("power", (2.0, 0.5), "1.414213562373095048802"),
    ("arctan2", (1.0, 2.0), "0.463647609000806116214"), ("hypot", (1.0, 2.0), "2.236067977499789696409"),
    ("logaddexp", (0.0, 0.0), "0.693147180559945309417"), ("expm1", (0.5,), "0.648721270700128146849"),
]  # fmt: skip

# What calls the same functions in other ways.
LONG = ["test_casting.py", "test_differential.py", "test_operators.py", "test_random.py"] if "BROADAXE_LONG" in os.environ else []


@pytest.mark.skipif(not reference.HAS_MORE_DIGITS, reason="longdouble has no more digits than f64 here")
@pytest.mark.parametrize("name, args, digits", KNOWN)
def test_the_reference_has_more_digits_than_f64(name, args, digits):
    digits = np.longdouble(digits)
    assert abs(reference.wide(name, np.dtype("f8"), args) - digits) <= 4 * np.finfo(np.longdouble).eps * abs(digits)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("name", sorted(reference.FUNCTIONS))
def test_more_than_the_claimed_error_is_found(name, dtype):
    if dtype == "f8" and not reference.HAS_MORE_DIGITS:
        pytest.skip("longdouble has no more digits than f64 here")
    operator = getattr(bx, name)
    # Within the domains of all functions but two, and not where a logarithm is 0.
    first = np.linspace(0.1, 0.9, 50).astype(dtype) + np.array("acosh" in name or name == "arccosh", dtype)
    args = (first, first[::-1] + np.array(1, dtype))[: operator.nin]
    got = operator(*args)
    assert not len(reference.beyond(name, got, *args))
    off = got
    for _ in range(1 + int(reference.ulp_bound(name, got.dtype))):
        off = np.nextafter(off, np.array(np.inf, dtype))
    assert len(reference.beyond(name, off, *args)) > 10


@pytest.mark.skipif("BROADAXE_TEST_ROUGH_NUMPY" in os.environ, reason="this is the run with inaccurate functions")
@pytest.mark.parametrize("file", ["test_functions.py", *LONG])
def test_no_test_depends_on_the_last_bits_of_numpy(file):
    """Run the tests that call functions with those of NumPy made as inaccurate as they are on some machines."""
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:warnings", "-p", "no:xdist", file]
    environment = {**os.environ, "BROADAXE_TEST_ROUGH_NUMPY": "1"}
    run = subprocess.run(command, cwd=Path(__file__).parent, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]
