//! Mapped files: inputs that are read in place, and results that are written in place.

use std::{
    fs::{File, Metadata},
    io,
    time::SystemTime,
};

use crate::{
    isa::{
        MAX_MAPPINGS,
        pages::{Pages, reserve},
    },
    tile::{Input, Output, lend, lend_mut, read},
};

/// A part of a regular file, mapped for reading: pages are loaded when they are read, and nothing is copied.
///
/// Other processes can change the file, so two cases are handled. Its bytes may change at any time: they are read
/// through raw pointers only, like all memory of an [`Input`]. The file may become shorter: the pages behind its new
/// end are gone, and reading one raises a signal that would end the process. A handler of that signal puts zeros in
/// their place and marks the mapping (`isa.rs`), so that the caller can learn that the result is meaningless.
///
/// The mark alone is not enough. Truncating a file inside a page zeroes the rest of the page without a signal, and so
/// does truncating a file that then grows again. Hence [`Mapping::is_whole`] also compares length and time of change
/// with those of the beginning.
///
/// Files are mapped on Linux; on other systems [`Mapping::new`] returns `None`.
#[derive(Debug)]
pub struct Mapping {
    pages: Pages,
    len: usize,
    file: File,
    stamp: Stamp,
}

impl Mapping {
    /// Maps `len` bytes from byte `at`, or returns `None` if they should be read in the ordinary way.
    ///
    /// That is the case for anything but a regular file, for no bytes or bytes beyond its end, if the system refuses,
    /// and if [`Mapping::MAX`] mappings exist.
    ///
    /// ```
    /// use broadaxe_kernels::Mapping;
    /// let file = std::fs::File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))?;
    /// if let Some(mapping) = Mapping::new(&file, 1, 7) {
    ///     let mut text = [0; 7];
    ///     assert!(mapping.read(0, &mut text) && mapping.is_whole());
    ///     assert_eq!(&text, b"package");
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(file: &File, at: u64, len: usize) -> Option<Self> {
        let stamp = Stamp::of(&file.metadata().ok()?)?;
        if at.checked_add(len as u64)? > stamp.length {
            return None;
        }
        let pages = Pages::map(file, at, len)?;
        Some(Self { pages, len, file: file.try_clone().ok()?, stamp })
    }

    /// The largest number of mappings that can exist at once.
    pub const MAX: usize = MAX_MAPPINGS;

    /// Counts the bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Says whether there are no bytes, which is never the case.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Lends the bytes to a program; the loops start at byte `offset`.
    pub fn input(&self, offset: usize) -> Input<'_> {
        lend(&self.pages, self.len, offset)
    }

    /// Copies the bytes from byte `at` of the mapping. Returns whether they are all inside it.
    pub fn read(&self, at: usize, to: &mut [u8]) -> bool {
        read(&self.pages, at, to)
    }

    /// Says whether everything read so far was the file as it was when it was mapped.
    ///
    /// If not, the bytes may be zeros, or a mixture of several contents of the file.
    pub fn is_whole(&self) -> bool {
        let now = self.file.metadata().ok().and_then(|meta| Stamp::of(&meta));
        !self.pages.are_cut() && now == Some(self.stamp)
    }
}

/// A part of a file, mapped for writing: the system writes pages to the disk when it needs their memory, so a result
/// may be larger than the memory.
///
/// Space for all bytes is reserved on the disk before the first is written, so the disk cannot become full in between.
/// If the file is truncated meanwhile, what is written behind its end is lost, and [`MappingMut::is_whole`] returns
/// false.
#[derive(Debug)]
pub struct MappingMut {
    pages: Pages,
    len: usize,
}

impl MappingMut {
    /// Makes the file long enough for `len` bytes from byte `at`, and maps them.
    ///
    /// Returns `None` if they should be written in the ordinary way: on systems other than Linux, on a file system that
    /// cannot reserve space, if the system refuses, and if [`Mapping::MAX`] mappings exist. The file must be open for
    /// reading and writing; it may have become longer even then.
    ///
    /// # Errors
    /// Returns the system's error if the file cannot have that length, for example because the disk is full.
    ///
    /// ```
    /// use broadaxe_kernels::MappingMut;
    /// let path = std::env::temp_dir().join(format!("broadaxe-doc-{}", std::process::id()));
    /// let file = std::fs::File::options().read(true).write(true).create_new(true).open(&path)?;
    /// if let Some(mut mapping) = MappingMut::new(&file, 100, 8)? {
    ///     assert_eq!(mapping.output(0).len(), 8);
    ///     assert!(mapping.is_whole());
    /// }
    /// std::fs::remove_file(path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(file: &File, at: u64, len: usize) -> io::Result<Option<Self>> {
        let end = at.checked_add(len as u64).ok_or(io::ErrorKind::FileTooLarge)?;
        let pages = if reserve(file, end)? { Pages::map_mut(file, at, len) } else { None };
        Ok(pages.map(|pages| Self { pages, len }))
    }

    /// Lends the bytes to a program that writes them; the loops start at byte `offset`.
    pub fn output(&mut self, offset: usize) -> Output<'_> {
        lend_mut(&mut self.pages, self.len, offset)
    }

    /// Says whether every page existed when it was written.
    pub fn is_whole(&self) -> bool {
        !self.pages.are_cut()
    }
}

/// What changes with the bytes of a file, as far as the system reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    changed: SystemTime,
}

impl Stamp {
    /// Returns the stamp of a regular file.
    fn of(meta: &Metadata) -> Option<Self> {
        Some(Self { length: meta.is_file().then_some(meta.len())?, changed: meta.modified().ok()? })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
