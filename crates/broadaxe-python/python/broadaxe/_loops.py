"""Loops: which dtypes an operator computes in, for `dtype=`, `signature=`, `casting=` and `resolve_dtypes`."""

import functools

import numpy as np

from . import _arrays, _broadaxe

CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
STRICT = ("no", "equiv", "safe")
"""The castings that some operands of mixed dtypes do not pass."""


def can_cast(from_, to, casting):
    """Say whether one dtype may be cast to another; of bfloat16 too, of which NumPy knows less."""
    if np.can_cast(from_, to, casting):
        return True
    halves = casting == "same_kind" and "bfloat16" in (from_.name, to.name)
    return halves and (from_.kind in "biu" or from_ in _arrays.SHORT and to.name.startswith(("float", "bfloat")))


def _ask(operator, dtypes):
    """Return the dtype that operands of these dtypes give; None where the operator does not take them."""
    builder = _broadaxe.GraphBuilder()
    # Arrays of no elements: nothing is computed, only asked. Each is an object of its own.
    values = [builder.put(np.empty(0, dtype)) for dtype in dtypes]
    try:
        return _arrays.dtype_of(builder.operate(operator.__name__, values).dtype)
    except TypeError:
        return None


result = functools.lru_cache(1024)(_ask)
"""As `_ask`, of which the answers are kept."""


def _read(operator):
    """Return the dtypes of the operands and of the result of each loop that has NumPy's letters."""
    return [tuple(np.dtype(letter) for letter in text.replace("->", "")) for text in operator.types]


_loops = functools.lru_cache(256)(_read)


def asks_truths(operator):
    """Say whether an operator accepts operands of any dtype and tests only whether they are 0."""
    return all(dtype == np.bool_ for loop in _loops(operator) for dtype in loop)


def operands_of(operator, dtypes, gives):
    """Return the dtypes that operands are cast to, given the dtype of the result and theirs; a number is its own."""
    found = [loop[:-1] for loop in _loops(operator) if loop[-1] == gives]
    own = [dtype for dtype in dtypes if not _arrays.is_number(dtype)]
    if gives != np.bool_:
        # Several loops have the result of bitwise_count and of frexp_exponent: without a cast first, then the first that loses nothing.
        ranked = [loop for loop in found if list(loop) == list(dtypes)] + [loop for loop in found if _holds(dtypes, loop)] + found[:1]
        return ranked[0] if ranked else (gives,) * operator.nin
    # What gives bools of anything computes in the dtype in which the operands meet.
    met = np.result_type(*dtypes) if found else gives
    if met.kind == "f" and len(own) == operator.nin and all(dtype.kind in "iu" for dtype in own):
        # Signed and unsigned integers of 64 bits are compared exactly.
        return tuple(np.dtype(np.int64 if dtype.kind == "i" else np.uint64) for dtype in own)
    return (np.dtype(bool), met, met) if operator.__name__ == "where" else (met,) * operator.nin


def _holds(dtypes, loop):
    """Say whether a loop accepts operands without a loss; integers and floats of Python have a kind only."""
    return all(_is_weak(dtype, to) if type(dtype) in _KINDS else can_cast(np.result_type(dtype), to, "safe") for dtype, to in zip(dtypes, loop))


def _every(operator):
    """Return every loop, those of bfloat16 too, in NumPy's order."""
    loops = []
    for short in _arrays.NAMES:
        if short == "bf16" and _arrays.known_bfloat16() is None:
            continue
        dtype = _arrays.dtype_of(short)
        dtypes = (dtype,) * operator.nin
        if operator.__name__ == "where":
            dtypes = (np.dtype(bool), dtype, dtype)
        gives = result(operator, dtypes)
        if gives is not None and operands_of(operator, dtypes, gives) == dtypes:
            loops.append((*dtypes, gives))
    return loops + [loop for loop in _loops(operator) if loop not in loops]


_all_loops = functools.lru_cache(256)(_every)


def _no_loop(operator):
    return TypeError(f"No loop matching the specified signature and casting was found for {operator.__name__}")


