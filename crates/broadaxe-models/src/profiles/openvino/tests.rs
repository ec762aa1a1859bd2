mod axes;
mod compressed;
mod convolutions;
mod lists;
mod plain;
mod products;
mod quantisations;
mod ranks;
mod reductions;
mod slopes;

use crate::testing::judge;

#[test]
fn scales_and_biases_are_reshaped() {
    judge(
        "openvino",
        &[
            ("x(2,2); s=const(1,2); y=LayerNormalization(x,s) axis=0", "same"),
            ("x(1,2,2); s=const(1,2); y=LayerNormalization(x,s) axis=2", "same"),
            ("x(1,2,2); s=const(1,2,1); y=LayerNormalization(x,s) axis=2", "y differs"),
            ("x(1,2,2); s=const(2); b=const(2,1); y=LayerNormalization(x,s,b)", "y differs"),
            ("x(1,3); s=const(1); y=LayerNormalization(x,s) axis=0", "y refused"),
            ("x(2,2); s=const(2,2); y=LayerNormalization(x,s) axis=1", "y refused"),
            ("x(n,2,2); s=const(2); y=LayerNormalization(x,s)", "same"),
            ("x(n,3); s=const(); y=LayerNormalization(x,s) axis=1", "y unknown"),
            (
                "x(1,5); s=const(5); y=LayerNormalization(x,s); u=const()=1; z=const:u8()=128; q=QuantizeLinear(y,u,z)",
                "y unknown",
            ),
            (
                "x(1,5); s=const(5); b=const(5); y=LayerNormalization(x,s,b); u=const()=1; z=const:u8()=128; q=QuantizeLinear(y,u,z)",
                "same",
            ),
            ("opset 23; x(2,2); s=const(2,2); y=RMSNormalization(x,s) axis=1", "same"),
        ],
    );
}

#[test]
fn constants_before_a_convolution() {
    let conv = |head: &str, tail: &str| format!("{head}; w=const(2,4,3,3); y=Conv(a,w){tail}");
    let pads = " pads=1,1,1,1";
    let rows = [
        (conv("x(1,4,2,3); c=const(3); a=Mul(x,c)", pads), "a differs"),
        (conv("x(n,4,2,3); c=const(3); a=Mul(c,x)", pads), "a differs"),
        (conv("x(1,4,2,3); c=const(3); a=Div(x,c)", pads), "a differs"),
        (conv("x(1,4,2,3); c(3); a=Mul(x,c)", pads), "same"),
        (conv("x(1,4,2,3); c=const(3); a=Add(x,c)", pads), "same"),
        (conv("x(1,4,5,5); c=const(5,5); a=Mul(x,c)", pads), "same"),
        (conv("x(1,4,5,5); c=const(4,1,1); a=Mul(x,c)", pads), "same"),
        (conv("x(1,4,3,3); c=const(3); a=Mul(x,c)", ""), "same"),
        (conv("x(1,4,3,3); c=const(3); a=Mul(x,c)", " pads=1,0,1,0"), "same"),
        (conv("x(1,4,3,3); c=const(3); a=Mul(x,c)", " auto_pad=SAME_UPPER"), "a differs"),
        (conv("x(1,4,3,3); c=const(1,4,3,3); a=Mul(x,c)", pads), "same"),
        (conv("x(2,4,3,3); c=const(1,4,3,3); a=Mul(x,c)", pads), "a differs"),
        (conv("x(1,4,3,3); d=const(3); b=Add(x,d); c=const(3); a=Mul(b,c)", pads), "same"),
        (conv("x(1,4,3,3); c=const(3); b=Mul(x,c); a=Neg(b)", pads), "b differs"),
        (conv("x(1,4,3,3); c=const(3); a=Mul(x,c); z=Relu(a)", pads), "same"),
        (conv("x(1,1,5,5); c=const(4,1,1); a=Mul(x,c)", ""), "a refused"),
        (
            "x(1,4,7,7); c=const(7,7); a=Mul(x,c); w=const(4,1,7,7); y=Conv(a,w) pads=3,3,3,3 group=4".into(),
            "a differs",
        ),
        ("x(1,4,3); c=const(3); a=Mul(x,c); w=const(2,4,3); y=Conv(a,w) pads=1,1".into(), "a differs"),
        ("x(2); r=Relu(x); c=const(1,1,1); a=Mul(r,c); w=const(1,1,1); y=Conv(a,w)".into(), "a refused"),
        ("x(2); r=Relu(x); c=const(1,1,1); a=Div(c,r); w=const(1,1,1); y=Conv(a,w)".into(), "a refused"),
        ("x(2); r=Relu(x); c=const(1,1,1); a=Add(r,c); w=const(1,1,1); y=Conv(a,w)".into(), "same"),
        ("x(2,2,2); s=const(2); a=LayerNormalization(x,s); w=const(1,2,2); y=Conv(a,w) pads=1,1".into(), "a differs"),
        (
            "x(2,2,2); s=const(2); b=const(2); a=LayerNormalization(x,s,b); w=const(1,2,2); y=Conv(a,w) pads=1,1"
                .into(),
            "same",
        ),
    ];
    let cases: Vec<(&str, &str)> = rows.iter().map(|(text, want)| (text.as_str(), *want)).collect();
    judge("openvino", &cases);
}

