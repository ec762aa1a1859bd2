"""What type checkers and completion see: wrong calls are refused, right ones pass, signatures are real."""

import inspect
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import broadaxe as bx
from broadaxe import _dispatch, _signatures

HERE = Path(__file__).resolve().parent
WRONG, RIGHT = HERE / "typing" / "wrong.py", HERE / "typing" / "right.py"


def calls(path):
    """Return the numbers of the lines that call something in the package."""
    return {number for number, line in enumerate(path.read_text().splitlines(), 1) if line.startswith("bx.")}


def mypy(path, scratch):
    """Return the lines that mypy refuses."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--show-error-codes", "--cache-dir", scratch, path]
    run = subprocess.run(command, capture_output=True, text=True, cwd=scratch)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    lines = [line.split(":") for line in run.stdout.splitlines() if ": error:" in line]
    assert all(Path(line[0]).name == path.name for line in lines), run.stdout
    return {int(line[1]) for line in lines}, run.stdout


def pyright(path, scratch):
    """Return the lines that pyright refuses."""
    pytest.importorskip("pyright")
    if shutil.which("node") is None:
        pytest.skip("pyright needs node, which is not installed")
    shutil.copy(path, scratch)
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, path.name]
    run = subprocess.run(command, capture_output=True, text=True, cwd=scratch)
    if not run.stdout.lstrip().startswith("{"):
        pytest.skip(f"pyright does not run here: {(run.stdout + run.stderr).strip()[:200]}")
    found = json.loads(run.stdout)
    assert found["summary"]["filesAnalyzed"] == 1
    errors = [one for one in found["generalDiagnostics"] if one["severity"] == "error"]
    return {one["range"]["start"]["line"] + 1 for one in errors}, json.dumps(errors, indent=1)


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_every_wrong_call_is_refused(checker, tmp_path):
    refused, text = checker(WRONG, tmp_path)
    assert len(calls(WRONG)) > 30
    assert refused == calls(WRONG), f"passed: {sorted(calls(WRONG) - refused)}\n{text}"


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_right_calls_pass(checker, tmp_path):
    refused, text = checker(RIGHT, tmp_path)
    assert refused == set(), text


def test_signatures_are_real():
    for name, operator in bx.operators.items():
        signature = inspect.signature(operator)
        operands = [one for one in signature.parameters.values() if one.kind in (one.POSITIONAL_ONLY, one.VAR_POSITIONAL)]
        assert len(operands) == (1 if operator.variadic else operator.nin), name
        assert signature.parameters["rule"].default == "numpy"
        signature.bind(*[0] * operator.nin, rule="numpy", axis=None)
    # `sig` is another name of `signature`.
    keywords = set(_signatures.KEYWORDS) | {"out", "sig"}
    assert keywords == set(_dispatch.KEYWORDS)
    for name, default in _signatures.KEYWORDS.items():
        assert bx.add(1, 2, **{name: default}) == 3, name
    assert bx.max([1, 2], keepdims=False) == 2
    with pytest.raises(TypeError):
        inspect.signature(bx.add).bind(1)


def test_signatures_of_the_first_line_of_help_agree():
    for operator in (bx.add, bx.neg, bx.where):
        first = operator.__doc__.splitlines()[0]
        for name in ("out", "where", "casting", "dtype", "rule", "axis"):
            assert f"{name}=" in first and name in inspect.signature(operator).parameters


@pytest.mark.parametrize(("text", "wanted"), [("bx.add(1, 2, ru", "rule="), ("bx.max(x, keep", "keepdims="), ("bx.check('m', tar", "targets=")])
def test_ipython_completes_keywords(text, wanted):
    pytest.importorskip("IPython")
    script = f"""
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.completer import provisionalcompleter
shell = InteractiveShell.instance()
shell.run_cell("import broadaxe as bx; x = [1]")
text = {text!r}
with provisionalcompleter():
    print([one.text for one in shell.Completer.completions(text, len(text))])
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert wanted in run.stdout, run.stdout + run.stderr


def test_names_are_those_that_work():
    from typing import get_args

    known = {alias: target.name for target in bx.targets() for alias in target.aliases}
    known |= {f"{target.name}@{target.versions[-1]}": target.name for target in bx.targets() if target.versions}
    for name in get_args(bx.TargetName):
        found = bx.check(Path(__file__).parents[3] / "examples" / "face.onnx", [name])
        assert found.targets[0].name == known.get(name, name)
    for name in get_args(bx.RuleName):
        try:
            bx.broadcast_shapes((2,), (2,), rule=name)
        except (TypeError, ValueError) as error:
            assert "there is no" not in str(error) and "no rule" not in str(error), name
    assert {rule.name for rule in bx.rules} <= set(get_args(bx.RuleName))


def test_rules_have_names_and_are_tuples():
    for rule in bx.rules:
        name, summary, parameters = rule
        assert (name, summary, parameters) == (rule.name, rule.summary, rule.parameters) == tuple(rule)
    assert ("pdpd", ["axis"]) in [(rule.name, rule.parameters) for rule in bx.rules]
    assert bx.add(np.ones((2, 3)), np.ones(2), rule=next(rule.name for rule in bx.rules if rule.name == "ncnn")).shape == (2, 3)
