"""Models of the operators that ONNX Runtime adds to ONNX, which files hold that it optimised, and what they mean in NumPy.

The grids yield texts as in `cases.py`. Some models are wrong by the operator's own rule; these have no meaning.
"""

import itertools
import math

import numpy as np

from ..verdicts import spec as specs
from ..verdicts.onnx_form import CONTRIB

SCALE = "0.03,0.05,0.07,0.11,0.13"
ZERO = "1,3,2,4,0"


def dims(shape):
    """Return the text of a shape."""
    return ",".join(map(str, shape))


def tensor(name, shape, kind="i", dtype="f32", numbers=""):
    """Return the text of an input, or of a constant."""
    typed = "" if dtype == "f32" else f":{dtype}"
    return f"{name}=const{typed}({dims(shape)}){numbers and '=' + numbers}" if kind == "c" else f"{name}{typed}({dims(shape)})"


def ms(call):
    """Return the text of a node of ONNX Runtime's domain."""
    return f"y=com.microsoft.{call}"


def lists(size, rank):
    """Return shapes that a list of one number for each column may be given as; the first is right."""
    found = [(size,), (1,), (), (1, size), (*[1] * (rank - 1), size), (*[1] * rank, size), (size, 1), (size + 1,)]
    return list(dict.fromkeys(found))


def activations():
    """BiasGelu and FastGelu with every form of a bias; Gelu and QuickGelu; the operators that a CPU does not have."""
    for x, op, kind in itertools.product([(4,), (2, 4), (4, 4), (2, 3, 4), (4, 4, 4), (1, 2, 3, 4), (2, 1, 1), (0, 4)], ("BiasGelu", "FastGelu"), "ci"):
        for bias in [*lists(x[-1], len(x)), x, (x[0],)]:
            yield f"{tensor('x', x)}; {tensor('b', bias, kind)}; {ms(op)}(x,b)"
    for x in ((), (3,), (2, 3), (2, 3, 4), (1, 2, 3, 2), (1, 2, 1, 2, 3), (0, 3)):
        for op in ("FastGelu", "Gelu", "QuickGelu") if x else ("Gelu", "QuickGelu"):
            yield f"{tensor('x', x)}; {ms(op)}(x)"
        yield f"{tensor('x', x)}; {ms('QuickGelu')}(x) alpha=1.5"
    for op in ("BiasGelu", "FastGelu"):
        yield f"x(n=2,4); b=const(4); {ms(op)}(x,b)"
        yield f"x(2,n=4); b=const(4); {ms(op)}(x,b)"
        yield f"x(2,3); a=const(3,4); p=MatMul(x,a); b=const(4); {ms(op)}(p,b)"
        yield f"x=const(2,4); b=const(4); v={ms(op)[2:]}(x,b); z(2,4); y=Add(v,z)"
    for x, bias in itertools.product(((2, 3, 4), (1, 5, 8)), (None, 1)):
        size = (bias or x[-1],)
        yield f"{tensor('x', x)}; {tensor('b', size, 'c')}; {tensor('s', x)}; {ms('BiasAdd')}(x,b,s)"
        yield f"{tensor('x', x)}; {tensor('b', size, 'c')}; {ms('BiasSplitGelu')}(x,b)"
    for x, groups, size in itertools.product(((1, 2, 2, 4), (2, 3, 1, 6)), (1, 2), (None, 1)):
        for kind, activation in itertools.product("ci", (0, 1)):
            lengths = (size or x[-1],)
            yield f"{tensor('x', x)}; {tensor('s', lengths, kind)}; {tensor('b', lengths, kind)}; {ms('GroupNorm')}(x,s,b) groups={groups} activation={activation}"


def skips(x):
    """Return shapes of what is added to the data: all that stretch to them, and some that do not."""
    found = [x]
    for rank in range(len(x), -1, -1):
        tail = x[len(x) - rank :]
        found += itertools.product(*[{1, dim} for dim in tail])
    return [*dict.fromkeys(found), (*x[:-1], x[-1] + 1), (2, *x)]


