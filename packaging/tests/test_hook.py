"""Runs the hook through pre-commit, from a copy of this repository and a folder of wheels, without a network."""

import os
import shutil
import subprocess

import pytest
import yaml
from conftest import ROOT, VERSION, run, succeed


@pytest.fixture
def hook(offline, tmp_path):
    """Returns this repository as a user's pre-commit would clone it: its files, committed, with the tag of the version."""
    folder = tmp_path / "broadaxe"
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True
    ).stdout
    for name in filter(None, os.fsdecode(names).split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    succeed(["git", "init", "--quiet"], folder, env=offline)
    succeed(["git", "add", "--all", "--force"], folder, env=offline)
    succeed(["git", "commit", "--quiet", "--message", "Release"], folder, env=offline)
    succeed(["git", "tag", f"v{VERSION}"], folder, env=offline)
    return folder


def configure(project, hook, **settings):
    config = {"repos": [{"repo": str(hook), "rev": f"v{VERSION}", "hooks": [{"id": "broadaxe-check", **settings}]}]}
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))


def test_a_commit_with_a_failing_model_is_stopped(project, hook, models, offline):
    configure(project, hook)
    succeed(["pre-commit", "install"], project, env=offline)
    succeed(["git", "add", "--all"], project, env=offline)
    text = succeed(["git", "commit", "--message", "Begin"], project, env=offline)
    assert "no files to check" in text

    shutil.copy(models / "clean.onnx", project / "clean model.onnx")
    # Files that are not models, whose endings models have as well.
    (project / "package.json").write_text('{"name": "a"}')
    (project / "pom.xml").write_text("<project/>")
    succeed(["git", "add", "--all"], project, env=offline)
    text = succeed(["git", "commit", "--message", "Add a clean model"], project, env=offline)
    assert "Passed" in text

    shutil.copy(models / "failing.onnx", project / "failing model.onnx")
    shutil.copy(models / "failing.onnx", project / "--json.onnx")
    succeed(["git", "add", "--all"], project, env=offline)
    code, text = run(["git", "commit", "--message", "Add failing models"], project, env=offline)
    assert code == 1, text
    assert "failing model.onnx: 3 broadcasting nodes" in text, text
    assert "--json.onnx: 3 broadcasting nodes" in text, text
    assert succeed(["git", "log", "--format=%s"], project, env=offline).split("\n")[0] == "Add a clean model"


def test_targets_and_files_can_be_chosen(project, hook, models, offline):
    shutil.copy(models / "failing.onnx", project / "model.onnx")
    (project / "models").mkdir()
    (project / "models" / "net.json").write_text("{}")
    configure(project, hook, args=["--skip-others", "--for=openvino", "--"])
    succeed(["git", "add", "--all"], project, env=offline)
    text = succeed(["pre-commit", "run", "--all-files"], project, env=offline)
    assert "Passed" in text

    # Without --skip-others, a file that is not a model is an error with its name.
    configure(project, hook, files=r"^models/.*\.json$", args=["--for=openvino", "--"])
    succeed(["git", "add", "--all"], project, env=offline)
    code, text = run(["pre-commit", "run", "--all-files"], project, env=offline)
    assert code == 1 and "models/net.json" in text, text


def test_an_installed_command_can_be_used(project, hook, models, offline, command):
    shutil.copy(models / "failing.onnx", project / "model.onnx")
    configure(project, hook, id="broadaxe-check-system")
    succeed(["git", "add", "--all"], project, env=offline)
    installed = offline | {"PATH": f"{command.parent}{os.pathsep}{offline['PATH']}", "PIP_FIND_LINKS": os.devnull}
    code, text = run(["pre-commit", "run", "--all-files"], project, env=installed)
    assert code == 1 and "model.onnx: 3 broadcasting nodes" in text, text


def test_files_that_are_not_models_are_skipped_with_a_note(project, hook, models, offline):
    for name, data in (("a.json", b"{}"), ("b.xml", b"<project/>")):
        (project / name).write_bytes(data)
    configure(project, hook, verbose=True)
    succeed(["git", "add", "--all"], project, env=offline)
    text = succeed(["pre-commit", "run", "--all-files"], project, env=offline)
    assert "not a model: " in text or "not models: " in text, text

    # A damaged model is an error, and so is a file that only its name says to be one.
    data = (models / "clean.onnx").read_bytes()
    (project / "cut.onnx").write_bytes(data[: len(data) // 2])
    (project / "text.onnx").write_text("text")
    succeed(["git", "add", "--all"], project, env=offline)
    code, text = run(["pre-commit", "run", "--all-files"], project, env=offline)
    assert code == 1 and "cut.onnx" in text and "error: text.onnx: not a model file" in text, text


def test_nothing_of_this_repository_is_built(hook, offline):
    metadata = (hook / "pyproject.toml").read_text()
    assert f'dependencies = ["broadaxe=={VERSION}"]' in metadata
    wheel = hook / "built"
    succeed(["python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheel, "."], hook, env=offline)
    import zipfile

    (file,) = wheel.iterdir()
    names = zipfile.ZipFile(file).namelist()
    assert all(".dist-info/" in name for name in names), names
