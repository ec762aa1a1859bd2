//! Writes shapes, names of operands, and names that come from files.

use std::fmt::Display;

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

/// Names operand `k`: `a`, `b`, ..., `z`, `operand 26`.
pub fn letter(k: usize) -> String {
    match u8::try_from(k) {
        Ok(k) if k < 26 => char::from(b'a' + k).to_string(),
        _ => format!("operand {k}"),
    }
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
