"""Reductions: axes of an array folded to one element each.

Every reduction is one fused evaluation: masks, casts, means that are subtracted again and quotients are nodes of its graph, and no
temporary of the array's shape is made.
"""

import functools
import inspect
import operator as python

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from . import _arrays, _broadaxe, _dask, _operands

ABSENT = np._NoValue
"""What `initial` is where it is not given: None says that there is none, as in NumPy."""

NEUTRAL = {"sum": 0, "prod": 1, "any": False, "all": True}
"""What a reduction of no elements gives, where it gives anything."""

JOINS = {"sum": "add", "prod": "mul", "max": "max", "min": "min", "any": "logical_or", "all": "logical_and"}
"""The operator that a reduction folds by."""

NAN = {f"nan{name}": name for name in ("sum", "prod", "max", "min", "mean", "var", "std")}
"""Reductions that leave NaN out, and those that they are without it."""

NAMES = [*_broadaxe.reductions(), "var", "std", *NAN]
"""Every reduction, the engine's first."""


def accepts(name):
    """Return the keywords of a reduction behind its array and `axis`, in NumPy's order."""
    plain = NAN.get(name, name)
    if plain in ("argmax", "argmin"):
        return ("out", "keepdims")
    if plain in ("any", "all"):
        return ("out", "keepdims", "where")
    if plain in ("max", "min"):
        return ("out", "keepdims", "initial", "where")
    if plain in ("var", "std"):
        return ("dtype", "out", "ddof", "keepdims", "where", "mean", "correction")
    return ("dtype", "out", "keepdims", *(() if plain == "mean" else ("initial",)), "where")


def fold(name, x, axis=None, dtype=None, out=None, keepdims=False, initial=ABSENT, where=True, builder=None, **others):
    """Fold axes of one array as the function `name` does; a builder that the engine gives keeps the plan."""
    given = {"dtype": dtype, "out": out, "keepdims": keepdims, "initial": initial, "where": where, **others}
    given = _said(given)
    for key in given:
        if key not in accepts(name):
            raise TypeError(f"{name}() of one operand got an unexpected keyword argument '{key}'")
    return _answer(name, x, axis, given, builder)


_ABSENCES = {"dtype": None, "out": None, "keepdims": False, "initial": ..., "where": True, "mean": None, "correction": None}
"""What keywords are where they are not given."""


def _said(given):
    """Leave out keywords that say nothing."""
    return {key: value for key, value in given.items() if value is not ABSENT and value is not _ABSENCES.get(key, ABSENT)}


def fold_by(operator, x, axis, dtype, out, keepdims, initial, where):
    """Fold axes as the method `reduce` of an operator does; None where no reduction folds by the operator."""
    names = {"sum": "sum", **{join: name for name, join in JOINS.items()}}
    name = names.get(operator.__name__)
    if name is None:
        return NotImplemented
    given = {"dtype": dtype, "out": out, "keepdims": keepdims, "initial": initial, "where": where}
    given = _said(given)
    if name in ("any", "all") and "dtype" in given:
        if _arrays.short_name(given.pop("dtype")) != "bool":
            raise TypeError(f"No loop matching the specified signature and casting was found for {operator.__name__}")
    return _answer(name, x, axis, given)


def _answer(name, x, axis, given, builder=None):
    if type(x) is not np.ndarray:
        answer = _ask_class(name, x, axis, given)
        if answer is not NotImplemented:
            return answer
    out = given.get("out")
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError("The 'out' tuple must have exactly one entry")
        out, = out
    scalar = out is not Ellipsis
    if scalar and out is not None:
        _arrays.check_output(out)
    given["out"] = out if scalar else None
    if _operands.is_dask(x):
        return _dask.fold(name, x, axis=axis, **given)
    array = _arrays.borrow(x, "x")
    _operands.check_plain(given.get("initial"), "initial")
    if _arrays.is_number(array):
        array = np.asarray(array)
    result = _Fold(name, array, axis, given, builder).compute()
    if given["out"] is not None:
        return out
    if name in ("argmax", "argmin") and isinstance(x, np.ndarray) and scalar and np.ndim(result) == 0:
        # A position is a number, whatever the class of the array.
        return result
    return _arrays.wrap(_arrays.wrapper((x,)), result, None, scalar)


