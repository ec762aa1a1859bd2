"""Runs the steps of action.yml as a runner does: bash with -e and pipefail, inputs through expressions, outputs through files."""

import json
import os
import re
import shutil

import pytest
import yaml
from conftest import ROOT, VERSION, run, tags


@pytest.fixture
def action(project, offline, tmp_path):
    """Returns a function that runs the action in the project, and returns its exit code, its log and its outputs."""
    definition = yaml.safe_load((ROOT / "action.yml").read_text())

    def act(folder=ROOT, **given):
        own = {"PATH": given.pop("path")} if "path" in given else {}
        given = {name.replace("_", "-"): value for name, value in given.items()}
        inputs = {name: given.pop(name, input.get("default")) for name, input in definition["inputs"].items()}
        assert not given and None not in inputs.values(), (given, inputs)
        known = {f"inputs.{name}": value for name, value in inputs.items()} | {"github.action_path": str(folder)}

        def fill(text):
            return re.sub(r"\$\{\{ *([a-z_.-]+) *\}\}", lambda match: known.get(match[1], ""), text)

        log = ""
        for step in definition["runs"]["steps"]:
            assert "${{" not in step["run"], "an input in a script is read as code"
            script, output = tmp_path / "step.sh", tmp_path / "output"
            script.write_text(step["run"])
            output.write_text("")
            runner = {"GITHUB_OUTPUT": str(output), "GITHUB_ACTION_PATH": str(folder), "RUNNER_TEMP": str(tmp_path)}
            env = offline | runner | {name: fill(value) for name, value in step.get("env", {}).items()} | own
            code, text = run([shutil.which("bash"), "--noprofile", "--norc", "-e", "-o", "pipefail", script], project, env=env)
            log += text
            for line in output.read_text().splitlines():
                name, _, value = line.partition("=")
                known[f"steps.{step['id']}.outputs.{name}"] = value
            if code != 0:
                break
        outputs = {name: fill(output["value"]) for name, output in definition["outputs"].items()}
        return code, log, outputs

    return act


def results(file):
    return json.loads(file.read_text())["runs"][0]["results"]


def test_a_failing_model_fails_with_annotations_and_sarif(action, project, models):
    (project / "my models").mkdir()
    for name in ("my models/a model.onnx", "my models/100%,a:b.onnx", "-x.onnx"):
        shutil.copy(models / "failing.onnx", project / name)
    shutil.copy(models / "clean.onnx", project / "my models" / "clean.onnx")
    code, log, outputs = action(models="my models/*.onnx\n\n-x.onnx\n", sarif="out put.sarif")
    assert code == 1, log
    assert tags(log) == {"my models/a model.onnx": 3, "my models/100%25%2Ca%3Ab.onnx": 3, "-x.onnx": 3}, log
    assert "title=broadaxe BX101 wrong-axis::bias1 (Add): differs on onnx: " in log, log
    assert outputs == {"sarif": "out put.sarif"}
    found = results(project / "out put.sarif")
    uris = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in found}
    assert len(found) == 9 and uris == {"my%20models/a%20model.onnx", "my%20models/100%25%2Ca%3Ab.onnx", "-x.onnx"}, uris
    # Whatever the text says is not read as a command.
    begin, end = re.search(r"(?m)^::stop-commands::([0-9a-f]{32})$", log), re.search(r"(?m)^::([0-9a-f]{32})::$", log)
    assert begin[1] == end[1]
    assert begin.end() < log.index("my models/a model.onnx: 3 broadcasting nodes") < end.start()


def test_a_clean_model_passes(action, project, models):
    shutil.copy(models / "clean.onnx", project / "clean.onnx")
    code, log, outputs = action(models="clean.onnx")
    assert code == 0, log
    assert tags(log) == {}
    assert outputs == {"sarif": "broadaxe.sarif"}
    assert results(project / "broadaxe.sarif") == []


def test_inputs_choose_targets_verdicts_and_no_sarif(action, project, models):
    shutil.copy(models / "failing.onnx", project / "model.onnx")
    code, log, outputs = action(models="model.onnx", targets="openvino")
    assert (code, tags(log)) == (0, {}), log
    code, log, outputs = action(models="model.onnx", fail_on="refused", sarif="")
    assert (code, tags(log)) == (0, {"model.onnx": 3}), log
    assert outputs == {"sarif": ""}


def test_names_are_not_code(action, project, models):
    name = "$(touch pwned) `touch pwned`; touch pwned; *.onnx"
    shutil.copy(models / "failing.onnx", project / name)
    code, log, _ = action(models=name, targets="onnx")
    assert code == 1 and tags(log) == {name: 2}, log
    assert not list(project.rglob("pwned"))


