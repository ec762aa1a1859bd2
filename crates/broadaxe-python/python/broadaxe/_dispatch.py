"""Calls of operators that are more than plain arrays: operands of other libraries, masks, dtypes, outputs to cast to."""

import numpy as np

from . import _arrays, _broadaxe, _dask
from ._reductions import fold

KEYWORDS = ("out", "where", "dtype", "casting", "rule", "axis", "order", "subok")


def dispatch(operator, args, kwargs):
    """Answer a call of an operator that the engine did not answer by itself."""
    args, out = _output(operator, args, kwargs)
    deferred = _defer(operator, args, out, kwargs)
    if deferred is not NotImplemented:
        return deferred
    if operator.variadic and len(args) == 1:
        return fold(operator.__name__, args[0], **{**kwargs, "out": out})
    for key in kwargs:
        if key not in KEYWORDS:
            raise TypeError(f"{operator.__name__}() got an unexpected keyword argument '{key}'")
    result = compute(operator, args, out, kwargs)
    return out if out is not None else _wrap(operator, args, result, kwargs.get("subok", True))


def _output(operator, args, kwargs):
    """Return the operands and the output, which may be given behind them or by its name."""
    name, nin = operator.__name__, operator.nin
    out = kwargs.get("out")
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        out = out[0]
    if len(args) == nin + 1 and not operator.variadic:
        if "out" in kwargs:
            raise TypeError(f"{name}() got two outputs, one behind its operands and one as out=")
        args, out = args[:nin], args[nin]
    if len(args) != nin and not (operator.variadic and args):
        count = "1 or more operands" if operator.variadic else f"{nin} operand{'s' * (nin > 1)}"
        raise TypeError(f"{name}() takes {count}, not {len(args)}")
    return args, out


def _defer(operator, args, out, kwargs):
    """Let an operand that wants it answer the call itself; NotImplemented where none does."""
    if any(_dask.is_dask(arg) for arg in args):
        if operator.variadic and len(args) == 1:
            return _dask.fold(operator.__name__, args[0], **{**kwargs, "out": out})
        return _dask.blockwise(operator, args, out, kwargs)
    overriding = []
    for arg in (*args, out):
        method = getattr(type(arg), "__array_ufunc__", NotImplemented)
        if method is NotImplemented or method is np.ndarray.__array_ufunc__:
            continue
        if method is None:
            raise TypeError(f"operand of type '{type(arg).__name__}' does not support ufuncs (__array_ufunc__=None)")
        # A class is asked before those that it derives from, and each class once.
        if all(type(arg) is not type(known) for known, _ in overriding):
            at = next((i for i, (known, _) in enumerate(overriding) if issubclass(type(arg), type(known))), None)
            overriding.insert(len(overriding) if at is None else at, (arg, method))
    if not overriding:
        return NotImplemented
    passed = {key: value for key, value in kwargs.items() if key != "out"}
    if out is not None:
        passed["out"] = (out,)
    for arg, method in overriding:
        answer = method(arg, operator, "__call__", *args, **passed)
        if answer is not NotImplemented:
            return answer
    names = ", ".join(f"'{type(arg).__name__}'" for arg in args)
    raise TypeError(f"operand type(s) all returned NotImplemented from __array_ufunc__({operator!r}, '__call__', ...): {names}")


def compute(operator, args, out, kwargs):
    """Compute on operands that nobody else wants; the result is in `out` or in a new plain array."""
    casting = kwargs.get("casting", "same_kind")
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(f"casting is one of no, equiv, safe, same_kind and unsafe, not {casting!r}")
    sheet = _broadaxe.Sheet(kwargs.get("rule"), kwargs.get("axis"))
    operands = [_arrays.borrow(arg) for arg in args]
    values = [sheet.put(operand) for operand in operands]
    where = kwargs.get("where", True)
    mask = None if where is True else sheet.put(_mask(where))
    dtype = kwargs.get("dtype")
    if dtype is not None:
        values = _cast(sheet, operator, operands, values, _arrays.short_name(dtype), casting)
    if mask is not None:
        values = _harmless(sheet, operator, values, mask)
    root = sheet.operate(operator.__name__, values)
    return finish(sheet, root, out, mask, casting, kwargs.get("order", "K"), operator.__name__)


