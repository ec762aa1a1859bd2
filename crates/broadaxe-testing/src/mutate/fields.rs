//! Changes the fields of protocol buffers; the lengths of the messages around a change are corrected.
//!
//! Nothing says whether the bytes of a field are a message, so bytes that can be read as one are one.

use super::{bytes, text};
use crate::random::Random;

/// A field: its key, and what follows.
#[derive(Clone, Debug, PartialEq)]
struct Field {
    key: u64,
    content: Content,
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    Varint(u64),
    /// Four or eight bytes, which are written as they are.
    Plain(Vec<u8>),
    /// Bytes, and the length that is written where it is not theirs.
    Bytes(Vec<u8>, Option<u64>),
    Message(Vec<Field>),
}

/// The deepest messages that are looked into.
const DEPTH: usize = 12;

/// Makes one change; a file that is no message is changed as bytes.
pub(super) fn change(random: &mut Random, base: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let Some(mut fields) = message(base, 0).filter(|fields| !fields.is_empty()) else {
        return bytes::change(random, base, others);
    };
    let other = random.one_of(others);
    let donor = if random.once_in(2) { message(other, 0).unwrap_or_default() } else { fields.clone() };
    let at = random.below(count(&fields));
    change_at(random, &mut fields, at, (&donor, base.len()));
    written(&fields)
}

/// Reads a message, or nothing where the bytes are none.
fn message(mut rest: &[u8], depth: usize) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let key = varint(&mut rest)?;
        let mut plain = |size: usize| {
            let (bytes, behind) = rest.split_at_checked(size)?;
            rest = behind;
            Some(Content::Plain(bytes.to_vec()))
        };
        let content = match key & 7 {
            1 => plain(8)?,
            5 => plain(4)?,
            0 => Content::Varint(varint(&mut rest)?),
            2 => {
                let len = usize::try_from(varint(&mut rest)?).ok()?;
                let (bytes, behind) = rest.split_at_checked(len)?;
                rest = behind;
                let inner = if depth < DEPTH && len > 1 { message(bytes, depth + 1) } else { None };
                inner.map_or_else(|| Content::Bytes(bytes.to_vec(), None), Content::Message)
            }
            _ => return None,
        };
        if key >> 3 == 0 || key >> 3 > 1 << 16 {
            return None;
        }
        fields.push(Field { key, content });
    }
    Some(fields)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, behind) = rest.split_first()?;
        *rest = behind;
        value |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(value);
        }
    }
    None
}

fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    while value > 127 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

fn written(fields: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    for Field { key, content } in fields {
        write_varint(*key, &mut out);
        match content {
            Content::Varint(value) => write_varint(*value, &mut out),
            Content::Plain(bytes) => out.extend(bytes),
            Content::Bytes(bytes, len) => {
                write_varint(len.unwrap_or(bytes.len() as u64), &mut out);
                out.extend(bytes);
            }
            Content::Message(fields) => {
                let bytes = written(fields);
                write_varint(bytes.len() as u64, &mut out);
                out.extend(bytes);
            }
        }
    }
    out
}

/// Counts the fields at all depths.
fn count(fields: &[Field]) -> usize {
    fields.iter().map(|field| 1 + if let Content::Message(inner) = &field.content { count(inner) } else { 0 }).sum()
}

/// Returns a field of any depth by its number.
fn nth(fields: &[Field], mut at: usize) -> Option<&Field> {
    for field in fields {
        if at == 0 {
            return Some(field);
        }
        at -= 1;
        if let Content::Message(inner) = &field.content {
            let within = count(inner);
            if at < within {
                return nth(inner, at);
            }
            at -= within;
        }
    }
    None
}

/// Changes the field of this number, or the list that it is in.
fn change_at(random: &mut Random, fields: &mut Vec<Field>, mut at: usize, from: (&[Field], usize)) {
    for k in 0..fields.len() {
        if at == 0 {
            return change_list(random, fields, k, from);
        }
        at -= 1;
        if let Content::Message(inner) = &mut fields[k].content {
            let within = count(inner);
            if at < within {
                return change_at(random, inner, at, from);
            }
            at -= within;
        }
    }
}

