//! Writes the part of ZIP that `.npz` files use, and keeps members of an archive.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

use super::{
    super::{Source, npz, open, zip},
    COPY_BYTES,
};
use crate::error::{Error, ErrorKind};

/// From this size on, and with some room for headers, a number is written with 64 bits.
const LARGE: u64 = u32::MAX as u64 - 4096;

/// Describes a member.
pub(super) struct Record {
    name: String,
    flags: u16,
    method: u16,
    stamp: u32,
    crc: u32,
    packed: u64,
    size: u64,
    attributes: u32,
}

impl Record {
    /// Describes a member that is not packed: the name is UTF-8, and the date is 1980-01-01.
    pub(super) fn stored(name: String, size: u64, crc: u32) -> Self {
        Self { name, flags: 0x0800, method: 0, stamp: 0x0021_0000, crc, packed: size, size, attributes: 0 }
    }

    /// Describes a member that is copied. Its sizes are written before it, and not behind it (bit 3).
    fn copied(member: &zip::Member) -> Self {
        let zip::Member { name, flags, method, stamp, crc, packed, size, attributes, .. } = member;
        let (name, flags, method, stamp) = (name.clone(), flags & !8, *method, *stamp);
        Self { name, flags, method, stamp, crc: *crc, packed: *packed, size: *size, attributes: *attributes }
    }

    /// Writes what the local header and the directory have in common; `extra` is the length of the field of large numbers.
    fn facts(&self, version: u16, extra: usize) -> Vec<u8> {
        let is_large = self.is_large();
        let narrow = |size: u64| if is_large { u32::MAX } else { size as u32 }.to_le_bytes();
        let mut facts = version.to_le_bytes().to_vec();
        facts.extend(self.flags.to_le_bytes());
        facts.extend(self.method.to_le_bytes());
        facts.extend(self.stamp.to_le_bytes());
        facts.extend(self.crc.to_le_bytes());
        facts.extend(narrow(self.packed));
        facts.extend(narrow(self.size));
        facts.extend((self.name.len() as u16).to_le_bytes());
        facts.extend((extra as u16).to_le_bytes());
        facts
    }

    fn is_large(&self) -> bool {
        self.packed.max(self.size) >= LARGE
    }

    /// Writes the field of large numbers: the sizes, and in the directory the position.
    fn extra(&self, at: Option<u64>) -> Vec<u8> {
        let sizes = if self.is_large() { vec![self.size, self.packed] } else { Vec::new() };
        let numbers: Vec<u64> = sizes.into_iter().chain(at.filter(|&at| at >= LARGE)).collect();
        if numbers.is_empty() {
            return Vec::new();
        }
        let mut extra = 1_u16.to_le_bytes().to_vec();
        extra.extend((numbers.len() as u16 * 8).to_le_bytes());
        extra.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
        extra
    }

    fn local_header(&self) -> Vec<u8> {
        let extra = self.extra(None);
        let facts = self.facts(if extra.is_empty() { 20 } else { 45 }, extra.len());
        [b"PK\x03\x04", &facts[..], self.name.as_bytes(), &extra].concat()
    }

    /// Writes the entry of the directory for a member whose local header is at `at`.
    fn entry(&self, at: u64) -> Vec<u8> {
        let extra = self.extra(Some(at));
        let version: u16 = if extra.is_empty() { 20 } else { 45 };
        let mut entry = [b"PK\x01\x02", &version.to_le_bytes()[..], &self.facts(version, extra.len())].concat();
        // No comment, the first disk, no attributes of the format.
        entry.extend([0; 6]);
        entry.extend(self.attributes.to_le_bytes());
        entry.extend(if at >= LARGE { u32::MAX } else { at as u32 }.to_le_bytes());
        entry.extend(self.name.as_bytes());
        entry.extend(extra);
        entry
    }
}

/// An archive that is being written.
pub(super) struct Archive<'a, W> {
    out: &'a mut W,
    at: u64,
    directory: Vec<u8>,
    members: u64,
}

impl<'a, W: Write> Archive<'a, W> {
    pub(super) fn new(out: &'a mut W) -> Self {
        Self { out, at: 0, directory: Vec::new(), members: 0 }
    }

    /// Adds a member, whose contents have the packed size that the record says.
    ///
    /// # Errors
    /// What the writer answers.
    pub(super) fn member(
        &mut self,
        record: &Record,
        contents: impl FnOnce(&mut W) -> io::Result<()>,
    ) -> io::Result<()> {
        self.directory.extend(record.entry(self.at));
        let header = record.local_header();
        self.out.write_all(&header)?;
        contents(self.out)?;
        self.at += header.len() as u64 + record.packed;
        self.members += 1;
        Ok(())
    }

