"""How other projects' tests are run against the package, and how their failures are classified."""

import json
import sys
import tomllib

import broadaxe
import numpy
import pytest

from .peers import arrays, known, page, stand_in, suites

ENTRY = """
[[known]]
suite = "numpy"
tests = ["test_a.py::test_one[*", "test_a.py::test_two"]
error = "TypeError"
says = "^the dtype complex(64|128) is not supported"
category = "complex"
why = "Complex arrays are refused."
"""
REFUSED = "the dtype complex128 is not supported; the dtypes are bool"
WRONG = ENTRY.replace("TypeError", "AssertionError").replace("^the dtype complex(64|128) is not supported", "^1 != 2$")


def _run(*failures):
    tests = [suites.Test(name, "failed", error, says) for name, error, says in failures]
    return suites.Run("numpy", "NumPy", [*tests, suites.Test("test_a.py::test_good", "passed")])


@pytest.mark.parametrize(
    "failure, explained",
    [
        (("test_a.py::test_one[f8-]", "TypeError", REFUSED), True),
        (("test_a.py::test_two", "TypeError", REFUSED), True),
        (("test_a.py::test_two[1]", "TypeError", REFUSED), False),
        (("test_b.py::test_two", "TypeError", REFUSED), False),
        (("test_a.py::test_two", "ValueError", REFUSED), False),
        (("test_a.py::test_two", "TypeError", "the dtype float64 is not supported"), False),
        (("test_a.py::test_two", "AssertionError", f"1 != 2 {REFUSED}"), False),
    ],
)
def test_an_entry_is_about_a_test_an_exception_and_a_text(failure, explained):
    found, unknown = known.Known(ENTRY).classify(_run(failure))
    assert (len(found["complex"]), len(unknown)) == (int(explained), int(not explained))


def test_entries_about_another_suite_explain_nothing():
    table = known.Known(ENTRY.replace('"numpy"', '"numexpr"'))
    assert len(table.classify(_run(("test_a.py::test_two", "TypeError", REFUSED)))[1]) == 1
    assert table.stale({"numpy"}) == []
    assert len(table.stale({"numexpr"})) == 1


@pytest.mark.parametrize(
    "text, says",
    [
        (WRONG, "count"),
        (WRONG.replace("test_one[*", "test_*"), "name the tests"),
        (WRONG.replace('"AssertionError"', '"TypeError|AssertionError"'), "count"),
        (ENTRY.replace('"complex"', '"strange"'), "categories"),
        (ENTRY.replace("why =", "because ="), "because"),
        (ENTRY.replace('error = "TypeError"', ""), "error"),
    ],
)
def test_entries_that_are_too_wide_or_wrong_are_refused(text, says):
    with pytest.raises(ValueError, match=says):
        known.Known(text)


def test_a_count_is_the_most_that_an_entry_explains():
    failures = [(f"test_a.py::test_one[{n}]", "AssertionError", "1 != 2") for n in range(3)]
    for count, unknown, stale in ((2, 1, 0), (3, 0, 0), (4, 0, 1)):
        table = known.Known(WRONG + f"count = {count}\n")
        assert len(table.classify(_run(*failures))[1]) == unknown
        assert len(table.stale({"numpy"})) == stale


def test_what_fails_in_the_same_way_without_the_package_is_the_bases():
    run = _run(("test_a.py::t", "AssertionError", "out=nan 0x7f12, x=1.5"), ("test_a.py::u", "AssertionError", "out=nan"))
    run.base = {
        "test_a.py::t": suites.Test("test_a.py::t", "failed", "AssertionError", "out=nan 0x55aa, x=2.5"),
        "test_a.py::u": suites.Test("test_a.py::u", "failed", "AssertionError", "out=inf"),
    }
    found, unknown = known.Known("").classify(run)
    assert [test.name for test, _ in found["base"]] == ["test_a.py::t"]
    assert [test.name for test in unknown] == ["test_a.py::u"]


def test_suggestions_explain_the_failures_that_they_are_made_of():
    failures = [
        ("test_a.py::t[a'\"\\]", "ValueError", 'it\'s "1" (or \\ 2)\nmore'),
        ("test_a.py::u[*]", "ValueError", "x\ty"),
        ("test_a.py::v", "AssertionError", "\nItems are not equal:\n 1"),
    ]
    run = _run(*failures)
    text = known.suggestions("numpy", run.failed).replace('"?"', '"design"')
    found, unknown = known.Known(text).classify(run)
    assert (len(found["design"]), unknown) == (3, [])


def test_pruning_takes_out_whole_entries():
    second = ENTRY.replace("test_two", "test_three")
    text = "# head\n" + ENTRY + "\n# section\n" + second
    left = known.without(text, known.Known(text).entries[:1])
    assert left.startswith("# head") and "# section" in left and tomllib.loads(left) == tomllib.loads(second)


def test_the_table_is_read():
    table = known.Known()
    assert {entry.suite for entry in table.entries} == {"numexpr", "numpy", "array-api"}
    assert all(entry.why.endswith(".") for entry in table.entries)


