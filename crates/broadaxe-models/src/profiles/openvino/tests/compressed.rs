//! Integer weights that are scaled, as OpenVINO 2026.4.1 computed them.

use crate::testing::answers;

/// Shared parts: weights of 4 rows and 6 columns, a table, their scale, and what reads them.
const PARTS: &[(&str, &str)] = &[
    ("[w]", "w=const:i8(4,6); f=Cast(w) to=1"),
    ("[w4]", "w=const:uint4(4,6); f=Cast(w) to=1"),
    ("[wt]", "w=const:u8(6,4); f=Cast(w) to=1"),
    ("[t]", "w=const:i8(4,4); f=Cast(w) to=1; i=const:i64(2)=0,2"),
    ("[x]", "m=Mul(f,c); y=MatMul(x,m)"),
    ("[-x]", "s=Sub(f,z); m=Mul(s,c); y=MatMul(x,m)"),
    ("[g]", "m=Mul(f,c); y=Gather(m,j)"),
    ("[-g]", "s=Sub(f,z); m=Mul(s,c); y=Gather(m,j)"),
];

#[test]
fn a_scale_per_row_of_integer_weights_is_not_called_the_same() {
    answers(
        "openvino",
        PARTS,
        &[
            ("x(2,4); [w]; c=const(4,1); [x]", "differs"),
            ("x(2,4); [w]; c=const(4,1); m=Mul(c,f); y=MatMul(x,m)", "differs"),
            ("x(4,4); [w]; c=const(4,1); [x]", "differs"),
            ("x(2,2,4); [w]; c=const(4,1); [x]", "differs"),
            ("x(n,4); [w]; c=const(4,1); [x]", "differs"),
            ("x(2,4); [w]; c=const(4,1); m=Mul(f,c); y=Gemm(x,m)", "differs"),
            ("x(2,4); [wt]; c=const(4); m=Mul(f,c); t=Transpose(m) perm=1,0; y=MatMul(x,t)", "differs"),
            ("x(2,4); [wt]; c=const(1,4); m=Mul(f,c); y=Gemm(x,m) transB=1", "differs"),
            ("x(2,4); [w]; c=const(4,1); [x]; v=MatMul(x,m)", "differs"),
            ("x(2,4); [w]; z=const(4,1); c=const(); [-x]", "differs"),
            ("x(2,4); [w]; z=const(6); c=const(4,1); [-x]", "differs"),
            ("x(2,4); [w]; z=const(4,1); c=const(4,6); [-x]", "differs"),
            ("x(2,4); [w]; a=const(4,1); c=Neg(a); [x]", "differs"),
            ("x(2,4); [w]; c=const(1,1,1); [x]", "differs"),
            ("x(6,4); [w]; c=const(1,1,6); [x]", "differs"),
            ("x(2,4); [w]; c=const(1,1,1,6); [x]", "refused"),
            ("x(2,4); w=const:i8(1,4,6); f=Cast(w) to=1; c=const(6); [x]", "differs"),
            ("x(1,2,4); w=const:i8(1,4,6); f=Cast(w) to=1; c=const(4,1); [x]", "differs"),
            ("x(1,1,2,4); w=const:i8(1,1,4,6); f=Cast(w) to=1; c=const(4,1); [x]", "refused"),
            ("x(6,2); w=const:i8(2,6); f=Cast(w) to=1; c=const(1,1,1,1); [x]", "refused"),
            (
                "x(1,4); [wt]; c=const(1,1,4); m=Mul(f,c); k=const:i64(2)=6,4; r=Reshape(m,k); y=Gemm(x,r) transB=1",
                "differs, unknown",
            ),
            (
                "x(2,4); [wt]; c=const(1,4); m=Mul(f,c); k=const:i64(2)=6,4; r=Reshape(m,k); y=Gemm(x,r) transB=1",
                "differs",
            ),
            ("x(2,4); [w]; z=const(4,1); c=const(4,1); [-x]; v=Relu(s)", "differs"),
            ("x(2,4); [w]; z=const(6); c=const(4,1); [-x]; e=const(4,1); n=Mul(s,e); v=MatMul(x,n)", "differs"),
            ("x(2,4); [w4]; c=const(4,1); [x]", "differs"),
            ("x(6,4); [w4]; c=const(4,1); [x]", "refused, unknown"),
            ("x(6,4); [w4]; c=const(); [x]", "refused, unknown"),
            ("x(2,4); [w4]; c=const(4,6); [x]", "differs, unknown"),
        ],
    );
}

