//! Operators that make tensors, and spectra.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_MAKE: &str = "\
Shape | [n=2,4] |  | i64[2]
Shape | [] |  | i64[0]
Shape | [0,4,6] | start=1 | i64[2]
Shape | [2,4,6] | start=-2 end=-1 | i64[1]
Shape | [2,4,6] | start=2 end=1 | i64[0]
Shape | [2,4,6] | start=-9 end=9 | i64[3]
Shape | [*2,4] |  | i64[2] | unknown: the file does not say the shape of the input i0
Shape@1 | i32[2,4] |  | i64[2]
Size | [n=2,4] |  | i64[]
Size | [] |  | i64[]
Size | [0] |  | i64[]
Size | string[2,3] |  | i64[]
Range | (0) (5) (1) |  | i64[5]
Range | (5) (0) (-2) |  | i64[3]
Range | (0) (5) (-1) |  | i64[0]
Range | (0) (0) (1) |  | i64[0]
Range | f32(0.0) f32(1.0) f32(0.1) |  | [10]
Range | f32(0.0) f32(1.05) f32(0.35) |  | [3]
Range | i32(1) i32(10) i32(4) |  | i32[3]
Range | i64[]=0 i64[]=5 i64[]=1 |  | i64[5] | i64[count(o0)]
Range | (0) i64[]=4 (2) |  | i64[2] | i64[count(o0)]
Range | (0) (5) (0) |  | refused | i64[count(o0)]
ConstantOfShape | {2,3} |  | [2,3]
ConstantOfShape | {} |  | []
ConstantOfShape | {0,3} | value=i64{1} | i64[0,3]
ConstantOfShape | i64[2]=2,3 | value=f64{1.5} | f64[2,3] | f64[?,?]
ConstantOfShape | i64[?=2]=2,3 | value=i32{1} | i32[2,3] \
    | unknown: ConstantOfShape: the elements of its input 0 are not known
