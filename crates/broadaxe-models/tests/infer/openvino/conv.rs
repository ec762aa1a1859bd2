//! Convolutions and poolings.
//!
//! Results are those of OpenVINO 2026.4.1.

pub(crate) const OPENVINO_CONV: &str = "\
Convolution@1 | [n=2,3,h=9,w=12] [8,3,3,3] | strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] \
    | [2,8,7,10] | [n,8,h - 2,w - 2]
Convolution@1 | [2,3,h=9,12] [8,3,3,3] | strides=[2,2] dilations=[1,2] pads_begin=[1,1] pads_end=[0,2] | [2,8,4,6] \
    | [2,8,h//2,6]
Convolution@1 | [2,3,10,13] [8,3,3,3] \
    | strides=[2,3] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] auto_pad=same_upper | [2,8,5,5]
Convolution@1 | [2,3,10,13] [8,3,3,3] | strides=[2,3] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1] auto_pad=valid \
    | [2,8,4,4]
Convolution@1 | [2,3,10] [8,3,4] | strides=[3] dilations=[1] pads_begin=[0] pads_end=[0] | [2,8,3]
Convolution@1 | [2,3,2,2] [8,3,3,3] | strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] | refused \
    | [2,8,0,0]
Convolution@1 | [2,3,9,9] [8,3,3] | strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] | refused \
    | unknown: Convolution: the weights have rank 3, but the image has rank 4
GroupConvolution@1 | [n=2,6,h=9,9] [3,4,2,3,3] | strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1] \
    | [2,12,9,9] | [n,12,h,9]
GroupConvolution@1 | [2,6,9,9] [6,1,1,3,3] | strides=[2,2] dilations=[2,2] pads_begin=[0,0] pads_end=[0,0] \
    | [2,6,3,3]
GroupConvolution@1 | [2,6,9] [3,4,2,3] | strides=[1] dilations=[1] pads_begin=[0] pads_end=[0] auto_pad=same_lower \
    | [2,12,9]
GroupConvolution@1 | [2,6,9,9] [4,2,3,3] | strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1] | refused \
    | unknown: GroupConvolution: the weights have rank 4, but the image has rank 4
ConvolutionBackpropData@1 | [n=2,8,h=5,6] [8,3,3,3] | strides=[2,2] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] \
    | [2,3,11,13] | [n,3,2*h + 1,13]
ConvolutionBackpropData@1 | [2,8,5,6] [8,3,3,3] \
    | strides=[2,2] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1] output_padding=[1,0] | [2,3,10,11]
ConvolutionBackpropData@1 | [2,8,5,6] [8,3,3,3] {10,12} \
    | strides=[2,2] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] auto_pad=same_upper | [2,3,10,12]
ConvolutionBackpropData@1 | [2,8,5,6] [8,3,3,3] i64[2] \
    | strides=[2,2] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] | [2,3,?,?]
ConvolutionBackpropData@1 | [2,8,5,6] [8,3,3,3] \
    | strides=[2,3] dilations=[2,2] pads_begin=[0,0] pads_end=[0,0] auto_pad=valid | [2,3,13,20]
ConvolutionBackpropData@1 | [2,8,5,6] [8,3,4,4] \
    | strides=[2,3] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] auto_pad=same_upper | [2,3,12,19]
GroupConvolutionBackpropData@1 | [n=2,6,5,5] [3,2,4,3,3] \
    | strides=[2,2] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] | [2,12,11,11] | [n,12,11,11]
GroupConvolutionBackpropData@1 | [2,6,5,w=5] [3,2,4,3,3] \
    | strides=[1,2] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1] output_padding=[0,1] | [2,12,5,10] \
    | [2,12,5,2*w]
GroupConvolutionBackpropData@1 | [2,6,5] [3,2,4,3] {9} | strides=[2] dilations=[1] pads_begin=[0] pads_end=[0] \
    | [2,12,9]
GroupConvolutionBackpropData@1 | [2,6,5,5] [6,2,3,3] | strides=[2,2] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] \
    | refused | unknown: GroupConvolutionBackpropData: the weights do not fit an image of rank 4
DeformableConvolution@8 | [2,3,9,12] [2,18,7,10] [8,3,3,3] \
    | strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] group=1 deformable_group=1 | [2,8,7,10]
DeformableConvolution@8 | [n=2,3,9,12] [n=2,18,9,12] [8,3,3,3] \
    | strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1] group=1 deformable_group=1 | [2,8,9,12] \
    | [n,8,9,12]
DeformableConvolution@8 | [2,3,9,12] [2,18,4,5] [8,3,3,3] \
    | strides=[2,2] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] group=1 deformable_group=1 | [2,8,4,5]
DeformableConvolution@8 | [2,3,9,12] [2,18,4,5] [8,3,3] \
    | strides=[2,2] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] group=1 deformable_group=1 | refused \
    | unknown: DeformableConvolution: the weights have rank 3, but the image has rank 4
MaxPool@1 | [n=2,3,h=9,12] | strides=[2,2] pads_begin=[0,0] pads_end=[0,0] kernel=[3,3] rounding_type=floor \
    | [2,3,4,5] | [n,3,(h + 1)//2 - 1,5]
MaxPool@1 | [2,3,9,12] | strides=[2,2] pads_begin=[1,1] pads_end=[1,1] kernel=[3,3] rounding_type=ceil | [2,3,5,7]
MaxPool@1 | [2,3,9,12] \
    | strides=[2,2] pads_begin=[0,0] pads_end=[0,0] kernel=[3,3] rounding_type=floor auto_pad=same_upper | [2,3,5,6]
MaxPool@8:2 | [2,3,9,12] \
    | strides=[2,2] dilations=[2,2] pads_begin=[0,0] pads_end=[0,0] kernel=[3,3] rounding_type=ceil index_element_type=i64 \
    | [2,3,3,5]; i64[2,3,3,5]
MaxPool@8:2 | [2,3,9,12] \
    | strides=[2,2] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] kernel=[3,3] index_element_type=i32 \
    | [2,3,4,5]; i32[2,3,4,5]
