//! pnnx and ncnn: batches, and divisions by norms.
//!
//! The words mean what they do in the other tables of pnnx.

use crate::testing::answers;

/// A constant has no batch; axes of a batch move with reshapes and transpositions.
const BATCHES: &[(&str, &str)] = &[
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(); y=Mul(p,c)", "same"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(5); y=Mul(p,c)", "same"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(5); y=Mul(p,c)", "same"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(4,1); y=Mul(p,c)", "same"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(4,1); y=Mul(p,c)", "same"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(3,1,1); y=Mul(p,c)", "same"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(2,1,1,5); y=Mul(p,c)", "differs"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(2,1,1,5); y=Mul(p,c)", "same"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(2,1,1,1); y=Mul(p,c)", "differs"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(2,1,1,1); y=Mul(p,c)", "same"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(1,3,1,1); y=Mul(p,c)", "same"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(1,3,1,1); y=Mul(p,c)", "same"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(2,3,4,5); y=Mul(p,c)", "differs"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(2,3,4,5); y=Mul(p,c)", "same"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(1,1,1,1,1); y=Mul(p,c)", "differs"),
    ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(1,1,1,1,1); y=Mul(p,c)", "differs"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(); y=Mul(p,c)", "same"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(); y=Mul(p,c)", "same"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(5); y=Mul(p,c)", "same"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(5); y=Mul(p,c)", "same"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(4,1); y=Mul(p,c)", "same"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(4,1); y=Mul(p,c)", "same"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(3,1,1); y=Mul(p,c)", "same"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(2,1,1,5); y=Mul(p,c)", "differs"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(2,1,1,5); y=Mul(p,c)", "same"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(2,1,1,1); y=Mul(p,c)", "differs"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(2,1,1,1); y=Mul(p,c)", "same"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(1,3,1,1); y=Mul(p,c)", "same"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(2,3,4,5); y=Mul(p,c)", "differs"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(2,3,4,5); y=Mul(p,c)", "same"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(3,1,1,1); y=Mul(p,c)", "differs"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(3,1,1,1); y=Mul(p,c)", "same"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(1,1,1,1,1); y=Mul(p,c)", "differs"),
    ("x(1,3,4,5); p=AveragePool(x) kernel_shape=1,1; c(1,1,1,1,1); y=Mul(p,c)", "same"),
    ("x(3,3,3,3); p=AveragePool(x) kernel_shape=1,1; c=const(); y=Mul(p,c)", "same"),
    ("x(3,3,3,3); p=AveragePool(x) kernel_shape=1,1; c=const(3,1,1); y=Mul(p,c)", "same"),
    ("x(3,3,3,3); p=AveragePool(x) kernel_shape=1,1; c(3,1,1); y=Mul(p,c)", "same"),
    ("x(3,3,3,3); p=AveragePool(x) kernel_shape=1,1; c=const(1,3,1,1); y=Mul(p,c)", "same"),
    ("x(3,3,3,3); p=AveragePool(x) kernel_shape=1,1; c(1,3,1,1); y=Mul(p,c)", "same"),
    ("x(3,3,3,3); p=AveragePool(x) kernel_shape=1,1; c=const(3,1,1,1); y=Mul(p,c)", "differs"),
    ("x(3,3,3,3); p=AveragePool(x) kernel_shape=1,1; c(3,1,1,1); y=Mul(p,c)", "same"),
    ("x(3,3,3,3); p=AveragePool(x) kernel_shape=1,1; c=const(1,1,1,1,1); y=Mul(p,c)", "differs"),
    ("x(3,3,3,3); p=AveragePool(x) kernel_shape=1,1; c(1,1,1,1,1); y=Mul(p,c)", "differs"),
    ("x(2,4); b(3,4); m=Gemm(x,b) transB=1; c=const(2,1); y=Add(m,c)", "same"),
    ("x(2,4); b(3,4); m=Gemm(x,b) transB=1; c=const(2,3); y=Sub(c,m)", "same"),
    ("x(3,5); b=const(5,4); c=const(4); y=Gemm(x,b,c)", "same"),
    ("x(3,5); b=const(5,4); c=const(4); y=Gemm(x,b,c) beta=2.0", "same"),
    ("x(3,5); b=const(5,4); c=const(1,4); y=Gemm(x,b,c)", "refused"),
    ("x(3,5); b=const(5,4); c=const(1,4); y=Gemm(x,b,c) beta=2.0", "same"),
    ("x(3,5); b=const(5,4); c=const(3,1); y=Gemm(x,b,c) alpha=0.5", "same"),
    ("x(3,5); b=const(5,4); c=const(); y=Gemm(x,b,c)", "refused"),
    ("x(3,5); b=const(5,4); c=const(); y=Gemm(x,b,c) alpha=0.5", "same"),
    ("x(3,5); b=const(5,4); c(4); y=Gemm(x,b,c)", "refused"),
    ("x(3,5); b=const(5,4); c(4); y=Gemm(x,b,c) beta=2.0", "same"),
    ("x(3,5); b=const(5,4); c(1,4); y=Gemm(x,b,c)", "refused"),
    ("x(3,5); b=const(5,4); c=const(1); y=Gemm(x,b,c)", "refused"),
    ("x(3,5); b(5,4); c=const(4); y=Gemm(x,b,c)", "same"),
    ("x(3,5); b(5,4); c=const(4); y=Gemm(x,b,c) alpha=0.5", "same"),
    ("x(3,5); b(5,4); c=const(4); y=Gemm(x,b,c) beta=2.0", "same"),
    ("x(3,5); b(5,4); c=const(1,4); y=Gemm(x,b,c) alpha=0.5", "same"),
    ("x(3,5); b(5,4); c=const(1,4); y=Gemm(x,b,c) beta=2.0", "same"),
    ("x(3,5); b(5,4); c=const(3,1); y=Gemm(x,b,c)", "same"),
    ("x(3,5); b(5,4); c=const(3,1); y=Gemm(x,b,c) alpha=0.5", "same"),
    ("x(3,5); b(5,4); c=const(3,1); y=Gemm(x,b,c) beta=2.0", "same"),
    ("x(3,5); b(5,4); c=const(); y=Gemm(x,b,c)", "same"),
    ("x(3,5); b(5,4); c=const(); y=Gemm(x,b,c) alpha=0.5", "same"),
    ("x(3,5); b(5,4); c=const(); y=Gemm(x,b,c) beta=2.0", "same"),
    ("x(3,5); b(5,4); c(4); y=Gemm(x,b,c) alpha=0.5", "same"),
    ("x(3,5); b(5,4); c(4); y=Gemm(x,b,c) beta=2.0", "same"),
    ("x(3,5); b(5,4); c(1,4); y=Gemm(x,b,c)", "same"),
    ("x(3,5); b(5,4); c=const(1); y=Gemm(x,b,c)", "same"),
    ("x(3,5); b=const(4,5); c=const(4); y=Gemm(x,b,c) alpha=0.5 transB=1", "same"),
    ("x(3,5); b=const(4,5); c=const(4); y=Gemm(x,b,c) beta=2.0 transB=1", "same"),
    ("x(3,5); b=const(4,5); c=const(1,4); y=Gemm(x,b,c) transB=1", "refused"),
    ("x(3,5); b=const(4,5); c=const(1,4); y=Gemm(x,b,c) alpha=0.5 transB=1", "same"),
    ("x(3,5); b=const(4,5); c=const(1,4); y=Gemm(x,b,c) beta=2.0 transB=1", "same"),
    ("x(3,5); b=const(4,5); c=const(3,1); y=Gemm(x,b,c) transB=1", "refused"),
    ("x(3,5); b=const(4,5); c=const(3,1); y=Gemm(x,b,c) alpha=0.5 transB=1", "same"),
    ("x(3,5); b=const(4,5); c=const(3,1); y=Gemm(x,b,c) beta=2.0 transB=1", "same"),
    ("x(3,5); b=const(4,5); c=const(); y=Gemm(x,b,c) transB=1", "refused"),
    ("x(3,5); b=const(4,5); c=const(); y=Gemm(x,b,c) alpha=0.5 transB=1", "same"),
    ("x(3,5); b=const(4,5); c=const(); y=Gemm(x,b,c) beta=2.0 transB=1", "same"),
    ("x(3,5); b=const(4,5); c(4); y=Gemm(x,b,c) transB=1", "refused"),
    ("x(3,5); b=const(4,5); c(4); y=Gemm(x,b,c) alpha=0.5 transB=1", "same"),
    ("x(3,5); b=const(4,5); c(4); y=Gemm(x,b,c) beta=2.0 transB=1", "same"),
    ("x(3,5); b=const(4,5); c(1,4); y=Gemm(x,b,c) transB=1", "refused"),
    ("x(3,5); b=const(4,5); c=const(1); y=Gemm(x,b,c) transB=1", "refused"),
    ("x(3,5); b(4,5); c=const(4); y=Gemm(x,b,c) transB=1", "refused"),
    ("x(3,5); b(4,5); c=const(4); y=Gemm(x,b,c) beta=2.0 transB=1", "same"),
    ("x(3,5); b(4,5); c=const(1,4); y=Gemm(x,b,c) transB=1", "refused"),
    ("x(3,5); b(4,5); c=const(1,4); y=Gemm(x,b,c) alpha=0.5 transB=1", "same"),
    ("x(3,5); b(4,5); c=const(1,4); y=Gemm(x,b,c) beta=2.0 transB=1", "same"),
    ("x(3,5); b(4,5); c=const(3,1); y=Gemm(x,b,c) transB=1", "refused"),
    ("x(3,5); b(4,5); c=const(3,1); y=Gemm(x,b,c) alpha=0.5 transB=1", "same"),
    ("x(3,5); b(4,5); c=const(3,1); y=Gemm(x,b,c) beta=2.0 transB=1", "same"),
    ("x(3,5); b(4,5); c=const(); y=Gemm(x,b,c) transB=1", "refused"),
    ("x(3,5); b(4,5); c=const(); y=Gemm(x,b,c) beta=2.0 transB=1", "same"),
    ("x(3,5); b(4,5); c(4); y=Gemm(x,b,c) transB=1", "refused"),
    ("x(3,5); b(4,5); c(4); y=Gemm(x,b,c) alpha=0.5 transB=1", "same"),
    ("x(3,5); b(4,5); c(4); y=Gemm(x,b,c) beta=2.0 transB=1", "same"),
    ("x(3,5); b(4,5); c(1,4); y=Gemm(x,b,c) transB=1", "refused"),
    ("x(3,5); b(4,5); c=const(1); y=Gemm(x,b,c) transB=1", "refused"),
];

