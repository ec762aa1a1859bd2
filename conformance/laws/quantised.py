"""Models of QuantizeLinear and DequantizeLinear: alone, in pairs, and of weights in front of the operators that models have.

Each function yields texts as in `cases.py`.
"""

import itertools

DATAS = [(), (3,), (9,), (2, 3), (3, 3), (2, 3, 4), (3, 3, 3), (1, 3, 2, 2), (3, 3, 3, 3), (2, 3, 4, 5), (1, 2, 3, 2, 2)]
STEPS = "0.03,0.05,0.07,0.11,0.13,0.04,0.06,0.08,0.12"
ZEROS = "1,3,2,4,0,5,2,1,6"


def dims(shape):
    """Return the text of a shape."""
    return ",".join(map(str, shape))


def typed(kind):
    """Return the text of a dtype."""
    return "" if kind == "f32" else f":{kind}"


def lists(shape, zero, kind="c", dtype="f32"):
    """Return the text of a scale and a zero point, constants or computed, and that of the two as inputs of a node."""
    shape = dims(shape)
    parts = [f"s=const{typed(dtype)}({shape})={STEPS}" if kind == "c" else f"r{typed(dtype)}({shape}); s=Abs(r)"]
    if zero:
        parts.append(f"z=const:{zero}({shape})={ZEROS}" if kind == "c" else f"z:{zero}({shape})")
    return "; ".join(parts), "s,z" if zero else "s"


def along(x):
    """Yield the shape of a list and the axis that the node names, for data of a shape."""
    yield (), ""
    yield (1,), ""
    if len(x) > 1:
        yield (x[1],), ""
    for axis in range(len(x)):
        yield (x[axis],), f" axis={axis}"
        yield (x[axis],), f" axis={axis - len(x)}"


def each(data, given, names, axis, zero, opset=""):
    """Yield the models of one scale: Q, DQ of an input and of a constant, and both in a row."""
    whole = zero or "u8"
    yield f"{opset}x({data}); {given}; y=QuantizeLinear(x,{names}){axis}"
    yield f"{opset}x:{whole}({data}); {given}; y=DequantizeLinear(x,{names}){axis}"
    yield f"{opset}x({data}); {given}; q=QuantizeLinear(x,{names}){axis}; y=DequantizeLinear(q,{names}){axis}"
    if "n=" not in data:
        yield f"{opset}w=const:{whole}({data}); {given}; d=DequantizeLinear(w,{names}){axis}; x({data}); y=Add(x,d)"


def alone():
    """Scales of tensors and along axes, for data of every rank."""
    for x in DATAS:
        for (shape, axis), zero in itertools.product(along(x), ("u8", "i8", None)):
            if zero is None and axis.startswith(" axis=-") or zero == "i8" and not x:
                continue
            given, names = lists(shape, zero)
            yield from each(dims(x), given, names, axis, zero)
    for x, axis, zero in itertools.product(((2, 3), (1, 3, 2, 2)), (None, 0, 1), ("u8", "i8", None)):
        shape, said = ((), "") if axis is None else ((x[axis],), f" axis={axis}")
        yield from each(dims(x), *lists(shape, zero, "i"), said, zero)
        for opset in (10, 13, 19, 21, 23):
            if opset > 10 or axis is None:
                yield from each(dims(x), *lists(shape, zero), said, zero, f"opset {opset}; ")
    for kind in ("u8", "i8"):
        yield from each("n=2,3", *lists((3,), kind), " axis=1", kind)
        yield from each("2,n=3", *lists((3,), kind), " axis=1", kind)


