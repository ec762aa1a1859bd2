"""ncnn's layers under its own names, against formulas in NumPy."""

import inspect
import math

import numpy as np
import pytest

import broadaxe as bx

erf = np.vectorize(math.erf)
# Every parameter of ncnn's layers and its default, by its documentation; None where it follows from the operands.
PARAMETERS = {
    "AbsVal": {}, "BNLL": {}, "Bias": {"bias_data_size": None}, "BinaryOp": {"op_type": 0, "with_scalar": 0, "b": 0.0},
    "CELU": {"alpha": 1.0}, "Clip": {"min": float(np.finfo("f4").min), "max": float(np.finfo("f4").max)}, "DeepCopy": {},
    "Dropout": {"scale": 1.0}, "ELU": {"alpha": 0.1}, "Eltwise": {"op_type": 0, "coeffs": ()}, "Erf": {},
    "Exp": {"base": -1.0, "scale": 1.0, "shift": 0.0}, "GELU": {"fast_gelu": 0}, "HardSigmoid": {"alpha": 0.2, "beta": 0.5},
    "HardSwish": {"alpha": 0.2, "beta": 0.5}, "Log": {"base": -1.0, "scale": 1.0, "shift": 0.0}, "Mish": {}, "Noop": {},
    "PReLU": {"num_slope": None}, "Power": {"power": 1.0, "scale": 1.0, "shift": 0.0}, "ReLU": {"slope": 0.0},
    "SELU": {"alpha": 1.67326324, "lambda_": 1.050700987}, "Scale": {"scale_data_size": None, "bias_term": None},
    "Shrink": {"bias": 0.0, "lambd": 0.5}, "Sigmoid": {}, "Softplus": {}, "Swish": {}, "TanH": {}, "Threshold": {"threshold": 0.0},
    "UnaryOp": {"op_type": 0},
}  # fmt: skip


def curve(x, alpha, divisor=1.0):
    return np.where(x < 0, alpha * np.expm1(x / divisor), x)


def hard(x, alpha, beta):
    return np.minimum(np.maximum(alpha * x + beta, 0), 1)


# A formula in doubles for each layer of one operand, some sets of parameters, and how far a result in f32 may be off.
POINTWISE = [
    ("AbsVal", np.abs, [{}], 0),
    ("BNLL", lambda x: np.logaddexp(0, x), [{}], 1e-6),
    ("CELU", lambda x, alpha=1.0: curve(x, alpha, alpha), [{}, {"alpha": 0.5}, {"alpha": 3}], 1e-6),
    ("Clip", lambda x, min=-np.inf, max=np.inf: np.minimum(np.maximum(x, min), max),
     [{}, {"min": -1.5}, {"max": 0.25}, {"min": -1, "max": 2}, {"min": 1, "max": -1}], 0),
    ("DeepCopy", np.array, [{}], 0),
    ("Dropout", lambda x, scale=1.0: x * scale, [{}, {"scale": 0.5}], 0),
    ("ELU", lambda x, alpha=0.1: curve(x, alpha), [{}, {"alpha": 1}, {"alpha": -0.5}], 1e-6),
    ("Erf", erf, [{}], 1e-6),
    ("Exp", lambda x, base=math.e, scale=1.0, shift=0.0: base ** (shift + x * scale),
     [{}, {"scale": 0.5}, {"shift": -1}, {"base": 2.0}, {"base": 10, "scale": 0.25, "shift": 0.5}], 3e-6),
    ("GELU", lambda x, fast_gelu=0: x * (1 + (np.tanh(0.79788452 * (x + 0.044715 * x**3)) if fast_gelu else erf(x / 2**0.5))) / 2,
     [{}, {"fast_gelu": 0}, {"fast_gelu": 1}], 1e-6),
    ("HardSigmoid", lambda x, alpha=0.2, beta=0.5: hard(x, alpha, beta), [{}, {"alpha": 1 / 6}, {"beta": 0.25}], 1e-6),
    ("HardSwish", lambda x, alpha=0.2, beta=0.5: x * hard(x, alpha, beta), [{}, {"alpha": 1 / 6}, {"beta": 0.25}], 1e-6),
    ("Log", lambda x, base=math.e, scale=1.0, shift=0.0: np.log(shift + x * scale) / np.log(base),
     [{"scale": -1, "shift": 20}, {"base": 2.0, "scale": 0.5, "shift": 16}, {"base": 10, "shift": 11.5}], 1e-6),
    ("Mish", lambda x: x * np.tanh(np.logaddexp(0, x)), [{}], 1e-6),
    ("Noop", np.array, [{}], 0),
    ("Power", lambda x, power=1.0, scale=1.0, shift=0.0: (shift + x * scale) ** power,
     [{}, {"power": 2.0}, {"power": 0.5, "shift": 10}, {"power": 3, "scale": -0.5, "shift": 1}], 1e-6),
    ("ReLU", lambda x, slope=0.0: np.where(x < 0, x * slope, x), [{}, {"slope": 0.25}, {"slope": -2}], 0),
    ("SELU", lambda x, alpha=1.67326324, lambda_=1.050700987: lambda_ * curve(x, alpha),
     [{}, {"alpha": 1.0}, {"alpha": 0.5, "lambda_": 2}], 1e-6),
    ("Shrink", lambda x, bias=0.0, lambd=0.5: np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, 0)),
     [{}, {"bias": 0.25}, {"bias": 0.5, "lambd": 1.5}], 1e-6),
    ("Sigmoid", lambda x: 1 / (1 + np.exp(-x)), [{}], 1e-6),
    ("Softplus", lambda x: np.log(np.exp(x) + 1), [{}], 1e-6),
    ("Swish", lambda x: x / (1 + np.exp(-x)), [{}], 1e-6),
    ("TanH", np.tanh, [{}], 1e-6),
    ("Threshold", lambda x, threshold=0.0: (x > threshold) * 1.0, [{}, {"threshold": 0.5}, {"threshold": -3}], 0),
]  # fmt: skip