fn change_list(random: &mut Random, fields: &mut Vec<Field>, k: usize, (donor, len): (&[Field], usize)) {
    match random.below(12) {
        0 => drop(fields.remove(k)),
        1 => fields.insert(k, fields[k].clone()),
        2 => {
            let to = random.below(fields.len());
            fields.swap(k, to);
        }
        3 => {
            fields[k].key =
                if random.once_in(2) { fields[k].key ^ 1 << random.below(7) } else { bytes::hostile(random, len) }
        }
        4 if !donor.is_empty() => {
            fields[k].content.clone_from(&nth(donor, random.below(count(donor))).unwrap_or(&donor[0]).content);
        }
        5 if !donor.is_empty() => fields.insert(k, nth(donor, random.below(count(donor))).unwrap_or(&donor[0]).clone()),
        6 => {
            let bytes = content_bytes(&fields[k].content);
            fields[k].content = Content::Bytes(bytes, Some(bytes::hostile(random, len)));
        }
        7 => {
            let mut inner = fields.remove(k);
            for _ in 0..*random.one_of(&[1, 2, 60, 2000]) {
                let key = if inner.key & 7 == 2 { inner.key } else { inner.key & !7 | 2 };
                inner = Field { key, content: Content::Message(vec![inner]) };
            }
            fields.insert(k, inner);
        }
        _ => change_content(random, &mut fields[k].content, len),
    }
}

fn content_bytes(content: &Content) -> Vec<u8> {
    match content {
        Content::Varint(value) => value.to_le_bytes().to_vec(),
        Content::Plain(bytes) | Content::Bytes(bytes, _) => bytes.clone(),
        Content::Message(fields) => written(fields),
    }
}

fn change_content(random: &mut Random, content: &mut Content, len: usize) {
    match content {
        Content::Varint(value) => {
            *value = match random.below(3) {
                0 => value.wrapping_add(*random.one_of(&[u64::MAX, 1, 2])),
                _ => bytes::hostile(random, len),
            };
        }
        Content::Plain(bytes) | Content::Bytes(bytes, None) => {
            *bytes = match random.below(4) {
                0 => random.one_of(text::NAMES).as_bytes().to_vec(),
                1 => Vec::new(),
                2 => text::change(random, bytes, &[vec![0]]),
                _ => bytes::change(random, bytes, &[vec![0]]),
            };
        }
        Content::Bytes(_, len) => *len = None,
        Content::Message(fields) => fields.reverse(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protobuf::Message;

    fn small() -> Vec<u8> {
        let inner = Message::default().int(1, 300).bytes(2, b"name").float(3, 1.5);
        Message::default().bytes(7, &Message::default().bytes(1, &inner.0).0).int(1, 8).0
    }

    #[test]
    fn a_message_is_written_as_it_was_read() {
        let base = small();
        let fields = message(&base, 0).expect("a message");
        assert_eq!(count(&fields), 6);
        assert_eq!(written(&fields), base);
        assert_eq!(nth(&fields, 2).map(|field| &field.content), Some(&Content::Varint(300)));
        assert!(message(b"\xff\xff", 0).is_none() && message(b"\x0a\x05a", 0).is_none());
    }

    #[test]
    fn lengths_of_parents_are_corrected() {
        let (base, mut random) = (small(), Random::new(1));
        let changed: Vec<Vec<u8>> = (0..500).map(|_| change(&mut random, &base, std::slice::from_ref(&base))).collect();
        let whole = changed.iter().filter(|bytes| message(bytes, 0).is_some()).count();
        assert!((300..500).contains(&whole), "{whole} of 500 are messages");
        assert!(changed.iter().any(|bytes| bytes.len() > 2 * 2000), "nothing is nested deep");
        assert!(changed.iter().filter(|bytes| **bytes != base).count() > 400);
    }
}
