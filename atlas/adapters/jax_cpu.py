"""Ask JAX on the CPU."""

import jax
import jax.numpy
import numpy
from protocol import arrays, need, serve

RULES = {"add": ["numpy"], "sub": ["numpy"], "select": ["numpy"], "expand": ["broadcast-to"]}
CALLS = {"add": jax.numpy.add, "sub": jax.numpy.subtract, "select": jax.numpy.where}


def answer(question):
    """Call JAX's function."""
    need(question, RULES, constants=False)
    operands = [jax.numpy.asarray(array) for array in arrays(question)]
    if question["op"] == "expand":
        return numpy.asarray(jax.numpy.broadcast_to(operands[0], question["target"]))
    return numpy.asarray(CALLS[question["op"]](*operands))


jax.config.update("jax_platforms", "cpu")
serve("JAX", jax.__version__, answer)
