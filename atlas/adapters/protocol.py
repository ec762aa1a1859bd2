"""Speak the protocol of the Atlas: read questions, ask an engine, and write its answers.

Importing this module sends what is printed to the standard error, so that only answers are on the standard output.
"""

import json
import os
import sys
from pathlib import Path

import numpy

_answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


# The drivers of engines are those of `broadaxe check --ask`, which the package `engines` of this repository finds.
sys.path.append(str(Path(__file__).resolve().parents[2]))


class Skip(Exception):
    """Say that the engine does not support the operator, the kind of an operand, or the rule."""


def need(question, rules, constants=True):
    """Skip a question whose rule is not listed for its operator, or that has constants where there are none."""
    if question["rule"] not in rules.get(question["op"], ()):
        raise Skip(f"no {question['op']} under the rule {question['rule']}")
    if not constants and any(operand["constant"] for operand in question["operands"]):
        raise Skip("no constants")


def arrays(question):
    """Return the operands as arrays; the condition of a select is of bools."""
    found = [numpy.array(one["values"], numpy.float32).reshape(one["shape"]) for one in question["operands"]]
    if question["op"] == "select":
        found[0] = found[0].astype(bool)
    return found


def values(result):
    """Return the elements as numbers that JSON has: whole ones where they are, 3e38 for those that are not finite."""
    flat = numpy.nan_to_num(numpy.asarray(result, numpy.float64).ravel(), nan=3e38, posinf=3e38, neginf=3e38)
    return [int(value) if value.is_integer() and abs(value) < 2**53 else value for value in flat.tolist()]


def serve(engine, version, answer, device="cpu"):
    """Answer all questions by calling `answer`, which returns an array, or raises what the engine raises, or `Skip`."""

    def say(line):
        _answers.write(json.dumps(line) + "\n")
        _answers.flush()

    say({"engine": engine, "version": str(version), "device": device})
    for line in sys.stdin:
        question = json.loads(line)
        said = {"id": question["id"]}
        try:
            result = answer(question)
            say({**said, "shape": [int(dim) for dim in result.shape], "values": values(result)})
        except Skip as why:
            say({**said, "skip": str(why)})
        except Exception as why:
            say({**said, "reject": f"{type(why).__name__}: {why}"[:300]})
