//! Layers with windows: convolutions, transposed convolutions and poolings.

use super::layer::{n, one, whdc};
use crate::infer::{
    Size,
    call::{Call, Made, Stop},
    window::{Padding, Rounding, Window},
};

/// The numbers of the parameters of a window on one axis.
struct Numbers {
    kernel: &'static str,
    dilation: &'static str,
    stride: &'static str,
    begin: &'static str,
    end: &'static str,
}

const fn numbers(
    kernel: &'static str,
    dilation: &'static str,
    stride: &'static str,
    begin: &'static str,
    end: &'static str,
) -> Numbers {
    Numbers { kernel, dilation, stride, begin, end }
}

/// Of convolutions, on w, h and d.
const SLIDING: [Numbers; 3] =
    [numbers("1", "2", "3", "4", "15"), numbers("11", "12", "13", "14", "16"), numbers("21", "22", "23", "24", "17")];
/// Of poolings, which have no dilation.
const POOLING: [Numbers; 3] =
    [numbers("1", "-", "2", "3", "14"), numbers("11", "-", "12", "13", "15"), numbers("21", "-", "22", "23", "16")];

/// Returns how many axes an image has, by the layer's name.
fn axes(call: &Call<'_>) -> usize {
    let op = &call.node.op;
    if op.ends_with("1D") {
        1
    } else if op.ends_with("3D") {
        3
    } else {
        2
    }
}

/// Reads the windows on w, h and d; those of h and d are that of w unless they are given.
fn windows(call: &Call<'_>, numbers: &[Numbers; 3], count: usize) -> Result<Vec<Window>, Stop> {
    let get = |number: &str, otherwise| call.param(number, otherwise);
    let mut windows: Vec<Window> = Vec::with_capacity(count);
    let mut kernels: Vec<i64> = Vec::new();
    for numbers in &numbers[..count] {
        let first = windows.first().cloned();
        let kernel = get(numbers.kernel, kernels.first().copied().unwrap_or(0));
        let dilation = get(numbers.dilation, first.as_ref().map_or(1, |first| first.dilation));
        let stride = get(numbers.stride, first.as_ref().map_or(1, |first| first.stride));
        let begin = get(numbers.begin, first.as_ref().map_or(0, |first| first.begin));
        let end = get(numbers.end, begin);
        if dilation < 1 || stride < 1 {
            return call.refuse("a stride or dilation is not positive");
        }
        kernels.push(kernel);
        windows.push(Window { kernel: n(kernel), dilation, stride, begin, end });
    }
    Ok(windows)
}

fn positive(call: &Call<'_>, windows: &[Window]) -> Result<(), Stop> {
    if windows.iter().any(|window| window.kernel.number().is_some_and(|kernel| kernel < 1)) {
        return call.refuse("a kernel is not positive");
    }
    Ok(())
}

/// Counts the positions of a window, none where it is larger than the image.
fn positions(call: &Call<'_>, window: &Window, image: &Size, padding: Padding, rounding: Rounding) -> Size {
    let whole = window.positions(image, padding, Rounding::Floor);
    if whole.as_ref().and_then(Size::number).is_some_and(|whole| whole < 1) {
        return n(0);
    }
    call.or_open(if rounding == Rounding::Floor { whole } else { window.positions(image, padding, rounding) })
}

/// Says where the padding of a convolution comes from: marks on every side ask for one position per stride.
fn padding(windows: &[Window]) -> Padding {
    let marked = |mark| windows.iter().all(|window| window.begin == mark && window.end == mark);
    if marked(-233) || marked(-234) {
        return Padding::Same;
    }
    // Paddings count where any of them is positive.
    let padded = windows.iter().any(|window| window.begin > 0 || window.end > 0);
    if padded { Padding::Given } else { Padding::Valid }
}

/// Returns w, h and d of an image, unknown ones where the input is not known.
fn image(call: &Call<'_>, count: usize) -> Vec<Size> {
    match call.blob(0) {
        Ok(dims) => whdc(dims)[..count].to_vec(),
        Err(_) => (0..count).map(|_| call.open()).collect(),
    }
}

/// Makes the row-major shape of an image.
fn shape(channels: Size, whd: Vec<Size>) -> Made {
    one([channels].into_iter().chain(whd.into_iter().rev()).collect())
}

/// Infers a convolution; its kernel may be an input.
pub(crate) fn convolution(call: &Call<'_>) -> Made {
    let count = axes(call);
    let mut windows = windows(call, &SLIDING, count)?;
    let mut outputs = n(call.param("0", 0));
    if call.param("19", 0) != 0 {
        let kernel = call.whdc(1)?;
        windows.iter_mut().zip(&kernel).for_each(|(window, kernel)| window.kernel = kernel.clone());
        outputs = kernel[3].clone();
    }
    positive(call, &windows)?;
    let point = count == 2 && windows.iter().all(|window| window.kernel.is(1));
    if call.node.op == "Convolution" && point {
        // On a row of numbers it is a product of matrices.
        let dims = call.blob(0)?;
        let inputs = call.param("6", 0).checked_div(call.param("0", 0));
        if dims.len() == 1 && inputs.is_some_and(|inputs| dims[0].is(inputs)) {
            return one(vec![outputs]);
        }
    }
    let padding = padding(&windows);
    let images = image(call, count).into_iter().zip(&windows);
    let whd = images.map(|(image, window)| positions(call, window, &image, padding, Rounding::Floor));
    shape(outputs, whd.collect())
}

