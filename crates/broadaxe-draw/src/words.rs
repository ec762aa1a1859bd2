//! Writes shapes, names of operands, and names that come from files.

use std::fmt::Display;

use broadaxe_shape::Alignment;

/// How many characters of a name from a file are shown.
const MAX_NAME: usize = 80;

/// Joins values.
pub fn join<T: Display>(values: &[T], between: &str) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

/// Writes values as Python writes a tuple: `()`, `(3,)`, `(2, 3)`.
///
/// ```
/// assert_eq!(broadaxe_draw::words::tuple(&[3]), "(3,)");
/// ```
pub fn tuple<T: Display>(values: &[T]) -> String {
    format!("({}{})", join(values, ", "), if values.len() == 1 { "," } else { "" })
}

/// Writes a number of bytes: `48 bytes`, `1.5 GiB`.
pub fn bytes(count: u128) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let unit = (count.max(1).ilog2() / 10).min(units.len() as u32);
    match unit {
        0 => format!("{count} bytes"),
        _ => format!("{:.1} {}", count as f64 / 1024f64.powi(unit as i32), units[unit as usize - 1]),
    }
}

/// Names operand `k`: `a`, `b`, ..., `z`, `operand 26`.
pub fn letter(k: usize) -> String {
    match u8::try_from(k) {
        Ok(k) if k < 26 => char::from(b'a' + k).to_string(),
        _ => format!("operand {k}"),
    }
}

/// Sets rows in columns, the first to the left and the others to the right, two blanks in.
pub fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |i: usize| rows.iter().filter_map(|row| row.get(i)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(i, (cell, &n))| if i == 0 { format!("{cell:n$}") } else { format!("{cell:>n$}") });
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Lists operand `k`'s strides over the result. Where it is tiled, the index counts modulo its extent: `1%2`.
pub fn strides(alignment: &Alignment, k: usize) -> Vec<String> {
    let steps = alignment.steps(k).into_iter().zip(alignment.shape().iter());
    let text = |((stride, period), &extent): ((isize, usize), &usize)| match period {
        period if 1 < period && period < extent => format!("{stride}%{period}"),
        _ => stride.to_string(),
    };
    steps.map(text).collect()
}

/// Returns operand `k`'s strides over the result as numbers, and the periods of its axes if an operand is tiled.
pub fn steps(alignment: &Alignment, k: usize) -> (Vec<isize>, Option<Vec<usize>>) {
    let (strides, periods) = alignment.steps(k).into_iter().unzip();
    (strides, Some(periods).filter(|_| alignment.is_tiled()))
}

/// Joins values by blanks: `0 1 2`, or `-` when there are none.
pub fn spaced<T: Display>(values: &[T]) -> String {
    if values.is_empty() { "-".to_owned() } else { join(values, " ") }
}

/// Replaces control characters, and those that change the direction of writing, by escapes.
///
/// Every name from a file goes through this function or [`quoted`] before it is shown, so that it cannot control a terminal or
/// reorder a sentence.
///
/// ```
/// assert_eq!(broadaxe_draw::words::escaped("conv\u{202e}1\n"), "conv\\u{202e}1\\n");
/// ```
pub fn escaped(text: &str) -> String {
    escaped_to(text, usize::MAX)
}

/// Escapes a name like [`escaped`], and cuts it after 80 characters.
pub fn quoted(name: &str) -> String {
    escaped_to(name, MAX_NAME)
}

/// Escapes a text like [`escaped`], and cuts it after `most` characters.
pub fn escaped_to(text: &str, most: usize) -> String {
    let mut tamed = String::new();
    for c in text.chars().take(most) {
        if c.is_control() || turns(c) {
            tamed.extend(c.escape_default());
        } else {
            tamed.push(c);
        }
    }
    if text.chars().nth(most).is_some() {
        tamed += "...";
    }
    tamed
}

/// Returns whether a character changes the direction of writing.
pub fn turns(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn numbers_of_bytes() {
        let cases =
            [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (3 << 40, "3.0 TiB"), (1 << 80, "1048576.0 EiB")];
        for (count, want) in cases {
            assert_eq!(bytes(count), want);
        }
    }
}
