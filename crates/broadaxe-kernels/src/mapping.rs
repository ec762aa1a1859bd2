//! Mapped files: inputs that are read where they lie, and results that are written where they will be.

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

/// A part of a regular file, mapped to be read: its pages come as they are read, and nothing is copied.
///
/// A file belongs to everybody, so two things are settled here. Its bytes may change at any time: they are read through
/// raw pointers only, like all memory of an [`Input`]. And it may be cut: the pages behind its new end are gone, and
/// reading one raises a signal that ends the process. A handler of that signal puts zeros in their place instead and
/// marks the mapping (`isa.rs`), so that whoever computed with it can learn that the result means nothing.
///
/// The mark alone would not be enough. A cut inside a page zeroes its rest without a signal, and so does a cut file that
/// grows again. Hence [`Mapping::is_whole`] also compares length and time of change with those of the beginning.
///
/// Files are mapped on Linux; elsewhere [`Mapping::new`] has none to give.
#[derive(Debug)]
pub struct Mapping {
    pages: Pages,
    len: usize,
    file: File,
    stamp: Stamp,
}

impl Mapping {
    /// Maps `len` bytes from byte `at`, or nothing where they should be read in the ordinary way.
    ///
    /// That is so for anything but a regular file, for bytes beyond its end or none at all, where the system refuses,
    /// and when [`Mapping::MAX`] mappings are alive.
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

    /// The most mappings that can be alive at once.
    pub const MAX: usize = MAX_MAPPINGS;

    /// Counts the bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Says whether there are no bytes, which is never so.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Lends the bytes to a program; the element that all loops start from is `offset` bytes in.
    pub fn input(&self, offset: usize) -> Input<'_> {
        lend(&self.pages, self.len, offset)
    }

    /// Copies the bytes from byte `at` of the mapping; says whether that many are there.
    pub fn read(&self, at: usize, to: &mut [u8]) -> bool {
        read(&self.pages, at, to)
    }

    /// Says whether all that was read so far was the file as it was when it was mapped.
    ///
    /// When it was not, bytes were read that never stood in the file together, or zeros.
    pub fn is_whole(&self) -> bool {
        let now = self.file.metadata().ok().and_then(|meta| Stamp::of(&meta));
        !self.pages.are_cut() && now == Some(self.stamp)
    }
}

/// A part of a file that is mapped to be written: the system brings pages to the disk as it needs their memory, so that a result may
/// be larger than all memory.
///
/// The disk keeps room for all bytes before the first is written, so that it cannot become full in between. When somebody cuts the file
/// meanwhile, what is written behind its end is lost, and [`MappingMut::is_whole`] says so.
#[derive(Debug)]
pub struct MappingMut {
    pages: Pages,
    len: usize,
}

impl MappingMut {
    /// Makes the file long enough for `len` bytes from byte `at`, and maps them.
    ///
    /// `None` where they should be written in the ordinary way: on other systems than Linux, for a file system that cannot keep room
    /// for bytes to come, where the system refuses, and when [`Mapping::MAX`] mappings are alive. The file must be open for reading
    /// and writing; it may have become longer even so.
    ///
    /// # Errors
    /// What the system answers when the file cannot have that length, such as that the disk is full.
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

    /// Lends the bytes to a program that writes them; the element that all loops start from is `offset` bytes in.
    pub fn output(&mut self, offset: usize) -> Output<'_> {
        lend_mut(&mut self.pages, self.len, offset)
    }

    /// Says whether every page was there when it was written.
    pub fn is_whole(&self) -> bool {
        !self.pages.are_cut()
    }
}

/// What changes with the bytes of a file, as far as the system tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    changed: SystemTime,
}

impl Stamp {
    /// Takes the stamp of a regular file.
    fn of(meta: &Metadata) -> Option<Self> {
        Some(Self { length: meta.is_file().then_some(meta.len())?, changed: meta.modified().ok()? })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
