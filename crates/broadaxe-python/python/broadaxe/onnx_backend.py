"""ONNX's backend interface, for graphs of element-wise and broadcasting operators.

`prepare(model)` checks a model and returns a representation whose `run(inputs)` evaluates each output as one fused program:
results of nodes in between never take memory as a whole. Every operator of `broadaxe.onnx` is supported, and beside them what
passes values on: Constant, Identity, Shape, Gemm (its product by NumPy, the rest fused) and Expand to a shape
that the graph computes.

>>> import onnx, numpy as np
>>> from broadaxe import onnx_backend
>>> node = onnx.helper.make_node("Add", ["a", "b"], ["c"])
>>> onnx_backend.run_node(node, [np.ones((2, 1), np.float32), np.ones(3, np.float32)])[0].shape
(2, 3)
"""

from collections import namedtuple

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.backend.base import Backend, BackendRep

from . import _arrays, _broadaxe
from . import onnx as _operators
from ._frameworks import _attribute


class Unsupported(Exception):
    """A model that has operators or types this backend does not have."""


def _attributes(node):
    found = {}
    for attribute in node.attribute:
        value = helper.get_attribute_value(attribute)
        if isinstance(value, bytes):
            value = value.decode()
        found[attribute.name] = value
    return found


def _array(value):
    """Return a value of ONNX's as an array; one of bfloat16 is of the dtype of ml_dtypes."""
    if isinstance(value, onnx.TensorProto):
        value = numpy_helper.to_array(value)
    return np.asarray(value)


class _Run:
    """One evaluation of a graph: a sheet, and the value or array of every name so far."""

    def __init__(self, opset, constants):
        self.sheet, self.opset = _broadaxe.Sheet(), opset
        self.names = dict(constants)

    def value(self, name):
        """Return what a name stands for as a value of the sheet."""
        known = self.names[name]
        if isinstance(known, np.ndarray):
            known = self.sheet.put(_arrays.plain(known))
        return known

    def array(self, name):
        """Return the elements of a name, computed now if they were not."""
        known = self.names[name]
        return known if isinstance(known, np.ndarray) else np.asarray(self.sheet.compute(known, order="C"))

    def node(self, node):
        attributes = _attributes(node)
        special = getattr(self, f"_{node.op_type}", None)
        if node.domain not in ("", "ai.onnx"):
            raise Unsupported(f"the operator {node.domain}.{node.op_type} is of another domain")
        results = special(node, attributes) if special else [self._elementwise(node, attributes)]
        self.names.update(zip(node.output, results))

    def _elementwise(self, node, attributes):
        if node.op_type not in _operators.__all__:
            raise Unsupported(f"the operator {node.op_type} is not element-wise")
        operands = [self.value(name) for name in node.input if name]
        read = {key: _attribute(value) for key, value in attributes.items()}
        return self.sheet.call("onnx", node.op_type, operands, {**read, "opset": self.opset})

    def _Constant(self, node, attributes):
        (key, value), = attributes.items()
        if key not in ("value", "value_int", "value_float", "value_ints", "value_floats"):
            raise Unsupported(f"a constant given as {key}")
        kinds = {"value_int": np.int64, "value_ints": np.int64, "value_float": np.float32, "value_floats": np.float32}
        return [_array(value) if key == "value" else np.asarray(value, kinds[key])]

    def _Identity(self, node, attributes):
        return [self.names[node.input[0]]]

    def _Shape(self, node, attributes):
        shape = self.value(node.input[0]).shape
        return [np.asarray(shape[attributes.get("start", 0) : attributes.get("end", len(shape))], np.int64)]

    def _Expand(self, node, attributes):
        shape = [int(dim) for dim in self.array(node.input[1])]
        if any(dim < 0 for dim in shape):
            raise ValueError(f"Expand to {shape}: dims are 0 or more")
        text = ",".join(str(dim) for dim in shape) or "()"
        return [self.sheet.broadcast(self.value(node.input[0]), f"bidirectional target={text}")]

    def _Clip(self, node, attributes):
        if len(node.input) > 2 and not node.input[1] and node.input[2]:
            # Without its least value it keeps what is below.
            x = self.value(node.input[0])
            dtype = _arrays.dtype_of(x.dtype)
            least = float("-inf") if x.dtype[0] in "fb" else int(np.iinfo(dtype).min)
            operands = [x, self.sheet.put(least), self.value(node.input[2])]
            return [self.sheet.call("onnx", "Clip", operands, {"opset": self.opset})]
        return [self._elementwise(node, attributes)]

    def _CastLike(self, node, attributes):
        return [self.sheet.cast(self.value(node.input[0]), self.value(node.input[1]).dtype)]

    def _Gemm(self, node, attributes):
        a, b = (self.array(name) for name in node.input[:2])
        a = a.T if attributes.get("transA") else a
        b = b.T if attributes.get("transB") else b
        product = np.matmul(a, b)
        dtype = _arrays.short_name(product.dtype)
        result = self.sheet.put(_arrays.plain(product))
        scale = lambda value, by: self.sheet.call("onnx", "Mul", [value, self.sheet.put(by)], {})  # noqa: E731
        number = float if product.dtype.kind == "f" or dtype == "bf16" else int
        if attributes.get("alpha", 1.0) != 1.0:
            result = scale(result, number(attributes["alpha"]))
        if len(node.input) > 2 and node.input[2]:
            c = self.value(node.input[2])
            _broadaxe.place([product.shape, c.shape], "gemm-c", None)
            if attributes.get("beta", 1.0) != 1.0:
                c = scale(c, number(attributes["beta"]))
            result = self.sheet.call("onnx", "Add", [result, c], {})
        return [result]


