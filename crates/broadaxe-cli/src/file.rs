//! Reads array files strictly and writes them atomically: `.npy`, `.npz` and `.safetensors`.
//!
//! The readers are our own, because the refusals are the point: a size is compared with the length of the file before
//! anything is allocated, every key is expected exactly once, and an error names field and byte. All bytes come in
//! through [`Source`], which maps large arrays and reads everything else. A file that is cut or written while it is in
//! use is an error and not a signal: callers that compute with mapped bytes must call [`Stored::check`] before they use the result.
//!
//! NumPy accepts bytes after the array of a `.npy` file (several arrays can be saved one after the other); here they
//! are rejected, since the others would be ignored silently.

mod data;
mod source;
mod npy;
mod zip;
mod npz;
mod place;
mod safetensors;
pub mod write;
pub mod zarr;

use std::{
    fs::{self, File},
    io::{Read, Seek},
    path::Path,
};

use broadaxe::View;
use broadaxe_kernels::DType;
pub(crate) use data::within;
pub use place::Place;
pub use source::Source;

use self::data::Data;
use crate::error::{Error, ErrorKind, quoted};

/// The formats of array files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One array with NumPy's header.
    Npy,
    /// A ZIP archive of `.npy` members.
    Npz,
    /// A JSON header and the tensors after it.
    Safetensors,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Npy, Self::Npz, Self::Safetensors];

    /// Returns the extension of the format's files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::Safetensors => "safetensors",
        }
    }

    /// Tells the format from a file's extension.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        Self::ALL.into_iter().find(|format| format.extension().eq_ignore_ascii_case(extension))
    }
}

/// Describes an array of a file, whose elements were not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name in the file; empty where the file contains one array without a name.
    pub name: String,
    /// The dtype; one that cannot be read has the name that the file gives it.
    pub dtype: String,
    /// The shape.
    pub shape: Vec<usize>,
    /// How many bytes the elements use.
    pub bytes: u64,
}

/// An array as it was read: native byte order, but in the order of axes that the file has.
#[derive(Debug)]
pub struct Stored {
    dtype: DType,
    shape: Vec<usize>,
    fortran: bool,
    data: Data,
    /// Where in the data the elements begin; they end with it.
    start: usize,
}

impl Stored {
    /// Returns the dtype.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Counts the elements' bytes.
    pub fn byte_count(&self) -> usize {
        self.data.len() - self.start
    }

    /// Counts the bytes of memory that the elements take: none where they are mapped.
    pub fn memory(&self) -> u64 {
        self.data.memory()
    }

    /// Makes an array of elements in memory, which are little-endian and in row-major order.
    ///
    /// # Errors
    /// When shape and bytes do not fit.
    pub fn from_little_endian(dtype: DType, shape: &[usize], mut bytes: Vec<u8>) -> Result<Self, Error> {
        data_length(dtype, shape, bytes.len() as u64, 0)?;
        if cfg!(target_endian = "big") {
            swap(&mut bytes, dtype.size());
        }
        Ok(Self { dtype, shape: shape.to_vec(), fortran: false, data: Data::Read(bytes), start: 0 })
    }

    /// Lends the elements to the engine.
    ///
    /// # Errors
    /// When shape and bytes do not fit, which the readers have seen to.
    pub fn view(&self) -> Result<View<'_>, Error> {
        Ok(View::from_input(self.dtype, self.data.input(self.start), &self.shape, &self.strides())?)
    }

    /// Says whether the file stayed as it was while views of this array were in use. Where it was mapped only this tells.
    ///
    /// # Errors
    /// When the file was changed meanwhile, or the disk could not give its bytes; what was computed means nothing then.
    pub fn check(&self) -> Result<(), Error> {
        self.data.check()
    }

    /// Reads the elements' bytes into memory, in native byte order.
    ///
    /// # Errors
    /// When not enough memory for them; as for [`Stored::check`].
    pub fn into_bytes(self) -> Result<Vec<u8>, Error> {
        let mut bytes = self.data.into_bytes(u64::MAX)?;
        bytes.drain(..self.start);
        Ok(bytes)
    }

    /// Returns the strides in bytes; those of a Fortran-ordered array grow from the first axis to the last.
    pub fn strides(&self) -> Vec<isize> {
        in_order(self.dtype, &self.shape, self.fortran)
    }
}

