//! Windows that slide over an image: convolutions, their opposites, and poolings.

use super::call::{Call, Made, n, whdc};
use crate::infer::Size;

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

/// A window on one axis.
#[derive(Clone)]
struct Window {
    kernel: Size,
    dilation: i64,
    stride: i64,
    begin: i64,
    end: i64,
}

impl Window {
    /// Returns from the first element to the last.
    fn extent(&self) -> Option<Size> {
        self.kernel.more(-1)?.times(&n(self.dilation))?.more(1)
    }

    /// Counts the positions in an image, which is padded by as much as given.
    fn positions(&self, image: &Size, padding: i64, up: bool) -> Option<Size> {
        let space = image.more(padding)?.minus(&self.extent()?)?;
        if space.number().is_some_and(|space| space < 0) {
            return Some(n(0));
        }
        let steps = if up { space.ceil(&n(self.stride)) } else { space.floor(&n(self.stride)) };
        steps?.more(1)
    }

    /// Counts the positions of a padding that makes them one per stride.
    fn same(&self, image: &Size) -> Option<Size> {
        image.more(-1)?.floor(&n(self.stride))?.more(1)
    }
}

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
fn windows(call: &Call<'_>, numbers: &[Numbers; 3], count: usize) -> Result<Vec<Window>, String> {
    let get = |number: &str, otherwise| call.int(number, otherwise);
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

fn positive(call: &Call<'_>, windows: &[Window]) -> Result<(), String> {
    if windows.iter().any(|window| window.kernel.number().is_some_and(|kernel| kernel < 1)) {
        return call.refuse("a kernel is not positive");
    }
    Ok(())
}

/// Returns w, h and d of an image, unknown ones where the input is not known.
fn image(call: &Call<'_>, count: usize) -> Vec<Size> {
    match call.dims(0) {
        Ok(dims) => whdc(dims)[..count].to_vec(),
        Err(_) => (0..count).map(|_| call.open()).collect(),
    }
}

/// Makes the row-major shape of an image.
fn shape(channels: Size, whd: Vec<Size>) -> Vec<Vec<Size>> {
    vec![[channels].into_iter().chain(whd.into_iter().rev()).collect()]
}

/// Infers a convolution; its kernel may be an input.
pub(super) fn convolution(call: &Call<'_>) -> Made {
    let count = axes(call);
    let mut windows = windows(call, &SLIDING, count)?;
    let mut outputs = n(call.int("0", 0));
    if call.int("19", 0) != 0 {
        let kernel = call.whdc(1)?;
        windows.iter_mut().zip(&kernel).for_each(|(window, kernel)| window.kernel = kernel.clone());
        outputs = kernel[3].clone();
    }
    positive(call, &windows)?;
    let point = count == 2 && windows.iter().all(|window| window.kernel.is(1));
    if call.node.op == "Convolution" && point {
        // On a row of numbers it is a product of matrices.
        let dims = call.dims(0)?;
        let inputs = call.int("6", 0).checked_div(call.int("0", 0));
        if dims.len() == 1 && inputs.is_some_and(|inputs| dims[0].is(inputs)) {
            return Ok(vec![vec![outputs]]);
        }
    }
    let tied = |mark| windows.iter().all(|window| window.begin == mark && window.end == mark);
    let same = tied(-233) || tied(-234);
    // Paddings count where any of them is positive.
    let padded = windows.iter().any(|window| window.begin > 0 || window.end > 0);
    let whd = image(call, count).into_iter().zip(&windows).map(|(image, window)| {
        let padding = if padded { window.begin.saturating_add(window.end) } else { 0 };
        call.or_open(if same { window.same(&image) } else { window.positions(&image, padding, false) })
    });
    Ok(shape(outputs, whd.collect()))
}

/// Infers a transposed convolution.
pub(super) fn deconvolution(call: &Call<'_>) -> Made {
    let count = axes(call);
    let mut windows = windows(call, &SLIDING, count)?;
    let mut outputs = n(call.int("0", 0));
    if call.int("28", 0) != 0 {
        let kernel = call.whdc(1)?;
        windows.iter_mut().zip(&kernel).for_each(|(window, kernel)| window.kernel = kernel.clone());
        // Outputs stand before inputs in a transposed kernel.
        let group = if call.node.op.contains("DepthWise") { call.int("7", 1) } else { 1 };
        outputs = call.or_open(kernel[if count == 1 { 1 } else { 2 }].times(&n(group)));
    }
    positive(call, &windows)?;
    let behind = ["18", "19", "20"];
    let wanted: [&str; 3] = if count == 3 { ["25", "26", "27"] } else { ["20", "21", "-"] };
    let more: Vec<i64> = (0..count).map(|k| call.int(behind[k], call.int("18", 0))).collect();
    let wanted: Vec<i64> = (0..count).map(|k| call.int(wanted[k], call.int(wanted[0], 0))).collect();
    let padded = windows.iter().any(|window| window.begin > 0 || window.end > 0);
    let marked =
        windows.iter().any(|window| [-233, -234].iter().any(|mark| window.begin == *mark || window.end == *mark));
    let cut = !padded && marked && wanted.iter().all(|&wanted| wanted > 0);
    let whd = image(call, count).into_iter().zip(&windows).zip(more.iter().zip(&wanted));
    let whd = whd.map(|((image, window), (&more, &wanted))| {
        if cut {
            return n(wanted);
        }
        let padding = if padded { window.begin.saturating_add(window.end) } else { 0 };
        let full = image.more(-1).and_then(|steps| steps.times(&n(window.stride))?.plus(&window.extent()?));
        call.or_open(full.and_then(|full| full.more(more.checked_sub(padding)?)))
    });
    Ok(shape(outputs, whd.collect()))
}

/// Infers a pooling: over the whole image, to a size, or by windows.
pub(super) fn pooling(call: &Call<'_>) -> Made {
    let count = axes(call);
    let dims = call.whdc(0)?;
    let channels = if count == 1 { dims[1].clone() } else { dims[3].clone() };
    if call.int("4", 0) != 0 {
        return Ok(vec![vec![channels]]);
    }
    if call.int("7", 0) != 0 {
        let first = call.int("8", 0);
        let whd =
            ["8", "18", "28"].iter().zip(&dims).take(count).map(|(number, image)| match call.int(number, first) {
                -233 => image.clone(),
                size => n(size),
            });
        return Ok(shape(channels, whd.collect()));
    }
    let windows = windows(call, &POOLING, count)?;
    positive(call, &windows)?;
    let mode = call.int("5", 0);
    let whd = dims.iter().zip(&windows).map(|(image, window)| {
        let padding = window.begin.saturating_add(window.end);
        call.or_open(match mode {
            0 | 1 => window.positions(image, padding, mode == 0),
            _ => window.same(image),
        })
    });
    Ok(shape(channels, whd.collect()))
}

/// Infers the columns that a convolution would multiply.
pub(super) fn unfold(call: &Call<'_>) -> Made {
    let windows = windows(call, &SLIDING, 2)?;
    positive(call, &windows)?;
    let dims = call.whdc(0)?;
    let tied = |mark| windows.iter().all(|window| window.begin == mark && window.end == mark);
    let same = tied(-233) || tied(-234);
    let positions: Vec<Size> = (dims.iter().zip(&windows))
        .map(|(image, window)| {
            let padding = window.begin.max(0).saturating_add(window.end.max(0));
            call.or_open(if same { window.same(image) } else { window.positions(image, padding, false) })
        })
        .collect();
    let rows = call.product(&[windows[0].kernel.clone(), windows[1].kernel.clone(), dims[3].clone()]);
    Ok(vec![vec![rows, call.product(&positions)]])
}

/// Infers the image that columns add up to.
pub(super) fn fold(call: &Call<'_>) -> Made {
    let windows = windows(call, &SLIDING, 2)?;
    positive(call, &windows)?;
    let [_, rows, ..] = call.whdc(0)?;
    let channels = windows[0].kernel.times(&windows[1].kernel).and_then(|kernel| rows.floor(&kernel));
    let w = call.int("20", 0);
    Ok(shape(call.or_open(channels), vec![n(w), n(call.int("21", w))]))
}
