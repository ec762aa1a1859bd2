"""Kinds of operands that have more than elements: labels, masks, missing values, units, chunks."""

import numpy as np
import pytest

xr = pytest.importorskip("xarray")
pd = pytest.importorskip("pandas")
da = pytest.importorskip("dask.array")
zarr = pytest.importorskip("zarr")
cubed = pytest.importorskip("cubed")


class Quantity:
    """Imitates classes of numbers with units, such as those of pint."""

    def __init__(self, array, unit="m"):
        self.array, self.unit = np.asarray(array), unit

    dtype = property(lambda self: self.array.dtype)
    shape = property(lambda self: self.array.shape)

    def __array__(self, dtype=None, copy=None):
        return self.array

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__" or kwargs:
            return NotImplemented
        return Quantity(ufunc(*(x.array if isinstance(x, Quantity) else x for x in inputs)))


class Own(np.ndarray):
    """Imitates classes that derive from ndarray and answer nothing."""


class Converted:
    """An array that NumPy converts."""

    def __init__(self, array):
        self.array = np.asarray(array)

    shape = property(lambda self: self.array.shape)

    def __array__(self, dtype=None, copy=None):
        return self.array


class Tensor(Converted):
    """Imitates PyTorch's tensors, which are given the results."""

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return Tensor(array)


class Table(Converted):
    """Imitates tables of Polars and pyarrow, which NumPy converts without the names of their columns."""

    columns = ("p", "q")

    def to_numpy(self):
        return self.array


class File(Converted):
    """Imitates variables of h5py, whose elements are in a file."""

    chunks = None


class Grid(Converted):
    """Imitates variables of netCDF4."""

    dimensions = ("y",)


# Kinds of operands. Each makes operands that the class has to bring together, the arrays that they then are, and an array in the class.

BACK = np.array([2, 0, 1])
"""Where the elements of the second operand belong."""


def by_name(plain, lazily=False, as_variable=False):
    """Two operands over (y, x), the second with its dims in the other order, and one over y alone."""
    def make(dims, array):
        array = da.from_array(array, chunks=2) if lazily else array
        return xr.Variable(dims, array) if as_variable else xr.DataArray(array, dims=dims, coords={"y": [7, 8, 9]}, name="v")

    arrays = [plain[0], plain[1].T, plain[2][:, 0]]
    operands = [make(dims, array) for dims, array in zip((("y", "x"), ("x", "y"), ("y",)), arrays)]
    return operands, [plain[0], plain[1], plain[2][:, :1]], lambda array: make(("y", "x"), array)


def by_index(plain, reordered=False):
    """Three Series; the index of the second is in another order where the class may bring them together."""
    index, arrays = pd.Index(list("abc")), [array[:, 0] for array in plain]
    operands = [pd.Series(array, index=index, name="v") for array in arrays]
    if reordered:
        operands[1] = operands[1].iloc[BACK]
    return operands, arrays, lambda array: pd.Series(array, index=index, name="v")


def nullable(plain):
    """Nullable Series, whose second element is missing."""
    def make(array, is_missing=True):
        name = array.dtype.name
        name = "boolean" if name == "bool" else name.title().replace("Ui", "UI")
        series = pd.Series(array, index=list("abc"), name="v").astype(name)
        return series.mask([False, True, False]) if is_missing else series

    arrays = [array[:, 0] for array in plain]
    return [make(array, k == 0) for k, array in enumerate(arrays)], arrays, make


def masked(plain):
    masks = [np.eye(3, 2, k, dtype=bool) for k in (0, 0, 1)]
    operands = [np.ma.array(array, mask=mask) for array, mask in zip(plain, masks)]
    return operands, plain, lambda array, count=3: np.ma.array(array, mask=np.any(masks[:count], axis=0))


def framed(plain):
    make = lambda array: pd.DataFrame(array, index=list("abc"), columns=["p", "q"])  # noqa: E731
    return [make(array) for array in plain], plain, make


def by_position(plain):
    """Three Index, which have elements and no labels."""
    arrays = [array[:, 0] for array in plain]
    return [pd.Index(array) for array in arrays], arrays, pd.Index


def classed(make):
    """Operands of a class with one argument."""
    return lambda plain: ([make(array) for array in plain], plain, make)


