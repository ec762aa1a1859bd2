"""The command that the package installs: the same answers and exit codes as the program."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from broadaxe import _broadaxe

ROOT = pathlib.Path(__file__).parents[3]
CASES = [
    (["--version"], 0, "broadaxe 0."),
    (["shape", "2,1", "3"], 0, "(2, 3)"),
    (["shape", "2,3", "3,2"], 1, "axis 0 is 2 in a and 3 in b"),
    (["check", "examples/face.onnx", "--for", "ncnn", "--quiet"], 1, "differ"),
    (["check", "examples/face.onnx", "--for", "openvno"], 2, "did you mean 'openvino'"),
    (["eval", "x + 1", "x=2"], 0, "3"),
    (["frobnicate"], 2, "frobnicate"),
]


def run(args, program=(sys.executable, "-m", "broadaxe")):
    # The tool that runs these tests may say how wide its terminal is, to which lines are wrapped.
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return subprocess.run([*program, *args], capture_output=True, text=True, cwd=ROOT, check=False, env=env)


@pytest.mark.parametrize(("args", "code", "text"), CASES, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_answers_and_exit_codes(args, code, text):
    done = run(args)
    assert (done.returncode, text in done.stdout + done.stderr) == (code, True), done


def test_the_installed_script_is_the_command():
    script = pathlib.Path(sys.executable).parent / "broadaxe"
    if not script.exists():
        pytest.skip("the package was put in place without its script")
    assert shutil.which(script)
    assert run(["rules"], [script]).stdout == run(["rules"]).stdout


def test_json_goes_to_standard_output():
    done = run(["shape", "2,3", "3,2", "--json"])
    assert "axis 0 is 2" in json.dumps(json.loads(done.stdout))


MODELS = ["examples/face.onnx", "examples/position.tflite", "crates/broadaxe-format/tests/models/openvino_small.xml"]
REQUESTS = [
    (["sizes", "--sweep", "x[0]=1..4"], {"request": "sizes", "sweep": "x[0]=1..4"}),
    (["list", "--for", "openvino"], {"request": "list", "targets": ["openvino"]}),
    (["census"], {"request": "census"}),
    (["explain", "--node", "#0", "--dtype", "f16"], {"request": "explain", "node": "#0", "dtypes": ["f16"]}),
    (["explain", "--node", "#1"], {"request": "explain", "node": "#1"}),
]


@pytest.mark.parametrize("file", MODELS)
def test_requests_have_the_answers_of_the_command(file):
    path = str(ROOT / file)
    for words, request in REQUESTS:
        want = json.loads(run([*words, "--json", path]).stdout)
        try:
            got = json.loads(_broadaxe.model(json.dumps(request), path).json())
        except ValueError as error:
            got = str(error)
            want = ": ".join(want["error"][part] for part in ("file", "message") if part in want["error"])
        assert got == want, words


@pytest.mark.parametrize("name", ["compare", "shape", "explain"])
def test_requests_about_no_model_are_errors(name):
    with pytest.raises(ValueError, match="no model file"):
        _broadaxe.model(json.dumps({"request": name, "shapes": ["2,3", "3"]}), "model.onnx")


def test_a_closed_output_is_no_crash():
    command = f'"{sys.executable}" -m broadaxe rules | head -1'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT, check=False)
    assert "Traceback" not in done.stderr and "panic" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="the shell of Windows closes no streams")
def test_closed_streams_are_errors_and_files_do_not_get_their_text(tmp_path):
    def shell(args, streams):
        command = f'exec "{sys.executable}" -m broadaxe {args} {streams}'
        return subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path, check=False)

    for args in ("rules", "--help", "--version --json", "eval x x=2 -o out.npy"):
        for streams in (">&-", "<&- >&-", ">&- 2>&-"):
            done = shell(args, streams)
            assert done.returncode == 2, (args, streams, done)
            assert ("standard output is closed" in done.stderr) == ("2>" not in streams), (args, streams, done)
    assert not list(tmp_path.iterdir())
    for streams in ("<&-", "2>&-", "<&- 2>&-"):
        assert shell("eval x x=2 -o out.npy", streams).returncode == 0, streams
        assert (tmp_path / "out.npy").read_bytes().startswith(b"\x93NUMPY"), streams
        assert shell("eval x x=none.npy -o out.npy", streams).returncode == 2, streams
        assert (tmp_path / "out.npy").read_bytes().startswith(b"\x93NUMPY"), streams
