//! Counts the positions of sliding windows, for convolutions and poolings.

use super::{
    Size,
    call::{Call, Stop, because},
};

/// How wide a window is on one axis and how it moves.
#[derive(Clone)]
pub(crate) struct Window {
    pub(crate) kernel: Size,
    pub(crate) stride: i64,
    pub(crate) dilation: i64,
    pub(crate) begin: i64,
    pub(crate) end: i64,
}

/// Where padding comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    /// The attributes.
    Given,
    /// As much as a result of the input's extent over the stride needs.
    Same,
    /// There is none.
    Valid,
}

/// How the number of positions is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// A window that sticks out at the end is left out.
    Floor,
    /// It counts.
    Ceil,
    /// It counts, if it begins within the image or the padding before it.
    Within,
}

/// Reads the attribute `auto_pad`.
pub(crate) fn padding(call: &Call<'_>) -> Padding {
    match call.text("auto_pad").map(str::to_ascii_lowercase).as_deref() {
        Some("same_upper" | "same_lower") => Padding::Same,
        Some("valid") => Padding::Valid,
        _ => Padding::Given,
    }
}

/// Reads an attribute with a number per axis.
fn per_axis(call: &Call<'_>, name: &str, count: usize, default: i64) -> Result<Vec<i64>, Stop> {
    match call.ints(name) {
        None => Ok(vec![default; count]),
        Some(values) if values.is_empty() => Ok(vec![default; count]),
        Some(values) if values.len() == count => Ok(values),
        Some(values) => because(format!("{}: {name} has {} numbers for {count} axes", call.node.op, values.len())),
    }
}

/// Reads the windows on the axes of an image, `kernel` from the attributes or else as given.
pub(crate) fn windows(call: &Call<'_>, count: usize, kernel: Option<&[Size]>) -> Result<Vec<Window>, Stop> {
    let strides = per_axis(call, "strides", count, 1)?;
    let dilations = per_axis(call, "dilations", count, 1)?;
    let (begins, ends) = match call.ints("pads") {
        Some(pads) if pads.len() == 2 * count => (pads[..count].to_vec(), pads[count..].to_vec()),
        Some(pads) if !pads.is_empty() => {
            return because(format!("{}: pads has {} numbers for {count} axes", call.node.op, pads.len()));
        }
        _ => (per_axis(call, "pads_begin", count, 0)?, per_axis(call, "pads_end", count, 0)?),
    };
    let attribute = call.ints("kernel_shape").or_else(|| call.ints("kernel")).filter(|kernel| !kernel.is_empty());
    let kernel: Vec<Size> = match (attribute, kernel) {
        (Some(kernel), _) => kernel.into_iter().map(Size::known).collect(),
        (None, Some(kernel)) => kernel.to_vec(),
        (None, None) => call.opens(count),
    };
    if kernel.len() != count || strides.iter().chain(&dilations).any(|&step| step < 1) {
        return because(format!("{}: kernel, strides or dilations do not fit {count} axes", call.node.op));
    }
    let numbers = strides.into_iter().zip(dilations).zip(begins.into_iter().zip(ends));
    Ok(kernel
        .into_iter()
        .zip(numbers)
        .map(|(kernel, ((stride, dilation), (begin, end)))| Window { kernel, stride, dilation, begin, end })
        .collect())
}

impl Window {
    /// Returns how far the window reaches: dilation * (kernel - 1) + 1.
    pub(crate) fn reach(&self) -> Option<Size> {
        self.kernel.more(-1)?.times(&Size::known(self.dilation))?.more(1)
    }

    /// Counts the positions of the window along an extent.
    pub(crate) fn positions(&self, extent: &Size, padding: Padding, rounding: Rounding) -> Option<Size> {
        let stride = Size::known(self.stride);
        if padding == Padding::Same {
            return extent.ceil(&stride);
        }
        let (begin, end) = if padding == Padding::Valid { (0, 0) } else { (self.begin, self.end) };
        let free = extent.more(begin.checked_add(end)?)?.minus(&self.reach()?)?;
        if rounding == Rounding::Floor {
            return free.floor(&stride)?.more(1);
        }
        let steps = free.ceil(&stride)?;
        let positions = steps.more(1)?;
        if rounding == Rounding::Ceil {
            return Some(positions);
        }
        // The last window begins at steps * stride; it must be below the extent and the padding before it.
        let beyond = steps.times(&stride)?.minus(&extent.more(begin)?)?;
        match (beyond.low(), beyond.high()) {
            (_, Some(high)) if high < 0 => Some(positions),
            (Some(low), _) if low >= 0 => Some(steps),
            // Rounding up adds at most stride - 1, and the window reaches over what is free.
            _ if self.reach()?.low()? >= self.stride.checked_add(end)? => Some(positions),
            _ => None,
        }
    }
}

/// Refuses a negative number of positions.
pub(crate) fn checked(call: &Call<'_>, size: Option<Size>, axis: usize) -> Result<Size, Stop> {
    match size {
        Some(size) if size.high().is_some_and(|high| high < 0) => {
            because(format!("{}: the window is larger than the image on axis {axis}", call.node.op))
        }
        size => Ok(call.or_open(size)),
    }
}
