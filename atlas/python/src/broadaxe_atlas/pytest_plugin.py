"""Runs the questions of the Atlas as tests: pytest --atlas module:function."""

from __future__ import annotations

import collections
import fnmatch
import math
import pathlib
import textwrap

import pytest

from broadaxe_atlas import _atlas

KNOWN = pytest.StashKey["Known"]()
FUNCTION = pytest.StashKey()


def pytest_addoption(parser):
    """Add the options."""
    group = parser.getgroup("atlas", "broadcasting (broadaxe-atlas)")
    group.addoption("--atlas", metavar="MODULE:FUNCTION", help="ask this function the questions of the Atlas")
    group.addoption("--atlas-level", metavar="LEVEL", default="core", help="'core' (the default), or a file of cases in JSON Lines")
    group.addoption(
        "--atlas-rule",
        metavar="RULE",
        action="append",
        default=[],
        help="ask only about this rule: pdpd, or pdpd1 for axis 1 (can be repeated; commas separate rules)",
    )
    group.addoption("--atlas-known", metavar="FILE", help="known failures: an id or a pattern a line, and a reason after '#'")


def pytest_configure(config):
    """Load the function and the known failures."""
    config.addinivalue_line("markers", "atlas: a question of the Atlas.")
    name = config.getoption("atlas")
    if name is None:
        for option in ("atlas_rule", "atlas_known"):
            if config.getoption(option):
                raise pytest.UsageError(f"--{option.replace('_', '-')} needs --atlas MODULE:FUNCTION")
        return
    _atlas.add_current_folder()
    try:
        config.stash[FUNCTION] = _atlas.load(name)
    except ValueError as error:
        raise pytest.UsageError(f"--atlas {name}: {error}") from error
    level = config.getoption("atlas_level")
    if level != "core" and not pathlib.Path(level).is_file():
        raise pytest.UsageError(f"--atlas-level {level}: it is neither 'core' nor a file")
    known = config.getoption("atlas_known")
    config.stash[KNOWN] = Known(known) if known else None


def pytest_report_header(config):
    """Say what is asked."""
    if config.getoption("atlas"):
        return f"atlas: {config.getoption('atlas')}, level {config.getoption('atlas_level')}"
    return None


def pytest_terminal_summary(terminalreporter, config):
    """Name the failure about the smallest case, and count the failures of each kind."""
    failed = [report for report in terminalreporter.getreports("failed") if report.nodeid.startswith("atlas::")]
    if not failed or not config.getoption("atlas"):
        return
    firsts = [report.longreprtext.partition("\n")[0] for report in failed]
    counts = collections.Counter(first.partition(":")[0] for first in firsts)
    kinds = ", ".join(f"{counts[sign]} {name}" for sign, name in KINDS.items() if counts[sign])
    question_id = failed[0].nodeid.removeprefix("atlas::")
    terminalreporter.section("atlas")
    terminalreporter.write_line(f"{len(failed)} failed: {kinds}" if kinds else f"{len(failed)} failed")
    terminalreporter.write_line(f"smallest: {question_id}")
    terminalreporter.write_line(f"  {firsts[0]}")
    level = config.getoption("atlas_level")
    words = f" --atlas-level {level}" if level != "core" else ""
    terminalreporter.write_line("run it alone:")
    terminalreporter.write_line(f"  pytest --atlas {config.getoption('atlas')}{words} -k {question_id}")


class Known:
    """Holds the known failures of a file."""

    def __init__(self, name):
        self.name = name
        self.lines = []
        try:
            text = pathlib.Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise pytest.UsageError(f"--atlas-known {name}: {error}") from error
        for number, line in enumerate(text.splitlines(), 1):
            pattern, _, reason = map(str.strip, line.partition("#"))
            if pattern and (not reason or len(pattern.split()) > 1):
                what = "no reason" if not reason else "more than one id"
                raise pytest.UsageError(f"--atlas-known {name}: line {number} has {what}; write 'ID  # reason'")
            if pattern:
                self.lines.append((pattern, number, reason))

    def find(self, question_id):
        """Return the first line that names a question, or its case: its pattern, its number and its reason."""
        case_id = question_id.partition(":")[0]
        for pattern, number, reason in self.lines:
            if fnmatch.fnmatchcase(question_id, pattern) or fnmatch.fnmatchcase(case_id, pattern):
                return pattern, number, reason
        return None


class Crash:
    """Holds the text of a failure in the summary."""

    def __init__(self, message):
        self.message = message


class Explained:
    """Holds the text of a failure, whose first line is in the summary."""

    def __init__(self, text):
        self.text = text
        self.reprcrash = Crash(text.partition("\n")[0])

    def __str__(self):
        return self.text

    def toterminal(self, tw):
        """Write the text."""
        tw.line(self.text)


