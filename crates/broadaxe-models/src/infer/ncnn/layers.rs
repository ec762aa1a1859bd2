//! The table of layers.

use broadaxe::DType;
use broadaxe_shape::Rule;

use super::{
    change, cut, detect,
    layer::{n, one},
    product, window,
};
use crate::infer::{
    call::{Call, Made},
    elementwise::broadcast,
    row::{ShapeRow, Type, row},
    tensor::Tensor,
};

/// Results are f32, as all that ncnn computes with.
const F32: &[Type] = &[Type::Is(DType::F32)];

pub(crate) static NCNN_ROWS: &[ShapeRow] = &[
    row("AbsVal", like, F32),
    row("ArgMax", detect::arg_max, F32),
    row("BNLL", like, F32),
    row("BatchNorm", like, F32),
    row("Bias", like, F32),
    row("BinaryOp", binary, F32),
    row("CELU", like, F32),
    row("Cast", like, F32),
    row("Clip", like, F32),
    row("Concat", change::concat, F32),
    row("Convolution", window::convolution, F32),
    row("Convolution1D", window::convolution, F32),
    row("Convolution3D", window::convolution, F32),
    row("ConvolutionDepthWise", window::convolution, F32),
    row("ConvolutionDepthWise1D", window::convolution, F32),
    row("ConvolutionDepthWise3D", window::convolution, F32),
    row("CopyTo", like, F32),
    row("Crop", cut::crop, F32),
    row("CumulativeSum", like, F32),
    row("Deconvolution", window::deconvolution, F32),
    row("Deconvolution1D", window::deconvolution, F32),
    row("Deconvolution3D", window::deconvolution, F32),
    row("DeconvolutionDepthWise", window::deconvolution, F32),
    row("DeconvolutionDepthWise1D", window::deconvolution, F32),
    row("DeconvolutionDepthWise3D", window::deconvolution, F32),
    row("DeepCopy", like, F32),
    row("DeformableConv2D", window::convolution, F32),
    row("Dequantize", like, F32),
    row("DetectionOutput", detect::boxes, F32),
    row("Diag", detect::diagonal, F32),
    row("Dropout", like, F32),
    row("ELU", like, F32),
    row("Einsum", product::einsum, F32),
    row("Eltwise", like, F32),
    row("Embed", product::embed, F32),
    row("Erf", like, F32),
    row("Exp", like, F32),
    row("ExpandDims", change::expand, F32),
    row("Flatten", change::flatten, F32),
    row("Flip", like, F32),
    row("Fold", window::fold, F32),
    row("GELU", like, F32),
    row("GLU", cut::halves, F32),
    row("GRU", product::recurrent, F32),
    row("Gemm", product::gemm, F32),
    row("GridSample", detect::grid, F32),
    row("GroupNorm", like, F32),
    row("HardSigmoid", like, F32),
    row("HardSwish", like, F32),
    row("InnerProduct", product::inner, F32),
    row("InstanceNorm", like, F32),
    row("Interp", change::resize, F32),
    row("InverseSpectrogram", detect::signal, F32),
    row("LRN", like, F32),
    row("LSTM", product::recurrent, F32),
    row("LayerNorm", like, F32),
    row("Log", like, F32),
    row("MVN", image, F32),
    row("MatMul", product::matmul, F32),
    row("MemoryData", constant, F32),
    row("Mish", like, F32),
    row("MultiHeadAttention", product::attention, F32),
    row("Noop", like, F32),
    row("Normalize", like, F32),
    row("PReLU", like, F32),
    row("PSROIPooling", detect::regions, F32),
    row("Packing", like, F32),
    row("Padding", cut::pad, F32),
    row("Permute", change::permute, F32),
    row("PixelShuffle", change::shuffle, F32),
    row("Pooling", window::pooling, F32),
    row("Pooling1D", window::pooling, F32),
    row("Pooling3D", window::pooling, F32),
    row("Power", like, F32),
    row("PriorBox", detect::priors, F32),
    row("Proposal", detect::boxes, F32),
    row("Quantize", like, F32),
    row("RMSNorm", like, F32),
    row("RNN", product::recurrent, F32),
    row("ROIAlign", detect::regions, F32),
    row("ROIPooling", detect::regions, F32),
    row("ReLU", like, F32),
    row("Reduction", change::reduce, F32),
    row("Reorg", change::shuffle, F32),
    row("Requantize", like, F32),
    row("Reshape", change::reshape, F32),
    row("RotaryEmbed", like, F32),
    row("SDPA", product::scaled, F32),
    row("SELU", like, F32),
    row("Scale", like, F32),
    row("Shrink", like, F32),
    row("ShuffleChannel", like, F32),
    row("Sigmoid", like, F32),
    row("Slice", cut::slice, F32),
    row("Softmax", like, F32),
    row("Softplus", like, F32),
    row("Spectrogram", detect::spectrum, F32),
    row("Split", split, F32),
    row("Squeeze", change::squeeze, F32),
    row("StatisticsPooling", detect::statistics, F32),
    row("Swish", like, F32),
    row("TanH", like, F32),
    row("Threshold", like, F32),
    row("Tile", change::tile, F32),
    row("UnaryOp", like, F32),
    row("Unfold", window::unfold, F32),
    row("YoloDetectionOutput", detect::boxes_or_input, F32),
    row("Yolov3DetectionOutput", detect::boxes, F32),
];

/// Says whether the shape of a layer's results depends on elements.
pub(crate) fn depends_on_elements(op: &str) -> bool {
    op.ends_with("DetectionOutput") || op == "Proposal"
}

/// Keeps the shapes of the inputs with the same number.
fn like(call: &Call<'_>) -> Made {
    (0..call.node.outputs.len()).map(|k| Ok(Tensor::of(call.blob(k)?.to_vec()))).collect()
}

/// Infers an image: rows and lists count as one channel.
fn image(call: &Call<'_>) -> Made {
    let dims = call.blob(0)?;
    one([vec![n(1); 3usize.saturating_sub(dims.len())], dims.to_vec()].concat())
}

fn split(call: &Call<'_>) -> Made {
    Ok(vec![Tensor::of(call.blob(0)?.to_vec()); call.node.outputs.len()])
}

/// Says why a constant has no shape; one that has is known before.
fn constant(call: &Call<'_>) -> Made {
    call.refuse("the file does not say the shape of the constant")
}

/// Broadcasts under ncnn's rule; the second operand may be a number.
fn binary(call: &Call<'_>) -> Made {
    let operands = call.inputs().clamp(1, 2);
    for k in 0..operands {
        call.blob(k)?;
    }
    one(broadcast(call, &Rule::ncnn(), operands)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted() {
        assert!(NCNN_ROWS.is_sorted_by_key(|row| row.name));
    }
}
