"""The signatures of operators, for `inspect.signature` and completion; the stubs have the same."""

import functools
import inspect

_Kind = inspect.Parameter

KEYWORDS = {
    "where": True,
    "casting": "same_kind",
    "dtype": None,
    "rule": "numpy",
    "axis": None,
    "order": "K",
    "subok": True,
    "signature": None,
}
"""The keywords of every operator, with their defaults."""

FOLDING = {"keepdims": False, "initial": ...}
"""The keywords of operators that fold the axes of one array, too."""


def of(operator):
    """Return the signature of an operator."""
    return _made(operator.nin, operator.variadic)


@functools.cache
def _made(nin, variadic):
    if variadic:
        parameters = [_Kind("operands", _Kind.VAR_POSITIONAL), _Kind("out", _Kind.KEYWORD_ONLY, default=None)]
    else:
        parameters = [_Kind("abc"[k], _Kind.POSITIONAL_ONLY) for k in range(nin)]
        parameters.append(_Kind("out", _Kind.POSITIONAL_OR_KEYWORD, default=None))
    keywords = KEYWORDS | FOLDING if variadic else KEYWORDS
    parameters += [_Kind(name, _Kind.KEYWORD_ONLY, default=default) for name, default in keywords.items()]
    return inspect.Signature(parameters)