def test_a_name_with_line_ends_and_blanks_is_one_name(action, project, models):
    (project / "more models").mkdir()
    for name in ("two\nlines.onnx", "more models/a\n\n b .onnx", "plain.onnx"):
        shutil.copy(models / "failing.onnx", project / name)
    code, log, _ = action(models="*.onnx\nmore models/*.onnx", targets="onnx")
    assert code == 1, log
    assert tags(log) == {"two%0Alines.onnx": 2, "more models/a%0A%0A b .onnx": 2, "plain.onnx": 2}, log


def test_the_configuration_is_chosen_and_what_it_turns_off_is_said(action, project, models):
    shutil.copy(models / "failing.onnx", project / "model.onnx")
    (project / "broadaxe.toml").write_text("for = ['onnx']\nfail-on = []\n")
    (project / "own file.toml").write_text("for = ['onnx']\n[[ignore]]\nnode = 'bias1'\nreason = 'known'\n")
    said = r"(?m)^::notice title=broadaxe::(.*)$"
    cases = [
        ({}, 0, ["2 findings do not fail (fail-on of broadaxe.toml)"]),
        ({"config": "own file.toml"}, 1, ["1 finding ignored (own file.toml)"]),
        ({"no_config": "true"}, 1, []),
        ({"fail_on": "differs"}, 1, []),
    ]
    for inputs, wanted, notices in cases:
        code, log, _ = action(models="model.onnx", **inputs)
        assert (code, re.findall(said, log)) == (wanted, notices), log
    code, log, _ = action(models="model.onnx", no_config="yes")
    assert code == 2 and "::error::the input 'no-config' is true or false" in log, log


def test_errors_say_what_is_wrong(action, project):
    (project / "not a model.onnx").write_text("text")
    cases = [
        ("*.tflite", r"^::error::no file matches \*\.tflite$"),
        ("\n \n", r"^::error::the input 'models' names no file$"),
    ]
    for models, wanted in cases:
        code, log, outputs = action(models=models)
        assert code == 2, log
        assert re.search(wanted, log, re.MULTILINE), log
        assert outputs == {"sarif": ""}
    (project / "broadaxe.sarif").write_text("of an earlier run")
    code, log, outputs = action(models="not a model.onnx", targets="no-such-runtime")
    assert code == 2 and "no-such-runtime" in log, log
    assert "\n::error title=broadaxe::broadaxe check could not run; the log says why\n" in log, log
    assert outputs == {"sarif": ""}


def test_a_file_that_is_not_a_model_does_not_hide_others(action, project, models):
    (project / "a.onnx").write_text("text")
    shutil.copy(models / "failing.onnx", project / "b.onnx")
    code, log, outputs = action(models="*.onnx")
    assert code == 2, log
    assert tags(log) == {"a.onnx": 1, "b.onnx": 3}, log
    assert re.search(r"(?m)^::error file=a\.onnx,line=1,title=broadaxe::not a model file", log), log
    assert outputs == {"sarif": "broadaxe.sarif"}
    assert len(results(project / "broadaxe.sarif")) == 3


def test_a_wheel_or_a_folder_can_be_installed(action, project, models, wheels, monkeypatch):
    shutil.copy(models / "clean.onnx", project / "clean.onnx")
    (wheel,) = wheels.glob(f"broadaxe-{VERSION}-*.whl")
    for place in (wheel, wheels):
        code, log, _ = action(models="clean.onnx", install=str(place))
        assert code == 0, log
    code, log, _ = action(models="clean.onnx", version="99.0.0")
    assert code == 1 and "99.0.0" in log, log


def test_the_source_of_the_action_can_be_built(action, project, models, tmp_path, offline, stand_in):
    shutil.copy(models / "clean.onnx", project / "clean.onnx")
    tools = tmp_path / "tools"
    tools.mkdir()
    path = f"{tools}{os.pathsep}{offline['PATH']}"
    (tools / "cargo").symlink_to(shutil.which("false"))
    code, log, _ = action(folder=stand_in, models="clean.onnx", install="source", path=path)
    assert code == 2 and "::error::'install: source' needs Rust" in log, log
    (tools / "cargo").unlink()
    (tools / "cargo").symlink_to(shutil.which("true"))
    code, log, _ = action(folder=stand_in, models="clean.onnx", install="source", path=path)
    assert code == 0 and "built from source: check" in log, log


def test_a_machine_without_python_is_told_so(action, tmp_path):
    (tmp_path / "empty").mkdir()
    code, log, _ = action(models="a.onnx", path=str(tmp_path / "empty"))
    assert (code, log) == (2, "::error::broadaxe needs Python 3.10 or newer; run actions/setup-python before it\n")