def kinds():
    """Every dtype of the data, and of the scale."""
    for kind, shape in itertools.product(("i32", "u16", "i16", "uint4", "int4", "float8e4m3fn"), ((), (3,))):
        zeros = (None, kind) if kind != "float8e4m3fn" else (None,)
        for zero in zeros if kind != "i32" else (None,):
            given, names = lists(shape, zero)
            # No engine is given arrays of 4 bits, or of floats of 8 bits.
            whole = kind in ("i32", "u16", "i16")
            if whole:
                yield f"opset 21; x:{kind}(2,3); {given}; y=DequantizeLinear(x,{names})"
            yield f"opset 21; w=const:{kind}(2,3); {given}; d=DequantizeLinear(w,{names}); x(2,3); y=Add(x,d)"
            yield f"opset 21; w=const:{kind}(4,3); {given}; d=DequantizeLinear(w,{names}); x(2,4); y=MatMul(x,d)"
            if zero:
                if whole:
                    yield f"opset 21; x(2,3); {given}; y=QuantizeLinear(x,{names})"
                yield f"opset 21; x(2,3); {given}; q=QuantizeLinear(x,{names}); y=DequantizeLinear(q,{names})"
    for shape, zero in itertools.product(((), (3,)), ("u8", "i8", None)):
        given, names = lists(shape, zero, dtype="f16")
        whole = zero or "u8"
        yield f"opset 19; x:f16(2,3); {given}; q=QuantizeLinear(x,{names}); y=DequantizeLinear(q,{names})"
        yield f"opset 19; x:{whole}(2,3); {given}; y=DequantizeLinear(x,{names})"
        yield f"opset 19; w=const:{whole}(2,3); {given}; d=DequantizeLinear(w,{names}); x:f16(2,3); y=Add(x,d)"
    for shape in ((), (3,)):
        given, names = lists(shape, None)
        yield f"x:i32(2,3); {given}; y=DequantizeLinear(x,{names})"
        yield f"w=const:i32(3); {given}; d=DequantizeLinear(w,{names}) axis=0; x(2,3); y=Add(x,d)"


