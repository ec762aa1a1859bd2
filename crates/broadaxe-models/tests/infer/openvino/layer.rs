//! Normalisations, recurrent layers, images and casts.
//!
//! Results are those of OpenVINO 2026.4.1.

pub(crate) const OPENVINO_LAYER: &str = "\
BatchNormInference@5 | [n=2,3,h=4,5] [3] [3] [3] [3] | epsilon=0.1 | [2,3,4,5] | [n,3,h,5]
BatchNormInference@5 | [2,3] [3] [3] [3] [3] | epsilon=0.1 | [2,3]
BatchNormInference@5 | [0,3,4] [3] [3] [3] [3] | epsilon=0.1 | [0,3,4]
BatchNormInference@5 | [2,3,4] [4] [4] [4] [4] | epsilon=0.1 | refused | [2,3,4]
MVN@6 | [n=2,3,4] {1,2} | normalize_variance=true eps=0.1 eps_mode=inside_sqrt | [2,3,4] | [n,3,4]
MVN@6 | [2,3,4] {-1} | normalize_variance=true eps=0.1 eps_mode=outside_sqrt | [2,3,4]
MVN@6 | [0,3] {1} | normalize_variance=false eps=0.1 eps_mode=inside_sqrt | [0,3]
MVN@6 | f16[2,3] {0} | normalize_variance=true eps=0.1 eps_mode=inside_sqrt | f16[2,3]
NormalizeL2@1 | [n=2,3,4] {1} | eps=0.1 eps_mode=add | [2,3,4] | [n,3,4]
NormalizeL2@1 | [2,3,4] {-1} | eps=0.1 eps_mode=max | [2,3,4]
NormalizeL2@1 | [4] {0} | eps=0.1 eps_mode=add | [4]
NormalizeL2@1 | [2,3] {5} | eps=0.1 eps_mode=add | refused | [2,3]
LRN@1 | [n=2,3,4,5] {1} | alpha=0.1 beta=0.7 bias=1.0 size=3 | [2,3,4,5] | [n,3,4,5]
LRN@1 | [2,3,4] {2} | alpha=0.1 beta=0.7 bias=1.0 size=3 | [2,3,4]
LRN@1 | [2,3] {0,1} | alpha=0.1 beta=0.7 bias=1.0 size=1 | [2,3]
LRN@1 | [2,3] {4} | alpha=0.1 beta=0.7 bias=1.0 size=1 | refused | [2,3]
GRN@1 | [n=2,3,4,5] | bias=0.1 | [2,3,4,5] | [n,3,4,5]
GRN@1 | [2,3] | bias=0.1 | [2,3]
GRN@1 | [2,3,4] | bias=0.1 | [2,3,4]
GRN@1 | [2] | bias=0.1 | refused | [2]
GroupNormalization@12 | [n=2,4,h=5] [4] [4] | num_groups=2 epsilon=0.1 | [2,4,5] | [n,4,h]
GroupNormalization@12 | [2,4,5,6] [4] [4] | num_groups=4 epsilon=0.1 | [2,4,5,6]
GroupNormalization@12 | [2,4] [4] [4] | num_groups=1 epsilon=0.1 | [2,4]
GroupNormalization@12 | [2,4,5] [3] [3] | num_groups=2 epsilon=0.1 | refused | [2,4,5]
Softmax@8 | [n=2,4] | axis=1 | [2,4] | [n,4]
Softmax@8 | [2,4,6] | axis=-2 | [2,4,6]
Softmax@1 | [0,4] | axis=1 | [0,4]
Softmax@8 | [2,4] | axis=2 | refused | [2,4]
LogSoftmax@5 | [n=2,4] | axis=1 | [2,4] | [n,4]
LogSoftmax@5 | [2,4,6] | axis=-3 | [2,4,6]
LogSoftmax@5 | f16[4] | axis=0 | f16[4]
LogSoftmax@5 | [2,4] | axis=2 | refused | [2,4]
HardSigmoid@1 | [n=2,4] f32(0.2) f32(0.5) |  | [2,4] | [n,4]
HardSigmoid@1 | [] f32(0.2) f32(0.5) |  | []
HardSigmoid@1 | [0] f32(0.2) f32(0.5) |  | [0]
HardSigmoid@1 | f16[2] f16[] f16[] |  | f16[2]
Swish@4 | [n=2,4] |  | [2,4] | [n,4]
Swish@4 | [2,4] f32(1.0) |  | [2,4]
Swish@4 | [] |  | []
Swish@4 | [0,3] f32[] |  | [0,3]
Convert@1 | [n=2,4] | destination_type=i64 | i64[2,4] | i64[n,4]
Convert@1 | i64[2] | destination_type=f16 | f16[2]
Convert@1 | [] | destination_type=boolean | bool[]
Convert@1 | u8[0] | destination_type=f32 | [0]
ConvertLike@1 | [n=2,4] i64[1] |  | i64[2,4] | i64[n,4]
ConvertLike@1 | i64[2] f16[] |  | f16[2]
ConvertLike@1 | [] bool[2] |  | bool[]
ConvertLike@1 | u8[0] f64[3] |  | f64[0]
GRUCell@3 | [n=2,3] [n=2,5] [15,3] [15,5] [15] | hidden_size=5 | [2,5] | [n,5]
GRUCell@3 | [2,3] [2,5] [15,3] [15,5] [20] | hidden_size=5 linear_before_reset=true | [2,5]
GRUCell@3 | [2,3] [2,5] [15,3] [15,5] | hidden_size=5 | refused | [2,5]
GRUCell@3 | [2,3] [3,5] [15,3] [15,5] [15] | hidden_size=5 | refused | [3,5]
RNNCell@1 | [n=2,3] [n=2,5] [5,3] [5,5] [5] | hidden_size=5 | [2,5] | [n,5]
RNNCell@1 | [2,3] [2,5] [5,3] [5,5] | hidden_size=5 | refused | [2,5]
RNNCell@1 | [1,1] [1,1] [1,1] [1,1] [1] | hidden_size=1 | [1,1]
RNNCell@1 | [2,3] [3,5] [5,3] [5,5] [5] | hidden_size=5 | refused | [3,5]
LSTMCell@4:2 | [n=2,3] [n=2,5] [n=2,5] [20,3] [20,5] [20] | hidden_size=5 | [2,5]; [2,5] | [n,5]; [n,5]
LSTMCell@4:2 | [2,3] [2,5] [2,5] [20,3] [20,5] | hidden_size=5 | refused | [2,5]; [2,5]
LSTMCell@4:2 | [1,1] [1,1] [1,1] [4,1] [4,1] [4] | hidden_size=1 | [1,1]; [1,1]
LSTMCell@4:2 | [2,3] [3,5] [2,5] [20,3] [20,5] [20] | hidden_size=5 | refused | [3,5]; [2,5]
GRUSequence@5:2 | [n=2,t=4,3] [n=2,1,5] i64[n=2] [1,15,3] [1,15,5] [1,15] | hidden_size=5 direction=forward \
    | [2,1,4,5]; [2,1,5] | [n,1,t,5]; [n,1,5]
