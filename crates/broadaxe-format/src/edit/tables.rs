//! Tables of new names, of replaced spans, and of checks that hold for all formats.
//!
//! The results of the first two follow from the documents of [`Names`] and [`Splice`]: a taken name gets the first free number,
//! and the spans of the text `0123456789` are replaced.

use super::{Names, Piece, Splice};
use crate::{
    facts::{compare, edits},
    source::Source,
};

const NAMES: &[(&str, &str)] = &[
    ("1 | a b | a", "a_1"),
    ("1 | a b | c", "c"),
    ("2 | a | a", "a_2"),
    ("2 | a a_2 | a", "a_3"),
    ("2 | a a_3 | a a a", "a_2 a_4 a_5"),
    ("1 | a_1 | a a", "a a_2"),
    ("0 | a | a a", "a_0 a_1"),
    ("2 |  | a a a", "a a_2 a_3"),
    ("2 | a | a_2 a", "a_2 a_3"),
    ("1 | x x_1 x_2 x_3 | x", "x_4"),
    ("2 | A | a A", "a A_2"),
    ("2 | é | é", "é_2"),
    ("2 | a | a_2 a_2 a", "a_2 a_2_2 a_3"),
    ("9 | a | a a", "a_9 a_10"),
    ("2 | a b | b a b a", "b_2 a_2 b_3 a_3"),
    ("2 | a/b | a/b a", "a/b_2 a"),
    ("2 | a_2 a_3 | a a", "a a_4"),
    ("1 | 1 | 1 1", "1_1 1_2"),
];

const SPANS: &[(&str, &str)] = &[
    ("", "0123456789"),
    ("0..0=a", "a0123456789"),
    ("10..10=a", "0123456789a"),
    ("0..10=", ""),
    ("0..10=a", "a"),
    ("0..1=a", "a123456789"),
    ("9..10=a", "012345678a"),
    ("3..3=a", "012a3456789"),
    ("3..4=", "012456789"),
    ("3..4=a", "012a456789"),
    ("3..4=abc", "012abc456789"),
    ("3..6=a", "012a6789"),
    ("3..3=a 3..3=b", "012ab3456789"),
    ("3..3=b 3..3=a", "012ba3456789"),
    ("5..6=b 1..2=a", "0a234b6789"),
    ("1..2=a 2..3=b", "0ab3456789"),
    ("2..3=b 1..2=a", "0ab3456789"),
    ("1..2=a 2..2=b 2..3=c", "0abc3456789"),
    ("1..3=a 1..1=b", "0ba3456789"),
    ("1..3=a 3..3=b", "0ab3456789"),
    ("0..5= 5..10=", ""),
    ("0..5=a 5..10=b", "ab"),
    ("0..1= 2..3= 4..5= 6..7= 8..9=", "13579"),
    ("0..0=a 10..10=b", "a0123456789b"),
    ("4..4=", "0123456789"),
    ("4..4= 4..4=a", "0123a456789"),
    ("1..3=a 2..4=b", "! two changes meet at byte 2; make one after the other"),
    ("2..4=b 1..3=a", "! two changes meet at byte 2; make one after the other"),
    ("1..3=a 2..2=b", "! two changes meet at byte 2; make one after the other"),
    ("1..3=a 1..3=b", "! two changes meet at byte 1; make one after the other"),
    ("1..4=a 2..3=b", "! two changes meet at byte 2; make one after the other"),
    ("0..10=a 5..5=b", "! two changes meet at byte 5; make one after the other"),
    ("1..3=a 2..3=b", "! two changes meet at byte 2; make one after the other"),
    ("1..2= 1..2=", "! two changes meet at byte 1; make one after the other"),
];

fn unique(text: &str) -> String {
    let [second, used, bases] = text.split(" | ").collect::<Vec<_>>()[..] else { panic!("{text}") };
    let used: Vec<String> = used.split_whitespace().map(str::to_owned).collect();
    let mut names = Names::new(&used, second.parse().unwrap());
    bases.split(' ').map(|base| names.unique(base)).collect::<Vec<_>>().join(" ")
}

#[test]
fn names() {
    compare(NAMES.iter().map(|&(case, want)| (case, unique(case), want)));
}

fn spliced(text: &str) -> String {
    let (mut splice, old) = (Splice::default(), "0123456789");
    for change in text.split_whitespace() {
        let (span, new) = change.split_once('=').unwrap();
        let (from, to) = span.split_once("..").unwrap();
        let span = from.parse::<usize>().unwrap()..to.parse().unwrap();
        match (span.is_empty(), new) {
            (true, _) => splice.insert(span.start, new),
            (false, "") => splice.remove(span),
            _ => splice.text(span, new),
        }
    }
    let piece = |piece| match piece {
        Piece::Kept { at, len } => old[at as usize..(at + len) as usize].to_owned(),
        Piece::New(bytes) => String::from_utf8(bytes).unwrap(),
    };
    let pieces = splice.pieces(old.len() as u64);
    pieces.map_or_else(|error| format!("! {error}"), |pieces| pieces.into_iter().map(piece).collect())
}

#[test]
fn spans() {
    compare(SPANS.iter().map(|&(case, want)| (case, spliced(case), want)));
}

/// The words of the edits of the tables.
#[test]
fn words() {
    let model = crate::read(&Source::memory(*b"7767517\n1 1\nInput d 0 1 d 0=4\n", None)).unwrap();
    let list = edits(&model, "opset 3; set 0 0 5; remove 0 0");
    assert_eq!(list.len(), 3);
    assert_eq!(crate::write(&model, &list[1..2]).unwrap().files.len(), 1);
}
