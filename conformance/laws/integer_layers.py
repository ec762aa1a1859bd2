"""Models of layers of integers: QLinearConv, ConvInteger, QLinearMatMul and MatMulInteger, with a scale or a zero point per tensor or per channel.

Each function yields texts as in `cases.py`. Some models are wrong by their own rule.
"""

import itertools

from .inside import dims, wrong

STEPS = "0.13,0.05,0.21,0.09,0.17,0.03"
ZEROS = "1,3,2,4,0,5"
OUT = "t=const()=2.3"


def operand(name, kind, shape, numbers=None):
    """Return the text of a constant, or of an input where there are no numbers."""
    typed = "" if kind == "f32" else f":{kind}"
    return f"{name}{typed}({dims(shape)})" if numbers is None else f"{name}=const{typed}({dims(shape)})={numbers}"


def images():
    """Yield the shapes of data and weights, the number of channels, and the attribute of groups."""
    for x, kernel, channels, groups in [
        ((1, 2, 5), (3,), 4, 1), ((1, 2, 5, 5), (3, 3), 4, 1), ((2, 4, 5, 5), (3, 3), 4, 4), ((1, 4, 6, 4), (1, 1), 6, 2), ((1, 3, 4, 4), (1, 1), 3, 1),
        ((1, 2, 4, 4), (3, 3), 1, 1), ((1, 3, 4, 4, 4), (2, 2, 2), 2, 1), ((1, 4, 4, 4), (4, 4), 4, 1),
    ]:  # fmt: skip
        yield x, (channels, x[1] // groups, *kernel), channels, f" group={groups}" if groups > 1 else ""


PAIRS = (("u8", "i8"), ("u8", "u8"), ("i8", "i8"))


def conv_integer():
    """ConvInteger: the zero point of the weights, one or a list; constant or given."""
    for (x, w, channels, group), (of_x, of_w) in itertools.product(images(), PAIRS):
        shapes = dict.fromkeys([(), (1,), (channels,), *wrong(channels, len(w) - 2)])
        for shape, given in itertools.product(shapes, "ci"):
            if given == "i" and len(shape) > 1:
                continue
            zero = operand("z", of_w, shape, ZEROS if given == "c" else None)
            for weights in ("=1,2,0,4,3,5,2", None):
                if weights is None and (given, of_w) != ("i", "u8"):
                    continue
                parts = [operand("x", of_x, x), operand("w", of_w, w, weights and weights[1:]), f"a=const:{of_x}()=3", zero]
                yield f"{'; '.join(parts)}; y=ConvInteger(x,w,a,z){group}"
    yield "x:u8(n=1,2,5,5); w=const:u8(4,2,3,3)=1,2,0,4,3,5,2; a=const:u8()=3; z=const:u8(4)=1,3,2,4; y=ConvInteger(x,w,a,z)"
    yield "x:u8(1,2,5,5); w=const:u8(4,2,3,3)=1,2,0,4,3,5,2; a=const:u8()=3; z=const:u8(4)=1,3,2,4; k=ConvInteger(x,w,a,z) pads=1,1,1,1; y=Cast(k) to=f32"


def conv():
    """QLinearConv: the scale and the zero point of the weights, one or a list; and the bias."""
    for (x, w, channels, group), (of_x, of_w) in itertools.product(images(), PAIRS):
        wide = (channels,)
        bad = [one for one in wrong(channels, len(w) - 2) if len(one) > 1 or one == (channels + 1,)]
        sets = [((), (), None), ((1,), (1,), None), (wide, wide, None), (wide, (), None), ((), wide, None), ((), (), wide), (wide, wide, wide), (wide, (1,), wide)]
        sets += [one for shape in bad for one in ((shape, (), None), ((), shape, None), ((), (), shape), (wide, shape, wide))]
        sets += [((), (), (1,)), ((), (), ())] if channels > 1 else []
        for (scale, zero, bias), given in itertools.product(dict.fromkeys(sets), "ci"):
            right = (scale, zero, bias) in sets[:8]
            if given == "i" and not right:
                continue
            for zeros in (ZEROS, "0"):
                if zeros == "0" and not right:
                    continue
                yield quantised(x, w, (of_x, of_w), (scale, zero, bias), given, zeros) + group
    for x in ("n=1,2,5,5", "1,2,n=5,m=5"):
        yield quantised((1, 2, 5, 5), (4, 2, 3, 3), ("u8", "i8"), ((4,), (4,), (4,)), "c", "0").replace("x:u8(1,2,5,5)", f"x:u8({x})")
    pair = "g=const()=0.2; h=const:u8()=4; q=QuantizeLinear(v,g,h); "
    for scale in ((), (4,)):
        text = quantised((1, 2, 5, 5), (4, 2, 3, 3), ("u8", "i8"), (scale, scale, (4,)), "c", "0")
        text = text.replace("x:u8(1,2,5,5)", "v(1,2,5,5); " + pair.strip("; ")).replace("(x,", "(q,")
        yield f"{text} pads=1,1,1,1; d=DequantizeLinear(y,t,o)"
        yield f"{text} pads=1,1,1,1; d=DequantizeLinear(y,t,o); e=Relu(d)"


def quantised(x, w, kinds, shapes, given, zeros):
    """Return the text of a QLinearConv."""
    (of_x, of_w), (scale, zero, bias) = kinds, shapes
    parts = [operand("x", of_x, x), operand("w", of_w, w, "1,2,-1,4,3,-5,2" if of_w == "i8" else "1,2,0,4,3,5,2"), "p=const()=0.4", f"a=const:{of_x}()=3"]
    parts += [operand("s", "f32", scale, STEPS) if given == "c" else f"r({dims(scale)}); s=Abs(r)", operand("z", of_w, zero, zeros), OUT, f"o=const:{of_x}()=5"]
    parts += [operand("b", "i32", bias, "7,-3,12,5,-8,2")] if bias is not None else []
    return f"{'; '.join(parts)}; y=QLinearConv(x,p,a,w,s,z,t,o{',b' if bias is not None else ''})"


MATRICES = [((2, 4), (4, 3)), ((3, 4), (4, 3)), ((4, 4), (4, 4)), ((2, 3, 4), (4, 3)), ((2, 3, 4), (2, 4, 3)), ((2, 4), (4, 1)), ((4,), (4, 3)), ((2, 4), (4,))]


def rows(a):
    """Return shapes of what belongs to the rows of a matrix."""
    return [] if len(a) < 2 else [(a[-2],), (*a[:-1], 1)]


def columns(b):
    """Return shapes of what belongs to the columns of a matrix, and of what is wrong."""
    return [] if len(b) < 2 else [(b[-1],), (*b[:-2], 1, b[-1]), (b[-1] + 1,), (b[-1], 1)]


def matmul_integer():
    """MatMulInteger: zero points of a tensor, of its rows, and of its columns."""
    for (a, b), (of_a, of_b) in itertools.product(MATRICES, PAIRS):
        shapes = [((), one) for one in dict.fromkeys([(), (1,), *columns(b)])] + [(one, ()) for one in [(1,), *rows(a)]]
        shapes += [(one, two) for one, two in zip(rows(a), columns(b))]
        for (left, right), given, weights in itertools.product(dict.fromkeys(shapes), "ci", "ci"):
            if (given, weights) == ("c", "i") and of_b == "i8":
                continue
            parts = [operand("x", of_a, a), operand("w", of_b, b, "1,2,0,4,3,5,2" if weights == "c" else None)]
            parts += [operand(name, kind, shape, ZEROS if given == "c" else None) for name, kind, shape in (("f", of_a, left), ("z", of_b, right))]
            yield f"{'; '.join(parts)}; y=MatMulInteger(x,w,f,z)"
    yield "x:u8(n=2,4); w=const:u8(4,3)=1,2,0,4,3,5,2; f=const:u8()=3; z=const:u8(3)=1,3,2; y=MatMulInteger(x,w,f,z)"


def matmul():
    """QLinearMatMul: scales and zero points of a tensor, of its rows, and of its columns."""
    for (a, b), (of_a, of_b) in itertools.product(MATRICES, PAIRS):
        sets = [((), (), one, two) for one, two in dict.fromkeys([((), ()), ((1,), (1,)), *[(one, one) for one in columns(b)], *[(one, ()) for one in columns(b)[:1]]])]
        sets += [(one, one, (), ()) for one in rows(a)]
        for (scale, left, other, right), given in itertools.product(sets, "ci"):
            parts = [operand("x", of_a, a), operand("w", of_b, b, "1,2,0,4,3,5,2"), operand("p", "f32", scale, STEPS), operand("f", of_a, left, ZEROS)]
            parts += [operand("s", "f32", other, STEPS) if given == "c" else f"r({dims(other)}); s=Abs(r)", operand("z", of_b, right, ZEROS), "t=const()=1.7", f"o=const:{of_a}()=5"]
            yield f"{'; '.join(parts)}; y=QLinearMatMul(x,p,f,w,s,z,t,o)"


INTEGER_LAYERS = {"conv-integer": conv_integer, "qlinear-conv": conv, "matmul-integer": matmul_integer, "qlinear-matmul": matmul}
