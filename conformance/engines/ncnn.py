"""ncnn: its element-wise layers, one network for every operation; numbers that a layer holds are its weights.

ncnn never refuses shapes, has no rank 0, and reads past its operands where they do not fit; what it answers then is asked, but only where its own
code stays inside its memory.
"""

import numpy as np

from engines import load

from .. import shapes
from ..question import Question, Refused
from .engine import Engine

BINARIES = "ADD SUB MUL DIV MAX MIN POW RSUB RDIV RPOW ATAN2 RATAN2 FMOD RFMOD LOGADDEXP FLOOR_DIVIDE RFLOOR_DIVIDE REMAINDER RREMAINDER".split()
UNARIES = "ABS NEG FLOOR CEIL SQUARE SQRT RSQRT EXP LOG SIN COS TAN ASIN ACOS ATAN RECIPROCAL TANH LOG10 ROUND TRUNC".split()
# Numbers that its vector code computes as its plain code does: finite, positive, away from what underflows.
POSITIVE = np.array([0.001, 0.1, 0.3, 0.5, 0.9, 1, 1.1, 1.5, 2, 2.5, 3, 5.5, 7, 10, 31.25, 100, 1000], np.float32)
BELOW_ONE = np.linspace(-1, 1, 33, dtype=np.float32)
SIGNED = np.concatenate([-POSITIVE[::-1], POSITIVE])
# Beyond these the exponential of its vector code ends.
CURVED = np.concatenate([SIGNED[np.abs(SIGNED) < 80], np.float32([0, -20.5, 20.5, -50, 50])])
# One at a time, so that its plain code computes them.
SPECIAL = np.float32([np.inf, -np.inf, np.nan, -0.0, 3.4028235e38, -3.4028235e38])

# Parameters of layers, in the order of their numbers in a file.
BASE, HARD = ("base", "scale", "shift"), ("alpha", "beta")
PARAMETERS = {
    "BinaryOp": ("op_type", "with_scalar", "b"), "UnaryOp": ("op_type",), "Eltwise": ("op_type", "coeffs"), "PReLU": ("num_slope",),
    "Bias": ("bias_data_size",), "Scale": ("scale_data_size", "bias_term"), "AbsVal": (), "BNLL": (), "CELU": ("alpha",),
    "Clip": ("min", "max"), "DeepCopy": (), "Dropout": ("scale",), "ELU": ("alpha",), "Erf": (), "Exp": BASE, "GELU": ("fast_gelu",),
    "HardSigmoid": HARD, "HardSwish": HARD, "Log": BASE, "Mish": (), "Noop": (), "Power": ("power", "scale", "shift"), "ReLU": ("slope",),
    "SELU": ("alpha", "lambda"), "Shrink": ("bias", "lambd"), "Sigmoid": (), "Softplus": (), "Swish": (), "TanH": (),
    "Threshold": ("threshold",),
}  # fmt: skip
# Layers of one operand: their parameters, one set per question, and the numbers that they are asked about.
POINTWISE = {
    "AbsVal": ([{}], SIGNED), "BNLL": ([{}], CURVED), "Clip": ([{}, {"min": -1.5, "max": 2.5}, {"min": 2.0, "max": -2.0}], SIGNED),
    "CELU": ([{}, {"alpha": 0.3}, {"alpha": -2.0}], CURVED), "DeepCopy": ([{}], SIGNED), "Dropout": ([{}, {"scale": 0.7}], SIGNED),
    "ELU": ([{}, {"alpha": 1.0}, {"alpha": -0.5}], CURVED), "Erf": ([{}], SIGNED),
    "Exp": ([{}, {"scale": 0.5, "shift": 1.0}, {"base": 2.0}, {"base": 10.0, "scale": 0.25, "shift": -2.0}], CURVED),
    "GELU": ([{}, {"fast_gelu": 1}], CURVED), "HardSigmoid": ([{}, {"alpha": 1 / 6}, {"alpha": 0.5, "beta": 0.25}], SIGNED),
    "HardSwish": ([{}, {"alpha": 1 / 6}, {"alpha": 0.5, "beta": 0.25}], SIGNED),
    "Log": ([{}, {"scale": 2.0, "shift": 1.0}, {"base": 2.0}, {"base": 10.0, "scale": 0.5}], POSITIVE), "Mish": ([{}], CURVED),
    "Noop": ([{}], SIGNED), "Power": ([{}, {"power": 2.0, "scale": 0.5, "shift": 1.0}, {"power": 0.5}, {"power": -1.0}], POSITIVE),
    "ReLU": ([{}, {"slope": 0.1}, {"slope": -2.0}], SIGNED), "SELU": ([{}, {"alpha": 1.5, "lambda": 0.5}], CURVED),
    "Shrink": ([{}, {"bias": 0.25}, {"bias": 0.5, "lambd": 1.5}], SIGNED), "Sigmoid": ([{}], CURVED), "Softplus": ([{}], CURVED),
    "Swish": ([{}], CURVED), "TanH": ([{}], SIGNED), "Threshold": ([{}, {"threshold": 0.5}, {"threshold": -2.5}], SIGNED),
}  # fmt: skip
# Shapes of all ranks: some fill its vectors, some leave a rest, and channels are whole packs or not.
SHAPES = [
    (24, 7, 5), (32, 7, 5), (12, 9, 7), (13, 5, 3), (48, 3, 5), (24, 15), (32, 15), (12, 17), (15, 19), (128,), (124,), (120,), (127,), (1,),
    (24, 2, 3, 5), (13, 3, 5, 3), (1, 4, 3), (3, 1, 1), (1, 1), (2, 3), (5, 1, 2, 1),
]  # fmt: skip


