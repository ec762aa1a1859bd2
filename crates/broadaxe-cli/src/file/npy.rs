//! Reads NumPy's `.npy`: a magic number, a version, a Python literal of three known keys, and the elements.
//!
//! The literal is read by a parser that knows only what NumPy writes: one flat dict of strings, `True` and `False`, and
//! one tuple of whole numbers. Anything else is rejected at its position, so nothing nests and nothing is run.
//! The header ends at 64 KiB, as no array needs more.
//!
//! Elements of `bfloat16` are what NumPy writes for the type of the package `ml_dtypes`: `<V2`. Untyped bytes have a
//! bar there (`|V2`) and are rejected.

use std::io::{Read, Seek};

use broadaxe_kernels::DType;

use super::{Entry, Source, Stored, data::Data, data_length, swap};
use crate::error::{Error, quoted};

/// The longest header, in bytes.
const MAX_NPY_HEADER_BYTES: u64 = 64 * 1024;
/// The most bytes before the header.
const MAX_PREFIX: usize = 12;
/// The most bytes before the elements.
pub(super) const MAX_START_BYTES: usize = MAX_PREFIX + MAX_NPY_HEADER_BYTES as usize;

const MAGIC: &[u8] = b"\x93NUMPY";

/// What the header says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) dtype: DType,
    big_endian: bool,
    fortran: bool,
    pub(super) shape: Vec<usize>,
    /// Where the elements begin.
    data: u64,
}

/// Reads the array of a whole `.npy` file.
pub(super) fn read<R: Read + Seek>(source: &mut Source<R>, limit: u64) -> Result<Stored, Error> {
    let header = header(source)?;
    let there = source.length() - header.data;
    let length = data_length(header.dtype, &header.shape, there, header.data)?;
    let data = source.data(header.data, length, limit)?;
    header.store(data, 0, limit)
}

/// Reads the array of a `.npy` file that is the member of another.
pub(super) fn read_member(data: Data, limit: u64) -> Result<Stored, Error> {
    let first = data.first(MAX_START_BYTES);
    let length = data.len() as u64;
    let header = header(&mut Source::new(std::io::Cursor::new(first), length))?;
    data_length(header.dtype, &header.shape, length - header.data, header.data)?;
    let start = header.data as usize;
    header.store(data, start, limit)
}

impl Header {
    fn store(self, mut data: Data, start: usize, limit: u64) -> Result<Stored, Error> {
        if self.big_endian != cfg!(target_endian = "big") && self.dtype.size() > 1 {
            let mut bytes = data.into_bytes(limit)?;
            swap(&mut bytes[start..], self.dtype.size());
            data = Data::Read(bytes);
        }
        Ok(Stored { dtype: self.dtype, shape: self.shape, fortran: self.fortran, data, start })
    }
}

/// Reads magic, version, length and literal.
pub(super) fn header<R: Read + Seek>(source: &mut Source<R>) -> Result<Header, Error> {
    let (literal, start) = literal(source)?;
    let written = parse(&literal, start)?;
    let (at, descr) = written.descr;
    let (dtype, big_endian) = dtype(descr).map_err(|text| Error::field("descr", at, text))?;
    Ok(Header { dtype, big_endian, fortran: written.fortran, shape: written.shape, data: start + literal.len() as u64 })
}

/// Describes the array of a `.npy` file, also one of a dtype that cannot be read; it may be the first part of a longer one.
pub(super) fn describe<R: Read + Seek>(name: &str, source: &mut Source<R>) -> Result<Entry, Error> {
    let (literal, start) = literal(source)?;
    let written = parse(&literal, start)?;
    let dtype =
        dtype(written.descr.1).map_or_else(|_| written.descr.1.to_owned(), |(dtype, _)| dtype.name().to_owned());
    let bytes = source.length() - start - literal.len() as u64;
    Ok(Entry { name: name.to_owned(), dtype, shape: written.shape, bytes })
}