/// Returns the strides in bytes of elements that follow each other, the last axis first or, in Fortran's order, the first.
fn in_order(dtype: DType, shape: &[usize], fortran: bool) -> Vec<isize> {
    let rank = shape.len();
    let mut strides = vec![0; rank];
    let mut step = dtype.size() as isize;
    for i in 0..rank {
        let axis = if fortran { i } else { rank - 1 - i };
        strides[axis] = step;
        // The product was checked when the shape was read; dims of 0 count as 1.
        step = step.wrapping_mul(shape[axis].max(1) as isize);
    }
    strides
}

/// Reads the array at `place`, which may take `limit` bytes of memory. Large arrays are mapped, and take none.
///
/// # Errors
/// When the file cannot be read, is not what it says, holds no array of that name, or holds several and none is named;
/// [`ErrorKind::Memory`] when it would take more memory than `limit`.
///
/// ```
/// use broadaxe_cli::file::{Place, read};
/// let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
/// let bias = read(&Place::new(&format!("{folder}/layer.npz:bias")), 1 << 20)?;
/// assert_eq!((bias.dtype().name(), bias.shape(), bias.strides()), ("f32", &[3, 4][..], vec![16, 4]));
/// # Ok::<(), broadaxe_cli::error::Error>(())
/// ```
pub fn read(place: &Place, limit: u64) -> Result<Stored, Error> {
    let path = place.path();
    if zarr::is_array(path) {
        return zarr::read(path, limit).map_err(|e| e.of(path));
    }
    let mut source = open(path)?;
    read_from(&mut source, Format::of(path), place.key(), limit).map_err(|e| e.of(path))
}

/// Describes the arrays of a file, in the order of the file; their elements are not read.
///
/// # Errors
/// When the file cannot be read, or is not what it says.
pub fn entries(path: &Path) -> Result<Vec<Entry>, Error> {
    if zarr::is_array(path) {
        return Ok(vec![zarr::describe(path).map_err(|e| e.of(path))?]);
    }
    let mut source = open(path)?;
    let entries = match sniff(&mut source, Format::of(path)).map_err(|error| error.of(path))? {
        Format::Npy => npy::describe("", &mut source).map(|entry| vec![entry]),
        Format::Npz => npz::entries(&mut source),
        Format::Safetensors => safetensors::entries(&mut source),
    };
    entries.map_err(|error| error.of(path))
}

/// Reads an array from an open source; `expected` is the format that the file's name promises.
///
/// # Errors
/// As [`read`].
pub fn read_from<R: Read + Seek>(
    source: &mut Source<R>,
    expected: Option<Format>,
    key: Option<&str>,
    limit: u64,
) -> Result<Stored, Error> {
    match sniff(source, expected)? {
        Format::Npy => match key {
            Some(key) => Err(Error::new(
                ErrorKind::File,
                format!("a .npy file contains one array without a name; leave out ':{key}'"),
            )),
            None => npy::read(source, limit),
        },
        Format::Npz => npz::read(source, key, limit),
        Format::Safetensors => safetensors::read(source, key, limit),
    }
}

/// Opens a regular file; anything else (a folder, a pipe, a device) has no length to compare sizes with.
fn open(path: &Path) -> Result<Source<File>, Error> {
    let failed = |error: &std::io::Error| Error::io(path, "open the file", error);
    let regular = |meta: &fs::Metadata| {
        if meta.is_file() { Ok(meta.len()) } else { Err(Error::new(ErrorKind::File, "is not a regular file").of(path)) }
    };
    regular(&fs::metadata(path).map_err(|e| failed(&e))?)?;
    let file = File::open(path).map_err(|e| failed(&e))?;
    let length = regular(&file.metadata().map_err(|e| failed(&e))?)?;
    Ok(Source::of_file(file, length))
}

