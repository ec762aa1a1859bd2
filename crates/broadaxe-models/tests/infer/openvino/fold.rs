//! Products and reductions.
//!
//! Results are those of OpenVINO 2026.4.1.

pub(crate) const OPENVINO_FOLD: &str = "\
MatMul@1 | [n=2,4,6] [6,5] | transpose_a=false transpose_b=false | [2,4,5] | [n,4,5]
MatMul@1 | [2,6,4] [2,5,6] | transpose_a=true transpose_b=true | [2,4,5]
MatMul@1 | [6] [6,5] | transpose_a=false transpose_b=false | [5]
MatMul@1 | [6] [5,6] | transpose_a=true transpose_b=true | [5]
MatMul@1 | [4,6] [6] | transpose_a=false transpose_b=true | [4]
MatMul@1 | [6,4] [6] | transpose_a=true transpose_b=false | [4]
MatMul@1 | [6] [6] | transpose_a=true transpose_b=true | []
MatMul@1 | [b=2,1,4,6] [c=3,6,5] | transpose_a=false transpose_b=false | [2,3,4,5] | [b,c,4,5]
MatMul@1 | [4,6] [5,6] | transpose_a=false transpose_b=false | refused \
    | unknown: MatMul: extents 6 and 5 must be equal
MatMul@1 | [2,4,6] [3,6,5] | transpose_a=false transpose_b=false | refused \
    | unknown: MatMul: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
MatMul@1 | [] [6] | transpose_a=false transpose_b=false | refused \
    | unknown: MatMul: input 0 has rank 0, but needs 1 or more
Einsum@7 | [b=2,i=4,6] [b=2,6,5] | equation=bij,bjk->bik | [2,4,5] | [b,i,5]
Einsum@7 | [2,4,6] [6,5] | equation=...j,jk->...k | [2,4,5]
Einsum@7 | [4,4] | equation=ii->i | [4]
Einsum@7 | [4,6] [5,6] | equation=ij,jk->ik | refused | unknown: Einsum: extents 6 and 5 must be equal
Einsum@7 | [4,6] | equation=ij | [4,6]
ReduceSum@1 | [n=2,4,6] {1} | keep_dims=true | [2,1,6] | [n,1,6]
ReduceSum@1 | [n=2,4,6] {1} | keep_dims=false | [2,6] | [n,6]
ReduceSum@1 | [n=2,4,6] {1} |  | [2,6] | [n,6]
ReduceSum@1 | [2,4,6] {-1,0} | keep_dims=false | [4]
ReduceSum@1 | [2,4,6] {} | keep_dims=false | [2,4,6]
ReduceSum@1 | [2,4,6] (1) | keep_dims=false | [2,6]
ReduceSum@1 | [2,4,6] i64[1] | keep_dims=true | [?,?,?]
ReduceSum@1 | [2,4,6] i64[1] | keep_dims=false | [?,?]
ReduceSum@1 | [2,4,6] i64[] | keep_dims=false | [?,?] | unknown: ReduceSum: its axes are not known
ReduceSum@1 | [2,4,6] {3} | keep_dims=true | refused | unknown: ReduceSum: axis 3 is out of range for rank 3
ReduceMean@1 | [n=2,4,6] {2} | keep_dims=true | [2,4,1] | [n,4,1]
ReduceMean@1 | [n=2,4,6] {0,1,2} | keep_dims=false | []
ReduceMean@1 | i64[2,4] {0} | keep_dims=false | i64[4]
ReduceMean@1 | [2,4] {-3} | keep_dims=false | refused | unknown: ReduceMean: axis -3 is out of range for rank 2
ReduceMax@1 | [n=2,4,6] {2} | keep_dims=true | [2,4,1] | [n,4,1]
ReduceMax@1 | [n=2,4,6] {0,2} | keep_dims=false | [4]
ReduceMax@1 | [0,4] {1} | keep_dims=false | [0]
ReduceMax@1 | [2,4] {2} | keep_dims=false | refused | unknown: ReduceMax: axis 2 is out of range for rank 2
ReduceMin@1 | [n=2,4,6] {2} | keep_dims=true | [2,4,1] | [n,4,1]
ReduceMin@1 | [n=2,4,6] (-2) | keep_dims=false | [2,6] | [n,6]
ReduceMin@1 | [4] {0} |  | []
ReduceMin@1 | [2,4] {2} | keep_dims=false | refused | unknown: ReduceMin: axis 2 is out of range for rank 2
ReduceProd@1 | [n=2,4,6] {2} | keep_dims=true | [2,4,1] | [n,4,1]
ReduceProd@1 | i64[4] {0} | keep_dims=false | i64[]
ReduceProd@1 | [2,4] {} | keep_dims=true | [2,4]
ReduceProd@1 | [2,4] {-5} | keep_dims=false | refused | unknown: ReduceProd: axis -5 is out of range for rank 2
ReduceL1@4 | [n=2,4,6] {1} | keep_dims=true | [2,1,6] | [n,1,6]
ReduceL1@4 | [2,4,6] {0,1} | keep_dims=false | [6]
ReduceL1@4 | [0] {0} | keep_dims=false | []
ReduceL1@4 | [2,4] {2} | keep_dims=true | refused | unknown: ReduceL1: axis 2 is out of range for rank 2
ReduceL2@4 | [n=2,4,6] {1} | keep_dims=true | [2,1,6] | [n,1,6]
ReduceL2@4 | [2,4,6] {0,1} | keep_dims=false | [6]
ReduceL2@4 | [4] {-1} | keep_dims=false | []
ReduceL2@4 | [2,4] {2} | keep_dims=true | refused | unknown: ReduceL2: axis 2 is out of range for rank 2
ReduceLogicalAnd@1 | bool[n=2,4] {1} | keep_dims=true | bool[2,1] | bool[n,1]
ReduceLogicalAnd@1 | bool[n=2,4] {0} | keep_dims=false | bool[4]
ReduceLogicalAnd@1 | bool[4] {0} |  | bool[]
ReduceLogicalAnd@1 | bool[2,4] {2} | keep_dims=true | refused \
    | unknown: ReduceLogicalAnd: axis 2 is out of range for rank 2
