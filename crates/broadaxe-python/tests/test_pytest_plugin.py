"""The plug-in for pytest, whose tests run in a pytest of their own."""

import os
import subprocess
import sys

import pytest

# What is loaded here is loaded in the runs, which share this process.
import broadaxe  # noqa: F401

pytest_plugins = ["pytester"]

LOSS = """
import numpy as np
import pytest

@pytest.fixture
def label(broadaxe_watch):
    return broadaxe_watch(np.ones((8, 1)))

def loss(prediction, label):
    return ((prediction - label) ** 2).mean()

def test_wrong(label):
    loss(np.ones(8), label)

def test_right(label):
    loss(np.ones(8), label[:, 0])

@pytest.mark.no_broadaxe_guard
def test_meant(label):
    loss(np.ones(8), label)
"""


@pytest.fixture
def run(pytester):
    """Return a function that runs pytest with options."""
    pytester.makepyfile(test_loss=LOSS)
    # Where the package is built into the folder of the sources, no entry point names the plug-in.
    entered = "broadaxe-guard" in {name for name, _ in pytester.parseconfig().pluginmanager.list_name_plugin()}
    words = () if entered else ("-p", "pytest_broadaxe")
    return lambda *options: pytester.runpytest(*words, "--strict-markers", *options)


def test_off_by_default(run):
    result = run()
    result.assert_outcomes(passed=3)
    result.stdout.no_fnmatch_line("*broadaxe guard*")


def test_failures_name_line_shapes_and_axes(run):
    result = run("--broadaxe-guard")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines([
        "broadaxe guard: both sides: error",
        ">   *return ((prediction - label) ** 2).mean()",
        "E  *Blowup: subtract stretches both operands, (8,) along axis 0 and (8, 1) along axis 1 of the result (8, 8);*test_loss.py:9)",
    ])
    # The last line shown is the user's: the guard's own are hidden.
    result.stdout.no_fnmatch_line("*_guard.py*")


@pytest.mark.parametrize("options", [
    ["--broadaxe-guard-allow", "test_loss.py:9"],
    ["--broadaxe-guard", "--broadaxe-guard-allow=other.py", "--broadaxe-guard-allow=test_loss.py"],
    ["--broadaxe-guard-both-sides", "allow"],
    ["--broadaxe-guard-both-sides=allow", "--broadaxe-guard-max-blowup", "8"],
])  # fmt: skip
def test_options_allow(run, options):
    run(*options).assert_outcomes(passed=3)


def test_options_stop(run):
    run("--broadaxe-guard-allow", "test_loss.py:10").assert_outcomes(passed=2, failed=1)
    result = run("--broadaxe-guard-both-sides=allow", "--broadaxe-guard-max-blowup=7")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["broadaxe guard: both sides: allow, max blowup: 7", "E  *8 times its largest operand; the limit is 7 *"])
    run("--broadaxe-guard-both-sides=warn").assert_outcomes(passed=3, warnings=1)


@pytest.mark.parametrize(("keys", "outcomes"), [
    ("", {"passed": 2, "failed": 1}),
    ("broadaxe_guard_allow =\n    other.py\n    test_loss.py:9", {"passed": 3}),
    ("broadaxe_guard_both_sides = warn", {"passed": 3, "warnings": 1}),
    ("broadaxe_guard_both_sides = allow\nbroadaxe_guard_max_blowup = 7.5", {"passed": 2, "failed": 1}),
])  # fmt: skip
def test_keys(run, pytester, keys, outcomes):
    pytester.makeini(f"[pytest]\nbroadaxe_guard = true\n{keys}\n")
    run().assert_outcomes(**outcomes)
    run("-o", "broadaxe_guard=false").assert_outcomes(passed=3)


@pytest.mark.parametrize("options", [["--broadaxe-guard-max-blowup=0"], ["--broadaxe-guard-max-blowup=many"], ["--broadaxe-guard-both-sides=no"]])
def test_wrong_options(run, options):
    result = run(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_torch(run, pytester):
    pytest.importorskip("torch")
    pytester.makepyfile(test_torch="""
        import pytest

        torch = pytest.importorskip("torch")

        def test_loss():
            torch.nn.functional.mse_loss(torch.ones(8), torch.ones(8, 1))
    """)
    result = run("--broadaxe-guard", "test_torch.py")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E  *mse_loss stretches both operands*test_torch.py:4)"])


def test_fixtures_run_under_the_guard(run, pytester):
    pytester.makepyfile(test_fixture="""
        import numpy as np
        import pytest

        @pytest.fixture
        def trained(broadaxe_watch):
            return broadaxe_watch(np.ones(8)) - np.ones((8, 1))

        def test_trained(trained):
            pass
    """)
    run("--broadaxe-guard", "test_fixture.py").assert_outcomes(errors=1)


def test_nothing_is_loaded_where_it_is_off(pytester):
    text = (
        "import pytest, sys\n"
        "pytest.main(['-p', 'pytest_broadaxe', '-p', 'no:cacheprovider', '--collect-only', '-q'])\n"
        "print('loaded', sorted({'pytest_broadaxe', 'broadaxe', 'numpy'} & set(sys.modules)))\n"
    )
    words = [sys.executable, "-c", text]
    # Plug-ins of other packages may load NumPy.
    run = subprocess.run(words, capture_output=True, text=True, cwd=pytester.path, env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    assert "loaded ['pytest_broadaxe']" in run.stdout, run.stdout + run.stderr
