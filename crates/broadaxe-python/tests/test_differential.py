"""Random calls of everything that the package shares with NumPy, and that a difference would be found."""

import copy
from types import SimpleNamespace

import differential
import judging
import numpy as np
import pytest
from differential import Call
from operands import Subclass, block

import broadaxe as bx

OWN = np.ones((2, 2), "f2").view(Subclass)
EXAMPLES = [
    Call("floor_divide", [np.array([1]), np.array([0])], {}),
    Call("where", [np.array([True]), OWN[0], 1], {}),
    Call("where", [np.array([True]), np.array([1], "u1"), -1], {}),
    Call("round", [np.array([1], ">i2")], {}),
    Call("ldexp", [np.ones(1), 2**40], {}),
    Call("signbit", [np.array([1], "u1")], {"casting": "equiv"}),
    Call("logical_or", [np.array([1], "u2"), np.array([1], ">u2")], {"casting": "no"}),
    Call("mean", [OWN], {}),
    Call("clip", [1, np.array([1], "i1"), np.array([3], "i1")], {}),
    Call("max", [np.empty((0, 0))], {"axis": 0}),
    Call("nanmin", [OWN], {"initial": 0, "where": np.zeros((2, 2), bool)}),
    Call("std", [np.ones(())], {"axis": 0}),
    Call("add.reduceat", [np.ones(1), [0]], {"out": (out := np.zeros(2))}, (out,)),
    Call("mean", [np.array([2, 3])], {"dtype": "u2", "out": (out := np.zeros(()))}, (out,)),
    Call("power", [np.array([-1]), np.array([-3])], {"out": (out := np.zeros((2, 0)))}, (out,)),
    Call("ldexp", [2.0, np.array([1])], {"dtype": "f2"}),
    Call("clip", [np.array([True]), -1, np.array([2], "u1")], {}),
    Call("std", [np.ones(3)], {"out": np.zeros((), int)}),
    Call("std", [np.array([-9e3, 9e3], "f4")], {"out": (out := np.zeros((), "f2"))}, (out,)),
    Call("argmax", [block()[:4]], {"keepdims": True}),
    differential.Expression("(a == a) ** 2", {"a": np.ones(())}),
]
"""One call for each known difference, except that which depends on the CPU."""


@pytest.mark.parametrize("seed", range(4))
def test_random_calls_are_numpys(seed):
    faults, counts = differential.run(seed, range(1500))
    assert not faults, "\n".join(faults[:3])
    assert counts["equal"] > 1000 and counts["both refused"] > 100


def test_the_same_seed_makes_the_same_calls():
    one, other = differential.Session(7), differential.Session(7)
    assert [str(one.draw(number, 0)) for number in range(200)] == [str(other.draw(number, 1)) for number in range(200)]


@pytest.mark.parametrize("spoil", [
    lambda result: np.nextafter(np.nextafter(result, np.inf), np.inf) if np.asarray(result).dtype.kind == "f" else result + 1,
    lambda result: np.asarray(result).astype("f8" if np.asarray(result).dtype != "f8" else "f4")[()],
    lambda result: np.asarray(result)[None],
    lambda result: np.asarray(result).view(Subclass),
], ids=["values", "dtypes", "shapes", "classes"])  # fmt: skip
def test_a_wrong_result_is_found(spoil, monkeypatch):
    def wrong(name):
        return lambda *args, **kwargs: spoil(getattr(bx, name)(*args, **kwargs))

    monkeypatch.setattr(differential, "bx", SimpleNamespace(exp=wrong("exp"), add=wrong("add"), maximum=wrong("maximum")))
    monkeypatch.setattr(differential, "KINDS", [spoiled])
    faults, _ = differential.run(1, range(60))
    assert len(faults) > 45, len(faults)


def spoiled(draw):
    """Draw a call that is not refused, of elements that are not NaN."""
    dtype, name = np.dtype(draw.choice(("f4", "f8"))), draw.choice(("exp", "add", "maximum"))
    args = [np.linspace(0.5, 2, 4).astype(dtype) for _ in range(getattr(np, name).nin)]
    return Call(name, args, {})


def test_changed_memory_is_found(monkeypatch):
    def spoils(array, out=None):
        result = bx.negative(array, out=out)
        array.reshape(-1)[:1] = 9
        return result

    monkeypatch.setattr(differential, "bx", SimpleNamespace(negative=spoils))
    monkeypatch.setattr(differential, "KINDS", [lambda draw: Call("negative", [np.ones(3)], {})])
    assert differential.run(1, range(3))[0]


def test_known_differences_are_there():
    found = set()
    with np.errstate(all="ignore"):
        for call in EXAMPLES:
            ours = copy.deepcopy(call)
            want, got = call.run(np), ours.run(bx)
            assert judging.judge(call, ours, want, got, lambda call=call: call), str(call)
            found.add(next(reason for reason, applies in judging.KNOWN if applies(call, want, got)))
    (rest,) = {reason for reason, _ in judging.KNOWN} - found
    assert "CPU" in rest