    /// Writes the directory.
    ///
    /// # Errors
    /// What the writer answers.
    pub(super) fn end(self) -> io::Result<()> {
        self.out.write_all(&self.directory)?;
        self.out.write_all(&end_records(self.at, self.directory.len() as u64, self.members))
    }
}

/// Returns the records that end an archive, whose directory of `length` bytes begins at `at`.
fn end_records(at: u64, length: u64, members: u64) -> Vec<u8> {
    let is_large = at.max(length) >= LARGE || members >= u64::from(u16::MAX);
    let mut end = Vec::new();
    if is_large {
        end.extend(b"PK\x06\x06");
        end.extend(44_u64.to_le_bytes());
        end.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        end.extend([members, members, length, at].into_iter().flat_map(u64::to_le_bytes));
        end.extend(b"PK\x06\x07\0\0\0\0");
        end.extend((at + length).to_le_bytes());
        end.extend(1_u32.to_le_bytes());
    }
    let members = u16::try_from(members).unwrap_or(u16::MAX).to_le_bytes();
    end.extend(b"PK\x05\x06\0\0\0\0");
    end.extend([members, members].concat());
    end.extend((if is_large { u32::MAX } else { length as u32 }).to_le_bytes());
    end.extend((if is_large { u32::MAX } else { at as u32 }).to_le_bytes());
    end.extend([0, 0]);
    end
}

/// The members of an archive that a new one keeps.
#[derive(Debug)]
pub(super) struct KeptMembers {
    source: Source<File>,
    members: Vec<zip::Member>,
}

impl KeptMembers {
    /// Opens an archive and finds the members other than the array `key`.
    ///
    /// # Errors
    /// When the file is not an archive whose members can be copied.
    pub(super) fn open(path: &Path, key: &str) -> Result<Self, Error> {
        let mut source = open(path)?;
        let mut members = zip::members(&mut source)?;
        members.retain(|member| npz::array_name(&member.name) != Some(key));
        if members.iter().any(|member| member.flags & 1 != 0) {
            return Err(Error::new(ErrorKind::File, "a member is encrypted"));
        }
        let all = members.iter().try_fold(0_u64, |sum, member| sum.checked_add(member.packed));
        if all.is_none_or(|all| all > source.length()) {
            return Err(Error::new(ErrorKind::File, "members overlap"));
        }
        Ok(Self { source, members })
    }

    /// Lists the members: arrays by their names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| npz::array_name(&member.name).unwrap_or(&member.name))
    }

    /// Copies the members.
    ///
    /// # Errors
    /// When they cannot be read or written.
    pub(super) fn copy<W: Write>(&mut self, archive: &mut Archive<'_, W>) -> io::Result<()> {
        let failed = |error: Error| io::Error::other(error.to_string());
        for member in &self.members {
            let start = zip::data(&mut self.source, member).map_err(failed)?;
            archive.member(&Record::copied(member), |out| self.source.copy(start, member.packed, COPY_BYTES, out))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::{LARGE, Record, end_records};
    use crate::file::{Source, zip};

    /// Large numbers are written without as many bytes: a record that claims them is read back by itself.
    #[test]
    fn large_members_are_described() {
        for (size, at) in [(10, 0), (LARGE - 1, LARGE - 1), (LARGE, 7), (1 << 40, 1 << 41), (3, 1 << 33)] {
            let record = Record { attributes: 0o644 << 16, ..Record::stored("a.npy".into(), size, 0x1234) };
            let entry = record.entry(at);
            let bytes = [&entry[..], &end_records(0, entry.len() as u64, 1)].concat();
            let members = zip::members(&mut Source::new(Cursor::new(&bytes), bytes.len() as u64)).unwrap();
            let facts = (members[0].name.as_str(), members[0].size, members[0].packed, members[0].attributes);
            assert_eq!(facts, ("a.npy", size, size, 0o644 << 16), "{size} at {at}");
        }
    }

    #[test]
    fn many_members_are_counted() {
        let record = Record::stored("00000.npy".into(), 0, 0);
        for count in [0_usize, 1, 65_534, 65_535, 65_536] {
            let numbered = |k: usize| Record { name: format!("{k}.npy"), ..Record::stored(String::new(), 0, 0) };
            let directory: Vec<u8> = (0..count).flat_map(|k| numbered(k).entry(0)).collect();
            let bytes = [&directory[..], &end_records(0, directory.len() as u64, count as u64)].concat();
            let members = zip::members(&mut Source::new(Cursor::new(&bytes), bytes.len() as u64)).unwrap();
            assert_eq!(members.len(), count);
        }
        assert_eq!(record.local_header().len(), 30 + 9);
    }
}
