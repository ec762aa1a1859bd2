//! Reads and writes models that are not plain files: compressed files, and standard input.
//!
//! Their bytes are held in memory, so their number is limited, for each model and for all that are read at a time. A compressed file is
//! also limited by its own size, but pages of zeros are neither held nor counted: a graph whose weights are zeros is compressed as far as
//! gzip can. Only the first page of a file that is of no format is read.

use std::{
    cell::Cell,
    fs,
    io::{self, BufReader, Cursor, IsTerminal, Read, Write},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, PoisonError},
};

use broadaxe_models::{Source, format, source::ReadAt};
use flate2::{Compression, bufread::MultiGzDecoder, write::GzEncoder};

use crate::{
    error::{Error, ErrorKind},
    whole::{Lock, Whole},
};

/// The most bytes of models that are held in memory.
const MAX_MODEL_BYTES: u64 = 2 << 30;
/// The bytes that any compressed file may become, and how many more each of its bytes may. Graphs of real models become 75 times as many,
/// but less than 10 MB; weights hardly become more.
const FREE_BYTES: u64 = 64 << 20;
const MAX_EXPANSION: u64 = 32;
const PAGE_BYTES: usize = 64 << 10;
/// The bytes with which a compressed file begins.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// As many bytes as say of which format a file is.
const HEAD_BYTES: u64 = 4096;

/// Says whether a path is the name of standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Says whether a name is that of a compressed file.
pub fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}

/// Returns the name that the model has when it is not compressed.
pub fn plain_name(path: &Path) -> PathBuf {
    if is_compressed(path) { path.with_extension("") } else { path.to_path_buf() }
}

