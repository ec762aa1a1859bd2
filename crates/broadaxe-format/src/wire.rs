//! Reads protocol buffers without copying them.
//!
//! A message is read field by field through a small window on the source. A field that is skipped, such as the weights of a
//! tensor, costs only its tag and its length. Every field knows its first and last byte, so that a change replaces only
//! these bytes.

pub(crate) mod splice;

use std::cell::RefCell;

pub(crate) use self::splice::Around;

use crate::{
    error::{Error, ErrorKind},
    source::Source,
};

/// The bytes that are read at once.
const WINDOW: u64 = 16 << 10;
/// The limit of a text.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// Describes a kind of message: its name, and which of its fields may occur only once.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) name: &'static str,
    once: u64,
}

impl Message {
    /// Makes a description; a second field of one of these numbers, below 64, is rejected, since readers differ there.
    pub(crate) const fn new(name: &'static str, once: &[u32]) -> Self {
        let (mut mask, mut k) = (0, 0);
        while k < once.len() {
            mask |= 1 << once[k];
            k += 1;
        }
        Self { name, once: mask }
    }
}

/// The place of the contents of a message or a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Span {
    /// The first byte.
    pub(crate) at: u64,
    /// The byte after the last.
    pub(crate) end: u64,
}

impl Span {
    /// Counts the bytes.
    pub(crate) fn len(self) -> u64 {
        self.end - self.at
    }
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    /// A number of variable length.
    Varint(u64),
    /// Eight bytes.
    Fixed64(u64),
    /// Four bytes.
    Fixed32(u32),
    /// A message, a text or a packed list.
    Bytes(Span),
}

/// One field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The number that the schema gives it.
    pub(crate) number: u32,
    /// The first byte of its tag.
    pub(crate) start: u64,
    /// The first byte of its length, or of its number.
    pub(crate) size_at: u64,
    /// The byte after it.
    pub(crate) end: u64,
    /// What it holds.
    pub(crate) payload: Payload,
    /// The message that contains it.
    within: &'static str,
}

impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Field {
    fn wrong(&self, want: &str) -> Error {
        let message = format!("field {} of {} should be {want}", self.number, self.within);
        Error::format(message).at(format_args!("byte {}", self.start))
    }

    /// Returns the bytes of the whole field.
    pub(crate) fn whole(&self) -> Span {
        Span { at: self.start, end: self.end }
    }

    /// Returns the place of the contents.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] when the field is a number.
    pub(crate) fn span(&self) -> Result<Span, Error> {
        match self.payload {
            Payload::Bytes(span) => Ok(span),
            _ => Err(self.wrong("a text or a message")),
        }
    }

    /// Returns the whole number.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] when the field is something else.
    pub(crate) fn int(&self) -> Result<i64, Error> {
        match self.payload {
            Payload::Varint(value) => Ok(value.cast_signed()),
            _ => Err(self.wrong("a whole number")),
        }
    }

    /// Returns the number of four bytes, or of eight.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] when the field is something else.
    pub(crate) fn float(&self) -> Result<f64, Error> {
        match self.payload {
            Payload::Fixed32(bits) => Ok(f32::from_bits(bits).into()),
            Payload::Fixed64(bits) => Ok(f64::from_bits(bits)),
            _ => Err(self.wrong("a floating-point number")),
        }
    }
}

/// Reads messages of a source.
pub(crate) struct Reader<'a> {
    source: &'a Source,
    window: RefCell<Window>,
}

struct Window {
    at: u64,
    bytes: Vec<u8>,
}

impl<'a> Reader<'a> {
    /// Makes a reader.
    pub(crate) fn new(source: &'a Source) -> Self {
        Self { source, window: RefCell::new(Window { at: 0, bytes: Vec::new() }) }
    }

    /// Returns the span of the outermost message, the whole source.
    pub(crate) fn whole(&self) -> Span {
        Span { at: 0, end: self.source.len() }
    }