#[test]
fn other_scales_of_integer_weights_are_the_same() {
    answers(
        "openvino",
        PARTS,
        &[
            ("x(2,4); [w]; c=const(6); [x]", "same"),
            ("x(2,4); [w]; c=const(4,6); [x]", "same"),
            ("x(2,4); [w]; c=const(); [x]", "same"),
            ("x(5,4); [w]; c=const(4,1); [x]", "same"),
            ("x(2,3,4); [w]; c=const(4,1); [x]", "same"),
            ("x(4); [w]; c=const(4,1); [x]", "same"),
            ("x(1,4); [wt]; c=const(4); m=Mul(f,c); y=Gemm(x,m) transB=1 alpha=0.5", "same"),
            (
                "x(2,4); [w]; c=const(4,1); m=Mul(f,c); t=Transpose(m) perm=1,0; u=Transpose(t) perm=1,0; y=MatMul(x,u)",
                "same",
            ),
            ("x(2,3); w=const:i8(3,6); f=Cast(w) to=1; c=const(3,1); [x]", "same"),
            ("x(2,4); w=const:i8(4,1); f=Cast(w) to=1; c=const(4,1); [x]", "same"),
            ("x(1,2,4); w=const:i8(1,4,6); f=Cast(w) to=1; c=const(6); [x]", "same"),
            ("x(2,2,4); w=const:i8(2,4,6); f=Cast(w) to=1; c=const(4,1); [x]", "same"),
            ("x(2,4); [w]; c=const(4,1); m=Div(f,c); y=MatMul(x,m)", "same"),
            ("x(2,4); [w]; c=const(4,1); m=Sub(f,c); y=MatMul(x,m)", "same"),
            ("x(2,4); [w]; c=const(4,1); m=Mul(f,c); y=MatMul(x,m); v=Relu(m)", "same"),
            ("x(2,4); [w]; c=const(4,1); m=Mul(f,c); y=MatMul(x,m); v=Relu(f)", "same"),
            ("x(4,2); [wt]; c=const(6,1); m=Mul(f,c); y=MatMul(m,x)", "same"),
            ("x(2,4); w=const(4,6); c=const(4,1); m=Mul(w,c); y=MatMul(x,m)", "same"),
            ("x(2,4); [w]; z=const(4,1); c=const(); s=Sub(f,z); m=Div(s,c); y=MatMul(x,m)", "same"),
            ("x(2,4); [w4]; c=const(6); [x]", "same"),
            ("x(6,4); [w4]; c=const(6); [x]", "same"),
        ],
    );
}

#[test]
fn a_scale_per_column_of_an_integer_table_is_not_called_the_same() {
    answers(
        "openvino",
        PARTS,
        &[
            ("j:i64(3); [t]; c=const(4); [g]", "differs"),
            ("j:i64(2,2); [t]; c=const(1,4); [g]", "differs"),
            ("j:i64(3); [t]; z=const(4); c=const(); [-g]", "differs"),
            ("j:i64(3); [t]; z=const(4); c=const(4,1); [-g]", "differs"),
            ("j:i64(3); w=const:u8(4,8); f=Cast(w) to=1; c=const(8); [g]", "differs"),
            ("j:i64(3); w=const:u8(5,3); f=Cast(w) to=1; c=const(3); [g]", "differs, differs"),
            ("j:i64(3); w=const:u8(2,4,4); f=Cast(w) to=1; c=const(4,1); [g]", "differs"),
            ("j:i64(3); [t]; c=const(4,1); [g]", "same"),
            ("j:i64(3); [t]; c=const(4,4); [g]", "same"),
            ("j:i64(3); [t]; c=const(); [g]", "same"),
            ("j:i64(3); [t]; c=const(4); m=Div(f,c); y=Gather(m,j)", "same"),
            ("j:i64(3); w=const:u8(4,3,2); f=Cast(w) to=1; c=const(4,3,1); [g]", "same"),
        ],
    );
}

#[test]
fn a_constant_that_is_overwritten_is_not_called_the_same() {
    let parts: &[(&str, &str)] = &[
        ("[v]", "w=const:u8(4,4); s=const(); m=DequantizeLinear(w,s); i=const:i64(2)=0,2; v=Gather(m,i)"),
        ("[c]", "w=const:u8(4,4); f=Cast(w) to=1; c=const(); m=Mul(f,c); i=const:i64(2)=0,2; v=Gather(m,i)"),
        ("[p]", "w=const:u8(4,4); s=const(); m=DequantizeLinear(w,s); b=const(2,4); v=MatMul(b,m)"),
    ];
    answers(
        "openvino",
        parts,
        &[
            ("[v]; x(2,4); y=Add(v,x)", "differs"),
            ("[c]; x(2,4); y=Add(v,x)", "differs"),
            ("[p]; x(2,4); y=Mul(v,x)", "differs"),
            ("[v]; x(); y=Max(v,x)", "differs"),
            ("[v]; r=Relu(v); x(2,4); y=Sub(r,x)", "differs"),
            ("[v]; h=const(); r=Mul(v,h); x(2,4); y=Add(r,x)", "differs"),
            ("[v]; k=const:i64(2)=4,2; r=Reshape(v,k); x(4,2); y=Add(r,x)", "differs"),
            ("[v]; x(2,4); z(2,4); y=Sum(v,x,z)", "differs"),
            ("w=const:u8(4,4); s=const(); m=DequantizeLinear(w,s); b=const(4,2); x(4,2); y=Gemm(m,b,x)", "differs"),
            (
                "w=const:u8(4,4); s=const(); m=DequantizeLinear(w,s); b=const(4,2); x(2); y=Gemm(m,b,x) alpha=0.5",
                "differs",
            ),
            ("w=const(4,4); b=const(4,2); x(4,2); y=Gemm(w,b,x)", "same"),
            ("[v]; x(2,4); z(2,4); y=Sum(x,v,z)", "same"),
            ("[v]; x(2,4); y=Add(x,v)", "same"),
            ("[v]; x(1,2,4); y=Add(v,x)", "same"),
            ("[v]; x(3,2,4); y=Add(v,x)", "same"),
            ("[v]; x(n,4); y=Add(v,x)", "same"),
            ("[v]; x(2,4); y=Less(v,x)", "same"),
            ("[v]; x(2,4); y=Add(v,x); z=Neg(v)", "same"),
            ("[v]; e=const(2,4); q=Sub(e,v); x(2,4); y=Add(q,x)", "same"),
            (
                "w=const:u16(4,4); f=Cast(w) to=1; c=const(); m=Mul(f,c); i=const:i64(2)=0,2; v=Gather(m,i); x(2,4); y=Add(v,x)",
                "same",
            ),
            (
                "w=const:u8(4,4); f=Cast(w) to=1; c=const(); m=Div(f,c); i=const:i64(2)=0,2; v=Gather(m,i); x(2,4); y=Add(v,x)",
                "same",
            ),
            ("w=const:u8(4,4); s=const(); m=DequantizeLinear(w,s); x(4,4); y=Add(m,x)", "same"),
        ],
    );
}