def in_zarr(array):
    store = zarr.create_array(store={}, shape=array.shape, chunks=(2, 1), dtype=array.dtype)
    store[...] = array
    return store


KINDS = {
    "xarray": by_name,
    "xarray over Dask": lambda plain: by_name(plain, lazily=True),
    "xarray Variable": lambda plain: by_name(plain, as_variable=True),
    "xarray Dataset": lambda plain: (lambda ops, arrays, make: ([xr.Dataset({"v": op}) for op in ops], arrays, lambda a: xr.Dataset({"v": make(a)})))(*by_name(plain)),
    "pandas Series": by_index,
    "pandas Series in another order": lambda plain: by_index(plain, reordered=True),
    "pandas nullable Series": nullable,
    "pandas DataFrame": framed,
    "pandas Index": by_position,
    "Dask": classed(lambda array: da.from_array(np.asarray(array), chunks=2)),
    "masked": masked,
    "units": classed(Quantity),
    "derived from ndarray": classed(lambda array: np.asarray(array).view(Own)),
    "wraps": classed(Tensor),
}
"""Kinds that operators accept."""

REFUSED = {
    "xarray over Cubed": lambda array: xr.DataArray(REFUSED["Cubed"](array), dims=("y", "x")),
    "Dataset over Cubed": lambda array: xr.Dataset({"v": REFUSED["xarray over Cubed"](array)}),
    "Cubed": lambda array: cubed.from_array(array, chunks=(2, 1), spec=cubed.Spec(allowed_mem="100MB")),
    "Zarr": in_zarr,
    "file": File,
    "netCDF": Grid,
    "table": Table,
    "list of Series": lambda array: [pd.Series(row) for row in array],
    "Dask of masked chunks": lambda array: da.ma.masked_greater(da.from_array(array, chunks=2), 2),
}
"""Kinds that no entry point accepts, and what makes one."""

INDEXED = ("pandas Series", "pandas Series in another order", "pandas nullable Series", "pandas DataFrame", "pandas Index")


def plain(dtype):
    """Three arrays of (3, 2) over small numbers."""
    values = np.arange(1, 19).reshape(3, 3, 2) % 7 + 1
    return list({"bool": values % 2 == 1, "i8": values, "f8": values / 8}[dtype])


def bare(value):
    """Return the elements of a result; a Series in the order of its labels."""
    if isinstance(value, pd.Series):
        value = value.sort_index()
    if isinstance(value, xr.Dataset):
        value = value["v"]
    return np.ma.filled(np.ma.asarray(value), 0) if isinstance(value, np.ma.MaskedArray) else np.asarray(value)


def check_same(got, want, exact=True):
    """Assert that a result is the wanted one: class, labels, mask, laziness and values."""
    if isinstance(want, pd.Index) and want.dtype == bool:
        # pandas makes an array of some.
        got, want = np.asarray(got), np.asarray(want)
    assert type(got) is type(want), (type(got), type(want))
    if isinstance(want, tuple):
        for one, other in zip(got, want, strict=True):
            check_same(one, other, exact)
        return
    for attribute in ("dims", "mask", "unit"):
        if isinstance(want, (xr.DataArray, xr.Variable, np.ma.MaskedArray, Quantity)) and hasattr(want, attribute):
            assert np.all(getattr(got, attribute) == getattr(want, attribute)), attribute
    if isinstance(want, (pd.Series, pd.DataFrame)):
        assert got.sort_index().axes[0].equals(want.sort_index().axes[0]) and getattr(got, "name", "v") == getattr(want, "name", "v")
        assert list(map(str, np.ravel(got.dtypes))) == list(map(str, np.ravel(want.dtypes)))
        assert got.sort_index().isna().equals(want.sort_index().isna())
    if isinstance(want, xr.DataArray):
        assert all(got.coords[name].equals(want.coords[name]) for name in want.coords) and list(got.coords) == list(want.coords)
        assert type(got.data) is type(want.data)
    got, want = bare(got), bare(want)
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, want.dtype, got.shape, want.shape)
    if want.dtype == object:
        got, want = (np.array([0.0 if one is pd.NA else one for one in array.ravel()], float) for array in (got, want))
    np.testing.assert_allclose(got, want, rtol=0 if exact else 1e-14)
