"""Asks all questions of an engine, and counts what came of them."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np

from . import ours
from .ask import Asked
from .compare import agree, farthest, same_kind
from .question import Died, Lacking, Refused

SAMPLES = 4


@dataclass
class Count:
    """Cases of one rule, operator and dtype."""

    asked: int = 0
    agreed: int = 0
    deviating: int = 0
    unexplained: int = 0
    known: Counter = field(default_factory=Counter)


@dataclass
class Tally:
    """What came of asking one engine."""

    engine: object
    version: str
    counts: dict = field(default_factory=lambda: defaultdict(Count))
    deaths: int = 0
    unexplained_shapes: int = 0
    """Those of the unexplained that are about a rule, which no machine changes."""
    lacking: set = field(default_factory=set)
    """Rule, operator and dtype that the engine has no kernel for."""
    ours_lacking: set = field(default_factory=set)
    samples: dict = field(default_factory=lambda: defaultdict(list))

    def total(self):
        """Return the sums of asked, agreed, deviating and unexplained."""
        return tuple(sum(getattr(count, name) for count in self.counts.values()) for name in ("asked", "agreed", "deviating", "unexplained"))


def ask(engine, known, full):
    """Ask an engine everything and return the tally; raises Absent where it is not installed."""
    questions = engine.questions(full)
    with Asked(engine) as asked:
        tally = Tally(engine, asked.version)
        for question, theirs in zip(questions, asked.answers_to(questions)):
            count(tally, known, question, ours.answer(engine, question), theirs)
        tally.deaths = asked.deaths
    return tally


def count(tally, known, question, mine, theirs):
    """Compare two answers to a question, and look up what differs."""
    place = question.rule, question.title, question.dtype
    if isinstance(mine, Lacking):
        tally.ours_lacking.add(place)
        return
    if isinstance(theirs, Lacking):
        tally.lacking.add(place)
        return

    def near(one, other, dtype=question.dtype):
        return agree(one, other, known.tolerance(tally.engine, question, dtype))

    agreed = _agreed(question, mine, theirs, near)
    explained = np.zeros(agreed.shape, bool)
    entry = tally.counts[place]
    for exemption in known.exemptions:
        if not exemption.about(tally.engine, tally.version, question):
            continue
        holds, covered = exemption.covers(tally.engine, question, mine, theirs, near)
        exemption.agreeing[question.title, question.dtype] += int((holds & agreed).sum())
        if (holds & agreed).any() and len(exemption.samples) < SAMPLES:
            exemption.samples.append(_sample(question, mine, theirs, holds & agreed))
        fresh = covered & ~agreed & ~explained
        exemption.explained[question.title, question.dtype] += int((covered & ~agreed).sum())
        entry.known[exemption.id] += int(fresh.sum())
        explained |= fresh
    left = ~agreed & ~explained
    entry.asked += agreed.size
    entry.agreed += int(agreed.sum())
    entry.deviating += int(explained.sum())
    entry.unexplained += int(left.sum())
    tally.unexplained_shapes += int(left.sum()) if question.kind == "shape" else 0
    if left.any() and len(tally.samples[place]) < SAMPLES:
        tally.samples[place].append(_sample(question, mine, theirs, left))


def _agreed(question, mine, theirs, near):
    """Return where answers agree: one value for a question about shapes, else one per element."""
    extent = () if question.kind == "shape" else np.broadcast_shapes(*question.shapes)
    if isinstance(mine, Refused) or isinstance(theirs, (Refused, Died)):
        return np.full(extent, isinstance(mine, Refused) and isinstance(theirs, Refused))
    if not same_kind(mine, theirs):
        return np.zeros(extent, bool)
    equal = near(mine, theirs)
    return np.asarray(equal.all()) if question.kind == "shape" else equal


def _sample(question, mine, theirs, where):
    """Say how a question was answered by both, at the first places that differ."""
    if question.kind == "shape":
        shown = [answer if isinstance(answer, (Refused, Died)) else (answer.shape, answer.ravel()[:6].tolist()) for answer in (mine, theirs)]
        return f"{question}: ours {shown[0]}, theirs {shown[1]}"[:500]
    operands = np.broadcast_arrays(*question.operands)
    said = []
    for place in np.argwhere(where)[:4]:
        at = tuple(place)
        pick = lambda answer: answer[at] if isinstance(answer, np.ndarray) and answer.shape == where.shape else answer  # noqa: E731, B023
        said.append(f"({', '.join(str(operand[at]) for operand in operands)}) ours {pick(mine)}, theirs {pick(theirs)}")
    dtypes = " ".join(str(answer.dtype) for answer in (mine, theirs) if isinstance(answer, np.ndarray))
    apart = ""
    if " " in dtypes and same_kind(mine, theirs) and mine.dtype.kind in "fV":
        apart = f", at most {farthest(mine[where], theirs[where])} ULP apart where finite"
    return f"{question} [{dtypes}] {int(where.sum())} of {where.size}{apart}: {'; '.join(said)}"[:900]
