"""Runs the lines of the README in a new clone, as a user does who has Rust, Python and nothing else.

It needs some ten minutes, so it runs only where BROADAXE_README is set. The command that runs all tests is left out: CI is that command.
"""

import os
import re
import shutil
import sys
import time

import pytest
from conftest import ROOT, succeed


def blocks(text, language):
    """Returns the code blocks of a language."""
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", text)


def lines():
    """Returns every line of the README that a shell runs, without its comment."""
    found = "".join(blocks((ROOT / "README.md").read_text(), "sh")).splitlines()
    return [line.partition("  #")[0].strip() for line in found if line.strip()]


def test_the_lines_are_those_of_the_readme():
    assert [line.split()[:2] for line in lines()] == [["cargo", "install"], ["pip", "install"], ["cargo", "run"], ["cargo", "xtask"]]


@pytest.mark.skipif(not os.environ.get("BROADAXE_README"), reason="set BROADAXE_README=1: it builds everything from nothing")
def test_every_line_works_in_a_new_clone(tmp_path):
    user, clone = tmp_path / "user", tmp_path / "clone"
    user.mkdir()
    # The toolchain is where it is; what cargo and pip install goes into the user's own folder.
    env = {name: os.environ[name] for name in ("PATH", "LANG", "RUSTUP_HOME", "CARGO_HOME") if name in os.environ}
    env.setdefault("RUSTUP_HOME", os.path.expanduser("~/.rustup"))
    env.setdefault("CARGO_HOME", os.path.expanduser("~/.cargo"))
    env |= {"HOME": str(user), "CARGO_INSTALL_ROOT": str(user / "cargo"), "VIRTUAL_ENV": str(user / "venv")}
    env["PATH"] = os.pathsep.join([str(user / "venv" / "bin"), str(user / "cargo" / "bin"), env["PATH"]])
    began = time.monotonic()
    succeed(["git", "clone", "--quiet", ROOT, clone], tmp_path, env=env)
    succeed([shutil.which("python3"), "-m", "venv", user / "venv"], tmp_path, env=env)
    for line in lines():
        if line == "cargo xtask test":
            continue
        # A check with findings ends with 1.
        code = " || test $? = 1" if line.startswith("cargo run") else ""
        log = succeed(["bash", "-ec", line + code], clone, env=env, limit=1800)
        print(f"{time.monotonic() - began:6.0f} s  {line}", file=sys.stderr)
        if line.startswith("cargo run"):
            assert "differs on ncnn" in log, log
        if line.startswith("cargo install"):
            sample = next(text for text in blocks((ROOT / "README.md").read_text(), "console"))
            command, _, said = sample.partition("\n")
            log = succeed(["bash", "-c", f"{command[2:]} || test $? = 1"], clone, env=env)
            assert log.strip() == said.partition("\n")[2].strip()
            print(f"{time.monotonic() - began:6.0f} s  from the clone to the first finding", file=sys.stderr)
    for text in blocks((ROOT / "README.md").read_text(), "python"):
        (user / "sample.py").write_text(text)
        assert "bias1" in succeed(["python", user / "sample.py"], clone, env=env)
