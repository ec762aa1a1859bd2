//! Writes files atomically.
//!
//! The bytes go to a temporary file in the same folder, `.OUT.PID-N.broadaxe-tmp`, which is flushed to the disk and
//! renamed: in every case OUT is the previous file or the new one. The temporary file is created before anything is
//! computed, so that a folder that cannot be written is noticed at once.
//!
//! While it is being written the file is locked. What a killed run left behind is not, and that is how the next run for
//! the same OUT knows that it may remove it; process numbers would not say so across containers.
//!
//! A run that keeps a part of the previous file locks OUT, reads it, and replaces it ([`Lock`]).

mod lock;

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

pub use self::lock::Lock;
use crate::{
    error::{Error, ErrorKind},
    stop,
};

const MARK: &str = ".broadaxe-tmp";
/// How much of OUT's name is kept in the temporary name; file systems allow 255 bytes in all.
const MAX_STEM: usize = 180;
/// The number of the next temporary file of this process.
static NUMBERS: AtomicU32 = AtomicU32::new(0);

/// A file about to be written, under a temporary name until it is complete.
#[derive(Debug)]
pub struct Whole {
    path: PathBuf,
    file: File,
    temporary: PathBuf,
    kept: bool,
}

impl Whole {
    /// Creates the temporary file next to `path`.
    ///
    /// # Errors
    /// When there is something of this name that is no regular file, or the folder cannot be written.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let path = target(path)?;
        let (file, temporary) = create_beside(&path)?;
        Ok(Self { path, file, temporary, kept: false })
    }

    /// Writes the contents and gives the file its name.
    ///
    /// # Errors
    /// When anything cannot be written; the previous file, if there was one, is then as it was.
    pub fn save(self, contents: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Error> {
        self.replace(None, contents)
    }

    /// As [`Whole::save`], for a file that was read under a lock.
    ///
    /// # Errors
    /// As [`Whole::save`]; when another program has changed the file since then.
    pub fn replace(
        mut self,
        lock: Option<&Lock>,
        contents: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), Error> {
        let failed = |error: io::Error| Error::io(&self.path, "write the file", &error);
        let write = || {
            contents(&mut self.file)?;
            self.file.flush()?;
            if let Ok(previous) = fs::metadata(&self.path) {
                fs::set_permissions(&self.temporary, previous.permissions())?;
            }
            self.file.sync_all()
        };
        write().map_err(failed)?;
        lock.map_or(Ok(()), Lock::check)?;
        stop::keep(&self.temporary, &self.path).map_err(failed)?;
        self.kept = true;
        // The new name is on the disk when the folder is; not every system can open a folder for that.
        if let Ok(folder) = File::open(folder(&self.path)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Whole {
    /// Returns the file that gets the contents.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the temporary file.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Lends the temporary file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if !self.kept {
            stop::remove(&self.temporary);
        }
    }
}

/// Follows a link, so that what it points to is replaced and not the link; rejects what is no regular file.
fn target(path: &Path) -> Result<PathBuf, Error> {
    let failed = |error: &io::Error| Error::io(path, "write the file", error);
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path.to_owned()),
        Err(error) => Err(failed(&error)),
        Ok(meta) => {
            let real =
                if meta.is_symlink() { fs::canonicalize(path).map_err(|e| failed(&e))? } else { path.to_owned() };
            if fs::metadata(&real).map_err(|e| failed(&e))?.is_file() {
                Ok(real)
            } else {
                Err(Error::new(
                    ErrorKind::File,
                    "cannot write the file: the name belongs to something that is not a file",
                )
                .of(path))
            }
        }
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Returns as much of a name as a temporary name has.
fn stem(name: &str) -> &str {
    &name[..name.floor_char_boundary(MAX_STEM)]
}

/// Creates and locks a temporary file in the folder of `path`, after removing those that killed runs left there.
fn create_beside(path: &Path) -> Result<(File, PathBuf), Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = stem(&name);
    let folder = folder(path);
    sweep(folder, stem);
    for _ in 0..1000 {
        // A number is used once, so that a run that sweeps cannot mean an earlier file.
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let temporary = folder.join(format!(".{stem}.{}-{number}{MARK}", std::process::id()));
        match stop::create(&temporary) {
            Ok(file) if is_held(&file) && temporary.exists() => return Ok((file, temporary)),
            Ok(_) => stop::remove(&temporary),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(uncreated(path, "file", &error)),
        }
    }
    Err(uncreated(path, "file", &io::ErrorKind::AlreadyExists.into()))
}

/// Locks a new file; no, if a run that sweeps locked it first and is about to remove it.
///
/// Where files cannot be locked nothing is swept either.
fn is_held(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Makes the error of a temporary file or folder that cannot be created next to `path`: often its folder does not exist.
pub fn uncreated(path: &Path, what: &str, error: &io::Error) -> Error {
    let folder = folder(path);
    if error.kind() == io::ErrorKind::NotFound && !folder.exists() {
        return Error::absent_folder(path, folder, error);
    }
    Error::io(path, &format!("create a temporary {what} next to it"), error)
}

/// Removes the temporary files for `stem` that no process holds locked. Files that cannot be removed stay: they do no harm.
fn sweep(folder: &Path, stem: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let ours = name.to_str().and_then(|name| {
            let numbers = name.strip_prefix('.')?.strip_prefix(stem)?.strip_prefix('.')?.strip_suffix(MARK)?;
            let (process, number) = numbers.split_once('-')?;
            Some(process.parse::<u32>().is_ok() && number.parse::<u32>().is_ok())
        });
        if ours == Some(true)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(file) = File::options().write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
            // Only now: a run that locks it next sees that it is gone.
            drop(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, thread};

    use super::Whole;

    fn write(path: &Path) {
        let written = Whole::create(path).expect("a temporary file").save(|_| Ok(()));
        assert!(written.is_ok(), "{written:?}");
    }

    /// Runs that start together sweep while others create: none removes what another is about to lock.
    #[test]
    fn files_that_are_just_created_are_not_swept() {
        let folder = std::env::temp_dir().join(format!("broadaxe-whole-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("a.npz");
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..100).for_each(|_| write(&path)));
            }
        });
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1, "nothing but the file");
        fs::remove_dir_all(folder).expect("removed");
    }
}
