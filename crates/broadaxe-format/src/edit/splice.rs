//! Replaces spans of a file and keeps all other bytes.

use std::ops::Range;

use super::{Piece, rejected};
use crate::error::Error;

/// Spans of a file and their new contents, in any order.
#[derive(Debug, Default)]
pub(crate) struct Splice {
    list: Vec<(Range<u64>, Vec<Piece>)>,
}

impl Splice {
    /// Replaces a span of a text.
    pub(crate) fn text(&mut self, span: Range<usize>, with: impl Into<String>) {
        self.pieces_at(span.start as u64..span.end as u64, vec![Piece::New(with.into().into_bytes())]);
    }

    /// Inserts a text at a byte.
    pub(crate) fn insert(&mut self, at: usize, with: impl Into<String>) {
        self.text(at..at, with);
    }

    /// Removes a span of a text.
    pub(crate) fn remove(&mut self, span: Range<usize>) {
        self.text(span, "");
    }

    /// Replaces a span.
    pub(crate) fn pieces_at(&mut self, span: Range<u64>, with: Vec<Piece>) {
        self.list.push((span, with));
    }

    /// Returns the pieces of the changed file, whose old version has `len` bytes. Insertions at one byte stay in their order.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Edit`] when two spans overlap.
    pub(crate) fn pieces(mut self, len: u64) -> Result<Vec<Piece>, Error> {
        self.list.sort_by_key(|(span, _)| (span.start, span.end));
        let (mut pieces, mut at) = (Vec::new(), 0);
        for (span, with) in self.list {
            if span.start < at {
                return Err(rejected(format!("two changes meet at byte {}; make one after the other", span.start)));
            }
            pieces.extend((at < span.start).then(|| Piece::Kept { at, len: span.start - at }));
            pieces.extend(with.into_iter().filter(|piece| !piece.is_empty()));
            at = span.end;
        }
        pieces.extend((at < len).then(|| Piece::Kept { at, len: len - at }));
        Ok(pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies changes to a text: the span and the new words of each.
    fn spliced(text: &str, changes: &[(Range<usize>, &str)]) -> Result<String, Error> {
        let mut splice = Splice::default();
        for (span, with) in changes {
            splice.text(span.clone(), *with);
        }
        let piece = |piece| match piece {
            Piece::Kept { at, len } => text[at as usize..(at + len) as usize].to_owned(),
            Piece::New(bytes) => String::from_utf8(bytes).unwrap(),
        };
        Ok(splice.pieces(text.len() as u64)?.into_iter().map(piece).collect())
    }

    #[test]
    fn spans_are_replaced() {
        type Changes<'a> = &'a [(Range<usize>, &'a str)];
        let cases: &[(Changes<'_>, &str)] = &[
            (&[], "abcdef"),
            (&[(0..1, "X")], "Xbcdef"),
            (&[(5..6, "X"), (0..2, "YY")], "YYcdeX"),
            (&[(2..4, "")], "abef"),
            (&[(3..3, "1"), (3..3, "2")], "abc12def"),
            (&[(3..5, "X"), (3..3, "1"), (5..5, "2")], "abc1X2f"),
            (&[(0..6, "")], ""),
            (&[(6..6, "g")], "abcdefg"),
        ];
        for (changes, want) in cases {
            assert_eq!(spliced("abcdef", changes).unwrap(), *want, "{changes:?}");
        }
        let error = spliced("abcdef", &[(0..3, "X"), (2..4, "Y")]).unwrap_err();
        assert_eq!(error.to_string(), "two changes meet at byte 2; make one after the other");
    }
}
