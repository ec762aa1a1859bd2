"""Runs other projects' own tests against the package, and writes docs/reports/peer-suites.md.

    python -m conformance.peers                                  numexpr's and NumPy's tests, of the installed wheels
    python -m conformance.peers --array-api-tests DIR            array-api-tests as well, from a checkout with its submodule
    python -m conformance.peers --recorded [--update] [--prune]  classify the last run again

Every failing test needs an entry of known.toml that says why it fails. `--update` prints entries for those without one, to be
completed; `--prune` removes entries that explain no failure, which every run names. Where a failure has no entry, the run ends with 1
and writes no page.
"""

import argparse
import sys
from pathlib import Path

from . import known, page, suites


def main():
    """Run, classify, write the page; return the exit code."""
    options = _options()
    runs = []
    for name in options.suite:
        runs += {"numexpr": suites.numexpr, "numpy": suites.numpy}[name](not options.recorded)
    if options.array_api_tests is not None:
        runs += suites.array_api(not options.recorded, options.array_api_tests.resolve(), options.examples)
    table = known.Known()
    found = [table.classify(run) for run in runs]
    for run, (by_category, unknown) in zip(runs, found):
        print(_figures(run, by_category, unknown))
    stale = table.stale({run.suite for run in runs})
    if options.prune:
        known.PATH.write_text(known.without(known.PATH.read_text(), [entry for entry in stale if not entry.explained]))
    complete = _report(runs, found, stale, options.update)
    if complete:
        page.write(runs, [by_category for by_category, _ in found])
    return 0 if complete else 1


def _options():
    parser = argparse.ArgumentParser(prog="python -m conformance.peers", description=__doc__.split("\n")[0])
    parser.add_argument("--suite", action="append", choices=["numexpr", "numpy"], help="one of the suites, not both")
    parser.add_argument("--array-api-tests", type=Path, metavar="DIR", help="a checkout of array-api-tests")
    parser.add_argument("--examples", type=int, default=20, help="how many examples array-api-tests draw for a test")
    parser.add_argument("--recorded", action="store_true", help="classify the results of the last run, and run nothing")
    parser.add_argument("--update", action="store_true", help="print entries for failures that have none")
    parser.add_argument("--prune", action="store_true", help="remove entries that explain no failure")
    options = parser.parse_args()
    options.suite = options.suite or ["numexpr", "numpy"]
    return options


def _figures(run, by_category, unknown):
    passed = sum(test.outcome == "passed" for test in run.tests)
    reasons = ", ".join(f"{len(by_category[name])} {name}" for name in known.CATEGORIES if by_category.get(name))
    return f"{run.title}: {len(run.tests)} tests, {passed} passed, {len(run.failed)} failed ({reasons}), {len(unknown)} without a reason"


def _report(runs, found, stale, update):
    """Print what has no reason, and the entries that are stale; return whether everything has a reason."""
    complete = True
    for run, (_, unknown) in zip(runs, found):
        complete = complete and not unknown
        if update and unknown:
            print(known.suggestions(run.suite, unknown))
        for test in unknown if not update else ():
            print(f"no reason: {run.suite} {test.name}: {test.error}: {test.says.strip()[:200]}")
    for entry in stale:
        print(f"stale: {entry.name} (explains {len(entry.explained)} failures, not {entry.count or 'any'})")
    return complete


if __name__ == "__main__":
    sys.exit(main())
