"""Calls of operators that are more than plain arrays: operands of other libraries, masks, dtypes, outputs to cast to."""

import numpy as np

from . import _arrays, _broadaxe, _classes, _dask, _forms, _loops, _operands
from ._reductions import fold

KEYWORDS = ("out", "where", "dtype", "casting", "rule", "axis", "order", "subok", "signature", "sig")


def dispatch(operator, args, kwargs):
    """Answer a call of an operator that the engine did not answer by itself."""
    count, args, kwargs = _forms.decimals(operator, args, kwargs)
    if count:
        return _forms.round_to(operator, count, args, kwargs)
    operator, args, kwargs = _forms.rewrite(operator, args, kwargs)
    if len(args) > 1 and _forms.reads_axis(operator, args[1]):
        return _forms.fold_second(operator, args, kwargs)
    args, out = _output(operator, args, kwargs)
    if operator.variadic and len(args) == 1:
        return fold(operator.__name__, args[0], **{**kwargs, "out": out})
    scalar = out is not Ellipsis
    out = out if scalar else None
    for key in kwargs:
        if key not in KEYWORDS:
            raise TypeError(f"{operator.__name__}() got an unexpected keyword argument '{key}'")
    if kwargs.get("axis") is not None and kwargs.get("rule") is None:
        hint = "; to fold axes, pass one array" if operator.variadic else ""
        raise TypeError(f"{operator.__name__}() has an axis only with a rule that has one, such as rule='pdpd'{hint}")
    deferred = _defer(operator, args, out, kwargs)
    if deferred is not NotImplemented:
        return deferred
    result = compute(operator, args, out, kwargs)
    context = (_classes.counted(operator, len(args)), tuple(args), 0)
    if out is not None:
        if _operands.kind(out) == _operands.MASKED:
            # It combines the masks of the operands.
            out.__array_wrap__(out, context)
        return out
    return _arrays.wrap(_arrays.wrapper(args) if kwargs.get("subok", True) else None, result, context, scalar)


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
        raise TypeError(f"{name}() needs {count}, not {len(args)}")
    return args, out


def _defer(operator, args, out, kwargs):
    """Let an operand that wants it answer the call itself; NotImplemented where none does."""
    _operands.check_rule(args, _operands.letters(args), kwargs.get("rule"))
    _operands.check_plain(kwargs.get("where"), "where")
    passed = {key: value for key, value in kwargs.items() if key != "out" and not (key == "rule" and value in (None, "numpy"))}
    if out is not None:
        passed["out"] = (out,)
    answer = _classes.ask(_classes.counted(operator, len(args)), "__call__", args, (out,), passed)
    if answer is NotImplemented and any(_operands.is_dask(arg) for arg in args):
        return _dask.blockwise(operator, args, out, kwargs)
    return answer


def compute(operator, args, out, kwargs, builder=None):
    """Compute on operands that no class of their own wants; the result is in `out` or in a new plain array.

    A builder that the engine gives keeps the plan: what is computed depends on no element of an array.
    """
    casting = kwargs.get("casting", "same_kind")
    if casting not in _loops.CASTINGS:
        raise ValueError(f"casting is one of no, equiv, safe, same_kind and unsafe, not {casting!r}")
    builder = builder or _broadaxe.GraphBuilder(kwargs.get("rule"), kwargs.get("axis"))
    masks = out is None or _operands.kind(out) == _operands.MASKED
    out = out.view(np.ndarray) if masks and out is not None else out
    operands = [_arrays.borrow(arg, name, masks) for arg, name in zip(args, _operands.letters(args))]
    # Arrays as they were passed: another order of bytes is a cast too.
    passed = [arg if isinstance(arg, np.ndarray) else operand for arg, operand in zip(args, operands)]
    where = kwargs.get("where", True)
    given = None if where is True else as_mask(where)
    wanted = _loops.wanted(operator, kwargs)
    if wanted is not None and not any(wanted[:-1]) and wanted[-1] == np.bool_ and _loops.answers_truths(operator):
        # The dtype of the operands is open: they meet as always.
        wanted = None
    dtypes = [operand if _arrays.is_number(operand) else operand.dtype for operand in operands]
    if len(operands) == 1 and _arrays.is_number(operands[0]):
        dtypes = [np.asarray(operands[0]).dtype]
    if wanted is not None:
        loop = _loops.for_all(_loops.find(operator, dtypes, wanted)[:-1], len(operands))
        from_ = _loops.from_dtypes(operator, passed, loop, casting, wanted[:-1])
        operands = _loops.cast_numbers(operands, from_, loop)
        _loops.check(operator, from_, loop, casting)
    values = [builder.put(operand) for operand in operands]
    mask = None if given is None else builder.put(given)
    if wanted is not None:
        values = [builder.cast(value, _arrays.short_name(to)) for value, to in zip(values, loop)]
    if mask is not None:
        values = _harmless(builder, operands, values, mask)
    root = builder.operate(operator.__name__, values)
    if wanted is None and casting in _loops.STRICT and root.dtype is not None and not _loops.asks_truths(operator):
        loop = _loops.for_all(_loops.operands_of(operator, dtypes, _arrays.dtype_of(root.dtype)), len(operands))
        _loops.check(operator, _loops.from_dtypes(operator, passed, loop, casting), loop, casting)
    return finish(builder, root, out, mask, casting, kwargs.get("order", "K"), operator.__name__)


