//! Element-wise operators.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_ELEMENTWISE: &str = "\
Add | [n=2,4,6] [6] |  | [2,4,6] | [n,4,6]
Add | [n=2,4,6] [n=2,4,6] |  | [2,4,6] | [n,4,6]
Add | [2,1,6] [4,1] |  | [2,4,6]
Add | [n=2,1,6] [m=4,1] |  | [2,4,6] | [n,m,6]
Add | [] [3] |  | [3]
Add | [] [] |  | []
Add | [0,4] [1,4] |  | [0,4]
Add | [0] [1] |  | [0]
Add | [n=3] [1] |  | [3] | [n]
Add | [n=3] [m=3] |  | [3] | [broadcast(n, m)]
Add | [?=3] [3] |  | [3]
Add | [?=1] [3] |  | [3]
Add | [2,4] [4,2] |  | refused \
    | unknown: Add: broadcast of a (2, 4) with b (4, 2) under numpy: axis 0 is 2 in a and 4 in b; they must be equal or 1
Add | [0] [2] |  | refused \
    | unknown: Add: broadcast of a (0,) with b (2,) under numpy: axis 0 is 0 in a and 2 in b; they must be equal or 1
Add | [*2,4] [4] |  | [2,4] | unknown: the file does not say the shape of the input i0
Add | i64[2,4] i64[4] |  | i64[2,4]
Add@6 | [2,3,4] [3] | broadcast=1 axis=1 | [2,3,4]
Add@6 | [2,3,4] [3,4] | broadcast=1 | [2,3,4]
Add@6 | [2,3,4] [2,3,4] |  | [2,3,4]
Sub | [n=2,4] [4] |  | [2,4] | [n,4]
Sub | [2,1] [1,4] |  | [2,4]
Sub@6 | [2,3] [2] | broadcast=1 axis=0 | [2,3]
Sub | [2,3] [2] |  | refused \
    | unknown: Sub: broadcast of a (2, 3) with b (2,) under numpy: axis 1 is 3 in a and 2 in b; they must be equal or 1
Mul | [n=2,4] [] |  | [2,4] | [n,4]
Mul | i32[2,4] i32[4] |  | i32[2,4]
Mul@1 | [2,3,4] [4] | broadcast=1 | [2,3,4]
Mul | [2,3,4] [3] |  | refused \
    | unknown: Mul: broadcast of a (2, 3, 4) with b (3,) under numpy: axis 2 is 4 in a and 3 in b; they must be equal or 1
Div | [n=2,4] [n=2,1] |  | [2,4] | [n,4]
Div | i64[4] i64[4] |  | i64[4]
Div | f64[0] f64[] |  | f64[0]
Div | [3,2] [2,3] |  | refused \
    | unknown: Div: broadcast of a (3, 2) with b (2, 3) under numpy: axis 0 is 3 in a and 2 in b; they must be equal or 1
Pow | [n=2,4] [4] |  | [2,4] | [n,4]
Pow | [2,4] i64[] |  | [2,4]
Pow | i64[2] f32[1] |  | i64[2]
Pow | [2,4] [3] |  | refused \
    | unknown: Pow: broadcast of a (2, 4) with b (3,) under numpy: axis 1 is 4 in a and 3 in b; they must be equal or 1
Mod | i64[n=2,4] i64[4] |  | i64[2,4] | i64[n,4]
Mod | [2,4] [4] | fmod=1 | [2,4]
Mod | i32[] i32[2] |  | i32[2]
Mod | i64[2] i64[3] |  | refused \
    | unknown: Mod: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
Equal | [n=2,4] [4] |  | bool[2,4] | bool[n,4]
Equal | i64[2,1] i64[1,3] |  | bool[2,3]
Equal | bool[] bool[2] |  | bool[2]
Equal@1 | i32[2,3] i32[3] | broadcast=1 | bool[2,3]
Equal | [2] [3] |  | refused \
    | unknown: Equal: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
