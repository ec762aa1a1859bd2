"""Ask NumPy."""

import numpy
from protocol import arrays, need, serve

RULES = {"add": ["numpy"], "sub": ["numpy"], "sum": ["numpy"], "select": ["numpy"], "expand": ["broadcast-to"]}
CALLS = {"add": numpy.add, "sub": numpy.subtract, "sum": lambda a, b, c: a + b + c, "select": numpy.where}


def answer(question):
    """Call NumPy's function."""
    need(question, RULES, constants=False)
    operands = arrays(question)
    if question["op"] == "expand":
        return numpy.broadcast_to(operands[0], question["target"])
    return CALLS[question["op"]](*operands)


serve("NumPy", numpy.__version__, answer)
