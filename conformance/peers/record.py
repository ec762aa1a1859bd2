"""Plugin of pytest: writes a line for every test, with the exception that failed it."""

import json
import os

import pytest

from . import stand_in

OUTCOMES = {}
LENGTH = 4000


def _innermost(error):
    """Return the exception that tells the cause: not `pytest.fail` but what led to it, and the first of several."""
    while True:
        if isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        elif isinstance(error, pytest.fail.Exception) and error.__context__ is not None:
            error = error.__context__
        else:
            return error


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    stand_in.calls.clear()
    answer = yield
    record = OUTCOMES.setdefault(item.nodeid, {})
    record["called"] = sorted(stand_in.calls)
    return answer


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    record = OUTCOMES.setdefault(item.nodeid, {"outcome": "passed"})
    if report.outcome == "skipped":
        record["outcome"] = "expected failure" if hasattr(report, "wasxfail") else "skipped"
    elif report.failed:
        record["outcome"] = "failed"
        error = _innermost(call.excinfo.value) if call.excinfo else None
        record["error"] = type(error).__name__
        record["says"] = str(error)[:LENGTH] if error is not None else str(report.longrepr)[:LENGTH]
    return report


def pytest_collectreport(report):
    if report.failed:
        OUTCOMES[report.nodeid] = {"outcome": "failed", "error": "CollectionError", "says": str(report.longrepr)[-LENGTH:], "called": []}


def pytest_sessionfinish(session):
    with open(os.environ["BROADAXE_PEERS_RECORD"], "w") as file:
        for name, record in OUTCOMES.items():
            file.write(json.dumps({"test": name, **record}) + "\n")