def _ask_class(name, x, axis, given):
    """Let the class of an array answer, as NumPy does: by a method of its own (masked arrays, data frames), or its `__array_ufunc__`."""
    kind, own = type(x), getattr(type(x), name, None)
    if not hasattr(kind, "__array_ufunc__") or isinstance(x, np.generic) or _operands.is_dask(x):
        return NotImplemented
    _operands.check_chunks(x, "x")
    if own is not None and own is not getattr(np.ndarray, name, None):
        if name in ("var", "std") and not {"ddof", "correction"} & set(given):
            # Some classes have another default.
            given["ddof"] = 0
        return getattr(x, name)(axis=axis, **given)
    if not _operands.answers(x):
        return NotImplemented
    if name in JOINS:
        from . import operators

        return operators[JOINS[name]].reduce(x, axis=axis, **given)
    if isinstance(x, np.ndarray):
        return getattr(np, name)(x, axis=axis, **given)
    raise _operands.refusal(x, "x")


_expression = functools.lru_cache(256)(_broadaxe.Expression)


class _Fold:
    """One reduction of a plain array, in a graph builder."""

    def __init__(self, name, array, axis, given, builder):
        self.name, self.plain, self.array, self.given = name, NAN.get(name, name), array, given
        self.keepdims = bool(given.get("keepdims", False))
        self.axes = None if axis is None else axes_of(axis, array.ndim)
        self.builder = builder or _broadaxe.GraphBuilder()
        self.x = self.builder.put(array)
        self.mask = None
        if "where" in given:
            self.mask = self.builder.put(_spread(given["where"], array.shape))
        if name in NAN and array.dtype.kind not in "biu":
            there = self._operate("logical_not", self._operate("isnan", self.x))
            self.mask = there if self.mask is None else self._operate("logical_and", self.mask, there)

    def _operate(self, name, *values):
        return self.builder.operate(name, list(values))

    def _fold(self, name, value, keepdims=None):
        keepdims = self.keepdims if keepdims is None else keepdims
        axes = "" if self.axes is None else f", axis={self.axes}"
        return self.builder.lower(_expression(f"{name}(x{axes}, keepdims={keepdims})"), {"x": value})

    def _number(self, number, value):
        """Put a number of the dtype of a value."""
        return self.builder.cast(self.builder.put(number), value.dtype)

    def _masked(self, value, number):
        """Replace what the mask leaves out by a number."""
        if self.mask is None:
            return value
        return self.builder.choose(self.mask, value, self._number(number, value))

    def compute(self):
        """Compute the reduction, into `out` where there is one."""
        from ._dispatch import finish

        how = {"mean": self._mean, "var": self._deviation, "std": self._deviation, "argmax": self._search, "argmin": self._search}
        root = how.get(self.plain, self._join)()
        if isinstance(root, np.ndarray):
            root = self.builder.put(root)
        out = self.given["out"]
        if out is not None and np.shape(out) != tuple(root.shape):
            raise ValueError(f"output array has shape {np.shape(out)}; the reduction {self.name} gives {tuple(root.shape)}")
        return finish(self.builder, root, out, None, "unsafe", "C", self.name)

    def _dtype(self):
        """Return the short name of the dtype that `dtype=` or `out=` asks to compute in, or None."""
        if "dtype" in self.given:
            return _arrays.short_name(self.given["dtype"])
        out = self.given["out"]
        if out is None:
            return None
        return _arrays.short_name(np.promote_types(out.dtype, self.array.dtype))

    def _count(self, keepdims=None):
        """Return how many elements are folded: a number, or a value where a mask leaves some out."""
        if self.mask is not None:
            mask = self._operate("where", self.mask, self.builder.put(1), self.builder.put(0))
            return self._fold("sum", self.builder.cast(mask, "i64"), keepdims)
        count = 1
        for axis in range(self.array.ndim) if self.axes is None else self.axes:
            count *= self.array.shape[axis]
        return count

    def _sum_to(self, value, short, keepdims=None):
        """Sum a value in a dtype, whatever the engine would choose."""
        return self.builder.cast(self._fold("sum", self.builder.cast(value, short), keepdims), short)

    def _join(self):
        name = self.plain
        initial = self.given.get("initial", NEUTRAL.get(name))
        started = self.given.get("initial") is not None
        if initial is None and "where" in self.given:
            raise ValueError(
                f"reduction operation '{self.name}' does not have an identity, so to use a where mask one has to specify 'initial'"
            )
        short = None if name in ("any", "all") else self._dtype()
        value = self.x if short is None else self.builder.cast(self.x, short)
        if short == "bool":
            name = {"sum": "any", "prod": "all"}.get(name, name)
        if "initial" in self.given and self._is_empty():
            return self._of_nothing(name, value, initial)
        extreme = name in ("max", "min")
        emptied = self.mask is not None and initial is None and extreme
        if self.mask is not None:
            value = self.builder.choose(self.mask, value, self._start(self._neutral(initial), value.dtype))
        root = self._fold(name, value)
        if short is not None and name not in ("any", "all"):
            root = self.builder.cast(root, short)
        if started:
            root = self.builder.cast(self._operate(JOINS[name], self._start(initial, root.dtype), root), root.dtype)
        if emptied:
            left = self._fold("any", self.mask)
            root = self.builder.choose(left, root, self._number(float("nan"), root))
        return root

    def _neutral(self, initial):
        """Return the value of elements that a mask leaves out."""
        if self.plain in ("max", "min"):
            return initial if initial is not None else float("-inf" if self.plain == "max" else "inf")
        if self.plain == "sum" and self.name not in NAN and "initial" in self.given:
            # A start of -0.0 stays -0.0. Where NaN is left out, 0.0 is in its place, as in NumPy.
            return -0.0
        return NEUTRAL[self.plain]

    def _start(self, number, short):
        """Put what a fold starts with, cast to its dtype as NumPy does."""
        return self.builder.put(self._element(number, short))

    def _element(self, number, short):
        return np.asarray(bool(number)) if short == "bool" else np.asarray(number, dtype=_arrays.dtype_of(short))

    def _is_empty(self):
        return self.array.size == 0 and self._count_plain() == 0

    def _count_plain(self):
        mask, self.mask = self.mask, None
        count = self._count()
        self.mask = mask
        return count

    def _of_nothing(self, name, value, initial):
        """Return what no elements give: the start, in every element of the result."""
        extreme = name in ("max", "min")
        folded = self._fold("any" if extreme else name, value)
        short = value.dtype if extreme or "dtype" in self.given else folded.dtype
        if initial is not None:
            return np.broadcast_to(self._element(initial, short), folded.shape).copy()
        if 0 not in folded.shape:
            raise ValueError(f"zero-size array to reduction operation {self.name} which has no identity")
        return np.empty(folded.shape, _arrays.dtype_of(short))

    def _search(self):
        return self._fold(self.plain, self.x)

    def _inner(self):
        """Return the dtypes that a mean or a variance computes in and gives."""
        dtype = self.array.dtype
        short = self._dtype() or (_arrays.short_name(dtype) if dtype.kind not in "biu" else "f64")
        if short.startswith(("i", "u", "bool")) and "dtype" not in self.given:
            short = "f64"
        return "f32" if short in ("f16", "bf16") else short, short

    def _mean(self):
        inner, short = self._inner()
        if self.name in NAN and self.array.dtype.kind not in "biu" and not short.startswith(("f", "bf")):
            raise TypeError(f"{self.name} of floats is a float; its dtype cannot be {_arrays.dtype_of(short)}")
        if self.mask is None and inner.startswith("f") and inner == short == _arrays.short_name(self.array.dtype):
            return self._fold("mean", self.x)
        value = self._masked(self.builder.cast(self.x, inner), 0)
        return self.builder.cast(self._quotient(self._sum_to(value, inner), self._count()), short)

    def _quotient(self, total, count, less=0, least=0.0):
        """Divide a sum by the count of its elements less `ddof`; by `least` where fewer than one are left."""
        wide = total if total.dtype.startswith("f") else self.builder.cast(total, "f64")
        if isinstance(count, int):
            return self._operate("div", wide, self._number(float(count - less) if count > less else least, wide))
        count = self._operate("sub", self.builder.cast(count, "f64"), self.builder.put(float(less)))
        some = self._operate("greater", count, self.builder.put(0.0))
        count = self.builder.choose(some, count, self._number(least, count))
        return self._operate("div", wide, self.builder.cast(count, wide.dtype))

    def _deviation(self):
        """Return the mean of the squared distances from the mean, or its root."""
        inner, short = self._inner()
        if not inner.startswith("f"):
            raise TypeError(f"{self.name} is computed in floats; its dtype cannot be {_arrays.dtype_of(short)}")
        x = self.builder.cast(self.x, inner)
        if "mean" in self.given:
            mean = self.builder.cast(self.builder.put(np.asarray(_arrays.borrow(self.given["mean"], "mean"))), inner)
        else:
            mean = self._quotient(self._sum_to(self._masked(x, 0), inner, True), self._count(True))
        distance = self._operate("sub", x, mean)
        squares = self._masked(self._operate("mul", distance, distance), 0)
        # NumPy leaves no degree of freedom undefined where NaN is left out, and infinite elsewhere.
        least = float("nan") if self.name in NAN and self.array.dtype.kind not in "biu" else 0.0
        root = self._quotient(self._sum_to(squares, inner), self._count(), self._less(), least)
        if self.plain == "std":
            root = self._operate("sqrt", root)
        return self.builder.cast(root, short)

    def _less(self):
        less, correction = self.given.get("ddof", 0), self.given.get("correction")
        if correction is not None:
            if less != 0:
                raise ValueError("ddof and correction can't be provided simultaneously.")
            return correction
        return less


