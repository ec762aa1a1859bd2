"""The table of operators that are not element-wise, and the call that each entry gets."""

import functools

import numpy as np

from .. import _arrays, _broadaxe
from .._frameworks import _attribute
from ._tensors import Tensor, check_room

OPERATORS: dict = {}
"""Maps a name of an operator to the function that adds it to a run."""


def operator(*names):
    """Enter a function into the table, under the names of its operators."""

    def enter(function):
        for name in names:
            OPERATORS[name] = function
        return function

    return enter


@functools.lru_cache(maxsize=1024)
def parsed(text):
    """Return an expression, parsed once."""
    return _broadaxe.Expression(text)


class Call:
    """One node of a graph, with its inputs and attributes, in a run."""

    def __init__(self, run, op, version, inputs, attributes, outputs):
        self.run, self.op, self.version = run, op, version
        self.inputs, self.attributes, self.outputs = inputs, attributes, outputs

    def has(self, place):
        """Say whether the input at a place is given."""
        return place < len(self.inputs) and self.inputs[place] is not None

    def input(self, place):
        """Return the input at a place; raise ValueError where there is none."""
        if not self.has(place):
            raise ValueError(f"{self.op} needs an input {place}, which is not given")
        return self.inputs[place]

    def tensor(self, place):
        """Return the input at a place, which is to be a tensor."""
        found = self.input(place)
        if not isinstance(found, Tensor):
            raise TypeError(f"{self.op} needs a tensor as input {place}, not a {type(found).__name__}")
        return found

    def array(self, place):
        """Return the elements of an input."""
        return self.tensor(place).elements()

    def value(self, place):
        """Return the value of an input in the graph builder of the run."""
        return self.tensor(place).on(self.run.builder)

    def ints(self, place):
        """Return the elements of an input as a list of whole numbers."""
        array = self.array(place)
        if array.dtype.kind not in "iu":
            raise TypeError(f"{self.op} needs integers as input {place}, not {array.dtype}")
        return [int(element) for element in array.reshape(-1)]

    def number(self, place):
        """Return the one element of an input."""
        array = self.array(place)
        if array.size != 1:
            raise ValueError(f"{self.op} needs 1 element as input {place}, not {array.shape}")
        return array.reshape(())[()]

    def get(self, name, default=None):
        """Return an attribute, or its default."""
        return self.attributes.get(name, default)

    def need(self, name):
        """Return an attribute; raise ValueError where it is not given."""
        if self.attributes.get(name) is None:
            raise ValueError(f"{self.op} needs the attribute {name}")
        return self.attributes[name]

    def axis(self, axis, rank, end=False):
        """Return an axis counted from the first; `end` allows the place behind the last."""
        if not -rank <= axis < rank + end:
            raise ValueError(f"{self.op}: axis {axis} is not an axis of a tensor of rank {rank}")
        return int(axis) + rank if axis < 0 else int(axis)

    def axes(self, axes, rank):
        """Return axes counted from the first, ascending; raise ValueError for one given twice."""
        found = sorted(self.axis(axis, rank) for axis in axes)
        if len(set(found)) < len(found):
            raise ValueError(f"{self.op}: {list(axes)} gives an axis twice")
        return found

    def lower(self, text, **values):
        """Add an expression over values, tensors, arrays and numbers to the graph."""
        builder = self.run.builder
        return builder.lower(parsed(text), {name: self.on_builder(value) for name, value in values.items()})

    def elementwise(self, name, *operands, **attributes):
        """Add an element-wise operator of ONNX to the graph."""
        values = [self.on_builder(operand) for operand in operands]
        return self.run.builder.call("onnx", name, values, {key: _attribute(value) for key, value in attributes.items()})

    def on_builder(self, value):
        """Return a value of the graph for a tensor, an array or a number."""
        if isinstance(value, _broadaxe.Value):
            return value
        if isinstance(value, Tensor):
            return value.on(self.run.builder)
        if isinstance(value, (np.ndarray, np.generic)):
            return self.run.builder.put(_arrays.plain(np.asarray(value)))
        return self.run.builder.put(value)

    def cast(self, value, dtype):
        """Cast a value to a dtype of NumPy's or to a short name."""
        short = dtype if isinstance(dtype, str) and dtype in _arrays.NAMES else _arrays.short_name(np.dtype(dtype))
        return self.run.builder.cast(self.on_builder(value), short)

    def shaped(self, value, axes, target):
        """Put the axes of a value at places of a shape; the other axes repeat it."""
        write = lambda dims: ",".join(str(dim) for dim in dims) or "()"  # noqa: E731
        return self.run.builder.broadcast(self.on_builder(value), f"explicit axes={write(axes)} target={write(target)}")

    def keep(self, value):
        """Return a value of the graph as a tensor."""
        return self.run.tensor(value)

    def places(self, count):
        """Return the whole numbers from 0 up to a count, where the budget allows for them."""
        self.room((count,), np.int64)
        return np.arange(count)

    def room(self, shape, dtype):
        """Raise MemoryError for a result that would be larger than the budget."""
        check_room(shape, dtype, self.op)


def axis_list(axes):
    """Write axes as expressions take them."""
    return f"[{', '.join(str(axis) for axis in axes)}]"