MaxPool@14:2 | [1,1,2,2] \
    | strides=[2,2] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0] kernel=[1,1] rounding_type=ceil_torch index_element_type=i64 \
    | [1,1,1,1]; i64[1,1,1,1]
MaxPool@14:2 | [1,1,7,h=7] \
    | strides=[5,3] dilations=[1,1] pads_begin=[1,0] pads_end=[1,0] kernel=[2,2] rounding_type=ceil_torch index_element_type=i64 \
    | [1,1,2,3]; i64[1,1,2,3] | [1,1,2,?]; i64[1,1,2,?]
MaxPool@1 | [2,3,9,12] | strides=[2] pads_begin=[0,0] pads_end=[0,0] kernel=[3,3] | refused \
    | unknown: MaxPool: strides has 1 numbers for 2 axes
AvgPool@1 | [n=2,3,h=9,12] \
    | strides=[2,2] pads_begin=[0,0] pads_end=[0,0] kernel=[3,3] exclude-pad=true rounding_type=floor | [2,3,4,5] \
    | [n,3,(h + 1)//2 - 1,5]
AvgPool@1 | [2,3,9,12] \
    | strides=[2,2] pads_begin=[1,1] pads_end=[0,0] kernel=[2,2] exclude-pad=false rounding_type=ceil | [2,3,5,7]
AvgPool@1 | [2,3,9,12] | strides=[3,2] pads_begin=[0,0] pads_end=[0,0] kernel=[2,2] exclude-pad=false auto_pad=valid \
    | [2,3,3,6]
AvgPool@14 | [1,1,4,4] \
    | strides=[3,3] pads_begin=[1,1] pads_end=[1,1] kernel=[3,3] exclude-pad=false rounding_type=ceil_torch \
    | [1,1,2,2]
AvgPool@1 | [2,3,2,2] | strides=[1,1] pads_begin=[0,0] pads_end=[0,0] kernel=[3,3] exclude-pad=false | refused \
    | [2,3,0,0]
AdaptiveAvgPool@8 | [n=2,c=3,h=9,w=12] {2,3} |  | [2,3,2,3] | [n,c,2,3]
AdaptiveAvgPool@8 | [2,3,9] {4} |  | [2,3,4]
AdaptiveAvgPool@8 | [2,3,9,12] i64[2] |  | [2,3,?,?]
AdaptiveAvgPool@8 | [2,3,9,12] {2} |  | refused | unknown: AdaptiveAvgPool: 1 sizes for 2 axes
AdaptiveMaxPool@8:2 | [n=2,c=3,h=9,w=12] {2,3} | index_element_type=i64 | [2,3,2,3]; i64[2,3,2,3] \
    | [n,c,2,3]; i64[n,c,2,3]
AdaptiveMaxPool@8:2 | [2,3,9] {4} | index_element_type=i64 | [2,3,4]; i64[2,3,4]
AdaptiveMaxPool@8:2 | [2,3,9] {4} | index_element_type=i32 | [2,3,4]; i32[2,3,4]
AdaptiveMaxPool@8:2 | [2,3,9,12] {2} | index_element_type=i64 | refused \
    | unknown: AdaptiveMaxPool: 1 sizes for 2 axes
ROIAlign@9 | [1,3,8,8] [r=2,4] i64[r=2] | pooled_h=4 pooled_w=5 sampling_ratio=2 spatial_scale=1.0 mode=avg \
    | [2,3,4,5] | [r,3,4,5]
ROIAlign@3 | [1,3,8,8] [2,4] i64[2] | pooled_h=1 pooled_w=1 sampling_ratio=2 spatial_scale=0.5 mode=max | [2,3,1,1]
ROIAlign@9 | [1,c=3,8,8] [0,4] i64[0] | pooled_h=4 pooled_w=5 sampling_ratio=2 spatial_scale=1.0 mode=avg \
    | [0,3,4,5] | [0,c,4,5]
ROIAlign@9 | [3,8,8] [2,4] i64[2] | pooled_h=4 pooled_w=5 sampling_ratio=2 spatial_scale=1.0 mode=avg | refused \
    | unknown: ROIAlign: input 0 has rank 3, but needs 4
MaxPool@1 | [2,3,8,w=12] \
    | strides=[2,2] pads_begin=[0,0] pads_end=[0,0] kernel=[3,3] rounding_type=ceil auto_pad=valid | [2,3,4,6] \
    | [2,3,4,w//2]
AvgPool@14 | [2,3,8,12] \
    | strides=[2,2] pads_begin=[0,0] pads_end=[0,0] kernel=[3,3] rounding_type=ceil_torch exclude-pad=false auto_pad=valid \
    | [2,3,4,6]
ConvolutionBackpropData@1 | [2,8,h=5,6] [8,3,4,4] \
    | strides=[2,3] dilations=[1,1] pads_begin=[1,1] pads_end=[1,2] auto_pad=same_lower output_padding=[1,0] \
    | [2,3,13,19] | [2,3,2*h + 3,19]
GroupConvolutionBackpropData@1 | [2,6,5,5] [3,2,4,3,3] \
    | strides=[2,2] dilations=[1,1] pads_begin=[1,1] pads_end=[1,2] auto_pad=same_upper | [2,12,11,11]
";
