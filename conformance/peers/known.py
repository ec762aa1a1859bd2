"""Reads `known.toml`, and says of every failing test why it fails."""

import re
import tomllib
from collections import defaultdict
from pathlib import Path

PATH = Path(__file__).with_name("known.toml")
KEYS = {"suite", "tests", "error", "says", "count", "category", "why", "sometimes"}
NEEDED = {"suite", "tests", "error", "says", "category", "why"}

# Each category, and what it means. A test of the first failure in it may have others behind it.
CATEGORIES = {
    "complex": "complex numbers",
    "strings": "strings",
    "objects": "Python objects, records, dates and other dtypes that are not numbers",
    "longdouble": "long double",
    "division": "integer division by zero raises ZeroDivisionError",
    "errstate": "`np.errstate` and `np.seterr` change nothing: no floating-point warnings or errors",
    "dtypes": "other dtype of a result, by the rules of NumPy 2",
    "internal": "implementation of the other project",
    "missing": "not in the package",
    "design": "different on purpose",
    "message": "refused as the test wants, with another exception or text",
    "harness": "the way that the tests are run, not the package",
    "base": "fails without the package too",
    "DEFECT": "defects of the package",
}


class Entry:
    """Failures with one reason."""

    def __init__(self, table):
        wrong = set(table) - KEYS or NEEDED - set(table)
        if wrong:
            raise ValueError(f"an entry has the keys {sorted(NEEDED)}, and may have {sorted(KEYS - NEEDED)}; not so: {sorted(wrong)} in {table}")
        self.__dict__.update({"count": None, "sometimes": False, **table})
        self.name = f"{self.suite} {self.tests[0]} {self.error}: {self.says}"
        self.key = (self.suite, tuple(self.tests), self.error, self.says)
        if self.category not in CATEGORIES:
            raise ValueError(f"{self.name}: the categories are {', '.join(CATEGORIES)}; not {self.category!r}")
        whole = [name for name in self.tests if "*" in name.split("[")[0]]
        if "AssertionError" in self.error and (whole or (any("*" in name for name in self.tests) and self.count is None)):
            raise ValueError(f"{self.name}: an AssertionError may be a wrong value; name the tests, or for parameters with * also their count")
        self._tests = [re.compile(re.escape(name).replace(r"\*", ".*"), re.DOTALL) for name in self.tests]
        self._errors = self.error.split("|")
        self._says = re.compile(self.says, re.DOTALL)
        self.explained = []

    def covers(self, suite, test):
        """Whether it is about the failure of a test."""
        return (
            suite == self.suite
            and test.error in self._errors
            and any(pattern.fullmatch(test.name) for pattern in self._tests)
            and self._says.search(test.says) is not None
        )


class Known:
    """The whole table."""

    def __init__(self, text=None):
        table = tomllib.loads(PATH.read_text() if text is None else text)
        self.entries = [Entry(entry) for entry in table.get("known", [])]

    def classify(self, run):
        """Return the failing tests of a run by category, and those that no entry is about; the first entry counts."""
        found, unknown = defaultdict(list), []
        for test in run.failed:
            # An entry that explained as many as it may is about no more.
            free = (entry for entry in self.entries if entry.count is None or len(entry.explained) < entry.count)
            entry = next((entry for entry in free if entry.covers(run.suite, test)), None)
            if entry is not None:
                entry.explained.append(test.name)
                found[entry.category].append((test, entry))
            elif same(test, run.base.get(test.name)):
                found["base"].append((test, None))
            else:
                unknown.append(test)
        return found, unknown

    def stale(self, suites):
        """Return the entries about these suites that explain no failure, or fewer than they say."""
        about = [entry for entry in self.entries if entry.suite in suites and not entry.sometimes]
        return [entry for entry in about if len(entry.explained) < (entry.count or 1)]


def same(test, other):
    """Whether a test fails in the same way elsewhere: with the same exception and text, but for numbers in it."""
    return other is not None and other.outcome == "failed" and (test.error, _plain(test.says)) == (other.error, _plain(other.says))


def _plain(text):
    """Return the start of a text without addresses and numbers."""
    return re.sub(r"0x[0-9a-f]+|[0-9]+", "", text.split("\n +")[0])


def suggestions(suite, unknown):
    """Return entries for failures, as TOML, to be completed."""
    grouped = defaultdict(list)
    for test in unknown:
        first = test.says.strip().split("\n")[0][:120]
        grouped[test.error, first].append(test.name)
    parts = []
    for (error, says), names in sorted(grouped.items(), key=lambda item: -len(item[1])):
        listed = "".join(f"    {_quoted(name)},\n" for name in names)
        parts.append(
            f'[[known]]\nsuite = "{suite}"\ntests = [\n{listed}]\nerror = "{error}"\nsays = {_quoted(re.escape(says))}\n'
            'category = "?"\nwhy = "?"\n'
        )
    return "\n".join(parts)


def _quoted(text):
    """Return a text as TOML writes it."""
    if "'" not in text and text.isprintable():
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in escaped) + '"'


def without(text, entries):
    """Return the text of the table without some entries."""
    keys = {entry.key for entry in entries}
    parts = re.split(r"(?m)^(?=\[\[known\]\]$|# )", text)
    return "".join(part for part in parts if not part.startswith("[[") or Entry(tomllib.loads(part)["known"][0]).key not in keys)
