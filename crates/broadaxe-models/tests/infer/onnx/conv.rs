//! Convolutions.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_CONV: &str = "\
Conv | [n=2,3,h=9,w=12] [8,3,3,3] | strides=[2,2] pads=[1,1,1,1] | [2,8,5,6] | [n,8,(h + 1)//2,(w + 1)//2]
Conv | [n=2,3,h=9,w=12] [8,3,3,3] |  | [2,8,7,10] | [n,8,h - 2,w - 2]
Conv | [2,3,9,12] [8,3,3,3] | dilations=[2,3] | [2,8,5,6]
Conv | [2,3,h=9,12] [8,3,3,3] | dilations=[4,1] | [2,8,1,10] | [2,8,h - 8,10]
Conv | [2,3,9,12] [8,3,3,3] | dilations=[5,1] | refused \
    | unknown: Conv: the window is larger than the image on axis 2
Conv | [2,3,10,13] [8,3,3,3] | auto_pad=SAME_UPPER strides=[2,3] | [2,8,5,5]
Conv | [n=2,3,h=10,w=13] [8,3,3,3] | auto_pad=SAME_LOWER strides=[2,3] | [2,8,5,5] | [n,8,(h + 1)//2,(w + 2)//3]
Conv | [2,3,10,13] [8,3,4,4] | auto_pad=VALID strides=[3,2] | [2,8,3,5]
Conv | [2,3,10,13] [8,3,3,3] | auto_pad=NOTSET pads=[0,1,2,3] | [2,8,10,15]
Conv | [2,3,10,13] [8,3,3,3] | pads=[0,0,0,1] strides=[1,4] | [2,8,8,3]
Conv | [2,6,h=10,10] [9,2,5,1] | group=3 | [2,9,6,10] | [2,9,h - 4,10]
Conv | [2,3,10] [8,3,3] | pads=[2,2] | [2,8,12]
Conv | [2,3,t=10] [8,3,3] | strides=[4] | [2,8,2] | [2,8,(t + 1)//4]
Conv | [1,3,5,6,7] [4,3,2,3,1] | strides=[1,2,3] | [1,4,4,2,3]
Conv | [2,3,9,12] [8,3,3,3] | kernel_shape=[3,3] | [2,8,7,10]
Conv | [2,3,9,12] [8,3,?=3,?=3] | kernel_shape=[3,3] | [2,8,7,10]
Conv | [2,3,9,12] [*8,3,3,3] | kernel_shape=[3,3] pads=[1,1,1,1] | [2,8,9,12] | [2,?,9,12]
Conv | [2,3,9,12] [*8,3,3,3] |  | [2,8,7,10] | [2,?,0..10,0..13]
Conv | [*2,3,9,12] [8,3,3,3] |  | [2,8,7,10] | unknown: the file does not say the shape of the input i0
Conv | [2,3,9,12] [8,3,kh=3,kw=2] |  | [2,8,7,11] | [2,8,-kh + 10,-kw + 13]
Conv | [0,3,9,12] [8,3,3,3] |  | [0,8,7,10]
Conv | [2,3,9,12] [8,3,3,3] [8] | pads=[1,1,1,1] | [2,8,9,12]
Conv | [2,3,3,3] [8,3,3,3] |  | [2,8,1,1]
Conv | [2,3,2,3] [8,3,3,3] |  | refused | [2,8,0,1]
Conv | [2,3,1,1] [8,3,3,3] | pads=[1,1,1,1] | [2,8,1,1]
Conv | [2,3,9,12] [8,3,3] |  | refused | unknown: Conv: the weights have rank 3, but the image has rank 4
Conv | [2,3,9,12] [8,4,3,3] |  | refused | unknown: Conv: extents 3 and 4 must be equal
Conv | [2,3,9,12] [8,3,3,3] | strides=[1] | refused | unknown: Conv: strides has 1 numbers for 2 axes
Conv | [2,3,9,12] [8,3,3,3] | pads=[1,1] | refused | unknown: Conv: pads has 2 numbers for 2 axes
Conv | [2,3,9,12] [8,3,3,3] | strides=[0,1] | refused \
    | unknown: Conv: kernel, strides or dilations do not fit 2 axes
Conv | f16[2,3,9,12] f16[8,3,3,3] |  | f16[2,8,7,10]
Conv | f64[2,3,9,12] f64[8,3,3,3] |  | f64[2,8,7,10]
Conv@1 | [2,3,9,12] [8,3,3,3] | pads=[1,0,1,0] | [2,8,9,10]
ConvInteger | u8[n=2,3,9,w=12] u8[8,3,3,3] |  | i32[2,8,7,10] | i32[n,8,7,w - 2]
ConvInteger | u8[2,3,9,12] i8[8,3,3,3] u8(1) | pads=[1,1,1,1] | i32[2,8,9,12]
ConvInteger | u8[2,3,9,12] u8[8,3,3,3] | auto_pad=SAME_UPPER strides=[2,2] | i32[2,8,5,6]
ConvInteger | u8[2,3,9,12] u8[8,3,3] |  | refused \
    | unknown: ConvInteger: the weights have rank 3, but the image has rank 4
QLinearConv | u8[n=2,3,9,w=12] f32(0.5) u8(1) u8[8,3,3,3] f32(0.5) u8(1) f32(0.5) u8(1) | pads=[1,1,1,1] \
    | u8[2,8,9,12] | u8[n,8,9,w]
QLinearConv | i8[2,3,9,12] f32(0.5) i8(1) i8[8,3,3,3] f32(0.5) i8(0) f32(0.5) i8(1) | strides=[2,2] | i8[2,8,4,5]
QLinearConv | u8[2,3,9,12] f32(0.5) u8(1) i8[8,3,3,3] f32(0.5) i8(0) f32(0.5) u8(1) i32[8] | auto_pad=VALID \
    | u8[2,8,7,10]
QLinearConv | u8[2,3,2,2] f32(0.5) u8(1) u8[8,3,3,3] f32(0.5) u8(1) f32(0.5) u8(1) |  | refused | u8[2,8,0,0]
DeformConv | [2,3,9,12] [8,3,3,3] [2,18,7,10] |  | [2,8,7,10]
DeformConv | [n=2,3,h=9,w=12] [8,3,3,3] [n=2,18,oh=9,ow=12] | pads=[1,1,1,1] | [2,8,9,12] | [n,8,h,w]
DeformConv | [2,3,9,12] [8,3,2,2] [2,8,4,6] | strides=[2,2] kernel_shape=[2,2] | [2,8,4,6]
DeformConv | [2,3,9,12] [8,3,3] [2,18,7,10] |  | refused \
    | unknown: DeformConv: the weights have rank 3, but the image has rank 4
ConvTranspose | [n=2,8,h=5,w=6] [8,3,3,3] | strides=[2,2] | [2,3,11,13] | [n,3,2*h + 1,2*w + 1]
ConvTranspose | [2,8,5,6] [8,3,3,3] | strides=[2,2] pads=[1,1,1,1] | [2,3,9,11]
ConvTranspose | [2,8,5,6] [8,3,3,3] | strides=[2,2] pads=[1,1,1,1] output_padding=[1,1] | [2,3,10,12]
ConvTranspose | [2,8,5,6] [8,3,3,3] | strides=[3,2] output_padding=[2,1] | [2,3,17,14]
ConvTranspose | [2,8,5,6] [8,3,3,3] | strides=[2,2] auto_pad=SAME_UPPER | [2,3,10,12]
ConvTranspose | [2,8,h=5,w=6] [8,3,4,4] | strides=[2,3] auto_pad=SAME_LOWER | [2,3,10,18] | [2,3,2*h,3*w]
ConvTranspose | [2,8,5,6] [8,3,3,3] | strides=[2,2] auto_pad=VALID | [2,3,11,13]
ConvTranspose | [2,8,5,6] [8,3,3,3] | strides=[2,2] output_shape=[11,14] | [2,3,11,14]
ConvTranspose | [2,8,5,6] [8,3,3,3] | strides=[2,2] output_shape=[10,12] auto_pad=SAME_UPPER | [2,3,10,12]
ConvTranspose | [2,8,h=5,6] [8,3,3,3] | dilations=[2,2] | [2,3,9,10] | [2,3,h + 4,10]
ConvTranspose | [2,6,5,6] [6,3,3,3] | group=2 | [2,6,7,8]
ConvTranspose | [2,8,t=5] [8,3,4] | strides=[2] | [2,3,12] | [2,3,2*t + 2]
ConvTranspose | [1,2,3,4,5] [2,3,2,2,2] | strides=[2,2,2] | [1,3,6,8,10]
ConvTranspose | [2,8,1,1] [8,3,1,1] |  | [2,3,1,1]
ConvTranspose | [2,8,1,1] [8,3,3,3] | pads=[2,2,2,2] | refused \
    | unknown: ConvTranspose: the window is larger than the image on axis 2
ConvTranspose | [2,8,5,6] [8,3,3] |  | refused | unknown: ConvTranspose: the weights do not fit an image of rank 4
ConvTranspose | [2,8,5,6] [*8,3,3,3] | kernel_shape=[3,3] | [2,3,7,8] | [2,?,7,8]
ConvTranspose | [2,8,5,6] [8,3,3,3] | strides=[2,2] output_shape=[11] | refused | unknown: output_shape is short
Col2Im | [1,12,4] {4,4} {2,2} | strides=[2,2] | [1,3,4,4]
Col2Im | [n=1,12,l=9] {4,4} {2,2} |  | [1,3,4,4] | [n,3,4,4]
Col2Im | [1,5,5] {5,5} {1,5} |  | [1,1,5,5]
Col2Im | [1,c=12,9] i64[2]=4,4 {2,2} |  | [1,3,4,4] | [1,?,?,?]
Col2Im | [1,12,9] {4,4} i64[2]=2,2 |  | [1,3,4,4] | [1,?,4,4]
Col2Im | [1,16,8] {2,4,3} {2,2,2} |  | refused | [1,2,2,4,3]
Col2Im | [12,9] {4,4} {2,2} |  | refused | unknown: Col2Im: input 0 has rank 2, but needs 3
CausalConvWithState@27:2 | [2,4,6] [4,1,3] | group=4 | [2,4,6]; [2,4,2]
CausalConvWithState@27:2 | [n=2,4,t=6] [4,1,3] | group=4 | [2,4,6]; [2,4,2] | [n,4,t]; [n,4,2]
CausalConvWithState@27:2 | [2,4,6] [4,1,1] |  | [2,4,6]; [2,4,0]
CausalConvWithState@27:2 | [2,4,6] [4,3] |  | refused \
    | unknown: CausalConvWithState: input 1 has rank 2, but needs 3
";
