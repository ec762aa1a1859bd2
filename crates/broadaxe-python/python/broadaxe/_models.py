"""Model files: what their broadcasts mean on other runtimes, and how to fix them."""

import collections.abc
import functools
import inspect
import json
import operator
import os
import typing
from dataclasses import dataclass

import numpy as np

from . import _arrays, _broadaxe, _html
from ._html import count
from ._records import Answered, Judged, Record, build_all, short

PROBLEMS = ("differs", "refused", "guarded")
"""The verdicts that need attention."""


@dataclass(frozen=True)
class Operand(Record):
    """An operand of a node: its tensor, its shape (None where the rank is not known), and where that is known from."""

    tensor: str
    shape: list[int | str] | None
    origin: str
    constant: bool


@dataclass(frozen=True)
class Counterexample(Record):
    """An element of the result on which two meanings differ: what is read there, and both values."""

    element: list[int]
    reads: list[list[int]]
    target_reads: list[list[int]]
    numbers: list[float | None]
    target_numbers: list[float | None]
    here: float | None
    there: float | None
    target_shape: list[int]


@dataclass(frozen=True)
class Near(Record):
    """Shapes near those of a refused node with which it would differ without an error, and an element that does."""

    shapes: list[list[int]]
    counterexample: Counterexample


@dataclass(frozen=True)
class Repair(Record):
    """What would make a node mean the same, and the bytes that it copies each time the model runs.

    `bytes` is None where they depend on an open dim; `copied` then lists bytes per element along open dims.
    """

    text: str
    bytes: int | None
    copied: list[dict[str, object]]


@dataclass(frozen=True)
class Finding(Record):
    """What one target does with one node; `verdict` is same, differs, refused, unsupported, guarded or unknown.

    `axes` lists, for each operand, the axes of the result that its axes feed by the model's own rule, and `target_axes` those on the
    target. Each is None where it is not known, and where the node needs no attention. `invalid` says why the node is wrong by the rules of
    the model's own format, or is None; `verdict` is then what the target does all the same.
    """

    node: str
    op: str
    place: str
    number: int
    line: int | None
    target: str
    verdict: str
    code: str | None
    reason: str
    cause: str
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
    fixable: bool
    fails: bool
    axes: list[list[int]] | None = None
    target_axes: list[list[int]] | None = None
    invalid: str | None = None


@dataclass(frozen=True)
class Caveat(Record):
    """What a target does with numbers of some nodes that are the same there otherwise: a clause that follows its name."""

    text: str
    nodes: int


@dataclass(frozen=True)
class TargetCount(Record):
    """How often each verdict was given for one target.

    `engines` are those that its laws were asked of, with their versions; `caveats` are numbers for which `same` does not hold.
    """

    name: str
    same: int
    differs: int
    refused: int
    unsupported: int
    guarded: int
    unknown: int
    engines: list[str]
    caveats: list[Caveat]


@dataclass(frozen=True)
class Group(Record):
    """Findings of one cause, as the command groups them.

    `members` are the places of the findings in `Check.findings`. `sample` describes the first of them, and `others` are the names of the
    nodes of the others, folded where they differ in numbers.
    """

    severity: str
    code: str
    name: str
    title: str
    why: str
    members: list[int]
    others: list[str]
    sample: dict[str, typing.Any]


@dataclass(frozen=True, repr=False)
class Check(Judged):
    """What `check` found in a model; prints as the command prints it, and a notebook shows it as a table.

    `ok` says whether nothing needs attention, `problems` lists what does, `groups` has those of one cause together, and `findings` has
    everything.
    """

    version: int
    model: str
    format: str
    opset: int | None
    nodes: int
    unknown: int
    others: int
    targets: list[TargetCount]
    findings: list[Finding]

    _LARGE = ("findings",)

    @property
    def ok(self) -> bool:
        """Whether no node differs, is refused, or depends on size; unsupported and unknown nodes are not counted."""
        return not any(getattr(target, verdict) for target in self.targets for verdict in PROBLEMS)

    @functools.cached_property
    def problems(self) -> list[Finding]:
        """The findings that need attention: those that differ, are refused, or depend on size."""
        if "findings" in vars(self):
            return [one for one in self.findings if one.verdict in PROBLEMS]
        if self.ok:
            return []
        return build_all(Finding, [one for one in self._data("findings") if one["verdict"] in PROBLEMS])

    @functools.cached_property
    def groups(self) -> list[Group]:
        """The findings that need attention, those of one cause together, in the groups and words of the command."""
        return build_all(Group, self._words["groups"])

    def __repr__(self) -> str:
        said = "".join(f"; {target['name']}: {target['counts']}" for target in self._words["targets"])
        return f"<Check {short(os.path.basename(self.model))}: {count(self.nodes, 'node')}{said}>"

    def _repr_html_(self) -> str:
        return self._html or ""


