"""Operands that have more than elements: labels, masks, missing values, units, chunks.

Each entry point gives what the operators give, in the class of the operands and as lazily, or raises TypeError and says what to pass.
"""

import inspect
import types

import numpy as np
import pytest

import broadaxe as bx
from broadaxe import onnx_backend

from operand_kinds import INDEXED, KINDS, REFUSED, Tensor, by_index, by_name, check_same, cubed, da, masked, pd, plain, xr  # isort: skip

onnx = pytest.importorskip("onnx")


def attempt(call):
    """Return what a call gives, or the TypeError that it raises."""
    try:
        return call()
    except TypeError as error:
        return error


# Operators.

OPERATORS = {name: value for name, value in vars(bx).items() if isinstance(value, bx.Operator)}


def fitting(function, count):
    """Return plain operands of the first dtype that a function accepts."""
    for dtype in ("f8", "i8", "bool"):
        arrays = plain(dtype)
        try:
            function(*arrays[:count])
            return arrays
        except (TypeError, ValueError):
            pass
    raise AssertionError(f"{function} accepts no dtype")


def made(kind, arrays, function, count):
    """Return operands of a kind, and the result that a function must give of them."""
    operands, aligned, rebuild = KINDS[kind](arrays)
    array = function(*aligned[:count])
    wrap = (lambda one: rebuild(one, count)) if kind == "masked" else rebuild
    return operands[:count], tuple(map(wrap, array)) if isinstance(array, tuple) else wrap(array)


@pytest.mark.parametrize("kind", KINDS)
def test_operators_obey_what_operands_have(kind):
    """What else the tests compare with: each operator over each kind, against NumPy's arrays that were aligned by hand."""
    refused = []
    for name, operator in OPERATORS.items():
        count = max(operator.nin, 2 if operator.variadic else 1)
        arrays = fitting(operator, count)
        operands, want = made(kind, arrays, operator, count)
        got = attempt_ordered(lambda: operator(*operands), kind, operator)
        if isinstance(got, Exception):
            refused.append(name)
            continue
        check_same(got, want, exact=kind not in INDEXED)
    # pandas compares only what has one order, and has no nullable dtype for some results.
    assert len(refused) <= (30 if kind in INDEXED else 0), refused


def attempt_ordered(call, kind, operator):
    """Attempt a call; pandas raises ValueError for comparisons in another order and NotImplementedError for other dtypes."""
    try:
        return attempt(call)
    except (ValueError, NotImplementedError) as error:
        assert kind in INDEXED, (kind, operator, error)
        return error


# Expressions.

TEXTS = (
    "a + b", "a - b * 2 ** 2", "(a - b) / (c + 1.5)", "where(a > 0.5, a, -b)", "exp(a) ** 2", "(1 + 2) / 4 * a", "maximum(a, b, c)",
    "max(a, 0.5)", "sqrt(4) * a - sum(2, a, b, 1)", "cast(a, 'f32') * 2", "~(a >= 0.25)", "a.real % 0.5 // 1", "mean(a, b) + 0 * c",
)  # fmt: skip


def numbered(text):
    """Make the function of an expression over a, b and c."""
    return lambda *arrays: bx.evaluate(text, dict(zip("abc", arrays)), {})


def used(text, operands):
    return {name: operand for name, operand in zip("abc", operands) if name in bx.compile(text).names}


WAYS = {
    "evaluate": lambda text, given: bx.evaluate(text, given, {}),
    "keywords": lambda text, given: bx.evaluate(text, **given),
    "names=": lambda text, given: bx.evaluate(text, names=given),
    "re_evaluate": lambda text, given: bx.validate(text, given, {}) or bx.re_evaluate(given),
    "compile": lambda text, given: bx.compile(text)(**given),
    "NumExpr": lambda text, given: bx.NumExpr(text)(*(given[name] for name in sorted(given))),
}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("kind", KINDS)
def test_expressions_obey_what_operands_have(kind, text):
    """Every way to evaluate gives the same, in one pass or operator by operator."""
    operands, aligned, rebuild = KINDS[kind](plain("f8"))
    given, array = used(text, operands), np.asarray(numbered(text)(*aligned))
    if kind == "masked":
        array = rebuild(array, max("abc".index(name) for name in given) + 1)
    else:
        array = rebuild(array)
    for way in WAYS.values():
        check_same(way(text, given), array, exact=kind not in INDEXED)


