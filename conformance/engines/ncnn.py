"""ncnn: the layers BinaryOp and UnaryOp, one network for every operation.

ncnn never refuses shapes, has no rank 0, and reads past its operands where they do not fit; what it answers then is asked, but only where its own
code stays inside its memory.
"""

import numpy as np

from .. import shapes
from ..question import Question, Refused
from .engine import Engine

BINARIES = "ADD SUB MUL DIV MAX MIN POW RSUB RDIV RPOW ATAN2 RATAN2 FMOD RFMOD LOGADDEXP FLOOR_DIVIDE RFLOOR_DIVIDE REMAINDER RREMAINDER".split()
UNARIES = "ABS NEG FLOOR CEIL SQUARE SQRT RSQRT EXP LOG SIN COS TAN ASIN ACOS ATAN RECIPROCAL TANH LOG10 ROUND TRUNC".split()
# Numbers that its vector code computes as its plain code does: finite, positive, away from what underflows.
POSITIVE = np.array([0.001, 0.1, 0.3, 0.5, 0.9, 1, 1.1, 1.5, 2, 2.5, 3, 5.5, 7, 10, 31.25, 100, 1000], np.float32)
BELOW_ONE = np.linspace(-1, 1, 33, dtype=np.float32)
SIGNED = np.concatenate([-POSITIVE[::-1], POSITIVE])


def _fits(a, b):
    """Whether ncnn reads only its own memory: the last axes agree after it has placed them."""
    if len(a) < len(b):
        a, b = b, a
    if len(b) == 1 and len(a) > 1:
        return True if b[0] == a[0] else b[0] in (1, a[-1]) or a[-1] == 1
    return len(a) != len(b) or a[-1] == b[-1] or 1 in (a[-1], b[-1])


class Ncnn(Engine):
    """Networks of one layer."""

    name, system = "ncnn", "ncnn"

    def questions(self, full):
        draw = np.random.default_rng(4)
        seeds = [pair for pair, _ in shapes.seed_pairs(("ncnn",))]
        pairs = seeds + shapes.every_pair(range(1, 5 if full else 3), (1, 2, 3)) + shapes.random_shapes(draw, 600, rank=4, least=1)
        pairs = [pair for pair in pairs if all(1 <= len(shape) <= 4 for shape in pair) and _fits(*pair)]
        found = shapes.binary("ncnn", "BinaryOp", pairs, {"op_type": 1})
        some = [pair for pair in shapes.random_shapes(draw, 40, rank=4, least=1) if _fits(*pair)]
        spread = shapes.spread("ncnn", [("BinaryOp", {"op_type": k}, ("f32",)) for k in range(len(BINARIES))], some)
        for question in spread:
            # Quotients that are not whole: ncnn's vector code rounds them before it cuts them.
            question.operands = tuple(operand + np.float32(0.271 + 0.347 * k) for k, operand in enumerate(question.operands))
        found += spread
        for k, name in enumerate(BINARIES):
            a, b = np.meshgrid(SIGNED if name in ("ADD", "SUB", "MUL", "DIV", "MAX", "MIN", "RSUB", "RDIV") else POSITIVE, POSITIVE)
            found.append(Question("value", "ncnn", "BinaryOp", "f32", (a.ravel(), b.ravel()), {"op_type": k}))
        for k, name in enumerate(UNARIES):
            x = BELOW_ONE if name in ("ASIN", "ACOS") else POSITIVE if name in ("SQRT", "RSQRT", "LOG", "LOG10") else SIGNED
            x = x[np.abs(x) < 80] if name == "EXP" else x
            found.append(Question("value", "elementwise", "UnaryOp", "f32", (x,), {"op_type": k}))
        return found

    def start(self):
        import ncnn

        self.ncnn, self.nets = ncnn, {}

    def version(self):
        return self.ncnn.__version__

    def _net(self, question):
        inputs = len(question.operands)
        key = question.operator, question.attributes["op_type"]
        if key not in self.nets:
            net = self.ncnn.Net()
            option = net.opt
            option.num_threads, option.use_packing_layout = 1, False
            option.use_fp16_storage = option.use_fp16_packed = option.use_fp16_arithmetic = option.use_bf16_storage = False
            lines = ["7767517", f"{inputs + 1} {inputs + 1}"]
            lines += [f"Input in{k} 0 1 x{k}" for k in range(inputs)]
            lines.append(f"{key[0]} op {inputs} 1 {' '.join(f'x{k}' for k in range(inputs))} y 0={key[1]}")
            if net.load_param_mem("\n".join(lines) + "\n") != 0:
                return None
            net.load_model_mem(b"") if hasattr(net, "load_model_mem") else net.load_model("/dev/null")
            self.nets[key] = net
        return self.nets[key]

    def answer(self, question):
        net = self._net(question)
        if net is None:
            return Refused("the network does not load")
        extractor = net.create_extractor()
        # A Mat around NumPy's memory has a channel step that ncnn misreads; a copy has its own.
        mats = [self.ncnn.Mat(np.ascontiguousarray(operand)).clone() for operand in question.operands]
        for k, mat in enumerate(mats):
            extractor.input(f"x{k}", mat)
        code, result = extractor.extract("y")
        return np.array(result.numpy()).copy() if code == 0 else Refused(f"it returns {code}")