def shapes(seed, count=25):
    """Draw shapes of ranks 1 to 4."""
    draw = np.random.default_rng(seed)
    return draw, [tuple(int(dim) for dim in draw.integers(1, 8, 1 + k % 4)) for k in range(count)]


def test_every_layer_has_the_parameters_of_ncnn():
    assert sorted(PARAMETERS) == sorted(bx.ncnn.__all__)
    for name, wanted in PARAMETERS.items():
        parameters = inspect.signature(getattr(bx.ncnn, name)).parameters.values()
        found = {parameter.name: parameter.default for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}
        assert found.pop("out") is None
        assert found == wanted, name


@pytest.mark.parametrize(("name", "formula", "settings", "within"), POINTWISE, ids=[row[0] for row in POINTWISE])
def test_a_layer_of_one_operand_computes_its_formula(name, formula, settings, within):
    draw, drawn = shapes(len(name))
    for k, shape in enumerate(drawn):
        given = settings[k % len(settings)]
        x = draw.normal(0, 3, shape).clip(-9, 9).astype("f4")
        found, wanted = getattr(bx.ncnn, name)(x, **given), formula(x.astype("f8"), **given)
        assert found.dtype == np.float32 and found.shape == shape
        if within:
            np.testing.assert_allclose(found, wanted, rtol=within, atol=within)
        else:
            np.testing.assert_array_equal(found, wanted.astype("f4"))


@pytest.mark.parametrize(
    ("name", "given", "x", "wanted"),
    [
        ("ReLU", {}, -np.inf, 0.0),
        ("ReLU", {"slope": 0.5}, -np.inf, -np.inf),
        ("Clip", {}, np.inf, np.finfo("f4").max),
        ("Clip", {}, -np.inf, np.finfo("f4").min),
        ("Clip", {}, np.nan, np.nan),
        ("Softplus", {}, 89.0, np.inf),
        ("Softplus", {}, -20.0, 0.0),
        ("BNLL", {}, 100.0, 100.0),
        ("CELU", {"alpha": 0}, 2.0, 2.0),
        ("CELU", {"alpha": 0}, -2.0, 0.0),
        ("Log", {}, 0.0, -np.inf),
        ("Log", {}, -1.0, np.nan),
        ("Power", {"power": 2}, -3.0, 9.0),
        ("Power", {"power": 0.5}, -3.0, np.nan),
        ("Exp", {}, 100.0, np.inf),
        ("Threshold", {"threshold": 0.1}, np.float32(0.1), 0.0),
        ("Threshold", {}, np.nan, 0.0),
        ("Shrink", {}, 0.5, 0.0),
        ("HardSigmoid", {}, np.inf, 1.0),
        ("HardSwish", {}, np.inf, np.inf),
        ("Sigmoid", {}, -np.inf, 0.0),
    ],
)
def test_ends_of_the_range(name, given, x, wanted):
    np.testing.assert_array_equal(getattr(bx.ncnn, name)(np.full(5, x, "f4"), **given), np.full(5, wanted, "f4"))


def spread(numbers, x):
    """Give a list the axes that put it on the first axis of an array."""
    return np.reshape(numbers, (-1,) + (1,) * (x.ndim - 1))


