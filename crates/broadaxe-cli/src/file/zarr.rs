//! Reads and writes zarr directories (versions 2 and 3) with the crate `zarrs`, in builds with the feature `zarr`.
//!
//! The sizes that the metadata claims are compared with the limit before memory is asked for. The crate unpacks a chunk without a
//! limit, so a file from an untrusted source can use more memory than allowed.

#[cfg(feature = "zarr")]
mod store;

use std::path::Path;

#[cfg(feature = "zarr")]
pub use self::store::{ZarrOutput, describe, read};
#[cfg(not(feature = "zarr"))]
pub use absent::{NoOutput as ZarrOutput, describe, read};

/// The files of which one describes an array.
const METADATA: [&str; 2] = ["zarr.json", ".zarray"];

/// Says whether a path is a zarr array: a folder with metadata.
pub fn is_array(path: &Path) -> bool {
    METADATA.iter().any(|name| path.join(name).is_file())
}

/// Says whether the name of an output asks for a zarr directory.
pub fn is_named(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zarr"))
}

/// Says that this build does without zarr.
#[cfg(not(feature = "zarr"))]
mod absent {
    use std::path::Path;

    use super::super::{Entry, Stored, write::Plain};
    use crate::error::{Error, ErrorKind};

    fn error() -> Error {
        let text = "a zarr directory, which this build of broadaxe cannot use; 'cargo install broadaxe-cli --features zarr' makes one that can";
        Error::new(ErrorKind::File, text)
    }

    /// Reads nothing.
    ///
    /// # Errors
    /// Always.
    pub fn read(_path: &Path, _limit: u64) -> Result<Stored, Error> {
        Err(error())
    }

    /// Describes nothing.
    ///
    /// # Errors
    /// Always.
    pub fn describe(_path: &Path) -> Result<Entry, Error> {
        Err(error())
    }

    /// A directory that is never written.
    #[derive(Debug)]
    pub struct NoOutput(());

    impl NoOutput {
        /// Creates nothing.
        ///
        /// # Errors
        /// Always.
        pub fn create(path: &Path) -> Result<Self, Error> {
            Err(error().of(path))
        }

        /// Writes nothing.
        ///
        /// # Errors
        /// Always.
        pub fn save(self, _array: &Plain<'_>) -> Result<(), Error> {
            Err(error())
        }
    }
}
