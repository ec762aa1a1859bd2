//! Slices, splits, pads and concatenations.
//!
//! Results are those of OpenVINO 2026.4.1.

pub(crate) const OPENVINO_CUT: &str = "\
Slice@8 | [n=2,4,6] {1} {3} {1} {1} |  | [2,2,6] | [n,2,6]
Slice@8 | [2,4,6] {-1} {-100} {-2} {2} |  | [2,4,3]
Slice@8 | [2,n=4,6] {0} {-1} {1} {1} |  | [2,3,6] | [2,max(0, n - 1),6]
Slice@8 | [2,4,6] {0,1} {2,3} {1,1} |  | [2,2,6]
Slice@8 | [2,4,6] {3} {1} {1} {2} |  | [2,4,0]
Slice@8 | [2,4,6] i64[1] {3} {1} {1} |  | [2,?,6]
Slice@8 | [2,4,6] {0} {3} {1} i64[1] |  | [?,?,?]
Slice@8 | [2,4,6] {0} {3} {0} {1} |  | refused | [2,?,6]
Slice@8 | [2,4,6] {0} {3} {1} {3} |  | refused | unknown: Slice: axis 3 is out of range for rank 3
StridedSlice@1 | [n=2,4,6] {0,1} {0,3} {1,1} | begin_mask=[1,0] end_mask=[1,0] | [2,2,6] | [n,2,6]
StridedSlice@1 | [2,4,6] {0,1} {0,3} | begin_mask=[1,0] end_mask=[1,0] | [2,2,6]
StridedSlice@1 | [2,4,6] {0,1} {0,0} {1,1} | begin_mask=[1,0] end_mask=[1,0] shrink_axis_mask=[0,1] | [2,6]
StridedSlice@1 | [2,4,6] {0,-1} {0,0} {1,1} | begin_mask=[1,0] end_mask=[1,0] shrink_axis_mask=[0,1] | [2,6]
StridedSlice@1 | [2,4,6] {0,0,0} {0,0,3} {1,1,1} | begin_mask=[1,0,0] end_mask=[1,0,0] new_axis_mask=[0,1,0] \
    | [2,1,3,6]
StridedSlice@1 | [2,3,4,6] {0,0,1} {0,0,4} {1,1,1} | begin_mask=[1,0,0] end_mask=[1,0,0] ellipsis_mask=[0,1,0] \
    | [2,3,4,3]
StridedSlice@1 | [2,3,4,6] {0,1} {0,4} {1,2} | begin_mask=[0,0] end_mask=[0,0] ellipsis_mask=[1,0] | [2,3,4,2]
StridedSlice@1 | [2,4,6] {0,5} {0,0} {1,-2} | begin_mask=[1,0] end_mask=[1,1] | [2,2,6]
StridedSlice@1 | [2,n=4,6] {0,1} {0,-1} {1,1} | begin_mask=[1,0] end_mask=[1,0] | [2,2,6] \
    | [2,max(0, max(0, n - 1) - min(1, n)),6]
StridedSlice@1 | [2,4] {0,0,0} {1,1,1} {1,1,1} | begin_mask=[0,0,0] end_mask=[0,0,0] | refused \
    | unknown: StridedSlice: there are more ranges than axes
