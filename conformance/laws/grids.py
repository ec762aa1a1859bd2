"""Models of one node each, or of few, that differ in one thing: shapes, which operands are constants, dtypes, attributes.

Each function yields texts as in `cases.py`.
"""

import itertools

from ..verdicts.spec import COMPARISONS
from . import contrib, quantised, ranks
from .inside import INSIDE
from .integer_layers import INTEGER_LAYERS
from .quantised_graphs import QUANTISED_GRAPHS
from .weights import WEIGHTS

FLOATS, WHOLE = ("f32", "f16", "f64"), ("i32", "i64")


def dims(shape):
    """Return the text of a shape."""
    return ",".join(map(str, shape))


def operand(name, shape, kind="i", dtype="f32", numbers=""):
    """Return an input, a constant (`c`), or an input that another node computes (`r`: from an input of its own)."""
    typed = "" if dtype == "f32" else f":{dtype}"
    if kind == "c":
        return f"{name}=const{typed}({dims(shape)}){numbers}"
    return f"{name}{typed}({dims(shape)})"


def stretches(shape, least=0):
    """Return every shape that stretches to a shape without changing it."""
    found = []
    for rank in range(least, len(shape) + 1):
        tail = shape[len(shape) - rank :]
        found += itertools.product(*[{1, dim} for dim in tail])
    return sorted(set(found), key=lambda one: (len(one), one))


def layer_normalization():
    """LayerNormalization and RMSNormalization: every axis, every scale that stretches, and some biases."""
    datas = [(6,), (3, 4), (4, 4), (1, 4), (2, 3, 4), (4, 4, 4), (2, 3, 1), (2, 1, 4), (1, 4, 4, 4), (2, 3, 4, 5)]
    for x in datas:
        for axis in range(-len(x), 0):
            plain = x[axis:]
            for scale in stretches(x):
                if len(x) == 4 and scale[-1:] != x[-1:] and len(scale) > 1:
                    continue
                yield f"{operand('x', x)}; {operand('s', scale, 'c')}; y=LayerNormalization(x,s) axis={axis}"
                yield f"opset 23; {operand('x', x)}; {operand('s', scale, 'c')}; y=RMSNormalization(x,s) axis={axis}"
                yield f"opset 23; {operand('x', x)}; {operand('s', scale)}; y=RMSNormalization(x,s) axis={axis}"
                yield f"{operand('x', x)}; {operand('s', scale)}; y=LayerNormalization(x,s) axis={axis}"
                for bias in dict.fromkeys([scale, plain, plain[-1:], ()]):
                    for kinds in ("cc", "ii") if bias != scale else ("cc", "ii", "ci", "ic"):
                        parts = [operand("x", x), operand("s", scale, kinds[0]), operand("b", bias, kinds[1])]
                        yield f"{'; '.join(parts)}; y=LayerNormalization(x,s,b) axis={axis}"
    for dtype in ("f16", "f64"):
        for kind in "ci":
            parts = [operand("x", (2, 3, 4), "i", dtype), operand("s", (4,), kind, dtype), operand("b", (4,), kind, dtype)]
            yield f"{'; '.join(parts)}; y=LayerNormalization(x,s,b)"
    yield "x(2,3,4); z(2,3,4); s=const(4); b=const(4); a=Add(x,z); n=LayerNormalization(a,s,b); y=Add(a,n)"
    yield "x(2,3,4); w=const(4,4); c=const(4); s=const(4); b=const(4); m=MatMul(x,w); a=Add(m,c); n=LayerNormalization(a,s,b); y=MatMul(n,w)"
    yield "x(2,n=3,4); s=const(4); b=const(4); y=LayerNormalization(x,s,b)"
    yield "x(n=2,m=3,4); z(4); s=const(4); b=const(4); a=Add(x,z); y=LayerNormalization(a,s,b)"


