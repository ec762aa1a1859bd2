//! Holds bytes of a file, read into memory or mapped.

use broadaxe_kernels::{Input, Mapping};

use crate::error::{Error, ErrorKind};

/// The fewest bytes that are mapped.
///
/// Measured as `a + 1` over an f32 array in the page cache, on two busy cores: fewer are read as fast as the kernel sets up
/// a mapping and its pages, 16 MiB take half the time, and 1 GiB 0.6 s where reading took 1.9 s; the peak of own memory
/// falls from operand and result to the result.
pub(super) const MIN_MAPPED_INPUT_BYTES: u64 = 1 << 20;

/// Bytes, wherever they are.
#[derive(Debug)]
pub(super) enum Data {
    Read(Vec<u8>),
    Mapped(Mapping),
}

impl Data {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Read(bytes) => bytes.len(),
            Self::Mapped(mapping) => mapping.len(),
        }
    }

    /// Counts the bytes of memory in use; the system can reclaim the pages of a mapping.
    pub(super) fn memory(&self) -> u64 {
        match self {
            Self::Read(bytes) => bytes.len() as u64,
            Self::Mapped(_) => 0,
        }
    }

    /// Lends the bytes to the engine; the first element is `offset` bytes in.
    pub(super) fn input(&self, offset: usize) -> Input<'_> {
        match self {
            Self::Read(bytes) => Input::new(bytes, offset),
            Self::Mapped(mapping) => mapping.input(offset),
        }
    }

    /// Says whether what was seen so far was the file as it was when it was opened.
    ///
    /// # Errors
    /// When the file was changed while bytes of it were in use, or the disk could not give them.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Self::Mapped(mapping) if !mapping.is_whole() => Err(Error::new(
                ErrorKind::File,
                "the file changed while it was read; run the command again when no other program writes to it",
            )),
            _ => Ok(()),
        }
    }

    /// Reads the bytes into memory, if `limit` allows it.
    ///
    /// # Errors
    /// When not enough memory for them; as for [`Data::check`].
    pub(super) fn into_bytes(self, limit: u64) -> Result<Vec<u8>, Error> {
        match self {
            Self::Read(bytes) => Ok(bytes),
            Self::Mapped(_) => {
                within(self.len() as u64, limit)?;
                let mut bytes = allocate(self.len() as u64)?;
                self.for_each_piece(&mut |piece| bytes.extend_from_slice(piece))?;
                Ok(bytes)
            }
        }
    }

    /// Shows all bytes, piece by piece; those of a mapping are copied first, because others may write them.
    ///
    /// # Errors
    /// As for [`Data::check`].
    pub(super) fn for_each_piece(&self, see: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        match self {
            Self::Read(bytes) => see(bytes),
            Self::Mapped(mapping) => {
                let mut piece = [0; 1 << 14];
                for at in (0..mapping.len()).step_by(piece.len()) {
                    let here = piece.len().min(mapping.len() - at);
                    mapping.read(at, &mut piece[..here]);
                    see(&piece[..here]);
                }
            }
        }
        self.check()
    }

    /// Copies the first bytes, at most `most` of them.
    pub(super) fn first(&self, most: usize) -> Vec<u8> {
        let count = most.min(self.len());
        match self {
            Self::Read(bytes) => bytes[..count].to_vec(),
            Self::Mapped(mapping) => {
                let mut bytes = vec![0; count];
                mapping.read(0, &mut bytes);
                bytes
            }
        }
    }
}

/// Rejects to take more bytes into memory than are left of the limit.
///
/// # Errors
/// [`ErrorKind::Memory`] for more.
pub(crate) fn within(length: u64, limit: u64) -> Result<(), Error> {
    if length <= limit {
        return Ok(());
    }
    let text = format!("the array needs {length} bytes, and {limit} are left of the limit (--max-bytes)");
    Err(Error::new(ErrorKind::Memory, text))
}

/// Allocates memory for this many bytes of a file.
///
/// # Errors
/// When there is none.
pub(super) fn allocate(length: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let there = usize::try_from(length).ok().is_some_and(|length| bytes.try_reserve_exact(length).is_ok());
    if there {
        return Ok(bytes);
    }
    Err(Error::new(ErrorKind::Memory, format!("not enough memory for the {length} bytes of the file")))
}
