"""Options of the suite, and what its tests share: every engine is asked once."""

import pytest

from . import report, tally
from .ask import Absent
from .engines import ENGINES
from .known import Known


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="ask every engine everything, and write docs/reports/conformance.md")
    parser.addoption("--engine", action="append", choices=sorted(ENGINES), help="ask only this engine; may be repeated")


class Session:
    """The tallies of this run, and what is known."""

    def __init__(self, config):
        self.full, self.known, self.backend = config.getoption("full"), Known(), None
        self.chosen = config.getoption("engine") or [n for n, engine in ENGINES.items() if self.full or not engine.full_only]
        self.tallies, self.absent = {}, {}

    def tally(self, name):
        """Return the tally of an engine, which is asked if it was not yet."""
        if name in self.absent:
            pytest.fail(self.absent[name])
        if name not in self.tallies:
            try:
                self.tallies[name] = tally.ask(ENGINES[name](), self.known, self.full)
            except Absent as why:
                self.absent[name] = str(why)
                pytest.fail(str(why))
        return self.tallies[name]


def pytest_configure(config):
    config.stash_session = Session(config)


@pytest.fixture(scope="session")
def session(request):
    """The tallies of this run."""
    return request.config.stash_session


def pytest_generate_tests(metafunc):
    """Make a test per engine, and one per exemption of an engine that is asked."""
    session = metafunc.config.stash_session
    if "engine" in metafunc.fixturenames:
        metafunc.parametrize("engine", session.chosen)
    if "exemption" in metafunc.fixturenames:
        entries = [entry for entry in session.known.exemptions if entry.engine in session.chosen]
        metafunc.parametrize("exemption", entries, ids=[entry.id for entry in entries])


def pytest_terminal_summary(terminalreporter, config):
    """Say the figures of every engine."""
    session = config.stash_session
    for line in report.figures(session):
        terminalreporter.write_line(line)


def pytest_sessionfinish(session, exitstatus):
    """Write the page after a full run of all engines that failed nowhere, on a processor of which everything is known."""
    ours = session.config.stash_session
    if ours.full and exitstatus == 0 and set(ours.tallies) == set(ENGINES) and not ours.known.apart:
        report.write(ours)