/// Infers a transposed convolution.
pub(crate) fn deconvolution(call: &Call<'_>) -> Made {
    let count = axes(call);
    let mut windows = windows(call, &SLIDING, count)?;
    let mut outputs = n(call.param("0", 0));
    if call.param("28", 0) != 0 {
        let kernel = call.whdc(1)?;
        windows.iter_mut().zip(&kernel).for_each(|(window, kernel)| window.kernel = kernel.clone());
        // Outputs stand before inputs in a transposed kernel.
        let group = if call.node.op.contains("DepthWise") { call.param("7", 1) } else { 1 };
        outputs = call.or_open(kernel[if count == 1 { 1 } else { 2 }].times(&n(group)));
    }
    positive(call, &windows)?;
    let behind = ["18", "19", "20"];
    let wanted: [&str; 3] = if count == 3 { ["25", "26", "27"] } else { ["20", "21", "-"] };
    let more: Vec<i64> = (0..count).map(|k| call.param(behind[k], call.param("18", 0))).collect();
    let wanted: Vec<i64> = (0..count).map(|k| call.param(wanted[k], call.param(wanted[0], 0))).collect();
    let padded = padding(&windows) == Padding::Given;
    let marked =
        windows.iter().any(|window| [-233, -234].iter().any(|mark| window.begin == *mark || window.end == *mark));
    let cut = !padded && marked && wanted.iter().all(|&wanted| wanted > 0);
    let whd = image(call, count).into_iter().zip(&windows).zip(more.iter().zip(&wanted));
    let whd = whd.map(|((image, window), (&more, &wanted))| {
        if cut {
            return n(wanted);
        }
        let padding = if padded { window.begin.saturating_add(window.end) } else { 0 };
        let full = image.more(-1).and_then(|steps| steps.times(&n(window.stride))?.plus(&window.reach()?));
        call.or_open(full.and_then(|full| full.more(more.checked_sub(padding)?)))
    });
    shape(outputs, whd.collect())
}

/// Infers a pooling: over the whole image, to a size, or by windows.
pub(crate) fn pooling(call: &Call<'_>) -> Made {
    let count = axes(call);
    let dims = call.whdc(0)?;
    let channels = if count == 1 { dims[1].clone() } else { dims[3].clone() };
    if call.param("4", 0) != 0 {
        return one(vec![channels]);
    }
    if call.param("7", 0) != 0 {
        let first = call.param("8", 0);
        let whd =
            ["8", "18", "28"].iter().zip(&dims).take(count).map(|(number, image)| match call.param(number, first) {
                -233 => image.clone(),
                size => n(size),
            });
        return shape(channels, whd.collect());
    }
    let windows = windows(call, &POOLING, count)?;
    positive(call, &windows)?;
    let (padding, rounding) = match call.param("5", 0) {
        0 => (Padding::Given, Rounding::Ceil),
        1 => (Padding::Given, Rounding::Floor),
        _ => (Padding::Same, Rounding::Floor),
    };
    let whd = dims.iter().zip(&windows).map(|(image, window)| positions(call, window, image, padding, rounding));
    shape(channels, whd.collect())
}

/// Infers the columns that a convolution would multiply.
pub(crate) fn unfold(call: &Call<'_>) -> Made {
    let mut windows = windows(call, &SLIDING, 2)?;
    positive(call, &windows)?;
    let dims = call.whdc(0)?;
    let padding = padding(&windows);
    // Here each padding counts where it is positive itself.
    for window in &mut windows {
        (window.begin, window.end) = (window.begin.max(0), window.end.max(0));
    }
    let images = dims.iter().zip(&windows);
    let positions: Vec<Size> =
        images.map(|(image, window)| positions(call, window, image, padding, Rounding::Floor)).collect();
    let rows = call.product(&[windows[0].kernel.clone(), windows[1].kernel.clone(), dims[3].clone()]);
    one(vec![rows, call.product(&positions)])
}

/// Infers the image that columns add up to.
pub(crate) fn fold(call: &Call<'_>) -> Made {
    let windows = windows(call, &SLIDING, 2)?;
    positive(call, &windows)?;
    let [_, rows, ..] = call.whdc(0)?;
    let channels = windows[0].kernel.times(&windows[1].kernel).and_then(|kernel| rows.floor(&kernel));
    let w = call.param("20", 0);
    shape(call.or_open(channels), vec![n(w), n(call.param("21", w))])
}