#[test]
fn constants_behind_a_quantisation() {
    let q = "x(1,3,3,3); s=const(3); z=const:i8(3)=0; q=QuantizeLinear(x,s,z) axis=1; d=DequantizeLinear(q,s,z) axis=1";
    let rows = [
        ("c=const(3); y=Add(d,c)", "y differs"),
        ("c=const(3,1); y=Sub(c,d)", "y differs"),
        ("c=const(3,1,1); y=Add(d,c)", "same"),
        ("c=const(3,3); y=Add(d,c)", "same"),
        ("c=const(1); y=Add(d,c)", "same"),
        ("c=const(1,1,1,1,1); y=Add(d,c)", "y differs"),
        ("c=const(3); y=Mul(d,c)", "same"),
        ("c(3); y=Add(d,c)", "same"),
        ("r=Relu(d); c=const(3); y=Add(r,c)", "y differs"),
        ("r=Sigmoid(d); c=const(3); y=Add(r,c)", "same"),
        ("c=const(3); y=Add(d,c); e=const(3); w=Mul(y,e)", "same"),
        ("a=const()=-1; b=const()=1; y=Clip(d,a,b)", "y unknown"),
        ("a=const()=-1; b=const()=1; m=Max(d,a); y=Min(m,b)", "m unknown, y unknown"),
        ("b=const()=1; y=Min(d,b)", "same"),
        ("e=Exp(d); a=const()=-1; b=const()=1; y=Clip(e,a,b)", "same"),
    ];
    let rows: Vec<(String, &str)> = rows.iter().map(|(tail, want)| (format!("{q}; {tail}"), *want)).collect();
    let cases: Vec<(&str, &str)> = rows.iter().map(|(text, want)| (text.as_str(), *want)).collect();
    judge("openvino", &cases);
}

