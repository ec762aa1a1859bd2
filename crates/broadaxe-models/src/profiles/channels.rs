//! Slopes with one number for each channel, aligned to the left: ONNX does not allow them, exporters write them, and runtimes read them.

use broadaxe_frameworks::System;

use super::{Asked, Does, When};

/// The slope of a `PRelu` does not stretch to the data by ONNX's rule.
pub(super) const WRONG_SLOPE: When = When::All(&[When::Of(System::Onnx), When::Not(&When::Opset6), When::Invalid]);

/// The slope is a constant list with an entry for each channel of data of rank 4.
pub(super) const PER_CHANNEL: When = When::All(&[When::Constant(1), When::Rank(0, 4, 4), When::Holds(is_per_channel)]);

/// The slope stretches the data, by NumPy's rule.
pub(super) const STRETCHES: When =
    When::Holds(|asked| Some(broadaxe_shape::Rule::numpy().infer(&asked.operands).is_ok()));

/// Gives entry `i` of the slope to entry `i` of axis 1.
#[allow(clippy::unnecessary_wraps, reason = "a way of a law")]
pub(super) fn along(_: &Asked<'_>) -> Option<Does> {
    Some(Does::List { operand: 1, axis: 1 })
}

fn is_per_channel(asked: &Asked<'_>) -> Option<bool> {
    let (data, slope) = (asked.operands[0].dims()?, asked.operands[1].known()?);
    Some(slope.len() == 1 && data.get(1).and_then(broadaxe_shape::Dim::size) == Some(slope[0]))
}