def test_layers_that_hold_numbers_have_them_per_channel():
    draw, drawn = shapes(1, 40)
    for shape in drawn:
        x = draw.normal(0, 3, shape).astype("f4")
        one, each, bias = (draw.normal(0, 2, length).astype("f4") for length in (1, shape[0], shape[0]))
        for slope in (one, each):
            wanted = np.where(x < 0, x * spread(slope, x), x)
            np.testing.assert_array_equal(bx.ncnn.PReLU(x, slope), wanted)
            np.testing.assert_array_equal(bx.ncnn.PReLU(x, slope, num_slope=len(slope)), wanted)
            np.testing.assert_array_equal(bx.ncnn.PReLU(x, spread(slope, x)), wanted)
        np.testing.assert_array_equal(bx.ncnn.PReLU(x, 0.25), np.where(x < 0, x * np.float32(0.25), x))
        np.testing.assert_array_equal(bx.ncnn.Scale(x, each), x * spread(each, x))
        np.testing.assert_array_equal(bx.ncnn.Scale(x, each, scale_data_size=-233), x * spread(each, x))
        wanted = x * spread(each, x) + spread(bias, x)
        np.testing.assert_array_equal(bx.ncnn.Scale(x, each, bias), wanted)
        np.testing.assert_array_equal(bx.ncnn.Scale(x, each, bias, scale_data_size=len(each), bias_term=1), wanted)
        added = each if len(shape) > 2 else one
        np.testing.assert_array_equal(bx.ncnn.Bias(x, added), x + spread(added, x))


@pytest.mark.parametrize(
    ("shape", "slopes"),
    [((24, 7, 5), 24), ((32, 7, 5), 32), ((12, 9, 7), 12), ((13, 5, 3), 13), ((24, 15), 24), ((32, 15), 32), ((12, 17), 12),
     ((15, 19), 15), ((128,), 128), ((124,), 124), ((120,), 120), ((127,), 127), ((24, 2, 3, 5), 24), ((13, 3, 5, 3), 13)],
)  # fmt: skip
def test_prelu_of_the_shapes_that_ncnn_tests(shape, slopes):
    draw = np.random.default_rng(slopes)
    x = draw.normal(0, 1, shape).astype("f4")
    for count in (1, slopes):
        slope = draw.normal(0, 1, count).astype("f4")
        np.testing.assert_array_equal(bx.ncnn.PReLU(x, slope, num_slope=count), np.where(x < 0, x * spread(slope, x), x))


def test_eltwise_folds_operands_of_one_shape():
    draw, drawn = shapes(2, 40)
    for k, shape in enumerate(drawn):
        operands = [draw.normal(0, 3, shape).astype("f4") for _ in range(2 + k % 4)]
        coeffs = draw.normal(0, 1, len(operands)).astype("f4")
        for kind, fold in enumerate((np.multiply, np.add, np.maximum)):
            wanted = operands[0]
            for operand in operands[1:]:
                wanted = fold(wanted, operand)
            np.testing.assert_array_equal(bx.ncnn.Eltwise(*operands, op_type=kind), wanted)
            np.testing.assert_array_equal(bx.ncnn.Eltwise(*operands, op_type=kind, coeffs=[]), wanted)
            if kind != 1:
                np.testing.assert_array_equal(bx.ncnn.Eltwise(*operands, op_type=kind, coeffs=coeffs), wanted)
        wanted = operands[0] * coeffs[0]
        for operand, coeff in zip(operands[1:], coeffs[1:]):
            wanted = wanted + operand * coeff
        for given in (coeffs, coeffs.tolist(), tuple(coeffs.tolist())):
            np.testing.assert_array_equal(bx.ncnn.Eltwise(*operands, op_type=1, coeffs=given), wanted)
    a = np.float32([1, 2])
    np.testing.assert_array_equal(bx.ncnn.Eltwise(a, a, op_type=1, coeffs=[2, -1]), a)
    np.testing.assert_array_equal(bx.evaluate("ncnn.Eltwise(a, a, op_type=1, coeffs=[0.5, 2])"), 2.5 * a)


ROWS, IMAGE = np.ones((3, 4), "f4"), np.ones((3, 4, 5), "f4")
THREE = np.ones(3, "f4")


