//! Reads the part of ZIP that `.npz` files use: stored and deflated members of one file.
//!
//! The central directory at the end lists the members. Every number in it is compared with the length of the file
//! before it is used, names are unique, and the directory must fill the space up to its end record: bytes in between
//! unread is how two readers are made to disagree. A member is never unpacked beyond the size it declares, which is
//! compared with what deflate can reach, and its checksum must hold. Names are only compared, never used as paths.

use std::{
    collections::HashSet,
    io::{Read, Seek},
};

use flate2::bufread::DeflateDecoder;

use super::{
    Source,
    data::{Data, within},
};
use crate::error::{Error, quoted};

/// The most members of an archive.
const MAX_MEMBERS: u64 = 65_536;
/// The longest directory, in bytes.
const MAX_DIRECTORY: u64 = 64 << 20;
/// One byte of deflate expands to at most this many.
const MAX_RATIO: u64 = 1032;

const END: usize = 22;
const END_64: u64 = 56;
const LOCATOR_64: u64 = 20;
const ENTRY: usize = 46;
const LOCAL: u64 = 30;

/// A member as the directory describes it.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) flags: u16,
    pub(super) method: u16,
    /// The time and the date, as they are written.
    pub(super) stamp: u32,
    pub(super) crc: u32,
    pub(super) packed: u64,
    pub(super) size: u64,
    /// The attributes that the system of the writer gave it.
    pub(super) attributes: u32,
    local: u64,
    /// Where the directory describes it.
    at: u64,
}

/// Reads little-endian numbers one after the other.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }
    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }
    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }
    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

/// The position of the directory, and the number of its members.
struct Directory {
    at: u64,
    length: u64,
    members: u64,
}

/// Reads the directory.
pub(super) fn members<R: Read + Seek>(source: &mut Source<R>) -> Result<Vec<Member>, Error> {
    let directory = directory(source)?;
    let bytes = source.load(directory.at, directory.length)?;
    let (mut members, mut at) = (Vec::new(), 0);
    let mut names = HashSet::new();
    while at < bytes.len() {
        let here = directory.at + at as u64;
        if members.len() as u64 == directory.members {
            return Err(Error::field(
                "directory",
                here,
                format!("more than the {} members counted", directory.members),
            ));
        }
        let (member, length) = member(&bytes[at..], here)?;
        if !names.insert(member.name.clone()) {
            return Err(Error::field("directory", here, format!("the name '{}' appears twice", quoted(&member.name))));
        }
        members.push(member);
        at += length;
    }
    if (members.len() as u64) < directory.members {
        let text = format!("{} members are counted, and {} are there", directory.members, members.len());
        return Err(Error::field("directory", directory.at, text));
    }
    Ok(members)
}

/// Finds the directory by the record at the end of the file.
fn directory<R: Read + Seek>(source: &mut Source<R>) -> Result<Directory, Error> {
    let tail = source.length().min(END as u64 + u64::from(u16::MAX));
    let start = source.length() - tail;
    let bytes = source.load(start, tail)?;
    // The record ends with a comment of known length, which must end the file.
    let found = (0..bytes.len().saturating_sub(END - 1)).rev().find(|&at| {
        bytes[at..].starts_with(b"PK\x05\x06")
            && usize::from(u16::from_le_bytes([bytes[at + 20], bytes[at + 21]])) == bytes.len() - at - END
    });
    let Some(found) = found else {
        return Err(Error::field("end record", start, "the archive has no end record; it is cut short or no archive"));
    };
    let mut end = start + found as u64;
    let mut fields = Fields(&bytes[found + 4..]);
    let broken = || Error::field("end record", start + found as u64, "the end record is cut short");
    let disks = (fields.u16().ok_or_else(broken)?, fields.u16().ok_or_else(broken)?);
    let members = (fields.u16().ok_or_else(broken)?, fields.u16().ok_or_else(broken)?);
    let (length, at) = (fields.u32().ok_or_else(broken)?, fields.u32().ok_or_else(broken)?);
    let mut answer = Directory { at: at.into(), length: length.into(), members: members.0.into() };
    if at == u32::MAX || length == u32::MAX || members.0 == u16::MAX {
        (answer, end) = directory_64(source, end)?;
    } else if disks != (0, 0) || members.0 != members.1 {
        return Err(Error::field("end record", end, "archives of several parts are not supported"));
    }
    if answer.members > MAX_MEMBERS || answer.length > MAX_DIRECTORY {
        let text = format!("{} members in {} bytes of directory are too many", answer.members, answer.length);
        return Err(Error::field("end record", end, text));
    }
    if answer.at.checked_add(answer.length) != Some(end) {
        let text = format!("the directory of {} bytes at {} does not end at {end}", answer.length, answer.at);
        return Err(Error::field("end record", end, text));
    }
    Ok(answer)
}

