//! Substitutes numbers for names in the text of an expression.
//!
//! `k=0.5` is then like a number in the expression, which follows the dtype of the arrays. Positions in
//! the new text are traced back to the old one, which is what errors point at.

use super::bind::{Given, Value};

/// The text with numbers, and where its pieces come from.
pub(super) struct Inserted {
    text: String,
    /// Where a piece begins in the new text and in the old one, and whether it is a number put in.
    pieces: Vec<(usize, usize, bool)>,
}

impl Inserted {
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns where a position of the new text comes from in the old one.
    pub(super) fn origin(&self, at: usize) -> usize {
        let piece = self.pieces.iter().rev().find(|(new, ..)| *new <= at);
        piece.map_or(at, |&(new, old, number)| if number { old } else { old + at - new })
    }
}

/// Replaces every name of a number by the number.
pub(super) fn insert(text: &str, given: &[Given]) -> Inserted {
    let mut inserted = Inserted { text: String::new(), pieces: Vec::new() };
    let mut done = 0;
    for (start, end) in names(text) {
        let number = given.iter().find_map(|one| match &one.value {
            Value::Number(number) if one.name == text[start..end] => Some(number),
            _ => None,
        });
        if let Some(number) = number {
            inserted.pieces.push((inserted.text.len(), done, false));
            inserted.text += &text[done..start];
            inserted.pieces.push((inserted.text.len(), start, true));
            inserted.text += &format!("({number})");
            done = end;
        }
    }
    inserted.pieces.push((inserted.text.len(), done, false));
    inserted.text += &text[done..];
    inserted
}

/// Finds the names of a text that stand for arrays: no texts in quotes, no part of `onnx.Add`, no call, no attribute.
fn names(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        if byte == b'"' || byte == b'\'' {
            at += 2 + rest[1..].iter().take_while(|&&b| b != byte).count();
        } else if word(byte) {
            let end = at + rest.iter().take_while(|&&b| word(b)).count();
            let mut after = bytes[end..].iter().skip_while(|b| b.is_ascii_whitespace());
            let next = (after.next(), after.next());
            let attribute = next.0 == Some(&b'=') && next.1 != Some(&b'=');
            let plain = !byte.is_ascii_digit() && !text[at..end].contains('.');
            if plain && next.0 != Some(&b'(') && !attribute {
                found.push((at, end));
            }
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_numbers() {
        let given = |name: &str, number: &str| Given { name: name.to_owned(), value: Value::Number(number.to_owned()) };
        let all = [given("k", "-2"), given("axis", "7"), given("e5", "8"), given("max", "9")];
        let cases = [
            ("k * x", "(-2) * x"),
            ("x+k", "x+(-2)"),
            ("kk + k2 + 1e5 + k", "kk + k2 + 1e5 + (-2)"),
            ("onnx.Add(k, x, axis=1)", "onnx.Add((-2), x, axis=1)"),
            ("axis == k", "(7) == (-2)"),
            ("max(max, x) + x.k", "max((9), x) + x.k"),
            ("cast(x, \"k\") + 'k' + k", "cast(x, \"k\") + 'k' + (-2)"),
            ("\u{e9} + k", "\u{e9} + (-2)"),
            ("'k", "'k"),
        ];
        for (text, want) in cases {
            assert_eq!(insert(text, &all).as_str(), want);
        }
    }

    #[test]
    fn positions_are_traced_back() {
        let given = [Given { name: "k".to_owned(), value: Value::Number("1.25".to_owned()) }];
        let inserted = insert("k + x + k * y", &given);
        assert_eq!(inserted.as_str(), "(1.25) + x + (1.25) * y");
        let cases = [(0, 0), (5, 0), (6, 1), (7, 2), (9, 4), (13, 8), (18, 8), (19, 9), (22, 12)];
        for (at, want) in cases {
            assert_eq!(inserted.origin(at), want, "{at}");
        }
    }
}
