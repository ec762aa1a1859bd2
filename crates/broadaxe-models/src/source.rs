//! Where the bytes of a model come from: a file that is read piece by piece, or memory.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::error::{Error, ErrorKind};

/// The bytes of a model file, read where they are asked for.
///
/// Weights are most of a model and say nothing about its shapes, so a reader asks for the pieces it needs and skips the
/// rest: nothing is copied that nobody looks at. A file is held open, so that what is read later is the same file.
#[derive(Clone, Debug)]
pub struct Source {
    path: Option<PathBuf>,
    len: u64,
    bytes: Bytes,
}

#[derive(Clone, Debug)]
enum Bytes {
    Memory(Arc<[u8]>),
    File(Arc<File>),
}

impl Source {
    /// Opens a regular file.
    ///
    /// # Errors
    /// [`ErrorKind::File`] when it cannot be opened or is no regular file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let fail = |why: &dyn std::fmt::Display| Error::new(ErrorKind::File, format!("{}: {why}", path.display()));
        let metadata = std::fs::metadata(path).map_err(|error| fail(&error))?;
        if !metadata.is_file() {
            return Err(fail(&"this is no regular file; give the file of a model"));
        }
        let file = File::open(path).map_err(|error| fail(&error))?;
        let len = file.metadata().map_err(|error| fail(&error))?.len();
        Ok(Self { path: Some(path.to_path_buf()), len, bytes: Bytes::File(Arc::new(file)) })
    }

    /// Takes a file that is open, and the path that it was found under.
    pub(crate) fn opened(file: File, path: PathBuf) -> Result<Self, Error> {
        let fail = |error| Error::new(ErrorKind::File, format!("{}: {error}", path.display()));
        let len = file.metadata().map_err(fail)?.len();
        Ok(Self { path: Some(path), len, bytes: Bytes::File(Arc::new(file)) })
    }

    /// Takes bytes in memory; files beside them cannot be found unless `path` says where they would lie.
    pub fn memory(bytes: impl Into<Arc<[u8]>>, path: Option<PathBuf>) -> Self {
        let bytes = bytes.into();
        Self { path, len: bytes.len() as u64, bytes: Bytes::Memory(bytes) }
    }

    /// Returns the path, where there is one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Counts the bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Says whether there is no byte.
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
            Bytes::File(file) => {
                let mut buffer = Vec::new();
                let refused = |_| Error::new(ErrorKind::Limit, format!("there is no memory for {len} bytes"));
                buffer.try_reserve_exact(len).map_err(refused)?;
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

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

#[cfg(not(unix))]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = file.try_clone()?;
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(buffer)
}
