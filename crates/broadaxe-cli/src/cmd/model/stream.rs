//! Reads and writes models that are not plain files: compressed files, and standard input.
//!
//! Their bytes are held in memory, so their number is limited, for each model and for all that are read at a time. A limit on the ratio would
//! not help: a graph whose weights are zeros is compressed as far as the format can.

use std::{
    fs,
    io::{self, BufReader, Cursor, IsTerminal, Read, Write},
    path::{Path, PathBuf},
    sync::{Condvar, Mutex, PoisonError},
};

use broadaxe_models::{Source, format};
use flate2::{Compression, bufread::MultiGzDecoder, write::GzEncoder};

use crate::{
    error::{Error, ErrorKind},
    file::write::{Lock, Whole},
};

/// The most bytes of models that are held in memory.
const MAX_MODEL_BYTES: u64 = 2 << 30;
/// The most bytes that one compressed byte becomes.
const MAX_EXPANSION: u64 = 1032;
const PIECE_BYTES: usize = 1 << 20;
/// The bytes with which a compressed file begins.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// As many bytes as say of which format a file is.
const HEAD_BYTES: u64 = 4096;

/// Says whether a path is the name of standard input.
pub(super) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Says whether a name is that of a compressed file.
pub(super) fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}

/// Returns the name that the model has when it is not compressed.
pub(super) fn plain_name(path: &Path) -> PathBuf {
    if is_compressed(path) { path.with_extension("") } else { path.to_path_buf() }
}

/// Estimates how much work a model is by its size, in bytes; a compressed one is larger than its file.
pub(super) fn size(path: &Path) -> u64 {
    let len = fs::metadata(path).map_or(0, |about| about.len());
    match path {
        path if is_standard_input(path) => u64::MAX,
        path if is_compressed(path) => len.saturating_mul(8),
        _ => len,
    }
}

/// Opens a model. Weights of a compressed one are searched for in its folder.
///
/// # Errors
/// When it cannot be read, or has too many bytes.
pub(super) fn open(path: &Path) -> Result<Source, Error> {
    if is_standard_input(path) {
        return standard_input();
    }
    let source = match format::foreign(path).filter(|_| path.is_dir()) {
        Some(message) => return Err(Error::new(ErrorKind::File, message).of(path)),
        None => Source::open(path)?,
    };
    if !is_compressed(path) {
        return Ok(source);
    }
    let pieces = pieces(decompressed(source), MAX_MODEL_BYTES).map_err(|error| damaged(path, &error))?;
    let pieces = pieces.ok_or_else(|| {
        let message =
            format!("the model has more than {MAX_MODEL_BYTES} bytes when decompressed; decompress it to a file first");
        Error::new(ErrorKind::File, message).of(path)
    })?;
    Ok(Source::pieces(pieces, Some(plain_name(path))))
}

/// Opens a file to detect its format; only the first bytes of a compressed one are there.
///
/// # Errors
/// As [`open`].
pub(super) fn open_head(path: &Path) -> Result<Source, Error> {
    let source = Source::open(path)?;
    if !is_compressed(path) {
        return Ok(source);
    }
    let mut head = Vec::new();
    decompressed(source).take(HEAD_BYTES).read_to_end(&mut head).map_err(|error| damaged(path, &error))?;
    Ok(Source::memory(head, Some(plain_name(path))))
}

/// Writes a model's file; one whose name ends with `.gz` is compressed, to the same bytes at any time.
///
/// # Errors
/// Those of [`Whole::replace`].
pub(super) fn save(
    (whole, lock): (Whole, Option<&Lock>),
    path: &Path,
    contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    whole.replace(lock, |to| {
        let mut to = io::BufWriter::new(to);
        if is_compressed(path) {
            // The encoder writes no name, and 0 as the time.
            let mut packed = GzEncoder::new(&mut to, Compression::default());
            contents(&mut packed)?;
            packed.finish()?;
        } else {
            contents(&mut to)?;
        }
        to.flush()
    })
}