def gemm():
    """Gemm with a C: sizes, shapes of C, transpositions, factors, constants."""
    for m, k, n in ((2, 3, 4), (3, 3, 3), (4, 3, 4), (1, 3, 4), (4, 3, 1), (1, 3, 1), (2, 1, 2), (5, 8, 16)):
        shapes = dict.fromkeys([(), (1,), (n,), (1, 1), (1, n), (m, 1), (m, n)])
        for c, ta, tb, kinds in itertools.product(shapes, (0, 1), (0, 1), ("icc", "iii", "ici", "iic", "cic")):
            for alpha, beta in ((1, 1), (0.5, 1), (1, 2.0), (0.5, 2.0), (1, 0.0)) if (ta, m) in ((0, 2), (0, 3), (1, 4)) else ((1, 1), (0.5, 2.0)):
                a, b = ((k, m) if ta else (m, k)), ((n, k) if tb else (k, n))
                parts = [operand("a", a, kinds[0]), operand("b", b, kinds[1]), operand("c", c, kinds[2])]
                given = {"transA": ta, "transB": tb, "alpha": alpha, "beta": beta}
                said = "".join(f" {key}={value}" for key, value in given.items() if value != (1 if key in ("alpha", "beta") else 0))
                yield f"{'; '.join(parts)}; y=Gemm(a,b,c){said}"
    for dtype in ("f16", "f64", "i32", "i64"):
        for kinds in ("icc", "iii"):
            parts = [operand(name, shape, kind, dtype) for name, shape, kind in zip("abc", ((2, 3), (3, 4), (4,)), kinds)]
            yield f"{'; '.join(parts)}; y=Gemm(a,b,c)"
    for shape in ("4", "1,4", "2,1", "2,4", ""):
        yield f"x(2,3,1,1); f=Flatten(x) axis=1; b=const(4,3); c=const({shape}); y=Gemm(f,b,c) transB=1"
        yield f"x(2,3); b=const(4,3); c=const({shape}); g=Gemm(x,b,c) transB=1; y=Relu(g)"
        yield f"x(n=2,3); b=const(4,3); c=const({shape}); y=Gemm(x,b,c) transB=1"
    yield "x(4,3); b=const(3,4); r=const(4,1); g=Gemm(x,b,r); c=const(4); y=Add(g,c)"
    for b, c in itertools.product(("b=const(3,4)", "b(3,4)"), ("4,1", "4", "1,1,4")):
        yield f"a(4,3); {b}; g=Gemm(a,b); c=const({c}); y=Add(g,c)"
        yield f"a(4,3); {b}; g=Gemm(a,b) alpha=0.5; c=const({c}); y=Add(g,c)"
        yield f"a(4,3); {b}; k=const(1); g=Gemm(a,b,k); c=const({c}); y=Add(g,c)"


def clip():
    """Clip: bounds of every shape, absent, constant or computed."""
    for x in ((), (1,), (3,), (2, 3), (2, 3, 4, 5)):
        for low, high in itertools.product(((), (1,), None), repeat=2):
            if low is None and high is None:
                continue
            for kinds in ("cc", "ii", "ci", "ic"):
                parts = [operand("x", x)]
                for name, shape, kind, number in (("l", low, kinds[0], -0.5), ("h", high, kinds[1], 0.75)):
                    if shape is not None:
                        parts += [operand(name, shape, kind, numbers=f"={number}" if kind == "c" else "")]
                if low is None and kinds[0] != kinds[1] or high is None and kinds[0] != kinds[1]:
                    continue
                inputs = "x," + ("_" if low is None else "l") + ("" if high is None else ",h")
                yield f"{'; '.join(parts)}; y=Clip({inputs})"
    for dtype in ("f16", "f64", "i32", "i64", "u8", "i8"):
        for shape in ("", "1"):
            yield f"x:{dtype}(2,3); l=const:{dtype}({shape})=2; h=const:{dtype}({shape})=3; y=Clip(x,l,h)"
            yield f"x:{dtype}(2,3); h=const:{dtype}({shape})=3; y=Clip(x,_,h)"
            yield f"x:{dtype}(2,3); l=const:{dtype}({shape})=2; y=Clip(x,l)"
    for shape in ("", "1"):
        bounds = f"l=const({shape})=0; h=const({shape})=6"
        yield f"x(1,3,4,4); w=const(2,3,3,3); v=const(2); k=Conv(x,w,v); {bounds}; y=Clip(k,l,h)"
        yield f"x(2,3); c=const()=3; {bounds}; a=Add(x,c); k=Clip(a,l,h); m=Mul(x,k); d=const()=6; y=Div(m,d)"
        yield f"x(2,3); z(3); a=Add(x,z); {bounds}; y=Clip(a,l,h)"
        yield f"x(n=2,3); {bounds}; y=Clip(x,l,h)"
    yield "opset 11; x(2,3); l=const()=0; h=const()=1; y=Clip(x,l,h)"


