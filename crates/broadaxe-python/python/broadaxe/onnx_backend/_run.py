"""One evaluation of a graph, and what its nodes need before it begins."""

import functools

import numpy as np
import onnx
from onnx import helper

from .. import _broadaxe
from .. import onnx as _elementwise
from . import _control, _elements, _matrix, _normalize, _quantize, _reduce, _select, _views  # noqa: F401 - they fill the table
from ._functions import defaults, function_of, has_function
from ._table import OPERATORS, Call
from ._tensors import Tensor, Unsupported, as_array, short_name, type_of

DOMAINS = ("", "ai.onnx")
DEEPEST = 64
"""How many functions may be inside each other."""


def opsets_of(imports):
    """Return the version of every domain."""
    return {"" if entry.domain in DOMAINS else entry.domain: entry.version for entry in imports}


def unsupported(names):
    """Return the exception about operators that are not supported."""
    text = ", ".join(sorted(names))
    message = f"the operator {text} is not supported" if len(names) == 1 else f"these operators are not supported: {text}"
    return Unsupported(message, f"operator {text}")


def _value(attribute):
    """Return the value of an attribute: a number, a text, a list, an array or a graph."""
    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise ValueError(f"the attribute {attribute.name} is {value[:40]!r}, which is not text in UTF-8") from None
    if isinstance(value, (onnx.TensorProto, onnx.SparseTensorProto)):
        return as_array(value)
    return list(value) if attribute.type in (onnx.AttributeProto.INTS, onnx.AttributeProto.FLOATS) else value


@functools.lru_cache(maxsize=4096)
def _default_values(op, version):
    return {name: _value(attribute) for name, attribute in defaults(op, version).items()}