def normalisations():
    """SkipLayerNormalization, SkipSimplifiedLayerNormalization, SimplifiedLayerNormalization: the skip, and each list."""
    for x in ((2, 3, 4), (1, 3, 4), (4, 4, 4), (2, 1, 4), (3, 4), (4, 4)):
        h, given = x[-1], tensor("x", x)
        for kind, simple in itertools.product("ci", (False, True)):
            op = "SkipSimplifiedLayerNormalization" if simple else "SkipLayerNormalization"
            right = "" if simple else "; " + tensor("e", (h,), kind)
            names = "x,k,g" if simple else "x,k,g,e"
            for skip in skips(x):
                yield f"{given}; {tensor('k', skip, kind)}; {tensor('g', (h,), kind)}{right}; {ms(op)}({names})"
            for shape in lists(h, len(x))[1:]:
                yield f"{given}; {tensor('k', x)}; {tensor('g', shape, kind)}{right}; {ms(op)}({names})"
                yield f"{given}; {tensor('k', x)}; {tensor('g', (h,), kind)}{right}; {tensor('b', shape, kind)}; {ms(op)}({names},b)"
                if not simple:
                    yield f"{given}; {tensor('k', x)}; {tensor('g', (h,), kind)}; {tensor('e', shape, kind)}; {ms(op)}({names})"
            yield f"{given}; {tensor('k', x)}; {tensor('g', (h,), kind)}{right}; {tensor('b', (h,), kind)}; {ms(op)}({names},b)"
            if not simple:
                yield f"{given}; {tensor('k', x)}; {tensor('g', (h,), kind)}; {ms(op)}(x,k,g)"
                yield f"{given}; {tensor('k', x)}; {tensor('g', (h,), kind)}; {tensor('b', (h,), kind)}; {ms(op)}(x,k,g,_,b)"
    for x in ("n=2,3,4", "2,n=3,4", "n=2,m=3,4"):
        for op, names, more in (("SkipLayerNormalization", "x,k,g,e", "; e=const(4)"), ("SkipSimplifiedLayerNormalization", "x,k,g", "")):
            yield f"x({x}); k({x}); g=const(4){more}; {ms(op)}({names})"
            yield f"x({x}); k=const(4); g=const(4){more}; {ms(op)}({names})"
            yield f"x({x}); k=const(1,3,4); g=const(4){more}; {ms(op)}({names})"
    for x in ((4,), (2, 4), (4, 4), (2, 3, 4), (3, 3, 3), (1, 2, 3, 4)):
        for axis in (None, *range(-len(x), 0), *range(len(x))):
            whole = x[(-1 if axis is None else axis) % len(x) :]
            shapes = [whole, (1,), (), (whole[-1],), (1, *whole), x, (*whole[:-1], 1), (*whole[:-1], whole[-1] + 1), (math.prod(whole),)]
            for shape, kind in itertools.product(dict.fromkeys(shapes), "ci"):
                said = "" if axis is None else f" axis={axis}"
                yield f"{tensor('x', x)}; {tensor('s', shape, kind)}; y=SimplifiedLayerNormalization(x,s){said}"


PAIRS = [
    ((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), (1,)), ((2, 3), ()), ((), (2, 3)), ((3,), (2, 3)), ((2, 1), (1, 3)), ((2, 3), (2, 1)), ((1, 3, 4, 4), (3, 1, 1)),
    ((1, 3, 4, 4), (1, 3, 4, 4)), ((1, 3, 1, 1), (1, 3, 4, 4)), ((2, 3, 4), (4,)), ((2, 3, 4), (2, 1, 4)), ((2, 3), (2,)), ((3, 3), (3,)), ((2, 3), (4,)), ((2, 3, 4), (3,)),
    ((2, 3, 4, 5, 2), (4, 1, 2)), ((0, 3), (3,)), ((), ()),
]  # fmt: skip