def find(operator, dtypes, wanted):
    """Return the loop with the wanted dtypes, where None leaves one open; operands have `dtypes`, a number is its own.

    Raises TypeError where no loop has them.
    """
    native = [dtype if _arrays.is_number(dtype) else _native(dtype) for dtype in dtypes]
    matching = [loop for loop in _all_loops(operator) if all(want is None or want == have for want, have in zip(wanted, loop))]
    if wanted[-1] == np.bool_ and not any(wanted[:-1]) and len(matching) > 1:
        # The result is bool whatever is compared; operands meet as always.
        gives = wanted[-1]
        return (*operands_of(operator, native, gives), gives)
    if not matching:
        raise _no_loop(operator)

    def accepts(loop):
        return all(
            want is not None or _arrays.is_number(dtype) or can_cast(dtype, to, "safe")
            for want, dtype, to in zip(wanted, native, loop)
        )

    # Of several that all lose something, only one of a single dtype is meant; of one loop the cast is checked later.
    fitting = [loop for loop in matching if accepts(loop)] or [loop for loop in matching if len(matching) == 1 or len(set(loop)) == 1]
    if not fitting:
        raise _no_loop(operator)
    # The one that casts no operand comes first: results of all integers may have one dtype.
    return next((loop for loop in fitting if list(loop[: len(native)]) == native), fitting[0])


def wanted(operator, kwargs):
    """Return the dtypes that a call asks for with `dtype=`, `signature=` or `sig=`, or None where it asks for none."""
    dtype, signature = kwargs.get("dtype"), kwargs.get("signature", kwargs.get("sig"))
    if "signature" in kwargs and "sig" in kwargs:
        raise TypeError("cannot specify both 'sig' and 'signature'")
    if signature is None:
        return None if dtype is None else (None,) * operator.nin + (_native(dtype),)
    if dtype is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    if isinstance(signature, str):
        operands, arrow, results = signature.partition("->")
        if not arrow and len(signature) == 1:
            raise TypeError(f"a signature has {operator.nargs} dtypes, as in {operator.types[-1]!r}; use dtype= for one")
        signature = (*operands, *results)
    elif not isinstance(signature, tuple):
        raise TypeError("the signature must be a text such as 'dd->d' or a tuple of dtypes and None")
    if len(signature) != operator.nargs:
        raise ValueError(f"the signature has {len(signature)} dtypes; {operator.__name__} has {operator.nargs}")
    dtypes = tuple(None if dtype is None else _native(dtype) for dtype in signature)
    if not any(dtypes[:-1]) and dtypes[-1] is None:
        raise TypeError("a signature names at least one dtype")
    return dtypes


def _native(dtype):
    return _arrays.dtype_of(_arrays.short_name(np.dtype(dtype)))


def _is_weak(number, to):
    """Say whether a number of Python has this dtype by itself: integers that of any number, floats that of floats."""
    return type(number) is int and to.kind != "b" or type(number) is float and to.kind not in "biu"


_KINDS = {int: np.dtype(np.int64), float: np.dtype(np.float64)}
"""Numbers of Python that take the dtype of a loop, and the dtype that they have without one."""


def for_all(loop, count):
    """Return the dtypes of all operands of a loop: what joins any number of them casts each as the second."""
    return (*loop, *loop[-1:] * (count - len(loop)))


def answers_truths(operator):
    """Say whether the results of an operator are bools whatever the operands are."""
    return all(loop[-1] == np.bool_ for loop in _loops(operator))


def from_dtypes(operator, operands, loop, casting, named=()):
    """Return the dtypes that operands are cast from: numbers of Python have the dtype of the loop where they take it by themselves.

    That is never so for the only operand, as in NumPy, and always where a signature names the dtype. Raises TypeError for such numbers
    where the casting is "equiv", except for integers that are compared with integers.
    """
    compared = answers_truths(operator) and loop[-1].kind in "iu"
    named = (*named, *[None] * (len(operands) - len(named)))
    dtypes = []
    for operand, to, name in zip(operands, loop, named):
        kind = type(operand)
        weak = len(operands) > 1 and kind in _KINDS and (name is not None or _is_weak(operand, to))
        if weak and casting == "equiv" and to != _KINDS[kind] and not compared:
            raise TypeError(f"cannot cast Python {kind.__name__} to {to} under the casting rule 'equiv'")
        dtypes.append(to if weak else np.asarray(operand).dtype if _arrays.is_number(operand) else operand.dtype)
    return dtypes


def cast_numbers(operands, dtypes, loop):
    """Return operands of which numbers are arrays where they take the dtype of the loop; OverflowError where it does not hold them."""
    return [
        np.asarray(operand, dtype=to) if type(operand) in _KINDS and from_ == to else operand
        for operand, from_, to in zip(operands, dtypes, loop)
    ]


def check(operator, dtypes, loop, casting):
    """Raise TypeError where an operand may not be cast to the dtype of the loop."""
    for k, (from_, to) in enumerate(zip(dtypes, loop)):
        if not can_cast(from_, to, casting):
            raise np._core._exceptions._UFuncInputCastingError(operator, casting, from_, to, k)
