"""Model files: what their broadcasts mean on other runtimes, and the repair."""

import dataclasses
import json
import os
import types
import typing
from dataclasses import dataclass, field

from . import _broadaxe


def _build(kind, data):
    """Makes an object of a record class, or a list of them, of what JSON holds."""
    if dataclasses.is_dataclass(kind):
        if data is None:
            return None
        hints = typing.get_type_hints(kind)
        names = [one.name for one in dataclasses.fields(kind) if one.init and one.name in data]
        return kind(**{name: _build(hints[name], data[name]) for name in names})
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is list and data is not None:
        return [_build(args[0], one) for one in data]
    if origin in (typing.Union, types.UnionType):
        (inner,) = [one for one in args if one is not type(None)] if args[1:] == (type(None),) else (None,)
        return data if inner is None else _build(inner, data)
    return data


class _Record:
    def to_json(self, indent=None):
        """Return the record as JSON text."""
        return json.dumps(dataclasses.asdict(self), indent=indent)


class _Printed(_Record):
    def __str__(self):
        return self.text

    def to_json(self, indent=None):
        """Return the record as JSON text, without the text for people."""
        record = dataclasses.asdict(self)
        for name in ("text", "model_bytes"):
            record.pop(name, None)
        return json.dumps(record, indent=indent)


@dataclass(frozen=True)
class Operand(_Record):
    """An operand of a node: its tensor, its shape (None where the rank is not known), and where that is known from."""

    tensor: str
    shape: list[int | str] | None
    origin: str
    constant: bool


@dataclass(frozen=True)
class Counterexample(_Record):
    """An element of the result on which two meanings differ: what is read there, and both values."""

    element: list[int]
    reads: list[list[int]]
    target_reads: list[list[int]]
    numbers: list[float | None]
    here: float | None
    there: float | None
    target_shape: list[int]


@dataclass(frozen=True)
class Near(_Record):
    """Shapes near those of a refused node with which it would differ without an error, and an element that does."""

    shapes: list[list[int]]
    counterexample: Counterexample


@dataclass(frozen=True)
class Repair(_Record):
    """What would make a node mean the same, and the bytes that it copies each time the model runs."""

    text: str
    bytes: int


@dataclass(frozen=True)
class Finding(_Record):
    """What one target does with one node; `verdict` is same, differs, refused, unsupported, guarded or unknown."""

    node: str
    op: str
    place: str
    target: str
    verdict: str
    reason: str
    condition: str | None
    operands: list[Operand]
    result: list[int | str] | None
    axis: int | None
    sizes: list[int]
    counterexample: Counterexample | None
    near: Near | None
    evidence: str | None
    source: str | None
    repair: Repair | None


@dataclass(frozen=True)
class TargetCount(_Record):
    """How often each verdict was given for one target."""

    name: str
    same: int
    differs: int
    refused: int
    unsupported: int
    guarded: int
    unknown: int


@dataclass(frozen=True)
class Check(_Printed):
    """What `check` found in a model; prints as the command prints it."""

    version: int
    model: str
    format: str
    nodes: int
    unknown: int
    others: int
    targets: list[TargetCount]
    findings: list[Finding]
    text: str = field(default="", repr=False, compare=False)

    @property
    def ok(self):
        """Whether no node differs, is refused, or is the same under a condition only; unsupported and unknown nodes are not counted."""
        return all(one.verdict in ("same", "unsupported", "unknown") for one in self.findings)


@dataclass(frozen=True)
class Change(_Record):
    """A change that `fix` made to a node, and the bytes that it copies each time the model runs."""

    node: str
    op: str
    change: str
    bytes: int


@dataclass(frozen=True)
class Left(_Record):
    """A node that could not be repaired, and why; `unsupported` where a target has no such operator."""

    node: str
    reason: str
    unsupported: bool = False


@dataclass(frozen=True)
class Fix(_Printed):
    """What `fix` changed; `model_bytes` is the changed model where no file was asked for."""

    changes: list[Change]
    left: list[Left]
    verified: str | None
    output: str | None
    model_bytes: bytes | None = field(default=None, repr=False)
    text: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True)
class CensusRow(_Record):
    """How many nodes of one operator broadcast in one pattern."""

    op: str
    pattern: str
    nodes: int
    loops: int | None
    blow_up: float | None
    bytes: int


@dataclass(frozen=True)
class Census(_Printed):
    """The element-wise nodes of a model by operator and pattern."""

    model: str
    nodes: int
    rows: list[CensusRow]
    text: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True)
class Sizes(_Printed):
    """Which sizes of an open dim a model takes."""

    model: str
    dim: str
    takes: str
    text: str = field(default="", repr=False, compare=False)


def _ask(model, words):
    """Asks the command about a file, about bytes, or about an onnx.ModelProto."""
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if isinstance(model, (bytes, bytearray, memoryview)):
        text, data, changed = _broadaxe.model([*words, "--", "model"], bytes(model))
    else:
        text, data, changed = _broadaxe.model([*words, "--", os.fspath(model)], None)
    return text, json.loads(data), changed


def _words(targets, input_shapes):
    words = []
    if targets is not None:
        names = [targets] if isinstance(targets, str) else list(targets)
        words += ["--for", ",".join(names)]
    for name, shape in (input_shapes or {}).items():
        words += ["--input-shape", f"{name}:" + (",".join(str(dim) for dim in shape) or "()")]
    return words


def check(model, targets=("onnx", "openvino", "ncnn"), input_shapes=None):
    """Show where the element-wise nodes of a model mean something else on other runtimes, with the numbers that differ.

    `model` is a path, the bytes of a file, or an onnx.ModelProto; `targets` are names of runtimes (`broadaxe targets` lists
    them); `input_shapes` fixes open inputs, a shape by name. Raises ValueError for an unknown target or a broken model and
    OSError for a file that cannot be read.

    >>> import broadaxe as bx
    >>> found = bx.check("examples/face.onnx", targets=["onnx"])  # doctest: +SKIP
    >>> found.findings[0].verdict, found.findings[0].counterexample.element  # doctest: +SKIP
    """
    text, data, _ = _ask(model, ["check", *_words(targets, input_shapes)])
    (record,) = data["models"]
    return _build(Check, {**record, "text": text})


def fix(model, targets, out=None, verify=True, input_shapes=None):
    """Change a model so that it means the same on other runtimes, with the fewest changes.

    With `out` the changed model is written there, whole or not at all; else it is returned in `model_bytes`. With `verify` the
    element-wise nodes are computed before and after, bit for bit. Nodes that could not be repaired stand in `left`. Raises
    ValueError where the changed model would not be the same.
    """
    words = ["fix", *_words(targets, input_shapes), *([] if verify else ["--no-verify"])]
    words += ["--dry-run"] if out is None else ["-o", os.fspath(out)]
    text, data, changed = _ask(model, words)
    return _build(Fix, {**data, "text": text, "model_bytes": changed})


def census(model, input_shapes=None):
    """Count the element-wise nodes of a model by operator and by how they broadcast."""
    text, data, _ = _ask(model, ["census", *_words(None, input_shapes)])
    (record,) = data["models"]
    return _build(Census, {**record, "text": text})


def sizes(model, sweep, input_shapes=None):
    """Say which sizes of an open dim a model takes; `sweep` is such as "height=1..512"."""
    text, data, _ = _ask(model, ["sizes", "--sweep", sweep, *_words(None, input_shapes)])
    return _build(Sizes, {**data, "text": text})
