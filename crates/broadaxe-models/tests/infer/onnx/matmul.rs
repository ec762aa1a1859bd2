//! Matrix products.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_MATMUL: &str = "\
MatMul | [n=2,4,k=6] [n=2,k=6,5] |  | [2,4,5] | [n,4,5]
MatMul | [n=2,4,6] [6,m=5] |  | [2,4,5] | [n,4,m]
MatMul | [4,6] [3,1,6,5] |  | [3,1,4,5]
MatMul | [2,1,4,6] [3,6,5] |  | [2,3,4,5]
MatMul | [b=2,1,4,6] [c=3,6,5] |  | [2,3,4,5] | [b,c,4,5]
MatMul | [6] [6,5] |  | [5]
MatMul | [4,6] [6] |  | [4]
MatMul | [6] [6] |  | []
MatMul | [2,3,4,6] [6] |  | [2,3,4]
MatMul | [6] [2,3,6,5] |  | [2,3,5]
MatMul | [4,0] [0,5] |  | [4,5]
MatMul | [0,4,6] [6,5] |  | [0,4,5]
MatMul | [a=4,b=6] [c=6,5] |  | [4,5] | [a,5]
MatMul | [?=4,?=6] [6,?=5] |  | [4,5] | [?,?]
MatMul | [4,6] [5,6] |  | refused | unknown: MatMul: extents 6 and 5 must be equal
MatMul | [2,4,6] [3,6,5] |  | refused \
    | unknown: MatMul: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
MatMul | [] [6] |  | refused | unknown: MatMul: input 0 has rank 0, but needs 1 or more
MatMul | [6] [] |  | refused | unknown: MatMul: input 1 has rank 0, but needs 1 or more
MatMul | [*4,6] [6,5] |  | [4,5] | unknown: the file does not say the shape of the input i0
MatMul | f64[4,6] f64[6,5] |  | f64[4,5]
MatMul | i64[4,6] i64[6,5] |  | i64[4,5]
MatMulInteger | u8[n=2,4,6] i8[6,5] |  | i32[2,4,5] | i32[n,4,5]
MatMulInteger | u8[4,6] u8[6,5] u8(1) u8(2) |  | i32[4,5]
MatMulInteger | i8[2,4,6] i8[2,6,5] |  | i32[2,4,5]
MatMulInteger | u8[4,6] u8[5,6] |  | refused | unknown: MatMulInteger: extents 6 and 5 must be equal
QLinearMatMul | u8[n=2,4,6] f32(0.5) u8(1) u8[6,5] f32(0.5) u8(1) f32(0.5) u8(1) |  | u8[2,4,5] | u8[n,4,5]
QLinearMatMul | u8[2,4,6] f32(0.5) u8(1) i8[2,6,5] f32(0.5) i8(0) f32(0.5) u8(1) |  | u8[2,4,5]
QLinearMatMul | i8[4,6] f32(0.5) i8(1) i8[6,5] f32(0.5) i8(1) f32(0.5) i8(1) |  | i8[4,5]
QLinearMatMul | u8[4,6] f32(0.5) u8(1) u8[5,6] f32(0.5) u8(1) f32(0.5) u8(1) |  | refused \
    | unknown: QLinearMatMul: extents 6 and 5 must be equal
Gemm | [m=4,k=6] [k=6,n=5] |  | [4,5] | [m,n]
Gemm | [k=6,m=4] [k=6,5] | transA=1 | [4,5] | [m,5]
Gemm | [4,6] [n=5,6] | transB=1 | [4,5] | [4,n]
Gemm | [6,4] [5,6] [5] | transA=1 transB=1 | [4,5]
Gemm | [4,6] [6,5] [] |  | [4,5]
Gemm | [4,6] [6,5] [4,1] | alpha=0.5 beta=0.5 | [4,5]
Gemm | [0,6] [6,5] |  | [0,5]
Gemm | [4,0] [0,5] |  | [4,5]
Gemm | [4,6] [5,6] |  | refused | unknown: Gemm: extents 6 and 5 must be equal
Gemm | [2,4,6] [6,5] |  | refused | unknown: Gemm: input 0 has rank 3, but needs 2
Gemm | [4,6] [6,5] [3] |  | refused | [4,5]
Gemm | [4] [4,5] |  | refused | unknown: Gemm: input 0 has rank 1, but needs 2
Gemm@6 | [4,6] [6,5] [5] | broadcast=1 | [4,5]
Einsum | [b=2,i=4,j=6] [b=2,j=6,k=5] | equation=bij,bjk->bik | [2,4,5] | [b,i,k]
Einsum | [4,6] | equation=ij->ji | [6,4]
Einsum | [4,4] | equation=ii->i | [4]
Einsum | [4,4] | equation=ii | []
Einsum | [4,6] | equation=ij | [4,6]
Einsum | [4,6] | equation=ji | [6,4]
Einsum | [2,4,6] [6,5] | equation=...j,jk->...k | [2,4,5]
Einsum | [2,4,6] [3,1,6,5] | equation=...ij,...jk->...ik | refused | [3,2,4,5]
Einsum | [2,4,6] [2,6,5] | equation=...ij,...jk | [2,4,5]
Einsum | [2,4,6] | equation=b...->...b | [4,6,2]
Einsum | [4] [6] | equation=i,j->ij | [4,6]
Einsum | [4] [4] | equation=i,i-> | []
Einsum | [4,6] [4] [6] | equation=ij,i,j-> | []
Einsum | [2,4] [1,4] | equation=ij,ij->ij | [2,4]
Einsum | [n=2,4] [1,4] | equation=ij,ij->ij | [2,4] | [n,4]
Einsum | [4,6] | equation=ijk->i | refused | unknown: Einsum: ijk does not fit an operand of rank 2
Einsum | [4,6] [6,5] | equation=ij->i | refused | unknown: Einsum: the equation has 1 operands, the node 2
Einsum | [4,6] [5,6] | equation=ij,jk->ik | refused | unknown: Einsum: extents 6 and 5 must be equal
Einsum | [4,6] | equation=ij->ik | refused | unknown: Einsum: a letter of the result is in no operand
Det | [n=2,3,3] |  | [2] | [n]
Det | [3,3] |  | []
Det | [2,n=4,3,3] |  | [2,4] | [2,n]
Det | [0,3,3] |  | [0]
Det | [3] |  | refused | unknown: Det: input 0 has rank 1, but needs 2 or more
Det | [3,4] |  | refused | []
";
