"""Check the data against its schema, the questions against the protocol, and the judge."""

import doctest
import json
import pathlib
import re
import subprocess
import sys

import broadaxe_atlas
import jsonschema
import pytest
from broadaxe_atlas import Skip, cases, judge, questions
from support import ALL, ATLAS, MINE

SCHEMA = json.loads((ATLAS / "schema.json").read_text())
PROTOCOL = json.loads((ATLAS / "protocol.schema.json").read_text())


def validator(schema, part=None):
    """Make a validator of a schema, or of one of its definitions."""
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator({**schema, "oneOf": [{"$ref": f"#/$defs/{part}"}]} if part else schema)


def question(name):
    """Find a question by its id."""
    return next(one for case in cases() if case["id"] == name.partition(":")[0] for one in questions(case) if one.id == name)


def test_core_follows_the_schema():
    """Validate every line, and what JSON Schema cannot say."""
    check, seen = validator(SCHEMA), set()
    for case in cases():
        check.validate(case)
        assert case["id"] not in seen
        seen.add(case["id"])
        assert case["id"].startswith(f"{case['family']}-{case['rule']}")
        shapes = case["operands"] + ([case["target"]] if "target" in case else [])
        assert case["ranks"] == [len(shape) for shape in shapes]
        assert all(len(kinds) == (3 if case["op"] == "gemm" else len(case["operands"])) for kinds in case["kinds"])
    assert len(seen) >= 300


@pytest.mark.parametrize(
    "change",
    [
        {"id": "mul-numpy-r1-0000"},
        {"reject": "mismatch"},
        {"shape": None},
        {"elements": [[-1]]},
        {"axis": 1},
        {"target": [2]},
        {"kinds": ["ii", "ii"]},
        {"pattern": "a"},
        {"theme": "big"},
        {"more": 1},
    ],
)
def test_schema_rejects(change):
    """Reject lines that are not cases."""
    case = next(cases())
    assert validator(SCHEMA).is_valid(case)
    assert not validator(SCHEMA).is_valid({**case, **change})


def test_questions_follow_the_protocol():
    """Validate every question, and count them."""
    check, seen = validator(PROTOCOL, "question"), set()
    for case in cases():
        for one in questions(case):
            check.validate(json.loads(json.dumps(one)))
            seen.add(one.id)
            assert all(abs(value) < 1 << 24 for operand in one.operands for value in operand.values)
    assert len(seen) == ALL


def test_answers_follow_the_protocol():
    """Tell the lines of a program apart."""
    check = validator(PROTOCOL)
    for line in [
        {"id": "a", "shape": [2], "values": [1, None]},
        {"id": "a", "reject": "no"},
        {"id": "a", "skip": "no"},
        {"engine": "mine", "version": "1", "device": "cpu"},
    ]:
        check.validate(line)
    for line in [{"id": "a"}, {"id": "a", "shape": [2]}, {"shape": [2], "values": [1]}, {"id": "a", "shape": [-1], "values": []}]:
        assert not check.is_valid(line)


def test_question():
    """Make the line that the Rust crate makes, and give its keys as attributes."""
    one = question("add-numpy-r2-0008:ic")
    assert json.dumps(one, separators=(",", ":")) == (
        '{"id":"add-numpy-r2-0008:ic","op":"add","rule":"numpy","dtype":"f32","operands":[{"shape":[1],"constant":false,"values":[0]},'
        '{"shape":[2,2],"constant":true,"values":[0,1,2,3]}],"shape":[2,2]}'
    )
    assert (one.op, one.rule, one.axis, one.operands[1].constant, one.operands[1].shape) == ("add", "numpy", None, True, [2, 2])
    with pytest.raises(AttributeError):
        _ = one.axs