#[test]
fn nodes_that_become_a_prelu() {
    judge(
        "openvino",
        &[
            ("x(3,3,3,3); s=const(3); p=Relu(x); n=Neg(x); r=Relu(n); k=Mul(s,r); y=Sub(p,k)", "k differs"),
            ("x(3,3,3,3); s=const(3); p=Relu(x); n=Neg(x); r=Relu(n); g=Neg(r); k=Mul(g,s); y=Add(k,p)", "k differs"),
            ("x(3,3,3,3); s=const(1,1,1,3); p=Relu(x); n=Neg(x); r=Relu(n); k=Mul(s,r); y=Sub(p,k)", "same"),
            ("x(3,3); s=const(3); p=Relu(x); n=Neg(x); r=Relu(n); k=Mul(s,r); y=Sub(p,k)", "same"),
            ("x(3,3,3,3); s(3); p=Relu(x); n=Neg(x); r=Relu(n); k=Mul(s,r); y=Sub(p,k)", "same"),
            ("x(3,3,3,3); s=const(3); p=Relu(x); n=Neg(x); r=Relu(n); k=Mul(s,r); y=Sub(k,p)", "same"),
            ("x(3,3,3,3); s=const(3); o=const()=0; p=Max(x,o); m=Min(x,o); k=Mul(m,s); y=Add(p,k)", "same"),
            ("x(2,3); s=const(1,1,3); p=Relu(x); n=Neg(x); r=Relu(n); k=Mul(s,r); y=Sub(p,k)", "k differs"),
            ("x(1,3,2,4); w=const(4,3); m=MatMul(x,w); s=const(3,1,1); y=PRelu(m,s)", "y differs"),
            ("x(1,3,2,4); w=const(4,5); m=MatMul(x,w); s=const(3,1,1); y=PRelu(m,s)", "y refused"),
            ("x(1,3,2,4); w=const(4,3); m=MatMul(x,w); s=const(3); y=PRelu(m,s)", "same"),
            ("x(1,3,2,4); w=const(4,3); m=MatMul(x,w); s=const(3); y=PRelu(m,s); z=Relu(m)", "y differs"),
            ("x(1,3,2,4); w=const(4,3); m=MatMul(x,w); t=Tanh(m); s=const(3,1,1); y=PRelu(t,s)", "y differs"),
            ("x(1,3,4,4); m=MaxPool(x) kernel_shape=2,2; s=const()=-1; y=PRelu(m,s)", "y unknown"),
            ("x(1,3,4,4); m=MaxPool(x) kernel_shape=2,2; s=const()=1; y=PRelu(m,s)", "same"),
            ("x(1,3,2,4); w=const(4,3); m=MatMul(x,w); t=Sin(m); s=const(3,1,1); y=PRelu(t,s)", "same"),
            ("x(1,3,2,4); w(4,3); m=MatMul(x,w); s=const(3,1,1); y=PRelu(m,s)", "same"),
            ("x(1,3,2,4); w(4,3); m=MatMul(x,w); s=const(3); y=PRelu(m,s)", "y differs"),
            ("x(2,c,4); s=const(4); y=PRelu(x,s)", "y differs"),
            ("x(b,3,4); s=const(4); y=PRelu(x,s)", "same"),
            ("x(b,4); s=const(4); y=PRelu(x,s)", "same"),
            ("x(2,2); t(n,m); s=Tanh(t); y=PRelu(x,s)", "y unknown"),
            ("x(2,2); t(2,2); s=Tanh(t); y=PRelu(x,s)", "same"),
        ],
    );
}

