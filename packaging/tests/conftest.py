"""Gives tests the wheel of a build, an environment without network, models, and git repositories.

BROADAXE_DIST is a folder with the wheel to test. Without it, the tests that need the wheel are skipped. What the wheel depends on is downloaded
once with pip; from then on, pip sees only that folder.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "packaging"))

import version  # noqa: E402

VERSION = version.check(ROOT)


def run(words, folder, env=None, limit=600, **more):
    """Runs a program, and returns its exit code and everything it printed."""
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit, **more
    )
    return done.returncode, done.stdout


def succeed(*words, **more):
    """Runs a program that must succeed."""
    code, text = run(*words, **more)
    assert code == 0, f"{words[0]} ended with {code}:\n{text}"
    return text


@pytest.fixture(scope="session")
def dist():
    """Returns the folder with the wheel."""
    folder = os.environ.get("BROADAXE_DIST")
    if not folder:
        pytest.skip("set BROADAXE_DIST to a folder with a wheel of broadaxe, for example target/dist")
    folder = pathlib.Path(folder).resolve()
    assert list(folder.glob(f"broadaxe-{VERSION}-*.whl")), f"{folder} has no wheel of broadaxe {VERSION}"
    return folder


@pytest.fixture(scope="session")
def wheels(dist, tmp_path_factory):
    """Returns a folder with the wheel and everything that an installation needs besides it."""
    folder = tmp_path_factory.mktemp("wheels")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", folder, "--find-links", dist]
    succeed([*pip, "--only-binary", ":all:", f"broadaxe=={VERSION}", "setuptools>=61", "wheel"], folder)
    return folder


@pytest.fixture
def offline(wheels, tmp_path):
    """Returns the environment of a user without a network: pip has the folder of wheels, and git has a name for commits."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    user = {f"GIT_{role}_{what}": f"tester{at}" for role in ("AUTHOR", "COMMITTER") for what, at in (("NAME", ""), ("EMAIL", "@localhost"))}
    folders = {"HOME": str(tmp_path / "user"), "PRE_COMMIT_HOME": str(tmp_path / "hooks"), "TMPDIR": str(tmp_path)}
    (tmp_path / "user").mkdir()
    pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1"}
    # The programs of the environment that runs the tests, such as pre-commit, come first.
    kept["PATH"] = os.pathsep.join([str(pathlib.Path(sys.executable).parent), kept["PATH"]])
    return {**kept, **user, **folders, **pip}


@pytest.fixture
def stand_in(tmp_path):
    """Returns a folder like this repository, whose package needs no Rust: its command prints its arguments."""
    folder = tmp_path / "repository"
    package = folder / "crates" / "broadaxe-python"
    package.mkdir(parents=True)
    (package / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools>=61"]\nbuild-backend = "setuptools.build_meta"\n'
        f'[project]\nname = "broadaxe"\nversion = "{VERSION}"\nscripts.broadaxe = "stand_in:main"\n'
        '[tool.setuptools]\npy-modules = ["stand_in"]\n'
    )
    (package / "stand_in.py").write_text('import sys\n\n\ndef main():\n    print("built from source:", *sys.argv[1:])\n')
    return folder


@pytest.fixture(scope="session")
def command(wheels, tmp_path_factory):
    """Returns the command of the wheel, installed into an environment of its own."""
    folder = tmp_path_factory.mktemp("command")
    succeed([sys.executable, "-m", "venv", folder / "venv"], folder)
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    pip = [programs / "python", "-m", "pip", "install", "--quiet", "--no-index", "--find-links", wheels]
    succeed([*pip, f"broadaxe=={VERSION}"], folder)
    return programs / "broadaxe"


@pytest.fixture(scope="session")
def models(command, tmp_path_factory):
    """Returns a folder with `failing.onnx`, which two runtimes compute differently, and `clean.onnx`, which is its repair."""
    folder = tmp_path_factory.mktemp("models")
    shutil.copy(ROOT / "examples/face.onnx", folder / "failing.onnx")
    succeed([command, "upgrade", "failing.onnx", "-o", "new.onnx"], folder)
    succeed([command, "fix", "new.onnx", "--for", "onnx,openvino,ncnn", "-o", "clean.onnx"], folder)
    (folder / "new.onnx").unlink()
    return folder


@pytest.fixture
def project(offline, tmp_path):
    """Returns an empty git repository."""
    folder = tmp_path / "project"
    folder.mkdir()
    succeed(["git", "init", "--quiet"], folder, env=offline)
    return folder


def tags(text):
    """Returns the files that annotations name, and how many each has."""
    found = re.findall(r"(?m)^::(?:error|warning|notice) file=([^,]*),", text)
    return {name: found.count(name) for name in found}
