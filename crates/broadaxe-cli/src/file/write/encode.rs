//! Encodes arrays in the three formats.

use std::io::{self, Write};

use broadaxe_kernels::DType;
use broadaxe_session::npy::npy_header;

use super::{
    super::Format,
    archive::{Archive, Record},
    plain::{Plain, write_blocks},
    tensors,
};

/// Writes the array in this format; `key` is its name where the format has names.
///
/// # Errors
/// What the writer answers.
pub fn encode(format: Format, key: &str, array: &Plain<'_>, out: &mut impl Write) -> io::Result<()> {
    match format {
        Format::Npy => {
            out.write_all(&npy_header(array.dtype, array.shape))?;
            write_blocks(array.bytes, out)
        }
        Format::Npz => {
            let mut archive = Archive::new(out);
            member(&mut archive, key, array)?;
            archive.end()
        }
        Format::Safetensors => {
            out.write_all(&tensors::header(key, array.dtype, array.shape, array.bytes.len()))?;
            tensors::write_elements(array, out)
        }
    }
}

/// Adds an array to an archive.
pub(super) fn member<W: Write>(archive: &mut Archive<'_, W>, key: &str, array: &Plain<'_>) -> io::Result<()> {
    let header = npy_header(array.dtype, array.shape);
    let mut crc = crc32fast::Hasher::new();
    crc.update(&header);
    crc.update(array.bytes);
    let record = Record::stored(format!("{key}.npy"), (header.len() + array.bytes.len()) as u64, crc.finalize());
    archive.member(&record, |out| {
        out.write_all(&header)?;
        write_blocks(array.bytes, out)
    })
}

/// Returns the header of a file whose elements follow it in memory order, up to the end of the file.
pub(super) fn head(format: Format, key: &str, dtype: DType, shape: &[usize], bytes: usize) -> Option<Vec<u8>> {
    match format {
        Format::Npy => Some(npy_header(dtype, shape)),
        Format::Safetensors if cfg!(target_endian = "little") => Some(tensors::header(key, dtype, shape, bytes)),
        // An archive has the checksum of the elements before them.
        Format::Safetensors | Format::Npz => None,
    }
}