fn damaged(path: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::File, format!("the file cannot be decompressed as gzip: {error}")).of(path)
}

fn standard_input() -> Result<Source, Error> {
    let input = io::stdin();
    if input.is_terminal() {
        return Err(Error::usage(
            "- reads a model from standard input, which is a terminal; pipe a model into the command",
        ));
    }
    let fail = |error: io::Error| Error::io(Path::new("-"), "read standard input", &error);
    let mut input = input.lock();
    let mut head = Vec::new();
    (&mut input).take(GZIP_MAGIC.len() as u64).read_to_end(&mut head).map_err(fail)?;
    let packed = head == GZIP_MAGIC;
    let whole = Cursor::new(head).chain(input);
    let pieces = if packed {
        pieces(MultiGzDecoder::new(BufReader::new(whole)), MAX_MODEL_BYTES)
            .map_err(|error| damaged(Path::new("-"), &error))?
    } else {
        pieces(whole, MAX_MODEL_BYTES).map_err(fail)?
    };
    let pieces = pieces.ok_or_else(|| {
        let message = format!("standard input has more than {MAX_MODEL_BYTES} bytes; save the model to a file first");
        Error::new(ErrorKind::File, message)
    })?;
    Ok(Source::pieces(pieces, None))
}

/// Reads everything; nothing where it has more than `most` bytes.
fn pieces(mut from: impl Read, most: u64) -> io::Result<Option<Vec<Vec<u8>>>> {
    let (mut pieces, mut total) = (Vec::new(), 0);
    loop {
        let mut piece = Vec::new();
        piece.try_reserve_exact(PIECE_BYTES).map_err(|_| io::ErrorKind::OutOfMemory)?;
        (&mut from).take(PIECE_BYTES as u64).read_to_end(&mut piece)?;
        total += piece.len() as u64;
        let last = piece.len() < PIECE_BYTES;
        if total > most {
            return Ok(None);
        }
        if last {
            piece.shrink_to_fit();
        }
        pieces.push(piece);
        if last {
            return Ok(Some(pieces));
        }
    }
}

fn decompressed(source: Source) -> impl Read {
    MultiGzDecoder::new(BufReader::new(Bytes { source, at: 0 }))
}

/// Reads a source from its first byte to its last.
struct Bytes {
    source: Source,
    at: u64,
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = (self.source.len() - self.at).min(buffer.len() as u64) as usize;
        let bytes = self.source.read(self.at, count).map_err(|error| io::Error::other(error.to_string()))?;
        buffer[..count].copy_from_slice(&bytes);
        self.at += count as u64;
        Ok(count)
    }
}

/// The part of [`MAX_MODEL_BYTES`] that a model in memory may use until this is dropped.
#[derive(Debug)]
pub(super) struct Room(u64);

static FREE: Mutex<u64> = Mutex::new(MAX_MODEL_BYTES);
static FREED: Condvar = Condvar::new();

