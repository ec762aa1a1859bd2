"""Judges the result of a call by that of NumPy: exact values bit by bit, others by a truth of more digits."""

import contextlib
import operator

import numpy as np
import reference
from operands import Subclass
from reference import WIDE

FOLDED = ("add", "subtract", "multiply", "true_divide", "hypot")
"""Operators whose folds NumPy computes in any order, or in f32 for f16."""
APPROXIMATE = ("sum", "prod", "mean", "var", "std")
"""Reductions whose order of additions is open, so that floats differ in the last bits."""
PRODUCTS = ("prod", "multiply", "true_divide")
ZEROS = ("clip", "max", "min", "maximum", "minimum", "fmax", "fmin", "nanmax", "nanmin")
"""What gives one of two zeros, of which none is the larger."""


def judge(theirs, ours, want, got, again):
    """Say what differs between two runs of a call, or return None; `again` makes the call with operands that were not used."""
    if isinstance(want, type) or isinstance(got, type):
        # Of several reasons, each names the one that it finds first.
        return None if isinstance(want, type) and isinstance(got, type) else "one refuses"
    pairs = zip(want, got) if isinstance(want, tuple) else [(want, got)]
    if theirs.name.endswith(".at"):
        pairs = [(theirs.outs[0], ours.outs[0])]
    for one, other in pairs:
        wrong = kinds(one, other) or values(theirs, np.asarray(one), np.asarray(other), again)
        if wrong:
            return wrong
    if ours.outs and not theirs.name.endswith(".at") and got is not ours.outs[0]:
        return "the result is not the output"
    return memory(theirs, ours)


def kinds(want, got):
    """Compare class, dtype and shape."""
    # C has two types of 64 bits, and NumPy a scalar for each.
    numbers = isinstance(want, np.generic) and isinstance(got, np.generic) and np.dtype(type(want)) == np.dtype(type(got))
    if type(want) is not type(got) and not numbers:
        return f"a {type(got).__name__}, not a {type(want).__name__}"
    if np.asarray(want).dtype != np.asarray(got).dtype:
        return f"{np.asarray(got).dtype}, not {np.asarray(want).dtype}"
    return f"shape {np.shape(got)}, not {np.shape(want)}" if np.shape(want) != np.shape(got) else None


def values(call, want, got, again):
    """Compare elements, in this machine's order of bytes."""
    want, got = (array.astype(array.dtype.newbyteorder("=")) for array in (want, got))
    same = equal(call, want, got)
    if not call.outs and call.kwargs.get("where", True) is not True and "." not in call.name and call.name in dir(np) and is_elementwise(call):
        same |= ~np.broadcast_to(call.kwargs["where"], same.shape)
    if same.all():
        return None
    allowed = tolerance(call, want, got, again())
    if allowed is not None:
        same |= allowed
    if same.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{got[at]!r} at {at}, not {want[at]!r}; {np.count_nonzero(~same)} of {same.size}"


def is_elementwise(call):
    return isinstance(getattr(np, call.name, None), np.ufunc)


def equal(call, want, got):
    """Compare bits; of NaN only that it is one counts."""
    if want.dtype.kind != "f":
        return np.asarray(want == got)
    signs = np.signbit(want) == np.signbit(got)
    if call.name.partition(".")[0] in ZEROS or call.name == "evaluate" and "imum(" in call.args[0]:
        signs |= want == 0
    return np.asarray((want == got) & signs | np.isnan(want) & np.isnan(got))


