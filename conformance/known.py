"""Reads `known.toml`: how exact an engine is, and where it is known to differ and why."""

from collections import Counter
from pathlib import Path

import numpy as np

from .compare import Tolerance
from .question import INTEGERS, Died, Refused

try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib

PATH = Path(__file__).with_name("known.toml")
TOLERANCE_KEYS = {"engines", "operators", "dtypes", "ulp", "within", "zeros", "why"}
EXEMPTION_KEYS = {"id", "engine", "version", "kind", "rules", "operators", "dtypes", "when", "gives", "does", "why", "link", "sometimes"}


class Exemption:
    """A known deviation: where it is, what the engine does there, why we differ, and what is written about it."""

    def __init__(self, table):
        unknown = set(table) - EXEMPTION_KEYS
        missing = {"id", "engine", "version", "kind", "operators", "dtypes", "when", "does", "why", "link"} - set(table)
        if unknown or missing:
            raise ValueError(f"exemption {table.get('id')}: unknown keys {sorted(unknown)}, missing keys {sorted(missing)}")
        self.__dict__.update(table)
        self.rules, self.gives, self.sometimes = table.get("rules"), table.get("gives"), table.get("sometimes")
        self._when, self._gives = compile(self.when, self.id, "eval"), None
        if self.gives and self.gives not in ("refused", "died"):
            self._gives = compile(self.gives, self.id, "eval")
        self.explained, self.agreeing, self.samples = Counter(), Counter(), []

    def about(self, engine, version, question):
        """Whether it may say something about a question."""
        return (
            (engine.name, version, question.kind) == (self.engine, self.version, self.kind)
            and question.title in self.operators
            and question.dtype in self.dtypes
            and (self.rules is None or question.rule in self.rules)
        )

    def covers(self, question, ours, theirs, near):
        """Return where it holds, and where it explains the engine's answer: there, and the answer is the one that it names."""
        names = namespace(question, ours, theirs)
        with np.errstate(all="ignore"):
            holds = np.broadcast_to(np.asarray(eval(self._when, names), bool), names["extent"])
            if self.gives == "refused":
                return holds, holds & isinstance(theirs, Refused)
            if self.gives == "died":
                return holds, holds & isinstance(theirs, Died)
            if isinstance(theirs, (Refused, Died)):
                return holds, holds & False
            if self._gives is None:
                return holds, holds
            value = eval(self._gives, names)
            if question.kind == "shape":
                return holds, holds & (value == theirs.shape)
            value = np.broadcast_to(np.asarray(value).astype(theirs.dtype), theirs.shape)
            return holds, holds & near(value, theirs)


def namespace(question, ours, theirs):
    """Return the names that conditions are written in."""
    names = {"np": np, "we_refuse": isinstance(ours, Refused), "they_refuse": isinstance(theirs, Refused)}
    names.update(question.attributes)
    names["dtype"] = question.dtype
    if question.kind == "shape":
        names.update(zip("abcde", question.shapes), extent=())
        names["result"] = None if isinstance(ours, Refused) else ours.shape
        names["merged"] = lambda *given: _merged(*(given or question.shapes))
        return names
    operands = np.broadcast_arrays(*question.operands)
    names.update(zip("abc", operands), extent=operands[0].shape)
    names.update({f"{letter.upper()}": operand.astype(np.float64) for letter, operand in zip("abc", operands)})
    names["big"] = lambda array: array.astype(object)
    names["ours"] = None if isinstance(ours, Refused) else ours
    names["isnan"], names["isinf"] = np.isnan, np.isinf
    names["zero"] = lambda array: array == 0
    if question.dtype in INTEGERS:
        names["lo"], names["hi"] = int(np.iinfo(operands[-1].dtype).min), int(np.iinfo(operands[-1].dtype).max)
    elif operands[-1].dtype.kind in "fV":
        import ml_dtypes

        info = ml_dtypes.finfo(operands[-1].dtype)
        names["most"], names["tiny"] = float(info.max), float(info.smallest_normal)
    return names


def _merged(*given):
    """Return the shape that NumPy's rule gives, or None."""
    try:
        return np.broadcast_shapes(*given)
    except ValueError:
        return None


class Known:
    """The whole table."""

    def __init__(self, path=PATH):
        table = tomllib.loads(path.read_text())
        self.tolerances = table.get("tolerance", [])
        for entry in self.tolerances:
            if set(entry) - TOLERANCE_KEYS or not {"engines", "operators", "dtypes", "why"} <= set(entry):
                raise ValueError(f"a tolerance has some of the keys {sorted(TOLERANCE_KEYS)}, not {sorted(entry)}")
        self.exemptions = [Exemption(entry) for entry in table.get("exemption", [])]

    def tolerance(self, engine, question):
        """Return how exact an engine must be: the widest of all entries that speak of the question."""
        ulp, within, zeros = 0, 0.0, False
        for entry in self.tolerances:
            if _speaks(entry, engine, question):
                ulp, within = max(ulp, entry.get("ulp", 0)), max(within, entry.get("within", 0.0))
                zeros |= entry.get("zeros", False)
        return Tolerance(ulp, within, zeros)


def _speaks(entry, engine, question):
    named = question.title in entry["operators"] or question.operator in entry["operators"]
    return engine.name in entry["engines"] and named and question.dtype in entry["dtypes"]