def blocks():
    """Scales with one entry for each block of the data."""
    for x, axis, size in (((4, 6), 1, 2), ((4, 6), 0, 2), ((4, 6), -1, 3), ((4, 6), 1, 6), ((4, 6), 0, 4), ((6,), 0, 2), ((2, 4, 6), 1, 2), ((4, 7), 1, 2), ((4, 4), 1, 1)):
        shape = [-(-dim // size) if at == axis % len(x) else dim for at, dim in enumerate(x)]
        for zero in ("u8", "i8", None):
            yield from each(dims(x), *lists(shape, zero), f" axis={axis} block_size={size}", zero, "opset 21; ")
    for kind, axis, size in itertools.product(("i8", "uint4", "int4"), (0, 1), (2, 4)):
        shape = (8 // size, 4) if axis == 0 else (8, 4 // size)
        for zero in (kind, None):
            given, names = lists(shape, zero)
            yield f"opset 21; w=const:{kind}(8,4); {given}; d=DequantizeLinear(w,{names}) axis={axis} block_size={size}; x(2,8); y=MatMul(x,d)"


def layers():
    """Weights, data and biases in front of the operators that models have."""
    pair = "t=const()=0.2; u=const:u8()=128; q=QuantizeLinear(x,t,u); e=DequantizeLinear(q,t,u)"
    behind = "g=const()=0.5; h=const:u8()=100; o=QuantizeLinear(y,g,h); r=DequantizeLinear(o,g,h)"
    forms = (
        ("x(2,4)", "4,3", "MatMul({},d)", (4, 3)), ("x(2,4)", "4,4", "MatMul({},d)", (4, 4)), ("x(2,5,4)", "4,3", "MatMul({},d)", (4, 3)),
        ("x(2,4)", "3,4", "Gemm({},d) transB=1", (3, 4)), ("x(2,4)", "4,4", "Gemm({},d) transB=1", (4, 4)), ("x(2,4)", "4,3", "Gemm({},d)", (4, 3)),
        ("x(1,3,4,4)", "3,3,3,3", "Conv({},d)", (3, 3, 3, 3)), ("x(1,3,4,4)", "5,3,1,1", "Conv({},d)", (5, 3)), ("x(1,4,4,4)", "4,1,3,3", "Conv({},d) group=4", (4,)),
        ("x(1,3,4,4)", "3,2,1,1", "ConvTranspose({},d)", (3, 2)), ("x(2,4)", "4", "Add({},d)", (4,)), ("x(2,4)", "2,4", "Mul({},d)", (2, 4)),
        ("x(1,3,4)", "3,2,1", "Conv({},d)", ()),
    )  # fmt: skip
    for x, shape, text, sizes in forms:
        for axis, zero in itertools.product((None, *range(len(sizes))), ("i8", "u8", None)):
            given, names = lists(() if axis is None else (sizes[axis],), zero)
            said = "" if axis is None else f" axis={axis}"
            if text.endswith("({},d)") and text.startswith("Conv(") and shape == "3,2,1":
                continue
            weights = f"w=const:{zero or 'i8'}({shape}); {given}; d=DequantizeLinear(w,{names}){said}"
            yield f"{x}; {weights}; y={text.format('x')}"
            yield f"{x}; {pair}; {weights}; y={text.format('e')}"
            if zero != "u8":
                yield f"{x}; {pair}; {weights}; y={text.format('e')}; {behind}"
                weights = weights.replace(ZEROS, "0")
                yield f"{x}; {pair}; {weights}; y={text.format('e')}; {behind}"
    for shape, size, text in (("5,3,1,1", "5", "Conv(e,d,c)"), ("4,4", "4", "Gemm(e,d,c) transB=1")):
        x = "x(1,3,4,4)" if "Conv" in text else "x(2,4)"
        for per in ("", size):
            body = f"k=const({per})={STEPS}; w=const:i8({shape}); d=DequantizeLinear(w,k) axis=0; b=const:i32({size}); c=DequantizeLinear(b,k) axis=0"
            yield f"{x}; {pair}; {body}; y={text}"
            yield f"{x}; {pair}; {body}; y={text}; {behind}"
            yield f"{x}; {body}; y={text.replace('e,', 'x,')}"
    for op in ("Relu(e)", "Sigmoid(e)", "Add(e,e)", "MaxPool(e) kernel_shape=2,2", "Reshape(e,k)", "Transpose(e)"):
        extra = "k=const:i64(2)=2,-1; " if "k)" in op else ""
        yield f"x(1,2,4,4); {pair}; {extra}y={op}"
        yield f"x(1,2,4,4); {pair}; {extra}y={op}; {behind}"
    for axis, size in ((0, 5), (1, 3)):
        yield f"i:i64(2); w=const:i8(5,3); s=const({size})={STEPS}; d=DequantizeLinear(w,s) axis={axis}; y=Gather(d,i)"


def ends():
    """Quantised values behind and in front of other operators, and read by several."""
    for x, axis, kind in itertools.product(("2,3", "1,3,2,2", "3,3"), (None, 1, 0), ("u8", "i8")):
        size = () if axis is None else (int(x.split(",")[axis]),)
        given, names = lists(size, kind)
        said = "" if axis is None else f" axis={axis}"
        yield f"x({x}); r=Relu(x); {given}; y=QuantizeLinear(r,{names}){said}"
        yield f"x:{kind}({x}); {given}; d=DequantizeLinear(x,{names}){said}; y=Relu(d)"
        yield f"x({x}); r=Relu(x); {given}; q=QuantizeLinear(r,{names}){said}; d=DequantizeLinear(q,{names}){said}; y=Relu(d)"
        yield f"x({x}); r=Relu(x); {given}; q=QuantizeLinear(r,{names}){said}; d=DequantizeLinear(q,{names}){said}; y=Sigmoid(d); z2=Neg(d)"
        yield f"x({x}); r=Sigmoid(x); {given}; q=QuantizeLinear(r,{names}){said}; d=DequantizeLinear(q,{names}){said}; y=Add(d,d)"
        yield f"x({x}); {given}; q=QuantizeLinear(x,{names}){said}; c=Cast(q) to=f32; y=Relu(c)"
        yield f"x({x}); c=Cast(x) to={kind}; {given}; d=DequantizeLinear(c,{names}){said}; y=Relu(d)"
        yield f"w=const:{kind}({x}); {given}; d=DequantizeLinear(w,{names}){said}; x({x}); y=Relu(d); v=Mul(x,y)"
        yield f"w=const:{kind}({x}); {given}; d=DequantizeLinear(w,{names}){said}; x({x}); y=Add(x,d); v=Mul(x,d)"
        yield f"w=const({x}); {given}; q=QuantizeLinear(w,{names}){said}; d=DequantizeLinear(q,{names}){said}; x({x}); y=Add(x,d)"


GRIDS = {"quantised-ends": ends, "quantised": alone, "quantised-kinds": kinds, "quantised-blocks": blocks, "quantised-layers": layers}
