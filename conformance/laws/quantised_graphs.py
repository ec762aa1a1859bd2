"""Models cut from graphs that ONNX Runtime's quantiser writes: data quantised when the model runs, and whole graphs of quantised numbers.

Each function yields texts as in `cases.py`.
"""

import itertools

from .inside import dims

# Of 7 bits, with which no processor saturates a product: ONNX Runtime, which says what the models mean, adds two products in 16 bits on some.
BYTES = "17,-3,60,-50,5,63,-47,33,-64,44,2"
STEPS = "0.003,0.005,0.002,0.004,0.006"
ZEROS = "3,0,-2,5,1"


def constant(name, kind, shape, numbers):
    """Return the text of a constant; numbers of u8 are 128 higher."""
    if kind == "u8":
        numbers = ",".join(str(int(number) + 128) for number in numbers.split(","))
    return f"{name}=const{'' if kind == 'f32' else f':{kind}'}({dims(shape)})={numbers}"


def dynamic_products():
    """Data that are quantised when the model runs, times a matrix: per tensor and per channel, with and without a bias."""
    for x, w in (((2, 4), (4, 3)), ((1, 5, 8), (8, 6)), ((2, 3, 4), (4, 4)), ((1, 2, 3, 4), (4, 5)), ((1, 7, 64), (64, 32)), ((3, 32), (32, 1))):
        for kind, per in itertools.product(("i8", "u8"), ("tensor", "symmetric", "channel")):
            own = () if per == "tensor" else w[1:]
            zeros = {"tensor": "4", "symmetric": "0", "channel": ZEROS}[per]
            parts = [f"x({dims(x)}); q,s,z=DynamicQuantizeLinear(x)", constant("w", kind, w, BYTES), constant("k", kind, own, zeros)]
            parts += ["m=MatMulInteger(q,w,z,k); c=Cast(m) to=f32", constant("l", "f32", own, STEPS if own else "0.004"), "p=Mul(s,l); v=Mul(c,p)"]
            yield "; ".join(parts)
            parts += [constant("b", "f32", w[1:], "0.7,-1.3,0.2")]
            yield "; ".join(parts) + "; y=Add(b,v)"
            yield "; ".join(parts) + "; y=Add(v,b); r=Relu(y)"
            yield "; ".join(parts).replace(f"x({dims(x)}); ", f"h({dims(x)}); x=Abs(h); ") + "; y=Add(b,v); o=Relu(y)"
            second = constant("g", kind, w, BYTES[3:])
            other = "; ".join(parts).replace("p=", f"{second}; n=MatMulInteger(q,g,z,k); e=Cast(n) to=f32; p=")
            yield other + "; u=Mul(e,p); y=Add(v,u)"
        bare = f"x({dims(x)}); q,s,z=DynamicQuantizeLinear(x); {constant('w', 'i8', w, BYTES)}; {constant('k', 'i8', (), '0')}"
        yield f"{bare}; m=MatMulInteger(q,w,z,k); y=Cast(m) to=f32"
        yield f"{bare}; y=MatMulInteger(q,w,z,k)"


def dynamic_layers():
    """Images that are quantised when the model runs, and quantised tables of embeddings."""
    for x, w, more in (((1, 3, 8, 8), (4, 3, 3, 3), ""), ((1, 3, 8, 8), (8, 3, 4, 4), " strides=4,4"), ((2, 4, 5, 5), (6, 4, 1, 1), ""), ((1, 4, 6, 6), (4, 1, 3, 3), " group=4"), ((1, 3, 6, 6), (5, 3, 3, 3), " pads=1,1,1,1 strides=2,2")):
        for kind, bias in itertools.product(("i8", "u8"), (False, True)):
            parts = [f"x({dims(x)}); q,s,z=DynamicQuantizeLinear(x)", constant("w", kind, w, BYTES), constant("k", kind, (), "0")]
            parts += [f"m=ConvInteger(q,w,z,k){more}; c=Cast(m) to=f32; l=const()=0.004; p=Mul(s,l); v=Mul(c,p)"]
            if bias:
                parts += [constant("b", "f32", (1, w[0], 1, 1), "0.7,-1.3,0.2"), "y=Add(v,b)"]
            yield "; ".join(parts)
    for kind in ("i8", "u8"):
        table = f"i:i64(1,5); {constant('w', kind, (9, 8), BYTES)}; g=Gather(w,i); l=const()=0.004; {constant('k', kind, (), '4')}"
        yield f"{table}; d=DequantizeLinear(g,l,k); h(1,5,8); y=Add(h,d)"
        yield f"{table}; y=DequantizeLinear(g,l,k)"
    for x, perm in (((3, 4), "1,0"), ((1, 5, 8), "0,2,1"), ((1, 2, 3, 4), "0,2,1,3")):
        yield f"x({dims(x)}); q,s,z=DynamicQuantizeLinear(x); t=Transpose(q) perm={perm}; y=DequantizeLinear(t,s,z)"
    yield "x(3,4); q,s,z=DynamicQuantizeLinear(x); y=DequantizeLinear(q,s,z)"


