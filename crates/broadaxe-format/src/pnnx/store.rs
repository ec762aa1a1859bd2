//! Reads the archive of tensors: a zip whose members are stored, not compressed.
//!
//! pnnx writes the members one after another, each after its own header, so the headers are read one after another.

use std::{collections::HashMap, ops::Range};

use crate::{
    error::{Error, ErrorKind},
    source::Source,
};

/// The limit of members.
const MEMBERS: usize = 1 << 20;
/// The bytes of a header without name and extras.
const HEADER: u64 = 30;

/// Finds the bytes of every member by its name.
///
/// # Errors
/// [`ErrorKind::Format`] with the byte, for a member that is compressed, repeated, or longer than the file.
pub(super) fn members(file: &Source) -> Result<HashMap<String, Range<u64>>, Error> {
    let (mut members, mut at) = (HashMap::new(), 0u64);
    while at + 4 <= file.len() && file.read(at, 4)? == *b"PK\x03\x04" {
        let place = format!("byte {at} of the file of weights");
        let wrong = |message: String| Error::format(message).at(&place);
        if members.len() == MEMBERS {
            return Err(Error::new(ErrorKind::Limit, format!("more than {MEMBERS} tensors")).at(place));
        }
        let header = file.read(at, HEADER as usize).map_err(|error| error.at(&place))?;
        let short = |from: usize| u16::from_le_bytes([header[from], header[from + 1]]);
        let (flags, method, name, extra) = (short(6), short(8), usize::from(short(26)), usize::from(short(28)));
        let tail = file.read(at + HEADER, name + extra).map_err(|error| error.at(&place))?;
        let size = u32::from_le_bytes([header[18], header[19], header[20], header[21]]);
        let size = if size == u32::MAX { wide(&tail[name..]) } else { Some(u64::from(size)) };
        let name = String::from_utf8_lossy(&tail[..name]).into_owned();
        if method != 0 || flags & 0b1001 != 0 {
            return Err(wrong(format!("{name} is compressed or encrypted; pnnx stores tensors as they are")));
        }
        let start = at + HEADER + tail.len() as u64;
        let end = size.and_then(|size| start.checked_add(size)).filter(|&end| end <= file.len());
        let end =
            end.ok_or_else(|| wrong(format!("{name} is longer than the file, which has {} bytes", file.len())))?;
        if members.insert(name.clone(), start..end).is_some() {
            return Err(wrong(format!("{name} occurs twice")));
        }
        at = end;
    }
    Ok(members)
}

/// Reads the size from the extra fields of a large archive.
fn wide(mut extras: &[u8]) -> Option<u64> {
    loop {
        let (head, rest) = extras.split_at_checked(4)?;
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        // The size of the file, then the size in the archive.
        if head[..2] == [1, 0] && length >= 16 {
            return Some(u64::from_le_bytes(rest.get(8..16)?.try_into().ok()?));
        }
        extras = rest.get(length..)?;
    }
}
