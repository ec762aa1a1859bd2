//! Opens files of weights in the folder of the model, or uses those that were given with it.
//!
//! The author of a model chooses these names, so a name must lead to a regular file in or below the folder of the model: no
//! `..`, no symbolic or hard link, no pipe or device. The folders on the way are opened one after the other without
//! following links, so nothing can be replaced between the check and the opening.

use std::{
    collections::HashMap,
    fs::File,
    path::{Component, Path, PathBuf},
};

use crate::{
    error::{Error, ErrorKind},
    source::Source,
};

/// The files of one model, each opened once.
#[derive(Debug)]
pub(super) struct Files {
    model: Source,
    folder: Option<PathBuf>,
    /// A file, or why it is missing.
    open: HashMap<String, Result<Source, String>>,
}

impl Files {
    /// Starts in the folder of a model.
    pub(super) fn in_folder_of(source: &Source) -> Self {
        let parent = source.path().and_then(Path::parent);
        let folder = parent.map(|path| if path.as_os_str().is_empty() { Path::new(".") } else { path });
        Self { model: source.clone(), folder: folder.map(Path::to_path_buf), open: HashMap::new() }
    }

    /// Opens a file; the inner error says why it is missing.
    ///
    /// # Errors
    /// [`ErrorKind::File`] when the name leads out of the folder, or not to a regular file.
    pub(super) fn open(&mut self, location: &str) -> Result<Result<Source, String>, Error> {
        if let Some(known) = self.open.get(location) {
            return Ok(known.clone());
        }
        let parts = parts(location)?;
        let path = self.folder.as_ref().map(|folder| folder.join(location));
        let folder = self.folder.as_deref().unwrap_or(Path::new("."));
        let found = self.model.beside(&parts.join("/"), path.as_deref(), |path| {
            open(folder, &parts, location)?.map(|file| Source::opened(file, path.to_path_buf())).transpose()
        })?;
        let found = found.ok_or_else(|| match path {
            Some(_) => format!("the file {location} of weights is not there"),
            None => format!("the model was given as bytes, so that its file {location} of weights cannot be found"),
        });
        self.open.insert(location.to_owned(), found.clone());
        Ok(found)
    }
}

fn rejected(location: &str, why: &str) -> Error {
    let message =
        format!("the file of weights {location:?} {why}; it must be a regular file in the folder of the model");
    Error::new(ErrorKind::File, message)
}

/// Splits a name into folders and file.
fn parts(location: &str) -> Result<Vec<&str>, Error> {
    if location.contains(['\0', '\\']) {
        return Err(rejected(location, "has a character that no name may have"));
    }
    let part = |component| match component {
        Component::Normal(name) => name.to_str().map(Some).ok_or_else(|| rejected(location, "is not UTF-8")),
        Component::CurDir => Ok(None),
        Component::ParentDir => Err(rejected(location, "goes up a folder")),
        Component::RootDir | Component::Prefix(_) => Err(rejected(location, "does not begin in the folder")),
    };
    let parts: Result<Vec<_>, _> = Path::new(location).components().filter_map(|c| part(c).transpose()).collect();
    parts.and_then(|parts| if parts.is_empty() { Err(rejected(location, "has no name")) } else { Ok(parts) })
}

/// Opens a file of a folder without following links; `None` when it does not exist.
#[cfg(unix)]
fn open(folder: &Path, parts: &[&str], location: &str) -> Result<Option<File>, Error> {
    use std::os::unix::fs::MetadataExt;

    use rustix::{
        fs::{Mode, OFlags, openat},
        io::Errno,
    };

    let fail = |error: &dyn std::fmt::Display| rejected(location, &format!("cannot be opened ({error})"));
    let mut at: rustix::fd::OwnedFd = match File::open(folder) {
        Ok(folder) => folder.into(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fail(&error)),
    };
    for (k, part) in parts.iter().enumerate() {
        let kind = if k + 1 < parts.len() { OFlags::DIRECTORY } else { OFlags::NONBLOCK | OFlags::NOCTTY };
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | kind;
        at = match openat(&at, *part, flags, Mode::empty()) {
            Ok(next) => next,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => {
                return Err(rejected(location, "is a link or goes through one"));
            }
            Err(error) => return Err(fail(&error)),
        };
    }
    let file = File::from(at);
    let metadata = file.metadata().map_err(|error| fail(&error))?;
    if !metadata.is_file() {
        return Err(rejected(location, "is a folder, a pipe or a device"));
    }
    if metadata.nlink() != 1 {
        return Err(rejected(location, "is a file that has another name too (a hard link)"));
    }
    Ok(Some(file))
}

/// Opens a file of a folder after a check for links; `None` when it does not exist.
#[cfg(not(unix))]
fn open(folder: &Path, parts: &[&str], location: &str) -> Result<Option<File>, Error> {
    use std::io::ErrorKind::{NotFound, Unsupported};

    let fail = |error: std::io::Error| rejected(location, &format!("cannot be opened ({error})"));
    let mut path = folder.to_path_buf();
    for (k, part) in parts.iter().enumerate() {
        path.push(part);
        let metadata = match std::fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            // A machine without a file system has no such file.
            Err(error) if matches!(error.kind(), NotFound | Unsupported) => return Ok(None),
            Err(error) => return Err(fail(error)),
        };
        let fits = if k + 1 < parts.len() { metadata.is_dir() } else { metadata.is_file() };
        if !fits {
            return Err(rejected(location, "is a link, a folder or a device"));
        }
    }
    File::open(&path).map(Some).map_err(fail)
}

#[cfg(all(test, unix))]
mod tests;