def expand():
    """Expand: targets of every kind, from a constant or from the shape of another tensor."""
    pairs = [
        ((), ()), ((), (3,)), ((), (1,)), ((1,), ()), ((3,), (3,)), ((3,), (1,)), ((1,), (3,)), ((3,), (2, 3)), ((3, 1), (3, 4)),
        ((3, 1), (2, 1, 4)), ((2, 3), (1, 1)), ((2, 3), (2, 2, 3)), ((1, 1), (3, 4)), ((2, 1, 4), (2, 3, 4)), ((2, 1, 4), (3, 1)),
        ((1, 3, 1, 1), (2, 3, 4, 5)), ((1, 1, 1), (1, 1, 1, 1, 2)), ((2, 1, 1, 1, 1), (2, 3, 1, 1, 2)), ((1,), (0,)), ((2, 1), (2, 0)),
    ]  # fmt: skip
    for x, to in pairs:
        numbers = f"={dims(to)}" if to else "="
        shape = f"t=const:i64({len(to)}){numbers}"
        for dtype in ("f32", "i64", "bool", "f16", "i32") if x in ((1,), (3, 1), (2, 1, 4)) else ("f32",):
            yield f"{operand('x', x, 'i', dtype)}; {shape}; y=Expand(x,t)"
        if to:
            yield f"{operand('x', x)}; {operand('z', to)}; t=Shape(z); y=Expand(x,t)"
        yield f"{operand('c', x, 'c')}; {shape}; e=Expand(c,t); {operand('z', to)}; y=Add(e,z)"
        yield f"{operand('x', x)}; {shape}; e=Expand(x,t); {operand('z', to)}; y=Mul(e,z)"
    yield "x(2,1); z(2,n=3); t=Shape(z); y=Expand(x,t)"
    yield "x(1,1); z(n=2,m=3); t=Shape(z); y=Expand(x,t)"


SHAPES = [
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 3), (2, 1)), ((2, 1), (1, 3)), ((2, 3), ()), ((), (3,)), ((2, 3), (1, 1)),
    ((2, 3, 4), (3, 1)), ((2, 1, 4), (3, 4)), ((1, 4, 1), (4, 1, 4)), ((2, 3, 4, 5), (4, 5)), ((1, 8, 4, 4), (8, 1, 1)), ((1, 1, 4, 4), (2, 1, 1, 4)),
    ((1,), (2, 3, 4)), ((4, 4, 4), (4,)), ((2, 1, 3, 1, 2), (1, 4, 1, 2, 2)),
]  # fmt: skip
OPERATORS = {
    "Add": ("f16", "f64", *WHOLE), "Sub": ("f16", *WHOLE), "Mul": ("f16", *WHOLE), "Div": ("f16", *WHOLE), "Pow": ("f16",),
    "Equal": ("f32", "f16", *WHOLE, "bool"), "Less": ("f32", "f16", *WHOLE), "LessOrEqual": ("f32", "f16", *WHOLE),
    "Greater": ("f32", "f16", *WHOLE), "GreaterOrEqual": ("f32", "f16", *WHOLE), "And": ("bool",), "Or": ("bool",), "Xor": ("bool",),
    "Max": ("f16", *WHOLE), "Min": ("f16", *WHOLE), "Mod": WHOLE, "BitwiseAnd": ("i32", "i64"),
}  # fmt: skip


def binary():
    """Operators of two operands, in every dtype that models use."""
    for op, dtypes in OPERATORS.items():
        for dtype in dtypes:
            for pair in SHAPES if dtype == dtypes[0] or len(dtypes) == 1 else SHAPES[1:12:2]:
                for kinds in ("ii", "ic", "ci"):
                    parts = [operand(name, shape, kind, dtype) for name, shape, kind in zip("ab", pair, kinds)]
                    yield f"{'; '.join(parts)}; y={op}(a,b)"
    for pair in SHAPES:
        for kinds, dtype in itertools.product(("ii", "ic", "ci"), ("f32", "f16", *WHOLE)):
            parts = [operand(name, shape, kind, dtype) for name, shape, kind in zip("ab", pair, kinds)]
            yield f"{'; '.join(parts)}; y=Mod(a,b) fmod=1"


def select():
    """Where and PRelu, in the dtypes that models use."""
    triples = [
        ((2, 3), (2, 3), (2, 3)), ((2, 3), (), ()), ((3,), (2, 3), ()), ((2, 1), (3,), (1, 3)), ((2, 3), (1,), (2, 3)), ((), (2, 3), (2, 3)),
        ((1, 1, 4, 4), (2, 3, 4, 4), ()), ((1, 1, 4, 4), (), (2, 3, 4, 4)), ((4, 4), (2, 4, 4), (1,)), ((2, 3), (2, 3), (3,)), ((2, 3), (3,), (2, 3)),
        ((1, 1, 1, 4), (2, 3, 4, 4), (2, 3, 4, 4)), ((2, 1), (2, 3), (2, 3)), ((1, 3), (2, 1), (2, 3)),
    ]  # fmt: skip
    for shapes in triples:
        for dtype, kinds in itertools.product(("f32", "f16", *WHOLE, "bool"), ("iii", "iic", "ici", "cii", "icc")):
            parts = [operand("c", shapes[0], kinds[0], "bool"), operand("a", shapes[1], kinds[1], dtype), operand("b", shapes[2], kinds[2], dtype)]
            yield f"{'; '.join(parts)}; y=Where(c,a,b)"
    for x in ((4,), (2, 3), (1, 4, 4), (2, 3, 4), (1, 3, 4, 5), (2, 4, 4, 4)):
        for slope in stretches(x):
            for kind, dtype in (("c", "f32"), ("i", "f32"), ("c", "f16")) if len(slope) < 4 else (("c", "f32"),):
                yield f"{operand('x', x, 'i', dtype)}; {operand('s', slope, kind, dtype)}; y=PRelu(x,s)"
    yield "x(1,4,4); s=const(4,1)=0.5; y=PRelu(x,s)"