def quantised_pairs():
    """QLinearAdd and QLinearMul of every pair of shapes; scales as scalars and as lists."""
    for op, (a, b), kind in itertools.product(("QLinearAdd", "QLinearMul"), PAIRS, ("u8", "i8")):
        for constant, shape in (("i", ()), ("c", ()), ("i", (1,)), ("c", (1,))):
            zero = lambda name, number: tensor(name, shape, "c", kind, number)
            scale = lambda name, number: tensor(name, shape, "c", "f32", number)
            parts = [tensor("a", a, "i", kind), scale("s", "0.5"), zero("z", "1"), tensor("b", b, constant, kind), scale("t", "0.25"), zero("u", "2"), scale("r", "0.125"), zero("v", "3")]
            yield f"{'; '.join(parts)}; {ms(op)}(a,s,z,b,t,u,r,v)"
    for op, wrong in itertools.product(("QLinearAdd", "QLinearMul"), "sztu"):
        for shape in ((2,), (3,), (1, 1)):
            text = "a:u8(2,3); s=const()=0.5; z=const:u8()=1; b:u8(2,3); t=const()=0.25; u=const:u8()=2; r=const()=0.125; v=const:u8()=3"
            text = text.replace(f"{wrong}=const()", f"{wrong}=const({dims(shape)})").replace(f"{wrong}=const:u8()", f"{wrong}=const:u8({dims(shape)})")
            yield f"{text}; {ms(op)}(a,s,z,b,t,u,r,v)"
        yield f"a:u8(2,3); s=const()=0.5; b:u8(3); t=const()=0.25; r=const()=0.125; {ms(op)}(a,s,_,b,t,_,r)"
        yield f"a:u8(2,3); p(); s=Abs(p); z=const:u8()=1; b:u8(3); t=const()=0.25; u=const:u8()=2; r=const()=0.125; v=const:u8()=3; {ms(op)}(a,s,z,b,t,u,r,v)"
        for a, b in (("n=2,3", "3"), ("n=2,3", "n=2,1"), ("2,n=3", "n=3"), ("2,n=3", "2,1")):
            yield f"a:u8({a}); s=const()=0.5; z=const:u8()=1; b:u8({b}); t=const()=0.25; u=const:u8()=2; r=const()=0.125; v=const:u8()=3; {ms(op)}(a,s,z,b,t,u,r,v)"


def products():
    """FusedMatMul, FusedGemm and FusedConv."""
    for a, b, given in (((2, 4), (4, 3), ""), ((4, 2), (4, 3), " transA=1"), ((2, 4), (3, 4), " transB=1"), ((5, 2, 4), (4, 3), " alpha=0.5"), ((5, 2, 4), (5, 4, 3), ""), ((5, 2, 4), (1, 4, 3), ""), ((2, 1, 2, 4), (5, 4, 3), ""), ((4,), (4, 3), ""), ((2, 4), (4,), "")):
        for kind in "ci":
            yield f"{tensor('a', a)}; {tensor('b', b, kind)}; {ms('FusedMatMul')}(a,b){given}"
    for shape, kind, activation in itertools.product([(3,), (1, 3), (2, 3), (2, 1), (1, 1), (1,), (), (2,), (4,), (1, 1, 3)], "ci", ("Relu", "LeakyRelu")):
        alpha = " activation_alpha=0.5" if activation == "LeakyRelu" else ""
        yield f"x(2,4); w=const(4,3); {tensor('c', shape, kind)}; {ms('FusedGemm')}(x,w,c) activation={activation}{alpha}"
        yield f"x(2,4); w=const(3,4); {tensor('c', shape, kind)}; {ms('FusedGemm')}(x,w,c) activation={activation}{alpha} transB=1 beta=0.5"
    for x, w, rest in (((1, 2, 5, 5), (3, 2, 3, 3), (3, 3)), ((2, 2, 4), (3, 2, 1), (4,))):
        for shape, kind in itertools.product([(3,), (1,), (), (1, 3), (1, 3, *[1] * len(rest)), (4,)], "ci"):
            yield f"{tensor('x', x)}; {tensor('w', w, 'c')}; {tensor('b', shape, kind)}; {ms('FusedConv')}(x,w,b) activation=Relu"
        for added in ((x[0], 3, *rest), (1, 3, *[1] * len(rest)), (3, *rest), (1,), (x[0], 3, *rest[:-1], 1)):
            yield f"{tensor('x', x)}; {tensor('w', w, 'c')}; b=const(3); {tensor('z', added)}; {ms('FusedConv')}(x,w,b,z) activation=Relu"


