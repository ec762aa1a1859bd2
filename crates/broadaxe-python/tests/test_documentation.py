"""Run what the documentation says: docstrings, the guide, and the stubs against the runtime."""

import doctest
import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import broadaxe as bx

HERE = Path(__file__).resolve().parent
GUIDES = HERE.parents[2] / "docs" / "guides"
MODULES = [f"broadaxe.{module.name}" for module in pkgutil.iter_modules(bx.__path__) if module.name != "_broadaxe"]


@pytest.mark.parametrize("name", ["broadaxe", *MODULES])
def test_docstrings(name):
    if name.endswith("onnx_backend"):
        pytest.importorskip("onnx")
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=flags)
    assert failed == 0


def test_examples_are_there():
    finder = doctest.DocTestFinder()
    names = ["broadaxe", "broadaxe._expressions", "broadaxe._shapes", "broadaxe._guard"]
    assert sum(bool(test.examples) for name in names for test in finder.find(importlib.import_module(name))) >= 9


def test_guide(monkeypatch):
    # Its paths are those of the repository.
    monkeypatch.chdir(GUIDES.parents[1])
    failed, tried = doctest.testfile(str(GUIDES / "python.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert failed == 0 and tried > 20


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
def test_guide_to_the_guard(library):
    """Runs the sections that import a library, if it is installed, after those that import NumPy only."""
    pytest.importorskip(library)
    sections = ("\n" + (GUIDES / "guard.md").read_text()).split("\n## ")
    other = {part: [one for one in ("torch", "jax") if f">>> import {one}" in part] for part in sections}
    assert [names for names in other.values() if names] == [["torch"], ["jax"]]
    text = "\n".join(part for part, names in other.items() if not names or names == [library])
    test = doctest.DocTestParser().get_doctest(text, {}, "guard.md", "guard.md", 0)
    assert len(test.examples) >= (9 if library == "numpy" else 13)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(test).failed == 0


def test_every_name_is_documented():
    # Literal types have no documentation of their own.
    for name in set(bx.__all__) - {"Operator", "RuleName", "TargetName"}:
        assert (getattr(bx, name).__doc__ or "").strip(), name


def test_stubs_are_up_to_date():
    subprocess.run([sys.executable, HERE.parent / "stubs.py", "--check"], check=True)


def test_stubs_fit_the_runtime(tmp_path):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "broadaxe", "--concise", "--mypy-config-file", HERE.parent / "pyproject.toml",
               "--allowlist", HERE / "stubtest_allowlist.txt", "--ignore-unused-allowlist"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "MYPY_CACHE_DIR": str(tmp_path)})
    assert run.returncode == 0, run.stdout + run.stderr
