//! The source of a model's bytes: a file that is read piece by piece, or memory.

use std::{
    collections::BTreeSet,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crate::error::{Cause, Error, ErrorKind};

/// The bytes of a model file, read where they are asked for.
///
/// Weights are most of a model and say nothing about its shapes, so a reader asks for the pieces it needs and skips the
/// rest: bytes that are not needed are not copied. A file stays open, so that later reads see the same file.
#[derive(Clone, Debug)]
pub struct Source {
    path: Option<PathBuf>,
    len: u64,
    bytes: Bytes,
    weights: Option<Arc<Source>>,
    /// The other files that readers of this one looked for. Copies share the list.
    consulted: Arc<Mutex<BTreeSet<PathBuf>>>,
}

#[derive(Clone, Debug)]
enum Bytes {
    Memory(Arc<[u8]>),
    File(Arc<File>),
    Parts(Option<Arc<Source>>, Arc<[Placed]>),
}

/// A part of a file: bytes of its old version, or new ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Bytes of the source that the file was read from (the weights, for a second file).
    Kept {
        /// The first byte.
        at: u64,
        /// How many.
        len: u64,
    },
    /// New bytes.
    New(Vec<u8>),
}

/// A part, and where it begins.
#[derive(Clone, Debug)]
struct Placed {
    from: u64,
    part: Piece,
}

impl Piece {
    /// Counts the bytes.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Kept { len, .. } => *len,
            Self::New(bytes) => bytes.len() as u64,
        }
    }

    /// Says whether it is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Source {
    /// Opens a regular file.
    ///
    /// # Errors
    /// [`ErrorKind::File`] when it cannot be opened or is not a regular file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let say = |why: &dyn std::fmt::Display| Error::new(ErrorKind::File, format!("{}: {why}", path.display()));
        let fail = |error: io::Error| say(&error).caused(Cause::from(&error));
        let metadata = std::fs::metadata(path).map_err(fail)?;
        if !metadata.is_file() {
            let kind = if metadata.is_dir() { io::ErrorKind::IsADirectory } else { io::ErrorKind::InvalidInput };
            let error = say(&"not a regular file; give the file of a model");
            return Err(error.caused(Cause { kind, code: None }));
        }
        let file = File::open(path).map_err(fail)?;
        let len = file.metadata().map_err(fail)?.len();
        Ok(Self::of(Bytes::File(Arc::new(file)), len, Some(path.to_path_buf())))
    }

    /// Makes a source of an open file and its path.
    pub(crate) fn opened(file: File, path: PathBuf) -> Result<Self, Error> {
        let fail = |error| Error::new(ErrorKind::File, format!("{}: {error}", path.display()));
        let len = file.metadata().map_err(fail)?.len();
        Ok(Self::of(Bytes::File(Arc::new(file)), len, Some(path)))
    }

    /// Makes a source of bytes in memory. `path`, if given, says which folder is searched for files of weights.
    pub fn memory(bytes: impl Into<Arc<[u8]>>, path: Option<PathBuf>) -> Self {
        let bytes = bytes.into();
        let len = bytes.len() as u64;
        Self::of(Bytes::Memory(bytes), len, path)
    }

    /// Makes a source of bytes in memory that are in several pieces, which are not copied. `path` is as in [`Source::memory`].
    pub fn pieces(pieces: Vec<Vec<u8>>, path: Option<PathBuf>) -> Self {
        let (placed, len) = placed(pieces.into_iter().map(Piece::New));
        Self::of(Bytes::Parts(None, placed.into()), len, path)
    }

    fn of(bytes: Bytes, len: u64, path: Option<PathBuf>) -> Self {
        Self { path, len, bytes, weights: None, consulted: Arc::default() }
    }

    /// Makes a source from bytes of another one, which are not copied, and new ones.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] where the other source ends before what is kept of it.
    pub(crate) fn parts(base: Option<&Self>, parts: Vec<Piece>, path: Option<PathBuf>) -> Result<Self, Error> {
        let end = base.map_or(0, Self::len);
        for part in &parts {
            if let Piece::Kept { at, len } = part
                && at.checked_add(*len).is_none_or(|last| last > end)
            {
                return Err(Error::format(format!("{len} bytes are kept from byte {at} of a file of {end} bytes")));
            }
        }
        let (placed, len) = placed(parts.into_iter());
        Ok(Self::of(Bytes::Parts(base.cloned().map(Arc::new), placed.into()), len, path))
    }

    /// Names the file of weights that belongs to this one, wherever it is.
    #[must_use]
    pub(crate) fn with_weights(mut self, weights: Self) -> Self {
        self.weights = Some(Arc::new(weights));
        self
    }

    /// Returns the file of weights that was named, if one was.
    pub(crate) fn weights(&self) -> Option<&Self> {
        self.weights.as_deref()
    }

    /// Opens the file of weights: the one that was named, or else the file next to this one with this extension. The inner
    /// error says why there is none.
    ///
    /// # Errors
    /// [`ErrorKind::File`] when the file exists and cannot be opened.
    pub(crate) fn open_weights(&self, extension: &str) -> Result<Result<Self, String>, Error> {
        if let Some(weights) = self.weights() {
            return Ok(Ok(weights.clone()));
        }
        let path = self.path().map(|path| path.with_extension(extension));
        let path = path.filter(|path| Some(path.as_path()) != self.path());
        if let Some(path) = &path {
            self.consult(path);
        }
        match path {
            None => Ok(Err("the model was read without its file of weights".to_owned())),
            Some(path) if std::fs::exists(&path).unwrap_or(false) => Self::open(&path).map(Ok),
            Some(path) => Ok(Err(format!("the file {} is not there", path.display()))),
        }
    }

    /// Notes that a reader of this file looked for another one.
    pub(crate) fn consult(&self, path: &Path) {
        self.consulted.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf());
    }

    /// Lists the other files that readers of this one opened or looked for, such as its weights: the model that was read
    /// depends on them, also on those that are missing.
    pub fn consulted(&self) -> Vec<PathBuf> {
        self.consulted.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Reads everything as text.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] above `most` bytes, [`ErrorKind::Format`] for bytes that are not UTF-8, and those of [`Self::read`].
    pub(crate) fn text(&self, most: u64) -> Result<String, Error> {
        if self.len > most {
            let message = format!("the file has {} bytes; the limit for this format is {most}", self.len);
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let wrong = |at: usize| Error::format("the text is not UTF-8").at(format!("byte {at}"));
        String::from_utf8(self.read(0, self.len as usize)?).map_err(|error| wrong(error.utf8_error().valid_up_to()))
    }

    /// Returns the path, where there is one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Counts the bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Says whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Reads `len` bytes from byte `at`.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] when the source ends before, [`ErrorKind::File`] when it cannot be read.
    pub fn read(&self, at: u64, len: usize) -> Result<Vec<u8>, Error> {
        let end = at.checked_add(len as u64).filter(|&end| end <= self.len);
        let Some(end) = end else {
            let message = format!("the file ends at byte {}, but {len} bytes are needed from byte {at}", self.len);
            return Err(Error::format(message));
        };
        match &self.bytes {
            Bytes::Memory(bytes) => Ok(bytes[at as usize..end as usize].to_vec()),
            Bytes::Parts(base, parts) => gathered(base.as_deref(), parts, at, len),
            Bytes::File(file) => {
                let mut buffer = Vec::new();
                let rejected =
                    |_| Error::new(ErrorKind::Limit, format!("{len} bytes of memory could not be allocated"));
                buffer.try_reserve_exact(len).map_err(rejected)?;
                buffer.resize(len, 0);
                read_at(file, &mut buffer, at).map_err(|error| {
                    let name = self.path.as_deref().unwrap_or(Path::new("")).display();
                    Error::new(ErrorKind::File, format!("{name}: {error}"))
                })?;
                Ok(buffer)
            }
        }
    }
}