def _mask(where):
    mask = np.asarray(where)
    if mask.dtype != bool:
        raise TypeError(f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule 'safe'")
    return _arrays.plain(mask)


def _cast(sheet, operator, operands, values, short, casting):
    """Cast operands to the dtype that is to be computed in."""
    to = _arrays.dtype_of(short)
    results = {text[-1] for text in operator.types}
    if results == {"?"}:
        if short != "bool":
            raise TypeError(f"No loop of {operator.__name__} gives {to}; its results are bool")
        return values
    cast = []
    for k, (operand, value) in enumerate(zip(operands, values)):
        if operator.__name__ == "where" and k == 0:
            cast.append(value)
            continue
        if not _arrays.is_number(operand) and not _can_cast(operand.dtype, to, casting):
            raise np._core._exceptions._UFuncInputCastingError(operator, casting, operand.dtype, to, k)
        cast.append(sheet.cast(value, short))
    return cast


def _can_cast(from_, to, casting):
    if np.can_cast(from_, to, casting):
        return True
    # ml_dtypes says less than NumPy does of floats of any width.
    halves = casting == "same_kind" and "bfloat16" in (from_.name, to.name)
    return halves and (from_.kind in "biu" or from_ in _arrays.SHORT and to.name.startswith(("float", "bfloat")))


def _harmless(sheet, operator, values, mask):
    """Give operators that refuse elements, such as zero divisors, a 1 where the mask leaves the result alone."""
    if len(values) != 2 or values[1].dtype is None or not values[1].dtype.startswith(("i", "u")):
        return values
    one = sheet.cast(sheet.put(1), values[1].dtype)
    return [values[0], sheet.choose(mask, values[1], one)]


def finish(sheet, root, out, mask, casting, order, name):
    """Compute a value into `out`, or into a new array where there is none."""
    if out is None:
        if mask is not None:
            root = sheet.choose(mask, root, sheet.cast(sheet.put(0), root.dtype))
        return sheet.compute(root, order=order)
    if not isinstance(out, np.ndarray):
        raise TypeError("return arrays must be of ArrayType")
    if not out.flags.writeable:
        raise ValueError("output array is read-only")
    from_ = _arrays.dtype_of(root.dtype) if root.dtype else np.dtype(float)
    short = _arrays.short_name(out.dtype)
    if root.dtype != short:
        if not _can_cast(from_, out.dtype, casting):
            raise TypeError(f"Cannot cast '{name}' output from {from_!r} to {out.dtype!r} with casting rule '{casting}'")
        root = sheet.cast(root, short)
    if root.shape != out.shape:
        try:
            root = sheet.broadcast(root, f"broadcast-to target={_dims(out.shape)}")
        except ValueError:
            raise ValueError(
                f"non-broadcastable output operand with shape {out.shape} doesn't match the broadcast shape {root.shape}"
            ) from None
    target = out if type(out) is np.ndarray else out.view(np.ndarray)
    if not out.dtype.isnative:
        if mask is not None:
            root = sheet.choose(mask, root, sheet.put(target.astype(target.dtype.newbyteorder("="))))
        target[...] = sheet.compute(root)
        return out
    if mask is not None:
        root = sheet.choose(mask, root, sheet.put(target))
    sheet.compute(root, out=target)
    return out


def _dims(shape):
    return ",".join(str(dim) for dim in shape) or "()"


def _wrap(operator, args, result, subok):
    """Give the result the class of the operand that asks for it most, as NumPy does for subclasses of ndarray."""
    if not subok:
        return result
    wrapping = [arg for arg in args if isinstance(arg, np.ndarray) and type(arg) is not np.ndarray]
    if not wrapping:
        return result
    chosen = max(wrapping, key=lambda arg: getattr(arg, "__array_priority__", 0.0))
    array, context = np.asarray(result), (operator, tuple(args), 0)
    try:
        return chosen.__array_wrap__(array, context, array.ndim == 0)
    except TypeError:
        return chosen.__array_wrap__(array, context)
