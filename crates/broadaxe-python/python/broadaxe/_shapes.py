"""Shapes: broadcasts without elements, views that repeat, and answers about what a rule does."""

import collections.abc
import json
import operator

import numpy as np
from numpy.lib.stride_tricks import as_strided

from . import _arrays, _broadaxe, _dask, _html, _operands
from ._arrays import borrow, short_name


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
    if isinstance(array, np.ma.MaskedArray):
        view.mask = _strided(np.ma.getmaskarray(array), shape, axes)
    view.flags.writeable = False
    return view


def _view(array, subok):
    """Return what was passed as an array, of its own class where that is asked for."""
    if subok and isinstance(array, np.ndarray):
        return array
    return np.asarray(borrow(array, "array"))


def broadcast_arrays(*arrays, rule="numpy", axis=None, subok=False):
    """Return views of arrays with the shape of their broadcast, which repeat elements and copy none; read-only.

    `subok` keeps subclasses of ndarray; otherwise the views are of ndarray itself.

    >>> import numpy as np, broadaxe as bx
    >>> a, b = bx.broadcast_arrays(np.zeros((2, 3)), np.arange(2), rule="ncnn")
    >>> b.tolist(), b.strides[1]
    ([[0, 0, 0], [1, 1, 1]], 0)
    """
    if any(_operands.is_dask(array) for array in arrays):
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
    if _operands.is_dask(array):
        return _dask.broadcast([array], text, None)[0]
    array = _view(array, subok)
    result, (places,) = _broadaxe.place([array.shape], text, None)
    return _strided(array, result, places)