ReduceLogicalOr@1 | bool[n=2,4] {1} | keep_dims=true | bool[2,1] | bool[n,1]
ReduceLogicalOr@1 | bool[n=2,4] {0} | keep_dims=false | bool[4]
ReduceLogicalOr@1 | bool[0] {0} |  | bool[]
ReduceLogicalOr@1 | [2,4] {1} | keep_dims=true | refused | [2,1]
Add@1 | [n=2,4] [4] | auto_broadcast=numpy | [2,4] | [n,4]
Add@1 | [2,3,4] [2,3,4] | auto_broadcast=none | [2,3,4]
Add@1 | [2,3] [3,3] | auto_broadcast=numpy | refused \
    | unknown: Add: broadcast of a (2, 3) with b (3, 3) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
Multiply@1 | [n=2,1] [m=3] | auto_broadcast=numpy | [2,3] | [n,m]
Multiply@1 | [] [0] | auto_broadcast=numpy | [0]
Less@1 | [n=2,4] [] | auto_broadcast=numpy | bool[2,4] | bool[n,4]
Less@1 | [2] [3] | auto_broadcast=numpy | refused \
    | unknown: Less: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
Select@1 | bool[n=2,1] [4] [] | auto_broadcast=numpy | [2,4] | [n,4]
Select@1 | bool[2] [3] [3] | auto_broadcast=numpy | refused \
    | unknown: Select: broadcast of a (2,) with b (3,) with c (3,) under openvino-select: axis 0 is 2 in a and 3 in b; they must be equal or 1
PReLU@1 | [n=2,3,4] [3] |  | [2,3,4] | [n,3,4]
PReLU@1 | [2,3,4] [1] |  | [2,3,4]
ScaledDotProductAttention@13 | [n=2,3,q=4,8] [n=2,3,k=6,8] [n=2,3,k=6,10] | causal=false | [2,3,4,10] | [n,3,q,10]
ScaledDotProductAttention@13 | [2,3,4,8] [2,1,6,8] [2,3,6,8] [4,6] | causal=false | [2,3,4,8]
ScaledDotProductAttention@13 | [4,8] [6,8] [6,8] | causal=true | refused | [4,8]
ScaledDotProductAttention@13 | [2,4,8] [3,6,8] [2,6,8] | causal=false | refused \
    | unknown: ScaledDotProductAttention: broadcast of a (2,) with b (3,) with c (2,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
PReLU@1 | [2,3,4] [4] |  | [2,3,4]
ReLU@1 | [n=2,4] |  | [2,4] | [n,4]
ReLU@1 | [] |  | []
";