/// Reads the end record of large archives, which precedes the other one, at `end`; returns its position.
fn directory_64<R: Read + Seek>(source: &mut Source<R>, end: u64) -> Result<(Directory, u64), Error> {
    let broken = |at| Error::field("end record", at, "the end record of a large archive is broken");
    let at = end.checked_sub(LOCATOR_64).ok_or_else(|| broken(end))?;
    let locator = source.load(at, LOCATOR_64)?;
    if !locator.starts_with(b"PK\x06\x07") {
        return Err(broken(at));
    }
    let record = Fields(&locator[8..]).u64().ok_or_else(|| broken(at))?;
    if record.checked_add(END_64) != Some(at) {
        return Err(broken(at));
    }
    let bytes = source.load(record, END_64)?;
    if !bytes.starts_with(b"PK\x06\x06") {
        return Err(broken(record));
    }
    let mut fields = Fields(&bytes[16..]);
    let mut next = || fields.u64().ok_or_else(|| broken(record));
    let (disks, here, members, length, at) = (next()?, next()?, next()?, next()?, next()?);
    if disks != 0 || here != members {
        return Err(Error::field("end record", record, "archives of several parts are not supported"));
    }
    Ok((Directory { at, length, members }, record))
}

/// Reads one entry of the directory and returns its size in bytes.
fn member(bytes: &[u8], at: u64) -> Result<(Member, usize), Error> {
    let cut = || Error::field("directory", at, "an entry of the directory is cut short");
    if !bytes.starts_with(b"PK\x01\x02") {
        return Err(Error::field("directory", at, "an entry should begin here"));
    }
    let mut fields = Fields(bytes.get(8..ENTRY).ok_or_else(cut)?);
    let (flags, method) = (fields.u16().ok_or_else(cut)?, fields.u16().ok_or_else(cut)?);
    let stamp = fields.u32().ok_or_else(cut)?;
    let (crc, packed, size) =
        (fields.u32().ok_or_else(cut)?, fields.u32().ok_or_else(cut)?, fields.u32().ok_or_else(cut)?);
    let mut lengths = || fields.u16().map(usize::from).ok_or_else(cut);
    let (name, extra, comment, disk) = (lengths()?, lengths()?, lengths()?, lengths()?);
    let mut last = Fields(&bytes[38..]);
    let (attributes, local) = (last.u32().ok_or_else(cut)?, last.u32().ok_or_else(cut)?);
    let rest = bytes.get(ENTRY..ENTRY + name + extra + comment).ok_or_else(cut)?;
    let name_text = std::str::from_utf8(&rest[..name])
        .map_err(|_| Error::field("directory", at + ENTRY as u64, "a name is not UTF-8"))?;
    let mut member = Member {
        name: name_text.to_owned(),
        flags,
        method,
        stamp,
        crc,
        packed: packed.into(),
        size: size.into(),
        attributes,
        local: local.into(),
        at,
    };
    let large = [&mut member.size, &mut member.packed, &mut member.local];
    widen(large, &rest[name..name + extra])
        .ok_or_else(|| Error::field("directory", at, "the sizes of a large member are missing"))?;
    if disk != 0 {
        return Err(Error::field("directory", at, "archives of several parts are not supported"));
    }
    Ok((member, ENTRY + name + extra + comment))
}

/// Replaces the numbers that did not fit into 32 bits by those of the extra field 1.
fn widen(numbers: [&mut u64; 3], extra: &[u8]) -> Option<()> {
    if numbers.iter().all(|number| **number != u64::from(u32::MAX)) {
        return Some(());
    }
    let mut fields = Fields(extra);
    let mut wide = loop {
        let (id, length) = (fields.u16()?, usize::from(fields.u16()?));
        let (body, rest) = fields.0.split_at_checked(length)?;
        if id == 1 {
            break Fields(body);
        }
        fields = Fields(rest);
    };
    for number in numbers {
        if *number == u64::from(u32::MAX) {
            *number = wide.u64()?;
        }
    }
    Some(())
}

