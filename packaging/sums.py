"""Reads the checksums of a release, and says which files a release has."""

import hashlib
import re

PACKAGES = "https://github.com/broadaxe/broadaxe/releases/download"

# The archives with the command, by target.
TARGETS = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-gnu",
]

# The wheels: patterns of their tags, once for every Python from 3.10 on and once for 3.14 without a global lock.
PLATFORMS = [
    r"manylinux[0-9_.a-z]*_x86_64(\.manylinux[0-9_.a-z]*)?",
    r"manylinux[0-9_.a-z]*_aarch64(\.manylinux[0-9_.a-z]*)?",
    r"musllinux_[0-9_]+_x86_64",
    r"musllinux_[0-9_]+_aarch64",
    r"macosx_[0-9_a-z.]+_universal2",
    r"win_amd64",
]
PYTHONS = ["cp310-abi3", "cp314-cp314t"]


def archive(version, target):
    """Returns the name of the archive with the command for a target."""
    return f"broadaxe-{version}-{target}." + ("zip" if "windows" in target else "tar.gz")


def missing(names, version):
    """Lists what a complete release would have and these names do not."""
    lacking = [name for name in (archive(version, target) for target in TARGETS) if name not in names]
    lacking += [name for name in [f"broadaxe-{version}.tar.gz"] if name not in names]
    for python in PYTHONS:
        for platform in PLATFORMS:
            wanted = re.compile(rf"broadaxe-{re.escape(version)}-{python}-{platform}\.whl")
            if not any(wanted.fullmatch(name) for name in names):
                lacking.append(f"broadaxe-{version}-{python}-{platform}.whl")
    if not any(name.endswith((".cdx.json", ".spdx.json")) for name in names):
        lacking.append("an SBOM (*.cdx.json or *.spdx.json)")
    return lacking


def digest(path):
    """Returns the SHA-256 of a file in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read(dist):
    """Reads SHA256SUMS of a folder into a dictionary from names to checksums, and checks every file that is in the folder."""
    sums = {}
    for line in (dist / "SHA256SUMS").read_text().splitlines():
        match = re.fullmatch(r"([0-9a-f]{64}) [ *](?:\./)?([^/]+)", line)
        if match is None:
            raise SystemExit(f"SHA256SUMS: not a line of sha256sum: {line!r}")
        sums[match[2]] = match[1]
    for name, wanted in sums.items():
        if (dist / name).exists() and digest(dist / name) != wanted:
            raise SystemExit(f"{name}: its checksum is not the one in SHA256SUMS")
    return sums


def find(sums, name):
    """Returns the checksum of a file, or ends the program."""
    if name not in sums:
        raise SystemExit(f"SHA256SUMS does not have {name}")
    return sums[name]