Less | [n=2,4] [] |  | bool[2,4] | bool[n,4]
Less | i64[2] i64[1] |  | bool[2]
Less@7 | [2,1] [3] |  | bool[2,3]
Less | [2,3] [2] |  | refused \
    | unknown: Less: broadcast of a (2, 3) with b (2,) under numpy: axis 1 is 3 in a and 2 in b; they must be equal or 1
Greater | [n=2,4] [] |  | bool[2,4] | bool[n,4]
Greater | f64[0] f64[1] |  | bool[0]
Greater@1 | [2,3] [3] | broadcast=1 | bool[2,3]
Greater | [2,3] [2] |  | refused \
    | unknown: Greater: broadcast of a (2, 3) with b (2,) under numpy: axis 1 is 3 in a and 2 in b; they must be equal or 1
LessOrEqual | [n=2,4] [1,4] |  | bool[2,4] | bool[n,4]
LessOrEqual | i32[2] i32[] |  | bool[2]
LessOrEqual@12 | [2] [2] |  | bool[2]
LessOrEqual | [2] [5] |  | refused \
    | unknown: LessOrEqual: broadcast of a (2,) with b (5,) under numpy: axis 0 is 2 in a and 5 in b; they must be equal or 1
GreaterOrEqual | [n=2,4] [1,4] |  | bool[2,4] | bool[n,4]
GreaterOrEqual | i32[2] i32[] |  | bool[2]
GreaterOrEqual@12 | [3,1] [2] |  | bool[3,2]
GreaterOrEqual | [2] [5] |  | refused \
    | unknown: GreaterOrEqual: broadcast of a (2,) with b (5,) under numpy: axis 0 is 2 in a and 5 in b; they must be equal or 1
And | bool[n=2,4] bool[4] |  | bool[2,4] | bool[n,4]
And | bool[] bool[3] |  | bool[3]
And@6 | bool[2,3] bool[3] | broadcast=1 | bool[2,3]
And | bool[2] bool[3] |  | refused \
    | unknown: And: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
Or | bool[n=2,4] bool[4] |  | bool[2,4] | bool[n,4]
Or | bool[0] bool[1] |  | bool[0]
Or@1 | bool[2,3] bool[3] | broadcast=1 | bool[2,3]
Or | bool[2] bool[3] |  | refused \
    | unknown: Or: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
Xor | bool[n=2,4] bool[4] |  | bool[2,4] | bool[n,4]
Xor | bool[2,1] bool[3] |  | bool[2,3]
Xor | bool[] bool[] |  | bool[]
Xor | bool[2] bool[3] |  | refused \
    | unknown: Xor: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
Not | bool[n=2,4] |  | bool[2,4] | bool[n,4]
Not | bool[] |  | bool[]
Not | bool[0] |  | bool[0]
Not | bool[*2] |  | bool[2] | unknown: the file does not say the shape of the input i0
BitShift | u8[n=2,4] u8[4] | direction=LEFT | u8[2,4] | u8[n,4]
BitShift | u64[2] u64[] | direction=RIGHT | u64[2]
BitShift | u32[2,1] u32[3] | direction=LEFT | u32[2,3]
BitShift | u8[2] u8[3] | direction=LEFT | refused \
    | unknown: BitShift: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
BitwiseAnd | i32[n=2,4] i32[4] |  | i32[2,4] | i32[n,4]
BitwiseAnd | u8[2] u8[3] |  | refused \
    | unknown: BitwiseAnd: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
