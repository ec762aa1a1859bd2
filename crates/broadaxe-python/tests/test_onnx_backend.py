"""The ONNX backend: ONNX's own tests, random nodes and graphs against other implementations, and what is refused."""

import unittest

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
import onnx.backend.test  # noqa: E402
import onnx_nodes  # noqa: E402
from conftest import script  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

import broadaxe as bx  # noqa: E402
from broadaxe import onnx_backend  # noqa: E402
from broadaxe.onnx_backend import Unsupported  # noqa: E402

NEWEST = onnx.defs.onnx_opset_version()


class Halves(dict):
    """The tolerance of tests of attention in f16: NumPy computes the exponentials that they compare with, 4 ULP off on some machines."""

    def __bool__(self):
        return True

    def __contains__(self, name):
        return "attention" in name and "_fp16" in name

    def __getitem__(self, name):
        return {"rtol": 4 * 2**-10}


TESTS = onnx.backend.test.BackendTest(onnx_backend.BroadaxeBackend, __name__, test_kwargs=Halves())
OPERATORS = """add and argmax argmin attention batchnorm bitshift bitwise_and bitwise_or bitwise_xor cast clip compress concat constant constantofshape
cumsum depthtospace dequantizelinear div dropout dynamicquantizelinear einsum equal expand eyelike flatten gather gathernd gather_elements gemm
greater group_normalization hardmax identity if instancenorm l1normalization layer_normalization less logsoftmax loop lrn matmul
max mean min mod mul mvn nonzero onehot optional or pad pow prelu quantizelinear range reduce reshape reversesequence rms_normalization scan
scatter sequence shape size slice softmax spacetodepth split squeeze sub sum tile top tril triu unique unsqueeze where xor"""
TESTS.include(rf"^test_({'|'.join(OPERATORS.split())})(2d|3d|4d|_|$)?.*_cpu$")
TESTS.exclude(
    "string|STRING|UINT[24]|INT[24]|FLOAT[48]|uint[24]|_int[24]|e[45]m|float4|maxpool|maxunpool|max_pool|maxpool|training_dropout|strnorm|"
    # Of Scan-8; one that the runner cannot compare (a sequence of single elements); f16 that is rounded less often than in the test.
    "scan_sum|loop16_seq_none|attention_4d_causal_fp16"
)


def chosen(cases):
    """Return a class of the tests that are chosen alone: ONNX makes one of every test and device, and marks most to be skipped."""
    tests = {name: test for name, test in vars(cases).items() if name.startswith("test_")}
    asked = {name: test for name, test in tests.items() if not getattr(test, "__unittest_skip__", False)}
    assert 900 < len(asked) < len(tests)
    return type("NodeTests", (unittest.TestCase,), asked)


NodeTests = chosen(TESTS.test_cases["OnnxBackendNodeModelTest"])


def declared(name, array=None, dtype=TensorProto.FLOAT, shape=("n", "m")):
    """Declare a value as an array is, or as is said."""
    if array is not None:
        dtype, shape = helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
    return helper.make_tensor_value_info(name, dtype, shape)


def model(nodes, inputs, outputs, initializers=(), opset=18, functions=()):
    """Make a model; inputs and outputs are names of f32 or values that are declared."""
    values = [[declared(value) if isinstance(value, str) else value for value in values] for values in (inputs, outputs)]
    graph = helper.make_graph(nodes, "graph", *values, initializers)
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(f.domain, 1) for f in functions[:1])]
    return helper.make_model(graph, opset_imports=imports, ir_version=10, functions=functions)


def run(name, *inputs, opset=NEWEST, outputs=1, **attributes):
    """Run one node and return its first output, or all."""
    names = ["" if x is None else f"x{k}" for k, x in enumerate(inputs)]
    node = helper.make_node(name, names, [f"y{k}" for k in range(outputs)], **attributes)
    results = onnx_backend.run_node(node, [x for x in inputs if x is not None], opset_version=opset)
    return results[0] if outputs == 1 else results


F32, I64 = np.float32, np.int64
X = np.arange(6, dtype=F32).reshape(2, 3)


# Random nodes: ONNX's reference, and ONNX Runtime where the reference is known to be wrong or has no answer.