/// Unpacks a member, which may take `limit` bytes of memory.
pub(super) fn unpack<R: Read + Seek>(source: &mut Source<R>, member: &Member, limit: u64) -> Result<Data, Error> {
    if member.flags & 1 != 0 {
        return Err(Error::field("directory", member.at, "the member is encrypted"));
    }
    let at = data(source, member)?;
    let data = match member.method {
        0 if member.packed != member.size => {
            return Err(Error::field("directory", member.at, "a stored member has two sizes"));
        }
        0 => source.data(at, member.packed, limit)?,
        8 => {
            within(member.size, limit)?;
            Data::Read(inflate(&source.load(at, member.packed)?, member, at)?)
        }
        other => return Err(unknown_method(member, other)),
    };
    let mut hasher = crc32fast::Hasher::new();
    data.for_each_piece(&mut |piece| hasher.update(piece))?;
    let crc = hasher.finalize();
    if crc != member.crc {
        let text = format!("the checksum is {crc:08x}, and {:08x} was written: the data is damaged", member.crc);
        return Err(Error::field("data", at, text));
    }
    Ok(data)
}

/// Finds the member's data behind its local header, which must agree with the directory.
pub(super) fn data<R: Read + Seek>(source: &mut Source<R>, member: &Member) -> Result<u64, Error> {
    let header = source.load(member.local, LOCAL)?;
    let wrong = |text: &str| Error::field("local header", member.local, text);
    if !header.starts_with(b"PK\x03\x04") {
        return Err(wrong("a member should begin here"));
    }
    let word = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let (name, extra) = (u64::from(word(26)), u64::from(word(28)));
    if source.load(member.local + LOCAL, name)? != member.name.as_bytes() || word(8) != member.method {
        return Err(wrong("the member and the directory disagree about its name or packing"));
    }
    Ok(member.local + LOCAL + name + extra)
}

/// Unpacks the first bytes of a member, at most `most` of them; its checksum is not computed.
pub(super) fn first<R: Read + Seek>(source: &mut Source<R>, member: &Member, most: usize) -> Result<Vec<u8>, Error> {
    let at = data(source, member)?;
    let most = (most as u64).min(member.size);
    match member.method {
        _ if member.flags & 1 != 0 => Err(Error::field("directory", member.at, "the member is encrypted")),
        0 => source.load(at, most.min(member.packed)),
        8 => {
            // Deflate does not always make bytes fewer: a stored block has 5 more, and the codes of a block some hundreds.
            let packed = source.load(at, member.packed.min(most * 2 + MAX_RATIO))?;
            let mut bytes = Vec::new();
            let read = DeflateDecoder::new(packed.as_slice()).take(most).read_to_end(&mut bytes);
            read.map_err(|error| Error::field("data", at, format!("cannot unpack the member: {error}")))?;
            Ok(bytes)
        }
        other => Err(unknown_method(member, other)),
    }
}

fn unknown_method(member: &Member, method: u16) -> Error {
    let text = format!("packing method {method} is not known; stored (0) and deflated (8) are");
    Error::field("directory", member.at, text)
}

fn inflate(packed: &[u8], member: &Member, at: u64) -> Result<Vec<u8>, Error> {
    if member.size > member.packed.saturating_mul(MAX_RATIO).saturating_add(MAX_RATIO) {
        let text = format!("{} bytes cannot unpack to the {} declared", member.packed, member.size);
        return Err(Error::field("directory", member.at, text));
    }
    let mut decoder = DeflateDecoder::new(packed);
    let mut bytes = Vec::new();
    // One byte more than declared is enough to notice; memory grows with what really comes.
    let read = decoder.by_ref().take(member.size.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| Error::field("data", at, format!("cannot unpack the member: {error}")))?;
    if bytes.len() as u64 != member.size || decoder.total_in() != member.packed {
        let text = format!("the member does not unpack to the {} bytes declared", member.size);
        return Err(Error::field("data", at, text));
    }
    Ok(bytes)
}
