"""Build the package from a checkout and from its sdist, and use the wheel."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest
from support import ATLAS, MINE, NUMPY

pytest.importorskip("hatchling", reason="hatchling is not installed")


def build(folder, out, *words):
    """Build without an isolated environment, because hatchling is here."""
    out.mkdir()
    code = f"import os, hatchling.build as b; os.chdir({str(folder)!r}); print(b.{words[0]}({str(out)!r}))"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120, stdout=subprocess.PIPE)
    (built,) = out.iterdir()
    return built


def test_wheel(tmp_path):
    """Get the same wheel both ways, with the cases and the plugin in it."""
    clean = tmp_path / "atlas"
    shutil.copytree(ATLAS / "python", clean / "python", ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache", "dist"))
    shutil.copy(ATLAS / "core.jsonl", clean)
    direct = build(clean / "python", tmp_path / "direct", "build_wheel")
    sdist = build(clean / "python", tmp_path / "sdist", "build_sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    from_sdist = build(unpacked, tmp_path / "again", "build_wheel")
    assert direct.name == from_sdist.name
    with zipfile.ZipFile(direct) as one, zipfile.ZipFile(from_sdist) as other:
        assert {name: one.read(name) for name in one.namelist() if "RECORD" not in name} == {
            name: other.read(name) for name in other.namelist() if "RECORD" not in name
        }

    installed = tmp_path / "installed"
    with zipfile.ZipFile(direct) as archive:
        archive.extractall(installed)
    assert (installed / "broadaxe_atlas/core.jsonl").read_bytes() == (ATLAS / "core.jsonl").read_bytes()
    own = tmp_path / "own"
    own.mkdir()
    (own / "mine.py").write_text(MINE)
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    environment.pop("PYTEST_DISABLE_PLUGIN_AUTOLOAD", None)
    words = [sys.executable, "-m", "pytest", "-q", "--atlas", "mine:answer", "--atlas-rule", "numpy"]
    done = subprocess.run(words, cwd=own, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{NUMPY} passed" in done.stdout