@dataclass(frozen=True)
class Change(Record):
    """A change that `fix` made to a node, and the bytes that it copies each time the model runs, as in `Repair`."""

    node: str
    op: str
    change: str
    bytes: int | None
    copied: list[dict[str, object]]


@dataclass(frozen=True)
class Left(Record):
    """A node that was left unchanged, and why; `kind` is finding, unsupported (a target has no such operator) or unknown."""

    node: str
    reason: str
    kind: str


@dataclass(frozen=True, repr=False)
class Fix(Judged):
    """What `fix` or `upgrade` changed; `model_bytes` is the changed model where no file was asked for.

    `upgrade` has what `fix` changed before, to bring a model of an old opset to opset 7.
    """

    upgrade: list[Change]
    changes: list[Change]
    left: list[Left]
    verified: str | None
    output: str | None

    @functools.cached_property
    def model_bytes(self) -> bytes | None:
        """The changed model, where no file was asked for."""
        return vars(self)["_told"].changed if "_told" in vars(self) else None

    @property
    def ok(self) -> bool:
        """Whether no node is left that a target computes otherwise or refuses."""
        return all(one.kind != "finding" for one in self.left)

    def __repr__(self) -> str:
        parts = [count(len(self.upgrade) + len(self.changes), "change"), f"{len(self.left)} left" if self.left else ""]
        parts.append("verified" if self.verified else "")
        parts.append(f"written to {short(self.output)}" if self.output else "")
        return f"<Fix: {', '.join(part for part in parts if part)}>"

    def _repr_html_(self) -> str:
        return _html.fix(self)


@dataclass(frozen=True)
class CensusRow(Record):
    """How many nodes of one operator broadcast in one pattern."""

    op: str
    pattern: str
    nodes: int
    loops: int | None
    blow_up: float | None
    bytes: int
    open: int


@dataclass(frozen=True, repr=False)
class Census(Answered):
    """The broadcasting nodes of a model by operator and pattern."""

    model: str
    nodes: int
    rows: list[CensusRow]

    def __repr__(self) -> str:
        groups = count(len(self.rows), "group")
        return f"<Census {short(os.path.basename(self.model))}: {count(self.nodes, 'node')} in {groups}>"

    def _repr_html_(self) -> str:
        return _html.census(self)


@dataclass(frozen=True, repr=False)
class Sizes(Answered):
    """Which sizes of an open dim a model accepts."""

    model: str
    dim: str
    accepts: str

    def __repr__(self) -> str:
        return f"<Sizes {short(os.path.basename(self.model))}: {short(self.dim)} accepts {short(self.accepts, 120)}>"

    def _repr_html_(self) -> str:
        return _html.sizes(self)


@dataclass(frozen=True, repr=False)
class Extract(Answered):
    """A node as a model of its own; `model_bytes` is that model where no file was asked for."""

    node: str
    op: str
    output: str | None
    remarks: list[str]

    @functools.cached_property
    def model_bytes(self) -> bytes | None:
        """The model of one node, where no file was asked for."""
        return vars(self)["_told"].changed if "_told" in vars(self) else None

    @functools.cached_property
    def inputs(self) -> dict[str, np.ndarray]:
        """What its inputs may be given, by their names."""
        arrays = vars(self)["_told"].inputs
        read = lambda data, dtype, shape: np.frombuffer(data, _arrays.dtype_of(dtype)).reshape(shape).copy()  # noqa: E731
        return {name: read(data, dtype, shape) for name, dtype, shape, data in arrays}

    def __getstate__(self) -> dict:
        self.inputs  # noqa: B018
        return super().__getstate__()

    def __repr__(self) -> str:
        where = f", written to {short(self.output)}" if self.output else ""
        return f"<Extract {short(self.node)} ({short(self.op)}), {count(len(self.inputs), 'input')}{where}>"


@dataclass(frozen=True)
class Law(Record):
    """A statement about a target: what it does, how that is known (`run here` or `documented`), and the source."""

    text: str
    evidence: str
    source: str


