"""Operators that ONNX defines by other operators: the function of each, for an opset and, where it depends on them, types."""

import functools

import onnx
from onnx import defs

@functools.lru_cache(maxsize=4096)
def schema_of(op, version):
    """Return ONNX's definition of an operator in an opset; None where it has none."""
    try:
        return defs.get_schema(op, version, "")
    except defs.SchemaError:
        return None


@functools.lru_cache(maxsize=4096)
def defaults(op, version):
    """Return the attributes of an operator that have a default."""
    schema = schema_of(op, version)
    if schema is None:
        return {}
    return {name: found.default_value for name, found in schema.attributes.items() if found.default_value.type != onnx.AttributeProto.UNDEFINED}


def _chosen(versions, opset):
    """Return the newest version that an opset allows, or the oldest of all."""
    return max((version for version in versions if version <= opset), default=min(versions))


@functools.lru_cache(maxsize=512)
def _fixed(op, opset, version):
    function = onnx.FunctionProto()
    function.ParseFromString(schema_of(op, opset).get_function_with_opset_version(version))
    return function


@functools.lru_cache(maxsize=512)
def _dependent(op, opset, version, node, types):
    function = onnx.FunctionProto()
    function.ParseFromString(schema_of(op, opset).get_context_dependent_function_with_opset_version(version, node, list(types)))
    return function


def has_function(op, opset):
    """Say whether ONNX defines an operator by other operators."""
    schema = schema_of(op, opset)
    return schema is not None and (schema.has_function or schema.has_context_dependent_function)


def _written(kind):
    """Return a type as definitions of operators write it: tensor(float), seq(tensor(int64))."""
    if kind.WhichOneof("value") == "sequence_type":
        return f"seq({_written(kind.sequence_type.elem_type)})"
    return f"tensor({onnx.TensorProto.DataType.Name(kind.tensor_type.elem_type).lower()})"


def check_node(node, schema, types=None):
    """Raise ValueError for a node with other inputs, types or attributes than its definition asks for."""
    least, most = schema.min_input, schema.max_input
    if not least <= len(node.input) <= most:
        raise ValueError(f"{node.op_type} needs {least} to {most} inputs, not {len(node.input)}")
    given = {attribute.name for attribute in node.attribute}
    absent = sorted(name for name, attribute in schema.attributes.items() if attribute.required and name not in given)
    if absent:
        raise ValueError(f"{node.op_type} needs the attribute {absent[0]}")
    for place, (name, kind) in enumerate(zip(node.input, types or ())):
        formal = schema.inputs[min(place, len(schema.inputs) - 1)]
        is_absent = not name or kind.WhichOneof("value") is None
        if is_absent and formal.option == defs.OpSchema.FormalParameterOption.Optional:
            continue
        if is_absent or _written(kind) not in formal.types:
            has = "is not given" if is_absent else f"is {_written(kind)}"
            raise ValueError(f"input {place} of {node.op_type} {has}; it accepts {', '.join(sorted(formal.types))}")


def function_of(node, opset, types):
    """Return the function that ONNX defines an operator by; None where it has none, or none for these types.

    Raises ValueError for a node that its definition does not fit.
    """
    schema = schema_of(node.op_type, opset)
    if schema is None:
        return None
    check_node(node, schema, types)
    if schema.has_function:
        return _fixed(node.op_type, opset, _chosen(schema.function_opset_versions, opset))
    if schema.has_context_dependent_function and types is not None:
        version = _chosen(schema.context_dependent_function_opset_versions, opset)
        written = tuple(kind.SerializeToString() for kind in types)
        try:
            function = _dependent(node.op_type, opset, version, node.SerializeToString(), written)
        except Exception as why:  # noqa: BLE001 - ONNX raises whatever its builder comes upon
            raise ValueError(f"ONNX does not define {node.op_type} by others for these inputs and attributes: {why}") from None
        return function if function.node else None
    return None
