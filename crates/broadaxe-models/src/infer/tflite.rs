//! Infers TFLite's operators, with the shape functions of other formats where they agree.
//!
//! The interpreter computes the shape of every result from the inputs, whatever the file records: so do these. What they do
//! not know has the shape that the file records. Images have their channels last.
//!
//! Source: `tflite/kernels/*.cc` of LiteRT, compared with ai-edge-litert 2.3.0.

mod change;
mod cut;
mod make;
mod product;
mod window;

use super::{
    call::{Call, Function, Made, because},
    cast, elementwise, gather,
    make::{range, shape},
    reduce::{self, without},
    reshape,
    row::{ShapeRow, Type, row},
    slice::{concatenated, like, tiled},
    tensor::{Tensor, product as elements},
};
use crate::graph::Element;

/// Makes a row; the file records the type of every tensor.
const fn typed(name: &'static str, infer: Function) -> ShapeRow {
    row(name, infer, &[Type::Open])
}

#[rustfmt::skip]
pub(super) static TFLITE_ROWS: &[ShapeRow] = &[
    typed("ARG_MAX", chosen),
    typed("ARG_MIN", chosen),
    typed("AVERAGE_POOL_2D", window::pooled),
    typed("BATCH_MATMUL", |call| super::matmul::product(call, 0, 1, call.flag("adj_x"), call.flag("adj_y"))),
    typed("BATCH_TO_SPACE_ND", |call| window::batches(call, false)),
    typed("BIDIRECTIONAL_SEQUENCE_LSTM", product::both_ways),
    typed("BROADCAST_ARGS", make::common),
    typed("BROADCAST_TO", change::stretched),
    typed("BUCKETIZE", like),
    typed("CAST", converted),
    typed("COMPLEX_ABS", like),
    typed("CONCATENATION", concatenated),
    typed("CONV_2D", |call| window::convolved(call, &["h", "w"], 1, 0)),
    typed("CONV_3D", |call| window::convolved(call, &["d", "h", "w"], 0, 4)),
    typed("CONV_3D_TRANSPOSE", |call| window::transposed(call, &["d", "h", "w"], 0)),
    typed("CUMSUM", like),
    typed("DENSIFY", like),
    typed("DEPTHWISE_CONV_2D", |call| window::convolved(call, &["h", "w"], 1, 3)),
    typed("DEPTH_TO_SPACE", |call| window::blocks(call, true)),
    typed("DEQUANTIZE", like),
    typed("DYNAMIC_UPDATE_SLICE", like),
    typed("EMBEDDING_LOOKUP", product::looked_up),
    typed("EXPAND_DIMS", change::expanded),
    typed("FAKE_QUANT", like),
    typed("FILL", make::filled),
    typed("FULLY_CONNECTED", product::dense),
    typed("GATHER", change::gathered),
    typed("GATHER_ND", |call| gather::points(call, 0)),
    typed("IMAG", like),
    typed("L2_NORMALIZATION", like),
    typed("L2_POOL_2D", window::pooled),
    typed("LOCAL_RESPONSE_NORMALIZATION", like),
    typed("LOG_SOFTMAX", like),
    typed("LSTM", product::step),
    typed("MATRIX_DIAG", change::diagonal),
    typed("MATRIX_SET_DIAG", like),
    typed("MAX_POOL_2D", window::pooled),
    typed("MEAN", reduced),
    typed("MIRROR_PAD", cut::padded),
    typed("MULTINOMIAL", make::drawn),
    typed("NON_MAX_SUPPRESSION_V4", |call| make::suppressed(call, 1)),
    typed("NON_MAX_SUPPRESSION_V5", |call| make::suppressed(call, 2)),
    typed("ONE_HOT", |call| gather::one_hot(call, call.scalar(1))),
    typed("PACK", change::packed),
    typed("PAD", cut::padded),
    typed("PADV2", cut::padded),
    typed("QUANTIZE", like),
    typed("RANDOM_STANDARD_NORMAL", |call| make::shaped(call, 0)),
    typed("RANDOM_UNIFORM", |call| make::shaped(call, 0)),
    typed("RANGE", range),
    typed("RANK", make::rank),
    typed("REAL", like),
    typed("REDUCE_ALL", reduced),
    typed("REDUCE_ANY", reduced),
    typed("REDUCE_MAX", reduced),
    typed("REDUCE_MIN", reduced),
    typed("REDUCE_PROD", reduced),
    typed("RESHAPE", change::reshaped),
    typed("RESIZE_BILINEAR", window::resized),
    typed("RESIZE_NEAREST_NEIGHBOR", window::resized),
    typed("REVERSE_SEQUENCE", like),
    typed("REVERSE_V2", like),
    typed("RFFT2D", make::spectrum),
    typed("RNN", |call| product::recurrent(call, 1, 0)),
    typed("SCATTER_ND", |call| make::shaped(call, 2)),
    typed("SEGMENT_SUM", make::segments),
    typed("SELECT", selected),
    typed("SELECT_V2", selected),
    typed("SHAPE", shape),
    typed("SLICE", cut::sliced),
    typed("SOFTMAX", like),
    typed("SPACE_TO_BATCH_ND", |call| window::batches(call, true)),
    typed("SPACE_TO_DEPTH", |call| window::blocks(call, false)),
    typed("SPARSE_TO_DENSE", |call| make::shaped(call, 1)),
    typed("SPLIT", cut::split),
    typed("SPLIT_V", cut::split_as),
    typed("SQUEEZE", |call| reshape::squeezed(call, false)),
    typed("STRIDED_SLICE", cut::strided),
    typed("SUM", reduced),
    typed("SVDF", product::filtered),
    typed("TILE", tiled),
    typed("TOPK_V2", change::best),
    typed("TRANSPOSE", change::transposed),
    typed("TRANSPOSE_CONV", |call| window::transposed(call, &["h", "w"], 1)),
    typed("UNIDIRECTIONAL_SEQUENCE_LSTM", |call| product::recurrent(call, 8, 1)),
    typed("UNIDIRECTIONAL_SEQUENCE_RNN", |call| product::recurrent(call, 1, 0)),
    typed("UNIQUE", make::unique),
    typed("UNPACK", change::unpacked),
    typed("UNSORTED_SEGMENT_MAX", make::numbered_segments),
    typed("UNSORTED_SEGMENT_MIN", make::numbered_segments),
    typed("UNSORTED_SEGMENT_PROD", make::numbered_segments),
    typed("UNSORTED_SEGMENT_SUM", make::numbered_segments),
    typed("WHERE", make::found),
    typed("ZEROS_LIKE", like),
];