ConstantOfShape | {2,-1} |  | refused | unknown: ConstantOfShape: -1 is no extent
Constant |  | value=f32{1.0,2.0} | [2]
Constant |  | value_int=3 | i64[]
Constant |  | value_ints=[1,2,3] | i64[3]
Constant |  | value_float=1.5 | []
Constant |  | value_floats=[1.5,2.5] | [2]
Constant |  | value_strings=[a,b] | string[2]
Constant |  | value_string=abc | string[]
EyeLike | [n=3,m=4] |  | [3,4] | [n,m]
EyeLike | [3,4] | dtype=7 k=1 | i64[3,4]
EyeLike | i32[0,4] |  | i32[0,4]
EyeLike | [3] |  | refused | [3]
RandomNormal |  | shape=[2,3] | [2,3]
RandomNormal |  | shape=[0] dtype=11 | f64[0]
RandomNormal |  | shape=[4] dtype=10 | f16[4]
RandomNormal |  |  | refused | unknown: RandomNormal has no shape
RandomUniform |  | shape=[2,3] | [2,3]
RandomUniform |  | shape=[1] dtype=11 | f64[1]
RandomUniform |  | shape=[2,0] | [2,0]
RandomUniform |  | dtype=1 | refused | unknown: RandomUniform has no shape
RandomNormalLike | [n=2,3] |  | [2,3] | [n,3]
RandomNormalLike | [2,3] | dtype=11 | f64[2,3]
RandomNormalLike | f64[] |  | f64[]
RandomNormalLike | [0] |  | [0]
RandomUniformLike | [n=2,3] |  | [2,3] | [n,3]
RandomUniformLike | [2,3] | dtype=11 | f64[2,3]
RandomUniformLike | i32[2] | dtype=1 | [2]
RandomUniformLike | [0,1] |  | [0,1]
Bernoulli | [n=2,3] |  | [2,3] | [n,3]
Bernoulli | [2,3] | dtype=9 | bool[2,3]
Bernoulli | f64[2] |  | f64[2]
Bernoulli | [0] | dtype=6 | i32[0]
Multinomial | [n=2,5] |  | i32[2,1] | i32[n,1]
Multinomial | [2,5] | sample_size=4 | i32[2,4]
Multinomial | [2,5] | dtype=7 sample_size=3 | i64[2,3]
Multinomial | [5] |  | refused | unknown: Multinomial: input 0 has rank 1, but needs 2
BlackmanWindow | (8) |  | [8]
BlackmanWindow | i32(8) | periodic=0 | [8]
BlackmanWindow | i64[]=8 |  | [8] | [count(o0)]
BlackmanWindow | (8) | output_datatype=11 | f64[8]
HammingWindow | (8) |  | [8]
HammingWindow | (1) | periodic=0 | [1]
HammingWindow | i64[]=8 |  | [8] | [count(o0)]
HammingWindow | i32(5) | output_datatype=11 | f64[5]
HannWindow | (8) |  | [8]
HannWindow | (0) |  | refused | [0]
HannWindow | i32[]=8 |  | [8] | [count(o0)]
HannWindow | (8) | output_datatype=11 | f64[8]
MelWeightMatrix | (8) (16) (8192) f32(0.0) f32(4096.0) |  | [9,8]
MelWeightMatrix | (4) (17) (8192) f32(0.0) f32(4096.0) |  | refused | [9,4]
MelWeightMatrix | i64[]=8 (16) (8192) f32(0.0) f32(4096.0) |  | [9,8] | [9,?]
MelWeightMatrix | (8) (16) (8192) f32(0.0) f32(4096.0) | output_datatype=11 | f64[9,8]
DFT@17 | [n=2,8,1] | axis=1 | [2,8,2] | [n,8,2]
DFT@17 | [n=2,8,2] | axis=1 inverse=1 | [2,8,2] | [n,8,2]
DFT@17 | [2,t=8,1] | axis=1 onesided=1 | [2,5,2] | [2,t//2 + 1,2]
DFT@17 | [2,8,1] (6) | axis=1 | [2,6,2]
DFT@17 | [2,9,1] (6) | onesided=1 | [2,4,2]
DFT@20 | [2,8,1] |  | [2,8,2]
DFT@20 | [2,4,8,1] _ (1) |  | [2,4,8,2]
DFT@20 | [2,4,8,2] (5) (-2) |  | [2,4,5,2]
DFT@20 | [2,8,1] _ (1) | onesided=1 | [2,5,2]
DFT@20 | [2,5,2] _ (1) | onesided=1 inverse=1 | [2,8,1]
DFT@20 | [2,5,2] (9) (1) | onesided=1 inverse=1 | [2,9,1]
DFT@20 | [2,8,1] _ i64[]=1 |  | [2,8,2] | [?,?,?]
DFT@20 | [2,8,1] _ (3) |  | refused | unknown: DFT: axis 3 is out of range for rank 3
DFT@20 | [8] |  | refused | unknown: DFT: input 0 has rank 1, but needs 2 or more
STFT | [n=2,64,1] (8) [16] |  | [2,7,9,2] | [n,7,9,2]
STFT | [2,64,1] (8) _ (16) |  | [2,7,9,2]
STFT | [2,t=64,1] (8) [16] (16) | onesided=0 | [2,7,16,2] | [2,t//8 - 1,16,2]
STFT | [2,64,1] (7) _ (15) | onesided=1 | [2,8,8,2]
STFT | [2,64,2] (8) [16] | onesided=0 | [2,7,16,2]
STFT | [2,64,1] i64[]=8 [16] |  | [2,7,9,2] | [2,?,9,2]
STFT | [64] (8) [16] |  | refused | unknown: STFT: input 0 has rank 1, but needs 2 or more
TfIdfVectorizer | i32[n=2,12] \
    | mode=TF min_gram_length=1 max_gram_length=1 max_skip_count=0 ngram_counts=[0] ngram_indexes=[0,1,2] pool_int64s=[2,3,5] \
    | [2,3] | [n,3]
TfIdfVectorizer | i64[12] \
    | mode=IDF min_gram_length=1 max_gram_length=1 max_skip_count=0 ngram_counts=[0] ngram_indexes=[4,1] pool_int64s=[2,3] \
    | [5]
TfIdfVectorizer | i64[0] \
    | mode=TF min_gram_length=1 max_gram_length=1 max_skip_count=0 ngram_counts=[0] ngram_indexes=[0] pool_int64s=[2] \
    | [1]
TfIdfVectorizer | i64[] \
    | mode=TF min_gram_length=1 max_gram_length=1 max_skip_count=0 ngram_counts=[0] ngram_indexes=[0] pool_int64s=[2] \
    | refused | unknown: TfIdfVectorizer: input 0 has rank 0, but needs 1 or more
ImageDecoder | u8[n=9] |  | u8[?,?,?] | u8[?,?,3]
ImageDecoder | u8[9] | pixel_format=Grayscale | u8[?,?,?] | u8[?,?,1]
ImageDecoder | u8[9] | pixel_format=BGR | u8[?,?,?] | u8[?,?,3]
ImageDecoder | u8[0] |  | u8[?,?,?] | u8[?,?,3]
";
