"""Merges what the machines of a release built into one folder with one list of checksums.

    python packaging/collect.py --parts parts --dist dist --version 0.1.0

Each folder in `parts` is what `cargo xtask dist` wrote on one machine. The program ends with an error if a file does not match the list of its
own part, if two parts have different files of one name, or if the release is not complete.
"""

import argparse
import pathlib
import shutil

import sums


def collect(parts, dist, version):
    """Copies every file of the parts to a new folder, and writes SHA256SUMS."""
    dist.mkdir(parents=True)
    for part in sorted(folder for folder in parts.iterdir() if folder.is_dir()):
        listed = sums.read(part)
        for file in sorted(part.iterdir()):
            if file.name == "SHA256SUMS":
                continue
            if not file.is_file():
                raise SystemExit(f"{part.name}/{file.name}: a release has files only")
            sums.find(listed, file.name)
            copy = dist / file.name
            if copy.exists() and sums.digest(copy) != sums.digest(file):
                raise SystemExit(f"{file.name}: two parts have different files of this name")
            shutil.copyfile(file, copy)
    names = sorted(file.name for file in dist.iterdir())
    lacking = sums.missing(set(names), version)
    if lacking:
        raise SystemExit("the release is not complete; it does not have\n  " + "\n  ".join(lacking))
    (dist / "SHA256SUMS").write_text("".join(f"{sums.digest(dist / name)}  {name}\n" for name in names))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", type=pathlib.Path, required=True)
    parser.add_argument("--dist", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    chosen = parser.parse_args()
    collect(chosen.parts, chosen.dist, chosen.version)


if __name__ == "__main__":
    main()