def axes_of(axis, rank):
    """Return the axes that were named, each once and counted from the first; a single element has its axis 0 or -1, as in NumPy."""
    axes = axis if isinstance(axis, (tuple, list)) or np.ndim(axis) else (axis,)
    if rank == 0 and len(axes) == 1 and python.index(axes[0]) in (0, -1):
        return []
    return sorted(normalize_axis_tuple([python.index(i) for i in axes], rank, "axis"))


def _spread(where, shape):
    """Return a mask over all of an array, of which it may have fewer axes."""
    from ._dispatch import as_mask

    mask = np.asarray(as_mask(where))
    if mask.shape == shape:
        return mask
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(f"a mask of shape {mask.shape} does not broadcast to the array's shape {shape}") from None


def reduction(name):
    """Make the function of a reduction that is no operator too."""
    keywords = accepts(name)
    defaults = {"ddof": 0, **_ABSENCES, "initial": ABSENT}

    def function(x, axis=None, *args, **kwargs):
        if len(args) > len(keywords):
            raise TypeError(f"{name}() accepts at most {2 + len(keywords)} operands, not {2 + len(args)}")
        for key, value in zip(keywords, args):
            if key in kwargs:
                raise TypeError(f"{name}() got multiple values for argument '{key}'")
            kwargs[key] = value
        return fold(name, x, axis, **kwargs)

    Kind = inspect.Parameter
    parameters = [Kind("x", Kind.POSITIONAL_OR_KEYWORD), Kind("axis", Kind.POSITIONAL_OR_KEYWORD, default=None)]
    parameters += [Kind(key, Kind.POSITIONAL_OR_KEYWORD, default=defaults[key]) for key in keywords]
    function.__signature__ = inspect.Signature(parameters)
    function.__name__ = function.__qualname__ = name
    function.__module__ = "broadaxe"
    function.__doc__ = f"{name}{function.__signature__}\n\n{_documentation(name)}"
    # The engine answers calls whose plans it has, and asks the function about the rest.
    return _broadaxe.Reduction(name, function)


def _documentation(name):
    text = f"Fold axes of an array by {NAN.get(name, name)}{', leaving NaN out' * (name in NAN)}: all of them, or those that `axis` names.\n\n"
    text += "`keepdims` leaves the folded axes with 1 element."
    if "where" in accepts(name):
        text += " `where` is a mask of the elements to fold."
    if "initial" in accepts(name):
        text += " `initial` is what the fold starts with."
    if "ddof" in accepts(name):
        text += " The divisor is the count of elements less `ddof`, also called `correction`; `mean` is the mean where it is known."
    text += "\nRaises ValueError for axes that are not there and TypeError for dtypes. Sums of an axis follow one tree, so that their\n"
    return text + "bits do not depend on threads or layout. No warning is issued: NaN is the mean of nothing and what NaN alone leaves.\n"
