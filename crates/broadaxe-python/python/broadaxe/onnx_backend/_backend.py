"""The interface that ONNX's backend tests drive."""

import functools
from collections import namedtuple

import onnx
from onnx import defs
from onnx.backend.base import Backend, BackendRep

from .. import onnx as _elementwise
from ._functions import function_of, has_function
from ._run import Run, missing, opsets_of, unsupported
from ._table import OPERATORS
from ._tensors import NAMES, Tensor, Unsupported, as_array, short_name


@functools.lru_cache(maxsize=64)
def _outputs(count):
    """Return the class of as many outputs; making one is slower than a small model."""
    return namedtuple("Outputs", [f"output{k}" for k in range(count)])


def _given(value):
    """Return an input as a value of the run: an array as a tensor, a list as a sequence, None as None."""
    if value is None:
        return None
    return [_given(item) for item in value] if isinstance(value, list) else Tensor(array=as_array(value))


def _returned(value, known):
    """Return a result as an array of its own, whose memory no input, constant or other result shares."""
    if isinstance(value, list):
        return [_returned(item, known) for item in value]
    if value is None:
        return None
    array = value.elements()
    if id(array) in known or array.base is not None or not array.flags.writeable:
        array = array.copy(order="C")
    known[id(array)] = array
    return array


def _check(name, tensor, declared, what):
    """Raise for a tensor that is not of its declared type and dims."""
    if isinstance(tensor, list) or tensor is None:
        return
    kind = declared.type.tensor_type
    if declared.type.WhichOneof("value") != "tensor_type":
        return
    if kind.elem_type in NAMES and tensor.short != NAMES[kind.elem_type]:
        raise TypeError(f"the {what} '{name}' is declared as {NAMES[kind.elem_type]} and is {tensor.short}")
    if not kind.HasField("shape"):
        return
    dims = [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or "?" for dim in kind.shape.dim]
    fits = len(dims) == len(tensor.shape) and all(a == b for a, b in zip(dims, tensor.shape) if isinstance(a, int))
    if not fits:
        raise ValueError(f"the {what} '{name}' is declared as ({', '.join(map(str, dims))}) and is {tensor.shape}")


def _types(graph):
    """Return the types that a graph declares; ONNX's shape inference, which knows more, ends the process on some models that are not valid."""
    return {value.name: value.type for value in (*graph.input, *graph.value_info, *graph.output)}


def _element_type(kind):
    """Return the element type of a type; 0 where it has none that is known."""
    while kind.WhichOneof("value") in ("sequence_type", "optional_type"):
        kind = kind.sequence_type.elem_type if kind.HasField("sequence_type") else kind.optional_type.elem_type
    return kind.tensor_type.elem_type


def _functions(model):
    return {(function.domain, function.name, function.overload): function for function in model.functions}


def _refusal(model):
    """Return an exception that says why a model is not supported, as far as that is known before a run; None if it is."""
    graph = model.graph
    try:
        for value in (*graph.input, *graph.output):
            if _element_type(value.type):
                short_name(_element_type(value.type))
        for tensor in graph.initializer:
            short_name(tensor.data_type)
        names = missing(graph.node, opsets_of(model.opset_import), _functions(model), _types(graph))
    except Unsupported as why:
        return why
    return unsupported(names) if names else None


