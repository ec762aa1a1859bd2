//! Casts.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_CAST: &str = "\
Cast | [n=2,4] | to=7 | i64[2,4] | i64[n,4]
Cast | i64[2,4] | to=1 | [2,4]
Cast | [] | to=9 | bool[]
Cast | [0] | to=11 | f64[0]
Cast | bool[2] | to=3 | i8[2]
Cast | [2] | to=10 | f16[2]
Cast | [2] | to=16 | bf16[2]
Cast | [2] | to=8 | string[2]
Cast | [2] |  | refused | [2]
CastLike | [n=2,4] i64[1] |  | i64[2,4] | i64[n,4]
CastLike | i64[2,4] [] |  | [2,4]
CastLike | [2] bool[3] |  | bool[2]
CastLike | [0] f16[2] |  | f16[0]
CastLike | [*2,4] f64[1] |  | f64[2,4] | unknown: the file does not say the shape of the input i0
BitCast@26 | f32[n=2,4] | to=6 | i32[2,4] | i32[n,4]
BitCast@26 | i64[2] | to=11 | f64[2]
BitCast@26 | u8[] | to=3 | i8[]
BitCast@26 | f32[2] | to=7 | refused | i64[2]
";
