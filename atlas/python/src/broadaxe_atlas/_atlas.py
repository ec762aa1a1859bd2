"""Reads cases, makes the questions about them, and judges answers."""

from __future__ import annotations

import decimal
import gzip
import importlib
import itertools
import json
import math
import os
import pathlib
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

# Above this number of choices of elements, a verdict does not say which elements give a value.
MOST_CHOICES = 1 << 20


class Skip(Exception):
    """Says that the engine does not support the operator, the rule, or the kind of an operand."""


@dataclass(frozen=True)
class Verdict:
    """Tells what an answer is worth."""

    #: `right`, `wrong` or `skipped`.
    outcome: str
    #: What is wrong: `value`, `shape`, `accepted`, `rejected` or `crash`.
    failure: str = ""
    #: How the answer differs from the rule's, or why it was skipped.
    text: str = ""


class Operand(dict):
    """Holds an operand: a dict with the keys of the protocol, which are attributes too."""

    @property
    def shape(self) -> list[int]:
        """Return the shape."""
        return self["shape"]

    @property
    def constant(self) -> bool:
        """Tell whether the operand is a constant of the model."""
        return self["constant"]

    @property
    def values(self) -> list[int]:  # type: ignore[override]
        """Return the elements, row-major."""
        return self["values"]


class Question(dict):
    """Holds a question: a dict with the keys of the protocol, which are attributes too.

    Keys that a question does not have are None as attributes.
    """

    case: dict | None = None

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self["operands"] = [Operand(operand) for operand in self["operands"]]

    def __getattr__(self, name: str) -> Any:
        if name in ("id", "op", "dtype", "operands", "rule", "axis", "axes", "mode", "target", "shape"):
            return self.get(name)
        raise AttributeError(f"a question has no {name!r}")

    def expected(self) -> tuple[list[int], list[int]] | None:
        """Return the shape and the elements of the result, or None where the rule rejects the shapes."""
        case = _case(self)
        if "reject" in case:
            return None
        chosen = zip(*case["elements"], strict=True)
        return case["shape"], [_result(self, elements) for elements in chosen]


def _case(question: Question) -> dict:
    if question.case is None:
        raise ValueError(f"the question {question.id!r} was not made from a case, so its answer is not known")
    return question.case


def cases(level: str | os.PathLike = "core") -> Iterator[dict]:
    """Yield the cases of the level `core`, or of a file of JSON Lines; a name that ends in .gz is compressed."""
    if level == "core":
        path = pathlib.Path(__file__).with_name("core.jsonl")
        # A checkout has the file in the folder of the data only.
        path = path if path.exists() else pathlib.Path(__file__).parents[3] / "core.jsonl"
    else:
        path = pathlib.Path(level)
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
    with opened as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    case = json.loads(line)
                    complete = all(key in case for key in ("id", "op", "rule", "operands", "kinds"))
                except (ValueError, TypeError):
                    complete = False
                if not complete:
                    raise ValueError(f"line {number} of {path} is not a case of the Atlas")
                yield case


def questions(case: dict) -> list[Question]:
    """Return the questions about a case: one for each choice of constants, and of `select` one for each bit of the positions."""
    return [make_question(case, kinds, bit) for kinds, bit in rounds(case)]


def rounds(case: dict) -> list[tuple[str, int | None]]:
    """Return what tells the questions about a case apart: the kinds, and of `select` the bit that decides."""
    bits: list[int | None] = [None]
    if case["op"] == "select":
        count = (math.prod(case["operands"][0]) - 1).bit_length() if "shape" in case else 1
        bits = list(range(max(1, count)))
    return [(kinds, bit) for kinds in case["kinds"] for bit in bits]


def question_id(case: dict, kinds: str, bit: int | None) -> str:
    """Return the name of a question: the id of the case, the kinds, and the bit."""
    return f"{case['id']}:{kinds}" if bit is None else f"{case['id']}:{kinds}.{bit}"


def make_question(case: dict, kinds: str, bit: int | None) -> Question:
    """Make the question about a case with these kinds and this bit."""
    shapes = case["operands"]
    if case["op"] == "gemm":
        (m, n), c = shapes
        shapes = [[m, 1], [1, n], c]
    operands = [
        {"shape": list(shape), "constant": kind == "c", "values": [_value(case, bit, k, i) for i in range(math.prod(shape))]}
        for k, (shape, kind) in enumerate(zip(shapes, kinds, strict=True))
    ]
    line = {"id": question_id(case, kinds, bit), "op": case["op"]}
    line |= {key: case[key] for key in ("rule", "axis", "axes", "mode", "target") if key in case}
    line |= {"dtype": "f32", "operands": operands}
    if "shape" in case:
        line["shape"] = case["shape"]
    question = Question(line)
    question.case, question.bit = case, bit
    return question


def _value(case: dict, bit: int | None, k: int, i: int) -> int:
    """Return element `i` of operand `k`, so that every choice of elements has another result."""
    sizes = [max(1, math.prod(shape)) for shape in case["operands"]]
    match case["op"], k:
        case "prelu", 0:
            return -(i + 1)
        case "prelu", _:
            return 1 + (sizes[0] + 1) * i
        case "select", 0:
            return i >> bit & 1 if bit is not None else 0
        case "select", 1:
            return 1 + i
        case "select", _:
            return -1 - i
        case "gemm", 0 | 1:
            return 0
        case "gemm", _:
            return i
    return i * math.prod(sizes[:k])


