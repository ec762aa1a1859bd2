"""One minimal model or more for each law of a target: what the engine does with it, and what Broadaxe says.

A model is a text, as in the tests of the targets: `x(1,4,n=3)` is an input, whose last dim the file leaves open, `c=const(3)` a
constant, `c=const:i64(2)=3,4` one of these numbers, `y=Conv(a,w) pads=1,1,1,1` a node, `_` an absent input; `opset 6;` and `ir;` come first. The
engine gives the same as the model means, something else (`differs`), or refuses it. Broadaxe says so too, or the word in the
fourth column: `unknown` for what is understood only in part, `unsupported` for what an engine has no layer for.
"""

QDQ = "x(1,3,3,3); s=const(3)=0.0625,0.125,0.25; z=const:i8(3)=0; q=QuantizeLinear(x,s,z) axis=1; d=DequantizeLinear(q,s,z) axis=1"
ONE_QDQ = "x(2,3,4); s=const()=0.05; z=const:u8()=128; q=QuantizeLinear(x,s,z); d=DequantizeLinear(q,s,z)"
PARTS = "p=Relu(x); n=Neg(x); r=Relu(n); k=Mul(s,r); y=Sub(p,k)"
RMS = "s=Pow(x,p); m=ReduceMean(s) axes=-1, keepdims=1; a=Add(m,e); q=Sqrt(a); d=Div(x,q); y=Mul(d,g)"
RMS_PLAIN = RMS.removesuffix("; y=Mul(d,g)")
TWO_MEANS = "x(2,3); i=const:i64(1)=-1; t=const()=2; k=ReduceMean(x,i) keepdims=0; m=Unsqueeze(k,i); n=ReduceMean(x,i) keepdims=1"
CENTRED = "u=Sub(x,m); w=Sub(x,n); s=Pow(w,t); v=ReduceMean(s,i) keepdims=1; a=Add(v,e); q=Sqrt(a); y=Div(u,q)"
WEIGHT = "w=const:u8(2,3)=5,3,9,1; k=const()=0.5; d=DequantizeLinear(w,k)"
QDQ_1 = "x(3); s=const(3)=0.0625,0.125,0.25; z=const:u8(3)=128; q=QuantizeLinear(x,s,z) axis=0; d=DequantizeLinear(q,s,z) axis=0"
NUMBERS = "5,3,9,1,7,2,8,6,4,11"
WEIGHTS = f"w=const:u8(4,6)={NUMBERS}; f=Cast(w) to=f32"
PRODUCT = "m=Mul(f,c); y=MatMul(x,m)"
TABLE = f"w=const:u8(4,4)={NUMBERS}; f=Cast(w) to=f32; i=const:i64(2)=0,2"
STORED = f"w=const:i8(4,6)={NUMBERS}"
SQUARE = f"w=const:i8(4,4)={NUMBERS}; i=const:i64(2)=0,2"
LOOK_UP = "m=Mul(f,c); v=Gather(m,i)"
CONV = "w=const(2,4,3,3); y=Conv(a,w) pads=1,1,1,1"

MNN_MEAN = "m=ReduceMean(s) axes=-1, keepdims=1; a=Add(m,e); q=Sqrt(a)"
MNN_RMS = f"opset 17; x(2,4); p=const()=2; e=const()=0.5; s=Pow(x,p); {MNN_MEAN}; v=Div(x,q)"
MNN_SQUARE = "opset 17; x(4,4); p=const()=2; s=Pow(x,p)"
MNN_CENTRED = f"opset 17; x(4,4); p=const()=2; e=const()=0.5; u=ReduceMean(x) axes=-1, keepdims=1; c=Sub(x,u); s=Pow(c,p); {MNN_MEAN}; v=Div(c,q)"