#[test]
fn batches() {
    answers("ncnn", &[], BATCHES);
}

/// Parts that the models of two tables share.
const PARTS: &[(&str, &str)] = &[
    ("[conv]", "w=const(4,3,1,1); c=Conv(x,w)"),
    ("[ln]", "g=const(6); l=LayerNormalization(x,g,g)"),
    ("[heads]", "s=const:i64(5)=1,5,2,3,1; r=Reshape(l,s); t=Transpose(r) perm=2,0,3,1,4"),
    ("[heads3]", "s=const:i64(5)=3,5,2,3,1; r=Reshape(l,s); t=Transpose(r) perm=2,0,3,1,4"),
    ("[first]", "a=const:i64(1)=0; b=const:i64(1)=1; q=Slice(t,a,b,a); u=Squeeze(q,a)"),
    ("[norm]", "n=ReduceL2(p,a) keepdims=1; e=const()=0.0001; c=Clip(n,e)"),
];

/// Where the axis that ncnn's tensors do not have moves with the nodes, and where two of a tensor's axes could be the batch.
const MOVED_BATCHES: &[(&str, &str)] = &[
    ("x(1,3,4,4); [conv]; t=Transpose(c) perm=1,0,2,3; y=Div(t,x)", "differs"),
    ("x(1,3,4,4); [conv]; t=Transpose(c) perm=1,0,2,3; y=Div(x,t)", "differs"),
    ("x(1,3,4,4); [conv]; t=Transpose(c) perm=1,0,2,3; y=Div(t,t)", "same"),
    ("x(1,3,4,4); [conv]; t=Transpose(c) perm=1,0,2,3; k=const(4,1,4,4); y=Div(t,k)", "same"),
    ("x(1,3,4,4); [conv]; t=Transpose(c) perm=1,0,2,3; k=const(4,4); y=Div(t,k)", "same"),
    ("x(1,3,4,4); [conv]; b=Neg(x); t=Transpose(c) perm=1,0,2,3; y=Div(t,b)", "differs"),
    (
        "x(1,3,4,4); z(1,3,4,4); w=const(4,3,1,1); b=Conv(z,w); c=Conv(x,w); t=Transpose(c) perm=1,0,2,3; y=Div(t,b)",
        "differs",
    ),
    ("x(1,3,4,4); z(1,3,4,4); [conv]; b=Conv(z,w); t=Transpose(c) perm=1,0,2,3; y=Div(t,b)", "same"),
    ("x(1,5,6); [ln]; [heads]; i=const:i64()=0; q=Gather(t,i) axis=0; k=const(3,5,1); y=Mul(q,k)", "same"),
    ("x(1,5,6); [ln]; [heads]; i=const:i64()=0; q=Gather(t,i) axis=0; y=Mul(q,q)", "same"),
    ("x(1,5,6); [ln]; [heads]; [first]; k=const(1,3,5,1); y=Mul(u,k)", "same"),
    ("x(1,5,6); [ln]; [heads]; [first]; k=const(1,3,5,1); y=Mul(u,k)", "same"),
    ("x(1,5,6); [ln]; [heads]; y=Mul(t,t)", "refused"),
    ("x(1,5,6); [ln]; [heads]; k=const(5,1); y=Mul(t,k)", "refused"),
    ("x(1,5,6); [ln]; a=const:i64(1)=1; u=Unsqueeze(l,a); k=const(5,6); y=Add(u,k)", "same"),
    ("x(1,5,6); [ln]; a=const:i64(1)=0; u=Unsqueeze(l,a); k=const(5,6); y=Add(u,k)", "same"),
    ("x(1,5,6); [ln]; a=const:i64(1)=0; u=Unsqueeze(l,a); k=const(1,5,6); y=Add(u,k)", "same"),
    ("x(1,5,6); [ln]; f=Flatten(l); k=const(30); y=Add(f,k)", "same"),
    ("x(1,5,6); [ln]; f=Flatten(l) axis=2; k=const(5,6); y=Add(f,k)", "same"),
    ("x(1,5,6); [ln]; f=Flatten(l) axis=2; y=Add(f,g)", "same"),
    ("x(1,5,6); [ln]; t=Transpose(l) perm=1,0,2; y=Add(t,l)", "same"),
    ("x(1,5,6); [ln]; t=Transpose(l) perm=1,0,2; k=const(5,1,6); y=Add(t,k)", "same"),
    ("x(1,5,6); [ln]; t=Transpose(l) perm=1,0,2; y=Add(t,g)", "same"),
    ("x(1,5,6); [ln]; t=Transpose(l) perm=1,0,2; u=Tanh(t); v=Sigmoid(t); y=Add(u,v)", "same"),
    ("x(1,5,6); [ln]; a=const:i64(1)=0; b=const:i64(1)=2; q=Slice(l,a,b,b); k=const(5,2); y=Mul(q,k)", "same"),
    ("x(1,5,6); [ln]; k=const(1,1,6); m=Concat(k,l) axis=1; y=Add(m,g)", "same"),
    ("x(1,5,6); [ln]; k=const(1,5,6); m=Concat(l,k) axis=0; y=Add(m,g)", "refused, unknown"),
    ("x(1,5,6); [ln]; k=const(1,1,6); m=Concat(k,l) axis=1; h=const(6); y=LayerNormalization(m,h,h)", "same"),
    ("x(1,5,6); [ln]; v=Transpose(l) perm=0,2,1; m=MatMul(l,v); k=const(5,5); y=Add(m,k)", "same"),
    ("x(1,5,6); [ln]; v=Transpose(l) perm=0,2,1; m=MatMul(l,v); k=const(1,5,1); y=Add(m,k)", "same"),
    ("x(1,5,6); [ln]; z(5,6); y=Add(l,z)", "same"),
    ("x(1,5,6); [ln]; z(1,5,6); y=Add(l,z)", "same"),
    ("x(1,5,6); [ln]; z(1,1,6); y=Add(z,l)", "same"),
    ("x(1,5,6); [ln]; s=const:i64(3)=2,5,6; y=Expand(l,s)", "differs"),
    ("x(3,5,6); [ln]; [heads3]; i=const:i64()=0; q=Gather(t,i) axis=0; k=const(3,5,1); y=Mul(q,k)", "same"),
    ("x(3,5,6); [ln]; [heads3]; i=const:i64()=0; q=Gather(t,i) axis=0; y=Mul(q,q)", "same"),
    ("x(3,5,6); [ln]; [heads3]; [first]; k=const(1,3,5,1); y=Mul(u,k)", "same"),
    ("x(3,5,6); [ln]; [heads3]; [first]; k=const(3,3,5,1); y=Mul(u,k)", "differs"),
    ("x(3,5,6); [ln]; [heads3]; y=Mul(t,t)", "refused"),
    ("x(3,5,6); [ln]; [heads3]; k=const(5,1); y=Mul(t,k)", "refused"),
    ("x(3,5,6); [ln]; a=const:i64(1)=1; u=Unsqueeze(l,a); k=const(5,6); y=Add(u,k)", "same"),
    ("x(3,5,6); [ln]; a=const:i64(1)=0; u=Unsqueeze(l,a); k=const(5,6); y=Add(u,k)", "same"),
    ("x(3,5,6); [ln]; a=const:i64(1)=0; u=Unsqueeze(l,a); k=const(3,5,6); y=Add(u,k)", "same"),
    ("x(3,5,6); [ln]; f=Flatten(l); k=const(30); y=Add(f,k)", "same"),
    ("x(3,5,6); [ln]; f=Flatten(l) axis=2; k=const(15,6); y=Add(f,k)", "same"),
    ("x(3,5,6); [ln]; f=Flatten(l) axis=2; y=Add(f,g)", "same"),
    ("x(3,5,6); [ln]; t=Transpose(l) perm=0,2,1; k=const(6,5); y=Add(t,k)", "same"),
    ("x(3,5,6); [ln]; t=Transpose(l) perm=1,0,2; k=const(5,3,6); y=Add(t,k)", "same"),
    ("x(3,5,6); [ln]; t=Transpose(l) perm=1,0,2; y=Add(t,g)", "same"),
    ("x(3,5,6); [ln]; t=Transpose(l) perm=1,0,2; u=Tanh(t); v=Sigmoid(t); y=Add(u,v)", "same"),
    ("x(3,5,6); [ln]; a=const:i64(1)=0; b=const:i64(1)=2; q=Slice(l,a,b,b); k=const(5,2); y=Mul(q,k)", "same"),
    ("x(3,5,6); [ln]; k=const(3,1,6); m=Concat(k,l) axis=1; y=Add(m,g)", "refused, unknown"),
    ("x(3,5,6); [ln]; k=const(3,5,6); m=Concat(l,k) axis=0; y=Add(m,g)", "refused, unknown"),
    (
        "x(3,5,6); [ln]; k=const(3,1,6); m=Concat(k,l) axis=1; h=const(6); y=LayerNormalization(m,h,h)",
        "refused, unknown",
    ),
    ("x(3,5,6); [ln]; v=Transpose(l) perm=0,2,1; m=MatMul(l,v); k=const(5,5); y=Add(m,k)", "same"),
    ("x(3,5,6); [ln]; v=Transpose(l) perm=0,2,1; m=MatMul(l,v); k=const(3,5,1); y=Add(m,k)", "differs"),
    ("x(3,5,6); [ln]; z(5,6); y=Add(l,z)", "same"),
    ("x(3,5,6); [ln]; z(3,5,6); y=Add(l,z)", "same"),
    ("x(3,5,6); [ln]; z(3,1,6); y=Add(z,l)", "same"),
    ("x(3,5,6); [ln]; s=const:i64(3)=3,5,6; y=Expand(l,s)", "same"),
    ("x(1,3); g=const(3); l=LayerNormalization(x,g,g); s=const:i64(2)=4,3; y=Expand(l,s)", "differs"),
    ("x(3,1); w=const(1); l=LayerNormalization(x,w,w); s=const:i64(2)=3,4; y=Expand(l,s)", "same"),
    ("x(1,5,1); g=const(1); l=LayerNormalization(x,g,g); s=const:i64(3)=1,5,4; y=Expand(l,s)", "same"),
    ("x(1,5,1); g=const(1); l=LayerNormalization(x,g,g); s=const:i64(3)=2,5,1; y=Expand(l,s)", "differs"),
    ("x(1,4,6); [ln]; t=Transpose(l) perm=1,2,0; h=const(1); y=LayerNormalization(t,h,h)", "differs"),
    ("x(2,4,6); [ln]; t=Transpose(l) perm=1,2,0; h=const(2); y=LayerNormalization(t,h,h)", "differs"),
    ("x(2,4,6); [ln]; t=Transpose(l) perm=1,0,2; y=LayerNormalization(t,g,g)", "same"),
];

