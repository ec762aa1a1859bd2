//! Resized images.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_RESIZE: &str = "\
Resize | [n=2,3,h=5,w=6] _ f32{1.0,1.0,2.0,2.0} |  | [2,3,10,12] | [n,3,2*h,2*w]
Resize | [2,3,5,6] _ f32{1.0,1.0,1.5,0.5} |  | [2,3,7,3]
Resize | [2,3,5,h=6] _ f32{1.0,1.0,1.5,0.5} |  | [2,3,7,3] | [2,3,7,h//2]
Resize | [2,3,5,6] _ f32{1.0,1.0,0.6,0.7} | mode=linear | [2,3,3,4]
Resize | [2,3,5,6] _ _ {2,3,9,7} |  | [2,3,9,7]
Resize | [n=2,3,h=5,6] _ _ {9,7} | axes=[2,3] | [2,3,9,7] | [n,3,9,7]
Resize | [2,3,5,6] _ f32{2.0,3.0} | axes=[-1,-2] | [2,3,15,12]
Resize | [2,3,5,6] _ _ i64[4]=2,3,9,7 |  | [2,3,9,7] | [?,?,?,?]
Resize | [2,3,5,6] _ f32[4]=1.0,1.0,2.0,2.0 |  | [2,3,10,12] | [?,?,?,?]
Resize | [2,3,5,6] _ _ {10,10} | axes=[2,3] keep_aspect_ratio_policy=not_larger | [2,3,8,10]
Resize | [2,3,5,6] _ _ {10,10} | axes=[2,3] keep_aspect_ratio_policy=not_smaller | [2,3,10,12]
Resize | [2,3,7,5] _ _ {9,9} | axes=[2,3] keep_aspect_ratio_policy=not_larger mode=linear | [2,3,9,6]
Resize | [2,3,7,5] _ _ {3,2} | axes=[3,2] keep_aspect_ratio_policy=not_smaller mode=linear | [2,3,4,3]
Resize | [2,3,3,3] _ f32{1.0,1.0,0.7,2.7} | coordinate_transformation_mode=align_corners mode=linear | [2,3,2,8]
Resize | [1,1,4,4] f32{0.0,0.0,0.25,0.25,1.0,1.0,0.75,0.75} _ {1,1,3,3} \
    | coordinate_transformation_mode=tf_crop_and_resize mode=linear | [1,1,3,3]
Resize | [1,1,4,4] f32{0.0,0.0,0.25,0.25,1.0,1.0,0.75,0.75} f32{1.0,1.0,2.0,2.0} \
    | coordinate_transformation_mode=tf_crop_and_resize mode=linear | [1,1,8,8] | [?,?,?,?]
Resize | [2,3,5,6] _ f32{1.0,1.0,2.0} |  | refused | unknown: Resize: 3 scales for 4 axes
Resize | [2,3,5,6] _ _ {9,7} |  | refused | unknown: Resize: 2 sizes for 4 axes
Resize | [2,3,5,6] _ f32{2.0,2.0} | axes=[2,4] | refused | unknown: Resize: axis 4 is out of range for rank 4
Resize | [t=5] _ f32{2.0} |  | [10] | [2*t]
Resize | u8[1,1,5,6] _ f32{1.0,1.0,2.0,2.0} |  | u8[1,1,10,12]
Resize@11 | [2,3,5,6] f32{} f32{1.0,1.0,2.0,3.0} |  | [2,3,10,18]
Resize@11 | [2,3,5,6] f32{} f32{} {2,3,4,4} |  | [2,3,4,4]
Resize@10 | [n=2,3,5,6] f32{1.0,1.0,2.0,3.0} |  | [2,3,10,18] | [n,3,10,18]
Resize@10 | [2,3,5,6] f32[4]=1.0,1.0,2.0,2.0 | mode=linear | [2,3,10,12] | [?,?,?,?]
Upsample@9 | [n=2,3,5,w=6] f32{1.0,1.0,2.0,3.0} |  | [2,3,10,18] | [n,3,10,3*w]
Upsample@9 | [2,3,5,6] f32{1.0,1.0,1.5,1.0} | mode=linear | [2,3,7,6]
Upsample@9 | [2,3,5,6] f32[4]=1.0,1.0,2.0,2.0 |  | [2,3,10,12] | [?,?,?,?]
Upsample@9 | [2,3,5,6] f32{1.0,1.0,2.0} |  | refused | unknown: Upsample: 3 scales for 4 axes
Upsample@7 | [2,3,h=5,6] | scales=[1.0,1.0,2.0,2.5] | [2,3,10,15] | [2,3,2*h,15]
GridSample | [n=2,3,5,6] [n=2,4,w=7,2] |  | [2,3,4,7] | [n,3,4,w]
GridSample | [2,3,5,6] [2,4,7,2] | mode=nearest align_corners=1 | [2,3,4,7]
GridSample | [2,3,4,5,6] [2,1,7,8,3] |  | [2,3,1,7,8]
GridSample | [2,3,5,6] [2,0,7,2] |  | [2,3,0,7]
GridSample | [2,3,5,6] [2,4,7,8,3] |  | refused | unknown: GridSample: the image has rank 4, the grid 5
GridSample | [2,3,5,6] [3,4,7,2] |  | refused | unknown: GridSample: extents 2 and 3 must be equal
AffineGrid | [n=2,2,3] {2,3,5,6} |  | [2,5,6,2]
AffineGrid | [2,2,3] {2,3,5,6} | align_corners=1 | [2,5,6,2]
AffineGrid | [2,3,4] {2,3,4,5,6} |  | [2,4,5,6,3]
AffineGrid | [2,2,3] i64[4]=2,3,5,6 |  | [2,5,6,2] | [?,?,?,2]
AffineGrid | [2,2,3] {2} |  | refused | unknown: AffineGrid: its size has no batch and channels
";
