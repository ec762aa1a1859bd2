"""The guard for training code."""

import inspect
import warnings

import numpy as np
import pytest

import broadaxe as bx


def test_both_sides_stretched():
    with bx.guard() as guard:
        a, b = guard.watch(np.ones(8)), np.ones((8, 1))
        line = inspect.currentframe().f_lineno + 2
        with pytest.raises(bx.Blowup) as raised:
            a - b
        error = raised.value
        assert error.line == line and error.file == __file__ and error.shapes == ((8,), (8, 1)) and error.result == (8, 8)
        assert "(8,) along axis 0 and (8, 1) along axis 1" in str(error) and isinstance(error, ValueError)
        with pytest.raises(bx.Blowup):
            np.multiply(b, a * 2)
        # What is computed of it is watched, also where one side is stretched only.
        mean = (a + np.ones((3, 8))).mean(axis=1)
        with pytest.raises(bx.Blowup):
            mean[:, None] - np.ones(5)
        assert type(a.sum()) is np.float64 and (a + 1).shape == (8,) and (a[:, None] * b).shape == (8, 1)
    assert (a - b).shape == (8, 8)


def test_blowup_limit():
    with bx.guard(max_blowup=4, both_sides="allow") as guard:
        a = guard.watch(np.ones((4, 1)))
        assert (a + np.ones(4)).shape == (4, 4)
        with pytest.raises(bx.Blowup, match=r"add of \(4, 1\) with \(5,\) grows along axis 0 and 1 to \(4, 5\), 4 times") as raised:
            with bx.guard(max_blowup=3.9, both_sides="allow"):
                a + np.ones(5)
        assert raised.value.result == (4, 5)
    for wrong in ({"max_blowup": 0}, {"max_blowup": float("nan")}, {"both_sides": "maybe"}):
        with pytest.raises(ValueError):
            bx.guard(**wrong)


def test_warnings_and_allowed_places():
    a, b = np.ones(3).view(np.ndarray), np.ones((3, 1))
    with bx.guard(both_sides="warn") as guard, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert (guard.watch(a) + b).shape == (3, 3)
    assert len(caught) == 1 and caught[0].filename == __file__ and "stretches both" in str(caught[0].message)
    line = inspect.currentframe().f_lineno + 5
    for allow, fine in [("test_guard.py", True), ([f"test_guard.py:{line}"], True), ([("test_guard.py", line)], True),
                        (["tests/test_guard.py"], True), (["other.py"], False), ([f"test_guard.py:{line + 1}"], False)]:
        with bx.guard(allow=allow) as guard:
            try:
                guard.watch(a) + b
                passed = True
            except bx.Blowup:
                passed = False
        assert passed == fine, allow


def test_bx_operators_on_watched_arrays():
    with bx.guard() as guard:
        a = guard.watch(np.ones(3))
        with pytest.raises(bx.Blowup, match="^add stretches"):
            bx.add(a, np.ones((3, 1)))
        assert bx.add(a, a).tolist() == [2, 2, 2]
        a += 1
        assert np.add(a, 1, out=a) is a


def test_torch():
    torch = pytest.importorskip("torch")
    prediction, label = torch.ones(8, requires_grad=True), torch.ones(8, 1)
    calls = [
        lambda: prediction - label,
        lambda: 1 - (prediction * label),
        lambda: torch.nn.functional.mse_loss(prediction, label),
        lambda: torch.where(prediction > 0, label, 0.0),
        lambda: torch.maximum(prediction, label),
    ]
    with bx.guard(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls:
            with pytest.raises(bx.Blowup, match="along axis 0 and"):
                call()
        loss = torch.nn.functional.mse_loss(prediction, label[:, 0])
        loss.backward()
        torch.nn.Linear(8, 3)(prediction[None]).sum().backward()
        assert (torch.ones(3, 8) @ torch.ones(8, 3)).shape == (3, 3)
    with bx.guard(max_blowup=2, both_sides="allow"):
        with pytest.raises(bx.Blowup, match="3 times its largest"):
            torch.ones(3) + torch.ones(3, 1)
    assert (prediction - label).shape == (8, 8)