def tolerance(call, want, got, fresh):
    """Return where results are as near to the truth as is claimed; None where every bit counts."""
    name = call.name
    if name in reference.FUNCTIONS and reference.is_float(got.dtype):
        loop = np.dtype(call.kwargs.get("dtype") or loop_of(fresh))
        operands = [np.broadcast_to(arg, want.shape) for arg in fresh.args[: getattr(np, name).nin]]
        wrong = reference.beyond(name, got, *operands, loop=loop)
        return ~np.isin(np.arange(want.size).reshape(want.shape), wrong)
    base, _, kind = name.partition(".")
    if base.removeprefix("nan") in APPROXIMATE or kind in ("reduce", "reduceat", "accumulate") and base in FOLDED:
        return near_fold(base.removeprefix("nan"), kind, want, got, fresh)
    if name in ("hypot.outer", "hypot.at"):
        # Up to three steps, each off by what NumPy and ours may be off.
        epsilon = np.finfo(got.dtype if got.dtype.kind == "f" else float).eps
        return np.abs(got.astype(WIDE) - want.astype(WIDE)) <= 3 * (reference.NUMPYS_ULPS + 1) * epsilon * np.abs(want.astype(WIDE))
    return None


def loop_of(call):
    """Return the dtype in which NumPy computes a call."""
    count = getattr(np, call.name).nin
    return np.asarray(getattr(np, call.name)(*call.args[:count])).dtype


def near_fold(name, kind, want, got, call):
    """Compare sums and products of floats: each of their steps rounds once, in any order."""
    array = np.asarray(call.args[0])
    dtype = np.asarray(got).dtype
    computed = call.kwargs.get("dtype") or (dtype if array.dtype.kind != "f" else array.dtype)
    if np.dtype(computed).kind != "f":
        return None
    epsilon = float(np.finfo(min(np.dtype(computed), dtype if dtype.kind == "f" else np.dtype(float), key=lambda one: one.itemsize)).eps)
    numbers = array.astype(WIDE)
    finite = numbers[np.isfinite(numbers)]
    steps = finite.size + 4
    a, b = got.astype(WIDE), want.astype(WIDE)
    if name in PRODUCTS:
        size = np.fmax(np.abs(a), np.abs(b))
    else:
        size = np.abs(finite).sum() + 1 if name not in ("var", "std") else (np.abs(finite).max(initial=0) + 1) ** 2 * steps
    tiny = np.finfo(dtype if dtype.kind == "f" else float).smallest_subnormal if dtype.kind == "f" else 1
    near = np.abs(a - b) <= 2 * steps * epsilon * size + steps * tiny
    return near | leaves_the_range(name, finite, np.finfo(computed))


def leaves_the_range(name, finite, info):
    """Say whether a fold overflows or vanishes on the way in one order, though it may not in another."""
    sizes = np.abs(finite)
    if name in PRODUCTS:
        return float(np.abs(np.log2(sizes[sizes > 0])).sum()) > info.maxexp - 2
    return float((sizes.max(initial=0) if name not in ("var", "std", "hypot") else sizes.max(initial=0) ** 2) * (sizes.size + 1)) > float(info.max) / 8


def memory(theirs, ours):
    """Compare what the calls left in the memory of operands and outputs, and around outputs."""
    for one, other in zip(theirs.outs, ours.outs):
        other[...] = one
    for one, other in zip([*theirs.args, *theirs.kwargs.values()], [*ours.args, *ours.kwargs.values()]):
        if isinstance(one, tuple) and one:
            one, other = one[0], other[0]
        if isinstance(one, np.ndarray) and root(one).tobytes() != root(other).tobytes():
            return "memory was changed"
    return None


def root(array):
    """Return the array that owns the memory, except that of a file."""
    while isinstance(array.base, np.ndarray) and not isinstance(array.base, np.memmap):
        array = array.base
    return array


def same_values(want, got):
    return not isinstance(want, type) and not isinstance(got, type) and np.array_equal(want, got, equal_nan=np.asarray(want).dtype.kind == "f")


def divides_by_zero(call, want, got):
    return got is ZeroDivisionError and not isinstance(want, type)


