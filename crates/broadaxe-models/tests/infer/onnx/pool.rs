//! Poolings.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_POOL: &str = "\
MaxPool | [n=2,3,h=9,w=12] | kernel_shape=[3,3] | [2,3,7,10] | [n,3,h - 2,w - 2]
MaxPool | [2,3,9,12] | kernel_shape=[2,2] strides=[2,2] | [2,3,4,6]
MaxPool | [2,3,9,12] | kernel_shape=[2,2] strides=[2,2] ceil_mode=1 | [2,3,5,6]
MaxPool | [2,3,9,12] | kernel_shape=[3,3] strides=[2,2] ceil_mode=1 pads=[1,1,1,1] | [2,3,5,7]
MaxPool | [2,3,h=9,w=12] | kernel_shape=[3,3] strides=[2,2] ceil_mode=1 pads=[1,1,1,1] | [2,3,5,7] \
    | [2,3,h//2 + 1,w//2 + 1]
MaxPool | [1,1,2,2] | kernel_shape=[1,1] strides=[2,2] ceil_mode=1 | [1,1,1,1]
MaxPool | [1,1,7,7] | kernel_shape=[2,2] strides=[5,3] ceil_mode=1 pads=[1,0,1,0] | [1,1,2,3]
MaxPool | [1,1,7,w=7] | kernel_shape=[1,1] strides=[4,5] ceil_mode=1 | [1,1,2,2] | [1,1,2,?]
MaxPool | [2,3,9,12] | kernel_shape=[3,3] dilations=[2,4] | [2,3,5,4]
MaxPool | [2,3,9,12] | kernel_shape=[3,3] dilations=[2,3] strides=[2,2] ceil_mode=1 | [2,3,3,4]
MaxPool | [2,3,9,12] | kernel_shape=[3,3] auto_pad=SAME_UPPER strides=[2,2] | [2,3,5,6]
MaxPool | [2,3,h=9,12] | kernel_shape=[3,3] auto_pad=SAME_LOWER strides=[4,2] | [2,3,3,6] | [2,3,(h + 3)//4,6]
MaxPool | [2,3,9,12] | kernel_shape=[3,3] auto_pad=VALID strides=[2,2] | [2,3,4,5]
MaxPool | [2,3,8,12] | kernel_shape=[3,3] auto_pad=VALID strides=[2,2] ceil_mode=1 | [2,3,4,6]
MaxPool:2 | [2,3,9,12] | kernel_shape=[3,3] | [2,3,7,10]; i64[2,3,7,10]
MaxPool:2 | [2,3,t=9] | kernel_shape=[3] strides=[2] | [2,3,4]; i64[2,3,4] \
    | [2,3,(t + 1)//2 - 1]; i64[2,3,(t + 1)//2 - 1]
MaxPool | [2,3,4,5,6] | kernel_shape=[2,2,2] | [2,3,3,4,5]
MaxPool | u8[2,3,9,12] | kernel_shape=[3,3] | u8[2,3,7,10]
MaxPool | [0,3,9,12] | kernel_shape=[3,3] | [0,3,7,10]
MaxPool | [2,3,9,12] | kernel_shape=[3] | refused | unknown: MaxPool: kernel, strides or dilations do not fit 2 axes
MaxPool | [2,3,2,2] | kernel_shape=[3,3] | [2,3,0,0]
MaxPool | [2,3,9,12] | kernel_shape=[3,3] pads=[1,1] | refused | unknown: MaxPool: pads has 2 numbers for 2 axes
MaxPool | [*2,3,9,12] | kernel_shape=[3,3] | [2,3,7,10] | unknown: the file does not say the shape of the input i0
MaxPool@1 | [2,3,9,12] | kernel_shape=[3,3] pads=[1,0,1,0] | [2,3,9,10]
AveragePool | [n=2,3,h=9,w=12] | kernel_shape=[3,2] strides=[2,2] | [2,3,4,6] | [n,3,(h + 1)//2 - 1,w//2]
AveragePool | [2,3,9,12] | kernel_shape=[3,3] strides=[2,2] ceil_mode=1 | [2,3,4,6]
AveragePool | [2,3,9,12] | kernel_shape=[3,3] dilations=[2,2] pads=[1,1,1,1] | [2,3,7,10]
AveragePool | [2,3,9,12] | kernel_shape=[3,3] auto_pad=SAME_LOWER strides=[2,2] count_include_pad=1 | [2,3,5,6]
AveragePool | [2,3,4,4] | kernel_shape=[3,3] strides=[3,3] ceil_mode=1 pads=[1,1,1,1] | [2,3,2,2]
AveragePool@7 | [2,3,9,12] | kernel_shape=[3,3] strides=[2,2] | [2,3,4,5]
LpPool | [2,3,h=9,12] | kernel_shape=[3,3] p=2 | [2,3,7,10] | [2,3,h - 2,10]
LpPool | [2,3,9,12] | kernel_shape=[3,3] strides=[2,2] ceil_mode=1 | [2,3,4,6]
LpPool | [2,3,9,12] | kernel_shape=[3,3] auto_pad=SAME_UPPER strides=[2,2] | [2,3,5,6]
LpPool | [2,3,9] | kernel_shape=[4] pads=[1,1] | [2,3,8]
GlobalAveragePool | [n=2,c=3,h=9,w=12] |  | [2,3,1,1] | [n,c,1,1]
GlobalAveragePool | [2,3,9] |  | [2,3,1]
GlobalAveragePool | [2,3] |  | refused | [2,3]
GlobalAveragePool | [2] |  | refused | unknown: GlobalAveragePool: input 0 has rank 1, but needs 2 or more
GlobalMaxPool | [n=2,c=3,h=9,w=12] |  | [2,3,1,1] | [n,c,1,1]
GlobalMaxPool | [2,3,4,5,6] |  | [2,3,1,1,1]
GlobalMaxPool | f64[2,3,4] |  | f64[2,3,1]
GlobalMaxPool | [3] |  | refused | unknown: GlobalMaxPool: input 0 has rank 1, but needs 2 or more
GlobalLpPool | [n=2,c=3,h=9,w=12] |  | [2,3,1,1] | [n,c,1,1]
GlobalLpPool | [2,3,4] |  | [2,3,1]
GlobalLpPool | [2,3,4,5,6] | p=1 | [2,3,1,1,1]
GlobalLpPool | [*2,3,4] |  | [2,3,1] | unknown: the file does not say the shape of the input i0
MaxUnpool | [1,1,2,3] i64[1,1,2,3] | kernel_shape=[2,2] strides=[2,2] | [1,1,4,6]
MaxUnpool | [1,1,h=2,w=3] i64[1,1,h=2,w=3] | kernel_shape=[2,2] strides=[2,2] | [1,1,4,6] | [1,1,2*h,2*w]
MaxUnpool | [1,1,2,3] i64[1,1,2,3] {1,1,5,7} | kernel_shape=[2,2] strides=[2,2] | [1,1,5,7]
MaxUnpool | [1,1,3,3] i64[1,1,3,3] | kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] | [1,1,5,5]
MaxUnpool | [1,1,3] i64[1,1,3] i64[3]=1,1,7 | kernel_shape=[2] strides=[2] | [1,1,7] | [?,?,?]
MaxRoiPool | [1,3,8,8] [r=2,5] | pooled_shape=[2,3] | [2,3,2,3] | [r,3,2,3]
MaxRoiPool | [1,3,8,8] [0,5] | pooled_shape=[2,3] | [0,3,2,3]
MaxRoiPool | [1,3,h=8,8] [1,5]=0,1,1,4,4 | pooled_shape=[1,1] spatial_scale=0.5 | [1,3,1,1]
MaxRoiPool | [3,8,8] [2,5] | pooled_shape=[2,3] | refused | unknown: MaxRoiPool: input 0 has rank 3, but needs 4
RoiAlign | [1,3,8,8] [r=2,4] i64[r=2]=0,0 | output_height=4 output_width=5 | [2,3,4,5] | [r,3,4,5]
RoiAlign | [1,3,8,8] [2,4] i64[2]=0,0 | sampling_ratio=1 | [2,3,1,1]
RoiAlign | [1,3,8,8] [0,4] i64[0] | output_height=2 | [0,3,2,1]
RoiAlign | [1,3,8,8] [2,4] i64[2]=0,0 | output_width=3 mode=max sampling_ratio=1 | [2,3,1,3]
RoiAlign | [3,8,8] [2,4] i64[2]=0,0 | output_width=3 | refused | unknown: RoiAlign: input 0 has rank 3, but needs 4
AveragePool | [2,3,8,w=12] | kernel_shape=[3,3] auto_pad=VALID strides=[2,2] ceil_mode=1 | [2,3,4,6] | [2,3,4,w//2]
LpPool | [2,3,8,12] | kernel_shape=[3,3] auto_pad=VALID strides=[2,2] ceil_mode=1 | [2,3,4,6]
MaxPool | [1,1,6,7] | kernel_shape=[1,1] auto_pad=VALID strides=[4,5] ceil_mode=1 | [1,1,2,2]
";