/// Infers the places of extremes along the axis that the second input says.
fn chosen(call: &Call<'_>) -> Made {
    let dims = call.least(0, 1)?;
    Ok(vec![Tensor::of(match change::axis(call, 1, dims.len())? {
        Some(axis) => without(dims, &[axis], false),
        None => call.opens(dims.len() - 1),
    })])
}

/// Infers a reduction; a scalar stays one, whatever the axes.
fn reduced(call: &Call<'_>) -> Made {
    let rank = call.dims(0)?.len();
    if rank == 0 {
        return Ok(vec![Tensor::of(Vec::new())]);
    }
    // An axis may be given twice: of several that are not known, it is open how many go.
    match elements(call.dims(1)?).and_then(|count| count.number()) {
        _ if call.numbers(1).is_some() || call.flag("keep_dims") => reduce::reduced(call),
        Some(1) => Ok(vec![Tensor::of(call.opens(rank - 1))]),
        _ => because(format!("{}: its axes are not known", call.node.op)),
    }
}

/// Infers a choice. Where everything has one element, the result keeps the shape that the file records, if that has one too.
fn selected(call: &Call<'_>) -> Made {
    let recorded = call.node.output(0).and_then(|output| call.model.value(output).declared.as_ref()?.known());
    let is_one = |k| call.dims(k).is_ok_and(|dims| dims.iter().all(|size| size.is(1)));
    match recorded {
        Some(dims) if (0..call.inputs()).all(is_one) && dims.iter().all(|&dim| dim == 1) => {
            Ok(vec![Tensor::known(&dims)])
        }
        _ => elementwise::infer(call),
    }
}

/// Infers a conversion to the type that the file records for the result.
fn converted(call: &Call<'_>) -> Made {
    let element = call.node.output(0).and_then(|output| call.model.value(output).element.as_ref());
    cast::converted(call, element.and_then(Element::dtype))
}
