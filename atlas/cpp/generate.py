"""Writes the cases of core.jsonl into broadaxe_atlas.hpp.

python atlas/cpp/generate.py           writes the header
python atlas/cpp/generate.py --check   fails if the header is not current
"""

import json
import pathlib
import sys
import textwrap

HERE = pathlib.Path(__file__).parent
BEGIN = "// BEGIN CASES (generate.py writes this part)\n"
END = "// END CASES\n"


def text(value):
    """Write a string literal."""
    assert value.isascii() and value.isprintable() and '"' not in value and "\\" not in value, value
    return f'"{value}"'


def dims(shape):
    """Write a shape."""
    return "none" if shape is None else f"{{{len(shape)}, {{{', '.join(map(str, shape))}}}}}"


def part(lines, version):
    """Write the generated part of the header."""
    elements, rows = [], []
    for line in lines:
        case = json.loads(line)
        shapes = [dims(shape) for shape in case["operands"]]
        fields = [
            *(text(case[key]) for key in ("id", "op", "rule")),
            text(case.get("mode", "")),
            str(case.get("axis", "no_axis")),
            dims(case.get("axes")),
            dims(case.get("target")),
            str(len(shapes)),
            f"{{{', '.join(shapes + ['none'] * (3 - len(shapes)))}}}",
            text(" ".join(case["kinds"])),
            text(case.get("reject", "")),
            dims(case.get("shape")),
            str(len(elements)),
        ]
        rows.append(f"  {{{', '.join(fields)}}},")
        elements += [element for own in case.get("elements", []) for element in own]
    assert max(elements) < 1 << 16
    listed = textwrap.fill(", ".join(map(str, elements)), 118, initial_indent="  ", subsequent_indent="  ")
    return (
        f"inline constexpr const char* version = {text(version)};\n\n"
        f"inline constexpr std::uint16_t elements[] = {{\n{listed}}};\n\n"
        "inline constexpr Case cases[] = {\n" + "\n".join(rows) + "\n};\n"
    )


def header(old, lines, version):
    """Return a header with the generated part renewed."""
    before, found, rest = old.partition(BEGIN)
    _, ended, after = rest.partition(END)
    assert found and ended, "the header has no generated part"
    return before + BEGIN + part(lines, version) + END + after


def main():
    """Write or check the header."""
    path = HERE / "broadaxe_atlas.hpp"
    old = path.read_text(encoding="utf-8")
    lines = (HERE.parent / "core.jsonl").read_text(encoding="utf-8").splitlines()
    new = header(old, lines, (HERE.parent / "VERSION").read_text(encoding="utf-8").strip())
    if "--check" in sys.argv[1:]:
        if new != old:
            sys.exit(f"{path.name} is not current; run: python atlas/cpp/generate.py")
    elif new != old:
        path.write_text(new, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
