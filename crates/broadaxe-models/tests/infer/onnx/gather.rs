//! Gathers and scatters.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_GATHER: &str = "\
Gather | [n=2,4,6] i64[3] | axis=1 | [2,3,6] | [n,3,6]
Gather | [n=2,4,6] i64[] | axis=1 | [2,6] | [n,6]
Gather | [n=2,4,6] (1) | axis=-1 | [2,4] | [n,4]
Gather | [4,6] i64[a=2,b=3] |  | [2,3,6] | [a,b,6]
Gather | [4,6] i32[2,3,1] | axis=1 | [4,2,3,1]
Gather | [4,6] i64[0] |  | [0,6]
Gather | [4] i64[] |  | []
Gather | i64[4] {0,-1} |  | i64[2]
Gather | [4,6] i64[2] | axis=2 | refused | unknown: Gather: axis 2 is out of range for rank 2
Gather | [4,6] i64[2] | axis=-3 | refused | unknown: Gather: axis -3 is out of range for rank 2
Gather | [] i64[1] |  | refused | unknown: Gather: input 0 has rank 0, but needs 1 or more
Gather | [*4,6] i64[2] |  | [2,6] | unknown: the file does not say the shape of the input i0
Gather@1 | [4,6] i64[2] | axis=1 | [4,2]
GatherElements | [2,4] i64[2,3] | axis=1 | [2,3]
GatherElements | [n=2,4] i64[m=1,4] |  | [1,4] | [m,4]
GatherElements | [2,4] i64[0,4] | axis=0 | [0,4]
GatherElements | [2,4] i64[2] | axis=1 | refused | [2]
GatherElements | [2,4] i64[2,3] | axis=2 | refused | [2,3]
GatherElements | [2,4,6] i64[2,4,1] | axis=-1 | [2,4,1]
GatherND | [2,4,6] i64[n=3,2] |  | [3,6] | [n,6]
GatherND | [2,4,6] i64[3,1] |  | [3,4,6]
GatherND | [2,4,6] i64[5,3] |  | [5]
GatherND | [n=2,4,6] i64[n=2,1] | batch_dims=1 | [2,6] | [n,6]
GatherND | [2,4,6] i64[2,4,1] | batch_dims=2 | [2,4]
GatherND | [2,4] i64[0,1] |  | [0,4]
GatherND | [2,4] i64[3,2,2] |  | [3,2]
GatherND | [2,4] i64[2] |  | []
GatherND | [2,4] i64[3] |  | refused | unknown: GatherND: the indices fix more axes than there are
GatherND | [2,4] i64[3,?=2] |  | [3] | unknown: GatherND: the last extent of the indices is not known
GatherND | [2,4] i64[] |  | refused | unknown: GatherND: input 1 has rank 0, but needs 1 or more
Scatter@9 | [n=3,4] i64[2,4] [2,4] |  | [3,4] | [n,4]
Scatter@9 | [3,4] i64[3,1] [3,1] | axis=1 | [3,4]
Scatter@9 | i64[4] i64[2] i64[2] |  | i64[4]
Scatter@9 | [3,4] i64[0,4] [0,4] |  | [3,4]
ScatterElements | [n=3,4] i64[2,4] [2,4] |  | [3,4] | [n,4]
ScatterElements | [3,4] i64[3,1] [3,1] | axis=-1 | [3,4]
ScatterElements | [3,4] i64[3,1] [3,1] | axis=1 reduction=add | [3,4]
ScatterElements | i64[4] i64[0] i64[0] |  | i64[4]
ScatterElements | [3,4] i64[3,1] [3,2] | axis=1 | refused | [3,4]
ScatterElements | [3,4] i64[3,1] [3,1] | axis=2 | refused | [3,4]
ScatterND | [n=3,4] i64[2,1] [2,4] |  | [3,4] | [n,4]
ScatterND | [3,4] i64[2,2] [2] |  | [3,4]
ScatterND | [3,4] i64[0,1] [0,4] |  | [3,4]
ScatterND | [3,4] i64[2,2] [2] | reduction=mul | [3,4]
ScatterND | [3,4] i64[2,1] [2,3] |  | refused | [3,4]
TensorScatter@24 | [n=2,3,8,4] [n=2,3,2,4] i64[2] |  | [2,3,8,4] | [n,3,8,4]
TensorScatter@24 | [2,8,4] [2,2,4] | mode=linear | [2,8,4]
TensorScatter@24 | [2,8,4] [2,2,4] i64[2] | axis=1 mode=circular | [2,8,4]
TensorScatter@24 | [2,8,4] [2,9,4] |  | refused | [2,8,4]
OneHot | i64[n=2,4] (5) f32{0.0,1.0} |  | [2,4,5] | [n,4,5]
OneHot | i64[n=2,4] (5) f32{0.0,1.0} | axis=0 | [5,2,4] | [5,n,4]
OneHot | i64[2,4] {5} i64{0,1} | axis=1 | i64[2,5,4]
OneHot | i64[2,4] i64[1]=5 f32{0.0,1.0} |  | [2,4,5] | [2,4,?]
OneHot | i64[] (5) f32{0.0,1.0} |  | refused | [5]
OneHot | i64[0] (5) f32{0.0,1.0} | axis=-2 | [5,0]
OneHot | f32[3] f32(5.0) i32{0,1} |  | i32[3,5]
OneHot | i64[2,4] (5) f32{0.0,1.0} | axis=3 | refused | unknown: OneHot: axis 3 is out of range for rank 3
OneHot | i64[2,4] (0) f32{0.0,1.0} |  | refused | [2,4,0]
";