BitwiseOr | i64[2,1] i64[3] |  | i64[2,3]
BitwiseXor | i8[] i8[3] |  | i8[3]
BitwiseNot | i32[n=2,3] |  | i32[2,3] | i32[n,3]
Where | bool[n=2,1] [4] [1] |  | [2,4] | [n,4]
Where | bool[] [2,3] [3] |  | [2,3]
Where | bool[2] [] i64[] |  | refused | [2]
Where | bool[3,1] i64[2] i64[] |  | i64[3,2]
Where | bool[2] [3] [3] |  | refused \
    | unknown: Where: broadcast of a (2,) with b (3,) with c (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
Max | [n=2,4] [4] [1] |  | [2,4] | [n,4]
Max | [2,4] |  | [2,4]
Max | i64[2] i64[] i64[3,1] |  | i64[3,2]
Max@6 | [2,4] [2,4] |  | [2,4]
Max | [2] [3] |  | refused \
    | unknown: Max: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
Min | [n=2,4] [4] [1] |  | [2,4] | [n,4]
Min | [2] |  | [2]
Min | u8[2] u8[1] |  | u8[2]
Min | [2] [3] |  | refused \
    | unknown: Min: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
Mean | [n=2,4] [4] |  | [2,4] | [n,4]
Mean | [2] |  | [2]
Mean@6 | [2,4] [2,4] |  | [2,4]
Mean | [2] [3] |  | refused \
    | unknown: Mean: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
Sum | [n=2,4] [4] [] |  | [2,4] | [n,4]
Sum | [2] |  | [2]
Sum@6 | [2,4] [2,4] |  | [2,4]
Sum | [2] [3] |  | refused \
    | unknown: Sum: broadcast of a (2,) with b (3,) under numpy: axis 0 is 2 in a and 3 in b; they must be equal or 1
PRelu | [n=2,3,4] [3,1] |  | [2,3,4] | [n,3,4]
PRelu | [2,3,4] [] |  | [2,3,4]
PRelu | [2,3,4] [4] |  | [2,3,4]
PRelu | [2,3,4] [3] |  | refused | [2,3,4]
PRelu@6 | [2,3,4] [3] |  | [2,3,4]
PRelu | [1,4] [2,4] |  | [2,4] \
    | unknown: PRelu: broadcast of a (1, 4) with b (2, 4) under unidirectional: axis 0 is 1 in a and 2 in b; a may not stretch, so b must be 1 there
Clip | [n=2,4] f32(0.0) f32(1.0) |  | [2,4] | [n,4]
Clip | [2,4] _ f32(1.0) |  | [2,4]
Clip | [0] |  | [0]
Clip@6 | [2,4] | min=0.0 max=6.0 | [2,4]
Clip | i64[2] (0) |  | i64[2]
Relu | [n=2,?=4] |  | [2,4] | [n,?]
Relu | [] |  | []
Relu | [0,3] |  | [0,3]
Relu | i32[2] |  | i32[2]
Abs | [n=2] |  | [2] | [n]
Neg | i64[n=2] |  | i64[2] | i64[n]
Sqrt | [0] |  | [0]
Exp | f64[2] |  | f64[2]
Log | [n=2] |  | [2] | [n]
Floor | [] |  | []
Ceil | [2,0] |  | [2,0]
Round | [n=2] |  | [2] | [n]
Sign | i32[2] |  | i32[2]
Erf | [n=2] |  | [2] | [n]
Sigmoid | [n=2] |  | [2] | [n]
Tanh | f16[2] |  | f16[2]
Elu | [n=2] | alpha=0.5 | [2] | [n]
Selu | [2] |  | [2]
Celu | [n=2] |  | [2] | [n]
LeakyRelu | [2,0] |  | [2,0]
ThresholdedRelu | [n=2] |  | [2] | [n]
HardSigmoid | [n=2] |  | [2] | [n]
HardSwish | [n=2] |  | [2] | [n]
Gelu | [n=2] | approximate=tanh | [2] | [n]
Mish | [n=2] |  | [2] | [n]
Softplus | [n=2] |  | [2] | [n]
Softsign | [n=2] |  | [2] | [n]
Reciprocal | [n=2] |  | [2] | [n]
IsNaN | [n=2,4] |  | bool[2,4] | bool[n,4]
IsNaN | f64[] |  | bool[]
IsInf | [n=2,4] |  | bool[2,4] | bool[n,4]
IsInf | [0] | detect_negative=0 | bool[0]
Sin | [n=2] |  | [2] | [n]
Cosh | [n=2] |  | [2] | [n]
Atanh | [0] |  | [0]
";
