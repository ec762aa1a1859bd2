"""Reductions and chains over an array that is larger than the memory of the workers of a Dask cluster, compared with NumPy.

    python -m conformance.dask_cluster [--megabytes 800] [--limit 400] [--folder DIR]

Two worker processes may use `--limit` MB each. All results are made before the file of the array exists, so nothing can be read early;
then each is computed and compared with what NumPy computes from the whole file, and no worker may have been restarted. Prints the time of
each, and the most memory that a worker used.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SLAB = (64, 64, 64)
"""The shape behind the first axis: 1 MiB of f32."""
ROWS = 8
"""The slabs of a chunk."""


def load(path, count):
    """Return a Dask array whose blocks are read from a file when they are computed."""
    import dask.array as da

    def block(block_info=None):
        place = tuple(slice(*span) for span in block_info[None]["array-location"])
        return np.array(np.load(path, mmap_mode="r")[place])

    rows = (ROWS,) * (count // ROWS) + ((count % ROWS,) if count % ROWS else ())
    return da.map_blocks(block, chunks=(rows, *((dim,) for dim in SLAB)), dtype="f4", meta=np.empty((0,) * 4, "f4"))


def write(path, count):
    """Write the file: small numbers that are no whole ones, with one largest and one least."""
    array = np.lib.format.open_memmap(path, "w+", "f4", (count, *SLAB))
    for at in range(count):
        array[at] = np.random.default_rng(at).integers(-1000, 1000, SLAB) / np.float32(256)
    array[count // 3, 1, 2, 3], array[count // 2, 3, 2, 1] = 5, -5
    array.flush()


def products(array, axis):
    """Multiply factors near 1, of which products neither vanish nor overflow, slab by slab."""
    result = 1.0
    for slab in array:
        factors = 1 + slab.astype("f8") / 2**17
        result = result * (factors if axis == 0 else factors.prod() if axis is None else 1)
    return result if axis != (1, 3) else np.stack([(1 + slab.astype("f8") / 2**17).prod(axis=(0, 2)) for slab in array])


def moments(array):
    """Return mean and standard deviation along the first axis, slab by slab."""
    total, squares = 0.0, 0.0
    for slab in array:
        total, squares = total + slab.astype("f8"), squares + slab.astype("f8") ** 2
    mean = total / len(array)
    return mean, np.sqrt(squares / len(array) - mean**2)


def cases(x, m, scale):
    """Yield names with lazy results over `x`, a Dask array, and functions of the whole array that say what they should be."""
    wide = {"dtype": "f8"}
    for axis in (None, 0, (1, 3)):
        for name in ("sum", "mean"):
            yield f"{name} axis={axis}", getattr(m, name)(x, axis=axis), lambda a, n=name, at=axis: getattr(np, n)(a, axis=at, **wide)
        for name in ("min", "max", "any", "all"):
            yield f"{name} axis={axis}", getattr(m, name)(x, axis=axis), lambda a, n=name, at=axis: getattr(np, n)(a, axis=at)
        yield f"prod axis={axis}", m.prod(m.evaluate("1 + cast(x, 'f64') / 131072"), axis=axis), lambda a, at=axis: products(a, at)
    for axis in (None, 0, -1):
        for name in ("argmin", "argmax"):
            yield f"{name} axis={axis}", getattr(m, name)(x, axis=axis), lambda a, n=name, at=axis: getattr(np, n)(a, axis=at)
    yield "evaluate: sum(x * x, axis=0)", m.evaluate("sum(x * x, axis=0)"), lambda a: sum(slab.astype("f8") ** 2 for slab in a)
    spread = scale[:, None, None]
    scaled = m.evaluate("x * scale + 1", rule="pdpd", axis=1)
    yield "pdpd: mean(x * scale + 1)", m.mean(scaled, axis=(0, 2, 3)), lambda a: (a.mean(axis=(0, 2, 3), **wide) * scale + 1)
    added = m.add(x, scale, rule="pdpd", axis=1)
    yield "pdpd: max(x + scale)", m.max(added, axis=0), lambda a: a.max(axis=0) + spread


def passes(x, m):
    """Yield results that need the array twice, each made after the one before is finished.

    In one graph Dask would keep the chunks of the first pass for the second.
    """
    middle = yield "mean(x, axis=0)", m.mean(x, axis=0), lambda a: moments(a)[0]
    width = m.sqrt(m.mean(m.evaluate("(x - middle) ** 2"), axis=0))
    width = yield "sqrt(mean((x - middle) ** 2))", width, lambda a: moments(a)[1]
    standard = m.evaluate("(x - middle) / width")
    yield "max((x - middle) / width)", m.max(standard, axis=0), lambda a: (a.max(axis=0) - moments(a)[0]) / moments(a)[1]
    row = m.broadcast_to(dask_array(middle), x.shape)
    yield "sum(x - broadcast_to(middle))", m.sum(m.sub(x, row), axis=(1, 2, 3)), lambda a: (
        a.sum(axis=(1, 2, 3), dtype="f8") - middle.sum(dtype="f8")
    )


def dask_array(array):
    import dask.array as da

    return da.from_array(array)


def check(name, got, want):
    """Return whether a result is right."""
    want = np.asarray(want)
    if want.dtype.kind != "f":
        return bool(np.array_equal(got, want))
    size = float(np.abs(want).max()) or 1.0
    close = np.allclose(got, want, rtol=2e-5, atol=2e-5 * max(size, 1.0))
    if not close:
        print(f"{name}: largest difference {np.abs(np.asarray(got, 'f8') - want).max()} of {size}")
    return close


def peak():
    """Return the most MB that this process has used, where the system says it."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    return round(next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) * 1024 / 1e6)