def numbers():
    """QuantizeLinear and DequantizeLinear of ONNX Runtime's domain: the axis, scales of every shape, integers of 16 and 32 bits."""
    for x in ((), (3,), (2, 3), (3, 3), (2, 3, 4), (1, 3, 2, 2)):
        for axis in (None, *range(-len(x), len(x))):
            at = (1 if axis is None else axis) % len(x) if x and not (axis is None and len(x) == 1) else 0
            shapes = [(), (1,), *([(x[at],), (x[-1],), (x[0],)] if x else ()), (1, x[at]) if x else (1, 1)]
            for shape, kind in itertools.product(dict.fromkeys(shapes), ("u8", "i8", "u16", "i32")):
                said = "" if axis is None else f" axis={axis}"
                scale = tensor("s", shape, "c", "f32", SCALE)
                zero = "" if kind == "i32" else "; " + tensor("z", shape, "c", kind, ZERO)
                names = "x,s" if kind == "i32" else "x,s,z"
                if kind != "i32":
                    yield f"{tensor('x', x)}; {scale}{zero}; {ms('QuantizeLinear')}({names}){said}"
                yield f"{tensor('x', x, 'i', kind)}; {scale}{zero}; {ms('DequantizeLinear')}({names}){said}"
    for kind, zero in itertools.product(("u8", "i8"), (True, False)):
        more, names = ("; z=const:" + kind + "(3)=1,3,2", "x,s,z") if zero else ("", "x,s")
        yield f"w=const:{kind}(4,3); s=const(3)={SCALE}{more}; d=com.microsoft.DequantizeLinear({names.replace('x', 'w')}) axis=1; x(2,4); y=MatMul(x,d)"
        yield f"x(n=2,3); s=const(3)={SCALE}{more}; q=com.microsoft.QuantizeLinear({names}) axis=1; y=com.microsoft.DequantizeLinear({names.replace('x', 'q')}) axis=1"
        yield f"x(2,3); r(3); s=Abs(r){more}; q=com.microsoft.QuantizeLinear({names}) axis=1; y=com.microsoft.DequantizeLinear({names.replace('x', 'q')}) axis=1"


