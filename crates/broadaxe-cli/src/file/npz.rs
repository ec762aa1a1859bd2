//! NumPy's `.npz`: a ZIP archive whose members are `.npy` files.

use std::io::{Read, Seek};

use super::{Source, Stored, choose, npy, zip};
use crate::error::Error;

/// Reads the member of this name (without `.npy`), or the only one.
pub(super) fn read<R: Read + Seek>(source: &mut Source<R>, key: Option<&str>, limit: u64) -> Result<Stored, Error> {
    let mut members = zip::members(source)?;
    members.retain(|member| member.name.ends_with(".npy"));
    let member = choose(&members, |member| member.name.strip_suffix(".npy").unwrap_or(&member.name), key)?;
    let bytes = zip::unpack(source, member, limit)?;
    // Offsets inside a member count from its start, since its bytes may be packed.
    npy::read_bytes(bytes).map_err(|error| error.inside(&member.name, 0))
}
