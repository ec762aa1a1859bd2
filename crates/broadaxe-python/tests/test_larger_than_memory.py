"""Results and operands that do not fit in memory: mapped files, and what counts against the budget."""

import os
import sys
import textwrap

import numpy as np
import pytest
from conftest import script

import broadaxe as bx


def target(tmp_path, shape, dtype="f4", name="out.npy"):
    return np.lib.format.open_memmap(tmp_path / name, "w+", dtype, shape)


def test_results_in_mapped_files(tmp_path):
    a, b = np.arange(6.0, dtype="f4").reshape(2, 3), np.arange(3.0, dtype="f4")
    for call, want in [
        (lambda out: bx.add(a, b, out=out), a + b),
        (lambda out: bx.add(a, b, out), a + b),
        (lambda out: bx.evaluate("2*a + b", a=a, b=b, out=out), 2 * a + b),
        (lambda out: bx.evaluate("2*a + c", a=a, c=np.float64(1), out=out, casting="same_kind"), 2 * a + 1),
        (lambda out: bx.compile("a - b")(a, b, out=out), a - b),
        (lambda out: bx.onnx.Mul(a, a, out=out), a * a),
        (lambda out: bx.sum(np.stack([a, b * a]), axis=0, out=out), a + b * a),
        (lambda out: bx.sqrt(a, out=out, where=a > 1), np.sqrt(a) * (a > 1)),
    ]:
        out = target(tmp_path, (2, 3))
        assert call(out) is out
        out.flush()
        np.testing.assert_allclose(np.load(tmp_path / "out.npy"), want, rtol=1e-6)


def test_mapped_operands(tmp_path):
    values = np.arange(-8.0, 8, dtype="f4").reshape(4, 4)
    np.save(tmp_path / "x.npy", values)
    x = np.load(tmp_path / "x.npy", mmap_mode="r")
    for got, want in [
        (bx.add(x, 1), values + 1),
        (bx.mul(x, x.T), values * values.T),
        (bx.evaluate("x * x - 1"), values * values - 1),
        (bx.mean(x, axis=0), values.mean(axis=0)),
    ]:
        np.testing.assert_array_equal(np.asarray(got), want)
    with pytest.raises(ValueError, match="read-only"):
        bx.add(x, 1, out=x)
    both = np.load(tmp_path / "x.npy", mmap_mode="r+")
    assert bx.evaluate("both * 2", out=both) is both
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), values * 2)


def beyond_all_memory():
    with open("/proc/meminfo") as file:
        kilobytes = next(int(line.split()[1]) for line in file if line.startswith("MemTotal:"))
    return 2 * kilobytes * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="asks how much memory there is")
def test_outputs_that_are_there_do_not_count(tmp_path):
    """The file has holes of twice the machine's memory; the first element ends the call before many of them are filled."""
    count = beyond_all_memory() // 4
    try:
        out = np.memmap(tmp_path / "out", "i4", "w+", shape=(count,))
    except OSError:
        pytest.skip("the file system has no files of that length")
    zero = np.broadcast_to(np.int32(0), (count,))
    for call in (
        lambda out: bx.floor_divide(zero, 0, out=out),
        lambda out: bx.floor_divide(zero, zero, out),
        lambda out: bx.evaluate("zero // zero + 1", zero=zero, out=out),
        lambda out: bx.compile("a // a")(zero, out=out),
        lambda out: bx.floor_divide(zero, zero, out=out, rule="ncnn"),
    ):
        with pytest.raises(ZeroDivisionError):
            call(out)
        with pytest.raises(MemoryError, match="budget"):
            call(None)
    assert os.stat(tmp_path / "out").st_blocks * 512 < 1 << 30


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_a_result_larger_than_the_memory_that_may_be_had(tmp_path):
    """400 MB are written by a process that may have 200 MB of memory of its own."""
    text = textwrap.dedent(
        f"""
        import resource, sys, numpy as np, broadaxe as bx
        bx.set_num_threads(2)
        shape = (25000, 4000)
        a, b = np.arange(shape[0], dtype="f4")[:, None], np.arange(shape[1], dtype="f4")
        out = np.lib.format.open_memmap({str(tmp_path / "out.npy")!r}, "w+", "f4", shape)
        resource.setrlimit(resource.RLIMIT_DATA, (200 << 20, 200 << 20))
        try:
            bx.evaluate("a * 2 + b")
        except MemoryError:
            print("refused")
        bx.evaluate("a * 2 + b", out=out)
        bx.add(out, 1, out=out)
        again = np.load({str(tmp_path / "out.npy")!r}, mmap_mode="r")
        print(float(bx.mean(again)))
        """
    )
    process = script(text)
    lines = process.communicate(timeout=240)[0].splitlines()
    assert lines == ["refused", str(24999.0 + 1999.5 + 1)], lines
    got = np.load(tmp_path / "out.npy", mmap_mode="r")
    for row in (0, 12345, 24999):
        np.testing.assert_array_equal(got[row], 2 * row + 1 + np.arange(4000, dtype="f4"))
