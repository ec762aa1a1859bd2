//! Reads a file of known length piece by piece.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
};

use broadaxe_kernels::Mapping;

use super::data::{Data, MIN_MAPPED_INPUT_BYTES, allocate, within};
use crate::error::{Error, ErrorKind};

/// A readable source and its length in bytes; nothing is read beyond it.
#[derive(Debug)]
pub struct Source<R> {
    inner: R,
    length: u64,
    map: fn(&R, u64, usize) -> Option<Mapping>,
}

impl Source<File> {
    /// Makes a source of a file, parts of which can be mapped.
    pub(super) fn of_file(file: File, length: u64) -> Self {
        Self { inner: file, length, map: Mapping::new }
    }
}

impl<R: Read + Seek> Source<R> {
    /// Makes a source of `length` bytes.
    pub fn new(inner: R, length: u64) -> Self {
        Self { inner, length, map: |_, _, _| None }
    }

    /// Returns the length in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads exactly `length` bytes from `at`.
    ///
    /// This and `Source::data` are the ways for bytes into the program: the range is compared with the length of the file before
    /// memory is asked for, memory that cannot be had is an error, and so is a file that has become shorter meanwhile.
    ///
    /// # Errors
    /// When the range reaches past the end, memory is rejected or reading fails.
    pub fn load(&mut self, at: u64, length: u64) -> Result<Vec<u8>, Error> {
        self.check(at, length)?;
        let mut bytes = allocate(length)?;
        let failed = |error: std::io::Error| Error::new(ErrorKind::File, format!("cannot read the file: {error}"));
        self.inner.seek(SeekFrom::Start(at)).map_err(failed)?;
        let read = self.inner.by_ref().take(length).read_to_end(&mut bytes).map_err(failed)?;
        if read as u64 != length {
            return Err(Error::field("file", at + read as u64, "the file became shorter while it was read"));
        }
        Ok(bytes)
    }

    /// Copies `length` bytes from `at` to a writer, `block` of them at once.
    ///
    /// # Errors
    /// As for [`Source::load`]; what the writer answers.
    pub(super) fn copy(&mut self, at: u64, length: u64, block: u64, out: &mut impl Write) -> io::Result<()> {
        let failed = |error: Error| io::Error::other(error.to_string());
        self.check(at, length).map_err(failed)?;
        let mut done = 0;
        while done < length {
            let bytes = self.load(at + done, block.min(length - done)).map_err(failed)?;
            out.write_all(&bytes)?;
            done += bytes.len() as u64;
        }
        Ok(())
    }

    /// Maps exactly `length` bytes from `at` where that pays and can be, and else reads them, if `limit` allows so much memory.
    ///
    /// # Errors
    /// As for [`Source::load`]; [`ErrorKind::Memory`] for bytes beyond the limit that would have to be read.
    pub(super) fn data(&mut self, at: u64, length: u64, limit: u64) -> Result<Data, Error> {
        self.check(at, length)?;
        let size = usize::try_from(length).ok().filter(|_| length >= MIN_MAPPED_INPUT_BYTES);
        match size.and_then(|size| (self.map)(&self.inner, at, size)) {
            Some(mapping) => Ok(Data::Mapped(mapping)),
            None => within(length, limit).and_then(|()| self.load(at, length)).map(Data::Read),
        }
    }

    fn check(&self, at: u64, length: u64) -> Result<(), Error> {
        if at.checked_add(length).is_some_and(|end| end <= self.length) {
            return Ok(());
        }
        let end = self.length;
        let text = format!("the file is cut short: {length} bytes are needed from byte {at} on, and it ends at {end}");
        Err(Error::field("file", at.min(end), text))
    }
}
