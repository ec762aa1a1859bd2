"""Writes the folder that the container image is built from: one folder per CPU with the command and the licences.

    python packaging/image.py --dist target/dist --version 0.1.0 --context context
    docker build --file packaging/Dockerfile context
"""

import argparse
import pathlib
import tarfile

import sums

# The names of CPUs in images, and the targets whose commands need no library.
CPUS = {"amd64": "x86_64-unknown-linux-musl", "arm64": "aarch64-unknown-linux-musl"}


def unpack(archive, folder):
    """Writes the command and the licences of an archive to a new folder, whatever folder of the archive they are in."""
    folder.mkdir(parents=True)
    with tarfile.open(archive, "r:gz") as files:
        for member in files:
            name = pathlib.PurePosixPath(member.name).name
            if member.isfile() and (name == "broadaxe" or name.startswith("LICENSE")):
                file = folder / name
                if file.exists():
                    continue
                file.write_bytes(files.extractfile(member).read())
                file.chmod(0o755 if name == "broadaxe" else 0o644)
    if not (folder / "broadaxe").exists():
        raise SystemExit(f"{archive.name} does not have the command broadaxe")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dist", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--context", type=pathlib.Path, required=True)
    chosen = parser.parse_args()
    listed = sums.read(chosen.dist)
    for cpu, target in CPUS.items():
        name = sums.archive(chosen.version, target)
        sums.find(listed, name)
        unpack(chosen.dist / name, chosen.context / cpu)


if __name__ == "__main__":
    main()