OUTPUTS = {"TopK": 2, "Unique": 4, "DynamicQuantizeLinear": 3, "LayerNormalization": 3}
REFERENCE_IS_WRONG = {
    "Softmax": "opset 11 folds all axes from one on", "LogSoftmax": "as Softmax", "Hardmax": "as Softmax",
    "LpNormalization": "p=1 folds another axis", "Slice": "starts before the first element going backwards",
    "ReduceSumSquare": "int32 becomes int64", "Shape": "ends before the first axis", "Unique": "unsorted slices",
}
RUNTIME_IS_WRONG = {"ReduceSumSquare": "axes without elements"}


def answers(node, version, inputs):
    """Return what others answer, the one to be trusted first."""
    outputs = [onnx.ValueInfoProto(name=name) for name in node.output]
    whole = model([node], [declared(name, x) for name, x in zip(node.input, inputs)], outputs, opset=version)
    feeds = dict(zip(node.input, inputs))

    def reference():
        return ReferenceEvaluator(whole).run(None, feeds)

    def runtime():
        onnxruntime = pytest.importorskip("onnxruntime")
        onnxruntime.set_default_logger_severity(4)
        typed = onnx.shape_inference.infer_shapes(whole).SerializeToString()
        return onnxruntime.InferenceSession(typed, providers=["CPUExecutionProvider"]).run(None, feeds)

    is_empty = any(x.size == 0 for x in inputs)
    first = node.op_type in REFERENCE_IS_WRONG and not (node.op_type in RUNTIME_IS_WRONG and is_empty)
    for ask in (runtime, reference) if first else (reference, runtime):
        try:
            return ask()
        except Exception:  # noqa: BLE001, S112 - one that has no answer is not asked
            continue
    raise AssertionError(f"no backend runs {node.op_type}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("topic", onnx_nodes.TOPICS, ids=lambda topic: topic.__name__)
def test_random_nodes_agree_with_other_implementations(topic):
    names = set()
    for seed in range(60):
        name, version, inputs, attributes = onnx_nodes.node(topic, seed)
        node = helper.make_node(name, [f"x{k}" for k in range(len(inputs))], [f"y{k}" for k in range(OUTPUTS.get(name, 1))], **attributes)
        got = onnx_backend.run_node(node, inputs, opset_version=version)
        rtol = 4e-3 if any(x.dtype == np.float16 for x in inputs) else 2e-5
        for one, want in zip(got, answers(node, version, inputs), strict=True):
            want = np.asarray(want)
            is_wrong = name == "ReduceSumSquare" and want.dtype == I64
            assert one.shape == want.shape and (one.dtype == want.dtype or is_wrong), (seed, name, attributes, one.dtype, one.shape, want.dtype, want.shape)
            np.testing.assert_allclose(one.astype("f8"), want.astype("f8"), rtol, rtol, err_msg=f"{seed} {name} {attributes}")
        names.add(name)
    assert names


def graph_of(seed):
    """Draw a graph of f32 over operators that keep numbers small, each reading results before it."""
    draw = onnx_nodes.Draw(seed)
    inputs = {f"x{k}": draw.array(draw.one((2, 3), (3,), (2, 1), (1, 3)), "float32") for k in range(3)}
    nodes, shapes, constants = [], {name: x.shape for name, x in inputs.items()}, []
    for k in range(draw.below(3, 14)):
        name, kind = f"v{k}", draw.one("Add", "Sub", "Mul", "Tanh", "Relu", "ReduceMean", "Softmax", "Transpose", "Unsqueeze", "Concat", "Identity", "Where")
        a, b = draw.one(*shapes), draw.one(*shapes)
        rank = len(shapes[a])
        if kind in ("ReduceMean", "Unsqueeze"):
            constants.append(onnx.numpy_helper.from_array(np.array([draw.below(0, rank)], I64), f"c{k}"))
            nodes.append(helper.make_node(kind, [a, f"c{k}"], [name], **({"keepdims": 1} if kind == "ReduceMean" else {})))
        elif kind == "Concat":
            nodes.append(helper.make_node(kind, [a, a], [name], axis=0))
        elif kind == "Where":
            nodes += [helper.make_node("Greater", [a, b], [f"{name}_c"]), helper.make_node("Where", [f"{name}_c", a, b], [name])]
        else:
            nodes.append(helper.make_node(kind, [a, b] if kind in ("Add", "Sub", "Mul") else [a], [name]))
        try:
            whole = model(nodes, [declared(n, x) for n, x in inputs.items()], [onnx.ValueInfoProto(name=name)], constants)
            shapes[name] = ReferenceEvaluator(whole).run(None, inputs)[0].shape
        except (ValueError, TypeError):
            # The operands do not broadcast.
            del nodes[-2 if kind == "Where" else -1 :]
    outputs = [name for name in shapes if name[0] == "v"]
    return model(nodes, [declared(n, x) for n, x in inputs.items()], [declared(n, None, TensorProto.FLOAT, shapes[n]) for n in outputs], constants), inputs


@pytest.mark.filterwarnings("ignore")
def test_random_graphs_agree_with_the_reference():
    for seed in range(60):
        whole, inputs = graph_of(seed)
        if whole.graph.output:
            for got, want in zip(onnx_backend.run_model(whole, inputs), ReferenceEvaluator(whole).run(None, inputs), strict=True):
                assert got.shape == want.shape and got.dtype == want.dtype
                np.testing.assert_allclose(got, want, 1e-5, 1e-5, err_msg=str(seed))


# What the oracles do not have: bf16, and corners of which the text alone speaks.

BF16 = [
    ("ReduceSum", {}, lambda x: x.sum(keepdims=True)),
    ("ReduceMean", {"keepdims": 0}, lambda x: x.mean()),
    ("ReduceMax", {}, lambda x: x.max(keepdims=True)),
    ("ReduceL2", {}, lambda x: np.sqrt((x * x).sum(keepdims=True))),
    ("ReduceLogSumExp", {}, lambda x: np.log(np.exp(x).sum(keepdims=True))),
    ("Softmax", {}, lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True)),
    ("LpNormalization", {"p": 1}, lambda x: x / abs(x).sum(-1, keepdims=True)),
    ("Tanh", {}, np.tanh),
    ("Transpose", {}, np.transpose),
]


