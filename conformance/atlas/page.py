"""Writes docs/atlas-results.md of the results in `atlas/results`, and says which deviations have no explanation.

    python -m conformance.atlas.page [--check]

Explanations are in `atlas/results/notes.toml`. A note names an engine, and patterns of rules, kinds of failures and versions.
"""

import fnmatch
import json
import re
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "atlas" / "results"
PAGE = ROOT / "docs" / "atlas-results.md"
WORDS = {
    "value": "other elements", "shape": "another shape", "accepted": "accepts what the rule rejects", "rejected": "rejects what the rule accepts",
    "crash": "ends or does not answer",
}  # fmt: skip
HEAD = """# Results of the Atlas

This page is written by `python -m conformance.atlas.page`. Each engine answered the cases of a level through an
[adapter](../atlas/adapters), in a process of its own. Only cases of a rule that the engine claims for that operator are asked. Dtype is
f32. [The guide](atlas.md) explains the cases, and what agreement proves.

A count is that of questions: a case is asked once for each choice of constants among its operands, where the engine distinguishes them.
"""


def version_key(version):
    """Order versions by their numbers."""
    return [int(part) if part.isdigit() else -1 for part in re.split(r"[.\-+]|post", version)]


def results(level):
    """Return the results of a level by engine, each the newest version first."""
    found = defaultdict(list)
    for path in sorted((RESULTS / level).glob("*.json")):
        result = json.loads(path.read_text())
        found[result["engine"], result["device"]].append(result)
    for versions in found.values():
        versions.sort(key=lambda result: version_key(result["version"]), reverse=True)
    return dict(sorted(found.items()))


def cases():
    """Return the cases of the core, by the parts of their ids."""
    lines = map(json.loads, (ROOT / "atlas" / "core.jsonl").read_text().splitlines())
    return {line["id"]: line for line in lines}


def numbers(text):
    """Yield the numbers of a list of ranges."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def deviations(versions):
    """Return for each rule and kind of failure the ids that fail in each version."""
    found = defaultdict(lambda: defaultdict(set))
    for result in versions:
        for rule, kinds in result["failures"].items():
            for kind, operands in kinds.items():
                for which, groups in operands.items():
                    for group, listed in groups.items():
                        rank, _, theme = group.partition("-")
                        ids = (f"{rule}-{rank}-{number:04}{'-' if theme else ''}{theme}:{which}" for number in numbers(listed))
                        found[rule, kind][result["version"]].update(ids)
    return found


def smallest(ids, known):
    """Return the id of the smallest case and its shapes."""

    def size(name):
        case = known.get(name.split(":")[0])
        shapes = [*case["operands"], case.get("target", [])] if case else [[99] * 9]
        return sum(map(len, shapes)), sum(map(sum, shapes)), name

    name = min(ids, key=size)
    return name, known.get(name.split(":")[0])


def link(case, text=None):
    """Return the shapes of a case, or a text, as a link to the page's state."""
    shapes = case["operands"]
    text = text or " ".join(_tuple(shape) for shape in shapes) + (f" to {_tuple(case['target'])}" if "target" in case else "")
    address = "+".join(",".join(map(str, shape)) or "()" for shape in shapes) + f"&rule={case['rule']}"
    for name in ("axis", "axes", "target", "mode"):
        if name in case:
            value = case[name]
            value = (",".join(map(str, value)) or "()") if isinstance(value, list) else value
            address += f"&{name}={value}"
    return f'<a href="page.html#{address}">{text}</a>'


def _tuple(shape):
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def notes():
    """Return the explanations."""
    path = RESULTS / "notes.toml"
    return tomllib.loads(path.read_text())["note"] if path.exists() else []


def explained(all_notes, engine, rule, kind, ids):
    """Return the explanation of a deviation, with a link to its report."""
    for note in all_notes:
        operands = note.get("operands", "*")
        which = all(fnmatch.fnmatch(name.split(":")[1], operands) for name in ids)
        if note["engine"] == engine and fnmatch.fnmatch(rule, note["rule"]) and fnmatch.fnmatch(kind, note.get("kind", "*")) and which:
            report = f" ([report](reports/{note['report']}.md))" if "report" in note else ""
            return note["text"] + report
    return None


def cell(asked, right, rule, version, found, known):
    """Return the count of a rule and a version; where it deviates, with a link to the smallest case that does."""
    if asked == right:
        return f"{asked}" if asked else "not asked"
    ids = set().union(*(by_version.get(version, set()) for (name, _), by_version in found.items() if name == rule))
    _, case = smallest(ids, known) if ids else (None, None)
    text = f"{right} of {asked}"
    return f"**{link(case, text)}**" if case else f"**{text}**"