/// Reads magic, version and length, and the literal; answers the literal and where it begins.
fn literal<R: Read + Seek>(source: &mut Source<R>) -> Result<(Vec<u8>, u64), Error> {
    let prefix = source.load(0, source.length().min(MAX_PREFIX as u64))?;
    if !prefix.starts_with(MAGIC) {
        return Err(Error::field("magic", 0, "not a .npy file: it does not begin with \\x93NUMPY"));
    }
    let cut = |at: usize| Error::field("header", at as u64, "the file is cut short in its header");
    let version = *prefix.get(6..8).and_then(|v| v.first_chunk::<2>()).ok_or_else(|| cut(prefix.len()))?;
    let (start, length) = match version {
        [1, 0] => {
            let length = prefix.get(8..10).and_then(|b| b.first_chunk()).ok_or_else(|| cut(prefix.len()))?;
            (10, u64::from(u16::from_le_bytes(*length)))
        }
        [2 | 3, 0] => {
            let length = prefix.get(8..12).and_then(|b| b.first_chunk()).ok_or_else(|| cut(prefix.len()))?;
            (12, u64::from(u32::from_le_bytes(*length)))
        }
        [major, minor] => {
            let text = format!("version {major}.{minor} is not known; 1.0, 2.0 and 3.0 are");
            return Err(Error::field("version", 6, text));
        }
    };
    if length > MAX_NPY_HEADER_BYTES {
        return Err(Error::field(
            "header length",
            8,
            format!("a header of {length} bytes is above {MAX_NPY_HEADER_BYTES}"),
        ));
    }
    if start + length > source.length() {
        let text = format!("the header has {length} bytes, and {} are there", source.length() - start);
        return Err(Error::field("header length", 8, text));
    }
    Ok((source.load(start, length)?, start))
}

/// What the literal says.
struct Written<'a> {
    /// NumPy's name of the dtype, and where it is.
    descr: (u64, &'a str),
    fortran: bool,
    shape: Vec<usize>,
}

/// Reads the literal, which begins at byte `start` of the file.
fn parse(literal: &[u8], start: u64) -> Result<Written<'_>, Error> {
    let mut text = Literal { bytes: literal, at: 0, start };
    let (mut descr, mut fortran, mut shape) = (None, None, None);
    text.expect(b'{')?;
    while !text.take(b'}') {
        let at = text.here();
        let key = text.string()?;
        text.expect(b':')?;
        let repeated = match key {
            "descr" => descr.replace((text.here(), text.string()?)).is_some(),
            "fortran_order" => fortran.replace(text.boolean()?).is_some(),
            "shape" => shape.replace(text.shape()?).is_some(),
            _ => return Err(Error::field("header", at, format!("the key '{}' is not known", quoted(key)))),
        };
        if repeated {
            return Err(Error::field("header", at, format!("the key '{key}' appears twice")));
        }
        if !text.take(b',') {
            text.expect(b'}')?;
            break;
        }
    }
    text.end()?;
    let missing = |key: &str| Error::field("header", start, format!("the key '{key}' is missing"));
    let descr = descr.ok_or_else(|| missing("descr"))?;
    let fortran = fortran.ok_or_else(|| missing("fortran_order"))?;
    let shape = shape.ok_or_else(|| missing("shape"))?;
    Ok(Written { descr, fortran, shape })
}

/// Reads NumPy's name of a dtype, `<f4`; the answer says whether it is big-endian.
fn dtype(descr: &str) -> Result<(DType, bool), String> {
    let refuse = |why: &str| Err(format!("the dtype '{}' {why}", quoted(descr)));
    let mut rest = descr.chars();
    let order = rest.next();
    let (dtype, several) = match rest.as_str() {
        "b1" => (DType::Bool, false),
        "i1" => (DType::I8, false),
        "u1" => (DType::U8, false),
        "i2" => (DType::I16, true),
        "i4" => (DType::I32, true),
        "i8" => (DType::I64, true),
        "u2" => (DType::U16, true),
        "u4" => (DType::U32, true),
        "u8" => (DType::U64, true),
        "f2" => (DType::F16, true),
        "f4" => (DType::F32, true),
        "f8" => (DType::F64, true),
        "V2" if order != Some('|') => (DType::BF16, true),
        other => {
            return match other.chars().next() {
                Some('O') => refuse("contains pickled Python objects, which are never read"),
                Some('U' | 'S' | 'a') => refuse("contains text, not numbers"),
                Some('c') => refuse("contains complex numbers, which are not supported"),
                Some('M' | 'm') => refuse("contains dates, not numbers"),
                Some('V') => refuse("contains bytes without a type"),
                _ => refuse("is not known; bool, integers, f2, f4, f8 and bfloat16 are, as '<f4'"),
            };
        }
    };
    match (order, several) {
        (Some('<'), _) | (Some('|'), false) => Ok((dtype, false)),
        (Some('>'), _) => Ok((dtype, true)),
        _ => refuse("has no byte order; it should begin with < or >"),
    }
}