def constants():
    """Nodes whose operands are all constants, before one that reads an input."""
    for op in ("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Equal", "Less", "Greater", "GreaterOrEqual", "LessOrEqual", "And", "Or", "Xor", "Mod"):
        dtype = "bool" if op in ("And", "Or", "Xor") else "i64" if op == "Mod" else "f32"
        cast = "; f=Cast(k) to=f32" if op in COMPARISONS or dtype != "f32" else ""
        for pair in SHAPES:
            parts = [operand(name, shape, "c", dtype) for name, shape in zip("ab", pair)]
            yield f"{'; '.join(parts)}; k={op}(a,b){cast}; x(1); y=Mul(x,{'f' if cast else 'k'})"
    for a, b in SHAPES:
        full = [max(p, q) for p, q in itertools.zip_longest(reversed(a), reversed(b), fillvalue=1)][::-1]
        for shapes in ((full, a, b), (a, b, full), (a, full, b)):
            parts = [operand("c", shapes[0], "c", "bool"), operand("a", shapes[1], "c"), operand("b", shapes[2], "c")]
            yield f"{'; '.join(parts)}; k=Where(c,a,b); x(1); y=Mul(x,k)"
    for x in ((2, 3), (1, 3, 4), (1, 3, 4, 5)):
        for slope in stretches(x):
            yield f"{operand('a', x, 'c')}; {operand('s', slope, 'c')}; k=PRelu(a,s); x(1); y=Mul(x,k)"
    for shape in ("", "1"):
        yield f"a=const(2,3); l=const({shape})=-0.5; h=const({shape})=0.75; k=Clip(a,l,h); x(1); y=Mul(x,k)"
    for scale in stretches((2, 3, 4)):
        yield f"a=const(2,3,4); {operand('s', scale, 'c')}; k=LayerNormalization(a,s); x(1); y=Mul(x,k)"
    for c in ("", "1", "4", "1,4", "4,1", "4,4"):
        yield f"a=const(4,3); b=const(3,4); c=const({c}); k=Gemm(a,b,c); x(1); y=Mul(x,k)"
    for to in ((3,), (2, 3), (2, 2, 3)):
        yield f"a=const(1,3); t=const:i64({len(to)})={dims(to)}; k=Expand(a,t); x(1); y=Mul(x,k)"
    yield "z(2,3); t=Shape(z); c=const:i64(2)=2,1; k=Mul(t,c); x(2,3); y=Reshape(x,t); q=Cast(k) to=f32"


def layers():
    """Layers whose numbers run along the channels, and quantisations; no law speaks of them."""
    for x in ((2, 3), (2, 3, 4), (1, 3, 3, 3), (2, 3, 4, 5), (1, 3, 2, 2, 2)):
        four = "; ".join(f"{name}=const({x[1]})=0.5,1.5,2.5" for name in "sbmv")
        yield f"{operand('x', x)}; {four}; y=BatchNormalization(x,s,b,m,v)"
        if len(x) > 2:
            yield f"{operand('x', x)}; s=const({x[1]}); b=const({x[1]}); y=InstanceNormalization(x,s,b)"
            yield f"{operand('x', x)}; s(3); b(3); y=InstanceNormalization(x,s,b)"
            for opset, groups, size in ((18, 1, 1), (18, 3, 3), (21, 1, 3), (21, 3, 3)):
                yield f"opset {opset}; {operand('x', x)}; s=const({size}); b=const({size}); y=GroupNormalization(x,s,b) num_groups={groups}"
            ones = dims([1] * (len(x) - 2))
            for kind in "ci":
                yield f"{operand('x', x)}; w=const(3,3,{ones}); {operand('b', (3,), kind)}; y=Conv(x,w,b)"
                yield f"{operand('x', x)}; w=const(3,3,{ones}); {operand('b', (3,), kind)}; y=ConvTranspose(x,w,b)"
                yield f"{operand('x', x)}; w=const(3,1,{ones}); {operand('b', (3,), kind)}; y=Conv(x,w,b) group=3"
    for x in ((3,), (2, 3), (3, 3), (1, 3, 3, 3), (2, 3, 4, 3)):
        for axis, size in (("", ""), ("", "1"), ("", x[min(1, len(x) - 1)]), ("axis=-1", x[-1]), ("axis=0", x[0])):
            for zero in ("u8", "i8", None):
                given = f"; z=const:{zero}({size})=2" if zero else ""
                parts = f"{operand('x', x)}; s=const({size})=0.05{given}"
                last = ",z" if zero else ""
                yield f"{parts}; y=QuantizeLinear(x,s{last}) {axis}".rstrip()
                yield f"{parts}; q=QuantizeLinear(x,s{last}) {axis}; y=DequantizeLinear(q,s{last}) {axis}".replace(" ;", ";").rstrip()