/// Tells the format from the first bytes; a name that promises another one is at fault.
fn sniff<R: Read + Seek>(source: &mut Source<R>, expected: Option<Format>) -> Result<Format, Error> {
    if source.length() == 0 {
        return Err(Error::field("file", 0, "the file is empty"));
    }
    let start = source.load(0, source.length().min(9))?;
    let found = if start.starts_with(b"\x93NUMPY") {
        Some(Format::Npy)
    } else if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        Some(Format::Npz)
    } else if start.get(8) == Some(&b'{') {
        Some(Format::Safetensors)
    } else {
        None
    };
    match (found, expected) {
        (Some(found), None) => Ok(found),
        (Some(found), Some(expected)) if found == expected => Ok(found),
        (_, Some(Format::Npy)) => Err(Error::field("magic", 0, "not a .npy file: it does not begin with \\x93NUMPY")),
        (_, Some(Format::Npz)) => Err(Error::field("magic", 0, "not a .npz file: it does not begin with PK")),
        // Shorter than a header can be, or no object where the header should be: the reader says which.
        (None, Some(Format::Safetensors)) => Ok(Format::Safetensors),
        (Some(_), Some(Format::Safetensors)) => {
            Err(Error::field("header length", 0, "a .safetensors file begins with the length of its header"))
        }
        (None, None) => {
            Err(Error::field("magic", 0, "not an array file; .npy, .npz and .safetensors files can be read"))
        }
    }
}

/// How many names an error lists.
const MAX_LISTED: usize = 20;

/// Lists names of arrays that a file says, the first of them where there are many.
fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    let mut shown: Vec<String> = names.take(MAX_LISTED).map(quoted).collect();
    if count > shown.len() {
        shown.push(format!("and {} more", count - shown.len()));
    }
    if shown.is_empty() { "no array".to_owned() } else { shown.join(", ") }
}

/// Chooses among the names of a file: the one asked for, or the only one.
pub(crate) fn choose<'a, T>(entries: &'a [T], name: impl Fn(&T) -> &str, key: Option<&str>) -> Result<&'a T, Error> {
    let there = || listed(entries.iter().map(&name));
    match (key, entries) {
        (Some(key), _) => entries
            .iter()
            .find(|entry| name(entry) == key)
            .ok_or_else(|| Error::new(ErrorKind::File, format!("no array '{key}'; the file contains {}", there()))),
        (None, [only]) => Ok(only),
        (None, _) => Err(Error::new(
            ErrorKind::File,
            format!("write FILE:KEY to say which array; the file contains {}", there()),
        )),
    }
}

/// Counts the bytes of an array and compares them with the bytes there are.
fn data_length(dtype: DType, shape: &[usize], there: u64, at: u64) -> Result<u64, Error> {
    let bytes = byte_count(dtype, shape).ok_or_else(|| {
        let shape = broadaxe_shape::Shape::from(shape);
        Error::field(
            "shape",
            at,
            format!("an array of shape {shape} and dtype {} is too large to address", dtype.name()),
        )
    })?;
    let shown = broadaxe_shape::Shape::from(shape);
    let dtype = dtype.name();
    if bytes > there {
        let text = format!("the file is cut short: {shown} of {dtype} needs {bytes} bytes, and {there} are there");
        return Err(Error::field("data", at, text));
    }
    if bytes < there {
        let text = format!(
            "{} bytes follow the array: {shown} of {dtype} needs {bytes}, and {there} are there",
            there - bytes
        );
        return Err(Error::field("data", at + bytes, text));
    }
    Ok(bytes)
}

/// Counts the bytes of an array; none when an address cannot count them, with dims of 0 taken as 1.
fn byte_count(dtype: DType, shape: &[usize]) -> Option<u64> {
    let elements = broadaxe_shape::elements(shape).ok()?;
    let stretch = shape.iter().filter(|&&dim| dim != 0).try_fold(dtype.size(), |n, &dim| n.checked_mul(dim))?;
    isize::try_from(stretch).ok()?;
    elements.checked_mul(dtype.size()).map(|n| n as u64)
}

/// Reverses the bytes of every element.
fn swap(bytes: &mut [u8], size: usize) {
    if size > 1 {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
}
