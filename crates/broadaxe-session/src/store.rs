//! Keeps files in the user's cache folder. What cannot be read or written there is the same as what was never kept.

use std::{
    env, fs,
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use crate::stop;

/// Returns the folder for one kind of file: in the folder that the variable `BROADAXE_CACHE_DIR` names, or else where the system wants
/// caches; nothing where the user has no such folder.
pub fn folder(kind: &str) -> Option<PathBuf> {
    folder_of(kind, &|name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
}

fn folder_of(kind: &str, variable: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if let Some(own) = variable("BROADAXE_CACHE_DIR") {
        return Some(own.join(kind));
    }
    let of = |name: &str| variable(name).filter(|path| path.is_absolute());
    let system = if cfg!(windows) {
        of("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        of("HOME").map(|home| home.join("Library/Caches"))
    } else {
        of("HOME").map(|home| home.join(".cache"))
    };
    Some(of("XDG_CACHE_HOME").or(system)?.join("broadaxe").join(kind))
}

/// Reads a regular file of at most this many bytes.
pub fn read(file: &Path, most: u64) -> Option<Vec<u8>> {
    let about = fs::metadata(file).ok().filter(|about| about.is_file() && about.len() <= most)?;
    let mut bytes = Vec::with_capacity(about.len() as usize);
    File::open(file).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Writes a file of a folder atomically, and makes the folder where it does not exist.
pub fn write(file: &Path, bytes: &[u8]) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let Some(folder) = file.parent().filter(|folder| fs::create_dir_all(folder).is_ok()) else { return };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!(".{}-{number}.broadaxe-tmp", std::process::id()));
    let Ok(mut to) = stop::create(&temporary) else { return };
    if to.write_all(bytes).is_err() || stop::keep(&temporary, file).is_err() {
        stop::remove(&temporary);
    }
}

/// Removes the files of a folder that were written first, where all have more than `most` bytes, until they have three quarters of that.
pub fn prune(folder: &Path, most: u64) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let file = |entry: fs::DirEntry| {
        let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some((about.modified().ok()?, about.len(), entry.path()))
    };
    let mut files: Vec<_> = entries.filter_map(file).collect();
    let mut total: u64 = files.iter().map(|(_, len, _)| len).sum();
    if total <= most {
        return;
    }
    files.sort();
    for (_, len, path) in files {
        if total <= most / 4 * 3 {
            return;
        }
        total -= if fs::remove_file(path).is_ok() { len } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use broadaxe_testing::temporary;

    use super::*;

    #[test]
    #[cfg(all(unix, not(target_os = "macos")))]
    fn folders_of_the_user() {
        type Case<'a> = (&'a [(&'a str, &'a str)], Option<&'a str>);
        let cases: [Case<'_>; 7] = [
            (&[], None),
            (&[("HOME", "/users/a")], Some("/users/a/.cache/broadaxe/kind")),
            (&[("HOME", "/users/a"), ("XDG_CACHE_HOME", "/c")], Some("/c/broadaxe/kind")),
            (&[("HOME", "/users/a"), ("XDG_CACHE_HOME", "c")], Some("/users/a/.cache/broadaxe/kind")),
            (&[("HOME", "home")], None),
            (&[("HOME", "/users/a"), ("XDG_CACHE_HOME", "/c"), ("BROADAXE_CACHE_DIR", "/own")], Some("/own/kind")),
            (&[("BROADAXE_CACHE_DIR", "own")], Some("own/kind")),
        ];
        for (variables, want) in cases {
            let variable = |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, path)| path.into());
            assert_eq!(folder_of("kind", &variable), want.map(PathBuf::from), "{variables:?}");
        }
    }

    #[test]
    fn files_are_written_whole() {
        let folder = temporary::path("store");
        let file = folder.join("deep/a");
        assert_eq!(read(&file, 9), None);
        for bytes in [b"first".as_slice(), b"second", b""] {
            write(&file, bytes);
            assert_eq!(read(&file, 9).as_deref(), Some(bytes));
            assert_eq!(fs::read_dir(folder.join("deep")).unwrap().count(), 1);
        }
        write(&file, b"0123456789");
        assert_eq!(read(&file, 9), None);
        assert_eq!(read(&folder, 9), None);
        // Nothing is said of a folder that cannot be made.
        write(&file.join("below"), b"text");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_oldest_files_are_removed() {
        let cases = [(100, 0, 0), (100, 4, 0), (100, 5, 2), (120, 6, 3), (10, 5, 5), (0, 3, 3)];
        for (k, (most, files, gone)) in cases.into_iter().enumerate() {
            let folder = temporary::path(&format!("prune-{k}"));
            fs::create_dir_all(folder.join("folder")).unwrap();
            for at in 0..files {
                let path = folder.join(at.to_string());
                fs::write(&path, [0; 25]).unwrap();
                let day = SystemTime::UNIX_EPOCH + Duration::from_secs(86_400 * (1 + at));
                File::options().write(true).open(&path).unwrap().set_modified(day).unwrap();
            }
            prune(&folder, most);
            let left: Vec<bool> = (0..files).map(|at| folder.join(at.to_string()).exists()).collect();
            let want: Vec<bool> = (0..files).map(|at| at >= gone).collect();
            assert_eq!(left, want, "{most} of {files}");
            fs::remove_dir_all(&folder).unwrap();
        }
    }
}
