//! Formats an array as NumPy does: rows in brackets, without the middle of long axes.

use std::fmt::{Display, LowerExp};

use broadaxe_kernels::DType;

use crate::{exact::Element, file::write::Plain};

/// How many elements are shown at each end of an axis that is cut, for arrays of rank 0, 1, 2, 3 and more.
const EDGES: [usize; 5] = [0, 3, 3, 2, 1];
/// Arrays of up to this many elements are shown whole.
const WHOLE: usize = 120;
/// How many rows are shown at most.
const ROWS: usize = 60;

/// Draws the array; ends with a line feed.
pub fn draw(array: &Plain<'_>) -> String {
    if array.shape.contains(&0) {
        return "[]\n".to_owned();
    }
    let count: usize = array.shape.iter().product();
    let edge = if count > WHOLE { EDGES[array.shape.len().min(4)] } else { count };
    let shown: Vec<Vec<Option<usize>>> = array.shape.iter().map(|&dim| indices(dim, edge)).collect();
    let mut cells = Vec::new();
    collect(array, &shown, 0, &mut cells);
    line_up(&mut cells);
    let width = cells.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    Drawing { cells: &mut cells.into_iter(), shown: &shown, width }.axis(0, &mut text);
    let rows = text.lines().count();
    if rows > ROWS {
        let mut first: Vec<&str> = text.lines().take(ROWS).collect();
        let more = format!("... ({} more rows)", rows - ROWS);
        first.push(&more);
        return first.join("\n") + "\n";
    }
    text + "\n"
}

/// Lists the indices of an axis to show; `None` marks those left out.
fn indices(dim: usize, edge: usize) -> Vec<Option<usize>> {
    if dim <= edge.saturating_mul(2) {
        return (0..dim).map(Some).collect();
    }
    (0..edge).map(Some).chain([None]).chain((dim - edge..dim).map(Some)).collect()
}

/// Adds blanks after the numbers so that their points stand below each other.
fn line_up(cells: &mut [String]) {
    let after = |cell: &String| cell.find('.').map_or(0, |at| cell.len() - at);
    if cells.iter().any(|cell| cell.contains('e')) {
        return;
    }
    let most = cells.iter().map(after).max().unwrap_or(0);
    for cell in cells.iter_mut().filter(|cell| cell.ends_with(|c: char| c.is_ascii_digit())) {
        cell.push_str(&" ".repeat(most - after(cell)));
    }
}

/// Collects the elements to show, in order.
fn collect(array: &Plain<'_>, shown: &[Vec<Option<usize>>], at: usize, cells: &mut Vec<String>) {
    let axis = array.shape.len() - shown.len();
    let Some((first, rest)) = shown.split_first() else {
        let size = array.dtype.size();
        cells.push(element(array.dtype, &array.bytes[at * size..(at + 1) * size]));
        return;
    };
    for &index in first.iter().flatten() {
        collect(array, rest, at * array.shape[axis] + index, cells);
    }
}

struct Drawing<'a> {
    cells: &'a mut dyn Iterator<Item = String>,
    shown: &'a [Vec<Option<usize>>],
    width: usize,
}

impl Drawing<'_> {
    fn axis(&mut self, depth: usize, text: &mut String) {
        let Some(indices) = self.shown.get(depth) else {
            let cell = self.cells.next().unwrap_or_default();
            *text += &format!("{cell:>width$}", width = if depth == 0 { 0 } else { self.width });
            return;
        };
        let inner = self.shown.len() - depth - 1;
        text.push('[');
        for (i, index) in indices.iter().enumerate() {
            if i > 0 {
                if inner == 0 {
                    text.push(' ');
                } else {
                    text.push_str(&"\n".repeat(inner));
                    text.push_str(&" ".repeat(depth + 1));
                }
            }
            match index {
                Some(_) => self.axis(depth + 1, text),
                None => text.push_str("..."),
            }
        }
        text.push(']');
    }
}

