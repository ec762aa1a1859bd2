//! A file whose length is known, read piece by piece.

use std::io::{Read, Seek, SeekFrom};

use crate::error::{Error, ErrorKind};

/// A readable source and its length in bytes; nothing is read beyond it.
#[derive(Debug)]
pub struct Source<R> {
    inner: R,
    length: u64,
}

impl<R: Read + Seek> Source<R> {
    /// Makes a source of `length` bytes.
    pub fn new(inner: R, length: u64) -> Self {
        Self { inner, length }
    }

    /// Returns the length in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads exactly `length` bytes from `at`.
    ///
    /// This is the one way for bytes into the program: the range is compared with the length of the file before memory
    /// is asked for, memory that cannot be had is an error, and so is a file that has become shorter meanwhile.
    ///
    /// # Errors
    /// When the range reaches past the end, memory is refused or reading fails.
    pub fn load(&mut self, at: u64, length: u64) -> Result<Vec<u8>, Error> {
        if at.checked_add(length).is_none_or(|end| end > self.length) {
            let text = format!("the file is cut short: {length} bytes are needed here, and it ends at {}", self.length);
            return Err(Error::field("file", at, text));
        }
        let mut bytes = Vec::new();
        let room = usize::try_from(length).ok().is_some_and(|length| bytes.try_reserve_exact(length).is_ok());
        if !room {
            return Err(Error::new(
                ErrorKind::Memory,
                format!("there is no memory for the {length} bytes of the file"),
            ));
        }
        let failed = |error: std::io::Error| Error::new(ErrorKind::File, format!("cannot read the file: {error}"));
        self.inner.seek(SeekFrom::Start(at)).map_err(failed)?;
        let read = self.inner.by_ref().take(length).read_to_end(&mut bytes).map_err(failed)?;
        if read as u64 != length {
            return Err(Error::field("file", at + read as u64, "the file became shorter while it was read"));
        }
        Ok(bytes)
    }
}
