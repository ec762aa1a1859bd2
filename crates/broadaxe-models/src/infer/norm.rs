//! Shapes of normalisations, activations along an axis, dropout and losses.

use broadaxe::DType;

use super::{
    Size,
    call::{Call, Made, because},
    elementwise::kept,
    row::{SAME, ShapeRow, Type, row},
    slice::like,
    tensor::Tensor,
};

pub(crate) static NORM_ROWS: &[ShapeRow] = &[
    row("BatchNormalization", batch, &[Type::Same(0), Type::Same(3)]),
    row("InstanceNormalization", like, SAME),
    row("GroupNormalization", like, SAME),
    row("LayerNormalization", layer, &[Type::Same(0), Type::Named("stash_type", DType::F32)]),
    // Of ONNX Runtime, in the domain of ONNX.
    row("SimplifiedLayerNormalization", layer, &[Type::Same(0), Type::Is(DType::F32)]),
    row("RMSNormalization", layer, &[Type::Same(1)]),
    row("LpNormalization", like, SAME),
    row("MeanVarianceNormalization", like, SAME),
    row("LRN", like, SAME),
    row("Softmax", like, SAME),
    row("LogSoftmax", like, SAME),
    row("Hardmax", like, SAME),
    row("Dropout", dropout, &[Type::Same(0), Type::Is(DType::Bool)]),
    row("SwiGLU", gated, SAME),
    row("NegativeLogLikelihoodLoss", loss, SAME),
    row("SoftmaxCrossEntropyLoss", loss, SAME),
];

/// Infers a batch normalisation: the result, and statistics per channel.
fn batch(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let channels = dims.get(1).cloned().unwrap_or_else(|| Size::known(1));
    let per_channel = Tensor::of(vec![channels]);
    let mut made = vec![Tensor::of(dims.to_vec())];
    made.resize(call.node.outputs.len().clamp(1, 5), per_channel);
    Ok(made)
}

/// Infers a layer normalisation: the mean and the inverse deviation have an extent of 1 on the axes it goes over.
fn layer(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?;
    let axis = if dims.is_empty() { 0 } else { call.axis_or(-1, dims.len())? };
    let over: Vec<usize> = (axis..dims.len()).collect();
    let statistics = Tensor::of(super::reduce::without(dims, &over, true));
    Ok(vec![Tensor::of(dims.to_vec()), statistics.clone(), statistics])
}

fn dropout(call: &Call<'_>) -> Made {
    let dims = call.dims(0)?.to_vec();
    Ok(vec![kept(call, dims.clone()), Tensor::of(dims)])
}

fn gated(call: &Call<'_>) -> Made {
    let (a, b) = (call.dims(0)?, call.dims(1)?);
    if a.len() != b.len() {
        return because(format!("SwiGLU: ranks {} and {} must be equal", a.len(), b.len()));
    }
    let dims: Result<_, _> = a.iter().zip(b).map(|(x, y)| call.same(x, y)).collect();
    Ok(vec![Tensor::of(dims?)])
}

fn loss(call: &Call<'_>) -> Made {
    let none = call.text("reduction") == Some("none");
    let target = if none { call.dims(1)?.to_vec() } else { Vec::new() };
    let scores = call.dims(0).map(<[Size]>::to_vec);
    Ok(std::iter::once(Tensor::of(target)).chain(scores.ok().map(Tensor::of)).collect())
}