def casts_to_integers(call, want, got):
    """Whether numbers are cast to an integer that does not hold them: the CPU decides, and the steps of a fold."""
    if isinstance(want, type) or isinstance(got, type) or not call.outs and "dtype" not in call.kwargs:
        return False
    dtypes = [np.dtype(call.kwargs.get("dtype")), *(array.dtype for array in (call.outs or [np.asarray(got)]))]
    integers = [(0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max) for dtype in dtypes if dtype.kind in "biu"]
    operands = [arg for arg in call.args if not any(arg is out for out in call.outs)]
    args = [*operands, call.kwargs.get("initial") or 0]
    if call.name in ("true_divide.at", "hypot.at", "copysign.at", "heaviside.at"):
        return call.args[0].dtype.kind in "iu"
    keywords = {key: value for key, value in call.kwargs.items() if key not in ("out", "dtype", "casting")}
    if not call.name.endswith(".at"):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            args.append(operator.attrgetter(call.name)(np)(*operands, **keywords))
    # A fold of NumPy's casts what it has so far to the output, after every step; so do the sums of a mean and a variance.
    whole = any(out.dtype.kind in "biu" for out in call.outs)
    fractions = any(np.asarray(arg).dtype.kind == "f" for arg in args)
    if whole and (call.name.removeprefix("nan") in ("mean", "var", "std") or call.name in ("prod", "sum", "nanprod", "nansum") and fractions):
        return True
    inner = call.kwargs.get("dtype")
    if inner is not None and np.dtype(inner).kind == "f":
        # A half holds less than the integers that are cast to it.
        args += [np.asarray(arg).astype(inner) for arg in args]
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            args.append(operator.attrgetter(call.name)(np)(*operands, dtype=inner, casting="unsafe"))
    native = {array.dtype.newbyteorder("=") for array in (*call.outs, np.asarray(args[0]))}
    if call.outs and "." in call.name and "f" in {np.asarray(arg).dtype.kind for arg in args} and len(native) > 1:
        return True
    kinds = "f" if is_elementwise(call) else "fiu"
    return any(is_outside(np.asarray(arg), *ends) for arg in args if np.asarray(arg).dtype.kind in kinds for ends in integers)


def is_outside(array, least, most):
    """Say whether there are numbers that an integer does not hold."""
    return not ((array > float(least) - 1) & (array < float(most) + 1)).all()


def starts_from_nothing(call, want, got):
    is_of_subclass = call.name in ("nanmin", "nanmax") and isinstance(call.args[0], Subclass)
    return is_of_subclass and "initial" in call.kwargs and ("where" in call.kwargs or not call.args[0].size)


def is_a_mean_of_integers(call, want, got):
    return call.name in ("mean", "nanmean") and bool(call.outs) and np.dtype(call.kwargs.get("dtype")).kind in "biu"


def is_where(call, want, got):
    return call.name == "where" and same_values(want, got)


def wraps_a_number(call, want, got):
    return call.name == "where" and got is OverflowError


def is_in_a_file(call, want, got):
    return isinstance(want, np.memmap) and call.name.startswith("arg")


def is_round(call, want, got):
    return call.name == "round" and same_values(want, got)


def has_a_long_exponent(call, want, got):
    return call.name == "ldexp" and want is OverflowError


def scales_a_number(call, want, got):
    return call.name == "ldexp" and want is TypeError and "dtype" in call.kwargs and isinstance(call.args[0], float)


def clips_to_all(call, want, got):
    if call.name != "clip":
        return False
    info = np.iinfo(call.args[0].dtype) if np.asarray(call.args[0]).dtype.kind in "iu" and hasattr(call.args[0], "dtype") else None
    bounds = [bound for bound in call.args[1:] if type(bound) is int]
    return want is OverflowError or any(abs(bound) > 2**31 or info and not info.min <= bound <= info.max for bound in bounds)


def overflows_in_an_output(call, want, got):
    if call.name.removeprefix("nan") not in ("var", "std") or not call.outs or isinstance(want, type) or isinstance(got, type):
        return False
    smaller = call.outs[0].dtype.itemsize < np.asarray(call.args[0]).dtype.itemsize
    return smaller and bool((~np.isfinite(np.asarray(want, "f8")) & np.isfinite(np.asarray(got, "f8"))).any())


def has_the_sign_of_an_integer(call, want, got):
    return call.name == "signbit" and want is TypeError and "casting" in call.kwargs


def raises_a_truth(call, want, got):
    ranks = [np.ndim(array) for array in call.kwargs.values()]
    return call.name == "evaluate" and "** 2" in call.args[0] and 0 in ranks and same_values(want, got)


