//! Shapes of the operators that ONNX Runtime adds to ONNX.

use broadaxe::DType;
use broadaxe_shape::Rule;

use super::{
    Size,
    call::{Call, Made, because},
    conv::forward,
    elementwise::united,
    matmul::product,
    row::{SAME, ShapeRow, Type, row},
    slice::like,
    tensor::Tensor,
};

/// The first input of `QLinearConcat` that is data; a scale and a zero point follow each.
const FIRST_PART: usize = 2;

pub(crate) static CONTRIB_ROWS: &[ShapeRow] = &[
    row("BiasAdd", like, SAME),
    row("BiasGelu", like, SAME),
    row("BiasSoftmax", like, SAME),
    row("FastGelu", like, SAME),
    row("Gelu", like, SAME),
    row("QuickGelu", like, SAME),
    row("GroupNorm", like, SAME),
    row("BiasSplitGelu", split, SAME),
    row("SkipLayerNormalization", skip, &[Type::Same(0), Type::Is(DType::F32), Type::Is(DType::F32), Type::Same(0)]),
    row(
        "SkipSimplifiedLayerNormalization",
        skip,
        &[Type::Same(0), Type::Is(DType::F32), Type::Is(DType::F32), Type::Same(0)],
    ),
    row("QLinearAdd", |call| joined(call, &[0, 3]), SAME),
    row("QLinearMul", |call| joined(call, &[0, 3]), SAME),
    row("QLinearLeakyRelu", like, SAME),
    row("QLinearSigmoid", like, SAME),
    row("QLinearSoftmax", like, SAME),
    row("QLinearConcat", concat, &[Type::Same(FIRST_PART)]),
    row("QuantizeLinear", like, &[Type::Quantized]),
    row("DequantizeLinear", like, &[Type::Same(1)]),
    row("FusedConv", |call| forward(call, 1, 0), SAME),
    row("FusedGemm", super::matmul::gemm, SAME),
    row("FusedMatMul", matrices, SAME),
    row("DynamicQuantizeMatMul", |call| product(call, 0, 1, false, false), SAME),
    row("MatMulIntegerToFloat", |call| product(call, 0, 1, false, false), &[Type::Same(2)]),
    row("MatMulNBits", packed, SAME),
    row("MultiHeadAttention", heads, SAME),
    row("Attention", projected, SAME),
    row("GroupQueryAttention", grouped, SAME),
    row("RotaryEmbedding", like, SAME),
];

/// Infers a product of one half of the last axis and the other.
fn split(call: &Call<'_>) -> Made {
    let [rest @ .., last] = call.least(0, 1)? else { return because("BiasSplitGelu needs an axis") };
    let half = call.or_open(last.floor(&Size::known(2)));
    Ok(vec![Tensor::of([rest, &[half]].concat())])
}

/// Infers the normalised sum of two tensors, the mean and the inverse deviation of each row, and the sum.
fn skip(call: &Call<'_>) -> Made {
    let dims = call.least(0, 1)?;
    let row = Tensor::of([&dims[..dims.len() - 1], &[Size::known(1)]].concat());
    let whole = Tensor::of(dims.to_vec());
    Ok(vec![whole.clone(), row.clone(), row, whole])
}

fn joined(call: &Call<'_>, inputs: &[usize]) -> Made {
    let operands: Result<Vec<&[Size]>, _> = inputs.iter().map(|&k| call.dims(k)).collect();
    Ok(vec![Tensor::of(united(call, &Rule::numpy(), &operands?)?)])
}

/// Infers tensors behind one another, each with its scale and zero point.
fn concat(call: &Call<'_>) -> Made {
    let first = call.least(FIRST_PART, 1)?;
    let axis = call.axis_or(0, first.len())?;
    let mut dims = first.to_vec();
    let mut size = Some(first[axis].clone());
    for k in (FIRST_PART + 3..call.inputs()).step_by(3) {
        let part = call.dims(k)?;
        let Some(own) = part.get(axis) else { return because("QLinearConcat: the ranks differ") };
        size = size.and_then(|size| size.plus(own));
    }
    dims[axis] = call.or_open(size);
    Ok(vec![Tensor::of(dims)])
}

fn matrices(call: &Call<'_>) -> Made {
    if call.flag("transBatchA") || call.flag("transBatchB") {
        return because("FusedMatMul: transBatchA and transBatchB are not followed");
    }
    product(call, 0, 1, call.flag("transA"), call.flag("transB"))
}

/// Infers a product with a matrix that is packed by blocks: the attributes have its sizes.
fn packed(call: &Call<'_>) -> Made {
    let ([rest @ .., width], Some(size)) = (call.least(0, 1)?, call.int("N")) else {
        return because("MatMulNBits has no attribute N");
    };
    if let Some(inner) = call.int("K") {
        call.same(width, &Size::known(inner))?;
    }
    Ok(vec![Tensor::of([rest, &[Size::known(size)]].concat())])
}

/// Infers an attention: the result has the axes of the queries, and heads are packed into the last.
fn heads(call: &Call<'_>) -> Made {
    let last = match (call.dims(0)?, call.has(2)) {
        // Queries, keys and values are packed: (batch, length, heads, 3, width).
        ([batch, length, heads, _, width], _) => {
            let all = call.or_open(heads.times(width));
            return Ok(vec![Tensor::of(vec![batch.clone(), length.clone(), all])]);
        }
        ([_, _, own], false) => own.clone(),
        ([_, _, _], true) => match call.dims(2)? {
            [_, _, all] => all.clone(),
            [_, heads, _, width] => call.or_open(heads.times(width)),
            _ => return because("MultiHeadAttention: the values have no heads"),
        },
        _ => return because("MultiHeadAttention: the queries have another rank than 3 and 5"),
    };
    let dims = call.dims(0)?;
    Ok(vec![Tensor::of(vec![dims[0].clone(), dims[1].clone(), last])])
}

/// Infers an attention whose queries, keys and values are projected from the data by one matrix.
fn projected(call: &Call<'_>) -> Made {
    let ([batch, length, _], [_, all]) = (call.ranked::<3>(0)?, call.ranked::<2>(1)?);
    let last = match call.ints("qkv_hidden_sizes").as_deref() {
        Some([_, _, values]) => Size::known(*values),
        _ => call.or_open(all.floor(&Size::known(3))),
    };
    Ok(vec![Tensor::of(vec![batch.clone(), length.clone(), last])])
}

/// Infers an attention whose queries share keys; without keys, these and the values are packed behind the queries.
fn grouped(call: &Call<'_>) -> Made {
    let [batch, length, own] = call.ranked::<3>(0)?;
    let last = if call.has(1) {
        own.clone()
    } else {
        let numbers = call.int("num_heads").zip(call.int("kv_num_heads"));
        let Some((heads, keys)) = numbers.filter(|(heads, keys)| *heads > 0 && *keys > 0) else {
            return because("GroupQueryAttention has no numbers of heads");
        };
        let width = own.floor(&Size::known(heads + 2 * keys));
        call.or_open(width.and_then(|width| width.times(&Size::known(heads))))
    };
    Ok(vec![Tensor::of(vec![batch.clone(), length.clone(), last])])
}