def test_expressions_are_what_their_operators_are():
    """Reductions, comparisons, missing labels and missing values: what a class says about one operator holds for all of a text."""
    (a, b, c), _, _ = by_index(plain("f8"), reordered=True)
    fewer, missing = c.iloc[:2], pd.Series([1, None, 3], dtype="Int64")
    flags = pd.Series([True, None, False], dtype="boolean")
    v, w, r = by_name(plain("f8"))[0]
    m = masked(plain("f8"))[0][0]
    twice = pd.Series([1.0, 2.0], index=[0, 0])
    matrix = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    cases = [
        ("a + fewer", {"a": a, "fewer": fewer}, a + fewer),
        ("isnan(a + fewer) + b", {"a": a, "fewer": fewer, "b": b}, bx.isnan(a + fewer) + b),
        ("isnan(fewer) + a", {"a": a, "fewer": fewer}, bx.isnan(fewer) + a),
        ("flags | (missing > 0)", {"flags": flags, "missing": missing}, flags | (missing > 0)),
        ("missing * 2 + 1", {"missing": missing}, missing * 2 + 1),
        ("twice + twice * 2 + three", {"twice": twice, "three": twice * 3}, twice * 6),
        ("a - mean(a)", {"a": a}, a - a.mean()),
        ("sum(a * fewer)", {"a": a, "fewer": fewer}, (a * fewer).sum()),
        ("v - mean(r)", {"v": v, "r": r}, v - r.mean()),
        ("sum(v * w, axis=0)", {"v": v, "w": w}, (v * w).sum("y")),
        ("m / max(m)", {"m": m}, m / m.max()),
        ("sum(matrix, axis=1)", {"matrix": matrix}, matrix.sum(axis=1)),
        ("onnx.Relu(v) + w", {"v": v, "w": w}, v + w),
    ]
    for text, given, want in cases:
        got = bx.evaluate(text, given, {})
        if isinstance(want, (float, np.generic)):
            assert got == pytest.approx(want), text
        else:
            check_same(got, want, exact=False)
    with xr.set_options(arithmetic_join="outer"):
        given = {"p": v, "q": v.assign_coords(y=[8, 9, 10]), "r": v.assign_coords(y=[6, 7, 8])}
        check_same(bx.evaluate("isnan(p + q) + r", given, {}), bx.add(bx.isnan(bx.add(given["p"], given["q"])), given["r"]))
    assert bx.evaluate("m", {"m": m}, {}) is not m and bx.evaluate("(a)", {"a": flags}, {}) is not flags
    for text, given in [("a < b", {"a": a, "b": b}), ("where(a < b, a, c)", {"a": a, "b": b, "c": c})]:
        with pytest.raises(ValueError, match="identically-labeled"):
            bx.evaluate(text, given, {})
    other = pd.Series([1.0, 2.0, 3.0], index=[0, 1, 1])
    pd.testing.assert_series_equal(bx.evaluate("twice + other", {"twice": twice, "other": other}, {}), twice + other)


def test_frames_and_datasets_are_namespaces():
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]}, index=["b", "a"])
    pd.testing.assert_series_equal(bx.evaluate("x*2+y", frame), frame["x"] * 2 + frame["y"])
    pd.testing.assert_series_equal(bx.evaluate("x*2+y", names=frame), frame["x"] * 2 + frame["y"])
    dataset = xr.Dataset({"x": ("t", [1.0, 2.0]), "y": 3.0})
    xr.testing.assert_identical(bx.evaluate("x*2+y", names=dataset), bx.add(bx.multiply(dataset["x"], 2), dataset["y"]))
    with pytest.raises(KeyError, match="did you mean 'x'"):
        bx.evaluate("xx * 2", frame, {})


