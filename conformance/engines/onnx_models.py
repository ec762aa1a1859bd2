"""What both engines for ONNX share: models of one node, and the questions about ONNX's operators."""

import numpy as np

from .. import shapes, values
from ..question import ALL, FLOATS, INTEGERS, NUMBERS, Question

BITS = [("BitShift", {"direction": "LEFT"}), ("BitShift", {"direction": "RIGHT"})]
BINARY = [
    *[(name, {}, NUMBERS) for name in ("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min")],
    ("Mod", {"fmod": 0}, NUMBERS), ("Mod", {"fmod": 1}, NUMBERS), ("Sum", {}, FLOATS), ("Mean", {}, FLOATS),
    ("Equal", {}, ALL), *[(name, {}, NUMBERS) for name in ("Greater", "Less", "GreaterOrEqual", "LessOrEqual")],
    *[(name, {}, ("bool",)) for name in ("And", "Or", "Xor")],
    *[(name, {}, INTEGERS) for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")],
    *[(name, attributes, INTEGERS) for name, attributes in BITS],
]  # fmt: skip
UNARY = [
    ("Not", {}, ("bool",)), ("BitwiseNot", {}, INTEGERS), ("Abs", {}, NUMBERS), ("Sign", {}, NUMBERS),
    ("Neg", {}, ("i8", "i16", "i32", "i64", *FLOATS)), ("Relu", {}, ("i8", "i16", "i32", "i64", *FLOATS)),
    *[(name, {}, FLOATS) for name in """Exp Log Sqrt Reciprocal Floor Ceil Round Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh
    Asinh Acosh Atanh Erf IsNaN Sigmoid HardSwish Softplus LeakyRelu Elu Celu Selu HardSigmoid Softsign Mish Swish
    ThresholdedRelu""".split()],
    ("IsInf", {}, FLOATS), ("IsInf", {"detect_negative": 0}, FLOATS),
    ("Gelu", {"approximate": "none"}, FLOATS), ("Gelu", {"approximate": "tanh"}, FLOATS), ("Shrink", {}, NUMBERS),
]  # fmt: skip


def questions(full):
    """List what engines for ONNX are asked."""
    draw = np.random.default_rng(2)
    seeds = [pair for pair, _ in shapes.seed_pairs(("numpy",)) if len(pair) == 2]
    small = shapes.every_pair(range(4 if full else 3), range(4))
    pairs = seeds + small + shapes.random_shapes(draw, 2000 if full else 300)
    found = shapes.binary("numpy", "Sub", pairs)
    three = shapes.random_shapes(draw, 400 if full else 60, 3, rank=4)
    found += shapes.binary("numpy", "Sum", three)
    found += shapes.choosing("numpy", "Where", three)
    found += [Question("shape", "unidirectional", "PRelu", "f32", shapes.coded_product(pair)) for pair in small + seeds]
    targets = small + [(data, p["target"]) for (data,), p in shapes.seed_pairs(("bidirectional",))]
    found += shapes.stretching("bidirectional", "Expand", targets + shapes.random_shapes(draw, 200), "shape")
    found += _gemm() + _clip()
    found += shapes.spread("numpy", BINARY, shapes.random_shapes(draw, 24))
    for name, attributes, dtypes in BINARY:
        found += values.binary("numpy", name, dtypes, attributes)
    for name, attributes, dtypes in UNARY:
        found += values.unary("elementwise", name, dtypes, attributes)
    found += values.binary("unidirectional", "PRelu", ("i32", "i64", "u32", "u64", *FLOATS))
    return found + values.ternary("numpy", "Where", ALL)


def _gemm():
    product = np.zeros((2, 3), np.float32), np.zeros((3, 4), np.float32)
    sizes = [(), *shapes.shapes((1, 2), (0, 1, 2, 3, 4)), (1, 1, 1), (1, 2, 4)]
    return [Question("shape", "gemm-c", "Gemm", "f32", (*product, *shapes.coded((shape,)))) for shape in sizes]


def _clip():
    found = []
    for shape in shapes.shapes(range(3), (0, 1, 2, 3)):
        for low, high in [((), ()), ((1,), ()), ((), (1,)), ((3,), ()), ((2, 3), ())]:
            bounds = np.full(low, 1, np.float32), np.full(high, 4, np.float32)
            found.append(Question("shape", "onnx-clip", "Clip", "f32", (*shapes.coded((shape,)), *bounds)))
    for dtype in NUMBERS:
        x = values.edges(dtype)
        low, high = np.asarray(1, x.dtype), np.asarray(7, x.dtype)
        found.append(Question("value", "onnx-clip", "Clip", dtype, (x, low, high)))
    return found


class Models:
    """Makes models of one node whose inputs have any shape, and keeps what an engine made of each."""

    def __init__(self, opset, load):
        self.opset, self.load, self.made = opset, load, {}

    def of(self, question):
        """Return what the engine made of a question's model, or what it raised."""
        inputs = tuple(operand.dtype.str if operand.dtype.kind != "V" else "bf16" for operand in question.operands)
        static = question.operator in ("Clip", "PRelu", "Gemm")
        ranks = tuple(operand.ndim for operand in question.operands) if static else ()
        key = question.operator, inputs, ranks, repr(question.attributes)
        if key not in self.made:
            try:
                self.made[key] = self.load(self._model(question, ranks))
            except Exception as why:
                self.made[key] = why
        return self.made[key]

    def _model(self, question, ranks):
        from onnx import ValueInfoProto, helper

        inputs, attributes = [], dict(question.attributes)
        for k, operand in enumerate(question.operands):
            shape = [None] * ranks[k] if ranks else None
            inputs.append(helper.make_tensor_value_info(f"x{k}", helper.np_dtype_to_tensor_dtype(operand.dtype), shape))
        names = [value.name for value in inputs]
        if question.operator == "Expand":
            attributes.pop("shape")
            inputs.append(helper.make_tensor_value_info("shape", helper.np_dtype_to_tensor_dtype(np.dtype("i8")), [None]))
            names.append("shape")
        node = helper.make_node(question.operator, names, ["y"], **attributes)
        graph = helper.make_graph([node], "question", inputs, [ValueInfoProto(name="y")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10)
        return model

    @staticmethod
    def feed(question):
        """Return a question's operands as inputs of a model."""
        feed = {f"x{k}": operand for k, operand in enumerate(question.operands)}
        if question.operator == "Expand":
            feed["shape"] = np.asarray(question.attributes["shape"], np.int64)
        return feed
