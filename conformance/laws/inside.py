"""Models whose operands broadcast inside an operator: masks of attention, and the lists of normalisations and convolutions.

Each function yields texts as in `cases.py`. Some models are wrong by their own rule.
"""

import itertools


def dims(shape):
    """Return the text of a shape."""
    return ",".join(map(str, shape))


def masks(scores):
    """Return shapes of masks: all that stretch to the scores, with and without leading axes of 1."""
    found = []
    for rank in (4, 3, 2, 1, 0):
        tail = scores[4 - rank :]
        found += itertools.product(*[{1, dim} for dim in tail])
    return sorted(set(found), key=lambda one: (-len(one), one))


def attention():
    """Attention of opset 23 and 24: every mask that stretches, f32 and bool, constant or given; heads in an axis or packed."""
    sizes = [(2, 3, 4, 5, 2, 3), (1, 2, 4, 4, 3, 2), (2, 2, 4, 4, 2, 1), (1, 1, 3, 2, 2, 1)]
    for opset, (batch, heads, rows, columns, width, stored) in itertools.product((23, 24), sizes):
        if opset == 24 and heads != 3:
            continue
        scores = (batch, heads, rows, columns)
        wide = f"q({dims((batch, heads, rows, width))}); k({dims((batch, stored, columns, width))}); v({dims((batch, stored, columns, width))})"
        packed = f"q({dims((batch, rows, heads * width))}); k({dims((batch, columns, stored * width))}); v({dims((batch, columns, stored * width))})"
        numbers = f" q_num_heads={heads} kv_num_heads={stored}"
        for mask in masks(scores):
            for kind in ("c", "i"):
                given = f"m=const({dims(mask)})" if kind == "c" else f"m({dims(mask)})"
                yield f"opset {opset}; {wide}; {given}; y=Attention(q,k,v,m)"
                if len(mask) in (2, 4) and opset == 23:
                    yield f"opset {opset}; {packed}; {given}; y=Attention(q,k,v,m){numbers}"
            if len(mask) in (2, 4) and opset == 23:
                yield f"opset {opset}; {wide}; m:bool({dims(mask)}); y=Attention(q,k,v,m)"
                yield f"opset {opset}; {wide}; m({dims(mask)}); y=Attention(q,k,v,m) is_causal=1"
        for mask in ((rows + 1, columns), (heads + 2, 1, 1, columns), (1, 1, 1, rows, columns), (rows, columns + 1)):
            yield f"opset {opset}; {wide}; m({dims(mask)}); y=Attention(q,k,v,m)"
    four = "q(1,2,n=4,2); k(1,2,n=4,2); v(1,2,n=4,2)"
    for mask in ("1,1,n=4,n=4", "n=4,n=4", "1,1,1,n=4", "1,n=4", "4,1"):
        yield f"opset 23; {four}; m({mask}); y=Attention(q,k,v,m)"


DATA = [(2, 3), (3, 3), (2, 3, 4), (1, 3, 3), (1, 3, 3, 3), (2, 3, 4, 5), (2, 1, 4, 4), (1, 3, 2, 2, 2)]


def wrong(channels, axes):
    """Return shapes that are no list of one number per channel."""
    return [(1,), (), (1, channels), (channels, *[1] * axes), (channels + 1,)]


def batch_normalization():
    """BatchNormalization: lists that are right, and single ones that are not."""
    for x in DATA:
        right = (x[1],)
        for kinds in ("cccc", "iicc", "ccii", "iiii"):
            yield norm(x, [right] * 4, kinds)
        for at, shape in itertools.product(range(4), wrong(x[1], max(len(x) - 2, 1))):
            if shape != right:
                yield norm(x, [shape if k == at else right for k in range(4)], "cccc")
        for shape in wrong(x[1], max(len(x) - 2, 1)):
            if shape != right:
                yield norm(x, [shape] * 4, "cccc")
                yield norm(x, [shape, shape, right, right], "iicc")
    for x in ((4,), (3,)):
        for shape in (x, (1,)):
            yield norm(x, [shape] * 4, "cccc")
    for opset in (7, 9, 14):
        yield f"opset {opset}; " + norm((2, 3, 4, 4), [(3,)] * 4, "cccc")
    for dtype in ("f16", "f64"):
        yield norm((2, 3, 4, 4), [(3,)] * 4, "cccc", dtype)
    yield "x(1,2,4,4); w=const(3,2,3,3); k=Conv(x,w); s=const(3); b=const(3); m=const(3); v=const(3)=0.5,1.5,2.5; y=BatchNormalization(k,s,b,m,v)"
    yield "x(1,2,4,4); w=const(3,2,3,3); c=const(3); k=Conv(x,w,c); s=const(3); b=const(3); m=const(3); v=const(3)=0.5,1.5,2.5; n=BatchNormalization(k,s,b,m,v); y=Relu(n)"
    yield "x(2,4); w=const(3,4); c=const(3); k=Gemm(x,w,c) transB=1; s=const(3); b=const(3); m=const(3); v=const(3)=0.5,1.5,2.5; y=BatchNormalization(k,s,b,m,v)"
    for x in ("n=2,3", "n=2,3,4,4", "2,3,n=4,m=4"):
        yield f"x({x}); s=const(3); b=const(3); m=const(3); v=const(3)=0.5,1.5,2.5; y=BatchNormalization(x,s,b,m,v)"