/// Estimates how much work a model is by its size, in bytes; a compressed one is larger than its file.
pub fn size(path: &Path) -> u64 {
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
pub fn open(path: &Path) -> Result<Source, Error> {
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
    let packed = source.len();
    let pages = Pages::read(decompressed(source), Some(plain_name(path)), || limit(packed));
    pages.map_err(|error| damaged(path, &error))?.map_err(|error| error.of(path))
}

/// Returns how many bytes a compressed file of this size may become.
fn limit(packed: u64) -> u64 {
    packed.saturating_mul(MAX_EXPANSION).saturating_add(FREE_BYTES).min(MAX_MODEL_BYTES)
}

/// Opens a file to detect its format; only the first bytes of a compressed one are there.
///
/// # Errors
/// As [`open`].
pub fn open_head(path: &Path) -> Result<Source, Error> {
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
pub fn save(
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
    let count = Cell::new(0);
    let whole = Counted { from: Cursor::new(head).chain(input), count: &count };
    let pages = if packed {
        let unpacked = MultiGzDecoder::new(BufReader::new(whole));
        Pages::read(unpacked, None, || limit(count.get())).map_err(|error| damaged(Path::new("-"), &error))?
    } else {
        Pages::read(whole, None, || MAX_MODEL_BYTES).map_err(fail)?
    };
    pages.map_err(|error| error.of(Path::new("-")))
}

/// The bytes of a model in pages; none for a page of zeros.
#[derive(Debug, Default)]
struct Pages(Vec<Option<Box<[u8]>>>);

impl Pages {
    /// Reads everything if the first page is that of a model, and else that page. The inner error is that of a model with more bytes than
    /// `most` returns, or with pages of zeros that end beyond all limits.
    fn read(mut from: impl Read, path: Option<PathBuf>, most: impl Fn() -> u64) -> io::Result<Result<Source, Error>> {
        let (mut pages, mut len, mut held) = (Self::default(), 0, 0);
        loop {
            let mut page = Vec::new();
            page.try_reserve_exact(PAGE_BYTES).map_err(|_| io::ErrorKind::OutOfMemory)?;
            (&mut from).take(PAGE_BYTES as u64).read_to_end(&mut page)?;
            let count = page.len();
            len += count as u64;
            let is_zero = page.iter().all(|&byte| byte == 0);
            held += if is_zero { 0 } else { count as u64 };
            if held > most() || len > MAX_MODEL_BYTES {
                return Ok(Err(too_large(held.min(most()), len)));
            }
            let is_other = pages.0.is_empty() && count == PAGE_BYTES && {
                let head = Source::memory(page.as_slice(), path.clone());
                !format::detect(&head).is_ok_and(|format| format.is_some())
            };
            pages.0.push((!is_zero).then(|| page.into_boxed_slice()));
            if is_other || count < PAGE_BYTES {
                return Ok(Ok(Source::host(Arc::new(pages), len, path)));
            }
        }
    }
}

impl ReadAt for Pages {
    fn read_at(&self, mut buffer: &mut [u8], at: u64) -> io::Result<()> {
        let mut at = at as usize;
        while !buffer.is_empty() {
            let page = self.0.get(at / PAGE_BYTES).ok_or(io::ErrorKind::UnexpectedEof)?;
            let within = at % PAGE_BYTES;
            let (part, rest) = buffer.split_at_mut(buffer.len().min(PAGE_BYTES - within));
            match page {
                Some(page) => {
                    let bytes = page.get(within..within + part.len());
                    part.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
                }
                None => part.fill(0),
            }
            (at, buffer) = (at + part.len(), rest);
        }
        Ok(())
    }
}

fn too_large(held: u64, len: u64) -> Error {
    let message = if len > MAX_MODEL_BYTES {
        format!("the model has more than {MAX_MODEL_BYTES} bytes; write it to a file that is not compressed")
    } else {
        format!(
            "the file becomes more than {held} bytes, more than {MAX_EXPANSION} for each byte that is compressed; if it is a model, \
             decompress it to a file first"
        )
    };
    Error::new(ErrorKind::File, message)
}

/// Counts the bytes that are read.
struct Counted<'a, R> {
    from: R,
    count: &'a Cell<u64>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(buffer)?;
        self.count.set(self.count.get() + count as u64);
        Ok(count)
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

/// The part of the memory for all models that one may use until this is dropped.
#[derive(Debug)]
pub struct Room(u64);

static FREE: Mutex<u64> = Mutex::new(MAX_MODEL_BYTES);
static FREED: Condvar = Condvar::new();

impl Room {
    /// Waits until a model can be read into memory in addition to those of other threads; a plain file needs none.
    pub fn wait(path: &Path) -> Self {
        let packed = |path| fs::metadata(path).map_or(0, |about| about.len());
        let bytes = match path {
            path if is_standard_input(path) => MAX_MODEL_BYTES,
            path if is_compressed(path) => limit(packed(path)),
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

    fn gathered(bytes: &[u8], most: u64) -> Result<Vec<u8>, String> {
        let source = Pages::read(bytes, None, || most).unwrap().map_err(|error| error.to_string())?;
        Ok(source.read(0, source.len() as usize).unwrap())
    }

    #[test]
    fn everything_within_the_limit_is_read() {
        for len in [0, 1, PAGE_BYTES - 1, PAGE_BYTES, PAGE_BYTES + 1, 3 * PAGE_BYTES] {
            let text = b"7767517\n".iter().copied().chain((0..).map(|at: usize| at as u8));
            let bytes: Vec<u8> = text.take(len).collect();
            assert!(gathered(&bytes, len as u64).unwrap() == bytes, "{len}");
            assert_eq!(gathered(&bytes, len.saturating_sub(1) as u64).is_err(), len > 0, "{len}");
        }
    }

    /// Weights that are zeros cost nothing, wherever a page begins.
    #[test]
    fn pages_of_zeros_do_not_count() {
        let zeros = vec![0; 4 * PAGE_BYTES + 5];
        let bytes = [b"7767517\n".as_slice(), &zeros, b"end", &zeros].concat();
        assert!(gathered(&bytes, 2 * PAGE_BYTES as u64).unwrap() == bytes);
        assert!(gathered(&bytes, PAGE_BYTES as u64).is_err());
        let source = Pages::read(&bytes[..], None, || MAX_MODEL_BYTES).unwrap().unwrap();
        for at in [PAGE_BYTES - 3, 4 * PAGE_BYTES + 11, 5 * PAGE_BYTES - 1] {
            assert!(source.read(at as u64, PAGE_BYTES + 9).unwrap() == bytes[at..at + PAGE_BYTES + 9], "{at}");
        }
    }

    /// What is no model by its first bytes is not decompressed, and what is one does not become any number of bytes.
    #[test]
    fn a_small_file_does_not_become_a_large_one() {
        let endless = |head: &'static [u8], byte| Cursor::new(head).chain(io::repeat(byte));
        for byte in [0, b'x'] {
            let other = Pages::read(endless(b"", byte), None, || u64::MAX).unwrap().unwrap();
            assert_eq!(other.len(), PAGE_BYTES as u64, "{byte}");
        }
        let error = Pages::read(endless(b"7767517\n", b'x'), None, || limit(2000)).unwrap().unwrap_err();
        assert!(error.to_string().contains("becomes more than 67172864 bytes"), "{error}");
    }

    #[test]
    fn compressed_files() {
        let folder = temporary::path("stream");
        fs::create_dir_all(&folder).unwrap();
        let (text, long) = (b"7767517".as_slice(), [b"7767517\n".as_slice(), &vec![b'x'; 100_000]].concat());
        let whole = packed(&long);
        let mut wrong = whole.clone();
        *wrong.last_mut().unwrap() ^= 1;
        type Case<'a> = (&'a str, Vec<u8>, Result<Vec<u8>, &'a str>);
        let cases: [Case<'_>; 8] = [
            ("a.param.gz", packed(text), Ok(text.to_vec())),
            ("A.PARAM.GZ", packed(text), Ok(text.to_vec())),
            ("two.gz", [packed(&long), packed(text)].concat(), Ok([&long, text].concat())),
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
        let bytes = [b"7767517\n".as_slice(), &vec![b'x'; 100_000]].concat();
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