def test_mixtures():
    """A class goes first that knows the other; classes that do not know each other are refused."""
    (v, w, r), _, _ = by_name(plain("f8"))
    (a, _, _), _, _ = by_index(plain("f8"))
    lazy = da.ones((3, 2), chunks=2)
    for got in (bx.add(lazy, v), bx.evaluate("lazy + v"), bx.evaluate("v + lazy"), bx.onnx.Add(v, lazy)):
        assert isinstance(got, xr.DataArray) and isinstance(got.data, da.Array) and got.dims == ("y", "x")
        np.testing.assert_array_equal(got, v + 1)
    for call in [
        lambda: bx.add(v, a), lambda: bx.evaluate("v + a", {"v": v, "a": a}), lambda: bx.add(lazy, a), lambda: bx.onnx.Add(a, r),
        lambda: bx.add(lazy, np.ma.ones((3, 2))), lambda: bx.evaluate("lazy + m", {"lazy": lazy, "m": np.ma.ones((3, 2))}),
    ]:  # fmt: skip
        assert isinstance(attempt(call), TypeError)


def test_outputs_masks_and_rules():
    (v, w, r), _, _ = by_name(plain("f8"))
    (a, b, _), _, _ = by_index(plain("f8"), reordered=True)
    m, array = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), np.arange(3.0)
    refused = [
        (lambda: bx.evaluate("a + b", {"a": a, "b": b}, out=array), "out= cannot be written: a is a Series of pandas"),
        (lambda: bx.compile("m + 1")(m, out=array), "m is a MaskedArray of numpy, and its mask would be dropped here; pass m.filled"),
        (lambda: bx.add(m, 1, out=array), "a is a MaskedArray of numpy, and its mask"),
        (lambda: bx.add(v, w, out=v), "does not support add of these operands"),
        (lambda: bx.evaluate("a", {"a": array}, out=a), "out must be an array"),
        (lambda: bx.evaluate("a", {"a": array}, out=m), "out is a MaskedArray"),
        (lambda: bx.sum(array, out=np.ma.zeros(())), "out is a MaskedArray"),
        (lambda: bx.onnx.Neg(array, out=m), "out is a MaskedArray"),
        (lambda: bx.add(array, 1, where=a > 0), "where is a Series of pandas"),
        (lambda: bx.add(v, 1, where=v > 0), "where is a DataArray of xarray, and the names of its dims"),
        (lambda: bx.sum(array, where=a > 0), "where is a Series"),
        (lambda: bx.sum(array, where=da.ones(3, bool)), "where is an Array of dask, and all its chunks"),
        (lambda: bx.var(array, mean=a), "mean is a Series"),
        (lambda: bx.sum(array, initial=a), "initial is a Series"),
        (lambda: bx.subtract.reduce(array, initial=a), "initial is a Series"),
        (lambda: bx.sum([a, a]), "an element of x is a Series of pandas.*; pass element.to_numpy"),
        (lambda: bx.add.at(array, a.astype(int), 1), "indices"),
        (lambda: bx.add.reduceat(array, pd.Series([0, 1])), "indices is a Series"),
    ]
    for rule in ("pdpd", "ncnn", "paddle"):
        for one, other in ((v, w), (a, b), (m, m)):
            refused += [
                (lambda one=one, other=other: bx.add(one, other, rule=rule), "brings operands together itself, so that rule="),
                (lambda one=one, other=other: bx.evaluate("x + y", {"x": one, "y": other}, rule=rule), "x is a .* so that rule="),
                (lambda one=one, other=other: bx.compile("x + y", rule=rule)(one, other), "x is a .* so that rule="),
            ]
    for call, text in refused:
        with pytest.raises(TypeError, match=text):
            call()
    check_same(bx.add(v, w, rule="numpy"), v + w)
    check_same(bx.add(a, b, rule="numpy"), a + b)
    assert bx.add(v, 1, dtype="f4").dtype == np.add(v, 1, dtype="f4").dtype == np.float32
    ours, theirs = (np.ma.array([9.0, 9.0, 9.0], mask=[1, 0, 0]) for _ in range(2))
    for keywords in ({}, {"where": [True, False, False]}):
        assert bx.add(m, 1, out=ours, **keywords) is ours
        check_same(ours, np.add(m, 1, out=theirs, **keywords))
    for call in (bx.max, np.maximum):
        assert call(m, 2.0).mask.tolist() == [False, True, False]
    assert bx.max(array, array, m).mask.tolist() == [False, True, False]


