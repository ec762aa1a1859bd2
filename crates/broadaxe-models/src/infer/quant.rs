//! Shapes of quantised operators.

use broadaxe::DType;

use super::{
    call::{Call, Made},
    row::{ShapeRow, Type, row},
    slice::like,
    tensor::Tensor,
};

pub(crate) static QUANT_ROWS: &[ShapeRow] = &[
    row("QuantizeLinear", like, &[Type::Quantized]),
    row("DequantizeLinear", like, &[Type::NamedOr("output_dtype", 1)]),
    row("DynamicQuantizeLinear", dynamic, &[Type::Is(DType::U8), Type::Is(DType::F32), Type::Is(DType::U8)]),
];

fn dynamic(call: &Call<'_>) -> Made {
    let one = Tensor::of(Vec::new());
    Ok(vec![Tensor::of(call.dims(0)?.to_vec()), one.clone(), one])
}