def compare(case, array, client):
    """Compute a result and compare it; return it, and whether it is right."""
    name, lazy, whole = case
    start = time.perf_counter()
    got = client.compute(lazy).result()
    seconds = time.perf_counter() - start
    right = check(name, got, whole(array))
    print(f"{'ok   ' if right else 'WRONG'} {seconds:6.2f} s  {name}", flush=True)
    return got, right


def compare_all(results, later, array, client):
    """Compute and compare all results, then those that build on each other; return the names of those that are wrong."""
    wrong = [case[0] for case in results if not compare(case, array, client)[1]]
    case = next(later)
    while case is not None:
        got, right = compare(case, array, client)
        wrong += [] if right else [case[0]]
        try:
            case = later.send(got)
        except StopIteration:
            case = None
    return wrong


def store(x, scale, m, path, array):
    """Write a result as large as the array to a file, block by block; return whether it is right."""
    import dask.array as da

    np.lib.format.open_memmap(path, "w+", "f4", x.shape).flush()

    class Target:
        def __setitem__(self, place, block):
            file = np.lib.format.open_memmap(path, "r+")
            file[place] = block
            file.flush()

    start = time.perf_counter()
    da.store(m.evaluate("x * scale + 1", rule="pdpd", axis=1), Target(), lock=False)
    print(f"      {time.perf_counter() - start:6.2f} s  x * scale + 1 stored", flush=True)
    stored = np.load(path, mmap_mode="r")
    want = scale[:, None, None]
    return all(np.allclose(stored[at], array[at] * want + 1, rtol=1e-6) for at in range(len(array)))


def run(megabytes, limit, folder):
    import broadaxe as bx
    import dask
    from dask.distributed import Client, LocalCluster

    count = -(-megabytes * 10**6 // (4 * 64**3))
    path, scale = Path(folder, "x.npy"), np.linspace(0.5, 2, SLAB[0], dtype="f4")
    x = load(str(path), count)
    # What follows would fail if anything were read before it is asked for.
    results = list(cases(x, bx, scale))
    assert all(dask.is_dask_collection(lazy) for _, lazy, _ in results)
    write(path, count)
    array = np.load(path, mmap_mode="r")
    size = f"{array.nbytes / 1e6:.0f} MB in {x.npartitions} chunks"
    dask.config.set({"distributed.worker.memory.target": False, "distributed.worker.memory.spill": False})
    workers = {"n_workers": 2, "processes": True, "threads_per_worker": 1, "memory_limit": f"{limit}MB"}
    with LocalCluster(**workers, dashboard_address=None) as cluster, Client(cluster) as client:
        before = sorted(client.run(os.getpid).values())
        wrong = compare_all(results, passes(x, bx), array, client)
        if not store(x, scale, bx, str(Path(folder, "out.npy")), array):
            wrong.append("what was stored")
        if sorted(client.run(os.getpid).values()) != before:
            wrong.append("a worker was restarted")
        peaks = list(client.run(peak).values())
    print(f"{size}, two workers of {limit} MB; they used at most {peaks} MB; {len(results) + 5} results, {len(wrong)} wrong {wrong}")
    return not wrong


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--megabytes", type=int, default=800)
    words.add_argument("--limit", type=int, default=400, help="MB of memory that each worker may use")
    words.add_argument("--folder", help="where the files of twice that size are kept meanwhile")
    told = words.parse_args()
    with tempfile.TemporaryDirectory(dir=told.folder) as folder:
        return 0 if run(told.megabytes, told.limit, folder) else 1


if __name__ == "__main__":
    sys.exit(main())
