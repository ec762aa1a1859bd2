//! Reshapes.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_RESHAPE: &str = "\
Reshape | [n=2,4,6] {0,-1} |  | [2,24] | [n,24]
Reshape | [n=2,4,6] {-1,8} |  | [6,8] | [3*n,8]
Reshape | [n=2,h=4,w=6] {0,-1} |  | [2,24] | [n,h*w]
Reshape | [n=2,h=4,w=6] {0,0,2,-1} |  | [2,4,2,3] | [n,h,2,w//2]
Reshape | [2,4,6] {4,12} |  | [4,12]
Reshape | [2,4,6] {48} |  | [48]
Reshape | [1,1] {} |  | []
Reshape | [] {1} |  | [1]
Reshape | [] {-1} |  | [1]
Reshape | [1] {} |  | []
Reshape | [0,4] {0,4} |  | [0,4]
Reshape | [0,4] {4,0} | allowzero=1 | [4,0]
Reshape | [0,4] {4,0} |  | refused | unknown: Reshape: 0 elements do not go into a shape of 16
Reshape | [0,4] {0,-1} |  | refused | [0,?]
Reshape | [0,4] {-1,4} |  | [0,4]
Reshape | [0,4] {-1,0} | allowzero=1 | refused | [?,0]
Reshape | [2,4,6] {5,-1} |  | refused | unknown: Reshape: 48 elements cannot be divided into parts of 5
Reshape | [2,4,6] {5,5} |  | refused | unknown: Reshape: 48 elements do not go into a shape of 25
Reshape | [2,4,6] {-1,-1} |  | refused | unknown: Reshape: the shape has two extents of -1
Reshape | [2,4,6] {2,-2} |  | refused | unknown: Reshape: -2 is no extent
Reshape | [2,4] {2,4,0} |  | refused | unknown: Reshape: 0 on axis 2 has no extent at rank 2
Reshape | [2,4,6] i64[2]=6,8 |  | [6,8] | [?,?]
Reshape | [2,4,6] i64[?=2]=6,8 |  | [6,8] | unknown: Reshape: the elements of its input 1 are not known
Reshape | [*2,4,6] {-1,8} |  | [6,8] | [?,8]
Reshape | [*2,4,6] {0,8,3} |  | [2,8,3] | [?,8,3]
Reshape | i32[2,4] {8} |  | i32[8]
Reshape@1 | [2,4,6] | shape=[4,-1] | [4,12]
Reshape@5 | [n=2,4,6] {0,24} |  | [2,24] | [n,24]
Flatten | [n=2,4,6] |  | [2,24] | [n,24]
Flatten | [n=2,h=4,6] | axis=2 | [8,6] | [h*n,6]
Flatten | [n=2,4,6] | axis=0 | [1,48] | [1,24*n]
Flatten | [n=2,4,6] | axis=3 | [48,1] | [24*n,1]
Flatten | [n=2,4,6] | axis=-1 | [8,6] | [4*n,6]
Flatten | [4] |  | [4,1]
Flatten | [] | axis=0 | [1,1]
Flatten | [] |  | refused | unknown: Flatten: axis 1 is out of range for rank 0
Flatten | [0,4,6] | axis=1 | [0,24]
Flatten | [2,4,6] | axis=4 | refused | unknown: Flatten: axis 4 is out of range for rank 3
Flatten | [2,4,6] | axis=-4 | refused | unknown: Flatten: axis -4 is out of range for rank 3
Squeeze | [n=2,1,6] {1} |  | [2,6] | [n,6]
Squeeze | [n=2,1,1,6] {-2,1} |  | [2,6] | [n,6]
Squeeze | [2,1,6,1] |  | [2,6]
Squeeze | [n=2,1,6] |  | [2,6] | unknown: Squeeze without axes: it is not known which extents are 1
Squeeze | [2,1,6] {} |  | [2,6]
Squeeze | [1] {0} |  | []
Squeeze | [2,n=1,6] {1} |  | [2,6]
Squeeze | [2,1,6] i64[1]=1 |  | [2,6] | [?,?]
Squeeze | [2,4,6] {1} |  | refused | unknown: Squeeze: the extent of axis 1 is 4, not 1
Squeeze | [2,1,6] {3} |  | refused | unknown: Squeeze: axis 3 is out of range for rank 3
Squeeze | [0,1] {1} |  | [0]
Squeeze@11 | [n=2,1,6] | axes=[1] | [2,6] | [n,6]
Squeeze@11 | [n=2,1,1] | axes=[-1,1] | [2] | [n]
Squeeze@11 | [2,1,6] |  | [2,6]
Unsqueeze | [n=2,4] {0} |  | [1,2,4] | [1,n,4]
Unsqueeze | [n=2,4] {-1} |  | [2,4,1] | [n,4,1]
Unsqueeze | [n=2,4] {3,0} |  | [1,2,4,1] | [1,n,4,1]
Unsqueeze | [n=2,4] {1,2} |  | [2,1,1,4] | [n,1,1,4]
Unsqueeze | [] {0} |  | [1]
Unsqueeze | [] {0,1} |  | [1,1]
Unsqueeze | [0,4] {1} |  | [0,1,4]
Unsqueeze | [2,4] {} |  | [2,4]
Unsqueeze | [2,4] i64[1]=1 |  | [2,1,4] | [?,?,?]
Unsqueeze | [2,4] i64[2]=1,0 |  | [1,1,2,4] | [?,?,?,?]
Unsqueeze | [2,4] {0,0} |  | refused | unknown: Unsqueeze: an axis is given twice
Unsqueeze | [2,4] {3} |  | refused | unknown: Unsqueeze: axis 3 is out of range for rank 3
Unsqueeze | [2,4] {-4} |  | refused | unknown: Unsqueeze: axis -4 is out of range for rank 3
Unsqueeze@11 | [n=2,4] | axes=[-1,0] | [1,2,4,1] | [1,n,4,1]
Unsqueeze@1 | [n=2,4] | axes=[0,3] | [1,2,4,1] | [1,n,4,1]
Transpose | [n=2,4,w=6] |  | [6,4,2] | [w,4,n]
Transpose | [n=2,4,w=6] | perm=[0,2,1] | [2,6,4] | [n,w,4]
Transpose | [2,4,6] | perm=[1,2,0] | [4,6,2]
Transpose | [4] |  | [4]
Transpose | [] |  | []
Transpose | [0,4] |  | [4,0]
Transpose | i64[2,4] | perm=[1,0] | i64[4,2]
Transpose | [2,4,6] | perm=[0,1] | refused | unknown: Transpose: its order is none of rank 3
Transpose | [2,4,6] | perm=[0,1,1] | refused | unknown: Transpose: its order is none of rank 3
Transpose | [2,4,6] | perm=[0,1,3] | refused | unknown: Transpose: axis 3 is out of range for rank 3
Transpose | [*2,4] |  | [4,2] | unknown: the file does not say the shape of the input i0
Expand | [n=2,1,6] {4,1} |  | [2,4,6] | [n,4,6]
Expand | [3,1] {2,1,6} |  | [2,3,6]
Expand | [3,1] {3,4} |  | [3,4]
Expand | [] {2,3} |  | [2,3]
Expand | [] {} |  | []
Expand | [2,1] {} |  | [2,1]
Expand | [1] {0} |  | [0]
Expand | [3] {1} |  | [3]
Expand | [3,1] i64[3]=2,3,4 |  | [2,3,4] | [?,3,?]
Expand | [n=3,1] i64[2]=3,4 |  | [3,4] | [?,?]
Expand | [3,4] {2,4} |  | refused \
    | unknown: Expand: broadcast of a (3, 4) with b (2, 4) under numpy: axis 0 is 3 in a and 2 in b; they must be equal or 1
Expand | [3,4] {3} |  | refused \
    | unknown: Expand: broadcast of a (3, 4) with b (3,) under numpy: axis 1 is 4 in a and 3 in b; they must be equal or 1
Expand | i64[1] {5} |  | i64[5]
DepthToSpace | [n=2,8,h=3,w=4] | blocksize=2 | [2,2,6,8] | [n,2,2*h,2*w]
DepthToSpace | [2,9,3,4] | blocksize=3 mode=CRD | [2,1,9,12]
DepthToSpace | [2,8,3,4] | blocksize=1 | [2,8,3,4]
DepthToSpace | [0,8,3,4] | blocksize=2 | [0,2,6,8]
DepthToSpace | [2,6,3,4] | blocksize=2 | refused | [2,1,6,8]
DepthToSpace | [2,8,3] | blocksize=2 | refused | [2,4,6]
DepthToSpace | [2,8,3,4] | blocksize=0 | refused | unknown: DepthToSpace: the block has no size
SpaceToDepth | [n=2,2,h=6,w=4] | blocksize=2 | [2,8,3,2] | [n,8,h//2,w//2]
SpaceToDepth | [2,1,6,9] | blocksize=3 | [2,9,2,3]
SpaceToDepth | [2,c=3,6,4] | blocksize=2 | [2,12,3,2] | [2,4*c,3,2]
SpaceToDepth | [2,1,5,4] | blocksize=2 | refused | [2,4,2,2]
SpaceToDepth | [2,1,6] | blocksize=2 | refused | [2,2,3]
Identity | [n=2,?=4] |  | [2,4] | [n,?]
Identity | [] |  | []
Identity | [0] |  | [0]
Identity | string[2] |  | string[2]
Identity | [*2,4] |  | [2,4] | unknown: the file does not say the shape of the input i0
";
