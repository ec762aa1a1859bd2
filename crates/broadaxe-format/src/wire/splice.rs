//! Replaces bytes and adjusts the lengths of all messages around them.

use std::{cmp::Reverse, collections::BTreeMap};

use super::{Field, Span};
use crate::{
    edit::{Piece, Splice},
    error::Error,
};

/// Appends a number of variable length.
pub(crate) fn varint(into: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

/// Appends a field that holds a whole number.
pub(crate) fn int(into: &mut Vec<u8>, number: u32, value: i64) {
    varint(into, u64::from(number) << 3);
    varint(into, value.cast_unsigned());
}

/// Appends a field that holds bytes: a text or a message.
pub(crate) fn bytes(into: &mut Vec<u8>, number: u32, value: &[u8]) {
    varint(into, u64::from(number) << 3 | 2);
    varint(into, value.len() as u64);
    into.extend_from_slice(value);
}

/// Returns a field that holds bytes: a text or a message.
pub(crate) fn bytes_field(number: u32, value: &[u8]) -> Vec<u8> {
    let mut field = Vec::with_capacity(value.len() + 12);
    bytes(&mut field, number, value);
    field
}

/// Appends a field that holds a number of four bytes.
pub(crate) fn float(into: &mut Vec<u8>, number: u32, value: f32) {
    varint(into, u64::from(number) << 3 | 5);
    into.extend(value.to_le_bytes());
}

/// Wraps pieces into a field: its tag and the length of all before them.
pub(crate) fn wrap(number: u32, pieces: Vec<Piece>) -> Vec<Piece> {
    let mut head = Vec::new();
    varint(&mut head, u64::from(number) << 3 | 2);
    varint(&mut head, length(&pieces));
    let mut all = vec![Piece::New(head)];
    all.extend(pieces);
    all
}

/// Counts the bytes of pieces.
pub(crate) fn length(pieces: &[Piece]) -> u64 {
    pieces.iter().map(Piece::len).sum()
}

/// A message around a change: the place of its length, and its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Around {
    size_at: u64,
    span: Span,
}

impl Around {
    /// Makes one from a field.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Format`] when the field is a number.
    pub(crate) fn of(field: &Field) -> Result<Self, Error> {
        Ok(Self { size_at: field.size_at, span: field.span()? })
    }

    /// Returns the place of its contents.
    pub(crate) fn span(&self) -> Span {
        self.span
    }
}

/// Changes of a file of `len` bytes, which are made at once.
#[derive(Debug, Default)]
pub(crate) struct Splices {
    /// The old bytes, the number of messages around them, and the new ones.
    list: Vec<(Span, usize, Vec<Piece>)>,
    /// By the first byte of the contents: the message, the one around it, and by how much its contents grow.
    around: BTreeMap<u64, (Around, Option<u64>, i64)>,
}

impl Splices {
    /// Replaces the bytes of a span. `path` names the messages around it, outermost first, without the file itself.
    pub(crate) fn replace(&mut self, path: &[Around], span: Span, with: Vec<Piece>) {
        let mut parent = None;
        for message in path {
            self.around.entry(message.size_at).or_insert((*message, parent, 0));
            parent = Some(message.size_at);
        }
        let delta = length(&with) as i64 - span.len() as i64;
        if let Some((_, _, grown)) = parent.and_then(|key| self.around.get_mut(&key)) {
            *grown += delta;
        }
        self.list.push((span, path.len(), with));
    }

    /// Inserts bytes before a byte.
    pub(crate) fn insert(&mut self, path: &[Around], at: u64, with: Vec<Piece>) {
        self.replace(path, Span { at, end: at }, with);
    }