def example(rule, known):
    """Return a rule as a link to a case in which one operand has a lower rank, where there is one."""
    cases = [case for name, case in known.items() if name.startswith(f"{rule}-r") and "shape" in case]
    lower = [case for case in cases if len(set(case["ranks"])) > 1 and max(case["ranks"]) == 2]
    found = (lower or cases or [None])[-1]
    return link(found, rule) if found else rule


def engine_section(engine, device, versions, known, all_notes, missing):
    """Return the section of an engine."""
    lines = [f"## {engine}", ""]
    if device not in ("", "cpu"):
        lines += [f"Device: {device}.", ""]
    counts = {(result["version"], f"{row['family']}-{row['rule']}"): row for result in versions for row in result["rules"]}
    rules = list(dict.fromkeys(f"{row['family']}-{row['rule']}" for result in versions for row in result["rules"] if row["asked"]))
    found = deviations(versions)
    lines += ["| rule | " + " | ".join(result["version"] for result in versions) + " | right since |", "|---" * (len(versions) + 2) + "|"]
    for rule in rules:
        cells, since = [], None
        for result in versions:
            row = counts.get((result["version"], rule), {"asked": 0})
            asked, right = row["asked"], row.get("right", 0)
            cells.append(cell(asked, right, rule, result["version"], found, known))
            if asked and asked == right and (since is None or since[1]):
                since = (result["version"], True)
            elif asked:
                since = (since[0] if since else "", False)
        oldest = since and since[1] and since[0] == versions[-1]["version"]
        text = "the oldest asked" if oldest else (since[0] if since and since[0] else "none asked")
        lines.append(f"| {example(rule, known)} | " + " | ".join(cells) + f" | {text} |")
    if found:
        lines += ["", "| deviation | smallest case | versions | explanation |", "|---|---|---|---|"]
    for (rule, kind), by_version in sorted(found.items()):
        ids = set().union(*by_version.values())
        name, case = smallest(ids, known)
        where = ", ".join(f"{result['version']}: {len(by_version[result['version']])}" for result in versions if by_version.get(result["version"]))
        text = explained(all_notes, engine, rule, kind, ids)
        if text is None:
            missing.append(f"{engine} {rule} {kind} ({name})")
        shown = f"`{name}` {link(case)}" if case else f"`{name}`"
        lines.append(f"| {rule}: {WORDS[kind]} | {shown} | {where} | {text or 'not explained'} |")
    return [*lines, ""]


def overview(found):
    """Return the table of all engines."""
    lines = ["| engine | version | asked | right | differ | rules |", "|---|---|---|---|---|---|"]
    for (engine, _), versions in found.items():
        for result in versions:
            rules = [row for row in result["rules"] if row["asked"]]
            whole = sum(row["asked"] == row["right"] for row in rules)
            differ = result["wrong"] + result["known"]
            anchor = re.sub(r"[^a-z0-9 -]", "", engine.lower()).replace(" ", "-")
            lines.append(f"| [{engine}](#{anchor}) | {result['version']} | {result['asked']} | {result['right']} | {differ} | {whole} of {len(rules)} right |")
    return [*lines, ""]


def beyond(level, all_notes, missing):
    """Return the table of the runs of a larger level."""
    lines = []
    for (engine, _), versions in results(level).items():
        for result in versions:
            for row in (row for row in result["rules"] if row["asked"]):
                rule = f"{row['family']}-{row['rule']}"
                texts = []
                for kind, operands in result["failures"].get(rule, {}).items():
                    text = explained(all_notes, engine, rule, kind, [f":{which}" for which in operands])
                    if text is None:
                        missing.append(f"{engine} {rule} {kind} ({level})")
                    texts.append(f"{WORDS[kind]}: {text or 'not explained'}")
                counts = f"{row['asked']:,} | {row['right']:,} | {row['asked'] - row['right']:,}"
                lines.append(f"| {engine} | {result['version']} | {rule} | {counts} | {' '.join(texts)} |")
    head = ["| engine | version | rule | asked | right | differ | explanation |", "|---|---|---|---|---|---|---|"]
    return [*head, *lines, ""] if lines else []


def page():
    """Return the page, and the deviations without an explanation."""
    found, known, all_notes, missing = results("core"), cases(), notes(), []
    lines = [HEAD, *overview(found)]
    for level, title in (("full", "Every pattern"), ("deep", "Ranks 5 to 8")):
        table = beyond(level, all_notes, missing)
        if table:
            lines += [f"## {title}", "", f"Runs of the level `{level}`.", "", *table]
    for (engine, device), versions in found.items():
        lines += engine_section(engine, device, versions, known, all_notes, missing)
    return "\n".join(lines).rstrip() + "\n", missing


def main():
    """Write the page, or check that it is current."""
    text, missing = page()
    for one in missing:
        print(f"no explanation: {one}")
    if "--check" in sys.argv:
        if text != PAGE.read_text() or missing:
            sys.exit("docs/atlas-results.md is not current, or a deviation has no explanation: run python -m conformance.atlas.page")
        return
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
