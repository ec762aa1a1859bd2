"""Reads `known.toml`: how exact an engine is, and where it is known to differ and why."""

import platform
import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from .compare import Tolerance
from .ours import answer as ours_answer
from .question import FLOATS, INTEGERS, Died, Refused, numpy_dtype


PATH = Path(__file__).with_name("known.toml")
TOLERANCE_KEYS = {"engines", "operators", "dtypes", "ulp", "within", "zeros", "why"}
EXEMPTION_KEYS = {"id", "engine", "version", "kind", "rules", "on", "when", "gives", "compare", "does", "why", "link", "sometimes"}


class Exemption:
    """A known deviation: where it is, what the engine does there, why we differ, and what is written about it."""

    def __init__(self, table):
        unknown = set(table) - EXEMPTION_KEYS
        missing = {"id", "engine", "version", "kind", "on", "when", "does", "why", "link"} - set(table)
        if unknown or missing:
            raise ValueError(f"exemption {table.get('id')}: unknown keys {sorted(unknown)}, missing keys {sorted(missing)}")
        self.__dict__.update(table)
        self.rules, self.gives, self.sometimes = table.get("rules"), table.get("gives"), table.get("sometimes")
        self.compare = table.get("compare")
        self.places = {(operator, dtype) for operator, dtypes in self.on.items() for dtype in dtypes.split()}
        self._when, self._gives = compile(self.when, self.id, "eval"), None
        if self.gives and self.gives not in ("refused", "died"):
            self._gives = compile(self.gives, self.id, "eval")
        self.explained, self.agreeing, self.samples = Counter(), Counter(), []

    def about(self, engine, version, question):
        """Whether it may say something about a question."""
        return (
            (engine.name, version, question.kind) == (self.engine, self.version, self.kind)
            and (question.title, question.dtype) in self.places
            and (self.rules is None or question.rule in self.rules)
        )

    def covers(self, engine, question, ours, theirs, near):
        """Return where it holds, and where it explains the engine's answer: there, and the answer is the one that it names."""
        names = namespace(question, ours, theirs)
        names["computed_in"] = lambda *dtypes: computed_in(engine, question, *dtypes)
        names["flushed"] = lambda operands=False: flushed(engine, question, operands)
        names["differs"] = lambda value: True if isinstance(ours, Refused) else ~near(
            np.broadcast_to(np.asarray(value).astype(ours.dtype), ours.shape), ours
        )
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
            if self.compare:
                kind = numpy_dtype(self.compare)
                return holds, holds & near(value.astype(kind), theirs.astype(kind), self.compare)
            return holds, holds & near(value, theirs)


def namespace(question, ours, theirs):
    """Return the names that conditions are written in."""
    names = {"np": np, "we_refuse": isinstance(ours, Refused), "they_refuse": isinstance(theirs, Refused)}
    names.update(question.attributes)
    names["dtype"] = question.dtype
    if question.kind == "shape":
        names.update(zip("abcde", question.shapes), extent=())
        names["result"] = None if isinstance(ours, Refused) else ours.shape
        names["start"] = question.attributes.get("axis", -1)
        if names["start"] == -1 and len(question.shapes) > 1:
            names["start"] = len(question.shapes[0]) - len(question.shapes[1])
        names["merged"] = lambda *given: _merged(*(given or question.shapes))
        return names
    operands = np.broadcast_arrays(*question.operands)
    names.update(zip("abc", operands), extent=operands[0].shape)
    names.update({f"{letter.upper()}": operand.astype(np.float64) for letter, operand in zip("abc", operands)})
    for letter, operand in zip("abc", operands):
        names[f"{letter}4"] = _converted(operand, np.dtype(np.float32)) if operand.dtype.itemsize == 8 else operand.astype(np.float32)
        if operand.dtype.kind in "iu":
            names[f"{letter}w"] = operand.astype(np.int32).astype(np.float32)
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


def computed_in(engine, question, *dtypes):
    """Return Broadaxe's answer to a question whose operands were first converted to other dtypes, as some engines do.

    Integers are cut to the bits there are; floats beyond the largest number, and infinities, become that number.
    """
    operands = question.operands
    for dtype in dtypes:
        operands = tuple(operand if operand.dtype == bool else _converted(operand, numpy_dtype(dtype)) for operand in operands)
    result = ours_answer(engine, replace(question, dtype=dtypes[-1], operands=operands))
    if not isinstance(result, np.ndarray):
        return np.zeros(operands[-1].shape, operands[-1].dtype)
    return result


def flushed(engine, question, operands):
    """Return Broadaxe's answer to a question, where it is below the smallest normal number a zero of its sign; operands too if asked."""
    if operands:
        question = replace(question, operands=tuple(_without_subnormals(operand) for operand in question.operands))
    result = ours_answer(engine, question)
    return _without_subnormals(result) if isinstance(result, np.ndarray) else result


def _without_subnormals(array):
    if array.dtype.kind not in "fV":
        return array
    import ml_dtypes

    return np.where(np.abs(array) < ml_dtypes.finfo(array.dtype).smallest_normal, np.copysign(0 * array, array), array).astype(array.dtype)


def _converted(operand, kind):
    if kind.kind == "f" and operand.dtype.kind == "f":
        limit = np.finfo(kind).max
        operand = np.clip(operand, -limit, limit)
    return operand.astype(kind)


def _merged(*given):
    """Return the shape that NumPy's rule gives, or None."""
    try:
        return np.broadcast_shapes(*given)
    except ValueError:
        return None


def apart(measured, flags=None):
    """Return in what this machine's processor differs from the one that the table was measured on; engines choose their kernels by it."""
    if platform.machine() != measured["machine"]:
        return [f"on {platform.machine()}"]
    if flags is None:
        try:
            flags = Path("/proc/cpuinfo").read_text().split()
        except OSError:
            return ["of an unknown processor"]
    missing, more = set(measured["features"]) - set(flags), set(measured["absent"]) & set(flags)
    return [f"without {name}" for name in sorted(missing)] + [f"with {name}" for name in sorted(more)]


class Known:
    """The whole table."""

    def __init__(self, path=PATH):
        table = tomllib.loads(path.read_text())
        self.apart = apart(table["measured"])
        self.tolerances = table.get("tolerance", [])
        for entry in self.tolerances:
            if set(entry) - TOLERANCE_KEYS or not {"engines", "operators", "dtypes", "why"} <= set(entry):
                raise ValueError(f"a tolerance has some of the keys {sorted(TOLERANCE_KEYS)}, not {sorted(entry)}")
        self.exemptions = [Exemption(entry) for entry in table.get("exemption", [])]

    def tolerance(self, engine, question, dtype):
        """Return how exact an engine must be in a dtype: the widest of all entries that speak of the question's operator."""
        ulp, within, zeros = 0, 0.0, False
        for entry in self.tolerances:
            if _speaks(entry, engine, question, dtype):
                ulp, within = max(ulp, entry.get("ulp", 0)), max(within, entry.get("within", 0.0))
                zeros |= entry.get("zeros", False)
        return Tolerance(ulp, within, zeros)


def _speaks(entry, engine, question, dtype):
    named = question.title in entry["operators"] or question.operator in entry["operators"]
    return engine.name in entry["engines"] and named and dtype in entry["dtypes"]