GRUSequence@5:2 | [2,4,3] [2,2,5] i64[2] [2,15,3] [2,15,5] [2,15] | hidden_size=5 direction=bidirectional \
    | [2,2,4,5]; [2,2,5]
GRUSequence@5:2 | [2,4,3] [2,1,5] i64[2] [1,15,3] [1,15,5] [1,20] \
    | hidden_size=5 direction=reverse linear_before_reset=true | [2,1,4,5]; [2,1,5]
GRUSequence@5:2 | [4,3] [2,1,5] i64[2] [1,15,3] [1,15,5] [1,15] | hidden_size=5 direction=forward | refused \
    | unknown: GRUSequence: input 0 has rank 2, but needs 3
RNNSequence@5:2 | [n=2,t=4,3] [n=2,1,5] i64[n=2] [1,5,3] [1,5,5] [1,5] | hidden_size=5 direction=forward \
    | [2,1,4,5]; [2,1,5] | [n,1,t,5]; [n,1,5]
RNNSequence@5:2 | [2,4,3] [2,2,5] i64[2] [2,5,3] [2,5,5] [2,5] | hidden_size=5 direction=bidirectional \
    | [2,2,4,5]; [2,2,5]
RNNSequence@5:2 | [2,0,3] [2,1,5] i64[2] [1,5,3] [1,5,5] [1,5] | hidden_size=5 direction=reverse \
    | [2,1,0,5]; [2,1,5]
RNNSequence@5:2 | [2,4,3] [2,5] i64[2] [1,5,3] [1,5,5] [1,5] | hidden_size=5 direction=forward | refused \
    | unknown: RNNSequence: input 1 has rank 2, but needs 3
LSTMSequence@5:3 | [n=2,t=4,3] [n=2,1,5] [n=2,1,5] i64[n=2] [1,20,3] [1,20,5] [1,20] \
    | hidden_size=5 direction=forward | [2,1,4,5]; [2,1,5]; [2,1,5] | [n,1,t,5]; [n,1,5]; [n,1,5]
LSTMSequence@5:3 | [2,4,3] [2,2,5] [2,2,5] i64[2] [2,20,3] [2,20,5] [2,20] | hidden_size=5 direction=bidirectional \
    | [2,2,4,5]; [2,2,5]; [2,2,5]