# All entry points. A public name that is in none of these tables fails the test below.

RUN = onnx.helper.make_node("Add", ["x", "x"], ["y"])


def a_model():
    infos = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, ["n", "m"]) for name in "xy"]
    return onnx.helper.make_model(onnx.helper.make_graph([RUN], "g", infos[:1], infos[1:]), opset_imports=[onnx.helper.make_opsetid("", 21)])


def again(x):
    bx.validate("x + x", {"x": np.ones(2)}, {})
    return bx.re_evaluate({"x": x})


def validated(x):
    error = bx.validate("x + x", {"x": x}, {})
    if error is not None:
        raise error


FUNCTIONS = {
    "evaluate": lambda x: bx.evaluate("x + x", {"x": x}, {}),
    "re_evaluate": again,
    "validate": validated,
    "compile": lambda x: bx.compile("x + x")(x),
    "Compiled": lambda x: bx.Compiled("x + x")(x=x),
    "NumExpr": lambda x: bx.NumExpr("x + x", [("x", np.float64)])(x, casting="unsafe"),
    "divmod": lambda x: bx.divmod(x, 2),
    "frexp": lambda x: bx.frexp(x),
    "modf": lambda x: bx.modf(x),
    "broadcast_to": lambda x: bx.broadcast_to(x, (3, 2)),
    "broadcast_arrays": lambda x: bx.broadcast_arrays(x, x),
    "unbroadcast": lambda x: bx.unbroadcast(x, ()),
    "guard": lambda x: bx.guard().watch(x),
    "clip": lambda x: bx.clip(x, 1, None),
    "round": lambda x: bx.round(x, 1),
    "where=": lambda x: bx.add(np.ones((3, 2)), 1, where=x),
    "dtype=": lambda x: bx.add(x, 1, dtype="f4"),
}
"""Functions that compute, each with a call of one operand."""

SHAPES = {"explain": bx.explain, "compare": bx.compare, "broadcast_shapes": lambda x: bx.broadcast_shapes(x.shape)}
"""Functions of shapes, which read no elements."""

METHODS = {
    "reduce": lambda x: bx.add.reduce(x), "accumulate": lambda x: bx.add.accumulate(x), "reduceat": lambda x: bx.add.reduceat(x, [0, 2]),
    "outer": lambda x: bx.add.outer(x, x), "at": lambda x: bx.add.at(x, [0], 1),
}  # fmt: skip

BACKEND = {
    "prepare": lambda x: onnx_backend.prepare(a_model()).run([x]),
    "run_model": lambda x: onnx_backend.run_model(a_model(), [x]),
    "run_node": lambda x: onnx_backend.run_node(RUN, [x, x]),
}

NO_ARRAYS = set(
    "Answer Blowup Census Check Extract Finding Fix MissingName Operator Rule Sizes Target census check "
    "detect_number_of_cores detect_number_of_threads extract fix get_num_threads get_vml_version num_threads print_versions "
    "set_num_threads set_vml_accuracy_mode set_vml_num_threads sizes targets upgrade".split()
)
REDUCTIONS = [*bx._broadaxe.reductions(), "var", "std", *(f"nan{name}" for name in ("sum", "prod", "max", "min", "mean", "var", "std"))]
SYSTEMS = [bx.onnx, bx.openvino, bx.paddle, bx.ncnn]
NEEDED = {"direction": "LEFT", "to": 1, "levels": 4, "destination_type": "f32", "alpha": 1.0, "min": 0.0, "max": 1.0}
"""Attributes that a framework's operator must be given; those that say a shape are left out, and their operators refuse all kinds."""