#[test]
fn axes_of_pdpd() {
    judge(
        "openvino",
        &[
            (
                "ir; x(3,3,3); c=const(3); a=Add(x,c) auto_broadcast=pdpd axis=0; d=const(); y=Multiply(a,d)",
                "a differs",
            ),
            ("ir; x(2,3,4); c=const(3); a=Add(x,c) auto_broadcast=pdpd axis=1; d=const(); y=Add(a,d)", "a refused"),
            (
                "ir; x(3,3,3); y(3); s=const:i64(3)=3,3,3; b=Broadcast(y,s); z=Add(x,b) auto_broadcast=pdpd axis=0",
                "z differs",
            ),
            (
                "ir; x(3,3,3); y(3); s=const:i64(3)=3,3,3; b=Broadcast(y,s); z=Add(x,b) auto_broadcast=pdpd axis=-1",
                "same",
            ),
            (
                "ir; x(3,3,3); y(3); s=const:i64(3)=3,3,3; b=Broadcast(y,s); z=Add(b,x) auto_broadcast=pdpd axis=-1",
                "z refused",
            ),
            (
                "ir; x(3,3,3); y(1); s=const:i64(3)=3,3,3; b=Broadcast(y,s); z=Maximum(x,b) auto_broadcast=pdpd axis=0",
                "same",
            ),
            (
                "ir; x(2,3,4); y(4); s=const:i64(3)=2,3,4; b=Broadcast(y,s); z=Power(x,b) auto_broadcast=pdpd axis=0",
                "z refused",
            ),
            (
                "ir; x(3,3,3); y(3); s=const:i64(3)=3,3,3; b=Broadcast(y,s); z=Subtract(x,b) auto_broadcast=pdpd axis=0",
                "same",
            ),
            (
                "ir; x(3,3,3); y(1); s=const:i64(3)=3,3,3; b=Broadcast(y,s); z=Mod(x,b) auto_broadcast=pdpd axis=-1",
                "z refused",
            ),
            (
                "ir; x(3,3,3); y(1); s=const:i64(3)=3,3,3; b=Broadcast(y,s); z=Mod(b,x) auto_broadcast=pdpd axis=-1",
                "same",
            ),
            (
                "ir; x(3,3,3); y(1,1,3); s=const:i64(3)=3,3,3; b=Broadcast(y,s); z=Mod(x,b) auto_broadcast=pdpd axis=0",
                "same",
            ),
            ("ir; x(3,3,3); y(3); s=const:i64(3)=3,3,3; b=Broadcast(y,s); z=Add(x,b)", "same"),
            ("ir; x(3,3,3); c=const(3); a=Multiply(x,c) auto_broadcast=pdpd axis=0; d=const(); y=Add(a,d)", "same"),
            ("ir; x(3,3,3); c=const(3,1,1); a=Add(x,c) auto_broadcast=pdpd axis=0; d=const(); y=Add(a,d)", "same"),
            ("ir; x(3,3,3); c=const(3); a=Add(x,c) auto_broadcast=pdpd axis=0; d(3); y=Add(a,d)", "same"),
            ("ir; x(3,3,3); h=Negative(x); c(3); y=Add(h,c) auto_broadcast=pdpd axis=0", "y differs"),
            ("ir; x(3,3,3); c=const(3); y=Subtract(x,c) auto_broadcast=pdpd axis=0", "y differs"),
            ("ir; x(2,3,4); c=const(1); y=Less(x,c) auto_broadcast=pdpd axis=1", "same"),
            ("ir; x(2,3,4); c(1); y=Less(x,c) auto_broadcast=pdpd axis=1", "y refused"),
            ("ir; x(2,3,4); c(1,3,1); y=Mod(x,c) auto_broadcast=pdpd axis=0", "same"),
            ("ir; x(2,3,4); c(4); y=Mod(x,c) auto_broadcast=pdpd axis=-1", "y refused"),
            ("ir; x(1,1); c=const(1,1); y=Equal(x,c) auto_broadcast=none", "y refused"),
            ("ir; x(1); c=const(1); y=Equal(x,c) auto_broadcast=none", "same"),
            ("ir; x(1,1); c(1,1); y=Equal(x,c) auto_broadcast=none", "same"),
            ("ir; x(1,1); c=const(1,1); y=Subtract(x,c) auto_broadcast=none", "same"),
        ],
    );
}

#[test]
fn old_nodes_and_shapes_without_entries() {
    judge(
        "openvino",
        &[
            ("opset 6; x(2,2); b(2); y=Less(x,b) broadcast=1 axis=0", "y differs"),
            ("opset 6; x(2,3); b(2); y=Pow(x,b) broadcast=1 axis=0", "y refused"),
            ("opset 6; x(2,3); b(3); y=Pow(x,b) broadcast=1 axis=1", "same"),
            ("opset 6; x(2,2); b(2); y=Mul(x,b) broadcast=1 axis=0", "same"),
            ("opset 1; x(2,2); b(2,2); y=Add(x,b) consumed_inputs=0,0", "y refused"),
            ("opset 1; x(2,2); b(2,2); y=Mul(x,b) consumed_inputs=0,0", "same"),
            ("x(); t=const:i64(0); y=Expand(x,t)", "y differs"),
            ("x(1); t=const:i64(0); y=Expand(x,t)", "same"),
            ("x(); t=const:i64(1)=2; y=Expand(x,t)", "same"),
        ],
    );
}