def integers():
    """DynamicQuantizeMatMul and MatMulIntegerToFloat: scales, zero points and biases of every shape."""
    for a, b, kind in itertools.product(((2, 4), (5, 2, 4), (3, 4)), ((4, 3), (5, 4, 3), (4, 4)), ("u8", "i8")):
        size = b[-1]
        if len(b) == 3 and len(a) == 2:
            continue
        forms = [(size,), (1,), (), (1, size), (*b[:-2], 1, size), (size, 1), (b[-2],), (size + 1,)]
        for shape, given, way in itertools.product(dict.fromkeys(forms), "ci", ("scale", "zero", "both", "bias")):
            own = lambda part, right: shape if way in (part, "both") else right
            scale, zero = own("scale", (size,) if way != "bias" else ()), own("zero", (size,) if way != "bias" else ())
            bias = f"; {tensor('v', shape, given)}" if way == "bias" else ""
            weights = tensor("b", b, "c", kind)
            steps = tensor("t", scale, "c", "f32", SCALE) if given == "c" or way == "bias" else f"{tensor('r', scale)}; t=Abs(r)"
            zeros = tensor("u", zero, "c" if way == "bias" else given, kind, ZERO)
            tail = ",v" if bias else ""
            yield f"{tensor('a', a)}; {weights}; {steps}; {zeros}{bias}; {ms('DynamicQuantizeMatMul')}(a,b,t,u{tail})"
            if kind == "i8" and way in ("scale", "bias"):
                yield f"{tensor('a', a)}; {weights}; {steps}{bias}; {ms('DynamicQuantizeMatMul')}(a,b,t{',_' + tail if tail else ''})"
            data = f"{tensor('a', a, 'i', 'u8')}; s=const()=0.5; z=const:u8()=2"
            yield f"{data}; {weights}; {steps}; {zeros}{bias}; {ms('MatMulIntegerToFloat')}(a,b,s,t,z,u{tail})"
    for shape, kind in itertools.product(((1,), (2,), (2, 1), (4,)), ("s", "z")):
        s, z = (shape, ()) if kind == "s" else ((), shape)
        yield f"a:u8(2,4); b=const:u8(4,3); {tensor('s', s, 'c', 'f32', SCALE)}; t=const()=0.5; {tensor('z', z, 'c', 'u8', ZERO)}; {ms('MatMulIntegerToFloat')}(a,b,s,t,z)"
    for size, width, block, bits in ((3, 32, 16, 4), (4, 32, 32, 4), (3, 48, 16, 4), (5, 40, 16, 4), (3, 32, 16, 8)):
        blocks = -(-width // block)
        packed = -(-blocks * bits // 8)
        said = f" K={width} N={size} bits={bits} block_size={block}"
        weights = tensor("b", (size, blocks, block * bits // 8), "c", "u8")
        for x, shape in itertools.product(((2, width), (2, 3, width)), [(size * blocks,), (size, blocks), (size, blocks, 1), (size,), (1,), (blocks, size), (blocks,)]):
            scale = tensor("s", shape, "c", "f32", SCALE)
            yield f"{tensor('a', x)}; {weights}; {scale}; {ms('MatMulNBits')}(a,b,s){said}"
        scale = tensor("s", (size, blocks), "c", "f32", SCALE)
        for shape in ((size * packed,), (size, packed), (size,), (1,), (packed,)):
            yield f"{tensor('a', (2, width))}; {weights}; {scale}; {tensor('z', shape, 'c', 'u8', '17,34')}; {ms('MatMulNBits')}(a,b,s,z){said}"
        for shape, kind in itertools.product([(size,), (1,), (), (1, size), (2, size), (size + 1,)], "ci"):
            yield f"{tensor('a', (2, width))}; {weights}; {scale}; {tensor('v', shape, kind)}; {ms('MatMulNBits')}(a,b,s,_,_,v){said}"


def masks(scores):
    """Return shapes of masks: all that stretch to the scores, and some that do not."""
    found = []
    for rank in (4, 3, 2, 1, 0):
        found += itertools.product(*[{1, dim} for dim in scores[4 - rank :]])
    batch, heads, rows, columns = scores
    wrong = [(batch, heads, rows, columns + 1), (batch + 1, 1, rows, columns), (1, heads + 1, rows, columns), (1, 1, 1, rows, columns)]
    return [*sorted(set(found), key=lambda one: (-len(one), one)), *wrong]


def attentions():
    """MultiHeadAttention, Attention and GroupQueryAttention of ONNX Runtime: attention_bias, masks of keys, and biases of projections."""
    for batch, heads, rows, columns, width in ((2, 3, 4, 5, 2), (1, 2, 4, 4, 3), (2, 2, 3, 3, 2)):
        hidden = heads * width
        triple = f"q({batch},{rows},{hidden}); k({batch},{columns},{hidden}); v({batch},{columns},{hidden})"
        said = f" num_heads={heads}"
        for mask, kind in itertools.product(masks((batch, heads, rows, columns)), "ci"):
            yield f"{triple}; {tensor('m', mask, kind)}; {ms('MultiHeadAttention')}(q,k,v,_,_,m){said}"
            if rows == columns:
                own = f"x({batch},{rows},4); w=const(4,{3 * hidden}); b=const({3 * hidden})"
                yield f"{own}; {tensor('m', mask, kind)}; {ms('Attention')}(x,w,b,_,_,m){said}"
                group = f"q({batch},{rows},{8 * heads}); k({batch},{rows},{8 * heads}); v({batch},{rows},{8 * heads}); l=const:i32({batch})={rows - 1}; t=const:i32()={rows}"
                yield f"{group}; {tensor('m', mask, kind)}; {ms('GroupQueryAttention')}(q,k,v,_,_,l,t,_,_,_,m) num_heads={heads} kv_num_heads={heads}"
        yield f"{triple}; {ms('MultiHeadAttention')}(q,k,v){said}"
        for shape in ((3 * hidden,), (hidden,), (1,), (), (1, 3 * hidden)):
            yield f"{triple}; {tensor('b', shape, 'c')}; {ms('MultiHeadAttention')}(q,k,v,b){said}"
            yield f"x({batch},{rows},4); w=const(4,{3 * hidden}); {tensor('b', shape, 'c')}; {ms('Attention')}(x,w,b){said}"
        for shape in ((batch, columns), (1, columns), (columns,), (batch,), (batch, 1), (batch, rows, columns)):
            yield f"{triple}; p=const:i32({dims(shape)})=1; {ms('MultiHeadAttention')}(q,k,v,_,p){said}"
            if rows == columns:
                yield f"x({batch},{rows},4); w=const(4,{3 * hidden}); b=const({3 * hidden}); p=const:i32({dims(shape)})=1; {ms('Attention')}(x,w,b,p){said}"
    for mask in ("1,1,n=4,n=4", "1,1,1,n=4", "n=4,n=4"):
        yield f"q(1,n=4,6); k(1,n=4,6); v(1,n=4,6); m({mask}); {ms('MultiHeadAttention')}(q,k,v,_,_,m) num_heads=2"


GRIDS = {
    "contrib-activations": activations, "contrib-norms": normalisations, "contrib-pairs": quantised_pairs, "contrib-products": products,
    "contrib-numbers": numbers, "contrib-integers": integers, "contrib-attention": attentions,
}  # fmt: skip


class Wrong(Exception):
    """The operands do not fit the operator's rule."""


def require(holds):
    """Raise where operands do not fit."""
    if not holds:
        raise Wrong


def along(array, size):
    """Return a list, or None where it is absent, that must have one number for each column."""
    require(array is None or array.shape == (size,))
    return 0 if array is None else array


def stretched(array, shape):
    """Return an operand stretched to a shape."""
    try:
        return np.broadcast_to(array, shape)
    except ValueError as why:
        raise Wrong from why


def gelu(x):
    """Return x times the probability that a normal number is below it."""
    return x * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))) if x.size else x


def gelu_by_tanh(x):
    """Return the approximation of `gelu` by tanh."""
    return x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def normalised(x, axis, epsilon, centred):
    """Return x divided by its deviation, or by the root of its mean square, over all axes from one on."""
    axes = tuple(range(axis % x.ndim, x.ndim))
    x = x - x.mean(axes, keepdims=True) if centred else x
    return x / np.sqrt((x**2).mean(axes, keepdims=True) + epsilon)


def skip_normalisation(x, skip, gain, *rest, given, centred):
    """Return the normalised sum of data and skip."""
    beta, bias = (*rest, None, None)[:2] if centred else (None, *rest, None)[:2]
    require(gain.shape == x.shape[-1:])
    whole = x + stretched(skip, x.shape) + along(bias, x.shape[-1])
    return normalised(whole, -1, given.get("epsilon", 1e-12), centred) * gain + along(beta, x.shape[-1])


def single(*arrays):
    """Require one number each."""
    require(all(array is None or array.shape in ((), (1,)) for array in arrays))


def pair(a, s, z, b, t, u, r, v=None, *, given, meet):
    """Return what two quantised tensors are, added or multiplied."""
    single(s, z, t, u, r, v)
    shift = lambda zero: 0 if zero is None else zero.astype(float)
    x, y = (a.astype(float) - shift(z)) * s, (b.astype(float) - shift(u)) * t
    try:
        found = meet(x, y)
    except ValueError as why:
        raise Wrong from why
    kind = np.iinfo(a.dtype)
    return np.clip(np.rint(found / r) + shift(v), kind.min, kind.max).astype(a.dtype)


def matrices(a, b, *, given):
    """Return a product of matrices."""
    a, b = (x.swapaxes(-1, -2) if x.ndim > 1 and given.get(key) else x for x, key in ((a, "transA"), (b, "transB")))
    return a @ b * given.get("alpha", 1)


def activated(x, given):
    """Return what the activation of a merged node makes."""
    return np.where(x > 0, x, x * (given.get("activation_alpha", 0.01) if given["activation"] == "LeakyRelu" else 0))


def merged_gemm(a, b, c=None, *, given):
    """Return a product and a sum, activated."""
    a, b = (x.T if given.get(key) else x for x, key in ((a, "transA"), (b, "transB")))
    product = a @ b * given.get("alpha", 1)
    return activated(product + (0 if c is None else stretched(c, product.shape) * given.get("beta", 1)), given)


def merged_conv(x, w, b=None, z=None, *, given):
    """Return a convolution of single steps, added to and activated."""
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], tuple(range(2, x.ndim)))
    axes = x.ndim - 2
    found = np.moveaxis(np.tensordot(windows, w, ([1, *range(2 + axes, 2 + 2 * axes)], [1, *range(2, 2 + axes)])), -1, 1)
    found = found + np.reshape(along(b, w.shape[0]), (-1, *[1] * axes))
    require(z is None or z.shape == found.shape)
    return activated(found + (0 if z is None else z), given)


