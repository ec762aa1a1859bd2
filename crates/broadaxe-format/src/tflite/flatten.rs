//! Writes tables in front of a FlatBuffer that follows untouched.
//!
//! An offset only points forward, so every table is written before what it points to: first the root, then its fields, and what
//! stays as it was in the old buffer behind.

use std::collections::VecDeque;

/// The bytes to which the front is filled up, since the data of tensors is aligned to them.
const FRONT_ALIGNMENT: usize = 16;

/// What a field, or an entry of a vector, holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FlatValue {
    /// The bytes of a number, aligned to their count.
    Number(Vec<u8>),
    /// A table or a vector that is at this byte of the old buffer.
    Old(u64),
    /// A number of eight bytes that counts bytes from the beginning of the file, and so grows by the length of the front.
    Moved(u64),
    /// A table: its fields by number, ascending.
    Table(Vec<(usize, FlatValue)>),
    /// A vector of offsets.
    Offsets(Vec<FlatValue>),
    /// A vector of numbers: the bytes of one, and the bytes of all.
    Numbers(usize, Vec<u8>),
    /// The data of a tensor.
    Data(Vec<u8>),
    /// A text.
    Text(String),
}

impl FlatValue {
    /// Makes a number of one byte.
    pub(super) fn byte(value: u8) -> Self {
        Self::Number(vec![value])
    }

    /// Makes an index: an unsigned number of four bytes.
    pub(super) fn index(value: usize) -> Self {
        Self::Number((value as u32).to_le_bytes().to_vec())
    }

    /// Makes a whole number of four bytes.
    pub(super) fn int(value: i32) -> Self {
        Self::Number(value.to_le_bytes().to_vec())
    }

    /// Makes a vector of whole numbers of four bytes.
    pub(super) fn ints(values: impl IntoIterator<Item = i32>) -> Self {
        Self::Numbers(4, values.into_iter().flat_map(i32::to_le_bytes).collect())
    }
}

/// Where an offset is written, and where it leads.
enum Waiting {
    New(usize, FlatValue),
    Old(usize, u64),
}

struct FrontWriter {
    bytes: Vec<u8>,
    waiting: VecDeque<Waiting>,
    old: Vec<(usize, u64)>,
    moved: Vec<(usize, u64)>,
}

/// Writes a buffer with this root, as the front of an old buffer; nothing where an offset would be too large.
pub(super) fn front(root: FlatValue, identifier: &[u8]) -> Option<Vec<u8>> {
    let mut writer = FrontWriter { bytes: vec![0; 4], waiting: VecDeque::new(), old: Vec::new(), moved: Vec::new() };
    writer.bytes.extend_from_slice(identifier);
    writer.later(0, root);
    while let Some(next) = writer.waiting.pop_front() {
        match next {
            Waiting::New(at, value) => writer.value(at, value)?,
            Waiting::Old(at, old) => writer.old.push((at, old)),
        }
    }
    writer.align(FRONT_ALIGNMENT, 0);
    let len = writer.bytes.len() as u64;
    for (at, old) in std::mem::take(&mut writer.old) {
        let offset = len.checked_add(old)?.checked_sub(at as u64)?;
        writer.bytes[at..at + 4].copy_from_slice(&u32::try_from(offset).ok()?.to_le_bytes());
    }
    for (at, old) in std::mem::take(&mut writer.moved) {
        writer.bytes[at..at + 8].copy_from_slice(&len.checked_add(old)?.to_le_bytes());
    }
    Some(writer.bytes)
}

impl FrontWriter {
    /// Fills up until the byte after `ahead` more is aligned.
    fn align(&mut self, to: usize, ahead: usize) {
        let len = (self.bytes.len() + ahead).next_multiple_of(to) - ahead;
        self.bytes.resize(len, 0);
    }

    /// Notes that the offset at a byte leads to a value.
    fn later(&mut self, at: usize, value: FlatValue) {
        self.waiting.push_back(match value {
            FlatValue::Old(old) => Waiting::Old(at, old),
            value => Waiting::New(at, value),
        });
    }

    /// Writes a value, and the offset at `from` that leads to it.
    fn value(&mut self, from: usize, value: FlatValue) -> Option<()> {
        let at = match value {
            FlatValue::Table(fields) => self.table(fields)?,
            FlatValue::Offsets(entries) => {
                let at = self.length(4, entries.len())?;
                let first = self.bytes.len();
                self.bytes.resize(first + 4 * entries.len(), 0);
                for (k, entry) in entries.into_iter().enumerate() {
                    self.later(first + 4 * k, entry);
                }
                at
            }
            FlatValue::Numbers(width, bytes) => {
                let at = self.length(width, bytes.len() / width.max(1))?;
                self.bytes.extend(bytes);
                at
            }
            FlatValue::Data(bytes) => {
                let at = self.length(FRONT_ALIGNMENT, bytes.len())?;
                self.bytes.extend(bytes);
                at
            }
            FlatValue::Text(text) => {
                let at = self.length(1, text.len())?;
                self.bytes.extend(text.into_bytes());
                self.bytes.push(0);
                at
            }
            FlatValue::Number(_) | FlatValue::Old(_) | FlatValue::Moved(_) => return None,
        };
        let offset = u32::try_from(at - from).ok()?;
        self.bytes[from..from + 4].copy_from_slice(&offset.to_le_bytes());
        Some(())
    }

    /// Writes the length of a vector, and returns where.
    fn length(&mut self, width: usize, count: usize) -> Option<usize> {
        self.align(4, 0);
        self.align(width.max(4), 4);
        let at = self.bytes.len();
        self.bytes.extend(u32::try_from(count).ok()?.to_le_bytes());
        Some(at)
    }

    /// Writes a table behind its list of fields, and returns where the table is.
    fn table(&mut self, fields: Vec<(usize, FlatValue)>) -> Option<usize> {
        let count = fields.last().map_or(0, |(number, _)| number + 1);
        let list = 4 + 2 * count;
        // Numbers of eight bytes are aligned too.
        self.align(8, list);
        let at = self.bytes.len() + list;
        let (mut places, mut end) = (vec![0_usize; count], 4);
        for (number, value) in &fields {
            let width = match value {
                FlatValue::Number(bytes) => bytes.len(),
                FlatValue::Moved(_) => 8,
                _ => 4,
            };
            end = (at + end).next_multiple_of(width.max(1)) - at;
            *places.get_mut(*number)? = end;
            end += width;
        }
        for number in [list, end].iter().chain(&places) {
            self.bytes.extend(u16::try_from(*number).ok()?.to_le_bytes());
        }
        self.bytes.extend(i32::try_from(list).ok()?.to_le_bytes());
        self.bytes.resize(at + end, 0);
        for (number, value) in fields {
            let place = at + places[number];
            match value {
                FlatValue::Number(bytes) => self.bytes[place..place + bytes.len()].copy_from_slice(&bytes),
                FlatValue::Moved(old) => self.moved.push((place, old)),
                value => self.later(place, value),
            }
        }
        Some(at)
    }
}