    /// Reads the fields of a message, and ends after an error.
    pub(crate) fn fields(&self, span: Span, message: &'static Message) -> Fields<'_> {
        Fields { reader: self, span, message, seen: 0 }
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] for more than `most`, and those of [`Source::read`].
    pub(crate) fn bytes(&self, span: Span, most: u64) -> Result<Vec<u8>, Error> {
        if span.len() > most {
            let message = format!("this text has {} bytes; the limit here is {most}", span.len());
            return Err(Error::new(ErrorKind::Limit, message).at(format_args!("byte {}", span.at)));
        }
        self.with(span.at, span.end, span.len(), <[u8]>::to_vec)
    }

    /// Reads a text.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] when it is not UTF-8, [`ErrorKind::Limit`] above one MiB.
    pub(crate) fn text(&self, span: Span) -> Result<String, Error> {
        let wrong =
            |_| Error::format("this text is not UTF-8, which names must be").at(format_args!("byte {}", span.at));
        String::from_utf8(self.bytes(span, MAX_TEXT_BYTES)?).map_err(wrong)
    }

    /// Appends the whole numbers of a repeated field, packed or alone, while there are at most `most`.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] when the field is something else, [`ErrorKind::Limit`] above `most`.
    pub(crate) fn ints(&self, field: &Field, most: usize, into: &mut Vec<u64>) -> Result<(), Error> {
        let mut push = |value| {
            let message = || Error::new(ErrorKind::Limit, format!("the limit here is {most} numbers"));
            if into.len() >= most {
                return Err(message().at(format_args!("byte {}", field.start)));
            }
            into.push(value);
            Ok(())
        };
        match field.payload {
            Payload::Varint(value) => push(value),
            Payload::Bytes(span) => {
                let mut at = span.at;
                while at < span.end {
                    let (value, next) = self.varint(at, span.end)?;
                    push(value)?;
                    at = next;
                }
                Ok(())
            }
            _ => Err(field.wrong("whole numbers")),
        }
    }

    /// Appends the numbers of four or eight bytes of a repeated field, packed (`width` bytes each) or alone.
    ///
    /// # Errors
    /// As [`Reader::ints`].
    pub(crate) fn floats(&self, field: &Field, width: usize, most: usize, into: &mut Vec<f64>) -> Result<(), Error> {
        let Payload::Bytes(span) = field.payload else {
            into.push(field.float()?);
            return Ok(());
        };
        if span.len() % width as u64 != 0 {
            return Err(field.wrong(&format!("numbers of {width} bytes")));
        }
        let bytes = self.bytes(span, most as u64 * width as u64)?;
        into.extend(bytes.chunks_exact(width).map(|chunk| match *chunk {
            [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).into(),
            [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => f64::NAN,
        }));
        Ok(())
    }

    /// Counts the numbers of variable length in a packed list.
    ///
    /// # Errors
    /// Those of [`Source::read`].
    pub(crate) fn count(&self, span: Span) -> Result<u64, Error> {
        let (mut at, mut count) = (span.at, 0);
        while at < span.end {
            let step = (span.end - at).min(WINDOW);
            count += self.with(at, span.end, step, |bytes| bytes.iter().filter(|&&byte| byte < 0x80).count() as u64)?;
            at += step;
        }
        Ok(count)
    }

    /// Calls a function with `len` bytes from `at`, which must end before `end`.
    fn with<R>(&self, at: u64, end: u64, len: u64, f: impl FnOnce(&[u8]) -> R) -> Result<R, Error> {
        let mut window = self.window.borrow_mut();
        let inside = |window: &Window| at >= window.at && at + len <= window.at + window.bytes.len() as u64;
        if !inside(&window) {
            if len > WINDOW {
                return Ok(f(&self.source.read(at, len as usize)?));
            }
            let ahead = WINDOW.min(self.source.len().saturating_sub(at)).max(len.min(end - at));
            window.bytes = self.source.read(at, ahead as usize)?;
            window.at = at;
        }
        let from = (at - window.at) as usize;
        Ok(f(&window.bytes[from..from + len as usize]))
    }

    /// Reads a number of variable length and says where the next byte is.
    fn varint(&self, at: u64, end: u64) -> Result<(u64, u64), Error> {
        let value = self.with(at, end, (end - at).min(10), |bytes| {
            let mut value = 0;
            for (k, &byte) in bytes.iter().enumerate() {
                value |= u64::from(byte & 0x7f) << (7 * k);
                if byte < 0x80 {
                    return Some((value, at + k as u64 + 1));
                }
            }
            None
        })?;
        value.ok_or_else(|| Error::format("a number has no end here; the file is cut or no protobuf").at(place(at)))
    }
}

fn place(at: u64) -> String {
    format!("byte {at}")
}

/// Walks the fields of a message: see [`Reader::fields`].
pub(crate) struct Fields<'a> {
    reader: &'a Reader<'a>,
    span: Span,
    message: &'static Message,
    seen: u64,
}

impl Fields<'_> {
    fn field(&mut self) -> Result<Field, Error> {
        let (start, end, name) = (self.span.at, self.span.end, self.message.name);
        let (tag, at) = self.reader.varint(start, end)?;
        let wrong = |message: String| Error::format(message).at(place(start));
        let number = u32::try_from(tag >> 3).ok().filter(|&number| number > 0 && number < 1 << 29);
        let number = number.ok_or_else(|| wrong(format!("no field of {name} begins here; the file is damaged")))?;
        let cut = |need: u64, from: u64| {
            let left = end.saturating_sub(from);
            wrong(format!(
                "field {number} of {name} needs {need} bytes, but only {left} are left; the file is truncated or damaged"
            ))
        };
        let fixed = |len: u64| {
            let bytes = if end - at < len { Err(cut(len, at)) } else { self.reader.with(at, end, len, <[u8]>::to_vec) };
            bytes.map(|bytes| bytes.iter().rev().fold(0, |bits: u64, &byte| bits << 8 | u64::from(byte)))
        };
        let (payload, next) = match tag & 7 {
            0 => self.reader.varint(at, end).map(|(value, next)| (Payload::Varint(value), next))?,
            1 => (Payload::Fixed64(fixed(8)?), at + 8),
            5 => (Payload::Fixed32(fixed(4)? as u32), at + 4),
            2 => {
                let (len, from) = self.reader.varint(at, end)?;
                let next = from.checked_add(len).filter(|&next| next <= end).ok_or_else(|| cut(len, from))?;
                (Payload::Bytes(Span { at: from, end: next }), next)
            }
            other => {
                return Err(wrong(format!(
                    "wire type {other} of field {number} in {name} is not read; 0, 1, 2 and 5 are"
                )));
            }
        };
        if number < 64 && self.message.once >> number & 1 == 1 {
            if self.seen >> number & 1 == 1 {
                return Err(wrong(format!("field {number} of {name} occurs here a second time; remove one")));
            }
            self.seen |= 1 << number;
        }
        self.span.at = next;
        Ok(Field { number, start, size_at: at, end: next, payload, within: name })
    }
}

