//! Reads NumPy's `.npz`: a ZIP archive whose members are `.npy` files.

use std::io::{Read, Seek};

use super::{Entry, Source, Stored, choose, npy, zip};
use crate::error::Error;

/// Reads the member of this name (without `.npy`), or the only one.
pub(super) fn read<R: Read + Seek>(source: &mut Source<R>, key: Option<&str>, limit: u64) -> Result<Stored, Error> {
    let mut members = zip::members(source)?;
    members.retain(|member| array_name(&member.name).is_some());
    let member = choose(&members, |member| array_name(&member.name).unwrap_or_default(), key)?;
    let data = zip::unpack(source, member, limit)?;
    // Offsets inside a member count from its start, since its bytes may be packed.
    npy::read_member(data, limit).map_err(|error| error.inside(&member.name, 0))
}

/// Returns the name of the array in a member; other members are none.
pub(super) fn array_name(member: &str) -> Option<&str> {
    member.strip_suffix(".npy")
}

/// The longest start of a member that most arrays have.
const USUAL_START_BYTES: usize = 4096;

/// Describes the arrays, of each of which only the header is unpacked.
pub(super) fn entries<R: Read + Seek>(source: &mut Source<R>) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    for member in zip::members(source)? {
        let Some(name) = array_name(&member.name) else { continue };
        let mut described = |most: usize| {
            let start = zip::first(source, &member, most)?;
            npy::describe(name, &mut Source::new(std::io::Cursor::new(start), member.size))
        };
        let entry = described(USUAL_START_BYTES).or_else(|_| described(npy::MAX_START_BYTES));
        entries.push(entry.map_err(|error| error.inside(&member.name, 0))?);
    }
    Ok(entries)
}