@pytest.mark.parametrize("name, attributes, exact", BF16, ids=lambda case: case if isinstance(case, str) else "")
def test_bf16_is_rounded_once(name, attributes, exact):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = (np.random.default_rng(1).normal(size=(7, 5)) * 2).astype(bfloat16)
    got, want = run(name, x, **attributes), exact(x.astype("f8"))
    assert got.dtype == bfloat16
    np.testing.assert_allclose(got.astype("f8"), want, rtol=2**-8)


def test_bf16_that_is_first_seen_as_a_result():
    pytest.importorskip("ml_dtypes")
    text = """if True:
        import numpy as np, onnx
        from broadaxe import onnx_backend
        node = onnx.helper.make_node("Cast", ["x"], ["y"], to=onnx.TensorProto.BFLOAT16)
        print(onnx_backend.run_node(node, [np.float32([1.5])])[0].dtype)
    """
    assert script(text).communicate()[0].strip() == "bfloat16"


EMPTY = np.zeros((2, 0), F32)
CORNERS = [
    ("ReduceSum", [EMPTY], {}, [[0.0]]),
    ("ReduceProd", [EMPTY, np.array([1])], {"keepdims": 0}, [1.0, 1.0]),
    ("ReduceMax", [EMPTY], {}, [[-np.inf]]),
    ("ReduceMin", [EMPTY.astype("i1")], {}, [[127]]),
    ("ReduceMax", [EMPTY.astype("?")], {}, [[False]]),
    ("ReduceMin", [EMPTY.astype("?")], {}, [[True]]),
    ("ReduceLogSumExp", [EMPTY], {}, [[-np.inf]]),
    ("ReduceLogSum", [EMPTY], {}, [[-np.inf]]),
    ("ReduceLogSumExp", [F32([1000, 1000])], {}, [1000 + np.log(2)]),
    ("ReduceLogSumExp", [F32([-np.inf, -np.inf])], {}, [-np.inf]),
    ("ReduceLogSumExp", [F32([np.inf, 0])], {"keepdims": 0}, np.inf),
    ("ReduceLogSumExp", [F32([np.nan, 0])], {"keepdims": 0}, np.nan),
    ("ReduceMean", [np.int32([-3, -4])], {}, [-3]),
    ("ReduceMean", [np.int64([2**62, 2**62])], {}, [-(2**62)]),
    ("ReduceSum", [np.int32([2**31 - 1, 1])], {}, [-(2**31)]),
    ("ReduceSum", [X], {"noop_with_empty_axes": 1}, X),
    ("ReduceL1", [-X], {"noop_with_empty_axes": 1}, X),
    ("ReduceSumSquare", [X], {"noop_with_empty_axes": 1}, X * X),
    ("ArgMax", [F32([[1, np.nan, 3, np.nan]])], {"axis": 1, "keepdims": 0}, [1]),
    ("ArgMax", [F32([[1, 3, 3, 2]])], {"axis": -1, "keepdims": 0, "select_last_index": 1}, [2]),
    ("Softmax", [np.zeros((2, 0), F32)], {}, EMPTY),
    ("Softmax", [F32([1000, 1000])], {}, [0.5, 0.5]),
    ("Reshape", [EMPTY, np.array([0, 3])], {"allowzero": 1}, np.zeros((0, 3))),
    ("Reshape", [X, np.array([0, -1, 1])], {}, X[:, :, None]),
    ("Slice", [np.arange(3), np.array([-9]), np.array([-9]), np.array([0]), np.array([-1])], {}, [0]),
    ("Slice", [np.arange(3), np.array([2]), np.array([-(2**63)]), None, np.array([-1])], {}, [2, 1, 0]),
    ("Range", [np.int64(5), np.int64(-2), np.int64(-3)], {}, [5, 2, -1]),
    ("Range", [F32(0), F32(1), F32(-1)], {}, []),
    ("OneHot", [np.array([-1, 3, -4]), np.array(3), F32([0, 1])], {}, [[0, 0, 1], [0, 0, 0], [0, 0, 0]]),
    ("Tile", [X, np.array([0, 2])], {}, np.zeros((0, 6))),
    ("Concat", [EMPTY, X], {"axis": 1}, X),
    ("Split", [np.arange(5)], {"outputs": 2, "num_outputs": 2}, ([0, 1, 2], [3, 4])),
    ("Dropout", [X, F32(0.7), np.array(False)], {"outputs": 2}, (X, np.ones((2, 3), bool))),
    ("Clip", [np.int32([-5, 5]), None, np.int32(3)], {}, [-5, 3]),
    ("TopK", [F32([2, 3, 3, 1]), np.array([3])], {"outputs": 2}, ([3, 3, 2], [1, 2, 0])),
    ("NonZero", [np.array(3.0)], {}, np.zeros((0, 1))),
    ("CumSum", [EMPTY, np.array(1)], {"exclusive": 1}, EMPTY),
    ("GatherND", [X, np.zeros((2, 0), I64)], {}, np.stack([X, X])),
    ("QuantizeLinear", [F32([0.5, 1.5, -9, 1e9]), F32(1), np.uint8(10)], {}, [10, 12, 1, 255]),
    ("BitCast", [F32([1.0])], {"to": TensorProto.INT32}, [0x3F800000]),
    ("LpNormalization", [np.zeros((1, 2), F32)], {}, [[0, 0]]),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, inputs, attributes, want", CORNERS)
def test_corners(name, inputs, attributes, want):
    got = run(name, *inputs, **attributes)
    for one, other in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
        np.testing.assert_allclose(one.astype("f8"), np.asarray(other, "f8"), rtol=1e-6)
        assert one.shape == np.shape(other)


# Graphs.

def test_a_graph_is_one_program():
    nodes = [
        helper.make_node("Sub", ["x", "mean"], ["centred"]),
        helper.make_node("Div", ["centred", "std"], ["scaled"]),
        helper.make_node("Relu", ["scaled"], ["y"]),
        helper.make_node("Shape", ["centred"], ["shape"]),
        helper.make_node("Expand", ["std", "shape"], ["z"]),
    ]
    std = onnx.numpy_helper.from_array(np.array([2, 4], "f4"), "std")
    value = [declared(name, None, TensorProto.FLOAT, shape) for name, shape in (("x", ["n", 2]), ("mean", [1]), ("y", ["n", 2]), ("z", ["n", 2]))]
    backend = onnx_backend.prepare(model(nodes, value[:2], value[2:], [std]))
    x, mean = np.arange(6, dtype="f4").reshape(3, 2), np.array([2], "f4")
    y, z = backend.run([x, mean])
    np.testing.assert_array_equal(y, np.maximum((x - 2) / np.array([2, 4], "f4"), 0))
    assert z.tolist() == [[2, 4]] * 3
    assert backend.run({"x": x, "mean": mean})[0].tolist() == y.tolist()


def test_results_in_between_take_no_memory():
    text = """if True:
        import numpy as np, onnx, resource
        from onnx import helper
        from broadaxe import onnx_backend
        nodes = [helper.make_node("Add", ["a", "b"], ["t"]), helper.make_node("Neg", ["t"], ["u"]),
                 helper.make_node("ReduceMin", ["u"], ["y"], keepdims=0)]
        values = [helper.make_tensor_value_info(n, 1, s) for n, s in (("a", ["n", 1]), ("b", ["m"]), ("y", []))]
        model = helper.make_model(helper.make_graph(nodes, "g", values[:2], values[2:]), opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
        prepared, n = onnx_backend.prepare(model), 12_000
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        y, = prepared.run([np.arange(n, dtype="f4")[:, None], np.arange(n, dtype="f4")])
        print(float(y) == -2 * (n - 1), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000)
    """
    assert script(text).communicate()[0].split() == ["True", "True"]


def test_outputs_are_arrays_of_their_own():
    constant = onnx.numpy_helper.from_array(X, "c")
    nodes = [helper.make_node("Identity", ["x"], ["y"]), helper.make_node("Transpose", ["x"], ["z"]), helper.make_node("Identity", ["c"], ["w"]),
             helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Identity", ["r"], ["s"])]
    backend = onnx_backend.prepare(model(nodes, ["x"], ["y", "z", "w", "r", "s"], [constant]))
    x = X.copy()
    first = backend.run([x])
    for output in first:
        output[:] = -1
    assert (x == X).all() and (backend.run([x])[2] == X).all()
    assert first.output3 is not first.output4


def test_functions_of_the_model():
    body = [helper.make_node("Mul", ["a", "a"], ["b"]), onnx.NodeProto(op_type="LeakyRelu", input=["b"], output=["c"])]
    body[1].attribute.append(onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT))
    square = helper.make_function("mine", "Square", ["a"], ["c"], body, [helper.make_opsetid("", 18)], ["slope"])
    outer = helper.make_function("mine", "Outer", ["a"], ["d"], [
        helper.make_node("Square", ["a"], ["c"], domain="mine"), helper.make_node("Neg", ["c"], ["d"])], [helper.make_opsetid("", 18), helper.make_opsetid("mine", 1)])
    whole = model([helper.make_node("Outer", ["x"], ["y"], domain="mine")], ["x"], ["y"], functions=[square, outer])
    assert onnx_backend.is_compatible(whole)
    assert (onnx_backend.run_model(whole, [X])[0] == -(X * X)).all()


def test_loops_and_branches_see_values_around_them():
    body = helper.make_graph(
        [helper.make_node("Add", ["total", "x"], ["next"]), helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Identity", ["next"], ["seen"])],
        "body", [declared("i", None, TensorProto.INT64, []), declared("go", None, TensorProto.BOOL, []), declared("total")],
        [declared("on", None, TensorProto.BOOL, []), declared("next"), declared("seen")])
    for turns in (0, 3):
        count = onnx.numpy_helper.from_array(np.array(turns), "n")
        node = helper.make_node("Loop", ["n", "", "x"], ["y", "z"], body=body)
        z = declared("z", None, TensorProto.FLOAT, ["turns", "n", "m"])
        y, z = onnx_backend.run_model(model([node], ["x"], ["y", z], [count]), [X])
        assert (y == X * (1 + turns)).all() and len(z) == turns
    branch = lambda op, name: helper.make_graph([helper.make_node(op, ["twice"], [name])], name, [], [declared(name)])  # noqa: E731
    nodes = [helper.make_node("Add", ["x", "x"], ["twice"]), helper.make_node("If", ["c"], ["y"], then_branch=branch("Neg", "p"), else_branch=branch("Relu", "q"))]
    whole = onnx_backend.prepare(model(nodes, ["x", declared("c", None, TensorProto.BOOL, [])], ["y"]))
    assert (whole.run([X, np.array(True)])[0] == -2 * X).all() and (whole.run([X, np.array(False)])[0] == 2 * X).all()


# What is refused.

CLEAR = (Unsupported, ValueError, TypeError, IndexError, ZeroDivisionError, NameError, MemoryError, OverflowError, onnx.checker.ValidationError)

def test_operators_that_are_missing_are_named():
    conv = model([helper.make_node("Conv", ["x", "x"], ["y"]), helper.make_node("Relu", ["y"], ["z"])], ["x"], ["z"])
    assert not onnx_backend.is_compatible(conv)
    with pytest.raises(Unsupported, match="^the operator Conv is not supported$") as raised:
        onnx_backend.prepare(conv)
    assert raised.value.what == "operator Conv"
    relu = model([helper.make_node("Relu", ["x"], ["y"])], ["x"], ["y"])
    with pytest.raises(ValueError, match="unknown device"):
        onnx_backend.prepare(relu, device="CUDA")
    assert onnx_backend.supports_device("CPU") and not onnx_backend.supports_device("CUDA:0")
    names = onnx_backend.operators()
    assert {"Add", "ReduceSum", "Softmax", "Attention", "If"} <= set(names) and not {"Conv", "Bernoulli", "CausalConvWithState"} & set(names)


@pytest.mark.parametrize("kind", ["STRING", "FLOAT8E4M3FN", "INT4", "UINT2", "COMPLEX64", "FLOAT4E2M1"])
def test_element_types_that_are_missing_are_named(kind):
    number = TensorProto.DataType.Value(kind)
    whole = model([helper.make_node("Identity", ["x"], ["y"])], [declared("x", None, number)], [declared("y", None, number)])
    assert not onnx_backend.is_compatible(whole)
    with pytest.raises(Unsupported, match=kind):
        onnx_backend.prepare(whole)
    with pytest.raises(Unsupported, match=kind):
        run("Cast", X, to=number)


@pytest.mark.parametrize("name", ["_init__", "__init__", "_class__", "value", "node", "execute", "call", "Nothing", "", "../Add", "add"])
@pytest.mark.parametrize("arity", range(4))
def test_names_that_are_no_operators(name, arity):
    with pytest.raises(Unsupported, match="is not supported"):
        run(name, *[X] * arity)
    inputs = [f"x{k}" for k in range(arity)]
    with pytest.raises(Unsupported):
        onnx_backend.prepare(model([onnx.NodeProto(op_type=name, input=inputs, output=["y"])], inputs, ["y"]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operand", [X, np.array([1, 0]), np.array(True), np.zeros((2, 0), F32), np.float16(2)], ids=lambda x: f"{x.dtype}{x.shape}")
def test_any_operator_over_any_operands_answers_or_says_why(operand):
    answered = 0
    for name in onnx_backend.operators():
        for version in (NEWEST, 13, 7, 1):
            for arity in range(4):
                try:
                    run(name, *[operand] * arity, opset=version)
                    answered += 1
                except CLEAR as why:
                    assert str(why), name
    assert answered > 100


HUGE = 2**42
TOO_LARGE = [
    ("Expand", [X, np.array([HUGE, 2, 3])], {}),
    ("Expand", [X, np.array([2**62, 2**62, 2, 3])], {}),
    ("Tile", [X, np.array([HUGE, 1])], {}),
    ("Tile", [X, np.array([2**62, 2**62])], {}),
    ("ConstantOfShape", [np.array([HUGE])], {}),
    ("ConstantOfShape", [np.array([2**62, 8])], {}),
    ("Range", [np.array(0), np.array(HUGE), np.array(1)], {}),
    ("Range", [F32(0), F32(HUGE), F32(1)], {}),
    ("OneHot", [np.array([1]), np.array(HUGE), F32([0, 1])], {}),
    ("Pad", [X, np.array([HUGE, 0, 0, 0])], {}),
    ("Upsample", [X, F32([HUGE, 1])], {"opset": 9}),
]


@pytest.mark.skipif(bx._broadaxe.memory_budget() is None, reason="the machine does not say how much memory it has")
@pytest.mark.parametrize("name, inputs, attributes", TOO_LARGE)
def test_results_beyond_the_budget_are_refused_before_they_are_allocated(name, inputs, attributes):
    with pytest.raises((MemoryError, ValueError), match="budget|large|bytes|elements|overflow"):
        run(name, *inputs, **attributes)


@pytest.mark.skipif(bx._broadaxe.memory_budget() is None, reason="the machine does not say how much memory it has")
def test_what_reads_a_huge_value_is_refused_too():
    large = onnx.numpy_helper.from_array(np.array([HUGE, 1]), "n")
    for reader in (["Transpose"], ["NonZero"], ["Trilu"], ["Hardmax"], ["Flatten"]):
        nodes = [helper.make_node("ConstantOfShape", ["n"], ["x"]), helper.make_node(*reader, ["x"], ["y"])]
        with pytest.raises(MemoryError):
            onnx_backend.run_model(model(nodes, [], [declared("y", None, TensorProto.INT64 if reader == ["NonZero"] else TensorProto.FLOAT)], [large]), [])
    nodes = [helper.make_node("ConstantOfShape", ["n"], ["x"]), helper.make_node("Shape", ["x"], ["y"])]
    assert onnx_backend.run_model(model(nodes, [], [declared("y", None, TensorProto.INT64, [2])], [large]), [])[0].tolist() == [HUGE, 1]


def test_inputs_are_checked():
    values = [declared(name, None, TensorProto.FLOAT, ["n", 3]) for name in "aby"]
    whole = onnx_backend.prepare(model([helper.make_node("Add", ["a", "b"], ["y"])], values[:2], values[2:]))
    cases = [
        ({"a": X}, ValueError, "input 'b' is not given; the model needs a, b"),
        ([X], ValueError, "input 'b' is not given"),
        ([X, X, X], ValueError, r"needs 2 inputs \(a, b\), not 3"),
        ({"a": X, "c": X}, ValueError, "no input 'c'; its inputs are a, b"),
        ([X, X.astype("f8")], TypeError, "input 'b' is declared as f32 and is f64"),
        ([X, X[0]], ValueError, r"input 'b' is declared as \(n, 3\) and is \(3,\)"),
        ([X, X.T], ValueError, r"input 'b' is declared as \(n, 3\) and is \(3, 2\)"),
        ([X, np.array([["a", "b", "c"]])], Unsupported, "dtype"),
    ]
    for inputs, kind, text in cases:
        with pytest.raises(kind, match=text):
            whole.run(inputs)


def test_outputs_are_checked():
    relu = helper.make_node("Relu", ["x"], ["y"])
    for output, kind in ((declared("y", None, TensorProto.INT32), TypeError), (declared("y", None, TensorProto.FLOAT, [3, 2]), ValueError)):
        with pytest.raises(kind, match="output 'y' is declared as"):
            onnx_backend.run_model(model([relu], ["x"], [output]), [X])


def test_graphs_that_are_not_valid():
    add = lambda *names: helper.make_node("Add", names[:2], names[2:])  # noqa: E731
    invalid = [
        [add("x", "b", "a"), add("x", "a", "b")],
        [add("x", "x", "x")],
        [add("x", "nothing", "a")],
        [add("x", "x", "a"), add("x", "x", "a")],
        [helper.make_node("Relu", [], ["a"])],
        [helper.make_node("Relu", ["x", "x"], ["a"])],
    ]
    for nodes in invalid:
        with pytest.raises((onnx.checker.ValidationError, ValueError)):
            onnx_backend.run_model(model(nodes, ["x"], ["a"]), [X])
    calls = [helper.make_node("F", ["a"], ["b"], domain="mine")]
    itself = helper.make_function("mine", "F", ["a"], ["b"], calls, [helper.make_opsetid("", 18), helper.make_opsetid("mine", 1)])
    with pytest.raises((ValueError, onnx.checker.ValidationError)):
        onnx_backend.run_model(model([helper.make_node("F", ["x"], ["y"], domain="mine")], ["x"], ["y"], functions=[itself]), [X])


def mutated(whole, draw):
    """Return a copy of a model with something wrong in one of its nodes, and dims that are open."""
    copy = onnx.ModelProto()
    copy.CopyFrom(whole)
    for value in (*copy.graph.input, *copy.graph.output):
        for dim in value.type.tensor_type.shape.dim:
            dim.Clear()
    node, numbers = draw.one(*copy.graph.node), (0, -1, 2, 7, 2**31, 2**62, -(2**63))
    change = draw.one("attribute", "drop", "input", "operator", "opset", "output")
    if change == "attribute" and node.attribute:
        attribute = draw.one(*node.attribute)
        if attribute.type == onnx.AttributeProto.INT:
            attribute.i = draw.one(*numbers)
        elif attribute.type == onnx.AttributeProto.STRING:
            attribute.s = draw.one(b"", b"zzz", b"\xff")
        else:
            attribute.ints.append(draw.one(*numbers))
    elif change == "drop" and node.input:
        del node.input[draw.below(0, len(node.input))]
    elif change == "input" and node.input:
        node.input[draw.below(0, len(node.input))] = draw.one("", *node.output, *(value.name for value in copy.graph.input))
    elif change == "operator":
        node.op_type = draw.one(*onnx_backend.operators())
    elif change == "opset":
        copy.opset_import[0].version = draw.below(1, NEWEST + 1)
    else:
        node.output.append("more")
    return copy


@pytest.mark.filterwarnings("ignore")
def test_models_with_a_mistake_answer_or_say_why():
    cases = [case for case in onnx.backend.test.loader.load_model_tests(kind="node") if case.model is not None and onnx_backend.is_compatible(case.model)]
    # Of loops, whose counts would be changed too.
    cases = [case for case in cases if not any(node.op_type in ("Loop", "Range") for node in case.model.graph.node)]
    outcomes = {"answered": 0, "refused": 0}
    for seed in range(600):
        draw = onnx_nodes.Draw(seed)
        case = cases[draw.below(0, len(cases))]
        try:
            onnx_backend.run_model(mutated(case.model, draw), case.data_sets[0][0])
            outcomes["answered"] += 1
        except CLEAR as why:
            assert str(why), case.name
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 50, outcomes


def test_definitions_are_not_asked_for_what_they_do_not_take():
    # ONNX's own builder of these definitions ends the process.
    body = helper.make_graph([helper.make_node("Shape", ["x"], ["s"])], "body", [declared("x")], [declared("s", None, TensorProto.INT64, [2])])
    for name, inputs, attributes in [("SequenceMap", [None], {"body": body}), ("SequenceMap", [X], {"body": body}), ("Attention", [X], {}),
                                     ("Attention", [X, None, X], {}), ("RotaryEmbedding", [[X], X, X], {}), ("SwiGLU", [np.array([1])], {}),
                                     ("NegativeLogLikelihoodLoss", [X, X], {})]:
        with pytest.raises(CLEAR):
            run(name, *inputs, **attributes)


def test_attributes_that_are_no_text():
    node = helper.make_node("Pad", ["x", "p"], ["y"], mode=b"\xff")
    with pytest.raises(ValueError, match="mode is .*not text"):
        onnx_backend.run_node(node, [X, np.array([1, 1, 1, 1])])


def test_errors_name_the_node():
    node = helper.make_node("Reshape", ["x", "s"], ["y"], name="head/reshape")
    whole = model([node], ["x", declared("s", None, TensorProto.INT64, [1])], ["y"])
    with pytest.raises(ValueError, match=r"node 'head/reshape' \(Reshape\): "):
        onnx_backend.run_model(whole, [X, np.array([5])])


def test_long_chains():
    names = [f"v{k}" for k in range(5001)]
    nodes = [helper.make_node("Add", [a, "x"], [b]) for a, b in zip(["x", *names], names[:5000])]
    assert onnx_backend.run_model(model(nodes, ["x"], ["v4999"]), [F32([[1]])])[0].tolist() == [[5001]]
