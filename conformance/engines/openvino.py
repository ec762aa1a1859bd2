"""OpenVINO's CPU plugin.

Many questions make one model with an output each. What a node refuses when it is made is refused by OpenVINO's shape inference.
"""

import numpy as np

from engines import load

from .. import shapes, values
from ..question import ALL, FLOATS, INTEGERS, NUMBERS, Lacking, Question, Refused
from .engine import Engine

# Operator, attributes, dtypes, and the opset that it came with.
BINARY = [
    *[(name, {}, NUMBERS) for name in "Add Subtract Multiply Divide Power Maximum Minimum Mod FloorMod SquaredDifference".split()],
    ("Divide", {"m_pythondiv": False}, INTEGERS),
    *[(name, {}, ALL) for name in ("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual")],
    *[(name, {}, ("bool",)) for name in ("LogicalAnd", "LogicalOr", "LogicalXor", "Xor")],
    *[(name, {}, ("bool", *INTEGERS)) for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")],
    *[(name, {}, INTEGERS) for name in ("BitwiseLeftShift", "BitwiseRightShift")],
]  # fmt: skip
UNARY = [
    ("LogicalNot", {}, ("bool",)), ("BitwiseNot", {}, ("bool", *INTEGERS)),
    *[(name, {}, NUMBERS) for name in ("Abs", "Negative", "Sign", "ReLU", "Floor", "Ceiling")],
    *[(name, {}, FLOATS) for name in """Sqrt Exp Log Erf Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh IsFinite IsNaN
    IsInf Sigmoid HSwish SoftPlus SoftSign Mish HSigmoid""".split()],
    ("Elu", {"alpha": 1.0}, FLOATS), ("Clamp", {"min": -1.0, "max": 2.0}, FLOATS),
    ("Gelu", {"approximation_mode": "ERF"}, FLOATS), ("Gelu", {"approximation_mode": "TANH"}, FLOATS),
    ("Round", {"mode": "half_to_even"}, FLOATS), ("Round", {"mode": "half_away_from_zero"}, FLOATS),
]  # fmt: skip
SINCE = {"Asinh": 4, "Acosh": 4, "Atanh": 4, "HSwish": 4, "SoftPlus": 4, "Mish": 4, "HSigmoid": 5, "Round": 5, "Gelu": 7,
         "SoftSign": 9, "IsFinite": 10, "IsNaN": 10, "IsInf": 10, "BitwiseAnd": 13, "BitwiseOr": 13, "BitwiseXor": 13, "BitwiseNot": 13,
         "BitwiseLeftShift": 15, "BitwiseRightShift": 15, "Broadcast": 3}  # fmt: skip


class OpenVino(Engine):
    """The CPU plugin."""

    name, system, streams = "openvino", "openvino", False

    def questions(self, full):
        draw = np.random.default_rng(3)
        small = shapes.every_pair(range(4 if full else 3), (0, 1, 2, 3) if full else (0, 1, 3))
        seeds = [pair for pair, _ in shapes.seed_pairs(("numpy", "none")) if len(pair) == 2]
        found = shapes.binary("numpy", "Add", seeds + small + shapes.random_shapes(draw, 1000 if full else 200, rank=5))
        none = seeds + small + [(shape, shape) for shape, _ in shapes.random_shapes(draw, 100)]
        found += shapes.binary("none", "Add", none, {"auto_broadcast": "none"})
        found += _pdpd(full, draw, small)
        found += _stretched(small, draw)
        found += _with_rules_of_their_own(small, draw)
        found += shapes.spread("numpy", BINARY, shapes.random_shapes(draw, 16))
        placed = [((2, 3, 4), (4,)), ((2, 3, 4), (3, 1)), ((2, 3, 4), ()), ((3, 3), (3, 1)), ((2, 3), (3, 1))]
        found += shapes.spread("pdpd", BINARY, placed, {"auto_broadcast": "pdpd", "axis": -1})
        found += shapes.spread("pdpd", BINARY, [((2, 3, 4), (3,)), ((2, 3, 4), (1, 4))], {"auto_broadcast": "pdpd", "axis": 1})
        for name, attributes, dtypes in BINARY:
            found += values.binary("numpy", name, dtypes, attributes)
        for name, attributes, dtypes in UNARY:
            found += values.unary("elementwise", name, dtypes, attributes)
        return found + values.ternary("numpy", "Select", ALL)

    def start(self):
        self.driver = load("openvino")
        self.ov, self.factories = self.driver.library(), {}

    def version(self):
        return self.driver.version()

    def _create(self, operator, inputs, attributes):
        version = f"opset{SINCE.get(operator, 1)}"
        factory = self.factories.setdefault(version, self.driver.factory(version))
        return factory.create({"PReLU": "PRelu", "ReLU": "Relu"}.get(operator, operator), [node.output(0) for node in inputs], attributes)

    def _node(self, question):
        """Make a question's node; returns the parameters and the node."""
        kind = {operand.dtype.str: self._type(operand) for operand in question.operands}
        parameters = [self.ov.opset1.parameter(list(o.shape), kind[o.dtype.str]) for o in question.operands]
        attributes, inputs = dict(question.attributes), list(parameters)
        if "axis" in attributes:
            attributes["auto_broadcast.auto_broadcast_axis"] = attributes.pop("axis")
        if question.operator == "Broadcast":
            inputs.append(self.ov.opset1.constant(np.asarray(attributes.pop("target_shape"), np.int64)))
            if "axes_mapping" in attributes:
                inputs.append(self.ov.opset1.constant(np.asarray(attributes.pop("axes_mapping"), np.int64)))
        return parameters, self._create(question.operator, inputs, attributes)

    def _type(self, operand):
        return self.ov.Type.bf16 if operand.dtype.name == "bfloat16" else self.ov.Type(operand.dtype)

    def answers(self, questions):
        ready = []
        for index, question in enumerate(questions):
            try:
                ready.append((index, question, *self._node(question)))
            except RuntimeError as why:
                yield index, Refused(str(why)[-300:])
        yield from self._run(ready)

    def _run(self, ready):
        """Run many nodes as one model; where it does not compile, halves of it."""
        if not ready:
            return
        try:
            results = self._compute(ready)
        except RuntimeError as why:
            if len(ready) == 1:
                yield ready[0][0], Lacking(str(why)[-300:])
                return
            yield from self._run(ready[: len(ready) // 2])
            yield from self._run(ready[len(ready) // 2 :])
            return
        for (index, *_), result in zip(ready, results):
            yield index, result

    def _compute(self, ready):
        parameters = [parameter for _, _, own, _ in ready for parameter in own]
        model = self.ov.Model([node for *_, node in ready], parameters, "questions")
        compiled = self.driver.compiled(model)
        operands = [self._tensor(operand) for _, question, *_ in ready for operand in question.operands]
        results = compiled(operands, share_inputs=False)
        return [self._array(results[k], ready[k][1]) for k in range(len(ready))]

    def _tensor(self, operand):
        array = np.ascontiguousarray(operand).reshape(operand.shape)
        if operand.dtype.name == "bfloat16":
            tensor = self.ov.Tensor(self.ov.Type.bf16, self.ov.Shape(operand.shape))
            tensor.data[...] = array.view(tensor.data.dtype) if tensor.data.dtype.itemsize == 2 else array
            return tensor
        return self.ov.Tensor(array)

    @staticmethod
    def _array(result, question):
        wanted = question.operands[-1].dtype
        result = np.array(result)
        # Elements of bf16 arrive as some other dtype of two bytes.
        return result.view(wanted) if wanted.name == "bfloat16" and result.dtype.itemsize == 2 else result


def _pdpd(full, draw, small):
    found = []
    for axis in (-3, -2, -1, 0, 1, 2, 3, 4) if full else (-2, -1, 0, 1, 2):
        drawn = shapes.random_shapes(draw, 200 if full else 60)
        # Without most that have no elements: the plugin ends the process over some of them.
        pairs = [(a, b) for a, b in small if len(a) < 3 or 0 not in b] + [pair for pair in drawn if not any(0 in shape for shape in pair)]
        found += shapes.binary("pdpd", "Add", pairs, {"auto_broadcast": "pdpd", "axis": axis})
    for pair, parameters in shapes.seed_pairs(("pdpd",)):
        found += shapes.binary("pdpd", "Add", [pair], {"auto_broadcast": "pdpd", **parameters})
    return found


def _stretched(small, draw):
    found = []
    rules = {"numpy": "broadcast-to", "bidirectional": "bidirectional", "explicit": "explicit"}
    calm = [(data, target) for data, target in small if data and target and 0 not in data]
    for mode in ("numpy", "bidirectional"):
        found += shapes.stretching(rules[mode], "Broadcast", calm, "target_shape", {"mode": mode})
    for data, target in [pair for pair in calm if len(pair[0]) <= len(pair[1])]:
        starts = range(-1, len(target))
        for axes in [tuple(start + k for k in range(len(data))) for start in starts] + [(0, 2)][: len(data) == 2]:
            attributes = {"mode": "explicit", "axes_mapping": axes}
            found += shapes.stretching("explicit", "Broadcast", [(data, target)], "target_shape", attributes)
    for (data,), parameters in shapes.seed_pairs(tuple(rules.values())):
        mode = "explicit" if "axes" in parameters else "bidirectional"
        if not parameters["target"]:
            # The plugin ends the process.
            continue
        extra = {"mode": mode} | ({"axes_mapping": parameters["axes"]} if "axes" in parameters else {})
        found += shapes.stretching(rules[mode], "Broadcast", [(data, parameters["target"])], "target_shape", extra)
    return found


def _with_rules_of_their_own(small, draw):
    groups = shapes.random_shapes(draw, 60, 3, rank=4)
    found = shapes.choosing("openvino-select numpy", "Select", groups, {"auto_broadcast": "numpy"})
    found += shapes.choosing("openvino-select none", "Select", [g for g in groups[:20]] + [((2, 3),) * 3], {"auto_broadcast": "none"})
    placed = [((2, 3), (2, 3), (3,)), ((3,), (2, 3), (2, 3)), ((1, 3), (2, 3), (3,)), ((2, 3), (3,), (2, 3))]
    found += shapes.choosing("openvino-select pdpd", "Select", placed, {"auto_broadcast": "pdpd", "axis": -1})
    slopes = [(x, s) for x, s in small if len(x) > 0 and 0 not in x + s]
    slopes += [((2, 4, 4), (4,)), ((2, 3, 4), (4,)), ((2, 3, 4), (3,)), ((2, 3, 4), (3, 1)), ((2, 3, 4), (2, 3, 4))]
    found += [Question("shape", "openvino-prelu", "PReLU", "f32", shapes.coded_product(pair)) for pair in slopes]
    for x, limit in [((2, 3), ()), ((2, 3), (3,)), ((2, 3), (2, 1)), ((3,), (2, 3)), ((1, 3, 1, 1), (1, 3, 4, 5)), ((2, 3), (2,))]:
        low, high, above = np.float32(0), np.float32(1), np.float32(1000)
        operands = (np.full(x, -1, np.float32), low, high, *shapes.coded((limit,)), above)
        operands = tuple(np.asarray(operand) for operand in operands)
        found.append(Question("shape", "openvino-fake-quantize", "FakeQuantize", "f32", operands, {"levels": 256, "auto_broadcast": "numpy"}))
    return found