@pytest.mark.parametrize(
    ("name", "operands", "given", "kind", "text"),
    [
        ("PReLU", (ROWS,), {}, ValueError, "needs 2 operands, not 1"),
        ("PReLU", (ROWS, np.ones(4, "f4")), {}, ValueError, r"operand 1 has the shape \(4,\); for data of \(3, 4\) it is one number, or one for"),
        ("PReLU", (ROWS, np.ones((1, 4), "f4")), {}, ValueError, r"operand 1 has the shape \(1, 4\)"),
        ("PReLU", (ROWS, THREE), {"num_slope": 2}, ValueError, "num_slope=2, but operand 1 has 3 numbers"),
        ("PReLU", (ROWS, np.float32(1)), {}, ValueError, r"operand 1 has the shape \(\)"),
        ("PReLU", (1.0, THREE), {}, ValueError, "its first operand is a number"),
        ("PReLU", (ROWS, np.ones(3)), {}, TypeError, "the dtypes must be equal"),
        ("Scale", (ROWS, np.ones(1, "f4")), {}, ValueError, r"operand 1 has the shape \(1,\); for data of \(3, 4\) it is one number for each"),
        ("Scale", (ROWS, 2.0), {}, ValueError, "it is one number for each entry of the first axis"),
        ("Scale", (ROWS, THREE, np.ones(4, "f4")), {}, ValueError, r"operand 2 has the shape \(4,\)"),
        ("Scale", (ROWS, THREE), {"bias_term": 1}, ValueError, "bias_term=1 needs a bias"),
        ("Scale", (ROWS, THREE, THREE), {"bias_term": 0}, ValueError, "bias_term=0 excludes a bias"),
        ("Bias", (ROWS, THREE), {}, ValueError, "or a single one for data of rank 1 and 2"),
        ("Bias", (IMAGE, np.ones(1, "f4")), {}, ValueError, r"operand 1 has the shape \(1,\)"),
        ("Eltwise", (ROWS,), {}, ValueError, "needs at least 2 operands, not 1"),
        ("Eltwise", (ROWS, THREE), {}, ValueError, "under none"),
        ("Eltwise", (ROWS, 2.0), {}, ValueError, "under none"),
        ("Eltwise", (ROWS, ROWS), {"op_type": 3}, ValueError, "use op_type=0 to op_type=2"),
        ("Eltwise", (ROWS, ROWS), {"op_type": 1, "coeffs": [1.0]}, ValueError, "coeffs has 1 numbers for 2 operands"),
        ("Eltwise", (ROWS, ROWS), {"coeffs": 0.5}, ValueError, "coeffs=0.5 should be a list of numbers"),
        ("ReLU", (np.ones((1,) * 5, "f4"),), {}, ValueError, r"operand 0 has the shape \(1, 1, 1, 1, 1\); ncnn has ranks 1 to 4"),
        ("ReLU", (np.ones((2, 0), "f4"),), {}, ValueError, r"operand 0 has the shape \(2, 0\); ncnn has ranks 1 to 4, and no dims of 0"),
        ("UnaryOp", (np.float32(1).reshape(()),), {}, ValueError, r"operand 0 has the shape \(\); ncnn has ranks 1 to 4"),
        ("ReLU", (np.ones(3),), {}, TypeError, "operand 0 is f64; it accepts f32"),
        ("ReLU", (ROWS,), {"alpha": 1.0}, ValueError, "has no attribute 'alpha'; its attributes: slope"),
        ("GELU", (ROWS,), {"fast_gelu": 2}, ValueError, "fast_gelu=2 should be True or False"),
    ],
)
def test_what_ncnn_reads_wrongly_is_refused(name, operands, given, kind, text):
    with pytest.raises(kind, match=text):
        getattr(bx.ncnn, name)(*operands, **given)


def test_documentation_says_what_the_operands_are():
    assert "each other operand is one number, or one for each entry of the first axis" in bx.ncnn.PReLU.__doc__
    assert "Shapes: the operand's." in bx.ncnn.ReLU.__doc__ and "by the rule none" in bx.ncnn.Eltwise.__doc__


def test_a_parameter_that_is_a_keyword_of_python():
    x = np.float32([-1, 2])
    wanted = bx.ncnn.SELU(x, lambda_=2.0)
    np.testing.assert_array_equal(bx.ncnn.SELU(x, **{"lambda": 2.0}), wanted)
    assert wanted[1] == 4


def test_layers_of_dask_arrays():
    da = pytest.importorskip("dask.array")
    draw = np.random.default_rng(3)
    x, each, bias = (draw.normal(0, 1, shape).astype("f4") for shape in ((6, 5, 4), (6,), (6,)))
    lazy = da.from_array(x, chunks=(4, 2, 3))
    for name, rest, given in [
        ("PReLU", (each,), {"num_slope": 6}),
        ("PReLU", (each[:1],), {}),
        ("PReLU", (0.5,), {}),
        ("Bias", (each,), {}),
        ("Scale", (each,), {"scale_data_size": 6}),
        ("Scale", (each, bias), {"bias_term": 1}),
        ("SELU", (), {"lambda_": 2.0}),
        ("Eltwise", (x,), {"op_type": 1, "coeffs": [0.5, 2.0]}),
    ]:
        found = getattr(bx.ncnn, name)(lazy, *rest, **given)
        assert isinstance(found, da.Array), name
        np.testing.assert_array_equal(found.compute(), getattr(bx.ncnn, name)(x, *rest, **given))
