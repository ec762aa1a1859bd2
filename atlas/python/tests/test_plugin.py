"""Check what authors see when pytest asks their function."""

import gzip
import json

import pytest
from broadaxe_atlas import cases
from support import ALL, MINE, NUMPY

pytest_plugins = ["pytester"]


@pytest.fixture
def run(pytester, monkeypatch):
    """Run pytest with the plugin on the answers of the module `mine`."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("CI", raising=False)
    pytester.makepyfile(mine=MINE)
    return lambda *words: pytester.runpytest("-p", "broadaxe_atlas.pytest_plugin", *words)


def test_right(run):
    """Pass every question of the rule."""
    run("--atlas", "mine:answer", "--atlas-rule", "numpy").assert_outcomes(passed=NUMPY)


def test_arrays(run):
    """Accept objects with a shape and tolist."""
    run("--atlas", "mine:array", "--atlas-rule", "numpy").assert_outcomes(passed=NUMPY)


def test_skip(run):
    """Skip what the function skips, with its reason."""
    result = run("--atlas", "mine:answer", "-rs")
    result.assert_outcomes(passed=NUMPY, skipped=ALL - NUMPY)
    result.stdout.fnmatch_lines(["SKIPPED*no rule ncnn"])


def test_left_aligned(run):
    """Name the smallest failing case in the summary, in 80 columns."""
    result = run("--atlas", "mine:left", "--atlas-rule", "numpy")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "atlas: mine:left, level core",
            "*_ add-numpy-r2-0010:ii _*",
            "wrong shape: add([[]2], [[]1, 1])",
            "the result has the shape [[]2, 1], and [[]1, 2] under the rule",
            "  answer    [[]2, 1]  [[]0, 1]",
            "  expected  [[]1, 2]  [[]0, 1]",
            "*= atlas =*",
            "* failed: * wrong value, * wrong shape, * accepted",
            "smallest: add-numpy-r2-0010:ii",
            "  pytest --atlas mine:left -k add-numpy-r2-0010:ii",
            "FAILED atlas::add-numpy-r2-0010:ii - wrong shape: add([[]2], [[]1, 1])",
        ]
    )
    assert max(map(len, result.stdout.lines)) <= 80


@pytest.mark.parametrize(
    ("function", "lines"),
    [
        ("off_by_one", ["wrong value: add(*", "element 0 of the result comes from a[[]*and from*"]),
        ("accepts", ["accepted: add(*", "accepts shapes that the rule rejects; its result has *", "  expected  a rejection (mismatch)"]),
        ("rejects", ["rejected: add(*", "rejects shapes that the rule accepts: NotImplementedError: later", "  raised at *mine.py:*"]),
        ("nothing", ["no answer: add(*", "the answer is of type NoneType; return (shape, values), or an array with", ".shape and .tolist()"]),
    ],
)
def test_wrong(run, function, lines):
    """Say how an answer is wrong."""
    result = run("--atlas", f"mine:{function}", "--atlas-rule", "numpy")
    assert result.ret == 1
    result.stdout.fnmatch_lines(lines)
    assert max(map(len, result.stdout.lines)) <= 80


def test_one_question(run):
    """Select a question by its id."""
    run("--atlas", "mine:answer", "-k", "add-numpy-r2-0010:ic").assert_outcomes(passed=1, deselected=ALL - 1)
    run("--atlas", "mine:left", "--atlas-rule", "numpy")
    result = run("--atlas", "mine:left", "--atlas-rule", "numpy", "--lf", "-x")
    result.stdout.fnmatch_lines(["*_ add-numpy-r2-0010:ii _*", "*1 failed*"])


def test_own_tests_run_too(run, pytester):
    """Run the tests of a project as well, and tell both apart."""
    pytester.makepyfile(test_own="def test_own(): pass")
    run("--atlas", "mine:answer", "--atlas-rule", "numpy").assert_outcomes(passed=NUMPY + 1)
    run("--atlas", "mine:answer", "--atlas-rule", "numpy", "-m", "not atlas").assert_outcomes(passed=1, deselected=NUMPY)
    run("--atlas", "mine:answer", "--atlas-rule", "numpy", "-m", "atlas").assert_outcomes(passed=NUMPY, deselected=1)
    run().assert_outcomes(passed=1)


def test_known(run, pytester):
    """Expect known failures: a whole case, one question, and a pattern."""
    known = pytester.path / "known.txt"
    known.write_text("# What is known.\n\nadd-numpy-r2-0010  # aligned on the left\nadd-numpy-r2-0011:ii # x\nadd-numpy-r[1345678]-* # y\n")
    result = run("--atlas", "mine:left", "--atlas-known", "known.txt", "-k", "add-numpy-r2-0010 or add-numpy-r2-0011", "-rx")
    result.assert_outcomes(xfailed=4, failed=2, deselected=ALL - 6)
    result.stdout.fnmatch_lines(["XFAIL atlas::add-numpy-r2-0010:ii*"])
    xfailed = result.stdout.str().partition("XFAIL")[2]
    assert "aligned on the left" in xfailed
    result = run("--atlas", "mine:left", "--atlas-known", "known.txt", "-k", "add-numpy-r2-0010", "--runxfail")
    result.assert_outcomes(failed=3, deselected=ALL - 3)


def test_unexpected_pass(run, pytester):
    """Fail where a known failure passes."""
    (pytester.path / "known.txt").write_text("add-numpy-r2-0010  # aligned on the left\n")
    result = run("--atlas", "mine:answer", "--atlas-known", "known.txt", "--atlas-rule", "numpy")
    result.assert_outcomes(passed=NUMPY - 3, failed=3)
    result.stdout.fnmatch_lines(
        ["passes, but is a known failure", "Remove or narrow 'add-numpy-r2-0010' in line 1 of known.txt.", "3 failed: 3 known failures that pass"]
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--atlas", "min:answer"], "ERROR: --atlas min:answer: there is no module 'min' in *"),
        (["--atlas", "mine:answers"], "ERROR: --atlas mine:answers: *mine.py has no function 'answers'; it has *answer*"),
        (["--atlas", "mine"], "ERROR: --atlas mine: 'mine' does not name a function; write module:function"),
        (["--atlas", "broken:answer"], "ERROR: --atlas broken:answer: the module 'broken' cannot be imported: ZeroDivisionError: division by zero"),
        (["--atlas", "needs:answer"], "ERROR: --atlas needs:answer: the module 'needs' cannot be imported: No module named 'no_such_module'"),
        (["--atlas", "mine:answer", "--atlas-level", "fll"], "ERROR: --atlas-level fll: it is neither 'core' nor a file"),
        (["--atlas", "mine:answer", "--atlas-known", "no.txt"], "ERROR: --atlas-known no.txt: *No such file*"),
        (["--atlas", "mine:answer", "--atlas-known", "wrong.txt"], "ERROR: --atlas-known wrong.txt: line 1 has more than one id*"),
        (["--atlas", "mine:answer", "--atlas-known", "bare.txt"], "ERROR: --atlas-known bare.txt: line 2 has no reason; write 'ID  # reason'"),
        (["--atlas-rule", "numpy"], "ERROR: --atlas-rule needs --atlas MODULE:FUNCTION"),
    ],
)
def test_usage(run, pytester, words, text):
    """End with a message for users where an option is wrong."""
    pytester.makepyfile(broken="1 / 0", needs="import no_such_module")
    (pytester.path / "wrong.txt").write_text("add-numpy-r2-0010 add-numpy-r2-0011  # aligned on the left\n")
    (pytester.path / "bare.txt").write_text("# known\nadd-numpy-r2-0010\n")
    result = run(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([text])
    assert "Traceback" not in result.stderr.str()


def test_rules(run):
    """Select rules by name, with their parameters or without, and reject unknown ones."""
    run("--atlas", "mine:rejects", "--atlas-rule", "pdpd", "--collect-only").stdout.fnmatch_lines(["*add-pdpd1-*", "*add-pdpd-*"])
    one = run("--atlas", "mine:rejects", "--atlas-rule", "pdpd1,tosa", "--collect-only", "-q").stdout.str()
    assert "add-pdpd1-" in one
    assert "add-tosa-" in one
    assert "add-pdpd-" not in one
    result = run("--atlas", "mine:answer", "--atlas-rule", "nump")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["--atlas-rule nump: the level has no such rule; the rules are *"])


def test_level(run, pytester):
    """Ask the cases of a file, and name a line that is no case."""
    some = [case for case in cases() if case["id"].startswith("add-numpy-r2-00")]
    path = pytester.path / "some.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in some))
    run("--atlas", "mine:answer", "--atlas-level", "some.jsonl").assert_outcomes(passed=3 * len(some))
    (pytester.path / "some.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    run("--atlas", "mine:answer", "--atlas-level", "some.jsonl.gz").assert_outcomes(passed=3 * len(some))
    path.write_text('{"id": 1}\n')
    result = run("--atlas", "mine:answer", "--atlas-level", "some.jsonl")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["line 1 of some.jsonl is not a case of the Atlas"])