#[test]
fn constants_of_higher_rank() {
    judge(
        "openvino",
        &[
            ("x(2,3); e=Exp(x); a=const(1,1,1)=1; s=Add(e,a); y=Log(s)", "s differs"),
            ("x(2,3); e=Exp(x); a=const(1,1)=1; s=Add(e,a); y=Log(s)", "same"),
            ("x(2,3); e=Exp(x); a=const(1,1,1)=2; s=Add(e,a); y=Log(s)", "same"),
            ("x(1,3); b=const(2,1)=2; m=Mul(x,b); s=Sigmoid(m); y=Mul(x,s)", "m differs"),
            ("x(1,3); b=const(2,1); m=Mul(x,b); s=Sigmoid(m); y=Mul(x,s)", "same"),
            ("x(2,3); a=const()=0; m=Max(x,a); b=const(1,1,1)=6; y=Min(m,b)", "y differs"),
            ("x(2,3); b=const(1,1,1)=6; y=Min(x,b)", "same"),
            ("x(2,3); z(2,3); a=const(1,1,1)=-1; m=Mul(x,a); y=Add(m,z)", "m differs"),
            ("x(2,3); t=Transpose(x) perm=1,0; a=const(1,1,1); y=Max(t,a)", "y differs"),
            ("x(2,3); t=Flatten(x); a=const(1,1,1); y=Max(t,a)", "same"),
            ("x(2,3); t=Transpose(x) perm=1,0; a=const(1,2,1,1); y=Max(t,a)", "same"),
            ("x(2,3); a=const(1,1,1); y=Add(x,a)", "same"),
            (
                "x(2,3); k=const()=2; v=Mul(x,k); m=ReduceMean(v) axes=-1 keepdims=1; d=Sub(v,m); t=const()=2; q=Pow(d,t); r=ReduceMean(q) axes=-1 keepdims=1; e=const()=1; s=Add(r,e); g=Sqrt(s); y=Div(d,g)",
                "v unknown",
            ),
            (
                "x(2,3); t=const:i64(3)=1,2,3; e=Expand(x,t); a=const(1,1,1)=0; m=Max(e,a); b=const()=6; y=Min(m,b)",
                "m differs",
            ),
            ("k=const(1,1); w=Exp(k); a=const(1,1,1)=0; m=Max(w,a); b=const()=6; y=Min(m,b)", "m unknown"),
        ],
    );
}