def scales(prefix, step, zero, kind):
    """Return the text of a scale and a zero point of a tensor."""
    return f"{prefix}=const()={step}; {prefix}z=const:{kind}()={zero}"


def pair(out, value, name, step, zero, kind):
    """Return the text of QuantizeLinear and DequantizeLinear of a value."""
    return f"{scales(name, step, zero, kind)}; {out}q=QuantizeLinear({value},{name},{name}z); {out}=DequantizeLinear({out}q,{name},{name}z)"


OF_ONE = ("Sigmoid({})", "Softmax({}) axis=-1", "Erf({})", "Transpose({}) perm={perm}", "Reshape({},sh)", "Neg({})", "Relu({})", "Tanh({})", "ReduceMean({}) axes=-1,", "Unsqueeze({},un)")


def pairs():
    """Operators between DequantizeLinear and QuantizeLinear, of data, weights and biases, and results that several nodes read."""
    for kind, x in itertools.product(("i8", "u8"), ((2, 4), (1, 5, 8), (1, 2, 4, 4))):
        zero = 3 if kind == "i8" else 120
        head = f"x({dims(x)}); {pair('a', 'x', 's', 0.02, zero, kind)}"
        last = x[-1]
        tail = pair("o", "y", "t", 0.05, zero, kind)
        for op in OF_ONE:
            perm = ",".join(map(str, reversed(range(len(x)))))
            more = {"S": f"sh=const:i64(2)={last},-1; ", "U": "un=const:i64(1)=0; "}.get(op[0] if "sh" not in op else "S", "")
            more = more if "sh)" in op or "un)" in op else ""
            yield f"opset 17; {head}; {more}y={op.format('a', perm=perm)}; {tail}"
        for size in ((last,), (1,), x):
            given = f"{constant('w', kind, size, BYTES)}; {scales('l', 0.01, zero, kind)}; d=DequantizeLinear(w,l,lz)"
            for op in ("Add(d,a)", "Mul(a,d)", "Sub(a,d)"):
                yield f"opset 17; {head}; {given}; y={op}; {tail}"
        for per in (None, "c"):
            size = () if per is None else (6,)
            weights = f"{constant('w', 'i8', (last, 6), BYTES)}; l=const({dims(size)})={STEPS if per else 0.004}; lz=const:i8({dims(size)})=0; d=DequantizeLinear(w,l,lz){' axis=1' if per else ''}"
            bias = f"{constant('b', 'i8', (6,), BYTES)}; bl=const()=0.01; bz=const:i8()=0; e=DequantizeLinear(b,bl,bz)"
            yield f"opset 17; {head}; {weights}; y=MatMul(a,d); {tail}"
            yield f"opset 17; {head}; {weights}; m=MatMul(a,d); {pair('h', 'm', 'g', 0.04, zero, kind)}; {bias}; y=Add(e,h); {tail}"
            if len(x) == 2:
                yield f"opset 17; {head}; {weights}; c=const:i32(6)={BYTES}; cl=const({dims(size)})=0.0002; cz=const:i32({dims(size)})=0; e=DequantizeLinear(c,cl,cz){' axis=0' if per else ''}; y=Gemm(a,d,e); {tail}"
        norm = f"{constant('w', kind, (last,), BYTES)}; {scales('l', 0.01, zero, kind)}; d=DequantizeLinear(w,l,lz); c=const:i32({last})={BYTES}; cl=const(1)=0.0002; cz=const:i32()=0; e=DequantizeLinear(c,cl,cz)"
        yield f"opset 17; {head}; {norm}; y=LayerNormalization(a,d,e); {tail}"
        yield f"opset 17; {head}; y=Add(a,a); {tail}; r=Mul(a,o)"
        yield f"opset 17; {head}; g=Sigmoid(a); {pair('h', 'g', 'v', 0.004, zero, kind)}; y=Mul(a,h); {tail}"
        yield f"opset 17; {head}; g=Sigmoid(a); {pair('h', 'g', 'v', 0.004, zero, kind)}; y=Add(h,a); {tail}; r=Mul(h,a)"
        if len(x) > 2:
            flip = ",".join(map(str, [*range(len(x) - 2), len(x) - 1, len(x) - 2]))
            yield f"opset 17; {head}; p=Transpose(a) perm={flip}; {pair('h', 'p', 'v', 0.02, zero, kind)}; y=MatMul(a,h); {tail}"
        if len(x) == 4:
            for per in ("", "3"):
                weights = f"{constant('w', 'i8', (3, 2, 3, 3), BYTES)}; l=const({per})=0.004; lz=const:i8({per})=0; d=DequantizeLinear(w,l,lz) axis=0; c=const:i32(3)={BYTES}; cl=const({per})=0.0002; cz=const:i32({per})=0; e=DequantizeLinear(c,cl,cz) axis=0"
                yield f"opset 17; {head}; {weights}; y=Conv(a,d,e); {tail}"
    yield f"opset 17; x(1,2,1,3,2,2); {pair('a', 'x', 's', 0.02, 3, 'i8')}; y=Relu(a)"
    yield f"opset 17; x(1,2,3,2,2); {pair('a', 'x', 's', 0.02, 3, 'i8')}; y=Relu(a)"
    yield f"opset 17; x(3); y0=ReduceSum(x) keepdims=0; {pair('a', 'y0', 's', 0.02, 3, 'i8')}; y=Mul(a,x)"


