"""Reductions of Dask arrays: each block is folded on its worker, and the partial results are merged in a tree.

What is kept of a block is a tuple: the number of elements that were folded, the shape that is left of it, and the arrays that the row of
the reduction in `TREES` names. Blocks without an element to fold keep no arrays and are left out, as blocks of unknown size may be.
"""

import math
from typing import Callable, NamedTuple

import numpy as np

from . import _arrays, _operands
from ._reductions import fold as fold_whole


class Job(NamedTuple):
    """What is folded, and what comes of it."""

    name: str
    axes: tuple
    keepdims: bool
    given: np.dtype | None
    """The dtype that the caller asked for."""
    dtype: np.dtype
    """The dtype of the result."""
    dims: tuple
    """The dims that are folded; NaN where Dask does not know them."""
    options: dict

    @property
    def work(self):
        """The dtype of sums on the way: halves would lose what the sum of a whole array keeps."""
        return np.dtype("f4") if self.dtype.kind not in "biu" and self.dtype.itemsize == 2 else self.dtype

    def fold(self, name, block, dtype=None):
        """Fold the axes of a block by a reduction, each to an axis of 1."""
        extra = {} if dtype is None else {"dtype": dtype}
        return np.asarray(fold_whole(name, block, axis=self.axes, keepdims=True, **extra))

    def whole(self, array):
        """Fold an array as if it were all there is."""
        extra = {} if self.given is None else {"dtype": self.given}
        return np.asarray(fold_whole(self.name, array, axis=self.axes, keepdims=self.keepdims, **extra, **self.options))


def _over(name, stack):
    """Fold the first axis of a stack of parts."""
    return np.asarray(fold_whole(name, stack, axis=0))


class Tree(NamedTuple):
    """How a reduction goes over blocks."""

    split: Callable
    """Return the arrays that are kept of a block: (job, block, places) -> arrays, with axes of 1 where axes are folded."""
    merge: Callable
    """Merge arrays of several blocks, stacked along a first axis: (job, counts, stacks) -> arrays."""
    finish: Callable = lambda job, count, array: array
    """Make the result: (job, count, arrays) -> array."""
    options: tuple = ()
    """The keywords of the reduction, besides those of all."""
    seeks: bool = False
    """Whether it must know where blocks begin."""


def _alone(name):
    """Make the tree of a reduction whose results are folded by itself."""
    return Tree(lambda job, block, _: (job.fold(name, block),), lambda job, counts, stacks: (_over(name, stacks[0]),))


def _summed(name, fill=None):
    """Make the tree of sums or products, in a dtype wide enough; NaN counts as `fill` where there is one."""

    def split(job, block, _):
        block = block if job.given is None else block.astype(job.given)
        return (job.fold(name, block if fill is None else _filled(block, fill), job.work),)

    return Tree(split, lambda job, counts, stacks: (_over(name, stacks[0]).astype(job.work),))


def _is_nan(array):
    return array != array


def _filled(array, value):
    return array if array.dtype.kind in "biu" else np.where(_is_nan(array), np.asarray(value, array.dtype), array)


def _extreme(name, fill):
    """Make the tree of the least or the largest element that is a number; NaN where there is none."""

    def split(job, block, _):
        return job.fold(name, _filled(block, fill)), job.fold("any", ~_is_nan(block))

    def finish(job, count, array, found):
        return array if array.dtype.kind in "biu" else np.where(found, array, np.asarray(np.nan, array.dtype))

    return Tree(split, lambda job, counts, stacks: (_over(name, stacks[0]), _over("any", stacks[1])), finish)


def _divide(total, count):
    with np.errstate(divide="ignore", invalid="ignore"):
        return total / np.asarray(count, total.dtype)


def _mean_without_nan():
    def split(job, block, _):
        return job.fold("sum", _filled(block, 0), job.work), job.fold("sum", ~_is_nan(block))

    return Tree(split, lambda job, counts, stacks: tuple(_over("sum", stack) for stack in stacks),
                lambda job, count, total, found: _divide(total, found))


def _search(name):
    """Make the tree of the first place of the least or the largest element, NaN before all others."""

    def split(job, block, places):
        local = job.fold(job.name, block).astype(np.int64)
        index, step = np.zeros_like(local), 1
        # The last of the folded axes runs fastest, in the block as in the whole.
        for axis, start, dim in reversed(list(zip(job.axes, places, job.dims))):
            local, at = np.divmod(local, block.shape[axis])
            index += step * (at + start)
            step *= int(dim)
        return job.fold(name, block), index

    def merge(job, counts, stacks):
        values, places = stacks
        best = _over(name, values)
        found = (values == best) | (_is_nan(values) & _is_nan(best))
        return best, np.where(found, places, np.iinfo(np.int64).max).min(axis=0)

    return Tree(split, merge, lambda job, count, values, index: index, seeks=True)


def _spread(root):
    """Make the tree of variances: means, and sums of squares around them."""

    def split(job, block, _):
        block = block.astype(job.work)
        mean = job.fold("mean", block)
        return mean, job.fold("sum", (block - mean) ** 2)

    def merge(job, counts, stacks):
        means, squares = stacks
        shares = np.asarray(counts, job.work).reshape((-1,) + (1,) * (means.ndim - 1))
        mean = (means * (shares / shares.sum())).sum(axis=0)
        return mean, squares.sum(axis=0) + (shares * (means - mean) ** 2).sum(axis=0)

    def finish(job, count, mean, squares):
        less = job.options.get("ddof") or job.options.get("correction") or 0
        variance = _divide(squares, max(count - less, 0))
        return np.sqrt(variance) if root else variance

    return Tree(split, merge, finish, options=("ddof", "correction"))


