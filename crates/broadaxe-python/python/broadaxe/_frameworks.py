"""Frameworks' operators under their own names, as functions made of the engine's tables."""

import ast
import inspect
import keyword
import sys
import types

import numpy as np

from . import _arrays, _broadaxe, _classes, _dask, _operands
from ._dispatch import finish


def _attribute(value):
    """Return the value of an attribute as the engine reads it."""
    if isinstance(value, np.ndarray) and value.ndim:
        return value.tolist()
    if isinstance(value, np.generic) or isinstance(value, np.ndarray):
        return value.item()
    if isinstance(value, np.dtype) or isinstance(value, type) and issubclass(value, np.generic):
        return _arrays.short_name(value)
    return value


def default(text, kind):
    """Return the default of an attribute as a value of its type; None where its absence means something else."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text if kind == "str" else None
    if isinstance(value, list):
        return tuple(value)
    return float(value) if kind == "float" else value


def spelled(attribute):
    """Return the name of an attribute as a parameter: `lambda_`, because Python keeps `lambda` for itself."""
    return attribute + "_" * keyword.iskeyword(attribute)


def _unspelled(name):
    return name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name


def call(system, name, operands, attributes, out=None, builder=None):
    """Compute a framework's operator on arrays and numbers."""
    attributes = {_unspelled(key): value for key, value in attributes.items()}
    given = {key: _attribute(value) for key, value in attributes.items() if value is not None}
    if any(_operands.answers(operand) for operand in operands):
        return _classes.call(system, name, operands, given, out, call)
    if any(_operands.is_dask(operand) for operand in operands):
        return _dask.call(system, name, operands, attributes, out)
    builder = builder or _broadaxe.GraphBuilder()
    values = [builder.put(_arrays.borrow(operand, f"x{k + 1}")) for k, operand in enumerate(operands)]
    root = builder.call(system, name, values, given)
    result = finish(builder, root, out, None, "same_kind", "K", f"{system}.{name}")
    return result if out is not None else _classes.wrapped(name, operands, result)


def _function(system, name, counts, attributes, documentation):
    Kind, parameters = inspect.Parameter, []
    least, most = counts
    if most == 0:
        parameters.append(Kind("operands", Kind.VAR_POSITIONAL))
    else:
        for k in range(most):
            absent = Kind.empty if k < least else None
            parameters.append(Kind(f"x{k + 1}", Kind.POSITIONAL_ONLY, default=absent))
    parameters.append(Kind("out", Kind.KEYWORD_ONLY, default=None))
    for attribute, kind, text in attributes:
        required = Kind.empty if text == "" else default(text, kind)
        parameters.append(Kind(spelled(attribute), Kind.KEYWORD_ONLY, default=required))
    if system in ("onnx", "openvino"):
        parameters.append(Kind("opset", Kind.KEYWORD_ONLY, default=None))
    return _broadaxe.FrameworkOperator(system, name, documentation, inspect.Signature(parameters))


def install(package):
    """Make a module of each framework and put it into the package."""
    for system, name, counts, attributes, documentation in _broadaxe.frameworks():
        full = f"{package.__name__}.{system}"
        module = sys.modules.get(full)
        if module is None:
            module = types.ModuleType(full, f"Element-wise operators of {system}, by its names and attributes.")
            module.__all__ = []
            sys.modules[full] = module
            setattr(package, system, module)
        setattr(module, name, _function(system, name, counts, attributes, documentation))
        module.__all__.append(name)