def broadcasts(*shapes):
    """Say whether shapes broadcast."""
    return all(len({size for size in sizes if size != 1}) < 2 for sizes in itertools.zip_longest(*map(reversed, shapes), fillvalue=1))


def norms():
    """Root mean squares and normalisations of nodes: a scale and a bias of every shape, constant or computed, in either order."""
    root = "m=ReduceMean(s) axes={axes}, keepdims=1; a=Add(m,e); q=Sqrt(a)"
    forms = {
        "root": f"s=Pow(x,p); {root}; d=Div(x,q); y=Mul({{scaled}})",
        "inverse": f"s=Pow(x,p); {root}; o=const()=1; r=Div(o,q); d=Mul(x,r); y=Mul({{scaled}})",
        "centred": f"u=ReduceMean(x) axes=-1, keepdims=1; l=Sub(x,u); s=Pow(l,p); {root}; d=Div(l,q); k=Mul({{scaled}}); y=Add({{summed}})",
    }
    given = {"c": "{0}=const({1})", "i": "{0}({1})", "r": "{0}0({1}); {0}=Abs({0}0)"}
    shapes = [(), (1,), (4,), (1, 4), (3, 4), (1, 1, 4), (2, 3, 4), (1, 1, 1, 1)]
    for x in ((1,), (4,), (2, 4), (2, 1), (3, 4), (2, 3, 4), (2, 3, 1), (1, 1, 1)):
        for (form, text), scale, more in itertools.product(forms.items(), shapes, ((), (1, 1, 1, 1))):
            for bias in ((), (1,), (4,), (1, 4)) if form == "centred" else ((),):
                orders = itertools.product(("d,g", "g,d"), ("k,b", "b,k") if form == "centred" and len(x) == 1 else ("k,b",))
                kinds = itertools.product("cir", "ci") if form == "centred" else itertools.product("cir", " ")
                for (scaled, summed), (first, second) in itertools.product(orders, kinds) if broadcasts(x, scale, bias) else ():
                    parts = [f"opset 15; {operand('x', x)}; p=const()=2; e=const({dims(more)})=0.5", given[first].format("g", dims(scale))]
                    parts += [given[second].format("b", dims(bias))] if second in given else []
                    yield "; ".join(parts) + "; " + text.format(axes=-1, scaled=scaled, summed=summed)
    for axes, scale, more in itertools.product((0, 1, -2, "1,2", "0,1,2"), ((4,), (1,), (3, 4), (3, 1)), ((), (1, 1, 1, 1))):
        text = forms["root"].format(axes=axes, scaled="d,g").replace(", keepdims", " keepdims" if "," in str(axes) else ", keepdims")
        yield f"opset 15; x(2,3,4); p=const()=2; e=const({dims(more)})=0.5; g=const({dims(scale)}); {text}"
    for scale, more, order in itertools.product(((), (4,), (1,), (1, 4)), ((), (1, 1)), ("d,g", "g,d")):
        yield f"opset 15; x(4); p=const()=2; e=const({dims(more)})=0.5; g=const({dims(scale)}); {forms['root'].format(axes=0, scaled=order)}"


GRIDS = {
    "layernorm": layer_normalization, "gemm": gemm, "clip": clip, "expand": expand, "binary": binary, "select": select, "constants": constants,
    "layers": layers, "norms": norms, **quantised.GRIDS, **INSIDE, **INTEGER_LAYERS, **QUANTISED_GRAPHS, **contrib.GRIDS, **WEIGHTS, **ranks.GRIDS,
}  # fmt: skip
