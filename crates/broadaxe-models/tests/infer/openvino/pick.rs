//! Gathers, scatters and choices.
//!
//! Results are those of OpenVINO 2026.4.1.

pub(crate) const OPENVINO_PICK: &str = "\
Gather@8 | [n=2,4,6] i64[3] (1) | batch_dims=0 | [2,3,6] | [n,3,6]
Gather@8 | [2,4,6] i64[] (1) | batch_dims=0 | [2,6]
Gather@8 | [2,4,6] i64[2,3] (-1) | batch_dims=0 | [2,4,2,3]
Gather@8 | [n=2,4,6] i64[n=2,3] (1) | batch_dims=1 | [2,3,6] | [n,3,6]
Gather@8 | [2,4,6] i64[2,3] (2) | batch_dims=-1 | [2,4,3]
Gather@8 | [2,4,6] i64[3] (3) | batch_dims=0 | refused | unknown: Gather: axis 3 is out of range for rank 3
Gather@8 | [2,4,6] i64[3] i64[] | batch_dims=0 | [?,?,?] | unknown: Gather: the elements of i2 are not known
Gather@8 | [2,4] i64[2,3] (0) | batch_dims=1 | refused | unknown: Gather: 1 axes of batches are too many
Gather@1 | [2,4] i64[a=3,b=5] (0) |  | [3,5,4] | [a,b,4]
Gather@7 | [0,4] i64[0] (0) | batch_dims=0 | [0,4]
GatherElements@6 | [2,4] i64[2,m=3] | axis=1 | [2,3] | [2,m]
GatherElements@6 | [2,4] i64[1,4] | axis=0 | [1,4]
GatherElements@6 | [2,4,6] i64[2,4,1] | axis=-1 | [2,4,1]
GatherElements@6 | [2,4] i64[2] | axis=0 | refused | [2]
GatherND@5 | [2,4,6] i64[n=3,2] | batch_dims=0 | [3,6] | [n,6]
GatherND@8 | [n=2,4,6] i64[n=2,1] | batch_dims=1 | [2,6] | [n,6]
GatherND@8 | [2,4,6] i64[2,4,1] | batch_dims=2 | [2,4]
GatherND@5 | [2,4,6] i64[2,4,1] | batch_dims=2 | [8]
GatherND@8 | [2,4] i64[3,3] | batch_dims=0 | refused | unknown: GatherND: the indices fix more axes than there are
GatherND@8 | [2,4] i64[0,1] | batch_dims=0 | [0,4]
GatherTree@1 | [t=4,n=2,3] [t=4,n=2,3] [n=2] [] |  | [4,2,3] | [t,n,3]
GatherTree@1 | i32[4,2,3] i32[4,2,3] i32[2] i32[] |  | i32[4,2,3]
GatherTree@1 | [0,2,3] [0,2,3] [2] [] |  | [0,2,3]
GatherTree@1 | [4,2] [4,2] [2] [] |  | refused | [4,2]
ScatterElementsUpdate@3 | [n=3,4] i64[2,4] [2,4] (0) |  | [3,4] | [n,4]
ScatterElementsUpdate@12 | [3,4] i64[3,1] [3,1] (-1) | reduction=sum | [3,4]
ScatterElementsUpdate@3 | [4] i64[0] [0] (0) |  | [4]
ScatterElementsUpdate@3 | [3,4] i64[2] [2] (0) |  | refused | [3,4]
ScatterNDUpdate@4 | [n=3,4] i64[2,1] [2,4] |  | [3,4] | [n,4]
ScatterNDUpdate@4 | [3,4] i64[2,2] [2] |  | [3,4]
ScatterNDUpdate@15 | [3,4] i64[0,1] [0,4] | reduction=sum | [3,4]
ScatterNDUpdate@4 | [3,4] i64[2,1] [2,3] |  | refused | [3,4]
ScatterUpdate@3 | [n=3,4] i64[2] [2,4] (0) |  | [3,4] | [n,4]
ScatterUpdate@3 | [3,4] i64[2] [3,2] (1) |  | [3,4]
ScatterUpdate@3 | [3,4] i64[] [4] (0) |  | [3,4]
ScatterUpdate@3 | [3,4] i64[2] [3,4] (0) |  | refused | [3,4]
OneHot@1 | i64[n=2,4] (5) f32(1.0) f32(0.0) | axis=-1 | [2,4,5] | [n,4,5]
OneHot@1 | i64[2,4] (5) (1) (0) | axis=0 | i64[5,2,4]
OneHot@1 | i64[] (5) f32(1.0) f32(0.0) | axis=0 | [5]
OneHot@1 | i64[2] i64[] f32(1.0) f32(0.0) | axis=-1 | [2,?]
OneHot@1 | i64[2] (5) f32(1.0) f32(0.0) | axis=3 | refused | unknown: OneHot: axis 3 is out of range for rank 2
TopK@3:2 | [n=2,4,6] (3) | axis=-1 mode=max sort=value index_element_type=i64 | [2,4,3]; i64[2,4,3] \
    | [n,4,3]; i64[n,4,3]
TopK@11:2 | [2,n=4] (1) | axis=0 mode=min sort=index index_element_type=i32 | [1,4]; i32[1,4] | [1,n]; i32[1,n]
TopK@1:2 | [2,4] (2) | axis=1 mode=max sort=none | [2,2]; i32[2,2]
TopK@3:2 | [2,4] i64[] | axis=1 mode=max sort=value index_element_type=i64 | [2,?]; i64[2,?]
TopK@3:2 | [2,4] (9) | axis=1 mode=max sort=value index_element_type=i64 | [2,9]; i64[2,9]
TopK@3:2 | [2,4] (2) | axis=2 mode=max sort=value index_element_type=i64 | refused \
    | unknown: TopK: axis 2 is out of range for rank 2
Bucketize@3 | [n=2,4] f32{0.0,1.0} | output_type=i64 with_right_bound=true | i64[2,4] | i64[n,4]
Bucketize@3 | [2,4] f32{0.0,1.0} | output_type=i32 with_right_bound=false | i32[2,4]
Bucketize@3 | [] f32{0.0,1.0} | output_type=i64 | i64[]
Bucketize@3 | [0] [2,2] | output_type=i64 | refused | i64[0]
GatherND@5 | [2,4,6] i64[2,4,1] | batch_dims=1 | [2,4,6]
GatherND@5 | [2,4,6,7] i64[2,4,6,1] | batch_dims=3 | [48]
GatherND@5 | [2,4,6] i64[2,4,k=3,1] | batch_dims=2 | [8,3] | [8,k]
TopK@3:2 | [2,4] (2) | axis=1 mode=max sort=value | [2,2]; i32[2,2]
";
