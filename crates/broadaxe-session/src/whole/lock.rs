//! Locks a file that a run reads, changes and replaces, so that no other run does the same at that time.
//!
//! The system locks a file next to OUT, `.OUT.broadaxe-lock`, which is removed at the end. OUT itself may not exist yet, and
//! is replaced by another file each time. A killed run leaves its file behind without a lock; the next run for OUT uses and
//! removes it.
//!
//! Some file systems have no locks, and other programs do not ask for one. So OUT is only replaced if it is still the file
//! that it was.

use std::{
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::{folder, stem, target, uncreated};
use crate::{
    error::{Error, ErrorKind, escaped},
    stamp::Stamp,
    stop,
};

const LOCK_MARK: &str = ".broadaxe-lock";
/// How often a lock is asked for.
const PAUSE: Duration = Duration::from_millis(20);
/// How long a run waits before it says what it waits for.
const SILENT_WAIT: Duration = Duration::from_secs(3);

/// The right to replace a file, until this is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    before: Option<Stamp>,
    _held: Option<stop::Locked>,
}

impl Lock {
    /// Waits until no other run has the lock of a file, which may not exist.
    ///
    /// # Errors
    /// When there is something of this name that is no regular file, or the folder cannot be written.
    pub fn of(path: &Path) -> Result<Self, Error> {
        let path = target(path)?;
        let held = wait(&path)?;
        Ok(Self { before: Stamp::of(&path), path, _held: held })
    }

    /// As [`Lock::of`], for a folder.
    ///
    /// # Errors
    /// When its folder cannot be written.
    pub fn of_folder(path: &Path) -> Result<Self, Error> {
        Ok(Self { before: None, path: path.to_owned(), _held: wait(path)? })
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the file is still what it was when it was locked.
    ///
    /// # Errors
    /// When another program has changed it, created it or removed it.
    pub(super) fn check(&self) -> Result<(), Error> {
        if Stamp::of(&self.path) == self.before {
            return Ok(());
        }
        let text = "another program has changed the file meanwhile; it was not replaced, run the command again";
        Err(Error::new(ErrorKind::File, text).of(&self.path))
    }
}

/// Waits for the lock of a file; nothing where the file system has no locks.
fn wait(path: &Path) -> Result<Option<stop::Locked>, Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let lock = folder(path).join(format!(".{}{LOCK_MARK}", stem(&name)));
    let (start, mut told) = (Instant::now(), false);
    loop {
        match stop::lock(&lock) {
            Ok(Some(held)) => return Ok(Some(held)),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(None),
            Err(error) => return Err(uncreated(path, "file", &error)),
        }
        broadaxe::stop::checkpoint();
        if !told && start.elapsed() >= SILENT_WAIT {
            told = true;
            let shown = escaped(&path.display().to_string());
            stop::say(&format!("note: {shown}: waiting for another run that replaces the file"));
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use broadaxe_testing::temporary;

    use super::*;

    #[test]
    fn one_at_a_time() {
        let folder = temporary::path("lock");
        fs::create_dir_all(&folder).unwrap();
        let (path, lock) = (folder.join("a.npz"), folder.join(".a.npz.broadaxe-lock"));
        // What a killed run has left is used.
        fs::write(&lock, "").unwrap();
        let count = |_| {
            let _held = Lock::of(&path).unwrap();
            let text = fs::read_to_string(&path).unwrap_or_default();
            thread::sleep(Duration::from_millis(2));
            fs::write(&path, text + "x").unwrap();
        };
        thread::scope(|scope| (0..8).for_each(|_| _ = scope.spawn(|| (0..5).for_each(count))));
        assert_eq!(fs::read_to_string(&path).unwrap().len(), 40);
        assert!(!lock.exists());
        // The lock of another file is another one.
        let both = [Lock::of(&path).unwrap(), Lock::of(&folder.join("b.npz")).unwrap()];
        drop(both);
        // A name of another kind is left alone.
        fs::create_dir(&lock).unwrap();
        let error = Lock::of(&path).unwrap_err().to_string();
        assert!(error.contains(".a.npz.broadaxe-lock is not a file; remove it"), "{error}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn changes_of_other_programs_are_noticed() {
        let folder = temporary::path("changes");
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.npz");
        let changes: [fn(&Path); 4] = [
            |path| fs::write(path, "first").unwrap(),
            |path| fs::write(path, "longer").unwrap(),
            |path| fs::remove_file(path).unwrap(),
            |_| {},
        ];
        for (at, change) in changes.into_iter().enumerate() {
            let lock = Lock::of(&path).unwrap();
            change(&path);
            assert_eq!(lock.check().is_err(), at < 3, "change {at}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