LSTMSequence@5:3 | [2,4,3] [2,1,5] [2,1,5] i64[2] [1,20,3] [1,20,5] [1,20] | hidden_size=5 direction=reverse \
    | [2,1,4,5]; [2,1,5]; [2,1,5]
LSTMSequence@5:3 | [4,3] [2,1,5] [2,1,5] i64[2] [1,20,3] [1,20,5] [1,20] | hidden_size=5 direction=forward | refused \
    | unknown: LSTMSequence: input 0 has rank 2, but needs 3
Interpolate@1 | [n=2,3,5,6] {9,7} | axes=[2,3] mode=nearest | [2,3,9,7] | [n,3,9,7]
Interpolate@4 | [n=2,3,5,6] {9,7} f32{1.0,1.0} {2,3} | mode=nearest shape_calculation_mode=sizes | [2,3,9,7] \
    | [n,3,9,7]
Interpolate@4 | [2,3,h=5,6] {9,7} f32{2.0,1.5} {2,3} | mode=nearest shape_calculation_mode=scales | [2,3,10,9] \
    | [2,3,2*h,9]
Interpolate@4 | [1,2,5] {1,2,9} f32{1.0,1.0,1.0} | mode=linear shape_calculation_mode=sizes | [1,2,9]
Interpolate@4 | [1,2,5,6] {9,7} f32{2.0,2.0} {2,3} \
    | mode=nearest shape_calculation_mode=scales pads_begin=[0,0,1,1] pads_end=[0,0,1,0] | [1,2,14,14]
Interpolate@4 | [2,3,5,6] i64[2] f32{1.0,1.0} {2,3} | mode=nearest shape_calculation_mode=sizes | [2,3,?,?]
Interpolate@11 | [n=2,3,5,6] {9,7} {2,3} | mode=nearest shape_calculation_mode=sizes | [2,3,9,7] | [n,3,9,7]
Interpolate@11 | [2,3,5,6] f32{2.0,0.5} {2,3} | mode=nearest shape_calculation_mode=scales | [2,3,10,3]
Interpolate@11 | [2,3,5,6] {9,7} {2,4} | mode=nearest shape_calculation_mode=sizes | refused \
    | unknown: Interpolate: axis 4 is out of range for rank 4
Interpolate@11 | [2,3,5,6] {9} {2,3} | mode=nearest shape_calculation_mode=sizes | refused \
    | unknown: Interpolate: 1 sizes for 2 axes
GridSample@9 | [n=2,3,5,6] [n=2,4,w=7,2] |  | [2,3,4,7] | [?,?,?,?]
GridSample@9 | [2,3,5,6] [2,4,7,2] | mode=nearest | [2,3,4,7] | [?,?,?,?]
GridSample@9 | [2,3,5,6] [2,0,7,2] |  | [2,3,0,7] | [?,?,?,?]
GridSample@9 | [2,3,5,6] [3,4,7,2] |  | refused | [?,?,?,?]
ReorgYolo@2 | [n=1,4,6,8] | stride=[2] | [1,16,3,4] | [?,?,?,?]
ReorgYolo@2 | [2,9,9,9] | stride=[3] | [2,81,3,3] | [?,?,?,?]
ReorgYolo@2 | [1,4,6] | stride=[2] | refused | [?,?,?]
RegionYolo@1 | [1,125,13,13] | axis=1 coords=4 classes=20 end_axis=3 num=5 do_softmax=true mask=[0,1,2] | [1,21125]
RegionYolo@1 | [1,75,13,13] | axis=1 coords=4 classes=20 end_axis=3 num=9 do_softmax=false mask=[0,1,2] \
    | [1,75,13,13]
RegionYolo@1 | [n=1,125,13,13] | axis=1 coords=4 classes=20 end_axis=1 num=5 do_softmax=true mask=[0,1,2] \
    | [1,125,13,13] | [n,125,13,13]
SoftMax@1 | [n=2,4] | axis=1 | [2,4] | [n,4]
SoftMax@1 | [2,4,6] | axis=0 | [2,4,6]
SoftMax@1 | [4] | axis=0 | [4]
SoftMax@1 | [2,4] | axis=2 | refused | [2,4]
RegionYolo@1 | [2,125,13,14] | axis=-3 coords=4 classes=20 end_axis=-1 num=5 do_softmax=true mask=[0,1,2] \
    | [2,22750]
RegionYolo@1 | [2,125,13,14] | axis=0 coords=4 classes=20 end_axis=2 num=5 do_softmax=true mask=[0,1,2] | [3250,14]
ReorgYolo@2 | [1,4,6,w=6] | stride=[1] | [1,4,6,6] | [?,?,?,?]
";