def framework_calls():
    """Yield each framework's operators with the number of operands that it needs."""
    for system in SYSTEMS:
        for name in system.__all__:
            function = getattr(system, name)
            parameters = inspect.signature(function).parameters.values()
            count = sum(p.kind is p.POSITIONAL_ONLY and p.default is p.empty for p in parameters) or 2
            needed = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
            attributes = {key: NEEDED.get(key, [3, 2]) for key in needed}
            yield f"{system.__name__}.{name}", count, lambda *operands, f=function, a=attributes: f(*operands, **a)


def every_call():
    """Yield each entry point that computes, as a name and a function of one operand."""
    for table in (FUNCTIONS, METHODS, BACKEND):
        yield from table.items()
    for name, operator in OPERATORS.items():
        yield name, lambda x, f=operator: f(*[x] * max(f.nin, 2 if f.variadic else 1))
    yield from ((name, getattr(bx, name)) for name in REDUCTIONS)
    for name, count, function in framework_calls():
        yield name, lambda x, f=function, n=count: f(*[x] * n)


def test_every_public_name_is_in_a_table():
    known = {*OPERATORS, *REDUCTIONS, *FUNCTIONS, *SHAPES, *NO_ARRAYS}
    named = {name for name, value in vars(bx).items() if not name.startswith("_") and callable(value) and not isinstance(value, types.GenericAlias)}
    assert {name for name in named if not hasattr(vars(bx)[name], "__args__")} <= known, named - known
    assert {name for name in vars(bx.Operator) if not name.startswith("_") and callable(vars(bx.Operator)[name])} == {*METHODS, "resolve_dtypes"}
    assert {name for name in dir(bx.guard) if not name.startswith("_")} == {"watch", "look", "trace"}
    backend = {name for name in onnx_backend.__all__ if callable(getattr(onnx_backend, name))}
    assert backend <= {*BACKEND, "operators", "is_compatible", "supports_device", "Unsupported", "BroadaxeBackend", "Representation"}, backend
    modules = {name for name, value in vars(bx).items() if isinstance(value, types.ModuleType) and not name.startswith("_")}
    assert modules == {"onnx", "openvino", "paddle", "ncnn", "onnx_backend", "testing", "version"}


@pytest.mark.parametrize("kind", KINDS)
def test_reductions_follow_classes(kind):
    """What the method of the class gives, with NumPy's degrees of freedom, or TypeError."""
    accepted = set()
    for name in [*REDUCTIONS, "reduce", "accumulate"]:
        operand = KINDS[kind](plain("bool" if name in ("any", "all") else "f8"))[0][0]
        got = attempt(lambda: (METHODS.get(name) or getattr(bx, name))(operand))
        # What an Index is reduced to has its own names in pandas, and the sum of missing values is missing.
        if isinstance(got, TypeError) or kind in ("pandas Index", "pandas nullable Series") and name in METHODS:
            continue
        accepted.add(name)
        method = {"reduce": "sum", "accumulate": "cumsum"}.get(name, name)
        given = {"axis": None} if kind == "pandas DataFrame" else {}
        given |= {"ddof": 0} if name in ("var", "std") else {"axis": 0} if method != name else {}
        array = np.asarray(operand) if kind in ("Dask", "wraps", "derived from ndarray") else operand
        want = getattr(array, method)(**given) if hasattr(array, method) else getattr(np, name)(array)
        if kind in ("Dask", "wraps"):
            assert type(got) is type(operand), name
        elif kind != "derived from ndarray":
            assert type(got) is type(want), name
        if kind != "xarray Dataset":
            assert getattr(got, "dims", ()) == getattr(want, "dims", ())
            np.testing.assert_allclose(np.asarray(got, float), np.asarray(want, float))
    assert accepted or kind == "units", kind
    if kind in ("xarray", "xarray over Dask", "pandas Series", "masked", "Dask"):
        assert {"sum", "mean", "max", "min", "prod", "var", "std"} <= accepted