def integers():
    """Quantised numbers that pass from operator to operator: QLinearMatMul, QLinearAdd, QLinearMul and QLinearConv in rows."""
    ms = "com.microsoft."
    for kind, x in itertools.product(("i8", "u8"), ((2, 4), (1, 5, 8), (1, 2, 4, 4))):
        zero, last = (3 if kind == "i8" else 120), x[-1]
        head = f"opset 17; x({dims(x)}); {scales('s', 0.02, zero, kind)}; q=QuantizeLinear(x,s,sz)"
        tail = "y=DequantizeLinear(o,t,tz)"
        result = scales("t", 0.05, zero, kind)
        back = f"{result}; {tail}"
        weights = f"{constant('w', kind, (last, 6), BYTES)}; {scales('l', 0.004, zero, kind)}"
        product = "QLinearMatMul(q,s,sz,w,l,lz,t,tz)"
        bias = f"{constant('b', kind, (6,), BYTES)}; {scales('g', 0.01, zero, kind)}; {scales('v', 0.06, zero, kind)}"
        yield f"{head}; {weights}; {result}; o={product}; {tail}"
        yield f"{head}; {weights}; {result}; o={product}"
        yield f"{head}; {weights}; {result}; m={product}; {bias}; o={ms}QLinearAdd(b,g,gz,m,t,tz,v,vz); y=DequantizeLinear(o,v,vz)"
        yield f"{head}; {weights}; {result}; m={product}; {bias}; o={ms}QLinearAdd(b,g,gz,m,t,tz,v,vz); sh=const:i64(2)=6,-1; r=Reshape(o,sh); y=DequantizeLinear(r,v,vz)"
        yield f"{head}; {weights}; {result}; m={product}; {bias}; n={ms}QLinearAdd(b,g,gz,m,t,tz,v,vz); o={ms}QLinearMul(n,v,vz,m,t,tz,t,tz); {tail}"
        for size, op in itertools.product(((last,), (1,), (), x), ("QLinearAdd", "QLinearMul")):
            given = f"{constant('w', kind, size, BYTES if size else '50')}; {scales('l', 0.01, zero, kind)}"
            yield f"{head}; {given}; {result}; o={ms}{op}(q,s,sz,w,l,lz,t,tz); {tail}"
            yield f"{head}; {given}; {result}; o={ms}{op}(w,l,lz,q,s,sz,t,tz)"
        for op in ("QLinearAdd", "QLinearMul"):
            second = f"h({dims(x)}); {scales('l', 0.03, zero, kind)}; w=QuantizeLinear(h,l,lz)"
            yield f"{head}; {second}; {result}; o={ms}{op}(q,s,sz,w,l,lz,t,tz); {tail}"
            yield f"{head}; {second}; {result}; o={ms}{op}(q,s,sz,w,l,lz,t,tz); {tail}; u=Relu(y); c={ms}{op}(o,t,tz,q,s,sz,t,tz); r=DequantizeLinear(c,t,tz)"
            short = f"h({last}); {scales('l', 0.03, zero, kind)}; w=QuantizeLinear(h,l,lz)"
            yield f"{head}; {short}; {result}; o={ms}{op}(q,s,sz,w,l,lz,t,tz); {tail}"
            yield f"x:{kind}({dims(x)}); w:{kind}({dims(x)}); {scales('s', 0.02, 1, kind)}; {scales('t', 0.01, 2, kind)}; o={ms}{op}(x,s,sz,w,s,sz,t,tz)"
        if len(x) > 2:
            flip = ",".join(map(str, [*range(len(x) - 2), len(x) - 1, len(x) - 2]))
            yield f"{head}; p=Transpose(q) perm={flip}; {result}; o=QLinearMatMul(q,s,sz,p,s,sz,t,tz); {tail}"
            yield f"{head}; p=Transpose(q) perm={flip}; {result}; o=QLinearMatMul(q,s,sz,p,s,sz,t,tz); n=Transpose(o) perm={flip}; y=DequantizeLinear(n,t,tz)"
        if len(x) == 4:
            for per, bias in itertools.product(("", "3"), (False, True)):
                given = f"{constant('w', 'i8', (3, 2, 3, 3), BYTES)}; l=const({per})=0.004; lz=const:i8({per})=0; {result}"
                extra, name = (f"c=const:i32(3)={BYTES}; ", ",c") if bias else ("", "")
                yield f"{head}; {given}; {extra}o=QLinearConv(q,s,sz,w,l,lz,t,tz{name}); {tail}"
                yield f"{head}; {given}; {extra}o=QLinearConv(q,s,sz,w,l,lz,t,tz{name}) pads=1,1,1,1; {tail}; z=Relu(y)"
        for op in ("Sqrt(a)", "Sigmoid(a)", "LayerNormalization(a,n)"):
            given = f"{constant('w', kind, (last,), BYTES)}; {scales('l', 0.01, zero, kind)}; n=const({last})=1.5"
            given = given if "n)" in op else given.replace(f"; n=const({last})=1.5", "")
            yield f"{head}; {given}; {result}; o={ms}QLinearMul(q,s,sz,w,l,lz,t,tz); a=DequantizeLinear(o,t,tz); y={op}"
        yield f"{head}; sh=const:i64(2)={last},-1; r=Reshape(q,sh); y=DequantizeLinear(r,s,sz)"
        flat = ",".join(map(str, reversed(range(len(x)))))
        yield f"{head}; r=Transpose(q) perm={flat}; y=DequantizeLinear(r,s,sz)"
        yield f"{head}; y=DequantizeLinear(q,s,sz); {back.replace('o,', 'q,').replace('y=', 'z=')}"