def reads_any_order(call, want, got):
    return call.name.startswith("logical_") and (want is OverflowError or want is TypeError and call.kwargs.get("casting") == "no")


def is_a_mean_of_halves(call, want, got):
    return call.name == "mean" and type(want) is np.float16 and type(got) is Subclass


def clips_a_number(call, want, got):
    return call.name == "clip" and isinstance(call.args[0], (bool, int, float, np.generic))


def gives_no_elements(call, want, got):
    return want is ValueError and isinstance(got, np.ndarray) and got.size == 0


def has_an_axis_of_a_number(call, want, got):
    return want is ValueError and np.ndim(call.args[0]) == 0 and call.kwargs.get("axis") in (0, -1)


def accumulates_into_more(call, want, got):
    if isinstance(want, type) or not call.outs or not call.name.endswith((".accumulate", ".reduceat")) or not isinstance(got, type):
        return False
    lengths, axis = list(np.shape(call.args[0])), call.kwargs.get("axis") or 0
    if call.name.endswith("reduceat"):
        lengths[axis[0] if isinstance(axis, tuple) else axis] = len(call.args[1])
    return tuple(lengths) != call.outs[0].shape


def casts_into_an_output(call, want, got):
    return want is TypeError and "out" in call.kwargs and call.name.startswith(("std", "nan", "arg"))


def refuses_for_no_elements(call, want, got):
    return got is ValueError and call.name in ("power", "pow") and bool(call.outs) and not call.outs[0].size


KNOWN = [
    ("power() refuses integers to negative powers before they stretch into an output without elements", refuses_for_no_elements),
    ("integers divided by 0 are refused; NumPy gives 0 and warns", divides_by_zero),
    ("std(), argmax() and nan*() cast into the output, as sum() and mean() do; NumPy's refuse", casts_into_an_output),
    ("casts to an integer that does not hold the numbers: the CPU decides, and NumPy casts after every step of a fold", casts_to_integers),
    ("nanmin() and nanmax() where a mask or a length leaves nothing give the start for every class; NumPy's give NaN for subclasses", starts_from_nothing),
    ("mean() with dtype= gives that dtype in an output of any other; NumPy's divides in the output", is_a_mean_of_integers),
    ("where() gives classes and scalars as every operator; NumPy's gives plain arrays", is_where),
    ("where() refuses a number that the dtype does not hold, as every operator; NumPy's wraps it", wraps_a_number),
    ("argmax() and argmin() over a file give plain arrays; NumPy's say that they are files", is_in_a_file),
    ("round() gives classes as every operator; NumPy's is a method of arrays, which copies integers in their order of bytes", is_round),
    ("ldexp() computes exponents of more than 32 bits; NumPy's refuses such numbers", has_a_long_exponent),
    ("ldexp() of a number computes in the dtype that is asked for; NumPy finds no loop", scales_a_number),
    ("a bound of clip() is no bound where the common dtype does not hold it; NumPy asks that of the first operand", clips_to_all),
    ("var() and std() hold squares in the dtype of the data; NumPy's overflow in an output of a smaller one", overflows_in_an_output),
    ("signbit() of integers casts nothing; NumPy's casts them to floats", has_the_sign_of_an_integer),
    ("logical_*() read operands in any order of bytes, and numbers of any size, without a cast", reads_any_order),
    ("mean() keeps a class for every dtype; NumPy's drops it for the single result of halves", is_a_mean_of_halves),
    ("powers of a bool are int8, as of arrays; NumPy's scalars give int64", raises_a_truth),
    ("clip() of a number is as every operator; NumPy makes an array of it, or asks its method", clips_a_number),
    ("a reduction without identity over nothing whose result has no elements is not refused", gives_no_elements),
    ("a single element has the axis 0 for every reduction; NumPy's mean(), var() and std() refuse it", has_an_axis_of_a_number),
    ("accumulate() and reduceat() refuse an output of another shape; NumPy writes a part of it", accumulates_into_more),
]
"""Where calls may differ: the reason, and whether it applies to a call."""