impl Iterator for Fields<'_> {
    type Item = Result<Field, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.span.at >= self.span.end {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.span.at = self.span.end;
        }
        Some(field)
    }
}

#[cfg(test)]
mod tables;

#[cfg(test)]
mod tests {
    use super::*;

    static ANY: Message = Message::new("Any", &[3]);

    fn read(bytes: &[u8]) -> Result<Vec<(u32, Payload)>, String> {
        let source = Source::memory(bytes.to_vec(), None);
        let reader = Reader::new(&source);
        let fields: Result<Vec<_>, _> = reader.fields(reader.whole(), &ANY).collect();
        fields.map(|fields| fields.iter().map(|f| (f.number, f.payload)).collect()).map_err(|e| e.to_string())
    }

    #[test]
    fn fields() {
        const fn span(at: u64, end: u64) -> Payload {
            Payload::Bytes(Span { at, end })
        }
        type Case<'a> = (&'a [u8], &'a [(u32, Payload)]);
        let cases: &[Case] = &[
            (&[], &[]),
            (&[0x08, 0x96, 0x01], &[(1, Payload::Varint(150))]),
            (&[0x12, 2, b'h', b'i', 0x12, 0], &[(2, span(2, 4)), (2, span(6, 6))]),
            (&[0x25, 0, 0, 0x80, 0x3f], &[(4, Payload::Fixed32(0x3f80_0000))]),
            (&[0x29, 1, 0, 0, 0, 0, 0, 0, 0x80], &[(5, Payload::Fixed64(0x8000_0000_0000_0001))]),
            (&[0x88, 0x80, 0x00, 0x07], &[(1, Payload::Varint(7))]),
            (&[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1], &[(1, Payload::Varint(u64::MAX))]),
        ];
        for (bytes, want) in cases {
            assert_eq!(read(bytes).as_deref(), Ok(*want), "{bytes:x?}");
        }
    }

    #[test]
    fn rejections() {
        let cases: &[(&[u8], &str)] = &[
            (&[0x08], "byte 1: a number has no end here"),
            (&[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1], "byte 1: a number has no end here"),
            (&[0x00, 0x00], "byte 0: no field of Any begins here"),
            (&[0x12, 3, b'h', b'i'], "byte 0: field 2 of Any needs 3 bytes, but only 2 are left"),
            (
                &[0x12, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
                "byte 0: field 2 of Any needs 18446744073709551615",
            ),
            (&[0x25, 0, 0], "byte 0: field 4 of Any needs 4 bytes"),
            (&[0x0b], "byte 0: wire type 3 of field 1 in Any"),
            (&[0x18, 1, 0x18, 1], "byte 2: field 3 of Any occurs here a second time"),
        ];
        for (bytes, want) in cases {
            let error = read(bytes).unwrap_err();
            assert!(error.starts_with(want), "{bytes:x?}: {error}");
        }
    }

    #[test]
    fn lists_packed_and_alone() {
        let source = Source::memory(vec![0x0a, 3, 1, 0x96, 1, 0x08, 5], None);
        let reader = Reader::new(&source);
        let (mut all, mut counted) = (Vec::new(), 0);
        for field in reader.fields(reader.whole(), &ANY) {
            let field = field.unwrap();
            reader.ints(&field, 3, &mut all).unwrap();
            assert_eq!(reader.ints(&field, 0, &mut Vec::new()).unwrap_err().kind(), ErrorKind::Limit);
            counted += field.span().map_or(1, |span| reader.count(span).unwrap());
        }
        assert_eq!((all.as_slice(), counted), ([1, 150, 5].as_slice(), 3));
    }

    #[test]
    fn a_skipped_field_is_not_read() {
        // Two fields around 40 windows of bytes: what is read is what the window holds.
        let mut bytes = vec![0x08, 1, 0x12];
        splice::varint(&mut bytes, 40 * WINDOW);
        bytes.resize(bytes.len() + 40 * WINDOW as usize, 0xff);
        bytes.extend([0x08, 2]);
        let numbers = read(&bytes).unwrap();
        assert_eq!(numbers.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 2, 1]);
    }
}