OPENVINO = [
    # Integer weights that are scaled.
    (f"x(2,4); {WEIGHTS}; c=const(4,1); {PRODUCT}", "differs"),
    (f"x(n=3,4); {WEIGHTS}; z=const(4,1); c=const(6); s=Sub(f,z); m=Mul(s,c); y=MatMul(x,m)", "differs"),
    (f"x(2,4); {WEIGHTS}; c=const(1,1,6); {PRODUCT}", "differs"),
    (f"x(2,4); {WEIGHTS}; c=const(1,1,1,6); {PRODUCT}", "refused"),
    (f"x(5,4); {WEIGHTS}; c=const(4,1); {PRODUCT}", "same"),
    (f"x(2,4); {WEIGHTS}; c=const(6); {PRODUCT}", "same"),
    (f"x(2,4); {WEIGHTS}; c=const(4,1); m=Div(f,c); y=MatMul(x,m)", "same"),
    (f"x(2,4); w=const:u8(6,4)={NUMBERS}; f=Cast(w) to=f32; c=const(4); m=Mul(f,c); y=Gemm(x,m) transB=1", "differs"),
    (f"x(); {TABLE}; c=const(4); {LOOK_UP}; y=Add(x,v)", "differs"),
    (f"x(); {TABLE}; c=const(4,1); {LOOK_UP}; y=Add(x,v)", "same"),
    (f"x(); {TABLE}; c=const(4); {LOOK_UP}; y=Add(x,v); r=Relu(m)", "differs"),
    (f"x(); {TABLE}; c=const(4); {LOOK_UP}; y=Add(x,v); r=Relu(f)", "differs"),
    (f"x(); {TABLE}; z=const()=2; s=Sub(f,z); c=const(4); m=Mul(s,c); v=Gather(m,i); y=Add(x,v); r=Relu(s)", "differs"),
    (f"x(2,4); {WEIGHTS}; c=const(4,1); {PRODUCT}; r=Relu(m)", "same"),
    # Constants of integer weights that a node overwrites: the second run shows it.
    (f"x(2,4); {TABLE}; c=const(); {LOOK_UP}; y=Add(v,x)", "differs"),
    (f"x(2,4); {TABLE}; c=const(); {LOOK_UP}; r=Relu(v); y=Mul(r,x)", "differs"),
    (f"x(2,4); {TABLE}; c=const(); {LOOK_UP}; y=Add(x,v)", "same"),
    (f"x(1,2,4); {TABLE}; c=const(); {LOOK_UP}; y=Add(v,x)", "same"),
    # A root mean square with a scale.
    (f"opset 17; x(3,1); p=const()=2; e=const()=0.5; g=const(4); {RMS}", "differs"),
    (f"opset 17; x(2,4); p=const()=2; e=const()=0.5; g=const(1,1,4); {RMS}", "differs"),
    (f"opset 17; x(2,4); p=const()=2; e=const()=0.5; g=const(3,1,1); {RMS}", "same"),
    (f"opset 17; x(4); p=const()=2; e=const()=0.5; g=const(1,4); {RMS}", "same"),
    # Its epsilon, which has axes that the data lack.
    (f"opset 17; x(2,4); p=const()=2; e=const(1,1,1)=0.5; {RMS_PLAIN}", "differs"),
    (f"opset 17; x(4); p=const()=2; e=const(1,1)=0.5; {RMS_PLAIN}", "differs"),
    (f"opset 17; x(2,4); p=const()=2; e=const(4)=0.5; {RMS_PLAIN}", "same"),
    (f"opset 17; x(2,4); p=const()=2; e=const(1,1,1)=0.5; {RMS_PLAIN}; y=Relu(d)", "differs"),
    (f"opset 17; x(2,4); p=const()=2; e=const(1,1,1)=0.5; {RMS_PLAIN}; l=const()=-1; h=const()=1; y=Clip(d,l,h)", "differs"),
    (f"opset 17; x(2,4); p=const()=2; e=const(1,1,1)=0.5; {RMS_PLAIN}; w=const(4,3); y=MatMul(d,w)", "differs"),
    (f"opset 17; x(2,4); p=const()=2; e=const(1,1,1)=0.5; {RMS_PLAIN}; c=const(4); y=Mul(d,c)", "differs"),
    (f"opset 17; x(2,4); p=const()=2; e=const(1,1,1)=0.5; {RMS_PLAIN}; c=const(2,1); y=Mul(d,c)", "same"),
    (f"opset 17; x(2,4); p=const()=2; e=const(1,1,1)=0.5; {RMS_PLAIN}; c=const(4); y=Add(d,c)", "same"),
    (f"opset 17; x(2,4); p=const()=2; e=const(2,1,1)=0.5; {RMS_PLAIN}; c=const(4); y=Add(d,c)", "differs", "unknown"),
    # A normalisation whose means get back the axis that they lose.
    (f"{TWO_MEANS}; e=const(1,1,1)=0.01; {CENTRED}", "differs"),
    (f"{TWO_MEANS}; e=const()=0.01; {CENTRED}", "same"),
    # Products of constants, of which the first matrix is transposed.
    (f"{WEIGHT}; b=const(2,4); y=Gemm(d,b) transA=1; x(); o=Add(y,x)", "differs"),
    (f"{WEIGHT}; b=const(2,4); y=Gemm(b,d) transA=1; x(); o=Add(y,x)", "differs"),
    (f"{WEIGHT}; t=Transpose(d) perm=1,0; b=const(2,4); y=MatMul(t,b); x(); o=Add(y,x)", "differs"),
    (f"{WEIGHT}; t=Transpose(d) perm=1,0; b=const(3,4); y=Gemm(t,b) transA=1; x(); o=Add(y,x)", "same"),
    (f"{WEIGHT}; b=const(3,4); y=Gemm(d,b); x(); o=Add(y,x)", "same"),
    (f"{WEIGHT}; b=const(2,1); y=Gemm(b,d) transA=1; x(); o=Add(y,x)", "same"),
    (f"{WEIGHT}; x(2,4); y=Gemm(d,x) transA=1", "same"),
    (f"{WEIGHT}; b=const(2,4); y=Gemm(d,b) transA=1; x(); o=Add(y,x); r=Add(d,x)", "same"),
    ("w=const:u8(2,3)=5,3,9,1; f=Cast(w) to=f32; c=const()=0.5; m=Mul(f,c); b=const(2,4); y=Gemm(m,b) transA=1; x(); o=Add(y,x)", "differs"),
    ("w=const:u8(2,3)=5,3,9,1; f=Cast(w) to=f32; c=const()=0.5; m=Div(f,c); b=const(2,4); y=Gemm(m,b) transA=1; x(); o=Add(y,x)", "same"),
    # Quantised data of rank 1 have their channels on axis 0.
    (f"{QDQ_1}; c=const(3); y=Add(d,c)", "same"),
    (f"{QDQ_1}; c=const(3,1); y=Add(d,c)", "differs"),
    # Lists and blocks of quantisations.
    (f"x(2,4); {STORED}; s=const(4)=0.25,0.5,1,2; d=DequantizeLinear(w,s) axis=0; y=MatMul(x,d)", "differs"),
    (f"x(2,4); {STORED}; s=const(6)=0.25,0.5,1,2; d=DequantizeLinear(w,s) axis=1; y=MatMul(x,d)", "same"),
    (f"x(2,6); {STORED}; s=const(6)=0.25,0.5,1,2; d=DequantizeLinear(w,s) axis=1; y=Gemm(x,d) transB=1", "differs"),
    (f"x(); {SQUARE}; s=const(4)=0.25,0.5,1,2; d=DequantizeLinear(w,s) axis=1; v=Gather(d,i); y=Add(x,v)", "differs"),
    (f"opset 21; x(2,4); {STORED}; s=const(2,6)=0.25,0.5; d=DequantizeLinear(w,s) axis=0 block_size=2; y=MatMul(x,d)", "same"),
    (f"opset 21; x(2,4); {STORED}; s=const(4,3)=0.25,0.5; d=DequantizeLinear(w,s) axis=1 block_size=2; y=MatMul(x,d)", "refused"),
    ("opset 21; x(2,6); s=const(2,2)=0.25,0.5; z=const:i8(2,2)=0; q=QuantizeLinear(x,s,z) axis=1 block_size=4", "refused"),
    ("opset 21; x(2,6); s=const(2,3)=0.25,0.5; q=QuantizeLinear(x,s) axis=1 block_size=2", "refused"),
    ("opset 21; x(2,6); s=const(2,3)=0.25,0.5; z=const:i8(2,3)=0; q=QuantizeLinear(x,s,z) axis=1 block_size=2", "same"),
    ("x(2,c=4,3); s=const(4)=0.25,0.5,1,2; z=const:i8(4)=0; q=QuantizeLinear(x,s,z) axis=1", "refused"),
    ("x(2,4,n=4); s=const(4)=0.25,0.5,1,2; z=const:i8(4)=0; q=QuantizeLinear(x,s,z) axis=1", "same"),
    ("opset 12; x(2,4,4); s=const(4)=0.25,0.5,1,2; z=const:i8(4)=0; q=QuantizeLinear(x,s,z)", "differs"),
    # LayerNormalization.
    ("x(2,2); s=const(1,2); y=LayerNormalization(x,s) axis=0", "same"),
    ("x(1,2,2); s=const(1,2,1); y=LayerNormalization(x,s) axis=2", "differs"),
    ("x(1,3); s=const(1); y=LayerNormalization(x,s) axis=0", "refused"),
    ("x(n=7,3); s=const(); y=LayerNormalization(x,s) axis=1", "refused", "unknown"),
    ("x(n=7,m=2,3); s=const(); y=LayerNormalization(x,s) axis=1", "differs", "unknown"),
    # A product before a convolution.
    (f"x(1,4,2,3); c=const(3); a=Mul(x,c); {CONV}", "differs"),
    ("x(1,4,7,7); c=const(7,7); a=Mul(x,c); w=const(4,1,7,7); y=Conv(a,w) pads=3,3,3,3 group=4", "differs"),
    ("x(1,4,3,3); c=const(3); a=Mul(x,c); w=const(2,4,3,3); y=Conv(a,w)", "same"),
    ("x(1,1,5,5); c=const(4,1,1); a=Mul(x,c); w=const(2,4,3,3); y=Conv(a,w)", "refused"),
    ("x(2); a=Relu(x); c=const(1,1,1); b=Mul(a,c); w=const(1,1,1); y=Conv(b,w)", "refused"),
    ("x(2); a=Relu(x); c=const(1,1,1); b=Add(a,c); w=const(1,1,1); y=Conv(b,w)", "same"),
    ("x(2,2,2); s=const(2); a=LayerNormalization(x,s) axis=2; w=const(1,2,2); y=Conv(a,w) pads=1,1", "differs"),
    ("x(2,2,2); s=const(2); b=const(2); a=LayerNormalization(x,s,b) axis=2; w=const(1,2,2); y=Conv(a,w) pads=1,1", "same"),
    # Behind a quantisation.
    (f"{QDQ}; c=const(3); y=Add(d,c)", "differs"),
    (f"{QDQ}; c=const(3,1,1); y=Add(d,c)", "same"),
    (f"{QDQ}; c=const(3); y=Mul(d,c)", "same"),
    (f"{ONE_QDQ}; a=const()=-0.5; b=const()=0.75; y=Clip(d,a,b)", "differs", "unknown"),
    (f"{ONE_QDQ}; a=const()=-0.5; b=const()=0.75; m=Max(d,a); y=Min(m,b)", "differs", "unknown"),
    (f"{ONE_QDQ}; b=const()=0.75; y=Min(d,b)", "same"),
    ("x(1,5); g=const(5); v=LayerNormalization(x,g); s=const()=0.05; z=const:u8()=128; q=QuantizeLinear(v,s,z)", "differs", "unknown"),
    ("x(1,5); g=const(5); b=const(5); v=LayerNormalization(x,g,b); s=const()=0.05; z=const:u8()=128; q=QuantizeLinear(v,s,z)", "same"),
    # A factor per channel, sums of computed operands, and Sum.
    ("x(3,3); s=const()=0.05; z=const:u8()=128; q=QuantizeLinear(x,s,z); d=DequantizeLinear(q,s,z); m=const(3); r=Mul(d,m); c=const(3,1); y=Add(r,c)", "differs"),
    ("x(3,3,3); s=const()=0.05; z=const:u8()=128; q=QuantizeLinear(x,s,z); d=DequantizeLinear(q,s,z); m=const(3,1); r=Mul(d,m); c=const(1,1,3,1); y=Add(r,c)", "differs"),
    (f"{QDQ}; c=const(3); y=Sum(d,c)", "differs"),
    (f"{QDQ}; r=Add(d,d); c=const(3); y=Add(r,c)", "differs"),
    (f"{QDQ}; r=LeakyRelu(d); c=const(3); y=Add(r,c)", "differs"),
    ("x(2,3,4,4); z(2,3,4,4); w=const(3,3,1,1); v=Conv(x,w); c=const(3,1,1); y=Max(v,c,z)", "same"),
    ("x(2,3,4,4); z(2,3,4,4); v=Transpose(x) perm=0,1,3,2; c=const(1,3,1,1); y=Sum(v,c,z)", "same"),
    ("x(2,3,4,4); z(2,3,4,4); v=Transpose(x) perm=0,1,3,2; c=const(1,1,1,1,1); y=Sum(v,c,z)", "differs", "unknown"),
    ("x(2,3); z(2,3); a=const(1,1,1)=-0.5; b=const()=0.75; m=Max(z,x,a); y=Min(m,b)", "differs", "unknown"),
    # What becomes a PRelu, and slopes.
    (f"x(3,3,3,3); s=const(3); {PARTS}", "differs"),
    (f"x(3,3,3,3); s=const(1,1,1,3); {PARTS}", "same"),
    ("x(1,3,2,4); w=const(4,3); m=MatMul(x,w); s=const(3,1,1); y=PRelu(m,s)", "differs"),
    ("x(1,3,2,4); w=const(4,5); m=MatMul(x,w); s=const(3,1,1); y=PRelu(m,s)", "refused"),
    ("x(1,3,2,4); w=const(4,3); m=MatMul(x,w); s=const(3); y=PRelu(m,s)", "same"),
    ("x(2,c=3,4); s=const(4); y=PRelu(x,s)", "differs"),
    ("x(b=2,3,4); s=const(4); y=PRelu(x,s)", "same"),
    ("x(2,2); t(n=2,m=2); s=Tanh(t); y=PRelu(x,s)", "differs", "unknown"),
    ("x(2,2); t(2,2); s=Tanh(t); y=PRelu(x,s)", "same"),
    ("x(2,2,3,3); w=const(1,2,2,2); k=Conv(x,w) pads=1,1,1,1; m=MaxPool(k) kernel_shape=1,2; s=const()=-0.5; y=PRelu(m,s)", "differs", "unknown"),
    ("x(2,2,3,3); w=const(1,2,2,2); k=Conv(x,w) pads=1,1,1,1; m=MaxPool(k) kernel_shape=1,2; s=const()=0.5; y=PRelu(m,s)", "same"),
    # Behind a reduction.
    ("opset 13; x(2,3,4); r=ReduceMean(x) axes=2, keepdims=1; c=const(3,1); y=Add(r,c)", "differs"),
    ("opset 13; x(2,3,4); r=ReduceMax(x) axes=0, keepdims=1; c=const(1,3,1); y=Mul(r,c)", "differs"),
    ("opset 13; x(2,3,4); r=ReduceMean(x) axes=2, keepdims=1; c=const(2,3,1); y=Add(r,c)", "same"),
    ("opset 13; x(2,3,4,5); r=ReduceMean(x) axes=3, keepdims=1; c=const(3,1,1); y=Add(r,c)", "same"),
    ("opset 13; x(1,2,2); r=ReduceMean(x) axes=0, keepdims=0; c=const(2,1); y=Add(r,c)", "differs", "unknown"),
    ("opset 13; x(2,3,4); r=ReduceMean(x) axes=2, keepdims=1; c=const(3,1); y=Sum(r,c)", "differs"),
    ("opset 13; x(2,3,4); z(1,3,1); r=ReduceMean(x) axes=2, keepdims=1; c=const(3,1); y=Mean(r,c,z)", "differs", "unknown"),
    # Behind a convolution, with open dims.
    ("a(2,3,2,2); x(n=1,3,2,2); w=const(3,3,1,1); c=Conv(a,w); y=Add(c,x)", "differs", "unknown"),
    ("a(n=2,3,2,2); x(n=2,3,2,2); w=const(3,3,1,1); c=Conv(a,w); y=Add(c,x)", "same"),
    ("a(2,3,2,2); x(1,3,2,2); w=const(3,3,1,1); c=Conv(a,w); y=Add(c,x)", "same"),
    # Constants of higher rank, and of one element.
    ("x(2,3); e=Exp(x); a=const(1,1,1)=1; s=Add(e,a); y=Log(s)", "differs"),
    ("x(1,3); b=const(2,1)=2; m=Mul(x,b); s=Sigmoid(m); y=Mul(x,s)", "differs"),
    ("x(2,3); t=Transpose(x) perm=1,0; a=const(1,1,1); y=Max(t,a)", "differs"),
    ("x(2,3); a=const(1,1,1); y=Add(x,a)", "same"),
    ("x(2,3); c=const(1,1,1); m=Mul(c,x); s=Sigmoid(m); y=Mul(x,s)", "differs"),
    ("x(2,3); c=const(1,1,1); m=Mul(c,x); s=Sigmoid(m); y=Mul(s,x)", "same"),
    ("x(2); c=const(1,1)=3; l=const()=0; h=const()=6; a=Add(x,c); k=Clip(a,l,h); y=Mul(x,k)", "differs"),
    ("x(2,2); f=Flatten(x) axis=2; c=const(); a=Add(c,f); d=const(1,1,1); y=Add(d,a)", "differs"),
    ("x(2,2); f=Flatten(x) axis=2; d=const(1,1,1); y=Add(d,f)", "same", "unknown"),
    ("x(2,3); t=const:i64(3)=1,2,3; e=Expand(x,t); a=const(1,1,1)=0; m=Max(e,a); b=const()=1; y=Min(m,b)", "differs"),
    (f"{ONE_QDQ}; t=const:i64(4)=1,2,3,4; e=Expand(d,t); c=const(1,1,1,1); y=Sub(c,e)", "differs"),
    ("opset 6; x(1,1,1); c=const(1,1,1); y=Max(x,c)", "refused"),
    ("ir; x(1,1); c=const(1,1); y=Add(x,c) auto_broadcast=none", "refused"),
    ("ir; x(1); c=const(1); y=Add(x,c) auto_broadcast=none", "same"),
    ("ir; x(2,3); c=const(2,3); y=Add(x,c) auto_broadcast=none", "same"),
    # PDPD.
    ("ir; x(3,3,3); c=const(3); a=Add(x,c) auto_broadcast=pdpd axis=0; d=const(); y=Multiply(a,d) auto_broadcast=numpy", "differs"),
    ("ir; x(3,3,3); c=const(3); a=Multiply(x,c) auto_broadcast=pdpd axis=0; d=const(); y=Add(a,d) auto_broadcast=numpy", "same"),
    # Old files.
    ("opset 6; x(2,2); b(2); y=Less(x,b) broadcast=1 axis=0", "differs"),
    ("opset 6; x(2,2); b(2); y=Mul(x,b) broadcast=1 axis=0", "same"),
    ("opset 1; x(2,2); b(2,2); y=Add(x,b) consumed_inputs=0,0", "refused"),
    (f"{ONE_QDQ}; x2(1,1,1,1); c=const(1,1,1,1,1); y=Sub(c,x2); w=Relu(d)", "differs", "unknown"),
    # Products of matrices.
    ("x(2,3); w(n=2,3); v=Abs(w); c=const(2); y=Gemm(x,v,c) transB=1 alpha=0.5", "refused", "unknown"),
    ("x(1,2,2); w(2,2); m=MatMul(x,w); c=const(2); y=Mul(m,c)", "differs", "unknown"),
    ("x(1,2,2); w=const(2,2); m=MatMul(x,w); c=const(2); y=Mul(m,c)", "same"),
    ("x(1,1); w=const(1,1); m=MatMul(x,w); c=const(); k=Mul(m,c); v=const(1,1); y=MatMul(k,v)", "refused", "unknown"),
    ("a(2,3,4); b(2,4,3); m=MatMul(a,b); s=Softmax(m) axis=2; v(2,3,5); o=MatMul(s,v); c=const(2,1,1,1); y=Add(c,o)", "refused", "unknown"),
    ("a(2,3,4); b(2,4,3); m=MatMul(a,b); s=Softmax(m) axis=2; v(2,3,5); o=MatMul(s,v); c=const(2,1,1); y=Add(c,o)", "same"),
    # Others.
    ("a(3); b(1); c=Concat(a,b) axis=0; d=Abs(c); y=Div(c,d)", "differs", "unknown"),
    ("a(3,3); b(1,3); c=Concat(a,b) axis=0; d=Abs(c); y=Div(c,d)", "same"),
    ("x(2,3); a=const()=0; b=const()=6; y=Clip(x,a,b)", "same"),
    ("x(); t=const:i64(0)=; y=Expand(x,t)", "differs"),
    ("x(1); t=const:i64(0)=; y=Expand(x,t)", "same"),
    ("def f(a,b): v=Add(a,b); x(2,3); c=const(3); y=f(x,c)", "refused"),
]