/// Writes an element.
pub fn element(dtype: DType, bytes: &[u8]) -> String {
    match Element::read(dtype, bytes) {
        Element::Bool(value) => value.to_string(),
        Element::Int(value) => value.to_string(),
        Element::Half(value) => short(value.into(), if dtype == DType::BF16 { 4 } else { 5 }),
        Element::Single(value) => plain(value),
        Element::Double(value) => short(value, 8),
    }
}

/// Writes a number with this many significant digits, and no more than it needs.
fn short(value: f64, digits: usize) -> String {
    // Through its decimal form, so that 0.1 of fewer bits is 0.1 again.
    plain::<f64>(format!("{value:.*e}", digits - 1).parse().unwrap_or(value))
}

/// Writes a number with the digits that tell it from its neighbours, and an exponent where that is shorter.
fn plain<T: Copy + Into<f64> + Display + LowerExp>(value: T) -> String {
    let size = value.into().abs();
    if size == 0.0 || !size.is_finite() || (1e-4..1e16).contains(&size) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use broadaxe_kernels::{bf16, f16};

    use super::*;

    #[test]
    fn arrays() {
        let bytes: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        let cases: &[(&[usize], &str)] = &[
            (&[], "0\n"),
            (&[3], "[0 1 2]\n"),
            (&[2, 0], "[]\n"),
            (&[2, 2], "[[0 1]\n [2 3]]\n"),
            (&[2, 1, 2], "[[[0 1]]\n\n [[2 3]]]\n"),
            (&[1000], "[  0   1   2 ... 229 230 231]\n"),
            (
                &[100, 7],
                "[[  0   1   2 ...   4   5   6]\n [  7   8   9 ...  11  12  13]\n [ 14  15  16 ...  18  19  20]\n ...\n \
                 [167 168 169 ... 171 172 173]\n [174 175 176 ... 178 179 180]\n [181 182 183 ... 185 186 187]]\n",
            ),
        ];
        for (shape, want) in cases {
            let count: usize = shape.iter().product();
            let got = draw(&Plain { dtype: DType::U8, shape, bytes: &bytes[..count] });
            assert_eq!(got, *want, "{shape:?}");
        }
    }

    #[test]
    fn points_stand_below_each_other() {
        let bytes: Vec<u8> = [0.25f32, -12.5, 3.0, f32::NAN].iter().flat_map(|value| value.to_ne_bytes()).collect();
        let array = Plain { dtype: DType::F32, shape: &[4, 1], bytes: &bytes };
        assert_eq!(draw(&array), "[[  0.25]\n [-12.5 ]\n [  3   ]\n [   NaN]]\n");
    }

    #[test]
    fn elements() {
        let cases = [
            (DType::Bool, vec![2], "true"),
            (DType::I8, vec![255], "-1"),
            (DType::U16, 40_000u16.to_ne_bytes().to_vec(), "40000"),
            (DType::I64, i64::MIN.to_ne_bytes().to_vec(), "-9223372036854775808"),
            (DType::F16, f16::from_f64(0.1).to_bits().to_ne_bytes().to_vec(), "0.099976"),
            (DType::BF16, bf16::from_f64(1.5).to_bits().to_ne_bytes().to_vec(), "1.5"),
            (DType::F32, 0.1f32.to_ne_bytes().to_vec(), "0.1"),
            (DType::F32, 16_777_217f32.to_ne_bytes().to_vec(), "16777216"),
            (DType::F32, f32::NAN.to_ne_bytes().to_vec(), "NaN"),
            (DType::F64, f64::NEG_INFINITY.to_ne_bytes().to_vec(), "-inf"),
            (DType::F64, (-0.0f64).to_ne_bytes().to_vec(), "-0"),
            (DType::F64, 1e-300f64.to_ne_bytes().to_vec(), "1e-300"),
        ];
        for (dtype, bytes, want) in cases {
            assert_eq!(element(dtype, &bytes), want, "{dtype:?}");
        }
    }
}
