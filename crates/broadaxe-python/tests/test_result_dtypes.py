"""Compare the dtypes of results with NumPy's: every name that the package shares with it, every dtype, arrays and numbers."""

import itertools
import operator
import warnings

import numpy as np
import pytest
from conftest import DTYPES

import broadaxe as bx

SHARED = sorted(name for name in {*dir(bx)} & {*dir(np)} if name[0] != "_" and callable(getattr(bx, name)))
UFUNCS = [name for name in SHARED if isinstance(getattr(np, name), np.ufunc)]
ELEMENTWISE = {"around": 1, "clip": 3, "copy": 1, "imag": 1, "ones_like": 1, "real": 1, "round": 1, "where": 3}
"""What is computed element by element and is not a ufunc of NumPy's, with the number of operands."""
REDUCTIONS = """all any argmax argmin max mean min nanmax nanmean nanmin nanprod nanstd nansum nanvar prod std sum var""".split()
OTHERS = {
    "broadcast_arrays": "gives views", "broadcast_shapes": "gives a shape", "broadcast_to": "gives a view",
    "extract": "a part of a model", "fix": "a fix of a model",
}  # fmt: skip

NUMBERS = ("True", "1", "1.5")
EXCEPTIONS = [
    ("clip", lambda first, *_: first in NUMBERS, "a number has the dtype of the arrays, as in every operator; NumPy's function makes an array of it"),
    ("real", lambda operand: operand == "True", "NumPy asks Python, which has an int as the part of a bool"),
    ("imag", lambda operand: operand == "True", "NumPy asks Python, which has an int as the part of a bool"),
    ("ldexp.reduce", lambda dtype: dtype[:3] in ("int", "uin", "boo"), "a fold would need an operand that is an integer and a float"),
]
"""Where dtypes may differ: the function, the operands, and why."""


def operands():
    """Yield operands of each dtype: an array, an array of rank 0, a scalar; and numbers of Python."""
    for dtype in DTYPES:
        array = np.ones(2, dtype)
        yield from ((dtype, array), (f"{dtype} ()", array[0, ...]), (f"{dtype} scalar", array[0]))
    yield from zip(NUMBERS, (True, 1, 1.5))


OPERANDS = list(operands())


def dtypes(function, *args, **kwargs):
    """Return the dtypes of the results, or the class of the exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = function(*args, **kwargs)
        except (TypeError, ValueError, OverflowError) as error:
            return next(kind for kind in (TypeError, OverflowError, ValueError) if isinstance(error, kind))
    results = result if isinstance(result, tuple) else (result,)
    return [np.asarray(one).dtype for one in results]


def differences(path, arguments, **kwargs):
    """List where dtypes are not those of NumPy, and check that exceptions are needed."""
    excepted, found, needed = [(may, why) for name, may, why in EXCEPTIONS if name == path], [], False
    for chosen in arguments:
        names, args = zip(*chosen)
        want, got = (dtypes(operator.attrgetter(path)(module), *args, **kwargs) for module in (np, bx))
        if want != got:
            exempt = any(may(*names) for may, _ in excepted)
            needed |= exempt
            found += [] if exempt else [(names, kwargs, "want", want, "got", got)]
    assert needed or not excepted, f"{path} is NumPy's: delete its exception"
    return found


def test_every_shared_name_is_compared():
    known = {*UFUNCS, *ELEMENTWISE, *REDUCTIONS, *OTHERS}
    assert {*SHARED} == known and len(SHARED) > 120


@pytest.mark.parametrize("name", [*UFUNCS, *ELEMENTWISE])
def test_dtypes_of_elementwise_results_are_numpys(name):
    count = ELEMENTWISE.get(name) or getattr(np, name).nin
    arrays = [(dtype, np.ones(2, dtype)) for dtype in DTYPES]
    some = OPERANDS if count < 3 else arrays + OPERANDS[-len(NUMBERS) :]
    faults = differences(name, itertools.product(some, repeat=count))
    assert not faults, (len(faults), faults[:5])


@pytest.mark.parametrize("name", REDUCTIONS)
def test_dtypes_of_reductions_are_numpys(name):
    arrays = [((dtype, np.ones((2, 3), dtype)),) for dtype in DTYPES]
    faults = differences(name, [(one,) for one in OPERANDS])
    for kwargs in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}):
        faults += differences(name, arrays, **kwargs)
    assert not faults, (len(faults), faults[:5])


@pytest.mark.parametrize("method", ["reduce", "accumulate", "reduceat", "outer"])
@pytest.mark.parametrize("name", [name for name in UFUNCS if getattr(np, name).nin == 2 and hasattr(getattr(bx, name), "reduce")])
def test_dtypes_of_methods_are_numpys(name, method):
    arrays = [(dtype, np.ones((2, 3), dtype)) for dtype in DTYPES]
    more = {"outer": arrays[:1], "reduceat": [("indices", [0, 1])]}.get(method)
    faults = differences(f"{name}.{method}", itertools.product(arrays, more) if more else [(one,) for one in arrays])
    assert not faults, (len(faults), faults[:5])