ONNX = [
    ("x(2,3); a=const(1)=0; b=const(1)=6; y=Clip(x,a,b)", "same"),
    ("x(3); a=const(1,1)=0; b=const(1,1)=6; y=Clip(x,a,b)", "refused"),
    ("x(6,4); s=const(4)=0.5; q=QuantizeLinear(x,s) axis=1", "same"),
    ("x(6,4); s=const(1)=0.5; q=QuantizeLinear(x,s) axis=7", "same"),
    ("x(6,4); s=const(6)=0.5; q=QuantizeLinear(x,s)", "refused"),
    ("x(6,4); s=const(4)=0.5; z=const:u8()=0; q=QuantizeLinear(x,s,z)", "refused"),
    ("opset 21; x(6,7); s=const(6,2)=0.5; q=QuantizeLinear(x,s) block_size=4", "same"),
    ("opset 21; x(6,8); s=const(6,2)=0.5; q=QuantizeLinear(x,s) axis=0 block_size=4", "refused"),
    ("opset 21; x(4); s=const(1)=0.5; q=QuantizeLinear(x,s) axis=0 block_size=4", "refused"),
    ("x(3,3); o=const(1,1,1)=1; d=Div(o,x); z(3,3); y=Mul(d,z)", "differs"),
    ("x(3,3); o=const(1,1)=1; d=Div(o,x); z(3,3); y=Mul(d,z)", "same"),
    ("opset 20; x(); c=const(1); m=Mul(x,c); s=Sigmoid(m); y=Mul(x,s)", "differs"),
    (f"opset 17; x(2,3); p=const()=2; e=const(1,1,1)=0.5; g=const(3); {RMS}", "differs"),
    (f"opset 17; x(3); p=const()=2; e=const()=0.5; g=const(2,3); {RMS}", "refused"),
    (f"opset 17; x(3,1); p=const()=2; e=const()=0.5; g=const(2); {RMS}", "refused"),
    (f"opset 17; x(3,1); p=const()=2; e=const()=0.5; g=const(1,2); {RMS}", "same"),
    (f"opset 17; x(1,3); p=const()=2; e=const()=0.5; g=const(2,3); {RMS}", "same"),
    ("def f(a,b): v=Add(a,b); x(2,3); c=const(3); y=f(x,c)", "same"),
]

