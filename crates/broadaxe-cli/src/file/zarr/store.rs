//! Reads and writes zarr directories with the crate `zarrs`.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use broadaxe_kernels::DType;
use broadaxe_shape::MAX_RANK;
use zarrs::{
    array::{Array, ArrayBuilder, ArrayBytes, DataType, FillValue, data_type},
    filesystem::FilesystemStore,
};

use super::{
    super::{
        Entry, Stored, byte_count,
        data::{Data, within},
        write::{Lock, Plain, uncreated},
    },
    METADATA,
};
use crate::{
    error::{Error, ErrorKind},
    stop,
};

/// The longest metadata, in bytes.
const MAX_METADATA_BYTES: u64 = 1 << 24;
/// The most chunks of an array that is read: each is a file.
const MAX_CHUNKS: u64 = 1 << 22;
/// How large a chunk is written, where the array has more elements.
const CHUNK_BYTES: usize = 16 << 20;

/// What goes wrong in a zarr directory, in the words of the crate.
fn failed(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::File, format!("not a zarr array that can be used: {error}"))
}

fn data_type(dtype: DType) -> DataType {
    match dtype {
        DType::Bool => data_type::bool(),
        DType::I8 => data_type::int8(),
        DType::I16 => data_type::int16(),
        DType::I32 => data_type::int32(),
        DType::I64 => data_type::int64(),
        DType::U8 => data_type::uint8(),
        DType::U16 => data_type::uint16(),
        DType::U32 => data_type::uint32(),
        DType::U64 => data_type::uint64(),
        DType::F16 => data_type::float16(),
        DType::BF16 => data_type::bfloat16(),
        DType::F32 => data_type::float32(),
        DType::F64 => data_type::float64(),
    }
}

/// An array whose elements were not read.
struct Described {
    array: Array<FilesystemStore>,
    dtype: Option<DType>,
    shape: Vec<usize>,
}

fn open(path: &Path) -> Result<Described, Error> {
    for name in METADATA {
        let length = fs::metadata(path.join(name)).map_or(0, |meta| meta.len());
        if length > MAX_METADATA_BYTES {
            return Err(failed(format!("{name} has {length} bytes, and {MAX_METADATA_BYTES} is the most")));
        }
    }
    let store = Arc::new(FilesystemStore::new(path).map_err(failed)?);
    let array = Array::open(store, "/").map_err(failed)?;
    let shape: Option<Vec<usize>> = array.shape().iter().map(|&dim| usize::try_from(dim).ok()).collect();
    let shape = shape
        .filter(|shape| shape.len() <= MAX_RANK)
        .ok_or_else(|| failed(format!("its rank is above {MAX_RANK}, or a dim is too large")))?;
    let dtype = DType::ALL.into_iter().find(|&dtype| data_type(dtype) == *array.data_type());
    Ok(Described { array, dtype, shape })
}

/// Describes the array of a directory; its elements are not read.
///
/// # Errors
/// When the metadata cannot be read.
pub fn describe(path: &Path) -> Result<Entry, Error> {
    let Described { array, dtype, shape } = open(path)?;
    let name = dtype.map_or_else(|| array.data_type().to_string(), |dtype| dtype.name().to_owned());
    let bytes = dtype.and_then(|dtype| byte_count(dtype, &shape)).unwrap_or(0);
    Ok(Entry { name: String::new(), dtype: name, shape, bytes })
}

/// Reads the array of a directory into memory, of which it may use `limit` bytes.
///
/// # Errors
/// When the metadata or a chunk cannot be read, the dtype is not supported, or memory would not suffice.
pub fn read(path: &Path, limit: u64) -> Result<Stored, Error> {
    let Described { array, dtype, shape } = open(path)?;
    let dtype = dtype.ok_or_else(|| failed(format!("the dtype {} is not supported", array.data_type())))?;
    let too_large = || failed("it is too large to address");
    let bytes = byte_count(dtype, &shape).ok_or_else(too_large)?;
    within(bytes, limit)?;
    if bytes == 0 {
        return Ok(Stored { dtype, shape, fortran: false, data: Data::Read(Vec::new()), start: 0 });
    }
    let chunks = array.chunk_grid_shape().iter().try_fold(1_u64, |count, &dim| count.checked_mul(dim));
    if chunks.is_none_or(|chunks| chunks > MAX_CHUNKS) {
        return Err(failed(format!("it has more than {MAX_CHUNKS} chunks")));
    }
    let chunk = array.chunk_shape_usize(&vec![0; shape.len()]).map_err(failed)?;
    within(byte_count(dtype, &chunk).ok_or_else(too_large)?, limit)?;
    let read: ArrayBytes<'_> = array.retrieve_array_subset(&array.subset_all()).map_err(failed)?;
    let held = read.into_fixed().map_err(failed)?.into_owned();
    if held.len() as u64 != bytes {
        return Err(failed(format!("{} bytes were read, and its shape needs {bytes}", held.len())));
    }
    Ok(Stored { dtype, shape, fortran: false, data: Data::Read(held), start: 0 })
}

/// A directory about to be written, under a temporary name until it is complete.
#[derive(Debug)]
pub struct ZarrOutput {
    path: PathBuf,
    temporary: PathBuf,
}

impl ZarrOutput {
    /// Creates the temporary folder next to `path`.
    ///
    /// # Errors
    /// When there is something else of this name, or the folder cannot be written.
    pub fn create(path: &Path) -> Result<Self, Error> {
        // A group has metadata too, and its arrays would be lost.
        if fs::symlink_metadata(path).is_ok() && open(path).is_err() {
            let text = "cannot write the directory: the name belongs to something that is not a zarr array";
            return Err(Error::new(ErrorKind::File, text).of(path));
        }
        let temporary = stop::create_folder_beside(path).map_err(|error| uncreated(path, "folder", &error))?;
        Ok(Self { path: path.to_owned(), temporary })
    }