@dataclass(frozen=True)
class Target(Record):
    """A runtime that models can be checked for, and the statements that its verdicts rest on.

    `aliases` are other names for it. `versions` are those that differ in a statement; `NAME@VERSION` selects one, and the plain
    name the newest. `reads` lists the formats that it or its converter reads; None for a rule, which is no runtime.
    """

    name: str
    aliases: list[str]
    versions: list[str]
    summary: str
    reads: list[str] | None
    laws: list[Law]

    def __repr__(self) -> str:
        return f"<Target {self.name}: {self.summary}, {count(len(self.laws), 'law')}>"


def _source(model):
    """Return the path of a model and None, or a name for it and its bytes."""
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if isinstance(model, (bytes, bytearray, memoryview)):
        return "model", bytes(model)
    if isinstance(model, (str, os.PathLike)):
        return os.fsdecode(model), None
    kind = type(model).__name__
    raise TypeError(f"a model is a path, the bytes of a model file, or an onnx.ModelProto, not {kind}")


def _ask(model, request, out=None, **fields):
    """Send a request about a file, about bytes, or about an onnx.ModelProto; fields that are None are left out."""
    path, data = _source(model)
    given = {name: value for name, value in fields.items() if value is not None}
    out = None if out is None else os.fsdecode(out)
    return _broadaxe.model(json.dumps({"request": request, **given}), path, data, out)


def _shapes(input_shapes):
    if input_shapes is None:
        return None
    if not isinstance(input_shapes, collections.abc.Mapping):
        kind = type(input_shapes).__name__
        raise TypeError(f'input_shapes must be shapes by the names of inputs, such as {{"image": (1, 3, 224, 224)}}, not {kind}')
    return [_named(name, shape) for name, shape in input_shapes.items()]


def _names(targets):
    if targets is None:
        return None
    names = [targets] if isinstance(targets, str) else targets
    names = list(names) if isinstance(names, collections.abc.Iterable) else [None]
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f'targets must be the name of a runtime or several, such as ["onnx", "ncnn"], not {targets!r}')
    if not names:
        raise ValueError('targets is empty; name a runtime, such as "onnx"')
    return [part for name in names for part in name.split(",")]


def _named(name, shape):
    if not isinstance(name, str):
        raise TypeError(f"the name of an input is a text, not {type(name).__name__}")
    if isinstance(shape, str):
        return f"{name}:{shape}"
    if not isinstance(shape, collections.abc.Iterable):
        raise TypeError(f"the shape of {name} is {shape!r}; a shape is a tuple of whole numbers and names, such as (1, 3)")
    return f"{name}:" + (",".join(_dim(name, dim) for dim in shape) or "()")


def _dim(name, dim):
    if dim is None or isinstance(dim, str):
        return "?" if dim is None else dim
    try:
        return str(operator.index(dim))
    except TypeError:
        raise TypeError(f"a dim of {name} is {dim!r}; dims are whole numbers, names, or None") from None


def _text(value, name, example):
    if not isinstance(value, str):
        raise TypeError(f'{name} must be a text such as "{example}", not {type(value).__name__}')
    return value


def _engines(ask, engines):
    """Say which engines are asked: nothing where none is named."""
    if ask is None:
        if engines is not None:
            raise TypeError("engines names folders for ask; name the engines to ask too")
        return None
    folders = [engines] if isinstance(engines, (str, os.PathLike)) else engines or []
    names = [ask] if isinstance(ask, str) else ask
    return {"engines": [_text(name, "ask", "onnxruntime") for name in names], "folders": [os.fspath(one) for one in folders]}


MEANT = {
    **dict.fromkeys(("for_", "target", "runtime", "runtimes"), ("targets", 'runtimes are named by targets=, such as targets=["onnx", "ncnn"]')),
    **dict.fromkeys(
        ("shape", "shapes", "input_shape", "dims"),
        ("input_shapes", 'shapes are given by input_shapes=, such as input_shapes={"image": (1, 3, 224, 224)}'),
    ),
    **dict.fromkeys(("output", "path", "to"), ("out", 'the file to write is given by out=, such as out="fixed.onnx"')),
}
"""Keywords that people try, each with the parameter that they mean and what to write."""


def keywords(function):
    """Make a function say which keyword is meant where it is called by another."""
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def call(*args, **kwargs):
        __tracebackhide__ = True
        for name in kwargs:
            meant, words = MEANT.get(name, (None, None))
            if name not in known and meant in known:
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument '{name}'; {words}")
        return function(*args, **kwargs)

    return call