def steps(x, s, z, given):
    """Return scale and zero point in the form of the data."""
    axis = given.get("axis")
    if s.shape in ((), (1,)):
        single(z)
        form = ()
    else:
        axis = 1 if axis is None else axis
        require(-x.ndim <= axis < x.ndim and s.shape == (x.shape[axis],) and (z is None or z.shape == s.shape))
        form = [-1 if at == axis % x.ndim else 1 for at in range(x.ndim)]
    return s.reshape(form), 0 if z is None else z.reshape(form).astype(float)


def quantised(x, s, z=None, *, given):
    """Return numbers rounded to integers of a scale."""
    kind = np.iinfo(np.uint8 if z is None else z.dtype)
    s, z = steps(x, s, z, given)
    return np.clip(np.rint(x / s) + z, kind.min, kind.max).astype(kind.dtype)


def dequantised(x, s, z=None, *, given):
    """Return integers of a scale as numbers."""
    s, z = steps(x, s, z, given)
    return (x.astype(float) - z) * s


def columns(b, *arrays):
    """Require one number each, or one for each column of a matrix, of rank 1 or with the axes of the matrix."""
    size = b.shape[-1]
    require(all(array is None or array.shape in ((), (1,), (size,), (*b.shape[:-2], 1, size)) for array in arrays))


