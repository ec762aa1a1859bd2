"""Let the tests import the package of this checkout."""

import pathlib
import sys

import pytest

SOURCES = pathlib.Path(__file__).parents[1] / "src"
sys.path.insert(0, str(SOURCES))

import broadaxe_atlas  # noqa: E402

if pathlib.Path(broadaxe_atlas.__file__).parents[1] != SOURCES:
    pytest.exit(f"pytest has loaded the package from {broadaxe_atlas.__file__}; uninstall it to test {SOURCES}", returncode=4)
