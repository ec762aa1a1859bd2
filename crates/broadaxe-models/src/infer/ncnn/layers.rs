//! The table of layers.

use broadaxe_shape::{
    Rule,
    symbolic::{Dim, SymbolicShape},
};

use super::{
    Blob,
    call::{self, Call, Made},
    change, cut, detect, product, window,
};
use crate::infer::Size;

type Layer = fn(&Call<'_>) -> Made;

/// Layers whose results have the shapes of the inputs with the same number.
static SAME: &[&str] = &[
    "AbsVal",
    "BNLL",
    "BatchNorm",
    "Bias",
    "CELU",
    "Cast",
    "Clip",
    "CopyTo",
    "CumulativeSum",
    "DeepCopy",
    "Dequantize",
    "Dropout",
    "ELU",
    "Eltwise",
    "Erf",
    "Exp",
    "Flip",
    "GELU",
    "GroupNorm",
    "HardSigmoid",
    "HardSwish",
    "InstanceNorm",
    "LRN",
    "LayerNorm",
    "Log",
    "MVN",
    "Mish",
    "Noop",
    "Normalize",
    "PReLU",
    "Packing",
    "Power",
    "Quantize",
    "RMSNorm",
    "ReLU",
    "Requantize",
    "RotaryEmbed",
    "SELU",
    "Scale",
    "Shrink",
    "ShuffleChannel",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Swish",
    "TanH",
    "Threshold",
    "UnaryOp",
];

/// Layers with a function of their own.
static LAYERS: &[(&str, Layer)] = &[
    ("ArgMax", detect::arg_max),
    ("BinaryOp", binary),
    ("Concat", change::concat),
    ("Convolution", window::convolution),
    ("Convolution1D", window::convolution),
    ("Convolution3D", window::convolution),
    ("ConvolutionDepthWise", window::convolution),
    ("ConvolutionDepthWise1D", window::convolution),
    ("ConvolutionDepthWise3D", window::convolution),
    ("Crop", cut::crop),
    ("Deconvolution", window::deconvolution),
    ("Deconvolution1D", window::deconvolution),
    ("Deconvolution3D", window::deconvolution),
    ("DeconvolutionDepthWise", window::deconvolution),
    ("DeconvolutionDepthWise1D", window::deconvolution),
    ("DeconvolutionDepthWise3D", window::deconvolution),
    ("DeformableConv2D", window::convolution),
    ("DetectionOutput", detect::boxes),
    ("Diag", detect::diagonal),
    ("Einsum", product::einsum),
    ("Embed", product::embed),
    ("ExpandDims", change::expand),
    ("Flatten", change::flatten),
    ("Fold", window::fold),
    ("GLU", cut::halves),
    ("GRU", product::recurrent),
    ("Gemm", product::gemm),
    ("GridSample", detect::grid),
    ("InnerProduct", product::inner),
    ("Interp", change::resize),
    ("InverseSpectrogram", detect::signal),
    ("LSTM", product::recurrent),
    ("MatMul", product::matmul),
    ("MultiHeadAttention", product::attention),
    ("PSROIPooling", detect::regions),
    ("Padding", cut::pad),
    ("Permute", change::permute),
    ("PixelShuffle", change::shuffle),
    ("Pooling", window::pooling),
    ("Pooling1D", window::pooling),
    ("Pooling3D", window::pooling),
    ("PriorBox", detect::priors),
    ("Proposal", detect::boxes),
    ("RNN", product::recurrent),
    ("ROIAlign", detect::regions),
    ("ROIPooling", detect::regions),
    ("Reduction", change::reduce),
    ("Reorg", change::shuffle),
    ("Reshape", change::reshape),
    ("SDPA", product::scaled),
    ("Slice", cut::slice),
    ("Spectrogram", detect::spectrum),
    ("Split", split),
    ("Squeeze", change::squeeze),
    ("StatisticsPooling", detect::statistics),
    ("Tile", change::tile),
    ("Unfold", window::unfold),
    ("YoloDetectionOutput", detect::boxes_or_input),
    ("Yolov3DetectionOutput", detect::boxes),
];

/// Says whether the shape of a layer's results depends on elements.
pub(super) fn depends_on_elements(op: &str) -> bool {
    op.ends_with("DetectionOutput") || op == "Proposal"
}

/// Infers the results of a layer.
pub(super) fn infer(call: &Call<'_>) -> Result<Vec<Blob>, String> {
    if change::moves_samples(call) {
        return Ok(vec![change::reshape_samples(call)?]);
    }
    // Inputs with one sample go with each of the others'.
    let samples = (0..call.inputs.len()).map(|k| call.samples(k)).find(|samples| !samples.is(1));
    let samples = samples.unwrap_or_else(|| Size::known(1));
    Ok(made(call)?.into_iter().map(|dims| Blob { dims, samples: samples.clone() }).collect())
}

/// Infers what a layer makes of one sample.
fn made(call: &Call<'_>) -> Made {
    let op = call.node.op.as_str();
    if SAME.contains(&op) {
        return (0..call.node.outputs.len()).map(|k| Ok(call.dims(k)?.to_vec())).collect();
    }
    match LAYERS.iter().find(|(name, _)| *name == op) {
        Some((_, layer)) => layer(call),
        None => Err(format!("the layer {op} is not known here")),
    }
}

fn split(call: &Call<'_>) -> Made {
    Ok(vec![call.dims(0)?.to_vec(); call.node.outputs.len()])
}

/// Broadcasts under ncnn's rule; the second operand may be a number.
fn binary(call: &Call<'_>) -> Made {
    let a = call.dims(0)?;
    if call.node.inputs.len() < 2 {
        return Ok(vec![a.to_vec()]);
    }
    let b = call.dims(1)?;
    let inner = |sizes: &[Size]| SymbolicShape::new(sizes.iter().map(Size::inner).collect::<Vec<_>>());
    let made = Rule::ncnn().infer(&[inner(a), inner(b)]).map_err(|error| error.to_string())?;
    let Some(dims) = made.shape().dims() else { return call.refuse("the rank of the result is not known") };
    let size = |dim: &Dim| {
        let same = a.iter().chain(b).find(|size| size.inner() == *dim || dim.sizes() == [(*size).clone()]);
        same.cloned().unwrap_or_else(|| call::size(dim, call.open))
    };
    Ok(vec![dims.iter().map(size).collect()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_stands_once() {
        let mut names: Vec<&str> = SAME.iter().copied().chain(LAYERS.iter().map(|(name, _)| *name)).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
