//! Compares names as people sort them: `layer.2` comes before `layer.10`.

use std::cmp::Ordering;

/// Compares two names; digits that follow each other count as one number.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let parts = (part(left), part(right));
        let order = match parts {
            ("", "") => return a.cmp(b),
            (one, other) if is_number(one) && is_number(other) => by_value(one, other),
            (one, other) => one.cmp(other),
        };
        if order.is_ne() {
            return order;
        }
        (left, right) = (&left[parts.0.len()..], &right[parts.1.len()..]);
    }
}

fn is_number(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the digits or the other characters that a text begins with.
fn part(text: &str) -> &str {
    let digits = is_number(text);
    let end = text.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(text.len());
    &text[..end]
}

/// Compares numbers of any length, without the zeros in front.
fn by_value(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn numbers_count_as_numbers() {
        let sorted = [
            "",
            "1",
            "02",
            "2",
            "10",
            "99999999999999999999999",
            "a",
            "a1b2",
            "a1b10",
            "a01b11",
            "a.1.b",
            "a.1.c",
            "a.2",
            "a.10.b",
            "layer.2",
            "layer.10",
            "layer.10.bias",
            "\u{e9}2",
            "\u{e9}11",
        ];
        let mut names = sorted;
        names.reverse();
        names.sort_by(|a, b| compare(a, b));
        assert_eq!(names, sorted);
    }
}
