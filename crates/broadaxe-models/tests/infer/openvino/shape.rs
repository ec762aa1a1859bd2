//! Reshapes, broadcasts and tiles.
//!
//! Results are those of OpenVINO 2026.4.1.

pub(crate) const OPENVINO_SHAPE: &str = "\
Reshape@1 | [n=2,4,6] {0,-1} | special_zero=true | [2,24] | [n,24]
Reshape@1 | [n=2,4,6] {-1,8} | special_zero=false | [6,8] | [3*n,8]
Reshape@1 | [0,4] {4,0} | special_zero=false | [4,0]
Reshape@1 | [0,4] {0,-1} | special_zero=false | [0,1] | [0,?]
Reshape@1 | [2,4,6] {5,5} | special_zero=false | refused \
    | unknown: Reshape: 48 elements do not go into a shape of 25
Reshape@1 | [2,4] {2,4,0} | special_zero=true | refused | unknown: Reshape: 0 on axis 2 has no extent at rank 2
Reshape@1 | [2,4,6] i64[2] | special_zero=true | [?,?]
Reshape@1 | [2,4,6] {-1,-1} | special_zero=true | refused | unknown: Reshape: the shape has two extents of -1
Reshape@1 | [2,3] {0,0,1,-1} | special_zero=true | [2,3,1,1]
Squeeze@1 | [n=2,1,6] {1} |  | [2,6] | [n,6]
Squeeze@1 | [2,1,6,1] |  | [2,6]
Squeeze@1 | [2,1,6] {0} |  | [2,1,6]
Squeeze@1 | [2,1,6] {-2} |  | [2,6]
Squeeze@15 | [2,1,6] {0,1} | allow_axis_skip=true | [2,6]
Squeeze@15 | [2,1,6] {0,1} | allow_axis_skip=false | [2,6]
Squeeze@15 | [n=2,1,6] {0} | allow_axis_skip=true | [2,1,6] \
    | unknown: Squeeze: it is not known which of its axes have an extent of 1
Squeeze@1 | [2,1,6] {5} |  | refused | unknown: Squeeze: axis 5 is out of range for rank 3
Unsqueeze@1 | [n=2,4] {0} |  | [1,2,4] | [1,n,4]
Unsqueeze@1 | [n=2,4] {-1,1} |  | [2,1,4,1] | [n,1,4,1]
Unsqueeze@1 | [] {0} |  | [1]
Unsqueeze@1 | [2,4] {4} |  | refused | unknown: Unsqueeze: axis 4 is out of range for rank 3
Transpose@1 | [n=2,4,w=6] {0,2,1} |  | [2,6,4] | [n,w,4]
Transpose@1 | [n=2,4,6] {} |  | [6,4,2] | [6,4,n]
Transpose@1 | [2,4,6] i64[3] |  | [?,?,?] | unknown: Transpose: its order is not known
Transpose@1 | [2,4,6] {0,1} |  | refused | unknown: Transpose: its order is none of rank 3
Transpose@1 | [2,4,6] {0,1,1} |  | refused | unknown: Transpose: its order is none of rank 3
Broadcast@1 | [1,4] {2,3,4} | mode=numpy | [2,3,4]
Broadcast@3 | [n=2,1] {2,1,4} | mode=bidirectional | [2,2,4] | [2,n,4]
Broadcast@3 | [3,4] {3,1} | mode=bidirectional | [3,4]
Broadcast@3 | [4] {2,4,3} {1} | mode=explicit | [2,4,3]
Broadcast@3 | [n=2,4] i64[3] | mode=numpy | [?,?,?]
Broadcast@3 | [] {2,3} | mode=numpy | [2,3]
Broadcast@3 | [3] {2} | mode=numpy | refused | [2]
Broadcast@3 | [3] {2,2} | mode=bidirectional | refused \
    | unknown: Broadcast: broadcast of a (3,) with b (2, 2) under numpy: axis 1 is 3 in a and 2 in b; they must be equal or 1
