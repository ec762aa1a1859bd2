"""Control flow, sequences and optional values."""

import numpy as np

from ._table import operator
from ._tensors import Tensor, Unsupported
from ._views import joined


@operator("If")
def if_(call):
    """Evaluate one of two graphs."""
    branch = call.need("then_branch" if bool(call.number(0)) else "else_branch")
    return tuple(call.run.subgraph(branch))


def stacked(call, parts, axis=0):
    """Put the results of every turn after each other along a new axis."""
    if not parts:
        raise Unsupported(f"{call.op} without a turn, whose results would have no shape, is not supported")
    call.room((len(parts), *parts[0].shape), parts[0].dtype)
    return np.stack([part.elements() for part in parts], axis)


def _none(value):
    """Return the result of no turn: no elements, of the type that a graph declares."""
    from .._arrays import dtype_of
    from ._tensors import short_name

    kind = value.type.tensor_type
    dims = [dim.dim_value for dim in kind.shape.dim]
    return np.zeros([0, *dims], dtype_of(short_name(kind.elem_type)))


@operator("Loop")
def loop(call):
    """Evaluate a graph as often as a number says, and while its condition is true."""
    body, carried = call.need("body"), [call.inputs[k] for k in range(2, len(call.inputs))]
    most = int(call.number(0)) if call.has(0) else None
    go = bool(call.number(1)) if call.has(1) else True
    scanned = [[] for _ in range(len(body.output) - 1 - len(carried))]
    turn = 0
    while go and (most is None or turn < most):
        inputs = [Tensor(array=np.array(turn, np.int64)), Tensor(array=np.array(True)), *carried]
        condition, *made = call.run.subgraph(body, inputs)
        carried, go, turn = made[: len(carried)], bool(condition.elements().reshape(())), turn + 1
        for parts, part in zip(scanned, made[len(carried) :]):
            parts.append(part)
    ends = body.output[1 + len(carried) :]
    return (*carried, *(stacked(call, parts) if parts else _none(end) for parts, end in zip(scanned, ends)))


@operator("Scan")
def scan(call):
    """Evaluate a graph for each slice along an axis, passing a state on."""
    if call.version < 9:
        raise Unsupported("Scan of opset 8 is not supported; it is from opset 9 on")
    body, count = call.need("body"), call.need("num_scan_inputs")
    state, given = list(call.inputs[: len(call.inputs) - count]), [call.array(k) for k in range(len(call.inputs) - count, len(call.inputs))]
    results = len(body.output) - len(state)
    attribute = lambda name, size: call.get(name) or [0] * size  # noqa: E731
    axes = [call.axis(axis, x.ndim) for axis, x in zip(attribute("scan_input_axes", count), given)]
    turned = [np.moveaxis(np.flip(x, axis) if back else x, axis, 0)
              for x, axis, back in zip(given, axes, attribute("scan_input_directions", count))]
    if len({len(x) for x in turned}) > 1:
        raise ValueError(f"the inputs have {sorted({len(x) for x in turned})} slices; they have as many as each other")
    scanned = [[] for _ in range(results)]
    for slices in zip(*turned):
        made = call.run.subgraph(body, [*state, *(Tensor(array=np.asarray(one)) for one in slices)])
        state = made[: len(state)]
        for parts, part in zip(scanned, made[len(state) :]):
            parts.append(part)
    back, places = attribute("scan_output_directions", results), attribute("scan_output_axes", results)
    outputs = (stacked(call, parts[::-1] if turn else parts) for parts, turn in zip(scanned, back))
    return (*state, *(np.moveaxis(one, 0, place) for one, place in zip(outputs, places)))


def sequence(call, place):
    """Return an input that is to be a sequence."""
    found = call.input(place)
    if not isinstance(found, list):
        raise TypeError(f"it needs a sequence as input {place}")
    return found


def _place(call, k, size, end=False):
    """Return the index that an input gives into a sequence."""
    place = int(call.number(k))
    if not -size <= place < size + end:
        raise IndexError(f"the index {place} is not in a sequence of {size}")
    return place + size if place < 0 else place


@operator("SequenceConstruct")
def sequence_construct(call):
    """Make a sequence of tensors."""
    return [call.tensor(k) for k in range(len(call.inputs))]


@operator("SequenceEmpty")
def sequence_empty(call):
    """Make an empty sequence."""
    return []


@operator("SequenceLength")
def sequence_length(call):
    """Count the tensors of a sequence."""
    return np.array(len(sequence(call, 0)), np.int64)


@operator("SequenceAt")
def sequence_at(call):
    """Give a tensor of a sequence."""
    found = sequence(call, 0)
    return found[_place(call, 1, len(found))]


@operator("SequenceInsert")
def sequence_insert(call):
    """Insert a tensor into a sequence, by default at its end."""
    found, tensor = list(sequence(call, 0)), call.tensor(1)
    found.insert(_place(call, 2, len(found), end=True) if call.has(2) else len(found), tensor)
    return found


@operator("SequenceErase")
def sequence_erase(call):
    """Take a tensor out of a sequence, by default the last."""
    found = list(sequence(call, 0))
    if not found:
        raise IndexError("the sequence is empty")
    del found[_place(call, 1, len(found)) if call.has(1) else -1]
    return found


@operator("SequenceMap")
def sequence_map(call):
    """Evaluate a graph for each tensor of a sequence; other sequences give theirs at the same place, tensors are the same in every turn."""
    body, first = call.need("body"), sequence(call, 0)
    results = [[] for _ in body.output]
    for place in range(len(first)):
        inputs = [call.input(k) for k in range(len(call.inputs))]
        if any(isinstance(one, list) and len(one) != len(first) for one in inputs):
            raise ValueError("the sequences are not of the same length")
        made = call.run.subgraph(body, [one[place] if isinstance(one, list) else one for one in inputs])
        for parts, part in zip(results, made):
            parts.append(part)
    return tuple(results)


@operator("SplitToSequence")
def split_to_sequence(call):
    """Cut a tensor along an axis into a sequence."""
    x = call.array(0)
    axis = call.axis(call.get("axis", 0), x.ndim)
    size = x.shape[axis]
    if not call.has(1):
        keep = call.get("keepdims", 1)
        return [Tensor(array=part if keep else part.squeeze(axis)) for part in np.split(x, range(1, size), axis)] if size else []
    given = call.ints(1)
    if call.tensor(1).shape == ():
        if given[0] < 1:
            raise ValueError(f"parts of {given[0]} elements; they have 1 or more")
        ends = range(given[0], size, given[0])
    elif sum(given) != size or any(length < 0 for length in given):
        raise ValueError(f"the lengths {given} do not make {size} elements")
    else:
        ends = np.cumsum(given)[:-1]
    return [Tensor(array=part) for part in np.split(x, list(ends), axis)]


@operator("ConcatFromSequence")
def concat_from_sequence(call):
    """Put the tensors of a sequence after each other, along an axis or a new one."""
    arrays, new = [tensor.elements() for tensor in sequence(call, 0)], call.get("new_axis", 0)
    if not arrays:
        raise ValueError("the sequence is empty")
    axis = call.axis(call.need("axis"), arrays[0].ndim + new)
    return joined(call, [np.expand_dims(array, axis) for array in arrays] if new else arrays, axis)


@operator("Optional")
def optional(call):
    """Make an optional value of a value, or of nothing."""
    return call.inputs[0] if call.inputs else None


@operator("OptionalHasElement")
def optional_has_element(call):
    """Say whether an optional value exists."""
    return np.array(call.has(0))


@operator("OptionalGetElement")
def optional_get_element(call):
    """Give the value of an optional one."""
    return call.input(0)
