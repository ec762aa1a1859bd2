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
    with pytest.raises(TypeError, match="max_blowup is a number, not ndarray; to watch an array, write"):
        bx.guard(np.ones(3))


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


def test_where_and_functions_of_numpy():
    with bx.guard() as guard:
        a, b = guard.watch(np.arange(3.0)), np.ones((3, 1))
        with pytest.raises(bx.Blowup, match="^where stretches"):
            np.where(a > 1, b, 0.0)
        # What functions that are no ufuncs return is watched, too.
        for watched in (np.where(a > 1, a, 0.0), np.concatenate([a, a])[:3], np.cumsum(a), np.sort(a)):
            with pytest.raises(bx.Blowup, match="^add stretches"):
                watched + b
        assert np.linalg.eigh(guard.watch(np.eye(2))).eigenvalues.tolist() == [1, 1] and len(np.where(a > 1)) == 1


def test_decorated_functions():
    @bx.guard(allow="other.py")
    def difference(a, b):
        """Subtract."""
        return a - b

    a, b = np.ones(3).view(bx._guard.Watched), np.ones((3, 1))
    assert difference.__doc__ == "Subtract." and difference(a, a).tolist() == [0, 0, 0] and (a - b).shape == (3, 3)
    with pytest.raises(bx.Blowup, match="^subtract stretches"):
        difference(a, b)
    # A guard that an error left is not active.
    assert (a - b).shape == (3, 3) and not bx._guard._active()

    async def later():
        pass

    def some():
        yield

    for function in (later, some):
        with pytest.raises(TypeError, match="inside of it"):
            bx.guard()(function)


def test_the_line_is_the_users(tmp_path):
    """Names the line that calls an installed package, and that of a package where there is no other."""
    text = "def subtract(a, b):\n    return a - b\n"
    for folder, own in (("site-packages", True), ("torch", False), ("numpy", False)):
        place = tmp_path / folder / "tool.py"
        names = {}
        exec(compile(text, str(place), "exec"), names)
        with bx.guard() as guard, pytest.raises(bx.Blowup) as raised:
            names["subtract"](guard.watch(np.ones(3)), np.ones((3, 1)))
        assert (raised.value.file == __file__) is own and (own or raised.value.line == 2), folder
    with bx.guard(allow="numpy/tool.py") as guard:
        assert names["subtract"](guard.watch(np.ones(3)), np.ones((3, 1))).shape == (3, 3)


def test_jax_functions():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    prediction, label = jnp.ones(8), jnp.ones((8, 1))
    line = inspect.currentframe().f_lineno + 3

    def loss(prediction, label):
        return ((prediction - label) ** 2).mean()

    @jax.custom_vjp
    def custom(a, b):
        return loss(a, b)

    custom.defvjp(lambda a, b: (loss(a, b), None), lambda _, ct: (ct, ct))
    guard = bx.guard()
    scanned = lambda a, b: jax.lax.scan(lambda c, x: (c + loss(x, b), x), 0.0, jnp.stack([a, a]))[0]  # noqa: E731
    branched = lambda a, b: jax.lax.cond(a[0] > 0, loss, lambda a, b: 0.0, a, b)  # noqa: E731
    for function in (
        loss, jax.jit(loss), jax.value_and_grad(loss), jax.jit(jax.grad(jax.jit(loss))), jax.checkpoint(loss), custom, scanned, branched,
    ):  # fmt: skip
        with pytest.raises(bx.Blowup, match=r"^sub stretches both operands, \(8,\) along axis 0 and \(8, 1\) along axis 1 of the result \(8, 8\);") as raised:
            guard.trace(function, prediction, label)
        assert (raised.value.file, raised.value.line) == (__file__, line), function
        assert guard.trace(function, prediction, label[:, 0]) is None
    for operation in (jnp.where, jnp.add, jnp.hypot, jnp.logaddexp, jnp.less, jnp.power, jnp.arctan2, jnp.minimum, jnp.clip):
        call = (lambda a, b: jnp.where(a > 0, b, 0.0)) if operation is jnp.where else operation
        with pytest.raises(bx.Blowup, match=r"test_guard\.py:\d+\)$"):
            guard.trace(call, prediction, label)


def test_arguments_of_jax_functions():
    jax = pytest.importorskip("jax")
    guard, shape = bx.guard(), jax.ShapeDtypeStruct
    # Texts and flags are passed on, containers are looked into, and what is returned may be anything.
    function = lambda data, name, *, flag: data["x"] - data["y"] if flag and name == "m" else "none"  # noqa: E731
    for one in (np.ones, jax.numpy.ones, lambda dims: shape(dims, "float32"), lambda dims: guard.watch(np.ones(dims))):
        with pytest.raises(bx.Blowup):
            guard.trace(function, {"x": one((8,)), "y": one((8, 1))}, "m", flag=True)
        guard.trace(function, {"x": one((8,)), "y": one((8, 1))}, "m", flag=False)


def test_what_jax_adds_is_not_judged():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    guard = bx.guard()
    product = lambda x, w: (x * w).sum(axis=1).var()  # noqa: E731
    # The gradient of x is of (3, 1) and (1, 4).
    for function in (jax.grad(product), jax.jit(jax.grad(jax.jit(product))), jax.hessian(product)):
        guard.trace(function, jnp.ones((3, 4)), jnp.ones(4))
    guard.trace(lambda x: jnp.broadcast_to(x, (4, 4)) + x[:, None], jnp.ones(4))
    guard.trace(lambda x: jnp.zeros((4, 4)) + x[:, None] * 2.0, jnp.ones(4))
    if tuple(int(part) for part in jax.__version__.split(".")[:2]) >= (0, 7):
        guard.trace(lambda x: jax.vmap(lambda a: jax.vmap(lambda b: a - b)(x))(x), jnp.ones(4))


def test_decorated_jax_functions():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    traced = []

    def loss(a, b):
        traced.append(a)
        return ((a - b) ** 2).mean()

    inside, outside, plain = jax.jit(bx.guard()(loss)), bx.guard()(jax.jit(loss)), bx.guard()(loss)
    for function in (inside, outside, plain):
        for a, b in ((jnp.ones(8), jnp.ones((8, 1))), *([(np.ones(8), np.ones((8, 1)))] if function is not plain else [])):
            with pytest.raises(bx.Blowup):
                function(a, b)
            assert function(a, b[:, 0]) == 0
    # Once compiled, it is not traced again.
    before = len(traced)
    assert inside(jnp.ones(8), jnp.ones(8)) == 0 and len(traced) == before
    with pytest.raises(bx.Blowup, match="8 times its largest"):
        bx.guard(both_sides="allow", max_blowup=7).trace(loss, jnp.ones(8), jnp.ones((8, 1)))


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