class Failure(Exception):
    """Says how an answer differs from the rule's."""


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    """Add the Atlas to what the session collects."""
    outcome = yield
    if isinstance(collector, pytest.Session) and collector.config.getoption("atlas"):
        report = outcome.get_result()
        if report.passed:
            report.result = [*report.result, Atlas.from_parent(collector, name="atlas", nodeid="atlas")]


class Atlas(pytest.Collector):
    """Collects the questions, those about the smallest cases first."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.add_marker("atlas")

    def collect(self):
        """Yield an item for each question."""
        level = self.config.getoption("atlas_level")
        try:
            cases = list(_atlas.cases(level))
        except (OSError, ValueError) as error:
            raise self.CollectError(str(error)) from error
        rules = {rule.strip() for option in self.config.getoption("atlas_rule") for rule in option.split(",")}
        known = {case["rule"] for case in cases} | {_label(case) for case in cases}
        if rules - known:
            text = f"--atlas-rule {min(rules - known)}: the level has no such rule; the rules are {', '.join(sorted(known))}"
            raise self.CollectError(textwrap.fill(text, 78, break_on_hyphens=False))
        for case in sorted(cases, key=_size):
            if not rules or rules & {case["rule"], _label(case)}:
                for kinds, bit in _atlas.rounds(case):
                    yield QuestionItem.from_parent(self, name=_atlas.question_id(case, kinds, bit), of=(case, kinds, bit))


def _label(case):
    """Return the part of an id that names the rule and its parameters: `pdpd1`."""
    return case["id"].removeprefix(case["family"] + "-").rpartition("-r")[0]


def _size(case):
    shapes = [*case["operands"], case.get("shape", [])]
    return max(map(len, shapes)), sum(map(math.prod, case["operands"]))


class QuestionItem(pytest.Item):
    """Asks one question."""

    def __init__(self, *, of, **kwargs):
        super().__init__(**kwargs)
        self.of = of

    def reportinfo(self):
        """Return the place of the test for reports; it is no file."""
        return self.config.rootpath / "atlas", None, self.name

    def runtest(self):
        """Ask, and fail if the answer is not that of the rule."""
        question = _atlas.make_question(*self.of)
        answer = _atlas.ask(self.config.stash[FUNCTION], question)
        verdict = _atlas.judge(question, answer)
        if verdict.outcome == "skipped":
            pytest.skip(verdict.text)
        known = self.config.stash[KNOWN] and self.config.stash[KNOWN].find(self.name)
        if verdict.outcome == "right":
            if known and not self.config.option.runxfail:
                pattern, line, _ = known
                raise Failure(
                    f"{PASSES}\nRemove or narrow {pattern!r} in line {line} of {self.config.stash[KNOWN].name}."
                )
            return
        if known:
            pytest.xfail(known[2])
        raise Failure(_explain(question, answer, verdict))

    def repr_failure(self, excinfo):
        """Return the text of a failure without a traceback of this plugin."""
        if excinfo.errisinstance(Failure):
            return Explained(str(excinfo.value))
        return super().repr_failure(excinfo)


PASSES = "passes, but is a known failure"
SIGNS = {"value": "wrong value", "shape": "wrong shape", "accepted": "accepted", "rejected": "rejected", "crash": "no answer"}
KINDS = {sign: sign for sign in SIGNS.values()} | {PASSES: "known failures that pass"}


def _explain(question, answer, verdict):
    """Return the text of a failure: its kind and the shapes, how the answer differs, and both results."""
    case = question.case
    shapes = [*case["operands"], *([case["target"]] if "target" in case else [])]
    lines = [f"{SIGNS[verdict.failure]}: {question.op}({', '.join(map(str, shapes))})"]
    lines += textwrap.wrap(verdict.text, 78, break_on_hyphens=False)
    rows = []
    if isinstance(answer, Exception):
        rows.append(("raised at", _atlas.place(answer)))
    elif verdict.failure in ("value", "shape", "accepted"):
        shape, values = _atlas.read(answer)
        rows.append(("answer", f"{shape}  {_short(values)}"))
    expected = question.expected()
    rows.append(("expected", f"{expected[0]}  {_short(expected[1])}" if expected else f"a rejection ({case['reject']})"))
    parameters = [f"{key} {question[key]}" for key in ("axis", "axes", "mode") if key in question]
    rows.append(("rule", " ".join([question.rule, *parameters])))
    constants = [name for name, operand in zip("abc", question.operands, strict=False) if operand.constant]
    rows.append(("constant", ", ".join(constants) or "none"))
    if case.get("source"):
        rows.append(("source", case["source"]))
    for name, text in rows:
        wrapped = textwrap.wrap(text, 66, break_on_hyphens=False, break_long_words=False) or [""]
        lines += [f"  {name if number == 0 else '':<10}{part}" for number, part in enumerate(wrapped)]
    return "\n".join(lines)


def _short(values):
    """Return elements as text, at most 24 of them."""
    text = ", ".join(map(_atlas.number, values[:24]))
    return f"[{text}, ... {len(values) - 24} more]" if len(values) > 24 else f"[{text}]"
