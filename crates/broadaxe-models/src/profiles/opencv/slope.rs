//! Slopes of `PRelu`, which OpenCV reads in order, whatever their shape is.
//!
//! Source: `ChannelsPReLULayer::create` and `PReLUFunctor` in `elementwise_layers.cpp`. 1,737 models were asked, of data of ranks 0 to 6: no
//! answer is another.

use super::{
    super::{Asked, Does, IndexTerm},
    fused,
};

/// Says whether the slope is a constant of the file.
pub(super) fn is_written(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.value(1).is_none_or(|slope| asked.model.value(asked.origin(slope)).constant.is_some()))
}

/// Says how a slope is read.
///
/// One number, or several of one value, is one slope. A slope with one axis longer than 1 is a list along the channels, axis 1 of the data, or
/// their only axis; of a longer one than the channels only the beginning is read. Any other one is read in order for each sample: without
/// regard to its shape, and without an end.
pub(super) fn slope(asked: &Asked<'_>) -> Option<Does> {
    let equal = || asked.value(1).is_some_and(|slope| asked.number(slope).is_some());
    if asked.elements(1) == Some(1) || equal() {
        return Some(Does::Own);
    }
    let (Some(data), Some(own)) = (asked.operands[0].known(), asked.operands[1].known()) else {
        return Some(Does::Unknown("ignores the shapes of slopes, and the shapes are unknown".into()));
    };
    let maker = asked.value(0);
    let channels = data.get(1).or_else(|| data.first()).copied().unwrap_or(1);
    let count = own.iter().product::<usize>();
    if maker.is_some_and(|value| fused::is_made_by_conv(asked, value)) && count != channels {
        return Some(Does::Refused(format!("needs {channels} slopes, one for each channel of the convolution").into()));
    }
    if data.len() != 4 && maker.is_some_and(|value| fused::is_in_blocks(asked, value)) {
        return Some(Does::Unknown(
            "may keep the data with channels in blocks, which PRelu rejects except for rank 4".into(),
        ));
    }
    if own.iter().filter(|dim| **dim != 1).count() > 1 {
        if maker.is_some_and(|value| fused::is_in_blocks(asked, value)) {
            return Some(Does::Unknown(
                "may keep the data with channels in blocks, and reads these slopes in order".into(),
            ));
        }
        return Some(in_order(&data, count));
    }
    if count < channels {
        return Some(Does::Refused(format!("needs a slope for each of the {channels} channels (axis 1)").into()));
    }
    Some(Does::List { operand: 1, axis: data.len().saturating_sub(1).min(1) })
}

/// Says how this many slopes are read per element of a sample.
fn in_order(data: &[usize], count: usize) -> Does {
    let sample = data.get(1..).unwrap_or_default();
    let axes = sample.len();
    if count < sample.iter().product() {
        return Does::Overrun { operand: 1, axes };
    }
    Does::Reads(vec![dense(0, data), dense(1, sample)])
}

/// Returns the terms of dense data whose axes begin at this one of the result.
fn dense(first: usize, dims: &[usize]) -> Vec<IndexTerm> {
    let stride = |k: usize| dims[k + 1..].iter().product();
    (0..dims.len()).filter(|&k| dims[k] > 1).map(|k| IndexTerm::along(first + k, stride(k))).collect()
}
