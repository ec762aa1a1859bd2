"""The plug-in for pytest: `pytest --broadaxe-guard` runs each test, with its fixtures, under `broadaxe.guard`.

A package of its own, so that pytest loads neither Broadaxe nor NumPy where the guard is off.
"""

import pytest

_SWITCH = "broadaxe_guard"
_PLUGIN = "broadaxe-guard-tests"


def pytest_addoption(parser):
    """Add the options; each is a key of the configuration, too."""
    group = parser.getgroup("broadaxe", "Broadaxe: stop where both operands of an operation are stretched")
    group.addoption("--broadaxe-guard", action="store_true", default=None, help="Run each test under a guard; so does any option below.")
    group.addoption("--broadaxe-guard-max-blowup", metavar="N", help="The most elements of a result per element of its largest operand.")
    group.addoption(
        "--broadaxe-guard-both-sides", choices=("error", "warn", "allow"), help="What is done about operands that are both stretched: (n,) with (n, 1)."
    )
    group.addoption(
        "--broadaxe-guard-allow", action="append", metavar="PLACE", help="A file or FILE:LINE that may do both; may be given several times."
    )
    parser.addini(_SWITCH, "Run each test under a guard of Broadaxe.", type="bool", default=False)
    parser.addini(f"{_SWITCH}_max_blowup", "The most elements of a result per element of its largest operand.")
    parser.addini(f"{_SWITCH}_both_sides", "What is done about operands that are both stretched: error, warn or allow.")
    parser.addini(f"{_SWITCH}_allow", "Files, and FILE:LINE, that may do both; one a line.", type="linelist")


def pytest_configure(config):
    """Make the guard, if it is asked for."""
    config.addinivalue_line("markers", "no_broadaxe_guard: run this test without the guard of --broadaxe-guard")
    given = {name: config.getoption(f"{_SWITCH}_{name}") for name in ("max_blowup", "both_sides", "allow")}
    if not (config.getoption(_SWITCH) or config.getini(_SWITCH) or any(value is not None for value in given.values())):
        return
    import broadaxe

    max_blowup = given["max_blowup"] or config.getini(f"{_SWITCH}_max_blowup")
    both_sides = given["both_sides"] or config.getini(f"{_SWITCH}_both_sides") or "error"
    allow = [*config.getini(f"{_SWITCH}_allow"), *(given["allow"] or ())]
    try:
        guard = broadaxe.guard(float(max_blowup) if max_blowup else None, both_sides, allow)
    except ValueError as error:
        raise pytest.UsageError(f"--broadaxe-guard: {error}") from None
    config.pluginmanager.register(_Guarded(guard), _PLUGIN)


class _Guarded:
    """Runs tests under a guard."""

    def __init__(self, guard):
        self.guard = guard

    def pytest_report_header(self):
        """Say that the guard is on."""
        limit = "" if self.guard.max_blowup is None else f", max blowup: {self.guard.max_blowup:g}"
        return f"broadaxe guard: both sides: {self.guard.both_sides}{limit}"

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self, item):
        """Make the fixtures of a test under the guard."""
        yield from self._run(item)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        """Run a test under the guard."""
        yield from self._run(item)

    def _run(self, item):
        if item.get_closest_marker("no_broadaxe_guard"):
            yield
        else:
            with self.guard:
                yield


@pytest.fixture(scope="session")
def broadaxe_watch(request):
    """Return `watch` of the guard, which makes NumPy arrays visible to it; without the guard a function that returns its argument."""
    guarded = request.config.pluginmanager.get_plugin(_PLUGIN)
    return guarded.guard.watch if guarded else lambda array: array