impl Room {
    /// Waits until a model can be read into memory in addition to those of other threads; a plain file needs none.
    pub(super) fn wait(path: &Path) -> Self {
        let packed = |path| fs::metadata(path).map_or(0, |about| about.len());
        let bytes = match path {
            path if is_standard_input(path) => MAX_MODEL_BYTES,
            path if is_compressed(path) => packed(path).saturating_mul(MAX_EXPANSION).min(MAX_MODEL_BYTES),
            _ => 0,
        };
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        while *free < bytes {
            free = FREED.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= bytes;
        Self(bytes)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        *FREE.lock().unwrap_or_else(PoisonError::into_inner) += self.0;
        FREED.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use broadaxe_testing::temporary;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut to = GzEncoder::new(Vec::new(), Compression::fast());
        to.write_all(bytes).unwrap();
        to.finish().unwrap()
    }

    #[test]
    fn everything_within_the_limit_is_read() {
        for len in [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES] {
            let bytes: Vec<u8> = (0..len).map(|at| at as u8).collect();
            let read = |most: usize| pieces(&bytes[..], most as u64).unwrap().map(|pieces| pieces.concat());
            assert!(read(len).is_some_and(|read| read == bytes), "{len}");
            assert_eq!(read(len.saturating_sub(1)).is_none(), len > 0, "{len}");
        }
    }

    #[test]
    fn compressed_files() {
        let folder = temporary::path("stream");
        fs::create_dir_all(&folder).unwrap();
        let (text, long) = (b"7767517".as_slice(), vec![b'x'; 100_000]);
        let whole = packed(&long);
        let mut wrong = whole.clone();
        *wrong.last_mut().unwrap() ^= 1;
        type Case<'a> = (&'a str, Vec<u8>, Result<Vec<u8>, &'a str>);
        let cases: [Case<'_>; 8] = [
            ("a.param.gz", packed(text), Ok(text.to_vec())),
            ("A.PARAM.GZ", packed(text), Ok(text.to_vec())),
            ("two.gz", [packed(text), packed(&long)].concat(), Ok([text, &long].concat())),
            ("empty.gz", packed(b""), Ok(Vec::new())),
            ("plain.param", packed(text), Ok(packed(text))),
            ("not.gz", text.to_vec(), Err("cannot be decompressed as gzip")),
            ("cut.gz", whole[..whole.len() / 2].to_vec(), Err("cannot be decompressed as gzip")),
            ("wrong.gz", wrong, Err("cannot be decompressed as gzip")),
        ];
        for (name, bytes, want) in cases {
            let path = folder.join(name);
            fs::write(&path, bytes).unwrap();
            let got = open(&path).map(|source| {
                assert_eq!(source.path().map(Path::to_path_buf), Some(plain_name(&path)), "{name}");
                source.read(0, source.len() as usize).unwrap()
            });
            match (got, want) {
                (Ok(got), Ok(want)) => {
                    assert!(got == want, "{name}");
                    let head = open_head(&path).unwrap();
                    let count = want.len().min(HEAD_BYTES as usize);
                    assert_eq!(head.read(0, count).unwrap(), &want[..count], "{name}");
                }
                (Err(error), Err(want)) => {
                    assert!(error.to_string().contains(want) && error.to_string().contains(name), "{error}");
                }
                (got, _) => panic!("{name}: {}", got.is_ok()),
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = temporary::path("stream-save");
        fs::create_dir_all(&folder).unwrap();
        let bytes = vec![b'x'; 100_000];
        for name in ["a.param", "a.param.gz"] {
            let path = folder.join(name);
            let written = [0, 1].map(|_| {
                save((Whole::create(&path).unwrap(), None), &path, |to| to.write_all(&bytes)).unwrap();
                fs::read(&path).unwrap()
            });
            assert_eq!(written[0], written[1], "{name}");
            assert_eq!(written[0].starts_with(&GZIP_MAGIC), is_compressed(&path), "{name}");
            assert!(open(&path).unwrap().read(0, bytes.len()).unwrap() == bytes, "{name}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn names() {
        let cases = [
            ("a.onnx.gz", true, "a.onnx"),
            ("d.gz/a.onnx", false, "d.gz/a.onnx"),
            ("a.xml.GZ", true, "a.xml"),
            ("gz", false, "gz"),
            (".gz", false, ".gz"),
            ("-", false, "-"),
        ];
        for (name, compressed, plain) in cases {
            let path = Path::new(name);
            assert_eq!((is_compressed(path), plain_name(path)), (compressed, plain.into()), "{name}");
        }
        assert!(is_standard_input(Path::new("-")) && !is_standard_input(Path::new("./-")));
    }

    /// One thread reads standard input at a time, and the room of those that are done is free again.
    #[test]
    fn threads_share_the_room() {
        let reading = Mutex::new(());
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _plain = Room::wait(Path::new("a.onnx"));
                    let _room = Room::wait(Path::new("-"));
                    assert!(reading.try_lock().is_ok());
                });
            }
        });
    }
}