#[test]
fn constants_behind_a_reduction() {
    judge(
        "openvino",
        &[
            ("x(2,3,4); r=ReduceMean(x) axes=2 keepdims=1; c=const(3,1); y=Add(r,c)", "y differs"),
            ("x(2,3,4); r=ReduceSum(x) axes=0 keepdims=1; c=const(1,3,1); y=Mul(c,r)", "y differs"),
            ("x(2,3,4); r=ReduceMax(x) axes=-1 keepdims=0; c=const(3); y=Sub(r,c)", "y differs"),
            ("x(2,3,4); r=ReduceMean(x) axes=2 keepdims=1; q=Relu(r); c=const(3,1); y=Add(q,c)", "y differs"),
            ("x(2,3,4); r=ReduceMean(x) axes=2 keepdims=1; c=const(3,1); y=Div(r,c)", "y differs"),
            ("x(2,3,4); r=ReduceMean(x) axes=2 keepdims=1; c=const(3,1); y=Div(c,r)", "same"),
            ("x(2,3,4); r=ReduceMean(x) axes=2 keepdims=1; c(3,1); y=Add(r,c)", "same"),
            ("x(2,3,4); r=ReduceMean(x) axes=2 keepdims=1; c=const(2,3,1); y=Add(r,c)", "same"),
            ("x(2,3,4); r=ReduceMean(x) axes=2 keepdims=1; c=const(1); y=Add(r,c)", "same"),
            ("x(1,3,4); r=ReduceMean(x) axes=2 keepdims=1; c=const(3,1); y=Add(r,c)", "same"),
            ("x(2,3,4); r=GlobalMaxPool(x); c=const(3,1); y=Add(r,c)", "y differs"),
            (
                "x(2,3,4); v=ReduceMean(x) axes=2 keepdims=1; p=Relu(v); n=Neg(v); r=Relu(n); s=const(3,1); k=Mul(s,r); y=Sub(p,k)",
                "k differs",
            ),
            (
                "x(2,3,4); v=ReduceMean(x) axes=2 keepdims=1; a=const(1,2,3,1); w=Add(v,a); c=const(2,1,1); y=Sub(w,c)",
                "same",
            ),
            ("x(1,3,4); r=ReduceSum(x) axes=0 keepdims=0; c=const(4); y=Add(r,c)", "y unknown"),
            ("x(2,3,4); r=ReduceMean(x) axes=1 keepdims=1; c=const(4); y=Add(r,c)", "same"),
            ("x(2,3,4,5); r=ReduceMean(x) axes=3 keepdims=1; c=const(3,1,1); y=Add(r,c)", "same"),
            ("x(1,2,2); r=ReduceMean(x) axes=0 keepdims=0; c=const(2,1); y=Add(r,c)", "y unknown"),
            (
                "ir; x(2,2,3); a=const:i64()=2; s=ShapeOf(x); k=ShapeOf(s); e=Squeeze(k); o=const:i64()=1; i=Range(a,e,o); v=ReduceMax(x,i) keep_dims=true; c=const(2,1); y=Subtract(c,v) auto_broadcast=numpy",
                "y differs",
            ),
        ],
    );
}

#[test]
fn constants_of_one_element_in_old_files() {
    judge(
        "openvino",
        &[
            ("opset 6; x(1,1,1); c=const(1,1,1); y=Max(x,c)", "y refused"),
            ("opset 6; x(1); c=const(1); y=Max(x,c)", "y unknown"),
            ("opset 8; x(1,1,1); c=const(1,1,1); y=Max(x,c)", "same"),
        ],
    );
}

#[test]
fn sums_behind_a_convolution() {
    judge(
        "openvino",
        &[
            ("a(2,3,2,2); x(n,3,2,2); w=const(3,3,1,1); c=Conv(a,w); y=Add(c,x)", "y unknown"),
            ("a(2,3,2,2); x(n,3,2,2); w=const(3,3,1,1); c=Conv(a,w); k=const(1); d=Mul(c,k); y=Sub(x,d)", "y unknown"),
            ("a(n,3,2,2); x(n,3,2,2); w=const(3,3,1,1); c=Conv(a,w); y=Add(c,x)", "same"),
            ("a(n,3,2,2); x(n,1,2,2); w=const(1,3,1,1); c=Conv(a,w); y=Add(c,x)", "y unknown"),
            ("a(2,3,2,2); x(1,3,2,2); w=const(3,3,1,1); c=Conv(a,w); y=Add(c,x)", "same"),
            ("a(2,3,2,2); x(n,3,2,2); w=const(3,3,1,1); c=Conv(a,w); y=Mul(c,x)", "same"),
            ("a(2,3,2,2); x(n,3,2,2); w=const(3,3,1,1); c=Conv(a,w); r=Relu(c); y=Add(r,x)", "same"),
        ],
    );
}

#[test]
fn remainders_of_constants() {
    judge(
        "openvino",
        &[
            ("ir; a=const(2); b=const(2); y=Mod(a,b) auto_broadcast=numpy", "y unknown"),
            ("ir; x(2); b=const(2); y=Mod(x,b) auto_broadcast=numpy", "same"),
            ("ir; a=const(2); b=const(2); y=FloorMod(a,b) auto_broadcast=numpy", "same"),
        ],
    );
}