def norm(x, shapes, kinds, dtype="f32"):
    """Return a model of one BatchNormalization; a variance is positive where it is constant."""
    typed = "" if dtype == "f32" else f":{dtype}"
    parts = [f"x{typed}({dims(x)})"]
    for name, shape, kind in zip("sbmv", shapes, kinds):
        numbers = "=0.5,1.5,2.5" if name == "v" else ""
        parts.append(f"{name}=const{typed}({dims(shape)}){numbers}" if kind == "c" else f"{name}{typed}({dims(shape)})")
    square = "" if kinds[3] == "c" else "v2=Mul(v,v); "
    last = "v" if kinds[3] == "c" else "v2"
    return f"{'; '.join(parts)}; {square}y=BatchNormalization(x,s,b,m,{last})"


def instance_normalization():
    """InstanceNormalization, and GroupNormalization of opset 18 and 21, with lists that are right and some that are not."""
    for x in [one for one in DATA if len(one) > 2] + [(2, 4, 6), (1, 4, 4, 4), (2, 6, 5)]:
        c = x[1]
        for kinds in ("cc", "ii", "ci"):
            for scale in [(c,), *wrong(c, len(x) - 2)]:
                for bias in dict.fromkeys([(c,), scale]):
                    if kinds != "ci" or scale == (c,):
                        yield scaled(x, scale, bias, kinds, "InstanceNormalization(x,s,b)")
        for groups in [one for one in (1, 2, 3, 4, 6) if c % one == 0]:
            for kinds, opset in itertools.product(("cc", "ii"), (18, 21)):
                for scale in dict.fromkeys([(c,), (groups,), (1,), (), (groups, 1), (1, c)]):
                    yield f"opset {opset}; " + scaled(x, scale, scale, kinds, f"GroupNormalization(x,s,b) num_groups={groups}")


def scaled(x, scale, bias, kinds, call):
    """Return a model of one normalisation with a scale and a bias."""
    parts = [f"x({dims(x)})"]
    for name, shape, kind in zip("sb", (scale, bias), kinds):
        parts.append(f"{name}=const({dims(shape)})" if kind == "c" else f"{name}({dims(shape)})")
    return f"{'; '.join(parts)}; y={call}"


def convolutions():
    """Conv and ConvTranspose: biases that are right, and some that are not; groups, ranks, kernels, constant weights or not."""
    for x, kernel, channels, groups in [
        ((1, 2, 5), (3,), 4, 1), ((2, 4, 5), (1,), 4, 4), ((1, 2, 5, 5), (3, 3), 4, 1), ((2, 4, 5, 5), (3, 3), 4, 4), ((1, 4, 6, 4), (1, 1), 6, 2),
        ((1, 3, 4, 4), (1, 1), 4, 1), ((1, 2, 4, 4), (3, 3), 1, 1), ((1, 3, 4, 4, 4), (2, 2, 2), 2, 1), ((1, 4, 4, 4), (4, 4), 4, 1),
    ]:  # fmt: skip
        axes = len(kernel)
        for op in ("Conv", "ConvTranspose"):
            weights = (channels, x[1] // groups, *kernel) if op == "Conv" else (x[1], channels // groups, *kernel)
            group = f" group={groups}" if groups > 1 else ""
            for kind, given in (("c", "c"), ("c", "i"), ("i", "i"), ("i", "c")):
                for bias in [(channels,), *wrong(channels, axes)]:
                    if bias != (channels,) and (kind, given) not in (("c", "c"), ("c", "i")) or bias == (channels,) == (1,) and given == "i":
                        continue
                    w = f"w=const({dims(weights)})" if kind == "c" else f"w({dims(weights)})"
                    b = f"b=const({dims(bias)})" if given == "c" else f"b({dims(bias)})"
                    yield f"x({dims(x)}); {w}; {b}; y={op}(x,w,b){group}"
    for x in ("n=1,2,5,5", "1,2,n=5,m=5"):
        yield f"x({x}); w=const(4,2,3,3); b=const(4); y=Conv(x,w,b)"
    yield "x(1,2,5,5); w=const(4,2,3,3); b=const(4); k=Conv(x,w,b) strides=2,2 pads=1,1,1,1; y=Relu(k)"
    yield "x(1,2,5,5); z(1,4,5,5); w=const(4,2,3,3); b=const(4); k=Conv(x,w,b) pads=1,1,1,1; y=Add(k,z)"
    yield "x(1,2,5,5); w=const(4,2,3,3); b=const(4); k=Conv(x,w,b) dilations=2,2; y=Sigmoid(k)"
    yield "x(1,4,5,5); w=const(8,2,3,3); b=const(8); y=Conv(x,w,b) group=2 auto_pad=SAME_UPPER"
    for dtype in ("f16", "f64"):
        yield f"x:{dtype}(1,2,5,5); w=const:{dtype}(4,2,3,3); b=const:{dtype}(4); y=Conv(x,w,b)"


INSIDE = {"attention": attention, "batchnorm": batch_normalization, "instancenorm": instance_normalization, "conv": convolutions}
