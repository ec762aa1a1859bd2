"""Runs the script of the template for GitLab as its runner does: all lines in one bash, with the variables of the job."""

import json
import shutil

import yaml
from conftest import ROOT, run


def job(project, offline, **variables):
    definition = yaml.safe_load((ROOT / "templates/gitlab-ci.yml").read_text())["broadaxe"]
    unknown = variables.keys() - definition["variables"].keys()
    assert not unknown, unknown
    script = "set -eo pipefail\n" + "\n".join(definition["script"]) + "\n"
    code, log = run(["bash", "-c", script], project, env=offline | definition["variables"] | variables)
    reports = [*definition["artifacts"]["paths"], definition["artifacts"]["reports"]["codequality"]]
    return code, log, [project / report for report in reports]


def test_a_failing_model_fails_with_reports(project, models, offline):
    (project / "deep er").mkdir()
    shutil.copy(models / "failing.onnx", project / "deep er" / "a%20b.onnx")
    shutil.copy(models / "failing.onnx", project / "-x.onnx")
    shutil.copy(models / "clean.onnx", project / "clean.onnx")
    code, log, (sarif, quality) = job(project, offline)
    assert code == 1, log
    assert len(json.loads(sarif.read_text())["runs"][0]["results"]) == 6
    issues = json.loads(quality.read_text())
    assert sorted(issue["location"]["path"] for issue in issues) == ["-x.onnx"] * 3 + ["deep er/a%20b.onnx"] * 3
    assert len({issue["fingerprint"] for issue in issues}) == 6
    assert {(issue["check_name"], issue["severity"], issue["location"]["lines"]["begin"]) for issue in issues} == {("broadaxe/BX101", "major", 1)}


def test_a_clean_model_passes(project, models, offline):
    shutil.copy(models / "clean.onnx", project / "clean.onnx")
    code, log, (sarif, quality) = job(project, offline)
    assert code == 0, log
    assert json.loads(quality.read_text()) == []
    assert sarif.exists()


def test_variables_choose_models_targets_and_the_wheel(project, models, offline, wheels):
    shutil.copy(models / "failing.onnx", project / "a b.onnx")
    shutil.copy(models / "failing.onnx", project / "c.onnx")
    (wheel,) = wheels.glob("broadaxe-*.whl")
    code, log, (_, quality) = job(project, offline, BROADAXE_MODELS="a b.onnx\n", BROADAXE_TARGETS="ncnn", BROADAXE_INSTALL=str(wheel))
    assert code == 1, log
    assert [issue["location"]["path"] for issue in json.loads(quality.read_text())] == ["a b.onnx"]


def test_a_source_can_be_built(project, models, offline, stand_in):
    shutil.copy(models / "clean.onnx", project / "clean.onnx")
    code, log, _ = job(project, offline, BROADAXE_INSTALL=str(stand_in / "crates" / "broadaxe-python"))
    assert code == 0 and "built from source: check" in log, log


def test_names_with_line_ends_and_the_configuration(project, models, offline):
    shutil.copy(models / "failing.onnx", project / "two\nlines.onnx")
    (project / "broadaxe.toml").write_text("for = ['onnx']\nfail-on = []\n")
    (project / "own.toml").write_text("for = ['onnx']\n")
    for variables, wanted in (({}, 0), ({"BROADAXE_NO_CONFIG": "true"}, 1), ({"BROADAXE_CONFIG": "own.toml"}, 1), ({"BROADAXE_NO_CONFIG": "yes"}, 2)):
        code, log, (_, quality) = job(project, offline, **variables)
        assert code == wanted, log
    assert {issue["location"]["path"] for issue in json.loads(quality.read_text())} == {"two\nlines.onnx"}


def test_errors_say_what_is_wrong(project, models, offline):
    code, log, _ = job(project, offline)
    assert code == 2 and "no file matches '**/*.onnx'" in log, log
    code, log, _ = job(project, offline, BROADAXE_MODELS="\n \n")
    assert code == 2 and "names no file" in log, log
    (project / "a.onnx").write_text("text")
    shutil.copy(models / "failing.onnx", project / "b.onnx")
    code, log, (_, quality) = job(project, offline)
    assert code == 2 and "a.onnx" in log, log
    # The other models are judged.
    paths = [issue["location"]["path"] for issue in json.loads(quality.read_text())]
    assert paths == ["b.onnx"] * 3 + ["a.onnx"]
