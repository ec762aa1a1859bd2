"""Packs the commands that were built into archives, and lists the checksums of everything in the folder of a release.

    python packaging/pack.py --dist target/dist --epoch 1700000000 x86_64-unknown-linux-musl=path/to/broadaxe ...

An archive has one folder with the command, the manual pages, the completions of shells, the readme and the licences. Its bytes depend on these
files and the time alone. The program also copies the bill of materials out of a wheel, without the paths of this machine, which maturin writes
into it.
"""

import argparse
import base64
import gzip
import hashlib
import io
import pathlib
import platform
import subprocess
import tarfile
import tempfile
import time
import zipfile

import sums
import version

ROOT = pathlib.Path(__file__).parent.parent
SHELLS = {"bash": "broadaxe.bash", "zsh": "_broadaxe", "fish": "broadaxe.fish", "powershell": "_broadaxe.ps1", "elvish": "broadaxe.elv"}


def is_of_this_machine(target):
    """Tells whether this machine runs the programs of a target."""
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    system = {"Linux": "linux", "Darwin": "darwin", "Windows": "windows"}[platform.system()]
    return target.startswith(machine) and system in target


def pages(command):
    """Returns the manual pages and the completions that a command prints about itself, as a dictionary of names and bytes."""
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([command, "man", "--dir", folder], check=True, stdout=subprocess.DEVNULL)
        for file in sorted(pathlib.Path(folder).iterdir()):
            files[f"man/{file.name}"] = file.read_bytes()
    for shell, name in SHELLS.items():
        files[f"completions/{name}"] = subprocess.run([command, "completions", shell], check=True, stdout=subprocess.PIPE).stdout
    return files


def tar(path, files, epoch):
    """Writes a .tar.gz of names and bytes."""
    with open(path, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=epoch) as zipped:
        with tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for name, (data, mode) in files.items():
                info = tarfile.TarInfo(name)
                info.size, info.mode, info.mtime = len(data), mode, epoch
                archive.addfile(info, io.BytesIO(data))


def zip_(path, files, epoch):
    """Writes a .zip of names and bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (data, mode) in files.items():
            info = zipfile.ZipInfo(name, time.gmtime(epoch)[:6])
            info.external_attr, info.compress_type, info.create_system = mode << 16, zipfile.ZIP_DEFLATED, 3
            archive.writestr(info, data)


def archive(dist, target, command, extra, epoch):
    """Writes the archive of a target."""
    name = sums.archive(version.check(ROOT), target)
    folder = name.removesuffix(".zip").removesuffix(".tar.gz")
    files = {f"{folder}/{command.name}": (command.read_bytes(), 0o755)}
    for file in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"]:
        files[f"{folder}/{file}"] = ((ROOT / file).read_bytes(), 0o644)
    files |= {f"{folder}/{path}": (data, 0o644) for path, data in extra.items()}
    (zip_ if name.endswith(".zip") else tar)(dist / name, files, epoch)


def without_paths(path, root=ROOT):
    """Writes a wheel again, with `/broadaxe` for the folder of the sources in its bill of materials."""
    with zipfile.ZipFile(path) as wheel:
        entries = [(info, wheel.read(info)) for info in wheel.infolist()]
    changed = {}
    for at, (info, data) in enumerate(entries):
        if "/sboms/" in info.filename:
            data = data.replace(str(root.resolve()).encode(), b"/broadaxe")
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            changed[info.filename] = f"{info.filename},sha256={digest},{len(data)}"
            entries[at] = (info, data)
    for at, (info, data) in enumerate(entries):
        if info.filename.endswith(".dist-info/RECORD"):
            lines = [changed.get(line.split(",")[0], line) for line in data.decode().splitlines()]
            entries[at] = (info, "".join(f"{line}\n" for line in lines).encode())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for info, data in entries:
            again = zipfile.ZipInfo(info.filename, info.date_time)
            again.external_attr, again.compress_type, again.create_system = info.external_attr, zipfile.ZIP_DEFLATED, 3
            wheel.writestr(again, data)


def copy_materials(dist):
    """Copies the bill of materials of the package, which maturin writes, out of a wheel."""
    wheels = sorted(dist.glob("*.whl"))
    if wheels:
        with zipfile.ZipFile(wheels[0]) as wheel:
            [name] = [name for name in wheel.namelist() if "/sboms/" in name and name.endswith(".json")]
            (dist / f"broadaxe-{version.check(ROOT)}.cdx.json").write_bytes(wheel.read(name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dist", type=pathlib.Path, required=True)
    parser.add_argument("--epoch", type=int, required=True)
    parser.add_argument("commands", nargs="*", metavar="TARGET=FILE")
    chosen = parser.parse_args()
    commands = {target: pathlib.Path(file) for target, file in (word.split("=", 1) for word in chosen.commands)}
    if commands:
        own = [command for target, command in commands.items() if is_of_this_machine(target)]
        if not own:
            raise SystemExit("none of the targets is this machine's, and the manual pages come from a command that runs here")
        extra = pages(own[0])
        for target, command in commands.items():
            archive(chosen.dist, target, command, extra, chosen.epoch)
    for wheel in chosen.dist.glob("*.whl"):
        without_paths(wheel)
    copy_materials(chosen.dist)
    names = sorted(file.name for file in chosen.dist.iterdir())
    (chosen.dist / "SHA256SUMS").write_text("".join(f"{sums.digest(chosen.dist / name)}  {name}\n" for name in names))
    for name in names:
        print(f"{(chosen.dist / name).stat().st_size / 1e6:8.2f} MB  {name}")


if __name__ == "__main__":
    main()