/// Walks over a Python literal.
struct Literal<'a> {
    bytes: &'a [u8],
    at: usize,
    start: u64,
}

impl<'a> Literal<'a> {
    /// Skips blanks and returns the offset in the file.
    fn here(&mut self) -> u64 {
        while self.bytes.get(self.at).is_some_and(|b| matches!(b, b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
        self.start + self.at as u64
    }

    fn fail<T>(&mut self, wanted: &str) -> Result<T, Error> {
        let at = self.here();
        let found = match self.bytes.get(self.at) {
            Some(&b) => format!("'{}'", char::from(b).escape_default()),
            None => "the end".to_owned(),
        };
        Err(Error::field("header", at, format!("expected {wanted}, found {found}")))
    }

    fn take(&mut self, byte: u8) -> bool {
        self.here();
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), Error> {
        if self.take(byte) { Ok(()) } else { self.fail(&format!("'{}'", char::from(byte))) }
    }

    fn end(&mut self) -> Result<(), Error> {
        self.here();
        if self.at == self.bytes.len() { Ok(()) } else { self.fail("the end of the header") }
    }

    /// Reads `'text'` or `"text"` of printable ASCII without escapes.
    fn string(&mut self) -> Result<&'a str, Error> {
        let quote = if self.take(b'\'') {
            b'\''
        } else if self.take(b'"') {
            b'"'
        } else if matches!(self.bytes.get(self.at), Some(b'[' | b'(')) {
            return self.fail("a plain dtype (structured ones are not supported)");
        } else {
            return self.fail("a string");
        };
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == quote || b == b'\\' || !(b' '..=b'~').contains(&b));
        match length.filter(|&n| rest[n] == quote).and_then(|n| std::str::from_utf8(&rest[..n]).ok()) {
            Some(text) => {
                self.at += text.len() + 1;
                Ok(text)
            }
            None => self.fail("a string of plain characters"),
        }
    }

    fn boolean(&mut self) -> Result<bool, Error> {
        self.here();
        for (word, value) in [(&b"True"[..], true), (b"False", false)] {
            if self.bytes[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        self.fail("True or False")
    }

    fn shape(&mut self) -> Result<Vec<usize>, Error> {
        self.expect(b'(')?;
        let mut dims = Vec::new();
        let mut comma = true;
        while !self.take(b')') {
            if !comma {
                return self.fail("',' or ')'");
            }
            if dims.len() == broadaxe_shape::MAX_RANK {
                let text = format!("the rank is above the largest, {}", broadaxe_shape::MAX_RANK);
                return Err(Error::field("shape", self.here(), text));
            }
            dims.push(self.dim()?);
            comma = self.take(b',');
        }
        if dims.len() == 1 && !comma { self.fail("a tuple (one dim is written '(3,)')") } else { Ok(dims) }
    }

    fn dim(&mut self) -> Result<usize, Error> {
        let at = self.here();
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if length == 0 {
            return match rest.first() {
                Some(b'-') => Err(Error::field("shape", at, "a dim is negative")),
                _ => self.fail("a dim"),
            };
        }
        let dim = std::str::from_utf8(&rest[..length]).ok().and_then(|digits| digits.parse().ok());
        self.at += length;
        // Python 2 wrote long integers as `3L`.
        self.at += usize::from(rest.get(length) == Some(&b'L'));
        dim.ok_or_else(|| Error::field("shape", at, "a dim is too large"))
    }
}