Tile@1 | [n=2,4] {3,2} |  | [6,8] | [3*n,8]
Tile@1 | [4] {2,1,3} |  | [2,1,12]
Tile@1 | [2,4] {3} |  | [2,12]
Tile@1 | [2,4] {0,1} |  | [0,4]
Tile@1 | [2,4] i64[2] |  | [?,?]
DepthToSpace@1 | [n=2,8,h=3,w=4] | mode=blocks_first block_size=2 | [2,2,6,8] | [n,2,2*h,2*w]
DepthToSpace@1 | [2,9,3,4] | mode=depth_first block_size=3 | [2,1,9,12]
DepthToSpace@1 | [2,8,3] | mode=depth_first block_size=2 | [2,4,6]
DepthToSpace@1 | [2,6,3,4] | mode=blocks_first block_size=2 | refused | [2,1,6,8]
SpaceToDepth@1 | [n=2,2,h=6,w=4] | mode=blocks_first block_size=2 | [2,8,3,2] | [n,8,h//2,w//2]
SpaceToDepth@1 | [2,1,6,9] | mode=depth_first block_size=3 | [2,9,2,3]
SpaceToDepth@1 | [2,1,6] | mode=depth_first block_size=2 | [2,2,3]
SpaceToDepth@1 | [2,1,5,4] | mode=blocks_first block_size=2 | refused | [2,4,2,2]
BatchToSpace@2 | [8,3,4] {1,2,2} {0,0,0} {0,0,0} |  | [2,6,8] | [?,?,?]
BatchToSpace@2 | [n=8,3,4,5] {1,1,2,2} {0,0,0,1} {0,0,0,1} |  | [2,3,8,8] | [?,?,?,?]
BatchToSpace@2 | [4,3] {1,2} {0,1} {0,0} |  | [2,5] | [?,?]
BatchToSpace@2 | [3,3] {1,2} {0,0} {0,0} |  | refused | [?,?]
SpaceToBatch@2 | [2,4,6] {1,2,3} {0,0,0} {0,0,0} |  | [12,2,2] | [?,?,?]
SpaceToBatch@2 | [n=2,3,5] {1,1,2} {0,0,0} {0,0,1} |  | [4,3,3] | [?,?,?]
SpaceToBatch@2 | [2,4] {1,4} {0,2} {0,2} |  | [8,2] | [?,?]
SpaceToBatch@2 | [2,5] {1,2} {0,0} {0,0} |  | refused | [?,?]
ShapeOf@1 | [n=2,4] |  | i64[2]
ShapeOf@3 | [2,4] | output_type=i32 | i32[2]
ShapeOf@3 | [] | output_type=i64 | i64[0]
ShapeOf@3 | [0,1,2] | output_type=i64 | i64[3]
Range@4 | (0) (5) (2) | output_type=i64 | i64[3]
Range@4 | f32(0.0) f32(1.0) f32(0.3) | output_type=f32 | [4]
Range@4 | (5) (0) (-2) | output_type=i32 | i32[3]
Range@4 | i64[] (5) (1) | output_type=i64 | i64[?] | i64[count(o0)]
Range@4 | (0) (5) (0) | output_type=i64 | refused | i64[count(o0)]
ShuffleChannels@1 | [n=2,4,6] | axis=1 group=2 | [2,4,6] | [n,4,6]
ShuffleChannels@1 | [2,4,6] | axis=-1 group=3 | [2,4,6]
ShuffleChannels@1 | [4] | axis=0 group=4 | [4]
ShuffleChannels@1 | [2,4] | axis=1 group=3 | refused | [2,4]
Squeeze@15 | [n=1,1,6] {0} | allow_axis_skip=false | [1,6]
Squeeze@15 | [1,n=2,6] {0} | allow_axis_skip=true | [2,6] | [n,6]
Squeeze@1 | [2,3,1] {0,2} |  | [2,3]
";