def unbroadcast(gradient, shape, rule="numpy", axis=None):
    """Sum a gradient of a result back to an operand of this shape, which broadcast to the gradient's under the rule.

    The operand counts as the second of two, the first of which has the gradient's shape; under a rule with a target it is the only
    one. `shape` may be an array, for its shape. The result has the gradient's dtype. Raises ValueError where the shape does not
    broadcast to that of the gradient.

    >>> import numpy as np, broadaxe as bx
    >>> gradient = np.arange(6.0).reshape(2, 3)
    >>> bx.unbroadcast(gradient, (3,)), bx.unbroadcast(gradient, (2,), rule="pdpd", axis=0)
    (array([3., 5., 7.]), array([ 3., 12.]))
    """
    array = np.asarray(borrow(gradient, "gradient"))
    _operands.check_shape(shape, "shape")
    dims = shape.shape if hasattr(shape, "shape") else (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    axes, dims = _broadaxe.unbroadcast(array.shape, dims, rule, axis)
    builder = _broadaxe.GraphBuilder()
    value = builder.put(array)
    if axes:
        summed = builder.lower(_broadaxe.Expression(f"sum(x, axis={axes})"), {"x": value})
        value = builder.cast(summed, value.dtype)
    result = np.asarray(builder.compute(value, order="C"))
    return result.reshape(tuple(dims))


class Answer(str):
    """A text for people, which a notebook shows as a drawing; `data` has the same for programs.

    `svg`, `html` and `markdown` are the drawing in these forms, as texts.
    """

    data: dict
    _request = None
    _words = None

    def __repr__(self):
        return str(self)

    def _drawn(self, form, theme=None, steps=False):
        return _broadaxe.rules_request(self._request, form, theme, steps).text

    def draw(self, form="svg", *, theme=None, steps=False):
        """Draw as "svg" or "html": in the colours of the viewer or of a `theme` ("light", "dark" or "print"), in three `steps` or in one.

        >>> import broadaxe as bx
        >>> "2 Pad" in bx.explain((2, 3), (3,)).draw(theme="print", steps=True)
        True
        """
        if form not in ("svg", "html"):
            raise ValueError(f"{form!r} is not a form of a drawing with a theme; the forms are 'svg' and 'html'")
        return self._drawn(form, theme, steps)

    @property
    def svg(self):
        """The drawing as the text of an SVG file."""
        return self._drawn("svg")

    @property
    def html(self):
        """The drawing as HTML, with a table of the same."""
        return self._drawn("html")

    @property
    def markdown(self):
        """The drawing as a table of Markdown."""
        return self._drawn("markdown")

    def _repr_svg_(self):
        return self.svg if self._request else None

    def _repr_html_(self):
        if not self._request:
            return None
        try:
            drawing = self.html
        except ValueError:  # No rule places the axes, so there is nothing to draw.
            drawing = ""
        return _html.drawn(json.loads(self._words), _html.Html(drawing))


def _ask(request, shapes, **fields):
    texts = [shape if isinstance(shape, str) else _shape_text(shape) for shape in shapes]
    asked = json.dumps({"request": request, "shapes": texts, **fields})
    told = _broadaxe.rules_request(asked)
    answer = Answer(told.text)
    answer.data, answer._request, answer._words = json.loads(told.json()), asked, told.words
    return answer


def _shape_text(shape):
    _operands.check_shape(shape, "shape")
    dims = (shape,) if isinstance(shape, (int, np.integer)) else getattr(shape, "shape", shape)
    if not isinstance(dims, collections.abc.Iterable):
        raise TypeError(f"{shape!r} is not a shape; a shape is a tuple of whole numbers and names, a text such as 'n,4', or an array")
    texts = [_dim_text(dim) for dim in dims]
    return "(" + "".join(f"{text}," for text in texts) + ")" if texts else "()"


def _dim_text(dim):
    if dim is None or isinstance(dim, str):
        return "?" if dim is None else dim
    try:
        number = operator.index(dim)
    except TypeError:
        raise TypeError(f"{dim!r} is not a dim; dims are whole numbers, texts such as 'n' and '2..9', or None") from None
    if number < 0:
        raise ValueError(f"a dim is {number}; dims are 0 or more")
    return str(number)


def _dtype_text(dtype):
    """Return our name of a dtype, given as NumPy accepts it or by our own name."""
    if not isinstance(dtype, str):
        return short_name(dtype)
    both = {name: (_arrays.NAMES[name], np.dtype(name).name) for name in ("i8", "u8")}
    if dtype in both:
        ours, numpys = both[dtype]
        raise ValueError(f"dtype {dtype!r} is {numpys} in NumPy and {ours} in Broadaxe; write {numpys!r} or {ours!r}")
    return dtype if dtype in _arrays.NAMES else short_name(dtype)


def _dtype_of(shape):
    """Return our name of the dtype of an array; f32 for a shape."""
    if isinstance(getattr(shape, "dtype", None), np.dtype):
        return short_name(shape.dtype)
    return short_name(borrow(shape).dtype) if hasattr(shape, "__dlpack__") else "f32"


def explain(*shapes, rule="numpy", axis=None, dtype=None):
    """Draw how shapes (or the shapes of arrays) are aligned, what is repeated, which loops that makes and what they cost.

    Where a dim is a name, a range or unknown, draw what can be said and the conditions under which the shapes broadcast. Bytes are
    those of `dtype`, by NumPy's name or ours; without it those of the arrays, and of float32 for shapes. Returns a text, whose
    `data` has the same as a dictionary. Raises ValueError where the shapes do not broadcast.

    >>> import broadaxe as bx
    >>> print(bx.explain((2, 3, 4), (3, 1)).splitlines()[0])
    (2, 3, 4) under numpy
    >>> bx.explain((2, 3, 4), (3, 1)).data["operands"][1]["repeats"]
    [{'axis': 0, 'times': 2}, {'axis': 2, 'times': 4}]
    >>> bx.explain(("n", 4), (3, 4)).data["guards"]
    ['n == 3 or n == 1']
    """
    names = [_dtype_text(dtype)] if dtype is not None else [_dtype_of(shape) for shape in shapes]
    names = names[:1] if len(set(names)) == 1 else names
    return _ask("explain", shapes, rule=str(rule), axis=None if axis is None else operator.index(axis), dtypes=names)


def compare(*shapes):
    """Broadcast the same shapes (or those of arrays) under every rule, and show an element on which each two rules differ.

    Where a dim is a name, a range or unknown, show the result and the conditions under each rule, and sizes for which two rules
    differ. Returns a text, whose `data` has the same as a dictionary.

    >>> import broadaxe as bx
    >>> {rule["rule"]: rule.get("shape") for rule in bx.compare((2,), (2, 2)).data["rules"]}["ncnn"]
    [2, 2]
    >>> bx.compare(("n",), ("n", "n")).data["sizes"]
    {'n': 2}
    """
    return _ask("compare", shapes)