class Representation(BackendRep):
    """A model that is ready to run."""

    def __init__(self, model):
        graph = model.graph
        self._opsets, self._functions = opsets_of(model.opset_import), _functions(model)
        self._constants = {tensor.name: as_array(tensor) for tensor in graph.initializer}
        if graph.sparse_initializer:
            as_array(graph.sparse_initializer[0])
        self._inputs = {value.name: value for value in graph.input}
        self._needed = [name for name in self._inputs if name not in self._constants]
        self._nodes, self._outputs = list(graph.node), list(graph.output)

    def _named(self, inputs):
        """Return the inputs by name, checked against what the model declares."""
        if not isinstance(inputs, dict):
            inputs = list(inputs)
            if len(inputs) > len(self._needed):
                raise ValueError(f"the model needs {len(self._needed)} inputs ({', '.join(self._needed)}), not {len(inputs)}")
            inputs = dict(zip(self._needed, inputs))
        unknown = sorted(set(inputs) - set(self._inputs))
        if unknown:
            raise ValueError(f"the model has no input '{unknown[0]}'; its inputs are {', '.join(self._inputs)}")
        absent = [name for name in self._needed if name not in inputs]
        if absent:
            raise ValueError(f"the input '{absent[0]}' is not given; the model needs {', '.join(self._needed)}")
        given = {name: _given(value) for name, value in inputs.items()}
        for name, tensor in given.items():
            _check(name, tensor, self._inputs[name], "input")
        return given

    def run(self, inputs, **kwargs):
        """Evaluate the graph and return its outputs, in order; inputs are in order or a dictionary by name.

        Raises ValueError for an input that is missing, unknown or of another shape than declared, TypeError for one of another dtype,
        Unsupported for what the backend does not have, and MemoryError for results beyond the memory budget.
        """
        given = self._named(inputs)
        constants = {name: Tensor(array=array) for name, array in self._constants.items()}
        run = Run(self._opsets, {**constants, **given}, self._functions)
        run.execute(self._nodes)
        results = [run.look_up(value.name) for value in self._outputs]
        for value, result in zip(self._outputs, results):
            _check(value.name, result, value, "output")
        known = {id(tensor.elements()): tensor for tensor in (*constants.values(), *given.values()) if isinstance(tensor, Tensor)}
        return _outputs(len(results))(*(_returned(result, known) for result in results))


class BroadaxeBackend(Backend):
    """Runs models of ONNX on the engine."""

    @classmethod
    def operators(cls):
        """Return the names of the operators that are supported, sorted; those that ONNX defines by other operators included."""
        own, newest = set(OPERATORS) | set(_elementwise.__all__), defs.onnx_opset_version()
        for schema in defs.get_all_schemas():
            if schema.domain == "" and schema.name not in own and has_function(schema.name, newest) and _is_defined(schema, newest):
                own.add(schema.name)
        return sorted(own)

    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        """Say whether every operator and type of a model is supported."""
        return cls.supports_device(device) and _refusal(model) is None

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        """Check a model and make it ready to run.

        Raises Unsupported for operators and types that are not supported, ValueError for another device than the CPU, and
        `onnx.checker.ValidationError` for models that are not valid.
        """
        if not cls.supports_device(device):
            raise ValueError(f"unknown device {device}; models run on the CPU")
        why = _refusal(model)
        if why:
            raise why
        onnx.checker.check_model(model)
        return Representation(model)

    @classmethod
    def run_model(cls, model, inputs, device="CPU", **kwargs):
        """Run a model once."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, **kwargs):
        """Run a node by itself; `opset_version` is by default the newest that ONNX has."""
        if not cls.supports_device(device):
            raise ValueError(f"unknown device {device}; models run on the CPU")
        newest = defs.onnx_opset_version()
        opset = min(kwargs.get("opset_version") or newest, newest)
        names = [name for name in node.input if name]
        if isinstance(inputs, dict):
            inputs = [inputs[name] for name in names if name in inputs]
        if len(names) != len(inputs):
            raise ValueError(f"{node.op_type} is given {len(inputs)} inputs for its {len(names)} names")
        run = Run({"": opset}, dict(zip(names, map(_given, inputs))))
        given = {id(tensor.elements()): tensor for tensor in run.names.values() if isinstance(tensor, Tensor)}
        _check_node(node, opset)
        run.execute([node])
        return _outputs(len(node.output))(*(_returned(run.look_up(name), given) if name else None for name in node.output))

    @classmethod
    def supports_device(cls, device):
        """Say whether a device is the CPU."""
        return device.split(":")[0] == "CPU"


def _is_defined(schema, opset):
    """Say whether the function that ONNX defines an operator by has supported operators only, over tensors of f32."""
    kind = onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, ["n", "c", "w"])
    node = onnx.NodeProto(op_type=schema.name, input=[f"x{k}" for k in range(schema.min_input)], output=["y"])
    try:
        function = function_of(node, opset, [kind] * schema.min_input)
    except ValueError:
        # It needs attributes or other types.
        return True
    return function is not None and not missing(function.node, {"": opset, **opsets_of(function.opset_import)}, {}, {})


def _check_node(node, opset):
    """Check a node alone; operators that ONNX does not define are left to the run."""
    if not defs.has(node.op_type, node.domain):
        return
    context = onnx.checker.C.CheckerContext()
    context.ir_version = onnx.IR_VERSION
    context.opset_imports = {"": opset}
    onnx.checker.check_node(node, context)