def test_results_of_tests_are_recorded(tmp_path, monkeypatch):
    (tmp_path / "test_it.py").write_text(
        "import pytest\nfrom conformance.peers.stand_in import np\n"
        "def test_good(): assert np.add(1, 2) == 3\n"
        "def test_bad(): raise ValueError(str(np.add(1, 2)))\n"
        "def test_skipped(): pytest.skip('x')\n"
        "@pytest.mark.xfail\ndef test_expected(): assert 0\n"
        "def test_inside():\n    try: 1 / 0\n    except ZeroDivisionError: pytest.fail('outer')\n"
        "@pytest.fixture\ndef broken(): raise OSError('set up')\n"
        "def test_set_up(broken): pass\n"
    )
    monkeypatch.setattr(suites, "FOLDER", tmp_path / "records")
    suites._pytest("it", [tmp_path], BROADAXE_PEERS_COUNT="1")
    found = {test.name.split("::")[1]: (test.outcome, test.error, test.says, test.called) for test in suites._read("it")}
    assert found == {
        "test_good": ("passed", "", "", ["add"]),
        "test_bad": ("failed", "ValueError", "3", ["add"]),
        "test_skipped": ("skipped", "", "", []),
        "test_expected": ("expected failure", "", "", []),
        "test_inside": ("failed", "ZeroDivisionError", "division by zero", []),
        "test_set_up": ("failed", "OSError", "set up", []),
    }


def test_numpys_files_are_copied_with_their_edits(tmp_path):
    folder = suites.Path(numpy.__file__).parent
    for name in suites.NUMPY_FILES:
        suites._copy(folder / name, tmp_path)
    for path in tmp_path.glob("test_*.py"):
        text = path.read_text()
        assert "\nimport numpy as np\n" not in text and "conformance.peers.stand_in" in text
    assert len(list(tmp_path.glob("test_*.py"))) == len(suites.NUMPY_FILES)


def test_an_edit_that_finds_nothing_is_an_error(tmp_path):
    (tmp_path / "test_umath.py").write_text("import numpy\n")
    with pytest.raises(SystemExit, match="0 times, not once"):
        suites._copy(tmp_path / "test_umath.py", tmp_path / "copy")


def test_numpy_has_the_packages_functions_in_its_places():
    assert stand_in.np.add is broadaxe.add and stand_in.ncu.add is broadaxe.add
    assert stand_in.np.sum is broadaxe.sum and stand_in.np._core.umath.add is broadaxe.add
    assert stand_in.np.fix is numpy.fix and stand_in.np.ndarray is numpy.ndarray
    assert isinstance(broadaxe.add, stand_in.np.ufunc) and isinstance(numpy.add, stand_in.np.ufunc)
    assert not isinstance(numpy.sum, stand_in.np.ufunc)
    assert len(stand_in.shared(numpy)) > 80


def test_the_shim_of_numexpr_has_the_packages_names(monkeypatch):
    monkeypatch.syspath_prepend(str(suites.HERE / "shim"))
    for name in [name for name in sys.modules if name.split(".")[0] == "numexpr"]:
        monkeypatch.delitem(sys.modules, name)
    import numexpr
    from numexpr.expressions import ConstantNode
    from numexpr.utils import set_num_threads

    assert numexpr.evaluate is broadaxe.evaluate and set_num_threads is broadaxe.set_num_threads
    for use in (lambda: numexpr.E.a, lambda: ConstantNode(1), lambda: bool(numexpr.disassemble)):
        with pytest.raises(numexpr.Internal):
            use()
    with pytest.raises(numexpr.Missing, match="no_such_name"):
        numexpr.no_such_name()
    for name in [name for name in sys.modules if name.split(".")[0] == "numexpr"]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize("base", ["numpy", "array_api_strict"])
def test_modules_of_the_array_api_call_the_package_but_for_complex_numbers(base, monkeypatch):
    base = __import__(base)
    monkeypatch.setattr(broadaxe, "add", lambda *args: "ours")
    module = arrays.over("module", base)
    real, complex_ = base.asarray([1.0]), base.asarray([1j])
    assert module.add(real, 2.0) == "ours"
    for operands in ((complex_, complex_), (real, 1j)):
        assert type(module.add(*operands)) is type(real)
    result = module.multiply(real, real)
    assert type(result) is type(real) and float(result[0]) == 1.0
    assert module.reshape is base.reshape


def test_the_page_keeps_the_parts_of_suites_that_were_not_run(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    runs = {
        suite: suites.Run(suite, suite.upper(), [suites.Test("test_a.py::test_one", "failed", "TypeError", REFUSED, ["add"])])
        for suite in ("numexpr", "numpy")
    }
    for suite, run in runs.items():
        table = known.Known(ENTRY.replace('"numpy"', f'"{suite}"').replace("test_one[*", "test_one"))
        page.write([run], [table.classify(run)[0]])
    text = (tmp_path / "page.md").read_text()
    assert "| NUMEXPR | 1 | 0 | 0 | 1 | 1 |" in text and "| NUMPY | 1 | 0 | 0 | 1 | 0 | 1 | 1 |" in text
    assert text.count("Complex arrays are refused.") == 2 and "| complex | `test_one` | 1 |" in text


def test_records_that_do_not_exist_are_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(suites, "FOLDER", tmp_path)
    with pytest.raises(SystemExit, match="without --recorded"):
        suites._read("numpy")
    (tmp_path / "numpy.jsonl").write_text(json.dumps({"test": "../a/test_x.py::t[b.py]", "outcome": "passed"}) + "\n")
    assert suites._read("numpy")[0].name == "test_x.py::t[b.py]"
