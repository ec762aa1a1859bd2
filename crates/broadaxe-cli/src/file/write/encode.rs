//! Encodes arrays in the three formats.

use std::io::{self, Write};

use super::super::{Format, safetensors};
use broadaxe_kernels::DType;

/// A contiguous row-major array in native byte order.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a> {
    /// The dtype.
    pub dtype: DType,
    /// The shape.
    pub shape: &'a [usize],
    /// The elements.
    pub bytes: &'a [u8],
}

/// How much is written at once.
const BLOCK: usize = 8 << 20;

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
            let header = npy_header(array.dtype, array.shape);
            let mut crc = crc32fast::Hasher::new();
            crc.update(&header);
            crc.update(array.bytes);
            let size = (header.len() + array.bytes.len()) as u64;
            let large = size >= u64::from(u32::MAX) - 4096;
            let (before, after) = archive(&format!("{key}.npy"), size, crc.finalize(), large);
            out.write_all(&before)?;
            out.write_all(&header)?;
            write_blocks(array.bytes, out)?;
            out.write_all(&after)
        }
        Format::Safetensors => {
            out.write_all(&safetensors_header(key, array.dtype, array.shape, array.bytes.len()))?;
            if cfg!(target_endian = "big") {
                let mut bytes = array.bytes.to_vec();
                super::super::swap(&mut bytes, array.dtype.size());
                return write_blocks(&bytes, out);
            }
            write_blocks(array.bytes, out)
        }
    }
}

/// Returns the header of a file whose elements follow it in memory order, up to the end of the file.
pub(super) fn head(format: Format, key: &str, dtype: DType, shape: &[usize], bytes: usize) -> Option<Vec<u8>> {
    match format {
        Format::Npy => Some(npy_header(dtype, shape)),
        Format::Safetensors if cfg!(target_endian = "little") => Some(safetensors_header(key, dtype, shape, bytes)),
        // An archive has the checksum of the elements before them.
        Format::Safetensors | Format::Npz => None,
    }
}

fn write_blocks(bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    bytes.chunks(BLOCK).try_for_each(|block| out.write_all(block))
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

/// Returns the bytes before and after the only member of an archive; `large` asks for 64-bit sizes.
fn archive(name: &str, size: u64, crc: u32, large: bool) -> (Vec<u8>, Vec<u8>) {
    let narrow = if large { u32::MAX } else { size as u32 };
    let version: u16 = if large { 45 } else { 20 };
    // Version, flags (the name is UTF-8), stored, 1980-01-01, checksum, both sizes, length of the name.
    let mut facts = Vec::new();
    facts.extend(version.to_le_bytes());
    facts.extend(0x0800u16.to_le_bytes());
    facts.extend([0, 0, 0, 0, 0x21, 0]);
    facts.extend(crc.to_le_bytes());
    facts.extend(narrow.to_le_bytes());
    facts.extend(narrow.to_le_bytes());
    facts.extend((name.len() as u16).to_le_bytes());
    let mut extra = Vec::new();
    if large {
        extra.extend([1, 0, 16, 0]);
        extra.extend(size.to_le_bytes());
        extra.extend(size.to_le_bytes());
    }
    let length = (extra.len() as u16).to_le_bytes();

    let before = [b"PK\x03\x04", &facts[..], &length, name.as_bytes(), &extra].concat();
    let at = before.len() as u64 + size;
    let mut after = [b"PK\x01\x02", &version.to_le_bytes()[..], &facts, &length].concat();
    // No comment, one file, no attributes, the member at 0.
    after.extend([0; 14]);
    after.extend(name.as_bytes());
    after.extend(&extra);
    let directory = after.len() as u64;
    after.extend(end_records(at, directory, large));
    (before, after)
}

/// Returns the records that end an archive of one member, whose directory begins at `at`.
fn end_records(at: u64, directory: u64, large: bool) -> Vec<u8> {
    let mut end = Vec::new();
    if large {
        end.extend(b"PK\x06\x06");
        end.extend(44u64.to_le_bytes());
        end.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        for number in [1, 1, directory, at] {
            end.extend(number.to_le_bytes());
        }
        end.extend(b"PK\x06\x07\0\0\0\0");
        end.extend((at + directory).to_le_bytes());
        end.extend(1u32.to_le_bytes());
    }
    end.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    end.extend((directory as u32).to_le_bytes());
    end.extend((if large { u32::MAX } else { at as u32 }).to_le_bytes());
    end.extend([0, 0]);
    end
}

/// Writes the length and the JSON header, padded so that the elements begin at a multiple of 8.
fn safetensors_header(key: &str, dtype: DType, shape: &[usize], bytes: usize) -> Vec<u8> {
    let name = safetensors::NAMES.iter().find(|(_, known)| *known == dtype).map_or("", |(name, _)| name);
    let entry = serde_json::json!({ key: { "dtype": name, "shape": shape, "data_offsets": [0, bytes] } });
    let mut text = entry.to_string();
    text.push_str(&" ".repeat(text.len().next_multiple_of(8) - text.len()));
    let mut header = (text.len() as u64).to_le_bytes().to_vec();
    header.extend(text.as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::archive;
    use crate::file::{Source, zip};

    #[test]
    fn archives_of_both_sizes_are_read() {
        for large in [false, true] {
            let data = b"0123456789";
            let (before, after) = archive("a", 10, crc32fast::hash(data), large);
            let bytes = [&before[..], data, &after].concat();
            let mut source = Source::new(Cursor::new(&bytes), bytes.len() as u64);
            let members = zip::members(&mut source).unwrap();
            assert_eq!(members.len(), 1);
            let unpacked = zip::unpack(&mut source, &members[0], 100).unwrap();
            assert_eq!(unpacked.into_bytes(100).unwrap(), data, "large: {large}");
        }
    }
}