def dynamic(a, b, t, u=None, bias=None, *, given):
    """Return a product of data, rounded to 8 bits of their range, and a quantised matrix."""
    columns(b, u)
    low, high = min(a.min(), 0), max(a.max(), 0)
    scale = np.float32(high - low) / np.float32(255)
    zero = np.rint(np.clip(-low / scale, 0, 255))
    data = np.clip(np.rint(a / scale) + zero, 0, 255) - zero
    product = data @ (b.astype(float) - (0 if u is None else u.astype(float))) * scale
    return product * stretched(t, product.shape) + along(bias, b.shape[-1])


def to_float(a, b, s, t, z=None, u=None, bias=None, *, given):
    """Return a product of quantised matrices as numbers."""
    single(s, z)
    columns(b, u)
    shift = lambda zero: 0 if zero is None else zero.astype(float)
    product = (a.astype(float) - shift(z)) @ (b.astype(float) - shift(u)) * s
    return product * stretched(t, product.shape) + along(bias, b.shape[-1])


def blocks(a, b, s, z=None, _=None, bias=None, *, given):
    """Return a product of data and a matrix that is quantised by blocks of its rows."""
    size, width, bits, block = given["N"], given["K"], given["bits"], given["block_size"]
    count = -(-width // block)
    require(s.shape in ((size * count,), (size, count)))
    unpack = lambda x, wide: (x if bits == 8 else np.stack([x & 15, x >> 4], -1)).reshape(size, -1)[:, :wide].astype(float)
    packed = -(-count * bits // 8)
    require(z is None or z.shape in ((size * packed,), (size, packed)))
    zero = np.full((size, count), 2.0 ** (bits - 1)) if z is None else unpack(z, count)
    weights = (unpack(b, count * block).reshape(size, count, block) - zero[..., None]) * s.reshape(size, count, 1)
    return a @ weights.reshape(size, -1)[:, :width].T + along(bias, size)


def attended(q, k, v, mask, heads, causal=False):
    """Return what queries find, heads packed into the last axis."""
    split = lambda x: x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)
    q, k, v = map(split, (q, k, v))
    scores = q @ k.swapaxes(2, 3) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores + stretched(mask, scores.shape)
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    found = (weights / weights.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3)
    return found.reshape(*found.shape[:2], -1)


def of_heads(q, k, v, bias=None, keys=None, mask=None, *, given):
    """Return a MultiHeadAttention; keys are all visible in these models."""
    width = q.shape[-1]
    require(bias is None or bias.shape == (3 * width,))
    require(keys is None or keys.shape == k.shape[:2] or keys.shape == (q.shape[0], q.shape[1], k.shape[1]))
    parts = [0, 0, 0] if bias is None else np.split(bias, 3)
    return attended(q + parts[0], k + parts[1], v + parts[2], mask, given["num_heads"])


def projected(x, w, b=None, keys=None, _=None, mask=None, *, given):
    """Return an Attention of ONNX Runtime's domain."""
    require(b is None or b.shape == w.shape[1:])
    require(keys is None or keys.shape == x.shape[:2] or keys.shape == (*x.shape[:2], x.shape[1]))
    return attended(*np.split(x @ w + (0 if b is None else b), 3, -1), mask, given["num_heads"])


def grouped(q, k, v, *rest, given):
    """Return a GroupQueryAttention without past steps, with as many heads of keys as of queries."""
    return attended(q, k, v, rest[-1], given["num_heads"], causal=True)


MEANING = {
    "BiasGelu": lambda x, b, *, given: gelu(x + along(b, x.shape[-1])),
    "FastGelu": lambda x, b=None, *, given: gelu_by_tanh(x if b is None else x + along(b, x.shape[-1])),
    "Gelu": lambda x, *, given: gelu(x),
    "QuickGelu": lambda x, *, given: x / (1 + np.exp(-given.get("alpha", 1.702) * x)),
    "BiasAdd": lambda x, b, s, *, given: x + along(b, x.shape[-1]) + s,
    "BiasSplitGelu": lambda x, b, *, given: (lambda one, other: one * gelu(other))(*np.split(x + along(b, x.shape[-1]), 2, -1)),
    "SkipLayerNormalization": lambda *inputs, given: skip_normalisation(*inputs, given=given, centred=True),
    "SkipSimplifiedLayerNormalization": lambda *inputs, given: skip_normalisation(*inputs, given=given, centred=False),
    "SimplifiedLayerNormalization": lambda x, s, *, given: normalised(x, given.get("axis", -1), given.get("epsilon", 1e-5), False) * stretched(s, x.shape),
    "QLinearAdd": lambda *inputs, given: pair(*inputs, given=given, meet=np.add),
    "QLinearMul": lambda *inputs, given: pair(*inputs, given=given, meet=np.multiply),
    "FusedMatMul": matrices, "FusedGemm": merged_gemm, "FusedConv": merged_conv, "QuantizeLinear": quantised, "DequantizeLinear": dequantised,
    "DynamicQuantizeMatMul": dynamic, "MatMulIntegerToFloat": to_float, "MatMulNBits": blocks, "MultiHeadAttention": of_heads,
    "Attention": projected, "GroupQueryAttention": grouped,
}  # fmt: skip


def group_norm(x, s, b, *, given):
    """Return a GroupNorm of ONNX Runtime's domain: channels are the last axis."""
    groups, size = given["groups"], x.shape[-1]
    parts = x.reshape(x.shape[0], -1, groups, size // groups)
    mean, spread = parts.mean((1, 3), keepdims=True), parts.var((1, 3), keepdims=True)
    require(s.shape == b.shape == (size,))
    found = ((parts - mean) / np.sqrt(spread + given.get("epsilon", 1e-5))).reshape(x.shape) * s + b
    return found / (1 + np.exp(-found)) if given["activation"] else found


MEANING["GroupNorm"] = group_norm


def is_known(spec):
    """Say whether a model is one node of these operators."""
    names = [node[0] for node in spec["nodes"]]
    return len(names) == 1 and (names[0].startswith(CONTRIB) or names == ["SimplifiedLayerNormalization"])


def meaning(spec, turn):
    """Return the result of a model of one such node; nothing where its operands do not fit."""
    ((op, inputs, _, given),) = spec["nodes"]
    arrays = specs.feeds(spec, turn) | {name: specs.constant(spec, name) for name in spec["constants"]}
    wide = lambda array: array.astype(np.float64) if array is not None and array.dtype == np.float32 else array
    found = [wide(arrays.get(name)) for name in inputs]
    try:
        result = MEANING[op.rpartition(".")[2]](*found, given=given)
    except Wrong:
        return None
    return np.asarray(result, np.float32) if result.dtype == np.float64 else result