    /// Returns the pieces of the changed file.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Edit`] when two changes overlap.
    pub(crate) fn pieces(mut self, len: u64) -> Result<Vec<Piece>, Error> {
        // Inner messages have greater addresses, and come first.
        let keys: Vec<u64> = self.around.keys().rev().copied().collect();
        for key in keys {
            let Some(&(message, parent, grown)) = self.around.get(&key) else { continue };
            let mut size = Vec::new();
            varint(&mut size, message.span.len().wrapping_add_signed(grown));
            let old = Span { at: message.size_at, end: message.span.at };
            if grown == 0 {
                continue;
            }
            let delta = grown + size.len() as i64 - old.len() as i64;
            if let Some((_, _, above)) = parent.and_then(|key| self.around.get_mut(&key)) {
                *above += delta;
            }
            self.list.push((old, 0, vec![Piece::New(size)]));
        }
        // An insertion at the end of a message comes before one after the message.
        self.list.sort_by_key(|(_, depth, _)| Reverse(*depth));
        let mut splice = Splice::default();
        self.list.into_iter().for_each(|(span, _, with)| splice.pieces_at(span.at..span.end, with));
        splice.pieces(len)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Message, Reader},
        *,
    };
    use crate::{error::ErrorKind, source::Source};

    static ANY: Message = Message::new("Any", &[]);

    fn assembled(source: &Source, pieces: &[Piece]) -> Vec<u8> {
        let piece = |piece: &Piece| match piece {
            Piece::Kept { at, len } => source.read(*at, *len as usize).unwrap(),
            Piece::New(bytes) => bytes.clone(),
        };
        pieces.iter().flat_map(piece).collect()
    }

    /// Two messages inside each other around a text of `len` bytes, with a field before and after each.
    fn nested(len: usize) -> Vec<u8> {
        let (mut inner, mut outer, mut all) = (vec![0x08, 1], vec![0x08, 2], vec![0x08, 3]);
        bytes(&mut inner, 2, &vec![b'x'; len]);
        inner.extend([0x08, 4]);
        bytes(&mut outer, 3, &inner);
        outer.extend([0x08, 5]);
        bytes(&mut all, 4, &outer);
        all.extend([0x08, 6]);
        all
    }

    #[test]
    fn lengths_follow_through_all_widths() {
        for (old, new) in [(0, 0), (0, 1), (5, 200), (200, 5), (100, 130), (120, 20000), (20000, 3), (16000, 16400)] {
            let source = Source::memory(nested(old), None);
            let reader = Reader::new(&source);
            let find =
                |span, number| reader.fields(span, &ANY).map(Result::unwrap).find(|f| f.number == number).unwrap();
            let outer = Around::of(&find(reader.whole(), 4)).unwrap();
            let inner = Around::of(&find(outer.span(), 3)).unwrap();
            let text = find(inner.span(), 2);
            let mut splices = Splices::default();
            let mut field = Vec::new();
            bytes(&mut field, 2, &vec![b'x'; new]);
            splices.replace(&[outer, inner], Span { at: text.start, end: text.end }, vec![Piece::New(field)]);
            let pieces = splices.pieces(source.len()).unwrap();
            assert!(assembled(&source, &pieces) == nested(new), "{old} to {new}");
        }
    }

    #[test]
    fn ends_that_coincide_keep_their_messages() {
        // 04 { 03 { } } with a field put at the end of the inner message, of the outer one, and of the file.
        let source = Source::memory(vec![0x22, 2, 0x1a, 0], None);
        let reader = Reader::new(&source);
        let first = |span| reader.fields(span, &ANY).next().unwrap().unwrap();
        let outer = Around::of(&first(reader.whole())).unwrap();
        let inner = Around::of(&first(outer.span())).unwrap();
        let mut splices = Splices::default();
        splices.insert(&[], 4, vec![Piece::New(vec![0x08, 1])]);
        splices.insert(&[outer], 4, vec![Piece::New(vec![0x08, 2])]);
        splices.insert(&[outer, inner], 4, vec![Piece::New(vec![0x08, 3])]);
        let pieces = splices.pieces(4).unwrap();
        assert_eq!(assembled(&source, &pieces), [0x22, 6, 0x1a, 2, 0x08, 3, 0x08, 2, 0x08, 1]);
    }

    #[test]
    fn nothing_changed_is_one_piece() {
        assert_eq!(Splices::default().pieces(7).unwrap(), [Piece::Kept { at: 0, len: 7 }]);
        assert_eq!(Splices::default().pieces(0).unwrap(), []);
    }

    #[test]
    fn overlapping_changes_are_rejected() {
        let mut splices = Splices::default();
        splices.replace(&[], Span { at: 0, end: 3 }, vec![]);
        splices.replace(&[], Span { at: 2, end: 4 }, vec![]);
        assert_eq!(splices.pieces(9).unwrap_err().kind(), ErrorKind::Edit);
    }
}
