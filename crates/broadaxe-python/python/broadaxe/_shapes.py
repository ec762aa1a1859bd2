"""Shapes: broadcasts without elements, views that repeat, and answers about what a rule does."""

import json

import numpy as np
from numpy.lib.stride_tricks import as_strided

from . import _broadaxe, _dask
from ._arrays import borrow


def broadcast_shapes(*shapes, rule="numpy", axis=None):
    """Broadcast shapes under a rule and return the shape of the result.

    Where a dim is a name ("n"), a range ("2..9") or unknown ("?" or None), return the shape and the conditions under which it
    holds, as Python would write them. Raises ValueError where the shapes do not broadcast.

    >>> import broadaxe as bx
    >>> bx.broadcast_shapes((2, 1), (3,))
    (2, 3)
    >>> bx.broadcast_shapes((2, 3, 4, 5), (3, 4), rule="pdpd", axis=1)
    (2, 3, 4, 5)
    >>> bx.broadcast_shapes(("n", 4), (3, 4))
    ((3, 4), ('n == 3 or n == 1',))
    """
    return _broadaxe.broadcast_shapes(*shapes, rule=rule, axis=axis)


def _strided(array, shape, axes):
    strides = [0] * len(shape)
    for dim, stride, at in zip(array.shape, array.strides, axes):
        if dim != 1 or shape[at] == 1:
            strides[at] = stride
    view = as_strided(array, shape, strides, subok=True)
    view.flags.writeable = False
    return view


def _view(array, subok):
    """Return what was passed as an array, of its own class where that is asked for."""
    if subok and isinstance(array, np.ndarray):
        return array
    return np.asarray(borrow(array))


def broadcast_arrays(*arrays, rule="numpy", axis=None, subok=False):
    """Return views of arrays with the shape of their broadcast, which repeat elements and copy none; read-only.

    `subok` keeps subclasses of ndarray; otherwise the views are of ndarray itself.

    >>> import numpy as np, broadaxe as bx
    >>> a, b = bx.broadcast_arrays(np.zeros((2, 3)), np.arange(2), rule="ncnn")
    >>> b.tolist(), b.strides[1]
    ([[0, 0, 0], [1, 1, 1]], 0)
    """
    if any(_dask.is_dask(array) for array in arrays):
        return _dask.broadcast(arrays, rule, axis)
    plain = [_view(array, subok) for array in arrays]
    if not plain:
        return ()
    shape, axes = _broadaxe.place([array.shape for array in plain], rule, axis)
    return tuple(_strided(array, shape, places) for array, places in zip(plain, axes))


def broadcast_to(array, shape, rule="broadcast-to", axes=None, subok=False):
    """Return a read-only view of an array with another shape, which repeats elements and copies none.

    `rule` is "broadcast-to" (NumPy's), "bidirectional" (ONNX Expand; the result may exceed the shape) or "explicit", which puts axis i
    of the array at `axes[i]`. `subok` keeps a subclass of ndarray.

    >>> import numpy as np, broadaxe as bx
    >>> bx.broadcast_to(np.arange(2), (2, 3), rule="explicit", axes=[0]).tolist()
    [[0, 0, 0], [1, 1, 1]]
    """
    dims = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    text = f"{rule} target={','.join(str(int(dim)) for dim in dims) or '()'}"
    if axes is not None:
        text += f" axes={','.join(str(int(i)) for i in axes) or '()'}"
    if _dask.is_dask(array):
        return _dask.broadcast([array], text, None)[0]
    array = _view(array, subok)
    result, (places,) = _broadaxe.place([array.shape], text, None)
    return _strided(array, result, places)


class Answer(str):
    """A text for people; `data` has the same for programs."""

    data: dict

    def __repr__(self):
        return str(self)


def _ask(command, shapes, *options):
    texts = [shape if isinstance(shape, str) else _shape_text(shape) for shape in shapes]
    text, data, _ = _broadaxe.command([command, *options, "--", *texts])
    answer = Answer(text)
    answer.data = json.loads(data)
    return answer


def _shape_text(shape):
    dims = (shape,) if isinstance(shape, (int, np.integer)) else getattr(shape, "shape", shape)
    return "(" + "".join(f"{int(dim)}," for dim in dims) + ")" if len(dims) else "()"


def explain(*shapes, rule="numpy", axis=None, dtype="f32"):
    """Draw how shapes (or the shapes of arrays) are aligned, what is repeated, which loops that makes and what they cost.

    Returns a text, whose `data` has the same as a dictionary.

    >>> import broadaxe as bx
    >>> print(bx.explain((2, 3, 4), (3, 1)).splitlines()[0])
    (2, 3, 4) under numpy
    >>> bx.explain((2, 3, 4), (3, 1)).data["operands"][1]["repeats"]
    [{'axis': 0, 'times': 2}, {'axis': 2, 'times': 4}]
    """
    options = [f"--rule={rule}", f"--dtype={dtype}"] + ([] if axis is None else [f"--axis={axis}"])
    return _ask("explain", shapes, *options)


def compare(*shapes):
    """Broadcast the same shapes (or those of arrays) under every rule, and show an element on which each two rules differ.

    Returns a text, whose `data` has the same as a dictionary.

    >>> import broadaxe as bx
    >>> {rule["rule"]: rule.get("shape") for rule in bx.compare((2,), (2, 2)).data["rules"]}["ncnn"]
    [2, 2]
    """
    return _ask("compare", shapes)