class Run:
    """Evaluates nodes in a graph builder; each name has a tensor, a sequence of tensors, or None for an optional value left out."""

    def __init__(self, opsets, names, functions=None, builder=None, outer=None, attributes=None, depth=0):
        self.opsets, self.names, self.functions = opsets, names, functions or {}
        self.builder = builder or _broadaxe.GraphBuilder()
        self.outer, self.attributes, self.depth = outer, attributes or {}, depth

    def look_up(self, name):
        """Return what a name has, in this graph or in one around it."""
        scope = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        raise ValueError(f"the value '{name}' is read before any node or input gives it")

    def tensor(self, made):
        """Return a result of a handler as a tensor; sequences and None stay."""
        if isinstance(made, (Tensor, list)) or made is None:
            return made
        if isinstance(made, _broadaxe.Value):
            return Tensor(builder=self.builder, value=made)
        return Tensor(array=np.asarray(made))

    def execute(self, nodes):
        """Evaluate nodes in their order."""
        for node in nodes:
            try:
                self._node(node)
            except (ValueError, TypeError, IndexError) as why:
                if type(why) not in (ValueError, TypeError, IndexError) or getattr(why, "names_node", False):
                    raise
                named = type(why)(f"node '{node.name}' ({node.op_type}): {why}" if node.name else f"{node.op_type}: {why}")
                named.names_node = True
                raise named from why

    def _resolved(self, node):
        """Return the attributes of a node; those that refer to an attribute of the function around it are looked up."""
        found = []
        for attribute in node.attribute:
            if attribute.ref_attr_name:
                given = self.attributes.get(attribute.ref_attr_name)
                if given is None:
                    continue
                copy = onnx.AttributeProto()
                copy.CopyFrom(given)
                copy.name = attribute.name
                attribute = copy
            found.append(attribute)
        return found

    def _node(self, node):
        attributes, inputs = self._resolved(node), [self.look_up(name) if name else None for name in node.input]
        domain = "" if node.domain in DOMAINS else node.domain
        version = self.opsets.get(domain, 1)
        local = self.functions.get((domain, node.op_type, node.overload))
        if local is not None:
            made = self.call(local, inputs, {a.name: a for a in attributes})
        elif domain:
            raise unsupported({f"{domain}.{node.op_type}"})
        elif node.op_type in OPERATORS or node.op_type in _elementwise.__all__:
            made = self._operator(node, version, inputs, attributes)
        else:
            made = self._defined(node, version, inputs, attributes)
        if len(node.output) > len(made) or any(name and one is None and local is None for name, one in zip(node.output, made)):
            raise Unsupported(f"{node.op_type} does not give all of its {len(node.output)} outputs here")
        self.names.update((name, one) for name, one in zip(node.output, made) if name)

    def _operator(self, node, version, inputs, attributes):
        given = {attribute.name: _value(attribute) for attribute in attributes}
        call = Call(self, node.op_type, version, inputs, given, node.output)
        handler = OPERATORS.get(node.op_type)
        if handler is None:
            made = call.elementwise(node.op_type, *(call.value(k) for k in range(len(inputs)) if call.has(k)), opset=version, **given)
        else:
            call.attributes = {**_default_values(node.op_type, version), **given}
            made = handler(call)
        return [self.tensor(one) for one in (made if isinstance(made, tuple) else (made,))]

    def _defined(self, node, version, inputs, attributes):
        """Evaluate an operator by the function that ONNX defines it by."""
        plain = onnx.NodeProto(op_type=node.op_type, input=node.input, output=node.output, attribute=attributes)
        function = function_of(plain, version, [type_of(one) for one in inputs])
        if function is None:
            raise unsupported({node.op_type})
        return self.call(function, inputs, {**defaults(node.op_type, version), **{a.name: a for a in attributes}})

    def call(self, function, inputs, attributes):
        """Evaluate a function in the same graph, and return its outputs."""
        if self.depth >= DEEPEST:
            raise ValueError(f"functions call each other more than {DEEPEST} deep")
        if len(inputs) > len(function.input):
            raise ValueError(f"the function {function.name} needs {len(function.input)} inputs, not {len(inputs)}")
        absent = [None] * (len(function.input) - len(inputs))
        known = {attribute.name: attribute for attribute in function.attribute_proto}
        names = dict(zip(function.input, [*inputs, *absent]))
        opsets = {**self.opsets, **opsets_of(function.opset_import)}
        inner = Run(opsets, names, self.functions, self.builder, None, {**known, **attributes}, self.depth + 1)
        inner.execute(function.node)
        return [inner.names.get(name) for name in function.output]

    def subgraph(self, graph, inputs=()):
        """Evaluate a graph inside of this one, in a graph of its own, and return its outputs."""
        if len(inputs) > len(graph.input):
            raise ValueError(f"the graph '{graph.name}' needs {len(graph.input)} inputs, not {len(inputs)}")
        names = {tensor.name: Tensor(array=as_array(tensor)) for tensor in graph.initializer}
        names.update(zip((value.name for value in graph.input), inputs))
        if self.depth >= DEEPEST:
            raise ValueError(f"graphs are more than {DEEPEST} deep in each other")
        inner = Run(self.opsets, names, self.functions, None, self, self.attributes, self.depth + 1)
        inner.execute(graph.node)
        made = [inner.look_up(value.name) for value in graph.output]
        for one in made:
            if isinstance(one, Tensor):
                one.elements()
        return made


def missing(nodes, opsets, functions, types, seen=frozenset()):
    """Return the names of operators of nodes that are not supported; `types` has those of the values that are known."""
    found = set()
    for node in nodes:
        domain = "" if node.domain in DOMAINS else node.domain
        local = functions.get((domain, node.op_type, node.overload))
        body, versions = local, opsets
        if local is None and domain:
            found.add(f"{domain}.{node.op_type}")
        elif local is None and node.op_type not in OPERATORS and node.op_type not in _elementwise.__all__:
            if not has_function(node.op_type, opsets.get("", 1)):
                found.add(node.op_type)
            body = _body(node, opsets, types)
        if body is not None and (body.domain, body.name, node.overload) not in seen:
            versions = {**opsets, **opsets_of(body.opset_import)}
            found |= missing(body.node, versions, functions, {}, seen | {(body.domain, body.name, node.overload)})
        for attribute in node.attribute:
            found |= missing(attribute.g.node, opsets, functions, types, seen)
            if node.op_type == "Cast" and attribute.name == "to" and not attribute.ref_attr_name:
                short_name(attribute.i)
    return found


def _body(node, opsets, types):
    """Return the function of an operator, if it is known before a run."""
    known = [types.get(name, onnx.TypeProto()) for name in node.input]
    is_known = all(kind.WhichOneof("value") for name, kind in zip(node.input, known) if name)
    try:
        return function_of(node, opsets.get("", 1), known if is_known else None)
    except ValueError:
        return None