def others():
    """Other operators between quantised numbers."""
    ms = "com.microsoft."
    for kind, x in itertools.product(("i8", "u8"), ((2, 4), (1, 5, 8), (1, 2, 4, 4))):
        zero, last = (3 if kind == "i8" else 120), x[-1]
        head = f"opset 17; x({dims(x)}); {scales('s', 0.02, zero, kind)}; q=QuantizeLinear(x,s,sz); {constant('w', kind, (last,), BYTES)}; {scales('l', 0.01, zero, kind)}; {scales('t', 0.05, zero, kind)}"
        total, product = (f"o={ms}{op}(q,s,sz,w,l,lz,t,tz)" for op in ("QLinearAdd", "QLinearMul"))
        small = scales("g", 0.004, -128 if kind == "i8" else 0, kind)
        yield f"{head}; {total}; {small}; p={ms}QLinearSoftmax(o,t,tz,g,gz) axis={len(x) - 1} opset=17; y=DequantizeLinear(p,g,gz)"
        yield f"{head}; {total}; {small}; p={ms}QLinearSigmoid(o,t,tz,g,gz); m={ms}QLinearMul(o,t,tz,p,g,gz,t,tz); y=DequantizeLinear(m,t,tz)"
        yield f"{head}; o={ms}QLinearConcat(t,tz,q,s,sz,q,s,sz) axis={len(x) - 1}; p={ms}QLinearAdd(o,t,tz,o,t,tz,t,tz); y=DequantizeLinear(p,t,tz)"
        yield f"{head}; {product}; p={ms}QLinearConcat(t,tz,q,s,sz,o,t,tz) axis={len(x) - 1}; y=DequantizeLinear(p,t,tz)"
        yield f"{head}; {product}; a=const:i64(1)=0; p=Unsqueeze(o,a); y=DequantizeLinear(p,t,tz)"
        yield f"{head}; i=const:i64(2)=1,0; p=Gather(q,i) axis={len(x) - 1}; y=DequantizeLinear(p,s,sz)"
        yield f"i:i64(1,5); {constant('w', kind, (9, last), BYTES)}; {scales('l', 0.01, zero, kind)}; g=Gather(w,i); y=DequantizeLinear(g,l,lz)"


QUANTISED_GRAPHS = {"quantised-others": others, "dynamic-products": dynamic_products, "dynamic-layers": dynamic_layers, "quantised-pairs": pairs, "quantised-integers": integers}