TREES = {
    **{name: _alone(name) for name in ("min", "max", "any", "all")},
    "sum": _summed("sum"),
    "prod": _summed("prod"),
    "mean": _summed("sum")._replace(finish=lambda job, count, total: _divide(total, count)),
    "argmin": _search("min"),
    "argmax": _search("max"),
    "var": _spread(root=False),
    "std": _spread(root=True),
    "nansum": _summed("sum", fill=0),
    "nanprod": _summed("prod", fill=1),
    "nanmean": _mean_without_nan(),
    "nanmin": _extreme("min", np.inf),
    "nanmax": _extreme("max", -np.inf),
}
"""How each reduction goes over blocks. Another one is one more row."""


class _Split:
    """Keep what a block gives."""

    def __init__(self, job):
        self.job = job

    def __call__(self, block, *starts):
        job, block = self.job, np.asarray(block)
        count = math.prod(block.shape[axis] for axis in job.axes)
        left = tuple(1 if axis in job.axes else dim for axis, dim in enumerate(block.shape))
        if not count:
            return 0, left
        return count, left, *TREES[job.name].split(job, block, [int(start.item()) for start in starts])


class _Merge:
    """Merge what several blocks gave; the last merge makes the result."""

    def __init__(self, job, is_last):
        self.job, self.is_last = job, is_last

    def __call__(self, parts, axis=None, keepdims=None):
        tree = TREES[self.job.name]
        flat = _flatten(parts)
        full = [part for part in flat if part[0]]
        count, left, *arrays = full[0] if full else flat[0]
        if len(full) > 1:
            counts = [part[0] for part in full]
            count, arrays = sum(counts), tree.merge(self.job, counts, [np.stack(stack) for stack in zip(*(p[2:] for p in full))])
        if not self.is_last:
            return count, left, *arrays
        return self._finish(tree, count, left, arrays)

    def _finish(self, tree, count, left, arrays):
        job = self.job
        if not count:
            # Nothing was folded: what comes of that, or the error, is that of an array without elements.
            shape = [0 if axis in job.axes else dim for axis, dim in enumerate(left)]
            return job.whole(np.empty(shape, job.dtype))
        result = np.asarray(tree.finish(job, count, *arrays)).astype(job.dtype, copy=False)
        return (result if job.keepdims else np.squeeze(result, axis=job.axes))[()]


def _flatten(parts):
    return [part for one in parts for part in _flatten(one)] if isinstance(parts, list) else [parts]


def _keep(part, axis=None, keepdims=None):
    return part


def fold(name, x, axis=None, dtype=None, out=None, keepdims=False, **options):
    """Fold axes of a Dask array."""
    if out is not None:
        raise TypeError("a Dask array cannot be an output; use the result")
    if name not in TREES:
        raise TypeError(f"{name}() does not accept Dask arrays; pass arrays of NumPy, such as x.compute()")
    for key in options:
        if key not in TREES[name].options:
            raise TypeError(f"{name}() has no keyword '{key}' for Dask arrays")
    _operands.check_blocks(x, "x")
    # An array of one element, or of none, says what comes of the whole, or what is wrong.
    probe = np.ones([0 if dim == 0 else 1 for dim in x.shape], x.dtype)
    given = None if dtype is None else _arrays.dtype_of(_arrays.short_name(dtype))
    extra = {} if given is None else {"dtype": given}
    result = fold_whole(name, probe, axis=axis, keepdims=keepdims, **extra, **options)
    return tree(name, x, axis, bool(keepdims), given, result.dtype, options)


def tree(name, x, axis, keepdims, given, dtype, options):
    """Make the lazy result of a reduction whose dtype is known."""
    import dask.array as da

    axes = tuple(range(x.ndim)) if axis is None else tuple(sorted(int(i) % x.ndim for i in np.atleast_1d(axis)))
    dims = tuple(x.shape[at] for at in axes)
    job = Job(name, axes, keepdims, given, dtype, dims, options)
    meta = np.empty((0,) * (x.ndim if keepdims else x.ndim - len(axes)), dtype)
    if not axes:
        return x.map_blocks(job.whole, dtype=dtype, meta=meta)
    parts = da.blockwise(
        _Split(job), tuple(range(x.ndim)), x, tuple(range(x.ndim)), *_starts(job, x), dtype=dtype, align_arrays=False,
        adjust_chunks={at: (lambda dim: 1) for at in axes}, meta=np.empty((0,) * x.ndim, dtype),
    )
    return da.reduction(
        parts, chunk=_keep, combine=_Merge(job, False), aggregate=_Merge(job, True), axis=axes, keepdims=keepdims,
        dtype=dtype, concatenate=False, meta=meta,
    )


def _starts(job, x):
    """Return arrays of one element per block that say where it begins, for the reductions that look for a place."""
    import dask.array as da

    if not TREES[job.name].seeks:
        return []
    if any(np.isnan(dim) for dim in job.dims):
        raise ValueError(f"{job.name}() along chunks of unknown size; call compute_chunk_sizes() on the Dask array first")
    arguments = []
    for at in job.axes:
        chunks = x.chunks[at]
        arguments += [da.from_array(np.cumsum((0, *chunks[:-1])), chunks=1), (at,)]
    return arguments
