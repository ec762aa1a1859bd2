"""Compares the time of `broadaxe.check` with that of the command: python bench/check_overhead.py PROGRAM FOLDER.

PROGRAM is the command `broadaxe`, FOLDER has graphs as `*.onnx.gz`, `*.xml.gz` and `*.param`, at any depth. The two are timed in turns
and the least of several rounds counts; the command's time holds the start of its process. Both should be of one profile. The last
lines say the largest ratio, and that of all graphs together.
"""

import gzip
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import broadaxe as bx

ROUNDS = 7


def graphs(folder, scratch):
    """Find the graphs, and unpack those that are packed into a folder."""
    for path in sorted(folder.rglob("*")):
        if path.suffixes[-2:] in ([".onnx", ".gz"], [".xml", ".gz"]):
            plain = scratch / f"{path.parent.name}-{path.stem}"
            plain.write_bytes(gzip.decompress(path.read_bytes()))
            yield plain
        elif path.suffix == ".param":
            yield path


def timed(work):
    """Time a function once, in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main():
    """Print a line for each graph."""
    program, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    ratios, sums = [], [0.0, 0.0]
    with tempfile.TemporaryDirectory() as scratch:
        for path in graphs(folder, Path(scratch)):
            command = lambda: subprocess.run([program, "check", path], stdout=subprocess.DEVNULL, check=False)  # noqa: B023, E731
            times = [[timed(lambda: bx.check(path)), timed(command)] for _ in range(ROUNDS)]  # noqa: B023
            ours, theirs = (min(column) for column in zip(*times))
            ratios.append((ours / theirs, path.name))
            sums = [sums[0] + ours, sums[1] + theirs]
            print(f"{path.name:50} bx.check {ours * 1e3:8.1f} ms  command {theirs * 1e3:8.1f} ms  ratio {ours / theirs:5.2f}", flush=True)
    if not ratios:
        sys.exit(f"{folder}{os.sep} has no graphs")
    worst, name = max(ratios)
    print(f"{len(ratios)} graphs; largest ratio {worst:.2f} ({name}); all together {sums[0] / sums[1]:.2f}")


if __name__ == "__main__":
    main()