    /// Writes the array in version 3, in chunks along the first axis that are not compressed, and gives the folder its name.
    ///
    /// # Errors
    /// When anything cannot be written; the previous directory, if there was one, is then as it was.
    pub fn save(self, array: &Plain<'_>) -> Result<(), Error> {
        let store = Arc::new(FilesystemStore::new(&self.temporary).map_err(failed)?);
        let (shape, size) = (array.shape, array.dtype.size());
        let rest: usize = shape.iter().skip(1).product();
        let rows = (CHUNK_BYTES / (rest * size).max(1)).clamp(1, shape.first().copied().unwrap_or(1).max(1));
        let chunk: Vec<u64> =
            shape.iter().enumerate().map(|(axis, &dim)| if axis == 0 { rows } else { dim.max(1) } as u64).collect();
        let dims: Vec<u64> = shape.iter().map(|&dim| dim as u64).collect();
        let zero = FillValue::new(vec![0; size]);
        let written =
            ArrayBuilder::new(dims, chunk.clone(), data_type(array.dtype), zero).build(store, "/").map_err(failed)?;
        written.store_metadata().map_err(failed)?;
        let full = rows * rest.max(1) * size;
        for (number, bytes) in array.bytes.chunks(full.max(1)).enumerate() {
            let mut index = vec![0; shape.len()];
            index.iter_mut().take(1).for_each(|first| *first = number as u64);
            // A chunk at the edge is stored in full.
            let mut chunk = bytes.to_vec();
            chunk.resize(full, 0);
            written.store_chunk(&index, ArrayBytes::new_flen(chunk)).map_err(failed)?;
        }
        // The folder gets its name in two steps.
        let _lock = Lock::of_folder(&self.path)?;
        stop::keep_folder(&self.temporary, &self.path)
            .map_err(|error| Error::io(&self.path, "write the directory", &error))
    }
}

impl Drop for ZarrOutput {
    fn drop(&mut self) {
        stop::remove_folder(&self.temporary);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use broadaxe_kernels::DType;

    use super::{ZarrOutput, describe, read};
    use crate::file::write::Plain;

    #[test]
    fn comes_back_as_written() {
        let folder = std::env::temp_dir().join(format!("broadaxe-zarr-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.zarr");
        let bytes: Vec<u8> = (0..96).map(|k| k % 2).collect();
        for dtype in DType::ALL {
            for shape in [vec![96 / dtype.size()], vec![3, 32 / dtype.size()], vec![0, 7], vec![2, 0], vec![]] {
                let count: usize = shape.iter().product();
                let array = Plain { dtype, shape: &shape, bytes: &bytes[..count * dtype.size()] };
                ZarrOutput::create(&path).unwrap().save(&array).unwrap();
                let entry = describe(&path).unwrap();
                assert_eq!(
                    (entry.dtype.as_str(), entry.shape, entry.bytes),
                    (dtype.name(), shape.clone(), array.bytes.len() as u64)
                );
                let back = read(&path, 1000).unwrap();
                assert_eq!((back.dtype(), back.shape()), (dtype, &shape[..]));
                assert_eq!(back.into_bytes().unwrap(), array.bytes, "{dtype:?} {shape:?}");
            }
        }
        assert!(read(&path, 1).is_err());
        let group = folder.join("group.zarr");
        fs::create_dir(&group).unwrap();
        fs::write(group.join("zarr.json"), "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{}}").unwrap();
        let error = ZarrOutput::create(&group).unwrap_err().to_string();
        assert!(error.contains("not a zarr array") && group.join("zarr.json").exists(), "{error}");
        fs::remove_dir_all(group).unwrap();
        let large: Vec<u8> = (0..40_000_000_u32).map(|k| k as u8).collect();
        ZarrOutput::create(&path)
            .unwrap()
            .save(&Plain { dtype: DType::U8, shape: &[40, 1_000_000], bytes: &large })
            .unwrap();
        assert!(fs::read_dir(path.join("c")).unwrap().count() > 1, "several chunks");
        assert!(read(&path, u64::MAX).unwrap().into_bytes().unwrap() == large);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing but the directory");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn broken_metadata_is_an_error() {
        let folder = std::env::temp_dir().join(format!("broadaxe-zarr-{}-broken", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let v2 = |shape: &str, dtype: &str, chunks: &str| {
            format!(
                "{{\"zarr_format\":2,\"shape\":{shape},\"chunks\":{chunks},\"dtype\":\"{dtype}\",\"compressor\":null,\"fill_value\":1,\"order\":\"C\",\"filters\":null}}"
            )
        };
        let cases = [
            (v2("[2,3]", "<f4", "[2,3]"), Ok(24)),
            (v2("[1000000,1000000]", "<f4", "[1,1]"), Err("the array needs")),
            (v2("[1000]", "|u1", "[1000000000000]"), Err("the array needs")),
            (v2("[2]", "<c8", "[2]"), Err("not a zarr array")),
            (v2("[-1]", "<f4", "[2]"), Err("not a zarr array")),
            ("{".to_owned(), Err("not a zarr array")),
        ];
        for (text, want) in cases {
            fs::write(folder.join(".zarray"), &text).unwrap();
            match (read(&folder, 1 << 20), want) {
                (Ok(stored), Ok(bytes)) => assert_eq!(stored.byte_count(), bytes, "{text}"),
                (Err(error), Err(want)) => assert!(error.to_string().contains(want), "{text}: {error}"),
                (got, want) => panic!("{text}: {got:?}, not {want:?}"),
            }
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