#[test]
fn batches_move_with_the_nodes() {
    answers("ncnn", PARTS, MOVED_BATCHES);
}

/// A division by a norm is right along the first axis of ncnn's tensor only, if that has 1, 3 or 4.
const NORMS: &[(&str, &str)] = &[
    (
        "x(1,3,4,5); g=const(5); p=LayerNormalization(x,g,g); a=const:i64(1)=3; [norm]; s=const:i64(4)=1,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(1,3,4,5); g=const(5); p=Neg(x); a=const:i64(1)=3; [norm]; s=const:i64(4)=1,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(1,3,4,5); g=const(5); p=LayerNormalization(x,g,g); a=const:i64(1)=1; [norm]; s=const:i64(4)=1,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "same",
    ),
    (
        "x(1,3,4,5); g=const(5); p=Neg(x); a=const:i64(1)=1; [norm]; s=const:i64(4)=1,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(2,3,4,5); g=const(5); p=LayerNormalization(x,g,g); a=const:i64(1)=1; [norm]; s=const:i64(4)=2,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "same",
    ),
    (
        "x(2,3,4,5); g=const(5); p=Neg(x); a=const:i64(1)=1; [norm]; s=const:i64(4)=2,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(2,3,4,5); g=const(5); p=LayerNormalization(x,g,g); a=const:i64(1)=-1; [norm]; s=const:i64(4)=2,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(2,3,4,5); g=const(5); p=Neg(x); a=const:i64(1)=-1; [norm]; s=const:i64(4)=2,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(1,3,4,5); g=const(5); p=LayerNormalization(x,g,g); a=const:i64(1)=2; [norm]; s=const:i64(4)=1,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(1,3,4,5); g=const(5); p=Neg(x); a=const:i64(1)=2; [norm]; s=const:i64(4)=1,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(2,3,4); g=const(4); p=LayerNormalization(x,g,g); a=const:i64(1)=1; [norm]; s=const:i64(3)=2,3,4; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(2,3,4); g=const(4); p=Neg(x); a=const:i64(1)=1; [norm]; s=const:i64(3)=2,3,4; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(2,3,4); g=const(4); p=LayerNormalization(x,g,g); a=const:i64(1)=2; [norm]; s=const:i64(3)=2,3,4; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(2,3,4); g=const(4); p=Neg(x); a=const:i64(1)=2; [norm]; s=const:i64(3)=2,3,4; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(1,3,4); g=const(4); p=LayerNormalization(x,g,g); a=const:i64(1)=1; [norm]; s=const:i64(3)=1,3,4; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(1,3,4); g=const(4); p=Neg(x); a=const:i64(1)=1; [norm]; s=const:i64(3)=1,3,4; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(2,3); g=const(3); p=LayerNormalization(x,g,g); a=const:i64(1)=1; [norm]; s=const:i64(2)=2,3; d=Expand(c,s); y=Div(p,d)",
        "same",
    ),
    (
        "x(2,3); g=const(3); p=Neg(x); a=const:i64(1)=1; [norm]; s=const:i64(2)=2,3; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(1,3); g=const(3); p=LayerNormalization(x,g,g); a=const:i64(1)=1; [norm]; s=const:i64(2)=1,3; d=Expand(c,s); y=Div(p,d)",
        "same",
    ),
    (
        "x(1,3); g=const(3); p=Neg(x); a=const:i64(1)=1; [norm]; s=const:i64(2)=1,3; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(1,3,4,5); g=const(5); p=LayerNormalization(x,g,g); a=const:i64(1)=0; [norm]; s=const:i64(4)=1,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
    (
        "x(1,3,4,5); g=const(5); p=Neg(x); a=const:i64(1)=0; [norm]; s=const:i64(4)=1,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "same",
    ),
    (
        "x(1,2,3,4,5); g=const(5); p=LayerNormalization(x,g,g); a=const:i64(1)=1; [norm]; s=const:i64(5)=1,2,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "same",
    ),
    (
        "x(1,2,3,4,5); g=const(5); p=LayerNormalization(x,g,g); a=const:i64(1)=4; [norm]; s=const:i64(5)=1,2,3,4,5; d=Expand(c,s); y=Div(p,d)",
        "differs",
    ),
];

#[test]
fn divisions_by_norms() {
    answers("ncnn", PARTS, NORMS);
}

/// What a convolution in front calls the batch, a `Transpose` brings to another axis.
const CHANNELS: &[(&str, &str)] = &[
    ("[x]; t=Transpose(c) perm=3,2,1,0; [bn]", "differs"),
    ("[x]; t=Transpose(c) perm=3,2,1,0; a=const(4); b=const(4); y=InstanceNormalization(t,a,b)", "differs"),
    ("[x]; t=Transpose(c) perm=3,2,1,0; a=const(4); b=const(4); y=GroupNormalization(t,a,b) num_groups=4", "differs"),
    ("[x]; t=Transpose(c) perm=3,2,1,0; k=const(2,4,1,1); b=const(2); y=Conv(t,k,b)", "differs"),
    ("[x]; t=Transpose(c) perm=3,2,1,0; s=const(4,1,1); y=PRelu(t,s)", "differs"),
    ("[x]; t=Transpose(c) perm=2,0,1,3; s=const(2,1,1); y=PRelu(t,s)", "differs"),
    ("[x]; t=Transpose(c) perm=3,2,1,0; s=const(1); y=PRelu(t,s)", "same"),
    ("[x]; t=Transpose(c) perm=0,2,1,3; [bn]", "same"),
    ("c(2,3,4,5); t=Transpose(c) perm=3,2,1,0; [bn]", "same"),
];

#[test]
fn layers_of_channels() {
    let parts = [
        ("[x]", "x(2,3,4,5); w=const(3,3,1,1); c=Conv(x,w)"),
        ("[bn]", "a=const(4); b=const(4); m=const(4); v=const(4); y=BatchNormalization(t,a,b,m,v)"),
    ];
    answers("ncnn", &parts, CHANNELS);
}