POOL = "p=AveragePool(x) kernel_shape=1,1"
NORM = "n=ReduceL2(p,a) keepdims=1; e=const()=0.0001; c=Clip(n,e)"

NCNN = [
    # Gemm.
    ("x(3,5); b=const(5,4); c=const(4); y=Gemm(x,b,c)", "same"),
    ("x(3,5); b=const(5,4); c=const(1,4); y=Gemm(x,b,c)", "refused"),
    ("x(3,5); b=const(5,4); c(4); y=Gemm(x,b,c)", "refused"),
    ("x(3,5); b(5,4); c=const(3,1); y=Gemm(x,b,c)", "same"),
    ("x(3,5); b(4,5); c=const(4); y=Gemm(x,b,c) transB=1", "refused"),
    ("x(3,5); b=const(5,4); c=const(3,1); y=Gemm(x,b,c) alpha=0.5", "same"),
    ("x(3,5); b=const(5,4); c(1,4); y=Gemm(x,b,c) beta=2.0", "same"),
    # LayerNormalization.
    ("x(2,3,4); s=const(4); b=const(4); y=LayerNormalization(x,s,b)", "same"),
    ("x(2,3,4); s=const(1,4); b=const(4); y=LayerNormalization(x,s,b)", "same"),
    ("x(2,3,4); s=const(1); b=const(1); y=LayerNormalization(x,s,b)", "refused"),
    ("x(2,3,4); s=const(4); b=const(); y=LayerNormalization(x,s,b)", "refused"),
    ("x(2,3,1); s=const(1); b=const(); y=LayerNormalization(x,s,b)", "same"),
    ("x(2,3,4); s=const(3,4); b=const(3,4); y=LayerNormalization(x,s,b) axis=-2", "differs"),
    ("x(1,1,4); s=const(4); b=const(4); y=LayerNormalization(x,s,b) axis=-2", "same"),
    ("x(2,4,4); s=const(4,1); b=const(4); y=LayerNormalization(x,s,b)", "differs"),
    ("x(2,3,4); s=const(4); y=LayerNormalization(x,s)", "refused", "unsupported"),
    # Constants of higher rank, and ranks.
    ("x(3); c=const(1,1); y=Sub(x,c)", "differs"),
    ("x(3); c=const(1,3); y=Sub(x,c)", "same"),
    ("x(2,2,2,2,2); c=const(2); y=Add(x,c)", "refused"),
    # The batch.
    (f"x(2,3,4,5); {POOL}; c=const(2,1,1,5); y=Mul(p,c)", "differs"),
    (f"x(2,3,4,5); {POOL}; t=const:i64(3)=2,12,5; r=Reshape(p,t); c=const(2,1,5); y=Mul(r,c)", "differs"),
    (f"x(2,3,1,1); {POOL}; t=const:i64(2)=6,1; r=Reshape(p,t); c=const(6,1); y=Mul(r,c)", "same"),
    (f"x(2,2,4,3); {POOL}; c(2,1,2,1,1); y=Add(c,p)", "differs"),
    (f"x(2,2,2,4); {POOL}; t=Transpose(p) perm=1,3,2,0; c(2,2); y=Sub(t,c)", "refused"),
    (f"x(2,3,2,3); {POOL}; c(2,3); y=Add(c,p)", "same"),
    ("x(5,1,5); c=const(4,1,1,1); d=Sub(x,c); y=AveragePool(d) kernel_shape=1,1", "differs"),
    ("x(2,2); a=const:i64(1)=1; u=Unsqueeze(x,a); d=Sub(u,x); y=AveragePool(d) kernel_shape=2,", "differs"),
    ("x(1,3,4,4); w=const(4,3,1,1); c=Conv(x,w); t=Transpose(c) perm=1,0,2,3; y=Div(t,x)", "differs"),
    ("x(1,3,4,4); w=const(4,3,1,1); c=Conv(x,w); t=Transpose(c) perm=1,0,2,3; k=const(4,1,4,4); y=Div(t,k)", "same"),
    ("x(1,5,6); g=const(6); l=LayerNormalization(x,g,g); s=const:i64(3)=2,5,6; y=Expand(l,s)", "differs"),
    ("x(2,4,6); g=const(6); l=LayerNormalization(x,g,g); t=Transpose(l) perm=1,2,0; h=const(2); y=LayerNormalization(t,h,h)", "differs"),
    (f"x(1,3,4,5); {POOL}; a=const:i64(1)=3; {NORM}; s=const:i64(4)=1,3,4,5; d=Expand(c,s); y=Div(p,d)", "differs"),
    (f"x(1,3,4,5); {POOL}; a=const:i64(1)=1; {NORM}; s=const:i64(4)=1,3,4,5; d=Expand(c,s); y=Div(p,d)", "same"),
    (
        "x(3,5); b=const(5,4); c=const(4); y=Gemm(x,b,c) alpha=0.5; z=const(4); w=const(4); o=LayerNormalization(y,z,w)",
        "refused",
        "unknown",
    ),
    ("x(2,1,2); w=const(1,1,1); k=Conv(x,w); m=const(2,2,1); v=MatMul(k,m); c=const(2,1,1); y=Add(v,c)", "differs", "unknown"),
    # Rank 0, and one tensor several times.
    ("x(); c=const(); y=Add(x,c)", "differs"),
    ("x(3); y=Sum(x,x)", "same"),
    ("x(3); r=Relu(x); y=Sum(r,r,r)", "refused"),
    # What pnnx makes one operation of.
    ("x(2,3); t=Tanh(x); y=Sub(x,t)", "refused", "unsupported"),
    ("x(2,3); o=const()=1; a=Abs(x); b=Add(a,o); y=Div(x,b)", "refused", "unsupported"),
]
MNN_CONV_1 = "x(2,2,3); k=const(4,2,2); b=const(4); n=Conv(x,k,b) kernel_shape=2, strides=1,"
MNN_POOL = "x(2,4,5,5); n=AveragePool(x) kernel_shape=2,2 strides=1,1"
MNN_BELOW = "x(2,4,3,4); n=MaxPool(x) kernel_shape=2,2 strides=1,1; a=Abs(n); m=Neg(a)"
MNN_CONV = "x(1,2,3,3); k=const(3,2,1,1); n=Conv(x,k) kernel_shape=1,1, strides=1,1"

