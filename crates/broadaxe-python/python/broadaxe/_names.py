"""The names that calls take, as types: rules and targets, read from the engine's tables."""

import typing

from . import _broadaxe


class Rule(typing.NamedTuple):
    """A broadcast rule: its name, what it does, and its parameters."""

    name: str
    summary: str
    parameters: list[str]


RuleName = typing.Literal[tuple(_broadaxe.rule_names())]  # type: ignore[valid-type]
"""The names of the broadcast rules, as a type for annotations."""

TargetName = typing.Literal[tuple(_broadaxe.target_names())]  # type: ignore[valid-type]
"""The names of the runtimes that models can be checked for, as a type for annotations."""