def as_mask(where):
    """Return what `where=` says as a plain array of bools: an array of them, or a list of anything that is true or false."""
    mask = np.asarray(_arrays.borrow(where, "where"))
    if mask.dtype != bool:
        if hasattr(where, "dtype") and not isinstance(where, np.generic):
            raise TypeError(f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule 'safe'")
        mask = mask.astype(bool)
    return _arrays.plain(mask)


def _harmless(builder, operands, values, mask):
    """Give operators that refuse elements, such as zero divisors, a 1 where the mask leaves the result alone."""
    if len(values) != 2:
        return values
    dtype, number = values[1].dtype, operands[1]
    if dtype is None and type(number) is int and number <= 0:
        # Its dtype is that of the other operand.
        dtype = "i64" if isinstance(operands[0], int) or values[0].dtype == "bool" else values[0].dtype
        if dtype is not None and dtype.startswith(("i", "u")) and number >= np.iinfo(_arrays.dtype_of(dtype)).min:
            values = [values[0], builder.cast(values[1], dtype)]
    if values[1].dtype is None or not values[1].dtype.startswith(("i", "u")):
        return values
    one = builder.cast(builder.put(1), values[1].dtype)
    return [values[0], builder.choose(mask, values[1], one)]


def finish(builder, root, out, mask, casting, order, name):
    """Compute a value into `out`, or into a new array where there is none."""
    if out is None:
        if mask is not None:
            root = builder.choose(mask, root, builder.cast(builder.put(0), root.dtype))
        return builder.compute(root, order=order)
    _arrays.check_output(out)
    if not out.flags.writeable:
        raise ValueError("output array is read-only")
    from_ = _arrays.dtype_of(root.dtype) if root.dtype else np.dtype(float)
    short = _arrays.short_name(out.dtype)
    # Another order of bytes is a cast too.
    if (root.dtype != short or casting == "no") and not _loops.can_cast(from_, out.dtype, casting):
        raise TypeError(f"Cannot cast '{name}' output from {from_!r} to {out.dtype!r} with casting rule '{casting}'")
    if root.dtype != short:
        root = builder.cast(root, short)
    # A mask broadcasts with the operands.
    for shape in (root.shape,) if mask is None else (root.shape, mask.shape):
        if not _stretches(shape, out.shape):
            raise ValueError(f"non-broadcastable output operand with shape {out.shape} doesn't match the broadcast shape {shape}")
    if root.shape != out.shape:
        root = builder.broadcast(root, f"broadcast-to target={_dims(out.shape)}")
    target = out if type(out) is np.ndarray else out.view(np.ndarray)
    if not out.dtype.isnative:
        if mask is not None:
            root = builder.choose(mask, root, builder.put(target.astype(target.dtype.newbyteorder("="))))
        # The result is written in this machine's order of bytes, which is then turned around in place.
        builder.compute(root, out=target.view(target.dtype.newbyteorder("=")))
        target.byteswap(inplace=True)
        return out
    if mask is not None:
        root = builder.choose(mask, root, builder.put(target))
    builder.compute(root, out=target)
    return out


def _stretches(shape, target):
    """Say whether an array of a shape is stretched to another one."""
    return len(shape) <= len(target) and all(have in (1, to) for have, to in zip(reversed(shape), reversed(target)))


def _dims(shape):
    return ",".join(str(dim) for dim in shape) or "()"