MNN = [
    # Normalisations made of nodes.
    (f"{MNN_RMS}; g=const(4); y=Mul(v,g)", "same"),
    (f"{MNN_RMS}; g=const(1); y=Mul(v,g)", "differs"),
    (f"{MNN_RMS}; g=const(2,1); y=Div(v,g)", "differs"),
    (f"{MNN_RMS}; g=const(1,1,4); y=Mul(g,v)", "differs"),
    (f"{MNN_RMS}; g=const(2,1); y=Add(v,g)", "same"),
    (f"opset 17; x(2,4); z(2,4); d=Sub(x,z); s=Mul(d,d); e=const()=0.5; {MNN_MEAN}; v=Div(d,q); g=const(2,1); y=Mul(v,g)", "same"),
    (f"opset 17; x(2,4); z(2,4); d=Add(x,z); s=Mul(d,d); e=const()=0.5; {MNN_MEAN}; v=Div(d,q); g=const(2,1); y=Mul(v,g)", "differs"),
    (f"{MNN_RMS}; r=Relu(v); g=const(2,1); y=Mul(r,g)", "same"),
    (f"{MNN_SQUARE}; e=const()=0.5; {MNN_MEAN}; i=const()=1; r=Div(i,q); v=Mul(x,r); g=const(4,1); y=Mul(v,g)", "differs"),
    (f"{MNN_SQUARE}; e=const()=0.5; {MNN_MEAN}; i=const(1)=1; r=Div(i,q); v=Mul(x,r); g=const(4,1); y=Mul(v,g)", "same"),
    (MNN_CENTRED.replace("v=Div(c,q)", "w=ReduceMean(x) axes=-1, keepdims=1; d=Sub(x,w); v=Div(d,q); g=const(4,1); y=Mul(v,g)"), "differs"),
    (f"{MNN_CENTRED}; g=const(4); k=Mul(v,g); b=const(4,1); y=Add(k,b)", "differs"),
    (f"{MNN_CENTRED}; g=const(4); k=Mul(v,g); b=const(1); y=Add(k,b)", "same"),
    (f"{MNN_SQUARE}; e=const(4,1)=1,2,3,4; m=ReduceMean(s) axes=-1, keepdims=1; a=Add(m,e); q=Sqrt(a); y=Div(x,q)", "differs"),
    (f"{MNN_SQUARE}; e=const()=0.5; m=ReduceMean(s) axes=-1, keepdims=0; a=Add(m,e); q=Sqrt(a); y=Div(x,q)", "differs"),
    # The repair asks about the product with operands of other ranks.
    (f"{MNN_SQUARE}; e=const()=0.5; i=const()=1; m=ReduceMean(s) axes=-1, keepdims=0; a=Add(m,e); q=Sqrt(a); d=Div(i,q); y=Mul(x,d)", "differs"),
    ("x(8); s=const(8); y=LayerNormalization(x,s) axis=0", "differs"),
    ("x(8); s=const(8); y=LayerNormalization(x,s) axis=-1", "same"),
    ("x(2,3); s(2,3); y=LayerNormalization(x,s) axis=0", "differs"),
    ("x(2,3); s=const(2,3); y=LayerNormalization(x,s) axis=-2", "same"),
    ("x(2,3,4); s=const(2,3,4); y=LayerNormalization(x,s) axis=0", "differs"),
    # Convolutions.
    (f"{MNN_CONV}; c=const(3,1,1); y=Add(n,c)", "same"),
    (f"{MNN_CONV}; c=const(3); y=Add(n,c)", "differs"),
    (f"{MNN_CONV}; c=const(1,1,3,1); y=Add(n,c)", "differs"),
    (f"{MNN_CONV}; c=const(3); y=Add(c,n)", "same"),
    (f"{MNN_CONV}; c(3); y=Add(n,c)", "same"),
    (f"{MNN_CONV}; c=const(3); y=Mul(n,c)", "same"),
    (f"{MNN_CONV}; c=const(1,1,3,1,1); y=Add(n,c)", "differs"),
    (f"{MNN_CONV}; m=Relu(n); c=const(3,1,1); y=Add(m,c)", "differs"),
    (f"{MNN_CONV}; m=Relu(n); c=const(3,1,1); y=Add(c,m)", "same"),
    (f"{MNN_CONV}; m=Relu(n); c=const(3,1,1); y=Sub(m,c)", "same"),
    (f"{MNN_CONV}; m=Sigmoid(n); c=const(3); y=Add(m,c)", "same"),
    (f"{MNN_CONV}; c=const(1,1,1,1); y=Sub(c,n)", "differs"),
    (f"{MNN_CONV}; c=const(1,1,1,1); y=Sub(n,c)", "same"),
    (f"{MNN_CONV}; c=const(1,1,1,1,1); y=Mul(n,c)", "differs"),
    (f"{MNN_CONV}; c=const(1,1,1); y=Sub(c,n)", "same"),
    (f"{MNN_CONV}; c(1,1,1,1); y=Sub(c,n)", "same"),
    (f"{MNN_CONV}; m=Sigmoid(n); c=const(1,1,1,1); y=Sub(c,m)", "differs"),
    (f"{MNN_CONV}; m=Softmax(n) axis=1; c=const(1,1,1,1); y=Sub(c,m)", "same"),
    *[
        (f"opset 20; {MNN_POOL}; m={op}(n); c=const(1,1,1,1); y=Sub(c,m)", "differs")
        for op in ("Asinh", "Atan", "Cos", "Sinh", "Tan")
    ],
    *[
        (f"x(2,4,5,5); q=const(4)=1,1,2,2; g=const(4); n={layer}; c=const(1,1,1,1); y=Sub(c,n)", "differs")
        for layer in (
            "GlobalMaxPool(x)", "GlobalAveragePool(x)", "LpPool(x) kernel_shape=2,2 strides=1,1", "LRN(x) size=3", "Resize(x,_,q)",
            "Resize(x,_,q) mode=linear", "InstanceNormalization(x,g,g)",
        )
    ],  # fmt: skip
    ("x(2,4,5,5); n=DepthToSpace(x) blocksize=2; c=const(1,1,1,1); y=Sub(c,n)", "same"),
    ("x(2,3,2); n=GlobalMaxPool(x); c=const(1,1,1); y=Add(c,n)", "differs"),
    ("x(1,3,4); n=GlobalMaxPool(x); c=const(1,1,1); y=Add(c,n)", "same"),
    (f"{MNN_CONV_1}; y=Relu(n)", "differs"),
    (f"{MNN_CONV_1}; y=LeakyRelu(n)", "differs"),
    (f"{MNN_CONV_1}; m=Relu(n); y=Relu(m)", "differs"),
    (f"{MNN_CONV_1}; l=const()=-1; h=const()=1; y=Clip(n,l,h)", "differs"),
    (f"{MNN_CONV_1}; l(); y=Clip(n,l)", "same"),
    (f"{MNN_CONV_1}; s=const(); y=PRelu(n,s)", "differs"),
    (f"{MNN_CONV_1}; s=const(4,1); y=PRelu(n,s)", "same"),
    (f"{MNN_CONV_1}; y=Tanh(n)", "same"),
    (f"{MNN_CONV_1}; y=HardSwish(n)", "same"),
    (f"{MNN_CONV_1}; y=Identity(n)", "same"),
    (f"{MNN_CONV_1}; m=Relu(n); y=Tanh(m)", "same"),
    (f"{MNN_BELOW}; c=const(2,3)=-0.5,-0.1,-2; y=Greater(c,m)", "differs"),
    (f"{MNN_BELOW}; c=const(2,3)=-0.5,-0.1,-2; y=Greater(m,c)", "same"),
    (f"{MNN_BELOW}; c=const()=-0.5; y=GreaterOrEqual(c,m)", "same"),
    (f"{MNN_BELOW}; c=const(2,4,2,3)=-0.5,-0.1,-2; y=GreaterOrEqual(c,m)", "same"),
    (f"{MNN_BELOW}; c(2,3); y=LessOrEqual(c,m)", "same"),
    (f"{MNN_BELOW}; c=const(2,3)=-0.5,-0.1,-2; y=Max(c,m)", "same"),
    (f"{MNN_CONV}; m=Abs(n); c=const(1,1,1,1); y=Sub(c,m)", "differs"),
    (f"{MNN_CONV}; m=Floor(n); g=Neg(m); c=const(1,1,1,1); y=Sub(c,g)", "differs"),
    (f"{MNN_CONV}; m=Abs(n); c=const(1,1,1,1); y=Sub(m,c)", "same"),
    (f"{MNN_CONV}; z=const(3,1,1); m=Max(n,z); c=const(1,1,1,1); y=Sub(c,m)", "differs"),
    # Layouts that a result has from its first operand, or from that with more axes.
    ("x(1,1,3,3); n=GlobalMaxPool(x); c=const(2,2); y=Div(n,c)", "differs"),
    ("x(1,1,3,3); n=GlobalMaxPool(x); z(2,2); y=Div(n,z)", "same"),
    ("x(1,5,3,3); s=const(5); n=PRelu(x,s); c=const(1,1,1,1); y=Mul(c,n)", "differs"),
    ("x(2,5,3,4); w=const(5,5,1,1); n=Conv(x,w); m=Concat(n,x) axis=1; c=const(1,1,1,1); y=Mul(c,m)", "same"),
    ("x(2,5,3,4); w=const(5,5,1,1); n=Conv(x,w); k=const(2,5,3,4); m=Mul(k,n); s=const(1,5,1,1); y=PRelu(m,s)", "differs"),
    ("x(2,5,3,4); w=const(5,5,1,1); n=Conv(x,w); k=const(2,5,3,4); m=Mul(k,n); y=GlobalMaxPool(m)", "differs"),
    ("x(2,5,3,4); w=const(5,5,1,1); n=Conv(x,w); k=const(2,5,3,4); m=Mul(n,k); y=GlobalMaxPool(m)", "same"),
    # Sums and bounds before a Squeeze.
    ("opset 11; x(2,1,3); n=Squeeze(x) axes=1,; c=const(3); y=Add(n,c)", "differs"),
    ("opset 11; x(2,1,3); n=Squeeze(x) axes=1,; c=const(1,3); y=Add(n,c)", "same"),
    ("x(2,1,3); i=const:i64(1)=1; n=Squeeze(x,i); l=const()=0; h=const()=6; y=Clip(n,l,h)", "differs"),
    ("x(4); w=const(4,4); n=MatMul(x,w); c=const(1); y=Add(n,c)", "differs"),
    ("x(4); w=const(4,4); n=MatMul(x,w); c=const(1); y=Add(n,c); z=Tanh(y)", "same"),
    ("x(2,4); w=const(4,1); n=MatMul(x,w); c=const(1,1,1); y=Add(n,c)", "differs"),
    ("x(1,2,1,1); k=const(7,2,1,1); n=Conv(x,k) kernel_shape=1,1, strides=1,1; c=const(1,1,1,1); y=Sub(c,n)", "same"),
    # Element types.
    ("a:u8(2,3); b=const:u8(3); y=Add(a,b)", "refused"),
    ("a:i8(2,3); b:i8(3); y=Max(a,b)", "refused"),
    ("a:u8(3); b:u8(1); y=Less(a,b)", "refused"),
    ("a:u8(3); b:u8(3); y=Equal(a,b)", "refused"),
    ("a:i8(2,3); b:i8(3); y=Mod(a,b)", "refused"),
    ("x(2,3); a=Cast(x) to=u8; c=const:u8(3); y=Add(a,c)", "refused"),
    ("x:u8(2,3); l=const:u8()=2; h=const:u8()=3; y=Clip(x,l,h)", "refused"),
    ("c:bool(2,3); a:u8(2,3); b:u8(2,3); y=Where(c,a,b)", "same"),
    ("x:i64(2,3); s:i64(3); y=PRelu(x,s)", "refused"),
    ("x(2,3); a=Cast(x) to=i32; s=const:i32(3); y=PRelu(a,s)", "differs"),
    # Products of matrices.
    ("a(4,3); b(3,4); c=const(4,1); p=MatMul(a,b); y=Add(p,c)", "differs"),
    ("a(4,3); b(3,4); c=const(1,1,4); p=MatMul(a,b); y=Add(p,c)", "differs"),
    ("a(4,3); b(3,4); c=const(1,4); p=MatMul(a,b); y=Add(p,c)", "same"),
    ("a(5,3); b(3,4); c=const(5,1); p=MatMul(a,b); y=Add(p,c)", "same"),
    # Slopes, Where, comparisons, sums.
    ("x(1,3,4,5); s=const(1,5); y=PRelu(x,s)", "differs"),
    ("x(1,3,4,5); s=const(1,1,1,5); y=PRelu(x,s)", "same"),
    ("c:bool(3,4); x(3,4); z(4); y=Where(c,x,z)", "differs"),
    ("c:bool(3,4); x(4); z(3,4); y=Where(c,x,z)", "same"),
    ("x(8,9); z(8,9); y=Less(x,z)", "differs"),
    ("x(8,9); z=const()=-0.5; y=Less(x,z)", "differs"),
    ("x(8,9); z=const()=0; y=Less(x,z)", "same"),
    ("x(8,9); r=Abs(x); z(9); y=Less(r,z)", "same"),
    ("x(8,1); z(9); y=Greater(x,z)", "differs"),
    ("x(8,9); z(9); y=Greater(x,z)", "same"),
    ("x(2,3); z(3); w(2,1); y=Sum(x,z,w)", "differs"),
    ("x(2,3); y=Max(x)", "refused"),
    ("x(2,3); y=Sum(x)", "refused"),
    ("x(2,3); z(2,3); y=Mean(x,z)", "refused"),
    ("x(2,3); z(3); y=Mod(x,z) fmod=1", "differs"),
    ("opset 6; x(2,2); b(2); y=Mul(x,b) broadcast=1 axis=0", "differs"),
    ("x(2,0); c=const(0); y=Add(x,c)", "refused"),
    ("a=const(2,16); s=const(1,16); k=PRelu(a,s); x(1); y=Mul(x,k)", "differs"),
    ("a=const(2,3); s=const(2,3); k=PRelu(a,s); x(1); y=Mul(x,k)", "same"),
    ("a=const(2,3); g=const(3); v=const(3)=1; k=BatchNormalization(a,g,g,g,v); x(1); y=Mul(x,k)", "differs"),
    ("a:i32(2,3); b:i32(3); y=BitwiseAnd(a,b)", "refused", "unsupported"),
    # Gemm.
    ("a(3,4); b=const(3,5); c=const(5); y=Gemm(a,b,c) transA=1", "differs"),
    ("a(3,4); b(3,5); c=const(5); y=Gemm(a,b,c) transA=1", "same"),
    ("a(3,4); b=const(3,1); c=const(1); y=Gemm(a,b,c) transA=1", "same"),
    ("a(3,4); b=const(3,5); n=Gemm(a,b) transA=1; c=const(); y=Mul(n,c)", "differs"),
    ("a(4,3); b(3,4); c=const(4,1); y=Gemm(a,b,c)", "differs"),
    ("a(4,3); b(3,4); c=const(4,1); y=Gemm(a,b,c) alpha=0.5", "same"),
    ("a(4,3); b(3,4); c(4,1); y=Gemm(a,b,c)", "same"),
    ("a(4,3); b(3,4); g=Gemm(a,b); c=const(4,1); y=Add(g,c)", "differs"),
    # LayerNormalization.
    ("x(2,3,4); s=const(4); b=const(1,4); y=LayerNormalization(x,s,b)", "same"),
    ("x(2,4,4); s=const(4,1); y=LayerNormalization(x,s)", "differs"),
    ("x(2,3,4); s=const(1); y=LayerNormalization(x,s)", "differs"),
    ("x(2,3,4); s(1); y=LayerNormalization(x,s)", "same"),
    ("x(2,3,4); s=const(3,4); b=const(4); y=LayerNormalization(x,s,b) axis=-2", "differs"),
    ("x(2,3,4); s=const(3,4); b(4); y=LayerNormalization(x,s,b) axis=-2", "same"),
    ("x(2,3,4); s=const(3,4); b=const(4); y=LayerNormalization(x,s,b) axis=1", "same"),
    ("x(2,3,4); s=const(3,1); b=const(); y=LayerNormalization(x,s,b) axis=2", "same"),
    ("x(2,3,4); s=const(4); b=const(); y=LayerNormalization(x,s,b)", "differs"),
    # QuantizeLinear.
    ("x(2,3); s=const()=0.05; z=const:u8()=128; y=QuantizeLinear(x,s,z)", "differs"),
    ("opset 23; x(2,3); s=const(3); y=RMSNormalization(x,s)", "refused", "unsupported"),
    # Clip.
    ("x(); l=const(1)=-0.5; h(1); y=Clip(x,l,h)", "differs"),
    ("x(2,3); l=const(1)=-0.5; h(1); y=Clip(x,l,h)", "same"),
]

