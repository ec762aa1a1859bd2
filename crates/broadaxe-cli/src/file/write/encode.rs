//! Encodes arrays in the three formats.

use std::io::{self, Write};

use broadaxe_kernels::DType;

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

/// Writes NumPy's header, of version 1.0, padded so that the elements begin at a multiple of 64.
fn npy_header(dtype: DType, shape: &[usize]) -> Vec<u8> {
    let code = match dtype {
        DType::Bool => "b1",
        DType::I8 => "i1",
        DType::I16 => "i2",
        DType::I32 => "i4",
        DType::I64 => "i8",
        DType::U8 => "u1",
        DType::U16 => "u2",
        DType::U32 => "u4",
        DType::U64 => "u8",
        DType::F16 => "f2",
        // What NumPy writes for the type of ml_dtypes.
        DType::BF16 => "V2",
        DType::F32 => "f4",
        DType::F64 => "f8",
    };
    let order = match (dtype.size(), cfg!(target_endian = "big")) {
        (1, _) => '|',
        (_, false) => '<',
        (_, true) => '>',
    };
    let shape = broadaxe_shape::Shape::from(shape);
    let mut text = format!("{{'descr': '{order}{code}', 'fortran_order': False, 'shape': {shape}, }}");
    let padding = (10 + text.len() + 1).next_multiple_of(64) - (10 + text.len() + 1);
    text.push_str(&" ".repeat(padding));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    // At most 64 dims of 20 digits: far below the 65535 that version 1.0 can count.
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}