#[test]
fn transposed_integer_weights_behind_a_constant_are_refused() {
    answers(
        "openvino",
        &[("[d]", "s=const(); m=DequantizeLinear(w,s)"), ("[y]", "x(); y=Add(x,g)")],
        &[
            ("a=const(2,4); w=const:u8(6,4); [d]; g=Gemm(a,m) transB=1; [y]", "refused"),
            ("a=const(1,4); w=const:u8(2,4); [d]; g=Gemm(a,m) transB=1; [y]", "refused"),
            ("a=const(4,4); w=const:u8(4,4); [d]; g=Gemm(a,m) transB=1; [y]", "refused"),
            (
                "a=const(2,4); w=const:u8(6,4); f=Cast(w) to=1; s=const(); m=Mul(f,s); g=Gemm(a,m) transB=1; [y]",
                "refused",
            ),
            ("a=const(2,4); w=const:u8(6,4); [d]; t=Transpose(m) perm=1,0; g=MatMul(a,t); [y]", "refused"),
            ("a=const(2,4); w=const:u8(6,4); [d]; c=const(6); g=Gemm(a,m,c) transB=1; [y]", "refused"),
            ("b=const(2,4); a=Neg(b); w=const:u8(6,4); [d]; g=Gemm(a,m) transB=1; [y]", "refused"),
            ("a=const(2,4); w=const:u8(1,4); [d]; g=Gemm(a,m) transB=1; [y]", "same"),
            ("a=const(2,4); w=const:u8(4,6); [d]; t=Transpose(m) perm=1,0; g=Gemm(a,t) transB=1; [y]", "same"),
            ("a=const(2,4); w=const:u8(6,4); [d]; g=Gemm(a,m) transB=1 alpha=0.5; [y]", "same"),
            ("a=const(2,4); w=const:u8(6,4); [d]; g=Gemm(a,m) transB=1; [y]; u=Relu(m)", "same"),
            ("a=const(2,4); w=const(6,4); g=Gemm(a,w) transB=1; [y]", "same"),
            (
                "b=const:u8(2,4); r=const(); a=DequantizeLinear(b,r); w=const:u8(6,4); [d]; g=Gemm(a,m) transB=1; [y]",
                "same",
            ),
        ],
    );
}

/// What else reads the weights has them folded, unless it is a look-up or another product.
#[test]
fn products_of_constants_are_not_folded_right() {
    answers(
        "openvino",
        &[
            ("[m]", "w=const:i8(5,4); f=Cast(w) to=1; c=const(1); m=Mul(f,c)"),
            ("[a]", "b=const(5,3); g=Gemm(m,b) transA=1; x(4,3); y=Div(x,g)"),
            ("[b]", "b=const(5,3); g=Gemm(b,m) transA=1; x(3,4); y=Div(x,g)"),
            ("[v]", "j:i64(2); v=Gather(m,j)"),
        ],
        &[
            ("[m]; [a]", "differs"),
            ("[m]; [b]", "differs"),
            ("[m]; [a]; [v]", "differs"),
            ("[m]; [b]; [v]", "differs"),
            ("[m]; [a]; j:i64(2); v=Gather(m,j) axis=1", "differs"),
            ("[m]; b=const(3,4); g=Gemm(b,m) transB=1; x(3,5); y=Div(x,g); [v]", "refused"),
            ("[m]; [a]; [v]; n=Neg(m)", "same"),
            ("[m]; [a]; n=Neg(f)", "same"),
            ("[m]; b=const(5,3); g=Gemm(m,b) transA=1; x(1); y=Add(g,x); n=Neg(m)", "same"),
            ("[m]; b=const(5,3); g=Gemm(m,b) transA=1; x(1); y=Add(g,x); n=Neg(f)", "same"),
        ],
    );
}