TVM = [
    ("x(1,3,4,5); s=const(1,5); y=PRelu(x,s)", "same"),
    ("c:bool(3,4); x(3,4); z(4); y=Where(c,x,z)", "same"),
    ("x(2,3); z(3); w(2,1); y=Sum(x,z,w)", "same"),
    ("opset 6; x(2,2); b(2); y=Mul(x,b) broadcast=1 axis=0", "differs"),
    ("opset 6; x(1,3,3); s=const(3); y=PRelu(x,s)", "differs"),
    ("a:bool(2,3); b:bool(3); y=Equal(a,b)", "refused"),
    ("x(2,1); t=const:i64(2)=2,0; y=Expand(x,t)", "refused"),
    ("x(1,1); t:i64(1); y=Expand(x,t)", "refused"),
    ("x(1,3,4); z(1,3,4); t=Shape(z); y=Expand(x,t)", "same"),
    # Open dims.
    ("x(N=2,5); b=const(5); y=Sub(x,b)", "same"),
    ("x(N=2,5); b=const(2,1); y=Sub(x,b)", "refused"),
    ("x(N=2,4); z(M=2,4); y=Add(x,z)", "refused"),
    ("x(N=2,4); z(N=2,4); w(4); y=Max(x,z,w)", "same"),
    ("x(N=2,4); z(M=2,4); w(4); y=Sum(x,z,w)", "refused"),
    ("x(N=2,3,H=5); s(3,1); y=PRelu(x,s)", "same"),
    ("x(2,3,4); s(1,S=3,1); y=PRelu(x,s)", "refused"),
    ("c:bool(N=2,4); x(N=2,4); z(4); y=Where(c,x,z)", "same"),
    ("c:bool(N=2,4); x(M=2,4); z(4); y=Where(c,x,z)", "refused"),
    ("x(N=2,4); w=const(4,3); c=const(3); y=Gemm(x,w,c)", "same"),
    ("x(N=2,4); w=const(4,3); c(M=2,3); y=Gemm(x,w,c)", "refused"),
    ("x(N=2,4); z=Concat(x,x) axis=0; w=Concat(x,x) axis=0; y=Add(z,w)", "same"),
    ("x(M=3,N=2,2); a=const(2); b=const(2); c=const(2); d=const(2)=1; y=BatchNormalization(x,a,b,c,d)", "refused"),
    ("x(M=3,2,N=2); a=const(2); b=const(2); c=const(2); d=const(2)=1; y=BatchNormalization(x,a,b,c,d)", "same"),
    ("x(3,N=2,2); a=const(2); b=const(2); y=InstanceNormalization(x,a,b)", "refused"),
    ("x(3,2,2); a(N=2); b(N=2); y=InstanceNormalization(x,a,b)", "refused"),
    ("x(3,N=2,2); a(N=2); b(N=2); y=InstanceNormalization(x,a,b)", "same"),
    ("x(2,2,3,3); w=const(2,2,1,1); b(N=2); y=Conv(x,w,b)", "refused"),
    ("x(2,2,3,3); w(N=2,2,1,1); b=const(2); y=Conv(x,w,b)", "refused"),
    ("x(2,2,3,3); w(N=2,2,1,1); b(N=2); y=Conv(x,w,b)", "same"),
    ("x(2,2,3,3); w(2,N=2,1,1); b=const(2); y=ConvTranspose(x,w,b)", "refused"),
    ("x(2,N=2,3,3); w=const(2,2,1,1); b=const(2); y=Conv(x,w,b)", "same"),
    ("opset 18; x(2,N=4,3); a=const(2); b=const(2); y=GroupNormalization(x,a,b) num_groups=2", "refused"),
    ("opset 21; x(2,N=4,3); a=const(4); b=const(4); y=GroupNormalization(x,a,b) num_groups=2", "same"),
    ("x(2,3,N=4); a=const(4); y=LayerNormalization(x,a)", "refused"),
    ("x(3,N=4); s=const(); y=PRelu(x,s)", "refused"),
    ("x(N=3,4); s=const(); y=PRelu(x,s)", "same"),
    ("x(3,N=4); s(N=4); y=PRelu(x,s)", "refused"),
    ("x(3,N=4); s=const(3,1); y=PRelu(x,s)", "same"),
    ("x(3,N=4); s(3,N=4); y=PRelu(x,s)", "same"),
    ("x(N=3,4); t=const:i64(2)=1,1; y=Expand(x,t)", "refused"),
    ("x(3,N=4); t=const:i64(1)=4; y=Expand(x,t)", "refused"),
    ("x(1,4); z(N=3,4); t=Shape(z); y=Expand(x,t)", "same"),
    ("x(2,3,N=4); a(N=4); b(N=4); y=LayerNormalization(x,a,b)", "same"),
    ("opset 23; x(2,N=3,4); a=const(3,4); y=RMSNormalization(x,a) axis=1", "refused"),
    # Normalisations.
    ("x(2,3,4); s=const(4); b=const(4); y=LayerNormalization(x,s,b)", "same"),
    ("x(2,3,4); s=const(4); b=const(1,4); y=LayerNormalization(x,s,b)", "refused"),
    ("x(2,3,4); s=const(1); y=LayerNormalization(x,s)", "refused"),
    ("x(4,4); s=const(4); y=LayerNormalization(x,s) axis=0", "differs"),
    ("x(4,4); s=const(4,4); y=LayerNormalization(x,s) axis=-1", "differs"),
    ("opset 23; x(2,3); s=const(3); y=RMSNormalization(x,s)", "same"),
    ("opset 23; x(2,3); s=const(1); y=RMSNormalization(x,s)", "refused"),
    ("opset 23; x(2,3); s=const(2,3); y=RMSNormalization(x,s) axis=0", "refused"),
    # Gemm and Clip.
    ("a(3,4); b=const(3,5); c=const(4,1); y=Gemm(a,b,c) transA=1", "same"),
    ("x(); h(1); y=Clip(x,_,h)", "differs"),
    ("x(2,3); h(1); y=Clip(x,_,h)", "same"),
]

CASES = {"openvino": OPENVINO, "onnx": ONNX, "ncnn": NCNN, "mnn": MNN, "tvm": TVM}
