"""Prints the version, checks that every file names the same one, changes it everywhere, or prints its notes from the changelog.

    python packaging/version.py --check
    python packaging/version.py --set 0.2.0
    python packaging/version.py --notes
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parent.parent
NUMBER = r"[0-9]+\.[0-9]+\.[0-9]+"

# Every place that names the version: a file, and what is around the number. The first one decides.
PLACES = [
    ("Cargo.toml", r'(?m)^(version = ")(NUMBER)(")'),
    ("Cargo.toml", r'(path = "crates/broadaxe[a-z-]*", version = ")(NUMBER)(")'),
    ("crates/broadaxe-python/Cargo.toml", r'(path = "\.\./broadaxe[a-z-]*", version = ")(NUMBER)(")'),
    ("Cargo.lock", r'(name = "broadaxe[a-z-]*"\nversion = ")(NUMBER)(")'),
    ("Cargo.lock", r'(name = "xtask"\nversion = ")(NUMBER)(")'),
    ("fuzz/Cargo.lock", r'(name = "broadaxe(?!-fuzz)[a-z-]*"\nversion = ")(NUMBER)(")'),
    ("pyproject.toml", r'(?m)^(version = ")(NUMBER)(")'),
    ("pyproject.toml", r'("broadaxe==)(NUMBER)(")'),
    ("action.yml", r'(default: ")(NUMBER)(")'),
    ("templates/gitlab-ci.yml", r'(BROADAXE_VERSION: ")(NUMBER)(")'),
    ("CITATION.cff", r"(?m)^(version: )(NUMBER)($)"),
    ("docs/guides/install.md", r"(broadaxe==|broadaxe@v|/broadaxe:|rev: v|/v|broadaxe-|version=)(NUMBER)()"),
]


def places(root):
    """Yields every place as its path, the line and the number."""
    for path, pattern in PLACES:
        text = (root / path).read_text()
        found = list(re.finditer(pattern.replace("NUMBER", NUMBER), text))
        if not found:
            raise SystemExit(f"{path}: no version was found ({pattern})")
        for match in found:
            yield path, text.count("\n", 0, match.start(2)) + 1, match[2]


def check(root):
    """Returns the version, or ends the program with every place that names another one."""
    found = list(places(root))
    version = found[0][2]
    wrong = [f"{path}:{line}: {number} instead of {version}" for path, line, number in found if number != version]
    if wrong:
        raise SystemExit("\n".join(wrong))
    return version


def change(root, version):
    """Writes the version in every place."""
    if not re.fullmatch(NUMBER, version):
        raise SystemExit(f"{version!r} is not a version such as 1.2.3")
    for path, pattern in PLACES:
        file = root / path
        file.write_text(re.sub(pattern.replace("NUMBER", NUMBER), rf"\g<1>{version}\g<3>", file.read_text()))


def notes(root, version):
    """Returns the section of the changelog about the version."""
    text = (root / "CHANGELOG.md").read_text()
    match = re.search(rf"(?ms)^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## |\Z)", text)
    if match is None or not match[1].strip():
        raise SystemExit(f"CHANGELOG.md has no section '## [{version}]'; docs/guides/release.md says how to write it")
    return match[1].strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true")
    what.add_argument("--set", metavar="VERSION")
    what.add_argument("--notes", action="store_true")
    chosen = parser.parse_args()
    if chosen.set:
        change(ROOT, chosen.set)
    version = check(ROOT)
    sys.stdout.write((notes(ROOT, version) if chosen.notes else version) + "\n")


if __name__ == "__main__":
    main()
