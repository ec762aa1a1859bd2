"""Runs the tests of numexpr, of NumPy and of the array API in processes of their own, and reads what came of each test."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "target" / "peers"
NUMPY_FILES = ("_core/tests/test_ufunc.py", "_core/tests/test_umath.py", "lib/tests/test_stride_tricks.py")
METHOD = "from conformance.peers.stand_in import method as _method, np"

# What is replaced in copies of NumPy's files, by file: the text, and its replacement. Each must be found.
EDITS = {
    "test_ufunc.py": (
        ("import numpy as np\n", f"{METHOD}\n"),
        ("import numpy._core.umath as ncu\n", "from conformance.peers.stand_in import ncu\n"),
        ("[np.add.reduce, np.minimum.reduce])", "[_method(np.add, 'reduce'), _method(np.minimum, 'reduce')])"),
        ("[np.add.accumulate, np.add.reduce,", "[_method(np.add, 'accumulate'), _method(np.add, 'reduce'),"),
        ("UNARY_OBJECT_UFUNCS.remove(np.bitwise_count)", "UNARY_OBJECT_UFUNCS[:] = [uf for uf in UNARY_OBJECT_UFUNCS if uf.__name__ != 'bitwise_count']"),
    ),
    "test_umath.py": (
        ("import numpy as np\n", "from conformance.peers.stand_in import np\n"),
        ("import numpy._core.umath as ncu\n", "from conformance.peers.stand_in import ncu\n"),
    ),
    "test_stride_tricks.py": (
        ("import numpy as np\n", "from conformance.peers.stand_in import np, stride_tricks\n"),
        (
            "\n\ndef assert_shapes_correct(",
            "\n\nfrom conformance.peers.stand_in import rebind; rebind(globals(), stride_tricks)\n\ndef assert_shapes_correct(",
        ),
    ),
}


@dataclass
class Test:
    """What came of a test."""

    name: str
    outcome: str
    error: str = ""
    says: str = ""
    called: list = field(default_factory=list)

    @property
    def file(self):
        """The name of the file that it is in."""
        return self.name.split("::")[0]


@dataclass
class Run:
    """All tests of a suite."""

    suite: str
    title: str
    tests: list
    base: dict = field(default_factory=dict)
    """The same tests without the package, by name, where that was asked."""

    @property
    def failed(self):
        """The tests that fail."""
        return [test for test in self.tests if test.outcome == "failed"]


def numexpr(again):
    """Run the tests of numexpr, with the shim in its place."""
    folder = FOLDER / "numexpr"
    if again:
        _copy(Path(find_spec("numexpr").origin).parent / "tests/test_numexpr.py", folder)
        _pytest("numexpr", [folder], paths=[HERE / "shim"])
    return [Run("numexpr", f"numexpr {version('numexpr')}", _read("numexpr"))]


def numpy(again):
    """Run the tests of NumPy twice: for the results, and to learn which tests call the package."""
    folder = FOLDER / "numpy"
    if again:
        for name in NUMPY_FILES:
            _copy(Path(find_spec("numpy").origin).parent / name, folder)
        # NumPy skips tests that need more: what is asked should not depend on what else the machine does.
        _pytest("numpy", [folder], NPY_AVAILABLE_MEM="4 GB")
        _pytest("numpy-called", [folder], NPY_AVAILABLE_MEM="4 GB", BROADAXE_PEERS_COUNT="1")
    called = {test.name: test.called for test in _read("numpy-called")}
    tests = _read("numpy")
    for test in tests:
        test.called = called.get(test.name, [])
    return [Run("numpy", f"NumPy {version('numpy')}", tests)]


def array_api(again, checkout, examples):
    """Run array-api-tests over two kinds of arrays, and over the same arrays without the package."""
    runs = []
    for base, module, title in (("numpy", "numpy", "NumPy's arrays"), ("array_api_strict", "strict", "array_api_strict's arrays")):
        over, alone = f"array-api-{module}", f"array-api-{module}-alone"
        if again:
            options = ["--disable-deadline", "--derandomize", f"--max-examples={examples}", "-c", checkout / "pytest.ini", checkout / "array_api_tests"]
            _pytest(over, options, at=checkout, ARRAY_API_TESTS_MODULE=f"conformance.peers.over_{module}")
            _pytest(alone, options, at=checkout, ARRAY_API_TESTS_MODULE=base)
        base_tests = {test.name: test for test in _read(alone)}
        runs.append(Run("array-api", f"{title} ({base} {version(base.replace('_', '-'))})", _read(over), base_tests))
    return runs


def _copy(path, folder):
    """Copy a file of tests, with its edits."""
    folder.mkdir(parents=True, exist_ok=True)
    text = path.read_text()
    for old, new in EDITS.get(path.name, ()):
        if text.count(old) != 1:
            raise SystemExit(f"{path}: {old!r} occurs {text.count(old)} times, not once: the version is not the one that the edits are for")
        text = text.replace(old, new)
    (folder / path.name).write_text(text)


def _pytest(name, words, paths=(), at=None, **environment):
    at = at or FOLDER
    record = FOLDER / f"{name}.jsonl"
    record.unlink(missing_ok=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    search = os.pathsep.join(str(path) for path in (*paths, ROOT, os.environ.get("PYTHONPATH", "")) if str(path))
    environment = {**os.environ, "PYTHONPATH": search, "BROADAXE_PEERS_RECORD": str(record), **environment}
    plugins = ["-p", "no:cacheprovider", "-p", "no:warnings", "-p", "conformance.peers.record"]
    log = FOLDER / f"{name}.log"
    with log.open("w") as file:
        command = [sys.executable, "-m", "pytest", "-q", "--tb=no", *plugins, *words]
        subprocess.run([str(word) for word in command], cwd=at, env=environment, stdout=file, stderr=file)
    if not record.exists():
        raise SystemExit(f"{name}: pytest did not end well\n{log.read_text()[-3000:]}")


def _read(name):
    path = FOLDER / f"{name}.jsonl"
    if not path.exists():
        raise SystemExit(f"{path} does not exist: run without --recorded first")
    tests = []
    for line in path.read_text().splitlines():
        record = json.loads(line)
        record["name"] = re.sub(r"^.*?(\w+\.py)", r"\1", record.pop("test"), count=1)
        tests.append(Test(**record))
    return tests