@keywords
def check(model, targets=None, input_shapes=None, ask=None, engines=None):
    """Show where the broadcasting nodes of a model mean something else on other runtimes, with the numbers that differ.

    `model` is a path, the bytes of a file, or an onnx.ModelProto; `targets` are names of runtimes, which `broadaxe.targets()`
    describes, by default litert and litert-gpu for TFLite, and onnx, openvino and ncnn for other formats; `input_shapes` fixes open inputs, a shape by name.
    `ask` names engines that are installed, such as "openvino" or "litert-gpu@2.1.3": the model runs on them in processes of their own, and no target
    is checked for unless it is named; `engines` is a folder with their Python environments, or several. Raises ValueError for an unknown target, an engine that
    is not installed or a broken model, and FileNotFoundError and its like for a file that cannot be read.

    >>> import broadaxe as bx
    >>> found = bx.check("examples/face.onnx", targets=["onnx"])  # doctest: +SKIP
    >>> found.ok, found.problems[0].counterexample.element  # doctest: +SKIP
    (False, [0, 0, 0, 1])
    """
    asked = _engines(ask, engines)
    return Check._of(_ask(model, "check", targets=_names(targets), input_shapes=_shapes(input_shapes), ask=asked))


@keywords
def fix(model, targets, out=None, verify=True, input_shapes=None, intend=None, ask=None, engines=None):
    """Change a model so that it means the same on other runtimes, with the fewest changes.

    With `out` the changed model is written there, atomically; else it is returned in `model_bytes`. Like the command, it computes
    the element-wise nodes before and after and compares them bit for bit; `verify=False` leaves that out. Nodes that could not be
    fixed are listed in `left`; where that is all of them, there is no changed model. `intend="channels"` says that a list of as many numbers
    as the data have channels, such as a slope of PRelu, has one number per channel where more than one reading fits. `ask` and `engines` are those of `check`:
    engines run the changed model, and nodes that they compute wrongly are listed in `left`. Raises ValueError where the changed model would not be the same or nothing could be verified.
    """
    intend = None if intend is None else _text(intend, "intend", "channels")
    names, shapes = _names(targets), _shapes(input_shapes)
    given = {"no_verify": not verify, "intend": intend, "ask": _engines(ask, engines)}
    return Fix._of(_ask(model, "fix", out, targets=names, input_shapes=shapes, **given))


@keywords
def upgrade(model, out=None):
    """Convert an ONNX model from before opset 7 to opset 7, with its broadcasts spelled out.

    With `out` the converted model is written there, atomically; else it is returned in `model_bytes`. A model of opset 7 or later is
    left unchanged. Raises ValueError for a model in another format, and where nodes have no exact counterpart, which it names.
    """
    return Fix._of(_ask(model, "upgrade", out))


@keywords
def extract(model, node, out=None, inline=False, seed=0, input_shapes=None):
    """Take a node out of an ONNX model, as a model of its own with arrays to run it on.

    `node` is the name of the node or of one of its outputs. The model is returned in `model_bytes` and the arrays in `inputs`; with
    `out` they are written there, the arrays as OUT.0.npy and so on, and what the node computes of them as OUT.out.npy. With `inline` the arrays are constants of the new model. Raises
    ValueError where there is no such node or a size is open.
    """
    node, seed = _text(node, "node", "conv1"), operator.index(seed)
    return Extract._of(_ask(model, "extract", out, node=node, seed=seed, inline=bool(inline), input_shapes=_shapes(input_shapes)))


def targets():
    """Return the runtimes that `check` and `fix` know, each with the statements it rests on and how they are known.

    >>> import broadaxe as bx
    >>> [target.name for target in bx.targets()][:3]
    ['onnx', 'onnx6', 'openvino']
    >>> {law.evidence for target in bx.targets() for law in target.laws} >= {"run here", "documented"}
    True
    """
    return build_all(Target, json.loads(_broadaxe.targets())["targets"])


@keywords
def census(model, input_shapes=None):
    """Count the broadcasting nodes of a model by operator and by how they broadcast."""
    return Census._of(_ask(model, "census", input_shapes=_shapes(input_shapes)), lambda data: data["models"][0])


@keywords
def sizes(model, sweep, input_shapes=None):
    """Say which sizes of an open dim a model accepts; `sweep` is such as "height=1..512"."""
    return Sizes._of(_ask(model, "sizes", sweep=_text(sweep, "sweep", "height=1..512"), input_shapes=_shapes(input_shapes)))