class Representation(BackendRep):
    """A model that is ready to run."""

    def __init__(self, model):
        graph = model.graph
        self._opset = next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), 1)
        self._constants = {tensor.name: _array(tensor) for tensor in graph.initializer}
        self._inputs = [value.name for value in graph.input if value.name not in self._constants]
        self._nodes, self._outputs = list(graph.node), [value.name for value in graph.output]

    def run(self, inputs, **kwargs):
        """Evaluate the graph and return its outputs, in order; inputs are in order or a dictionary by name."""
        if not isinstance(inputs, dict):
            inputs = dict(zip(self._inputs, inputs))
        given = {name: _array(value) for name, value in inputs.items()}
        run = _Run(self._opset, {**self._constants, **given})
        for node in self._nodes:
            run.node(node)
        outputs = namedtuple("Outputs", [f"output{k}" for k in range(len(self._outputs))])
        return outputs(*(run.array(name) for name in self._outputs))


def _missing(nodes):
    own = {name[1:] for name in dir(_Run) if name[:2] != "__" and name[1:2].isupper()}
    return sorted({node.op_type for node in nodes} - set(_operators.__all__) - own)


class BroadaxeBackend(Backend):
    """The interface that ONNX's backend tests drive."""

    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        """Say whether every operator of a model is supported."""
        return cls.supports_device(device) and not _missing(model.graph.node)

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        """Check a model and make it ready to run.

        Raises Unsupported for operators that are not element-wise, and ValueError for another device than the CPU.
        """
        if not cls.supports_device(device):
            raise ValueError(f"there is no device {device}; models run on the CPU")
        missing = _missing(model.graph.node)
        if missing:
            raise Unsupported(f"the model has operators that are not element-wise: {', '.join(missing)}")
        onnx.checker.check_model(model)
        return Representation(model)

    @classmethod
    def run_model(cls, model, inputs, device="CPU", **kwargs):
        """Run a model once."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, **kwargs):
        """Run a node by itself."""
        version = kwargs.get("opset_version") or onnx.defs.onnx_opset_version()
        run = _Run(min(version, onnx.defs.onnx_opset_version()), {})
        run.names.update(zip((name for name in node.input if name), (_array(value) for value in inputs)))
        run.node(node)
        outputs = namedtuple("Outputs", [f"output{k}" for k in range(len(node.output))])
        return outputs(*(run.array(name) for name in node.output))

    @classmethod
    def supports_device(cls, device):
        """Say whether a device is the CPU."""
        return device.split(":")[0] == "CPU"


is_compatible = BroadaxeBackend.is_compatible
prepare = BroadaxeBackend.prepare
run_model = BroadaxeBackend.run_model
run_node = BroadaxeBackend.run_node
supports_device = BroadaxeBackend.supports_device