StridedSlice@1 | [4] i64[1] {3} {1} | begin_mask=[0] end_mask=[0] | [?]
StridedSlice@1 | [0,4] {0} {2} {1} | begin_mask=[0] end_mask=[0] | [0,4]
StridedSlice@1 | [6] {1} {100} {2} | begin_mask=[0] end_mask=[0] | [3]
StridedSlice@1 | [6] {9} {0} {1} | begin_mask=[0] end_mask=[0] shrink_axis_mask=[1] | []
Split@1:2 | [n=2,6] (1) | num_splits=2 | [2,3]; [2,3] | [n,3]; [n,3]
Split@1:3 | [2,6] (-1) | num_splits=3 | [2,2]; [2,2]; [2,2]
Split@1:2 | [n=4,6] (0) | num_splits=2 | [2,6]; [2,6] | [n//2,6]; [n//2,6]
Split@1:4 | [2,6] (1) | num_splits=4 | refused | unknown: Split: the parts do not add up to the extent 6
Split@1:2 | [2,6] (2) | num_splits=2 | refused | unknown: Split: axis 2 is out of range for rank 2
Split@1:2 | [2,6] i64[] | num_splits=2 | [?,?]; [?,?] | unknown: Split: the elements of i1 are not known
VariadicSplit@1:2 | [n=2,6] (1) {2,4} |  | [2,2]; [2,4] | [n,2]; [n,4]
VariadicSplit@1:3 | [2,n=6] (1) {2,-1,1} |  | [2,2]; [2,3]; [2,1] | [2,2]; [2,n - 3]; [2,1]
VariadicSplit@1:2 | [2,6] (-2) {-1,0} |  | [2,6]; [0,6]
VariadicSplit@1:2 | [2,6] (1) i64[2] |  | [2,?]; [2,?]
VariadicSplit@1:2 | [2,6] (1) {2,3} |  | refused | unknown: VariadicSplit: the parts do not add up to the extent 6
VariadicSplit@1:2 | [2,6] (1) {-1,-1} |  | refused | unknown: VariadicSplit: two lengths are -1
Concat@1 | [n=2,4] [n=2,3] | axis=1 | [2,7] | [n,7]
Concat@1 | [2,4] [3,4] | axis=-2 | [5,4]
Concat@1 | [n=2,4] [m=3,4] | axis=0 | [5,4] | [m + n,4]
Concat@1 | [2,0] [2,3] | axis=1 | [2,3]
Concat@1 | [2,4] [3,3] | axis=1 | refused | unknown: Concat: extents 2 and 3 must be equal
Concat@1 | [2,4] [2,4,1] | axis=1 | refused | unknown: Concat: input 1 has rank 3, the first 2
Concat@1 | [2,4] [2,4] | axis=2 | refused | unknown: Concat: axis 2 is out of range for rank 2
Pad@1 | [n=2,4] {0,1} {0,2} f32(0.0) | pad_mode=constant | [2,7] | [n,7]
Pad@1 | [3,4] {1,1} {1,1} | pad_mode=reflect | [5,6]
Pad@12 | [3,4] {-1,0} {0,-2} f32(0.0) | pad_mode=constant | [2,2]
Pad@1 | [n=3,4] i64[2] {1,1} f32(0.0) | pad_mode=constant | [?,?]
Pad@1 | [3,4] {1} {1} f32(0.0) | pad_mode=constant | refused | [?,?]
Pad@1 | [3,4] {3,0} {0,0} | pad_mode=reflect | refused | [6,4]
Reverse@1 | [n=2,4] {0} | mode=index | [2,4] | [n,4]
Reverse@1 | [2,4] bool{1,0} | mode=mask | [2,4]
Reverse@1 | [4] {-1} | mode=index | [4]
Reverse@1 | [2,4] {2} | mode=index | refused | [2,4]
ReverseSequence@1 | [n=2,4] i64[n=2] | batch_axis=0 seq_axis=1 | [2,4] | [n,4]
ReverseSequence@1 | [2,4] i64[4] | batch_axis=1 seq_axis=0 | [2,4]
ReverseSequence@1 | [2,4,5] i64[2] | batch_axis=0 seq_axis=-1 | [2,4,5]
ReverseSequence@1 | [2,4] i64[3] | batch_axis=0 seq_axis=1 | refused | [2,4]
Roll@7 | [n=2,4] (1) {0} |  | [2,4] | [n,4]
Roll@7 | [2,4] {1,2} {0,1} |  | [2,4]
Roll@7 | [0,4] (1) {-1} |  | [0,4]
Roll@7 | [2,4] (1) {2} |  | refused | [2,4]
CumSum@3 | [n=2,4] (0) |  | [2,4] | [n,4]
CumSum@3 | [2,4] (-1) | exclusive=true reverse=true | [2,4]
CumSum@3 | i64[4] (0) |  | i64[4]
CumSum@3 | [2,4] (5) |  | [2,4]
NonZero@3 | [n=2,4] | output_type=i64 | i64[2,?] | i64[2,count(o0)]
NonZero@3 | [2,4,6] | output_type=i32 | i32[3,?] | i32[3,count(o0)]
NonZero@3 | [] | output_type=i64 | i64[?,?] | i64[1,count(o0)]
NonZero@3 | [0,4] | output_type=i64 | i64[2,0]
";
