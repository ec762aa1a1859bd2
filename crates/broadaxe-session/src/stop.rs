//! Handles interrupts: removes temporary files and ends at once with 130 or 143. A run that its user interrupts says so.
//!
//! A thread of its own waits for signals, so nothing that computes has to ask. It holds the list of temporary files
//! while it removes them and until the process has ended; files are created and renamed under the same lock, so a
//! result is written atomically, and no temporary file is left.

use std::{
    fs::{self, DirBuilder, File, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

static TEMPORARIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn temporaries() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a file that is removed when the command is interrupted.
///
/// # Errors
/// What the system answers; [`io::ErrorKind::AlreadyExists`] when there is one of this name.
pub fn create(path: &Path) -> io::Result<File> {
    let mut list = temporaries();
    let file = File::options().read(true).write(true).create_new(true).open(path)?;
    list.push(path.to_owned());
    Ok(file)
}

/// Gives a file of [`create`] its final name, from where it is no longer removed.
///
/// # Errors
/// What the system answers; the file then keeps its name.
pub fn keep(temporary: &Path, path: &Path) -> io::Result<()> {
    let mut list = temporaries();
    fs::rename(temporary, path)?;
    list.retain(|one| one != temporary);
    Ok(())
}

/// A file that is locked; it is removed when this is dropped, and when the command is interrupted.
#[derive(Debug)]
pub struct Locked {
    path: PathBuf,
    file: Option<File>,
}

impl Drop for Locked {
    fn drop(&mut self) {
        // A run that has the file open finds another one of the name, or none. Windows does not remove an open file.
        if cfg!(windows) {
            self.file = None;
        }
        remove(&self.path);
    }
}

/// Creates a file if it does not exist, and locks it; nothing while another run has it, or has just removed it.
///
/// # Errors
/// What the system answers; [`io::ErrorKind::Unsupported`] where files cannot be locked.
pub fn lock(path: &Path) -> io::Result<Option<Locked>> {
    let mut list = temporaries();
    let Some(file) = open_lock(path)? else { return Ok(None) };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(_)) => {
            let _ = fs::remove_file(path);
            return Err(io::ErrorKind::Unsupported.into());
        }
        Ok(()) if !is_at(&file, path) => return Ok(None),
        Ok(()) => {}
    }
    list.push(path.to_owned());
    Ok(Some(Locked { path: path.to_owned(), file: Some(file) }))
}

/// Opens a file to lock it; nothing if it has just been removed.
fn open_lock(path: &Path) -> io::Result<Option<File>> {
    let mut options = File::options();
    options.read(true).write(true);
    // Without the right to delete: a file that is open keeps its name.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, 0x1 | 0x2);
    match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        created => return created.map(Some),
    }
    let opened = fs::symlink_metadata(path).and_then(|about| {
        if !about.is_file() {
            return Err(io::Error::other(format!("{} is not a file; remove it", path.display())));
        }
        // The file of another user may be locked, if not written.
        options.open(path).or_else(|_| File::open(path))
    });
    match opened {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // Windows: the other run is removing it.
        Err(error) if cfg!(windows) && error.raw_os_error() == Some(32) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Says whether an open file has this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let number = |about: fs::Metadata| (about.dev(), about.ino());
    file.metadata().and_then(|own| Ok(number(own) == number(fs::symlink_metadata(path)?))).unwrap_or(false)
}

/// Says whether an open file has this name: it does, as it was opened so that it keeps it.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

/// Removes a file of [`create`].
pub fn remove(temporary: &Path) {
    let mut list = temporaries();
    // It may be gone already; then there is nothing to do.
    let _ = fs::remove_file(temporary);
    list.retain(|one| one != temporary);
}

/// Creates a folder in the system's folder for temporary files; it is removed when the command is interrupted.
///
/// # Errors
/// What the system answers.
pub fn create_folder(name: &str) -> io::Result<PathBuf> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let temporary = std::path::absolute(std::env::temp_dir())?;
    let mut list = temporaries();
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = temporary.join(format!("{name}-{}-{number}", std::process::id()));
        match private_folder().create(&path) {
            // A run that was killed may have left one behind.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => {
                created?;
                list.push(path.clone());
                return Ok(path);
            }
        }
    }
}

/// Creates a folder next to `path`, under a temporary name; it is removed when the command is interrupted.
///
/// # Errors
/// What the system answers.
pub fn create_folder_beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut list = temporaries();
    for number in 0..1000 {
        let folder = parent.join(format!(".{name}.{}-{number}.broadaxe-tmp", std::process::id()));
        match DirBuilder::new().create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => {
                created?;
                list.push(folder.clone());
                return Ok(folder);
            }
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Gives a folder of [`create_folder_beside`] its final name; a folder of this name is removed once it has been replaced.
///
/// # Errors
/// What the system answers; both folders then keep their names.
pub fn keep_folder(temporary: &Path, path: &Path) -> io::Result<()> {
    let mut list = temporaries();
    let previous = temporary.with_extension("broadaxe-old");
    let is_there = fs::symlink_metadata(path).is_ok();
    if is_there {
        fs::rename(path, &previous)?;
    }
    if let Err(error) = fs::rename(temporary, path) {
        if is_there {
            fs::rename(&previous, path)?;
        }
        return Err(error);
    }
    list.retain(|one| one != temporary);
    if is_there { fs::remove_dir_all(&previous) } else { Ok(()) }
}

/// Returns what makes a folder that only the user can read.
fn private_folder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Removes a folder of [`create_folder`], with what is in it.
pub fn remove_folder(path: &Path) {
    let mut list = temporaries();
    let _ = fs::remove_dir_all(path);
    list.retain(|one| one != path);
}

/// Begins to wait for signals. Those that the parent told us to ignore, as a shell does for background jobs, stay so.
///
/// # Errors
/// When the system rejects the handlers or the thread.
#[cfg(unix)]
pub fn watch() -> io::Result<()> {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
        iterator::Signals,
    };

    let ignored = ignored();
    let ends = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    // A file that hits its size limit would otherwise kill the process; like this the write fails.
    let mut signals = Signals::new(ends.chain([SIGXFSZ]))?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if let Some(signal) = signals.forever().find(|&signal| signal != SIGXFSZ) {
            let list = temporaries();
            for path in list.iter() {
                let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            }
            if signal == SIGINT {
                say("interrupted");
            }
            std::process::exit(128 + signal);
        }
    })?;
    Ok(())
}

/// Writes a line to standard error, in place of a progress bar.
pub fn say(text: &str) {
    use std::io::{IsTerminal, Write};

    let mut error = io::stderr();
    let clear = if error.is_terminal() { "\r\x1b[2K" } else { "" };
    let _ = error.write_all(format!("{clear}{text}\n").as_bytes());
}

/// Does nothing where there are no signals.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn watch() -> io::Result<()> {
    Ok(())
}

/// Returns the set of signals that were ignored when the process started; bit 0 is signal 1.
///
/// Only Linux tells this in a file; elsewhere the set is empty.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
