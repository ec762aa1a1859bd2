"""The tensors of a run: lazy values until their elements are needed, and what a model may hold."""

import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .. import _arrays, _broadaxe, _operands


class Unsupported(Exception):
    """A model that has operators or types this backend does not support; `what` names them."""

    def __init__(self, message, what=None):
        super().__init__(message)
        self.what = what or message


NAMES = {
    TensorProto.BOOL: "bool", TensorProto.INT8: "i8", TensorProto.INT16: "i16", TensorProto.INT32: "i32", TensorProto.INT64: "i64",
    TensorProto.UINT8: "u8", TensorProto.UINT16: "u16", TensorProto.UINT32: "u32", TensorProto.UINT64: "u64",
    TensorProto.FLOAT16: "f16", TensorProto.BFLOAT16: "bf16", TensorProto.FLOAT: "f32", TensorProto.DOUBLE: "f64",
}
"""The short name of each element type that the engine has."""

NUMBERS = {short: number for number, short in NAMES.items()}


def short_name(element_type):
    """Return the short name of an element type of ONNX; raise Unsupported for one that the engine does not have."""
    if element_type in NAMES:
        return NAMES[element_type]
    known = element_type in TensorProto.DataType.values()
    name = TensorProto.DataType.Name(element_type) if known else f"number {element_type}"
    raise Unsupported(f"the element type {name} is not supported; the types are {', '.join(NAMES.values())}", f"element type {name}")


def as_array(value):
    """Return a tensor that a model holds or that a caller gave as a plain array."""
    if isinstance(value, TensorProto):
        short = short_name(value.data_type)
        array = numpy_helper.to_array(value)
        if short == "bf16" and array.dtype != _arrays.bfloat16():
            array = array.view(np.uint16).view(_arrays.bfloat16())
        return _arrays.plain(array)
    if isinstance(value, onnx.SparseTensorProto):
        raise Unsupported("sparse tensors are not supported; give the dense tensor")
    _operands.check_plain(value, "an input")
    array = np.asarray(value)
    try:
        return _arrays.plain(array)
    except TypeError as why:
        raise Unsupported(str(why)) from None


def check_room(shape, dtype, what):
    """Raise MemoryError for an array that would be larger than the budget."""
    budget = _broadaxe.memory_budget()
    needed = math.prod(shape) * np.dtype(dtype).itemsize
    if budget is not None and needed > budget:
        raise MemoryError(f"{what}: a result of shape {tuple(shape)} and dtype {np.dtype(dtype)} needs {needed} bytes; the budget is {budget}")


class Tensor:
    """A tensor of a run: a value of a graph until its elements are needed, then an array."""

    __slots__ = ("_array", "_builder", "_value")

    def __init__(self, array=None, builder=None, value=None):
        self._array, self._builder, self._value = array, builder, value

    @property
    def shape(self):
        """The dims."""
        return tuple((self._value if self._array is None else self._array).shape)

    @property
    def short(self):
        """The short name of its dtype."""
        return self._value.dtype if self._array is None else _arrays.short_name(self._array.dtype)

    @property
    def dtype(self):
        """The dtype, as NumPy has it."""
        return _arrays.dtype_of(self._value.dtype) if self._array is None else self._array.dtype

    def elements(self):
        """Return the elements; they are computed once."""
        if self._array is None:
            if self._value.dtype == "bf16":
                _arrays.bfloat16()
            self._array = np.asarray(self._builder.compute(self._value, order="C"))
            self._builder = self._value = None
        return self._array

    def on(self, builder):
        """Return its value in a graph builder."""
        if self._array is None and self._builder is builder:
            return self._value
        return builder.put(_arrays.plain(self.elements()))

    def type(self):
        """Return its type as ONNX writes it."""
        return helper.make_tensor_type_proto(NUMBERS[self.short], self.shape)


def type_of(value):
    """Return the type of a tensor, of a sequence of tensors, or of nothing, as ONNX writes it."""
    if isinstance(value, Tensor):
        return value.type()
    if isinstance(value, list) and value:
        return helper.make_sequence_type_proto(type_of(value[0]))
    return onnx.TypeProto()
