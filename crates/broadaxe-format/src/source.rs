//! The source of a model's bytes: a file that is read piece by piece, memory, or what a host reads.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
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
    /// Files in the folder of this one that are not looked for in the file system, by their names.
    files: Arc<BTreeMap<String, Source>>,
    /// The other files that readers of this one looked for. Copies share the list.
    consulted: Arc<Mutex<BTreeSet<PathBuf>>>,
}

#[derive(Clone, Debug)]
enum Bytes {
    Memory(Arc<[u8]>),
    File(Arc<File>),
    Host(Arc<dyn ReadAt>),
    Parts(Option<Arc<Source>>, Arc<[Placed]>),
}

/// Reads the bytes of a file that the program itself cannot open, such as one that a person gave to a web page.
pub trait ReadAt: Send + Sync + fmt::Debug {
    /// Fills `buffer` with the bytes from byte `at`.
    ///
    /// # Errors
    /// When the bytes cannot be read, or the file ends before `buffer` is full.
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()>;
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
    pub fn len(&self) -> u64 {
        match self {
            Self::Kept { len, .. } => *len,
            Self::New(bytes) => bytes.len() as u64,
        }
    }

    /// Says whether it is empty.
    pub fn is_empty(&self) -> bool {
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

    /// Makes a source of `len` bytes that `reader` reads. `path` is as in [`Source::memory`]; errors name it.
    ///
    /// ```
    /// use std::{io, sync::Arc};
    /// use broadaxe_format::source::{ReadAt, Source};
    ///
    /// #[derive(Debug)]
    /// struct Text(&'static [u8]);
    ///
    /// impl ReadAt for Text {
    ///     fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
    ///         let bytes = self.0.get(at as usize..).and_then(|rest| rest.get(..buffer.len()));
    ///         buffer.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let text = b"7767517\n1 1\nInput in 0 1 x 0=4\n";
    /// let source = Source::host(Arc::new(Text(text)), text.len() as u64, Some("net.param".into()));
    /// assert_eq!(broadaxe_format::read(&source)?.format, "ncnn");
    /// # Ok::<(), broadaxe_format::Error>(())
    /// ```
    pub fn host(reader: Arc<dyn ReadAt>, len: u64, path: Option<PathBuf>) -> Self {
        Self::of(Bytes::Host(reader), len, path)
    }

    fn of(bytes: Bytes, len: u64, path: Option<PathBuf>) -> Self {
        Self { path, len, bytes, weights: None, files: Arc::default(), consulted: Arc::default() }
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
    pub fn with_weights(mut self, weights: Self) -> Self {
        self.weights = Some(Arc::new(weights));
        self
    }

    /// Gives the source the files in the folder of the model, so that readers look for a file there before they ask the file
    /// system. A name is relative to that folder, with `/` between folders: `net.bin`, `weights/part-1.data`.
    #[must_use]
    pub fn with_files(mut self, files: BTreeMap<String, Self>) -> Self {
        self.files = Arc::new(files);
        self
    }

    /// Gives the source the same files as another one.
    #[must_use]
    pub(crate) fn with_files_of(mut self, other: &Self) -> Self {
        self.files = other.files.clone();
        self
    }

    /// Finds the file that has this name in the folder of this one: among those that were given, or else at `path`, which `open`
    /// opens. Nothing where there is no such file.
    ///
    /// # Errors
    /// Those of `open`.
    pub(crate) fn beside(
        &self,
        name: &str,
        path: Option<&Path>,
        open: impl FnOnce(&Path) -> Result<Option<Self>, Error>,
    ) -> Result<Option<Self>, Error> {
        if let Some(path) = path {
            self.consult(path);
        }
        match (self.files.get(name), path) {
            // Errors and remarks name the file as if it had been opened.
            (Some(given), path) => {
                Ok(Some(Self { path: given.path.clone().or(path.map(Path::to_path_buf)), ..given.clone() }))
            }
            (None, Some(path)) => open(path),
            (None, None) => Ok(None),
        }
    }

    /// Returns the file of weights that was named, if one was.
    pub(crate) fn weights(&self) -> Option<&Self> {
        self.weights.as_deref()
    }

    /// Opens the file of weights: the one that was named, or else the file in the same folder that has the name of this one and this
    /// extension. The inner error says why there is none.
    ///
    /// # Errors
    /// [`ErrorKind::File`] when the file exists and cannot be opened.
    pub(crate) fn open_weights(&self, extension: &str) -> Result<Result<Self, String>, Error> {
        if let Some(weights) = self.weights() {
            return Ok(Ok(weights.clone()));
        }
        let path = self.path().map(|path| path.with_extension(extension));
        let Some(path) = path.filter(|path| Some(path.as_path()) != self.path()) else {
            return Ok(Err("the model was read without its file of weights".to_owned()));
        };
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let found = self.beside(name, Some(&path), |path| {
            std::fs::exists(path).unwrap_or(false).then(|| Self::open(path)).transpose()
        })?;
        Ok(found.ok_or_else(|| format!("the file {} is not there", path.display())))
    }

    /// Notes that a reader of this file looked for another one.
    fn consult(&self, path: &Path) {
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
            Bytes::File(file) => self.filled(len, |buffer| read_at(file, buffer, at)),
            Bytes::Host(reader) => self.filled(len, |buffer| reader.read_at(buffer, at)),
        }
    }

    /// Fills a buffer of `len` bytes.
    fn filled(&self, len: usize, fill: impl FnOnce(&mut [u8]) -> io::Result<()>) -> Result<Vec<u8>, Error> {
        let mut buffer = Vec::new();
        let rejected = |_| Error::new(ErrorKind::Limit, format!("{len} bytes of memory could not be allocated"));
        buffer.try_reserve_exact(len).map_err(rejected)?;
        buffer.resize(len, 0);
        if len == 0 {
            return Ok(buffer);
        }
        fill(&mut buffer).map_err(|error| {
            let name = self.path.as_deref().unwrap_or(Path::new("")).display();
            Error::new(ErrorKind::File, format!("{name}: {error}"))
        })?;
        Ok(buffer)
    }

    /// Traces pieces of this source back to the file that it was made from: a changed model that was not written yet consists of
    /// pieces itself. Bytes that are in that file are not read.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] where the source ends before a piece does.
    pub(crate) fn original(&self, pieces: &[Piece]) -> Result<Vec<Piece>, Error> {
        let mut found = Vec::new();
        for piece in pieces {
            let (Piece::Kept { at, len }, Bytes::Parts(base, parts)) = (piece, &self.bytes) else {
                found.push(piece.clone());
                continue;
            };
            let kept = within(parts, *at, *len)?;
            match base {
                Some(base) => found.extend(base.original(&kept)?),
                None => found.extend(kept),
            }
        }
        Ok(found)
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

/// Cuts `len` bytes from byte `at` out of parts that follow each other.
fn within(parts: &[Placed], at: u64, len: u64) -> Result<Vec<Piece>, Error> {
    let (mut found, mut at, mut left) = (Vec::new(), at, len);
    let first = parts.partition_point(|placed| placed.from + placed.part.len() <= at);
    for Placed { from, part } in &parts[first..] {
        let skipped = at - from;
        let count = (part.len() - skipped).min(left);
        if count > 0 {
            found.push(match part {
                Piece::Kept { at, .. } => Piece::Kept { at: at + skipped, len: count },
                Piece::New(bytes) => Piece::New(bytes[skipped as usize..(skipped + count) as usize].to_vec()),
            });
        }
        (at, left) = (at + count, left - count);
        if left == 0 {
            break;
        }
    }
    let error = || Error::format(format!("{len} bytes are kept of a source that ends {left} bytes before"));
    if left == 0 { Ok(found) } else { Err(error()) }
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
    fn pieces_are_traced_to_the_original() {
        let base = Source::memory(*b"0123456789", None);
        let (kept, new) = (|at, len| Piece::Kept { at, len }, |text: &str| Piece::New(text.into()));
        let once = Source::parts(Some(&base), vec![kept(0, 3), new("ab"), kept(5, 5)], None).unwrap();
        let twice = Source::parts(Some(&once), vec![kept(1, 3), new("c"), kept(4, 6)], None).unwrap();
        let memory = Source::pieces(vec![b"01".to_vec(), b"23".to_vec()], None);
        let cases = [
            (&base, vec![kept(2, 3), new("x")], vec![kept(2, 3), new("x")]),
            (&once, vec![kept(2, 2)], vec![kept(2, 1), new("a")]),
            (&once, vec![kept(0, 0), new(""), kept(3, 3)], vec![new(""), new("ab"), kept(5, 1)]),
            (&twice, vec![kept(0, 10)], vec![kept(1, 2), new("a"), new("c"), new("b"), kept(5, 5)]),
            (&memory, vec![kept(1, 2)], vec![new("1"), new("2")]),
        ];
        for (source, pieces, want) in cases {
            assert_eq!(source.original(&pieces).unwrap(), want, "{pieces:?}");
        }
        assert!(twice.original(&[kept(9, 2)]).is_err());
        assert!(twice.original(&[kept(11, 0)]).unwrap().is_empty());
    }

    /// A host that has fewer bytes than it says.
    #[derive(Debug)]
    struct Host(&'static [u8]);

    impl ReadAt for Host {
        fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
            let bytes = self.0.get(at as usize..).and_then(|rest| rest.get(..buffer.len()));
            buffer.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        }
    }

    #[test]
    fn hosts_are_read_like_files() {
        let path = broadaxe_testing::temporary::path("host");
        std::fs::write(&path, b"0123456789").unwrap();
        let file = Source::open(&path).unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_len(8).unwrap();
        let host = Source::host(Arc::new(Host(b"01234567")), 10, Some(path.clone()));
        for (at, len) in [(0, 0), (0, 8), (3, 4), (10, 0), (9, 2), (u64::MAX, 1), (0, usize::MAX)] {
            let read = |source: &Source| source.read(at, len).map_err(|error| (error.kind(), error.to_string()));
            assert_eq!(read(&host), read(&file), "{len} bytes from {at}");
        }
        for source in [&host, &file] {
            let error = source.read(7, 2).unwrap_err();
            assert!(error.kind() == ErrorKind::File && error.to_string().contains("host"), "{error}");
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn given_files_come_before_those_of_the_folder() {
        let folder = broadaxe_testing::temporary::path("given");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.bin"), b"abc").unwrap();
        let files = |name: &str| BTreeMap::from([(name.to_owned(), Source::memory(*b"ab", None))]);
        let source = |name: &str| Source::memory(*b"model", Some(folder.join(name)));
        let named = Source::memory(*b"w", None);
        let cases = [
            (source("a.xml").with_files(files("a.bin")), Some((2, "a.bin"))),
            (source("a.xml").with_files(files("b.bin")), Some((3, "a.bin"))),
            (source("b.xml").with_files(files("b.bin")), Some((2, "b.bin"))),
            (source("b.xml").with_files(files("b/b.bin")), None),
            (Source::memory(*b"model", None).with_files(files("b.bin")), None),
            (source("a.xml").with_files(files("a.bin")).with_weights(named), Some((1, ""))),
        ];
        for (at, (source, want)) in cases.into_iter().enumerate() {
            let got = source.open_weights("bin").unwrap().ok();
            let want = want.map(|(len, name)| (len, Some(name).filter(|name| !name.is_empty())));
            let name = |found: &Source| {
                found.path().and_then(Path::file_name).and_then(|name| name.to_str().map(str::to_owned))
            };
            let got = got.map(|found| (found.len(), name(&found)));
            assert_eq!(got, want.map(|(len, name)| (len, name.map(str::to_owned))), "case {at}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn reads_beyond_the_end() {
        let base = Source::memory(*b"0123", None);
        let parts = Source::parts(Some(&base), vec![Piece::Kept { at: 1, len: 3 }], None).unwrap();
        let host = Source::host(Arc::new(Host(b"0123")), 4, None);
        for source in [&base, &parts, &host] {
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
