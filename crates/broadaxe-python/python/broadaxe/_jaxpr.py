"""What a JAX function computes, operation by operation, read from its jaxpr.

`jax.make_jaxpr` traces a function without computing it. The primitives of `jax.numpy` broadcast axes of 1 themselves, after operands of
lower rank got axes of 1 in front, so the shapes of a primitive's operands are those that the guard judges. `where` is the one that repeats its
operands first.
"""

import sys

import numpy as np

ELEMENTWISE = frozenset(
    """add sub mul div rem pow max min atan2 nextafter complex eq ne lt le gt ge and or xor shift_left shift_right_logical
    shift_right_arithmetic clamp select_n""".split()
)
"""The primitives whose operands broadcast."""

NAMES = {"select_n": "where", "clamp": "clip"}
"""Primitives that have another name in `jax.numpy`."""


def concerns(function, args, kwargs):
    """Say whether a call is one that can be traced: it has arrays of JAX, or is of a function that `jax.jit` made."""
    if "jax" not in sys.modules:
        return False
    import jax

    return hasattr(function, "lower") or any(isinstance(leaf, jax.Array) for leaf in jax.tree_util.tree_leaves((args, kwargs)))


def operations(function, args, kwargs):
    """Yield the broadcasting operations of a call: name, shapes of the operands, shape of the result, and frames, the innermost first."""
    import jax

    leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
    kinds = (jax.Array, jax.ShapeDtypeStruct, np.ndarray, np.generic)
    places = [k for k, leaf in enumerate(leaves) if isinstance(leaf, kinds)]

    def call(*arrays):
        given = list(leaves)
        for place, array in zip(places, arrays):
            given[place] = array
        args, kwargs = jax.tree_util.tree_unflatten(tree, given)
        result = function(*args, **kwargs)
        return [leaf for leaf in jax.tree_util.tree_leaves(result) if isinstance(leaf, jax.Array)]

    arrays = [leaves[k].view(np.ndarray) if isinstance(leaves[k], np.ndarray) else leaves[k] for k in places]
    yield from _walk(jax.make_jaxpr(call)(*arrays).jaxpr)


def _walk(jaxpr, frames=(), in_where=False):
    """Yield the operations of a jaxpr; `frames` are those of the equation that it belongs to."""
    # Literals, which have no hash, come from no equation.
    made = {id(out): equation for equation in jaxpr.eqns for out in equation.outvars}
    for equation in jaxpr.eqns:
        # Mapped axes and the products of a gradient are JAX's: the user wrote no operands that broadcast there.
        if any(name in str(equation.source_info.name_stack) for name in ("vmap(", "transpose(")):
            continue
        here = [*_frames(equation.source_info.traceback), *frames]
        inner = [one for value in equation.params.values() for one in _jaxprs(value)]
        for one in inner:
            yield from _walk(one, here, equation.params.get("name") == "_where")
        if equation.primitive.name in ELEMENTWISE and not inner:
            shapes = [_shape(operand, made, in_where) for operand in equation.invars]
            result = equation.outvars[0].aval.shape
            if all(isinstance(dim, int) for shape in (*shapes, result) for dim in shape):
                yield NAMES.get(equation.primitive.name, equation.primitive.name), shapes, result, here


def _jaxprs(value):
    """List the jaxprs in a parameter: bodies of loops, branches and calls."""
    values = value if isinstance(value, (tuple, list)) else [value]
    return [getattr(one, "jaxpr", one) for one in values if hasattr(one, "eqns")]


def _shape(operand, made, in_where):
    """Return the shape of an operand, without the axes of 1 that were put in front of it; in `where`, without all that it is repeated along."""
    shape, equation = tuple(operand.aval.shape), made.get(id(operand))
    if equation is None or equation.primitive.name != "broadcast_in_dim":
        return shape
    source = tuple(equation.invars[0].aval.shape)
    lead = len(shape) - len(source)
    trailing = tuple(equation.params["broadcast_dimensions"]) == tuple(range(lead, len(shape)))
    return source if trailing and (in_where or shape == (1,) * lead + source) else shape


def _frames(traceback):
    return [(frame.file_name, frame.line_num) for frame in getattr(traceback, "frames", ())]
