//! Changes ZIP archives: the members, whose checksums and sizes are corrected, and the fields about them.

use std::io::{Read, Write};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};

use super::{arrays, bytes, text};
use crate::random::Random;

/// The offsets of the fields of two and of four bytes in a local header, in an entry of the directory and in the record at the end.
const LOCAL: (&[u8], &[usize], &[usize]) = (b"PK\x03\x04", &[4, 6, 8, 26, 28], &[14, 18, 22]);
const ENTRY: (&[u8], &[usize], &[usize]) = (b"PK\x01\x02", &[6, 8, 10, 28, 30, 32, 34], &[16, 20, 24, 42]);
const END: (&[u8], &[usize], &[usize]) = (b"PK\x05\x06", &[4, 6, 8, 10, 20], &[12, 16]);

/// The largest archives, and members of them, that are made much larger.
const SMALL_BYTES: usize = 1 << 14;

/// A member of an archive.
#[derive(Clone, Debug, PartialEq)]
struct Member {
    name: Vec<u8>,
    deflated: bool,
    content: Vec<u8>,
}

/// Writes archives of stored and deflated arrays.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let arrays = arrays::npy_seeds();
    let member = |(k, content): (usize, &Vec<u8>)| Member {
        name: format!("{}.npy", char::from(b'a' + k as u8)).into_bytes(),
        deflated: k % 2 == 1,
        content: content.clone(),
    };
    let archive = |arrays: &[Vec<u8>]| written(&arrays.iter().enumerate().map(member).collect::<Vec<_>>());
    let mut found: Vec<Vec<u8>> =
        (1..4).flat_map(|count| arrays.chunks(count).map(&archive).collect::<Vec<_>>()).collect();
    found.push(archive(&[]));
    found
}

/// Makes one change; a file that is no archive is changed as bytes.
pub(super) fn change(random: &mut Random, base: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let Some(mut members) = members(base).filter(|members| !members.is_empty()) else {
        return bytes::change(random, base, others);
    };
    let k = random.below(members.len());
    let is_small = base.len() < SMALL_BYTES && members.iter().all(|member| member.content.len() < SMALL_BYTES);
    match random.below(10) {
        0..=3 => {
            let content = arrays::change_npy(random, &members[k].content, &[vec![0; 8]]);
            members[k].content = content;
        }
        4 => members[k].deflated ^= true,
        5 => members[k].name = [random.one_of(text::NAMES).as_bytes(), b".npy"].concat(),
        6 => match random.below(3) {
            0 => drop(members.remove(k)),
            1 => members.push(members[k].clone()),
            _ if is_small => members.extend(std::iter::repeat_n(members[k].clone(), 300)),
            _ => members.reverse(),
        },
        // Bytes that deflate well: much more comes out than goes in.
        7 if is_small => members[k].content.extend(std::iter::repeat_n(0, 1 << *random.one_of(&[10, 16, 20, 22]))),
        _ => return field(random, base),
    }
    written(&members)
}

/// Changes a field of two or four bytes.
fn field(random: &mut Random, base: &[u8]) -> Vec<u8> {
    let mut changed = base.to_vec();
    let (magic, shorts, longs) = *random.one_of(&[LOCAL, ENTRY, ENTRY, END]);
    let places: Vec<usize> = (0..base.len()).filter(|&at| base[at..].starts_with(magic)).collect();
    let number = bytes::hostile(random, base.len()).to_le_bytes();
    let (offset, size) = if random.once_in(2) { (*random.one_of(shorts), 2) } else { (*random.one_of(longs), 4) };
    let at = if places.is_empty() { 0 } else { *random.one_of(&places) } + offset;
    if let Some(field) = changed.get_mut(at..at + size) {
        field.copy_from_slice(&number[..size]);
    }
    changed
}

/// Reads the members, or nothing where the archive is not as [`written`] or NumPy writes it.
fn members(base: &[u8]) -> Option<Vec<Member>> {
    let short = |at: usize| Some(usize::from(u16::from_le_bytes(*base.get(at..)?.first_chunk()?)));
    let long = |at: usize| Some(u32::from_le_bytes(*base.get(at..)?.first_chunk()?) as usize);
    let end = base.windows(4).rposition(|window| window == END.0)?;
    let (mut at, mut found) = (long(end + 16)?, Vec::new());
    while base.get(at..at + 4)? == ENTRY.0 {
        let (method, packed, local) = (short(at + 10)?, long(at + 20)?, long(at + 42)?);
        let name = base.get(at + 46..at + 46 + short(at + 28)?)?.to_vec();
        let data = local + 30 + short(local + 26)? + short(local + 28)?;
        let data = base.get(data..data.checked_add(packed)?)?;
        let mut content = Vec::new();
        match method {
            0 => content.extend(data),
            8 => _ = DeflateDecoder::new(data).take(1 << 23).read_to_end(&mut content).ok()?,
            _ => return None,
        }
        found.push(Member { name, deflated: method == 8, content });
        at += 46 + short(at + 28)? + short(at + 30)? + short(at + 32)?;
    }
    Some(found)
}

/// Writes an archive.
fn written(members: &[Member]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for Member { name, deflated, content } in members {
        let packed = if *deflated {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
            // A list in memory can always be written.
            _ = encoder.write_all(content);
            encoder.finish().unwrap_or_default()
        } else {
            content.clone()
        };
        let mut common: Vec<u8> =
            [20_u16, 0, if *deflated { 8 } else { 0 }, 0, 33].iter().flat_map(|n| n.to_le_bytes()).collect();
        let numbers = [crc32fast::hash(content), packed.len() as u32, content.len() as u32];
        common.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
        common.extend((name.len() as u16).to_le_bytes());
        let local = out.len() as u32;
        out.extend([LOCAL.0, &common, &[0; 2], name, &packed].concat());
        directory.extend([ENTRY.0, &[20, 0], &common, &[0; 12], &local.to_le_bytes(), name].concat());
    }
    let (count, start) = ((members.len() as u16).to_le_bytes(), (out.len() as u32).to_le_bytes());
    let size = (directory.len() as u32).to_le_bytes();
    out.extend([&directory, END.0, &[0; 4], &count, &count, &size, &start, &[0; 2]].concat());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Vec<Member> {
        let content = arrays::npy(1, "<f4", false, "(2,)", &[0; 8]);
        let member = |name: &str, deflated| Member { name: name.into(), deflated, content: content.clone() };
        vec![member("a.npy", false), member("b.npy", true)]
    }

    #[test]
    fn an_archive_is_read_as_it_was_written() {
        assert_eq!(members(&written(&small())), Some(small()));
        assert_eq!(members(b"PK\x05\x06"), None);
    }

    #[test]
    fn members_are_changed_inside_and_fields_outside() {
        let (base, mut random) = (written(&small()), Random::new(4));
        let changed: Vec<Vec<u8>> = (0..500).map(|_| change(&mut random, &base, &[vec![0]])).collect();
        let sound = changed.iter().filter_map(|bytes| members(bytes));
        let inside = sound.filter(|list| list.len() == 2 && list[0].content != small()[0].content).count();
        let same_size = changed.iter().filter(|bytes| bytes.len() == base.len() && **bytes != base).count();
        assert!(inside > 50 && same_size > 50, "{inside} {same_size}");
        assert!(changed.iter().any(|bytes| members(bytes).is_some_and(|list| list.len() == 302)));
    }
}
