"""Prints findings as annotations of GitHub: action.yml runs it on the SARIF that the command wrote.

    python packaging/annotate.py --status 1 --errors findings.sarif.errors findings.sarif
"""

import argparse
import json
import pathlib
import sys
import urllib.parse

LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def visible(text):
    """Replaces characters that a terminal or a log would obey."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)


def message(text):
    """Escapes the text of an annotation."""
    return visible(text).replace("%", "%25").replace("\n", "%0A")


def value(text):
    """Escapes a property of an annotation."""
    return message(text).replace(":", "%3A").replace(",", "%2C")


def path(uri):
    """Returns the path of a file from its address in SARIF, which may be encoded or not."""
    return uri if pathlib.Path(uri).exists() else urllib.parse.unquote(uri)


def annotation(result):
    """Returns the line for one result of SARIF."""
    place = result["locations"][0]["physicalLocation"]
    file = path(place["artifactLocation"]["uri"])
    line = place.get("region", {}).get("startLine", 1)
    level = LEVELS.get(result.get("level"), "warning")
    title = f"broadaxe: {result['ruleId']}"
    return f"::{level} file={value(file)},line={line},title={value(title)}::{message(result['message']['text'])}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--status", type=int, required=True, help="the exit code of the command")
    parser.add_argument("--errors", type=pathlib.Path, required=True, help="what the command wrote about errors")
    parser.add_argument("sarif", type=pathlib.Path)
    chosen = parser.parse_args()
    lines = []
    if chosen.status > 1:
        lines.append("::error title=broadaxe::" + message(chosen.errors.read_text(errors="replace").strip() or "broadaxe failed"))
    else:
        for run in json.loads(chosen.sarif.read_text())["runs"]:
            lines += [annotation(result) for result in run["results"]]
    sys.stdout.write("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    main()