/// Puts parts one after the other; also counts their bytes.
fn placed(parts: impl Iterator<Item = Piece>) -> (Vec<Placed>, u64) {
    let mut end = 0_u64;
    let place = |part: Piece| {
        let from = end;
        end = end.saturating_add(part.len());
        Placed { from, part }
    };
    (parts.map(place).collect(), end)
}

/// Reads bytes of a source that is put together; `at` and `len` are within it.
fn gathered(base: Option<&Source>, parts: &[Placed], at: u64, len: usize) -> Result<Vec<u8>, Error> {
    let mut buffer = Vec::new();
    let rejected = |_| Error::new(ErrorKind::Limit, format!("{len} bytes of memory could not be allocated"));
    buffer.try_reserve_exact(len).map_err(rejected)?;
    let first = parts.partition_point(|placed| placed.from + placed.part.len() <= at);
    let mut at = at;
    for Placed { from, part } in &parts[first.min(parts.len())..] {
        let left = len - buffer.len();
        if left == 0 {
            break;
        }
        let skipped = at - from;
        let count = (part.len() - skipped).min(left as u64);
        match (part, base) {
            (Piece::New(bytes), _) => buffer.extend(&bytes[skipped as usize..(skipped + count) as usize]),
            (Piece::Kept { at, .. }, Some(base)) => buffer.extend(base.read(at + skipped, count as usize)?),
            (Piece::Kept { .. }, None) => return Err(Error::format("the file to copy bytes from is missing")),
        }
        at += count;
    }
    Ok(buffer)
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut buffer: &mut [u8], mut at: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => (buffer, at) = (&mut buffer[count..], at + count as u64),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Moves the position of the file, which threads share: WASI has none.
#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_read_as_one() {
        let base = Source::memory(*b"0123456789", None);
        let new = |text: &str| Piece::New(text.into());
        let parts = vec![Piece::Kept { at: 0, len: 3 }, new("ab"), new(""), Piece::Kept { at: 5, len: 5 }, new("c")];
        let source = Source::parts(Some(&base), parts, None).unwrap();
        let whole = b"012ab56789c";
        assert_eq!(source.len(), whole.len() as u64);
        for at in 0..=whole.len() {
            for len in 0..=whole.len() - at {
                assert_eq!(source.read(at as u64, len).unwrap(), &whole[at..at + len], "{len} bytes from {at}");
            }
        }
        assert!(source.read(3, whole.len()).is_err());
        assert!(Source::parts(Some(&base), vec![Piece::Kept { at: 5, len: 6 }], None).is_err());
    }

    #[test]
    fn pieces_read_as_one() {
        let cases: [&[&str]; 5] = [&[], &[""], &["abc"], &["", "ab", "", "c"], &["a", "bc", "d"]];
        for case in cases {
            let (whole, path) = (case.concat().into_bytes(), PathBuf::from("a.onnx"));
            let pieces = case.iter().map(|piece| piece.as_bytes().to_vec()).collect();
            let source = Source::pieces(pieces, Some(path.clone()));
            assert_eq!((source.len(), source.path()), (whole.len() as u64, Some(path.as_path())), "{case:?}");
            for (at, len) in (0..=whole.len()).flat_map(|at| (0..=whole.len() - at).map(move |len| (at, len))) {
                assert_eq!(source.read(at as u64, len).unwrap(), &whole[at..at + len], "{case:?}: {len} from {at}");
            }
            assert!(source.read(0, whole.len() + 1).is_err(), "{case:?}");
        }
    }

    #[test]
    fn texts_within_a_limit() {
        let cases: &[(&[u8], u64, Result<&str, &str>)] = &[
            (b"", 0, Ok("")),
            (b"abc", 3, Ok("abc")),
            ("\u{e9}".as_bytes(), 9, Ok("\u{e9}")),
            (b"abc", 2, Err("the file has 3 bytes; the limit for this format is 2")),
            (b"ab\xffc", 9, Err("byte 2: the text is not UTF-8")),
            (b"ab\xc3", 9, Err("byte 2: the text is not UTF-8")),
        ];
        for (bytes, most, want) in cases {
            let got = Source::memory(*bytes, None).text(*most).map_err(|error| error.to_string());
            assert_eq!(got.as_deref().map_err(String::as_str), *want);
        }
    }

    #[test]
    fn weights_are_found_or_a_reason() {
        let folder = broadaxe_testing::temporary::path("weights");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.bin"), b"abc").unwrap();
        let source = |name: &str| Source::memory(*b"model", Some(folder.join(name)));
        let named = Source::memory(*b"model", None).with_weights(Source::memory(*b"ab", None));
        let cases = [
            (source("a.xml"), Ok(3)),
            (source("b.xml"), Err("b.bin is not there")),
            (source("a.bin"), Err("without its file of weights")),
            (Source::memory(*b"model", None), Err("without its file of weights")),
            (named, Ok(2)),
        ];
        for (source, want) in cases {
            let got = source.open_weights("bin").unwrap().map(|weights| weights.len());
            let next = source
                .path()
                .map(|path| path.with_extension("bin"))
                .filter(|path| Some(path.as_path()) != source.path());
            assert_eq!(source.clone().consulted(), next.into_iter().collect::<Vec<_>>());
            match (&got, want) {
                (Ok(got), Ok(want)) => assert_eq!(*got, want),
                (Err(why), Err(want)) => assert!(why.contains(want), "{why}, not {want}"),
                (got, want) => panic!("{got:?}, not {want:?}"),
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
        let error = Source::open(&folder).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::File);
    }

    #[test]
    fn reads_beyond_the_end() {
        let base = Source::memory(*b"0123", None);
        let parts = Source::parts(Some(&base), vec![Piece::Kept { at: 1, len: 3 }], None).unwrap();
        for source in [&base, &parts] {
            for (at, len) in [(source.len(), 1), (0, source.len() as usize + 1), (u64::MAX, 1), (1, usize::MAX)] {
                let error = source.read(at, len).unwrap_err();
                assert!(error.to_string().starts_with("the file ends at byte"), "{error}");
            }
            assert!(source.read(source.len(), 0).unwrap().is_empty());
        }
        let orphan = Source::parts(None, vec![Piece::Kept { at: 0, len: 1 }], None);
        assert!(orphan.unwrap_err().to_string().contains("a file of 0 bytes"));
    }
}
