//! Changes texts token by token: XML, JSON, the lists of ncnn, the header of a `.npy` file.

use std::ops::Range;

use super::bytes;
use crate::random::Random;

/// Texts that readers may take for numbers.
const NUMBERS: &[&str] = &[
    "-1",
    "0",
    "1",
    "-2147483648",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "1e308",
    "1e999",
    "-0.0",
    "NaN",
    "inf",
    "00",
    "0x10",
    "1.5",
    "",
];

/// Names that control a terminal, reorder a sentence, or end a string.
pub(super) const NAMES: &[&str] = &[
    "\u{1b}[31mred\u{7}",
    "\u{1b}]0;title\u{7}",
    "a\rb",
    "a\nb",
    "\u{9b}31m",
    "\u{202e}abc",
    "a\"b",
    "a'b",
    "a\\u001b[31m",
    "&#27;[31m",
    "&lt;",
    "",
    "\0",
    "{}",
    "%s",
];

/// What can be nested, with what closes it.
const NESTED: &[(&str, &str)] = &[("[", "]"), ("{\"a\":", "}"), ("<a>", "</a>"), ("(", ")"), ("<!--", "-->")];

/// Makes one change; bytes that are no text are changed as bytes.
pub(super) fn change(random: &mut Random, base: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let tokens = tokens(base);
    if tokens.is_empty() {
        return bytes::change(random, base, others);
    }
    let pick = |random: &mut Random| tokens[random.below(tokens.len())].clone();
    let token = pick(random);
    let replaced = |range: Range<usize>, with: &[u8]| [&base[..range.start], with, &base[range.end..]].concat();
    match random.below(12) {
        0..=3 => match number(random, base, &tokens) {
            Some((range, text)) => replaced(range, &text),
            None => replaced(token, b"7"),
        },
        4 | 5 => replaced(token, b""),
        6 => replaced(token.end..token.end, &base[token]),
        7 => swapped(base, token, pick(random)),
        8 => replaced(token, random.one_of(NAMES).as_bytes()),
        9 => replaced(token.start..token.start, random.one_of(NAMES).as_bytes()),
        10 => {
            let (from, to) = (random.below(base.len()), random.below(base.len()));
            let line = base[from..].iter().position(|&byte| byte == b'\n').map_or(base.len(), |n| from + n + 1);
            if random.once_in(2) { replaced(from..line, b"") } else { replaced(to..to, &base[from..line]) }
        }
        _ => {
            let (open, close) = random.one_of(NESTED);
            let depth = *random.one_of(&[1, 2, 100, 10_000]);
            let within = [open.repeat(depth).as_bytes(), &base[token.clone()], close.repeat(depth).as_bytes()].concat();
            replaced(token, &within)
        }
    }
}

/// Chooses a number of the text and what replaces it: a hostile number, another number of the text, or its neighbour.
fn number(random: &mut Random, base: &[u8], tokens: &[Range<usize>]) -> Option<(Range<usize>, Vec<u8>)> {
    let numbers: Vec<&Range<usize>> = tokens.iter().filter(|range| base[range.start].is_ascii_digit()).collect();
    if numbers.is_empty() {
        return None;
    }
    let range = random.one_of(&numbers).start..0;
    let range = range.start..tokens.iter().find(|token| token.start == range.start)?.end;
    let value = std::str::from_utf8(&base[range.clone()]).ok().and_then(|text| text.parse::<i64>().ok());
    let text = match (random.below(4), value) {
        (0, Some(value)) => value.saturating_add(*random.one_of(&[-4, -1, 1, 4])).to_string().into_bytes(),
        (1, _) => base[(*random.one_of(&numbers)).clone()].to_vec(),
        _ => random.one_of(NUMBERS).as_bytes().to_vec(),
    };
    Some((range, text))
}

/// Swaps two parts; parts that overlap stay.
fn swapped(base: &[u8], one: Range<usize>, other: Range<usize>) -> Vec<u8> {
    let (one, other) = if one.start <= other.start { (one, other) } else { (other, one) };
    if one.end > other.start {
        return base.to_vec();
    }
    [&base[..one.start], &base[other.clone()], &base[one.end..other.start], &base[one], &base[other.end..]].concat()
}

/// Splits a text into words, blanks and single signs.
fn tokens(base: &[u8]) -> Vec<Range<usize>> {
    let class = |byte: u8| match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' | 0x80.. => 0,
        b' ' | b'\n' | b'\t' => 1,
        _ => 2,
    };
    let (mut found, mut start): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    for at in 1..=base.len() {
        if at == base.len() || class(base[at]) != class(base[start]) || class(base[at]) == 2 {
            found.push(start..at);
            start = at;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_the_sum_of_its_tokens() {
        let text = b"{'descr': '<f4', 'shape': (20, 3), }\n";
        let parts: Vec<&[u8]> = tokens(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(parts.concat(), text);
        assert!(parts.contains(&&b"20"[..]) && parts.contains(&&b"descr"[..]) && parts.contains(&&b"("[..]));
        assert!(tokens(b"").is_empty());
    }

    #[test]
    fn every_change_of_a_text_happens() {
        let base = b"Add add 2 1 a b c 0=30\n";
        let mut random = Random::new(5);
        let changed: Vec<String> =
            (0..3000).map(|_| String::from_utf8_lossy(&change(&mut random, base, &[vec![1]])).into_owned()).collect();
        for want in [
            "0=29\n",
            "0=-1\n",
            "0=2\n",
            "=9223372036854775808",
            "0=NaN",
            "\u{1b}[31m",
            "\u{202e}",
            "[[[[",
            "b a c",
            "Addadd",
            "AddAdd",
        ] {
            assert!(changed.iter().any(|text| text.contains(want)), "{want}");
        }
    }
}