def _result(question: Question, elements: tuple[int, ...]) -> int:
    """Return the result of the operator for one element from each operand."""
    case = _case(question)

    def value(k: int) -> int:
        return _value(case, question.bit, k, elements[k])

    match case["op"]:
        case "sub":
            return value(0) - value(1)
        case "prelu":
            return value(0) * value(1)
        case "select":
            return value(1) if value(0) else value(2)
        case "gemm":
            # The product is 0, so the result is that of C.
            return elements[1]
    return sum(value(k) for k in range(len(elements)))


def _elements(question: Question, wanted: float) -> tuple[int, ...] | None:
    """Find elements of the operands from which the operator makes this value."""
    sizes = [math.prod(shape) for shape in _case(question)["operands"]]
    if math.prod(sizes) > MOST_CHOICES:
        return None
    choices = itertools.product(*map(range, sizes))
    return next((elements for elements in choices if _result(question, elements) == wanted), None)


def load(name: str) -> Callable[[Question], Any]:
    """Import a function that is named `module:function`.

    Raises ValueError with a text for users where that is not possible.
    """
    module_name, colon, function_name = name.partition(":")
    if not (module_name and colon and function_name):
        raise ValueError(f"{name!r} does not name a function; write module:function")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name == module_name or module_name.startswith(f"{error.name}."):
            raise ValueError(f"there is no module {error.name!r} in {os.getcwd()} or on the path of Python") from error
        raise ValueError(f"the module {module_name!r} cannot be imported: {error}") from error
    except Exception as error:
        raise ValueError(f"the module {module_name!r} cannot be imported: {described(error)}") from error
    function = module
    for part in function_name.split("."):
        function = getattr(function, part, None)
    if not callable(function):
        own = getattr(module, "__file__", None) or module_name
        named = sorted(key for key, value in vars(module).items() if callable(value) and getattr(value, "__module__", "") == module_name)
        known = f"; it has {', '.join(named)}" if named else ""
        raise ValueError(f"{own} has no function {function_name!r}{known}")
    return function


def described(error: BaseException) -> str:
    """Return an exception's type and message."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place(error: BaseException) -> str:
    """Return the file and the line that raised an exception."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def ask(function: Callable[[Question], Any], question: Question) -> Any:
    """Return what a function answers to a question, or the exception that it raises."""
    try:
        return function(question)
    except Exception as error:
        return error


def read(answer: Any) -> tuple[list[int], list[float]]:
    """Return the shape and the elements of an answer.

    Raises TypeError with a text for users where it is no array.
    """
    if hasattr(answer, "shape") and hasattr(answer, "tolist"):
        shape, values = answer.shape, answer
    elif isinstance(answer, (tuple, list)) and len(answer) == 2:
        shape, values = answer
    else:
        raise TypeError(
            f"the answer is of type {type(answer).__name__}; return (shape, values), or an array with .shape and .tolist()"
        )
    try:
        dims = [int(dim) for dim in shape]
    except (TypeError, ValueError):
        raise TypeError(f"the shape of the answer is not a list of dims: {shape!r:.60}") from None
    numbers: list[float] = []
    rest = [values.tolist() if hasattr(values, "tolist") else values]
    while rest:
        value = rest.pop()
        if isinstance(value, (list, tuple)):
            rest.extend(reversed(value))
        else:
            try:
                numbers.append(float(value))
            except (TypeError, ValueError, OverflowError):
                raise TypeError(f"a value of the answer is not a number: {value!r:.60}") from None
    return dims, numbers


def judge(question: Question, answer: Any) -> Verdict:
    """Compare an answer with that of the rule.

    An answer is what `ask` returns: (shape, values), an array with `.shape` and `.tolist()`, a `Skip`, or another exception, which says that
    the engine rejects the shapes.
    """
    expected = question.expected()
    if isinstance(answer, Skip):
        return Verdict("skipped", text=str(answer) or "the function does not say why")
    if isinstance(answer, Exception):
        if expected is None:
            return Verdict("right")
        return Verdict("wrong", "rejected", f"rejects shapes that the rule accepts: {described(answer)}")
    try:
        shape, values = read(answer)
    except TypeError as error:
        return Verdict("wrong", "crash", str(error))
    if expected is None:
        return Verdict("wrong", "accepted", f"accepts shapes that the rule rejects; its result has the shape {shape}")
    if shape != expected[0]:
        return Verdict("wrong", "shape", f"the result has the shape {shape}, and {expected[0]} under the rule")
    if len(values) != len(expected[1]):
        return Verdict("wrong", "crash", f"the answer has {len(values)} elements, and its shape {len(expected[1])}")
    for at, (got, want) in enumerate(zip(values, expected[1], strict=True)):
        if got != want:
            return Verdict("wrong", "value", _difference(question, at, got, want))
    return Verdict("right")


def _difference(question: Question, at: int, got: float, want: int) -> str:
    own, wanted = _elements(question, got), _elements(question, want)
    if own == wanted:
        return f"element {at} of the result is {number(got)}, and {want} under the rule"

    def listed(elements: tuple[int, ...] | None) -> str:
        if elements is None:
            return "no elements of the operands"
        return " and ".join(f"{letter}[{element}]" for letter, element in zip("abcdefgh", elements, strict=False))

    return f"element {at} of the result comes from {listed(own)}, and from {listed(wanted)} under the rule"


def number(value: float) -> str:
    """Write a number without an exponent and without the zeros after a point."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else str(value)
    return f"{decimal.Decimal(repr(value)):f}".removesuffix(".0")


def add_current_folder() -> None:
    """Let modules of the current folder be imported."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
