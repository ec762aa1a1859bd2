//! Quantisation.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_QUANT: &str = "\
QuantizeLinear | [n=2,4] f32(0.5) |  | u8[2,4] | u8[n,4]
QuantizeLinear | [2,4] f32(0.5) i8(0) |  | i8[2,4]
QuantizeLinear | [2,4] f32[4] u8[4] | axis=1 | u8[2,4]
QuantizeLinear | [2,4] f32(0.5) | output_dtype=3 | i8[2,4]
QuantizeLinear | [2,4] f32(0.5) u16(0) |  | u16[2,4]
QuantizeLinear | [] f32(0.5) u8(3) |  | u8[]
QuantizeLinear | [0] f32(0.5) u8(3) |  | u8[0]
QuantizeLinear@10 | [2,4] f32(0.5) u8(1) |  | u8[2,4]
QuantizeLinear | [2,4] f32[3] u8[3] | axis=1 | refused | u8[2,4]
QuantizeLinear | [2,4] f32[4] u8[4] | axis=2 | refused | u8[2,4]
QuantizeLinear | i32[2,4] f32(0.5) |  | refused | u8[2,4]
DequantizeLinear | u8[n=2,4] f32(0.5) |  | [2,4] | [n,4]
DequantizeLinear | i8[2,4] f32(0.5) i8(0) |  | [2,4]
DequantizeLinear | u8[2,4] f32[4] u8[4] | axis=-1 | [2,4]
DequantizeLinear | u8[2,4] f16[] |  | f16[2,4]
DequantizeLinear | i32[2,4] f32(0.5) |  | [2,4]
DequantizeLinear | u8[] f32(0.5) |  | []
DequantizeLinear | u8[2,4] f32[2,2] u8[2,2] | axis=1 block_size=2 | [2,4]
DequantizeLinear@10 | u8[2,4] f32(0.5) u8(0) |  | [2,4]
DequantizeLinear | u8[2,4] f32[3] | axis=1 | refused | [2,4]
DequantizeLinear@23 | u8[2,4] f32(0.5) | output_dtype=10 | f16[2,4]
DynamicQuantizeLinear:3 | [n=2,4] |  | u8[2,4]; []; u8[] | u8[n,4]; []; u8[]
DynamicQuantizeLinear:3 | [] |  | u8[]; []; u8[]
DynamicQuantizeLinear:3 | [0] |  | u8[0]; []; u8[]
DynamicQuantizeLinear:3 | [2,3,4] |  | u8[2,3,4]; []; u8[]
";
