"""Reductions, broadcasts and chunks of unknown size of Dask arrays."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import DTYPES, sample

import broadaxe as bx
from broadaxe import _broadaxe, _dask_reductions

da = pytest.importorskip("dask.array")

SEEKS = ("argmin", "argmax")


def chunked(array, chunks):
    return da.from_array(array, chunks=chunks)


def cut(generator, shape):
    """Cut every axis at random places."""
    chunks = []
    for dim in shape:
        cuts = sorted(set(generator.integers(0, dim + 1, generator.integers(0, 4)).tolist()) - {0, dim})
        chunks.append(tuple(b - a for a, b in zip([0, *cuts], [*cuts, dim])))
    return tuple(chunks)


def agree(got, want, about):
    want = np.asarray(want)
    assert isinstance(got, da.Array) and got.shape == want.shape and got.dtype == want.dtype, about
    computed = np.asarray(got.compute(scheduler="sync"))
    assert computed.shape == want.shape and computed.dtype == want.dtype, about
    if want.dtype.kind == "f":
        bound = {2: 2e-3, 4: 1e-5, 8: 1e-12}[want.dtype.itemsize]
        np.testing.assert_allclose(computed.astype("f8"), want.astype("f8"), rtol=bound, atol=bound, err_msg=str(about))
    else:
        np.testing.assert_array_equal(computed, want, err_msg=str(about))


def axes_of(generator, rank):
    """Choose axes to fold: all, one, or several, some of them counted from the end."""
    count = int(generator.integers(0, rank + 1))
    chosen = [int(at) - (rank if generator.random() < 0.4 else 0) for at in generator.permutation(rank)[:count]]
    kind = generator.integers(0, 3)
    return None if kind == 0 else chosen[0] if kind == 1 and chosen else tuple(chosen)


def test_every_reduction_has_a_row():
    assert set(_broadaxe.reductions()) <= set(_dask_reductions.TREES)


@pytest.mark.parametrize("name", _broadaxe.reductions())
def test_random_shapes_chunks_axes_and_dtypes(name):
    generator = np.random.default_rng(sum(map(ord, name)))
    for turn in range(120):
        shape = tuple(generator.integers(1, 8, generator.integers(1, 5)).tolist())
        dtype = DTYPES[turn % len(DTYPES)]
        axis, keepdims = axes_of(generator, len(shape)), bool(generator.integers(0, 2))
        array = sample(dtype, shape, seed=turn)
        if name == "prod":
            array = np.where(np.abs(array) > 2, 1, array).astype(dtype)
        if array.dtype.kind == "f" and generator.random() < 0.4:
            array[generator.random(shape) < 0.1] = np.nan
        chunks = cut(generator, shape)
        about = (name, shape, chunks, dtype, axis, keepdims)
        got = getattr(bx, name)(chunked(array, chunks), axis=axis, keepdims=keepdims)
        agree(got, getattr(bx, name)(array, axis=axis, keepdims=keepdims), about)
        if name in SEEKS and isinstance(axis, tuple):
            continue
        wide = array.astype("f4") if dtype == "float16" else array
        want = np.asarray(getattr(np, name)(wide, axis=axis, keepdims=keepdims))
        agree(got, want.astype(got.dtype), about)


def spread_cases():
    for name in ("var", "std", "nansum", "nanprod", "nanmean", "nanmin", "nanmax"):
        for options in [{}, {"ddof": 1}] if name in ("var", "std") else [{}]:
            yield name, options


@pytest.mark.parametrize("name, options", list(spread_cases()))
def test_trees_of_statistics(name, options):
    """The rows for moments and for numbers without NaN, whose dtypes NumPy says here."""
    generator = np.random.default_rng(5)
    for turn in range(60):
        shape = tuple(generator.integers(2, 8, generator.integers(1, 4)).tolist())
        array = generator.normal(3, 2, shape).astype(["f8", "f4", "i8"][turn % 3])
        if name.startswith("nan") and turn % 3 < 2:
            array[generator.random(shape) < 0.5] = np.nan
        axis = axes_of(generator, len(shape))
        axis = 0 if axis == () else axis
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            want = np.asarray(getattr(np, name)(array, axis=axis, **options))
        lazy = _dask_reductions.tree(name, chunked(array, cut(generator, shape)), axis, False, None, want.dtype, options)
        agree(lazy, want, (name, shape, axis, array.dtype))


def test_first_places():
    values = np.array([[3, 1, 3, 1], [3, 3, 1, 1], [0, 3, 3, 0]], "f4")
    with_nan = values.copy()
    with_nan[1, 2] = with_nan[2, 0] = np.nan
    for array in (values, with_nan, values.astype(bool), values.astype("i2")):
        for chunks in (1, 2, (1, 4), (3, 1), (3, 4)):
            for name in SEEKS:
                for axis in (None, 0, 1, -1):
                    got = getattr(bx, name)(chunked(array, chunks), axis=axis)
                    agree(got, getattr(np, name)(array, axis=axis), (name, chunks, axis))


def test_first_places_in_large_blocks():
    array = np.random.default_rng(0).integers(-1000, 1000, (10, 40, 40, 24))
    for name in SEEKS:
        for axis in (None, 0, 2, -1):
            agree(getattr(bx, name)(chunked(array, (6, 40, 30, 24)), axis=axis), getattr(np, name)(array, axis=axis), (name, axis))


def test_halves_are_summed_in_a_wider_dtype():
    array = np.array([60000, 60000, -60000, -60000, 1], "f2")
    assert bx.sum(chunked(array, 2)).compute() == bx.sum(array) == 1
    ones = np.ones(70000, "f2")
    assert bx.mean(chunked(ones, 1000)).compute() == 1


def test_dtypes_that_are_asked_for():
    array = sample("int32", (4, 6))
    for dtype in ("int32", "uint8", "float32", "float64", "int64"):
        agree(bx.sum(chunked(array, 2), axis=0, dtype=dtype), bx.sum(array, axis=0, dtype=dtype), dtype)


def test_arrays_without_elements():
    empty = np.zeros((0, 3))
    agree(bx.sum(chunked(empty, (1, 1)), axis=0), np.zeros(3), "sum")
    agree(bx.max(chunked(empty, (1, 1)), axis=1), np.zeros(0), "max")
    for name in ("max", "min", "argmax"):
        with pytest.raises(ValueError):
            getattr(bx, name)(chunked(empty, (1, 1)), axis=0)
    nothing = da.from_array(np.arange(6.0), chunks=2)
    nothing = nothing[nothing > 9]
    assert bx.sum(nothing).compute() == 0 and not bx.any(nothing).compute()
    with pytest.raises(ValueError):
        bx.max(nothing).compute()


def test_scalars_and_no_axes():
    agree(bx.sum(da.from_array(np.array(3.0))), 3.0, "rank 0")
    array = sample("int16", (3, 4))
    agree(bx.sum(chunked(array, 2), axis=()), np.sum(array, axis=()), "no axis")


def test_nothing_is_computed_early():
    def explode(block):
        raise RuntimeError("computed")

    lazy = chunked(np.ones((4, 4)), 2).map_blocks(explode, dtype=float)
    results = [getattr(bx, name)(lazy, axis=0) for name in _broadaxe.reductions()]
    results += [bx.broadcast_to(lazy, (3, 4, 4)), *bx.broadcast_arrays(lazy, lazy[0]), bx.evaluate("sum(lazy * 2, axis=0)")]
    for result in results:
        with pytest.raises(RuntimeError, match="computed"):
            result.compute(scheduler="sync")


def test_expressions():
    x, y = sample("float64", (5, 6, 4)), sample("float64", (6,))
    lazy, other = chunked(x, (2, 4, 3)), chunked(y, 4)
    cases = [
        ("sum(x, axis=0)", {}, x.sum(axis=0)),
        ("mean(x)", {}, x.mean()),
        ("np.mean(x * 2, axis=1)", {}, x.mean(axis=1) * 2),
        (" max( (x + 1) * 2 , axis=[0, -1], keepdims=True)", {}, ((x + 1) * 2).max(axis=(0, 2), keepdims=True)),
        ("sum(x * y, axis=1)", {"rule": "pdpd", "axis": 1}, (x * y[:, None]).sum(axis=1)),
        ("argmax(x, axis=2)", {}, x.argmax(axis=2)),
        ("sum(max(x, axis=0))", {}, x.max(axis=0).sum()),
        ("any(x > 2, axis=1)", {}, (x > 2).any(axis=1)),
        ("mean(maximum(x, 2))", {}, np.maximum(x, 2).mean()),
    ]
    for text, options, want in cases:
        named = {"x": lazy, "y": other} if "y" in text.replace("any", "") else {"x": lazy}
        agree(bx.evaluate(text, named, {}, **options), want, text)
    agree(bx.compile("sum(a * a, axis=0)")(lazy), (x * x).sum(axis=0), "compiled")


def test_reductions_inside_are_refused():
    x = chunked(np.ones((4, 4)), 2)
    for text in ("x - max(x)", "2 * sum(x, axis=0)", "sum(x - mean(x))"):
        with pytest.raises(ValueError, match="in the middle of an expression cannot be cut into blocks; compute it first"):
            bx.evaluate(text)
    m = bx.max(x)
    assert (bx.evaluate("x - m").compute() == 0).all()


def test_what_is_refused():
    x = chunked(np.ones((4, 4)), 2)
    for call, kind, message in [
        (lambda: bx.sum(x, out=np.ones(())), TypeError, "cannot be an output"),
        (lambda: bx.prod(x, out=x), TypeError, "cannot be an output"),
        (lambda: bx.sum(x, axis=2), ValueError, "axis 2 is out of bounds"),
        (lambda: bx.sum(x, axis=(0, 0)), ValueError, "repeated axis"),
        (lambda: bx.max(x.astype("c8")), TypeError, "complex64 is not supported"),
        (lambda: bx.sum(x, where=x > 0), TypeError, "has no keyword 'where' for Dask arrays"),
        (lambda: bx.argmax(x[x > 0]), ValueError, "compute_chunk_sizes"),
    ]:
        with pytest.raises(kind, match=message):
            call()


def test_chunks_of_unknown_size():
    array = np.arange(-6.0, 9)
    lazy = chunked(array, 4)
    some, kept = lazy[lazy > 0], array[array > 0]
    cases = [
        (bx.exp(some), np.exp(kept)),
        (bx.add(some, 1), kept + 1),
        (bx.multiply(some, some), kept * kept),
        (bx.sub(some, bx.mean(some)), kept - kept.mean()),
        (bx.evaluate("2 * some + sqrt(some)"), 2 * kept + np.sqrt(kept)),
        (bx.onnx.Neg(some), -kept),
        (bx.sum(some), kept.sum()),
        (bx.mean(some, keepdims=True), kept.mean(keepdims=True)),
        (bx.evaluate("max(some)"), kept.max()),
    ]
    for got, want in cases:
        assert isinstance(got, da.Array)
        np.testing.assert_allclose(got.compute(scheduler="sync"), want)
    table = chunked(np.arange(12.0).reshape(6, 2), (2, 1))
    rows = table[table[:, 0] > 3]
    np.testing.assert_array_equal(bx.argmax(rows, axis=1).compute(), [1, 1, 1, 1])
    for call in (lambda: bx.add(some, lazy[lazy < 0]), lambda: bx.add(some, lazy), lambda: bx.broadcast_to(some, (2, 9))):
        with pytest.raises(ValueError, match="compute_chunk_sizes"):
            call()


def test_broadcasts():
    x, bias, scale = sample("float32", (4, 3, 5)), sample("float32", (3,)), sample("float64", (4, 1, 5))
    lazy = chunked(x, (2, 2, 3))
    for given, options in [
        ((lazy, chunked(bias, 2)), {"rule": "pdpd", "axis": 1}),
        ((lazy, chunked(scale, 2), np.float32(2)), {}),
        ((bias[:, None], lazy), {}),
        ((chunked(x[:, 0, 0], 3), lazy), {"rule": "ncnn"}),
    ]:
        plain = [one.compute() if isinstance(one, da.Array) else one for one in given]
        for got, want in zip(bx.broadcast_arrays(*given, **options), bx.broadcast_arrays(*plain, **options), strict=True):
            agree(got, want, options)
            assert options.get("rule") != "pdpd" or got.chunks == lazy.chunks
    agree(bx.broadcast_to(chunked(bias, 2), (7, 3)), np.broadcast_to(bias, (7, 3)), "to")
    agree(bx.broadcast_to(lazy, (2, 4, 3, 5)), np.broadcast_to(x, (2, 4, 3, 5)), "more axes")
    agree(bx.broadcast_to(chunked(bias, 2), (3, 7), rule="explicit", axes=[0]), np.repeat(bias[:, None], 7, 1), "explicit")
    large = bx.broadcast_to(chunked(bias, 2), (10**6, 10**4, 3))
    assert max(max(cuts) for cuts in large.chunks) < 10**6 and large[5, 6].compute().tolist() == bias.tolist()
    with pytest.raises(ValueError):
        bx.broadcast_to(lazy, (4, 3, 6))


def test_a_cluster_of_two_processes(tmp_path):
    """What `cargo xtask conformance --dask` asks of 800 MB, asked of 24."""
    pytest.importorskip("distributed")
    root = Path(__file__).resolve().parents[3]
    words = [sys.executable, "-m", "conformance.dask_cluster", "--megabytes", "24", "--folder", str(tmp_path)]
    run = subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=400)
    assert run.returncode == 0 and " 0 wrong" in run.stdout, run.stdout[-3000:] + run.stderr[-3000:]