def test_shapes_are_read_without_elements():
    """Names of dims and an index align otherwise than shapes do; all else has a shape that says all."""
    for function in SHAPES.values():
        for kind in ("Cubed", "Zarr", "file"):
            function(REFUSED[kind](np.ones((3, 2))))
    for function in (bx.explain, bx.compare, lambda x: bx.unbroadcast(np.ones(3), x)):
        for operand in (pd.Series([1.0]), pd.DataFrame({"p": [1.0]}), xr.DataArray([1.0])):
            with pytest.raises(TypeError, match="aligned by its labels and not by its shape; pass shape.shape"):
                function(operand)


def test_what_has_no_numbers_is_refused():
    array = plain("f8")[0]
    for operand in (pd.Categorical(array[:, 0]), pd.MultiIndex.from_arrays(array.T), pd.Series(array[:, 0]).astype("category")):
        for name in ("evaluate", "compile", "NumExpr", "broadcast_to", "unbroadcast", "guard", "where=", "run_node", "nansum", "exp", "reduceat"):
            error = attempt(lambda: dict(every_call())[name](operand))
            assert isinstance(error, (TypeError, ValueError)), (type(operand), name)


@pytest.mark.parametrize("kind", REFUSED)
def test_no_entry_point_drops_anything_in_silence(kind):
    """Every entry point raises TypeError for operands that have no protocol to follow, and for lazy ones of other libraries."""
    operand = REFUSED[kind](plain("f8")[0])
    for name, call in every_call():
        error = attempt(lambda: call(operand))
        assert isinstance(error, TypeError), (name, type(error))
        assert any(word in str(error) for word in ("; pass ", "; use ", "; convert ")), (name, error)


LAZY = {
    "Dask": lambda block: da.ones((3, 2), chunks=2).map_blocks(block, dtype="f8", meta=np.empty((0, 0))),
    "xarray over Dask": lambda block: xr.DataArray(LAZY["Dask"](block), dims=("y", "x")),
}


@pytest.mark.parametrize("kind", LAZY)
def test_no_entry_point_loads_what_is_lazy(kind):
    def explode(block):
        raise RuntimeError("computed")

    operand, accepted = LAZY[kind](explode), set()
    array = type(operand if kind == "Dask" else operand.data)
    for name, call in every_call():
        try:
            result = attempt(lambda: call(operand))
        except (ValueError, ZeroDivisionError) as error:
            result = error
        if not isinstance(result, Exception) and name != "validate":
            one = result[0] if isinstance(result, tuple) else result
            assert type(one if kind == "Dask" else one.data) is array, name
            accepted.add(name)
    assert {"evaluate", "compile", "re_evaluate", "NumExpr", "add", "sum", "broadaxe.onnx.Add"} <= accepted


@pytest.mark.parametrize("kind", KINDS)
def test_operators_of_frameworks_obey_what_operands_have(kind):
    accepted = 0
    for name, count, function in framework_calls():
        try:
            arrays = fitting(function, count)
        except AssertionError:
            arrays = [array.astype("f4") for array in plain("f8")]
        operands, aligned, rebuild = KINDS[kind](arrays)
        operands, aligned = ([*some, *some][:count] for some in (operands, aligned))
        try:
            got = attempt(lambda: function(*operands))
        except ValueError:
            continue
        if isinstance(got, TypeError):
            continue
        accepted += 1
        check_same(got, rebuild(np.asarray(function(*aligned))), exact=kind not in INDEXED)
    assert accepted > 100 or kind in ("masked", "units", "pandas DataFrame", "pandas Index", "pandas nullable Series", "pandas Series in another order")
