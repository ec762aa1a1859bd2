"""Records of what the command answers: dataclasses that are built of its JSON when they are read."""

import dataclasses
import functools
import json
import os
import sys
import types
import typing

from . import _html


@functools.cache
def _plan(kind):
    """Return the fields of a record class, each with what builds its value; None for one that JSON holds directly."""
    hints = typing.get_type_hints(kind)
    return tuple((one.name, _builder(hints[one.name])) for one in dataclasses.fields(kind))


def _builder(hint):
    if dataclasses.is_dataclass(hint):
        return functools.partial(build, hint)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is list and dataclasses.is_dataclass(args[0]):
        return functools.partial(build_all, args[0])
    if origin in (typing.Union, types.UnionType):
        inner = [_builder(one) for one in args if one is not type(None)]
        return inner[0] if len(inner) == 1 else None
    return None


def build(kind, data):
    """Make a record of a class of what JSON holds."""
    made = object.__new__(kind)
    values = vars(made)
    for name, builder in _plan(kind):
        if name in data:
            value = data[name]
            values[name] = value if builder is None or value is None else builder(value)
    return made


def build_all(kind, data):
    """Make a list of records."""
    return [build(kind, one) for one in data]


class Record:
    """A record; `to_json` writes it."""

    def to_json(self, indent: int | None = None) -> str:
        """Return the record as JSON text."""
        return json.dumps(dataclasses.asdict(self), indent=indent)  # type: ignore[call-overload]


class Answered(Record):
    """A record of an answer of the command: prints as the command prints it, and reads what is large when it is asked for."""

    _LARGE: typing.ClassVar[tuple[str, ...]] = ()
    """The fields that are read late."""

    @classmethod
    def _of(cls, told, part=lambda data: data):
        """Make the record of an answer, of a part of its JSON."""
        data = part(json.loads(told.json()))
        made = build(cls, {name: value for name, value in data.items() if name not in cls._LARGE})
        vars(made)["_told"] = told
        return made

    if not typing.TYPE_CHECKING:

        def __getattr__(self, name):
            if name in type(self)._LARGE and "_told" in vars(self):
                (builder,) = (builder for field, builder in _plan(type(self)) if field == name)
                return vars(self).setdefault(name, builder(self._data(name)))
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _data(self, name):
        """Return what JSON holds of a field that is read late."""
        key = f"_{name}"
        if key not in vars(self):
            # Piece by piece, so that Ctrl-C ends the reading of a long list.
            told, items = vars(self)["_told"], []
            while some := json.loads(getattr(told, name)(len(items))):
                items += some
            vars(self)[key] = items
        return vars(self)[key]

    @functools.cached_property
    def text(self) -> str:
        """The text that the command prints, without colours."""
        return vars(self)["_told"].text

    @functools.cached_property
    def _coloured(self) -> str:
        return vars(self)["_told"].coloured

    @functools.cached_property
    def _words(self) -> dict[str, typing.Any]:
        """What a notebook shows, in the words of the command."""
        return json.loads(vars(self)["_told"].words)

    @functools.cached_property
    def _html(self) -> str | None:
        """What a notebook shows of a check, as HTML."""
        return vars(self)["_told"].html

    def show(self, file: typing.Any = None, color: bool | None = None) -> None:
        """Print the text; in colours where `file`, by default sys.stdout, is a terminal that shows them, or as `color` says."""
        file = sys.stdout if file is None else file
        if color is None:
            plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
            color = not plain and hasattr(file, "isatty") and file.isatty()
        file.write(self._coloured if color else self.text)

    def __str__(self) -> str:
        return self.text

    def __getstate__(self) -> dict[str, typing.Any]:
        for name in ("text", "_coloured", "model_bytes", "_words", "_html", *self._LARGE):
            getattr(self, name, None)
        late = {f"_{name}" for name in self._LARGE}
        return {key: value for key, value in vars(self).items() if key != "_told" and key not in late}

    def __setstate__(self, state: dict[str, typing.Any]) -> None:
        vars(self).update(state)


class Judged(Answered):
    """An answer that says whether all is well in `ok`, and is neither true nor false itself."""

    def __bool__(self) -> bool:
        name = type(self).__name__
        raise TypeError(f"a {name} is neither true nor false; ask its .ok, which says whether nothing needs attention")


def short(text, most=60):
    """Shorten a text of a file for a line, with control characters as escapes."""
    text = _html.plain(str(text))
    return text if len(text) <= most else text[: most - 3] + "..."
