"""Tables for notebooks: plain HTML without scripts, in the colours of the page, with every text escaped."""

import html
import os
import re

_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")

_TABLE = "border-collapse:collapse;margin:.5em 0;color:inherit;border:0;font-size:inherit"
_CELL = "text-align:left;padding:4px 12px 4px 0"
# Grey on light and dark pages; filters of notebooks drop color-mix().
_LINE = "#8884"
_ROW = f"border-bottom:1px solid {_LINE}"
_HEAD = _CELL
_SMALL = "opacity:.75;font-size:.92em"
_MOST = 30


def plain(text):
    """Write control characters, and those that turn the direction of writing, as escapes."""
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def count(number, noun):
    """Write a number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class Html(str):
    """A text that is HTML already."""

    def __add__(self, other):
        return Html(super().__add__(_safe(other)))


def _safe(value):
    return value if isinstance(value, Html) else Html(html.escape(plain("" if value is None else str(value))))


def _tag(name, inner, style="", **attributes):
    written = "".join(f' {key}="{html.escape(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{written}" + (f' style="{style}"' if style else "") + f">{_safe(inner)}</{name}>")


def _join(parts, between=""):
    return Html(between.join(_safe(part) for part in parts))


def _table(head, rows, right=()):
    """Write a table; the columns whose numbers are in `right` hold numbers."""
    align = lambda k: ";text-align:right;font-variant-numeric:tabular-nums" if k in right else ""  # noqa: E731
    line = lambda cells, tag, style: _join(_tag(tag, cell, style + align(k)) for k, cell in enumerate(cells))  # noqa: E731
    body = _join(_tag("tr", line(row, "td", _CELL), _ROW) for row in rows)
    return _tag("table", _tag("thead", _tag("tr", line(head, "th", _HEAD), "border-bottom:1px solid")) + _tag("tbody", body), _TABLE)


def _bold(text):
    return _tag("b", text)


def _code(text):
    return _tag("code", text, "background:transparent;color:inherit;padding:0")


def _note(text):
    return _tag("div", text, _SMALL)


def _page(*parts):
    return _tag("div", _join(parts), "color:inherit;background:transparent")


def _bytes(size):
    """Write a number of bytes."""
    if not size:
        return "nothing"
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024


def _more(rest, what):
    return _note(f"... and {rest} more {what}") if rest > 0 else Html()


def fix(found):
    """Write what `fix` or `upgrade` changed."""
    words = found._words
    parts = [_tag("div", _join([_bold(words["title"])]))]
    if rows := words["rows"]:
        shown = [[_code(node), *cells] for node, *cells in rows[:_MOST]]
        parts += [_table(words["head"], shown), _more(len(rows) - _MOST, "changes")]
    parts += [_note(line) for line in words["left"]]
    parts += [_note(f"Verified: {found.verified}.")] if found.verified else []
    parts += [_note(f"Written to {found.output}.")] if found.output else []
    return _page(*parts)


def census(found):
    """Write the rows of a census."""
    blow_up = lambda value: "-" if value is None else f"{value:.2f}"  # noqa: E731
    rows = [
        [row.op, row.pattern, row.nodes, "-" if row.loops is None else row.loops, blow_up(row.blow_up), _bytes(row.bytes)]
        for row in found.rows
    ]
    title = _tag("div", _join([_bold(os.path.basename(found.model)), f": {count(found.nodes, 'broadcasting node')}"]))
    table = _table(["operator", "pattern", "nodes", "loops", "blow-up", "bytes"], rows, (2, 3, 4, 5))
    return _page(title, table, _note("Loops: axes left after merging. Blow-up: result elements per input element. Largest value in each group."))


def sizes(found):
    """Write the sizes that a model accepts."""
    return _page(_table(["model", "dim", "accepts"], [[os.path.basename(found.model), _code(found.dim), found.accepts]]))


def drawn(words, drawing):
    """Show a drawing, with what the command says of it: the cost of a broadcast, or the result of every rule and where they differ."""
    if "cost" in words:
        return _page(drawing, *([_note(words["cost"])] if words["cost"] else []))
    rows = [[_bold(rule), *cells] for rule, *cells in words["rows"]]
    lines = [f"With {words['example']}:"] if words["example"] else []
    lines += words["differences"]
    notes = [_note(note) for note in words["notes"] if note]
    return _page(_tag("div", _bold(words["title"])), _table(words["head"], rows), *notes, *(_tag("div", line) for line in lines), drawing)