def _pointwise():
    """Ask layers of one operand about values, and about shapes of all ranks."""
    found = []
    for layer, (settings, values) in POINTWISE.items():
        for given in settings:
            found.append(Question("value", "elementwise", layer, "f32", (values,), given))
        for value in SPECIAL:
            found.append(Question("value", "elementwise", layer, "f32", (np.full(1, value),)))
        for k, shape in enumerate(SHAPES):
            drawn = np.random.default_rng(k).choice(values, shape)
            found.append(Question("shape", "elementwise", layer, "f32", (drawn,), settings[k % len(settings)]))
    return found


def _channels(generator):
    """Ask layers that hold numbers about shapes of all ranks; sums and products tell which number met which element."""
    found, some = [], SHAPES + [shape for shape, in shapes.random_shapes(generator, 60, operands=1, rank=4, least=1)]
    for shape in some:
        rows, each = (shape[0],), {"num_slope": shape[0]}
        found.append(Question("shape", "channel", "PReLU", "f32", shapes.coded_product((shape, rows)), each))
        found.append(Question("shape", "channel", "PReLU", "f32", shapes.coded_product((shape, rows))))
        found.append(Question("shape", "channel", "PReLU", "f32", shapes.coded_product((shape, (1,)))))
        biases = rows if len(shape) > 2 else (1,)
        found.append(Question("shape", "channel", "Bias", "f32", shapes.coded((shape, biases))))
        if len(shape) < 3 and shape[0] > 1:
            found.append(Question("shape", "channel", "Bias", "f32", shapes.coded((shape, rows))))
        found.append(Question("shape", "channel", "Scale", "f32", shapes.coded_product((shape, rows))))
        x, scale = shapes.coded_product((shape, rows))
        found.append(Question("shape", "channel", "Scale", "f32", (x, scale, np.arange(1, shape[0] + 1, dtype="f4")), {"bias_term": 1}))
        values = generator.normal(0, 3, shape).astype("f4"), *(generator.normal(0, 2, rows).astype("f4") for _ in range(2))
        found.append(Question("shape", "channel", "PReLU", "f32", values[:2]))
        found.append(Question("shape", "channel", "Scale", "f32", values))
    return found


def _quotients(generator):
    """Ask remainders and rounded quotients where the quotient is whole or ends in a half, in arrays that different parts of ncnn's code compute."""
    found = []
    for kind in (12, 13, 15, 16, 17, 18):
        for length in (3, 4, 8, 16):
            for _ in range(12):
                divisor = generator.choice(np.float32([0.5, 1, 1.5, 2.5, 3, 7]), length)
                dividend = (divisor * generator.integers(1, 80, length) / 2).astype("f4")
                operands = (divisor, dividend) if BINARIES[kind][0] == "R" and BINARIES[kind] != "REMAINDER" else (dividend, divisor)
                found.append(Question("value", "ncnn", "BinaryOp", "f32", operands, {"op_type": kind}))
    return found


def _eltwise(generator):
    """Ask Eltwise about two to five operands of one shape, with coefficients and without."""
    found = []
    for k, shape in enumerate(SHAPES):
        for kind in range(3):
            operands = tuple(generator.normal(0, 3, shape).astype("f4") for _ in range(2 + k % 4))
            coeffs = tuple(float(np.float32(coeff)) for coeff in generator.normal(0, 1, len(operands)))
            found.append(Question("shape", "none", "Eltwise", "f32", operands, {"op_type": kind}))
            found.append(Question("shape", "none", "Eltwise", "f32", operands, {"op_type": kind, "coeffs": coeffs}))
    return found


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
        return found + _quotients(draw) + _pointwise() + _channels(draw) + _eltwise(draw)

    def start(self):
        self.driver, self.nets = load("ncnn"), {}

    def version(self):
        return self.driver.version()

    def _net(self, question):
        weights = question.operands[1:] if question.rule == "channel" else ()
        inputs = len(question.operands) - len(weights)
        key = question.operator, inputs, tuple(_parameters(question, weights)), b"".join(w.tobytes() for w in weights)
        if key not in self.nets:
            lines = ["7767517", f"{inputs + 1} {inputs + 1}"]
            lines += [f"Input in{k} 0 1 x{k}" for k in range(inputs)]
            lines.append(f"{key[0]} op {inputs} 1 {' '.join(f'x{k}' for k in range(inputs))} y {' '.join(key[2])}")
            try:
                net = self.driver.network_of("".join(f"{line}\n" for line in lines).encode(), key[3], packing=False)
            except RuntimeError:
                return None
            self.nets = {**({} if weights else self.nets), key: net}
        return self.nets[key]

    def answer(self, question):
        net = self._net(question)
        if net is None:
            return Refused("the network does not load")
        extractor = net.create_extractor()
        operands = question.operands[:1] if question.rule == "channel" else question.operands
        mats = [self.driver.mat(operand) for operand in operands]
        for k, mat in enumerate(mats):
            extractor.input(f"x{k}", mat)
        try:
            return self.driver.extracted(extractor, "y")
        except RuntimeError as why:
            return Refused(str(why))


def _parameters(question, weights):
    """Yield the parameters of a layer as a file writes them: by number, arrays after their length."""
    given = dict(question.attributes)
    if weights:
        given[PARAMETERS[question.operator][0]] = len(weights[0])
    if len(weights) > 1:
        given["bias_term"] = 1
    for name, value in given.items():
        number = PARAMETERS[question.operator].index(name)
        if isinstance(value, tuple):
            yield f"{-23300 - number}={len(value)},{','.join(f'{float(each):.9e}' for each in value)}"
        else:
            yield f"{number}={value if isinstance(value, int) else format(value, '.9e')}"