def test_judge():
    """Tell how answers are wrong, with the texts of the Rust crate."""
    case = {"id": "add-numpy-r2-0034", "op": "add", "rule": "numpy", "operands": [[2, 2], [2]], "kinds": ["ic"]}
    case |= {"shape": [2, 2], "elements": [[0, 1, 2, 3], [0, 1, 0, 1]]}
    (one,) = questions(case)

    def said(answer):
        verdict = judge(one, answer)
        return verdict.text or verdict.outcome

    assert said(([2, 2], [0, 5, 2, 7])) == "right"
    assert said(([2, 2], [[0, 5], [2, 7]])) == "right"
    assert said(([2, 2], [0, 1, 6, 7])) == "element 1 of the result comes from a[1] and b[0], and from a[1] and b[1] under the rule"
    none = "element 1 of the result comes from no elements of the operands, and from a[1] and b[1] under the rule"
    assert said(([2, 2], [0, float("nan"), 6, 7])) == none
    assert said(([4], [0, 5, 2, 7])) == "the result has the shape [4], and [2, 2] under the rule"
    assert said(([2, 2], [0])) == "the answer has 1 elements, and its shape 4"
    assert said(ValueError("no")) == "rejects shapes that the rule accepts: ValueError: no"
    assert judge(one, Skip("no constants")) == broadaxe_atlas.Verdict("skipped", text="no constants")
    assert said(([2, "x"], [])) == "the shape of the answer is not a list of dims: [2, 'x']"
    assert said(([2], ["x"])) == "a value of the answer is not a number: 'x'"
    (rejected,) = questions({**{key: case[key] for key in ("id", "op", "rule", "operands", "kinds")}, "reject": "mismatch"})
    assert judge(rejected, ValueError("no")).outcome == "right"
    assert judge(rejected, ([2], [0, 1])).text == "accepts shapes that the rule rejects; its result has the shape [2]"


def test_numbers():
    """Write numbers as Rust does."""
    from broadaxe_atlas._atlas import number

    texts = {5.0: "5", 0.5: "0.5", -0.0: "-0", 1e20: "100000000000000000000", 1e-7: "0.0000001", float("inf"): "inf", float("nan"): "NaN"}
    assert {value: number(value) for value in texts} == texts


def test_adapter(tmp_path):
    """Speak the protocol, whatever the function prints."""
    (tmp_path / "mine.py").write_text(MINE)
    asked = [one for case in cases() for one in questions(case) if one.rule == "numpy" or one.op == "prelu"]
    lines = "".join(json.dumps(one) + "\n" for one in asked)
    package = pathlib.Path(broadaxe_atlas.__file__).parents[1]
    words = [sys.executable, "-m", "broadaxe_atlas", "mine:talks", "--engine", "Mine", "--engine-version", "1"]
    environment = {"PYTHONPATH": str(package), "PATH": ""}
    done = subprocess.run(words, input=lines, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=True)
    engine, *answers = map(json.loads, done.stdout.splitlines())
    assert engine == {"engine": "Mine", "version": "1", "device": "cpu"}
    assert "a line that is no answer" in done.stderr
    check = validator(PROTOCOL)
    for one, answer in zip(asked, answers, strict=True):
        check.validate(answer)
        assert answer["id"] == one.id
        if one.op == "prelu":
            assert answer["skip"] == f"no rule {one.rule}"
        elif "reject" in answer:
            assert one.expected() is None
        else:
            assert judge(one, (answer["shape"], answer["values"])).outcome == "right"
    done = subprocess.run([*words[:3], "min:talks"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "there is no module 'min'" in done.stderr


def test_readmes():
    """Run the examples of the package and of the guide."""
    assert doctest.testmod(broadaxe_atlas).failed == 0
    for path in [ATLAS / "README.md", ATLAS / "python/README.md"]:
        assert doctest.testfile(str(path), module_relative=False).failed == 0
        for line in re.findall(r'^\{"id".*\}$', path.read_text(), re.MULTILINE):
            line = json.loads(line)
            (validator(SCHEMA) if "family" in line else validator(PROTOCOL)).validate(line)
            if "family" in line:
                assert line == next(case for case in cases() if case["id"] == line["id"])
            elif "op" in line:
                assert line == question(line["id"])
            elif "values" in line:
                assert judge(question(line["id"]), (line["shape"], line["values"])).outcome == "right"


def test_version():
    """Give the package the version of the data."""
    version = (ATLAS / "VERSION").read_text().strip()
    assert re.fullmatch(r"20\d\d\.(1[0-2]|[1-9])\.([12]\d|3[01]|[1-9])", version)
    assert f'\nversion = "{version}"\n' in (ATLAS / "python/pyproject.toml").read_text()
    for folder in ("python", "cpp"):
        assert (ATLAS / folder / "LICENSE-MIT").read_bytes() == (ATLAS.parent / "LICENSE-MIT").read_bytes()
